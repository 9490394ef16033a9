"""Arithmetic on bools, integers and floats.

Integers wrap and division is total; floats are IEEE; 16-bit floats are computed in a wider format and
rounded once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.targets.llvm.convert import NARROW, Conversions
from tilewright.targets.llvm.floating import above_zero
from tilewright.targets.llvm.fmod import emit_fmod
from tilewright.targets.llvm.small_floats import SMALL
from tilewright.targets.llvm.types import ELEMENTS, Kind, bits_of, lanes_of, vector
from tilewright.targets.llvm.values import Value, constant

if TYPE_CHECKING:
    from tilewright.targets.llvm.emitter import Builder
    from tilewright.targets.llvm.features import Features

_ICMP = {"eq": "eq", "ne": "ne", "gt": "sgt", "ge": "sge", "lt": "slt", "le": "sle"}
_FCMP = {"eq": "oeq", "ne": "une", "gt": "ogt", "ge": "oge", "lt": "olt", "le": "ole"}
_BITWISE = frozenset({"and", "or", "xor", "shl", "shr"})


class RealArithmetic:
    """Operations whose operands are single LLVM values, scalars or vectors."""

    __slots__ = ("_b", "_features", "convert")

    def __init__(self, builder: Builder, features: Features) -> None:
        self._b = builder
        self._features = features
        self.convert = Conversions(builder, features)

    def binary(self, op: str, dtype: str, x: Value, y: Value) -> Value:
        """add sub mul div rem max min; and or xor shl shr of integers (the first three also of bools)."""
        if ELEMENTS[dtype].kind is not Kind.FLOAT:
            return self._integer(op, x, y)
        if op in _BITWISE:
            raise ValueError(f"{op} is not defined for {dtype}")
        wide = self._float(op, self.convert.widen(x, dtype), self.convert.widen(y, dtype))
        return self.convert.narrow(wide, dtype)

    def unary(self, op: str, dtype: str, x: Value) -> Value:
        """abs neg not."""
        b = self._b
        match op, ELEMENTS[dtype].kind:
            case "not", Kind.BOOL | Kind.INTEGER:
                return b.not_(x)
            case "neg", Kind.INTEGER:
                return b.sub(constant(x.type, 0), x, hint="neg")
            case "abs", Kind.INTEGER:
                return b.intrinsic("llvm.abs", x.type, [x, constant("i1", 0)], hint="abs")
            case (("neg" | "abs"), Kind.FLOAT):
                return self._sign_bit(op, dtype, x)
            case "sqrt", Kind.FLOAT:
                return self.convert.narrow(b.sqrt(self.convert.widen(x, dtype)), dtype)
            case _:
                raise ValueError(f"{op} is not defined for {dtype}")

    def compare(self, predicate: str, dtype: str, x: Value, y: Value) -> Value:
        """eq ne gt ge lt le: signed, ordered, but ne holds on NaN; the result is `i1` in each lane."""
        if ELEMENTS[dtype].kind is not Kind.FLOAT:
            return self._b.icmp(_ICMP[predicate], x, y)
        return self._b.fcmp(_FCMP[predicate], self.convert.widen(x, dtype), self.convert.widen(y, dtype))

    def fma(self, dtype: str, x: Value, y: Value, z: Value) -> Value:
        """`x * y + z` rounded once. Integers wrap."""
        if ELEMENTS[dtype].kind is not Kind.FLOAT:
            return self._b.add(self._b.mul(x, y), z)
        if dtype in NARROW:
            return self._narrow_fma(dtype, x, y, z)
        return self._b.fma(x, y, z)

    def _narrow_fma(self, dtype: str, x: Value, y: Value, z: Value) -> Value:
        """In a format in which products are exact (f64 for bf16, whose exponents are those of f32), rounded to odd."""
        b, lanes = self._b, lanes_of(x.type)
        if self._features.nvptx:
            ltype = vector("half" if dtype == "f16" else "bfloat", lanes)
            found = b.fma(b.bitcast(x, ltype), b.bitcast(y, ltype), b.bitcast(z, ltype))
            return b.bitcast(found, x.type, hint="fma")
        wide = [self.convert.widen(v, dtype) for v in (x, y, z)]
        if dtype == "f16":
            return self.convert.narrow(self._odd_sum(b.fmul(wide[0], wide[1]), wide[2]), dtype)
        wide = [b.cast("fpext", v, vector("double", lanes)) for v in wide]
        odd = self._odd_sum(b.fmul(wide[0], wide[1]), wide[2])
        return self.convert.narrow(self.convert.odd_f32(odd), dtype)

    def _odd_sum(self, x: Value, y: Value) -> Value:
        """The sum, rounded to odd: the error of rounding to nearest (Knuth) tells which neighbour is the odd one."""
        b = self._b
        bits = vector(f"i{bits_of(x.type)}", lanes_of(x.type))
        total = b.fadd(x, y)
        part = b.fsub(total, x)
        error = b.fadd(b.fsub(x, b.fsub(total, part)), b.fsub(y, part))
        inexact = b.fcmp("one", error, constant(x.type, 0.0))
        word = b.bitcast(total, bits)
        inward = b.icmp("slt", b.xor(word, b.bitcast(error, bits)), constant(bits, 0))
        down = b.sub(word, b.zext(b.and_(inexact, inward), bits))
        return b.bitcast(b.or_(down, b.zext(inexact, bits)), x.type, hint="odd")

    # Floats

    def _sign_bit(self, op: str, dtype: str, x: Value) -> Value:
        if dtype in SMALL:
            wide = self.convert.widen(x, dtype)
            return self.convert.narrow(self._b.fneg(wide) if op == "neg" else self._b.fabs(wide), dtype)
        if dtype not in NARROW:
            return self._b.fneg(x) if op == "neg" else self._b.fabs(x)
        b, i16 = self._b, vector("i16", lanes_of(x.type))
        bits = b.bitcast(x, i16)
        flipped = b.xor(bits, constant(i16, -0x8000)) if op == "neg" else b.and_(bits, constant(i16, 0x7FFF))
        return b.bitcast(flipped, x.type, hint=op)

    def _float(self, op: str, x: Value, y: Value) -> Value:
        b = self._b
        match op:
            case "add":
                return b.fadd(x, y)
            case "sub":
                return b.fsub(x, y)
            case "mul":
                return b.fmul(x, y)
            case "div":
                return b.fdiv(x, y)
            case "max" | "min":
                return self._number_extremum(op, x, y)
            case "rem":
                return self._fmod(x, y)
            case _:
                raise ValueError(f"{op} is not defined for floats")

    def _number_extremum(self, op: str, x: Value, y: Value) -> Value:
        """IEEE 754-2019 maximumNumber; of zeros of both signs either may win, which saves four instructions on x86."""
        if not self._features.maximumnum:
            b = self._b
            chosen = b.select(b.fcmp("ogt" if op == "max" else "olt", x, y), x, y)
            return b.select(b.fcmp("uno", y, y), x, chosen, hint=op)
        found = above_zero(self._b, x, y) if self._features.nvptx and op == "max" else None
        return found or self._b.intrinsic(f"llvm.{op}imumnum", x.type, [x, y], flags="nsz", hint=op)

    def _fmod(self, x: Value, y: Value) -> Value:
        """Lane by lane: the number of steps depends on the quotient."""
        b, lanes = self._b, lanes_of(x.type)
        callee = emit_fmod(b.module, bits_of(x.type))
        if lanes == 1:
            return b.call(callee, [x, y], hint="rem")
        result = Value(x.type, "poison")
        for lane in range(lanes):
            part = b.call(callee, [b.extract(x, lane), b.extract(y, lane)], hint="rem")
            result = b.insert(result, part, lane)
        return result

    # Integers

    def _integer(self, op: str, x: Value, y: Value) -> Value:
        b = self._b
        match op:
            case "add":
                return b.add(x, y)
            case "sub":
                return b.sub(x, y)
            case "mul":
                return b.mul(x, y)
            case "and":
                return b.and_(x, y)
            case "or":
                return b.or_(x, y)
            case "xor":
                return b.xor(x, y)
            case "max":
                return b.smax(x, y)
            case "min":
                return b.smin(x, y)
            case "shl":
                return b.shl(x, b.and_(y, constant(y.type, bits_of(y.type) - 1)))
            case "shr":
                return b.ashr(x, b.and_(y, constant(y.type, bits_of(y.type) - 1)))
            case "div" | "rem":
                return self._divide(op, x, y)
            case _:
                raise ValueError(f"{op} is not defined for integers")

    def _divide(self, op: str, x: Value, y: Value) -> Value:
        """Total division: x/0 = 0, x rem 0 = x, MIN/-1 = MIN, MIN rem -1 = 0. 0 and -1 are replaced by 1 beforehand."""
        b, zero = self._b, constant(x.type, 0)
        if y.integer is not None:
            return self._divide_by_constant(op, x, y)
        unsafe = b.icmp("ult", b.add(y, constant(y.type, 1)), constant(y.type, 2))
        divisor = b.select(unsafe, constant(y.type, 1), y)
        if op == "rem":
            quotient = self._quotient(x, divisor)
            remainder = b.srem(x, divisor) if quotient is None else b.sub(x, b.mul(quotient, divisor))
            return b.select(b.icmp("eq", y, zero), x, remainder)
        quotient = self._quotient(x, divisor) or b.sdiv(x, divisor)
        # -1 keeps all bits of -x, 0 keeps none.
        return b.select(unsafe, b.and_(b.sub(zero, x), y), quotient)

    def _divide_by_constant(self, op: str, x: Value, y: Value) -> Value:
        b, zero = self._b, constant(x.type, 0)
        match op, y.integer:
            case "div", 0:
                return zero
            case "rem", 0:
                return x
            case "div", -1:
                return b.sub(zero, x)
            case "rem", (1 | -1):
                return zero
            case "div", _:
                return b.sdiv(x, y)
            case _:
                return b.srem(x, y)

    def _quotient(self, x: Value, divisor: Value) -> Value | None:
        """Vectors up to 32 bits divide in floating point, where CPUs have vector division; None where `sdiv` is better.

        Exact: a quotient of n-bit integers that is no integer is at least 2^-n (relatively) away from the next one,
        much farther than the rounding error of a format with more than n + 1 bits, so truncation gives the right
        integer.
        """
        b, lanes, bits = self._b, lanes_of(x.type), bits_of(x.type)
        if lanes == 1 or bits > 32 or self._features.nvptx:
            return None
        ltype = vector("double" if bits == 32 else "float", lanes)
        quotient = b.fdiv(b.cast("sitofp", x, ltype), b.cast("sitofp", divisor, ltype))
        return b.cast("fptosi", quotient, x.type, hint="quot")
