"""One text for every rule of the text form itself: exactly one diagnostic, at exactly the marked place."""

# ruff: noqa: E501 - a text is easier to read in one line

from __future__ import annotations

import pytest

from frontends.tile_ir.marked import check
from tilewright.diagnostics import Report, Source
from tilewright.frontends.tile_ir import parse
from tilewright.ir.mlir.limits import Limits

TYPES = [
    ("C2", "%a = negf %f : «!none»", "the alias !none is not defined"),
    ("C2", "%a = negf %f {x = «#foo.bar»<1>} : tile<f32>", "#foo.bar is of another dialect"),
    ("C2", "%a = negf %f {x = «!foo.bar»<1>} : tile<f32>", "!foo.bar is of another dialect"),
    ("C8", "%a = negf %f : «ptr<f32>»", "no type of a value"),
    ("C2", "%a = int_to_ptr %l : tile<i64> -> tile<ptr<«tile<f32>»>>", "expected a number type, such as f32"),
    ("C1", "%a = negf %f : tile<«?»xf32>", "the extents of a tile are known"),
    ("C1", "%a = negf %f : tile<4«,»f32>", "expected 'x' between extents and element type"),
    ("C2", "%a = negf %f : tile<4x«token»>", "expected a number type or a pointer"),
    (
        "C1",
        "%a = make_tensor_view %pf, shape = [4], strides = [1] : tensor_view<4xf32, strides=[«x»]>",
        "expected an integer or ?",
    ),
    (
        "C2",
        "%t = make_tensor_view %pf, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>\n%a = make_partition_view %t : partition_view<tile=(4), padding_value = «one», tensor_view<4xf32, strides=[1]>>",
        "'one' is not one of zero",
    ),
    (
        "C2",
        "%t = make_tensor_view %pf, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>\n%a = make_partition_view %t : partition_view<tile=(4), «tile<4xf32>»>",
        "expected a tensor_view",
    ),
    ("C8", '%a = "cuda_tile.negf"(%f) : (tile<f32>) -> («(tile<f32>) -> ()») -> ()', "function types are not nested"),
    (
        "C1",
        "%t = make_tensor_view %pf, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>\n%a = make_partition_view %t : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>, dim_map=«[?]»>",
        "every entry is an integer",
    ),
]
LITERALS = [
    ("C4", "%a = constant <i32: «true»> : tile<i32>", "true is no i32"),
    ("C1", "%a = constant <i32: [1, «x»]> : tile<2xi32>", "expected a number of type i32"),
    ("C1", "%a = constant <i32: [[1], «2»]> : tile<2x1xi32>", "all elements stand equally deep in the lists"),
    ("C1", "%a = constant <i32: «x»> : tile<2xi32>", "expected a number of type i32"),
    ("C4", '%a = constant <i32: «"0xZZ"»> : tile<i32>', "no hexadecimal bytes"),
    ("C1", "%a = constant <i32: «'»x'> : tile<i32>", "expected a number of type i32"),
    ("C4", "%a = constant <f16: «0x10000»> : tile<f16>", "no pattern of 16 bits"),
    ("C4", "%a = constant <f32: «1e-05»> : tile<f32>", "write 1.0e-05 for 1e-05"),
    ("C4", "%a = constant <f32: «+.5»> : tile<f32>", "write 0.5 for +.5"),
    ("C4", "%a = constant <f32: [1.0, «-2E3»]> : tile<2xf32>", "write -2.0E3 for -2E3"),
    ("C4", "%a = constant <f32: «-inf»> : tile<f32>", "-inf is written as its bits, such as 0x7F800000"),
    ("C1", "%a = constant <i32: «1e5»> : tile<i32>", "expected a number of type i32"),
    ("C1", "%a = constant <f32: «1e5f»> : tile<f32>", "expected a number of type f32"),
    ("C1", "%a = cmpf equal «%f», %f : tile<f32> -> tile<i1>", "expected one of unordered, ordered, found '%f'"),
    ("C20", '%a = constant <i32: «"0x0102"»> : tile<i32>', "2 bytes do not fill tile<i32>"),
    ("C1", '%a = constant <i32: «"AB"»> : tile<i32>', "bytes are spelled"),
    (
        "C20",
        '%a = "cuda_tile.constant"() <{value = dense<1> : «token»}> : () -> (tile<i32>)',
        "a tile of numbers as its type",
    ),
    ("C1", '%a = "cuda_tile.constant"() <{value = dense<«1»', "expected '>'"),
]
FORMS = [
    ("C1", '%t = print_tko "%d", %i «->» token', "expected ':' and the types of what is printed"),
    ("C7", '%t = print_tko "" -> «tile<i32>»', "the result is a token"),
    (
        "C1",
        "%a = make_tensor_view %pf, shape = [%i], strides = [1] : tensor_view<?xf32, strides=[1]>\n«%c» = negf %f : tile<f32>",
        "expected '->' behind the type",
    ),
    ("C1", "%a = scan %f dim=0 «identities»=[0.0 : f32] : tile<f32> -> tile<f32>", "expected 'reverse'"),
    (
        "C2",
        "%a = scan %f dim=0 reverse=«maybe» identities=[0.0 : f32] : tile<f32> -> tile<f32>",
        "not one of true, false",
    ),
    ("C1", "%a = addf %f, %f flush_to_zero «flush_to_zero» : tile<f32>", "flush_to_zero is given twice"),
    ("C1", "%a = addf %f, %f {flush_to_zero, «flush_to_zero»} : tile<f32>", "given twice"),
    ("C1", "%a = addf %f, %f flush_to_zero «{flush_to_zero}» : tile<f32>", "flush_to_zero is given twice"),
    ("C2", "%a = addf %f, %f «{rounding_mode = 3 : i32}» : tile<f32>", "rounding_mode is an attribute of another kind"),
    ("C1", "%a, «3» = negf %f : tile<f32>", "expected the name of a result"),
    ("C1", "for «3» in (%i to %j, step %i) : tile<i32> {\n}", "expected the name of a value"),
    ("C22", "entry @k() optimization_hints=<sm_90 = {occupancy = 1}, «sm_90» = {occupancy = 2}> {\n}", "given twice"),
    ("C22", "entry @k() optimization_hints=<sm_90 = «3»> {\n}", "a dictionary"),
    (
        "C7",
        "%a = make_tensor_view %pf, shape = [4], strides = [1] : «tile<f32>»",
        "the result is a tensor_view, not tile<f32>",
    ),
    (
        "C16",
        "%a = make_tensor_view %pf, shape = [4, 4], strides = [1] : «tensor_view<4xf32, strides=[1]>»",
        "2 entries of shape for a type with 1",
    ),
    (
        "C16",
        "%a = make_tensor_view %pf, shape = [«8»], strides = [1] : tensor_view<4xf32, strides=[1]>",
        "8 in shape, but 4 in the type",
    ),
    (
        "C7",
        "%a = make_tensor_view %pf, shape = [4], strides = [1] : «tile<i32>» -> tensor_view<4xf32, strides=[1]>",
        "no size or stride is a value, so no type stands in front of '->'",
    ),
    ("C1", "%a = get_global «g» : tile<ptr<f32>>", "expected a symbol, such as @name"),
    ("C1", "assert %b, «3» : tile<i1>", "in quotes"),
    ("C1", "%a = addf %f, %f {«3»} : tile<f32>", "expected a name"),
    ("C1", '%a = addf %f, %f {«""» = 1} : tile<f32>', "names are not empty"),
    ("C1", "%a = extract %f[%i] {x = «,»} : tile<f32> -> tile<f32>", "expected"),
]
GENERIC = [
    ("C1", '%a = "cuda_tile.negf"(%f) : «tile<f32>»', "is (..) -> (..)"),
    ("C9", '%a = "cuda_tile.negf"(%f, %f) : «(tile<f32>, tile<f32>) -> (tile<f32>)»', "2 operands do not fit"),
    ("C7", '%a = "cuda_tile.negf"(%f) : «() -> (tile<f32>)»', "0 types for 1 operands"),
    ("C9", '"cuda_tile.negf"(%f) : «(tile<f32>) -> ()»', "1 results, not 0"),
    ("C9", '«"cuda_tile.loop"()» : () -> ()', "has 1 regions"),
    ("C2", '«"cuda_tile.nothing"»() : () -> ()', "there is no operation 'cuda_tile.nothing'"),
    ("C2", '%a = "cuda_tile.constant"() <{value = «#cuda_tile.some»<x>}> : () -> (tile<i32>)', "there is no attribute"),
    (
        "C1",
        '%a = "cuda_tile.addf"(%f, %f) <{flush_to_zero}> «{flush_to_zero}» : (tile<f32>, tile<f32>) -> (tile<f32>)',
        "flush_to_zero is given twice",
    ),
    ("C2", '«"cuda_tile.assert"»(%b) : (tile<i1>) -> ()', "the attribute message is missing"),
]
DENSE = [
    (
        "C20",
        '%a = "cuda_tile.constant"() «{value = dense<[1, 2, 3, 4]> : tile<4xi32>}» : () -> tile<2x2xi32>',
        "the value has type tile<4xi32>, the result tile<2x2xi32>",
    ),
    (
        "C21",
        'cuda_tile.module @m {\n"cuda_tile.global"() «{sym_name = "g", value = dense<1> : tile<2x2xi32>}» : () -> ()\n}',
        "the type of a global is a tile of rank 1, not tile<2x2xi32>",
    ),
]
ENTRY = """cuda_tile.module @m {
  "cuda_tile.entry"() <«{%s, sym_name = "k"}»> ({
  ^bb0(%%a: tile<i32>):
    return
  }) : () -> ()
}"""
_CONTRADICTION = "the function_type of this entry is (tile<i32>) -> (), as its block says, not "
SIGNATURES = [
    ("C21", ENTRY % "function_type = (tile<f32>) -> ()", _CONTRADICTION + "(tile<f32>) -> ()"),
    ("C21", ENTRY % "function_type = () -> ()", _CONTRADICTION + "() -> ()"),
    ("C21", ENTRY % "function_type = (tile<i32>) -> (tile<i32>)", _CONTRADICTION + "(tile<i32>) -> (tile<i32>)"),
    ("C21", ENTRY % "function_type = 3 : i32", _CONTRADICTION + "3"),
    ("C21", ENTRY % "arg_attrs = [{}, {}]", "the arg_attrs of this entry is a list of 1 dictionaries"),
    ("C21", ENTRY % "res_attrs = [{}]", "the res_attrs of this entry is a list of 0 dictionaries"),
]
FILES = [
    ("C21", "cuda_tile.module @m {\n «module» @n {\n}\n}", "stands in a file, and alone"),
    ("C1", "cuda_tile.module @m {\n}\n«cuda_tile.module» @n {\n}", "a file holds one module"),
    ("C3", 'cuda_tile.module @m attributes «{tilewright.version = "13.9"}» {\n}', "no version '13.9'"),
    (
        "C3",
        'cuda_tile.module @m attributes «{tilewright.version = "13.1"}» {\n'
        "entry @k(%f: tile<f32>) {\n%a = tanh %f rounding<approx> : tile<f32>\n}\n}",
        "rounding_mode of tanh needs version 13.2; the module says that it is of 13.1",
    ),
    (
        "C21",
        "cuda_tile.module @m {\n entry @k() {\n}\n«%a» = make_token : token\n}",
        "expected an entry or a global, found an operation",
    ),
    ("C1", "entry @k() {\n return\n«»", "found the end of the text"),
]
DEBUG = [
    ("C2", "#a = loc(unknown)\nentry @k() {\n return {x = «#a»}\n}", "a location, not an attribute"),
    ("C2", "#a = 3 : i32\nentry @k() {\n return loc(«#a»)\n}", "no location"),
    ("C2", "entry @k() {\n return loc(«elsewhere»)\n}", "there is no location 'elsewhere'"),
    ("C2", "entry @k() {\n return loc(«#none»)\n}", "not defined"),
    ("C1", 'entry @k() {\n return loc("f":1:2 to «)»\n}', "expected a line"),
    (
        "C23",
        '#s = #cuda_tile.di_subprogram<name = "k">\n#a = «#cuda_tile.di_loc<loc("f":1:1 to :2) in #s»>\nentry @k() {\n return loc(#a)\n}',
        "a place in a file within a scope",
    ),
    (
        "C2",
        "#a = «#cuda_tile.di_scope<»line = 1>\nentry @k() {\n return loc(#a)\n}",
        "there is no attribute #cuda_tile.di_scope",
    ),
    (
        "C2",
        '#a = #cuda_tile.di_file<"k.py" in "src">\n#b = #cuda_tile.di_compile_unit<file = #a, «file» = #a>\nentry @k() {\n return loc(#b)\n}',
        "'file' is given twice",
    ),
    (
        "C2",
        "#b = #cuda_tile.di_compile_unit<«line» = 3>\nentry @k() {\n return loc(#b)\n}",
        "'line' is not one of",
    ),
    (
        "C23",
        '#s = #cuda_tile.di_file<"k.py" in "src">\n#b = #cuda_tile.di_lexical_block<file = #s>\n#a = «#cuda_tile.di_loc<loc("n"(loc("f":1:1))) in #b»>\nentry @k() {\n return loc(#a)\n}',
        "a place in a file within a scope",
    ),
    (
        "C23",
        '#f = #cuda_tile.di_file<"k.py" in "src">\nentry @k() {\n return loc(callsite(«#f» at unknown))\n}',
        "location",
    ),
    (
        "C23",
        '#f = #cuda_tile.di_file<"k.py" in "src">\n#a = #cuda_tile.di_loc<loc("f":1:1) in «#f»>\nentry @k() {\n return loc(#a)\n}',
        "expected a scope",
    ),
    (
        "C23",
        '#f = #cuda_tile.di_compile_unit<file = «loc("f":1:1)»>\nentry @k() {\n}',
        "expected a file",
    ),
]


@pytest.mark.parametrize(
    ("code", "marked", "says"), [*TYPES, *LITERALS, *FORMS, *GENERIC, *DENSE, *SIGNATURES, *FILES, *DEBUG]
)
def test_rules_of_the_text(code: str, marked: str, says: str) -> None:
    check(code, marked, says)


@pytest.mark.parametrize(
    ("text", "limits", "says"),
    [
        ("entry @k() {\n}" + " " * 100, Limits(source_bytes=100), "at most 100 characters"),
        ("entry @k() {\n return\n return\n return\n}", Limits(operations=2), "more than 2 operations"),
        ("entry @k() {\n loop {\n loop {\n }\n }\n}", Limits(nesting=2), "nested more than 2 deep"),
        ("entry @k(%" + "a" * 20 + ": tile<i32>) {\n}", Limits(name=10), "names have at most 10 characters"),
        (
            "entry @k() {\n %" + "a" * 20 + " = make_token : token\n}",
            Limits(name=10),
            "names have at most 10 characters",
        ),
        ("entry @k(%a: tile<1x1x1x1xi32>) {\n}", Limits(rank=3), "types have at most 3 dimensions"),
        ("entry @k() {\n return {x = [[[[1]]]]}\n}", Limits(attribute_nesting=3), "nested more than 3 deep"),
        ("entry @k() {\n %a = constant <i32: [[[[1]]]]> : tile<1x1x1x1xi32>\n}", Limits(attribute_nesting=3), "3 deep"),
        ("entry @k(%a: tensor_view<1x1x1x1xi32, strides=[1,1,1,1]>) {\n}", Limits(rank=3), "at most 3 dimensions"),
        ("entry @k(%a: tensor_view<1xi32, strides=[1,1,1,1,1]>) {\n}", Limits(rank=3), "at most 3 dimensions"),
        ("entry @k(%a: partition_view<tile=(1x1x1x1), !t>) {\n}", Limits(rank=3), "at most 3 dimensions"),
        (
            "entry @k(%a: !t) {\n}\n!t = tile<tile<tile<tile<i32>>>>",
            Limits(attribute_nesting=3),
            "types are nested more",
        ),
        ("entry @k(%a: tile<99999999999xi32>) {\n}", Limits(name=10), "this number is too long"),
        ("entry @k() {\n %a = constant <i32: 99999999999> : tile<i32>\n}", Limits(name=10), "this number is too long"),
        ("entry @" + "k" * 20 + "() {\n}", Limits(name=10), "names have at most 10 characters"),
        ("entry @k() {\n return {x = [1, 1, 1, 1]}\n}", Limits(operations=3), "more than 3 attributes"),
        (
            "#a = 1\n#b = [#a, #a]\n#c = [#b, #b]\nentry @k() {\n} {x = [#c, #c]}",
            Limits(operations=10),
            "more than 10 attributes",
        ),
        (
            "#a = #b\n#b = #c\n#c = #d\n#d = 1\nentry @k() {\n} {x = #a}",
            Limits(attribute_nesting=3),
            "aliases of aliases are more than 3 deep",
        ),
        ('entry @k() {\n} loc("a"("b"("c"("d"))))', Limits(debug_nesting=3), "nested more than 3 deep"),
        (
            '#a = loc("f":1:1)\nentry @k() {\n} loc(callsite(#a at callsite(#a at callsite(#a at #a))))',
            Limits(debug_nesting=3),
            "nested more than 3 deep",
        ),
    ],
)
def test_limits_of_the_text(text: str, limits: Limits, says: str) -> None:
    report = Report()
    parse(Source("limits.tileir", text), report, limits)
    [found] = report.diagnostics
    assert found.code == "C3"
    assert says in found.message
    assert found.location.primary is not None
