"""The text emitter: control flow, memory, atomics, folding; run where it matters, read where text is the point."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tilewright.machine.llvm_binding import binding
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import (
    Builder,
    Function,
    Module,
    Parameter,
    Value,
    boolean,
    constant,
    i32,
    i64,
    lane_constants,
    llvm_type,
    vector,
)
from tilewright.targets.llvm.features import GENERIC
from tilewright.targets.llvm.types import ELEMENTS, mangle

if TYPE_CHECKING:
    from targets.llvm.elementwise import Array, Jit


def pointers(module: Module, count: int, name: str = "f") -> tuple[Builder, list[Value]]:
    """A function of so many pointers and an i64."""
    parameters = [Parameter("ptr", f"p{k}") for k in range(count)]
    function = module.function(name, "void", [*parameters, Parameter("i64", "n")])
    return Builder(function), function.arguments


def call(jit: Jit, module: Module, arrays: list[Array], n: int) -> None:
    """Compile the function `f` and call it."""
    library = jit.compile(str(module), ["f"])
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays), ctypes.c_int64)
    signature(library.address("f"))(*[array.ctypes.data for array in arrays], n)


@pytest.mark.parametrize("n", [0, 1, 7, 64])
def test_loop_carries_values(jit: Jit, n: int) -> None:
    module = Module()
    b, (out, count) = pointers(module, 1)
    with b.loop(i64(0), count, carried=[i64(0), i64(1)]) as loop:
        first, second = loop.carried
        loop.yield_(second, b.add(first, second))
    b.store(loop.results[0], out)
    b.ret()
    result = np.full(1, -1, dtype=np.int64)
    call(jit, module, [result], n)
    a, c = 0, 1
    for _ in range(n):
        a, c = c, a + c
    assert result[0] == (a + 2**63) % 2**64 - 2**63


def test_loop_with_constant_bounds_tests_at_the_bottom(jit: Jit) -> None:
    module = Module()
    b, (out, _) = pointers(module, 1)
    with b.loop(i64(3), i64(20), 5, carried=[i64(0)]) as loop:
        loop.yield_(b.add(loop.carried[0], loop.index))
    b.store(loop.results[0], out)
    b.ret()
    assert str(module).count("br i1") == 1
    assert "body" not in str(module)
    result = np.zeros(1, dtype=np.int64)
    call(jit, module, [result], 0)
    assert result[0] == 3 + 8 + 13 + 18


def test_nested_loops_and_branches(jit: Jit, rng: np.random.Generator) -> None:
    """Sum of the positive and product of the other entries, row by row."""
    module = Module()
    b, (data, out, rows) = pointers(module, 2)
    with b.loop(i64(0), rows) as row:
        with b.loop(i64(0), i64(5), carried=[constant("double", 0.0), constant("double", 1.0)]) as column:
            x = b.load("double", b.gep("double", data, b.add(b.mul(row.index, i64(5)), column.index)))
            total, product = column.carried
            with b.if_else(b.fcmp("ogt", x, constant("double", 0.0)), likely=True) as branch:
                with branch.then():
                    branch.yield_(b.fadd(total, x), product)
                with branch.otherwise():
                    branch.yield_(total, b.fmul(product, x))
            column.yield_(*branch.results)
        total, product = column.results
        b.store(b.fadd(total, product), b.gep("double", out, row.index))
    b.ret()
    x = rng.normal(size=(9, 5))
    result = np.full(9, np.nan)
    call(jit, module, [x, result], 9)
    want = np.where(x > 0, x, 0).sum(axis=1) + np.where(x > 0, 1, x).prod(axis=1)
    np.testing.assert_allclose(result, want, rtol=1e-12)


def test_while_loop(jit: Jit) -> None:
    """Euclid's algorithm."""
    module = Module()
    b, (data, _) = pointers(module, 1)
    x, y = b.load("i64", data), b.load("i64", b.gep("i64", data, i64(1)))
    with b.while_loop([x, y]) as loop:
        a, c = loop.carried
        b.leave_unless(loop, b.icmp("ne", c, i64(0)))
        loop.yield_(c, b.srem(a, c))
    b.store(loop.results[0], data)
    b.ret()
    pair = np.array([462, 1071])
    call(jit, module, [pair], 0)
    assert pair[0] == 21


def test_one_sided_branch_and_early_return(jit: Jit) -> None:
    module = Module()
    b, (out, n) = pointers(module, 1)
    with b.if_then(b.icmp("slt", n, i64(0))):
        b.store(i64(-1), out)
        b.ret()
    with b.if_then(b.icmp("eq", n, i64(7))):
        b.store(i64(7), out)
    b.ret()
    for n, want in ((-3, -1), (7, 7), (8, 55)):
        result = np.array([55])
        call(jit, module, [result], n)
        assert result[0] == want


@pytest.mark.parametrize("n", [0, 1, 5, 8])
def test_masked_access_stays_inside(jit: Jit, rng: np.random.Generator, n: int) -> None:
    module = Module()
    b, (source, target, scattered, count) = pointers(module, 3)
    mask = b.active_lanes(i64(0), count, 8)
    x = b.masked_load("<8 x float>", source, mask, 4, constant("<8 x float>", 5.0))
    b.masked_store(b.fadd(x, x), target, mask, 4)
    reverse = b.sub(constant("<8 x i64>", 7), b.step("<8 x i64>"))
    lanes = b.gather("<8 x float>", b.gep("float", source, reverse), mask, 4)
    b.scatter(lanes, b.gep("float", scattered, reverse), mask, 4)
    b.ret()
    x = rng.normal(size=8).astype(np.float32)
    doubled, reversed_copy = np.full(8, -1, np.float32), np.full(8, -1, np.float32)
    call(jit, module, [x, doubled, reversed_copy], n)
    lane = np.arange(8)
    np.testing.assert_array_equal(doubled, np.where(lane < n, 2 * x, -1))
    np.testing.assert_array_equal(reversed_copy, np.where(lane >= 8 - n, x, -1))


def test_atomics(jit: Jit) -> None:
    module = Module()
    b, (data, _) = pointers(module, 1)
    old = b.atomicrmw("add", data, i64(5), "monotonic", 8)
    seen, done = b.cmpxchg(data, i64(15), i64(99), "acq_rel", "monotonic")
    b.fence("seq_cst")
    b.atomic_store(b.add(old, seen), b.gep("i64", data, i64(1)), "release", 8)
    b.store(b.zext(done, "i64"), b.gep("i64", data, i64(2)))
    b.store(b.atomic_load("i64", data, "acquire", 8), b.gep("i64", data, i64(3)))
    b.ret()
    numbers = np.array([10, 0, 0, 0])
    call(jit, module, [numbers], 0)
    np.testing.assert_array_equal(numbers, [99, 25, 1, 99])


def test_stack_memory_lives_in_the_entry_block() -> None:
    module = Module()
    b, (_, n) = pointers(module, 1)
    with b.loop(i64(0), n):
        b.store(i32(1), b.field("[4 x i32]", b.alloca("[4 x i32]", align=64), 2))
    b.ret()
    entry = str(module).split("loop.")[0]
    assert "alloca [4 x i32], align 64" in entry


def test_lanes(jit: Jit) -> None:
    module = Module()
    b, (data, _) = pointers(module, 1)
    x = b.load("<4 x i32>", data, 4)
    swapped = b.shuffle(x, None, [1, 0, 3, 2])
    joined = b.concat(swapped, b.splat(b.extract(x, 3), 4))
    changed = b.insert(joined, b.reduce("add", x), 7)
    b.store(changed, data, 4)
    b.ret()
    numbers = np.array([1, 2, 3, 4, 0, 0, 0, 0], dtype=np.int32)
    call(jit, module, [numbers], 0)
    np.testing.assert_array_equal(numbers, [2, 1, 4, 3, 4, 4, 4, 10])


def builder() -> tuple[Builder, Value]:
    function = Module().function("f", "void", [("i64", "x")])
    return Builder(function), function.arguments[0]


def test_identities_emit_nothing() -> None:
    b, x = builder()
    one = constant("double", 1.0)
    y = Value("double", "%y")
    assert b.add(x, i64(0)) is x
    assert b.mul(i64(1), x) is x
    assert b.mul(x, i64(0)).integer == 0
    assert b.add(i64(2**63 - 1), i64(1)).integer == -(2**63)
    assert b.shl(x, i64(0)) is x
    assert b.and_(x, i64(-1)) is x
    assert b.gep("float", Value("ptr", "%p"), i64(0)).text == "%p"
    assert b.fmul(y, one) is y
    assert b.select(boolean(True), x, i64(3)) is x
    assert b.icmp("slt", i64(-1), i64(3)).text == "true"
    assert b.sext(constant("i8", 200), "i64").integer == -56
    assert b.splat(i32(3), 4).text == "splat (i32 3)"
    assert b.extract(constant("<4 x i32>", 3), 2).integer == 3
    assert b.block.lines == []


FOLDED = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__, "smin": min, "smax": max}
PREDICATES = {"eq": "__eq__", "ne": "__ne__", "slt": "__lt__", "sle": "__le__", "sgt": "__gt__", "sge": "__ge__"}


def test_integers_are_folded_as_python_does() -> None:
    b, _ = builder()
    numbers = (-5, -1, 0, 1, 2, 7)
    for x in numbers:
        for y in numbers:
            for name, meaning in FOLDED.items():
                assert getattr(b, name)(i64(x), i64(y)).integer == meaning(x, y), (name, x, y)
            for predicate, method in PREDICATES.items():
                assert b.icmp(predicate, i64(x), i64(y)).text == str(getattr(x, method)(y)).lower(), (predicate, x, y)
    assert b.block.lines == []


def test_bits_of_constants_are_folded() -> None:
    module = Module()
    b, _ = pointers(module, 0)
    eight = [Value("i8", str(number)) for number in (-56, 3, 0x55)]
    x, three, mask = eight
    assert [b.and_(x, mask), b.shl(x, three), b.lshr(x, three), b.ashr(x, three)] == [
        Value("i8", str(number)) for number in (0x40, 0x40, 25, -7)
    ]
    assert b.lshr(constant("<4 x i8>", -56), constant("<4 x i8>", 3)) == constant("<4 x i8>", 25)
    assert not b.block.lines
    # as far as that, the amount is poison
    assert b.shl(x, Value("i8", "8")).text.startswith("%")


def test_nothing_branches_on_what_always_holds() -> None:
    module = Module()
    b, (n,) = pointers(module, 0)
    with b.if_then(boolean(True)):
        b.add(n, i64(1))
    assert len(b.function.blocks) == 1
    with b.if_then(boolean(False)):
        b.add(n, i64(2))
    assert len(b.function.blocks) == 3


def test_identities_are_identities(jit: Jit) -> None:
    """Each operation with each constant on one side, against Python on numbers that only the call knows."""
    module = Module()
    b, (data, out, _) = pointers(module, 2)
    x = b.load("i8", data)
    constants = (0, 1, -1, 5)
    found: list[Value] = []
    for k in constants:
        c = constant("i8", k)
        pairs = [(x, c), (c, x)]
        found += [op(*pair) for op in (b.add, b.sub, b.mul, b.and_, b.or_, b.xor) for pair in pairs]
    shifts = (0, 1, 5)
    found += [op(x, constant("i8", k)) for op in (b.shl, b.lshr, b.ashr) for k in shifts]
    for k, value in enumerate(found):
        b.store(value, b.offset(out, k), 1)
    b.ret()
    for number in (-128, -3, 0, 1, 77):
        wide, result = np.array([number], np.int8), np.zeros(len(found), np.int8)
        call(jit, module, [wide, result], 0)
        expected: list[int] = []
        for k in constants:
            for name in ("__add__", "__sub__", "__mul__", "__and__", "__or__", "__xor__"):
                expected += [getattr(number, name)(k), getattr(k, name)(number)]
        expected += [number << k for k in shifts]
        expected += [(number & 0xFF) >> k for k in shifts]
        expected += [number >> k for k in shifts]
        assert result.tolist() == np.array(expected).astype(np.int8).tolist()


@pytest.mark.parametrize("lanes", [1, 2, 3, 5, 6, 7, 8, 13])
def test_reductions_take_every_lane_once(jit: Jit, lanes: int) -> None:
    module = Module()
    b, (data, out, _) = pointers(module, 2)
    x = b.load(vector("i64", lanes), data, 8)
    b.store(Arithmetic(b, GENERIC).reduce_lanes("add", "i64", x), out)
    b.ret()
    numbers, result = 1 << np.arange(lanes), np.zeros(1, np.int64)
    call(jit, module, [numbers, result], 0)
    assert result[0] == (1 << lanes) - 1


def test_truth_of_floats_and_remainders_by_zero(jit: Jit) -> None:
    """What is not zero is true, NaN too; a number without sign modulo zero is itself."""
    module = Module()
    b, (floats, out, _) = pointers(module, 2)
    arith = Arithmetic(b, GENERIC)
    for k in range(4):
        x = b.load("float", b.gep("float", floats, i64(k)), 4)
        truth = arith.cast(x, "f32", "bool")
        rest = arith.lower("urem", "i32", b.bitcast(x, "i32"), constant("i32", 0))
        assert isinstance(truth, Value)
        assert isinstance(rest, Value)
        b.store(b.zext(truth, "i32"), b.gep("i32", out, i64(2 * k)), 4)
        b.store(rest, b.gep("i32", out, i64(2 * k + 1)), 4)
    b.ret()
    numbers, result = np.array([0.0, -0.0, np.nan, 1e-45], np.float32), np.zeros((4, 2), np.int32)
    call(jit, module, [numbers, result], 0)
    assert result[:, 0].tolist() == [0, 0, 1, 1]
    assert result[:, 1].tolist() == numbers.view(np.int32).tolist()


def test_flushed_numbers(jit: Jit) -> None:
    """Only what is subnormal becomes a zero, of its sign."""
    module = Module()
    b, (floats, out, _) = pointers(module, 2)
    for k in range(6):
        flushed = Arithmetic(b, GENERIC).lower("flush", "f32", b.load("float", b.gep("float", floats, i64(k)), 4))
        assert isinstance(flushed, Value)
        b.store(flushed, b.gep("float", out, i64(k)), 4)
    b.ret()
    least = 2.0**-126
    numbers = np.array([least, -least, least / 2, -least / 2, 1.5, np.inf], np.float32)
    result = np.full(6, np.nan, np.float32)
    call(jit, module, [numbers, result], 0)
    assert result.tolist() == [least, -least, 0, 0, 1.5, np.inf]
    assert np.signbit(result).tolist() == [False, True, False, True, False, False]


def test_truths_are_folded() -> None:
    b, _ = builder()
    c, yes, no = Value("i1", "%c"), boolean(True), boolean(False)
    for x, y in ((c, yes), (yes, c)):
        assert (b.and_(x, y), b.or_(x, y)) == (c, yes)
    for x, y in ((c, no), (no, c)):
        assert (b.and_(x, y), b.or_(x, y), b.xor(x, y)) == (no, c, c)
    assert (b.not_(yes), b.not_(no)) == (no, yes)
    assert b.block.lines == []


@pytest.mark.parametrize(("first", "last"), [(3, 3), (4, 3), (3, 4), (-2, -2)])
def test_loops_of_few_trips(jit: Jit, first: int, last: int) -> None:
    module = Module()
    b, (out, _) = pointers(module, 1)
    with b.loop(i64(first), i64(last), carried=[i64(0)]) as loop:
        loop.yield_(b.add(loop.carried[0], i64(1)))
    b.store(loop.results[0], out)
    b.ret()
    result = np.full(1, -1)
    call(jit, module, [result], 0)
    assert result[0] == len(range(first, last))


def test_float_identities_that_are_not_exact_stay() -> None:
    """x + 0.0 turns -0.0 into 0.0."""
    b, _ = builder()
    b.fadd(Value("double", "%y"), constant("double", 0.0))
    assert len(b.block.lines) == 1


@pytest.mark.parametrize(
    ("ltype", "number", "text"),
    [
        ("i8", 255, "-1"),
        ("i1", 1, "true"),
        ("float", 0.1, "0x3FB99999A0000000"),
        ("half", 65520.0, "0xH7C00"),
        ("double", -0.0, "0x8000000000000000"),
        ("<4 x float>", 1.0, "splat (float 0x3FF0000000000000)"),
    ],
)
def test_constants(ltype: str, number: float, text: str) -> None:
    assert constant(ltype, number).text == text


@pytest.mark.parametrize(
    ("number", "code"), [(1.01171875 + 2.0**-40, 0x3F82), (1e-40, 0x0001), (-2.0, -0x4000), (math.inf, 0x7F80)]
)
def test_constants_of_bf16_are_codes_rounded_once(number: float, code: int) -> None:
    b, _ = builder()
    assert Arithmetic(b, GENERIC).constant("bf16", number, 4) == constant("<4 x i16>", code)


def test_masks_are_no_signs() -> None:
    """LLVM 22 reads the signs of the wrong register where a mask of them goes to a general one."""
    b, _ = builder()
    lanes = Value("<16 x i8>", "%x")
    assert b.trunc(lanes, "<16 x i1>").type == b.icmp("slt", lanes, constant(lanes.type, 0)).type == "<16 x i1>"
    text = "\n".join(map(str, b.block.lines))
    assert "splat (i8 1)" in text
    assert "splat (i8 -128)" in text
    assert "slt" not in text
    assert "= trunc" not in text


def test_constants_are_cut_to_their_low_bits() -> None:
    b, _ = pointers(Module(), 0)
    assert [str(b.trunc(constant("i32", n), "i1")) for n in (2, 3)] == ["i1 false", "i1 true"]
    assert str(b.trunc(constant("i32", 300), "i8")) == "i8 44"


def test_lane_constants() -> None:
    assert str(lane_constants("i32", [1, -2])) == "<2 x i32> <i32 1, i32 -2>"


def test_spread_prefetches_are_dealt_out_evenly_over_the_rest_of_the_block() -> None:
    function = Module().function("f", "void", [("ptr", "p"), ("i64", "x")])
    p, x = function.arguments
    b = Builder(function)
    b.comment("before")
    for distance in range(3):
        b.prefetch(b.offset(p, 64 * distance), spread=True)
    for _ in range(9):
        x = b.mul(x, x)
    b.ret()
    text = "\n".join(function.lines()).splitlines()
    places = [number for number, line in enumerate(text) if "@llvm.prefetch" in line]
    muls = [sum("= mul" in line for line in text[place:]) for place in places]
    assert muls == [9, 6, 3]
    assert all("asm sideeffect" in text[place + 1] for place in places)
    assert any("before" in line for line in text[: places[0]])


def test_declarations_metadata_and_globals_appear_once() -> None:
    module = Module("x86_64-unknown-linux-gnu")
    b, (p, _) = pointers(module, 1)
    for _ in range(2):
        b.store(b.sqrt(b.load("float", p)), p, nontemporal=True)
        module.global_variable("table", "[2 x i32]", "[i32 1, i32 2]", constant=True, align=64)
    b.ret()
    text = str(module)
    assert text.count("declare") == 1
    assert text.count("!{i32 1}") == 1
    assert text.count("@table =") == 1
    assert 'target triple = "x86_64-unknown-linux-gnu"' in text


def test_loop_metadata_is_distinct() -> None:
    module = Module()
    first = module.loop_metadata('!{!"llvm.loop.unroll.disable"}')
    second = module.loop_metadata('!{!"llvm.loop.unroll.disable"}')
    assert first != second
    assert f"{first} = distinct !{{{first}, !0}}" in str(module)


def test_parameter_names_are_made_legal() -> None:
    function = Module().function("f", "void", [("i64", "1 odd%name"), ("i64", ""), ("i64", "n")])
    assert [argument.text for argument in function.arguments] == ["%p1_odd_name.p0", "%arg.p1", "%n.p2"]


def test_calls_repeat_the_calling_convention(jit: Jit) -> None:
    module = Module()
    helper: Function = module.function("helper", "i64", [("i64", "x")], linkage="internal", convention="fastcc")
    h = Builder(helper)
    h.ret(h.add(helper.arguments[0], i64(1)))
    b, (out, n) = pointers(module, 1)
    b.store(b.call(helper.callee, [n]), out)
    b.ret()
    result = np.zeros(1, dtype=np.int64)
    call(jit, module, [result], 41)
    assert result[0] == 42


def test_absurd_vectors_are_refused() -> None:
    with pytest.raises(ValueError, match=r"outside 1\.\.4096"):
        vector("float", 1 << 20)


@pytest.mark.parametrize("dtype", sorted(ELEMENTS))
def test_element_types(dtype: str) -> None:
    element = ELEMENTS[dtype]
    if dtype in ("c32", "c64"):
        with pytest.raises(ValueError, match="pair"):
            llvm_type(dtype)
        assert element.bytes == 2 * ELEMENTS[element.component].bytes
    else:
        assert llvm_type(dtype, 4) == f"<4 x {element.llvm}>"
        assert mangle(llvm_type(dtype, 4)).startswith("v4")


def test_structs_of_assembly_have_one_name_each() -> None:
    """Texts of many products stay short; the members are those that the assembly names."""
    module = Module()
    b, _ = pointers(module, 1)
    for members in (("i64", "i64"), ("i64", "i64", "i64"), ("i64", "i64")):
        constraints = ",".join(["=r"] * len(members))
        found = b.inline_asm(f"{{ {', '.join(members)} }}", "nop", constraints, [], side_effect=True)
        b.extract_value(found, "i64", len(members) - 1)
    b.ret()
    lines = str(module).splitlines()
    assert lines[:2] == ["%struct.0 = type { i64, i64 }", "%struct.1 = type { i64, i64, i64 }"]
    assert not any("{ i64" in line for line in lines[2:])
    parsed = binding().parse_assembly(str(module))
    parsed.verify()


def test_what_follows_a_branch_that_is_always_taken_and_ends(jit: Jit) -> None:
    module = Module()
    b, (out, count) = pointers(module, 1)
    with b.if_then(b.icmp("sgt", count, i64(0))):
        with b.if_then(boolean(True)):
            b.store(i64(1), out)
            b.ret()
        b.store(i64(2), out)
    b.store(i64(3), out)
    b.ret()
    for n, expected in ((0, 3), (1, 1)):
        result = np.zeros(1, np.int64)
        call(jit, module, [result], n)
        assert result[0] == expected
