"""`tilewright.compile`: the front door."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

from tilewright.cache.key import cache_key
from tilewright.compile_options import CompileOptions
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary, bytes_of
from tilewright.frontends.reading import read_source_file
from tilewright.frontends.recognise import is_bytecode
from tilewright.languages import Form, ReadOptions, Std, check_choices, language_of
from tilewright.numerics.precision import Precision
from tilewright.program import PassChange, Program, load_artifact
from tilewright.remembered.lookup import taken_schedules
from tilewright.settings.config import current
from tilewright.settings.option_kinds import check_flag, check_text, check_texts_by_name
from tilewright.settings.product_units import Unit, read_units
from tilewright.targets import ScheduleElsewhere, find_scheduled
from tilewright.targets.target import ExplainingTarget, HasLevels

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from tilewright.artifacts.artifact import Artifact
    from tilewright.diagnostics import Diagnostic
    from tilewright.files import FilePath
    from tilewright.remembered.lookup import TakenSchedules
    from tilewright.targets.target import Explanation, Target

KernelSource: TypeAlias = "str | os.PathLike[str] | ReadableBuffer | Source | Binary"


def source_of(kernel: KernelSource) -> Source | Binary:
    """A kernel given as text or in a buffer, or read from a path (an object, or a string without line break and brace).

    Bytes, in a file or not, are bytecode if they begin as such, and UTF-8 text otherwise. The byte order mark that some
    editors write is no part of a text. Raises OSError if the file cannot be read.
    """
    if isinstance(kernel, Source | Binary):
        return kernel
    if not isinstance(kernel, str | os.PathLike):
        return from_bytes("<bytes>", bytes_of(kernel, "a kernel that is no text and no path"))
    if isinstance(kernel, str) and ("\n" in kernel or "{" in kernel or not kernel.strip()):
        return Source("<string>", kernel.removeprefix("\ufeff"))
    path = Path(kernel)
    return from_bytes(str(path), read_source_file(path, str(path)))


def from_bytes(name: str, data: bytes) -> Source | Binary:
    """The content of a file: bytecode, or text. Bytes that are no UTF-8 become visible characters, which lexers refuse
    with their place."""
    if is_bytecode(data):
        return Binary(name, data)
    text = data.decode("utf-8-sig", errors="replace")
    return Source(name, text.replace("\r\n", "\n").replace("\r", "\n"))


_TERMS_OF_UNITS: Final = 256
"""That the interpreter sums as units do before it adds what was there: what code for CPUs makes one run in any case."""


def text_of(source: Source | Binary) -> str:
    """A kernel as it was written, or what its bytecode says."""
    if isinstance(source, Source):
        return source.text
    language = language_of(source)
    return language.translate(language.read(source, Report(), ReadOptions()), Form("text")).decode()


def compile(
    kernel: KernelSource,
    *,
    target: str = "cpu",
    level: int = 2,
    definitions: Mapping[str, str] | None = None,
    checked: bool = False,
    reorder_sums: bool = True,
    precision: str = "exact",
    cache: bool = True,
    std: Std = "auto",
    units: str | None = None,
    language_options: Mapping[str, str] | None = None,
    stages: str | None = None,
    schedule: str | None = None,
    tuned: FilePath | None = None,
) -> Program:
    """Compile a kernel for a target: its text, Tile IR bytecode, or the path of a file with either.

    `target`: `cpu` (or `cpu:avx512`, `cpu:avx2`, `cpu:generic`), `interpreter`, or `nvidia` (or `nvidia:sm_80`, ..).
    `level`: 0 lowers only, 2 optimises.
    `definitions` give values to `$name`s of the text. `checked` code ends a work-group in front of an access out of
    bounds, and the launch raises `KernelError`; the interpreter always does, and with `checked` also finds races.
    With `reorder_sums=False` sums of floats that loops add up one by one keep their order, so that no fast
    product takes their place. `precision` says in what products of f32 multiply: `exact` f32, or, faster on units that
    have no f32, `tf32` (factors rounded to 11 significant bits) or `3xtf32` (three products, nearly f32). With `fast`
    units may sum products of floats of 8 bits in fewer bits than f32 has.
    `cache=False` neither reads nor writes the artefact cache.
    `std` says which tensor language the text is in: `old` (before its redesign), `new`, or `auto`, which recognises it.
    `units` are the product units that code for the CPU may use, such as `vnni,vector`; without it those of the setting
    `units`, or all that compute exactly what the language says. `Kernel.schedule` tells which ones products took. In
    the interpreter products that one of them could take have its arithmetic, term for term, whatever their size.
    `language_options` say what the language of a text lets callers say: for TLX `quirks` (`prototype` or `rfc-text`)
    and `layout_convention` (`xla`). `stages` is one of MLIR: what is compiled is the kernel that all stages make of the
    one product of the text, with the tiles that it gives (`"block=128x128x64 warp=64x32x32"`, or `"default"`); it is
    launched on a grid of as many work-groups as C has tiles, columns first. `schedule` is for GPUs how kernels run, a
    line as `Kernel.schedule` tells it (`"lanes threads=256"`), for all of them or, behind a name and a colon, for one;
    several are separated by semicolons; for the CPU it says the tiles of products (`"tile=256x512x480"`). What it does
    not say is chosen by a model of the machine. Without it, what `tilewright.tune` has found for the same kernel and
    device is taken, from the file of the setting `tuned` or one beside the source (`kernel.tune.toml` for `kernel.tl`),
    or from the file `tuned` alone; `Kernel.schedule` tells of it, and of what was found and does not fit any more.

    Raises `CompileError` with located diagnostics (T009 for a schedule that is none or does not fit), OSError for an
    unreadable file, ValueError for a wrong option or a file `tuned` that is none.
    """
    if level not in (0, 1, 2):
        raise ValueError(f"level is 0, 1 or 2, not {level!r}")
    if std not in get_args(Std):
        raise ValueError(f"std is {', '.join(get_args(Std))}, not {std!r}")
    for name, flag in (("checked", checked), ("reorder_sums", reorder_sums), ("cache", cache)):
        check_flag(name, flag)
    for name, text in (("units", units), ("stages", stages), ("schedule", schedule)):
        check_text(name, text)
    for name, texts in (("definitions", definitions), ("language_options", language_options)):
        check_texts_by_name(name, texts)
    allowed = Precision.of(precision)
    source = source_of(kernel)
    values = dict(definitions or {})
    chosen = dict(language_options or {}) | ({} if stages is None else {"stages": stages})
    reading = ReadOptions(values, std, chosen)
    check_choices(source, reading)
    if target == "interpreter":
        if schedule is not None or tuned is not None:
            raise ScheduleElsewhere("the interpreter takes no schedules")
        return _interpreted(source, checked, reading, allowed, units)
    machine = find_scheduled(target, units, schedule)
    if checked and not machine.can_check:
        raise ValueError(f"code for {target!r} cannot check its accesses; the interpreter can")
    options = CompileOptions(
        level,
        values,
        std=std,
        checked=checked,
        reorder_sums=reorder_sums,
        precision=allowed,
        chosen=reading.chosen,
    )

    taken = taken_schedules(source, machine, options, tuned, asked=schedule is not None)
    work = _Compilation(source, options, taken)
    if cache:
        from tilewright.cache.artifact_cache import cached_artifact

        artifact = cached_artifact(cache_key(source, machine, options, str(taken)), work.artifact)
    else:
        artifact = work.artifact()
    levels: Mapping[str, str] = machine.levels if isinstance(machine, HasLevels) else {}
    shown = {name: partial(work.text_before, step) for name, step in levels.items()}
    told = partial(work.explanations, artifact) if isinstance(machine, ExplainingTarget) else None
    return load_artifact(artifact, lambda: text_of(source), work.changes, work.warnings, shown, told)


class _Compilation:
    """How a program is compiled, and what can be asked of it later. Whoever loads an artefact imports no compiler."""

    def __init__(self, source: Source | Binary, options: CompileOptions, taken: TakenSchedules) -> None:
        self._source, self._options, self._taken = source, options, taken
        self._report: Report | None = None

    def artifact(self) -> Artifact:
        from tilewright.compiler import compile_source

        self._report = Report()
        return self._taken.noted(
            lambda target, report: compile_source(self._source, target, self._options, report), self._report
        )

    def changes(self) -> tuple[PassChange, ...]:
        from tilewright.pass_changes import pass_changes

        return self._taken.by(lambda target, _: pass_changes(self._source, target, self._options), Report())

    def warnings(self) -> tuple[Diagnostic, ...]:
        """What was said when it was compiled; of a program from the cache what is said of its text."""
        if self._report is None:
            from tilewright.compiler import read_source

            self._report = Report()
            read_source(self._source, self._report, self._options.reading)
        return tuple(self._report.in_order)

    def text_before(self, name: str) -> str:
        """The program as the pass of that name finds it."""
        from tilewright.compiler import text_before

        return self._taken.by(
            lambda target, report: text_before(name, self._source, target, self._options, report), Report()
        )

    def explanations(self, artifact: Artifact) -> Mapping[str, Explanation]:
        """What the kernels do with the machine."""
        from tilewright.compiler import explain_source

        def explained(target: Target, _: Report) -> Mapping[str, Explanation]:
            assert isinstance(target, ExplainingTarget)
            return explain_source(self._source, target, self._options, artifact)

        return self._taken.by(explained, Report())


def _interpreted(
    source: Source | Binary, checked: bool, options: ReadOptions, precision: Precision, units: str | None
) -> Program:
    """The program as it was written; as tiles where its products are to be rounded, or those of a unit, which languages
    do not know."""
    report = Report()
    language = language_of(source, options.std)
    module = language.read(source, report, options)
    named = None if units is None else current(units=units).units
    permitted = frozenset[Unit]() if named is None else read_units(named)
    if precision is not Precision.EXACT or permitted:
        from tilewright.compiler import lower_to_tiles
        from tilewright.interpreter.program import interpreted_module

        lower_to_tiles(module, language, precision, report, _TERMS_OF_UNITS if permitted else None)
        return interpreted_module(module, text_of(source), checked, report, permitted)
    return language.interpret(module, source.text if isinstance(source, Source) else None, checked, report)
