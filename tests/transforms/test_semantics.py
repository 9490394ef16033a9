"""Every pass keeps the meaning: programs are interpreted before and after each one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from differential.compare import difference
from effort import Ran, count
from generators.arguments import Argument, displaced, fresh, members
from generators.element_types import DTYPES
from generators.kernels import Generated, generate
from tilewright.diagnostics import Report, Source
from tilewright.dialects.builtin import Module
from tilewright.frontends.tensor_language.parser import parse
from tilewright.interpreter import Group, interpret
from tilewright.ir.passes import Pass, PassContext, PassManager
from tilewright.ir.printer import print_op
from tilewright.runtime.groups import ArrayGroup
from tilewright.transforms.generic_policies import GenericTeamPolicy, GenericTilePolicy
from tilewright.transforms.infer_work_group import InferWorkGroup
from tilewright.transforms.pipeline import common_pipeline
from tilewright.transforms.split_barriers import SplitBarriers

Array = NDArray[Any]
Shapes = Callable[[int, int], tuple[tuple[int, ...], ...]]
RANDOM = count("RANDOM_PASSES", 8, 500)
TYPES = ("f32", "f64", "bf16", "f16", "c32", "i8", "i16", "i32")
POLICIES = {"small": GenericTilePolicy(whole=8, block=8, depth=4, run=16), "whole": GenericTilePolicy()}


def pipeline(policy: str, checked: bool) -> list[Pass]:
    """The whole way, with barriers split."""
    return [*common_pipeline(GenericTeamPolicy(), POLICIES[policy], 2, checked), SplitBarriers()]


def random(rng: np.random.Generator, dtype: str, shape: Sequence[int]) -> Array:
    """Small integers, so that products and sums are exact in every type, or rounded once at the end."""
    values = rng.integers(-3, 4, tuple(shape)).astype(np.float64)
    if DTYPES[dtype].kind == "c":
        values = values + 1j * rng.integers(-3, 4, tuple(shape))
    return np.array(values.astype(DTYPES[dtype]), order="F")


def unit(rng: np.random.Generator, shape: Sequence[int]) -> Array:
    """Smaller integers, for products of products."""
    return np.array(rng.integers(-1, 2, tuple(shape)).astype(np.float64), order="F")


def read(text: str) -> Module:
    report = Report()
    module = parse(Source("k.tl", text), report)
    assert isinstance(module, Module), [str(d) for d in report.diagnostics]
    assert not report.has_errors, [str(d) for d in report.diagnostics]
    return module


def copied(arguments: Sequence[Any]) -> list[Any]:
    """Fresh copies, strides kept."""
    return [_copy(a) for a in arguments]


def _copy(argument: Any) -> Any:
    if isinstance(argument, Group):
        return Group([None if x is None else fresh(x) for x in argument.arrays], argument.offset)
    return fresh(cast("Array", argument)) if isinstance(argument, np.ndarray) else argument


def arrays(arguments: Sequence[Any]) -> list[Array]:
    """Every array among arguments, groups taken apart."""
    found: list[Array] = []
    for a in arguments:
        if isinstance(a, Group):
            found += [displaced(x, a.offset) if a.offset else x for x in a.arrays if x is not None]
        elif isinstance(a, np.ndarray):
            found.append(cast("Array", a))
    return found


def check(
    text: str,
    arguments: Sequence[Any],
    policy: str = "small",
    grid: tuple[int, int, int] = (1, 1, 1),
    exact: bool = True,
    signs: bool = False,
    checked: bool = False,
) -> None:
    """Interpret before and after each pass and compare all arrays."""
    module = read(text)
    PassManager([InferWorkGroup()], verify_each=True).run(module, PassContext())
    expected = copied(arguments)
    interpret(module.kernels[0], expected, grid)
    for step in pipeline(policy, checked):
        PassManager([step], verify_each=True).run(module, PassContext())
        got = copied(arguments)
        try:
            interpret(module.kernels[0], got, grid)
        except Exception as error:
            raise AssertionError(f"after {step.name}: {error}\n{print_op(module)}") from error
        for want, have in zip(arrays(expected), arrays(got), strict=True):
            fault = difference(want, have, exact, signs)
            assert not fault, f"after {step.name}: {fault}\n{print_op(module)}"


FACTORS = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (2.0, 2.0), (0.0, 2.0), (2.0, 0.0)]
SHAPES = [(5, 7, 3), (8, 8, 8), (19, 17, 10), (1, 9, 1), (16, 0, 4), (0, 3, 4), (6, 5, 0)]


def memref(dtype: str, shape: Sequence[int], dynamic: bool) -> str:
    return f"memref<{dtype}" + "".join("x?" if dynamic else f"x{n}" for n in shape) + ">"


def literal(value: float, dtype: str) -> str:
    if DTYPES[dtype].kind == "i":
        return str(int(value))
    return f"[{value}, 0.0]" if DTYPES[dtype].kind == "c" else str(value)


def scalar(value: float, dtype: str) -> Any:
    return DTYPES[dtype].type(value)


def kernel(operands: str, body: str, dtype: str, alpha: float, beta: float, constant: bool) -> str:
    """A kernel whose factors are constants or parameters; unused ones stay."""
    head = f"%alpha: {dtype}, %beta: {dtype}, {operands}"
    factors = ""
    if constant:
        factors = f"%a = constant {literal(alpha, dtype)} : {dtype} %b = constant {literal(beta, dtype)} : {dtype}"
        body = body.replace("%alpha", "%a").replace("%beta", "%b")
    return f"func @k({head}) {{ {factors} {body} }}"


@pytest.mark.covering(2)
@pytest.mark.parametrize("policy", list(POLICIES))
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("ta", "tb"), [(False, False), (True, False), (False, True), (True, True)])
def test_gemm(rng: np.random.Generator, ta: bool, tb: bool, dynamic: bool, policy: str) -> None:
    for m, n, k in rng.permutation(SHAPES)[:4].tolist():
        dtype = str(rng.choice(TYPES))
        alpha, beta = FACTORS[int(rng.integers(len(FACTORS)))]
        a, b = ((k, m) if ta else (m, k)), ((n, k) if tb else (k, n))
        operands = ", ".join(f"%{x}: {memref(dtype, s, dynamic)}" for x, s in (("A", a), ("B", b), ("C", (m, n))))
        body = f"gemm.{'t' if ta else 'n'}.{'t' if tb else 'n'} %alpha, %A, %B, %beta, %C"
        text = kernel(operands, body, dtype, alpha, beta, bool(rng.integers(2)))
        data = [random(rng, dtype, s) for s in (a, b, (m, n))]
        check(text, [scalar(alpha, dtype), scalar(beta, dtype), *data], policy)


ONE_OPERAND: dict[str, tuple[str, Shapes]] = {
    "axpby": ("axpby %alpha, %A, %beta, %B", lambda m, n: ((m, n), (m, n))),
    "axpby.t": ("axpby.t %alpha, %A, %beta, %B", lambda m, n: ((n, m), (m, n))),
    "axpby 1": ("axpby %alpha, %A, %beta, %B", lambda m, n: ((m,), (m,))),
    "axpby 0": ("axpby %alpha, %A, %beta, %B", lambda m, n: ((), ())),
    "sum": ("sum %alpha, %A, %beta, %B", lambda m, n: ((m, n), (m,))),
    "sum.t": ("sum.t %alpha, %A, %beta, %B", lambda m, n: ((n, m), (m,))),
    "sum 1": ("sum %alpha, %A, %beta, %B", lambda m, n: ((m,), ())),
    "cumsum 0": ("cumsum %alpha, %A, 0, %beta, %B", lambda m, n: ((m, n), (m, n))),
    "cumsum 1": ("cumsum %alpha, %A, 1, %beta, %B", lambda m, n: ((m, n), (m, n))),
    "cumsum vector": ("cumsum %alpha, %A, 0, %beta, %B", lambda m, n: ((m,), (m,))),
    "cumsum 3": ("cumsum %alpha, %A, 2, %beta, %B", lambda m, n: ((3, m, n), (3, m, n))),
    "cumsum 3 middle": ("cumsum %alpha, %A, 1, %beta, %B", lambda m, n: ((3, m, n), (3, m, n))),
    "axpby.atomic": ("axpby.atomic %alpha, %A, %beta, %B", lambda m, n: ((m, n), (m, n))),
}
TWO_OPERANDS: dict[str, tuple[str, Shapes]] = {
    "gemv": ("gemv %alpha, %A, %B, %beta, %C", lambda m, n: ((m, n), (n,), (m,))),
    "gemv.t": ("gemv.t %alpha, %A, %B, %beta, %C", lambda m, n: ((n, m), (n,), (m,))),
    "ger": ("ger %alpha, %A, %B, %beta, %C", lambda m, n: ((m,), (n,), (m, n))),
    "hadamard": ("hadamard %alpha, %A, %B, %beta, %C", lambda m, n: ((m, n), (m, n), (m, n))),
    "hadamard 1": ("hadamard %alpha, %A, %B, %beta, %C", lambda m, n: ((m,), (m,), (m,))),
}
COLLECTIVES = ONE_OPERAND | TWO_OPERANDS


@pytest.mark.covering(1)
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", list(COLLECTIVES))
def test_other_collectives(rng: np.random.Generator, name: str, dynamic: bool) -> None:
    body, shapes_of = COLLECTIVES[name]
    for m, n in rng.permutation([(5, 7), (33, 9), (1, 20), (0, 4), (4, 0), (16, 16)])[:3].tolist():
        dtype = str(rng.choice(TYPES))
        alpha, beta = FACTORS[int(rng.integers(len(FACTORS)))]
        if "atomic" in name:
            beta = float(rng.integers(2))
        shapes = shapes_of(m, n)
        operands = ", ".join(f"%{x}: {memref(dtype, s, dynamic)}" for x, s in zip("ABC", shapes, strict=False))
        text = kernel(operands, body, dtype, alpha, beta, "atomic" in name or bool(rng.integers(2)))
        data = [random(rng, dtype, s) for s in shapes]
        check(text, [scalar(alpha, dtype), scalar(beta, dtype), *data])


SPMD: dict[str, tuple[str, Callable[[np.random.Generator], list[Any]]]] = {
    "foreach with narrow variables": (
        """func @k(%n: i8, %A: memref<f32x?x?>) attributes{subgroup_size=8, work_group_size=[16, 2]} {
             %z = constant 0 : i8
             foreach (%i, %j) = (%z, %z), (%n, %n) {
               %x = cast %i : index  %y = cast %j : index  %v = load %A[%x, %y] : f32  %w = add %v, %v : f32
               store %w, %A[%x, %y] } }""",
        lambda rng: [np.int8(rng.integers(-2, 20)), random(rng, "f32", (20, 21))],
    ),
    "foreach after gemm through local memory": (
        """func @k(%A: memref<f32x9x5>, %B: memref<f32x5x7>, %C: memref<f32x9x7>) {
             %t = alloca : memref<f32x9x7,local>  %o = constant 1.0 : f32  %z = constant 0.0 : f32
             gemm %o, %A, %B, %z, %t
             %f = constant 0 : index  %m = constant 9 : index  %n = constant 7 : index
             foreach (%i, %j) = (%f, %f), (%m, %n) {
               %v = load %t[%i, %j] : f32  %w = mul %v, %v : f32  store %w, %C[%i, %j] } }""",
        lambda rng: [random(rng, "f32", s) for s in ((9, 5), (5, 7), (9, 7))],
    ),
    "cooperative matrices": (
        """func @k(%A: memref<f32x?x?>, %B: memref<f32x?x?>, %C: memref<f32x?x?>) attributes{subgroup_size=8} {
             %z = constant 0 : index  %m = size %C[0] : index  %n = size %C[1] : index  %k = size %A[1] : index
             %s = constant 4 : index
             foreach_tile (%i, %j) = (%z, %z), (%m, %n) as (%h, %w) <= (16, 6) {
               %c = constant 0.0 : coopmatrix<f32x16x6,matrix_acc>
               %r = for %l = %z, %k, %s init(%acc = %c) -> (coopmatrix<f32x16x6,matrix_acc>) {
                 %a = cooperative_matrix_load.both_checked %A[%i, %l] : coopmatrix<f32x16x4,matrix_a>
                 %b = cooperative_matrix_load.t.both_checked %B[%j, %l] : coopmatrix<f32x4x6,matrix_b>
                 %p = cooperative_matrix_mul_add %a, %b, %acc : coopmatrix<f32x16x6,matrix_acc>
                 yield (%p) }
               %q = cooperative_matrix_apply (%x, %y, %v) = %r -> coopmatrix<f32x16x6,matrix_acc> {
                 %d = add %v, %v : f32  yield (%d) }
               cooperative_matrix_store.both_checked %q, %C[%i, %j] } }""",
        lambda rng: [random(rng, "f32", s) for s in _product_shapes(rng)],
    ),
    "barriers in loops and ifs": (
        """func @k(%A: memref<i32x32>, %p: bool) attributes{subgroup_size=8, work_group_size=[16, 2]} {
             %t = alloca : memref<i32x32,local>
             parallel {
               %s = subgroup_linear_id : i32  %l = subgroup_local_id : i32  %S = constant 8 : i32
               %b = mul %s, %S : i32  %i = add %b, %l : i32  %x = cast %i : index
               %o = constant 1 : index  %m = constant 31 : index  %n = constant 3 : i32  %z = constant 0 : i32
               %v0 = load %A[%x] : i32
               %v = for %j = %z, %n init(%c = %v0) -> (i32) {
                 store %c, %t[%x]
                 barrier.local
                 %y = add %x, %o : index  %w = and %y, %m : index  %d = load %t[%w] : i32
                 %e = if %p -> (i32) { barrier.local  %f = add %d, %j : i32  yield (%f) } else { yield (%d) }
                 barrier.local
                 yield (%e) }
               store %v, %A[%x] } }""",
        lambda rng: [random(rng, "i32", (32,)), bool(rng.integers(2))],
    ),
    "collectives in loops over a group": (
        """func @k(%n: i32, %G: group<memref<f64x6x6>x?>, %D: memref<f64x6x6x?>) {
             %g = group_id.x : index  %a = load %G[%g] : memref<f64x6x6>
             %d = subview %D[0:6, 0:6, %g] : memref<f64x6x6>
             %o = constant 1.0 : f64  %z = constant 0.0 : f64  %f = constant 0 : i32  %t2 = constant 0.5 : f64
             for %i = %f, %n {
               %t = alloca : memref<f64x6x6,local>
               gemm.n.t %o, %a, %d, %z, %t
               axpby.t %o, %t, %t2, %d
               %u = alloca : memref<f64x6,local>
               sum %o, %d, %z, %u
               ger %t2, %u, %u, %o, %a } }""",
        lambda rng: [np.int32(2), Group([unit(rng, (6, 6)) for _ in range(2)]), unit(rng, (6, 6, 2))],
    ),
}


def _product_shapes(rng: np.random.Generator) -> list[tuple[int, int]]:
    m, n, k = (int(rng.integers(1, 40)) for _ in range(3))
    return [(m, k), (n, k), (m, n)]


@pytest.mark.covering(1)
@pytest.mark.parametrize("policy", list(POLICIES))
@pytest.mark.parametrize("name", list(SPMD))
def test_regions(rng: np.random.Generator, name: str, policy: str) -> None:
    text, arguments = SPMD[name]
    for _ in range(2):
        check(text, arguments(rng), policy, grid=(2 if "group" in name else 1, 1, 1))


def _interpreted(generated: Generated) -> list[Any]:
    """Arguments as the interpreter takes them."""
    return [_interpreted_group(a) for a in generated.copy_arguments()]


def _interpreted_group(argument: Argument) -> Any:
    if isinstance(argument, ArrayGroup):
        return Group(members(argument), argument.offset)
    return Group(argument) if isinstance(argument, list) else argument


@pytest.mark.parametrize("checked", [False, True])
def test_random_kernels(rng: np.random.Generator, ran: Ran, checked: bool) -> None:
    for seed in rng.integers(1 << 40, size=RANDOM):
        generated = generate(Random(int(seed)))
        print(f"generator seed {seed}")
        known = generated.exact, generated.signs
        check(generated.text, _interpreted(generated), "small", generated.grid, *known, checked=checked)
    ran(RANDOM, "kernels before and after every pass")
