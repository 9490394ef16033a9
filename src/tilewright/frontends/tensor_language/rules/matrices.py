"""Cooperative matrices and subgroup operations (V46, and V34 for max and min)."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.dialects import team, tl
from tilewright.dialects.memref import AtomicKind
from tilewright.frontends.tensor_language.rules.facts import element, integer_of, name_of, subgroup_size_of, varies
from tilewright.frontends.tensor_language.rules.memory import check_load_semantics, check_store_semantics
from tilewright.ir.core import Operation
from tilewright.ir.types import CoopMatrixType, MatrixUse, MemrefType, ScalarType, promotable, promote

_Access = tl.CoopLoad | tl.CoopStore | tl.CoopAtomicLoad | tl.CoopAtomicStore | tl.CoopAtomicRmw


def _uniform(op: Operation, index: int, report: Report) -> None:
    value = op.operands[index]
    if varies(value):
        report.error(
            "V46", op.place(("operand", index)), f"{name_of(value)} must be the same for all work-items of a subgroup"
        ).label(value.location, "this differs between work-items").hint(
            "foreach_tile has variables that are the same for a subgroup"
        )


def _ordered(op: Operation, kind: AtomicKind, type_: ScalarType, code: str, report: Report) -> None:
    if kind is not AtomicKind.ADD and type_.is_complex:
        report.error(code, op.place("mnemonic"), f"{kind.value} needs an order, which {type_} does not have").hint(
            "work on re, im or abs"
        )


def _matrix_operand(op: Operation, index: int, report: Report) -> None:
    value = op.operands[index]
    if isinstance(value.type, MemrefType) and value.type.order != 2:
        report.error(
            "V46", op.place(("operand", index)), f"{name_of(value)} has order {value.type.order}; a matrix is needed"
        ).label(value.location, "defined here").hint("take a subview, expand or fuse it to order 2")


def access(op: _Access, report: Report) -> None:
    """A 2-d memref of the component type, at a uniform position."""
    stores = isinstance(op.operands[0].type, CoopMatrixType)
    matrix = op.operands[0].type if stores else op.results[0].type
    memref_ = op.memref.type
    if not isinstance(memref_, MemrefType) or not isinstance(matrix, CoopMatrixType):
        return
    at = 1 if stores else 0
    _matrix_operand(op, at, report)
    if memref_.element is not matrix.element:
        report.error(
            "V46",
            op.place(("operand", 0) if stores else "type"),
            f"the matrix holds {matrix.element}, {name_of(op.memref)} holds {memref_.element}",
        ).label(op.memref.location, "defined here").hint("the types are the same; cast the matrix in registers")
    _uniform(op, at + 1, report)
    _uniform(op, at + 2, report)
    if isinstance(op, tl.CoopAtomicRmw):
        _ordered(op, op.kind, matrix.element, "V46", report)
    elif isinstance(op, tl.CoopAtomicLoad):
        check_load_semantics(op, op.semantics, report)
    elif isinstance(op, tl.CoopAtomicStore):
        check_store_semantics(op, op.semantics, report)


def prefetch(op: tl.CoopPrefetch, report: Report) -> None:
    """Level and extents."""
    if op.level < 0:
        report.error("V46", op.place("level"), "a cache level is not negative").hint("0 is the nearest cache")
    for name, count in (("rows", op.rows), ("columns", op.columns)):
        if count <= 0:
            report.error("V46", op.place(name), f"{count} {name} cannot be prefetched").hint("give a positive number")
    _matrix_operand(op, 0, report)


def _component(op: Operation, index: int, type_: object, report: Report) -> None:
    """The scalar operand has the type of the matrix' components."""
    value = op.operands[index]
    if isinstance(type_, CoopMatrixType) and value.type is not type_.element:
        report.error(
            "V46",
            op.place(("operand", index)),
            f"{name_of(value)} is {value.type}, the components are {type_.element}",
        ).label(value.location, "defined here").hint(f"write `cast {name_of(value)} : {type_.element}` first")


def construct(op: tl.CoopConstruct, report: Report) -> None:
    """A uniform scalar of the component type."""
    _component(op, 0, op.out.type, report)
    _uniform(op, 0, report)


def components(type_: CoopMatrixType, size: int) -> int:
    """Components that a work-item of a subgroup of `size` holds (language reference 1.11)."""
    block = min(type_.rows, size)
    return -(-block * type_.columns // size) * (type_.rows // block)


def _index(op: tl.CoopExtract | tl.CoopInsert, report: Report) -> None:
    type_ = op.matrix.type
    if not isinstance(type_, CoopMatrixType):
        return
    size = subgroup_size_of(op)
    limit = type_.rows * type_.columns if size is None else components(type_, size)
    if not 0 <= op.index < limit:
        report.error("V46", op.place("index"), f"there is no component {op.index}").label(
            op.matrix.location, f"of this {type_} a work-item holds {limit if size else f'at most {limit}'}"
        ).hint(f"components are 0 to {limit - 1}")


def extract(op: tl.CoopExtract, report: Report) -> None:
    """A component that exists, of the right type."""
    type_ = op.matrix.type
    _index(op, report)
    if isinstance(type_, CoopMatrixType) and op.out.type is not type_.element:
        report.error("V46", op.place("type"), f"the components are {type_.element}, not {op.out.type}").label(
            op.matrix.location, "defined here"
        ).hint(f"write {type_.element}")


def insert(op: tl.CoopInsert, report: Report) -> None:
    """A component that exists, of the right type."""
    _index(op, report)
    _component(op, 0, op.matrix.type, report)


def scale(op: tl.CoopScale, report: Report) -> None:
    """The scalar has the component type."""
    _component(op, 0, op.matrix.type, report)


def _rows_fit(op: Operation, index: int, report: Report) -> None:
    """The rows are a multiple of the subgroup size, where that is known."""
    size = subgroup_size_of(op)
    value = op.operands[index]
    if size is not None and isinstance(value.type, CoopMatrixType) and value.type.rows % size:
        report.error(
            "V46",
            op.place(("operand", index)),
            f"{name_of(value)} has {value.type.rows} rows, no multiple of the subgroup size {size}",
        ).label(value.location, "defined here").hint(f"use {-(-value.type.rows // size) * size} rows")


def mul_add(op: tl.CoopMulAdd, report: Report) -> None:
    """Uses, shapes, promotion."""
    a, b, c, d = op.a.type, op.b.type, op.c.type, op.out.type
    if not (
        isinstance(a, CoopMatrixType)
        and isinstance(b, CoopMatrixType)
        and isinstance(c, CoopMatrixType)
        and isinstance(d, CoopMatrixType)
    ):
        return
    for index, (type_, use) in enumerate(((a, MatrixUse.A), (b, MatrixUse.B), (c, MatrixUse.ACC))):
        if type_.use is not use:
            report.error(
                "V46", op.place(("operand", index)), f"{name_of(op.operands[index])} is a {type_.use.value}"
            ).label(op.operands[index].location, "defined here").hint(f"a {use.value} is needed here")
    if d.use is not MatrixUse.ACC:
        report.error("V46", op.place("type"), f"the result cannot be a {d.use.value}").hint("it is a matrix_acc")
    _product_shapes(op, a, b, c, d, report)
    _rows_fit(op, 0, report)
    common = promote(a.element, b.element)
    if common is None or not promotable(common, c.element):
        report.error(
            "V46", op.place(("operand", 2)), f"products of {a.element} and {b.element} cannot be added to {c.element}"
        ).label(op.c.location, "defined here").hint("the sum needs a type to which both operands can be promoted")
    if c.element.is_complex and not d.element.is_complex:
        report.error("V46", op.place("type"), f"a sum in {c.element} cannot become {d.element}").hint(
            f"write {c.element} and take the part that is meant"
        )


def _product_shapes(
    op: tl.CoopMulAdd, a: CoopMatrixType, b: CoopMatrixType, c: CoopMatrixType, d: CoopMatrixType, report: Report
) -> None:
    wanted = (a.rows, b.columns)
    if a.columns != b.rows:
        report.error(
            "V46", op.place(("operand", 1)), f"{name_of(op.a)} has {a.columns} columns, {name_of(op.b)} {b.rows} rows"
        ).label(op.a.location, "defined here").hint("the two numbers are equal in a product")
        return
    for place, type_, what in ((("operand", 2), c, name_of(op.c)), ("type", d, "the result")):
        if type_.shape != wanted:
            report.error(
                "V46",
                op.place(place),
                f"{what} is {type_.rows} x {type_.columns}, but the product {a.rows} x {b.columns}",
            ).hint(f"write {CoopMatrixType(type_.element, *wanted, MatrixUse.ACC)}")


def reduce(op: tl.CoopReduce, report: Report) -> None:
    """M x 1 or 1 x N of the same component and use."""
    source, out = op.matrix.type, op.out.type
    if not (isinstance(source, CoopMatrixType) and isinstance(out, CoopMatrixType)):
        return
    wanted = CoopMatrixType(source.element, *((source.rows, 1) if op.row else (1, source.columns)), source.use)
    if out != wanted:
        what = "a column, one entry for each row" if op.row else "a row, one entry for each column"
        report.error("V46", op.place("type"), f"the result is {what}, not a {out}").label(
            op.matrix.location, "of this"
        ).hint(f"write {wanted}")
    _rows_fit(op, 0, report)
    _ordered(op, op.kind, source.element, "V46", report)


def subgroup_operation(op: team.Reduce | team.Scan, report: Report) -> None:
    """max and min need an order."""
    type_ = element(op.value)
    if type_ is not None:
        _ordered(op, op.kind, type_, "V34", report)


def broadcast(op: team.Broadcast, report: Report) -> None:
    """One work-item for the whole subgroup, and one that exists."""
    _uniform(op, 1, report)
    lane, size = integer_of(op.lane), subgroup_size_of(op)
    if lane is not None and (lane < 0 or (size is not None and lane >= size)):
        report.error("V46", op.place(("operand", 1)), f"there is no work-item {lane} in a subgroup").label(
            op.lane.location, "defined here"
        ).hint("work-items count from 0" + (f" to {size - 1}" if size is not None else ""))


def rules() -> dict[type[Operation], object]:
    """Rules of this file by operation."""
    return {
        tl.CoopLoad: access,
        tl.CoopStore: access,
        tl.CoopAtomicLoad: access,
        tl.CoopAtomicStore: access,
        tl.CoopAtomicRmw: access,
        tl.CoopPrefetch: prefetch,
        tl.CoopConstruct: construct,
        tl.CoopExtract: extract,
        tl.CoopInsert: insert,
        tl.CoopScale: scale,
        tl.CoopMulAdd: mul_add,
        tl.CoopReduce: reduce,
        team.Reduce: subgroup_operation,
        team.Scan: subgroup_operation,
        team.Broadcast: broadcast,
    }
