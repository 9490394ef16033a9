"""`tilewright tune`: find the fastest schedule of a kernel on this machine, and remember it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tilewright.cli.inputs import definitions, read_source
from tilewright.cli.launch_options import LaunchRequest, choose, launch_options, parse_grid
from tilewright.cli.main import EXIT_INTERNAL

if TYPE_CHECKING:
    from tilewright.tuning.search import Found, Trial

_UNSAID: Final = "(nothing is asked for)"


@click.command(name="tune")
@launch_options
@click.option("--trials", type=click.IntRange(1), default=64, help="Schedules that are timed at most.")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), default=60.0, help="How long to search.")
@click.option("-o", "--output", metavar="FILE", default=None, help="Where to remember it; default: the user's file.")
@click.option("--beside", is_flag=True, help="Remember it in a file beside the kernel, KERNEL.tune.toml, to ship.")
@click.option("--seed", default=0, help="Seed of random arrays.")
@click.option("-v", "--verbose", is_flag=True, help="List every schedule that was tried.")
def command(
    request: LaunchRequest, trials: int, seconds: float, output: str | None, beside: bool, seed: int, verbose: bool
) -> None:
    """Search around the model's schedule of a kernel for the fastest on this machine, and remember it.

    Arguments are those of `run`. A schedule has to give the model's answer before it is timed; exit status 3 if one did
    not, which is a mistake of tilewright's: it is named, and not taken.
    """
    from tilewright.cli.arguments import make_arguments, parse_pairs
    from tilewright.compile_options import CompileOptions
    from tilewright.numerics.precision import Precision
    from tilewright.remembered.lookup import shipped_record, users_record
    from tilewright.tuning.source_compiler import by_schedule
    from tilewright.tuning.tune import tune

    _refuse(request, output, beside)
    source, target = read_source(request.file), request.target or "nvidia"
    values = definitions(request.values)
    precision = Precision.of(request.precision)
    options = CompileOptions(request.level, values, std=request.std, precision=precision, chosen=request.chosen)
    program = by_schedule(source, target, options, "")
    kernel, grid = choose(program, request.kernel_name), parse_grid(request.grid)
    arguments = make_arguments(kernel.info, parse_pairs(request.pairs), seed, grid)
    path = shipped_record(source) if beside else users_record() if output is None else Path(output)
    with _progress(kernel.name) as told:
        tuned = tune(
            source,
            *arguments.values(),
            grid=grid,
            target=target,
            name=kernel.name,
            level=request.level,
            definitions=values,
            precision=request.precision,
            std=request.std,
            language_options=request.chosen,
            trials=trials,
            seconds=seconds,
            record=path,
            told=told,
        )
    entry, found = tuned.entry, tuned.found
    click.echo(f"{entry.name} on {entry.device}, {entry.arguments}: {_counted(found)}")
    if verbose:
        click.echo("".join(f"  {_line(trial)}\n" for trial in found.trials), nl=False)
    click.echo(_table(found))
    if path is not None:
        click.echo(f"remembered in {path}")
    for trial in found.wrong:
        click.echo(f"tilewright: internal error: {trial.schedule} {trial.outcome.value}: {trial.reason}", err=True)
    if found.wrong:
        raise click.exceptions.Exit(EXIT_INTERNAL)


def _refuse(request: LaunchRequest, output: str | None, beside: bool) -> None:
    """Usage errors for options that say what is to be found, or where to put it twice."""
    if request.schedule is not None:
        raise click.UsageError("--schedule: tuning chooses the schedule itself")
    if request.tuned is not None:
        raise click.UsageError("--tuned: tuning begins with the model's schedule; --output says where to remember it")
    if request.checked:
        raise click.UsageError("--checked: code that checks its accesses is not for speed; tune it without")
    if request.units is not None:
        raise click.UsageError("--units: tuning takes those of the setting units, as compile does")
    if beside and output is not None:
        raise click.UsageError("--beside and --output both say where to remember it: give one")
    if beside and request.file == "-":
        raise click.UsageError("--beside: standard input has no place beside it; name a file with --output")


@contextmanager
def _progress(name: str) -> Generator[Callable[[Trial, float], None]]:
    """A bar on a terminal, nothing elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda trial, part: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("{task.fields[last]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=1.0, last="")
        yield lambda trial, part: bar.update(task, completed=part, last=_line(trial))


def _line(trial: Trial) -> str:
    """A schedule and what became of it, on one line."""
    said = f", {trial.ratio} times the best so far" if trial.ratio is not None else ""
    reason = f": {trial.reason}" if trial.reason else ""
    return f"{trial.schedule}: {trial.outcome.value}{said}{reason}".replace("\n", " ")


def _counted(found: Found) -> str:
    timed = sum(trial.ratio is not None for trial in found.trials)
    others = Counter(trial.outcome.value for trial in found.trials if trial.ratio is None)
    return ", ".join([f"{timed} schedules timed", *(f"{count} {word}" for word, count in others.items())])


def _table(found: Found) -> str:
    """Both schedules with their times, what changed and what that gained."""
    rows = [
        f"  model  {found.model_seconds.median * 1e6:9.2f} us  {found.model or _UNSAID}",
        f"  best   {found.best_seconds.median * 1e6:9.2f} us  {found.best or _UNSAID}",
    ]
    if found.best == found.model:
        return "\n".join([*rows, "  nothing was faster"])
    before, after = found.model.split(), found.best.split()
    gone = " ".join(word for word in before if word not in after)
    new = " ".join(word for word in after if word not in before)
    return "\n".join(
        [*rows, f"  gained {found.gain} times the speed; changed {gone or 'nothing'} to {new or 'nothing'}"]
    )
