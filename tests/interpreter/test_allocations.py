"""Memory that the interpreter does not have is an error, as on other targets."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.interpreter.views import MAX_LOCAL_BYTES


@pytest.mark.parametrize("parameter", [False, True])
def test_local_memory_beyond_the_limit(parameter: bool) -> None:
    local = f"memref<f32x{MAX_LOCAL_BYTES // 4 + 1},local>"
    text = f"func @f(%t: {local}) {{ }}" if parameter else f"func @f() {{ %t = alloca : {local} }}"
    with pytest.raises(KernelError, match=r"V48.*%t has 1,073,741,828 bytes of local memory"):
        tw.compile(text, target="interpreter").f[1]()


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_memory_of_the_launch_for_which_there_is_no_room(target: str) -> None:
    text = """func.func @f(%x: memref<4xf32>, %n: index) {
  %c = arith.constant 0 : index
  %v = memref.load %x[%c] : memref<4xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  memref.store %v, %t[%c] : memref<?xf32>
  %w = memref.load %t[%c] : memref<?xf32>
  memref.store %w, %x[%c] : memref<4xf32>
  return
}
"""
    program = tw.compile(text, target=target)
    for count in (1 << 50, 1 << 62):
        with pytest.raises(tw.LaunchError, match=rf"kernel f: there is no room for the {4 * count:,} bytes"):
            program.f[1](np.zeros(4, np.float32), count)
