"""How much a launch computes and moves, where the operations of its kernel tell.

They tell in kernels of collectives: `gemm` and its like on memrefs whose extents follow from the arguments, in loops
whose trips are known. What work-items do one by one (`parallel`, `foreach`, loads and stores of elements), what is done
on a condition, and Tile IR are not counted: such kernels have no figures rather than wrong ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Final, cast

import numpy as np
from msgspec import Struct

from tilewright.dialects import arith, memref, scf, team, tl
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Block, BlockArgument, Operation, Value
from tilewright.ir.definition import PURE
from tilewright.ir.effects import EffectKind
from tilewright.ir.types import AddressSpace, GroupType, MemrefType

Shape = tuple[int, ...]

_SKIPPED: Final = (memref.Alloca, memref.LifetimeStop, scf.Yield, team.Barrier)
_COMPLEX_PRODUCT: Final = 6
_COMPLEX_SUM: Final = 2


class Work(Struct, frozen=True):
    """What a launch does: floating-point operations, and bytes of global memory that are read and written.

    Operations are products of elements and additions of terms, 2 m n k for a `gemm`; scaling by alpha and beta is not
    counted. Memory that a work-group reads, or writes, several times counts once, and so does for the whole launch what
    is the same for all work-groups.
    """

    operations: int
    bytes: int


class _Untold(Exception):
    """Something whose work is not known."""


def work_of(kernel: Kernel, arguments: Mapping[str, object], groups: int) -> Work | None:
    """The work of a launch of a kernel in the tensor language on `groups` work-groups; None if it cannot be told."""
    counter = _Counter(arguments, groups)
    try:
        counter.block(kernel.body.entry, 1)
    except _Untold:
        return None
    return counter.work()


class _Counter:
    def __init__(self, arguments: Mapping[str, object], groups: int) -> None:
        self._arguments = arguments
        self._groups = groups
        self._operations = 0
        self._numbers: dict[Value, int] = {}
        self._shapes: dict[Value, Shape] = {}
        self._runs: dict[Value, int] = {}
        """How often a launch computes a value that is not the same for all of it."""
        self._moved: dict[tuple[Value, bool], int] = {}

    def work(self) -> Work:
        """What was counted."""
        return Work(self._operations * self._groups, sum(self._moved.values()))

    def block(self, block: Block, times: int) -> None:
        """Count a block that each work-group runs `times` times."""
        for op in block:
            if isinstance(op, scf.For):
                self._loop(op, times)
            elif isinstance(op, tl.Collective):
                self._operations += times * self._computed(op)
                self._move(op)
            elif PURE in op.definition.traits and not op.regions:
                self._note(op, times)
            elif not isinstance(op, _SKIPPED):
                raise _Untold

    def _loop(self, op: scf.For, times: int) -> None:
        lower, upper = self._number(op.lower), self._number(op.upper)
        trips = len(range(lower, upper, 1 if op.step is None else self._number(op.step)))
        for value in op.body.entry.arguments:
            self._runs[value] = self._groups * times * trips
        self.block(op.body.entry, times * trips)

    def _note(self, op: Operation, times: int) -> None:
        """Remember what later operations ask of a value."""
        own = [self._groups * times] if isinstance(op, team.GroupId) else []
        runs = max([*own, *(self._runs[v] for v in op.operands if v in self._runs)], default=0)
        for value in op.results:
            if runs:
                self._runs[value] = runs
            if isinstance(op, arith.Constant) and isinstance(op.value, int):
                self._numbers[value] = op.value
            elif isinstance(op, memref.Size) and isinstance(op.source.type, MemrefType):
                self._numbers[value] = self._shape(op.source)[op.mode]
            elif isinstance(op, memref.Subview):
                kept = (size for size in op.mixed_sizes if size != 0)
                self._shapes[value] = tuple(self._number(s) if isinstance(s, Value) else s for s in kept)

    def _number(self, value: Value) -> int:
        if value not in self._numbers:
            raise _Untold
        return self._numbers[value]

    def _shape(self, value: Value) -> Shape:
        type_ = value.type
        assert isinstance(type_, MemrefType)
        known = tuple(extent for extent in type_.shape if extent is not None)
        if len(known) == len(type_.shape):
            return known
        if value not in self._shapes:
            self._shapes[value] = self._argument_shape(value)
        return self._shapes[value]

    def _argument_shape(self, value: Value) -> Shape:
        """The extents of an array, or of the arrays of a group, which `bench` makes alike."""
        op = value.defining_op
        parameter = op.group if isinstance(op, memref.GroupLoad) else value
        if not isinstance(parameter, BlockArgument):
            raise _Untold
        argument = self._arguments.get(parameter.name or "")
        if isinstance(parameter.type, GroupType):
            argument = next(iter(cast("Sequence[object]", argument)), None)
        if argument is None:
            raise _Untold
        return np.asarray(argument).shape

    def _computed(self, op: Operation) -> int:
        """Operations on floats of a collective: those of a term for each product or sum."""
        target = op.operands[-1]
        assert isinstance(target.type, MemrefType)
        element = target.type.element
        if element.is_integer:
            return 0
        product, addition = (_COMPLEX_PRODUCT, _COMPLEX_SUM) if element.is_complex else (1, 1)
        match op:
            case tl.Gemm() | tl.Gemv():
                transposed = op.transpose_a if isinstance(op, tl.Gemm) else op.transpose
                terms = self._shape(op.a)[0 if transposed else 1]
                return prod(self._shape(target)) * terms * (product + addition)
            case tl.Contract():
                rows, *_ = op.groups
                return prod(self._shape(target)) * prod(self._shape(op.a)[rows:]) * (product + addition)
            case tl.Ger() | tl.Hadamard():
                return prod(self._shape(target)) * product
            case tl.Sum() | tl.Cumsum():
                return prod(self._shape(op.a)) * addition
            case _:
                return prod(self._shape(target)) * addition

    def _move(self, op: Operation) -> None:
        for effect in op.effects() or ():
            value = effect.value
            if value is None or not isinstance(value.type, MemrefType) or value.type.space is AddressSpace.LOCAL:
                continue
            size = prod(self._shape(value)) * value.type.element.bytes * self._runs.get(value, 1)
            if effect.kind in (EffectKind.READ, EffectKind.UPDATE):
                self._moved[value, False] = size
            if effect.kind in (EffectKind.WRITE, EffectKind.UPDATE):
                self._moved[value, True] = size
