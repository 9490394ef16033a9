"""Types, attributes and locations in every spelling, and the one that they are printed in: that of mlir-opt."""

from __future__ import annotations

import re

import pytest

from ir.mlir import tool
from ir.mlir.reading import read, reprinted

ATTRIBUTES = {
    # Numbers
    "1": "1 : i64",
    "-0x10 : i32": "-16 : i32",
    "0xFF : i8": "-1 : i8",
    "255 : ui8": "255 : ui8",
    "-128 : si8": "-128 : si8",
    "1 : i1": "true",
    "false": "false",
    "18446744073709551615 : i64": "-1 : i64",
    "7 : index": "7 : index",
    "1.0": "1.000000e+00 : f64",
    "1. : f32": "1.000000e+00 : f32",
    "-1.5e+3 : bf16": "-1.504000e+03 : bf16",
    "0x7F800000 : f32": "0x7F800000 : f32",
    "0x3F800000 : f32": "1.000000e+00 : f32",
    "123456789.0 : f32": "0x4CEB79A3 : f32",
    "16777217.0 : f32": "0x4B800000 : f32",
    "1.0e-300 : f32": "0.000000e+00 : f32",
    "1.0e300 : f16": "0x7C00 : f16",
    "0.1 : f80": "0.100000000000000005551 : f80",
    "1000000.0": "1.000000e+06 : f64",
    "1234567.0": "0x4132D68700000000 : f64",
    "0.001234567": "0.001234567 : f64",
    "0.00001234567": "1.2345670000000001E-5 : f64",
    # Strings, lists, dictionaries
    r'"a\n\t\22\\\C3\A9\FF"': r'"a\0A\09\22\\\C3\A9\FF"',
    '"typed" : i32': '"typed" : i32',
    '["a", 1, 2.5, 3 : i32, [], {}]': '["a", 1, 2.500000e+00, 3 : i32, [], {}]',
    '{b = 1, a, "c d" = unit, e = {f}}': '{a, b = 1 : i64, "c d", e = {f}}',
    # Symbols and what stands for itself
    "@f": "@f",
    '@a::@"b c"::@d': '@a::@"b c"::@d',
    "distinct[4]<1 : i32>": "distinct[4]<1 : i32>",
    # Types
    "() -> ()": "() -> ()",
    "(i32) -> (f32)": "(i32) -> f32",
    "(i32) -> ((f32) -> i1)": "(i32) -> ((f32) -> i1)",
    "tuple<>": "tuple<>",
    "tuple<i32, tuple<f32>>": "tuple<i32, tuple<f32>>",
    "complex<i7>": "complex<i7>",
    "none": "none",
    "si1": "si1",
    "i16777215": "i16777215",
    "vector<f32>": "vector<f32>",
    "vector<2x[4]x8xindex>": "vector<2x[4]x8xindex>",
    "tensor<*xi1>": "tensor<*xi1>",
    "tensor<0x?xf8E4M3B11FNUZ>": "tensor<0x?xf8E4M3B11FNUZ>",
    "tensor<4 x 8 x i32>": "tensor<4x8xi32>",
    'tensor<4xf32, "enc">': 'tensor<4xf32, "enc">',
    "tensor<4xf32, {a = 1 : i32}>": "tensor<4xf32, {a = 1 : i32}>",
    "memref<f32>": "memref<f32>",
    "memref<*xf32, 2>": "memref<*xf32, 2>",
    "memref<4x?xf32, 0>": "memref<4x?xf32>",
    "memref<4x?xf32, affine_map<(a, b) -> (a, b)>>": "memref<4x?xf32>",
    "memref<4xf32, strided<[?], offset: ?>, 3 : i32>": "memref<4xf32, strided<[?], offset: ?>, 3 : i32>",
    "memref<4xf32, strided<[1]>>": "memref<4xf32, strided<[1]>>",
    "memref<2xmemref<4xvector<4xf32>>>": "memref<2xmemref<4xvector<4xf32>>>",
    '!x.y<4 -> {[(")")]}>': '!x.y<4 -> {[(")")]}>',
    "!x.y.z": "!x.y.z",
    "#x.y<[1, 2], <a>> : i32": "#x.y<[1, 2], <a>> : i32",
    # Constants
    "dense<1> : tensor<i32>": "dense<1> : tensor<i32>",
    "dense<[1, 1]> : tensor<2xi32>": "dense<1> : tensor<2xi32>",
    "dense<[[1, 2], [3, 4]]> : vector<2x2xi8>": "dense<[[1, 2], [3, 4]]> : vector<2x2xi8>",
    'dense<"0x0100000002000000"> : tensor<2xi32>': "dense<[1, 2]> : tensor<2xi32>",
    'dense<"0x05"> : tensor<4xi1>': "dense<[true, false, true, false]> : tensor<4xi1>",
    "dense<[]> : tensor<0xf32>": "dense<> : tensor<0xf32>",
    "dense<(1.0, -2.0)> : tensor<2xcomplex<f64>>": "dense<(1.000000e+00,-2.000000e+00)> : tensor<2xcomplex<f64>>",
    "dense<[0xFF800000, 0.5]> : tensor<2xf32>": "dense<[0xFF800000, 5.000000e-01]> : tensor<2xf32>",
    "dense<255> : tensor<2xui8>": "dense<255> : tensor<2xui8>",
    'dense<["a", "b c"]> : tensor<2x!x.s>': 'dense<["a", "b c"]> : tensor<2x!x.s>',
    "sparse<[[0, 1], [2, 3]], [1.0, 2.0]> : tensor<4x4xf32>": (
        "sparse<[[0, 1], [2, 3]], [1.000000e+00, 2.000000e+00]> : tensor<4x4xf32>"
    ),
    "sparse<3, 5> : tensor<8xi32>": "sparse<3, 5> : tensor<8xi32>",
    "array<i32>": "array<i32>",
    "array<i1: true, false>": "array<i1: true, false>",
    "array<f16: 0.5, 0x7C00>": "array<f16: 5.000000e-01, 0x7C00>",
    # Affine
    "affine_map<(i, j)[n] -> (j + 4 * i - n, -(i + 1))>": ("affine_map<(d0, d1)[s0] -> (d1 + d0 * 4 - s0, -(d0 + 1))>"),
    "affine_map<(i) -> (4 + i, i * 1, i + 0, 2 * 3, i * 0)>": "affine_map<(d0) -> (d0 + 4, d0, d0, 6, 0)>",
    "affine_map<(i) -> ((i + 2) + 3, (i * 2) * 4)>": "affine_map<(d0) -> (d0 + 5, d0 * 8)>",
    "affine_map<(i)[n] -> (i floordiv n, i mod 7, i ceildiv 2)>": (
        "affine_map<(d0)[s0] -> (d0 floordiv s0, d0 mod 7, d0 ceildiv 2)>"
    ),
    "affine_map<(i, j) -> (-i, i - j, i - 3 * j, i - (j + 1))>": (
        "affine_map<(d0, d1) -> (-d0, d0 - d1, d0 - d1 * 3, d0 - (d1 + 1))>"
    ),
    "affine_map<() -> (-7 mod 3, 7 floordiv 2, -7 ceildiv 2)>": "affine_map<() -> (2, 3, -3)>",
    "affine_set<(i)[n] : (i <= n, i == 4, 0 >= i - 10)>": (
        "affine_set<(d0)[s0] : (-d0 + s0 >= 0, d0 - 4 == 0, -(d0 - 10) >= 0)>"
    ),
    "affine_set<(d0) : (d0 >= 0)>": "affine_set<(d0) : (d0 >= 0)>",
    "strided<[1, ?], offset: 4>": "strided<[1, ?], offset: 4>",
}
"""What is read, and what is printed of it."""

LOCATIONS = {
    'loc("f.py":1:2)': 'loc("f.py":1:2)',
    'loc("name")': 'loc("name")',
    'loc("name"("f.py":1:2))': 'loc("name"("f.py":1:2))',
    'loc(callsite("a" at "f":1:1))': 'loc(callsite("a" at "f":1:1))',
    'loc(fused["a", "b"])': 'loc(fused["a", "b"])',
    'loc(fused<{k = 1 : i32}>["a", unknown])': 'loc(fused<{k = 1 : i32}>["a", unknown])',
    "loc(unknown)": "loc(unknown)",
}


def holding(attribute: str) -> str:
    return f'"builtin.module"() ({{\n}}) {{x = {attribute}}} : () -> ()\n'


@pytest.mark.parametrize("written", ATTRIBUTES)
def test_attributes(written: str) -> None:
    expected = holding(ATTRIBUTES[written])
    assert reprinted(holding(written)) == expected
    assert reprinted(expected) == expected


@tool.same_version_needed
def test_the_tool_prints_the_attributes_so() -> None:
    written = [text for text in ATTRIBUTES if not text.startswith("distinct")]
    text = '"builtin.module"() ({\n' + "".join(f'"t.a"() {{x = {w}}} : () -> ()\n' for w in written) + "}) : () -> ()\n"
    assert tool.reprinted(reprinted(text)) == tool.reprinted(text)
    printed = tool.reprinted(text)
    lines = re.findall(r'"t\.a"\(\) \{x = (.*)\} : \(\) -> \(\)', printed)
    aliases = dict(re.findall(r"^(#\w+) = (.*)$", printed, re.MULTILINE))
    assert [aliases.get(line, line) for line in lines] == [ATTRIBUTES[w] for w in written]


@pytest.mark.parametrize("written", LOCATIONS)
def test_locations(written: str) -> None:
    assert reprinted(holding(written)) == holding(LOCATIONS[written])
    op = f'"t.op"() : () -> () {written}'
    assert f'  "t.op"() : () -> () {LOCATIONS[written]}\n' in reprinted(op)


def test_ranges_of_files_as_later_versions_have_them() -> None:
    for place in ('loc("f.py":1:2 to 3:4)', 'loc("f.py":1:2 to :5)'):
        assert reprinted(holding(place)) == holding(place)


def test_types_that_later_versions_have() -> None:
    for type_ in ("f8E3M4", "f8E8M0FNU", "f6E3M2FN", "f6E2M3FN", "f4E2M1FN"):
        assert reprinted(holding(f"1.0 : {type_}")) == holding(f"1.000000e+00 : {type_}")


def test_long_constants_are_bytes() -> None:
    numbers = ", ".join(str(i) for i in range(101))
    text = reprinted(holding(f"dense<[{numbers}]> : tensor<101xi8>"))
    assert f'dense<"0x{bytes(range(101)).hex().upper()}"> : tensor<101xi8>' in text
    hundred = ", ".join(str(i) for i in range(100))
    assert f"dense<[{hundred}]> : tensor<100xi8>" in reprinted(holding(f"dense<[{hundred}]> : tensor<100xi8>"))


# Aliases


def test_aliases_are_kept_by_name() -> None:
    text = """#map = affine_map<(d0) -> (d0 * 2)>
!t = !x.t<4, #map>
#attr = #x.y<[#map, !t, "#map"]>
"builtin.module"() ({
  %0 = "t.a"() {a = #attr, m = #map} : () -> !t
  "t.b"(%0) : (!t) -> ()
}) : () -> ()
"""
    assert reprinted(text) == text
    file = read(text)
    assert [alias.name for alias in file.aliases] == ["#map", "!t", "#attr"]
    op = next(op for op in file.module.walk() if op.name == "t.a")
    assert str(op.attributes["a"]) == (
        '#x.y<[affine_map<(d0) -> (d0 * 2)>, !x.t<4, affine_map<(d0) -> (d0 * 2)>>, "#map"]>'
    )
    assert str(op.results[0].type) == "!x.t<4, affine_map<(d0) -> (d0 * 2)>>"


def test_what_no_alias_stands_for_is_text() -> None:
    text = holding('#x.y<#unknown, !nothing, #x.z, !x.w<#other>, "#string">')
    assert reprinted(text) == text


def test_aliases_of_scalars_are_expanded() -> None:
    text = '!t = i32\n#a = 7 : i32\n"builtin.module"() ({\n  %0 = "t.a"() {x = #a} : () -> !t\n}) : () -> ()\n'
    assert '%0 = "t.a"() {x = #a} : () -> i32' in reprinted(text)


# Resources


def test_resources() -> None:
    text = """"builtin.module"() ({
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      "a b": "0x0400000001",
      c: "0x0100000000FF"
    },
    other: {
      key: "0x04000000"
    }
  },
  external_resources: {
    tool: {
      pipeline: "builtin.module(x{y=1})",
      verify: true
    }
  }
#-}
"""
    assert reprinted(text) == text
    assert read(text).resources["external_resources"]["tool"]["verify"] is True
