"""canonicalize: folding never crashes and every identity is exact."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from generators.fused import NAMED, fused
from tilewright.dialects import scf
from tilewright.ir.types import I8, TileType
from tilewright.ir.types import memref as memref_of
from tilewright.numerics.formats import FLOAT_FORMATS
from tilewright.numerics.rounding import nearest
from tilewright.transforms.canonicalize import Canonicalize
from tilewright.transforms.control_folding import trip_count
from transforms.support import filecheck, kernel, run

KEEP = "%A: memref<i32x8>, %z: index"


def folded(expression: str, type_: str, parameters: str = "") -> str:
    """The right side that a stored value comes from."""
    body = f"{expression} memref.store %r, %M, %i"
    text = run(kernel(f"%M: memref<{type_}x?>, %i: index{parameters}", body), Canonicalize())
    lines = [line.strip() for line in text.splitlines()]
    store = next(line for line in lines if line.startswith("memref.store"))
    name = store.split()[1].rstrip(",")
    return next((line.split(" = ", 1)[1] for line in lines if line.startswith(f"{name} = ")), name)


def constants(op: str, a: int, b: int, type_: str) -> str:
    return folded(
        f"%a = arith.constant {{value = {a}}} -> {type_} %b = arith.constant {{value = {b}}} -> {type_}"
        f" %r = arith.{op} %a, %b -> {type_}",
        type_,
    )


@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_constants_are_multiplied_and_added_with_one_rounding(type_: str) -> None:
    a, b, c = (nearest(v, FLOAT_FORMATS[type_]) for v in NAMED[type_][0])
    lines = " ".join(
        f"%{n} = arith.constant {{value = {v!r}}} -> {type_}" for n, v in zip("abc", (a, b, c), strict=True)
    )
    found = folded(f"{lines} %r = arith.fma %a, %b, %c -> {type_}", type_)
    assert found == f"arith.constant {{value = {fused(type_, a, b, c)}}} -> {type_}"


@pytest.mark.parametrize(
    ("op", "a", "b", "expected"),
    [
        ("add", 127, 1, -128),
        ("sub", -128, 1, 127),
        ("mul", 100, 100, 16),
        ("div", -7, 2, -3),
        ("rem", -7, 2, -1),
        ("div", -128, -1, -128),
        ("rem", -128, -1, 0),
        ("shl", 1, 9, 2),
        ("shr", -128, 15, -1),
        ("max", -1, 1, 1),
        ("min", -1, 1, -1),
        ("xor", -1, 1, -2),
    ],
)
def test_integer_folding_wraps(op: str, a: int, b: int, expected: int) -> None:
    assert constants(op, a, b, "i8") == f"arith.constant {{value = {expected}}} -> i8"


@pytest.mark.parametrize("op", ["div", "rem"])
def test_division_by_constant_zero_is_left_alone(op: str) -> None:
    assert constants(op, 5, 0, "i32").startswith(f"arith.{op}")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("%r = arith.add %x, %c0 -> i32", "%x"),
        ("%r = arith.mul %c1, %x -> i32", "%x"),
        ("%r = arith.mul %x, %c0 -> i32", "arith.constant {value = 0} -> i32"),
        ("%r = arith.sub %x, %x -> i32", "arith.constant {value = 0} -> i32"),
        ("%r = arith.max %x, %x -> i32", "%x"),
        ("%r = arith.xor %x, %x -> i32", "arith.constant {value = 0} -> i32"),
        ("%y = arith.neg %x -> i32 %r = arith.neg %y -> i32", "%x"),
        ("%y = arith.add %x, %c1 -> i32 %r = arith.sub %y, %c1 -> i32", "%x"),
        ("%y = arith.sub %x, %i2 -> i32 %r = arith.add %i2, %y -> i32", "%x"),
        ("%y = arith.cast %x -> i64 %r = arith.cast %y -> i32", "%x"),
        ('%p = arith.cmp %x, %x {predicate = "lt"} -> bool %r = arith.select %p, %c1, %x -> i32', "%x"),
        ("%y = arith.cast %x -> i8 %r = arith.cast %y -> i32", "arith.cast %y -> i32"),
        ("%y = arith.add %x, %c1 -> i32 %r = arith.add %y, %c1 -> i32", "arith.add %x, %0 -> i32"),
    ],
)
def test_integer_identities(expression: str, expected: str) -> None:
    constants = "%c0 = arith.constant {value = 0} -> i32 %c1 = arith.constant {value = 1} -> i32 "
    assert folded(constants + expression, "i32", ", %x: i32, %i2: i32") == expected


@pytest.mark.parametrize(
    ("expression", "kept"),
    [
        ("%r = arith.mul %x, %one -> f32", False),
        ("%r = arith.div %x, %one -> f32", False),
        ("%r = arith.add %x, %zero -> f32", True),
        ("%r = arith.mul %x, %zero -> f32", True),
        ("%r = arith.sub %x, %x -> f32", True),
    ],
)
def test_float_identities_only_where_ieee_allows(expression: str, kept: bool) -> None:
    constants = "%zero = arith.constant {value = 0.0} -> f32 %one = arith.constant {value = 1.0} -> f32 "
    found = folded(constants + expression, "f32", ", %x: f32")
    assert found.startswith(expression.split()[2]) if kept else found == "%x"


def test_complex_product_with_one_stays() -> None:
    expression = "%one = arith.constant {value = (1.0, 0.0)} -> c32 %r = arith.mul %x, %one -> c32"
    assert folded(expression, "c32", ", %x: c32").startswith("arith.mul")


def test_sizes_come_from_types_and_views() -> None:
    expression = """
        %v = memref.subview %V, %i, %n
          {static_offsets = [None, 1], static_sizes = [4, None], operand_segments = [1, 1, 1]}
          -> memref<i64x4x?,strided<1,?>>
        %a = memref.size %v {mode = 0} -> index  %b = memref.size %v {mode = 1} -> index
        %s = arith.mul %a, %b -> index %r = arith.add %s, %a -> index""".replace("None", "none")
    text = folded(expression, "index", ", %V: memref<i64x?x?>, %n: index")
    assert text.startswith("arith.add")
    body = f"{expression} memref.store %r, %M, %i"
    whole = run(kernel("%M: memref<indexx?>, %i: index, %V: memref<i64x?x?>, %n: index", body), Canonicalize())
    filecheck(whole, "arith.mul %n\n!memref.size")


def test_control_flow_with_constants_disappears() -> None:
    text = run(
        kernel(
            KEEP,
            """
            %t = arith.constant {value = true} -> bool
            %c0 = arith.constant {value = 0} -> i32 %c1 = arith.constant {value = 1} -> i32
            %c5 = arith.constant {value = 5} -> i32
            scf.if %t { memref.store %c1, %A, %z } { memref.store %c0, %A, %z }
            scf.for %c5, %c5 {operand_segments = [1, 1, 0, 0]} (%i: i32) { memref.store %c0, %A, %z }
            %s = scf.for %c0, %c5, %c5, %c1 {operand_segments = [1, 1, 1, 1]} -> i32 (%i: i32, %x: i32) {
              %y = arith.add %x, %i -> i32  scf.yield %y }
            memref.store %s, %A, %z""",
        ),
        Canonicalize(),
    )
    assert "scf." not in text
    assert text.count("memref.store") == 2


def test_unchanged_and_unused_carried_values_leave_the_loop() -> None:
    text = run(
        kernel(
            "%n: index, %a: f32, %b: f32, %A: memref<f32x?>",
            """%z = arith.constant {value = 0} -> index
               %r, %s, %q = scf.for %z, %n, %a, %b, %b {operand_segments = [1, 1, 0, 3]} -> f32, f32, f32
                 (%i: index, %x: f32, %y: f32, %w: f32) {
                 %v = arith.add %y, %x -> f32  scf.yield %x, %v, %w }
               memref.store %r, %A, %z memref.store %s, %A, %z""",
        ),
        Canonicalize(),
    )
    filecheck(text, "scf.for {{.*}} -> f32 (\narith.add %y, %a\nmemref.store %a")


def test_constant_tiles_spread() -> None:
    text = run(
        kernel(
            "%s: f32, %A: memref<f32x4x2>, %z: index",
            """%c = arith.constant {value = 2.0} -> f32 %t = tile.splat %c -> tile<4x1xf32>
               %u = tile.broadcast %t -> tile<4x2xf32> tile.store %u, %A, %z, %z {check = [false, false]}
               %d = tile.splat %s -> tile<8xf32> %e = tile.reshape %d -> tile<4x2xf32>
               %x = arith.constant {value = 0} -> index tile.store %e, %A, %x, %x {check = [true, true]}""",
        ),
        Canonicalize(),
    )
    filecheck(
        text,
        """arith.constant {value = 2.0} -> tile<4x2xf32>
           tile.store {{%\\w+}}, %A, %z, %z
           !check
           tile.splat %s -> tile<4x2xf32>
           tile.store
           !check
        """,
    )


def test_ends_of_lifetimes_leave_no_trace() -> None:
    """What is free after its last use anyway: programs that say so and programs that do not have the same code."""
    body = "%a = memref.alloca -> memref<f32x4,local> memref.store %x, %a, %i"
    texts = [run(kernel("%x: f32, %i: index", body + end), Canonicalize()) for end in ("", " memref.lifetime_stop %a")]
    assert texts[0] == texts[1]


def test_declared_divisibility_folds_remainders() -> None:
    expression = """%n = memref.size %M {mode = 0} -> index %c = arith.constant {value = 8} -> index
                    %r = arith.rem %n, %c -> index"""
    body = f"{expression} memref.store %r, %M, %i"
    text = run(
        kernel("%M: memref<indexx?>, %i: index", body, "parameter_attributes = [{shape_gcd = [24]}]"), Canonicalize()
    )
    assert "arith.rem" not in text


def test_trip_counts_are_those_of_python_ranges() -> None:
    bounds = [(lower, upper, step) for lower in (-2, 0, 3) for upper in (-3, 3, 4, 7) for step in (1, 2, 3, 5)]
    loops = "".join(
        f"%l{k} = arith.constant {{value = {lower}}} -> i32 %u{k} = arith.constant {{value = {upper}}} -> i32 "
        f"%s{k} = arith.constant {{value = {step}}} -> i32 "
        f"scf.for %l{k}, %u{k}, %s{k} {{operand_segments = [1, 1, 1, 0]}} (%i: i32) {{ }}\n"
        for k, (lower, upper, step) in enumerate(bounds)
    )
    found = [trip_count(op) for op in kernel("%x: i32", loops).walk() if isinstance(op, scf.For)]
    assert found == [len(range(*bound)) for bound in bounds]


def test_carried_values_that_change_places_stay() -> None:
    text = run(
        kernel(
            "%n: index, %a: f32, %b: f32, %A: memref<f32x?>",
            """%z = arith.constant {value = 0} -> index
               %r, %s = scf.for %z, %n, %a, %b {operand_segments = [1, 1, 0, 2]} -> f32, f32
                 (%i: index, %x: f32, %y: f32) { scf.yield %y, %x }
               memref.store %r, %A, %z""",
        ),
        Canonicalize(),
    )
    filecheck(text, "scf.for {{.*}} -> f32, f32\nscf.yield %y, %x")


def test_carried_values_that_become_the_initial_one_leave_the_loop() -> None:
    text = run(
        kernel(
            "%n: index, %a: f32, %A: memref<f32x?>",
            """%z = arith.constant {value = 0} -> index
               %r = scf.for %z, %n, %a {operand_segments = [1, 1, 0, 1]} -> f32 (%i: index, %x: f32) {
                 memref.store %x, %A, %i scf.yield %a }
               memref.store %r, %A, %z""",
        ),
        Canonicalize(),
    )
    filecheck(text, "!-> f32 (\nmemref.store %a, %A, %i\nmemref.store %a, %A, %z")


@pytest.mark.parametrize("predicate", ["lt", "le", "gt", "ge"])
def test_only_integers_have_an_opposite_order(predicate: str) -> None:
    """`not (a < b)` is true for NaN, `a >= b` is not."""
    opposite = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}[predicate]
    wanted = {"i32": f'arith.cmp %x, %y {{predicate = "{opposite}"}}', "f32": "arith.not %p"}
    body = f'%p = arith.cmp %x, %y {{predicate = "{predicate}"}} -> bool %q = arith.not %p -> bool'
    for type_, condition in wanted.items():
        parameters = f"%M: memref<{type_}x?>, %i: index, %x: {type_}, %y: {type_}"
        text = run(kernel(parameters, f"{body} scf.if %q {{ memref.store %x, %M, %i }}"), Canonicalize())
        filecheck(text, f"{{{{(%\\w+)}}}} = {condition} -> bool\nscf.if")
        assert ("arith.not" in text) is (type_ == "f32")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("%y = arith.add %x, %i2 -> i32 %r = arith.sub %y, %i2 -> i32", "%x"),
        ("%y = arith.add %x, %i2 -> i32 %r = arith.sub %y, %x -> i32", "%i2"),
        ("%y = arith.sub %x, %i2 -> i32 %r = arith.sub %x, %y -> i32", "%i2"),
    ],
)
def test_what_was_added_is_taken_away(expression: str, expected: str) -> None:
    assert folded(expression, "i32", ", %x: i32, %i2: i32") == expected


@pytest.mark.parametrize(
    ("expression", "total"),
    [
        ("%y = arith.sub %x, %c3 -> i8 %r = arith.sub %y, %c4 -> i8", -7),
        ("%y = arith.sub %x, %c3 -> i8 %r = arith.add %y, %c4 -> i8", 1),
        ("%y = arith.add %x, %c3 -> i8 %r = arith.sub %y, %c4 -> i8", -1),
        ("%y = arith.add %x, %c99 -> i8 %r = arith.add %y, %c99 -> i8", 198 - 256),
    ],
)
def test_constants_of_sums_and_differences_add_up(expression: str, total: int) -> None:
    constants = " ".join(f"%c{n} = arith.constant {{value = {n}}} -> i8" for n in (3, 4, 99))
    body = f"{constants} {expression} memref.store %r, %M, %i"
    text = run(kernel("%M: memref<i8x?>, %i: index, %x: i8", body), Canonicalize())
    filecheck(text, f"{{{{%\\w+}}}} = arith.constant {{value = {total}}} -> i8\narith.add %x, {{{{%\\w+}}}}")


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("%v = memref.size %M {mode = 0} -> index", False),
        ("%n = memref.size %M {mode = 0} -> index %v = arith.min %n, %i -> index", True),
        ("%n = memref.size %M {mode = 0} -> index %v = arith.max %n, %i -> index", False),
        ("%v = arith.min %i, %i2 -> index", True),
        ("%n = arith.cast %wide -> i32 %v = arith.cast %n -> index", True),
    ],
)
def test_maxima_with_zero_go_where_nothing_is_negative(value: str, kept: bool) -> None:
    body = (
        f"{value} %c0 = arith.constant {{value = 0}} -> index %r = arith.max %v, %c0 -> index memref.store %r, %M, %i"
    )
    text = run(kernel("%M: memref<indexx?>, %i: index, %i2: index, %wide: i64", body), Canonicalize())
    assert ("{value = 0} -> index" in text) is kept


PERMUTED = {
    "%t": """%t = tile.load %A, %z, %z, %z -> tile<2x3x4xi8>
             %v = tile.permute %t {{order = {first}}} -> {once} %w = tile.permute %v {{order = {second}}} -> {twice}
             tile.store %w, %B, %z, %z, %z""",
    "%A": """%v = memref.permute %A {{order = {first}}} -> {once_view}
             %w = memref.permute %v {{order = {second}}} -> {twice_view}
             %t = tile.load %w, %z, %z, %z -> {twice} tile.store %t, %B, %z, %z, %z""",
}


@pytest.mark.parametrize("source", list(PERMUTED))
def test_permutations_compose_as_numpy_transposes(source: str) -> None:
    whole = np.zeros((2, 3, 4), np.int8, order="F")
    for first, second in itertools.product(itertools.permutations(range(3)), repeat=2):
        once, twice = whole.transpose(first), whole.transpose(first).transpose(second)
        body = PERMUTED[source].format(
            first=list(first),
            second=list(second),
            once=TileType(once.shape, I8),
            twice=TileType(twice.shape, I8),
            once_view=memref_of(I8, once.shape, once.strides),
            twice_view=memref_of(I8, twice.shape, twice.strides),
        )
        target = memref_of(I8, twice.shape)
        text = run(kernel(f"%A: memref<i8x2x3x4>, %B: {target}, %z: index", body), Canonicalize())
        found = re.findall(r"\.permute (\S+) \{order = \[(\d), (\d), (\d)\]", text)
        assert len(found) == (twice.strides != whole.strides), text
        for operand, *order in found:
            assert operand == source
            assert whole.transpose([int(k) for k in order]).strides == twice.strides


@pytest.mark.parametrize(("index", "length", "kept"), [(0, 8, False), (4, 4, False), (5, 4, True), (-1, 4, True)])
def test_bounds_tests_go_where_constants_decide_them(index: int, length: int, kept: bool) -> None:
    body = f"""%c = arith.constant {{value = {index}}} -> index
               %t = tile.load %A, %c {{check = [true]}} -> tile<{length}xf32>
               %z = arith.constant {{value = 0}} -> index tile.store %t, %B, %z"""
    text = run(kernel(f"%A: memref<f32x8>, %B: memref<f32x{length}>", body), Canonicalize())
    assert ("check" in text) is kept


def test_extents_behind_a_mode_that_was_split() -> None:
    expression = """
        %v = memref.expand %V {mode = 1, static_sizes = [2, 3, 4]} -> memref<i64x?x2x3x4x?,strided<1,?,?,?,?>>
        %a = memref.size %v {mode = 0} -> index %b = memref.size %v {mode = 4} -> index
        %r = arith.sub %a, %b -> index"""
    body = f"{expression} memref.store %r, %M, %i"
    text = run(kernel("%M: memref<indexx?>, %i: index, %V: memref<i64x?x24x?>", body), Canonicalize())
    assert re.findall(r"memref\.size (\S+) \{mode = (\d)\}", text) == [("%V", "0"), ("%V", "2")]


def test_subviews_of_subviews_keep_every_offset() -> None:
    body = """
        %v = memref.subview %V {static_offsets = [3, 5, 7], static_sizes = [0, 10, 10], operand_segments = [1, 0, 0]}
          -> memref<f32x10x10,strided<20,400>>
        %w = memref.subview %v {static_offsets = [2, 4], static_sizes = [6, 0], operand_segments = [1, 0, 0]}
          -> memref<f32x6,strided<20>>
        memref.store %s, %w, %i"""
    text = run(kernel("%V: memref<f32x20x20x20>, %i: index, %s: f32", body), Canonicalize())
    filecheck(text, "memref.subview %V {static_offsets = [3, 7, 11], static_sizes = [0, 6, 0]")
