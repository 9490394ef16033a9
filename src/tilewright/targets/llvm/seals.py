"""The constants by which code is recognised as that of its header (`artifacts.seal`)."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.artifacts.parameters import KernelInfo
from tilewright.artifacts.seal import SEAL_BYTES, seal_of, seal_symbol
from tilewright.targets.llvm.emitter import Module


def emit_seals(
    module: Module, target: str, features: str, kernels: Sequence[KernelInfo], address_space: int = 0
) -> None:
    """One constant for each entry."""
    for kernel in kernels:
        content = "".join(f"\\{byte:02x}" for byte in seal_of(target, features, kernel))
        module.global_variable(
            seal_symbol(kernel.symbol),
            f"[{SEAL_BYTES} x i8]",
            f'c"{content}"',
            linkage="",
            constant=True,
            address_space=address_space,
            align=1,
        )
