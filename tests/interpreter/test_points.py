"""`foreach` and `foreach_tile` take their points a few at a time, however many there are."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.diagnostics.kernel_error import KernelError

LEAST, MOST = -(1 << 63), (1 << 63) - 1
LOOPS = (
    "foreach (%i) = (%lo), (%hi)",
    "foreach (%i, %k) = (%lo, %lo), (%hi, %hi)",
    "foreach_tile (%i) = (%lo), (%hi) as (%s) <= (16)",
)


def program(loop: str, lower: int, upper: int, body: str) -> tw.Program:
    bounds = f"%lo = constant {lower} : i64 %hi = constant {upper} : i64"
    text = f"func @f(%x: memref<f32x4>) {{ {bounds} {loop} {{ {body} }} }}"
    return tw.compile(text, target="interpreter", checked=True)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(("lower", "upper"), [(0, MOST), (0, 1 << 62), (3, 1_000_000_000_000), (LEAST, MOST)])
def test_the_first_point_outside_is_found(loop: str, lower: int, upper: int) -> None:
    found = program(loop, lower, upper, "%j = cast %i : index %v = load %x[%j] : f32")
    wanted = lower if lower < 0 else lower + 16 if "tile" in loop else 4
    with pytest.raises(KernelError, match=rf"R010.*index \[{wanted}\] is outside"):
        found.f[1](np.zeros(4, np.float32))


@pytest.mark.parametrize("loop", LOOPS)
def test_a_body_that_does_nothing_ends(loop: str) -> None:
    program(loop, LEAST, MOST, "").f[1](np.zeros(4, np.float32))
