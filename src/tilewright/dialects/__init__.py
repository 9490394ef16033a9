"""The operations, one file a dialect. `all_dialects()` is the explicit list that parsers and manuals use."""

from __future__ import annotations

from types import ModuleType


def all_dialects() -> tuple[ModuleType, ...]:
    """Every dialect module, from the language down to the tiles."""
    from tilewright.dialects import (
        addresses,
        arith,
        arith_floats,
        arith_integers,
        builtin,
        cf,
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
    return (builtin, statics, *numbers, cf, scf, memref, addresses, team, reports, tl, tile, tile_combine)
