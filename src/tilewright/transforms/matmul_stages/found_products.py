"""Products of matrices in a function: operations of linalg, and nests of three affine loops and those of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, arith, func, linalg
from tilewright.dialects.mlir.base import shape_of
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.lower_mlir.contractions import scaled_contraction_of
from tilewright.transforms.matmul_stages.matmul import Broken
from tilewright.transforms.matmul_stages.nests import (
    Access,
    bounds,
    inside,
    loops_around,
    numbers,
    perfect_nest,
    subscripts,
    variable,
)
from tilewright.transforms.matmul_stages.visits import product_of


class FoundProduct(Struct, frozen=True):
    """A product in a function: `letters` are whatever stands for its loops, `batch` those that all matrices have.

    `lengths` are how far loops count that only a launch knows.
    """

    op: Operation
    a: Value
    b: Value
    c: Value
    letters: tuple[tuple[object, ...], tuple[object, ...], tuple[object, ...]]
    batch: tuple[object, ...] = ()
    alpha: Value | None = None
    lengths: Mapping[object, Linear] = field(default_factory=dict[object, Linear])


def products_in(function: func.Func) -> list[FoundProduct]:
    """All products of a function, in the order of the text."""
    found: list[FoundProduct] = []
    for op in function.walk():
        one = None
        if isinstance(op, linalg.Structured):
            one = _structured(op)
        elif isinstance(op, affine.For) and not loops_around(op):
            one = _nest(op)
        if one is not None:
            found.append(one)
    return found


def _structured(op: linalg.Structured) -> FoundProduct | None:
    found = scaled_contraction_of(op)
    if found is None or None in (found.rows, found.columns, found.summed):
        return None
    if op.outs or not is_leading(found.letters, found.batch):
        return None
    return FoundProduct(op, found.x, found.y, found.out, found.letters, found.batch, _outside(found.scale, op))


def is_leading(letters: Sequence[Sequence[object]], batch: Sequence[object]) -> bool:
    """Whether the dimensions of a batch are the first of all matrices, in the same order."""
    return all(tuple(one[: len(batch)]) == tuple(batch) for one in letters)


def _outside(scale: Value | None, op: Operation) -> Value | None:
    """What products are scaled by, in front of an operation: constants may stand in its body."""
    home = None if scale is None else scale.defining_op
    if not isinstance(home, arith.Constant) or not op.is_ancestor_of(home):
        return scale
    copy = home.clone({})
    Builder.before_op(op)(copy)
    return copy.results[0]


def _nest(outermost: affine.For) -> FoundProduct | None:
    """Three loops over all elements, and those of a batch, around nothing but a product."""
    loops = perfect_nest(outermost)
    stores = [op for op in inside(loops[-1]) if isinstance(op, affine.Store)]
    if len(loops) < 3 or len(stores) != 1 or any(loop.inits for loop in loops):
        return None
    try:
        one = product_of(stores[0])
    except Broken:
        return None
    if any(op.effects() != () and op not in (one.a, one.b, one.c, one.stored) for op in inside(loops[-1])):
        return None
    letters = [_letters(op) for op in (one.a, one.b, one.c, one.stored)]
    a, b, c, stored = letters
    variables = {variable(loop) for loop in loops}
    if None in letters or c != stored or one.c.memref is not one.stored.memref:
        return None
    assert a is not None
    assert b is not None
    assert c is not None
    lengths = _lengths(loops)
    if {*a, *b, *c} != variables or lengths is None or not _is_whole(loops, ((one.a, a), (one.b, b), (one.c, c))):
        return None
    batch = tuple(letter for letter in c if letter in a and letter in b)
    alpha = one.alpha
    own = [set(letters) - set(batch) for letters in (a, b, c)]
    is_known = alpha is None or isinstance(alpha.defining_op, arith.Constant) or not _is_inside(alpha, outermost)
    if not is_leading((a, b, c), batch) or any(len(letters) != 2 for letters in own) or len(own[0] & own[1]) != 1:
        return None
    if not is_known:
        return None
    factor = _outside(alpha, outermost)
    return FoundProduct(outermost, one.a.memref, one.b.memref, one.c.memref, (a, b, c), batch, factor, lengths)


def _is_inside(value: Value, op: Operation) -> bool:
    home = value.block.parent_op if isinstance(value, BlockArgument) else value.defining_op
    return home is not None and op.is_ancestor_of(home)


def _letters(op: Access) -> tuple[Value, ...] | None:
    """The loop variable that each subscript is, all different."""
    forms = subscripts(op)
    if forms is None or any(form.constant or len(form.terms) != 1 or form.terms[0][1] != 1 for form in forms):
        return None
    found = tuple(form.terms[0][0] for form in forms)
    return found if len(set(found)) == len(found) else None


def _is_whole(loops: Sequence[affine.For], accesses: Sequence[tuple[Access, tuple[Value, ...]]]) -> bool:
    """Whether loops run over the extents of what is accessed, as far as they are known."""
    ranges = {variable(loop): numbers(loop) for loop in loops}
    return all(
        extent is None or ranges[letter] == range(extent)
        for op, letters in accesses
        for extent, letter in zip(shape_of(op.memref), letters, strict=True)
    )


def _lengths(loops: Sequence[affine.For]) -> Mapping[object, Linear] | None:
    """How far loops count one by one from zero, up to what is known in front of all; None for others."""
    found: dict[object, Linear] = {}
    for loop in loops:
        limits = bounds(loop)
        if limits is None or limits[0] != Linear() or loop.stride != 1:
            return None
        if any(_is_inside(value, loops[0]) for value in limits[1].values):
            return None
        found[variable(loop)] = limits[1]
    return found
