"""Operations of linalg that say elements, dimensions or maps: what they compute and become, how they are printed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import tilewright as tw
from frontends.mlir.cases import Array
from frontends.mlir.forms import WRITTEN_PROGRAMS, parts_of
from frontends.mlir.reading import read, reprinted
from frontends.mlir.structured_cases import STRUCTURED
from tilewright.dialects import memref, tl
from tilewright.dialects.mlir.linalg_elements import KINDS
from tilewright.frontends.mlir import program_of
from tilewright.frontends.mlir.region_printer import print_custom
from tilewright.ir.core import Operation
from tilewright.ir.passes import PassContext, PassManager
from tilewright.transforms.lower_mlir import LowerMlir


def _rounded(x: Array) -> Array:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _unsigned(function: Callable[..., Any]) -> Callable[[Array, Array], Array]:
    """Of the same bits, as numbers without a sign."""

    def found(x: Array, y: Array) -> Array:
        return np.asarray(function(x.view(np.uint32), y.view(np.uint32))).view(np.int32)

    return found


def _quotient(x: Array, y: Array) -> Array:
    return np.trunc(x / y)


def _square_root(x: Array) -> Array:
    return np.sqrt(np.abs(x))


def _logarithm(x: Array) -> Array:
    return np.log(np.abs(x))


def _power(x: Array, y: Array) -> Array:
    return np.power(np.abs(x), y)


def _inverse_root(x: Array) -> Array:
    return 1 / np.sqrt(np.abs(x))


FLOATS: Final[dict[str, Callable[..., Any]]] = {
    "exp": np.exp,
    "log": _logarithm,
    "abs": np.abs,
    "ceil": np.ceil,
    "floor": np.floor,
    "negf": np.negative,
    "reciprocal": np.reciprocal,
    "round": _rounded,
    "sqrt": _square_root,
    "rsqrt": _inverse_root,
    "square": np.square,
    "tanh": np.tanh,
    "erf": np.vectorize(math.erf),
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
    "powf": _power,
    "select": np.where,
}
OF_MAGNITUDES: Final = ("log", "sqrt", "rsqrt", "powf")
INTEGERS: Final[dict[str, Callable[..., Any]]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": _quotient,
    "div_unsigned": _unsigned(np.floor_divide),
    "max": np.maximum,
    "min": np.minimum,
    "max_unsigned": _unsigned(np.maximum),
    "min_unsigned": _unsigned(np.minimum),
    "select": np.where,
}


def arity(name: str) -> int:
    """How many inputs an operation has."""
    return KINDS[f"{name}_signed" if name in ("max", "min") else name]


def elements(functions: dict[str, Callable[..., Any]], element: str, *, kinds: bool) -> str:
    """A function whose operation number k writes row k of %O, of %x, its magnitudes %m, %y and %p."""
    row = f"memref<7x{element}, strided<[1], offset: ?>>"
    lines: list[str] = []
    for k, name in enumerate(functions):
        kind = f"{name}_signed" if name in ("max", "min") else name
        said = f"elementwise kind=#linalg.elementwise_kind<{kind}>" if kinds else name
        inputs = [("m" if name in OF_MAGNITUDES else "x", element), ("y", element)]
        inputs = [*([("p", "i1")] if name == "select" else []), *inputs][: arity(name)]
        names, types = (", ".join(part) for part in zip(*((f"%{v}", f"memref<7x{t}>") for v, t in inputs), strict=True))
        lines += [
            f"%o{k} = memref.subview %O[{k}, 0] [1, 7] [1, 1] : memref<{len(functions)}x7x{element}> to {row}",
            f"linalg.{said} ins({names} : {types}) outs(%o{k} : {row})",
        ]
    vectors = ", ".join(f"%{v}: memref<7x{element}>" for v in "xmy")
    signature = f"({vectors}, %P: memref<7xi8>, %O: memref<{len(functions)}x7x{element}>)"
    truths = (
        "%p = memref.alloc() : memref<7xi1>\n  %one = arith.constant 1 : i8\n  linalg.map ins(%P : memref<7xi8>) "
        "outs(%p : memref<7xi1>)\n  (%i: i8) {\n    %t = arith.cmpi eq, %i, %one : i8\n    linalg.yield %t : i1\n  }"
    )
    body = "\n  ".join([truths, *lines, "return"])
    return f"func.func @f{signature} {{\n  {body}\n}}\n"


@pytest.mark.parametrize("kinds", [False, True], ids=["names", "kinds"])
@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_elements(target: str, kinds: bool, rng: np.random.Generator) -> None:
    truths = rng.integers(0, 2, 7, np.int8)
    for element, functions, dtype in (("f32", FLOATS, np.float32), ("i32", INTEGERS, np.int32)):
        functions = {k: v for k, v in functions.items() if kinds or not k.endswith("_unsigned") or k == "div_unsigned"}
        x = (rng.standard_normal(7) * 40).astype(dtype) / dtype(16 if element == "f32" else 1)
        x = x.astype(dtype)
        y = np.array([3, -2, 5, -7, 1, 2, -1], dtype)
        out = np.full((len(functions), 7), 77, dtype)
        program = tw.compile(elements(functions, element, kinds=kinds), target=target, cache=False)
        program.f[1](x, np.abs(x), y, truths, out)
        for found, (name, function) in zip(out, functions.items(), strict=True):
            arguments = (truths == 1, x, y) if name == "select" else (x, y)
            wanted = function(*arguments[: arity(name)])
            np.testing.assert_allclose(found, wanted, 2e-6 if element == "f32" else 0, 1e-7, err_msg=name)


@pytest.mark.parametrize(
    ("name", "body"),
    [("add", "ori"), ("mul", "andi"), ("max", "maxsi"), ("div_unsigned", "divui")],
)
def test_bodies_of_truths(name: str, body: str) -> None:
    text = f"func.func @f(%x: memref<7xi1>) {{\n linalg.{name} ins(%x, %x : memref<7xi1>, memref<7xi1>) "
    assert re.findall(r'"arith\.(\w+)"', reprinted(text + "outs(%x : memref<7xi1>)\n return\n}")) == [body]


# Products by maps

CONTRACTIONS: Final = [
    ("mk,kn->mn", tl.Gemm),
    ("km,nk->nm", tl.Gemm),
    ("mbk,bkn->bmn", tl.Gemm),
    ("mk,k->m", tl.Gemv),
    ("k,kn->n", tl.Gemv),
    ("mkl,lkn->mn", None),
    ("k,k->", None),
    ("abm,man->nb", None),
]


def contract(equation: str, element: str = "f32", extents: dict[str, int] | None = None) -> str:
    """`linalg.contract` for letters as `numpy.einsum` has them; extents are open unless they are given."""
    parts = re.split(",|->", equation)
    loops = sorted(set(equation) - set(",->"))
    known = extents or {}
    types = [f"memref<{''.join(f'{known.get(c, chr(63))}x' for c in letters)}{element}>" for letters in parts]
    maps = [f"affine_map<({', '.join(loops)}) -> ({', '.join(letters)})>" for letters in parts]
    parameters = ", ".join(f"%{v}: {t}" for v, t in zip("abc", types, strict=True))
    operands = f"ins(%a, %b : {types[0]}, {types[1]}) outs(%c : {types[2]})"
    line = f"linalg.contract indexing_maps = [{', '.join(maps)}] {operands}"
    return f"func.func @f({parameters}) {{\n  {line}\n  return\n}}\n"


def lowered(text: str) -> list[Operation]:
    module = program_of(read(text))
    PassManager([LowerMlir()], verify_each=True).run(module, PassContext())
    return list(module.walk())


@pytest.mark.parametrize(("equation", "collective"), CONTRACTIONS)
def test_contractions(equation: str, collective: type[Operation] | None, rng: np.random.Generator) -> None:
    """Those of matrices and vectors become what named products do; all others are right as loops."""
    extents = {"a": 2, "b": 3, "k": 4, "l": 5, "m": 6, "n": 7}
    shapes = [tuple(extents[c] for c in letters) for letters in re.split(",|->", equation)]
    a, b, c = (rng.integers(-9, 9, shape, np.int32) for shape in shapes)
    wanted = c + np.einsum(equation, a, b)
    for target in ("interpreter", "cpu"):
        found = np.array(c)
        tw.compile(contract(equation, "i32"), target=target, cache=False).f[1](a, b, found)
        np.testing.assert_array_equal(found, wanted, err_msg=target)
    ops = lowered(contract(equation))
    assert sum(isinstance(op, tl.Gemm | tl.Gemv) for op in ops) == (collective is not None)
    assert collective is None or any(isinstance(op, collective) for op in ops)


def test_a_contraction_is_staged_like_the_named_product() -> None:
    extents = {"m": 64, "n": 48, "k": 32}
    program = tw.compile(
        contract("mk,kn->mn", extents=extents), stages="block=32x16x16 warp=16x16x16 vector=4", target="cpu"
    )
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((64, 32), (32, 48)))
    c = np.ones((64, 48), np.float32)
    program.f[3, 2](a, b, c)
    np.testing.assert_array_equal(c, 1 + a @ b)


# Texts

WITH_OUTPUTS = """\
module {
  func.func @f(%arg0: memref<3xf32>, %arg1: memref<3xf32>) {
    linalg.map ins(%arg0 : memref<3xf32>) outs(%arg1 : memref<3xf32>)
      (%in: f32, %init: f32) {
        %0 = arith.addf %in, %init fastmath<fast> : f32
        linalg.yield %0 : f32
      }
    linalg.map { arith.addf {fastmath = #arith.fastmath<fast>} } ins(%arg0, %arg1 : memref<3xf32>, memref<3xf32>) \
outs(%arg1 : memref<3xf32>)
    linalg.map outs(%arg1 : memref<3xf32>) {my.attribute}
      () {
        %cst = arith.constant 1.000000e+00 : f32
        linalg.yield %cst : f32
      }
    return
  }
}
"""


def test_what_the_tool_printed_is_printed_as_it_was() -> None:
    """In the custom form from version 18 on, which has flags for overflow, in the generic one from 19 on.

    But for the shapes that `expand_shape` says from 19 on.
    """
    printed = [p for p in WRITTEN_PROGRAMS if parts_of(p)[0] in STRUCTURED]
    found = 0
    for path in printed:
        text, form = path.read_text(), parts_of(path)[1]
        if re.fullmatch(r"v(18|19|2.)(_located)?", form) and path.stem != "reshapes.v18":
            assert print_custom(read(text)) == text, path.name
            found += 1
        elif re.fullmatch(r"v(19|2.)_generic", form):
            assert reprinted(text) == text, path.name
            found += 1
    assert found >= 14


def test_a_body_of_the_output_too_is_printed_as_it_is() -> None:
    """MLIR 22 gives it to every body; those of one operation of the inputs leave it out."""
    assert print_custom(read(WITH_OUTPUTS)) == WITH_OUTPUTS
    short = "linalg.map { math.exp } ins(%x : memref<3xf32>) outs(%x : memref<3xf32>)"
    text = f"func.func @f(%x: memref<3xf32>) {{\n  {short}\n  return\n}}\n"
    generic = reprinted(text).replace("^bb0(%arg0: f32):", "^bb0(%arg0: f32, %arg1: f32):")
    assert print_custom(read(generic)).splitlines()[2].strip().replace("%x", "") == short.replace("%x", "")


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_a_map_may_look_at_what_its_output_was(target: str, rng: np.random.Generator) -> None:
    x, y = (rng.standard_normal(3).astype(np.float32) for _ in range(2))
    memory = WITH_OUTPUTS.partition("    linalg.map { ")[0] + "    return\n  }\n}\n"
    values = memory.replace("memref", "tensor").replace(") {\n    linalg", ") -> tensor<3xf32> {\n    %0 = linalg")
    found, out = y.copy(), np.empty(3, np.float32)
    tw.compile(memory, target=target, cache=False).f[1](x, found)
    tw.compile(values.replace("    return", "    return %0 : tensor<3xf32>"), target=target, cache=False).f[1](
        x, y, out
    )
    np.testing.assert_array_equal([found, out], [x + y, x + y])


# Dimensions split and joined


def test_packed_memory_is_regrouped_as_a_view() -> None:
    """Of the arguments and of what was made; tensors whose rows may lie apart are copied once."""
    text = """func.func @f(%x: tensor<2x3x8xf32>, %w: tensor<8x4xf32>,
    %o: tensor<{rows}x{columns}xf32>) -> (tensor<2x3x4xf32>, {flat}) {{
  %e = arith.constant dense<0.0> : tensor<6x4xf32>
  %r = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %p = linalg.matmul ins(%r, %w : tensor<6x8xf32>, tensor<8x4xf32>) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
  %s = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  %c = tensor.collapse_shape %o [[0, 1]] : tensor<{rows}x{columns}xf32> into {flat}
  return %s, %c : tensor<2x3x4xf32>, {flat}
}}
"""
    known, open_ = (
        lowered(text.format(rows=rows, columns=columns, flat=flat))
        for rows, columns, flat in (("?", 6, "tensor<?xf32>"), ("?", "?", "tensor<?xf32>"))
    )
    for ops, expanded in ((known, 1), (open_, 2)):
        assert sum(isinstance(op, memref.Alloca) for op in ops) == 1
        assert sum(isinstance(op, memref.Expand) for op in ops) == expanded


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("%r = memref.collapse_shape %A [[0, 1]] : memref<?x?xf32> into memref<?xf32>", "may lie apart"),
        (
            "%r = memref.expand_shape %v [[0, 1]] output_shape [%n, %n] : memref<?xf32> into memref<?x?xf32>",
            "only one may have an open extent",
        ),
        (
            "%r = memref.expand_shape %s [] output_shape [1, 1] : memref<f32> into memref<1x1xf32>",
            "memory of no dimensions is not expanded",
        ),
    ],
)
def test_what_is_not_regrouped_is_named(line: str, says: str) -> None:
    signature = "%A: memref<?x?xf32>, %v: memref<?xf32>, %s: memref<f32>, %n: index"
    with pytest.raises(tw.CompileError) as caught:
        tw.compile(f"func.func @f({signature}) {{\n  {line}\n  return\n}}\n", target="interpreter")
    [finding] = caught.value.diagnostics
    assert finding.code == "M11"
    assert says in finding.message


def test_what_an_operand_says_of_a_split_dimension_is_compared() -> None:
    line = "%e = memref.expand_shape %y [[0, 1]] output_shape [%n, 2] : memref<?xi32> into memref<?x2xi32>"
    text = f"func.func @f(%y: memref<?xi32>, %n: index) {{\n  {line}\n  return\n}}\n"
    kernel = tw.compile(text, target="cpu", cache=False).f[1]
    kernel(np.zeros(6, np.int32), 3)
    for length, said in ((7, 3), (6, 2)):
        with pytest.raises(tw.LaunchError, match=f"dimension 0 of %y is {length}, a number is {2 * said}"):
            kernel(np.zeros(length, np.int32), said)


def test_bodies_that_do_not_follow_from_the_name_are_not_left_out() -> None:
    """The generic form may give an operation any body; in the custom one it would lose that."""
    for path in WRITTEN_PROGRAMS:
        assert '"linalg.' not in print_custom(read(path.read_text())), path.name
    t = "memref<3x3xf32>"
    named = f"linalg.matmul ins(%x, %y : {t}, {t}) outs(%z : {t})"
    moved = f"linalg.transpose ins(%x : {t}) outs(%z : {t}) permutation = [1, 0]"
    generic = reprinted(f"func.func @f(%x: {t}, %y: {t}, %z: {t}) {{\n  {named}\n  {moved}\n  return\n}}\n")
    changes = [
        ('"arith.mulf"', '"arith.subf"', "matmul"),
        ('"arith.addf"(%arg4, %0)', '"arith.addf"(%0, %arg4)', "matmul"),
        ('"linalg.yield"(%arg0)', '"linalg.yield"(%arg1)', "transpose"),
    ]
    for before, after, name in changes:
        assert before in generic
        found = print_custom(read(generic.replace(before, after)))
        assert re.findall(r'"linalg\.(\w+)"', found) == [name]
        assert print_custom(read(found)) == found
