"""Types: layouts, sizes, groups, cooperative matrices (V9 to V15, V24)."""

from __future__ import annotations

from tilewright.diagnostics import Location, Report
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Operation
from tilewright.ir.types import (
    AddressSpace,
    CoopMatrixType,
    Extent,
    GroupType,
    MemrefType,
    ScalarType,
    Type,
)

_LIMIT = 1 << 62


def check_parameters(kernel: Kernel, report: Report) -> None:
    """Types of parameters, and kinds that cannot be passed."""
    for parameter in kernel.parameters:
        if isinstance(parameter.type, CoopMatrixType):
            report.error(
                "V24", parameter.location, "a cooperative matrix cannot be a parameter: it lives in registers"
            ).hint("pass a memref and load the matrix from it in a parallel or foreach_tile region")
            continue
        check_type(parameter.type, parameter.location, report)


def check_results(op: Operation, report: Report) -> None:
    """Types that an instruction's text spells."""
    for result in op.results:
        if not isinstance(result.type, ScalarType):
            check_type(result.type, op.place("type"), report)


def check_type(type_: Type, where: Location, report: Report) -> None:
    """Everything that can be wrong with a type by itself."""
    if isinstance(type_, MemrefType):
        _memref(type_, where, report)
    elif isinstance(type_, GroupType):
        _memref(type_.memref, where, report)
        if type_.memref.space is not AddressSpace.GLOBAL:
            report.error("V14", where, "the memrefs of a group lie in global memory, not in local")
        if type_.size is not None and type_.size < 0:
            report.error("V14", where, f"a group cannot have {type_.size} elements")
    elif isinstance(type_, CoopMatrixType):
        _matrix(type_, where, report)


def _memref(type_: MemrefType, where: Location, report: Report) -> None:
    if not type_.element.is_number:
        report.error("V9", where, "bool cannot be stored").hint("use i8, and not_equal or if at loads and stores")
    if len(type_.shape) != len(type_.strides):
        report.error("V11", where, f"{len(type_.strides)} strides are given for {len(type_.shape)} modes")
        return
    for extent in (*type_.shape, *type_.strides):
        if extent is not None and extent < 0:
            report.error("V10", where, f"{extent} is negative; extents and strides are not")
            return
    if 0 in type_.shape:
        report.warning("V10", where, f"mode {type_.shape.index(0)} has extent 0: the memref is empty")
    _strides(type_, where, report)
    _size(type_, where, report)


def _strides(type_: MemrefType, where: Location, report: Report) -> None:
    """S_0 >= 1 and S_i >= S_{i-1} s_{i-1}; a `?` stride is at least the product before it, a `?` extent at least 1."""
    least = 1
    for mode, (extent, stride) in enumerate(zip(type_.shape, type_.strides, strict=True)):
        if stride is not None and stride < least:
            finding = report.error(
                "V12", where, f"stride {stride} of mode {mode} is less than {least}, the span of the modes before it"
            )
            if sorted(s for s in type_.strides if s is not None) != list(type_.strides):
                finding.hint("the modes are in the wrong order: the first mode has the smallest stride; swap them")
            else:
                finding.hint(f"write a stride of at least {least}")
            return
        least = (least if stride is None else stride) * max(1, 1 if extent is None else extent)


def _size(type_: MemrefType, where: Location, report: Report) -> None:
    total = type_.element.bytes
    span = 1
    for extent, stride in zip(type_.shape, type_.strides, strict=True):
        span += (_at_least_one(extent) - 1) * (stride or 1)
    if span * total >= _LIMIT:
        report.error("V13", where, "the memref is larger than 2^62 bytes")


def _at_least_one(extent: Extent) -> int:
    return 1 if extent is None else max(1, extent)


def _matrix(type_: CoopMatrixType, where: Location, report: Report) -> None:
    if not type_.element.is_number:
        report.error("V9", where, "a cooperative matrix holds numbers, not bool")
    if type_.rows <= 0 or type_.columns <= 0:
        report.error("V15", where, f"a cooperative matrix of {type_.rows} x {type_.columns} has no elements")
    elif type_.rows & (type_.rows - 1) and type_.rows % 16:
        report.error(
            "V15", where, f"{type_.rows} rows: a power of two or a multiple of the subgroup size is needed"
        ).hint(f"use {1 << type_.rows.bit_length()} rows and checked loads and stores")
    elif type_.rows * type_.columns > 1 << 16:
        report.error("V15", where, f"a cooperative matrix of {type_.rows} x {type_.columns} exceeds 65536 elements")
