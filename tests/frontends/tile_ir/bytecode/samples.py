"""A small module for each operation of Tile IR, and for each form that an operation's record can take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from tilewright.dialects.cuda_tile import (
    arith,
    atomics,
    control,
    conversions,
    core,
    floats,
    matrix,
    memory,
    misc,
    views,
)
from tilewright.dialects.cuda_tile import attributes as at
from tilewright.dialects.cuda_tile import types as ty
from tilewright.dialects.cuda_tile.numbers import float_bits
from tilewright.dialects.cuda_tile.reductions import Reduce, Scan
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.types import Type

OperationT = TypeVar("OperationT", bound=Operation)
HINTS = at.Hints(
    (
        ("default", (("latency", at.Number(ty.I64, 3)),)),
        ("sm_90", (("allow_tma", True), ("latency", at.Number(ty.I64, 7)))),
    )
)
RELAXED, WEAK = at.MemoryOrdering.RELAXED, at.MemoryOrdering.WEAK
DEVICE = at.MemoryScope.DEVICE


def tile(element: ty.Element, *shape: int) -> ty.Tile:
    """`tile<shape x element>`."""
    return ty.Tile(shape, element)


class Kernel:
    """An entry being built."""

    def __init__(self) -> None:
        self.entry = Block()
        self.block = self.entry
        self.globals: list[core.Global] = []
        self.hints: at.Hints | None = None
        self.producer: str | None = None
        self.version = ty.Version.V13_3

    def __call__(self, op: OperationT) -> OperationT:
        """Append an operation."""
        self.block.append(op)
        return op

    def parameter(self, type_: ty.Tile) -> Value:
        """A parameter of the kernel."""
        return self.entry.add_argument(type_)

    def tile(self, element: ty.Element, *shape: int) -> Value:
        """Some tile."""
        type_ = tile(element, *shape)
        if isinstance(element, ty.Pointer):
            value = self.parameter(tile(element))
            if not shape:
                return value
            ones = tile(element, *(1 for _ in shape))
            single = self(core.Reshape(value, result_types=[ones])).out
            return self(core.Broadcast(single, result_types=[type_])).out
        bits = 1
        if element.is_float:
            bits = float_bits(1.0, element)
        return self(core.Constant(at.dense(element, [bits], type_.size), result_types=[type_])).out

    def token(self) -> Value:
        """A token."""
        return self(memory.MakeToken()).result_token

    def view(self, element: ty.ElementType = ty.F32, padding: ty.Padding | None = None) -> Value:
        """A partition view of a tensor with a dynamic extent and stride."""
        tensor = self.tensor(element)
        assert isinstance(tensor.type, ty.TensorView)
        type_ = ty.PartitionView((4, 8), tensor.type, padding, (0, 1))
        return self(views.MakePartitionView(tensor, result_types=[type_])).out

    def tensor(self, element: ty.ElementType = ty.F32) -> Value:
        """A tensor_view."""
        type_ = ty.TensorView(element, (None, 64), (None, 1))
        base = self.tile(ty.Pointer(element))
        size, stride = self.tile(ty.I32), self.tile(ty.I32)
        return self(views.MakeTensorView(base, [size], [stride], result_types=[type_])).out

    def region(self, types: Sequence[Type], fill: Callable[[list[Value]], None]) -> Region:
        """A region that `fill` writes."""
        outer, self.block = self.block, Block(types)
        inner = self.block
        fill(list(inner.arguments))
        self.block = outer
        return Region(inner)

    def module(self, name: str) -> core.TileModule:
        """The module with this entry."""
        self(control.Return([]))
        block = Block()
        for item in self.globals:
            block.append(item)
        entry = core.Entry(name, Region(self.entry))
        if self.hints is not None:
            entry.optimization_hints = self.hints
        block.append(entry)
        return core.TileModule("kernels", Region(block), self.producer, self.version)


Sample = Callable[[Kernel], None]
SAMPLES: dict[str, Sample] = {}


def sample(function: Sample) -> Sample:
    """Register a sample under its function's name."""
    SAMPLES[function.__name__.strip("_")] = function
    return function


def _plain() -> None:
    """Operations whose operands and results are tiles of one kind."""
    unary_floats = (floats.AbsF, floats.NegF, floats.Ceil, floats.Floor, floats.Log, floats.Log2, floats.Sin)
    unary_floats += (floats.Cos, floats.Tan, floats.Sinh, floats.Cosh, floats.Exp, floats.Tanh, floats.Exp2)
    for cls in (*unary_floats, floats.Rsqrt, floats.Sqrt):
        SAMPLES[cls.name] = lambda k, cls=cls: _discard(k(cls(k.tile(ty.F32, 4))))
    binary = (floats.AddF, floats.SubF, floats.MulF, floats.DivF, floats.RemF, floats.MaxF, floats.MinF)
    for cls in (*binary, floats.Atan2, floats.Pow):
        SAMPLES[cls.name] = lambda k, cls=cls: _discard(k(cls(k.tile(ty.F32, 2, 4), k.tile(ty.F32, 2, 4))))
    for cls in (arith.AddI, arith.SubI, arith.MulI, arith.ShlI, arith.MulHiI, arith.AndI, arith.OrI, arith.XorI):
        SAMPLES[cls.name] = lambda k, cls=cls: _discard(k(cls(k.tile(ty.I16, 4), k.tile(ty.I16, 4))))
    for cls in (arith.ShrI, arith.MaxI, arith.MinI, arith.RemI, arith.DivI):
        SAMPLES[cls.name] = lambda k, cls=cls: _discard(
            k(cls(k.tile(ty.I64), k.tile(ty.I64), signedness=at.Signedness.SIGNED))
        )
    for cls in (arith.AbsI, arith.NegI):
        SAMPLES[cls.name] = lambda k, cls=cls: _discard(k(cls(k.tile(ty.I8, 4))))


def _discard(op: Operation) -> None:
    """The result is of no interest."""


_plain()


@sample
def flags(k: Kernel) -> None:
    a = k.tile(ty.F32, 4)
    k(floats.AddF(a, a, flush_to_zero=True, rounding_mode=at.Rounding.ZERO))
    k(floats.MaxF(a, a, propagate_nan=True))
    k(floats.MinF(a, a, flush_to_zero=True))
    k(floats.MaxF(a, a, propagate_nan=True, flush_to_zero=True))
    k(floats.Rsqrt(a, flush_to_zero=True))
    k(floats.Exp2(a, flush_to_zero=True))
    k(floats.Fma(a, a, a, flush_to_zero=True, rounding_mode=at.Rounding.NEGATIVE_INF))
    k(floats.DivF(a, a, rounding_mode=at.Rounding.APPROX))
    k(floats.Sqrt(a, rounding_mode=at.Rounding.POSITIVE_INF))
    i = k.tile(ty.I32, 4)
    for overflow in at.Overflow:
        k(arith.AddI(i, i, overflow=overflow))
    k(arith.DivI(i, i, signedness=at.Signedness.SIGNED, rounding=at.Rounding.NEGATIVE_INF))
    k(arith.RemI(i, i, signedness=at.Signedness.UNSIGNED))


@sample
def fast_exp(k: Kernel) -> None:
    k(floats.Exp(k.tile(ty.F32, 4), rounding_mode=at.Rounding.APPROX))


@sample
def fast_tanh(k: Kernel) -> None:
    k(floats.Tanh(k.tile(ty.F32, 4), rounding_mode=at.Rounding.APPROX))


@sample
def negi_nsw(k: Kernel) -> None:
    k(arith.NegI(k.tile(ty.I32, 4), overflow=at.Overflow.NO_SIGNED_WRAP))


@sample
def fma(k: Kernel) -> None:
    a = k.tile(ty.F64, 2)
    k(floats.Fma(a, a, a))


@sample
def fpowi(k: Kernel) -> None:
    k(floats.FPowI(k.tile(ty.F32, 4), k.tile(ty.I32, 4)))


@sample
def compare(k: Kernel) -> None:
    a, i = k.tile(ty.F32, 4), k.tile(ty.I32, 4)
    for predicate in at.Predicate:
        for ordering in at.Ordering:
            k(floats.CmpF(predicate, ordering, a, a, result_types=[tile(ty.I1, 4)]))
        for signedness in at.Signedness:
            k(arith.CmpI(predicate, i, i, signedness, result_types=[tile(ty.I1, 4)]))


@sample
def convert(k: Kernel) -> None:
    i8, i32 = k.tile(ty.I8, 4), k.tile(ty.I32, 4)
    f16, f32 = k.tile(ty.F16, 4), k.tile(ty.F32, 4)
    for signedness in at.Signedness:
        k(conversions.ExtI(i8, signedness, result_types=[tile(ty.I32, 4)]))
        k(conversions.IToF(i32, signedness, result_types=[tile(ty.F32, 4)]))
        k(conversions.FToI(f32, signedness, result_types=[tile(ty.I32, 4)]))
    k(conversions.TruncI(i32, result_types=[tile(ty.I8, 4)]))
    k(conversions.TruncI(i32, at.Overflow.NO_UNSIGNED_WRAP, result_types=[tile(ty.I8, 4)]))
    k(conversions.FToF(f16, result_types=[tile(ty.F32, 4)]))
    k(conversions.FToF(f32, result_types=[tile(ty.TF32, 4)]))
    k(conversions.FToF(f32, result_types=[tile(ty.F8E4M3FN, 4)]))
    k(conversions.FToF(f32, result_types=[tile(ty.F8E5M2, 4)]))
    k(conversions.FToF(f32, result_types=[tile(ty.BF16, 4)]))
    k(conversions.Bitcast(f32, result_types=[tile(ty.I32, 4)]))


@sample
def pointers(k: Kernel) -> None:
    p = k.tile(ty.Pointer(ty.F16), 4)
    i = k(conversions.PtrToInt(p, result_types=[tile(ty.I64, 4)])).out
    q = k(conversions.IntToPtr(i, result_types=[tile(ty.Pointer(ty.F16), 4)])).out
    r = k(conversions.PtrToPtr(q, result_types=[tile(ty.Pointer(ty.I8), 4)])).out
    k(core.Offset(r, k.tile(ty.I32, 4)))


@sample
def scales(k: Kernel) -> None:
    f32 = k.tile(ty.F32, 4)
    k(conversions.FToF(f32, at.Rounding.ZERO, result_types=[tile(ty.F8E8M0FNU, 4)]))
    k.tile(ty.F8E8M0FNU, 8)


@sample
def four_bits(k: Kernel) -> None:
    f4 = k.tile(ty.F4E2M1FN, 8)
    bytes_ = k(core.Pack(f4, result_types=[tile(ty.I8, 4)])).out
    back = k(core.Unpack(bytes_, result_types=[tile(ty.F4E2M1FN, 8)])).out
    k(conversions.FToF(back, result_types=[tile(ty.F32, 8)]))
    nibbles = k(core.Unpack(bytes_, result_types=[tile(ty.I4, 8)])).out
    k(conversions.ExtI(nibbles, at.Signedness.SIGNED, result_types=[tile(ty.I32, 8)]))


@sample
def saturating(k: Kernel) -> None:
    k(conversions.FToI(k.tile(ty.F32, 4), at.Signedness.SIGNED, saturating=True, result_types=[tile(ty.I8, 4)]))


@sample
def away(k: Kernel) -> None:
    k.version = ty.Version.V13_4
    k(conversions.FToF(k.tile(ty.F32, 4), at.Rounding.NEAREST_AWAY, result_types=[tile(ty.TF32, 4)]))


@sample
def constants(k: Kernel) -> None:
    for element in (ty.I8, ty.I16, ty.I32, ty.I64, ty.F16, ty.BF16, ty.F32, ty.F64, ty.TF32, ty.F8E4M3FN, ty.F8E5M2):
        patterns = [(37 * i + 1) % 113 for i in range(8)]
        k(core.Constant(at.dense(element, patterns, 8), result_types=[tile(element, 2, 4)]))
        k(core.Constant(at.dense(element, [3], 1 << 20), result_types=[tile(element, 1 << 20)]))
    for bits in ([1, 0, 0, 1], [1], [0], [1, 0] * 8):
        count = len(bits)
        k(core.Constant(at.dense(ty.I1, bits, count), result_types=[tile(ty.I1, count)]))
    k(core.Constant(at.dense(ty.I1, [1], 1), result_types=[tile(ty.I1)]))


@sample
def grid(k: Kernel) -> None:
    k(core.GetTileBlockId())
    k(core.GetNumTileBlocks())


@sample
def globals_(k: Kernel) -> None:
    k.globals.append(core.Global("g", at.dense(ty.F32, [0, 1, 2, 3], 4), tile(ty.F32, 4), 16))
    k.globals.append(core.Global("h", at.dense(ty.I8, [7], 64), tile(ty.I8, 64)))
    k(core.GetGlobal(at.Symbol("g"), result_types=[tile(ty.Pointer(ty.F32))]))


@sample
def private_globals(k: Kernel) -> None:
    value, type_ = at.dense(ty.F32, [0, 1, 2, 3], 4), tile(ty.F32, 4)
    k.globals.append(core.Global("g", value, type_, 16, True, at.Visibility.PRIVATE))
    k.producer = "tests"


@sample
def shapes(k: Kernel) -> None:
    a = k.tile(ty.F32, 1, 8)
    wide = k(core.Broadcast(a, result_types=[tile(ty.F32, 4, 8)])).out
    k(core.Reshape(wide, result_types=[tile(ty.F32, 2, 16)]))
    k(core.Permute(wide, (1, 0), result_types=[tile(ty.F32, 8, 4)]))
    k(core.Cat(wide, wide, 1, result_types=[tile(ty.F32, 4, 16)]))
    zero = k.tile(ty.I32)
    k(core.Extract(wide, [zero, zero], result_types=[tile(ty.F32, 2, 2)]))
    condition = k.tile(ty.I1, 4, 8)
    k(core.Select(condition, wide, wide))
    k(core.Iota(result_types=[tile(ty.I32, 16)]))


@sample
def insert(k: Kernel) -> None:
    zero = k.tile(ty.I32)
    k(core.Insert(k.tile(ty.F32, 2), k.tile(ty.F32, 8), [zero]))


@sample
def assume(k: Kernel) -> None:
    i = k.tile(ty.I32, 4)
    for predicate in (
        at.DivBy(16),
        at.DivBy(1 << 62),
        at.DivBy(4, 2, 0),
        at.SameElements((2,)),
        at.Bounded(-5, 9),
        at.Bounded(None, 9),
        at.Bounded(0, None),
        at.Bounded(None, None),
        at.Bounded(-(1 << 31), (1 << 31) - 1),
    ):
        i = k(misc.Assume(predicate, i)).out
    k(misc.Assume(at.DivBy(16), k.tile(ty.Pointer(ty.F32))))
    k(misc.Assume(at.DivBy(16), k.tensor()))


@sample
def printing(k: Kernel) -> None:
    k(misc.Print("hello %d %%", [k.tile(ty.I32, 4)]))
    k(misc.Print("nothing", []))


@sample
def printing_with_tokens(k: Kernel) -> None:
    token = ty.TOKEN_TYPE
    first = k(misc.Print("a %f", [k.tile(ty.F32)], k.token(), result_types=[token]))
    k(misc.Print("b", [], first.results[0], result_types=[token]))
    k(misc.Print("c", [], result_types=[token]))


@sample
def assertion(k: Kernel) -> None:
    k(control.Assert(k.tile(ty.I1, 4), "message with ünicode"))


@sample
def load_ptr(k: Kernel) -> None:
    p, mask, pad = k.tile(ty.Pointer(ty.F32), 4), k.tile(ty.I1, 4), k.tile(ty.F32, 4)
    types = [tile(ty.F32, 4), ty.TOKEN_TYPE]
    a = k(memory.LoadPtr(WEAK, p, result_types=types))
    b = k(memory.LoadPtr(RELAXED, p, DEVICE, token=a.result_token, result_types=types))
    k(memory.LoadPtr(WEAK, p, mask=mask, result_types=types))
    k(memory.LoadPtr(WEAK, p, None, HINTS, mask, pad, b.result_token, result_types=types))
    k(memory.LoadPtr(at.MemoryOrdering.ACQUIRE, p, at.MemoryScope.SYS, None, mask, result_types=types))


@sample
def store_ptr(k: Kernel) -> None:
    p, mask, value = k.tile(ty.Pointer(ty.F32), 4), k.tile(ty.I1, 4), k.tile(ty.F32, 4)
    a = k(memory.StorePtr(WEAK, p, value))
    b = k(memory.StorePtr(at.MemoryOrdering.RELEASE, p, value, DEVICE, HINTS, mask, a.result_token))
    k(memory.JoinTokens([a.result_token, b.result_token]))


@sample
def alloca(k: Kernel) -> None:
    k(memory.Alloca(16, 4, result_types=[tile(ty.Pointer(ty.F32))]))
    k(memory.Alloca(16, 64, True, result_types=[tile(ty.Pointer(ty.F32))]))


@sample
def fences(k: Kernel) -> None:
    k(memory.MemoryFenceAlias(k.token()))


@sample
def dependent_launch(k: Kernel) -> None:
    a = k(memory.GdcLaunchDependents())
    b = k(memory.GdcWait(a.result_token))
    k(memory.GdcWait(b.result_token))


@sample
def partition(k: Kernel) -> None:
    view = k.view(padding=ty.Padding.NEG_INF)
    i = k.tile(ty.I32)
    types = [tile(ty.F32, 4, 8), ty.TOKEN_TYPE]
    a = k(views.LoadView(WEAK, view, [i, i], result_types=types))
    b = k(views.LoadView(RELAXED, view, [i, i], DEVICE, HINTS, token=a.result_token, result_types=types))
    k(views.StoreView(WEAK, a.out, k.view(), [i, i]))
    k(views.StoreView(WEAK, b.out, k.view(), [i, i], None, HINTS, token=b.result_token))
    k(views.GetIndexSpaceShape(view, result_types=[tile(ty.I32)] * 2))
    k(views.GetTensorShape(k.tensor(), result_types=[tile(ty.I64)] * 2))


@sample
def inbounds(k: Kernel) -> None:
    i = k.tile(ty.I32)
    types = [tile(ty.F32, 4, 8), ty.TOKEN_TYPE]
    a = k(views.LoadView(WEAK, k.view(), [i, i], inbounds=(True, False), result_types=types))
    k(views.StoreView(WEAK, a.out, k.view(), [i, i], inbounds=(False, True)))


@sample
def mapped(k: Kernel) -> None:
    tensor = k.tensor()
    assert isinstance(tensor.type, ty.TensorView)
    type_ = ty.PartitionView((4, 8), tensor.type, ty.Padding.ZERO, (1, 0))
    k(views.MakePartitionView(tensor, result_types=[type_]))
    static = ty.TensorView(ty.I8, (16,), (1,))
    base = k.tile(ty.Pointer(ty.I8))
    one = k(views.MakeTensorView(base, [], [], result_types=[static])).out
    k(views.MakePartitionView(one, result_types=[ty.PartitionView((4,), static, None, (0,))]))


@sample
def strided(k: Kernel) -> None:
    tensor = k.tensor()
    assert isinstance(tensor.type, ty.TensorView)
    type_ = ty.StridedView((4, 8), tensor.type, ty.Padding.NAN, (3, 9), (1, 0))
    view = k(views.MakeStridedView(tensor, result_types=[type_])).out
    i = k.tile(ty.I32)
    k(views.LoadView(WEAK, view, [i, i], result_types=[tile(ty.F32, 4, 8), ty.TOKEN_TYPE]))


@sample
def gather(k: Kernel) -> None:
    tensor = k.tensor()
    assert isinstance(tensor.type, ty.TensorView)
    type_ = ty.GatherScatterView((4, 8), tensor.type, ty.Padding.ZERO, 0)
    view = k(views.MakeGatherScatterView(tensor, result_types=[type_])).out
    rows, i = k.tile(ty.I32, 4), k.tile(ty.I32)
    k(views.LoadView(WEAK, view, [rows, i], result_types=[tile(ty.F32, 4, 8), ty.TOKEN_TYPE]))


@sample
def atomic(k: Kernel) -> None:
    p, i, mask = k.tile(ty.Pointer(ty.I32), 4), k.tile(ty.I32, 4), k.tile(ty.I1, 4)
    a = k(atomics.AtomicCas(RELAXED, DEVICE, p, i, i))
    b = k(atomics.AtomicCas(at.MemoryOrdering.ACQ_REL, at.MemoryScope.SYS, p, i, i, mask, a.result_token))
    c = k(atomics.AtomicRmw(RELAXED, DEVICE, at.AtomicMode.ADD, p, i, None, b.result_token))
    k(atomics.AtomicRmw(RELAXED, at.MemoryScope.TL_BLK, at.AtomicMode.XCHG, p, i, mask, c.result_token))
    q, f = k.tile(ty.Pointer(ty.F32), 4), k.tile(ty.F32, 4)
    k(atomics.AtomicRmw(RELAXED, DEVICE, at.AtomicMode.ADDF, q, f))


@sample
def atomic_view(k: Kernel) -> None:
    i, value = k.tile(ty.I32), k.tile(ty.F32, 4, 8)
    a = k(atomics.AtomicRedView(RELAXED, DEVICE, at.AtomicMode.ADDF, k.view(), [i, i], value))
    k(atomics.AtomicRedView(RELAXED, DEVICE, at.AtomicMode.ADDF, k.view(), [i, i], value, a.result_token))


@sample
def products(k: Kernel) -> None:
    a, b, c = k.tile(ty.F16, 4, 8), k.tile(ty.F16, 8, 16), k.tile(ty.F32, 4, 16)
    k(matrix.MmaF(a, b, c))
    x, y, z = k.tile(ty.I8, 4, 8), k.tile(ty.I8, 8, 16), k.tile(ty.I32, 4, 16)
    k(matrix.MmaI(x, y, z, at.Signedness.SIGNED, at.Signedness.UNSIGNED))


@sample
def fast_product(k: Kernel) -> None:
    a, b, c = k.tile(ty.F8E4M3FN, 16, 32), k.tile(ty.F8E4M3FN, 32, 16), k.tile(ty.F32, 16, 16)
    k(matrix.MmaF(a, b, c, True))


@sample
def scaled_product(k: Kernel) -> None:
    a, b, c = k.tile(ty.F8E4M3FN, 16, 64), k.tile(ty.F8E4M3FN, 64, 16), k.tile(ty.F32, 16, 16)
    k(matrix.MmaFScaled(a, b, c, k.tile(ty.F8E8M0FNU, 16, 2), k.tile(ty.F8E8M0FNU, 2, 16)))


def _sum(k: Kernel, arguments: list[Value]) -> None:
    found = [k(floats.AddF(arguments[0], arguments[1])).out]
    if len(arguments) == 4:
        found.append(k(arith.AddI(arguments[2], arguments[3])).out)
    k(control.Yield(found))


@sample
def reduce(k: Kernel) -> None:
    body = k.region([tile(ty.F32)] * 2, lambda a: _sum(k, a))
    one = (at.Number(ty.F32, float_bits(-1.5, ty.F32)),)
    k(Reduce([k.tile(ty.F32, 4, 8)], 1, one, body, result_types=[tile(ty.F32, 4)]))
    body = k.region([tile(ty.F32)] * 2 + [tile(ty.I1)] * 2, lambda a: _sum(k, a))
    two = (at.Number(ty.F32, 0xFF800000), at.Number(ty.I1, 1))
    inputs = [k.tile(ty.F32, 4), k.tile(ty.I1, 4)]
    k(Reduce(inputs, 0, two, body, result_types=[tile(ty.F32), tile(ty.I1)]))


@sample
def reduce_f64(k: Kernel) -> None:
    body = k.region([tile(ty.F64)] * 2, lambda a: _sum(k, a))
    identity = (at.Number(ty.F64, 0xFFF0000000000000),)
    k(Reduce([k.tile(ty.F64, 8)], 0, identity, body, result_types=[tile(ty.F64)]))


@sample
def scan(k: Kernel) -> None:
    for reverse in (False, True):
        body = k.region([tile(ty.F32)] * 2, lambda a: _sum(k, a))
        k(Scan([k.tile(ty.F32, 8)], 0, reverse, (at.Number(ty.F32, 0),), body, result_types=[tile(ty.F32, 8)]))


@sample
def conditional(k: Kernel) -> None:
    condition = k.parameter(tile(ty.I1))
    x = k.tile(ty.F32, 4)
    then = k.region([], lambda _: _discard(k(control.Yield([x]))))
    other = k.region([], lambda _: _discard(k(control.Yield([k(floats.NegF(x)).out]))))
    out = k(control.If(condition, then, other, result_types=[x.type])).results[0]
    k(floats.AbsF(out))
    k(control.If(condition, k.region([], lambda _: _discard(k(control.Return([]))))))


@sample
def for_(k: Kernel) -> None:
    n, x = k.parameter(tile(ty.I32)), k.tile(ty.F32, 4)
    one = k.tile(ty.I32)

    def body(arguments: list[Value]) -> None:
        k(control.Continue([k(floats.AddF(arguments[1], x)).out]))

    k(control.For(one, n, one, [x], k.region([n.type, x.type], body), result_types=[x.type]))
    k(control.For(one, n, one, [], k.region([n.type], lambda _: _discard(k(control.Continue([]))))))


@sample
def for_unsigned(k: Kernel) -> None:
    n, one = k.parameter(tile(ty.I32)), k.tile(ty.I32)
    k(control.For(one, n, one, [], k.region([n.type], lambda _: _discard(k(control.Continue([])))), True))


@sample
def loop(k: Kernel) -> None:
    condition, x = k.parameter(tile(ty.I1)), k.tile(ty.F32, 4)

    def body(arguments: list[Value]) -> None:
        k(control.If(condition, k.region([], lambda _: _discard(k(control.Break([k.tile(ty.I32)]))))))
        inner = k.region([], lambda _: _discard(k(control.Break([]))))
        k(control.Loop([], inner))
        k(control.Continue([arguments[0]]))

    out = k(control.Loop([x], k.region([x.type], body), result_types=[tile(ty.I32)])).results[0]
    k(arith.AbsI(out))


@sample
def hints(k: Kernel) -> None:
    k.hints = at.Hints(
        (
            ("default", (("occupancy", at.Number(ty.I64, 2)),)),
            ("sm_90", (("num_cta_in_cga", at.Number(ty.I64, 1)), ("text", "word"), ("yes", False))),
        )
    )


def build(name: str) -> core.TileModule:
    """The module of a sample; its entry is called `kernel`."""
    kernel = Kernel()
    SAMPLES[name](kernel)
    return kernel.module("kernel")


__all__ = ["SAMPLES", "Kernel", "build", "tile"]
