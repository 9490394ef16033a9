"""Random valid kernels of the tensor language, with arguments.

Everything is in bounds, initialised and, unless asked for, free of races, so that every target must give the
interpreter's answer. What is summed are few digits (`values.py`): then sums are exact in any order, and floating-point
results agree bit for bit unless an elementary function is involved (`Generated.exact`).
"""

from __future__ import annotations

import random
from collections.abc import Callable

from generators import collectives, matrices, spmd
from generators.arguments import Generated, Grid
from generators.element_types import DTYPES
from generators.values import Data
from generators.writer import Team, Writer

__all__ = ["Generated", "generate"]

Statement = Callable[[Writer, str], None]
ELEMENTWISE: list[Statement] = [
    spmd.foreach,
    spmd.foreach,
    spmd.foreach,
    spmd.parallel,
    spmd.exchange,
    spmd.in_turn,
    matrices.foreach_tile,
    matrices.shares,
]
"""Nothing is summed, so that any numbers give the same results everywhere."""
STATEMENTS: list[Statement] = [
    *ELEMENTWISE,
    collectives.axpby,
    collectives.total,
    collectives.cumsum,
    collectives.gemm,
    collectives.gemm,
    collectives.gemv,
    collectives.ger,
    collectives.hadamard,
    collectives.repeated,
    collectives.repeated,
    collectives.part,
    collectives.column,
    collectives.regrouped,
    collectives.chain,
    collectives.perhaps,
    spmd.nested,
    spmd.atomics,
    matrices.updates,
    matrices.mul_add,
    matrices.reduce,
]
# Sums in these types would need more than their few digits to be exact in any order, so elementwise work it is.
MATRICES: list[Statement] = [matrices.foreach_tile, matrices.mul_add, matrices.reduce]
SMALL = ("i8", "bf16", "f16")
TEAMS = [
    Team(*sizes) for sizes in ((16, 2, 2), (16, 1, 1), (8, 1, 1), (8, 2, 1), (4, 2, 2), (1, 4, 1), (2, 1, 3))
] * 2 + [
    Team(32, 1, 2),
    Team(32, 2, 1),
]
GRIDS: list[Grid] = [(1, 1, 1)] * 6 + [(3, 1, 1), (2, 2, 1), (1, 3, 2), (2, 1, 2)]


def generate(rnd: random.Random, dynamic_share: float = 0.1, racing: float = 0.0) -> Generated:
    """A random kernel of one to three statements over one or two element types.

    A share of the kernels has extents that only the launch knows; code for these is much longer, hence one statement.
    Another share, none unless asked for, has a race.
    """
    dynamic = rnd.random() < dynamic_share
    dtype = rnd.choice(list(DTYPES))
    # what becomes of the other part of a complex infinity depends on how a product is computed
    special = Data.SPECIAL if dtype[0] != "c" else Data.SMALL
    data = rnd.choice([Data.SMALL, Data.SMALL, Data.HALVES, special, Data.ANY])
    w = Writer(rnd, rnd.choice([0.3, 0.6, 1.0]) if dynamic else 0.0, data, rnd.choice(TEAMS), rnd.choice(GRIDS))
    for _ in range(1 if dynamic else rnd.choice((1, 1, 2, 2, 3))):
        statement = rnd.choice(STATEMENTS if data.summable else ELEMENTWISE)
        if statement in MATRICES and dtype in SMALL:
            statement = spmd.foreach
        if dtype[0] == "c" and statement not in ELEMENTWISE:
            w.sums()
        statement(w, dtype)
    if rnd.random() < racing:
        rnd.choice(RACES)(w, dtype)
    attributes = w.team.attributes if w.asks_for_team or rnd.random() < 0.8 else ""
    return Generated(w.text(attributes), w.arguments, w.exact, w.signs, w.grid, w.races)


RACES: list[Statement] = [spmd.without_barrier, spmd.on_one_element]
