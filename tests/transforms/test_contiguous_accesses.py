"""Gathers of neighbours whose row stride is known at run time only."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.compile_options import CompileOptions
from tilewright.compiler import lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.interpreter.program import interpreted_module
from tilewright.ir.printer import print_op
from tilewright.targets import find_target

_ROWS, _COLUMNS = 4, 16
_BOX = f"{_ROWS}x{_COLUMNS}"
_COPY = f"""
entry @copy(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {{
  %r = iota : tile<{_ROWS}xi32>
  %r1 = reshape %r : tile<{_ROWS}xi32> -> tile<{_ROWS}x1xi32>
  %rows = broadcast %r1 : tile<{_ROWS}x1xi32> -> tile<{_BOX}xi32>
  %c = iota : tile<{_COLUMNS}xi32>
  %c1 = reshape %c : tile<{_COLUMNS}xi32> -> tile<1x{_COLUMNS}xi32>
  %columns = broadcast %c1 : tile<1x{_COLUMNS}xi32> -> tile<{_BOX}xi32>
  %n1 = reshape %n : tile<i32> -> tile<1x1xi32>
  %stride = broadcast %n1 : tile<1x1xi32> -> tile<{_BOX}xi32>
  %jump = muli %rows, %stride : tile<{_BOX}xi32>
  %from = addi %jump, %columns : tile<{_BOX}xi32>
  %width = constant <i32: {_COLUMNS}> : tile<{_BOX}xi32>
  %skip = muli %rows, %width : tile<{_BOX}xi32>
  %to = addi %skip, %columns : tile<{_BOX}xi32>
  %x1 = reshape %x : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %xs = broadcast %x1 : tile<1x1xptr<f32>> -> tile<{_BOX}xptr<f32>>
  %y1 = reshape %y : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %ys = broadcast %y1 : tile<1x1xptr<f32>> -> tile<{_BOX}xptr<f32>>
  %px = offset %xs, %from : tile<{_BOX}xptr<f32>>, tile<{_BOX}xi32> -> tile<{_BOX}xptr<f32>>
  %py = offset %ys, %to : tile<{_BOX}xptr<f32>>, tile<{_BOX}xi32> -> tile<{_BOX}xptr<f32>>
  %v, %t0 = load_ptr_tko weak %px : tile<{_BOX}xptr<f32>> -> tile<{_BOX}xf32>, token
  %t1 = store_ptr_tko weak %py, %v : tile<{_BOX}xptr<f32>>, tile<{_BOX}xf32> -> token
  return
}}
"""


def lowered(text: str, target: str = "cpu:generic") -> tuple[tw.Program, str]:
    """A program on the tile level, to be interpreted, and its text."""
    module = read_module(Source("kernel", text), Report())
    lower_module(module, find_target(target), CompileOptions(), Report())
    printed = print_op(module)
    return interpreted_module(module, printed, False), printed


def test_row_strides_that_are_sums(rng: np.random.Generator) -> None:
    plain = f"  %jump = muli %rows, %stride : tile<{_BOX}xi32>\n"
    parts = f"  %one = constant <i32: 1> : tile<{_BOX}xi32>\n  %next = addi %stride, %one : tile<{_BOX}xi32>\n"
    parts += f"  %a = muli %rows, %stride : tile<{_BOX}xi32>\n  %b = muli %rows, %next : tile<{_BOX}xi32>\n"
    program, _ = lowered(_COPY.replace(plain, parts + f"  %jump = addi %a, %b : tile<{_BOX}xi32>\n"))
    x, y = rng.standard_normal(1000, np.float32), np.zeros((_ROWS, _COLUMNS), np.float32)
    program.copy[1](x, y, 20)
    rows, columns = np.mgrid[:_ROWS, :_COLUMNS]
    np.testing.assert_array_equal(y, x[rows * (20 + 21) + columns])


def test_row_strides_of_run_time(rng: np.random.Generator) -> None:
    program = tw.compile(_COPY)
    assert "memref.from_address" in program.copy.ir("tile")
    x = rng.standard_normal(1000, np.float32)
    last = 900
    for stride in (0, 1, 5, 17, 100, -3, -100):
        y = np.full((_ROWS, _COLUMNS), np.nan, np.float32)
        start = last if stride < 0 else 0
        program.copy[1](x[start:], y, stride)
        rows, columns = np.mgrid[:_ROWS, :_COLUMNS]
        np.testing.assert_array_equal(y, x[start + rows * stride + columns], err_msg=f"stride {stride}")


_TAIL = """
entry @tail(%x: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %width = constant <i32: 16> : tile<i32>
  %first = muli %bx, %width : tile<i32>
  %f1 = reshape %first : tile<i32> -> tile<1xi32>
  %f = broadcast %f1 : tile<1xi32> -> tile<16xi32>
  %i = iota : tile<16xi32>
  %at = addi %i, %f : tile<16xi32>
  %n1 = reshape %n : tile<i32> -> tile<1xi32>
  %ns = broadcast %n1 : tile<1xi32> -> tile<16xi32>
  %mask = cmpi less_than %at, %ns, signed : tile<16xi32> -> tile<16xi1>
  %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<16xptr<f32>>
  %p = offset %xs, %at : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
  %one = constant <f32: 1.0> : tile<16xf32>
  %t = store_ptr_tko weak %p, %one, %mask : tile<16xptr<f32>>, tile<16xf32>, tile<16xi1> -> token
  return
}
"""


def test_tiles_behind_the_end_have_no_negative_extent() -> None:
    for target in ("cpu:generic", "nvidia:sm_80"):
        program, text = lowered(_TAIL, target)
        assert "memref.from_address" in text
        x = np.zeros(64, np.float32)
        program.tail[4](x, 10)
        np.testing.assert_array_equal(x, np.arange(64) < 10)


_LESS = "  %mask = cmpi less_than %at, %ns, signed : tile<16xi32> -> tile<16xi1>\n"


@pytest.mark.parametrize("target", ["cpu:generic", "nvidia:sm_80"])
@pytest.mark.parametrize(
    ("words", "closed"),
    [
        ("less_than %at, %ns", False),
        ("less_than_or_equal %at, %ns", True),
        ("greater_than %ns, %at", False),
        ("greater_than_or_equal %ns, %at", True),
    ],
)
def test_bounds_are_open_or_closed(words: str, closed: bool, target: str) -> None:
    assert _LESS in _TAIL
    program, text = lowered(_TAIL.replace("less_than %at, %ns", words), target)
    assert "memref.from_address" in text
    for n in (-1, 0, 15, 16, 40, 63, 2**31 - 1):
        x = np.zeros(64, np.float32)
        program.tail[4](x, n)
        np.testing.assert_array_equal(x, np.arange(64) <= n if closed else np.arange(64) < n)


def test_the_least_of_two_bounds_counts() -> None:
    both = (
        _LESS.replace("%mask", "%below")
        + """  %last = constant <i32: 20> : tile<16xi32>
  %second = cmpi less_than %at, %last, signed : tile<16xi32> -> tile<16xi1>
  %mask = andi %below, %second : tile<16xi1>
"""
    )
    for text in (_TAIL.replace(_LESS, both), _TAIL.replace(_LESS, both.replace("%below, %second", "%second, %below"))):
        program, printed = lowered(text)
        assert "memref.from_address" in printed
        for n in (5, 20, 33):
            x = np.zeros(64, np.float32)
            program.tail[4](x, n)
            np.testing.assert_array_equal(x, np.arange(64) < min(n, 20))


_WRAPPING = """
entry @rows(%x: tile<ptr<f32>>, %f: tile<i8>, %n: tile<i8>) {
  %r = iota : tile<4xi8>
  %pitch = constant <i8: 16> : tile<4xi8>
  %jump = muli %r, %pitch : tile<4xi8>
  %j1 = reshape %jump : tile<4xi8> -> tile<4x1xi8>
  %jumps = broadcast %j1 : tile<4x1xi8> -> tile<4x16xi8>
  %c = iota : tile<16xi8>
  %c1 = reshape %c : tile<16xi8> -> tile<1x16xi8>
  %columns = broadcast %c1 : tile<1x16xi8> -> tile<4x16xi8>
  %f1 = reshape %f : tile<i8> -> tile<1x1xi8>
  %fs = broadcast %f1 : tile<1x1xi8> -> tile<4x16xi8>
  %n1 = reshape %n : tile<i8> -> tile<1x1xi8>
  %ns = broadcast %n1 : tile<1x1xi8> -> tile<4x16xi8>
  %mask = cmpi less_than %columns, %ns, signed : tile<4x16xi8> -> tile<4x16xi1>
  %row = addi %fs, %jumps : tile<4x16xi8>
  %at = addi %row, %columns : tile<4x16xi8>
  %half = constant <i32: 128> : tile<i32>
  %middle = offset %x, %half : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %x1 = reshape %middle : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %xs = broadcast %x1 : tile<1x1xptr<f32>> -> tile<4x16xptr<f32>>
  %p = offset %xs, %at : tile<4x16xptr<f32>>, tile<4x16xi8> -> tile<4x16xptr<f32>>
  %one = constant <f32: 1.0> : tile<4x16xf32>
  %t = store_ptr_tko weak %p, %one, %mask : tile<4x16xptr<f32>>, tile<4x16xf32>, tile<4x16xi1> -> token
  return
}
"""


@pytest.mark.parametrize("target", ["cpu:generic", "nvidia:sm_80"])
def test_whole_tiles_whose_positions_wrap(target: str) -> None:
    """No element is beyond the bound of the mask, but the addresses go round."""
    program, text = lowered(_WRAPPING, target)
    assert "memref.from_address" in text
    for first, n in ((0, 16), (100, 16), (100, 9), (-20, 16)):
        x = np.zeros(256, np.float32)
        program.rows[1](x, first, n)
        positions = (first + 16 * np.arange(4)[:, None] + np.arange(16))[:, :n].astype(np.int8)
        expected = np.zeros_like(x)
        expected[128 + positions.astype(np.int64)] = 1
        np.testing.assert_array_equal(x, expected)
