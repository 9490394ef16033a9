"""Tile IR on the CPU: loads, stores and updates through pointers, which may be to the same memory."""

# ruff: noqa: E501 - lines of kernels stay in one piece

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilewright as tw

from .tile_ir_kernels import POSITIONS, Array, load, params, pointers, program, run, spread, store, text_of


def test_vector_add_with_pointers(rng: np.random.Generator) -> None:
    n = 1000
    x, y = rng.random(n, np.float32), rng.random(n, np.float32)
    out = np.full(n + 70, 7, np.float32)
    body = POSITIONS + "".join(pointers(a, "f32") for a in ("x", "y", "out"))
    body += load("x", "f32") + load("y", "f32") + "%r = addf %xv, %yv : tile<64xf32>\n" + store("out", "r", "f32")
    run(body, params("f32", "f32", "f32"), -(-n // 64), n, x, y, out)
    np.testing.assert_array_equal(out[:n], x + y)
    assert (out[n:] == 7).all()


def test_masked_elements_are_the_padding(rng: np.random.Generator) -> None:
    n = 37
    x, out = rng.random(n, np.float32), np.zeros(64, np.float32)
    body = POSITIONS + pointers("x", "f32") + pointers("out", "f32") + "%pad = constant <f32: 3.5> : tile<64xf32>\n"
    body += load("x", "f32", padding="pad") + store("out", "xv", "f32", mask=False)
    run(body, params("f32", "f32"), 1, n, x, out)
    np.testing.assert_array_equal(out, np.concatenate([x, np.full(64 - n, 3.5, np.float32)]))


def test_positions_that_wrap_are_gathered(rng: np.random.Generator) -> None:
    """Positions from 2^31 - 32 on: the upper half wraps to negative ones, and only that half is accessed."""
    x, out = rng.random(32, np.float32), np.zeros(64, np.float32)
    body = "%i = iota : tile<64xi32>\n" + spread("starts", "n", "i32", 64)
    body += "%at = addi %i, %starts : tile<64xi32>\n%zeros = constant <i32: 0> : tile<64xi32>\n"
    body += "%mask = cmpi less_than %at, %zeros, signed : tile<64xi32> -> tile<64xi1>\n"
    body += (
        pointers("x", "f32") + pointers("out", "f32", "i") + load("x", "f32") + store("out", "xv", "f32", mask=False)
    )
    far = tw.address(x.ctypes.data + (1 << 33), nbytes=4)
    program(body, params("f32", "f32")).k[1]((1 << 31) - 32, far, out)
    np.testing.assert_array_equal(out, np.concatenate([np.zeros(32, np.float32), x]))


def test_gather_by_computed_positions(rng: np.random.Generator) -> None:
    n = 200
    x, out = rng.integers(-100, 100, 500, np.int16), np.zeros(n, np.int16)
    index = rng.integers(0, 500, n, np.int32)
    body = POSITIONS + pointers("y", "i32") + pointers("out", "i16") + load("y", "i32")
    body += pointers("x", "i16", "yv") + load("x", "i16") + store("out", "xv", "i16")
    run(body, params("i16", "i32", "i16"), 4, n, x, index, out)
    np.testing.assert_array_equal(out, x[index])


def test_bools_in_memory_are_bytes(rng: np.random.Generator) -> None:
    n = 150
    x = rng.integers(0, 3, n).astype(np.uint8).view(np.bool_)
    y, out = rng.random(n) < 0.5, np.zeros(n, np.bool_)
    body = POSITIONS + "".join(pointers(a, "i1") for a in ("x", "y", "out"))
    body += load("x", "i1") + load("y", "i1") + "%r = xori %xv, %yv : tile<64xi1>\n" + store("out", "r", "i1")
    run(body, params("i1", "i1", "i1"), 3, n, x, y, out)
    np.testing.assert_array_equal(out.view(np.uint8), ((x.view(np.uint8) != 0) ^ y).astype(np.uint8))


# Atomics


def test_atomic_updates_count_all_elements(rng: np.random.Generator) -> None:
    n = 500
    x = rng.integers(0, 8, n, np.int32)
    out = np.zeros(8, np.int32)
    body = POSITIONS + pointers("x", "i32") + load("x", "i32") + pointers("out", "i32", "xv")
    body += "%one = constant <i32: 1> : tile<64xi32>\n"
    body += "%old, %t = atomic_rmw_tko relaxed device %outp, add, %one, %mask : "
    body += "tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> tile<64xi32>, token\n"
    run(body, params("i32", "i32"), 8, n, x, out)
    np.testing.assert_array_equal(out, np.bincount(x, minlength=8))


def test_compare_and_swap_as_a_lock() -> None:
    body = """
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    loop {
      %old, %t = atomic_cas_tko acquire device %lock, %c0, %c1 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %free = cmpi equal %old, %c0, signed : tile<i32> -> tile<i1>
      if %free { break }
      continue
    }
    %v, %u = load_ptr_tko weak %out : tile<ptr<i32>> -> tile<i32>, token
    %w = addi %v, %c1 : tile<i32>
    %s = store_ptr_tko weak %out, %w : tile<ptr<i32>>, tile<i32> -> token
    %e = store_ptr_tko release device %lock, %c0 : tile<ptr<i32>>, tile<i32> -> token
    """
    out, lock = np.zeros(1, np.int32), np.zeros(1, np.int32)
    program(body, "%lock: tile<ptr<i32>>, %out: tile<ptr<i32>>").k[1000](lock, out)
    assert out[0] == 1000
    assert lock[0] == 0


UPDATES: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "add": lambda a, b: (a + b + 2**31) % 2**32 - 2**31,
    "max": max,
    "min": min,
    "umax": lambda a, b: max(a, b, key=lambda v: v % 2**32),
    "umin": lambda a, b: min(a, b, key=lambda v: v % 2**32),
    "xchg": lambda a, b: b,
}


def test_updates_of_all_kinds(rng: np.random.Generator) -> None:
    """Each kind on 64 elements of its own, what they held behind all of them."""
    numbers = np.array([-(2**31), 2**31 - 1, -1, 0, 1, -77, 1 << 30], np.int32)
    held, values = rng.choice(numbers, 64 * len(UPDATES)), rng.choice(numbers, 64)
    body = POSITIONS + pointers("x", "i32") + load("x", "i32", mask=False)
    for k, mode in enumerate(UPDATES):
        for name, start in ((f"at{k}", 64 * k), (f"old{k}", 64 * (k + len(UPDATES)))):
            body += f"%{name}c = constant <i32: {start}> : tile<64xi32>\n%{name} = addi %at, %{name}c : tile<64xi32>\n"
            body += pointers("out", "i32", name).replace("%out", f"%{name}").replace(f"reshape %{name}", "reshape %out")
        body += f"%o{k}, %t{k} = atomic_rmw_tko relaxed device %at{k}p, {mode}, %xv : tile<64xptr<i32>>, tile<64xi32> -> tile<64xi32>, token\n"
        body += f"%s{k} = store_ptr_tko weak %old{k}p, %o{k} : tile<64xptr<i32>>, tile<64xi32> -> token\n"
    out = np.concatenate([held, np.zeros_like(held)])
    run(body, params("i32", "i32"), 1, 64, values, out)
    pairs = zip(held.reshape(-1, 64).tolist(), UPDATES.values(), strict=True)
    wanted = [[update(a, b) for a, b in zip(row, values.tolist(), strict=True)] for row, update in pairs]
    np.testing.assert_array_equal(out[: held.size].reshape(-1, 64), wanted)
    np.testing.assert_array_equal(out[held.size :], held)


@pytest.mark.parametrize(("element", "dtype"), [("i32", np.int32), ("f32", np.float32), ("i64", np.int64)])
def test_compare_and_swap_where_mask_and_bits_say_so(element: str, dtype: Any, rng: np.random.Generator) -> None:
    """Masked-out elements give what was expected; others what memory holds, which changes if those bits are equal."""
    numbers = np.array([0.0, -0.0, np.nan, 1.0, 2.0] if element == "f32" else [0, 1, 2, -1], dtype)
    n = int(rng.integers(20, 60))
    slots = rng.permutation(64).astype(np.int32)
    expected, new, held = (rng.choice(numbers, 64) for _ in range(3))
    out = np.concatenate([held, np.zeros(64, dtype)])
    tile = f"tile<64x{element}>"
    body = POSITIONS + "".join(pointers(a, "i32" if a == "x" else element) for a in "xyz")
    body += load("x", "i32", mask=False) + load("y", element, mask=False) + load("z", element, mask=False)
    body += "%skip = constant <i32: 64> : tile<64xi32>\n%behind = addi %at, %skip : tile<64xi32>\n"
    body += pointers("out", element, "xv")
    body += f"%old, %t = atomic_cas_tko relaxed device %outp, %yv, %zv, %mask : tile<64xptr<{element}>>, {tile}, tile<64xi1> -> {tile}, token\n"
    body += pointers("out", element, "behind").replace("%out", "%old").replace("reshape %old", "reshape %out")
    body += f"%s = store_ptr_tko weak %oldp, %old : tile<64xptr<{element}>>, {tile} -> token\n"
    wanted, olds = held.copy(), expected.copy()
    for lane in range(n):
        olds[lane] = held[slots[lane]]
        if olds[lane].tobytes() == expected[lane].tobytes():
            wanted[slots[lane]] = new[lane]
    again = out.copy()
    run(body, params("i32", element, element, element), 1, n, slots, expected, new, out)
    kernel = tw.compile(text_of(body, params("i32", element, element, element)), target="interpreter").k
    kernel[1](n, slots, expected, new, again)
    for found in (out, again):
        assert found.tobytes() == np.concatenate([wanted, olds]).tobytes()


def test_one_of_many_wins_a_contended_compare_and_swap() -> None:
    body = POSITIONS + "%none = constant <i32: 0> : tile<64xi32>\n%one = constant <i32: 1> : tile<64xi32>\n"
    body += "%mine = addi %at, %one : tile<64xi32>\n" + pointers("out", "i32", "none")
    body += "%old, %t = atomic_cas_tko relaxed device %outp, %none, %mine, %mask : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> tile<64xi32>, token\n"
    body += pointers("x", "i32") + store("x", "old", "i32")
    for compiled in (
        tw.compile(text_of(body, params("i32", "i32")), target=t, cache=False) for t in ("cpu", "interpreter")
    ):
        old, memory = np.zeros(256, np.int32), np.zeros(1, np.int32)
        compiled.k[4](256, old, memory)
        [winner] = np.flatnonzero(old == 0)
        assert memory[0] == winner + 1
        assert (np.delete(old, winner) == winner + 1).all()


# Two pointers may be to the same memory

ALIASING = {
    "read again": "load x a 0; twice y x; store y b 0; load z a 0; sum w z x; store w b 1",
    "kept across stores": "load x a 0; load z a 1; sum y x z; store z b 0; store y b 1; store x b 0",
    "read what was written": "load x a 0; twice y x; store y a 0; store x b 0; load z a 0; store z b 1",
}


def aliasing_body(words: str) -> str:
    tensor = "tensor_view<64xf32, strides=[1]>"
    view, t = f"partition_view<tile=(16), {tensor}>", "tile<16xf32>"
    lines = ["%c0 = constant <i32: 0> : tile<i32>", "%c1 = constant <i32: 1> : tile<i32>"]
    for name in "ab":
        lines.append(f"%t{name} = make_tensor_view %{name}, shape = [64], strides = [1] : {tensor}")
        lines.append(f"%v{name} = make_partition_view %t{name} : {view}")
    for number, line in enumerate(words.split("; ")):
        match line.split():
            case ["load", name, source, at]:
                lines.append(
                    f"%{name}, %k{number} = load_view_tko weak %v{source}[%c{at}] : {view}, tile<i32> -> {t}, token"
                )
            case ["store", name, target, at]:
                lines.append(
                    f"%k{number} = store_view_tko weak %{name}, %v{target}[%c{at}] : {t}, {view}, tile<i32> -> token"
                )
            case ["twice", name, x]:
                lines.append(f"%{name} = addf %{x}, %{x} : {t}")
            case [_, name, x, y]:
                lines.append(f"%{name} = addf %{x}, %{y} : {t}")
            case _:
                raise ValueError(line)
    return "\n".join(lines)


@pytest.mark.parametrize("words", ALIASING.values(), ids=ALIASING)
def test_pointers_may_overlap(words: str, rng: np.random.Generator) -> None:
    text = text_of(aliasing_body(words), "%a: tile<ptr<f32>>, %b: tile<ptr<f32>>")
    programs = [tw.compile(text, target="interpreter"), *(tw.compile(text, level=k, cache=False) for k in (0, 2))]
    start = rng.random(128, np.float32)
    for offset in (0, 1, 4, 13, 16, -3, -16):
        results: list[Array] = []
        for compiled in programs:
            memory = start.copy()
            compiled.k[1](memory[32:], memory[32 + offset :])
            results.append(memory)
        np.testing.assert_array_equal(results[1], results[0])
        np.testing.assert_array_equal(results[2], results[0])


def test_read_only_arrays_are_refused_where_they_are_written() -> None:
    kernel = program("%c = constant <i32: 1> : tile<i32>\n%t = store_ptr_tko weak %out, %c : tile<ptr<i32>>, tile<i32> -> token",
                     "%out: tile<ptr<i32>>").k  # fmt: skip
    out = np.zeros(1, np.int32)
    out.flags.writeable = False
    with pytest.raises(Exception, match="read-only"):
        kernel[1](out)
