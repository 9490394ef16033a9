"""Integers known while a text is read, against what LLVM itself computes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
import pytest

from tilewright.diagnostics import Report, Source
from tilewright.frontends.tlx.codes import CODES
from tilewright.frontends.tlx.llvm.folding import Constants, Known
from tilewright.frontends.tlx.llvm.reader import read_module
from tilewright.frontends.tlx.llvm.structure import check_structure
from tilewright.machine.native import compile_text, load_object

BINARY = ("add", "sub", "mul", "and", "or", "xor")
SHIFTS = ("shl", "lshr", "ashr")
RELATIONS = ("eq", "ne", *(f"{sign}{way}" for sign in "su" for way in ("gt", "ge", "lt", "le")))


def known(text: str) -> dict[str, Known]:
    """What is known of the names of the one function of a text."""
    report, source = Report(), Source("k.ll", text)
    module = read_module(source, report, CODES)
    [(function, structure)] = check_structure(module, source, report, CODES)
    assert not report.has_errors, [str(d) for d in report.in_order]
    return Constants(module, function, structure).known


def run(text: str, count: int) -> list[int]:
    """What LLVM's code for `void @k(ptr %out)` stores to so many 64-bit integers."""
    loaded = load_object(compile_text(text), ["k"])
    out = np.zeros(count, np.int64)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(loaded.address("k"))(out.ctypes.data)
    return out.tolist()


def stored(lines: Sequence[str], results: Sequence[tuple[str, str]]) -> str:
    """A function that computes something, and stores named results of integer types sign-extended; i1 is 0 or 1."""
    text = ["define void @k(ptr %out) {", *lines]
    for k, (name, type_) in enumerate(results):
        extended = f"%{name}.wide"
        if type_ == "i64":
            extended = f"%{name}"
        else:
            text.append(f"  {extended} = {'zext' if type_ == 'i1' else 'sext'} {type_} %{name} to i64")
        text += [f"  %{name}.at = getelementptr i64, ptr %out, i64 {k}", f"  store i64 {extended}, ptr %{name}.at"]
    return "\n".join([*text, "  ret void", "}\n"])


def check(lines: Sequence[str], results: Sequence[tuple[str, str]]) -> None:
    text = stored(lines, results)
    found = known(text)
    assert [found.get(name) for name, _ in results] == run(text, len(results))


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_arithmetic_relations_and_conversions(bits: int, rng: np.random.Generator) -> None:
    lines: list[str] = []
    results: list[tuple[str, str]] = []
    edges = [0, 1, -1, -(1 << bits - 1), (1 << bits - 1) - 1]
    for k in range(8):
        a, b = (int(rng.choice(edges)) if rng.random() < 0.5 else int(rng.integers(-99, 99)) for _ in range(2))
        count = int(rng.integers(0, bits))
        for name in BINARY:
            lines.append(f"  %{name}{k} = {name} i{bits} {a}, {b}")
            results.append((f"{name}{k}", f"i{bits}"))
        for name in SHIFTS:
            lines.append(f"  %{name}{k} = {name} i{bits} {a}, {count}")
            results.append((f"{name}{k}", f"i{bits}"))
        for name in RELATIONS:
            lines.append(f"  %{name}{k} = icmp {name} i{bits} {a}, {b}")
            results.append((f"{name}{k}", "i1"))
        for name, to in [("trunc", 8 if bits > 8 else 1), *([("zext", 64), ("sext", 64)] if bits < 64 else [])]:
            lines.append(f"  %{name}{k} = {name} i{bits} {a} to i{to}")
            results.append((f"{name}{k}", f"i{to}"))
        lines.append(f"  %select{k} = select i1 %eq{k}, i{bits} {a}, i{bits} {b}")
        results.append((f"select{k}", f"i{bits}"))
    check(lines, results)


def test_elements_of_vectors() -> None:
    lines = [
        "  %v = add <4 x i32> <i32 1, i32 2, i32 3, i32 4>, <i32 10, i32 20, i32 30, i32 -40>",
        "  %w = insertelement <4 x i32> %v, i32 7, i32 2",
        "  %s = shufflevector <4 x i32> %v, <4 x i32> %w, <3 x i32> <i32 6, i32 3, i32 1>",
        *(f"  %e{k} = extractelement <3 x i32> %s, i32 {k}" for k in range(3)),
    ]
    check(lines, [(f"e{k}", "i32") for k in range(3)])


def test_what_paths_agree_on_is_known() -> None:
    text = """define void @k(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %same = phi i32 [ 3, %entry ], [ 3, %a ]
  %other = phi i32 [ 3, %entry ], [ 4, %a ]
  ret void
}
"""
    assert known(text) == {"same": 3}
