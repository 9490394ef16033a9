"""Loops that run several iterations at once do what they do one iteration after the other, to the element."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import tilewright as tw
from tilewright.diagnostics import Report, Source
from tilewright.dialects.builtin import Kernel
from tilewright.frontends.tensor_language import parse
from tilewright.interpreter import KernelError, interpret

SIZES = "attributes{subgroup_size=1,work_group_size=[1,1]}"
LOOPS = {
    "independent": "affine.for %i = 0 to 40 { %v = affine.load %X[%i] : M  %s = arith.addi %v, %v : i32\n"
    "affine.store %s, %Y[39 - %i] : M }",
    "running sum": "affine.for %i = 1 to 40 { %v = affine.load %X[%i - 1] : M  %u = affine.load %X[%i] : M\n"
    "%s = arith.addi %v, %u : i32  affine.store %s, %X[%i] : M }",
    "read ahead": "affine.for %i = 0 to 39 { %v = affine.load %X[%i + 1] : M  affine.store %v, %X[%i] : M }",
    "reversed in place": "affine.for %i = 0 to 40 { %v = affine.load %X[39 - %i] : M  affine.store %v, %X[%i] : M }",
    "halves": "affine.for %i = 0 to 20 { %v = affine.load %X[%i + 20] : M  affine.store %v, %X[%i] : M }",
    "one element by all": "affine.for %i = 0 to 40 { %v = affine.load %X[%i] : M  affine.store %v, %Y[7] : M }",
    "each its own twice": "affine.for %i = 0 to 40 { %v = affine.load %X[%i] : M  %s = arith.muli %v, %v : i32\n"
    "affine.store %s, %X[%i] : M  %u = affine.load %X[%i] : M  affine.store %u, %Y[%i] : M }",
    "outer carries": "affine.for %i = 1 to 5 { affine.for %j = 0 to 8 { %v = affine.load %X[%i * 8 + %j - 8] : M\n"
    "%u = affine.load %X[%i * 8 + %j] : M  %s = arith.addi %v, %u : i32  affine.store %s, %X[%i * 8 + %j] : M } }",
    "inner carries": "affine.for %i = 0 to 8 { affine.for %j = 1 to 5 { %v = affine.load %X[%i * 5 + %j - 1] : M\n"
    "affine.store %v, %X[%i * 5 + %j] : M } }",
    "triangle": "affine.for %i = 0 to 20 { affine.for %j = 0 to affine_map<(d0) -> (d0 floordiv 4)>(%i) {\n"
    "%v = affine.load %X[%i * 2 - %j] : M  %u = affine.load %Y[%i] : M  %s = arith.addi %u, %v : i32\n"
    "affine.store %s, %Y[%i] : M } }",
    "carried inside": "affine.for %i = 0 to 20 { %z = arith.constant 0 : i32\n"
    "%r = affine.for %j = 0 to 2 iter_args(%a = %z) -> (i32) { %v = affine.load %X[%i * 2 + %j] : M\n"
    "%s = arith.addi %a, %v : i32  affine.yield %s : i32 }  affine.store %r, %Y[%i] : M }",
    "branches": "affine.for %i = 0 to 40 { %v = affine.load %X[%i] : M  %z = arith.constant 0 : i32\n"
    "%c = arith.cmpi slt, %v, %z : i32  %r = scf.if %c -> (i32) { %n = arith.subi %z, %v : i32  scf.yield %n : i32 }\n"
    "else { affine.store %v, %Y[%i] : M  scf.yield %v : i32 }  affine.store %r, %X[%i] : M }",
    "clash behind two writes": "affine.for %i = 0 to 40 { %v = affine.load %X[%i] : M  %s = arith.addi %v, %v : i32\n"
    "affine.store %s, %X[%i] : M  %u = affine.load %X[%i] : M  %w = arith.muli %u, %u : i32\n"
    "affine.store %w, %X[%i] : M  affine.store %v, %Y[%i - %i floordiv 39] : M }",
    "clash of the last two": "affine.for %i = 0 to 40 { %v = affine.load %X[%i] : M\n"
    "affine.store %v, %Y[%i - %i floordiv 39] : M }",
}


def kernel(text: str) -> Kernel:
    """A kernel of the tensor language of one work-item."""
    report = Report()
    module = parse(Source("k.tl", text.replace("SIZES", SIZES)), report)
    report.raise_if_errors()
    assert module is not None
    return module.kernels[0]


def both_ways(body: str, arrays: Sequence[np.ndarray]) -> list[list[np.ndarray]]:
    """What a loop makes of arrays, at once where that is the same, and one iteration after the other."""
    text = f"func.func @f(%X: M, %Y: M) {{ {body}  return }}".replace("M", "memref<40xi32>")
    found: list[list[np.ndarray]] = []
    for checked in (False, True):
        given = [array.copy() for array in arrays]
        tw.compile(text, target="interpreter", checked=checked).f[1](*given)
        found.append(given)
    return found


@pytest.mark.parametrize("name", LOOPS)
def test_as_one_after_the_other(name: str, rng: np.random.Generator) -> None:
    arrays = [rng.integers(-100, 100, 40, np.int32) for _ in range(2)]
    at_once, in_order = both_ways(LOOPS[name], arrays)
    assert all(map(np.array_equal, at_once, in_order))


def test_against_numpy(rng: np.random.Generator) -> None:
    x, y = (rng.integers(-100, 100, 40, np.int32) for _ in range(2))
    assert np.array_equal(both_ways(LOOPS["running sum"], [x, y])[0][0], x.cumsum())
    assert np.array_equal(both_ways(LOOPS["halves"], [x, y])[0][0], np.concatenate([x[20:], x[20:]]))
    assert np.array_equal(both_ways(LOOPS["independent"], [x, y])[0][1], 2 * x[::-1])
    mirrored = np.concatenate([x[:19:-1], x[20:]])
    assert np.array_equal(both_ways(LOOPS["reversed in place"], [x, y])[0][0], mirrored)


def test_elements_of_two_sizes_in_one_memory() -> None:
    """A global array seen as i8 and as i32 is one memory, whose bytes are told apart: here the second of each four."""
    text = """func @k(%x: memref<i32x?>, %y: memref<i8x?>) SIZES {
        %one = constant 1 : index
        %three = constant 3 : index
        %four = constant 4 : index
        %n = constant 40 : index
        %byte = constant 256 : i32
        for %i=%one,%n {
            %at = mul %i, %four : index
            %before = sub %at, %three : index
            %v = load %y[%before] : i8
            %w = cast %v : i32
            %u = mul %w, %byte : i32
            %s = add %u, %byte : i32
            store %s, %x[%i]
        }
    }"""
    memory = np.zeros(160, np.int8)
    interpret(kernel(text), [memory.view(np.int32), memory])
    assert np.array_equal(memory.view(np.int32), 256 * np.arange(40))


def test_all_lanes_are_undone() -> None:
    """The clash is of iterations far behind the first lanes that run together."""
    text = """func.func @f(%X: M, %Y: M) { affine.for %i = 0 to 9000 { %v = affine.load %X[%i] : M
        %s = arith.addi %v, %v : i32
        affine.store %s, %X[%i] : M
        affine.store %v, %Y[%i - %i floordiv 8999] : M } return }""".replace("M", "memref<9000xi32>")
    x, y = np.arange(9000, dtype=np.int32), np.zeros(9000, np.int32)
    tw.compile(text, target="interpreter").f[1](x, y)
    assert np.array_equal(x, 2 * np.arange(9000))
    assert y[-2:].tolist() == [8999, 0]


def test_all_that_an_iteration_has_is_run() -> None:
    """Two loops in one, with nothing behind them."""
    text = """func @k(%x: memref<i32x8x8>) SIZES {
        %zero = constant 0 : index
        %four = constant 4 : index
        %eight = constant 8 : index
        %one = constant 1 : i32
        for %i=%zero,%eight {
            for %j=%zero,%four { store %one, %x[%i,%j] }
            for %j=%four,%eight { store %one, %x[%i,%j] }
        }
    }"""
    x = np.zeros((8, 8), np.int32, order="F")
    interpret(kernel(text), [x])
    assert (x == 1).all()


def test_a_fault_in_the_middle_leaves_what_was_done_before_it() -> None:
    text = """func @k(%x: memref<i32x?>, %n: index) SIZES {
        %zero = constant 0 : index
        %one = constant 1 : i32
        for %i=%zero,%n { store %one, %x[%i] }
    }"""
    x = np.zeros(6, np.int32)
    with pytest.raises(KernelError) as caught:
        interpret(kernel(text), [x, 9])
    (found,) = caught.value.diagnostics
    assert found.code == "R010"
    assert "index [6] is outside %x" in found.message
    assert x.tolist() == [1] * 6


@pytest.mark.parametrize("n", [1 << 33, 1 << 62])
def test_more_iterations_than_can_be_counted_fail_where_they_do(n: int) -> None:
    text = f"""func @k(%x: memref<i32x8x8>) SIZES {{
        %zero = constant 0 : index
        %n = constant {n} : index
        %one = constant 1 : i32
        for %i=%zero,%n {{ for %j=%zero,%n {{ store %one, %x[%i,%j] }} }}
    }}"""
    x = np.zeros((8, 8), np.int32, order="F")
    with pytest.raises(KernelError) as caught:
        interpret(kernel(text), [x])
    assert "index [0, 8] is outside %x" in caught.value.diagnostics[0].message
    assert x[0].tolist() == [1] * 8


def test_the_limit_on_operations_tells_of_the_time_that_many_lanes_take() -> None:
    text = """func @k(%x: memref<i32x8388608>) SIZES {
        %zero = constant 0 : index
        %n = constant 8388608 : index
        %one = constant 1 : i32
        for %i=%zero,%n { store %one, %x[%i] }
    }"""
    with pytest.raises(KernelError) as caught:
        interpret(kernel(text), [np.zeros(1 << 23, np.int32)], fuel=30_000)
    assert [found.code for found in caught.value.diagnostics] == ["R021"]


def test_what_is_undone_is_not_written() -> None:
    """Local memory that a later iteration writes holds nothing before it."""
    text = """func @k(%x: memref<i32x40>) SIZES {
        %zero = constant 0 : index
        %five = constant 5 : index
        %n = constant 40 : index
        %one = constant 1 : i32
        %l = alloca : memref<i32x1,local>
        for %i=%zero,%n {
            %c = equal %i, %five : bool
            if %c { store %one, %l[%zero] }
            %v = load %l[%zero] : i32
            store %v, %x[%i]
        }
    }"""
    with pytest.raises(KernelError) as caught:
        interpret(kernel(text), [np.zeros(40, np.int32)])
    assert [found.code for found in caught.value.diagnostics] == ["R011"]


@pytest.mark.parametrize(("at", "runs"), [("%i", True), ("%zero", False)])
def test_iterations_that_leave_each_other_alone_run_at_once(at: str, runs: bool) -> None:
    """The limit on operations shows it: a thousand iterations take those of a few."""
    text = f"""func @k(%x: memref<i32x?>) SIZES {{
        %zero = constant 0 : index
        %n = constant 1000 : index
        %one = constant 1 : i32
        for %i=%zero,%n {{ store %one, %x[{at}] }}
    }}"""
    x = np.zeros(1000, np.int32)
    if runs:
        interpret(kernel(text), [x], fuel=20)
        assert (x == 1).all()
        return
    with pytest.raises(KernelError):
        interpret(kernel(text), [x], fuel=20)
