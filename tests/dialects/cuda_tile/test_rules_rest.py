"""More texts for rules of their own: products, tensor views, regions, constants, debug information, whole modules."""

# ruff: noqa: E501 - a text is easier to read in one line

from __future__ import annotations

import pytest

from frontends.tile_ir.bytecode.samples import Kernel
from frontends.tile_ir.marked import check, findings
from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import types as t
from tilewright.dialects.cuda_tile.attributes import Dense, dense
from tilewright.dialects.cuda_tile.core import Constant
from tilewright.dialects.cuda_tile.rules_symbols import legal_types
from tilewright.ir.types import Type
from tilewright.ir.verifier import verify


def tiles(*types: str) -> str:
    """Constants %u, %v, .. of some types."""
    made: list[str] = []
    for name, type_ in zip("uvwxy", types, strict=False):
        element = type_.split("x")[-1]
        made.append(f"%{name} = constant <{element}: {'1' if element[0] == 'i' else '1.0'}> : tile<{type_}>\n")
    return "".join(made)


def product(op: str, types: list[str], marked: int | str, tail: str = "") -> str:
    """A product of constants; an operand or the last type of those that are written is marked."""
    names = [f"«%{name}»" if k == marked else f"%{name}" for k, name in zip(range(len(types)), "uvwxy", strict=False)]
    spelled = [f"tile<{type_}>" for type_ in types]
    if marked == "type":
        spelled[2] = f"«{spelled[2]}»"
    return tiles(*types) + f"%p = {op} {', '.join(names)} {tail}: {', '.join(spelled)}"


PRODUCTS = [
    (product("mmaf", ["4x4xf32", "4x4xf16", "4x4xf32"], 1), "factors have one element type, not f32 and f16"),
    (product("mmaf", ["4x4xf8E8M0FNU", "4x4xf8E8M0FNU", "4x4xf32"], 0), "there is no product of f8E8M0FNU"),
    (product("mmaf", ["4x4xf4E2M1FN", "4x4xf4E2M1FN", "4x4xf32"], 0), "there is no product of f4E2M1FN"),
    (product("mmaf", ["4x4xf32", "4x4xf32", "4x4xf16"], 2), "products of f32 are summed in f32, not f16"),
    (product("mmaf", ["4x4xf64", "4x4xf64", "4x4xf32"], 2), "products of f64 are summed in f64, not f32"),
    (product("mmaf", ["4x4xbf16", "4x4xbf16", "4x4xf16"], 2), "products of bf16 are summed in f32, not f16"),
    (product("mmaf", ["4x4xf16", "4x4xf16", "4x4xf64"], 2), "products of f16 are summed in f16 or f32, not f64"),
    (
        product("mmaf", ["4x4xf8E5M2", "4x4xf8E5M2", "4x4xf64"], 2),
        "products of f8E5M2 are summed in f16 or f32, not f64",
    ),
    (product("mmaf", ["2x4x4xf32", "4x4x4xf32", "2x4x4xf32"], "type"), "batch dimensions differ"),
    (product("mmaf", ["4x8xf32", "8x2xf32", "4x4xf32"], "type"), "M x K, K x N and M x N do not fit"),
    (product("mmai", ["4x8xi8", "4x8xi8", "4x8xi32"], "type", "signed signed "), "M x K, K x N and M x N do not fit"),
    (
        product("mmaf_scaled", ["4x64xf8E4M3FN", "64x4xf8E5M2", "4x4xf32", "4x2xf8E8M0FNU", "2x4xf8E8M0FNU"], "type"),
        "factors have one element type, and so have scales",
    ),
    (
        product("mmaf_scaled", ["4x64xf8E5M2", "64x4xf8E5M2", "4x4xf16", "4x2xf8E8M0FNU", "2x4xf8E8M0FNU"], 2),
        "the accumulator has elements of type f32, not f16",
    ),
    (
        product("mmaf_scaled", ["4x64xf16", "64x4xf16", "4x4xf32", "4x2xf8E8M0FNU", "2x4xf8E8M0FNU"], "type"),
        "there is no product of f16 with scales of type f8E8M0FNU",
    ),
    (
        product("mmaf_scaled", ["4x64xf8E5M2", "64x4xf8E5M2", "4x4xf32", "4x4xf8E8M0FNU", "4x4xf8E8M0FNU"], "type"),
        "one scale for 32 elements along K",
    ),
    (
        product("mmaf_scaled", ["4x64xf4E2M1FN", "64x4xf4E2M1FN", "4x4xf32", "4x2xf8E4M3FN", "2x4xf8E4M3FN"], "type"),
        "one scale for 16 elements along K",
    ),
]

DYNAMIC = "tensor_view<?x?xf32, strides=[?,1]>"
PADDED = "partition_view<tile=(4), padding_value = zero, tensor_view<64xf32, strides=[1]>>"
OTHERS = [
    ("C10", tiles("4xf4E2M1FN", "4xi1") + "%p = select %v, %u, %u : tile<4xi1>, «tile<4xf4E2M1FN>»", "f4E2M1FN"),
    (
        "C10",
        "%l2 = reshape %l : tile<i64> -> tile<i64>\n%p = int_to_ptr %l2 : tile<i64> -> tile<ptr<f4E2M1FN>>\n%q = offset «%p», %i : tile<ptr<f4E2M1FN>>, tile<i32> -> tile<ptr<f4E2M1FN>>",
        "4-bit",
    ),
    (
        "C16",
        f'«%v = "cuda_tile.make_tensor_view"(%pf, %i, %j) <{{operandSegmentSizes = array<i32: 1, 2, 0>}}> : (tile<ptr<f32>>, tile<i32>, tile<i32>) -> ({DYNAMIC})»',
        "0 dynamic strides for 1 ?",
    ),
    (
        "C16",
        f'%v = "cuda_tile.make_tensor_view"(%pf, %i, «%l», %j) <{{operandSegmentSizes = array<i32: 1, 2, 1>}}> : (tile<ptr<f32>>, tile<i32>, tile<i64>, tile<i32>) -> ({DYNAMIC})',
        "have one type",
    ),
    (
        "C16",
        f'%v = make_tensor_view %pf, shape = [%i, %j], strides = [%i, 1] : tile<i32> -> {DYNAMIC}\n%x, %y = "cuda_tile.get_tensor_shape"(%v) : «({DYNAMIC}) -> (tile<i32>, tile<i64>)»',
        "all results have one type",
    ),
    (
        "C16",
        f"%v = make_tensor_view %pf, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>\n%w = make_partition_view %v : {PADDED}\n%x, %t = load_view_tko weak %w[%i] : {PADDED}, tile<i32> -> tile<4xf32>, token\n%u = atomic_red_view_tko relaxed device «%w»[%i], addf, %x : tile<4xf32>, {PADDED}, tile<i32> -> token",
        "no padding_value",
    ),
    ("C13", "loop {\n «yield»\n}", "yield ends regions of if, reduce and scan only"),
    (
        "C13",
        '«"cuda_tile.if"(%b) ({\n ^bb0(%x: tile<i32>):\n yield\n}, {\n}) : (tile<i1>) -> ()»',
        "the regions of an if have no arguments",
    ),
    (
        "C13",
        '«"cuda_tile.for"(%i, %j, %i) ({\n ^bb0(%x: tile<i64>):\n continue\n}) : (tile<i32>, tile<i32>, tile<i32>) -> ()»',
        "the loop index has the type of the range",
    ),
    (
        "C14",
        '«"cuda_tile.reduce"() <{dim = 0 : i32, identities = []}> ({\n yield\n}) : () -> ()»',
        "at least one operand",
    ),
    (
        "C19",
        '«%t, %u = "cuda_tile.print_tko"() <{str = "x", operandSegmentSizes = array<i32: 0, 0>}> : () -> (token, token)»',
        "at most one result, a token",
    ),
]


@pytest.mark.parametrize(("marked", "says"), PRODUCTS)
def test_products(marked: str, says: str) -> None:
    check("C17", marked, says)


@pytest.mark.parametrize(("code", "marked", "says"), OTHERS)
def test_others(code: str, marked: str, says: str) -> None:
    check(code, marked, says)


FILE = '#f = #cuda_tile.di_file<"k.py" in "src">\n#u = #cuda_tile.di_compile_unit<file = #f>\n'


def subprogram(name: str, line: int) -> str:
    return f'#{name} = #cuda_tile.di_subprogram<file = #f, line = {line}, name = "{name}", linkageName = "{name}", compileUnit = #u, scopeLine = {line}>\n'


SCOPED = 'loc(#cuda_tile.di_loc<loc("k.py":9:12) in #k>)'
ELSEWHERE = 'loc(#cuda_tile.di_loc<loc("k.py":9:12) in #h>)'
IN_BLOCK = 'loc(#cuda_tile.di_loc<loc("k.py":9:12) in #b>)'
NOWHERE = 'loc(#cuda_tile.di_loc<loc("k.py":9:12) in #n>)'
PLAIN = 'loc("k.py":9:12)'
CALL = f"loc(callsite({ELSEWHERE} at {SCOPED}))"
OTHER_CALL = f"loc(callsite({SCOPED} at {ELSEWHERE}))"
BLOCKS = "".join(
    f"#{name} = #cuda_tile.di_lexical_block<{scope}file = #f, line = 9, column = 1>\n"
    for name, scope in (("b", "scope = #k, "), ("n", ""))
)
HEADER = FILE + subprogram("k", 4) + subprogram("h", 14) + BLOCKS


def fused(*places: str) -> str:
    return f"loc(fused[{', '.join(places)}])"


def named(place: str) -> str:
    return f'loc("name"({place}))'


DEBUG = [
    (f"entry @k() {{\n «%a = iota : tile<4xi32>» {SCOPED}\n}}", "the entry has no debug scope"),
    (f"entry @k() {{\n «%a = iota : tile<4xi32>» {ELSEWHERE}\n}} {SCOPED}", "that of another function"),
    (f"«entry @m()» {{\n}} {SCOPED}", "linkage"),
    (f"«entry @k()» {{\n}} loc(callsite({SCOPED[4:-1]} at {SCOPED[4:-1]}))", "no call site"),
    (f"«global @g <f32: 0.0> : tile<4xf32>» {SCOPED}", "globals have no debug scope"),
    (f"«entry @k()» {{\n}} {IN_BLOCK}", "is a subprogram, not a block within one"),
    (f"«entry @k()» {{\n}} {fused(SCOPED, IN_BLOCK)}", "is a subprogram, not a block within one"),
    (f"«entry @m()» {{\n}} {fused(PLAIN, SCOPED)}", "linkage"),
    (f"«entry @m()» {{\n}} {named(SCOPED)}", "linkage"),
    (f"«entry @k()» {{\n}} {fused(SCOPED, ELSEWHERE)}", "scopes of several functions"),
    (f"«entry @k()» {{\n}} {named(fused(PLAIN, CALL))}", "no call site"),
    (f"entry @k() {{\n «%a = iota : tile<4xi32>» {named(SCOPED)}\n}}", "the entry has no debug scope"),
    (f"entry @k() {{\n «%a = iota : tile<4xi32>» {fused(SCOPED, named(ELSEWHERE))}\n}} {SCOPED}", "another function"),
    (f"entry @k() {{\n «%a = iota : tile<4xi32>» {fused(PLAIN, OTHER_CALL)}\n}} {SCOPED}", "another function"),
    (f"entry @k() {{\n «%a = iota : tile<4xi32>» {NOWHERE}\n}} {SCOPED}", "lies in no subprogram"),
    (f"«global @g <f32: 0.0> : tile<4xf32>» {fused(PLAIN, named(IN_BLOCK))}", "globals have no debug scope"),
]


@pytest.mark.parametrize(("marked", "says"), DEBUG)
def test_debug_scopes(marked: str, says: str) -> None:
    check("C23", HEADER + marked, says)


def test_debug_scopes_of_the_entry_s_own_function() -> None:
    places = [SCOPED, IN_BLOCK, CALL, PLAIN, named(IN_BLOCK), fused(PLAIN, named(CALL), IN_BLOCK), "loc(unknown)"]
    body = "".join(f"%a{i} = iota : tile<4xi32> {place}\n" for i, place in enumerate(places))
    for own in (SCOPED, named(SCOPED), fused(SCOPED, PLAIN, SCOPED)):
        assert findings(f"{HEADER}global @g <f32: 0.0> : tile<4xf32> {PLAIN}\nentry @k() {{\n{body}}} {own}") == []


def only(kernel: Kernel) -> tuple[str, str]:
    """The one diagnostic of a module that no reader has looked at."""
    report = Report()
    verify(kernel.module("k"), report)
    [found] = report.diagnostics
    return found.code, found.message


FLOATING_PADDINGS = [padding for padding in t.Padding if padding is not t.Padding.ZERO]


def integers_padded_with(padding: t.Padding) -> t.View:
    return t.PartitionView((4,), t.TensorView(t.I32, (64,), (1,)), padding, (0,))


@pytest.mark.parametrize(
    ("type_", "said"),
    [
        (t.F32, "f32 is no type of a value; write tile<f32>"),
        (t.Tile((3,), t.F32), "tile<3xf32>: the extents of a tile are powers of two, not 3"),
        *(
            (view, f"{view}: padding_value {padding.value} needs a floating point element")
            for padding, view in ((padding, integers_padded_with(padding)) for padding in FLOATING_PADDINGS)
        ),
    ],
)
def test_types_in_modules_that_were_built(type_: Type, said: str) -> None:
    kernel = Kernel()
    kernel.entry.add_argument(type_)
    report = Report()
    legal_types(kernel.module("k"), report)
    assert [(d.code, d.message) for d in report.diagnostics] == [("C8", said)]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (dense(t.I32, [1], 4), "constant: elements of type i32 for the result of type tile<4xf32>"),
        (dense(t.F32, [1, 2], 2), "constant: 2 elements for the result of type tile<4xf32>"),
    ],
)
def test_constants_in_modules_that_were_built(value: Dense, said: str) -> None:
    kernel = Kernel()
    kernel(Constant(value, result_types=[t.Tile((4,), t.F32)]))
    assert only(kernel) == ("C20", said)
