"""Floats beyond the basic operations: extremums that know NaN and zeros, comparisons, floor and ceil, rounding.

Directed rounding is done by the machine: an internal function sets the rounding mode, computes, and sets it back, so
that every result is right to the last bit. 8- and 16-bit floats are computed in f32 and rounded again in the same
direction, which is exact since the numbers of the small format are numbers of the large one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tilewright.targets.llvm.convert import Conversions
from tilewright.targets.llvm.emitter import Builder
from tilewright.targets.llvm.floatkit import CURRENT_ROUNDING, VECTOR_BITS
from tilewright.targets.llvm.small_floats import POWERS, SMALL, narrow_power
from tilewright.targets.llvm.types import bits_of, lanes_of, mangle, scalar_of, vector
from tilewright.targets.llvm.values import Value, constant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilewright.targets.llvm.features import Features
    from tilewright.targets.llvm.module import Callee

EXTREMUMS: Final = {
    "maximum": "llvm.maximum",
    "minimum": "llvm.minimum",
    "maximum_number": "llvm.maximumnum",
    "minimum_number": "llvm.minimumnum",
}
_RANGES: Final = {"minimum": 4, "maximum": 5}
"""How `vrange` is told the operation: the sign is that of the result of the comparison."""
ROUNDED: Final = {
    "rounded_add": "fadd",
    "rounded_sub": "fsub",
    "rounded_mul": "fmul",
    "rounded_div": "fdiv",
    "rounded_sqrt": "sqrt",
    "rounded_fma": "fma",
}
_MODES: Final = {"zero": 0, "up": 2, "down": 3}
_NEAREST: Final = 1
_NVVM_MODES: Final = {"zero": "rz", "up": "rp", "down": "rm"}
_PREDICATES: Final = {"eq": "eq", "ne": "ne", "gt": "gt", "ge": "ge", "lt": "lt", "le": "le"}
_METADATA: Final = 'metadata !"round.dynamic", metadata !"fpexcept.ignore"'


class FloatingArithmetic:
    """Emits at the position of a builder."""

    __slots__ = ("_b", "_convert", "_features")

    def __init__(self, builder: Builder, features: Features, convert: Conversions) -> None:
        self._b = builder
        self._features = features
        self._convert = convert

    def extremum(self, op: str, dtype: str, x: Value, y: Value) -> Value:
        """The operations of `EXTREMUMS`."""
        x, y = self._convert.widen(x, dtype), self._convert.widen(y, dtype)
        if op in _RANGES and self._features.ranges and bits_of(x.type) * lanes_of(x.type) in VECTOR_BITS:
            return self._convert.narrow(self._in_range(op, x, y), dtype)
        if self._features.nvptx and op == "maximum_number" and (found := above_zero(self._b, x, y)) is not None:
            return self._convert.narrow(found, dtype)
        return self._convert.narrow(self._b.intrinsic(EXTREMUMS[op], x.type, [x, y], hint="ext"), dtype)

    def _in_range(self, op: str, x: Value, y: Value) -> Value:
        """The larger or smaller of two, by the instruction that orders zeros; it prefers numbers to NaN, their sum does
        not. LLVM takes twice as many instructions."""
        b, lanes = self._b, lanes_of(x.type)
        width = bits_of(x.type) * lanes
        operands = [x, y, constant("i32", _RANGES[op]), x, constant(f"i{max(lanes, 8)}", -1)]
        if width == VECTOR_BITS[-1]:
            operands.append(constant("i32", CURRENT_ROUNDING))
        letter = "s" if bits_of(x.type) == 32 else "d"
        found = b.intrinsic(f"llvm.x86.avx512.mask.range.p{letter}.{width}", x.type, operands, overload=())
        return b.select(b.fcmp("uno", x, y), b.fadd(x, y), found)

    def compare(self, predicate: str, dtype: str, x: Value, y: Value, *, ordered: bool) -> Value:
        """eq ne gt ge lt le, where NaN gives false (ordered) or true."""
        word = ("o" if ordered else "u") + _PREDICATES[predicate]
        return self._b.fcmp(word, self._convert.widen(x, dtype), self._convert.widen(y, dtype))

    def flush(self, x: Value) -> Value:
        """Subnormal numbers as zeros of their sign."""
        b, bits = self._b, bits_of(x.type)
        least = 2.0**-126 if bits == 32 else 2.0**-1022
        integer = vector(f"i{bits}", lanes_of(x.type))
        zero = b.bitcast(b.and_(b.bitcast(x, integer), constant(integer, -(1 << bits - 1))), x.type)
        return b.select(b.fcmp("olt", b.fabs(x), constant(x.type, least)), zero, x)

    def whole(self, op: str, dtype: str, x: Value) -> Value:
        """floor or ceil."""
        x = self._convert.widen(x, dtype)
        if self._features.rounding:
            return self._convert.narrow(self._b.intrinsic(f"llvm.{op}", x.type, [x], hint=op), dtype)
        b = self._b
        # Adding the unit of the last place rounds to nearest; a comparison corrects it.
        unit = constant(x.type, 2.0**23 if bits_of(x.type) == 32 else 2.0**52)
        magnitude = b.fabs(x)
        near = b.fsub(b.fadd(magnitude, unit), unit)
        near = b.intrinsic("llvm.copysign", x.type, [near, x])
        wrong = b.fcmp("ogt" if op == "floor" else "olt", near, x)
        moved = b.fadd(near, constant(x.type, -1.0 if op == "floor" else 1.0))
        found = b.intrinsic("llvm.copysign", x.type, [b.select(wrong, moved, near), x])
        return self._convert.narrow(b.select(b.fcmp("olt", magnitude, unit), found, x, hint=op), dtype)

    def rounded(self, op: str, dtype: str, mode: str, operands: Sequence[Value]) -> Value:
        """The operations of `ROUNDED`."""
        wide = [self._convert.widen(x, dtype) for x in operands]
        if self._features.nvptx:
            found = self._nvvm(op, mode, wide)
        else:
            found = self._b.call(self._function(op, mode, wide[0].type, len(wide)), wide, hint="rounded")
        return found if dtype in ("f32", "f64") else self._narrow(found, dtype, mode)

    def cast(self, value: Value, source: str, target: str, mode: str) -> Value:
        """A float in another format, rounded in a direction."""
        wide = self._convert.widen(value, source)
        if target == POWERS:
            narrow = self._convert.odd_f32(wide) if source == "f64" else wide
            return narrow_power(self._b, narrow, up=mode == "up")
        if target in SMALL:
            raise ValueError(f"{target} is rounded to nearest only")
        if source == "f64":
            if target == "f64":
                return wide
            single = vector("float", lanes_of(wide.type))
            near = self._b.cast("fptrunc", wide, single)
            wide = self._stepped(near, self._b.cast("fpext", near, wide.type), wide, mode)
        if target == "f64":
            return self._b.cast("fpext", wide, vector("double", lanes_of(wide.type)))
        return wide if target == "f32" else self._narrow(wide, target, mode)

    def _narrow(self, wide: Value, dtype: str, mode: str) -> Value:
        near = self._convert.narrow(wide, dtype)
        return self._stepped(near, self._convert.widen(near, dtype), wide, mode, 13 if dtype == "tf32" else 0)

    def _stepped(self, near: Value, back: Value, exact: Value, mode: str, unit: int = 0) -> Value:
        """The neighbour of `near` where rounding to nearest went in the wrong direction."""
        b = self._b
        bits = vector(f"i{bits_of(near.type)}", lanes_of(near.type))
        word = b.bitcast(near, bits)
        one, minus = constant(bits, 1 << unit), constant(bits, -(1 << unit))
        negative = b.icmp("slt", word, constant(bits, 0))
        match mode:
            case "zero":
                wrong, step = b.fcmp("ogt", b.fabs(back), b.fabs(exact)), minus
            case "up":
                wrong, step = b.fcmp("olt", back, exact), b.select(negative, minus, one)
            case _:
                wrong, step = b.fcmp("ogt", back, exact), b.select(negative, one, minus)
        return b.bitcast(b.add(word, b.select(wrong, step, constant(bits, 0))), near.type)

    def _function(self, op: str, mode: str, ltype: str, count: int) -> Callee:
        """Computes under a rounding mode; the caller's is to nearest."""
        module = self._b.module
        name = f"tilewright.{op}.{mode}.{mangle(ltype)}"
        known = module.defined(name)
        if known:
            return known
        intrinsic = f"llvm.experimental.constrained.{ROUNDED[op]}.{mangle(ltype)}"
        if not module.declared(intrinsic):
            module.declare(intrinsic, ltype, [*[ltype] * count, "metadata", "metadata"])
        if not module.declared("llvm.set.rounding"):
            module.declare("llvm.set.rounding", "void", ["i32"])
        parameters = [(ltype, letter) for letter in "xyz"[:count]]
        function = module.function(name, ltype, parameters, linkage="internal", attributes="nounwind noinline strictfp")
        b = Builder(function)
        b.emit_void(f"call void @llvm.set.rounding(i32 {_MODES[mode]}) strictfp")
        arguments = ", ".join(map(str, function.arguments))
        found = b.emit(ltype, f"call {ltype} @{intrinsic}({arguments}, {_METADATA}) strictfp")
        b.emit_void(f"call void @llvm.set.rounding(i32 {_NEAREST}) strictfp")
        b.ret(found)
        return function.callee

    def _nvvm(self, op: str, mode: str, operands: Sequence[Value]) -> Value:
        """NVIDIA's instructions carry the rounding mode; they work on single numbers."""
        b = self._b
        if op == "rounded_sub":
            op, operands = "rounded_add", [operands[0], b.fneg(operands[1])]
        ltype = operands[0].type
        letter = "f" if scalar_of(ltype) == "float" else "d"
        name = f"llvm.nvvm.{op.removeprefix('rounded_')}.{_NVVM_MODES[mode]}.{letter}"
        return b.intrinsic(name, ltype, operands, overload=())


def above_zero(b: Builder, x: Value, y: Value) -> Value | None:
    """The larger of a number and of the constant -0, by a comparison; None if neither operand is that.

    Of an instruction for it and one for the smaller of that and 1, in either order, ptxas 13.0 makes one that
    saturates: +0 of what is below -0.
    """
    zero = constant(x.type, -0.0)
    if zero not in (x, y):
        return None
    other = x if y == zero else y
    return b.select(b.fcmp("oge", other, zero), other, zero, hint="ext")
