"""Every instruction of the old language does what it says: against NumPy, from the old text and from the upgraded one,
in the interpreter and on the CPU, with equal bits."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright.runtime.groups import ArrayGroup

from .reading import upgraded

Array = NDArray[np.generic]
Arrays = dict[str, np.ndarray]
GROUPS = 3


@dataclass(frozen=True, slots=True)
class Old:
    """A kernel: parameters in order with shape and type (arrays), and what it makes of them."""

    name: str
    text: str
    shapes: dict[str, tuple[str, tuple[int, ...]]]
    expected: Callable[[Arrays], dict[str, np.ndarray]]
    grid: int = 1


def _blas(
    name: str, parameters: str, body: str, expected: Callable[[Arrays], np.ndarray], **shapes: tuple[int, ...]
) -> Old:
    """A collective on f64 arrays; the result is the last one."""
    out = list(shapes)[-1]
    text = f"func @f({parameters}) {{\n{body}\n}}\n"
    return Old(name, text, {k: ("f8", s) for k, s in shapes.items()}, lambda a: {out: expected(a)})


M = "memref<f64x"
KERNELS = (
    _blas("axpby", f"%A: {M}5x3>, %B: {M}5x3>", f"axpby.n 2, %A, 0.5, %B : f64, {M}5x3>, f64, {M}5x3>",
          lambda a: 2 * a["A"] + 0.5 * a["B"], A=(5, 3), B=(5, 3)),
    _blas("axpby.t", f"%A: {M}3x?>, %B: {M}?x3>", f"axpby.t -1.0, %A, 0, %B : f64, {M}3x?>, f64, {M}?x3>",
          lambda a: -a["A"].T, A=(3, 5), B=(5, 3)),
    _blas("axpby atomic", f"%A: {M}7>, %B: {M}7>", f"axpby.n.atomic 2, %A, 1, %B : i8, {M}7>, f64, {M}7>",
          lambda a: 2 * a["A"] + a["B"], A=(7,), B=(7,)),
    _blas("sum", f"%A: {M}5x3>, %b: {M}5>", f"sum.n 2.0, %A, 1.0, %b : f64, {M}5x3>, f64, {M}5>",
          lambda a: 2 * a["A"].sum(1) + a["b"], A=(5, 3), b=(5,)),
    _blas("sum.t", f"%A: {M}5x3>, %b: {M}3>", f"sum.t 2.0, %A, 0.0, %b : f64, {M}5x3>, f64, {M}3>",
          lambda a: 2 * a["A"].sum(0), A=(5, 3), b=(3,)),
    _blas("sum of a vector", f"%A: {M}5>, %b: {M}1>",
          f"%s = subview %b[0] : {M}1> sum.n.atomic 1.0, %A, 1, %s : f64, {M}5>, f64, memref<f64>",
          lambda a: a["A"].sum() + a["b"], A=(5,), b=(1,)),
    _blas("gemm.n.t", f"%A: {M}5x3>, %B: {M}4x3>, %C: {M}5x4>",
          f"gemm.n.t 2.0, %A, %B, -1.0, %C\n   : f64, {M}5x3>, {M}4x3>, f64, {M}5x4>",
          lambda a: 2 * a["A"] @ a["B"].T - a["C"], A=(5, 3), B=(4, 3), C=(5, 4)),
    _blas("gemm.t.n", f"%A: {M}3x5>, %B: {M}3x4>, %C: {M}5x4>",
          f"gemm.t.n.atomic 1.0, %A, %B, 1.0, %C : f64, {M}3x5>, {M}3x4>, f64, {M}5x4>",
          lambda a: a["A"].T @ a["B"] + a["C"], A=(3, 5), B=(3, 4), C=(5, 4)),
    _blas("gemv", f"%A: {M}5x3>, %b: {M}3>, %c: {M}5>", f"gemv.n 1.0, %A, %b, 2, %c : f64, {M}5x3>, {M}3>, f64, {M}5>",
          lambda a: a["A"] @ a["b"] + 2 * a["c"], A=(5, 3), b=(3,), c=(5,)),
    _blas("gemv.t", f"%A: {M}5x3>, %b: {M}5>, %c: {M}3>",
          f"gemv.t 1.0, %A, %b, 0.0, %c : f64, {M}5x3>, {M}5>, f64, {M}3>",
          lambda a: a["A"].T @ a["b"], A=(5, 3), b=(5,), c=(3,)),
    _blas("ger", f"%a: {M}5>, %b: {M}3>, %C: {M}5x3>", f"ger 3.0, %a, %b, 1.0, %C : f64, {M}5>, {M}3>, f64, {M}5x3>",
          lambda a: 3 * np.outer(a["a"], a["b"]) + a["C"], a=(5,), b=(3,), C=(5, 3)),
    _blas("hadamard_product", f"%a: {M}5>, %b: {M}5>, %c: {M}5>",
          f"hadamard_product 3.0, %a, %b, 1.0, %c : f64, {M}5>, {M}5>, f64, {M}5>",
          lambda a: 3 * a["a"] * a["b"] + a["c"], a=(5,), b=(5,), c=(5,)),
    _blas("hadamard", f"%a: {M}5x2>, %b: {M}5x2>, %c: {M}5x2>",
          f"hadamard 3.0, %a, %b, 0.0, %c : f64, {M}5x2>, {M}5x2>, f64, {M}5x2>",
          lambda a: 3 * a["a"] * a["b"], a=(5, 2), b=(5, 2), c=(5, 2)),
    _blas("alloca, barrier, lifetime_stop", f"%A: {M}4x6>, %B: {M}2x6>",
          f"""%t = alloca -> {M}4x6>
          axpby.n 3.0, %A, 0.0, %t : f64, {M}4x6>, f64, {M}4x6>
          barrier
          %s = subview %t[1:2,:] : {M}4x6>
          axpby.n 1.0, %s, 1.0, %B : f64, {M}2x6,strided<1,4>>, f64, {M}2x6>
          lifetime_stop %t""",
          lambda a: 3 * a["A"][1:3] + a["B"], A=(4, 6), B=(2, 6)),
    _blas("subview :? and values", f"%x: {M}?>, %y: {M}?>",
          f"""%o = arith.add 1, 2 : index
          %v = subview %x[%o:?] : {M}?>
          %w = subview %y[1:?] : {M}?>
          %z = subview %w[:] : {M}?>
          axpby.n 1.0, %v, 1.0, %z : f64, {M}?>, f64, {M}?>""",
          lambda a: np.concatenate([a["y"][:1], a["x"][3:] + a["y"][1:]]), x=(9,), y=(7,)),
    _blas("expand and fuse", f"%x: {M}12>, %A: {M}2x3x2>",
          f"""%e = expand %x[0->?x6] : {M}12>
          %f = fuse %A[1,2] : {M}2x3x2>
          axpby.n 1.0, %e, 1.0, %f : f64, {M}2x6>, f64, {M}2x6>""",
          lambda a: a["x"].reshape((2, 3, 2), order="F") + a["A"], x=(12,), A=(2, 3, 2)),
    _blas("expand of a dynamic mode", f"%x: {M}?>, %A: {M}2x?>",
          f"%e = expand %x[0->2x?] : {M}?> axpby.n 1.0, %e, 0.0, %A : f64, {M}2x?>, f64, {M}2x?>",
          lambda a: a["x"].reshape((2, 6), order="F"), x=(12,), A=(2, 6)),
    _blas("for and if", f"%A: {M}6>, %B: {M}6>",
          f"""for %i = 0, 6, 2 : i16 {{
            %c = cmp.ge %i, 2 : i16
            %j = cast %i : i16 -> index
            if %c {{
              %a = subview %A[%j:2] : {M}6> %b = subview %B[%j:2] : {M}6>
              axpby.n 1.0, %a, 1.0, %b : f64, {M}2>, f64, {M}2>
              yield :
            }}
          }}""",
          lambda a: np.concatenate([a["B"][:2], a["A"][2:] + a["B"][2:]]), A=(6,), B=(6,)),
    Old("load, store, size, foreach, if with results",
        """func @f(%x: memref<f32x?>, %y: memref<f32x?>, %n: memref<i64x2>) {
          %s = size %x[0] : memref<f32x?>
          %k = cast %s : index -> i64
          store %k, %n[1] : memref<i64x2>
          foreach %i = 0, %s {
            %a = load %x[%i] : memref<f32x?>
            %p = cmp.gt %a, 0 : f32
            %v, %w = if %p -> (f32, i32) { yield %a, 1 : f32, i32 } else { yield -1.5, 2 : f32, i32 }
            %u = cast %w : i32 -> f32
            %r = arith.mul %v, %u : f32
            store %r, %y[%i] : memref<f32x?>
          }
        }""",
        {"x": ("f4", (9,)), "y": ("f4", (9,)), "n": ("i8", (2,))},
        lambda a: {"y": np.where(a["x"] > 0, a["x"], np.float32(-3)), "n": np.array([a["n"][0], 9])}),
    Old("foreach in i32, bools as i8",
        """func @f(%x: memref<i32x8>, %y: memref<i8x8>) {
          foreach %i = 0, 8 : i32 {
            %j = cast %i : i32 -> index
            %a = load %x[%j] : memref<i32x8>
            %p = cmp.lt %a, 2 : i32
            %q = cmp.eq %p, true : i1
            %r = arith.xor %q, 1 : i1
            %s = arith.not %r : i1
            %v = cast %s : i1 -> i8
            store %v, %y[%j] : memref<i8x8>
          }
        }""",
        {"x": ("i4", (8,)), "y": ("i1", (8,))},
        lambda a: {"y": (a["x"] < 2).astype(np.int8)}),
    Old("group_id, group_size",
        """func @f(%x: memref<i64x2x?>) {
          %g = group_id %n = group_size
          %a = subview %x[:,%g] : memref<i64x2x?>
          %v = cast %g : index -> i64 %w = cast %n : index -> i64
          store %v, %a[0] : memref<i64x2>
          store %w, %a[1] : memref<i64x2>
        }""",
        {"x": ("i8", (2, GROUPS))},
        lambda a: {"x": np.array([range(GROUPS), [GROUPS] * GROUPS])}, GROUPS),
    Old("arithmetic",
        """func @f(%x: memref<i32x12>) {
          %a = load %x[0] : memref<i32x12> %b = load %x[1] : memref<i32x12>
          %0 = arith.add %a, %b : i32 %1 = arith.sub %a, 7 : i32 %2 = arith.mul 3, %b : i32
          %3 = arith.div %a, 2 : i32 %4 = arith.rem %a, 2 : i32 %5 = arith.shl %a, 4 : i32
          %6 = arith.shr %a, 1 : i32 %7 = arith.and %a, %b : i32 %8 = arith.or %a, %b : i32
          %9 = arith.xor %a, %b : i32 %10 = arith.neg %a : i32 %11 = arith.not %a : i32
          store %0, %x[0] : memref<i32x12> store %1, %x[1] : memref<i32x12> store %2, %x[2] : memref<i32x12>
          store %3, %x[3] : memref<i32x12> store %4, %x[4] : memref<i32x12> store %5, %x[5] : memref<i32x12>
          store %6, %x[6] : memref<i32x12> store %7, %x[7] : memref<i32x12> store %8, %x[8] : memref<i32x12>
          store %9, %x[9] : memref<i32x12> store %10, %x[10] : memref<i32x12> store %11, %x[11] : memref<i32x12>
        }""",
        {"x": ("i4", (12,))},
        lambda a: {"x": _arithmetic(int(a["x"][0]), int(a["x"][1]))}),
    Old("names that are texts",
        """func @f(%0: memref<i32x2>) {
          %7 = load %0[0] : memref<i32x2>
          %07 = arith.add %7, 5 : i32
          %007 = arith.mul %07, %7 : i32
          store %007, %0[1] : memref<i32x2>
        }""",
        {"0": ("i4", (2,))},
        lambda a: {"0": np.array([a["0"][0], (a["0"][0] + 5) * a["0"][0]])}),
)  # fmt: skip


def _arithmetic(a: int, b: int) -> np.ndarray:
    quotient = int(a / 2)
    return np.array([a + b, a - 7, 3 * b, quotient, a - 2 * quotient, a << 4, a >> 1, a & b, a | b, a ^ b, -a, ~a])


@pytest.fixture
def seed() -> int:
    return random.SystemRandom().randrange(1 << 40)


def _arrays(kernel: Old, seed: int) -> Arrays:
    rng = np.random.default_rng(seed)
    return {n: np.asfortranarray(rng.integers(-9, 9, s).astype(t)) for n, (t, s) in kernel.shapes.items()}


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
def test_the_kernel_computes_what_it_says(kernel: Old, seed: int) -> None:
    arrays = _arrays(kernel, seed)
    wanted = {**arrays, **kernel.expected(arrays)}
    for text in (kernel.text, upgraded(kernel.text)):
        for target in ("interpreter", "cpu"):
            given = {name: array.copy(order="F") for name, array in arrays.items()}
            tw.compile(text, target=target).f[kernel.grid](*given.values())
            for name, array in given.items():
                # Small integers: every result is exact.
                assert np.array_equal(array, wanted[name].reshape(array.shape, order="F")), (seed, target, name)


@pytest.mark.parametrize(
    ("declared", "written"), [("?", ", offset: ?"), ("?", ""), ("4", ", offset: 4"), ("4", ", offset: ?"), ("4", "")]
)
def test_groups_are_launched_as_before(declared: str, written: str, seed: int) -> None:
    """Behind a load the offset of the group may go unwritten; it counts all the same."""
    rng = np.random.default_rng(seed)
    text = f"""func @f(%a: f32, %G: group<memref<f32x4x?>, offset: {declared}>, %H: group<memref<f32x4x3>>) {{
        %g = group_id
        %x = load %G[%g] : group<memref<f32x4x?>{written}>
        %v = subview %x[:,0:3] : memref<f32x4x?>
        %y = load %H[%g] : group<memref<f32x4x3>>
        axpby.n %a, %v, 0.0, %y : f32, memref<f32x4x3>, f32, memref<f32x4x3>
    }}"""
    big = [np.asfortranarray(rng.random((4, 4 + k), np.float32)) for k in range(GROUPS)]
    assert f"group<memref<f32x4x?>x?, offset: {declared}>" in upgraded(text)
    for program in (text, upgraded(text)):
        for target in ("interpreter", "cpu"):
            small = [np.zeros((4, 3), np.float32, order="F") for _ in range(GROUPS)]
            shorter = [array[:, :-1] for array in big]
            tw.compile(program, target=target).f[GROUPS](2.0, ArrayGroup(shorter, 4), small)
            assert all(np.array_equal(s, 2 * b[:, 1:4]) for s, b in zip(small, big, strict=True)), seed


def test_scalars_of_every_type() -> None:
    text = """func @f(%p: i1, %a: i8, %b: i16, %c: i32, %d: i64, %e: index, %g: f32, %h: f64, %y: memref<f64x8>) {
        %0 = cast %p : i1 -> f64  %1 = cast %a : i8 -> f64  %2 = cast %b : i16 -> f64  %3 = cast %c : i32 -> f64
        %4 = cast %d : i64 -> f64  %5 = cast %e : index -> f64  %6 = cast %g : f32 -> f64
        store %0, %y[0] : memref<f64x8> store %1, %y[1] : memref<f64x8> store %2, %y[2] : memref<f64x8>
        store %3, %y[3] : memref<f64x8> store %4, %y[4] : memref<f64x8> store %5, %y[5] : memref<f64x8>
        store %6, %y[6] : memref<f64x8> store %h, %y[7] : memref<f64x8>
    }"""
    for program in (text, upgraded(text)):
        y = np.full(8, np.nan)
        tw.compile(program).f[1](True, -2, 3, -4, 5, 6, 7.5, 8.25, y)
        assert y.tolist() == [1, -2, 3, -4, 5, 6, 7.5, 8.25]
