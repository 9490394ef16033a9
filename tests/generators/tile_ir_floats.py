"""Random floating point operations; what two right implementations may differ by is carried along."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from generators.tile_ir_integers import PREDICATES
from generators.tile_ir_values import CODED, DIGITS, LARGEST, Shape, Value, anything
from generators.tile_ir_writer import Writer, joined

Combine = Callable[[float, float], float]
DIRECTED = (" rounding<zero>", " rounding<negative_inf>", " rounding<positive_inf>")
# Functions of one operand, and by how many units in the last place a right result may be off.
FUNCTIONS = {
    "exp": 3,
    "exp2": 3,
    "log": 3,
    "log2": 3,
    "sin": 3,
    "cos": 3,
    "tan": 6,
    "sinh": 4,
    "cosh": 4,
    "tanh": 4,
    "rsqrt": 3,
}


def unit(element: str) -> float:
    """The unit in the last place relative to the number, at most."""
    return 2.0 ** (1 - DIGITS[element])


def exact(value: Value) -> bool:
    """Fits operations that would magnify differences."""
    return value.exact


def certain(value: Value) -> bool:
    """As `exact`, but the sign of zeros does not matter."""
    return value.error == 0


def known_as(element: str, shape: Shape, bounds: tuple[float, float], whole: bool = False) -> Value:
    """A float between bounds, rounded; nothing is known if it may overflow or have no sign."""
    low, high = bounds
    if not whole:
        low, high = low - abs(low) / 64, high + abs(high) / 64
    if not (abs(low) <= LARGEST[element] and abs(high) <= LARGEST[element]) or (low < 0 and element == CODED):
        return anything("", element, shape)
    return Value("", element, shape, low, high, whole and max(abs(low), abs(high)) <= 2.0 ** DIGITS[element])


def settled(w: Writer, value: Value) -> Value:
    """The value with zeros of known sign."""
    if not value.zeros:
        return value
    zero = w.constant(value.element, 0.0, value.shape)
    return w.define(f"addf {value.name}, {zero.name} : {value.type}", replace(value, zeros=False))


def _modes(w: Writer, element: str, directed: bool = True) -> str:
    mode = w.rnd.choice(DIRECTED) if directed and w.chance(0.3) else ""
    if w.chance(0.15):
        mode = mode or " rounding<nearest_even>"
    return mode + (" flush_to_zero" if element == "f32" and w.chance(0.1) else "")


def _add(x: float, y: float) -> float:
    return x + y


def _sub(x: float, y: float) -> float:
    return x - y


def _mul(x: float, y: float) -> float:
    return x * y


_ARITHMETIC: dict[str, Combine] = {"addf": _add, "subf": _sub, "mulf": _mul}


def _bounds(a: Value, b: Value, combine: Combine) -> tuple[float, float]:
    if not (a.finite and b.finite):
        return -math.inf, math.inf
    found = [combine(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return min(found), max(found)


def _arithmetic(w: Writer, element: str, shape: Shape) -> Value:
    a, b = w.pick(element, shape, certain), w.pick(element, shape, certain)
    name = w.rnd.choice(list(_ARITHMETIC))
    known = known_as(element, shape, _bounds(a, b, _ARITHMETIC[name]), a.whole and b.whole)
    known = replace(known, zeros=a.zeros or b.zeros)
    return w.define(f"{name} {a.name}, {b.name}{_modes(w, element)} : {a.type}", known)


def _fma(w: Writer, element: str, shape: Shape) -> Value:
    a, b, c = (w.pick(element, shape, certain) for _ in range(3))
    known = anything("", element, shape)
    if a.finite and b.finite and c.finite:
        low, high = _bounds(a, b, _mul)
        known = known_as(element, shape, (low + c.low, high + c.high), a.whole and b.whole and c.whole)
    known = replace(known, zeros=a.zeros or b.zeros or c.zeros)
    return w.define(f"fma {a.name}, {b.name}, {c.name}{_modes(w, element)} : {a.type}", known)


def _division(w: Writer, element: str, shape: Shape) -> Value:
    a, b = settled(w, w.pick(element, shape, certain)), settled(w, w.pick(element, shape, certain))
    if w.chance(0.3):
        known = anything("", element, shape)
        if a.finite:
            known = Value("", element, shape, -math.inf, math.inf)
        return w.define(f"remf {a.name}, {b.name} : {a.type}", known)
    if element == "f32" and w.chance(0.2):
        a, b = tame(w, a), tame(w, b, 0.5, 8)
        mode = w.rnd.choice(["approx", "full"])
        known = replace(known_as(element, shape, (-32, 32)), error=3 * unit(element))
        return w.define(f"divf {a.name}, {b.name} rounding<{mode}> : {a.type}", known)
    return w.define(f"divf {a.name}, {b.name}{_modes(w, element)} : {a.type}", anything("", element, shape))


def _sqrt(w: Writer, element: str, shape: Shape) -> Value:
    a = w.pick(element, shape, certain)
    known = replace(anything("", element, shape), zeros=a.zeros)
    if a.finite and a.low >= 0:
        known = replace(known_as(element, shape, (0, math.sqrt(a.high))), zeros=a.zeros)
    return w.define(f"sqrt {a.name}{_modes(w, element)} : {a.type}", known)


def _sign(w: Writer, element: str, shape: Shape) -> Value:
    a = w.pick(element, shape)
    if w.chance(0.5):
        known = replace(a, low=0.0 if a.finite else a.low, high=a.magnitude, zeros=False)
        return w.define(f"absf {a.name} : {a.type}", known)
    return w.define(f"negf {a.name} : {a.type}", replace(a, low=-a.high, high=-a.low))


def _whole(w: Writer, element: str, shape: Shape) -> Value:
    a = w.pick(element, shape, certain)
    name = w.rnd.choice(["ceil", "floor"])
    known = anything("", element, shape)
    if a.finite:
        bounds = (math.floor(a.low), math.floor(a.high)) if name == "floor" else (math.ceil(a.low), math.ceil(a.high))
        known = known_as(element, shape, bounds, True)
    return w.define(f"{name} {a.name} : {a.type}", replace(known, zeros=a.zeros))


def _extremum(w: Writer, element: str, shape: Shape) -> Value:
    a, b = w.pick(element, shape, certain), w.pick(element, shape, certain)
    flags = [f for f in (["flush_to_zero"] if element == "f32" else []) + ["propagate_nan"] if w.chance(0.3)]
    known = joined([a, b], element, shape)
    name = w.rnd.choice(["maxf", "minf"])
    return w.define(f"{name} {a.name}, {b.name}{''.join(' ' + f for f in flags)} : {a.type}", known)


def tame(w: Writer, value: Value, low: float = -4, high: float = 4) -> Value:
    """The value between bounds; NaN becomes one of them."""
    if value.finite and low <= value.low and value.high <= high:
        return value
    least, most = w.constant(value.element, low, value.shape), w.constant(value.element, high, value.shape)
    above = w.define(f"maxf {value.name}, {least.name} : {value.type}", replace(value, low=low, high=math.inf))
    found = replace(value, low=low, high=high, whole=value.whole and float(low).is_integer())
    return w.define(f"minf {above.name}, {most.name} : {value.type}", found)


def _function(w: Writer, element: str, shape: Shape) -> Value:
    a = settled(w, w.pick(element, shape, certain))
    name = w.rnd.choice(list(FUNCTIONS))
    if name in ("sin", "cos", "tan"):
        a = tame(w, a, -1000, 1000)
    flags = ""
    if name in ("exp", "tanh") and w.chance(0.3):
        flags = " rounding<full>" if element != "f32" or w.chance(0.5) else " rounding<approx>"
    if name in ("exp2", "rsqrt") and element == "f32" and w.chance(0.2):
        flags = " flush_to_zero"
    known = replace(anything("", element, shape), error=FUNCTIONS[name] * unit(element))
    return w.define(f"{name} {a.name}{flags} : {a.type}", known)


def _function_of_two(w: Writer, element: str, shape: Shape) -> Value:
    a, b = (settled(w, w.pick(element, shape, certain)) for _ in range(2))
    known = replace(anything("", element, shape), error=5 * unit(element))
    if w.chance(0.5):
        return w.define(f"atan2 {a.name}, {b.name} : {a.type}", known)
    name = w.rnd.choice(["pow", "fpowf"])
    return w.define(f"{name} {tame(w, a, -20, 20).name}, {tame(w, b).name} : {a.type}", known)


def _scaled(w: Writer, element: str, shape: Shape) -> Value:
    """A product or quotient that may know its operand up to an error only."""
    rough = [v for v in w.candidates(element, shape) if v.error]
    if not rough:
        return _function(w, element, shape)
    a, factor = w.rnd.choice(rough), w.constant(element, w.rnd.choice([0.5, 1.5, -2.0, 3.0]), shape)
    known = replace(anything("", element, shape), error=a.error + unit(element))
    return w.define(f"{w.rnd.choice(['mulf', 'divf'])} {a.name}, {factor.name} : {a.type}", known)


_OPERATIONS = (
    *(_arithmetic, _arithmetic, _arithmetic, _fma, _division, _sqrt, _sign),
    *(_whole, _extremum, _function, _function_of_two, _scaled),
)


def operation(w: Writer, element: str, shape: Shape) -> Value:
    """One operation on floats of a type."""
    return w.rnd.choice(_OPERATIONS)(w, element, shape)


def comparison(w: Writer, element: str, shape: Shape) -> Value:
    """A tile of i1 by comparing floats that have no error."""
    a, b = w.pick(element, shape, certain), w.pick(element, shape, certain)
    known = anything("", "i1", shape)
    order = w.rnd.choice(["ordered", "unordered"])
    return w.define(f"cmpf {w.rnd.choice(PREDICATES)} {order} {a.name}, {b.name} : {a.type} -> {known.type}", known)
