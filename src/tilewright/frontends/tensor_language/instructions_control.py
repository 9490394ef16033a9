"""Structured control flow: if, for, yield."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.dialects import scf
from tilewright.frontends.tensor_language.instruction import Instruction, multi, plain
from tilewright.frontends.tensor_language.instructions_memory import own_attributes
from tilewright.frontends.tensor_language.parser_base import Frame
from tilewright.frontends.tensor_language.regions import RegionReader, region_of
from tilewright.ir.core import Block, Value
from tilewright.ir.types import Type


def _yield(p: RegionReader, word: str) -> None:
    if p.texts[p.i][0] == "%" or p.at_number():
        finding = p.error("V2", p.range(p.i), "a yield without parentheses belongs to the old language")
        finding.hint("the new one writes `yield (%x)`, without types")
        p.abandon()
    p.expect("(")
    p.finish(scf.Yield(p.value_list(")")))


def carried_types(p: RegionReader) -> list[Type]:
    """`(type, ..)` behind `->`."""
    first = p.i
    p.expect("(")
    types: list[Type] = []
    while True:
        start = p.i
        types.append(p.read_type())
        p.places["type", len(types) - 1] = p.since(start)
        if not p.accept(","):
            break
    if not p.accept(")"):
        p.fail("`,` or `)`")
    p.places["type"] = p.since(first)
    p.check_count(len(types), first)
    return types


def _if(p: RegionReader, word: str) -> None:
    condition = p.value()
    open_if(p, condition, carried_types(p) if p.accept("->") else [])


def open_if(p: RegionReader, condition: Value, types: list[Type]) -> None:
    """The regions of an if whose head is read."""
    block = Block()
    op = scf.If(condition, region_of(block), result_types=types)

    def close(frame: Frame) -> None:
        if not p.accept("else"):
            p.finish_region(frame)
            return
        _open_else(p, frame, op)

    p.open_region(op, block, (), close)


def _open_else(p: RegionReader, then: Frame, op: scf.If) -> None:
    """Enter the second region; it inherits what the first one found broken."""
    block = Block()
    op.add_region(region_of(block))
    brace = p.i
    assumed = p.assume_brace()
    p.push(Frame(block, op, brace, p.finish_region, then.results, then.places, then.broken or assumed))


def _for(p: RegionReader, word: str) -> None:
    names = [p.new_name()]
    p.expect("=")
    lower = p.value()
    p.expect(",")
    upper = p.value()
    step = p.value() if p.accept(",") else None
    inits: list[Value] = []
    types: list[Type] = []
    if p.accept("init"):
        inits = _inits(p, names)
        p.expect("->")
        types = carried_types(p)
    block = Block()
    filled = types + [v.type for v in inits[len(types) :]]
    p.arguments(block, names, [lower.type, *filled[: len(inits)]])
    op = scf.For(lower, upper, region_of(block), step, inits, result_types=types)

    def close(frame: Frame) -> None:
        if p.accept("attributes"):
            p.places = frame.places
            own_attributes(p, op, p.dictionary(frame.places), frozenset({"unroll"}))
        p.finish_region(frame)

    p.open_region(op, block, names, close)


def _inits(p: RegionReader, names: list[int]) -> list[Value]:
    """`(%v=%init, ..)`; the new names are added to `names`."""
    first = p.i
    p.expect("(")
    inits: list[Value] = []
    while True:
        names.append(p.new_name())
        p.expect("=")
        inits.append(p.value())
        if not p.accept(","):
            break
    if not p.accept(")"):
        p.fail("`,` or `)`")
    p.check_count(len(inits), first)
    return inits


INSTRUCTIONS: Final[Mapping[str, Instruction]] = {
    "yield": plain(_yield),
    "if": multi(_if),
    "for": multi(_for),
}
