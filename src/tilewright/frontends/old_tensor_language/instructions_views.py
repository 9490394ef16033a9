"""expand and subview: what `?` and `:` leave out is computed, statically where it can be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.diagnostics import SourceRange
from tilewright.dialects import arith, memref
from tilewright.frontends.old_tensor_language.instructions_memory import (
    check_mode,
    check_order,
    index_or_value,
    refuse_view,
    source_operand,
)
from tilewright.frontends.old_tensor_language.operands import Operand, extent, fixed, generate, index_operand, memref_of
from tilewright.frontends.tensor_language.cursor import quoted
from tilewright.frontends.tensor_language.instruction import Instruction, value
from tilewright.frontends.tensor_language.lexer import is_integer
from tilewright.frontends.tensor_language.regions import RegionReader
from tilewright.frontends.tensor_language.rules.facts import counted
from tilewright.ir.core import Value
from tilewright.ir.types import INDEX, Extent, MemrefType

Entry = tuple[Value | None, int | None]
"""A value, or the literal."""


class _Slice(Struct, frozen=True):
    """An entry of a subview: `offset`, `offset:size`, `offset:?`, or `:`, where both are None."""

    offset: Operand | None
    size: Operand | None
    rest: bool
    where: SourceRange


def _entry(p: RegionReader, held: Operand) -> Entry:
    """A view takes literals as they are."""
    if held.value is None:
        text = p.texts[held.token]
        return None, p.to_int(held.token) if is_integer(text) else int(text == "true")
    return index_operand(p, held), None


def _place(p: RegionReader, key: str, first: int, entries: Sequence[Entry], wheres: Sequence[SourceRange]) -> int:
    """Record where entries stand, and values among them as operands `first` and following; the next operand."""
    for index, ((held, _), where) in enumerate(zip(entries, wheres, strict=True)):
        p.places[key, index] = where
        if held is not None:
            p.places["operand", first] = where
            first += 1
    return first


# expand


def _expand(p: RegionReader, word: str) -> None:
    source = source_operand(p)
    p.expect("[")
    mode = p.integer_attribute("mode", "the number of a mode")
    p.expect("->")
    first = p.i
    held = [_factor(p)]
    wheres = [p.since(first)]
    while p.accept("x"):
        start = p.i
        held.append(_factor(p))
        wheres.append(p.since(start))
    if len(held) == 1:
        p.fail("`x`")
    if p.texts[p.i] != "]":
        p.fail("`x` or `]`")
    check_order(p, len(held), first)
    p.i += 1
    type_ = memref_of(p, source)
    check_mode(p, mode, type_, source)
    if held.count(None) > 1:
        refuse_view(p, wheres[-1].to(wheres[0]), "only one extent of an expand may be `?`", "write the others")
    given = [None if one is None else _entry(p, one) for one in held]
    for entry, where in zip(given, wheres, strict=True):
        if entry is not None and entry[1] is not None and entry[1] <= 0:
            refuse_view(p, where, f"extent {entry[1]} is not positive", "the extents of an expand are at least 1")
    if p.poisoned or source.value is None:
        p.abandon()
    missing = _missing(p, source.value, mode, given, wheres) if None in given else (None, None)
    entries = [missing if one is None else one for one in given]
    _place(p, "size", 1, entries, wheres)
    statics = tuple(literal for _, literal in entries)
    whole, product = type_.shape[mode], math.prod(literal or 0 for literal in statics)
    if None not in (whole, *statics) and product != whole:
        # Strides of a result that cannot be would break the stride rule as well.
        message = f"the extents multiply to {product}, which does not equal {whole}, the extent of mode {mode}"
        refuse_view(p, wheres[-1].to(wheres[0]), message, "every element keeps its place: none is added or lost")
    sizes = [v for v, _ in entries if v is not None]
    p.finish(memref.Expand(source.value, sizes, mode, statics, result_types=[_expanded(type_, mode, statics)]))


def _factor(p: RegionReader) -> Operand | None:
    return None if p.accept("?") else index_or_value(p)


def _missing(p: RegionReader, source: Value, mode: int, given: list[Entry | None], wheres: list[SourceRange]) -> Entry:
    """The extent that `?` stands for: a literal if everything else is known."""
    type_ = source.type
    assert isinstance(type_, MemrefType)
    others = [one for one in given if one is not None]
    product = 1
    for _, literal in others:
        product *= 1 if literal is None else literal
    where = wheres[given.index(None)]
    known = type_.shape[mode]
    values = [v for v, _ in others if v is not None]
    if known is None or values:
        return _quotient(p, extent(p, source, mode), product, values), None
    if known % product:
        message = f"`?` has no value: {product} does not divide {known}, the extent of mode {mode}"
        refuse_view(p, where, message, "the extents multiply to that of the mode")
    return None, known // product


def _quotient(p: RegionReader, whole: Value, product: int, values: list[Value]) -> Value:
    divisor: Value | None = None
    for factor in values:
        divisor = factor if divisor is None else generate(p, arith.Mul(divisor, factor, result_types=[INDEX]))
    if divisor is None:
        return whole if product == 1 else _divide(p, whole, fixed(p, product, INDEX))
    if product != 1:
        divisor = generate(p, arith.Mul(divisor, fixed(p, product, INDEX), result_types=[INDEX]))
    return _divide(p, whole, divisor)


def _divide(p: RegionReader, whole: Value, divisor: Value) -> Value:
    return generate(p, arith.Div(whole, divisor, result_types=[INDEX]))


def _expanded(type_: MemrefType, mode: int, entries: tuple[int | None, ...]) -> MemrefType:
    strides: list[Extent] = [type_.strides[mode]]
    for entry in entries[:-1]:
        last = strides[-1]
        strides.append(None if last is None or entry is None else last * entry)
    return replace(
        type_,
        shape=(*type_.shape[:mode], *entries, *type_.shape[mode + 1 :]),
        strides=(*type_.strides[:mode], *strides, *type_.strides[mode + 1 :]),
    )


# subview


def _subview(p: RegionReader, word: str) -> None:
    source = source_operand(p)
    p.expect("[")
    first = p.i
    slices: list[_Slice] = []
    if p.texts[p.i] != "]":
        slices.append(_slice(p))
        while p.accept(","):
            slices.append(_slice(p))
    if p.texts[p.i] != "]":
        p.fail("`:`, `,` or `]`")
    check_order(p, len(slices), first)
    p.i += 1
    inside = p.range(source.token, p.i - 1)
    type_ = memref_of(p, source)
    if len(slices) != type_.order:
        given, modes = counted(len(slices), "entry"), counted(type_.order, "mode")
        message = f"{given} for {modes} of {quoted(p.texts[source.token])}"
        refuse_view(p, inside, message, "give one entry for each mode; `:` is the whole of it")
    if p.poisoned or source.value is None:
        p.abandon()
    offsets = [(None, 0) if one.offset is None else _entry(p, one.offset) for one in slices]
    sizes = [_size(p, source.value, mode, one, offsets[mode]) for mode, one in enumerate(slices)]
    wheres = [one.where for one in slices]
    _place(p, "size", _place(p, "offset", 1, offsets, wheres), sizes, wheres)
    op = memref.Subview(
        source.value,
        [v for v, _ in offsets if v is not None],
        [v for v, _ in sizes if v is not None],
        tuple(literal for _, literal in offsets),
        tuple(literal for _, literal in sizes),
        result_types=[_viewed(type_, [literal for _, literal in sizes])],
    )
    p.finish(op)


def _slice(p: RegionReader) -> _Slice:
    first = p.i
    if p.accept(":"):
        return _Slice(None, None, True, p.since(first))
    offset = index_or_value(p)
    if not p.accept(":"):
        return _Slice(offset, None, False, p.since(first))
    if p.accept("?"):
        return _Slice(offset, None, True, p.since(first))
    return _Slice(offset, index_or_value(p), False, p.since(first))


def _size(p: RegionReader, source: Value, mode: int, one: _Slice, offset: Entry) -> Entry:
    """The size of a mode: 0 if the mode is dropped."""
    if one.size is not None:
        size = _entry(p, one.size)
        if size[1] == 0:
            refuse_view(p, one.where, f"the slice of mode {mode} has size 0", "sizes are at least 1")
        return size
    if not one.rest:
        return None, 0
    type_ = source.type
    assert isinstance(type_, MemrefType)
    known = type_.shape[mode]
    held, start = offset
    if held is None and start == 0:
        return (extent(p, source, mode), None) if known is None else (None, known)
    if held is None and start is not None and known is not None:
        if not 0 <= start < known:
            message = f"nothing is left of mode {mode}: it has {known} elements, the slice begins at {start}"
            refuse_view(p, one.where, message, "offsets lie in the mode")
        return None, known - start
    begin = fixed(p, start or 0, INDEX) if held is None else held
    return generate(p, arith.Sub(extent(p, source, mode), begin, result_types=[INDEX])), None


def _viewed(type_: MemrefType, sizes: list[int | None]) -> MemrefType:
    kept = [mode for mode, size in enumerate(sizes) if size != 0]
    return replace(
        type_,
        shape=tuple(sizes[mode] for mode in kept),
        strides=tuple(type_.strides[mode] for mode in kept),
    )


INSTRUCTIONS: Final[Mapping[str, Instruction]] = {"expand": value(_expand), "subview": value(_subview)}
