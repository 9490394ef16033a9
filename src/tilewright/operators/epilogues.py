"""What is done with each sum of a product before it is stored: steps by name, as text of MLIR on one element.

bias+gelu   ->   x + bias, then x / 2 (1 + erf(x / sqrt 2))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from math import pi, sqrt
from typing import Final

from msgspec import Struct

from tilewright.operators.errors import OperatorError, OperatorTypeError

_CONSTANT: Final = "arith.constant"

OPERAND_STEPS: Final = ("bias", "scale", "residual")
"""Steps that combine a sum with an element of an array of that name."""


class Statement(Struct, frozen=True):
    """An operation with one result; `types` is what its text says behind the colon."""

    result: str
    op: str
    operands: str
    types: str

    @property
    def text(self) -> str:
        """In MLIR's custom form."""
        return f"{self.result} = {self.op} {self.operands} : {self.types}"


class Body(Struct):
    """The statements of a body, in arithmetic on one type; to what type the result of the next step is `rounded`."""

    element: str
    statements: list[Statement]
    numbers: Iterator[int]
    rounded: str = ""

    @property
    def is_float(self) -> bool:
        """Whether it computes with floats."""
        return not self.element.startswith("i")

    def __call__(self, op: str, *operands: str) -> str:
        """The result of an operation on values of the element type."""
        return self._says(op, ", ".join(operands), self.element)

    def number(self, value: float) -> str:
        """A constant."""
        spelled = f"{float(value):.17e}" if self.is_float else str(int(value))
        return self._says(_CONSTANT, spelled, self.element)

    def converted(self, value: str, source: str, target: str) -> str:
        """A value as another type."""
        op = conversion(source, target)
        return value if op is None else self._says(op, value, f"{source} to {target}")

    def add(self, x: str, y: str) -> str:
        """A sum."""
        return self("arith.addf" if self.is_float else "arith.addi", x, y)

    def multiply(self, x: str, y: str) -> str:
        """A product."""
        return self("arith.mulf" if self.is_float else "arith.muli", x, y)

    def _says(self, op: str, operands: str, types: str) -> str:
        result = f"%v{next(self.numbers)}"
        self.statements.append(Statement(result, op, operands, types))
        return result


def new_body(element: str) -> Body:
    """A body without statements."""
    return Body(element, [], count())


_BITS: Final = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f8E4M3FN": 8, "f8E5M2": 8, "i8": 8, "i32": 32}


def conversion(source: str, target: str) -> str | None:
    """MLIR's operation from one type to another; None from a type to itself."""
    if source == target:
        return None
    wider = _BITS[target] > _BITS[source]
    match source.startswith("i"), target.startswith("i"):
        case True, True:
            return "arith.extsi" if wider else "arith.trunci"
        case True, False:
            return "arith.sitofp"
        case False, True:
            return "arith.fptosi"
        case _:
            return "arith.extf" if wider else "arith.truncf"


def _relu(body: Body, x: str) -> str:
    return body("arith.maximumf" if body.is_float else "arith.maxsi", x, body.number(0))


_TAIL: Final = (
    -0.9999999036465308,
    -1.1511097253579723,
    -0.4591722337898033,
    -0.05260301545151576,
    0.007216352125427502,
    -0.0002534133959537238,
    -0.0001380962173430701,
    2.9273436963000802e-05,
    -1.992003118364439e-06,
)
"""Coefficients of a polynomial, the constant first: log2 of the share of a normal distribution beyond u >= 0.

Fitted on [0, 6.5] so that u times that share is off by 1e-8 at most; beyond, the polynomial falls.
"""

_TANH_TAIL: Final = (
    -1.0000001967759022,
    -1.151089463587752,
    -0.4593953990089408,
    -0.050738438462020884,
    0.006186571642981188,
    0.0014849070216596159,
    -0.0011556371006173512,
    2.050932006132864e-05,
    4.760693091407737e-05,
    -5.425592777372544e-06,
)
"""The same of `1 / (1 + exp(2 sqrt(2 / pi) (u + 0.044715 u^3)))`: u times that is off by 9e-8 at most."""

_TAIL_OF_F16: Final = (
    -1.0001038312911987,
    -1.1494050025939941,
    -0.46368491649627686,
    -0.048551175743341446,
    0.005921205505728722,
    -0.000330314040184021,
)
_TANH_TAIL_OF_F16: Final = (
    -1.0001245737075806,
    -1.1501624584197998,
    -0.4580180048942566,
    -0.060047972947359085,
    0.018409762531518936,
    -0.005262741353362799,
    0.0004030434647575021,
)
"""The same for what is rounded to f16: off by 0.15 and 0.18 of its last place at most."""

_FAR: Final = 13.5
"""A normal distribution has less than the smallest normal float of 32 bits beyond."""
_FAR_OF_F16: Final = 6.5
"""f16 has no number as small as what is beyond, and the polynomials are above -126 up to there, as intervals tell."""
_LEAST: Final = -126.0
"""The exponent of 2 of that, which units that compute powers of 2 take as it is."""


def _gelu(body: Body, x: str) -> str:
    """x times the share of a normal distribution below x. In f32 by the share beyond |x|: that of negative numbers
    suffers no cancellation, and takes nine multiply-adds where erf takes a choice of four quotients."""
    if body.element != "f32":
        erf = body("math.erf", body.multiply(x, body.number(1 / sqrt(2))))
        return body.multiply(body.multiply(x, body.number(0.5)), body.add(erf, body.number(1)))
    return _share_below(body, x, _TAIL, _TAIL_OF_F16)


def _share_below(body: Body, x: str, tail: Sequence[float], tail_of_f16: Sequence[float]) -> str:
    """x times one less the share that a polynomial says lies beyond, for x >= 0, or that share, for x < 0."""
    is_f16 = body.rounded == "f16"
    tail, far = (tail_of_f16, _FAR_OF_F16) if is_f16 else (tail, _FAR)
    u = body("arith.minimumf", body("math.absf", x), body.number(far))
    power = body.number(tail[-1])
    for coefficient in reversed(tail[:-1]):
        power = body("math.fma", power, u, body.number(coefficient))
    if is_f16:
        # of f16 nothing is as far as the exponent of a subnormal number of 32 bits
        beyond = body("math.exp2", power)
    else:
        # nothing is beyond what is far
        beyond = body("math.exp2", body("arith.maximumf", power, body.number(_LEAST)))
        beyond = body("arith.subf", beyond, body.number(2.0**_LEAST))
    return body("math.fma", body("arith.negf", u), beyond, _relu(body, x))


def _gelu_tanh(body: Body, x: str) -> str:
    if body.element == "f32":
        return _share_below(body, x, _TANH_TAIL, _TANH_TAIL_OF_F16)
    cube = body.multiply(body.multiply(x, x), x)
    inner = body.multiply(body.add(x, body.multiply(cube, body.number(0.044715))), body.number(sqrt(2 / pi)))
    return body.multiply(body.multiply(x, body.number(0.5)), body.add(body("math.tanh", inner), body.number(1)))


def _sigmoid(body: Body, x: str) -> str:
    return body("arith.divf", body.number(1), body.add(body("math.exp", body("arith.negf", x)), body.number(1)))


def _silu(body: Body, x: str) -> str:
    return body("arith.divf", x, body.add(body("math.exp", body("arith.negf", x)), body.number(1)))


def _tanh(body: Body, x: str) -> str:
    return body("math.tanh", x)


_FUNCTIONS: Final[dict[str, Callable[[Body, str], str]]] = {
    "relu": _relu,
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
    "silu": _silu,
    "sigmoid": _sigmoid,
    "tanh": _tanh,
}
_MOST_STEPS: Final = 8
"""As many as `fuse-epilogues` takes, if all are erf of f64."""
_OF_INTEGERS: Final = ("relu",)
STEPS: Final = (*OPERAND_STEPS, *_FUNCTIONS)


def steps_of(epilogue: str) -> tuple[str, ...]:
    """The steps of an epilogue in their order.

    Raises `OperatorError` for one that there is not, for an array that is taken twice, and for too many steps.
    """
    steps = tuple(step.strip() for step in epilogue.split("+")) if epilogue.strip() else ()
    if len(steps) > _MOST_STEPS:
        raise OperatorError(f"epilogue: {len(steps)} steps, of {_MOST_STEPS} at most")
    for step in steps:
        if step not in STEPS:
            raise OperatorError(f"epilogue: there is no step {step!r}; there are {', '.join(STEPS)}, joined by +")
        if step in OPERAND_STEPS and steps.count(step) > 1:
            raise OperatorError(f"epilogue: {step} comes twice in {epilogue!r}; there is one array for it")
    return steps


def check_type(steps: tuple[str, ...], element: str) -> None:
    """Raises `OperatorTypeError` for steps that are there of floats only, on integers."""
    floating = [step for step in steps if step in _FUNCTIONS and step not in _OF_INTEGERS]
    if floating and element.startswith("i"):
        raise OperatorTypeError(
            f"epilogue: {floating[0]} is computed with floats, and the result is {element}; ask for an out_dtype of "
            f"floats"
        )


def apply(body: Body, step: str, x: str, operand: str | None) -> str:
    """A step on a sum, with the element of its array if it has one."""
    if operand is None:
        return _FUNCTIONS[step](body, x)
    return body.multiply(x, operand) if step == "scale" else body.add(x, operand)


def operations_of(steps: Sequence[str], element: str, rounded: str) -> int:
    """How many operations but constants the steps of an epilogue take in arithmetic on one type, rounded to another."""
    body = new_body(element)
    for number, step in enumerate(steps, 1):
        body.rounded = rounded if number == len(steps) else ""
        apply(body, step, "%x", "%operand" if step in OPERAND_STEPS else None)
    return sum(statement.op != _CONSTANT for statement in body.statements)
