"""Conversions between all number types, rounding once.

The floats below f32 are storage types: `widen` and `narrow` connect them with f32. Where the target has no instruction,
they work on the bits, since LLVM would otherwise call compiler-rt. Conversions that would round twice on the way to 16
bits (from f64, i32, i64) go through an intermediate *rounded to odd* (Boldo and Melquiond, 2008: the later rounding to
nearest is then correct if the intermediate has at least two bits more).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.targets.llvm import small_floats
from tilewright.targets.llvm.small_floats import SMALL
from tilewright.targets.llvm.types import ELEMENTS, Kind, bits_of, lanes_of, llvm_type, vector
from tilewright.targets.llvm.values import Complex, Value, constant

if TYPE_CHECKING:
    from tilewright.targets.llvm.emitter import Builder
    from tilewright.targets.llvm.features import Features

NARROW = frozenset({"bf16", "f16"})


class Conversions:
    """Casts at the position of a builder."""

    __slots__ = ("_b", "_features")

    def __init__(self, builder: Builder, features: Features) -> None:
        self._b = builder
        self._features = features

    def cast(self, value: Value | Complex, source: str, target: str) -> Value | Complex:
        """Any number type to any other (complex to real is refused); a bool counts as 0 or 1, to bool means `!= 0`."""
        if isinstance(value, Complex):
            part = ELEMENTS[target].component
            if ELEMENTS[target].kind is not Kind.COMPLEX:
                raise ValueError(f"no cast from {source} to {target}: take re or im")
            component = ELEMENTS[source].component
            return Complex(self.cast_real(value.re, component, part), self.cast_real(value.im, component, part))
        if ELEMENTS[target].kind is Kind.COMPLEX:
            re = self.cast_real(value, source, ELEMENTS[target].component)
            return Complex(re, constant(re.type, 0.0))
        return self.cast_real(value, source, target)

    def cast_real(self, value: Value, source: str, target: str) -> Value:
        """Between bool, integers and floats."""
        if source == target:
            return value
        ltype = llvm_type(target, lanes_of(value.type))
        match ELEMENTS[source].kind, ELEMENTS[target].kind:
            case Kind.FLOAT, Kind.FLOAT:
                return self._float_to_float(value, source, target)
            case Kind.FLOAT, Kind.INTEGER:
                return self._float_to_integer(self.widen(value, source), ltype)
            case Kind.FLOAT, Kind.BOOL:
                wide = self.widen(value, source)
                return self._b.fcmp("une", wide, constant(wide.type, 0.0))
            case Kind.BOOL, Kind.FLOAT:
                return self.cast_integer(self._b.zext(value, vector("i8", lanes_of(value.type))), target)
            case Kind.INTEGER, Kind.FLOAT:
                return self.cast_integer(value, target)
            case Kind.BOOL, _:
                return self._b.zext(value, ltype)
            case _, Kind.BOOL:
                return self._b.icmp("ne", value, constant(value.type, 0))
            case _:
                return self._b.resize(value, ltype)

    def widen(self, value: Value, dtype: str) -> Value:
        """A smaller float as f32, exactly; f32 and f64 as they are."""
        if dtype in SMALL:
            return small_floats.widen(self._b, value, dtype)
        if dtype not in NARROW:
            return value
        b, lanes = self._b, lanes_of(value.type)
        if dtype == "f16" and self._features.f16_conversion:
            return b.cast("fpext", value, vector("float", lanes), hint="wide")
        i32 = vector("i32", lanes)
        bits = b.zext(b.bitcast(value, vector("i16", lanes)), i32)
        if dtype == "bf16":
            return b.bitcast(b.shl(bits, constant(i32, 16)), vector("float", lanes), hint="wide")
        return self._widen_f16(bits)

    def _widen_f16(self, bits: Value) -> Value:
        """The exponent is rebased by an exact multiplication, which also normalises subnormals."""
        b, i32 = self._b, bits.type
        f32 = vector("float", lanes_of(i32))
        magnitude = b.shl(b.and_(bits, constant(i32, 0x7FFF)), constant(i32, 13))
        finite = b.bitcast(b.fmul(b.bitcast(magnitude, f32), constant(f32, 2.0**112)), i32)
        special = b.icmp("uge", magnitude, constant(i32, 0x7C00 << 13))
        number = b.select(special, b.or_(magnitude, constant(i32, 0x7F800000)), finite)
        sign = b.shl(b.and_(bits, constant(i32, 0x8000)), constant(i32, 16))
        return b.bitcast(b.or_(number, sign), f32, hint="wide")

    def narrow(self, value: Value, dtype: str) -> Value:
        """An f32 rounded to nearest even into a smaller float; f32 and f64 as they are."""
        if dtype in SMALL:
            return small_floats.narrow(self._b, value, dtype)
        if dtype == "tf32":
            return small_floats.narrow_tf32(self._b, value)
        if dtype not in NARROW:
            return value
        if dtype == "bf16":
            return self._narrow_bf16(value)
        if self._features.f16_conversion:
            return self._b.cast("fptrunc", value, llvm_type(dtype, lanes_of(value.type)), hint="narrow")
        return self._narrow_f16(value)

    def _narrow_bf16(self, value: Value) -> Value:
        """Add half a unit (minus one for even numbers), then truncate; a NaN turns quiet and keeps its high bits."""
        b, lanes = self._b, lanes_of(value.type)
        if self._features.bf16_conversion:
            return b.bitcast(b.cast("fptrunc", value, vector("bfloat", lanes)), vector("i16", lanes), hint="narrow")
        i32 = vector("i32", lanes)
        bits = b.bitcast(value, i32)
        high = b.lshr(bits, constant(i32, 16))
        rounding = b.add(b.and_(high, constant(i32, 1)), constant(i32, 0x7FFF))
        rounded = b.lshr(b.add(bits, rounding), constant(i32, 16))
        # The exponent is set anew: LLVM's folding of 0/0 has been seen to leave none in the bits.
        quiet = b.or_(high, constant(i32, 0x7FC0))
        picked = b.select(b.fcmp("uno", value, value), quiet, rounded)
        return b.trunc(picked, vector("i16", lanes), hint="narrow")

    def _narrow_f16(self, value: Value) -> Value:
        b, lanes = self._b, lanes_of(value.type)
        i32 = vector("i32", lanes)
        bits = b.bitcast(value, i32)
        magnitude = b.and_(bits, constant(i32, 0x7FFFFFFF))
        even = b.and_(b.lshr(magnitude, constant(i32, 13)), constant(i32, 1))
        rebased = b.add(magnitude, constant(i32, 0xFFF - (112 << 23)))
        normal = b.lshr(b.add(rebased, even), constant(i32, 13))
        # Adding 0.5 puts the unit of the last place at 2^-24, the unit of f16 subnormals: the addition rounds.
        half = constant(value.type, 0.5)
        aligned = b.bitcast(b.fadd(b.bitcast(magnitude, value.type), half), i32)
        subnormal = b.sub(aligned, constant(i32, 0x3F000000))
        number = b.select(b.icmp("ult", magnitude, constant(i32, 0x38800000)), subnormal, normal)
        number = b.select(b.icmp("uge", magnitude, constant(i32, 0x477FF000)), constant(i32, 0x7C00), number)
        payload = b.and_(b.lshr(magnitude, constant(i32, 13)), constant(i32, 0x3FF))
        nan = b.or_(payload, constant(i32, 0x7E00))
        number = b.select(b.icmp("ugt", magnitude, constant(i32, 0x7F800000)), nan, number)
        sign = b.and_(b.lshr(bits, constant(i32, 16)), constant(i32, 0x8000))
        return b.bitcast(b.trunc(b.or_(number, sign), vector("i16", lanes)), vector("half", lanes), hint="narrow")

    def _float_to_float(self, value: Value, source: str, target: str) -> Value:
        wide = self.widen(value, source)
        lanes = lanes_of(value.type)
        if target == "f64":
            return self._b.cast("fpext", wide, vector("double", lanes), hint="wide")
        if source != "f64":
            return self.narrow(wide, target)
        if target == "f32":
            return self._b.cast("fptrunc", wide, vector("float", lanes), hint="narrow")
        return self.narrow(self.odd_f32(wide), target)

    def odd_f32(self, value: Value) -> Value:
        """An f64 as an f32 rounded to odd."""
        return self._f64_to_odd_f32(value)

    def _f64_to_odd_f32(self, value: Value) -> Value:
        """Round to odd: truncate the magnitude and set the last bit if anything was lost."""
        b, lanes = self._b, lanes_of(value.type)
        i32 = vector("i32", lanes)
        nearest = b.cast("fptrunc", value, vector("float", lanes))
        back = b.cast("fpext", nearest, value.type)
        too_big = b.zext(b.fcmp("ogt", b.fabs(back), b.fabs(value)), i32)
        inexact = b.zext(b.fcmp("one", back, value), i32)
        bits = b.or_(b.sub(b.bitcast(nearest, i32), too_big), inexact)
        return b.bitcast(bits, nearest.type, hint="odd")

    def _float_to_integer(self, value: Value, ltype: str) -> Value:
        """Truncate, saturate, NaN gives 0."""
        b = self._b
        if lanes_of(ltype) == 1 or self._features.saturating_conversion:
            return b.intrinsic("llvm.fptosi.sat", ltype, [value], overload=[ltype, value.type], hint="int")
        low, high = -(2 ** (bits_of(ltype) - 1)), 2 ** (bits_of(ltype) - 1) - 1
        mantissa = 24 if bits_of(value.type) == 32 else 53
        # The largest float that is not above `high`: all bits set, as far as they fit.
        inside = high >> max(0, bits_of(ltype) - 1 - mantissa) << max(0, bits_of(ltype) - 1 - mantissa)
        limits = constant(value.type, low), constant(value.type, inside)
        clamped = b.select(b.fcmp("ogt", value, limits[0]), value, limits[0])
        clamped = b.select(b.fcmp("olt", clamped, limits[1]), clamped, limits[1])
        wide = vector(f"i{max(32, bits_of(ltype))}", lanes_of(ltype))
        result = b.trunc(b.cast("fptosi", clamped, wide), ltype)
        if inside != high:
            too_big = b.fcmp("ogt", value, limits[1])
            result = b.select(too_big, constant(ltype, high), result)
        return b.select(b.fcmp("uno", value, value), constant(ltype, 0), result, hint="int")

    def cast_integer(self, value: Value, target: str) -> Value:
        """A signed integer as a float; beyond the range of a small one infinity or, where there is none, NaN."""
        lanes = lanes_of(value.type)
        if target not in NARROW | SMALL and target != "tf32":
            return self._b.cast("sitofp", value, llvm_type(target, lanes), hint="float")
        exact = value.type in (vector("i8", lanes), vector("i16", lanes))
        if exact:
            return self.narrow_to(self._b.cast("sitofp", value, vector("float", lanes)), target)
        if target == "f16" or target in SMALL:
            return self._clamped(value, target)
        return self.narrow(self.odd_f32_of_integer(value), target)

    def narrow_to(self, value: Value, target: str) -> Value:
        """As `narrow`, without saturation."""
        if target in SMALL:
            return small_floats.narrow(self._b, value, target, saturate=False)
        return self.narrow(value, target)

    def odd_f32_of_integer(self, value: Value) -> Value:
        """An integer of 32 or 64 bits as an f32 rounded to odd."""
        lanes = lanes_of(value.type)
        if value.type == vector("i64", lanes):
            value = self._odd_within_53_bits(value)
        return self._f64_to_odd_f32(self._b.cast("sitofp", value, vector("double", lanes)))

    def _clamped(self, value: Value, target: str) -> Value:
        """Beyond +-2^17 every integer is out of range in f16 and less, and up to there f32 is exact."""
        b, lanes = self._b, lanes_of(value.type)
        low = b.smax(value, constant(value.type, -(1 << 17)))
        clamped = b.resize(b.smin(low, constant(value.type, 1 << 17)), vector("i32", lanes))
        return self.narrow_to(b.cast("sitofp", clamped, vector("float", lanes)), target)

    def _odd_within_53_bits(self, value: Value) -> Value:
        """Beyond 2^53 replace the low 11 bits by one sticky bit above them, so that the conversion to f64 is exact."""
        b, i64 = self._b, value.type
        low = b.and_(value, constant(i64, 0x7FF))
        high = b.and_(value, constant(i64, ~0x7FF))
        sticky = b.shl(b.zext(b.icmp("ne", low, constant(i64, 0)), i64), constant(i64, 11))
        small = b.icmp("ult", b.add(value, constant(i64, 1 << 53)), constant(i64, 1 << 54))
        return b.select(small, value, b.or_(high, sticky))
