"""Several statements in a nest, remainders of unknown length, types; and what has to stay a loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright.compile_options import CompileOptions
from tilewright.diagnostics import Report, Source
from tilewright.dialects.builtin import Module
from tilewright.frontends.tensor_language.parser import parse
from tilewright.interpreter import interpret
from tilewright.transforms.canonicalize import Canonicalize
from tilewright.transforms.cse import EliminateCommonSubexpressions
from tilewright.transforms.generic_policies import GenericTeamPolicy
from tilewright.transforms.infer_work_group import InferWorkGroup
from tilewright.transforms.raise_contractions import RaiseContractions
from transforms.support import filecheck, names, run

Array = NDArray[Any]

HEAD = """
func @f(%A: memref<TxMxK>, %B: memref<TxKxN>, %C: memref<TxMxN> {"noalias"=true}, %D: memref<TxMxN> {"noalias"=true}) {
    %c0 = constant 0 : index
    %c1 = constant 1 : index
    %m = constant M : index
    %n = constant N : index
    %k = constant K : index
    %zero = constant ZERO : T
"""
PRODUCT = """
    for %l = %c0, %k {
        %c = load %C[%i,%j] : T
        %a = load %A[%i,%l] : T
        %b = load %B[%l,%j] : T
        %p = mul %a, %b : T
        %s = add %c, %p : T
        store %s, %C[%i,%j]
    }
"""
SIZES = (7, 9, 5)


def program(body: str, element: str = "f64", sizes: tuple[int, int, int] = SIZES) -> Module:
    """A kernel on A (M x K), B (K x N), C and D (M x N), with loops over i and j around the body unless it has any."""
    zero = "0.0" if element.startswith("f") else "0"
    if "for %i" not in body:
        body = f"for %i = %c0, %m {{ for %j = %c0, %n {{ {body} }} }}"
    text = f"{HEAD}{body}\n}}".replace("ZERO", zero)
    for letter, size in zip("MNK", sizes, strict=True):
        text = text.replace(f"x{letter}", f"x{size}").replace(f"constant {letter} ", f"constant {size} ")
    text = text.replace("<T", f"<{element}").replace(": T", f": {element}").replace("(T)", f"({element})")
    report = Report()
    module = parse(Source("k.tl", text), report)
    assert isinstance(module, Module), text
    assert not report.has_errors, [str(d) for d in report.diagnostics]
    return module


def arrays(rng: np.random.Generator, dtype: str = "float64", sizes: tuple[int, int, int] = SIZES) -> list[Array]:
    m, n, k = sizes
    return [np.asfortranarray(rng.integers(-3, 4, s).astype(dtype)) for s in ((m, k), (k, n), (m, n), (m, n))]


def raised(module: Module, *steps: Any) -> str:
    return run(module, InferWorkGroup(GenericTeamPolicy()), *steps, RaiseContractions())


def same(module: Module, made: list[Array], raise_: bool = True) -> str:
    """Raise; what the kernel then computes is what it computed. The text."""
    run(module, InferWorkGroup(GenericTeamPolicy()))
    want = [a.copy(order="K") for a in made]
    interpret(module.kernels[0], want, (1, 1, 1))
    text = run(module, RaiseContractions()) if raise_ else ""
    got = [a.copy(order="K") for a in made]
    interpret(module.kernels[0], got, (1, 1, 1))
    for x, y in zip(got, want, strict=True):
        np.testing.assert_array_equal(x, y)
    return text


def test_zeros_in_front_of_a_product_are_its_beta(rng: np.random.Generator) -> None:
    text = same(module := program(f"store %zero, %C[%i,%j] {PRODUCT}"), arrays(rng))
    assert names(module)["tl.gemm"] == 1
    assert not names(module)["scf.for"]
    filecheck(text, "%[[z]] = arith.constant {value = 0.0}\n tl.gemm".replace("%[[z]]", "%{{[0-9]+}}"))


def test_zeros_in_a_nest_of_their_own_are_its_beta_too(rng: np.random.Generator) -> None:
    zeros = "for %i = %c0, %m { for %j = %c0, %n { store %zero, %C[%i,%j] } }"
    product = f"for %i = %c0, %m {{ for %j = %c0, %n {{ {PRODUCT} }} }}"
    same(module := program(f"{zeros} {product}"), arrays(rng))
    assert names(module)["tl.gemm"] == 1
    assert not names(module)["tl.axpby"]


def test_what_follows_a_product_keeps_its_loops(rng: np.random.Generator) -> None:
    relu = "%r = load %C[%i,%j] : T %x = max %r, %zero : T store %x, %D[%i,%j]"
    same(module := program(f"store %zero, %C[%i,%j] {PRODUCT} {relu}"), arrays(rng))
    assert names(module)["tl.gemm"] == 1
    assert names(module)["scf.for"] == 2
    assert names(module)["memref.store"] == 1


CARRIED = """
    %r = for %l = %c0, %k init(%acc = START) -> (T) {
        %a = load %A[%i,%l] : T
        %b = load %B[%l,%j] : T
        %p = mul %a, %b : T
        %s = add %acc, %p : T
        yield (%s)
    }
"""


@pytest.mark.parametrize("start", ["%zero", "%c", "%d"])
def test_sums_carried_by_the_loop(rng: np.random.Generator, start: str) -> None:
    loads = "%c = load %C[%i,%j] : T %d = load %D[%j,%i] : T" if start != "%zero" else ""
    body = f"{loads} {CARRIED.replace('START', start)} store %r, %C[%i,%j]"
    sizes = (6, 6, 5)
    same(module := program(body, sizes=sizes), arrays(rng, sizes=sizes))
    assert names(module)["tl.gemm"] == 1
    assert names(module)["tl.axpby"] == (start == "%d")
    assert not names(module)["memref.store"]


EPILOGUES = {
    "relu": "%x = max %r, %zero : T",
    "bias and relu": "%d = load %D[%i,%c0] : T %y = add %r, %d : T %x = max %y, %zero : T",
    "a square": "%x = mul %r, %r : T",
    "the old element": "%d = load %C[%i,%j] : T %x = mul %r, %d : T",
}


@pytest.mark.parametrize("name", EPILOGUES)
def test_what_is_computed_from_a_sum_stays_behind_it(rng: np.random.Generator, name: str) -> None:
    body = f"{CARRIED.replace('START', '%zero')} {EPILOGUES[name]} store %x, %C[%i,%j]"
    same(module := program(body), arrays(rng))
    assert names(module)["tl.gemm"] == (name != "the old element")
    assert names(module)["memref.store"] == 1


def test_a_store_is_as_before_if_nothing_is_raised() -> None:
    body = f"{CARRIED.replace('START', '%zero').replace('%A[', '%C[')} %x = max %r, %zero : T store %x, %C[%i,%j]"
    module = program(body, sizes=(5, 5, 5))
    before = run(module, InferWorkGroup(GenericTeamPolicy()), Canonicalize(), EliminateCommonSubexpressions())
    assert run(module, RaiseContractions()) == before


@pytest.mark.parametrize(
    ("element", "dtype"), [("i8", "int8"), ("i32", "int32"), ("f16", "float16"), ("f32", "float32")]
)
def test_element_types(rng: np.random.Generator, element: str, dtype: str) -> None:
    same(module := program(PRODUCT, element), arrays(rng, dtype))
    assert names(module)["tl.gemm"] == 1


FACTORS = """
    %two = constant 2.0 : f64
    %c = load %C[%i,%j] : f64
    %s = for %l = %c0, %k init(%acc = %c) -> (f64) {
        %a = load %A[%i,%l] : f64
        %b = load %B[%l,%j] : f64
        %t = mul %a, %two : f64
        %p = mul %t, %b : f64
        %s = sub %acc, %p : f64
        yield (%s)
    }
    store %s, %C[%i,%j]
"""


def test_factors_and_differences_are_alpha(rng: np.random.Generator) -> None:
    text = same(module := program(FACTORS), arrays(rng))
    assert names(module)["tl.gemm"] == 1
    assert "arith.neg" in text


def test_summands_of_a_difference_have_their_signs(rng: np.random.Generator) -> None:
    difference = """%q = mul %a, %b : f64
        %d = sub %q, %p : f64
        %s = add %acc, %d : f64"""
    same(module := program(FACTORS.replace("%s = sub %acc, %p : f64", difference)), arrays(rng))
    assert names(module)["tl.gemm"] == 2


def test_neighbours_of_different_signs_and_factors_are_several(rng: np.random.Generator) -> None:
    """Rows in turn, each with a product of the same matrices: one box only if they also are scaled alike."""
    row = """
        %d{n} = load %C[%r{n},%j] : f64
        %a{n} = load %A[%r{n},%l] : f64
        %b{n} = load %B[%l,%j] : f64
        %t{n} = mul %a{n}, %{factor} : f64
        %p{n} = mul %t{n}, %b{n} : f64
        %s{n} = {op} %d{n}, %p{n} : f64
        store %s{n}, %C[%r{n},%j]
    """
    rows = [("two", "add"), ("two", "sub"), ("three", "add")]
    body = "".join(row.format(n=n, factor=factor, op=op) for n, (factor, op) in enumerate(rows))
    text = f"""
    %two = constant 2.0 : f64
    %three = constant 3.0 : f64
    %c2 = constant 2 : index
    %c3 = constant 3 : index
    for %i = %c0, %m, %c3 {{ for %j = %c0, %n {{ for %l = %c0, %k {{
        %r0 = add %i, %c0 : index
        %r1 = add %i, %c1 : index
        %r2 = add %i, %c2 : index
        {body}
    }} }} }}
    """
    made = arrays(rng, sizes=(9, 9, 5))
    same(program(text, sizes=(9, 9, 5)), made)


UNROLLED = """
func @f(%A: memref<f64x?x?>, %B: memref<f64x?x?>, %C: memref<f64x?x?> {"noalias"=true},
        %m: index, %n: index, %k: index) {
    %c0 = constant 0 : index
    %c1 = constant 1 : index
    %c2 = constant 2 : index
    for %i = %c0, %m { for %j = %c0, %n {
        %over = rem %k, %c2 : index
        %main = sub %k, %over : index
        for %l = %c0, %main, %c2 {
            %c = load %C[%i,%j] : f64
            %a = load %A[%i,%l] : f64
            %b = load %B[%l,%j] : f64
            %p = mul %a, %b : f64
            %s = add %c, %p : f64
            %next = add %l, %c1 : index
            %d = load %A[%i,%next] : f64
            %e = load %B[%next,%j] : f64
            %q = mul %d, %e : f64
            %t = add %s, %q : f64
            store %t, %C[%i,%j]
        }
        for %l = %main, %k {
            %c = load %C[%i,%j] : f64
            %a = load %A[%i,%l] : f64
            %b = load %B[%l,%j] : f64
            %p = mul %a, %b : f64
            %s = add %c, %p : f64
            store %s, %C[%i,%j]
        }
    } }
}
"""


@pytest.mark.parametrize("sizes", [(4, 5, 7), (4, 5, 8), (3, 3, 1), (3, 3, 0), (0, 3, 2), (3, 2, -3)])
def test_remainders_of_unknown_length(rng: np.random.Generator, sizes: tuple[int, int, int]) -> None:
    report = Report()
    module = parse(Source("k.tl", UNROLLED), report)
    assert isinstance(module, Module), [str(d) for d in report.diagnostics]
    raised(module)
    assert names(module)["tl.gemm"] == 1
    assert names(module)["scf.if"] == 2, "one for remainders that fit, one for a sum of no terms"
    m, n, k = sizes
    a, b, c, _ = arrays(rng, sizes=(m, n, max(k, 0)))
    want = c + a @ b if k > 0 else c.copy()
    interpret(module.kernels[0], [a, b, c, m, n, k], (1, 1, 1))
    np.testing.assert_array_equal(c, want)


STAYS = {
    "a maximum": PRODUCT.replace("add %c", "max %c"),
    "what it adds to stands elsewhere": PRODUCT.replace("load %C[%i,%j]", "load %D[%i,%j]"),
    "only the last product of a row is kept": PRODUCT.replace("store %s,", "store %p,"),
    "a source is the target": PRODUCT.replace("load %A[%i,%l]", "load %C[%i,%l]"),
    "a factor is no element": PRODUCT.replace("mul %a, %b", "max %a, %b"),
    "a triangle": PRODUCT.replace("%c0, %k", "%c0, %i"),
    "an element of a diagonal": PRODUCT.replace("%A[%i,%l]", "%A[%l,%l]").replace("%B[%l,%j]", "%B[%j,%j]"),
    "a skewed band": PRODUCT.replace(
        "%a = load %A[%i,%l]", "%x = add %i, %l : index %y = rem %x, %k : index %a = load %A[%i,%y]"
    ),
}


@pytest.mark.parametrize("name", STAYS)
def test_what_is_no_contraction_stays(rng: np.random.Generator, name: str) -> None:
    sizes = (5, 5, 5)
    same(module := program(STAYS[name], sizes=sizes), arrays(rng, sizes=sizes))
    assert not names(module)["tl.gemm"]
    assert names(module)["scf.for"] >= 1


def test_arrays_that_may_share_memory_stay() -> None:
    report = Report()
    text = UNROLLED.replace(' {"noalias"=true}', "")
    module = parse(Source("k.tl", text), report)
    assert isinstance(module, Module)
    raised(module)
    assert not any(name.startswith("tl.") for name in names(module))


def test_a_product_computed_again_and_again_is_raised_inside(rng: np.random.Generator) -> None:
    body = f"for %t = %c0, %k {{ for %i = %c0, %m {{ for %j = %c0, %n {{ {PRODUCT} }} }} }}"
    same(module := program(body), arrays(rng))
    assert names(module)["tl.gemm"] == 1
    assert names(module)["scf.for"] == 1


def test_a_statement_that_reads_partial_sums_keeps_the_order(rng: np.random.Generator) -> None:
    watched = PRODUCT.replace(
        "store %s, %C[%i,%j]", "store %s, %C[%i,%j] %w = load %D[%i,%l] : T %v = max %w, %s : T store %v, %D[%i,%l]"
    )
    sizes = (5, 5, 5)
    same(program(watched, sizes=sizes), arrays(rng, sizes=sizes))


def test_sums_that_read_what_others_add_to_keep_the_order(rng: np.random.Generator) -> None:
    """Both statements only add to C, in any order then, but the second reads what the first adds."""
    behind = "%d = load %C[%i,%j] : T %e = load %C[%l,%j] : T %q = mul %a, %e : T %t = add %d, %q : T"
    watched = PRODUCT.replace("store %s, %C[%i,%j]", f"store %s, %C[%i,%j] {behind} store %t, %C[%i,%j]")
    same(program(watched, sizes=(5, 5, 5)), arrays(rng, sizes=(5, 5, 5)))


def test_sums_of_floats_keep_their_order_if_asked(rng: np.random.Generator) -> None:
    ordered = RaiseContractions().keeping_order()
    for element, raises in (("f32", False), ("i32", True)):
        module = program(PRODUCT, element)
        run(module, InferWorkGroup(GenericTeamPolicy()), Canonicalize(), ordered)
        assert bool(names(module)["tl.gemm"]) is raises
    # in float32, 1 + 2^-24 + 2^-24 is 1 in this order, and more in any other
    text = UNROLLED.replace("f64", "f32")
    a = np.full((1, 300), 2.0**-24, np.float32, order="F")
    b, c = np.ones((300, 1), np.float32, order="F"), np.ones((1, 1), np.float32, order="F")
    kernels = tw.compile(text, reorder_sums=False)
    kernels.f[1](a, b, c, 1, 1, 300)
    assert c[0, 0] == 1
    assert CompileOptions().reorder_sums
    tw.compile(text).f[1](a, b, c, 1, 1, 300)
    assert c[0, 0] > 1


def test_a_factor_that_a_loop_in_front_computes(rng: np.random.Generator) -> None:
    # in the loops together it changes and they are no sum, in the second one alone it is fixed
    product = PRODUCT.replace("%p = mul %a, %b", "%q = mul %most, %a : T %p = mul %q, %b")
    body = f"""
    %first = load %D[%c0,%c0] : T
    %most = for %l = %c0, %k init(%acc = %first) -> (T) {{
        %a = load %A[%c0,%l] : T
        %x = max %acc, %a : T
        yield (%x)
    }}
    for %i = %c0, %m {{ for %j = %c0, %n {{ {product} }} }}
    """
    same(module := program(body), arrays(rng))
    assert names(module)["tl.gemm"] == 1
    assert names(module)["scf.for"] == 1
