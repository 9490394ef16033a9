"""Tile IR on the CPU: printing, assertions, globals."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.machine.native import compile_text, load_object
from tilewright.runtime import reports

from .tile_ir_kernels import interpreted, program


def test_prints_come_out_after_the_launch(capsys: pytest.CaptureFixture[str]) -> None:
    body = """
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %i = iota : tile<8xi8>
    %m = reshape %i : tile<8xi8> -> tile<2x4xi8>
    %n = negi %m : tile<2x4xi8>
    %f = itof %n signed : tile<2x4xi8> -> tile<2x4xf16>
    %c = constant <i1: [true, false]> : tile<2xi1>
    %k = print_tko "%d%%: %.1f %x %d\\n", %bx, %f, %n, %c : tile<i32>, tile<2x4xf16>, tile<2x4xi8>, tile<2xi1> -> token
    print "plain "
    """
    expected = (
        "[[-0.0, -1.0, -2.0, -3.0], [-4.0, -5.0, -6.0, -7.0]] [[0, ff, fe, fd], [fc, fb, fa, f9]] [1, 0]\n"
    ).replace("-0.0", "0.0", 1)
    for level in (0, 2):
        compiled = tw.Program.from_bytes(program(body, "", level).to_bytes())
        compiled.k[1]()
        assert capsys.readouterr().out == f"0%: {expected}plain "
        compiled.k[3]()
        assert sorted(capsys.readouterr().out.replace("plain ", "").splitlines()) == [
            f"{k}%: {expected}".strip() for k in range(3)
        ]
    interpreted(body, "", 1)
    assert capsys.readouterr().out == f"0%: {expected}plain "


ASSERTS = """
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %i = iota : tile<8xi32>
    %m = reshape %i : tile<8xi32> -> tile<2x4xi32>
    %x1 = reshape %bx : tile<i32> -> tile<1x1xi32>
    %x = broadcast %x1 : tile<1x1xi32> -> tile<2x4xi32>
    %s = addi %m, %x : tile<2x4xi32>
    %seven = constant <i32: 7> : tile<2x4xi32>
    %c = cmpi less_than_or_equal %s, %seven, signed : tile<2x4xi32> -> tile<2x4xi1>
    assert %c, "at most seven" : tile<2x4xi1>
    %one = constant <i32: 1> : tile<i32>
    %d = cmpi less_than_or_equal %bx, %one, signed : tile<i32> -> tile<i1>
    assert %d, "first two" : tile<i1>
    %p = offset %out, %bx : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token
    """


def test_failed_assertions_are_errors_after_the_launch() -> None:
    for level in (0, 2):
        kernel, out = program(ASSERTS, "%out: tile<ptr<i32>>", level).k, np.zeros(3, np.int32)
        kernel[1](out)
        with pytest.raises(tw.CompileError) as caught:
            kernel[3](out)
        assert sorted(d.message for d in caught.value.diagnostics) == [
            "at most seven at [1, 2], [1, 3] (tile block 2, 0, 0)",
            "at most seven at [1, 3] (tile block 1, 0, 0)",
            "first two (tile block 2, 0, 0)",
        ]
        assert {d.code for d in caught.value.diagnostics} == {"R032"}
        assert all(str(d.location).partition(":")[2].startswith(("12:", "15:")) for d in caught.value.diagnostics)
        assert (out == 1).all()
        kernel[1](out)
    with pytest.raises(tw.CompileError, match="at most seven"):
        interpreted(ASSERTS, "%out: tile<ptr<i32>>", 3, np.zeros(3, np.int32))


SCARCE = """
declare ptr @malloc(i64)
define ptr @scarce(i64 %size) {
  %few = icmp ult i64 %size, 100
  br i1 %few, label %some, label %none
some:
  %found = call ptr @malloc(i64 %size)
  ret ptr %found
none:
  ret ptr null
}
"""


def test_reports_without_memory_are_missed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    given = reports.report_symbols()
    scarce = load_object(compile_text(SCARCE), ["scarce"], symbols=given)
    monkeypatch.setattr(reports, "report_symbols", lambda: {"malloc": scarce.address("scarce")})
    body = """
    %i = iota : tile<64xi32>
    %j = addi %i, %i : tile<64xi32>
    %k = print_tko "%d", %j : tile<64xi32> -> token
    %one = constant <i32: 1> : tile<i32>
    %l = print_tko "one: %d", %one : tile<i32> -> token
    %c = cmpi equal %j, %i, signed : tile<64xi32> -> tile<64xi1>
    assert %c, "all" : tile<64xi1>
    """
    compiled = program(body, "")
    for _ in range(2):
        with pytest.raises(MemoryError, match="kernel k: there was no memory for 6 of its prints, failed assert"):
            compiled.k[3]()
        assert capsys.readouterr().out == "one: 1" * 3
    failing = program(f'{body}\n%f = constant <i1: false> : tile<i1>\nassert %f, "never" : tile<i1>', "")
    with pytest.raises(tw.CompileError, match="never") as caught:
        failing.k[1]()
    assert "no memory for 2" in caught.value.__notes__[0]


def test_globals_live_as_long_as_the_program() -> None:
    text = """cuda_tile.module @m {
    global @count <i32: [10, 20]> : tile<2xi32>
    entry @k(%out: tile<ptr<i32>>) {
      %g = get_global @count : tile<ptr<i32>>
      %one = constant <i32: 1> : tile<i32>
      %old, %t = atomic_rmw_tko relaxed device %g, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %u = store_ptr_tko weak %out, %old token = %t : tile<ptr<i32>>, tile<i32> -> token
    }
    entry @last(%out: tile<ptr<i32>>) {
      %g = get_global @count : tile<ptr<i32>>
      %one = constant <i32: 1> : tile<i32>
      %p = offset %g, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
      %u = store_ptr_tko weak %out, %v token = %t : tile<ptr<i32>>, tile<i32> -> token
    }
    }"""
    compiled, out = tw.compile(text, cache=False), np.zeros(1, np.int32)
    for expected in (10, 11):
        compiled.k[1](out)
        assert out[0] == expected
    compiled.last[1](out)
    assert out[0] == 20
    tw.compile(text, cache=False).k[1](out)
    assert out[0] == 10
