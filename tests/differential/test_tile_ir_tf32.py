"""tf32 in memory is the upper 19 bits of an f32: whatever the others are, nobody sees them, on any way into a kernel."""

# ruff: noqa: E501 - lines of kernels stay in one piece

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.interpreter.engine import interpret
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget

from .tile_ir_kernels import Array, text_of

T, F = "tile<64xtf32>", "tile<64xf32>"
VIEW = "tensor_view<64xtf32, strides=[1]>"
BASE = "%z = constant <i32: 0> : tile<i32>\n%i = iota : tile<64xi32>\n"
POINTERS = (
    "%b1 = reshape %X : tile<ptr<tf32>> -> tile<1xptr<tf32>>\n%bs = broadcast %b1 : tile<1xptr<tf32>> -> tile<64xptr<tf32>>\n"
    "%p = offset %bs, %i : tile<64xptr<tf32>>, tile<64xi32> -> tile<64xptr<tf32>>\n"
)
VIEWS = f"%v = make_tensor_view %X, shape = [64], strides = [1] : {VIEW}\n"
LOADS = {
    "pointers": POINTERS + f"%x, %xt = load_ptr_tko weak %p : tile<64xptr<tf32>> -> {T}, token\n",
    "mask": POINTERS
    + f"%m = constant <i1: true> : tile<64xi1>\n%d = constant <tf32: 1.0> : {T}\n"
    + f"%x, %xt = load_ptr_tko weak %p, %m, %d : tile<64xptr<tf32>>, tile<64xi1>, {T} -> {T}, token\n",
    "relaxed": POINTERS + f"%x, %xt = load_ptr_tko relaxed device %p : tile<64xptr<tf32>> -> {T}, token\n",
    "view": VIEWS
    + f"%w = make_partition_view %v : partition_view<tile=(64), {VIEW}>\n"
    + f"%x, %xt = load_view_tko weak %w[%z] : partition_view<tile=(64), {VIEW}>, tile<i32> -> {T}, token\n",
    "gather": VIEWS
    + f"%w = make_gather_scatter_view %v : gather_scatter_view<tile=(64), {VIEW}, sparse_dim=0>\n"
    + f"%x, %xt = load_view_tko weak %w[%i] : gather_scatter_view<tile=(64), {VIEW}, sparse_dim=0>, tile<64xi32> -> {T}, token\n",
    "bytes": "%r = ptr_to_ptr %X : tile<ptr<tf32>> -> tile<ptr<i8>>\n%bytes = iota : tile<256xi32>\n"
    "%b1 = reshape %r : tile<ptr<i8>> -> tile<1xptr<i8>>\n%bs = broadcast %b1 : tile<1xptr<i8>> -> tile<256xptr<i8>>\n"
    "%p = offset %bs, %bytes : tile<256xptr<i8>>, tile<256xi32> -> tile<256xptr<i8>>\n"
    f"%c, %ct = load_ptr_tko weak %p : tile<256xptr<i8>> -> tile<256xi8>, token\n%x = unpack %c : tile<256xi8> -> {T}\n",
    "a scalar": "%s, %xt = load_ptr_tko weak %X : tile<ptr<tf32>> -> tile<tf32>, token\n"
    f"%s1 = reshape %s : tile<tf32> -> tile<1xtf32>\n%x = broadcast %s1 : tile<1xtf32> -> {T}\n",
}
STORES = (
    "%o1 = reshape %O : tile<ptr<tf32>> -> tile<1xptr<tf32>>\n%os = broadcast %o1 : tile<1xptr<tf32>> -> tile<64xptr<tf32>>\n"
    "%op = offset %os, %i : tile<64xptr<tf32>>, tile<64xi32> -> tile<64xptr<tf32>>\n"
    f"%ot = store_ptr_tko weak %op, %x : tile<64xptr<tf32>>, {T} -> token\n"
    f"%f = ftof %x : {T} -> {F}\n%a1 = reshape %A : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
    "%as = broadcast %a1 : tile<1xptr<f32>> -> tile<64xptr<f32>>\n"
    "%ap = offset %as, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>\n"
    f"%at = store_ptr_tko weak %ap, %f : tile<64xptr<f32>>, {F} -> token\n"
    f"%l = reshape %x : {T} -> tile<8x8xtf32>\n%e = constant <f32: 0.0> : tile<8x8xf32>\n"
    "%q = iota : tile<8xi32>\n%q1 = reshape %q : tile<8xi32> -> tile<8x1xi32>\n%q2 = reshape %q : tile<8xi32> -> tile<1x8xi32>\n"
    "%qr = broadcast %q1 : tile<8x1xi32> -> tile<8x8xi32>\n%qc = broadcast %q2 : tile<1x8xi32> -> tile<8x8xi32>\n"
    "%same = cmpi equal %qr, %qc, signed : tile<8x8xi32> -> tile<8x8xi1>\n"
    "%one = constant <tf32: 1.0> : tile<8x8xtf32>\n%none = constant <tf32: 0.0> : tile<8x8xtf32>\n"
    "%unit = select %same, %one, %none : tile<8x8xi1>, tile<8x8xtf32>\n"
    f"%g = mmaf %l, %unit, %e : tile<8x8xtf32>, tile<8x8xtf32>, tile<8x8xf32>\n%g1 = reshape %g : tile<8x8xf32> -> {F}\n"
    "%m1 = reshape %M : tile<ptr<f32>> -> tile<1xptr<f32>>\n%ms = broadcast %m1 : tile<1xptr<f32>> -> tile<64xptr<f32>>\n"
    "%mp = offset %ms, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>\n"
    f"%mt = store_ptr_tko weak %mp, %g1 : tile<64xptr<f32>>, {F} -> token\n"
)
PARAMETERS = "%X: tile<ptr<tf32>>, %O: tile<ptr<tf32>>, %A: tile<ptr<f32>>, %M: tile<ptr<f32>>"


def bits(values: Array) -> Array:
    return values.view(np.uint32)


@pytest.mark.parametrize("way", LOADS)
def test_what_is_loaded(way: str, rng: np.random.Generator) -> None:
    """Stored again, converted, and multiplied by the unit matrix."""
    text = text_of(BASE + LOADS[way] + STORES, PARAMETERS)
    finite = (rng.standard_normal(64) * 10.0 ** rng.integers(-9, 10, 64)).astype(np.float32)
    wild = finite.copy()
    bits(wild)[:6] = [0x7F800001, 0xFF801FFF, 0x7FC01234, 0x00000001, 0x80001FFF, 0x7F801FFF]
    programs = [tw.compile(text, level=level, cache=False) for level in (0, 2)] + [
        tw.compile(text, target="interpreter")
    ]
    low = next(iter(read_module(Source("test", text), Report()).kernels))
    for x in (finite, wild):
        kept = (bits(np.full_like(x, x[0]) if way == "a scalar" else x) & 0xFFFFE000).view(np.float32)
        outputs = [[np.full(64, 7, np.float32) for _ in range(3)] for _ in range(4)]
        for program, (o, a, m) in zip(programs, outputs, strict=False):
            program.k[1](x, o, a, m)
        interpret(low, [x, *outputs[3]], (1, 1, 1))
        for o, a, m in outputs:
            np.testing.assert_array_equal(bits(o), bits(kept))
            np.testing.assert_array_equal(a, kept)
            if x is finite:
                np.testing.assert_array_equal(m, kept)


@pytest.mark.usefixtures("users_ptx")
def test_on_nvidia_devices() -> None:
    report = Report()
    module = read_module(Source("test", text_of(BASE + LOADS["pointers"] + STORES, PARAMETERS)), report)
    artifact = compile_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(2), report)
    loads = artifact.payload.decode().count("ld.global")
    assert artifact.payload.decode().count("-8192") >= loads > 0


def test_parameters_are_rounded(rng: np.random.Generator) -> None:
    body = f"{BASE}%s1 = reshape %s : tile<tf32> -> tile<1xtf32>\n%x = broadcast %s1 : tile<1xtf32> -> {T}\n{STORES}"
    text = text_of(body, PARAMETERS.replace("%X: tile<ptr<tf32>>", "%s: tile<tf32>"))
    number = float(np.float32(rng.standard_normal()))
    kept = np.float32(number).view(np.uint32) & 0xFFFFE000
    near = min(((kept + np.uint32(k)).view(np.float32) for k in (0, 0x2000)), key=lambda v: abs(float(v) - number))
    for target in ("cpu", "interpreter"):
        o, a, m = (np.full(64, 7, np.float32) for _ in range(3))
        tw.compile(text, target=target, cache=False).k[1](number, o, a, m)
        assert (o == near).all()
        assert (a == near).all()
