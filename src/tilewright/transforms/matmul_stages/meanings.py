"""What is done with each element of C, in a form that is equal where the same is done.

Subscripts are told in terms of the position of the element, and what is computed by how far back that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

from msgspec import Struct

from tilewright.dialects.mlir import affine, arith
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import INDEX
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.dependences import writes
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, Meaning
from tilewright.transforms.matmul_stages.nests import (
    Element,
    axes_of,
    form_of,
    key_of,
    perfect_nest,
)
from tilewright.transforms.matmul_stages.visits import known_subscripts

WHAT: Final = "elements of C"
Positions = Mapping[str, tuple[Value | None, Linear]]
"""For b, i and j a variable, and the sum with it that the letter is; None where that is a number."""


class _Place(Struct, frozen=True):
    """A subscript: how often each letter is in it, and what else."""

    factors: tuple[tuple[str, int], ...]
    constant: int
    terms: frozenset[tuple[Value, int]]


def meaning(ops: Iterable[Operation], at: Positions) -> Meaning:
    """What operations do with an element, in terms of its position: equal where the same is done.

    What is computed is told by how far back that is, so that it is the same behind something else.
    """
    known: dict[Value, tuple[int, int]] = {}
    found: list[object] = []

    def token(value: Value) -> object:
        if value in known:
            step, number = known[value]
            return len(found) - step, number
        return _place_of(form_of(value), at) if value.type is INDEX else value

    for op in ops:
        if isinstance(op, affine.Apply) or (isinstance(op, arith.Constant) and op.out.type is INDEX):
            continue  # parts of subscripts
        if isinstance(op, Element):
            stored = (token(op.operands[0]),) if writes(op) else ()
            place = tuple(_place_of(form, at) for form in known_subscripts(op, WHAT))
            step: object = ("store" if writes(op) else "load", op.memref, place, *stored)
        else:
            attributes = tuple(sorted((name, str(value)) for name, value in op.attributes.items()))
            step = (op.name, attributes, tuple(map(token, op.operands)), tuple(str(v.type) for v in op.results))
        known.update((value, (len(found), number)) for number, value in enumerate(op.results))
        found.append(step)
    return tuple(found)


def joined(meanings: Sequence[Meaning]) -> Meaning:
    """What is done by one nest after the other."""
    return tuple(step for one in meanings for step in one)


def fixed(meaning: object, at: Positions) -> object:
    """What is done with the elements of which some letters are numbers."""
    match meaning:
        case tuple():
            return tuple(fixed(part, at) for part in cast("tuple[object, ...]", meaning))
        case _Place(factors, constant, terms):
            numbers = {letter: whole.constant for letter, (lead, whole) in at.items() if lead is None}
            left = tuple((letter, 0 if letter in numbers else factor) for letter, factor in factors)
            return _Place(left, constant + sum(factor * numbers.get(letter, 0) for letter, factor in factors), terms)
        case _:
            return meaning


def with_values(meaning: Meaning, values: Mapping[Value, Value]) -> Meaning:
    """What is done in a copy of a program, of which the values are known."""
    return tuple(_with_values(part, values) for part in meaning)


def _with_values(part: object, values: Mapping[Value, Value]) -> object:
    match part:
        case tuple():
            return with_values(cast("Meaning", part), values)
        case _Place(factors, constant, terms):
            form = Linear(constant)
            for value, factor in terms:
                form = form.plus(form_of(values.get(value, value)), factor)
            return _Place(factors, form.constant, frozenset(form.terms))
        case Value():
            return values.get(part, part)
        case _:
            return part


def _place_of(form: Linear, at: Positions) -> _Place:
    """A sum in terms of the position of an element."""
    factors: list[tuple[str, int]] = []
    for letter, (lead, whole) in at.items():
        factor = 0 if lead is None else dict(form.terms).get(lead, 0)
        form = form.plus(whole, -factor)
        factors.append((letter, factor))
    return _Place(tuple(factors), form.constant, frozenset(form.terms))


def position(part: Linear, whole: Linear) -> tuple[Value | None, Linear]:
    """Where an element is along a letter: `part` is what of that belongs to it alone."""
    return part.terms[0][0] if part.terms else None, whole


def batch_positions(matmul: Matmul) -> Positions:
    """Which entry of the batch it is."""
    forms = map(form_of, matmul.batch_variables)
    return {name: position(form, form) for name, form in zip(matmul.batch_names, forms, strict=True)}


def meaning_of(matmul: Matmul, nest: affine.For | affine.Parallel) -> Meaning:
    """What a nest does with each element. Raises `Broken` if it is not over all elements of C."""
    axes, block = axes_of(nest), nest.body.entry
    if isinstance(nest, affine.For):
        loops = perfect_nest(nest)
        axes, block = [axis for loop in loops for axis in axes_of(loop)], loops[-1].body.entry
    wanted = [([key_of(Linear()), key_of(matmul.lengths[letter])], 1) for letter in "ij"]
    if [([key_of(limit) for limit in axis.limits or ()], axis.step) for axis in axes] != wanted:
        raise Broken(WHAT, nest, f"a nest is not over the {matmul.said[0]} x {matmul.said[1]} elements of C")
    forms = [Linear(0, ((axis.variable, 1),)) for axis in axes]
    at = {**batch_positions(matmul), **{letter: position(f, f) for letter, f in zip("ij", forms, strict=True)}}
    return meaning((op for op in block if not isinstance(op, affine.Yield)), at)
