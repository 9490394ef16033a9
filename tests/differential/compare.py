"""Runs one kernel on several targets and compares every argument afterwards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import tilewright as tw
from generators.kernels import Generated

# Elementary functions differ by a few ulp, and sums of their results by the order of summation.
TOLERANCE = {"float32": 1e-5, "float64": 1e-13}


def disagreements(kernel: Generated, targets: Sequence[tuple[str, int]]) -> list[str]:
    """One line for each argument on which a (target, level) differs from the interpreter; empty if none does.

    The kernels are right, so the interpreter, which looks for races, finds none.
    """
    expected = kernel.copy_arguments()
    tw.compile(kernel.text, target="interpreter", std="new", checked=True).k[1](*expected)
    found: list[str] = []
    for target, level in targets:
        arguments = kernel.copy_arguments()
        tw.compile(kernel.text, target=target, level=level, cache=False, std="new").k[1](*arguments)
        for index, (want, have) in enumerate(zip(expected, arguments, strict=True)):
            message = difference(np.asarray(want), np.asarray(have), kernel.exact)
            if message:
                found.append(f"{target} -O{level}, argument {index}: {message}")
    return found


def difference(want: np.ndarray, have: np.ndarray, exact: bool) -> str:
    """What is wrong with a result, or nothing."""
    if want.dtype.name in TOLERANCE and not exact:
        scale = float(np.linalg.norm(np.nan_to_num(want.astype(np.float64)).ravel())) or 1.0
        error = float(np.linalg.norm(np.nan_to_num((want - have).astype(np.float64)).ravel())) / scale
        if error <= TOLERANCE[want.dtype.name] and np.array_equal(np.isnan(want), np.isnan(have)):
            return ""
        return f"relative error {error:.2e}"
    wide_want, wide_have = (a.astype(np.complex128) if a.dtype.kind not in "iu" else a for a in (want, have))
    same = (wide_want == wide_have) | ((wide_want != wide_want) & (wide_have != wide_have))
    if same.all():
        return ""
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{int((~same).sum())} of {want.size} elements differ, first {at}: {want[at]} expected, got {have[at]}"
