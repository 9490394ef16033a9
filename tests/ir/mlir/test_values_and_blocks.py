"""Names of values, uses before definitions, blocks, regions: what is read, what is refused and where."""

from __future__ import annotations

import pytest

from ir.mlir.reading import check, findings, read, reprinted
from tilewright.ir.mlir.limits import DEFAULT_LIMITS
from tilewright.ir.mlir.operations import OpaqueOperation
from tilewright.ir.mlir.printer import print_generic


def module(*lines: str) -> str:
    return '"builtin.module"() ({\n' + "".join(f"  {line}\n" for line in lines) + "}) : () -> ()\n"


def test_names_are_kept_and_numbers_are_given_anew() -> None:
    text = """"t.a"() ({
^entry(%arg7: i32, %name: i8):
  %7 = "t.b"(%name) : (i8) -> i32
  %x, %y:2 = "t.c"(%7) : (i32) -> (i1, i2, i2)
  "t.d"(%x, %y#1, %y) ({
    %x_0 = "t.e"() : () -> i1
  }) : (i1, i2, i2) -> ()
  "t.d"()[^next] : () -> ()
^next(%8: i32):
  "t.d"() : () -> ()
}) : () -> ()
"""
    assert reprinted(text) == module(
        '"t.a"() ({',
        "^bb0(%arg0: i32, %name: i8):",
        '  %0 = "t.b"(%name) : (i8) -> i32',
        '  %x, %y:2 = "t.c"(%0) : (i32) -> (i1, i2, i2)',
        '  "t.d"(%x, %y#1, %y#0) ({',
        '    %x_0 = "t.e"() : () -> i1',
        "  }) : (i1, i2, i2) -> ()",
        '  "t.d"()[^bb1] : () -> ()',
        "^bb1(%1: i32):  // pred: ^bb0",
        '  "t.d"() : () -> ()',
        "}) : () -> ()",
    )


def test_names_that_a_pass_made_equal_are_made_distinct() -> None:
    inner = '"t.c"() ({\n  %c = "t.d"(%a) : (i32) -> i32\n}) : () -> ()\n'
    file = read('%a = "t.a"() : () -> i32\n%b = "t.a"() : () -> i32\n"t.b"(%a, %b) : (i32, i32) -> ()\n' + inner)
    for op in file.module.walk():
        for result in op.results:
            result.name = "same"
    text = print_generic(file)
    assert '"t.b"(%same, %same_0)' in text
    assert '%same_1 = "t.d"(%same)' in text
    assert reprinted(text) == text


def test_several_results_without_names() -> None:
    assert reprinted('"t.a"() : () -> (i32, i8)') == module('%0:2 = "t.a"() : () -> (i32, i8)')


def test_values_are_used_before_their_definition() -> None:
    text = module(
        '"t.graph"() ({',
        '  "t.a"(%0#1, %1) ({',
        '    "t.b"(%1) : (f32) -> ()',
        "  }) : (i8, f32) -> ()",
        '  %0:2 = "t.c"(%1) : (f32) -> (i32, i8)',
        '  %1 = "t.d"(%0#0) : (i32) -> f32',
        "}) : () -> ()",
    )
    assert reprinted(text) == text
    uses = [op for op in read(text).module.walk() if op.name in ("t.a", "t.b")]
    assert [v.type.mlir for op in uses for v in op.operands] == ["i8", "f32", "f32"]


def test_values_are_used_in_blocks_above_the_one_that_defines_them() -> None:
    text = module(
        '"t.f"() ({',
        '  "t.go"()[^bb2] : () -> ()',
        "^bb1:  // pred: ^bb2",
        '  "t.use"(%0) : (i32) -> ()',
        "^bb2:  // pred: ^bb0",
        '  %0 = "t.def"() : () -> i32',
        '  "t.go"()[^bb1] : () -> ()',
        "}) : () -> ()",
    )
    assert reprinted(text) == text


def test_one_module_is_the_file_and_anything_else_stands_in_one() -> None:
    assert read(module()).module.name == "builtin.module"
    for text in ("", '"t.a"() : () -> ()', module() + module()):
        found = read(text).module
        assert isinstance(found, OpaqueOperation)
        assert reprinted(reprinted(text)) == reprinted(text)
        assert found.name == "builtin.module"


BAD = {
    "a use of nothing": ("M5", '"t.a"(«%x») : (i32) -> ()', "%x is not defined here"),
    "a use after the region": (
        "M5",
        '"t.a"() ({\n  %x = "t.b"() : () -> i32\n}) : () -> ()\n"t.c"(«%x») : (i32) -> ()',
        "%x is not defined here",
    ),
    "two definitions": (
        "M5",
        '%x = "t.a"() : () -> i32\n«%x» = "t.a"() : () -> i32\n',
        "%x is defined twice",
    ),
    "a name of an outer region": (
        "M5",
        '%x = "t.a"() : () -> i32\n"t.b"() ({\n^a(«%x»: i8):\n  "t.c"() : () -> ()\n}) : () -> ()\n',
        "%x is defined twice",
    ),
    "a type that is not the value's": (
        "M6",
        '%x = "t.a"() : () -> i32\n"t.b"(«%x») : (f32) -> ()',
        "%x has type i32, not f32",
    ),
    "a type that is not that of the value defined below": (
        "M6",
        '"t.b"(«%x») : (f32) -> ()\n%x = "t.a"() : () -> i32\n',
        "a value of type i32, not f32",
    ),
    "two uses of two types": (
        "M6",
        '"t.b"(%x) : (i32) -> ()\n"t.b"(«%x») : (f32) -> ()\n%x = "t.a"() : () -> i32\n',
        "%x has type i32, not f32",
    ),
    "too few results": ("M7", '%x:2 = "t.a"() : () -> (i32, i8)\n"t.b"(«%x#2») : (i8) -> ()', "fewer results"),
    "too few names": ("M7", '«%x» = "t.a"() : () -> (i32, i8)\n', "2 results, but 1 are named"),
    "no result": ("M7", '«%x»:0 = "t.a"() : () -> ()\n', "one result or more"),
    "too few types": ("M7", '%x = "t.a"() : () -> i1\n"t.b"(%x, %x) : «(i1)» -> ()\n', "1 types for 2 operands"),
    "no such block": ("M9", '"t.a"() ({\n  "t.b"()[«^c»] : () -> ()\n}) : () -> ()', "there is no block ^c"),
    "no block outside": ("M9", '"t.a"()[«^c»] : () -> ()', "there is no block ^c"),
    "back to the entry": (
        "M9",
        '"t.a"() ({\n^e:\n  "t.b"()[«^e»] : () -> ()\n}) : () -> ()',
        "nothing goes on there",
    ),
    "a block twice": (
        "M5",
        '"t.a"() ({\n  "t.b"()[^b] : () -> ()\n^b:\n  "t.c"() : () -> ()\n«^b»:\n  "t.c"() : () -> ()\n}) : () -> ()',
        "the block ^b is defined twice",
    ),
    "an empty block": (
        "M9",
        '"t.a"() («{»\n  "t.b"()[^b] : () -> ()\n^b:\n}) : () -> ()',
        "one of these is empty",
    ),
    "pretty text": ("M1", "%x = «arith.addi» %a, %b : i32\n", "in the generic form"),
    "an open region": ("M1", '"t.a"() ({\n  "t.b"() : () -> ()\n«»', "expected '}', found the end of the text"),
    "a brace too many": ("M1", '"t.a"() : () -> ()\n«}»\n', "one '}' too many"),
    "no types": ("M1", '"t.a"()\n«"»t.b"() : () -> ()\n', "expected ':'"),
    "no alias": ("M2", '"t.a"() {x = «#map»} : () -> ()', "the alias #map is not defined above"),
    "an alias below": ("M2", '"t.a"() {x = «#a»} : () -> ()\n#a = 1 : i32\n', "the alias #a is not defined above"),
    "an alias twice": ("M2", '#a = 1 : i32\n«#a» = 2 : i32\n"t.a"() : () -> ()', "defined twice"),
    "a location of nothing": ("M2", '"t.a"() : () -> () loc(«#l»)', "the alias #l is not defined"),
    "a location of another kind": ("M2", '"t.a"() : () -> () loc(«#l»)\n#l = 1 : i32\n', "#l is no location"),
    "an alias that is no type": ("M2", '#a = 1 : i32\n"t.a"() {x = memref<«!a»>} : () -> ()', "!a is not defined"),
    "an unknown type": ("M2", '"t.a"() {x = «memfer»<4xf32>} : () -> ()', "there is no type 'memfer'"),
    "an unknown location": ("M2", '"t.a"() : () -> () loc(«here»)', "there is no location 'here'"),
    "an unknown section": ("M2", '"t.a"() : () -> ()\n{-# «other»: {} #-}', "is not one of dialect_resources"),
    "bytes of a resource": (
        "M4",
        '"t.a"() : () -> ()\n{-# dialect_resources: {builtin: {a: «"0x01"»}} #-}',
        "four bytes of its alignment",
    ),
    "an attribute twice": ("M1", '"t.a"() {x, «x» = 1} : () -> ()', "'x' is given twice"),
    "an integer out of range": ("M4", '"t.a"() {x = «256» : i8} : () -> ()', "256 does not fit i8"),
    "a negative unsigned integer": ("M4", '"t.a"() {x = «-1» : ui8} : () -> ()', "-1 does not fit ui8"),
    "a signed integer out of range": ("M4", '"t.a"() {x = «128» : si8} : () -> ()', "128 does not fit si8"),
    "a float without a point": ("M4", '"t.a"() {x = «1» : f32} : () -> ()', "write 1.0"),
    "a float with a power and no point": ("M4", '"t.a"() {x = «1e-5» : f32} : () -> ()', "write 1.0e-5 for 1e-5"),
    "an infinity": ("M4", '"t.a"() {x = «-inf» : f32} : () -> ()', "-inf is written as its bits"),
    "a float in an array": ("M4", '"t.a"() {x = array<f32: «2e3»>} : () -> ()', "write 2.0e3 for 2e3"),
    "a pattern too long": ("M4", '"t.a"() {x = «0x10000» : f16} : () -> ()', "no pattern of 16 bits"),
    "a float for an integer": ("M4", '"t.a"() {x = «1.5» : i32} : () -> ()', "1.5 is no integer"),
    "a number of no number type": ("M8", '"t.a"() {x = «1 : none»} : () -> ()', "integer or float type"),
    "a crooked list": ("M7", '"t.a"() {x = dense<[[1, 2], [3«]»]> : tensor<2x2xi8>} : () -> ()', "has 1 entries"),
    "a list of another shape": (
        "M7",
        '"t.a"() {x = dense<«[1, 2, 3]»> : tensor<2xi8>} : () -> ()',
        "shape 3 for a constant of shape 2",
    ),
    "too few bytes": ("M7", '"t.a"() {x = dense<«"0x010203"»> : tensor<2xi8>} : () -> ()', "3 bytes do not fill"),
    "strings for numbers": ("M4", '"t.a"() {x = dense<«["a"]»> : tensor<1xi8>} : () -> ()', "no elements of type i8"),
    "a constant of unknown shape": ("M8", '"t.a"() {x = dense<1> : «tensor<?xi8>»} : () -> ()', "known shape"),
    "an index outside": (
        "M4",
        '"t.a"() {x = sparse<«[[4]]», [1]> : tensor<4xi8>} : () -> ()',
        "4 lies outside of the extent 4",
    ),
    "a vector of vectors": ("M8", '"t.a"() {x = vector<4x«vector<2xi8>»>} : () -> ()', "no element of a vector"),
    "a vector of no elements": ("M8", '"t.a"() {x = vector<«0x»i8>} : () -> ()', "positive"),
    "a memref of functions": ("M1", '"t.a"() {x = memref<4x«(»i8) -> i8>} : () -> ()', "in parentheses"),
    "a layout of another rank": ("M8", '"t.a"() {x = memref<4xi8, «strided<[1, 1]>»>} : () -> ()', "of 2 dimensions"),
    "a product of dimensions": ("M8", '"t.a"() {x = affine_map<(i, j) -> («i * j»)>} : () -> ()', "no dimensions"),
    "a division by zero": ("M8", '"t.a"() {x = affine_map<(i) -> («i mod 0»)>} : () -> ()', "is positive"),
    "an unknown dimension": ("M5", '"t.a"() {x = affine_map<(i) -> («j»)>} : () -> ()', "j is no dimension"),
    "a bad escape": ("M1", '"t.a"() {x = «"\\q"»} : () -> ()', "escapes of a string"),
    "brackets that do not match": ("M1", '"t.a"() {x = #x.y<[«>»} : () -> ()', "expected ']'"),
    "a bracket that is not closed": ("M1", '"t.a"() {x = !x.y<«}» : () -> ()', "expected '>'"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_is_said_where_it_is(what: str) -> None:
    code, text, says = BAD[what]
    check(code, text, says)


def test_an_error_spoils_nothing_else() -> None:
    text = module(
        '"t.f"() ({',
        '  %a = "t.a"() {x = 256 : i8} : () -> i32',
        '  %b = "t.b"(%a) : (i32) -> f32',
        '  "t.c"(%b, %lost) : (f32, i1) -> ()',
        "}) : () -> ()",
        '"t.g"() {y = memfer<4>} : () -> ()',
        "%z = arith.addi %y, %y : i32",
        '"t.h"(%z) : (i32) -> ()',
    )
    assert [d.code for d in findings(text)] == ["M4", "M2", "M1"]


def test_uses_that_no_definition_dominates() -> None:
    text = module(
        '"t.f"() ({',
        '  "t.go"()[^bb1, ^bb2] : () -> ()',
        "^bb1:",
        '  %0 = "t.def"() : () -> i32',
        '  "t.go"()[^bb2] : () -> ()',
        "^bb2:",
        '  "t.use"(%0) : (i32) -> ()',
        "}) : () -> ()",
    )
    assert [d.code for d in findings(text)] == ["IR005"]


def nested(depth: int) -> str:
    return '"t.a"() ({\n' * depth + "}) : () -> ()\n" * depth


def test_limits() -> None:
    limits = DEFAULT_LIMITS
    deep = nested(limits.nesting - 1)
    assert reprinted(reprinted(deep)) == reprinted(deep)
    assert [d.code for d in findings(nested(limits.nesting))] == ["M3"]
    whole = reprinted(deep)
    assert not findings(whole)
    assert [d.code for d in findings(whole.replace('"t.a"', '"t.b"() ({\n"t.a"', 1) + "}) : () -> ()")] == ["M3"]
    assert [d.code for d in findings(nested(100_000))] == ["M3"]
    for opening, closing in (("[", "]"), ("tuple<", ">"), ("{a = ", "}"), ("(", ") -> i1"), ("distinct[0]<", ">")):
        text = f'"t.a"() {{x = {opening * 500}{closing * 500}}} : () -> ()'
        assert "M3" in {d.code for d in findings(text)}
    place = "callsite(" * 500 + '"a"' + ' at "b")' * 500
    assert [d.code for d in findings(f'"t.a"() : () -> () loc({place})')] == ["M3"]
    total = " + ".join(["i"] * 400)
    assert [d.code for d in findings(f'"t.a"() {{x = affine_map<(i) -> ({total})>}} : () -> ()')] == ["M3"]
    assert [d.code for d in findings(f'"t.a"() {{x = {"1" * 5000}}} : () -> ()')] == ["M3"]
    assert [d.code for d in findings(f'%{"a" * 2000} = "t.a"() : () -> i32')] == ["M3"]
    assert [d.code for d in findings(f'"t.a"() {{x = tensor<{"1x" * 100}f32>}} : () -> ()')] == ["M3"]
    assert [d.code for d in findings(" " * (limits.source_bytes + 1))] == ["M3"]


def test_aliases_of_aliases_are_bounded() -> None:
    doubling = "!t0 = tuple<i1, i2>\n" + "".join(f"!t{k + 1} = tuple<!t{k}, !t{k}>\n" for k in range(60))
    assert "M3" in {d.code for d in findings(doubling)}
    chain = '#loc0 = loc("a")\n' + "".join(f'#loc{k + 1} = loc(callsite(#loc{k} at "b"))\n' for k in range(3000))
    text = chain + '"builtin.module"() ({\n  "t.a"() : () -> () loc(#loc3000)\n}) : () -> () loc(#loc3000)\n'
    assert reprinted(text) == text
