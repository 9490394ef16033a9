"""Passes and the pass manager: named steps over a module, with verification, timing, printing and reproducers."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct, field

from tilewright.diagnostics import CompileError, Report
from tilewright.ir.printer import print_op
from tilewright.ir.schedules import Offers
from tilewright.ir.verifier import verify

if TYPE_CHECKING:
    from tilewright.dialects.builtin import Module


class PassContext(Struct):
    """What passes share: where they report to the user, and to whom it tells them what they could have chosen.

    `again` makes the program as the pass that runs has got it, changed in front of each of the passes before; None if
    one of these finds errors then. There is no `again` where nobody knows what the program was made from.
    """

    report: Report = field(default_factory=Report)
    offers: Offers | None = None
    again: Callable[[Callable[[Module], None]], Module | None] | None = None


class Pass(Struct, frozen=True):
    """A step over a module. Subclasses are frozen structs whose fields are the options.

    `name` is the spelling on the command line; `run` changes the module in place.
    """

    name: ClassVar[str] = ""

    def run(self, module: Module, context: PassContext) -> bool | None:
        """Apply the pass. False says that the module is certainly what it was; None that the pass does not tell."""
        raise AssertionError(f"{type(self).__name__} does not implement run")

    def broken(self, module: Module) -> Sequence[str]:
        """What the pass promises of the module behind it and does not hold; asked where every pass is verified."""
        return ()

    def keeping_order(self) -> Pass:
        """The pass for programs whose sums of floats keep their order."""
        return self

    def __str__(self) -> str:
        options = {name: getattr(self, name) for name in self.__struct_fields__}
        text = " ".join(f"{k}={v}" for k, v in options.items() if isinstance(v, int | str | bool))
        return f"{self.name}{{{text}}}" if text else self.name


class InternalError(Exception):
    """tilewright is at fault: a pass failed or broke the IR. `reproducer` is a file that shows it, or None."""

    def __init__(self, message: str, reproducer: Path | None = None) -> None:
        super().__init__(message if reproducer is None else f"{message}; reproducer: {reproducer}")
        self.reproducer = reproducer


class PassTiming(Struct):
    """Wall-clock seconds of one run of a pass."""

    name: str
    seconds: float


class PassManager(Struct):
    """Runs passes in order.

    With `verify_each` the module is verified after every pass that may have changed it and after the last, and every
    pass is held to what it promises.
    `print_after` receives (pass name, text) after every pass, or with `only_changes` after those that changed the text.
    A pass that raises or breaks the IR ends in `InternalError`, and if the module can be made again (`remake`) with a
    reproducer in `reproducer_folder` (default: the temporary folder).
    """

    passes: Sequence[Pass]
    verify_each: bool = False
    print_after: Callable[[str, str], None] | None = None
    only_changes: bool = False
    remake: Callable[[], Module] | None = None
    reproducer_folder: Path | None = None
    timings: list[PassTiming] = field(default_factory=list[PassTiming])

    def run(self, module: Module, context: PassContext) -> None:
        """Run all passes; stops with `CompileError` after a pass that reported errors."""
        text = print_op(module) if self.only_changes else ""
        for index, step in enumerate(self.passes):
            self._run_one(index, step, module, context)
            context.report.raise_if_errors()
            if self.print_after is not None:
                after = print_op(module)
                if not (self.only_changes and after == text):
                    self.print_after(step.name, after)
                text = after

    def _run_one(self, index: int, step: Pass, module: Module, context: PassContext) -> None:
        start = time.perf_counter()
        context.again = None if self.remake is None else partial(self._again, index)
        try:
            changed = step.run(module, context)
        except (CompileError, InternalError, KeyboardInterrupt, MemoryError, RecursionError):
            raise
        except Exception as error:
            path = self._reproducer(index, f"{type(error).__name__}: {error}")
            raise InternalError(f"pass {step.name} failed: {type(error).__name__}: {error}", path) from error
        self.timings.append(PassTiming(step.name, time.perf_counter() - start))
        if self.verify_each and (changed is not False or index == len(self.passes) - 1):
            report = Report()
            if not verify(module, report):
                path = self._reproducer(index, str(report.diagnostics[0]))
                raise InternalError(f"pass {step.name} broke the IR: {report.diagnostics[0]}", path)
        if self.verify_each and (promises := step.broken(module)):
            raise InternalError(
                f"pass {step.name} broke its promise: {promises[0]}", self._reproducer(index, promises[0])
            )

    def _again(self, index: int, change: Callable[[Module], None] = lambda module: None) -> Module | None:
        """The module in front of pass `index`, made again and changed in front of each of the passes before it; None if
        one of them finds errors."""
        assert self.remake is not None
        module, context = self.remake(), PassContext()
        for step in self.passes[:index]:
            change(module)
            try:
                step.run(module, context)
                context.report.raise_if_errors()
            except CompileError:
                return None
        return module

    def _reproducer(self, index: int, reason: str) -> Path | None:
        """Write the module in front of pass `index`, made again by the passes before it."""
        if self.remake is None:
            return None
        # for what seldom happens: nothing that starts has to import it
        import tempfile

        from tilewright.version import __version__

        source = self._again(index)
        if source is None:
            return None
        rest = ",".join(p.name for p in self.passes[index:])
        reason = reason.replace("\n", " ")
        text = f"// tilewright {__version__}, Python {sys.version.split()[0]}\n// {reason}\n// passes: {rest}\n"
        try:
            folder = self.reproducer_folder or Path(tempfile.gettempdir())
            with tempfile.NamedTemporaryFile(
                "w", prefix="tilewright-", suffix=".twir", dir=folder, delete=False, encoding="utf-8"
            ) as file:
                file.write(text + print_op(source) + "\n")
        except OSError:
            return None
        return Path(file.name)
