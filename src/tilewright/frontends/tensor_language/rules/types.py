"""Types: layouts, sizes, groups, cooperative matrices (V9 to V15, V24)."""

from __future__ import annotations

from tilewright.diagnostics import Location, Report
from tilewright.dialects import scf
from tilewright.dialects.builtin import Kernel
from tilewright.frontends.tensor_language.rules.facts import counted, subgroup_size_of
from tilewright.ir.core import Operation
from tilewright.ir.types import (
    AddressSpace,
    CoopMatrixType,
    GroupType,
    MemrefType,
    ScalarType,
    Type,
)

_LIMIT = 1 << 63
_MATRIX_LIMIT = 1 << 16
_LEAST_SUBGROUP = 8
"""The smallest subgroup that a GPU target has; of several sizes the one that suits is chosen later."""


def check_parameters(kernel: Kernel, report: Report) -> None:
    """Types of parameters, and kinds that cannot be passed."""
    for parameter in kernel.parameters:
        where = kernel.place(("type", parameter.index))
        if isinstance(parameter.type, CoopMatrixType):
            report.error("V24", where, "a cooperative matrix cannot be a parameter: it lives in registers").hint(
                "pass a memref and load the matrix from it in a parallel or foreach_tile region"
            )
            continue
        check_type(parameter.type, where, report)


def check_results(op: Operation, report: Report) -> None:
    """Types that an instruction's text spells."""
    for index, result in enumerate(op.results):
        if not isinstance(result.type, ScalarType):
            # Only if and for list their types.
            where = op.place(("type", index)) if isinstance(op, scf.If | scf.For) else op.place("type")
            check_type(result.type, where, report, subgroup_size_of(op))


def check_type(type_: Type, where: Location, report: Report, subgroup_size: int | None = None) -> None:
    """Everything that can be wrong with a type by itself, and in a kernel of a subgroup size."""
    if isinstance(type_, MemrefType):
        _memref(type_, where, report)
    elif isinstance(type_, GroupType):
        _memref(type_.memref, where, report)
        if type_.memref.space is not AddressSpace.GLOBAL:
            report.error("V14", where, "the memrefs of a group lie in global memory").hint("drop `local`")
        if type_.size is not None and type_.size < 0:
            report.error("V14", where, f"a group cannot have {type_.size} memrefs").hint("write its size, or `?`")
    elif isinstance(type_, CoopMatrixType):
        _matrix(type_, where, report, subgroup_size)


def _memref(type_: MemrefType, where: Location, report: Report) -> None:
    if not type_.element.is_number:
        report.error("V9", where, "bool cannot be stored").hint("use i8, and not_equal or if at loads and stores")
    if len(type_.shape) != len(type_.strides):
        given, modes = counted(len(type_.strides), "stride"), counted(len(type_.shape), "mode")
        report.error("V11", where, f"{given} for {modes}").hint(
            "give one stride for each mode, or no strided<..> at all"
        )
        return
    for extent in (*type_.shape, *type_.strides):
        if extent is not None and extent < 0:
            report.error("V10", where, f"extent or stride {extent} is negative").hint("write a number, or `?`")
            return
    if 0 in type_.shape:
        report.warning("V10", where, f"mode {type_.shape.index(0)} has extent 0: the memref is empty").hint(
            "write `?` if the extent is known at run time only"
        )
    _strides(type_, where, report)
    _size(type_, where, report)


def _strides(type_: MemrefType, where: Location, report: Report) -> None:
    """S_0 >= 1 and S_i >= S_{i-1} s_{i-1}; a `?` stride is at least the product before it, a `?` extent at least 1.

    Behind an extent of 0 the default strides are 0.
    """
    least = 1
    for mode, (extent, stride) in enumerate(zip(type_.shape, type_.strides, strict=True)):
        if stride is not None and stride < least:
            finding = report.error(
                "V12", where, f"stride {stride} of mode {mode} is less than {least}, the span of the modes before it"
            )
            known = [s for s in type_.strides if s is not None]
            if len(known) > 1 and known != sorted(known) and stride < known[0]:
                finding.hint("the modes are in the wrong order: the first mode has the smallest stride; swap them")
            else:
                finding.hint(f"write a stride of at least {least}")
            return
        least = (least if stride is None else stride) * (1 if extent is None else extent)


def _size(type_: MemrefType, where: Location, report: Report) -> None:
    span = 1
    for extent, stride in zip(type_.shape, type_.strides, strict=True):
        span += (1 if extent is None else max(1, extent) - 1) * (1 if stride is None else stride)
    if span * type_.element.bytes >= _LIMIT:
        report.error("V13", where, "the memref has 2^63 bytes or more").hint("no memory is that large")


def _matrix(type_: CoopMatrixType, where: Location, report: Report, subgroup_size: int | None) -> None:
    rows, columns = type_.rows, type_.columns
    if not type_.element.is_number:
        report.error("V9", where, "a cooperative matrix holds numbers, not bool").hint("use i8")
    if rows <= 0 or columns <= 0:
        report.error("V15", where, f"a cooperative matrix of {rows} x {columns} has no elements").hint(
            "both numbers are at least 1"
        )
    elif rows & (rows - 1) and rows % (subgroup_size or _LEAST_SUBGROUP):
        multiple = "the subgroup size" if subgroup_size is None else f"{subgroup_size}, the subgroup size"
        report.error("V15", where, f"{rows} rows are neither a power of two nor a multiple of {multiple}").hint(
            f"use {1 << rows.bit_length()} rows, and checked loads and stores"
        )
    elif rows * columns > _MATRIX_LIMIT:
        report.error("V15", where, f"a cooperative matrix of {rows} x {columns} is too large for registers").hint(
            f"it has at most {_MATRIX_LIMIT} elements; split it"
        )
