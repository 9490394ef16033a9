"""Launches that are refused unless they have maps of matrices (`maps=yes`): what the tests of `matrices` would ask.

before:  kernel (%a: memref<f16x?x?,strided<1,?>>) {schedule = "maps=yes"}
after:   kernel (%a: memref<..> {alignment = 16, stride_gcd = [1, 8]}) {launch_constraints = [1 <= extent 0 of %a, ..]}

A launch compares these once for each set of sizes, and the kernel has no second way for matrices without maps. ptxas
keeps less in registers then, more of it in uniform ones: a product of f16 by tiles of 128 x 64 takes 94 for 216.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, cast

from tilewright.artifacts.constraint_codec import constraint_to_json
from tilewright.artifacts.constraints import Constraint, Origin, Polynomial, WithinExtent
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Attribute, BlockArgument
from tilewright.ir.types import MemrefType
from tilewright.machine.cuda.tensor_maps import MAP_UNIT, MOST_EXTENT, PITCH_LIMIT
from tilewright.transforms.schedule.products.matrices import Matrix, Number, Passed

_OF_MEMREFS: Final = (Origin.EXTENT, Origin.STRIDE)
_ONE: Final = Polynomial.constant(1)


def demand_map(kernel: Kernel, matrix: Matrix) -> bool:
    """Have launches refused that have no map of a matrix; False if what they compare does not tell."""
    numbers = (*matrix.all_extents, *matrix.all_strides)
    if not isinstance(matrix.origin.parameter.type, MemrefType):
        return False
    if any(isinstance(number, Passed) and number.origin not in _OF_MEMREFS for number in numbers):
        return False
    _declare(kernel, matrix.origin.parameter, alignment=MAP_UNIT)
    for stride in matrix.all_strides:
        if isinstance(stride, Passed):
            _declare(kernel, stride.parameter, stride=(stride.mode, MAP_UNIT // matrix.element.bytes))
    found = cast("tuple[Attribute, ...]", tuple(map(constraint_to_json, _constraints(matrix))))
    kernel.launch_constraints += tuple(each for each in found if each not in kernel.launch_constraints)
    return True


def _declare(
    kernel: Kernel, parameter: BlockArgument, *, alignment: int = 1, stride: tuple[int, int] | None = None
) -> None:
    """What divides the address of a parameter, and the stride of a mode, beside what is declared of it."""
    every = [dict(kernel.attributes_of(each)) for each in kernel.parameters]
    mine = every[parameter.index]
    before = mine.get("alignment")
    mine["alignment"] = math.lcm(alignment, before if isinstance(before, int) else 1)
    if stride is not None:
        type_, declared = parameter.type, mine.get("stride_gcd")
        assert isinstance(type_, MemrefType)
        known = cast("tuple[int, ...]", declared) if isinstance(declared, tuple) else (1,) * len(type_.strides)
        mode, divisor = stride
        mine["stride_gcd"] = tuple(math.lcm(each, divisor) if k == mode else each for k, each in enumerate(known))
    kernel.parameter_attributes = tuple(every)


def _constraints(matrix: Matrix) -> Iterator[Constraint]:
    """What numbers a map has room for, and that rows do not overlap."""
    limits = [(number, MOST_EXTENT) for number in matrix.all_extents]
    limits += [(number, (PITCH_LIMIT - 1) // matrix.element.bytes) for number in matrix.all_strides]
    for number, most in limits:
        if isinstance(number, Passed):
            # from 1 on
            yield _within(number, _polynomial(number) - _ONE, _ONE, Polynomial.constant(most))
    row, pitch = matrix.extents[0], matrix.stride
    if row != pitch and (isinstance(row, Passed) or isinstance(pitch, Passed)):
        yield _within(row, Polynomial(), _polynomial(row), _polynomial(pitch))


def _polynomial(number: Number) -> Polynomial:
    return Polynomial.constant(number) if isinstance(number, int) else Polynomial.quantity(number.quantity)


def _within(number: Number, first: Polynomial, count: Polynomial, extent: Polynomial) -> Constraint:
    said = str(number) if isinstance(number, int) else str(number.quantity)
    return WithinExtent(f"what the machine can copy, of {said}", "maps=yes", first, count, extent)
