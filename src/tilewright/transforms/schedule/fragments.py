"""Fragments of one number, and choices between fragments."""

from __future__ import annotations

from tilewright.dialects import lane
from tilewright.dialects.arith import Select
from tilewright.dialects.builder import Builder
from tilewright.dialects.lane import fragment_of
from tilewright.ir.core import Value
from tilewright.ir.types import BOOL, FragmentType
from tilewright.transforms.emit import scalar_type


def splat(build: Builder, value: Value, size: int) -> Value:
    """So many registers that hold a scalar."""
    return build(lane.Fill(value, result_types=[FragmentType(size, scalar_type(value.type))])).out


def either(build: Builder, condition: Value, on_true: Value, on_false: Value) -> Value:
    """One fragment or the other: in all registers alike for a bool, in each by its own for a fragment of them."""
    if condition.type is BOOL:
        condition = splat(build, condition, fragment_of(on_true).size)
    return build(Select(condition, on_true, on_false)).out
