"""MLIR's own dialects as MLIR declares them: func, cf, arith, math, memref, scf, affine, linalg, tensor, gpu, nvgpu and
vector.

Their names are MLIR's, which is why they stand apart from the shared dialects, of which some have those names too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from tilewright.dialects.mlir import (
    affine,
    arith,
    cf,
    func,
    gpu,
    linalg,
    linalg_dimensions,
    linalg_elements,
    linalg_products,
    math,
    memref,
    mma,
    nvgpu,
    regroupings,
    scf,
    tensor,
    vector,
)
from tilewright.dialects.mlir.base import MlirOperation

__all__ = ["mlir_operations"]

_MODULES = (
    func,
    arith,
    math,
    cf,
    memref,
    scf,
    affine,
    linalg,
    linalg_products,
    linalg_elements,
    linalg_dimensions,
    tensor,
    regroupings,
    gpu,
    mma,
    nvgpu,
    vector,
)


@cache
def mlir_operations() -> Mapping[str, type[MlirOperation]]:
    """Every declared operation by name."""
    found: dict[str, type[MlirOperation]] = {}
    for module in _MODULES:
        for cls in vars(module).values():
            if isinstance(cls, type) and issubclass(cls, MlirOperation) and "definition" in vars(cls):
                found[cls.name] = cls
    return MappingProxyType(found)
