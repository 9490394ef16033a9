"""TLX: tensors in LLVM IR. One declaration for each operation drives text, rules, meaning and lowering.

Operations take and return tensors (`types.TensorType`), whose type is part of the value: what tokens are in the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Final

from tilewright.dialects.tlx import elementwise, memory, products, reductions, shapes, vectors
from tilewright.dialects.tlx.base import TlxOperation

DIALECTS: Final[tuple[ModuleType, ...]] = (memory, products, elementwise, reductions, shapes, vectors)
"""The modules that declare operations, by theme."""


def _declared() -> tuple[type[TlxOperation], ...]:
    return tuple(
        cls
        for module in DIALECTS
        for cls in vars(module).values()
        if isinstance(cls, type)
        and issubclass(cls, TlxOperation)
        and "definition" in vars(cls)
        and cls.__module__ == module.__name__
    )


OPERATIONS: Final = _declared()
"""Every operation."""
BY_INTRINSIC: Final[Mapping[str, type[TlxOperation]]] = MappingProxyType(
    {name: cls for cls in OPERATIONS for name in (cls.spec.intrinsic, *cls.spec.aliases)}
)
