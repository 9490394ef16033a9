"""Scratch memory of a thread: pieces that are held at one time lie apart, aligned for any vector."""

from __future__ import annotations

import random

import numpy as np

from targets.cpu.entry import Entry
from tilewright.targets.cpu.workspace import Workspace


def test_reserved_pieces_lie_apart(seed: int) -> None:
    rnd = random.Random(seed)
    layout = Workspace(100)
    pieces = [(0, 100)]
    for _ in range(50):
        size = rnd.randint(1, 1000)
        pieces.append((layout.reserve(size), size))
    ends = [start + size for start, size in pieces]
    assert all(start >= end for end, (start, _) in zip(ends, pieces[1:], strict=False))
    assert all(start % 128 == 0 for start, _ in pieces)
    assert layout.size == ends[-1]


def test_borrowed_pieces_lie_apart_until_they_are_free(seed: int) -> None:
    rnd = random.Random(seed)
    layout = Workspace(0)
    kept = [(layout.reserve(300), 300)]
    for _ in range(30):
        held = list(kept)
        with layout.passing():
            for _ in range(rnd.randint(1, 5)):
                size = rnd.randint(1, 600)
                start = layout.borrow(size)
                assert start + size <= layout.size
                assert all(start >= s + n or start + size <= s for s, n in held), "two share a piece"
                held.append((start, size))
            with layout.passing():
                inner = layout.borrow(64)
                assert all(inner >= s + n or inner + 64 <= s for s, n in held)
    assert layout.size < 30 * 600, "what is free is borrowed again"


def test_local_parameters_and_allocations_lie_apart() -> None:
    """Each is filled with a number of its own before any is read."""
    places = {"a": ("i8", 200), "b": ("f64", 20), "c": ("i16", 3), "p": ("f32", 30), "q": ("i8", 7)}
    parameters = ", ".join(f"%{n}: memref<{d}x{k},local>" for n, (d, k) in places.items() if n in "abc")
    lines = [
        "%p = memref.alloca {offset = 0} -> memref<f32x30,local>",
        "%q = memref.alloca {offset = 128} -> memref<i8x7,local>",
        "%z = arith.constant {value = 0} -> index",
        "%one = arith.constant {value = 1} -> index",
    ]
    for number, (name, (dtype, count)) in enumerate(places.items(), 1):
        text = str(number) if dtype[0] == "i" else f"{number}.0"
        lines += [
            f"%v{name} = arith.constant {{value = {text}}} -> {dtype}",
            f"%e{name} = arith.constant {{value = {count}}} -> index",
            f"scf.for %z, %e{name} {{operand_segments = [1, 1, 0, 0]}} (%k{name}: index) {{",
            f"memref.store %v{name}, %{name}, %k{name}",
            "}",
        ]
    for number, (name, (dtype, _)) in enumerate(places.items()):
        lines += [
            f"%at{name} = arith.constant {{value = {number}}} -> index",
            f"scf.for %z, %e{name} {{operand_segments = [1, 1, 0, 0]}} (%j{name}: index) {{",
            f"%x{name} = memref.load %{name}, %j{name} -> {dtype}",
            f"%w{name} = arith.cast %x{name} -> i64",
            f"%old{name} = memref.load %out, %at{name} -> i64",
            f"%sum{name} = arith.add %old{name}, %w{name} -> i64",
            f"memref.store %sum{name}, %out, %at{name}",
            "}",
        ]
    head = 'sym_name = "k", subgroup_size = 1, work_group_size = [1, 1], local_bytes = 135'
    body = "\n".join(lines)
    run = Entry(f"builtin.module {{ builtin.kernel {{{head}}} ({parameters}, %out: memref<i64x5>) {{\n{body}\n}} }}")
    out = np.zeros(5, np.int64)
    run({"out": out})
    assert out.tolist() == [number * count for number, (_, count) in enumerate(places.values(), 1)]
