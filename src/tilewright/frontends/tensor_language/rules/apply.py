"""Applies all rules to a module."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast

from tilewright.diagnostics import Report
from tilewright.dialects.builtin import Kernel, Module
from tilewright.frontends.tensor_language.rules import (
    collectives,
    loops,
    matrices,
    memory,
    overlap,
    regions,
    values,
    views,
    yields,
)
from tilewright.frontends.tensor_language.rules.kernels import check_kernel
from tilewright.frontends.tensor_language.rules.types import check_parameters, check_results
from tilewright.ir.core import Operation

Rule = Callable[[Any, Report], None]


@cache
def _table() -> dict[type[Operation], list[Rule]]:
    table: dict[type[Operation], list[Rule]] = {}
    for source in (values, memory, views, collectives, overlap, loops, yields, matrices):
        for cls, rule in source.rules().items():
            table.setdefault(cls, []).append(cast("Rule", rule))
    return table


@cache
def _rules(cls: type[Operation]) -> list[Rule]:
    """The rules for an operation and for the families that it belongs to."""
    return [rule for base in cls.__mro__ for rule in _table().get(cast("type[Operation]", base), ())]


def verify_language(module: Module, report: Report) -> None:
    """Report every violation of the language's rules.

    Rules of an operation run only if its operands have the declared kinds, so that one mistake is reported once.
    """
    for op in module.walk():
        if isinstance(op, Module):
            continue
        errors = report.errors
        if isinstance(op, Kernel):
            check_kernel(op, report)
            check_parameters(op, report)
        else:
            regions.check_kind(op, report)
            # An instruction in the wrong region may be wrong in itself as well.
            errors = report.errors
        check_results(op, report)
        if report.errors == errors:
            op.definition.check(op, report)
        for rule in _rules(type(op)):
            if report.errors == errors:
                rule(op, report)
