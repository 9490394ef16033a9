"""Stage 8, permute_inner: iii, jjj, kkk become kkk, iii, jjj: a sum of outer products."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.transforms.matmul_stages.matmul import Matmul, NotApplicable
from tilewright.transforms.matmul_stages.nests import name_of, perfect_nest
from tilewright.transforms.matmul_stages.s07_permute_outer import ORDER as OUTER
from tilewright.transforms.matmul_stages.s07_permute_outer import check_order, check_reordering
from tilewright.transforms.matmul_stages.tiling import reorder
from tilewright.transforms.matmul_stages.visits import check_visits

NAME = "permute_inner"
_BEFORE = ("iii", "jjj", "kkk")
ORDER = ("kkk", "iii", "jjj")


def apply(matmul: Matmul) -> str:
    """Put kkk around iii and jjj."""
    loops = perfect_nest(matmul.loop("iii", NAME))
    if tuple(map(name_of, loops)) != _BEFORE:
        raise NotApplicable(loops[0], "the loops over iii, jjj and kkk are not the whole body of one another")
    order = (2, 0, 1)
    check_reordering(matmul, loops, order, loops[0])
    reorder(loops, order)
    return f"loops over {', '.join(ORDER)}"


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """Loops in that order; visits as before."""
    check_order(matmul, (*OUTER, *ORDER), NAME)
    check_visits(matmul, matmul.loop("i", NAME))
