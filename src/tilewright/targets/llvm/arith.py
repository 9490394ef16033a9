"""Elementwise operations on all element types: the one table that every target lowers through.

    arith = Arithmetic(builder, features)
    total = arith.lower("add", "bf16", x, y)          # scalars or vectors: the values' types tell
    small = arith.cast(total, "bf16", "i8")

Operations: constant splat, add sub mul div rem max min, shl shr and or xor, abs neg not conj re im sqrt, eq ne gt ge
lt le, select, fma, exp exp2 log log2 sin cos and native_*. The exact meaning is that of the tensor language: integers
wrap and division is total, floats are IEEE without contraction, 16-bit floats are computed in f32 and rounded once,
max and min prefer the number to a NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.targets.llvm import small_floats
from tilewright.targets.llvm.complex import ComplexArithmetic
from tilewright.targets.llvm.floating import EXTREMUMS, ROUNDED, FloatingArithmetic
from tilewright.targets.llvm.functions import FUNCTIONS, function_value
from tilewright.targets.llvm.math import MATH, emit_complex_exp, math_value
from tilewright.targets.llvm.real import RealArithmetic
from tilewright.targets.llvm.types import ELEMENTS, Kind, bits_of, lanes_of, llvm_type, scalar_of
from tilewright.targets.llvm.unsigned import UNSIGNED, UnsignedArithmetic, UnsignedConversions
from tilewright.targets.llvm.values import Complex, Value, constant

if TYPE_CHECKING:
    from tilewright.targets.llvm.emitter import Builder
    from tilewright.targets.llvm.features import Features

Operand = Value | Complex

BINARY = frozenset({"add", "sub", "mul", "div", "rem", "max", "min", "shl", "shr", "and", "or", "xor"})
UNARY = frozenset({"abs", "neg", "not", "conj", "re", "im", "sqrt"})
COMPARE = frozenset({"eq", "ne", "gt", "ge", "lt", "le"})


class Arithmetic:
    """Emits operations at the position of a builder, for the features of a target."""

    __slots__ = ("_b", "_complex", "_features", "_floating", "_real", "_unsigned")

    def __init__(self, builder: Builder, features: Features) -> None:
        self._b = builder
        self._features = features
        self._real = RealArithmetic(builder, features)
        self._complex = ComplexArithmetic(builder)
        self._unsigned = UnsignedArithmetic(builder, self._real)
        self._floating = FloatingArithmetic(builder, features, self._real.convert)

    def lower(self, op: str, dtype: str, *operands: Operand) -> Operand:
        """Emit one operation; `dtype` is the element type of the operands (of the two choices for select)."""
        if op in BINARY:
            x, y = operands
            return self.binary(op, dtype, x, y)
        if op in UNARY:
            return self.unary(op, dtype, operands[0])
        if op in COMPARE:
            x, y = operands
            return self.compare(op, dtype, x, y)
        if op in MATH:
            return self.math(op, dtype, operands[0])
        match op, operands:
            case "select", (Value() as condition, x, y):
                return self.select(condition, x, y)
            case "fma", (x, y, z):
                return self.fma(dtype, x, y, z)
            case _, (Value() as x, Value() as y) if op in UNSIGNED:
                return self._unsigned.binary(op, dtype, x, y)
            case _, (Value() as x, Value() as y) if op in EXTREMUMS:
                return self._floating.extremum(op, dtype, x, y)
            case (("floor" | "ceil"), (Value() as x,)):
                return self._floating.whole(op, dtype, x)
            case _, (Value(), *_) if op in FUNCTIONS:
                return self.function(op, dtype, *operands)
            case "flush", (Value() as x,):
                return self._floating.flush(x)
            case _:
                raise ValueError(f"unknown elementwise operation {op} with {len(operands)} operands")

    def constant(self, dtype: str, number: complex, lanes: int = 1) -> Operand:
        """A number in all lanes, rounded once to the type; integers wrap."""
        element = ELEMENTS[dtype]
        if element.kind is Kind.COMPLEX:
            ltype = llvm_type(element.component, lanes)
            return Complex(constant(ltype, complex(number).real), constant(ltype, complex(number).imag))
        if isinstance(number, complex):
            raise ValueError(f"{number} is no constant of type {dtype}")
        ltype = llvm_type(dtype, lanes)
        if element.kind is Kind.FLOAT and scalar_of(ltype).startswith("i"):
            return constant(ltype, small_floats.code_of(float(number), dtype))
        return constant(ltype, number)

    def splat(self, operand: Operand, lanes: int) -> Operand:
        """A scalar in all lanes."""
        if isinstance(operand, Complex):
            return Complex(self._b.splat(operand.re, lanes), self._b.splat(operand.im, lanes))
        return self._b.splat(operand, lanes)

    def binary(self, op: str, dtype: str, x: Operand, y: Operand) -> Operand:
        """add sub mul div rem max min shl shr and or xor."""
        if isinstance(x, Complex) and isinstance(y, Complex):
            return self._complex.binary(op, x, y)
        return self._real.binary(op, dtype, _value(x), _value(y))

    def unary(self, op: str, dtype: str, x: Operand) -> Operand:
        """abs neg not conj re im sqrt."""
        return self._complex.unary(op, x) if isinstance(x, Complex) else self._real.unary(op, dtype, x)

    def compare(self, predicate: str, dtype: str, x: Operand, y: Operand) -> Value:
        """eq ne gt ge lt le, giving `i1` lanes."""
        if isinstance(x, Complex) and isinstance(y, Complex):
            return self._complex.compare(predicate, x, y)
        return self._real.compare(predicate, dtype, _value(x), _value(y))

    def compare_unsigned(self, predicate: str, x: Operand, y: Operand) -> Value:
        """eq ne gt ge lt le of integers without sign."""
        return self._unsigned.compare(predicate, _value(x), _value(y))

    def compare_ordered(self, predicate: str, dtype: str, x: Operand, y: Operand, *, ordered: bool) -> Value:
        """eq ne gt ge lt le of floats; NaN gives false if `ordered`, else true."""
        return self._floating.compare(predicate, dtype, _value(x), _value(y), ordered=ordered)

    def rounded(self, op: str, dtype: str, mode: str, *operands: Operand) -> Value:
        """rounded_add rounded_sub rounded_mul rounded_div rounded_sqrt rounded_fma; `mode` is zero, up or down."""
        if op not in ROUNDED:
            raise ValueError(f"{op} knows no rounding")
        return self._floating.rounded(op, dtype, mode, [_value(x) for x in operands])

    def cast_rounded(self, operand: Operand, source: str, target: str, mode: str) -> Value:
        """Between floats, rounding in a direction."""
        return self._floating.cast(_value(operand), source, target, mode)

    def cast_unsigned(self, operand: Operand, source: str, target: str) -> Value:
        """As `cast`, with integers read and written as unsigned."""
        return UnsignedConversions(self._b, self._real.convert).cast(_value(operand), source, target)

    def bitcast(self, operand: Operand, target: str) -> Value:
        """The same bits as another element type of equal width."""
        value = _value(operand)
        wanted = llvm_type(target, lanes_of(value.type))
        have, bits = bits_of(value.type), bits_of(wanted)
        if have > bits:  # a float of four bits is held in a byte
            return self._b.trunc(value, wanted)
        return self._b.bitcast(value, wanted) if have == bits else self._b.zext(value, wanted)

    def select(self, condition: Value, x: Operand, y: Operand) -> Operand:
        """`x` where the condition holds, else `y`."""
        if isinstance(x, Complex) and isinstance(y, Complex):
            return Complex(self._b.select(condition, x.re, y.re), self._b.select(condition, x.im, y.im))
        return self._b.select(condition, _value(x), _value(y))

    def fma(self, dtype: str, x: Operand, y: Operand, z: Operand) -> Operand:
        """`x * y + z`, fused."""
        if isinstance(x, Complex) and isinstance(y, Complex) and isinstance(z, Complex):
            return self._complex.fma(x, y, z)
        return self._real.fma(dtype, _value(x), _value(y), _value(z))

    def cast(self, operand: Operand, source: str, target: str) -> Operand:
        """Between number types: saturating to integers, rounding once to floats, refused from complex to real."""
        return self._real.convert.cast(operand, source, target)

    def math(self, op: str, dtype: str, x: Operand) -> Operand:
        """exp exp2 log log2 sin cos and their native forms; complex exp and exp2."""
        if isinstance(x, Complex):
            return emit_complex_exp(self._b, self._features, op, x)
        convert = self._real.convert
        wide = convert.widen(x, dtype)
        return convert.narrow(math_value(self._b, self._features, op, wide), dtype)

    def function(self, op: str, dtype: str, *operands: Operand) -> Operand:
        """log10 tan sinh cosh tanh rsqrt atan2 pow."""
        convert = self._real.convert
        wide = [convert.widen(_value(x), dtype) for x in operands]
        return convert.narrow(function_value(self._b, self._features, op, wide), dtype)

    def reduce_lanes(self, op: str, dtype: str, x: Value) -> Value:
        """All lanes of a vector combined by a commutative operation in a balanced tree; a scalar as it is."""
        while (lanes := lanes_of(x.type)) > 1:
            half = lanes // 2
            upper = self._b.shuffle(x, None, range(half, 2 * half))
            paired = _value(self.lower(op, dtype, self._b.shuffle(x, None, range(half)), upper))
            if lanes % 2:
                last = self._b.extract(x, lanes - 1)
                first = _value(self.lower(op, dtype, self._b.extract(paired, 0), last))
                paired = self._b.insert(paired, first, 0)
            x = paired
        return x


def _value(operand: Operand) -> Value:
    assert isinstance(operand, Value), "a complex operand meets a real one"
    return operand
