"""Reduction of large arguments of sin and cos: x * 2/pi modulo 4, in fixed point (Payne and Hanek, 1983).

x = M 2^E with an integer M. In M * (2/pi * 2^E), bits of 2/pi that are worth 4 or more contribute whole turns and bits
that are worth too little contribute nothing, so a window of 2/pi, selected by E, suffices: 96 bits for f32, 192 for
f64.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from tilewright.numerics.integers import wrap
from tilewright.targets.llvm.coefficients import TWO_OVER_PI
from tilewright.targets.llvm.emitter import Builder
from tilewright.targets.llvm.floatkit import FloatKit
from tilewright.targets.llvm.types import bits_of, lanes_of, mangle, vector
from tilewright.targets.llvm.values import Value, boolean, constant

if TYPE_CHECKING:
    from tilewright.targets.llvm.features import Features
    from tilewright.targets.llvm.module import Callee, Module

_WINDOW_WORDS = {32: 3, 64: 6}
_TAIL_BITS: Final = 37
_HALF_PI: Final = math.pi / 2
_HALF_PI_HEAD: Final = 1.570796325802803
_HALF_PI_TAIL: Final = 9.920935796805404e-10
"""pi/2 as a number of 27 bits and what is left."""


def emit_reduction(module: Module, features: Features, ltype: str) -> Callee:
    """The function `{T r, iN n} tilewright.reduce.T(T x)`: x = n pi/2 + r modulo 2 pi, for large positive finite x."""
    name = f"tilewright.reduce.{mangle(ltype)}"
    known = module.defined(name)
    if known:
        return known
    integer = vector(f"i{bits_of(ltype)}", lanes_of(ltype))
    result = f"{{ {ltype}, {integer} }}"
    function = module.function(name, result, [(ltype, "x")], linkage="internal", attributes="nounwind noinline cold")
    b = Builder(function)
    reduction = _Reduction(FloatKit(b, features, ltype))
    rest, quadrant = reduction.emit(function.arguments[0])
    pair = b.insert_value(Value(result, "poison"), rest, 0)
    b.ret(b.insert_value(pair, quadrant, 1))
    return function.callee


class _Reduction:
    """Emits one reduction; all words of the window are 64-bit lanes that hold 32 bits."""

    __slots__ = ("_b", "_kit", "_wide")

    def __init__(self, kit: FloatKit) -> None:
        self._b = kit.b
        self._kit = kit
        self._wide = vector("i64", kit.lanes)

    def emit(self, x: Value) -> tuple[Value, Value]:
        """The rest and the quadrant."""
        b, kit = self._b, self._kit
        bits = b.zext(kit.as_integer(x), self._wide)
        fraction = kit.format.fraction
        # Lanes with small or infinite x compute garbage that nobody reads, but from inside the table.
        lowest, highest = (138, 254) if kit.format.bits == 32 else (1043, 2046)
        exponent = b.lshr(bits, self._c(fraction))
        exponent = b.smin(b.smax(exponent, self._c(lowest)), self._c(highest))
        significand = b.or_(b.and_(bits, self._c((1 << fraction) - 1)), self._c(1 << fraction))
        # x = M 2^(exponent - bias - fraction); the window starts at the bit worth 2, and the table with 64 zero bits.
        start = b.add(exponent, self._c(62 - kit.format.bias - fraction))
        window = self._window(start)
        if kit.format.bits == 32:
            return self._finish_f32(significand, window)
        return self._finish_f64(significand, window)

    def _c(self, number: int) -> Value:
        return constant(self._wide, number)

    def _low(self, x: Value) -> Value:
        return self._b.and_(x, self._c(0xFFFFFFFF))

    def _high(self, x: Value) -> Value:
        return self._b.lshr(x, self._c(32))

    def _window(self, start: Value) -> list[Value]:
        """The words of 2/pi from a bit position on, the most significant first."""
        b, kit = self._b, self._kit
        index = b.lshr(start, self._c(5))
        shift = b.and_(start, self._c(31))
        count = _WINDOW_WORDS[kit.format.bits]
        words = [self._word(b.add(index, self._c(k))) for k in range(count + 1)]
        pairs = [b.or_(b.shl(words[k], self._c(32)), words[k + 1]) for k in range(count)]
        return [self._high(b.shl(pair, shift)) for pair in pairs]

    def _word(self, index: Value) -> Value:
        b, kit = self._b, self._kit
        values = ", ".join(f"i32 {wrap(word, 32)}" for word in TWO_OVER_PI)
        base = b.module.global_variable(
            "tilewright.two_over_pi",
            f"[{len(TWO_OVER_PI)} x i32]",
            f"[{values}]",
            constant=True,
            align=64,
            address_space=kit.features.table_address_space,
        )
        address = b.gep("i32", base, index)
        if kit.lanes == 1:
            return b.zext(b.load("i32", address, 4), "i64")
        everywhere = b.splat(boolean(True), kit.lanes)
        return b.zext(b.gather(vector("i32", kit.lanes), address, everywhere, 4), self._wide)

    def _finish_f32(self, significand: Value, window: list[Value]) -> tuple[Value, Value]:
        """A 24-bit number times 96 bits, of which the top 64 remain: 2 of turns, 62 of fraction."""
        b, kit = self._b, self._kit
        top, middle, low = (b.mul(significand, word) for word in window)
        product = b.add(b.add(b.shl(top, self._c(32)), middle), self._high(low))
        wide = vector("double", kit.lanes)
        turns = b.cast("sitofp", b.shl(product, self._c(2)), wide)
        rest = b.cast("fptrunc", b.fmul(turns, constant(wide, _HALF_PI * 2.0**-64)), kit.ltype)
        return rest, b.trunc(self._quadrant(product), kit.integer)

    def _finish_f64(self, significand: Value, window: list[Value]) -> tuple[Value, Value]:
        """A 53-bit number in two halves times 192 bits, of which the top 128 remain: 2 of turns, 126 of fraction."""
        b = self._b
        lower, upper = self._low(significand), self._high(significand)
        by_lower = [b.mul(lower, word) for word in window[:5]]
        by_upper = [b.mul(upper, word) for word in window]
        columns: list[Value] = []
        carry = self._c(0)
        for k in (3, 2, 1, 0):
            parts = [
                self._low(by_lower[k]),
                self._high(by_lower[k + 1]),
                self._low(by_upper[k + 1]),
                self._high(by_upper[k + 2]) if k + 2 < len(by_upper) else self._c(0),
            ]
            column = carry
            for part in parts:
                column = b.add(column, part)
            columns.append(column)
            carry = self._high(column)
        high = b.or_(b.shl(columns[3], self._c(32)), self._low(columns[2]))
        low = b.or_(b.shl(columns[1], self._c(32)), self._low(columns[0]))
        signed = b.or_(b.shl(high, self._c(2)), b.lshr(low, self._c(62)))
        return self._rest(signed, b.shl(low, self._c(2))), self._quadrant(high)

    def _rest(self, signed: Value, fine: Value) -> Value:
        """128 bits of a quarter turn, in two's complement, as an angle.

        Of the magnitude, which is that of the complement but for the last bit, the head of 26 bits is multiplied
        exactly with that of pi/2, and all that is beside it is small: the sum is the only rounding that counts.
        """
        b, kit = self._b, self._kit
        sign = b.ashr(signed, self._c(63))
        magnitude, fine = b.xor(signed, sign), b.xor(fine, sign)
        head = b.cast("sitofp", b.and_(magnitude, self._c(-1 << _TAIL_BITS)), kit.ltype)
        tail = b.fmul(b.cast("uitofp", fine, kit.ltype), kit.number(2.0**-64))
        tail = b.fadd(b.cast("sitofp", b.and_(magnitude, self._c((1 << _TAIL_BITS) - 1)), kit.ltype), tail)
        small = b.fadd(
            b.fmul(head, kit.number(_HALF_PI_TAIL * 2.0**-64)), b.fmul(tail, kit.number(_HALF_PI * 2.0**-64))
        )
        rest = b.fadd(b.fmul(head, kit.number(_HALF_PI_HEAD * 2.0**-64)), small)
        return kit.as_float(b.xor(kit.as_integer(rest), b.shl(sign, self._c(63))))

    def _quadrant(self, product: Value) -> Value:
        """The two bits of turns, rounded to nearest by the first bit of the fraction."""
        b = self._b
        half = b.and_(b.lshr(product, self._c(61)), self._c(1))
        return b.add(b.lshr(product, self._c(62)), half)
