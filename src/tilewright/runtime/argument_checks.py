"""The arguments of a kernel's launches: how many there are, whether each fits its parameter, what overlaps.

Work-group memory (`local` memref parameters) is not the caller's to give: such parameters take no argument, though None
is accepted in their place if all parameters are given one. Nor is memory that launches make, which comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from tilewright.artifacts.artifact import (
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    Parameter,
    PointerParameter,
    ScalarParameter,
)
from tilewright.artifacts.parameters import is_local, made_extents
from tilewright.runtime.aliasing import AliasCheck
from tilewright.runtime.binders import Binder, memref_binder, pointer_binder
from tilewright.runtime.constraint_check import ConstraintCheck
from tilewright.runtime.errors import LaunchError, LaunchTypeError
from tilewright.runtime.grid import Extents
from tilewright.runtime.groups import group_binder
from tilewright.runtime.scalars import ScalarBinder, SlotValue, scalar_binder
from tilewright.runtime.workspaces import Workspaces

BinderOf: TypeAlias = Callable[[KernelInfo, Parameter], Binder]


class ArgumentChecks:
    """Checks made once for a kernel; `passed` are the parameters that take an argument, `constraints` compares sizes.

    `binder` makes the check of one argument; `workspaces` are the memory that launches make. Raises `LaunchError` for
    local memory of unknown size.
    """

    def __init__(self, info: KernelInfo, binder: BinderOf | None = None) -> None:
        for parameter in info.parameters:
            _refuse_open_local(info, parameter)
        self._info = info
        self.passed = info.passed
        self._binders = [(binder or argument_binder)(info, p) for p in self.passed]
        self._aliases = AliasCheck.of(info.name, self.passed)
        self.constraints = ConstraintCheck.of(info)
        self.workspaces = Workspaces.of(info)

    def values(self, arguments: Sequence[object], grid: Extents) -> tuple[list[SlotValue], list[object]]:
        """The values of the slots, and what must outlive the launch on this grid; memory that it makes has no address
        yet. Raises `LaunchError`."""
        if len(arguments) != len(self._binders):
            arguments = self.without_local(arguments)
        values: list[SlotValue] = []
        keep: list[object] = []
        for bind, argument in zip(self._binders, arguments, strict=True):
            values += bind(argument, keep)
        if self.workspaces is not None:
            values += self.workspaces.slots(values)
        if self._aliases is not None:
            self._aliases.check(arguments)
        if self.constraints is not None:
            self.constraints.check(values, grid)
        return values, keep

    def without_local(self, arguments: Sequence[object]) -> Sequence[object]:
        """One argument for each of `passed`. Raises `LaunchTypeError` if there are too many or too few."""
        if len(arguments) == len(self.passed):
            return arguments
        parameters = [parameter for parameter in self._info.parameters if not made_extents(parameter)]
        if len(arguments) == len(parameters):
            pairs = list(zip(parameters, arguments, strict=True))
            if all(argument is None for parameter, argument in pairs if is_local(parameter)):
                return [argument for parameter, argument in pairs if not is_local(parameter)]
        wanted = ", ".join(f"{p.name}: {_kind(p)}" for p in self.passed)
        raise LaunchTypeError(
            f"kernel {self._info.name} takes {len(self.passed)} arguments ({wanted}), {len(arguments)} were given"
        )


def argument_binder(info: KernelInfo, parameter: Parameter, *, reverse: bool = False) -> Binder:
    """Checks an argument in this machine's memory and turns it into slot values; `reverse` turns modes around."""
    where = f"kernel {info.name}, argument {parameter.name}"
    match parameter:
        case ScalarParameter():
            return partial(_bind_scalar, scalar_binder(parameter.dtype, where))
        case MemrefParameter():
            return memref_binder(parameter, where, reverse=reverse)
        case PointerParameter():
            return pointer_binder(parameter, where)
        case GroupParameter():
            return group_binder(parameter, where, reverse=reverse)


def _bind_scalar(bind: ScalarBinder, argument: object, _keep: list[object]) -> tuple[SlotValue, ...]:
    return bind(argument)


def _kind(parameter: Parameter) -> str:
    match parameter:
        case ScalarParameter():
            return parameter.dtype
        case MemrefParameter():
            return "memref"
        case GroupParameter():
            return "group"
        case PointerParameter():
            return f"pointer to {parameter.dtype}"


def _refuse_open_local(info: KernelInfo, parameter: Parameter) -> None:
    if not (isinstance(parameter, MemrefParameter) and is_local(parameter)):
        return
    if None in (*parameter.shape, *parameter.strides):
        raise LaunchError(
            f"kernel {info.name}, parameter {parameter.name}: local memory of unknown size cannot be reserved by a "
            f"launch; give it static extents and strides"
        )
