"""Arrays with other memory around them, checked programs, and what their launches end with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright import KernelError
from tilewright.diagnostics import SourceRange

Array = NDArray[np.float32]
GUARD = np.float32(77.0)


def guarded(*shape: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """A column-major array of zeros in the middle of other memory, and that memory."""
    count = int(np.prod(shape))
    whole = np.full(count + 2048, GUARD)
    inside = whole[1024 : 1024 + count]
    inside[:] = 0
    return inside.reshape(shape, order="F"), whole


def untouched(whole: Array, count: int) -> bool:
    """Whether the memory around an array is what it was."""
    return bool((whole[:1024] == GUARD).all() and (whole[1024 + count :] == GUARD).all())


def compiled(text: str, level: int = 2) -> tw.Program:
    return tw.compile(text, checked=True, level=level, cache=False)


def fault(launch: Callable[[], None]) -> str:
    """The message of the error that a launch ends with."""
    with pytest.raises(KernelError) as found:
        launch()
    (diagnostic,) = found.value.diagnostics
    assert isinstance(diagnostic.location, SourceRange)
    return f"{diagnostic.code} {diagnostic.message}"


LOOP = """func @f(%A: memref<f32x?>, %n: index) {
    %zero = constant 0 : index
    %one = constant 1.0 : f32
    for %i=%zero,%n {
        %v = load %A[%i] : f32
        %w = add %v, %one : f32
        store %w, %A[%i]
    }
}
"""
