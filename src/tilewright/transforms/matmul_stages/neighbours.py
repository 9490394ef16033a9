"""What is done with each element of C in front of the product and behind it: filling, scaling, bias, activation.

    for %i, %j { C[i, j] := beta C[i, j] }   for %i, %j, %k { .. }   for %i, %j { C[i, j] := max(C[i, j] + b[j], 0) }

Each such operation of linalg, or nest of affine loops, is a nest over the elements of C. It stays one, whatever the
stages do to the product between, until its elements are dealt to the threads that have those of C (`dealt`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, gpu, linalg
from tilewright.dialects.mlir.base import shape_of
from tilewright.ir.affine import Dimension
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.mlir.types import MemrefType
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.dependences import writes
from tilewright.transforms.matmul_stages.layouts import is_memory_itself
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul
from tilewright.transforms.matmul_stages.meanings import WHAT, meaning_of
from tilewright.transforms.matmul_stages.nests import (
    Element,
    bounds,
    form_of,
    inside,
    key_of,
    make_loop,
    move_access,
    nested,
    perfect_nest,
    stands_before,
    subscripts,
    variable,
)
from tilewright.transforms.matmul_stages.remainders import rest_of
from tilewright.transforms.matmul_stages.visits import known_subscripts

Letters = tuple[object, ...]


class Neighbour(Struct, frozen=True):
    """A nest over the elements of C: its loops, outermost first, and the variables that the dimensions of C are."""

    op: Operation
    loops: tuple[affine.For, ...]
    variables: tuple[Value, ...]

    @property
    def body(self) -> list[Operation]:
        """What is done with an element."""
        return list(inside(self.loops[-1]))


class Around(Struct, frozen=True):
    """The neighbours in front of a product and behind it, in the order of the text."""

    before: tuple[Neighbour, ...]
    behind: tuple[Neighbour, ...]


# Finding them


def neighbours_around(product: Operation, factors: Sequence[Value], c: Value, extents: Sequence[int | Value]) -> Around:
    """Those that stand next to a product, with nothing between that touches memory. `extents` are those of C.

    Operations of linalg become loops. What is read elsewhere than at the element may not be written: an element can
    then be computed as soon as its sum is known.
    """
    found: dict[bool, list[Neighbour]] = {False: [], True: []}
    lengths = [Linear(extent) if isinstance(extent, int) else form_of(extent) for extent in extents]
    for behind in (False, True):
        op = product.next if behind else product.previous
        while op is not None:
            after = op.next if behind else op.previous
            if op.effects() != () or op.regions:
                one = _taken(op, [*found[False], *found[True]], factors, c, lengths)
                if one is None:
                    break
                found[behind].append(one)
            op = after
    return Around(tuple(reversed(found[False])), tuple(found[True]))


def _taken(
    op: Operation, others: Sequence[Neighbour], factors: Sequence[Value], c: Value, lengths: Sequence[Linear]
) -> Neighbour | None:
    """The nest that an operation is, or becomes; None if it is not one over all elements of C, each by itself."""
    loops = as_loops(op, c, lengths) if isinstance(op, linalg.Structured) and c in op.operands else op
    one = _nest(loops, c, lengths) if isinstance(loops, affine.For) else None
    is_taken = one is not None and _are_apart([*others, one], factors, c)
    if loops is not op and loops is not None:
        (op if is_taken else loops).erase()
    return one if is_taken else None


def _nest(outermost: affine.For, c: Value, lengths: Sequence[Linear]) -> Neighbour | None:
    loops = perfect_nest(outermost)
    accesses = [op for op in inside(loops[-1]) if isinstance(op, Element)]
    at_c = [_plain(op) for op in accesses if op.memref is c]
    if len(loops) != len(lengths) or not at_c or None in at_c or any(loop.inits for loop in loops):
        return None
    variables = at_c[0]
    assert variables is not None
    if set(variables) != {variable(loop) for loop in loops} or any(subscripts(op) is None for op in accesses):
        return None
    wanted = dict(zip(variables, lengths, strict=True))
    if any(not _counts(loop, wanted[variable(loop)]) for loop in loops):
        return None
    if any((op.effects() != () or op.regions) and op not in accesses for op in inside(loops[-1])):
        return None
    return Neighbour(outermost, tuple(loops), variables)


def _counts(loop: affine.For, length: Linear) -> bool:
    """Whether a loop counts all of an extent."""
    limits = bounds(loop)
    found = None if limits is None else [key_of(limit) for limit in limits]
    return found == [key_of(Linear()), key_of(length)] and loop.stride == 1


def _plain(op: Element) -> tuple[Value, ...] | None:
    """The variable that each subscript is, all different."""
    forms = subscripts(op)
    if forms is None or any(form.constant or len(form.terms) != 1 or form.terms[0][1] != 1 for form in forms):
        return None
    found = tuple(form.terms[0][0] for form in forms)
    return found if len(set(found)) == len(found) else None


def _are_apart(found: Iterable[Neighbour], factors: Sequence[Value], c: Value) -> bool:
    """Whether each element is computed from what no other element writes."""
    places: dict[Value, set[Letters | None]] = {}
    written = {c}
    for one in found:
        letters = {value: dimension for dimension, value in enumerate(one.variables)}
        for op in one.body:
            if isinstance(op, Element):
                plain = _plain(op)
                known = plain is not None and set(plain) == set(letters)
                places.setdefault(op.memref, set()).add(tuple(letters[v] for v in plain or ()) if known else None)
                written |= {op.memref} if writes(op) else set()
    if any(None in places.get(memory, ()) or len(places.get(memory, ())) > 1 for memory in written):
        return False
    others = written - {c}
    # a bias that is a row of C would be read when some rows are done
    told_apart = {*places, *factors} if others else {*places}
    return others.isdisjoint(factors) and (len(told_apart) == 1 or all(map(is_memory_itself, told_apart)))


def as_loops(op: linalg.Structured, c: Value, lengths: Sequence[Linear]) -> affine.For | None:
    """An operation that computes each element by itself as a nest in front of it; None for others.

    `lengths` are the extents of `c`, which the operation has.
    """
    found = _lengths(op, c, lengths)
    if not found or any(kind != "parallel" for kind in op.iterators) or op.outs:
        return None
    loops = [make_loop(None, Linear(), length, 1) for length in found]
    build = nested(Builder.before_op(op), loops)
    variables = list(map(variable, loops))
    mapping: dict[Value, Value] = {}
    operands = [*op.inputs, *op.outputs]
    for number, (value, map_) in enumerate(zip(operands, op.maps, strict=True)):
        argument = op.element(number)
        if argument is None or not argument.uses:
            continue
        if isinstance(value.type, MemrefType):
            mapping[argument] = build(affine.Load(value, variables, map_)).out
        else:
            mapping[argument] = value
    for inner in op.body.entry:
        if isinstance(inner, linalg.Index):
            mapping[inner.out] = variables[_number_of(inner)]
        elif isinstance(inner, linalg.Yield):
            for value, memory, map_ in zip(inner.values, op.outputs, op.maps[len(op.inputs) :], strict=True):
                build(affine.Store(mapping.get(value, value), memory, variables, map_))
        else:
            build(inner.clone(mapping))
    return loops[0]


def _number_of(op: linalg.Index) -> int:
    assert isinstance(op.dim, IntegerAttribute)
    return op.dim.value


def _lengths(op: linalg.Structured, c: Value, lengths: Sequence[Linear]) -> list[Linear] | None:
    """Those of the loops of an operation on memrefs, if they are numbers or those of `c`."""
    found: dict[int, Linear] = {}
    for value, map_ in zip([*op.inputs, *op.outputs], op.maps, strict=True):
        if not isinstance(value.type, MemrefType):
            continue
        of_c = lengths if value is c else [None] * len(shape_of(value))
        for extent, length, expression in zip(shape_of(value), of_c, map_.results, strict=True):
            known = length if extent is None else Linear(extent)
            if isinstance(expression, Dimension) and known is not None:
                found[expression.position] = known
    return [found[k] for k in range(len(op.iterators))] if len(found) == len(op.iterators) else None


# Making them


def emit_neighbour(matmul: Matmul, build: Builder, one: Neighbour, c: Value) -> affine.For:
    """A neighbour as a nest over i and j of one entry of the batch, on its slice of C, which was `c` before."""
    count = len(matmul.batch)
    loops = [make_loop(None, Linear(), matmul.lengths[letter], 1) for letter in "ij"]
    inner = nested(build, loops)
    mapping: dict[Value, Value] = dict(
        zip(one.variables, (*matmul.batch_variables, *map(variable, loops)), strict=True)
    )
    for op in one.body:
        copy = inner(op.clone(mapping))
        if isinstance(copy, affine.Load | affine.Store) and copy.memref is c and matmul.c.memref is not c:
            forms = known_subscripts(copy)
            copy.replace_operand(c, matmul.c.memref)
            move_access(copy, forms[count:])
    return loops[0]


def check_neighbours(matmul: Matmul) -> None:
    """In front of the product and behind it the same is done with each element of C as in the beginning.

    Raises `Broken` if not. What is dealt to threads is looked at there.
    """
    made, nest = matmul.made, matmul.nest(WHAT)
    if isinstance(nest, gpu.Launch):
        return
    for nests, wanted in ((made.before, matmul.before), (made.behind, matmul.behind)):
        if len(nests) != len(wanted):
            raise Broken(WHAT, nest, f"{len(nests)} nests over the elements of C, not {len(wanted)}")
        for one, means in zip(nests, wanted, strict=True):
            if meaning_of(matmul, one) != means:
                raise Broken(WHAT, one, "what is done with an element of C is not what it was")
    order: Sequence[Operation] = [*made.before, nest, *rest_of(matmul), *made.behind]
    for first, second in pairwise(order):
        if first.block is not second.block or not stands_before(first, second):
            raise Broken(WHAT, second, "what is done with elements of C is done in another order")
