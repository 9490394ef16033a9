"""Instructions on scalars and cooperative matrices alike: constants, arithmetic, comparisons, conversions, team ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from tilewright.diagnostics import UNKNOWN, Location
from tilewright.dialects import arith, math, team
from tilewright.frontends.tensor_language.instruction import Handler, Instruction, value
from tilewright.frontends.tensor_language.regions import RegionReader
from tilewright.frontends.tensor_language.vocabulary import ATOMIC_KINDS, COMPARISONS, DIMENSION
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import Type


class _Binary(Protocol):
    def __call__(
        self, lhs: Value, rhs: Value, *, result_types: Sequence[Type] | None = None, location: Location = UNKNOWN
    ) -> Operation: ...


class _Unary(Protocol):
    def __call__(
        self, value: Value, *, result_types: Sequence[Type] | None = None, location: Location = UNKNOWN
    ) -> Operation: ...


class _Dimension(Protocol):
    def __call__(
        self, dim: int, *, result_types: Sequence[Type] | None = None, location: Location = UNKNOWN
    ) -> Operation: ...


class _Builtin(Protocol):
    def __call__(self, *, result_types: Sequence[Type] | None = None, location: Location = UNKNOWN) -> Operation: ...


BINARY: Final[Mapping[str, _Binary]] = {
    "add": arith.Add,
    "sub": arith.Sub,
    "mul": arith.Mul,
    "div": arith.Div,
    "rem": arith.Rem,
    "max": arith.Max,
    "min": arith.Min,
    "shl": arith.Shl,
    "shr": arith.Shr,
    "and": arith.And,
    "or": arith.Or,
    "xor": arith.Xor,
}
UNARY: Final[Mapping[str, _Unary]] = {
    "abs": arith.Abs,
    "neg": arith.Neg,
    "not": arith.Not,
    "conj": arith.Conj,
    "im": arith.Im,
    "re": arith.Re,
    "cast": arith.Cast,
}
ELEMENTARY: Final[Mapping[str, _Unary]] = {
    "cos": math.Cos,
    "sin": math.Sin,
    "exp": math.Exp,
    "exp2": math.Exp2,
    "log": math.Log,
    "log2": math.Log2,
}
_BY_DIMENSION: Final[Mapping[str, _Dimension]] = {
    "group_id": team.GroupId,
    "num_groups": team.NumGroups,
    "num_subgroups": team.NumSubgroups,
    "subgroup_id": team.SubgroupId,
}
_BUILTINS: Final[Mapping[str, _Builtin]] = {
    "subgroup_size": team.SubgroupSize,
    "subgroup_linear_id": team.SubgroupLinearId,
    "subgroup_local_id": team.SubgroupLocalId,
}


def _constant(p: RegionReader, word: str) -> None:
    first = p.i
    number = p.constant()
    p.places["value"] = p.since(first)
    p.finish(arith.Constant(number, result_types=[p.result_type()]))


def _binary(p: RegionReader, word: str) -> None:
    lhs, rhs = p.values(2)
    p.finish(BINARY[word](lhs, rhs, result_types=[p.result_type()]))


def _unary(p: RegionReader, word: str) -> None:
    operand = p.value()
    p.finish(UNARY[word](operand, result_types=[p.result_type()]))


def elementary(p: RegionReader, word: str) -> None:
    """`cos`, `native_exp` and so on."""
    stem = word.removeprefix("native_")
    operand = p.value()
    op = ELEMENTARY[stem](operand, result_types=[p.result_type()])
    if stem != word:
        op.attributes["native"] = True
    p.finish(op)


def comparison(p: RegionReader, predicate: arith.Predicate) -> None:
    """A comparison behind its mnemonic."""
    lhs, rhs = p.values(2)
    p.finish(arith.Cmp(predicate, lhs, rhs, result_types=[p.result_type()]))


def _compare(p: RegionReader, word: str) -> None:
    comparison(p, COMPARISONS[word])


def by_dimension(p: RegionReader, word: str) -> None:
    """`group_id.x : index` and its kin."""
    text = p.texts[p.i]
    dim = DIMENSION.get(text)
    if not isinstance(dim, int):
        if text == ":" or text[0] != ".":
            gap = p.range(p.mnemonic)
            finding = p.error("V2", gap, f"`{word}` needs a dimension: `{word}.x`, `{word}.y` or `{word}.z`")
            if word == "group_id":
                finding.hint("the old language writes `group_id`; the batch is the first dimension now")
            finding.fix(gap, f"{word}.x", f"write `{word}.x`")
            p.abandon()
        p.modifiers((DIMENSION,))
        p.abandon()
    p.i += 1
    if p.texts[p.i][0] == ".":
        p.modifiers(())
    p.finish(_BY_DIMENSION[word](dim, result_types=[p.result_type()]))


def _builtin(p: RegionReader, word: str) -> None:
    p.finish(_BUILTINS[word](result_types=[p.result_type()]))


def _broadcast(p: RegionReader, word: str) -> None:
    source, lane = p.values(2)
    p.finish(team.Broadcast(source, lane, result_types=[p.result_type()]))


def _reduce(p: RegionReader, word: str) -> None:
    kind = ATOMIC_KINDS[word.rsplit("_", 1)[1]]
    source = p.value()
    p.finish(team.Reduce(source, kind, result_types=[p.result_type()]))


def _scan(p: RegionReader, word: str) -> None:
    _, way, _, kind = word.split("_")
    source = p.value()
    p.finish(team.Scan(source, ATOMIC_KINDS[kind], way == "inclusive", result_types=[p.result_type()]))


def _all(words: Mapping[str, object] | Sequence[str], handler: Handler) -> dict[str, Instruction]:
    return {word: value(handler) for word in words}


_TABLES: Final[Sequence[dict[str, Instruction]]] = (
    {"constant": value(_constant), "subgroup_broadcast": value(_broadcast)},
    _all(BINARY, _binary),
    _all(UNARY, _unary),
    _all(ELEMENTARY, elementary),
    _all([f"native_{word}" for word in ELEMENTARY], elementary),
    _all(COMPARISONS, _compare),
    _all(_BY_DIMENSION, by_dimension),
    _all(_BUILTINS, _builtin),
    _all([f"subgroup_reduce_{kind}" for kind in ATOMIC_KINDS], _reduce),
    _all([f"subgroup_{way}_scan_{kind}" for way in ("exclusive", "inclusive") for kind in ATOMIC_KINDS], _scan),
)

INSTRUCTIONS: Final[Mapping[str, Instruction]] = {word: i for table in _TABLES for word, i in table.items()}
