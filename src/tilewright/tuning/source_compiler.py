"""Candidates of a search from the source of their kernel."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from tilewright.api import compile
from tilewright.compile_options import CompileOptions
from tilewright.compiler import offers_of
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.ir.schedules import Schedule
from tilewright.program import Program
from tilewright.targets import find_scheduled
from tilewright.targets.target import TunedTarget
from tilewright.tuning.timing import Candidate


def by_schedule(source: Source | Binary, target: str, options: CompileOptions, schedule: str) -> Program:
    """A program as a schedule says, as the model's does if it is empty, whatever is remembered.

    Raises what `compile` raises.
    """
    return compile(
        source,
        target=target,
        level=options.level,
        definitions=options.definitions,
        reorder_sums=options.reorder_sums,
        precision=options.precision.value,
        std=options.std,
        language_options=options.chosen,
        schedule=schedule,
    )


class SourceCompiler(Struct, frozen=True):
    """One kernel of a program, compiled for a target; the others of the program as the model has them."""

    source: Source | Binary
    name: str
    is_only_one: bool
    target: str
    options: CompileOptions

    def candidate(self, schedule: str) -> Candidate:
        """The kernel by its schedule, the model's if it is empty. Raises `CompileError` for one that does not fit."""
        request = self._request(schedule)
        program = by_schedule(self.source, self.target, self.options, request)
        machine = find_scheduled(self.target, None, request)
        assert isinstance(machine, TunedTarget)
        kernel = program[self.name]
        return Candidate(kernel, machine.said(kernel.schedule), program.artifact.payload)

    def moves(self, schedule: str) -> Iterable[Schedule]:
        """What passes offer instead of what the schedule has."""
        machine = find_scheduled(self.target, None, self._request(schedule))
        return offers_of(self.source, machine, self.options, Report()).of.get(self.name, {})

    def _request(self, schedule: str) -> str:
        """As `compile` takes it: tiles can be asked for only where the kernel has no other beside it."""
        return schedule if self.is_only_one or not schedule else f"{self.name}: {schedule}"
