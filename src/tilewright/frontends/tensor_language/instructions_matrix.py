"""Cooperative matrix instructions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.dialects import tl
from tilewright.frontends.tensor_language.instruction import Instruction, plain, value
from tilewright.frontends.tensor_language.instructions_memory import set_order
from tilewright.frontends.tensor_language.regions import RegionReader, region_of
from tilewright.frontends.tensor_language.vocabulary import (
    ATOMIC_KINDS,
    CHECKED,
    REDUCE,
    SCOPE,
    SEMANTICS,
    TRANSPOSE,
    Modifier,
)
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.types import I32, CoopMatrixType

_PREFIX: Final = "cooperative_matrix_"


def _position(p: RegionReader) -> tuple[Value, Value, Value]:
    """`%V[%x,%y]`."""
    memref = p.value()
    p.expect("[")
    x, y = p.values(2)
    if not p.accept("]"):
        p.fail("`]`")
    return memref, x, y


def _set_access(op: Operation, transpose: Modifier | None, checked: Modifier | None) -> None:
    if transpose:
        op.attributes["transpose"] = True
    if isinstance(checked, tl.Checked):
        op.attributes["checked"] = checked


def _load(p: RegionReader, word: str) -> None:
    transpose, checked = p.modifiers((TRANSPOSE, CHECKED))
    memref, x, y = _position(p)
    op = tl.CoopLoad(memref, x, y, result_types=[p.result_type()])
    _set_access(op, transpose, checked)
    p.finish(op)


def _store(p: RegionReader, word: str) -> None:
    transpose, checked = p.modifiers((TRANSPOSE, CHECKED))
    matrix = p.value()
    p.expect(",")
    op = tl.CoopStore(matrix, *_position(p))
    _set_access(op, transpose, checked)
    p.finish(op)


def _atomic_load(p: RegionReader, word: str) -> None:
    transpose, checked, scope, semantics = p.modifiers((TRANSPOSE, CHECKED, SCOPE, SEMANTICS))
    memref, x, y = _position(p)
    op = tl.CoopAtomicLoad(memref, x, y, result_types=[p.result_type()])
    _set_access(op, transpose, checked)
    set_order(op, scope, semantics)
    p.finish(op)


def _atomic_store(p: RegionReader, word: str) -> None:
    transpose, checked, scope, semantics = p.modifiers((TRANSPOSE, CHECKED, SCOPE, SEMANTICS))
    matrix = p.value()
    p.expect(",")
    op = tl.CoopAtomicStore(matrix, *_position(p))
    _set_access(op, transpose, checked)
    set_order(op, scope, semantics)
    p.finish(op)


def _atomic_update(p: RegionReader, word: str) -> None:
    transpose, checked, scope, semantics = p.modifiers((TRANSPOSE, CHECKED, SCOPE, SEMANTICS))
    kind = ATOMIC_KINDS[word.rsplit("_", 1)[1]]
    matrix = p.value()
    p.expect(",")
    memref, x, y = _position(p)
    op = tl.CoopAtomicRmw(matrix, memref, x, y, kind, result_types=[p.result_type()])
    _set_access(op, transpose, checked)
    set_order(op, scope, semantics)
    p.finish(op)


def _prefetch(p: RegionReader, word: str) -> None:
    level = p.integer_attribute("level", "a cache level")
    p.expect(",")
    memref, x, y = _position(p)
    p.expect(",")
    rows = p.integer_attribute("rows", "a number of rows")
    p.expect(",")
    columns = p.integer_attribute("columns", "a number of columns")
    p.finish(tl.CoopPrefetch(memref, x, y, level, rows, columns))


def _construct(p: RegionReader, word: str) -> None:
    scalar = p.value()
    p.finish(tl.CoopConstruct(scalar, result_types=[p.result_type()]))


def _component(p: RegionReader) -> int:
    p.expect("[")
    index = p.integer_attribute("index", "the number of a component")
    p.expect("]")
    return index


def _extract(p: RegionReader, word: str) -> None:
    matrix = p.value()
    index = _component(p)
    p.finish(tl.CoopExtract(matrix, index, result_types=[p.result_type()]))


def _insert(p: RegionReader, word: str) -> None:
    scalar, matrix = p.values(2)
    index = _component(p)
    p.finish(tl.CoopInsert(scalar, matrix, index, result_types=[p.result_type()]))


def _scale(p: RegionReader, word: str) -> None:
    scalar, matrix = p.values(2)
    p.finish(tl.CoopScale(scalar, matrix, result_types=[p.result_type()]))


def _mul_add(p: RegionReader, word: str) -> None:
    a, b, c = p.values(3)
    p.finish(tl.CoopMulAdd(a, b, c, result_types=[p.result_type()]))


def _reduce(p: RegionReader, word: str) -> None:
    (row,) = p.modifiers((REDUCE,))
    if row is None:
        finding = p.error("V1", p.here(), "expected `.row` or `.column`, for the reduction has a direction")
        finding.hint("`.row` reduces over the columns of each row, `.column` over the rows of each column")
        p.abandon()
    matrix = p.value()
    kind = ATOMIC_KINDS[word.rsplit("_", 1)[1]]
    p.finish(tl.CoopReduce(matrix, kind, bool(row), result_types=[p.result_type()]))


def _apply(p: RegionReader, word: str) -> None:
    names = p.new_names()
    if len(names) != 3:
        p.error(
            "V1", p.range(names[0], names[-1]), f"expected three names (row, column, component), found {len(names)}"
        )
        p.abandon()
    if not p.accept("=") and not p.accept("in"):
        p.fail("`=`")
    matrix = p.value()
    p.expect("->")
    first = p.i
    type_ = p.read_type()
    p.places["type"] = p.since(first)
    block = Block()
    # Without a matrix type the component has none either, and its uses say nothing more.
    types = [I32, I32, type_.element] if isinstance(type_, CoopMatrixType) else [I32, I32]
    p.arguments(block, names, types)
    p.open_region(tl.CoopApply(matrix, region_of(block), result_types=[type_]), block, names, p.finish_region)


INSTRUCTIONS: Final[Mapping[str, Instruction]] = {
    _PREFIX + suffix: instruction
    for suffix, instruction in {
        "load": value(_load),
        "store": plain(_store),
        "atomic_load": value(_atomic_load),
        "atomic_store": plain(_atomic_store),
        **{f"atomic_{kind}": value(_atomic_update) for kind in ATOMIC_KINDS},
        "prefetch": plain(_prefetch),
        "construct": value(_construct),
        "extract": value(_extract),
        "insert": value(_insert),
        "scale": value(_scale),
        "mul_add": value(_mul_add),
        **{f"reduce_{kind}": value(_reduce) for kind in ATOMIC_KINDS},
        "apply": value(_apply),
    }.items()
}
