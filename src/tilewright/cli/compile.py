"""`tilewright compile`: any stage of a kernel's way to machine code; the kernel is never run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from tilewright.artifacts.artifact import Artifact
from tilewright.cli import completers
from tilewright.cli.inputs import definitions, language_options, read_source, std_option
from tilewright.cli.launch_options import (
    precision_option,
    refuse_unchecked,
    schedule_option,
    tuned_option,
    units_option,
)
from tilewright.cli.output import show, write_result
from tilewright.diagnostics import Report
from tilewright.languages import check_choices
from tilewright.remembered.lookup import taken_schedules
from tilewright.targets import find_scheduled, target_names
from tilewright.targets.target import ExplainingTarget, HasLevels

if TYPE_CHECKING:
    from tilewright.compile_options import CompileOptions
    from tilewright.diagnostics import Source
    from tilewright.diagnostics.binary import Binary
    from tilewright.languages import Std
    from tilewright.targets.target import Target

_PROVED = {"stage1": "ir", "stage2": "tile", "stage3": "llvm"}
"""The three stages of lowering: what these show, once all that their passes promise has been found to hold."""
_STAGES = (
    *_PROVED,
    *("ir", "tile", "gpu", "lanes", "llvm", "ptx", "asm"),
    *("obj", "cubin", "so", "header", "artifact"),
)


@click.command(name="compile")
@click.argument("file", shell_complete=completers.files)
@click.option("--emit", type=click.Choice(_STAGES), default="asm", help="What to write.")
@click.option("--explain", is_flag=True, help="Write what GPU kernels do with memory, barriers, registers.")
@click.option("-o", "output", default="-", help="Where to (- is standard output).", shell_complete=completers.files)
@click.option(
    "--target", "target_name", default="cpu", help=", ".join(target_names()), shell_complete=completers.targets
)
@click.option("-O", "level", type=click.IntRange(0, 2), default=2, help="0 lowers only, 2 optimises.")
@click.option("-D", "values", multiple=True, metavar="NAME=VALUE", help="Give a $definition from outside.")
@click.option("--checked", is_flag=True, help="Code that stops at accesses out of bounds.")
@click.option("--keep-order", is_flag=True, help="Sums of floats in loops keep their order.")
@precision_option
@units_option
@schedule_option
@tuned_option
@std_option
@language_options
def command(
    file: str,
    emit: str,
    explain: bool,
    output: str,
    target_name: str,
    level: int,
    values: tuple[str, ...],
    checked: bool,
    keep_order: bool,
    precision: str,
    units: str | None,
    schedule: str | None,
    tuned: str | None,
    std: Std,
    chosen: Mapping[str, str],
) -> None:
    """Compile a kernel and write one of its stages."""
    from tilewright.compile_options import CompileOptions
    from tilewright.compiler import compile_source, read_module, text_before
    from tilewright.ir.printer import print_op
    from tilewright.numerics.precision import Precision

    if explain and click.get_current_context().get_parameter_source("emit") is ParameterSource.COMMANDLINE:
        raise click.UsageError("--explain writes no stage of a kernel: ask for it or for --emit, one at a time")
    source, report = read_source(file), Report()
    proved = emit in _PROVED
    options = CompileOptions(
        level,
        definitions(values),
        verify_each=proved,
        std=std,
        checked=checked,
        reorder_sums=not keep_order,
        precision=Precision.of(precision),
        chosen=chosen,
    )
    check_choices(source, options.reading)
    if checked:
        refuse_unchecked(target_name)
    emit = _PROVED.get(emit, emit)
    if emit == "ir":
        module = read_module(source, report, options.reading, options.verify_each)
        show(report.in_order, "text", sys.stderr)
        write_result(print_op(module) + "\n", output)
        return
    machine = find_scheduled(target_name, units, schedule)
    taken = taken_schedules(source, machine, options, tuned, asked=schedule is not None)
    if explain:
        write_result(taken.by(lambda target, found: _explained(source, target, options, found), report), output)
        return
    if isinstance(machine, HasLevels) and emit in machine.levels:
        step = machine.levels[emit]
        text = taken.by(lambda target, found: text_before(step, source, target, options, found), report)
        show(report.in_order, "text", sys.stderr)
        write_result(text + "\n", output)
        return
    artifact = taken.noted(lambda target, found: compile_source(source, target, options, found), report)
    show(report.in_order, "text", sys.stderr)
    if proved and emit == "llvm":
        _hold_to_gate(artifact)
    if emit == "so":
        _shared_object(artifact, output)
    else:
        write_result(_stage(artifact, emit), output)


def _explained(source: Source | Binary, target: Target, options: CompileOptions, report: Report) -> str:
    """What is told of all kernels."""
    from tilewright.compiler import compile_source, explain_source

    if not isinstance(target, ExplainingTarget):
        raise click.UsageError(f"--explain tells of kernels for GPUs, not for {target.name}")
    artifact = compile_source(source, target, options, report)
    show(report.in_order, "text", sys.stderr)
    found = explain_source(source, target, options, artifact)
    return "\n".join(f"{explanation}\n" for explanation in found.values())


def _hold_to_gate(artifact: Artifact) -> None:
    """Raises `InternalError` if what LLVM was given is nothing that it should be given."""
    from tilewright.ir.passes import InternalError
    from tilewright.targets.llvm.gate import gate_faults

    faults = gate_faults(artifact.texts["llvm"])
    if faults:
        raise InternalError(f"code generation for {artifact.target} broke its promise: {faults[0]}")


def _stage(artifact: Artifact, emit: str) -> bytes:
    from tilewright.program import load_artifact

    match emit:
        case "obj":
            return artifact.payload
        case "cubin" if "ptx" in artifact.texts:
            from tilewright.machine.cuda.architecture import Architecture
            from tilewright.targets.nvidia.ptx import assemble

            return assemble(artifact.texts["ptx"], Architecture(artifact.features)).cubin
        case "artifact":
            return artifact.to_bytes()
        case "header":
            from tilewright.runtime.header import emit_header

            return emit_header(artifact).encode()
        case _:
            program = load_artifact(artifact)
            if emit not in program.stages:
                others = ", ".join(program.stages)
                raise click.UsageError(f"code for the target {artifact.target} has no stage {emit}; it has {others}")
            text = program.text(emit)
            return (text if text.endswith("\n") else text + "\n").encode()


def _shared_object(artifact: Artifact, output: str) -> None:
    from tilewright.runtime.header import emit_shared_object

    if output == "-":
        raise click.UsageError("a shared object needs a file name: -o NAME.so")
    emit_shared_object(artifact, Path(output))
