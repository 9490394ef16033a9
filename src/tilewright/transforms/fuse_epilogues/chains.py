"""A product and its neighbours that may be computed together, point by point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects import memref, tl
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import ViewLike, root_of
from tilewright.transforms.aliasing import lie_in_arrays, views_may_overlap
from tilewright.transforms.emit import constant_of
from tilewright.transforms.extents import Extents
from tilewright.transforms.fuse_epilogues.neighbours import Neighbour, neighbour_of, written_by
from tilewright.transforms.fuse_epilogues.places import Access, Elements
from tilewright.transforms.separate_arrays import hold_up, kernel_of, lie_apart
from tilewright.transforms.signature import is_made

NAME: Final = "fuse-epilogues"
_MOST_NEIGHBOURS = 32

Product = tl.Gemm | tl.Gemv


class Chain(Struct, frozen=True):
    """What a product writes, and what follows it; none of the operations behind the product is needed any more."""

    product: Product
    written: Access
    neighbours: tuple[Neighbour, ...]

    @property
    def ops(self) -> list[Operation]:
        """The operations that it stands for."""
        return [self.product, *(neighbour.op for neighbour in self.neighbours)]

    def private(self) -> set[Elements]:
        """What is written to allocations that nobody but the chain looks at."""
        if constant_of(self.product.beta) != 0:
            return set()
        accesses = [self.written, *(access for neighbour in self.neighbours for access in neighbour.all_accesses())]
        return {access.elements for access in accesses if access.writes and self._is_private(root_of(access.view))}

    def _is_private(self, root: Value) -> bool:
        if not isinstance(root.defining_op, memref.Alloca) and not is_made(root):
            return False
        ops = self.ops
        return all(_is_harmless(user) or any(op.is_ancestor_of(user) for op in ops) for user in _users(root))


def chain_behind(product: Product, extents: Extents) -> Chain | None:
    """The longest chain of a product; None if no neighbour may be computed with it."""
    if product.atomic or constant_of(product.alpha) == 0:
        return None
    written = written_by(product)
    found: list[Neighbour] = []
    op = product.next
    while op is not None and len(found) < _MOST_NEIGHBOURS:
        if not _may_stand_between(op):
            neighbour = _next(op, product, written, found, extents)
            if neighbour is None:
                break
            found.append(neighbour)
        op = op.next
    return Chain(product, written, tuple(found)) if found else None


def _may_stand_between(op: Operation) -> bool:
    return isinstance(op, memref.Alloca) or (op.effects() == () and not op.regions)


def _next(
    op: Operation, product: Product, written: Access, before: Sequence[Neighbour], extents: Extents
) -> Neighbour | None:
    """An operation as the next neighbour: it uses what the chain has written, and may run point by point with it."""
    accesses = [written, *(access for one in before for access in one.all_accesses())]
    results = {access.elements for access in accesses if access.writes}
    for neighbour in neighbour_of(op, product.c, extents):
        own = neighbour.all_accesses()
        if any(access.elements in results for access in own):
            if _point_by_point(product, accesses, own):
                return neighbour
            if _is_held_up(product, accesses, own):
                hold_up(op, NAME)
    return None


def _is_held_up(product: Product, earlier: Sequence[Access], own: Sequence[Access]) -> bool:
    """Whether an operation that is no neighbour may be one if arrays of a launch lie apart, or they are known to."""
    roots = [root_of(view) for view in (product.a, product.b, *(access.view for access in (*earlier, *own)))]
    written = [root_of(access.view) for access in (*earlier, *own) if access.writes]
    kernel = kernel_of(product)
    is_apart = kernel is not None and lie_apart(kernel)
    return is_apart or any(lie_in_arrays(root, other) for root in written for other in roots)


def _point_by_point(product: Product, earlier: Sequence[Access], own: Sequence[Access]) -> bool:
    """Whether what is written meets other accesses, and factors, at the same point or not at all."""
    factors, result = [product.a, product.b], earlier[0].elements
    # what a product writes overlaps its factors at no time
    others = [access for access in own if access.writes and access.elements != result]
    if any(views_may_overlap(access.view, factor) for access in others for factor in factors):
        return False
    pairs = [(a, b) for k, a in enumerate(own) for b in (*earlier, *own[:k])]
    return all(_apart_or_one(a, b) for a, b in pairs if a.writes or b.writes)


def _apart_or_one(one: Access, other: Access) -> bool:
    return one.elements == other.elements or not views_may_overlap(one.view, other.view)


def _users(root: Value) -> list[Operation]:
    """All operations that use a memref or a view of it."""
    found: list[Operation] = []
    waiting = [root]
    while waiting:
        for user in waiting.pop().uses:
            if isinstance(user, ViewLike):
                waiting.append(user.results[0])
            else:
                found.append(user)
    return found


def _is_harmless(op: Operation) -> bool:
    """Whether an operation on a memref does not look at its elements."""
    return isinstance(op, memref.Size | memref.Stride | memref.LifetimeStop)
