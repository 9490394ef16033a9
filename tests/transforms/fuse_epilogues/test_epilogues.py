"""Elementwise neighbours of products: which are fused, and that nothing is computed otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from effort import Ran, count
from tilewright.diagnostics import Report, Source
from tilewright.dialects.builtin import Module
from tilewright.frontends.tensor_language.parser import parse
from tilewright.interpreter import interpret
from tilewright.transforms.canonicalize import Canonicalize
from tilewright.transforms.derive_launch_constraints import DeriveLaunchConstraints
from tilewright.transforms.fuse_epilogues import FuseEpilogues
from tilewright.transforms.generic_policies import GenericTeamPolicy, GenericTilePolicy
from tilewright.transforms.infer_work_group import InferWorkGroup
from transforms.fuse_epilogues.programs import SIZE, Programs
from transforms.support import names, run

Array = NDArray[Any]

RANDOM = count("RANDOM_EPILOGUES", 60, 10_000)
ALONE = '{"noalias"=true}'
SMALL_TILES = GenericTilePolicy(whole=4, block=4, depth=4, run=16)

HEAD = f"""func @f(%A: memref<f32x7x5>, %B: memref<f32x5x9>, %C: memref<f32x7x9> {ALONE}, %D: memref<f32x7x9> {ALONE},
         %R: memref<f32x7x9>, %b: memref<f32x7>, %w: memref<f32x9>, %s: f32) {{
    %c0 = constant 0 : index
    %c1 = constant 1 : index
    %m = constant 7 : index
    %n = constant 9 : index
    %less = constant 6 : index
    %zero = constant 0.0 : f32
    %one = constant 1.0 : f32
    %L = alloca : memref<f32x7x9,local>
"""
PRODUCT = "gemm %one, %A, %B, %zero, %C"
ADD_BIAS = "%c = load %C[%i,%j] : f32 %v = load %b[%i] : f32 %x = add %c, %v : f32"
RELU = f"{ADD_BIAS} %y = max %x, %zero : f32 store %y, %C[%i,%j]"


def program(body: str, head: str = HEAD) -> Module:
    report = Report()
    module = parse(Source("k.tl", f"{head} {body} }}"), report)
    assert isinstance(module, Module), body
    assert not report.has_errors, [str(d) for d in report.diagnostics]
    run(module, InferWorkGroup(GenericTeamPolicy()), DeriveLaunchConstraints(), Canonicalize())
    return module


def foreach(body: str, rows: str = "%m") -> str:
    return f"foreach (%i,%j)=(%c0,%c0),({rows},%n) {{ {body} }}"


def loops(body: str, order: str = "ij") -> str:
    ends = {"i": "%m", "j": "%n"}
    for index in reversed(order):
        body = f"for %{index} = %c0, {ends[index]} {{ {body} }}"
    return body


def arrays(rng: np.random.Generator) -> list[Any]:
    shapes = ((7, 5), (5, 9), (7, 9), (7, 9), (7, 9), (7,), (9,))
    return [*(np.asfortranarray(rng.integers(-3, 4, s).astype(np.float32)) for s in shapes), np.float32(2)]


def interpreted(module: Module, given: list[Any]) -> list[Any]:
    found: list[Any] = [a.copy(order="K") if isinstance(a, np.ndarray) else a for a in given]
    interpret(module.kernels[0], found, (1, 1, 1))
    return found


def fused(module: Module, given: list[Any], tiles: GenericTilePolicy = SMALL_TILES) -> str:
    """Fuse; what the kernel then computes is what it computed. The text."""
    want = interpreted(module, given)
    text = run(module, FuseEpilogues(tiles))
    for got, wanted in zip(interpreted(module, given), want, strict=True):
        np.testing.assert_array_equal(got, wanted, err_msg=text)
    return text


FUSED = {
    "bias and relu": foreach(RELU),
    "bias and relu in loops": loops(RELU),
    "loops in the other order": loops(RELU, "ji"),
    "a bias that an outer loop loads": "for %i = %c0, %m { %v = load %b[%i] : f32 for %j = %c0, %n { "
    "%c = load %C[%i,%j] : f32 %x = add %c, %v : f32 store %x, %C[%i,%j] } }",
    "a bias of columns": foreach(
        "%c = load %C[%i,%j] : f32 %v = load %w[%j] : f32 %x = add %c, %v : f32 store %x, %C[%i,%j]"
    ),
    "one element for all": foreach(
        "%c = load %C[%i,%j] : f32 %v = load %w[%c1] : f32 %x = add %c, %v : f32 store %x, %C[%i,%j]"
    ),
    "a residual": foreach(
        "%c = load %C[%i,%j] : f32 %r = load %R[%i,%j] : f32 %x = add %c, %r : f32 store %x, %C[%i,%j]"
    ),
    "the instruction axpby": "axpby %s, %R, %one, %C",
    "the instruction hadamard": "hadamard %s, %C, %R, %zero, %D",
    "an elementary function": foreach("%c = load %C[%i,%j] : f32 %x = exp %c : f32 store %x, %C[%i,%j]"),
    "one after the other": f"axpby %s, %R, %one, %C {foreach(RELU)} axpby %one, %R, %s, %C",
    "into another array": foreach("%c = load %C[%i,%j] : f32 %x = mul %c, %s : f32 store %x, %D[%i,%j]"),
    "two arrays": foreach("%c = load %C[%i,%j] : f32 store %c, %D[%i,%j] %x = mul %c, %s : f32 store %x, %C[%i,%j]"),
}


@pytest.mark.parametrize("name", FUSED)
def test_what_is_computed_element_by_element_is_fused(name: str, rng: np.random.Generator) -> None:
    fused(module := program(f"{PRODUCT} {FUSED[name]}"), arrays(rng))
    found = names(module)
    assert not found["tl.gemm"]
    assert not any(found[left] for left in ("tl.foreach", "tl.axpby", "tl.hadamard", "memref.store"))


def test_a_product_of_a_vector_has_epilogues_too(rng: np.random.Generator) -> None:
    body = """gemv.n %one, %A, %w5, %zero, %b
        for %i = %c0, %m { %c = load %b[%i] : f32 %x = max %c, %zero : f32 store %x, %b[%i] }"""
    head = HEAD.replace("%b: memref<f32x7>", f"%b: memref<f32x7> {ALONE}, %w5: memref<f32x5>")
    given = arrays(rng)
    given.insert(6, np.ones(5, np.float32))
    fused(module := program(body, head), given)
    assert not names(module)["tl.gemv"]
    assert not names(module)["memref.store"]


STAYING = {
    "the transposed product": loops("%c = load %C[%c1,%j] : f32 %x = mul %c, %s : f32 store %x, %D[%i,%j]"),
    "fewer rows": foreach(RELU, "%less"),
    "an array that may be the factor": loops("%c = load %C[%i,%j] : f32 store %c, %R[%i,%j]"),
    "a column of what is written": loops(
        "%c = load %C[%i,%j] : f32 %d = load %D[%i,%c0] : f32 %x = add %c, %d : f32 store %x, %D[%i,%j]"
    ),
    "a sum": loops("%c = load %C[%i,%j] : f32 %d = load %b[%i] : f32 %x = add %c, %d : f32 store %x, %b[%i]"),
    "another array only": foreach("%c = load %R[%i,%j] : f32 store %c, %D[%i,%j]"),
    "an operation in front": f"ger %one, %b, %w, %one, %C {foreach(RELU)}",
}


@pytest.mark.parametrize("name", STAYING)
def test_what_depends_on_other_elements_stays(name: str, rng: np.random.Generator) -> None:
    fused(module := program(f"{PRODUCT} {STAYING[name]}"), arrays(rng))
    assert names(module)["tl.gemm"] == 1


def test_a_factor_that_is_overwritten_is_read_to_the_end(rng: np.random.Generator) -> None:
    head = HEAD.replace("%A: memref<f32x7x5>", f"%A: memref<f32x7x9> {ALONE}").replace("f32x5x9", "f32x9x9")
    given = arrays(rng)
    given[0], given[1] = given[3].copy(order="K"), np.asfortranarray(rng.integers(-3, 4, (9, 9)).astype(np.float32))
    body = loops("%c = load %C[%i,%j] : f32 store %c, %A[%i,%j]")
    fused(module := program(f"{PRODUCT} {body}", head), given)
    assert names(module)["tl.gemm"] == 1


def test_what_may_share_memory_stays(rng: np.random.Generator) -> None:
    """Without a promise the bias may lie in the product."""
    body = f"{PRODUCT} {loops(RELU)}"
    module = program(body, HEAD.replace(f"%C: memref<f32x7x9> {ALONE}", "%C: memref<f32x7x9>"))
    fused(module, arrays(rng))
    assert names(module)["tl.gemm"] == 1


def test_a_product_that_others_see_is_written(rng: np.random.Generator) -> None:
    twice = foreach("%c = load %C[%i,%j] : f32 %x = mul %c, %s : f32 store %x, %D[%i,%j]")
    text = fused(program(f"{PRODUCT} {twice}"), arrays(rng), GenericTilePolicy())
    assert text.count("tile.store") == 2


@pytest.mark.parametrize("seen", [False, True])
def test_a_product_in_an_allocation_is_written_only_if_somebody_reads_it(seen: bool, rng: np.random.Generator) -> None:
    body = f"gemm %one, %A, %B, %zero, %L {foreach(RELU.replace('store %y, %C', 'store %y, %D').replace('%C', '%L'))}"
    body += " axpby %one, %L, %zero, %C" if not seen else loops("%c = load %L[%i,%c0] : f32 store %c, %C[%i,%j]")
    text = fused(program(body if seen else body.split(" axpby")[0]), arrays(rng), GenericTilePolicy())
    assert text.count("tile.store") == 1 + seen


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("gemm %one, %A, %B, %beta, %L axpby %one, %L, %zero, %C", 2),
        ("gemm %one, %A, %B, %zero, %C axpby %one, %C, %beta, %L axpby %one, %L, %zero, %D", 3),
    ],
)
def test_what_an_earlier_run_left_in_an_allocation_is_read(body: str, result: int, rng: np.random.Generator) -> None:
    runs = f"%last = for %t = %c0, %m init(%beta = %zero) -> (f32) {{ {body} yield (%one) }}"
    given = arrays(rng)
    tw.compile(f"{HEAD} {runs} }}", target="cpu", cache=False).f[1](*given)
    np.testing.assert_array_equal(given[result], 7 * (given[0] @ given[1]))


SQUARE = (
    HEAD.replace("f32x7x5", "f32x9x9")
    .replace("f32x5x9", "f32x9x9")
    .replace("f32x7x9", "f32x9x9")
    .replace("f32x7>", "f32x9>")
).replace("constant 7", "constant 9")


@pytest.mark.parametrize(
    ("body", "fuses"),
    [
        ("axpby.t %s, %R, %one, %C", True),
        ("axpby.t %s, %C, %zero, %D", False),
        (loops("%c = load %C[%i,%j] : f32 %r = load %R[%j,%i] : f32 %x = add %c, %r : f32 store %x, %C[%i,%j]"), True),
        (loops("%c = load %C[%i,%j] : f32 %x = add %c, %s : f32 store %x, %D[%j,%i]"), True),
        (loops("%c = load %C[%j,%i] : f32 %x = add %c, %s : f32 store %x, %C[%i,%j]"), False),
    ],
)
def test_transposed_operands(body: str, fuses: bool, rng: np.random.Generator) -> None:
    shapes = (*[(9, 9)] * 5, (9,), (9,))
    given = [*(np.asfortranarray(rng.integers(-3, 4, s).astype(np.float32)) for s in shapes), np.float32(2)]
    fused(module := program(f"{PRODUCT} {body}", SQUARE), given)
    assert names(module)["tl.gemm"] == (not fuses)


@pytest.mark.parametrize("first", [0, 1])
def test_parts_of_one_array_are_told_apart(first: int, rng: np.random.Generator) -> None:
    body = f"""%P = subview %D[0:6,0:9] : memref<f32x6x9,strided<1,7>>
        %Q = subview %D[{first}:6,0:9] : memref<f32x6x9,strided<1,7>>
        %F = subview %A[0:6,0:5] : memref<f32x6x5,strided<1,7>>
        gemm %one, %F, %B, %zero, %P
        for %i = %c0, %less {{ for %j = %c0, %n {{
            %c = load %Q[%i,%j] : f32 %x = mul %c, %s : f32 store %x, %Q[%i,%j] }} }}"""
    fused(module := program(body), arrays(rng))
    assert names(module)["tl.gemm"] == (first != 0)


@pytest.mark.parametrize(
    "body", ["hadamard %one, %P, %P, %zero, %Q", "axpby %s, %P, %one, %Q", "axpby %s, %Q, %one, %P"]
)
@pytest.mark.parametrize("whole", [False, True])
def test_instructions_work_on_all_of_a_product_or_stay(body: str, whole: bool, rng: np.random.Generator) -> None:
    rows, columns = (7, 9) if whole else (4, 5)
    parts = " ".join(
        f"%{part} = subview %{of}[0:{rows},0:{columns}] : memref<f32x{rows}x{columns},strided<1,7>>"
        for part, of in (("P", "C"), ("Q", "D"))
    )
    fused(module := program(f"{parts} {PRODUCT} {body}"), arrays(rng))
    assert names(module)["tl.gemm"] == (not whole)


def test_extents_that_a_launch_must_have_are_known_to_be_equal(rng: np.random.Generator) -> None:
    head = f"""func @f(%A: memref<f32x?x?>, %B: memref<f32x?x?>, %C: memref<f32x?x?> {ALONE},
                       %D: memref<f32x?x?> {ALONE}, %b: memref<f32x?>) {{
        %zero = constant 0.0 : f32 %one = constant 1.0 : f32 %c0 = constant 0 : index"""
    extents = "%m = size %SOURCE[0] : index %n = size %SOURCE[1] : index"
    store = foreach("%c = load %C[%i,%j] : f32 %x = max %c, %zero : f32 store %x, %D[%i,%j]")
    given = [*arrays(rng)[:4], np.ones(7, np.float32)]
    for source, agrees in (("C", True), ("D", False)):
        sizes = extents.replace("SOURCE", source)
        fused(module := program(f"{PRODUCT} {sizes} {store}", head), given)
        assert names(module)["tl.gemm"] == (not agrees)
    # an instruction wants them to be
    sizes = extents.replace("SOURCE", "D")
    fused(module := program(f"axpby %zero, %C, %one, %D {PRODUCT} {sizes} {store}", head), given)
    assert not names(module)["tl.gemm"]


def test_nans_go_through_relu_as_it_is_written() -> None:
    """`maximumf` keeps NaN, `maxnumf` and the language's max take the number."""
    text = """func.func @f(%A: memref<32x32xf32>, %B: memref<32x32xf32>, %C: memref<32x32xf32>) {
      %zero = arith.constant 0.0 : f32
      linalg.matmul ins(%A, %B : memref<32x32xf32>, memref<32x32xf32>) outs(%C : memref<32x32xf32>)
      affine.for %i = 0 to 32 { affine.for %j = 0 to 32 {
        %c = affine.load %C[%i, %j] : memref<32x32xf32>
        %x = arith.NAME %c, %zero : f32
        affine.store %x, %C[%i, %j] : memref<32x32xf32>
      } }
      return
    }"""
    a, b = np.zeros((32, 32), np.float32), np.zeros((32, 32), np.float32)
    a[3, 0], b[0, 5] = np.inf, -0.0
    for name, wanted in (("maximumf", np.nan), ("maxnumf", 0.0)):
        c = np.full((32, 32), -1, np.float32)
        tw.compile(text.replace("NAME", name), target="cpu", cache=False).f[1](a, b, c)
        expected = np.zeros((32, 32), np.float32)
        expected[3] = wanted
        np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize("size", [20, 75, 300])
def test_the_cpu_fuses_large_and_small_products(size: int, rng: np.random.Generator) -> None:
    text = """func @f(%A: memref<f32x?x?>, %B: memref<f32x?x?>, %C: memref<f32x?x?> {"noalias"=true},
                   %b: memref<f32x?>) {
        %zero = constant 0.0 : f32 %one = constant 1.0 : f32 %c0 = constant 0 : index
        gemm %one, %A, %B, %one, %C
        %m = size %C[0] : index %n = size %C[1] : index
        foreach (%i,%j)=(%c0,%c0),(%m,%n) {
            %c = load %C[%i,%j] : f32 %v = load %b[%i] : f32 %x = add %c, %v : f32 %y = max %x, %zero : f32
            store %y, %C[%i,%j]
        } }"""
    a, b, c = (np.asfortranarray(rng.standard_normal((size, size)).astype(np.float32)) for _ in range(3))
    bias = rng.standard_normal(size).astype(np.float32)
    expected = np.maximum(a.astype(np.float64) @ b + c + bias[:, None], 0)
    tw.compile(text, target="cpu", cache=False).f[1](a, b, c, bias)
    np.testing.assert_allclose(c, expected, atol=1e-4 * size**0.5)


def test_random_neighbours(rng: np.random.Generator, ran: Ran) -> None:
    fewer = 0
    for _ in range(RANDOM):
        memory = [rng.integers(-2, 3, (SIZE, SIZE)).astype(np.float64) for _ in range(5)]
        vector = rng.integers(-2, 3, SIZE).astype(np.float64)
        # D, E or v may lie in another array; then neither is promised to be alone
        shared, other = (int(k) for k in rng.choice(6, 2, replace=False))
        shares = shared >= 3 and other < 5
        alone = {
            name: not shares or place not in (shared, other) for name, place in zip("CDEv", range(2, 6), strict=True)
        }
        where = (shared, other) if shares else None
        fewer += _same(Programs(rng, alone).program(), memory, vector, where)
    assert RANDOM // 5 < fewer < RANDOM
    ran(RANDOM, "products with neighbours")


def _same(text: str, memory: list[Array], vector: Array, shares: tuple[int, int] | None) -> bool:
    """Fuse what may be; whether that was anything."""
    module = program("", text.rstrip()[:-1])
    want, got = (_arguments(memory, vector, shares) for _ in range(2))
    interpret(module.kernels[0], want, (1, 1, 1))
    after = run(module, FuseEpilogues(SMALL_TILES))
    interpret(module.kernels[0], got, (1, 1, 1))
    for x, y in zip(got, want, strict=True):
        np.testing.assert_array_equal(x, y, err_msg=f"{text}\n\n{after}")
    return not names(module)["tl.gemm"]


def _arguments(memory: list[Array], vector: Array, shares: tuple[int, int] | None) -> list[Any]:
    """Fresh arrays; the first of `shares` lies in the second."""
    found: list[Any] = [*(array.copy(order="F") for array in memory), vector.copy(), 2.0]
    if shares is not None:
        one, other = shares
        found[one] = found[other][:, 1] if one == 5 else found[other]
    return found
