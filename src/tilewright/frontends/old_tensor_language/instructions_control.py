"""if, for, foreach, yield."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.dialects import scf, tl
from tilewright.frontends.old_tensor_language.instructions_memory import index_or_value
from tilewright.frontends.old_tensor_language.operands import (
    Operand,
    bind,
    colon,
    constant,
    operand,
    scalar_type,
    written_types,
)
from tilewright.frontends.old_tensor_language.types import spelled
from tilewright.frontends.tensor_language.instruction import Instruction, multi, plain
from tilewright.frontends.tensor_language.instructions_control import carried_types, open_if
from tilewright.frontends.tensor_language.regions import RegionReader, region_of
from tilewright.ir.core import Block, Value
from tilewright.ir.types import BOOL, INDEX, ScalarType, Type


def _if(p: RegionReader, word: str) -> None:
    held = index_or_value(p)
    condition = constant(p, held.token, BOOL) if held.value is None else held.value
    types = carried_types(p) if p.accept("->") else []
    for index, type_ in enumerate(types):
        if not isinstance(type_, ScalarType):
            where = p.places["type", index].primary
            assert where is not None
            p.error("V22", where, f"an if gives scalars, not {spelled(type_)}").hint("store what it computes")
            p.abandon()
    open_if(p, condition, types)


def _yield(p: RegionReader, word: str) -> None:
    if p.texts[p.i] == "(":
        finding = p.error("U9", p.range(p.i), "a yield with parentheses belongs to the new language")
        finding.hint("the old one writes `yield %x : f32`")
        p.abandon()
    held = [] if p.texts[p.i] == ":" else [operand(p)]
    while held and p.accept(","):
        held.append(operand(p))
    if held:
        types = written_types(p, held)
        p.finish(scf.Yield([_typed(p, one, type_) for one, type_ in zip(held, types, strict=True)]))
        return
    colon(p, "the types of the operands")
    p.finish(scf.Yield([]))


def _typed(p: RegionReader, held: Operand, type_: Type) -> Value:
    if held.value is not None:
        return held.value
    if not isinstance(type_, ScalarType):
        p.error("V22", p.range(held.token), f"a literal is no {spelled(type_)}").hint("yield takes scalars")
        p.abandon()
    return constant(p, held.token, type_)


def _bounds(p: RegionReader, may_step: bool) -> tuple[list[int], ScalarType, list[Value]]:
    """`%i = from, to [, step] [: type]`: the name, its type, and the bounds as values."""
    names = [p.new_name()]
    p.expect("=")
    held = [index_or_value(p)]
    p.expect(",")
    held.append(index_or_value(p))
    if may_step and p.accept(","):
        held.append(index_or_value(p))
    type_, first = INDEX, p.i
    if p.accept(":"):
        first = p.i
        type_ = scalar_type(p)
        p.places["type"] = p.since(first)
        if not type_.is_integer:
            p.error(_bounds_code(p), p.since(first), f"a loop counts in an integer type, not in {spelled(type_)}")
            p.abandon()
        return names, type_, [bind(p, one, type_, first) for one in held]
    return names, type_, [_index_bound(p, one) for one in held]


def _bounds_code(p: RegionReader) -> str:
    """The rule on the bounds of the loop that is being read."""
    return "V43" if p.texts[p.mnemonic] == "foreach" else "V45"


def _index_bound(p: RegionReader, held: Operand) -> Value:
    """A bound of a loop that counts in index, which goes unwritten."""
    value = held.value
    if value is not None and value.type is not INDEX and not p.poisoned:
        finding = p.error(
            _bounds_code(p), p.range(held.token), f"the loop counts in index, but this is {spelled(value.type)}"
        )
        finding.label(value.location, "defined here").hint(f"write `: {spelled(value.type)}` behind the bounds")
        p.poisoned = True
    return bind(p, held, INDEX, held.token)


def _for(p: RegionReader, word: str) -> None:
    names, type_, bounds = _bounds(p, may_step=True)
    block = Block()
    p.arguments(block, names, [type_])
    step = bounds[2] if len(bounds) == 3 else None
    p.open_region(scf.For(bounds[0], bounds[1], region_of(block), step), block, names, p.finish_region)


def _foreach(p: RegionReader, word: str) -> None:
    if p.texts[p.i] == "(":
        p.error("U9", p.range(p.i), "a foreach over lists belongs to the new language").hint(
            "the old one writes `foreach %i=0,8 {`"
        )
        p.abandon()
    names, type_, bounds = _bounds(p, may_step=False)
    block = Block()
    p.arguments(block, names, [type_])
    p.open_region(tl.Foreach(bounds[:1], bounds[1:], region_of(block)), block, names, p.finish_region)


INSTRUCTIONS: Final[Mapping[str, Instruction]] = {
    "yield": plain(_yield),
    "if": multi(_if),
    "for": plain(_for),
    "foreach": plain(_foreach),
}
