"""Tiles of any extents on lanes: interpreter and emulator give what the interpreter gives on tiles.

All bytes around the arrays are compared, too, and must be as they were where nothing is stored.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from effort import SEED, Ran, count
from generators.tiles import Array, TileKernel, generate, memory_of
from tilewright.compiler import CompileOptions, lower_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.interpreter.engine import interpret
from tilewright.ir.parser import parse_ir
from tilewright.ir.verifier import verified
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget

from .case import Launch
from .emulated import emulated

KERNELS = count("RANDOM_RAGGED_KERNELS", 40, 3000)
CHUNKS = 4


def module_of(text: str) -> Module:
    """The verified program."""
    report = Report()
    module = parse_ir(Source("k.twir", text), report, operation_classes())
    assert isinstance(module, Module), [str(d) for d in report.diagnostics]
    verified(module)
    return module


def lowered(text: str) -> Module:
    """Lanes for a device, every step verified."""
    module = module_of(text)
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(2, verify_each=True), Report())
    return module


def same(found: Array, wanted: Array) -> bool:
    """NaN is NaN, and a zero a zero."""
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64 if wanted.dtype.kind in "fV" else wanted.dtype
    return bool(np.array_equal(found.astype(wide), wanted.astype(wide), equal_nan=wanted.dtype.kind != "i"))


def interpreted(module: Module, kernel: TileKernel) -> list[Array]:
    """The outputs; nothing else may be written."""
    arguments = kernel.copies()
    interpret(module.kernels[0], arguments, checked=True)
    for number, (argument, given) in enumerate(zip(arguments, kernel.arguments, strict=True)):
        if isinstance(argument, np.ndarray) and isinstance(given, np.ndarray):
            found = np.array(argument)
            argument[...] = given
            assert memory_of(argument) == memory_of(given), f"argument {number} was written beside its elements"
            argument[...] = found
    return [a for k in kernel.outputs if isinstance(a := arguments[k], np.ndarray)]


def disagreements(kernel: TileKernel) -> list[str] | None:
    """What differs, by output; None for tiles that are too large for registers."""
    meant = interpreted(module_of(kernel.text), kernel)
    module = lowered(kernel.text)
    schedule = module.kernels[0].schedule or ""
    if "registers of each" in schedule:
        return None
    assert schedule.startswith("lanes"), schedule
    ways = {"interpreter": interpreted(module, kernel)}
    results = emulated(module).run(Launch(kernel.copies(), {}))
    ways["emulator"] = [a for k in kernel.outputs if isinstance(a := results[k], np.ndarray)]
    return [
        f"argument {number} in the {way}"
        for way, found in ways.items()
        for number, have, wanted in zip(kernel.outputs, found, meant, strict=True)
        if not same(have, wanted)
    ]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_kernels(chunk: int, ran: Ran) -> None:
    done, seed = 0, SEED + chunk
    while done < KERNELS // CHUNKS:
        seed += CHUNKS
        kernel = generate(random.Random(seed))
        try:
            found = disagreements(kernel)
        except Exception as error:
            error.add_note(f"seed {seed}\n{kernel.text}")
            raise
        assert not found, f"seed {seed}: {'; '.join(found)}\n{kernel.text}"
        done += found is not None
    ran(done, "kernels of ragged tiles on lanes")
