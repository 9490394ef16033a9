"""Compiles kernels of collective tile code and calls them: for tests of the tile lowering."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Final, cast

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from code_generation import code_of
from generators.element_types import DTYPES
from tilewright.ir.passes import Pass, PassContext, PassManager
from tilewright.machine.native import load_object
from tilewright.machine.processor import FeatureSet, machine
from tilewright.machine.units import EXACT_UNITS
from tilewright.settings.product_units import Unit
from tilewright.targets.cpu.kernel import lower_kernel
from tilewright.targets.cpu.machine import Machine, machine_of
from tilewright.targets.cpu.policy import STREAM_PREFETCH, CpuTilePolicy
from tilewright.targets.cpu.tiles.lowering import CpuTiles
from tilewright.targets.llvm.emitter import Module as LlvmModule
from tilewright.transforms.lower_collectives import LowerCollectives

from .entry import Entry, parsed

Array = NDArray[np.generic]
TOLERANCE: Final = {"bf16": 8e-3, "f16": 1e-3, "f32": 4e-6, "f64": 1e-14, "c32": 4e-6, "c64": 1e-14}


def available_levels() -> list[FeatureSet]:
    """The sets of features this machine can run, the smallest first."""
    sets = (FeatureSet.GENERIC, FeatureSet.AVX2, FeatureSet.AVX512)
    return [features for features in sets if not machine().lacks(features)]


class Collective(Entry):
    """A kernel whose body is collective code; `body` is IR text. Its products may use `units`.

    `shape` is another machine than that of `level`, if `rewrite` makes text that this one runs.
    """

    def __init__(
        self,
        parameters: str,
        body: str,
        level: FeatureSet = FeatureSet.HOST,
        units: frozenset[Unit] = EXACT_UNITS,
        shape: Machine | None = None,
        rewrite: Callable[[str], str] = str,
    ) -> None:
        head = 'sym_name = "k", subgroup_size = 16, work_group_size = [16, 1], local_bytes = 0'
        module = parsed(f"builtin.module {{ builtin.kernel {{{head}}} ({parameters}) {{\n{body}\n}} }}")
        shape = replace(shape or machine_of(level), units=units)
        passes: list[Pass] = [LowerCollectives(CpuTilePolicy(shape), STREAM_PREFETCH)]
        PassManager(passes, verify_each=True).run(module, PassContext())
        llvm = LlvmModule()
        self.info = lower_kernel(module.kernels[0], llvm, shape.flags, CpuTiles(shape), shape.attributes)
        self.text = str(llvm)
        code = code_of(rewrite(self.text), machine(level))
        self._library = load_object(code, [self.info.symbol])
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        kind = ctypes.CFUNCTYPE(None, pointer, pointer, number, number, pointer, pointer)
        self._call = kind(self._library.address(self.info.symbol))


def literal(dtype: str, value: float) -> str:
    """The spelling of a constant of an element type."""
    if dtype.startswith("i"):
        return str(int(value))
    return f"({float(value)}, 0.0)" if dtype.startswith("c") else str(float(value))


def random_array(
    rng: np.random.Generator, dtype: str, shape: tuple[int, ...], row_major: bool = False
) -> NDArray[np.float64]:
    """Small random numbers, column-major unless asked otherwise."""
    if dtype.startswith("i"):
        numbers: Array = rng.integers(-5, 6, shape)
    elif dtype.startswith("c"):
        numbers = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    else:
        numbers = rng.standard_normal(shape)
    # Typed as f64 so that NumPy's operators type-check; the element type is `dtype`.
    return cast("NDArray[np.float64]", np.array(numbers.astype(DTYPES[dtype]), order="C" if row_major else "F"))


def assert_close(dtype: str, found: Array, expected: Array, scale: float = 1.0) -> None:
    """Integers exactly (they wrap), others by relative norm."""
    if dtype.startswith("i"):
        np.testing.assert_array_equal(found, expected.astype(np.int64).astype(DTYPES[dtype]))
        return
    wide, exact = found.astype(np.complex128), expected.astype(np.complex128)
    error = float(np.linalg.norm(wide - exact)) / max(float(np.linalg.norm(exact)), 1e-30)
    assert error <= TOLERANCE[dtype] * scale, f"relative error {error}"
