"""Rules of barriers that count copies, and of boxes that the machine copies by itself."""

# ruff: noqa: E501 - an operation a line, however long

from __future__ import annotations

import pytest

from dialects.test_lane import module_of
from tilewright.diagnostics import Report
from tilewright.ir.verifier import verify

PARAMETERS = "%A: memref<f16x64x80>, %B: memref<f32x64x80>, %P: memref<f16x64x80,strided<1,68>>, %D: memref<f16x?x80>, %L: memref<f16x64x2147483649>, %O: memref<f16x64x80,strided<1,32>>, %T: memref<f16x64x80,strided<2,128>>"
MEMORY = """
  %z = arith.constant {value = 0} -> index
  %b = memref.alloca -> memref<i64x3,local> %w = memref.alloca -> memref<i32x3,local>
  %s = memref.alloca -> memref<f16x64x16x1x3,strided<1,64,1024,1024>,swizzle<3,4,3>,local>
  %u = memref.alloca -> memref<f16x64x16x1x3,strided<1,64,1024,1024>,local>
  %v = memref.alloca -> memref<f16x64x264x1x3,strided<1,64,16896,16896>,swizzle<3,4,3>,local>
"""
COPY = "gpu.copy_tensor %A, %z, %z, %s, %z, %b, %z {operand_segments = [1, 2, 1, 1, 1, 1], modes = [0, 1]}"

RULES = [
    ("gpu.open_barriers %b {arrivals = 1} gpu.expect %b, %z {bytes = 2048}", None),
    ("gpu.await_phase %b, %z, %z gpu.close_barriers %b", None),
    ("gpu.open_barriers %w {arrivals = 1}", "words of i64"),
    ("gpu.close_barriers %A", "words of i64"),
    ("gpu.await_phase %w, %z, %z", "words of i64"),
    ("gpu.open_barriers %b {arrivals = 0}", "needs an arrival"),
    ("gpu.expect %b, %z {bytes = 1048576}", "1,048,575 bytes at most"),
    (COPY, None),
    (COPY.replace("%b", "%w"), "words of i64"),
    (COPY.replace("[0, 1]", "[0, 0]"), "is none of"),
    (COPY.replace("%A, %z", "%A").replace("1, 2, 1", "1, 1, 1"), "is none of"),
    (COPY.replace("%A", "%B"), "not from memref<f32"),
    (COPY.replace("%A", "%P"), "136 bytes apart"),
    (COPY.replace("%A", "%L"), "has no elements, or too many"),
    (COPY.replace("%A", "%D"), None),
    (COPY.replace("%A", "%O"), "rows of 64 elements that are 32 apart"),
    (COPY.replace("%A", "%T"), "not made of neighbours"),
    (COPY.replace("%s", "%u"), "swizzled ones"),
    (COPY.replace("%s", "%v"), "264 rows"),
]


@pytest.mark.parametrize(("line", "words"), RULES, ids=[f"{k}" for k in range(len(RULES))])
def test_rules(line: str, words: str | None) -> None:
    report = Report()
    verify(module_of(PARAMETERS, MEMORY + line), report)
    messages = [d.message for d in report.diagnostics]
    assert bool(messages) == (words is not None), messages
    assert words is None or any(words in message for message in messages), messages
