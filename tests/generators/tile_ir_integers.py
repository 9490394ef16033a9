"""Random integer operations whose promises and preconditions hold."""

from __future__ import annotations

from collections.abc import Callable

from generators.tile_ir_values import BITS, Shape, Value, anything, limits
from generators.tile_ir_writer import Writer

Bounds = tuple[float, float]

PREDICATES = ("equal", "not_equal", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal")


def signedness(w: Writer) -> str:
    """One of the two."""
    return w.rnd.choice(["signed", "unsigned"])


def bounded(name: str, element: str, shape: Shape, bounds: Bounds) -> Value:
    """An integer between bounds, if no wrap-around is possible."""
    low, high = limits(element)
    if element == "i1" or bounds[0] < low or bounds[1] > high:
        return anything(name, element, shape)
    return Value(name, element, shape, *bounds)


def _overflow(w: Writer, element: str, bounds: Bounds, unsigned: bool) -> str:
    """A promise about overflow that is kept. `unsigned`: the true result of the operands read so is `bounds` too."""
    low, high = limits(element)
    kept = [""]
    signed_fits = low <= bounds[0] and bounds[1] <= high
    unsigned_fits = unsigned and bounds[0] >= 0 and bounds[1] < 1 << BITS[element]
    if signed_fits:
        kept.append(" overflow<no_signed_wrap>")
    if unsigned_fits:
        kept.append(" overflow<no_unsigned_wrap>")
    if signed_fits and unsigned_fits:
        kept.append(" overflow<no_wrap>")
    return w.rnd.choice(kept) if w.chance(0.6) else ""


def _add(x: float, y: float) -> float:
    return x + y


def _sub(x: float, y: float) -> float:
    return x - y


def _mul(x: float, y: float) -> float:
    return x * y


_ARITHMETIC: dict[str, Callable[[float, float], float]] = {"addi": _add, "subi": _sub, "muli": _mul}


def _corners(a: Value, b: Value, combine: Callable[[float, float], float]) -> Bounds:
    found = [combine(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return min(found), max(found)


def _arithmetic(w: Writer, a: Value, b: Value) -> Value:
    name = w.rnd.choice(list(_ARITHMETIC))
    combine = _ARITHMETIC[name]
    if a.element == "i1":
        return w.define(f"{name} {a.name}, {b.name} : {a.type}", anything("", "i1", a.shape))
    bounds = _corners(a, b, combine)
    promise = _overflow(w, a.element, bounds, a.low >= 0 and b.low >= 0)
    return w.define(f"{name} {a.name}, {b.name}{promise} : {a.type}", bounded("", a.element, a.shape, bounds))


def _bitwise(w: Writer, a: Value, b: Value) -> Value:
    name = w.rnd.choice(["andi", "ori", "xori"])
    known = anything("", a.element, a.shape)
    if a.element != "i1" and a.low >= 0 and b.low >= 0:
        top = b.high if name == "andi" else (1 << max(int(a.high).bit_length(), int(b.high).bit_length())) - 1
        known = Value("", a.element, a.shape, 0, top)
    return w.define(f"{name} {a.name}, {b.name} : {a.type}", known)


def masked(w: Writer, value: Value, mask: int) -> Value:
    """The value between 0 and a mask."""
    top = w.constant(value.element, mask, value.shape)
    return w.define(f"andi {value.name}, {top.name} : {value.type}", Value("", value.element, value.shape, 0, mask))


def _shift(w: Writer, a: Value, b: Value) -> Value:
    amount = masked(w, b, BITS[a.element] - 1) if a.element != "i1" else w.constant("i1", 0, a.shape)
    known = anything("", a.element, a.shape)
    if w.chance(0.5):
        if a.element != "i1" and a.low >= 0 and w.chance(0.5):
            room = BITS[a.element] - 1 - int(a.high).bit_length()
            steps = w.constant(a.element, w.rnd.randint(0, room), a.shape)
            bounds = int(a.low) << int(steps.low), int(a.high) << int(steps.high)
            promise = _overflow(w, a.element, bounds, True)
            return w.define(f"shli {a.name}, {steps.name}{promise} : {a.type}", bounded("", a.element, a.shape, bounds))
        return w.define(f"shli {a.name}, {amount.name} : {a.type}", known)
    sign = signedness(w)
    if a.element != "i1" and (a.low >= 0 or sign == "signed"):
        known = Value("", a.element, a.shape, min(a.low, 0), max(a.high, 0))
    return w.define(f"shri {a.name}, {amount.name} {sign} : {a.type}", known)


def divisor(w: Writer, element: str, shape: Shape) -> Value:
    """2..65, or these negated; with two's complement read as unsigned neither is 0."""
    small = masked(w, w.pick(element, shape), 63)
    two = w.constant(element, 2, shape)
    found = w.define(f"addi {small.name}, {two.name} : {small.type}", Value("", element, shape, 2, 65))
    if w.chance(0.4):
        found = w.define(f"negi {found.name} : {found.type}", Value("", element, shape, -65, -2))
    return found


def _division(w: Writer, a: Value, _: Value) -> Value:
    if a.element == "i1":
        one = w.constant("i1", 1, a.shape)
        name = w.rnd.choice(["divi", "remi"])
        return w.define(f"{name} {a.name}, {one.name} unsigned : {a.type}", anything("", "i1", a.shape))
    b = divisor(w, a.element, a.shape)
    sign = signedness(w)
    known = anything("", a.element, a.shape)
    if w.chance(0.4):
        if sign == "signed":
            known = Value("", a.element, a.shape, -b.magnitude, b.magnitude)
        return w.define(f"remi {a.name}, {b.name} {sign} : {a.type}", known)
    modes = ["", " rounding<positive_inf>"] + ([" rounding<negative_inf>"] if sign == "signed" else [])
    if sign == "signed":
        known = Value("", a.element, a.shape, -a.magnitude, min(a.magnitude, limits(a.element)[1]))
    return w.define(f"divi {a.name}, {b.name} {sign}{w.rnd.choice(modes)} : {a.type}", known)


def _extremum(w: Writer, a: Value, b: Value) -> Value:
    name, sign = w.rnd.choice(["maxi", "mini"]), signedness(w)
    known = anything("", a.element, a.shape)
    if a.element != "i1":
        known = Value("", a.element, a.shape, min(a.low, b.low), max(a.high, b.high))
    return w.define(f"{name} {a.name}, {b.name} {sign} : {a.type}", known)


def _high(w: Writer, a: Value, b: Value) -> Value:
    return w.define(f"mulhii {a.name}, {b.name} : {a.type}", anything("", a.element, a.shape))


def _unary(w: Writer, a: Value, _: Value) -> Value:
    known = anything("", a.element, a.shape)
    if w.chance(0.5):
        if a.element != "i1" and a.low > limits(a.element)[0]:
            known = Value("", a.element, a.shape, 0, a.magnitude)
        return w.define(f"absi {a.name} : {a.type}", known)
    if a.element == "i1":
        return w.define(f"negi {a.name} : {a.type}", known)
    bounds = -a.high, -a.low
    promise = " overflow<no_signed_wrap>" if bounds[1] <= limits(a.element)[1] and w.chance(0.5) else ""
    return w.define(f"negi {a.name}{promise} : {a.type}", bounded("", a.element, a.shape, bounds))


_OPERATIONS = (_arithmetic, _arithmetic, _bitwise, _shift, _division, _extremum, _high, _unary)


def operation(w: Writer, element: str, shape: Shape) -> Value:
    """One operation on integers of a type."""
    return w.rnd.choice(_OPERATIONS)(w, w.pick(element, shape), w.pick(element, shape))


def comparison(w: Writer, element: str, shape: Shape) -> Value:
    """A tile of i1 by comparing integers."""
    a, b = w.pick(element, shape), w.pick(element, shape)
    text = f"cmpi {w.rnd.choice(PREDICATES)} {a.name}, {b.name}, {signedness(w)} : {a.type} -> "
    known = anything("", "i1", shape)
    return w.define(text + known.type, known)
