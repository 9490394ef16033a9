"""Stage 12, insert_barriers: the threads of a block wait for each other between writing a buffer and reading it.

Barriers stand in front of the loop over k, at its head, in front of the commits, and in front of the peeled products.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, gpu
from tilewright.ir.core import Operation
from tilewright.transforms.matmul_stages import s11_shift_peel_k
from tilewright.transforms.matmul_stages.copies import copies_in
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul
from tilewright.transforms.matmul_stages.races import check_uniform, races

NAME = "insert_barriers"


def apply(matmul: Matmul) -> str:
    """Insert the four barriers, and say which of them the others make superfluous."""
    k = matmul.loop("k", NAME)
    first, commits = k.body.entry.first, copies_in(k)
    assert first is not None
    places: dict[str, Operation] = {
        "in front of the loop over k": k,
        "at its head": first,
        "in front of the commits": commits[0].nest,
        "in front of the peeled products": s11_shift_peel_k.peeled_of(k),
    }
    barriers = {name: Builder.before_op(op)(gpu.Barrier()) for name, op in places.items()}
    idle = [name for name, op in barriers.items() if _is_redundant(matmul.loop("i", NAME), op)]
    said = "; ".join(f"the one {name} would not be missed" for name in idle)
    return f"{len(barriers)} barriers: {', '.join(barriers)}{'; ' if said else ''}{said}"


def _is_redundant(nest: affine.For, barrier: gpu.Barrier) -> bool:
    """Whether there is no race without a barrier."""
    block, behind = barrier.block, barrier.next
    assert block is not None
    barrier.detach()
    found = races(nest)
    block.insert(barrier, behind)
    return not found


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """All threads reach each barrier, and no two of them race for a buffer."""
    nest = matmul.loop("i", NAME)
    check_uniform(nest)
    found = races(nest)
    if found:
        first, second = found[0].first, found[0].second
        raise Broken(
            "races", second, f"%{second.memref.name} may be {_said(second)} before others have {_said(first)} it"
        )
    s11_shift_peel_k.check(matmul, before)


def _said(op: Operation) -> str:
    return "read" if isinstance(op, gpu.LoadMatrix | affine.Load) else "written"
