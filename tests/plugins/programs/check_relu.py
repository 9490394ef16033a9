"""`relu` of the plug-in in the tensor language: read, printed, refused, interpreted, compiled; against NumPy."""

from __future__ import annotations

import sys
from math import prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.frontends.tensor_language import format_source, print_module

TARGETS = ("interpreter", "cpu", "cpu:generic")
DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "f16": np.float16}


def check(dtype: str, memrefs: tuple[str, str], shape: tuple[int, ...], modifiers: str, alpha: int, beta: int) -> None:
    a: NDArray[Any] = np.array([n * 7 % 23 - 11 for n in range(prod(shape))], DTYPES[dtype]).reshape(shape, order="F")
    start = np.array((a.T if ".t" in modifiers else a) * 3 + 1, a.dtype, order="F")
    text = (
        f"func @k(%A: {memrefs[0]}, %B: {memrefs[1]}) {{\n"
        f"    %a = constant {alpha}{'.0' if dtype[0] == 'f' else ''} : {dtype}\n"
        f"    %b = constant {beta}{'.0' if dtype[0] == 'f' else ''} : {dtype}\n"
        f"    relu{modifiers} %a, %A, %b, %B\n}}\n"
    )
    wanted = alpha * np.maximum(a.T if ".t" in modifiers else a, 0) + beta * start
    for target in TARGETS:
        for level in (0, 2):
            out = start.copy(order="F")
            tw.compile(text, target=target, level=level).k[1](a, out)
            assert np.array_equal(out, wanted.astype(a.dtype)), (target, level, text, out, wanted)
    module = read_module(Source("k.tl", text), Report())
    printed = print_module(module)
    assert f"relu{modifiers} " in printed
    assert print_module(read_module(Source("again.tl", printed), Report())) == printed
    assert format_source(Source("k.tl", text), Report()) == text


def answers() -> None:
    check("f32", ("memref<f32x6x5>", "memref<f32x6x5>"), (6, 5), "", 1, 0)
    check("f32", ("memref<f32x?x?>", "memref<f32x?x?>"), (70, 33), "", 2, 1)
    check("f32", ("memref<f32x7x40>", "memref<f32x40x7>"), (7, 40), ".t", 1, 0)
    check("f32", ("memref<f32x?>", "memref<f32x?>"), (1000,), ".atomic", 1, 1)
    check("f32", ("memref<f32x3x4>", "memref<f32x4x3>"), (3, 4), ".atomic.t", 3, 1)
    check("f32", ("memref<f32>", "memref<f32>"), (), "", 2, 1)
    for dtype in DTYPES:
        check(dtype, (f"memref<{dtype}x9x4>", f"memref<{dtype}x9x4>"), (9, 4), "", 2, 1)


def refusals() -> None:
    for memrefs, line, code in [
        (("memref<f32x6x5>", "memref<f32x5x6>"), "relu %o, %A, %o, %B", "V39"),
        (("memref<f32x6x5x2>", "memref<f32x6x5x2>"), "relu %o, %A, %o, %B", "V39"),
        (("memref<f64x6x5>", "memref<f32x6x5>"), "relu %o, %A, %o, %B", "V39"),
        (("memref<c32x6x5>", "memref<c32x6x5>"), "relu %o, %A, %o, %B", "V39"),
        (("memref<f32x6x5>", "memref<f32x6x5>"), "relu.x %o, %A, %o, %B", "V2"),
        (("memref<f32x6x5>", "memref<f32x6x5>"), "relu %o, %A, %o", "V1"),
        (("memref<f32x6x5>", "memref<f32x6x5>"), "relo %o, %A, %o, %B", "V2"),
    ]:
        text = f"func @k(%A: {memrefs[0]}, %B: {memrefs[1]}) {{\n %o = constant 1.0 : f32\n {line}\n}}\n"
        with pytest.raises(tw.CompileError) as caught:
            tw.compile(text)
        assert caught.value.diagnostics[0].code == code, (text, str(caught.value))


def overlaps() -> None:
    """In place it may work; transposed it may not, and the launch of unequal extents is refused."""
    constants = "%o = constant 1.0 : f32\n %z = constant 0.0 : f32"
    text = f"func @k(%A: memref<f32x5x5>) {{{{\n {constants}\n relu{{}} %o, %A, %z, %A\n}}}}\n"
    for modifiers, codes in (("", []), (".t", ["V42"])):
        report = Report()
        read_module(Source("k.tl", text.format(modifiers)), report)
        assert [finding.code for finding in report.diagnostics] == codes
    dynamic = "func @k(%A: memref<f32x?>, %B: memref<f32x?>) {\n %o = constant 1.0 : f32\n relu %o, %A, %o, %B\n}\n"
    with pytest.raises(tw.LaunchError, match="extent"):
        tw.compile(dynamic).k[1](np.zeros(4, np.float32), np.zeros(5, np.float32))


def nvidia() -> None:
    text = "func @k(%A: memref<f32x?>, %B: memref<f32x?>) {\n %o = constant 1.0 : f32\n relu %o, %A, %o, %B\n}\n"
    assert ".entry" in tw.compile(text, target="nvidia:sm_80").text("ptx")


PARTS = (answers, refusals, overlaps, nvidia)

if __name__ == "__main__":
    for part in PARTS:
        if part.__name__ in (sys.argv[2:] or [part.__name__]):
            part()
