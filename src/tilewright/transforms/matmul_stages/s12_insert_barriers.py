"""Stage 12, insert_barriers: the threads of a block wait for each other between writing a buffer and reading it.

Barriers stand in front of the loop over k, at its head, in front of the commits, and in front of the peeled products.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import gpu
from tilewright.ir.core import Operation
from tilewright.transforms.matmul_stages import s11_shift_peel_k
from tilewright.transforms.matmul_stages.copies import factor_copies
from tilewright.transforms.matmul_stages.dependences import writes
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul
from tilewright.transforms.matmul_stages.nests import Access
from tilewright.transforms.matmul_stages.races import check_uniform, races

NAME = "insert_barriers"


def apply(matmul: Matmul) -> str:
    """Insert the four barriers, two more where a tile of C is staged, and say which the others make superfluous."""
    k = matmul.loop("k", NAME)
    first, commits = k.body.entry.first, factor_copies(matmul, k)
    assert first is not None
    places: dict[str, Operation] = {
        "in front of the loop over k": k,
        "at its head": first,
        "in front of the commits": commits[0].nest,
        "in front of the peeled products": s11_shift_peel_k.peeled_of(matmul),
    }
    if matmul.made.staged:
        filling, storing = matmul.made.staged
        assert filling.next is not None
        places |= {"behind the copy of C": filling.next, "in front of the copy to C": storing}
    barriers = {name: Builder.before_op(op)(gpu.Barrier()) for name, op in places.items()}
    idle = [name for name, op in barriers.items() if is_redundant(matmul, op)]
    said = "; ".join(f"the one {name} would not be missed" for name in idle)
    return f"{len(barriers)} barriers: {', '.join(barriers)}{'; ' if said else ''}{said}"


def is_redundant(matmul: Matmul, barrier: gpu.Barrier) -> bool:
    """Whether there is no race without a barrier."""
    block, behind = barrier.block, barrier.next
    assert block is not None
    barrier.detach()
    found = races(matmul)
    block.insert(barrier, behind)
    return not found


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """All threads reach each barrier, and no two of them race for a buffer."""
    check_synchronised(matmul)
    s11_shift_peel_k.check(matmul, before)


def check_synchronised(matmul: Matmul) -> None:
    """Raises `Broken` if threads race, or do not all reach a barrier."""
    check_uniform(matmul)
    found = races(matmul)
    if found:
        first, second = found[0].first, found[0].second
        raise Broken(
            "races", second, f"%{second.memref.name} may be {_said(second)} before others have {_said(first)} it"
        )


def _said(op: Access) -> str:
    return "written" if writes(op) else "read"
