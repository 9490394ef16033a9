"""The operations, one file a dialect. `all_dialects()` is the explicit list that parsers and manuals use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType

from tilewright.ir.core import Operation
from tilewright.plugins import extended


def all_dialects() -> tuple[ModuleType, ...]:
    """Every dialect module, from the language down to the tiles."""
    from tilewright.dialects import (
        addresses,
        arith,
        arith_floats,
        arith_integers,
        builtin,
        cf,
        gpu,
        gpu_clusters,
        gpu_launches,
        gpu_products,
        gpu_stores,
        gpu_sums,
        gpu_tensors,
        gpu_turns,
        lane,
        lane_products,
        lane_roles,
        math,
        memref,
        reports,
        scf,
        statics,
        team,
        tile,
        tile_combine,
        tl,
    )

    numbers = (arith, arith_integers, arith_floats, math)
    machine = (gpu, gpu_products, gpu_sums, gpu_tensors, gpu_stores, gpu_turns, gpu_clusters, gpu_launches)
    tiles = (tile, tile_combine, *machine)
    return (
        builtin,
        statics,
        *numbers,
        cf,
        scf,
        memref,
        addresses,
        team,
        reports,
        tl,
        *tiles,
        lane,
        lane_products,
        lane_roles,
    )


def operation_classes() -> Mapping[str, type[Operation]]:
    """Every declared operation by name, plug-ins' too."""
    own = {cls.name: cls for cls in declared_in(all_dialects())}
    return extended("an operation", own, lambda plugin: {cls.name: cls for cls in declared_in(plugin.dialects)})


def declared_in(dialects: Iterable[ModuleType]) -> Iterator[type[Operation]]:
    """The operations that modules declare, by themselves or in modules below them."""
    for dialect in dialects:
        for cls in vars(dialect).values():
            declared = isinstance(cls, type) and issubclass(cls, Operation) and "definition" in vars(cls)
            if declared and f"{cls.__module__}.".startswith(f"{dialect.__name__}."):
                yield cls
