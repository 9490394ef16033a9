"""Functions on tensors: results are arrays that a launch is given, values never change, and little is copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from frontends.mlir.reading import read
from tilewright.dialects import memref, tl
from tilewright.frontends.mlir import program_of
from tilewright.ir.core import Operation
from tilewright.ir.passes import PassContext, PassManager
from tilewright.transforms.lower_mlir import LowerMlir

Array = NDArray[Any]

MAPS = """#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> ()>
"""
M, V = "tensor<4x4xf32>", "tensor<4xf32>"
PARALLEL = '"parallel", "parallel"'
SUMMED = '"parallel", "reduction"'


def function(signature: str, *lines: str) -> str:
    return MAPS + f"func.func @f{signature} {{\n" + "\n".join(lines) + "\n}"


def generic(maps: str, kinds: str, ins: str, outs: str, result: str, body: str) -> str:
    """A generic operation whose body takes %a and %o."""
    return f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
      ins({ins}) outs({outs} : {result}) {{
      ^bb0(%a: f32, %o: f32):
        {body}
    }} -> {result}"""


def ops_of(text: str) -> list[Operation]:
    module = program_of(read(text))
    PassManager([LowerMlir()], verify_each=True).run(module, PassContext())
    return list(module.walk())


@pytest.fixture(params=["interpreter", "cpu"])
def target(request: pytest.FixtureRequest) -> str:
    return request.param


def launched(text: str, target: str, *arguments: Any) -> None:
    tw.compile(text, target=target, cache=False).f[1](*arguments)


OPEN = "tensor<?x?xf32>"
LAYER = function(
    f"(%X: {OPEN}, %W: {OPEN}, %b: tensor<?xf32>) -> {OPEN}",
    "%zero = arith.constant 0.0 : f32",
    "%c0 = arith.constant 0 : index",
    "%c1 = arith.constant 1 : index",
    f"%m = tensor.dim %X, %c0 : {OPEN}",
    f"%n = tensor.dim %W, %c1 : {OPEN}",
    f"%e = tensor.empty(%m, %n) : {OPEN}",
    f"%f = linalg.fill ins(%zero : f32) outs(%e : {OPEN}) -> {OPEN}",
    f"%p = linalg.matmul ins(%X, %W : {OPEN}, {OPEN}) outs(%f : {OPEN}) -> {OPEN}",
    "%r = "
    + generic(
        "#row, #id",
        PARALLEL,
        "%b : tensor<?xf32>",
        "%p",
        OPEN,
        "%s = arith.addf %o, %a : f32 %x = arith.maximumf %s, %zero : f32 linalg.yield %x : f32",
    ),
    f"return %r : {OPEN}",
)


def test_a_layer_is_computed_in_its_result(target: str, rng: np.random.Generator) -> None:
    x, w, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((5, 6), (6, 7), 7))
    given, out = [a.copy() for a in (x, w, b)], np.full((5, 7), np.nan, np.float32)
    launched(LAYER, target, x, w, b, out)
    wanted: Array = x @ w
    wanted = wanted + b
    np.testing.assert_allclose(out, np.maximum(wanted, 0), atol=1e-5)
    assert all(np.array_equal(before, after) for before, after in zip(given, (x, w, b), strict=True))
    ops = ops_of(LAYER)
    assert not any(isinstance(op, memref.Alloca | tl.Axpby) for op in ops)
    assert sum(isinstance(op, tl.Foreach) for op in ops) == 1


def test_extents_of_results_are_checked() -> None:
    x, w, b = (np.zeros(shape, np.float32) for shape in ((5, 6), (6, 7), 7))
    kernel = tw.compile(LAYER, target="cpu", cache=False).f[1]
    with pytest.raises(tw.LaunchError, match="%out is 6"):
        kernel(x, w, b, np.zeros((6, 7), np.float32))


def test_extents_that_are_numbers_are_checked() -> None:
    text = function(
        "(%n: index) -> tensor<?xf32>",
        "%one = arith.constant 1.0 : f32",
        "%e = tensor.empty(%n) : tensor<?xf32>",
        "%f = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>",
        "return %f : tensor<?xf32>",
    )
    out = np.zeros(5, np.float32)
    launched(text, "cpu", 5, out)
    assert np.array_equal(out, np.ones(5))
    with pytest.raises(tw.LaunchError, match="%n"):
        launched(text, "cpu", 4, out)


SUM = "%x = arith.addf %o, %a : f32 linalg.yield %x : f32"
MAXIMUM = "%x = arith.maximumf %o, %a : f32 linalg.yield %x : f32"
ADDED = f"linalg.add ins(%A, %B : {M}, {M})"
NEW = (f"%e = tensor.empty() : {M}", f"%c = {ADDED} outs(%e : {M}) -> {M}")
POINT = "%i = linalg.index 0 : index %j = linalg.index 1 : index"
TURNED = f"{POINT} %t = tensor.extract %c[%j, %i] : {M} linalg.yield %t : f32"
ONE, TWO, THREE = (f"(%A: {M}, %B: {M}) -> ({', '.join([M] * count)})" for count in (1, 2, 3))
PROGRAMS: dict[str, tuple[str, Callable[[Array, Array], list[Any]], int]] = {
    "an argument is an output": (
        function(ONE, f"%c = {ADDED} outs(%A : {M}) -> {M}", f"return %c : {M}"),
        lambda a, b: [a + b],
        0,
    ),
    "an argument is added to": (
        function(ONE, f"%c = linalg.matmul ins(%A, %B : {M}, {M}) outs(%A : {M}) -> {M}", f"return %c : {M}"),
        lambda a, b: [a + a @ b],
        0,
    ),
    "the value before is used again": (
        function(
            TWO,
            *NEW,
            f"%d = linalg.matmul ins(%A, %B : {M}, {M}) outs(%c : {M}) -> {M}",
            f"return %c, %d : {M}, {M}",
        ),
        lambda a, b: [a + b, a + b + a @ b],
        0,
    ),
    "an input is an output": (
        function(ONE, *NEW, "%d = " + generic("#turned, #id", PARALLEL, f"%c : {M}", "%c", M, SUM), f"return %d : {M}"),
        lambda a, b: [(a + b).T + a + b],
        1,
    ),
    "a body looks at the output": (
        function(ONE, *NEW, "%d = " + generic("#id, #id", PARALLEL, f"%A : {M}", "%c", M, TURNED), f"return %d : {M}"),
        lambda a, b: [(a + b).T],
        1,
    ),
    "arguments are returned": (
        function(THREE, f"return %B, %A, %B : {M}, {M}, {M}"),
        lambda a, b: [b, a, b],
        0,
    ),
    "one value is returned twice": (
        function(TWO, *NEW, f"return %c, %c : {M}, {M}"),
        lambda a, b: [a + b, a + b],
        0,
    ),
    "sums of rows, maxima, and all": (
        function(
            f"(%A: {M}, %B: {M}) -> ({V}, {V}, tensor<f32>)",
            f"%z = arith.constant dense<0.0> : {V}",
            f"%l = arith.constant dense<0xFF800000> : {V}",
            "%n = arith.constant dense<0.0> : tensor<f32>",
            "%s = " + generic("#id, #column", SUMMED, f"%A : {M}", "%z", V, SUM),
            "%m = " + generic("#turned, #column", SUMMED, f"%B : {M}", "%l", V, MAXIMUM),
            "%t = " + generic("#id, #all", '"reduction", "reduction"', f"%A : {M}", "%n", "tensor<f32>", SUM),
            f"return %s, %m, %t : {V}, {V}, tensor<f32>",
        ),
        lambda a, b: [a.sum(1), b.max(0), a.sum()],
        0,
    ),
    "elements": (
        function(
            ONE,
            "%c1 = arith.constant 1 : index",
            "%c2 = arith.constant 2 : index",
            f"%x = tensor.extract %A[%c1, %c2] : {M}",
            f"%d = tensor.insert %x into %B[%c2, %c2] : {M}",
            f"%g = tensor.insert %x into %d[%c1, %c1] : {M}",
            f"return %g : {M}",
        ),
        lambda a, b: [np.where(np.diag([0, 1, 1, 0]), a[1, 2], b)],
        0,
    ),
    "casts": (
        function(f"(%A: {M}, %B: {M}) -> {OPEN}", *NEW, f"%d = tensor.cast %c : {M} to {OPEN}", f"return %d : {OPEN}"),
        lambda a, b: [a + b],
        0,
    ),
    "a value that was cast is used again": (
        function(
            f"(%A: {M}, %B: {M}) -> ({OPEN}, {M})",
            *NEW,
            f"%d = tensor.cast %c : {M} to {OPEN}",
            f"%g = linalg.matmul ins(%A, %B : {M}, {M}) outs(%c : {M}) -> {M}",
            f"return %d, %g : {OPEN}, {M}",
        ),
        lambda a, b: [a + b, a + b + a @ b],
        1,
    ),
    "calls": (
        f"""func.func private @twice(%T: {M}) -> {M} {{
          %c = linalg.add ins(%T, %T : {M}, {M}) outs(%T : {M}) -> {M}
          return %c : {M}
        }}
        func.func @f(%A: {M}, %B: {M}) -> ({M}, {M}) {{
          %e = tensor.empty() : {M}
          %c = {ADDED} outs(%e : {M}) -> {M}
          %d = func.call @twice(%c) : ({M}) -> {M}
          %g = func.call @twice(%d) : ({M}) -> {M}
          return %c, %g : {M}, {M}
        }}""",
        lambda a, b: [a + b, 4 * (a + b)],
        2,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_never_change(name: str, target: str, rng: np.random.Generator) -> None:
    text, expected, allocations = PROGRAMS[name]
    a, b = (rng.integers(-4, 5, (4, 4)).astype(np.float32) for _ in range(2))
    before = a.copy(), b.copy()
    wanted = [np.array(value, np.float32, order="C") for value in expected(a, b)]
    outs = [np.full_like(value, np.nan) for value in wanted]
    launched(text, target, a, b, *outs)
    for out, value in zip(outs, wanted, strict=True):
        np.testing.assert_array_equal(out, value)
    assert np.array_equal(a, before[0])
    assert np.array_equal(b, before[1])
    assert sum(isinstance(op, memref.Alloca) for op in ops_of(text)) == allocations


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (("%e = tensor.empty() : tensor<4xi4>", f"return %A : {V}"), "values of type i4 are not supported"),
    ],
)
def test_what_is_not_supported_is_named(lines: tuple[str, ...], says: str) -> None:
    with pytest.raises(tw.CompileError) as caught:
        tw.compile(function(f"(%A: {V}, %n: index) -> {V}", *lines), target="interpreter")
    [finding] = caught.value.diagnostics
    assert finding.code == "M11"
    assert says in finding.message
    assert finding.location.primary is not None
