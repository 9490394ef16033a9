"""Arithmetic, comparisons and conversions; those on i1 become operations on bool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.diagnostics import SourceRange
from tilewright.diagnostics.nearest import nearest
from tilewright.dialects import arith, scf, team
from tilewright.frontends.old_tensor_language.operands import (
    Operand,
    bind,
    colon,
    fixed,
    generate,
    operand,
    operands,
    scalar_type,
)
from tilewright.frontends.tensor_language.cursor import quoted
from tilewright.frontends.tensor_language.instruction import Instruction, value
from tilewright.frontends.tensor_language.instructions_scalar import BINARY, UNARY
from tilewright.frontends.tensor_language.regions import RegionReader, region_of
from tilewright.frontends.tensor_language.vocabulary import COMPARISONS, OLD_COMPARISONS
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.types import BOOL, INDEX, ScalarType

_BINARY: Final = ("add", "sub", "mul", "div", "rem", "shl", "shr", "and", "or", "xor")
_UNARY: Final = ("neg", "not")
_ON_BOOL: Final = frozenset({"and", "or", "xor", "not"})
_ON_INTEGERS: Final = _ON_BOOL | {"shl", "shr"}
_INSTEAD: Final[Mapping[str, str]] = {"add": "xor", "sub": "xor", "mul": "and", "neg": "not"}


def _suffix(p: RegionReader, word: str, known: tuple[str, ...]) -> str:
    """The `name` of `word.name`."""
    text = p.texts[p.i]
    if text[0] == "." and text[1:] in known:
        p.i += 1
        return text[1:]
    where, said = (p.range(p.mnemonic, p.i), word + text) if text[0] == "." else (p.range(p.mnemonic), word)
    finding = p.error("V2", where, f"{quoted(said)} is not an instruction")
    guesses = nearest(text[1:], known) if text[0] == "." else ()
    finding.suggest(where, [f"{word}.{guess}" for guess in guesses], "`")
    if not guesses:
        finding.hint("it knows " + ", ".join(f"`{word}.{name}`" for name in known))
    return p.abandon()


def _bound(p: RegionReader, held: list[Operand]) -> tuple[ScalarType, list[Value], SourceRange]:
    """The type behind the colon, the operands as values of it, and where the type stands."""
    colon(p, "the type of the operands")
    first = p.i
    type_ = scalar_type(p)
    where = p.places["type"] = p.since(first)
    return type_, [bind(p, one, type_, first) for one in held], where


def _arith(p: RegionReader, word: str) -> None:
    name = _suffix(p, word, _BINARY + _UNARY)
    held = operands(p, 2) if name in _BINARY else [operand(p)]
    type_, values, where = _bound(p, held)
    if type_ is BOOL and name not in _ON_BOOL:
        finding = p.error("U4", where, f"arith.{name} on i1: arithmetic on bool is gone")
        other = _INSTEAD.get(name)
        finding.hint(f"write `arith.{other}`" if other else "cast the operands to i8 first")
        p.abandon()
    if not type_.is_integer and name in _ON_INTEGERS and type_ is not BOOL:
        p.error("V34", where, f"arith.{name} works on integers, not on {type_}").hint("cast the operands first")
        p.abandon()
    p.finish(_operation(name, values, type_))


def _operation(name: str, values: list[Value], type_: ScalarType) -> Operation:
    if name in _BINARY:
        return BINARY[name](values[0], values[1], result_types=[type_])
    return UNARY[name](values[0], result_types=[type_])


def _cmp(p: RegionReader, word: str) -> None:
    name = _suffix(p, word, tuple(text[1:] for text in OLD_COMPARISONS))
    type_, (lhs, rhs), where = _bound(p, operands(p, 2))
    if type_ is not BOOL:
        p.finish(arith.Cmp(COMPARISONS[OLD_COMPARISONS[f".{name}"]], lhs, rhs, result_types=[BOOL]))
        return
    if name not in ("eq", "ne"):
        p.error("U4", where, f"cmp.{name} on i1: bool has no order").hint("write it with arith.and, arith.not")
        p.abandon()
    if p.poisoned or name == "ne":
        p.finish(arith.Xor(lhs, rhs, result_types=[BOOL]))
        return
    differ = generate(p, arith.Xor(lhs, rhs, result_types=[BOOL]))
    p.finish(arith.Not(differ, result_types=[BOOL]))


def _cast(p: RegionReader, word: str) -> None:
    held = operand(p)
    source, (value_,), _ = _bound(p, [held])
    p.expect("->")
    first = p.i
    target = scalar_type(p)
    p.places["type"] = p.since(first)
    if source is BOOL and target is BOOL:
        p.finish(arith.Or(value_, value_, result_types=[BOOL]))
    elif source is BOOL:
        _number_of(p, value_, target)
    elif target is BOOL:
        zero = fixed(p, 0.0 if source.is_float else 0, source)
        p.finish(arith.Cmp(arith.Predicate.NE, value_, zero, result_types=[BOOL]))
    else:
        p.finish(arith.Cast(value_, result_types=[target]))


def _number_of(p: RegionReader, condition: Value, target: ScalarType) -> None:
    """1 or 0, by a branch."""
    location = p.since(p.first)
    branches = [Block(), Block()]
    for block, value_ in zip(branches, (1, 0), strict=True):
        number = float(value_) if target.is_float else value_
        block.append(scf.Yield([fixed(p, number, target)], location=location))
    p.finish(scf.If(condition, region_of(branches[0]), region_of(branches[1]), result_types=[target]))


def _group_id(p: RegionReader, word: str) -> None:
    _refuse_dimension(p, word)
    p.finish(team.GroupId(0, result_types=[INDEX]))


def _group_size(p: RegionReader, word: str) -> None:
    _refuse_dimension(p, word)
    p.finish(team.NumGroups(0, result_types=[INDEX]))


def _refuse_dimension(p: RegionReader, word: str) -> None:
    if p.texts[p.i] in (".x", ".y", ".z", ":"):
        finding = p.error("U9", p.range(p.i), f"a dimension or type behind `{word}` belongs to the new language")
        finding.hint(f"the old one writes `{word}` alone")
        p.abandon()


INSTRUCTIONS: Final[Mapping[str, Instruction]] = {
    "arith": value(_arith),
    "cmp": value(_cmp),
    "cast": value(_cast),
    "group_id": value(_group_id),
    "group_size": value(_group_size),
}
