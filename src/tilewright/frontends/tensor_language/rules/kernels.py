"""Attributes of kernels and parameters, and the shape of the work-group (V16 to V18)."""

from __future__ import annotations

import math
from typing import cast

from tilewright.diagnostics import Location, Report
from tilewright.dialects.builtin import Kernel
from tilewright.frontends.tensor_language.rules.facts import counted
from tilewright.frontends.tensor_language.spelling import language_dictionary
from tilewright.frontends.tensor_language.vocabulary import PARAMETER_ATTRIBUTES, PARAMETER_PROMISES
from tilewright.ir.core import Attribute, BlockArgument
from tilewright.ir.types import Extent, GroupType, MemrefType

_SUBGROUP_SIZES = (1, 2, 4, 8, 16, 32, 64)
_MAX_WORK_GROUP = 4096


def check_kernel(kernel: Kernel, report: Report) -> None:
    """The function's own attributes and those of its parameters."""
    _work_group(kernel, report)
    for parameter in kernel.parameters:
        attributes = kernel.attributes_of(parameter)
        if not attributes:
            continue
        type_ = parameter.type
        if isinstance(type_, GroupType):
            type_ = type_.memref
        if not isinstance(type_, MemrefType):
            first = next(iter(language_dictionary(attributes, PARAMETER_ATTRIBUTES | PARAMETER_PROMISES)))
            where = kernel.place(f"{parameter.index}.{first}")
            report.error("V18", where, f"%{parameter.name} is {parameter.type} and has no attributes").label(
                parameter.location, "attributes belong to memrefs and groups"
            ).hint("drop them")
            continue
        _parameter(kernel, parameter, type_, attributes, report)


def _parameter(
    kernel: Kernel, parameter: BlockArgument, type_: MemrefType, attributes: dict[str, Attribute], report: Report
) -> None:
    def place(name: str) -> Location:
        return kernel.place(f"{parameter.index}.{name}")

    alignment = attributes.get("alignment")
    if "alignment" in attributes:
        check_alignment(alignment, type_, place("alignment"), report)
    for name in PARAMETER_PROMISES & attributes.keys():
        if not isinstance(attributes[name], bool):
            report.error("V16", place(name), f'"{name}" is true or false').hint(f'write "{name}"=true')
    for name, extents in (("shape_gcd", type_.shape), ("stride_gcd", type_.strides)):
        if name in attributes:
            _divisors(name, attributes[name], extents, place(name), report)


def check_alignment(value: Attribute, type_: MemrefType, where: Location, report: Report) -> bool:
    """A positive multiple of the element's size."""
    size = type_.element.bytes
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        report.error("V16", where, "alignment is a positive number of bytes").hint(f"the least is {size}")
        return False
    if value % size:
        report.error("V16", where, f"alignment {value} is no multiple of {size}, the bytes of {type_.element}").hint(
            f"write {-(-value // size) * size}"
        )
        return False
    return True


def _divisors(name: str, value: Attribute, extents: tuple[Extent, ...], where: Location, report: Report) -> None:
    entries = cast("tuple[object, ...]", value) if isinstance(value, tuple) else None
    if entries is None or not all(isinstance(e, int) and not isinstance(e, bool) and e > 0 for e in entries):
        report.error("V16", where, f"{name} is a list of positive integers").hint(f"for example {name}=[4]")
        return
    divisors = cast("tuple[int, ...]", entries)
    if len(divisors) > len(extents):
        report.error("V16", where, f"{name} has {len(divisors)} entries for {counted(len(extents), 'mode')}").hint(
            "one entry belongs to one mode; trailing ones may be left out"
        )
        return
    what = "extent" if name == "shape_gcd" else "stride"
    for mode, (divisor, extent) in enumerate(zip(divisors, extents, strict=False)):
        if extent is not None and extent % divisor:
            report.error(
                "V16", where, f"{name} says {divisor}, which does not divide {what} {extent} of mode {mode}"
            ).hint(f"{name} states divisors of {what}s that are known; {math.gcd(divisor, extent)} is one")


def _work_group(kernel: Kernel, report: Report) -> None:
    size = kernel.attributes.get("subgroup_size")
    shape = kernel.attributes.get("work_group_size")
    where = kernel.place("subgroup_size")
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size not in _SUBGROUP_SIZES):
        whole = isinstance(size, int) and not isinstance(size, bool)
        message = f"no target has subgroups of {size}" if whole else "subgroup_size is an integer"
        report.error("V17", where, message).hint("there are " + ", ".join(map(str, _SUBGROUP_SIZES)))
        return
    if shape is None:
        return
    where = kernel.place("work_group_size")
    entries = cast("tuple[object, ...]", shape) if isinstance(shape, tuple) else ()
    if len(entries) != 2 or not all(isinstance(e, int) and not isinstance(e, bool) and e >= 1 for e in entries):
        report.error("V17", where, "work_group_size is a list of two positive integers, rows and columns").hint(
            "for example work_group_size=[64,1]"
        )
        return
    m, n = cast("tuple[int, int]", entries)
    if m * n > _MAX_WORK_GROUP:
        report.error("V17", where, f"a work-group of {m} x {n} has {m * n} work-items").hint(
            f"no target takes more than {_MAX_WORK_GROUP}"
        )
    elif isinstance(size, int) and m % size:
        report.error("V17", where, f"{m} rows of work-items are no multiple of the subgroup size {size}").label(
            kernel.place("subgroup_size"), "given here"
        ).hint(f"use {-(-m // size) * size} rows")
