"""Integers read as unsigned, and quotients that are rounded up or down. Total, as all division here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tilewright.targets.llvm.convert import NARROW, Conversions
from tilewright.targets.llvm.small_floats import SMALL
from tilewright.targets.llvm.types import ELEMENTS, Kind, bits_of, lanes_of, llvm_type, scalar_of, vector
from tilewright.targets.llvm.values import Value, constant

if TYPE_CHECKING:
    from tilewright.targets.llvm.emitter import Builder
    from tilewright.targets.llvm.real import RealArithmetic

UNSIGNED: Final = frozenset({"udiv", "urem", "ceil_div", "floor_div", "uceil_div", "umax", "umin", "ushr", "umul_high"})
_COMPARE: Final = {"eq": "eq", "ne": "ne", "gt": "ugt", "ge": "uge", "lt": "ult", "le": "ule"}


class UnsignedArithmetic:
    """Emits at the position of a builder."""

    __slots__ = ("_b", "_real")

    def __init__(self, builder: Builder, real: RealArithmetic) -> None:
        self._b = builder
        self._real = real

    def binary(self, op: str, dtype: str, x: Value, y: Value) -> Value:
        """The operations of `UNSIGNED`."""
        b = self._b
        match op:
            case "umax":
                return b.intrinsic("llvm.umax", x.type, [x, y], hint="max")
            case "umin":
                return b.umin(x, y)
            case "ushr":
                return b.lshr(x, b.and_(y, constant(y.type, bits_of(y.type) - 1)))
            case "umul_high":
                return self._high(x, y)
            case "udiv" | "urem" | "uceil_div":
                return self._divide(op, x, y)
            case _:
                return self._rounded(op, dtype, x, y)

    def compare(self, predicate: str, x: Value, y: Value) -> Value:
        """eq ne gt ge lt le."""
        return self._b.icmp(_COMPARE[predicate], x, y)

    def _high(self, x: Value, y: Value) -> Value:
        b, bits = self._b, bits_of(x.type)
        wide = vector(f"i{2 * bits}", lanes_of(x.type))
        product = b.mul(b.zext(x, wide), b.zext(y, wide))
        return b.trunc(b.lshr(product, constant(wide, bits)), x.type, hint="high")

    def _divide(self, op: str, x: Value, y: Value) -> Value:
        """A zero divisor is replaced by 1 beforehand."""
        b, zero, one = self._b, constant(x.type, 0), constant(x.type, 1)
        nothing = b.icmp("eq", y, zero)
        divisor = b.select(nothing, one, y)
        quotient = self._quotient(x, divisor)
        if op == "udiv":
            return b.select(nothing, zero, quotient)
        rest = b.sub(x, b.mul(quotient, divisor))
        if op == "urem":
            return b.select(nothing, x, rest)
        up = b.add(quotient, b.zext(b.icmp("ne", rest, zero), x.type))
        return b.select(nothing, zero, up)

    def _quotient(self, x: Value, divisor: Value) -> Value:
        """Vectors up to 32 bits divide in f64, whose 53 bits make the truncated quotient exact."""
        b, lanes, bits = self._b, lanes_of(x.type), bits_of(x.type)
        if lanes == 1 or bits > 32 or divisor.is_constant:
            return b.udiv(x, divisor)
        i64, f64 = vector("i64", lanes), vector("double", lanes)
        # Signed conversions of wider integers: unsigned ones of 32 bits are slow on most machines.
        parts = [b.cast("sitofp", b.zext(v, i64), f64) for v in (x, divisor)]
        return b.trunc(b.cast("fptosi", b.fdiv(parts[0], parts[1]), i64), x.type)

    def _rounded(self, op: str, dtype: str, x: Value, y: Value) -> Value:
        """The truncated quotient, moved by one where the remainder says so; without one for a zero divisor."""
        b, zero, divisor = self._b, constant(x.type, 0), y.integer
        if op == "floor_div" and divisor is not None and divisor > 0 and divisor & (divisor - 1) == 0:
            # LLVM sees no shift in a quotient that is moved where a remainder is negative
            return b.ashr(x, constant(x.type, divisor.bit_length() - 1))
        quotient = self._real.binary("div", dtype, x, y)
        rest = self._real.binary("rem", dtype, x, y)
        apart = b.icmp("slt", b.xor(rest, y), zero)
        moves = apart if op == "floor_div" else b.not_(apart)
        moves = b.and_(b.and_(b.icmp("ne", rest, zero), b.icmp("ne", y, zero)), moves)
        step = b.zext(moves, x.type)
        return b.sub(quotient, step) if op == "floor_div" else b.add(quotient, step)


class UnsignedConversions:
    """Conversions that read and write integers as unsigned."""

    __slots__ = ("_b", "_convert")

    def __init__(self, builder: Builder, convert: Conversions) -> None:
        self._b = builder
        self._convert = convert

    def cast(self, value: Value, source: str, target: str) -> Value:
        """Between integers, bool and floats."""
        b, lanes = self._b, lanes_of(value.type)
        ltype = llvm_type(target, lanes)
        match ELEMENTS[source].kind, ELEMENTS[target].kind:
            case Kind.FLOAT, Kind.FLOAT:
                raise ValueError(f"no integer between {source} and {target}")
            case Kind.FLOAT, _:
                return self._to_integer(self._convert.widen(value, source), ltype)
            case _, Kind.FLOAT:
                return self._to_float(value, target)
            case _ if bits_of(ltype) > bits_of(value.type):
                return b.zext(value, ltype)
            case _:
                return b.trunc(value, ltype)

    def _to_float(self, value: Value, target: str) -> Value:
        """Through a signed integer that is wide enough; 64 bits are halved, with a sticky last bit."""
        b, lanes, bits = self._b, lanes_of(value.type), bits_of(value.type)
        if bits < 64:
            wider = vector("i32" if bits < 32 else "i64", lanes)
            return self._convert.cast_integer(b.zext(value, wider), target)
        if target not in NARROW | SMALL | {"tf32"}:
            return b.cast("uitofp", value, llvm_type(target, lanes))
        # Only the leading bits and whether others are set count here, so half of a large number rounds as it does.
        sticky = b.or_(b.lshr(value, constant(value.type, 1)), b.and_(value, constant(value.type, 1)))
        large = b.icmp("slt", value, constant(value.type, 0))
        half = b.select(large, sticky, value)
        wide = self._convert.odd_f32_of_integer(half)
        return self._convert.narrow_to(b.fmul(wide, b.select(large, *_factors(wide.type))), target)

    def _to_integer(self, value: Value, ltype: str) -> Value:
        """Truncate, saturate at both ends, NaN gives 0."""
        b, bits = self._b, bits_of(ltype)
        if lanes_of(ltype) == 1 and scalar_of(ltype) != "i1":
            return b.intrinsic("llvm.fptoui.sat", ltype, [value], overload=[ltype, value.type], hint="int")
        low = constant(value.type, 0.0)
        positive = b.select(b.fcmp("ogt", value, low), value, low)
        if bits < 64:
            mantissa = 24 if bits_of(value.type) == 32 else 53
            limit = float(((1 << bits) - 1) >> max(0, bits - mantissa) << max(0, bits - mantissa))
            top = constant(value.type, limit)
            clamped = b.select(b.fcmp("olt", positive, top), positive, top)
            wide = vector("i32" if bits < 32 else "i64", lanes_of(ltype))
            result = b.trunc(b.cast("fptosi", clamped, wide), ltype)
            if limit == float((1 << bits) - 1):
                return result
            return b.select(b.fcmp("ogt", positive, top), constant(ltype, -1), result)
        half = constant(value.type, 2.0**63)
        large = b.fcmp("oge", positive, half)
        within = b.select(large, b.fsub(positive, half), positive)
        safe = b.select(b.fcmp("olt", within, half), within, low)
        number = b.cast("fptosi", safe, ltype)
        number = b.xor(number, b.select(large, constant(ltype, -(1 << 63)), constant(ltype, 0)))
        return b.select(b.fcmp("oge", positive, constant(value.type, 2.0**64)), constant(ltype, -1), number)


def _factors(ltype: str) -> tuple[Value, Value]:
    return constant(ltype, 2.0), constant(ltype, 1.0)
