"""A search around the model's schedule: one thing is changed at a time, and what is faster for certain is kept.

What could be changed the passes tell that chose it (`ir.schedules.Offers`), so that nothing here knows kernels or
machines. A candidate is compiled as if a user had asked for its schedule, and one that does not fit is refused by the
same checks. It is launched once, and its answer compared with the model's, before it is timed. Candidates and the best
so far run in turn; a candidate takes its place if the lower quartile of how many times as fast it was says so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from time import monotonic
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from tilewright.diagnostics import CompileError
from tilewright.diagnostics.caller_error import CallerError
from tilewright.ir.passes import InternalError
from tilewright.ir.schedules import Schedule, changed, parse_line
from tilewright.machine.cuda.driver import ModuleLoadError
from tilewright.machine.cuda.errors import DeviceFailed
from tilewright.runtime.errors import LaunchError
from tilewright.tuning.agreement import disagreement
from tilewright.tuning.arguments import Array
from tilewright.tuning.spread import Spread
from tilewright.tuning.timing import Candidate, Timer

_GLANCE: Final = 3
"""Rounds after which a candidate that is slower is left alone."""
_ROUNDS: Final = 15
_LAST_ROUNDS: Final = 31
_GAIN: Final = 1.01
"""Times as fast as the best so far that a candidate has to be."""
_HOPELESS: Final = 1.5
"""Times as long as the best so far that one launch may take."""


class DeviceLost(CallerError, RuntimeError):
    """A candidate has faulted; the device takes no more work from this process, and nothing is remembered."""


class Outcome(Enum):
    """What became of a candidate."""

    BETTER = "better"
    NOT_BETTER = "not better"
    REFUSED = "refused"
    SAME_CODE = "same code"
    FAILED = "failed"
    WRONG = "wrong"


class Trial(Struct, frozen=True):
    """A candidate: its schedule, what became of it, times the best so far's speed, and why it was not timed."""

    schedule: str
    outcome: Outcome
    ratio: Spread | None = None
    reason: str = ""


class Budget(Struct, frozen=True):
    """When a search ends: after so many candidates that were compiled, or seconds."""

    trials: int = 64
    seconds: float = 60.0


class Found(Struct, frozen=True):
    """What a search found: the schedules of the `model` and the `best`, `model_seconds` and `best_seconds` of a launch.

    `gain` is how many times as fast the best one is, by launches in turn; `trials` are all candidates, in order.
    """

    model: str
    best: str
    model_seconds: Spread
    best_seconds: Spread
    gain: Spread
    trials: tuple[Trial, ...]

    @property
    def wrong(self) -> tuple[Trial, ...]:
        """Candidates that failed, or gave another answer than the model's: mistakes of ours."""
        return tuple(trial for trial in self.trials if trial.outcome in (Outcome.WRONG, Outcome.FAILED))


class Compiler(Protocol):
    """A kernel by its schedule."""

    def candidate(self, schedule: str) -> Candidate:
        """Compiled as the line says, by the model if it is empty. Raises `CompileError` for one that does not fit."""
        ...

    def moves(self, schedule: str) -> Iterable[Schedule]:
        """What could be chosen instead of single things that the line says."""
        ...


class Search:
    """A search for one kernel. `told` is called with each trial and the part of the budget that is gone."""

    def __init__(
        self,
        compiler: Compiler,
        timer: Timer,
        budget: Budget,
        told: Callable[[Trial, float], None] = lambda trial, part: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._compiler, self._timer, self._budget, self._told, self._clock = compiler, timer, budget, told, clock
        self._begin = clock()
        self._trials: list[Trial] = []
        self._known: set[str] = set()
        self._codes: set[bytes] = set()

    def run(self, start: str = "") -> Found:
        """Search from a schedule, by default the model's.

        Raises what compiling and launching that one raises, and `DeviceLost`.
        """
        best = model = self._compiler.candidate(start)
        expected = self._timer.answer(model)
        self._known.add(model.schedule)
        self._codes.add(model.code)
        moves = deque(self._compiler.moves(model.schedule))
        while moves and self._part() < 1:
            wanted = str(changed(parse_line(best.schedule), moves.popleft()))
            if wanted in self._known:
                continue
            self._known.add(wanted)
            trial, candidate = self._tried(wanted, best, expected)
            self._trials.append(trial)
            self._told(trial, min(self._part(), 1.0))
            if candidate is not None:
                best = candidate
                # what was not better beside the last one may be beside this one, of whose code it would be another
                moves = deque(self._compiler.moves(best.schedule))
        return self._compared(model, best)

    def _part(self) -> float:
        """Of the budget that is gone."""
        measured = sum(trial.ratio is not None for trial in self._trials)
        return max(measured / self._budget.trials, (self._clock() - self._begin) / self._budget.seconds)

    def _tried(self, wanted: str, best: Candidate, expected: Sequence[Array]) -> tuple[Trial, Candidate | None]:
        """What becomes of a schedule, and what was compiled of it if it is better."""
        try:
            found = self._compiler.candidate(wanted)
        except CompileError as error:
            return Trial(wanted, Outcome.REFUSED, reason=error.diagnostics[0].message), None
        except InternalError as error:
            return Trial(wanted, Outcome.FAILED, reason=str(error)), None
        line = found.schedule
        self._known.add(line)
        if found.code in self._codes:
            return Trial(line, Outcome.SAME_CODE), None
        self._codes.add(found.code)
        try:
            return self._launched(found, best, expected)
        except LaunchError as error:
            return Trial(line, Outcome.REFUSED, reason=str(error)), None
        except ModuleLoadError as error:
            return Trial(line, Outcome.FAILED, reason=str(error)), None
        except DeviceFailed as error:
            raise DeviceLost(
                f"the kernel with the schedule {line!r}, which is tilewright's mistake: {error}"
            ) from error

    def _launched(self, found: Candidate, best: Candidate, expected: Sequence[Array]) -> tuple[Trial, Candidate | None]:
        """What becomes of what was compiled."""
        wrong = disagreement(self._timer.answer(found), expected)
        if wrong is not None:
            return Trial(found.schedule, Outcome.WRONG, reason=wrong), None
        ratio = self._ratio(best, found)
        if ratio.lower > _GAIN:
            return Trial(found.schedule, Outcome.BETTER, ratio), found
        return Trial(found.schedule, Outcome.NOT_BETTER, ratio), None

    def _ratio(self, best: Candidate, other: Candidate) -> Spread:
        """Times as fast as the best: in a few rounds if it is slower, in many if it may not be."""
        ratios: list[float] = []
        for number in range(_ROUNDS):
            before, now = self._round(best, other, number)
            ratios.append(before / now)
            found = Spread.of(ratios)
            if ratios[0] * _HOPELESS < 1 or (number + 1 == _GLANCE and found.upper < 1):
                break
        return Spread.of(ratios)

    def _round(self, one: Candidate, other: Candidate, number: int) -> tuple[float, float]:
        """Seconds of both, in another order each time."""
        if number % 2:
            last, first = self._timer.seconds(other), self._timer.seconds(one)
            return first, last
        return self._timer.seconds(one), self._timer.seconds(other)

    def _compared(self, model: Candidate, best: Candidate) -> Found:
        """The model's schedule and the best once more; the model's is the best unless the other one is faster."""
        times = [self._round(model, best, number) for number in range(_LAST_ROUNDS)]
        before = Spread.of([first for first, _ in times])
        found = Found(
            model.schedule,
            best.schedule,
            before,
            Spread.of([last for _, last in times]),
            Spread.of([first / last for first, last in times]),
            tuple(self._trials),
        )
        if best is model or found.gain.lower <= 1:
            return replace(found, best=found.model, best_seconds=before, gain=Spread(1.0, 1.0, 1.0))
        return found
