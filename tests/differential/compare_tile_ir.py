"""Runs Tile IR kernels in the interpreter and on the CPU, and compares what they write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from generators.arguments import spilled
from generators.tile_ir import TileKernel, module_of
from generators.tile_ir_values import CODED, DIGITS, LEAST, Argument
from generators.tile_ir_writer import Output
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects.cuda_tile.core import TileModule
from tilewright.frontends.tile_ir import program_of, read_tile_ir
from tilewright.interpreter.tile_ir.program import interpreted_tile_module
from tilewright.ir.passes import PassContext
from tilewright.ir.verifier import verified
from tilewright.program import load_artifact
from tilewright.transforms.lower_tile_ir import LowerTileIR

from .variants import Variant

# Numbers that are this many times the least one apart are equal if an error is allowed at all.
_UNDERFLOW = 64
_RACES = {"R020", "R031"}


def disagreements(kernels: Sequence[TileKernel], variants: Sequence[Variant]) -> list[tuple[TileKernel, str]]:
    """Kernels, compiled together, on which a variant of the CPU differs from the checked interpreter, and in what.

    The interpreter must find a race exactly where there is one, and then the CPU only has to survive and to leave alone
    what is not the kernel's. Raises whatever the compiler raises.
    """
    text, report = module_of(list(kernels)), Report()
    module = read_tile_ir(Source("random.tileir", text), report)
    reference = interpreted_tile_module(module, text, checked=True)
    expected = [run_of(reference, kernel) for kernel in kernels]
    found = [
        (kernel, f"the interpreter finds {'a' if wanted.races else 'no'} race: {wanted.failed}")
        for kernel, wanted in zip(kernels, expected, strict=True)
        if wanted.races != kernel.races
    ]
    for variant in variants:
        program = compiled(module, report, variant)
        for kernel, wanted in zip(kernels, expected, strict=True):
            had = run_of(program, kernel)
            faults = [*_spilled(had), *(() if kernel.races else differences_of(kernel, wanted, had))]
            found += [(kernel, f"{variant}, {fault}") for fault in faults]
    return found


def compiled(module: TileModule, report: Report, variant: Variant) -> tw.Program:
    """For the CPU; the module stays as it is."""
    copy = module.clone()
    assert isinstance(copy, TileModule)
    lowered = program_of(copy)
    LowerTileIR().run(lowered, PassContext(report))
    verified(lowered)
    return load_artifact(compile_module(lowered, variant.target, CompileOptions(variant.level), report))


def failures(kernels: Sequence[TileKernel], variants: Sequence[Variant]) -> list[tuple[TileKernel, str]]:
    """As `disagreements`, with exceptions among them: then each kernel is tried alone."""
    try:
        return disagreements(kernels, variants)
    except Exception as error:  # whatever it is, it is a finding
        if len(kernels) == 1:
            return [(kernels[0], f"{type(error).__name__}: {error}")]
        return [finding for kernel in kernels for finding in failures([kernel], variants)]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a launch left: arguments, lines that it printed, assertions that failed, whether a race was found."""

    arguments: list[Argument]
    printed: list[str]
    failed: list[str]
    races: bool


def run_of(program: tw.Program, kernel: TileKernel) -> Outcome:
    """Launch a kernel on fresh arguments."""
    arguments, printed, failed, races = kernel.copy_arguments(), StringIO(), list[str](), False
    try:
        with redirect_stdout(printed):
            program[kernel.name][kernel.grid](*arguments)
    except KernelError as error:
        failed = [f"{d.code} {d.location}: {d.message}" for d in error.diagnostics]
        races = any(d.code in _RACES for d in error.diagnostics)
    return Outcome(arguments, printed.getvalue().splitlines(), sorted(failed), races)


def _spilled(have: Outcome) -> Iterator[str]:
    for at, argument in enumerate(have.arguments):
        if isinstance(argument, np.ndarray) and spilled(argument):
            yield f"argument {at}: {spilled(argument)} bytes around it are written"


def differences_of(kernel: TileKernel, want: Outcome, have: Outcome) -> Iterator[str]:
    """In what two launches differ."""
    for what, wanted, had in (("prints", want.printed, have.printed), ("assertions", want.failed, have.failed)):
        if wanted != had:
            yield f"{what}: {wanted} expected, got {had}"
    for output in kernel.outputs:
        at = output.argument
        message = difference(output, np.asarray(want.arguments[at]), np.asarray(have.arguments[at]))
        if message:
            yield f"argument {at}: {message}"


def difference(output: Output, want: NDArray[np.generic], have: NDArray[np.generic]) -> str:
    """What is wrong with a result, or nothing."""
    same = _same(output, want, have)
    if same.all():
        return ""
    at = int(np.argmin(same))
    number = f"{int((~same).sum())} of {want.size} {output.element} differ"
    return f"{number}, first {at}: {want[at]!r} expected, got {have[at]!r}"


def _same(output: Output, want: NDArray[np.generic], have: NDArray[np.generic]) -> NDArray[np.bool_]:
    width = np.dtype(f"u{want.dtype.itemsize}")
    same = np.asarray(want.view(width) == have.view(width))
    if output.element not in DIGITS or output.element == CODED or same.all():
        return same
    with np.errstate(all="ignore"):
        x, y = want.astype(np.float64), have.astype(np.float64)
        same |= np.isnan(x) & np.isnan(y)
        if output.zeros:
            same |= (x == 0) & (y == 0)
        if output.error:
            least = 2.0 ** (LEAST[output.element] - DIGITS[output.element] + 1)
            same |= np.abs(x - y) <= output.error * np.maximum(np.abs(x), np.abs(y)) + _UNDERFLOW * least
            same |= x == y
    return same
