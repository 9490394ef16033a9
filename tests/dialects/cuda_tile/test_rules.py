"""One text for every rule: exactly one diagnostic, at exactly the marked place."""

# ruff: noqa: E501 - a text is easier to read in one line

from __future__ import annotations

import pytest

from frontends.tile_ir.marked import check, findings, program

V = "tensor_view<64x16xf32, strides=[16,1]>"
PV = f"partition_view<tile=(4x8), {V}>"
TV = f"    %tv = make_tensor_view %pf, shape = [64, 16], strides = [16, 1] : {V}\n"
VIEW = TV + f"    %pv = make_partition_view %tv : {PV}\n"
GV = f"gather_scatter_view<tile=(4x8), {V}, sparse_dim=0>"
GATHER = TV + f"    %gv = make_gather_scatter_view %tv : {GV}\n"
TILES = """    %q = constant <f32: 0.0> : tile<4xf32>
    %h = constant <f16: 0.0> : tile<4xf16>
    %n = constant <i32: 1> : tile<4xi32>
    %w = constant <i32: 1> : tile<8xi32>
    %m = constant <i1: true> : tile<8xi1>
    %s = constant <f32: 0.0> : tile<2x4xf32>
    %d = constant <f64: 0.0> : tile<4xf64>
"""
REDUCE = "(%x: tile<f32>, %y: tile<f32>) {\n      yield %x : tile<f32>\n    }"
HEAD = "reduce %q dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32>"

SHAPES = [
    ("C10", "%a = addf «%n», %n : tile<4xi32>", "lhs must be a tile of f16"),
    ("C11", "%a = offset %pf, «%n» : tile<ptr<f32>>, tile<4xi32> -> tile<ptr<f32>>", "shapes differ"),
    ("C11", "%a = iota : «tile<2x4xi32>»", "rank 1"),
    ("C11", "%a = iota : «tile<512xi8>»", "do not fit"),
    ("C10", "%a = broadcast %q : tile<4xf32> -> «tile<4xf16>»", "element types differ"),
    ("C11", "%a = broadcast %q : tile<4xf32> -> «tile<4x4xf32>»", "ranks differ"),
    ("C11", "%a = broadcast %q : tile<4xf32> -> «tile<8xf32>»", "only dimensions of extent 1"),
    ("C11", "%a = reshape %q : tile<4xf32> -> «tile<8xf32>»", "do not become"),
    ("C11", "%a = permute «%q» [0] : tile<4xf32> -> tile<4xf32>", "two dimensions"),
    ("C11", "%a = permute %s «[0, 0]» : tile<2x4xf32> -> tile<4x2xf32>", "no permutation"),
    ("C11", "%a = permute %s [1, 0] : tile<2x4xf32> -> «tile<2x4xf32>»", "the result is tile<4x2xf32>"),
    ("C11", "%a = cat %q, %s dim = 0 : tile<4xf32>, tile<2x4xf32> -> «tile<8xf32>»", "ranks differ"),
    ("C11", "%a = cat %q, %q dim = «1» : tile<4xf32>, tile<4xf32> -> tile<8xf32>", "does not lie"),
    ("C11", "%a = cat %q, %q dim = 0 : tile<4xf32>, tile<4xf32> -> «tile<4xf32>»", "do not make"),
    ("C11", "%a = extract %q[%i] : tile<4xf32> -> «tile<8xf32>»", "does not divide"),
    ("C11", "%a = extract %q[%i] : tile<4xf32> -> «tile<2x2xf32>»", "ranks differ"),
    ("C11", "«%a = extract %q[%i, %i] : tile<4xf32> -> tile<2xf32>»", "2 indices for 1"),
    ("C11", "%k = constant <i32: 2> : tile<i32>\n%a = extract %q[«%k»] : tile<4xf32> -> tile<2xf32>", "no slice 2"),
    ("C10", "%a = extract %q[«%l»] : tile<4xf32> -> tile<2xf32>", "indices must be tile<i32>"),
    ("C11", "%a = select %m, %q, %q : tile<8xi1>, «tile<4xf32>»", "shapes differ"),
    ("C11", "%a = pack %s : tile<2x4xf32> -> «tile<32xi8>»", "rank 1"),
    ("C11", "%a = pack %q : tile<4xf32> -> «tile<8xi8>»", "has 128 bits"),
    ("C10", "%e = iota : tile<8xi8>\n%a = pack %e : tile<8xi8> -> «tile<8xi8>»", "bitcast"),
    ("C5", "%a = get_global «@none» : tile<ptr<f32>>", "no global @none"),
    ("C10", "%a = get_global @g : «tile<ptr<i32>>»", "has elements of type f32"),
]
ARITHMETIC = [
    ("C12", "%a = addf %q, %q «rounding<approx>» : tile<4xf32>", "not one of"),
    ("C12", "%a = divf %d, %d «rounding<approx>» : tile<4xf64>", "for f32 only"),
    ("C12", "%a = addf %h, %h «flush_to_zero» : tile<4xf16>", "for f32 only"),
    ("C12", "%a = maxf %h, %h «flush_to_zero» : tile<4xf16>", "for f32 only"),
    ("C12", "%a = exp %q «rounding<zero>» : tile<4xf32>", "not one of"),
    ("C12", "%a = negi %n «overflow<no_unsigned_wrap>» : tile<4xi32>", "means nothing"),
    ("C12", "%a = divi %n, %n signed «rounding<nearest_even>» : tile<4xi32>", "not one of"),
    ("C12", "%a = divi %n, %n unsigned «rounding<negative_inf>» : tile<4xi32>", "signed division"),
    ("C11", "%a = cmpi equal %n, %n, signed : tile<4xi32> -> «tile<8xi1>»", "shapes differ"),
    ("C10", "%a = fpowi %f, «%l» : tile<f32>, tile<i64>", "exponent"),
    ("C10", "%a = bitcast «%h» : tile<4xf16> -> tile<4xi32>", "has 16 bits"),
    ("C10", "%a = exti %n signed : tile<4xi32> -> «tile<4xi16>»", "not wider"),
    ("C10", "%a = trunci %n : tile<4xi32> -> «tile<4xi64>»", "not narrower"),
    ("C10", "%a = itof %n signed : tile<4xi32> -> «tile<4xf8E8M0FNU>»", "do not become"),
    ("C10", "%a = ftof %q : tile<4xf32> -> «tile<4xf32>»", "both types"),
    ("C12", "%a = ftof %q «rounding<zero>» : tile<4xf32> -> tile<4xf16>", "rounding is nearest_even"),
    ("C12", "%a = ftoi %q signed «rounding<zero>» : tile<4xf32> -> tile<4xi32>", "rounding is"),
    ("C12", "%a = itof %n signed «rounding<zero>» : tile<4xi32> -> tile<4xf32>", "rounding is"),
    ("C11", "%a = itof %n signed : tile<4xi32> -> «tile<8xf32>»", "shapes differ"),
    ("C18", "%a = assume «div_by<3>», %n : tile<4xi32>", "power of two"),
    ("C18", "%a = assume «div_by<4>», %q : tile<4xf32>", "integers, pointers"),
    ("C18", "%a = assume «div_by<4, every 2 along 1>», %n : tile<4xi32>", "does not lie"),
    ("C18", "%a = assume «div_by<4, every 8 along 0>», %n : tile<4xi32>", "does not lie"),
    ("C18", "%a = assume «div_by<4, every 1 along 0>», %i : tile<i32>", "dimensions"),
    ("C18", "%a = assume «div_by<12>», %n : tile<4xi32>", "power of two"),
    ("C18", "%a = assume «same_elements<[2]>», %q : tile<4xf32>", "integers and pointers"),
    ("C18", "%a = assume «same_elements<[2, 2]>», %n : tile<4xi32>", "2 extents"),
    ("C18", "%a = assume «same_elements<[8]>», %n : tile<4xi32>", "extents lie"),
    ("C18", "%a = assume «bounded<0, 1>», %q : tile<4xf32>", "integers"),
    ("C18", "%a = assume «bounded<0, 2147483648>», %n : tile<4xi32>", "does not fit"),
    ("C18", "%a = assume «bounded<2, 1>», %n : tile<4xi32>", "above"),
    ("C19", '%a = print_tko «"%d %d"», %n : tile<4xi32> -> token', "2 conversions for 1"),
    ("C19", '%a = print_tko «"%l"», %n : tile<4xi32> -> token', "no end"),
    ("C17", "%a = mmaf %q, %q, %q : tile<4xf32>, tile<4xf32>, «tile<4xf32>»", "rank 2"),
    ("C17", "%a = mmaf %s, %s, %s : tile<2x4xf32>, tile<2x4xf32>, «tile<2x4xf32>»", "do not fit"),
]
MEMORY = [
    ("C15", "%t = make_token : token\n«%a = join_tokens %t : token»", "two tokens"),
    ("C15", "%a, %t = load_ptr_tko weak «device» %pf : tile<ptr<f32>> -> tile<f32>, token", "no scope"),
    ("C15", "%a, %t = load_ptr_tko «release» device %pf : tile<ptr<f32>> -> tile<f32>, token", "not one of"),
    ("C15", "%a, %t = load_ptr_tko «relaxed» %pf : tile<ptr<f32>> -> tile<f32>, token", "need a scope"),
    ("C15", "%a, %t = load_ptr_tko «acquire» %pf : tile<ptr<f32>> -> tile<f32>, token", "need a scope"),
    ("C15", "%t = store_ptr_tko «release» %pf, %f : tile<ptr<f32>>, tile<f32> -> token", "need a scope"),
    ("C15", "%t = store_ptr_tko «acquire» sys %pf, %f : tile<ptr<f32>>, tile<f32> -> token", "not one of"),
    ("C15", "%a, %t = atomic_rmw_tko «weak» sys %pf, addf, %f : tile<ptr<f32>>, tile<f32> -> tile<f32>, token", "weak"),
    ("C10", "%a, %t = load_ptr_tko weak «%pf» : tile<ptr<f32>> -> tile<i32>, token", "pointers to f32"),
    ("C11", "%a, %t = load_ptr_tko weak «%pf» : tile<ptr<f32>> -> tile<4xf32>, token", "shapes differ"),
    (
        "C11",
        "%a, %t = load_ptr_tko weak %pf, «%m» : tile<ptr<f32>>, tile<8xi1> -> tile<f32>, token",
        "shapes differ",
    ),
    (
        "C10",
        "%a, %t = load_ptr_tko weak %pf, %b, «%i» : tile<ptr<f32>>, tile<i1>, tile<i32> -> tile<f32>, token",
        "the padding",
    ),
    ("C12", "%a = alloca num_elem = «-1», alignment = 4 : tile<ptr<f32>>", "-1 elements"),
    ("C12", "%a = alloca num_elem = 1, alignment = «2» : tile<ptr<f32>>", "at least 4"),
    ("C12", "%a = alloca num_elem = 1, alignment = «12» : tile<ptr<f32>>", "power of two"),
    (
        "C10",
        "%a, %t = atomic_cas_tko relaxed sys %ph, «%hs», %hs : tile<ptr<f16>>, tile<f16> -> tile<f16>, token",
        "32",
    ),
    (
        "C10",
        "%a, %t = atomic_rmw_tko relaxed sys %pf, add, «%f» : tile<ptr<f32>>, tile<f32> -> tile<f32>, token",
        "i32",
    ),
    (
        "C10",
        "%a, %t = atomic_rmw_tko relaxed sys %pf, umin, «%f» : tile<ptr<f32>>, tile<f32> -> tile<f32>, token",
        "i32 or i64",
    ),
    (
        "C10",
        "%a, %t = atomic_rmw_tko relaxed sys %pi, addf, «%i» : tile<ptr<i32>>, tile<i32> -> tile<i32>, token",
        "f16",
    ),
]
VIEWS = [
    ("C10", f"%a = make_tensor_view «%pi», shape = [64, 16], strides = [16, 1] : {V}", "a pointer to i32"),
    ("C16", f"%a = make_tensor_view %pf, shape = [«32», 16], strides = [16, 1] : {V}", "32 in shape"),
    ("C16", f"%a = make_tensor_view %pf, shape = [64], strides = [16, 1] : «{V}»", "1 entries"),
    (
        "C16",
        TV + "%a = make_partition_view «%tv» : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>",
        "a view of",
    ),
    ("C16", TV + f'«%x, %y, %z = "cuda_tile.get_tensor_shape"(%tv) : ({V}) -> (tile<i32>, tile<i32>, tile<i32>)»', "3"),
    (
        "C16",
        VIEW + f"%a, %t = load_view_tko weak %pv[%i, %j] : {PV}, tile<i32> -> «tile<4x4xf32>», token",
        "tiles of this",
    ),
    ("C16", VIEW + f"«%a, %t = load_view_tko weak %pv[%i] : {PV}, tile<i32> -> tile<4x8xf32>, token»", "1 indices"),
    (
        "C16",
        VIEW + f"%a, %t = load_view_tko weak %pv[%i, «%l»] : {PV}, tile<i32>, tile<i64> -> tile<4x8xf32>, token",
        "one type",
    ),
    (
        "C16",
        VIEW + f"%a, %t = load_view_tko weak %pv[«%n», %i] : {PV}, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token",
        "rank-0",
    ),
    (
        "C16",
        VIEW + f"%a, %t = load_view_tko weak %pv[%i, %i] inbounds = «[true]» : {PV}, tile<i32> -> tile<4x8xf32>, token",
        "1 entries",
    ),
    (
        "C16",
        GATHER + f"%a, %t = load_view_tko weak %gv[«%w», %i] : {GV}, tile<8xi32>, tile<i32> -> tile<4x8xf32>, token",
        "sparse_dim",
    ),
    (
        "C15",
        VIEW + f"%a, %t = load_view_tko «release» sys %pv[%i, %i] : {PV}, tile<i32> -> tile<4x8xf32>, token",
        "not one",
    ),
    (
        "C15",
        VIEW
        + f"%a, %t = load_view_tko weak %pv[%i, %i] : {PV}, tile<i32> -> tile<4x8xf32>, token\n%u = atomic_red_view_tko relaxed «sys» %pv[%i, %i], addf, %a : tile<4x8xf32>, {PV}, tile<i32> -> token",
        "tl_blk",
    ),
    (
        "C12",
        VIEW
        + f"%a, %t = load_view_tko weak %pv[%i, %i] : {PV}, tile<i32> -> tile<4x8xf32>, token\n%u = atomic_red_view_tko relaxed device %pv[%i, %i], «xchg», %a : tile<4x8xf32>, {PV}, tile<i32> -> token",
        "xchg",
    ),
]
CONTROL = [
    ("C13", "«%a = if %b -> (tile<i32>)» {\n yield %i : tile<i32>\n}", "needs an else"),
    (
        "C13",
        "%a = if %b -> (tile<i32>) {\n yield %i : tile<i32>\n} else {\n «yield %l : tile<i64>»\n}",
        "results of the if",
    ),
    ("C13", "for %k in (%i to %j, step %i) : tile<i32> {\n «break»\n}", "break stands in a loop"),
    ("C13", "if %b {\n «continue»\n}", "continue stands in"),
    ("C13", "loop {\n «return»\n}", "return stands in an entry"),
    ("C13", "loop : tile<i32> {\n «break»\n}", "results of the loop"),
    ("C13", "loop iter_values(%k = %i) : tile<i32> {\n «continue»\n}", "carried values"),
    ("C13", f"«{HEAD}» (%x: tile<f32>, %y: tile<f32>) {{\n }}", "terminator"),
    ("IR004", "if %b {\n «yield»\n  yield\n}", "last operation"),
    ("C13", TV + f"«loop iter_values(%k = %tv) : {V}» {{\n break\n}}", "cannot be carried"),
    ("C11", f"%a = reduce %q dim=«1» identities=[0.0 : f32] : tile<4xf32> -> tile<f32> {REDUCE}", "dimension 1"),
    ("C11", f"%a = reduce %q dim=0 identities=[0.0 : f32] : tile<4xf32> -> «tile<4xf32>» {REDUCE}", "results are"),
    ("C14", f"%a = reduce %q dim=0 identities=«[]» : tile<4xf32> -> tile<f32> {REDUCE}", "0 identities"),
    ("C14", f"%a = reduce %q dim=0 identities=«[0 : i32]» : tile<4xf32> -> tile<f32> {REDUCE}", "type i32"),
    ("C14", f"«{HEAD}» (%x: tile<f32>) {{\n yield %x : tile<f32>\n}}", "arguments of the region"),
    (
        "C14",
        f"{HEAD} (%x: tile<f32>, %y: tile<f32>) {{\n «%t = make_tensor_view %pf, shape = [1], strides = [1] : tensor_view<1xf32, strides=[1]>»\n yield %x : tile<f32>\n}}",
        "pure",
    ),
    ("C13", f"{HEAD} (%x: tile<f32>, %y: tile<f32>) {{\n «yield %i : tile<i32>»\n}}", "one element of each"),
]
MODULES = [
    ("C13", "entry @k(%i: tile<i32>) {\n «return %i»\n}", "takes no operands"),
    ("C21", "cuda_tile.module @m {\n «%a» = iota : tile<4xi32>\n}", "expected an entry or a global"),
    (
        "C21",
        'cuda_tile.module @m {\n «"cuda_tile.iota"() : () -> (!cuda_tile.tile<4xi32>)»\n}',
        "cannot stand in a module",
    ),
    ("C21", "entry @k(«%a»: tile<4xf32>) {\n}", "rank-0"),
    ("C21", "entry @k(«%a»: tile<i4>) {\n}", "no parameters of type i4"),
    ("C5", "entry @k() {\n}\nentry «@k»() {\n}", "defined twice"),
    ("C5", 'entry «@""»() {\n}', "not empty"),
    ("C21", "entry @k() {\n «global @h <f32: 0.0> : tile<4xf32>»\n}", "modules only"),
    ("C21", "global @h <f32: 0.0> : «tile<2x2xf32>»", "rank 1"),
    ("C21", "global @h alignment = «3» <f32: 0.0> : tile<4xf32>", "power of two"),
]


@pytest.mark.parametrize(
    "body",
    [
        "%a = iota : tile<256xi8>",
        "%a = assume bounded<1, 1>, %n : tile<4xi32>",
        "%k = constant <i32: 1> : tile<i32>\n%a = extract %q[%k] : tile<4xf32> -> tile<2xf32>",
        "%a = constant <i8: 0> : tile<16777216xi8>",
        "%a = alloca num_elem = 0, alignment = 4 : tile<ptr<f32>>",
    ],
)
def test_what_is_just_legal(body: str) -> None:
    assert findings(program(TILES + body)) == []


@pytest.mark.parametrize(("code", "marked", "says"), [*SHAPES, *ARITHMETIC])
def test_values(code: str, marked: str, says: str) -> None:
    check(code, TILES + marked, says)


@pytest.mark.parametrize(("code", "marked", "says"), MEMORY)
def test_memory(code: str, marked: str, says: str) -> None:
    check(code, TILES + "%hs = constant <f16: 0.0> : tile<f16>\n" + marked, says)


@pytest.mark.parametrize(("code", "marked", "says"), [*VIEWS, *CONTROL])
def test_views_and_regions(code: str, marked: str, says: str) -> None:
    check(code, TILES + marked, says)


@pytest.mark.parametrize(("code", "marked", "says"), MODULES)
def test_modules(code: str, marked: str, says: str) -> None:
    check(code, marked, says)
