"""Random kernels and operations of Tile IR on a device, or what stands for one, against the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, cast

import numpy as np

import tilewright as tw
from differential.compare_tile_ir import difference
from differential.tile_ir_cases.case import Group, Shaped
from differential.tile_ir_cases.data import blank, operand
from differential.tile_ir_cases.families import agree
from generators.arguments import Argument as Passed
from generators.arguments import elements
from generators.kernels import Generated
from generators.tile_ir import TileKernel
from tilewright.diagnostics import Report, Source
from tilewright.frontends.tile_ir import read_tile_ir
from tilewright.interpreter.tile_ir.program import interpreted_tile_module
from tilewright.program import Program
from tilewright.runtime.groups import ArrayGroup

from .case import Argument, Array, GroupArgument, Launch, mismatch

Results: TypeAlias = dict[int, Array | list[Array | None]]
Runner: TypeAlias = Callable[[Launch, int], Results]
"""Launches the kernel of a number; the array arguments afterwards."""

# Elementary functions differ by a few ulp, and sums of their results by the order of summation.
TOLERANCE = {
    "float32": 1e-5,
    "float64": 1e-13,
    "complex64": 1e-5,
    "complex128": 1e-13,
    "float16": 1e-2,
    "bfloat16": 5e-2,
}


def disagreements(kernel: Generated, run: Runner) -> list[str]:
    """One line for each argument of a kernel of the tensor language in which the device differs."""
    expected = kernel.copy_arguments()
    tw.compile(kernel.text, target="interpreter").k[kernel.grid](*expected)
    arguments = [on_device(a) for a in kernel.copy_arguments()]
    faults: list[str] = []
    for k, found in run(Launch(arguments, {}, kernel.grid), 0).items():
        faults += [f"argument {k}: {fault}" for fault in _faults(kernel, found, expected[k])]
    return faults


def on_device(argument: Passed) -> Argument:
    """An argument as the device tests pass it."""
    if isinstance(argument, ArrayGroup):
        return GroupArgument(elements(argument), argument.offset, in_front=argument.offset)
    if isinstance(argument, bool):
        return np.bool_(argument)
    return GroupArgument(argument) if isinstance(argument, list) else argument


def _faults(kernel: Generated, found: Array | list[Array | None], expected: object) -> Iterator[str]:
    """What is wrong with an array, or with those of a group."""
    if isinstance(found, list):
        assert isinstance(expected, list | ArrayGroup)
        for have, want in zip(found, elements(cast("list[Array | None] | ArrayGroup", expected)), strict=True):
            assert (have is None) == (want is None)
            if have is not None:
                yield from _faults(kernel, have, want)
        return
    assert isinstance(expected, np.ndarray)
    tolerance = 0.0 if kernel.exact else TOLERANCE.get(found.dtype.name, 0.0)
    fault = mismatch(Launch([], {}, tolerance=tolerance), found, cast("Array", expected))
    if fault:
        yield fault


def tile_ir_meaning(text: str) -> Program:
    """A module of Tile IR in the interpreter."""
    module = read_tile_ir(Source("module.tileir", text), Report())
    return interpreted_tile_module(module, text, checked=False)


def operation_differences(
    group: Group, number: int, run: Runner, meant: Program, ulp: float, rng: np.random.Generator
) -> list[str]:
    """Names of the cases on which the device differs, with the first elements that do."""
    first = group.cases[0]
    inputs = [operand(type_, first.domain, k, rng) for k, type_ in enumerate(group.inputs)]
    memory = [operand(Shaped(element), first.domain, 7, rng) for element in first.pointers]
    outputs = [*(blank(type_) for _, type_ in group.outputs), *memory]
    wanted: list[Array] = [array.copy() for array in outputs]
    meant[f"k{number}"][1](*inputs, *wanted)
    arguments: list[Argument] = [*inputs, *outputs]
    results = run(Launch(arguments, {}), number)
    names = [*(group.cases[int(name.split("_")[1])].name for name, _ in group.outputs), *(first.name for _ in memory)]
    found: list[str] = []
    for k, (name, want) in enumerate(zip(names, wanted, strict=True), len(inputs)):
        have = results[k]
        assert isinstance(have, np.ndarray)
        if not agree(want, have, ulp):
            bits = f"u{want.dtype.itemsize}"
            at = int(np.argmax(want.view(bits) != have.view(bits)))
            found.append(f"{name} [{at}]: {want[at]!r} expected, got {have[at]!r}")
    return found


def random_differences(kernel: TileKernel, number: int, run: Runner, meant: Program) -> list[str]:
    """What differs between the device and the interpreter on a random kernel of Tile IR."""
    wanted = kernel.copy_arguments()
    meant[kernel.name][kernel.grid](*wanted)
    results = run(Launch(kernel.copy_arguments(), {}, kernel.grid), number)
    found: list[str] = []
    for output in kernel.outputs:
        have = results[output.argument]
        assert isinstance(have, np.ndarray)
        message = difference(output, np.asarray(wanted[output.argument]), have)
        found += [f"argument {output.argument}: {message}"] if message else []
    return found
