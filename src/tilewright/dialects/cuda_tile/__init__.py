"""NVIDIA's Tile IR, versions 13.1 to 13.4: one declaration for each operation drives everything that knows of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Final

from tilewright.dialects.cuda_tile import (
    arith,
    atomics,
    control,
    conversions,
    core,
    floats,
    matrix,
    memory,
    misc,
    reductions,
    views,
)
from tilewright.dialects.cuda_tile.base import TileOperation

DIALECTS: Final[tuple[ModuleType, ...]] = (
    *(core, arith, floats, conversions, control, reductions),
    *(memory, views, atomics, matrix, misc),
)
"""The modules that declare operations, by theme."""


def _declared() -> tuple[type[TileOperation], ...]:
    return tuple(
        cls
        for module in DIALECTS
        for cls in vars(module).values()
        if isinstance(cls, type)
        and issubclass(cls, TileOperation)
        and "definition" in vars(cls)
        and cls.__module__ == module.__name__
    )


OPERATIONS: Final = _declared()
"""Every operation."""
BY_OPCODE: Final[Mapping[int, type[TileOperation]]] = MappingProxyType(
    {cls.spec.opcode: cls for cls in OPERATIONS if cls.spec.opcode is not None}
)
BY_MNEMONIC: Final[Mapping[str, type[TileOperation]]] = MappingProxyType(
    {word: cls for cls in OPERATIONS for word in (cls.name.removeprefix("cuda_tile."), *cls.spec.aliases)}
)
