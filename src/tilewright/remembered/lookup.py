"""The schedules that a compilation takes from files: those of the same kernels, machine and options."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from tilewright.artifacts.artifact import Artifact
from tilewright.artifacts.parameters import SCHEDULE, KernelInfo
from tilewright.compile_options import CompileOptions
from tilewright.diagnostics import CompileError, Report, Source, SourceRange
from tilewright.diagnostics.binary import Binary
from tilewright.diagnostics.caller_error import CallerError
from tilewright.files import FilePath
from tilewright.remembered.record import Entry, entries_in, read_record
from tilewright.settings.config import current
from tilewright.targets import ScheduleElsewhere
from tilewright.targets.target import TakesSchedules, Target, TunedTarget

_SUFFIX: Final = ".tune.toml"
OFF: Final = "off"
MISFIT: Final = "T009"
"""The code of schedules that do not fit."""
_Result = TypeVar("_Result")


class ScheduledTwice(CallerError, ValueError):
    """A schedule was given, and a file to take schedules from."""


class Remembered(Struct, frozen=True):
    """Schedules by kernel, and what is said of each; `unfit` are those that cannot be taken, with the reason.

    `is_alone` says that the program has one kernel.
    """

    lines: Mapping[str, str]
    notes: Mapping[str, str]
    unfit: Mapping[str, str]
    is_alone: bool

    @property
    def request(self) -> str:
        """As `compile` takes it, a line a kernel; of a kernel alone a line may ask for more."""
        return "\n".join(line if self.is_alone else f"{name}: {line}" for name, line in self.lines.items())

    def __str__(self) -> str:
        """All that an artefact may depend on."""
        said = [f"{name}: {line} # {self.notes[name]}" for name, line in self.lines.items()]
        return "\n".join([*said, *(f"{name}: # {reason}" for name, reason in self.unfit.items())])

    def kernel_at(self, place: SourceRange | None) -> str | None:
        """Whose line of the request a finding is about."""
        if place is None:
            return None
        names = list(self.lines)
        number = place.source.text.count("\n", 0, place.start)
        return names[number] if place.source.text == self.request and number < len(names) else None

    def without(self, kernels: Iterable[str], reason: str) -> Remembered:
        """The same but for kernels whose schedules turned out not to fit."""
        gone = dict.fromkeys(kernels, reason)
        lines = {name: line for name, line in self.lines.items() if name not in gone}
        return Remembered(lines, self.notes, {**self.unfit, **gone}, self.is_alone)

    def noted(self, artifact: Artifact) -> Artifact:
        """The artefact whose kernels say what was taken from files and what was not."""
        notes = {name: self.notes[name] for name in self.lines} | dict(self.unfit)
        infos = tuple(_noted(info, notes[info.name]) if info.name in notes else info for info in artifact.kernels)
        return replace(artifact, kernels=infos)


def _noted(info: KernelInfo, note: str) -> KernelInfo:
    """A kernel that tells a note, as what is for arrays that lie apart does instead if there is that."""
    from tilewright.ir.schedules import with_note

    if info.apart is not None:
        return replace(info, apart=_noted(info.apart, note))
    return replace(info, facts={**info.facts, SCHEDULE: with_note(info.facts.get(SCHEDULE, ""), note)})


def users_record() -> Path | None:
    """The user's file, as the setting `tuned` has it; None if schedules are not to be remembered."""
    said = current().tuned
    if said == OFF:
        return None
    return Path(said) if said is not None else _users_folder() / "tuned.toml"


def _users_folder() -> Path:
    # as for the cache: the plain case of Linux without an import
    base = os.environ.get("XDG_DATA_HOME", "") or os.path.join(os.environ.get("HOME", ""), ".local", "share")
    if sys.platform == "linux" and base.startswith("/"):
        return Path(base) / "tilewright"
    import platformdirs

    return Path(platformdirs.user_data_dir("tilewright", appauthor=False))


def shipped_record(source: Source | Binary) -> Path:
    """The file beside a source: `kernel.tune.toml` for `kernel.tl`."""
    return Path(os.path.splitext(source.name)[0] + _SUFFIX)


def remembered(
    source: Source | Binary, target: TunedTarget, options: CompileOptions, given: FilePath | None
) -> Remembered | None:
    """What files say of the kernels of a program for a target; None if that is nothing.

    The user's file wins over the one beside the source. A file that is `given` takes the place of both, and raises
    OSError if it cannot be read, ValueError if it is none.
    """
    if given is not None:
        files: Sequence[Sequence[Entry]] = [read_record(Path(given))]
    else:
        own = users_record()
        files = [] if own is None else [entries_in(own), entries_in(shipped_record(source))]
    content = source.data if isinstance(source, Binary) else source.text.encode(errors="surrogatepass")
    near = [
        [entry for entry in entries if entry.target == target.variant and entry.name.encode() in content]
        for entries in files
    ]
    if not any(near):
        return None
    return _chosen(source, target, options, near)


def _chosen(
    source: Source | Binary, target: TunedTarget, options: CompileOptions, files: Sequence[Sequence[Entry]]
) -> Remembered | None:
    from tilewright.compiler import read_module
    from tilewright.ir.schedules import ScheduleError, parse_line
    from tilewright.remembered.fingerprint import fingerprints

    try:
        programs = fingerprints(read_module(source, Report(), options.reading), options)
    except CompileError:
        # told, with what else is wrong, when it is compiled
        return None
    device = target.device()
    found: dict[str, Entry] = {}
    for entries in reversed(files):
        for name, program in programs.items():
            fitting = [e for e in entries if e.program == program and (not device or e.device == device)]
            if fitting:
                # sizes are not known yet: what takes longest is worth most
                found[name] = max(fitting, key=lambda entry: (entry.model_us, entry.date))
    if not found:
        return None
    lines, notes, unfit = dict[str, str](), dict[str, str](), dict[str, str]()
    for name, entry in found.items():
        try:
            lines[name] = str(replace(parse_line(entry.schedule), reason=""))
            notes[name] = _note(entry)
        except ScheduleError as error:
            unfit[name] = _unfit(str(error))
    return Remembered(lines, notes, unfit, len(programs) == 1)


def _note(entry: Entry) -> str:
    gain = "nothing was faster" if entry.schedule == entry.model else f"{entry.gain:.2f} times the model's speed"
    return _plain(f"tuned on {entry.device} for {entry.arguments}: {gain}")


def _unfit(reason: str) -> str:
    return _plain(f"its remembered schedule is not taken: {reason}")


def _plain(said: str) -> str:
    """As it may stand behind a schedule."""
    return said.replace(";", ",").replace("\n", " ").replace("#", "")


class TakenSchedules(Struct, frozen=True):
    """A target with what files say of a program's kernels, if they do."""

    target: Target
    found: Remembered | None

    def __str__(self) -> str:
        return "" if self.found is None else str(self.found)

    def by(self, act: Callable[[Target, Report], _Result], report: Report) -> _Result:
        """Do something with the target as files have it, as far as that fits. Raises what acting raises."""
        return act(self.target, report) if self.found is None else self._tried(self.found, act, report)[0]

    def noted(self, compiled: Callable[[Target, Report], Artifact], report: Report) -> Artifact:
        """An artefact whose kernels say what was taken from files and what was not. Raises what compiling raises."""
        if self.found is None:
            return compiled(self.target, report)
        artifact, left = self._tried(self.found, compiled, report)
        return left.noted(artifact)

    def _tried(
        self, found: Remembered, act: Callable[[Target, Report], _Result], report: Report
    ) -> tuple[_Result, Remembered]:
        """What acting gives without schedules that turn out not to fit, and which are left.

        A finding that is of no schedule may come of one: if it does not stay without them, they did not fit.
        """
        assert isinstance(self.target, TakesSchedules)
        while found.lines:
            attempt = Report()
            try:
                result = act(self.target.scheduled(found.request), attempt)
                report.take(attempt)
                return result, found
            except CompileError as error:
                first = error.diagnostics[0]
                misfit = found.kernel_at(first.location.primary) if first.code == MISFIT else None
                found = found.without([misfit] if misfit is not None else [*found.lines], _unfit(first.message))
        return act(self.target, report), found


def taken_schedules(
    source: Source | Binary, target: Target, options: CompileOptions, given: FilePath | None, *, asked: bool
) -> TakenSchedules:
    """What a compilation takes from files: nothing if schedules are `asked` for.

    The file `given` takes the place of the user's and the one beside the source. Raises OSError if it cannot be read,
    `NoRecord` if it is none, `ScheduledTwice` if schedules are asked for, too, `ScheduleElsewhere` for targets without.
    """
    if given is not None and asked:
        raise ScheduledTwice(
            "schedules are given, or taken from a file: schedule and tuned are not for one compilation"
        )
    if not isinstance(target, TunedTarget):
        if given is not None:
            raise ScheduleElsewhere(f"target {target.name!r} takes no schedules")
        return TakenSchedules(target, None)
    return TakenSchedules(target, None if asked else remembered(source, target, options, given))
