"""What the compiler asks of a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from tilewright.numerics.precision import Precision

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilewright.artifacts.artifact import Artifact
    from tilewright.diagnostics import Report
    from tilewright.dialects.builtin import Module
    from tilewright.ir.passes import Pass
    from tilewright.settings.product_units import Unit


class Target(Protocol):
    """A machine that kernels are compiled for."""

    can_check: ClassVar[bool]
    """Whether there is a way to code that tests what it accesses."""

    @property
    def name(self) -> str:
        """`cpu`, `nvidia`, .."""
        ...

    def fingerprint(self) -> str:
        """Everything about the machine and its code generator that code depends on; part of cache keys."""
        ...

    def passes(self, level: int, checked: bool = False, precision: Precision = Precision.EXACT) -> list[Pass]:
        """The way from a verified program to the tiles that `generate` takes; 0 optimises nothing, 2 everything.

        `checked` only where the target can. `precision` says in what products of f32 will multiply.
        """
        ...

    def generate(self, module: Module, report: Report, level: int = 2) -> Artifact:
        """Code for all kernels of the module; what the machine cannot do is reported.

        `level` is the one that `passes` was given: 0 may trade the speed of the code for that of compiling it.
        """
        ...


@runtime_checkable
class HasLevels(Protocol):
    """A target whose passes go through levels that can be read one by one."""

    levels: ClassVar[Mapping[str, str]]
    """For each level, in order, the pass that takes it to the next; the last one is a text of the artefact."""


class Explanation(Protocol):
    """What is told of a kernel; as text it is for reading."""

    def __str__(self) -> str:
        """All of it, with line breaks."""
        ...


@runtime_checkable
class ExplainingTarget(Target, Protocol):
    """A target that tells what its kernels do with the machine."""

    def explain(self, module: Module, artifact: Artifact) -> Mapping[str, Explanation]:
        """By kernel, of a module behind all passes and what was generated from it."""
        ...


@runtime_checkable
class TakesSchedules(Protocol):
    """A target whose kernels run as a caller's schedule says."""

    def scheduled(self, text: str) -> Target:
        """The same with schedules asked for. Raises `CompileError`, with places in the text, for what is none."""
        ...


@runtime_checkable
class TunedTarget(Target, TakesSchedules, Protocol):
    """A target for whose machines schedules are found by trying."""

    @property
    def variant(self) -> str:
        """What its code is for: `nvidia:sm_90a`."""
        ...

    def device(self, ordinal: int = 0) -> str:
        """The machine at hand that runs its code, of several devices that of a number; empty if there is none:
        `NVIDIA H200`."""
        ...

    def said(self, schedule: str) -> str:
        """What `Kernel.schedule` tells of a kernel, as a line that gives the same code again."""
        ...


@runtime_checkable
class UsesUnits(Protocol):
    """A target whose products may use units of the processor."""

    def using(self, units: frozenset[Unit]) -> Target:
        """The same with other units permitted."""
        ...
