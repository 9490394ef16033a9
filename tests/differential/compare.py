"""Runs one kernel on several targets and compares every argument afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from generators.arguments import Argument, arrays, spilled
from generators.kernels import Generated
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects.builtin import Module
from tilewright.program import load_artifact

from .variants import Variant

# Elementary functions differ by a few ulp, and sums of their results by the order of summation.
TOLERANCE = {
    "float32": 1e-5,
    "float64": 1e-13,
    "complex64": 1e-5,
    "complex128": 1e-13,
    "float16": 0.05,
    "bfloat16": 0.2,
}
Parts = NDArray[np.float64]


def _compiled(module: Module, variant: Variant) -> tw.Program:
    """The kernels for the CPU; the module stays as it is."""
    copy = module.clone()
    assert isinstance(copy, Module)
    return load_artifact(compile_module(copy, variant.target, CompileOptions(variant.level), Report()))


def disagreements(kernel: Generated, variants: Sequence[Variant]) -> list[str]:
    """One line for each array on which a variant differs from the interpreter; empty if none does.

    Where the interpreter finds a race, which it must exactly if the kernel has one, the others only have to survive.
    """
    expected = kernel.copy_arguments()
    races = False
    try:
        tw.compile(kernel.text, target="interpreter", std="new", checked=True).k[kernel.grid](*expected)
    except KernelError as error:
        races = error.diagnostics[0].code == "R020"
        if not races:
            raise
    if races != kernel.races:
        return [f"the interpreter finds {'a' if races else 'no'} race"]
    found: list[str] = []
    module = read_module(Source("<generated>", kernel.text), Report())
    for variant in variants:
        arguments = kernel.copy_arguments()
        _compiled(module, variant).k[kernel.grid](*arguments)
        if not races:
            found += [f"{variant}, {fault}" for fault in differences(kernel, expected, arguments)]
    return found


def differences(kernel: Generated, expected: Sequence[Argument], arguments: Sequence[Argument]) -> Iterator[str]:
    """One line for each array that differs, or around which something was written."""
    for (name, want), (_, have) in zip(arrays(expected), arrays(arguments), strict=True):
        message = difference(want, have, kernel.exact, kernel.signs)
        if message:
            yield f"{name}: {message}"
        if spilled(have):
            yield f"{name}: {spilled(have)} bytes around it are written"


def difference(want: np.ndarray, have: np.ndarray, exact: bool, signs: bool = True) -> str:
    """What is wrong with a result, or nothing. NaNs are all alike, and zeros too unless `signs`: -0.0 + 0.0 is 0.0."""
    if want.dtype.kind in "iu":
        same = np.asarray(want == have)
    elif exact or want.dtype.name not in TOLERANCE:
        same = _alike(*(_parts(a) if signs else _parts(a) + 0.0 for a in (want, have))).all(axis=-1)
    else:
        return _distance(_parts(want), _parts(have), TOLERANCE[want.dtype.name])
    if same.all():
        return ""
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{int((~same).sum())} of {want.size} elements differ, first {at}: {want[at]} expected, got {have[at]}"


def _parts(array: np.ndarray) -> Parts:
    """Real numbers, exactly, along one more axis: one, or the two parts of complex ones."""
    if array.dtype.kind != "c":
        return array.astype(np.float64)[..., None]
    wide: NDArray[np.complex128] = array.astype(np.complex128)
    return np.stack([wide.real, wide.imag], axis=-1)


def _alike(want: Parts, have: Parts) -> NDArray[np.bool_]:
    return ((want == have) & (np.signbit(want) == np.signbit(have))) | (np.isnan(want) & np.isnan(have))


def _distance(want: Parts, have: Parts, tolerance: float) -> str:
    """What is wrong with numbers that are known up to rounding."""
    finite = np.isfinite(want) & np.isfinite(have)
    if not _alike(want[~finite], have[~finite]).all():
        return "other infinities or NaNs"
    scale = float(np.linalg.norm(want[finite])) or 1.0
    error = float(np.linalg.norm(want[finite] - have[finite])) / scale
    return "" if error <= tolerance else f"relative error {error:.2e}"
