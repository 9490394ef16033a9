"""`tilewright opt --stages`: a product of matrices in MLIR, stage by stage."""

from __future__ import annotations

import click

from tilewright.cli.output import write_result
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.diagnostics.nearest import did_you_mean, nearest
from tilewright.frontends.recognise import is_mlir


def run(source: Source | Binary, schedule: str, until: str, *, show_each: bool) -> None:
    """Print the program after the last stage, or with `show_each` after each of them.

    Raises `CompileError` for programs and schedules that are refused, behind what could be printed, and
    `click.ClickException` for what is no MLIR and stages that there are not.
    """
    from tilewright.frontends.mlir import read_mlir_file
    from tilewright.transforms.matmul_stages import parse_schedule, run_stages

    if not isinstance(source, Source) or not is_mlir(source.text):
        raise click.ClickException(f"{source.name}: the stages take a text of MLIR")
    last = _last_stage(until)
    report = Report()
    parameters = parse_schedule(Source("--schedule", schedule), report)
    file = read_mlir_file(source, report)
    report.raise_if_errors()
    assert file is not None, "what cannot be read is reported"
    text = ""
    for outcome in run_stages(file.module, parameters, last, report):
        text = f"{outcome.text}\n"
        if show_each:
            write_result(f"// ----- {outcome.number} {outcome.name}: {outcome.changed} -----\n{text}\n")
    report.raise_if_errors()
    if not show_each:
        write_result(text)


def _last_stage(until: str) -> str:
    from tilewright.transforms.matmul_stages import NAMES

    if not until:
        return NAMES[-1]
    if until in NAMES:
        return until
    meant = nearest(until, NAMES)
    hint = did_you_mean(meant) if meant else f"stages are {', '.join(NAMES)}"
    raise click.UsageError(f"--until: there is no stage {until[:80]!r}; {hint}")
