"""Cooperative matrices (V46)."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.dialects import team, tl
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.memref import AtomicKind
from tilewright.frontends.tensor_language.rules.facts import element, name_of, varies
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import CoopMatrixType, MatrixUse, MemrefType, ScalarType, promotable, promote

_Access = tl.CoopLoad | tl.CoopStore | tl.CoopAtomicLoad | tl.CoopAtomicStore | tl.CoopAtomicRmw


def _uniform(op: Operation, value: Value, report: Report) -> None:
    if varies(value):
        report.error(
            "V46", op.place(("operand", op.operands.index(value))), f"{name_of(value)} must be the same for a subgroup"
        ).label(value.location, "this differs between work-items")


def access(op: _Access, report: Report) -> None:
    """A 2-d memref of the component type, at a uniform position."""
    matrix = op.operands[0].type if isinstance(op.operands[0].type, CoopMatrixType) else op.results[0].type
    memref_ = op.memref.type
    if not isinstance(memref_, MemrefType) or not isinstance(matrix, CoopMatrixType):
        return
    if memref_.order != 2:
        report.error(
            "V46",
            op.place(("operand", op.operands.index(op.memref))),
            f"a matrix is needed, this has {memref_.order} modes",
        )
    if memref_.element is not matrix.element:
        report.error(
            "V46", op.location, f"the matrix holds {matrix.element}, {name_of(op.memref)} {memref_.element}"
        ).label(op.memref.location, "defined here")
    _uniform(op, op.x, report)
    _uniform(op, op.y, report)
    if isinstance(op, tl.CoopAtomicRmw) and op.kind is not AtomicKind.ADD and matrix.element.is_complex:
        report.error("V46", op.location, f"{op.kind.value} needs an order, which {matrix.element} does not have")


def prefetch(op: tl.CoopPrefetch, report: Report) -> None:
    """Level and extents."""
    if op.level < 0:
        report.error("V46", op.place("level"), "the cache level is not negative")
    if op.rows <= 0 or op.columns <= 0:
        report.error("V46", op.location, "the prefetched region has positive extents")
    if isinstance(op.memref.type, MemrefType) and op.memref.type.order != 2:
        report.error("V46", op.place(("operand", 0)), "prefetch takes a matrix")


def construct(op: tl.CoopConstruct, report: Report) -> None:
    """A uniform scalar of the component type."""
    if isinstance(op.out.type, CoopMatrixType) and op.value.type is not op.out.type.element:
        report.error("V46", op.place(("operand", 0)), f"the components are {op.out.type.element}, not {op.value.type}")
    _uniform(op, op.value, report)


def components(type_: CoopMatrixType, size: int) -> int:
    """Components that a work-item holds (language reference 1.11)."""
    block = min(type_.rows, size)
    return -(-block * type_.columns // size) * (type_.rows // block)


def _index(op: tl.CoopExtract | tl.CoopInsert, type_: CoopMatrixType, report: Report) -> None:
    size = next((k.subgroup_size for k in op.ancestors() if isinstance(k, Kernel)), None)
    limit = type_.rows * type_.columns if size is None else components(type_, size)
    if not 0 <= op.index < limit:
        report.error(
            "V46", op.place("index"), f"component {op.index} does not exist; a work-item holds {limit} at most"
        )


def extract(op: tl.CoopExtract, report: Report) -> None:
    """A component that exists, of the right type."""
    type_ = op.matrix.type
    if isinstance(type_, CoopMatrixType):
        _index(op, type_, report)
        if op.out.type is not type_.element:
            report.error("V46", op.place("type"), f"the components are {type_.element}, not {op.out.type}")


def insert(op: tl.CoopInsert, report: Report) -> None:
    """A component that exists, of the right type."""
    type_ = op.matrix.type
    if isinstance(type_, CoopMatrixType):
        _index(op, type_, report)
        if op.value.type is not type_.element:
            report.error("V46", op.place(("operand", 0)), f"the components are {type_.element}, not {op.value.type}")


def scale(op: tl.CoopScale, report: Report) -> None:
    """The scalar has the component type."""
    type_ = op.matrix.type
    if isinstance(type_, CoopMatrixType) and op.scalar.type is not type_.element:
        report.error("V46", op.place(("operand", 0)), f"the components are {type_.element}, not {op.scalar.type}")


def mul_add(op: tl.CoopMulAdd, report: Report) -> None:
    """Uses, shapes, promotion."""
    types = (op.a.type, op.b.type, op.c.type, op.out.type)
    a, b, c, d = types
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
                "V46", op.place(("operand", index)), f"this operand is used as {use.value}, not {type_.use.value}"
            )
    if d.use is not MatrixUse.ACC:
        report.error("V46", op.place("type"), "the result is used as matrix_acc")
    if a.columns != b.rows:
        report.error("V46", op.place(("operand", 1)), f"{a.columns} columns of A meet {b.rows} rows of B")
    elif not c.shape == d.shape == (a.rows, b.columns):
        report.error("V46", op.place(("operand", 2)), f"C and the result are {a.rows} x {b.columns}")
    common = promote(a.element, b.element)
    if common is None or not promotable(common, c.element):
        report.error("V46", op.location, f"products of {a.element} and {b.element} do not fit {c.element}")
    if c.element.is_complex and not d.element.is_complex:
        report.error("V46", op.place("type"), f"{c.element} cannot be cast to {d.element}")


def reduce(op: tl.CoopReduce, report: Report) -> None:
    """M x 1 or 1 x N of the same component and use."""
    source, out = op.matrix.type, op.out.type
    if not (isinstance(source, CoopMatrixType) and isinstance(out, CoopMatrixType)):
        return
    wanted = (source.rows, 1) if op.row else (1, source.columns)
    if out.shape != wanted or out.element is not source.element or out.use is not source.use:
        shape = CoopMatrixType(source.element, *wanted, source.use)
        report.error("V46", op.place("type"), f"the result is {shape}")
    if op.kind is not AtomicKind.ADD and source.element.is_complex:
        report.error("V46", op.location, f"{op.kind.value} needs an order, which {source.element} does not have")


def subgroup_operation(op: team.Reduce | team.Scan, report: Report) -> None:
    """max and min need an order."""
    type_ = element(op.value)
    if op.kind is not AtomicKind.ADD and isinstance(type_, ScalarType) and type_.is_complex:
        report.error("V34", op.place(("operand", 0)), f"{op.kind.value} needs an order, which {type_} does not have")


def broadcast(op: team.Broadcast, report: Report) -> None:
    """One work-item for the whole subgroup."""
    _uniform(op, op.lane, report)


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
