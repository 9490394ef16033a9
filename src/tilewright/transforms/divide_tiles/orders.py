"""Whether the slices of a kernel's tiles may be computed in any order, by different blocks.

Each store writes its slice. What another slice reads or writes of the same memory would need an order: of different
elements of one view it needs none, nor of what the program promises to be `unordered`, nor of memory that does not
overlap. Where only arrays that a launch sees might, its second form has none (`separate_arrays`).
"""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.dialects import scf, tile
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Operation
from tilewright.transforms.aliasing import Access, accesses, lie_in_arrays, may_overlap
from tilewright.transforms.divide_tiles.cuts import Cuts, Undivided


def wait_only_for_arrays(kernel: Kernel, cuts: Cuts) -> bool:
    """Whether slices would wait for each other, but only where arrays of a launch overlap; False if they never do.

    Raises `Undivided` if they would anyhow. Quadratic in the stores, of which products have few.
    """
    found = [(op, access) for op in kernel.walk() if not op.regions for access in accesses(op)]
    pairs = [
        (first[1], second[1])
        for number, first in enumerate(found)
        for second in found[: number + 1]
        if (first[1].writes or second[1].writes) and not _are_apart(second[0], first[0], cuts)
    ]
    waiting = [(a, b) for a, b in pairs if may_overlap(a, b)]
    if not all(_in_arrays(a, b) for a, b in waiting):
        raise Undivided("one slice would wait for another")
    return bool(waiting)


def _in_arrays(a: Access, b: Access) -> bool:
    return a.root is not None and b.root is not None and lie_in_arrays(a.root, b.root)


def _are_apart(first: Operation, second: Operation, cuts: Cuts) -> bool:
    """Whether slices of two accesses, in the order of the program, touch the same bytes in no order that matters."""
    loops, others = list(_loops(first)), list(_loops(second))
    if not loops and not others and _are_at_one_place(first, second, cuts):
        return True
    is_free = getattr(second, "unordered", False)
    return is_free and (not any(loop in others for loop in loops) or getattr(first, "unordered", False))


def _are_at_one_place(first: Operation, second: Operation, cuts: Cuts) -> bool:
    """Whether both access the same box of one view, and are cut alike, along all axes."""
    if not isinstance(first, tile.Load | tile.Store) or not isinstance(second, tile.Load | tile.Store):
        return False
    one, other = first.box(), second.box()
    cut = cuts.of[one.data]
    is_same = one.memref is other.memref and list(one.indices) == list(other.indices) and one.shape == other.shape
    return is_same and cut == cuts.of[other.data] and cuts.is_whole(cut)


def _loops(op: Operation) -> Iterator[scf.For]:
    return (outer for outer in op.ancestors() if isinstance(outer, scf.For))
