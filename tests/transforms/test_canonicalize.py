"""canonicalize: folding never crashes and every identity is exact."""

from __future__ import annotations

import pytest

from generators.fused import NAMED, fused
from tilewright.numerics.formats import FLOAT_FORMATS
from tilewright.numerics.rounding import nearest
from tilewright.transforms.canonicalize import Canonicalize
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
    assert (folded(constants + expression, "f32", ", %x: f32") != "%x") is kept


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


def test_declared_divisibility_folds_remainders() -> None:
    expression = """%n = memref.size %M {mode = 0} -> index %c = arith.constant {value = 8} -> index
                    %r = arith.rem %n, %c -> index"""
    body = f"{expression} memref.store %r, %M, %i"
    text = run(
        kernel("%M: memref<indexx?>, %i: index", body, "parameter_attributes = [{shape_gcd = [24]}]"), Canonicalize()
    )
    assert "arith.rem" not in text
