"""Control flow, assertions, printing, reductions and matrix products of Tile IR."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from interpreter.tile_ir.kernels import Kernel, apply, blank, pointer
from tilewright.dialects.cuda_tile import arith, control, core, floats, matrix, misc, reductions
from tilewright.dialects.cuda_tile import types as t
from tilewright.dialects.cuda_tile.attributes import Bounded, DivBy, Number, Predicate, SameElements, Signedness
from tilewright.interpreter import KernelError
from tilewright.interpreter.tile_ir.values import to_double

I32 = t.Tile((), t.I32)
SIGNED = Signedness.SIGNED


def compare(k: Any, predicate: Predicate, a: Any, b: Any) -> Any:
    return k(arith.CmpI(predicate, a, b, SIGNED, result_types=[t.Tile((), t.I1)])).out


@pytest.mark.parametrize(("low", "high", "step"), [(0, 10, 3), (5, 5, 1), (-7, 4, 2), (3, -3, 1)])
def test_for_carries_values(low: int, high: int, step: int) -> None:
    k = Kernel(I32, I32, I32, pointer(t.I32))
    body, inner, (index, total) = k.inside(I32, I32)
    inner(control.Continue([inner(arith.AddI(total, index)).out]))
    zero = k.scalar(0, t.I32)
    start, stop, by = k.arguments[:3]
    loop = k.b(control.For(start, stop, by, [zero], body, result_types=[I32]))
    k.store(k.arguments[3], loop.out[0])
    out = blank(1, t.I32)
    k.run([low, high, step, out])
    assert out[0] == sum(range(low, high, step))


def test_step_must_be_positive() -> None:
    k = Kernel(I32)
    body, inner, _ = k.inside(I32)
    inner(control.Continue([]))
    zero = k.scalar(0, t.I32)
    k.b(control.For(zero, zero, k.arguments[0], [], body, result_types=[]))
    k.run([0])
    with pytest.raises(KernelError, match="step of the loop is 0"):
        k.run([0], checked=True)


def test_loop_with_break_in_if() -> None:
    """Collatz: steps until 1."""
    k = Kernel(I32, pointer(t.I32))
    body, b, (number, count) = k.inside(I32, I32)
    one, two, three = (k.scalar(v, t.I32) for v in (1, 2, 3))
    leave, inner, _ = k.inside()
    inner(control.Break([count]))
    stay, other, _ = k.inside()
    other(control.Yield([]))
    b(control.If(compare(b, Predicate.EQUAL, number, one), leave, stay, result_types=[]))
    even, then, _ = k.inside()
    then(control.Yield([then(arith.DivI(number, two, SIGNED)).out]))
    odd, els, _ = k.inside()
    els(control.Yield([els(arith.AddI(els(arith.MulI(number, three)).out, one)).out]))
    zero = k.scalar(0, t.I32)
    is_even = compare(b, Predicate.EQUAL, b(arith.AndI(number, one)).out, zero)
    following = b(control.If(is_even, even, odd, result_types=[I32]))
    b(control.Continue([following.out[0], b(arith.AddI(count, one)).out]))
    loop = k.b(control.Loop([k.arguments[0], zero], body, result_types=[I32]))
    k.store(k.arguments[1], loop.out[0])
    out = blank(1, t.I32)
    k.run([27, out])
    assert out[0] == 111


def test_early_return_and_grid() -> None:
    k = Kernel(pointer(t.I32))
    ids = k.b(core.GetTileBlockId())
    leave, inner, _ = k.inside()
    inner(control.Return([]))
    k.b(control.If(compare(k.b, Predicate.EQUAL, ids.x, k.scalar(1, t.I32)), leave, result_types=[]))
    counts = k.b(core.GetNumTileBlocks())
    at = k.b(core.Offset(k.arguments[0], ids.x)).out
    k.store(at, k.b(arith.AddI(counts.x, ids.x)).out)
    out = np.full(4, -1, np.int32)
    k.run([out], grid=(4, 1, 1), checked=True)
    np.testing.assert_array_equal(out, [4, -1, 6, 7])


def test_deep_nesting() -> None:
    """As deep as no recursion could go."""
    k = Kernel(pointer(t.I32))
    condition, b = k.scalar(1, t.I1), k.b
    k.store(k.arguments[0], k.scalar(7, t.I32))
    for _ in range(5000):
        body, inner, _ = k.inside()
        b(control.If(condition, body, result_types=[]))
        b(control.Yield([])) if b is not k.b else None
        b = inner
    b(control.Yield([]))
    k.b(control.Return([]))
    from tilewright.interpreter.tile_ir import run_entry

    out = blank(1, t.I32)
    run_entry(k.entry, [out])
    assert out[0] == 7


def test_assert_is_collected() -> None:
    k = Kernel(pointer(t.I1), pointer(t.I32))
    k.b(control.Assert(k.load(k.arguments[0], (4,)), "must hold"))
    k.store(k.arguments[1], k.scalar(3, t.I32))
    out = blank(1, t.I32)
    k.run([np.ones(4, np.bool_), out])
    with pytest.raises(KernelError, match=r"must hold at \[1\], \[3\] \(tile block 0, 0, 0\)"):
        k.run([np.array([1, 0, 1, 0], np.bool_), out])
    assert out[0] == 3


def test_print() -> None:
    k = Kernel(pointer(t.F32), I32)
    values = k.load(k.arguments[0], (2, 2))
    made = misc.Print("x = %5.2f, n = %u %x%%\n", [values, k.arguments[1], k.arguments[1]], result_types=[t.TOKEN_TYPE])
    k.b(made)
    texts: list[str] = []
    k.run([np.array([[1, 2], [3, -4]], np.float32), -1], output=texts.append)
    assert texts == ["x = [[ 1.00,  2.00], [ 3.00, -4.00]], n = 4294967295 ffffffff%\n"]


@pytest.mark.parametrize(
    ("predicate", "values", "holds"),
    [
        (DivBy(8), [8, 16, 0, -8], True),
        (DivBy(8), [8, 16, 4, -8], False),
        (DivBy(4, 2, 0), [4, 5, 8, 9], True),
        (DivBy(4, 2, 0), [4, 6, 8, 9], False),
        (SameElements((2,)), [3, 3, 4, 4], True),
        (SameElements((4,)), [3, 3, 4, 4], False),
        (Bounded(-1, None), [-1, 5, 0, 0], True),
        (Bounded(None, 4), [-1, 5, 0, 0], False),
    ],
    ids=str,
)
def test_assume(predicate: Any, values: list[int], holds: bool) -> None:
    x = np.array(values, np.int32)

    def build(b: Any, v: Any) -> Any:
        return b(misc.Assume(predicate, *v)).out

    np.testing.assert_array_equal(apply(build, [(x, t.I32)], t.I32), x)
    if holds:
        apply(build, [(x, t.I32)], t.I32, checked=True)
    else:
        with pytest.raises(KernelError, match="assumes"):
            apply(build, [(x, t.I32)], t.I32, checked=True)


@pytest.mark.parametrize(
    ("shape", "strides", "idle"),
    [("4, 1", "1, %n", True), ("4, 2", "1, %n", False), ("%n, 1", "1, %n", False), ("2, 1", "%n, %n", False)],
)
def test_promises_of_strides_along_extents_of_1(shape: str, strides: str, idle: bool) -> None:
    """No address depends on them."""
    type_ = "x".join(shape.replace("%n", "?").split(", ")), strides.replace("%n", "?")
    text = f"""cuda_tile.module @m {{
      entry @k(%p: tile<ptr<f32>>, %s: tile<i32>) {{
        %n = assume div_by<4>, %s : tile<i32>
        %v = make_tensor_view %p, shape = [{shape}], strides = [{strides}] : tile<i32>
          -> tensor_view<{type_[0]}xf32, strides=[{type_[1]}]>
      }}
    }}"""
    kernel = tw.compile(text, target="interpreter", checked=True).k
    if idle:
        kernel[1](np.zeros(8, np.float32), 1)
    else:
        with pytest.raises(KernelError, match="assumes"):
            kernel[1](np.zeros(8, np.float32), 1)


# Reductions


def combine(k: Kernel, element: t.ElementType, make: Any) -> Any:
    body, b, (current, accumulator) = k.inside(t.Tile((), element), t.Tile((), element))
    b(control.Yield([make(b, current, accumulator)]))
    return body


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_reduce_and_scan(dim: int, seed: int) -> None:
    shape = (4, 8, 16)
    x = np.random.default_rng(seed).integers(-1000, 1000, shape).astype(np.int32)
    k = Kernel(pointer(t.I32), *[pointer(t.I32)] * 4)
    value = k.load(k.arguments[0], shape)
    zero, kept = (Number(t.I32, 0),), tuple(n for d, n in enumerate(shape) if d != dim)

    def add(b: Any, e: Any, a: Any) -> Any:
        return b(arith.AddI(a, e)).out

    def last(b: Any, e: Any, a: Any) -> Any:
        return e

    total = reductions.Reduce([value], dim, zero, combine(k, t.I32, add), result_types=[t.Tile(kept, t.I32)])
    k.store(k.arguments[1], k.b(total).out[0])
    final = reductions.Reduce([value], dim, zero, combine(k, t.I32, last), result_types=[t.Tile(kept, t.I32)])
    k.store(k.arguments[2], k.b(final).out[0])
    for reverse, base in ((False, k.arguments[3]), (True, k.arguments[4])):
        scan = reductions.Scan([value], dim, reverse, zero, combine(k, t.I32, add), result_types=[value.type])
        k.store(base, k.b(scan).out[0])
    outs = [blank(kept, t.I32), blank(kept, t.I32), blank(shape, t.I32), blank(shape, t.I32)]
    k.run([x, *outs], checked=True)
    np.testing.assert_array_equal(outs[0], x.sum(axis=dim))
    np.testing.assert_array_equal(outs[2], x.cumsum(axis=dim))
    np.testing.assert_array_equal(outs[3], np.flip(np.flip(x, dim).cumsum(axis=dim), dim))
    # The order of elements is kept (but the identity may come last).
    assert (outs[1] == np.take(x, shape[dim] - 1, axis=dim)).all() or (outs[1] == 0).all()


def test_reduce_two_operands(seed: int) -> None:
    """Index of the maximum, with a region that is not elementwise as well."""
    for reshapes in (False, True):
        x = np.random.default_rng(seed).permutation(64).astype(np.float32)
        k = Kernel(pointer(t.F32), pointer(t.I32))
        value = k.load(k.arguments[0], (64,))
        index = k.b(core.Iota(result_types=[t.Tile((64,), t.I32)])).out
        f32, i32 = t.Tile((), t.F32), t.Tile((), t.I32)
        body, b, (v, best, i, at) = k.inside(f32, f32, i32, i32)
        if reshapes:
            wide = b(core.Reshape(v, result_types=[t.Tile((1,), t.F32)])).out
            v = b(core.Reshape(wide, result_types=[f32])).out
        larger = b(floats.CmpF(Predicate.GREATER_THAN, ordered(), v, best, result_types=[t.Tile((), t.I1)])).out
        b(control.Yield([b(core.Select(larger, v, best)).out, b(core.Select(larger, i, at)).out]))
        identities = (Number(t.F32, 0xFF800000), Number(t.I32, 0))
        found = k.b(reductions.Reduce([value, index], 0, identities, body, result_types=[f32, i32]))
        k.store(k.arguments[1], found.out[1])
        out = blank(1, t.I32)
        k.run([x, out])
        assert out[0] == x.argmax()


def ordered() -> Any:
    from tilewright.dialects.cuda_tile.attributes import Ordering

    return Ordering.ORDERED


# Matrix products


@pytest.mark.parametrize(
    ("element", "total"),
    [
        *((t.F16, t.F16), (t.F16, t.F32), (t.BF16, t.F32), (t.F32, t.F32), (t.F64, t.F64), (t.TF32, t.F32)),
        *((t.F8E4M3FN, t.F32), (t.F8E5M2, t.F16)),
    ],
    ids=str,
)
def test_mmaf(element: t.ElementType, total: t.ElementType, seed: int) -> None:
    rng = np.random.default_rng(seed)
    from tilewright.interpreter.tile_ir.values import dtype_of

    a, b = (rng.standard_normal(s).astype(dtype_of(element)) for s in ((2, 16, 32), (2, 32, 8)))
    if element is t.TF32:
        a, b = ((v.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32) for v in (a, b))
    c = rng.standard_normal((2, 16, 8)).astype(dtype_of(total))
    found = apply(lambda k, v: k(matrix.MmaF(*v)).out, [(a, element), (b, element), (c, total)], total)
    wanted = np.einsum("bik,bkj->bij", to_double(a, element), to_double(b, element)) + to_double(c, total)
    error = np.linalg.norm(to_double(found, total) - wanted) / np.linalg.norm(wanted)
    assert error < 2.0**-total.floating.mantissa


def test_mmai(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(-128, 128, (16, 64)).astype(np.int8), rng.integers(-128, 128, (64, 8)).astype(np.int8)
    c = rng.integers(-(1 << 31), 1 << 31, (16, 8)).astype(np.int32)
    for left in Signedness:
        for right in Signedness:

            def build(k: Any, v: Any, left: Any = left, right: Any = right) -> Any:
                return k(matrix.MmaI(v[0], v[1], v[2], left, right)).out

            found = apply(build, [(a, t.I8), (b, t.I8), (c, t.I32)], t.I32)
            x = (a if left is SIGNED else a.view(np.uint8)).astype(np.int64)
            y = (b if right is SIGNED else b.view(np.uint8)).astype(np.int64)
            np.testing.assert_array_equal(found, (x @ y + c).astype(np.int32))


def test_mmaf_scaled(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((8, 64)).astype(ml_dtypes.float8_e4m3fn)
    b = rng.standard_normal((64, 16)).astype(ml_dtypes.float8_e4m3fn)
    c = rng.standard_normal((8, 16)).astype(np.float32)
    sa, sb = rng.integers(120, 134, (8, 2)).astype(np.uint8), rng.integers(120, 134, (2, 16)).astype(np.uint8)
    scales = [(s.view(ml_dtypes.float8_e8m0fnu), t.F8E8M0FNU) for s in (sa, sb)]
    inputs = [(a, t.F8E4M3FN), (b, t.F8E4M3FN), (c, t.F32), *scales]
    found = apply(lambda k, v: k(matrix.MmaFScaled(*v)).out, inputs, t.F32)
    wanted = c.astype(np.float64)
    for part in range(2):
        rows = slice(32 * part, 32 * part + 32)
        product = a[:, rows].astype(np.float64) @ b[rows].astype(np.float64)
        wanted += product * 2.0 ** (sa[:, part : part + 1] - 127.0) * 2.0 ** (sb[part : part + 1] - 127.0)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-4)
