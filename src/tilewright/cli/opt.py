"""`tilewright opt`: run passes on a kernel or on IR text."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import click

from tilewright.cli import completers
from tilewright.cli.inputs import definitions, language_options_but, read_source, std_option
from tilewright.cli.output import show, write_result
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.dialects.builtin import Module
from tilewright.languages import ReadOptions, Std, check_choices, language_of

if TYPE_CHECKING:
    from tilewright.ir.passes import Pass, PassManager

_LOWERED: Final = {"tile", "gpu", "lane", "cuda_tile", "tlx", "cf"}
"""Dialects of what is no tensor language any more, or never was."""
_NO_PASSES: Final = "none"
"""The program is read, verified and printed."""


def load(source: Source | Binary, report: Report, options: ReadOptions) -> tuple[Module, list[Pass]]:
    """A verified program, from IR text or from a language, and the passes that bring it to the shared dialects."""
    if isinstance(source, Source) and _is_ir(source):
        return _load_ir(source, report), []
    check_choices(source, options)
    language = language_of(source, options.std)
    return language.read(source, report, options), language.passes()


def _is_ir(source: Source) -> bool:
    """Whether a text starts with `builtin.module`, after comments."""
    lines = (line.strip() for line in source.text.splitlines())
    first = next((line for line in lines if line and not line.startswith("//")), "")
    return first.startswith("builtin.module")


def _load_ir(source: Source, report: Report) -> Module:
    from tilewright.dialects import operation_classes
    from tilewright.frontends.tensor_language.rules import verify_language
    from tilewright.ir.parser import parse_ir
    from tilewright.ir.verifier import verify

    module = parse_ir(source, report, operation_classes())
    report.raise_if_errors()
    if not isinstance(module, Module):
        raise click.ClickException("the IR text is no builtin.module")
    verify(module, report)
    report.raise_if_errors()
    if _in_language(module):
        verify_language(module, report)
        report.raise_if_errors()
    return module


def _in_language(module: Module) -> bool:
    """Whether a program is one of the tensor language, whose rules the passes do not keep: no pass has lowered it."""
    from tilewright.dialects.memref import Permute

    return not any(op.definition.dialect in _LOWERED or isinstance(op, Permute) for op in module.walk())


@click.command(name="opt")
@click.argument("file", shell_complete=completers.files)
@click.option(
    "--passes",
    default="",
    help="Passes by name, separated by commas, or none; default: the whole pipeline.",
    shell_complete=completers.passes,
)
@click.option(
    "--target",
    "target_name",
    default="cpu",
    help="Whose pipeline and policies.",
    shell_complete=completers.targets,
)
@click.option("-O", "level", type=click.IntRange(0, 2), default=2, help="Optimisation level of the pipeline.")
@click.option("--print-ir-after-all", "after_all", is_flag=True, help="Print the IR after every pass.")
@click.option(
    "--print-ir-after-change", "after_change", is_flag=True, help="Print the IR after passes that changed it."
)
@click.option("--verify-each", is_flag=True, help="Verify the IR after every pass.")
@click.option("--timing", is_flag=True, help="Print how long each pass took.")
@click.option("--emit-mlir", is_flag=True, help="Print generic MLIR instead of IR text.")
@click.option("--stages", is_flag=True, help="MLIR: print a product of matrices after each stage towards tensor cores.")
@click.option(
    "--until",
    default="",
    metavar="STAGE",
    help="MLIR: print the program after this stage.",
    shell_complete=completers.stages,
)
@click.option("--schedule", default="", help="MLIR: tiles of the stages, such as block=128x128x64 warp=64x32x32 pad=8.")
@click.option("-D", "values", multiple=True, metavar="NAME=VALUE", help="Give a $definition from outside.")
@std_option
@language_options_but("stages")
def command(
    file: str,
    passes: str,
    target_name: str,
    level: int,
    after_all: bool,
    after_change: bool,
    verify_each: bool,
    timing: bool,
    emit_mlir: bool,
    stages: bool,
    until: str,
    schedule: str,
    values: tuple[str, ...],
    std: Std,
    chosen: Mapping[str, str],
) -> None:
    """Run passes on a kernel or on IR text and print the result.

    With --stages, --until or --schedule: run the stages of a product of matrices in MLIR instead.
    """
    if stages or until or schedule:
        from tilewright.cli.stages import run

        if passes:
            raise click.UsageError("--passes and --stages exclude each other")
        run(read_source(file), schedule, until, show_each=stages)
        return
    from tilewright.ir.mlir.own_dialects import print_mlir
    from tilewright.ir.passes import PassContext, PassManager
    from tilewright.ir.printer import print_op
    from tilewright.ir.verifier import verify

    report = Report()
    source, options = read_source(file), ReadOptions(definitions(values), std, chosen)
    module, steps = load(source, report, options)
    manager = PassManager(
        _chosen(passes, steps, target_name, level),
        verify_each,
        _dump if after_all or after_change else None,
        only_changes=after_change,
        remake=lambda: load(source, Report(), options)[0],
    )
    manager.run(module, PassContext(report))
    verify(module, report)
    report.raise_if_errors()
    show(report.in_order, "text", sys.stderr)
    write_result((print_mlir(module) if emit_mlir else print_op(module)) + "\n")
    if timing:
        _tell_timings(manager)


def _chosen(passes: str, of_language: list[Pass], target_name: str, level: int) -> list[Pass]:
    """The passes that run: those of the language and of the target's level, those that are named, or none."""
    from tilewright.compile_options import CompileOptions
    from tilewright.compiler import target_passes
    from tilewright.targets import find_target
    from tilewright.transforms.registry import parse_pipeline

    target, steps = find_target(target_name), list(of_language)
    if passes == _NO_PASSES:
        return []
    if passes:
        steps += parse_pipeline(passes, target.passes(2))
    else:
        steps += target_passes(target, CompileOptions(level))
    return steps


def _dump(name: str, text: str) -> None:
    click.echo(f"// ----- after {name} -----\n{text}", err=True)


def _tell_timings(manager: PassManager) -> None:
    total = sum(t.seconds for t in manager.timings)
    for item in manager.timings:
        click.echo(f"{item.seconds * 1e3:9.3f} ms  {item.seconds / total * 100:5.1f} %  {item.name}", err=True)
    click.echo(f"{total * 1e3:9.3f} ms  100.0 %  total", err=True)
