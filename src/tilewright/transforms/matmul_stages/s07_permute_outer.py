"""Stage 7, permute_outer: i, j, k, ii, jj, kk become i, j, ii, jj, k, kk, with the copies inside of ii and jj.

There each warp has its own loop along k. That all copy what all need is meant: on a machine the warps of a block copy
together. A copy in a step along k writes all of a buffer that the step reads, so steps depend on each other by C only.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tilewright.dialects.mlir import affine
from tilewright.transforms.matmul_stages.copies import is_shared
from tilewright.transforms.matmul_stages.dependences import accesses, reversed_by
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, NotApplicable
from tilewright.transforms.matmul_stages.nests import inside, move_into, name_of
from tilewright.transforms.matmul_stages.s04_create_shared_buffers import check_copies
from tilewright.transforms.matmul_stages.visits import check_visits

NAME = "permute_outer"
_BEFORE = ("k", "ii", "jj", "kk")
ORDER = ("i", "j", "ii", "jj", "k", "kk")


def apply(matmul: Matmul) -> str:
    """Move k into jj, around the copies and kk."""
    loops = matmul.chain(_BEFORE, NAME)
    _check_legal(matmul, loops, (1, 2, 0, 3))
    k, ii, jj, kk = loops
    block, behind = k.block, k.next
    assert block is not None
    for loop in (k, ii, kk):
        loop.detach()
    block.insert(ii, behind)
    move_into(jj.body.entry, [k])
    move_into(k.body.entry, [kk])
    return f"loops over {', '.join(ORDER)}"


def _check_legal(matmul: Matmul, loops: Sequence[affine.For], order: Sequence[int]) -> None:
    """Raises `NotApplicable` if something would be computed before what it is computed from."""
    k, _, jj, kk = loops
    if list(inside(jj)) != [kk] or list(inside(loops[1])) != [jj]:
        raise NotApplicable(jj, "the loops over ii, jj and kk are not the whole body of one another")
    check_reordering(matmul, loops, order, k)


def check_reordering(matmul: Matmul, loops: Sequence[affine.For], order: Sequence[int], nest: affine.For) -> None:
    """Raises `NotApplicable` if a dependence forbids another order of loops.

    Buffers of A and B belong to one step along k.
    """
    found = [op for op in accesses(nest) if not is_shared(op.memref) or op.memref is matmul.sums]
    crossing = reversed_by(loops, order, found)
    if crossing is not None:
        names = ", ".join(name_of(loops[k]) for k in order)
        said = f"%{crossing.sink.memref.name} would be accessed before the access that it depends on"
        raise NotApplicable(crossing.sink, f"in the order {names} {said}")


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """Loops in that order; buffers are written before they are read, in each step; visits as before."""
    check_order(matmul, ORDER, NAME)
    check_copies(matmul)
    check_visits(matmul, matmul.loop("i", NAME))


def check_order(matmul: Matmul, names: Sequence[str], what: str) -> None:
    """Each loop directly holds the next one. Raises `Broken` if not."""
    loops = [matmul.loop(name, what) for name in names]
    for outer, inner in pairwise(loops):
        if inner.block is not outer.body.entry:
            raise Broken(what, inner, f"the loop over %{name_of(inner)} does not stand in that over %{name_of(outer)}")
