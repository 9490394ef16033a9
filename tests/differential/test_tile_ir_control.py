"""Tile IR on the CPU: branches, and loops that are left."""

from __future__ import annotations

import numpy as np

from .tile_ir_kernels import run


def scalar_kernel(body: str) -> str:
    """A kernel whose scalar %r goes to the element of its tile block."""
    return (
        "%bx, %by, %bz = get_tile_block_id : tile<i32>\n%c0 = constant <i32: 0> : tile<i32>\n"
        "%c1 = constant <i32: 1> : tile<i32>\n"
        "%p = offset %out, %bx : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
        + body
        + "%st = store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token\n"
    )


def collatz(n: int) -> int:
    steps = 0
    while n > 1:
        n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
    return steps


def test_loop_with_break_and_continue() -> None:
    body = """
    %c2 = constant <i32: 2> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %r = loop iter_values(%n = %bx, %k = %c0) : tile<i32>, tile<i32> -> tile<i32> {
      %done = cmpi less_than_or_equal %n, %c1, signed : tile<i32> -> tile<i1>
      if %done {
        break %k : tile<i32>
      }
      %k1 = addi %k, %c1 : tile<i32>
      %bit = andi %n, %c1 : tile<i32>
      %even = cmpi equal %bit, %c0, signed : tile<i32> -> tile<i1>
      if %even {
        %half = divi %n, %c2 signed : tile<i32>
        continue %half, %k1 : tile<i32>, tile<i32>
      }
      %m = muli %n, %c3 : tile<i32>
      %m1 = addi %m, %c1 : tile<i32>
      continue %m1, %k1 : tile<i32>, tile<i32>
    }
    """
    out = np.full(40, -1, np.int32)
    run(scalar_kernel(body), "%out: tile<ptr<i32>>", 40, out)
    np.testing.assert_array_equal(out, [collatz(n) for n in range(40)])


def test_return_inside_nested_ifs() -> None:
    body = """
    %c5 = constant <i32: 5> : tile<i32>
    %c9 = constant <i32: 9> : tile<i32>
    %small = cmpi less_than %bx, %c9, signed : tile<i32> -> tile<i1>
    %x = if %small -> (tile<i32>) {
      %five = cmpi equal %bx, %c5, signed : tile<i32> -> tile<i1>
      if %five { return }
      yield %c1 : tile<i32>
    } else {
      yield %bx : tile<i32>
    }
    %r = addi %x, %bx : tile<i32>
    """
    out = np.full(12, -1, np.int32)
    run(scalar_kernel(body), "%out: tile<ptr<i32>>", 12, out)
    np.testing.assert_array_equal(out, [-1 if b == 5 else b + (1 if b < 9 else b) for b in range(12)])


def test_continue_inside_a_for_and_carried_tiles() -> None:
    body = """
    %c10 = constant <i32: 10> : tile<i32>
    %zeros = constant <i32: 0> : tile<64xi32>
    %i = iota : tile<64xi32>
    %v = for %k in (%c0 to %c10, step %c1) : tile<i32> iter_values(%acc = %zeros) -> (tile<64xi32>) {
      %bit = andi %k, %c1 : tile<i32>
      %odd = cmpi equal %bit, %c1, signed : tile<i32> -> tile<i1>
      if %odd { continue %acc : tile<64xi32> }
      %next = addi %acc, %i : tile<64xi32>
      continue %next : tile<64xi32>
    }
    %s = reduce %v dim=0 identities=[0 : i32] : tile<64xi32> -> tile<i32> (%e: tile<i32>, %f: tile<i32>) {
      %g = addi %e, %f : tile<i32>
      yield %g : tile<i32>
    }
    %r = addi %s, %bx : tile<i32>
    """
    out = np.full(3, -1, np.int32)
    run(scalar_kernel(body), "%out: tile<ptr<i32>>", 3, out)
    np.testing.assert_array_equal(out, [5 * 2016 + b for b in range(3)])
