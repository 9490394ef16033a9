"""Random valid kernels of the tensor language, with arguments.

Everything is in bounds, initialised and free of races, so that every target must give the interpreter's answer.
Elements are small integers in every type: then sums are exact in any order, and floating-point results agree bit for
bit unless an elementary function is involved (`Generated.exact`).
"""

from __future__ import annotations

import random
from collections.abc import Callable

from generators import collectives, matrices, spmd
from generators.arguments import Generated
from generators.element_types import DTYPES
from generators.writer import Writer

__all__ = ["Generated", "generate"]

Statement = Callable[[Writer, str], None]
STATEMENTS: list[Statement] = [
    collectives.axpby,
    collectives.total,
    collectives.cumsum,
    collectives.gemm,
    collectives.gemm,
    collectives.gemv,
    collectives.ger,
    collectives.hadamard,
    collectives.repeated,
    collectives.part,
    collectives.column,
    collectives.regrouped,
    collectives.chain,
    spmd.foreach,
    spmd.foreach,
    spmd.nested,
    spmd.parallel,
    spmd.exchange,
    spmd.atomics,
    matrices.foreach_tile,
    matrices.mul_add,
    matrices.reduce,
]
# Sums in these types would need more than their few digits to be exact in any order, so elementwise work it is.
MATRICES: list[Statement] = [matrices.foreach_tile, matrices.mul_add, matrices.reduce]
SMALL = ("i8", "bf16", "f16")


def generate(rnd: random.Random, dynamic_share: float = 0.1) -> Generated:
    """A random kernel of one to three statements over one or two element types.

    A share of the kernels has extents that only the launch knows; code for these is much longer, hence one statement.
    """
    dynamic = rnd.random() < dynamic_share
    w = Writer(rnd, rnd.choice([0.3, 0.6, 1.0]) if dynamic else 0.0)
    dtype = rnd.choice(list(DTYPES))
    for _ in range(1 if dynamic else rnd.randint(1, 3)):
        statement = rnd.choice(STATEMENTS)
        if statement in MATRICES and dtype in SMALL:
            statement = spmd.foreach
        statement(w, dtype)
    attributes = "attributes{subgroup_size=16,work_group_size=[32,2]} "
    head = f"func @k({', '.join(w.parameters)}) {attributes}{{"
    return Generated("\n".join([head, *w.lines, "}"]) + "\n", w.arguments, w.exact)
