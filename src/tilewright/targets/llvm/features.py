"""What a target computes by itself, as far as elementwise lowering must know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping


class Features(Struct, frozen=True):
    """Instructions that may be used; whatever is False is computed with the instructions every target has.

    `bf16_conversion` means f32 to bf16 to nearest *with subnormals*: AVX512_BF16 flushes them, so x86 never sets it.
    `saturating_conversion`: vectors of floats to integers as the language wants them, which LLVM takes apart on x86.
    `maximumnum`: LLVM selects llvm.maximumnum (not for SPIR-V). `rounding`: floor and ceil are instructions.
    `scaling`: x86 multiplies the lanes of a vector by powers of two in one instruction, rounding once. `ranges`: it
    orders zeros of both signs where it takes the larger or smaller of two. `tables`: it picks sixteen f32 out of 32,
    or eight f64 out of 16, in one instruction, and takes floats apart in two.
    """

    fma: bool = False
    f16_conversion: bool = False
    bf16_conversion: bool = False
    saturating_conversion: bool = False
    maximumnum: bool = True
    rounding: bool = False
    scaling: bool = False
    ranges: bool = False
    tables: bool = False
    nvptx: bool = False
    table_address_space: int = 0

    @staticmethod
    def of_x86(flags: Mapping[str, bool]) -> Features:
        """From a map of LLVM feature names, as `llvmlite.binding.get_host_cpu_features()` returns it."""
        return Features(
            fma=flags.get("fma", False),
            f16_conversion=flags.get("f16c", False),
            rounding=flags.get("sse4.1", False),
            scaling=flags.get("avx512f", False) and flags.get("avx512vl", False),
            tables=flags.get("avx512f", False),
            ranges=flags.get("avx512dq", False) and flags.get("avx512vl", False),
        )


GENERIC = Features()
AARCH64 = Features(fma=True, f16_conversion=True, saturating_conversion=True, rounding=True)
NVPTX = Features(
    fma=True,
    f16_conversion=True,
    bf16_conversion=True,
    saturating_conversion=True,
    rounding=True,
    nvptx=True,
    table_address_space=4,
)
