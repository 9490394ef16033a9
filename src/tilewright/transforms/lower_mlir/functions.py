"""Functions of math that the shared dialects have not: formed of those that they have.

They are computed in f64, where errors are a few units in the last place, and rounded to the operand's type once; erf
of f32 and narrower types in f32, within 1.5 units of its last place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tilewright.dialects import arith, math
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import math as foreign
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import F32, F64, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.lower_mlir.context import Handler, Lowering
from tilewright.transforms.lower_mlir.types import scalar_type

# W. J. Cody's scheme with the coefficients of Sun's fdlibm, lowest power first: erf is x + x R(x^2) below 0.84375,
# c + R(|x| - 1) below 1.25, 1 - exp(-x^2 - 0.5625 + R(1 / x^2)) / |x| below 6 with two sets that meet at 1 / 0.35,
# and 1 from there on. R are quotients of these.
_NEAR_ZERO: Final = (
    1.28379167095512558561e-01,
    -3.25042107247001499370e-01,
    -2.84817495755985104766e-02,
    -5.77027029648944159157e-03,
    -2.37630166566501626084e-05,
)
_UNDER_NEAR_ZERO: Final = (
    1.0,
    3.97917223959155352819e-01,
    6.50222499887672944485e-02,
    5.08130628187576562776e-03,
    1.32494738004321644526e-04,
    -3.96022827877536812320e-06,
)
_NEAR_ONE: Final = (
    -2.36211856075265944077e-03,
    4.14856118683748331666e-01,
    -3.72207876035701323847e-01,
    3.18346619901161753674e-01,
    -1.10894694282396677476e-01,
    3.54783043256182359371e-02,
    -2.16637559486879084300e-03,
)
_UNDER_NEAR_ONE: Final = (
    1.0,
    1.06420880400844228286e-01,
    5.40397917702171048937e-01,
    7.18286544141962662868e-02,
    1.26171219808761642112e-01,
    1.36370839120290507362e-02,
    1.19844998467991074170e-02,
)
_TAIL: Final = (
    -9.86494403484714822705e-03,
    -6.93858572707181764372e-01,
    -1.05586262253232909814e01,
    -6.23753324503260060396e01,
    -1.62396669462573470355e02,
    -1.84605092906711035994e02,
    -8.12874355063065934246e01,
    -9.81432934416914548592e00,
)
_UNDER_TAIL: Final = (
    1.0,
    1.96512716674392571292e01,
    1.37657754143519042600e02,
    4.34565877475229228821e02,
    6.45387271733267880336e02,
    4.29008140027567833386e02,
    1.08635005541779435134e02,
    6.57024977031928170135e00,
    -6.04244152148580987438e-02,
)
_FAR_TAIL: Final = (
    -9.86494292470009928597e-03,
    -7.99283237680523006574e-01,
    -1.77579549177547519889e01,
    -1.60636384855821916062e02,
    -6.37566443368389627722e02,
    -1.02509513161107724954e03,
    -4.83519191608651397019e02,
)
_UNDER_FAR_TAIL: Final = (
    1.0,
    3.03380607434824582924e01,
    3.25792512996573918826e02,
    1.53672958608443695994e03,
    3.19985821950859553908e03,
    2.55305040643316442583e03,
    4.74528541206955367215e02,
    -2.24409524465858183362e01,
)
# In f32 erf is x + x P(x^2) below 0.92, 1 - exp(Q(|x|)) below 4 and 1 from there on. P is fitted to erf(x) / x - 1,
# Q to log(erfc(x)), so that the largest error of erf is least.
_NEAR_ZERO_F32: Final = (
    0.12837915122509003,
    -0.3761249780654907,
    0.11281846463680267,
    -0.026767723262310028,
    0.004994832444936037,
    -0.0005999405984766781,
)
_LOG_OF_TAIL_F32: Final = (
    0.00017196941189467907,
    -1.1295018196105957,
    -0.633373498916626,
    -0.10825075209140778,
    0.025100400671362877,
    -0.004163818899542093,
    0.00043296412331983447,
    -2.096517891914118e-05,
)
_TO_NEAR_ZERO_F32, _TO_TAIL_F32 = 0.92, 4.0
_AT_ONE: Final = 8.45062911510467529297e-01
_TO_NEAR_ZERO, _TO_NEAR_ONE, _TO_TAIL, _TO_FAR_TAIL = 0.84375, 1.25, 1 / 0.35, 6.0
_WHOLE: Final = 2.0**52
"""From here on every double is an integer."""


class _Terms:
    """Arithmetic on floats of a type, written as it is read."""

    def __init__(self, build: Builder, type_: ScalarType) -> None:
        self._build = build
        self._type = type_

    def number(self, value: float) -> Value:
        return self._build.constant(value, self._type)

    def add(self, x: Value, y: Value) -> Value:
        return self._build(arith.Add(x, y)).out

    def sub(self, x: Value, y: Value) -> Value:
        return self._build(arith.Sub(x, y)).out

    def mul(self, x: Value, y: Value) -> Value:
        return self._build(arith.Mul(x, y)).out

    def div(self, x: Value, y: Value) -> Value:
        return self._build(arith.Div(x, y)).out

    def neg(self, x: Value) -> Value:
        return self._build(arith.Neg(x)).out

    def magnitude(self, x: Value) -> Value:
        return self._build(arith.Abs(x)).out

    def exp(self, x: Value) -> Value:
        return self._build(math.Exp(x)).out

    def log(self, x: Value) -> Value:
        return self._build(math.Log(x)).out

    def floor(self, x: Value) -> Value:
        return self._build(math.Floor(x)).out

    def choose(self, relation: Predicate, x: Value, limit: float, then: Value, otherwise: Value) -> Value:
        """`then` if `x` stands in the relation to the limit; NaN never does."""
        holds = self._build(arith.Cmp(relation, x, self.number(limit))).out
        return emit.select(self._build, holds, then, otherwise)

    def signed(self, magnitude: Value, x: Value) -> Value:
        """The magnitude with the sign of `x`, which is not zero."""
        return self.choose(Predicate.LT, x, 0.0, self.neg(magnitude), magnitude)

    def polynomial(self, coefficients: Sequence[float], x: Value) -> Value:
        total = self.number(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            total = self.add(self.mul(total, x), self.number(coefficient))
        return total

    def quotient(self, above: Sequence[float], below: Sequence[float], x: Value) -> Value:
        return self.div(self.polynomial(above, x), self.polynomial(below, x))


def _erf(t: _Terms, x: Value) -> Value:
    size, square, one = t.magnitude(x), t.mul(x, x), t.number(1.0)
    near = t.add(x, t.mul(x, t.quotient(_NEAR_ZERO, _UNDER_NEAR_ZERO, square)))
    middle = t.add(t.number(_AT_ONE), t.quotient(_NEAR_ONE, _UNDER_NEAR_ONE, t.sub(size, one)))
    inverse = t.div(one, square)
    tails = [t.quotient(_TAIL, _UNDER_TAIL, inverse), t.quotient(_FAR_TAIL, _UNDER_FAR_TAIL, inverse)]
    exponent = t.add(t.neg(t.add(square, t.number(0.5625))), t.choose(Predicate.LT, size, _TO_TAIL, tails[0], tails[1]))
    tail = t.sub(one, t.div(t.exp(exponent), size))
    far = t.choose(Predicate.GE, size, _TO_FAR_TAIL, one, tail)
    outside = t.signed(t.choose(Predicate.LT, size, _TO_NEAR_ONE, middle, far), x)
    return t.choose(Predicate.LT, size, _TO_NEAR_ZERO, near, outside)


def _erf_of_f32(t: _Terms, x: Value) -> Value:
    near = t.add(x, t.mul(x, t.polynomial(_NEAR_ZERO_F32, t.mul(x, x))))
    size = t.magnitude(x)
    limited = t.choose(Predicate.GT, size, _TO_TAIL_F32, t.number(_TO_TAIL_F32), size)
    tail = t.sub(t.number(1.0), t.exp(t.polynomial(_LOG_OF_TAIL_F32, limited)))
    return t.choose(Predicate.LT, size, _TO_NEAR_ZERO_F32, near, t.signed(tail, x))


def _with_sign(t: _Terms, x: Value, whole: Value) -> Value:
    """A magnitude rounded to an integer, with the sign of `x`; large numbers and zeros are what they were."""
    small = t.choose(Predicate.EQ, x, 0.0, x, t.signed(whole, x))
    return t.choose(Predicate.LT, t.magnitude(x), _WHOLE, small, x)


def _trunc(t: _Terms, x: Value) -> Value:
    return _with_sign(t, x, t.floor(t.magnitude(x)))


def _round(t: _Terms, x: Value) -> Value:
    """Ties away from zero."""
    size = t.magnitude(x)
    whole = t.floor(size)
    up = t.add(whole, t.number(1.0))
    return _with_sign(t, x, t.choose(Predicate.GE, t.sub(size, whole), 0.5, up, whole))


def _roundeven(t: _Terms, x: Value) -> Value:
    """Ties to even, as sums are rounded."""
    large = t.number(_WHOLE)
    return _with_sign(t, x, t.sub(t.add(t.magnitude(x), large), large))


_FUNCTIONS: Final[Mapping[type[Operation], Callable[[_Terms, Value], Value]]] = {
    foreign.Erf: _erf,
    foreign.Trunc: _trunc,
    foreign.Round: _round,
    foreign.RoundEven: _roundeven,
}


_OF_F32: Final[Mapping[type[Operation], tuple[Callable[[_Terms, Value], Value], ScalarType]]] = {
    foreign.Erf: (_erf_of_f32, F32),
}
"""What is computed otherwise for types of at most 32 bits, and in which type."""


def _function(low: Lowering, op: Operation) -> None:
    type_ = scalar_type(op, op.results[0].type)
    function, wide = _FUNCTIONS[type(op)], F64
    if type_.bytes <= F32.bytes:
        function, wide = _OF_F32.get(type(op), (function, wide))
    value = low.cast(low.value(op.operands[0]), wide)
    low.bind(op.results[0], low.cast(function(_Terms(low.b, wide), value), type_))


def handlers() -> Mapping[type[Operation], Handler]:
    """The operations that are lowered here."""
    return dict.fromkeys(_FUNCTIONS, _function)
