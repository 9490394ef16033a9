"""Reductions and scans of one tile or of several, by regions that are associative."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from generators.tile_ir_floats import unit
from generators.tile_ir_integers import signedness
from generators.tile_ir_shapes import any_value
from generators.tile_ir_values import BITS, DIGITS, FLOATS, INTEGERS, Shape, Value, anything, is_float, limits, tile
from generators.tile_ir_writer import Writer, spelled

Made = Value | None


class _Names(dict[str, str]):
    """Names in a region; those that nothing has yet are new ones."""

    def __init__(self, w: Writer, known: dict[str, str]) -> None:
        super().__init__(known)
        self._w = w

    def __missing__(self, name: str) -> str:
        found = self[name] = self._w.fresh("e")
        return found


@dataclass(frozen=True, slots=True)
class Monoid:
    """An associative operation with its identities, and what is known of its results.

    The text has {e0}, {e1}, .. for the elements, {a0}, {a1}, .. for the accumulators, {t0}, {t1}, .. for their types,
    {r0}, {r1}, .. for what it yields, and other names in braces for values of its own.
    """

    text: str
    identities: Sequence[float]
    known: Sequence[Value]


def _same(value: Value) -> Value:
    return anything("", value.element, ())


# One operation on one tile


def _simple(w: Writer, value: Value) -> Monoid:
    element = value.element
    if element == "i1":
        name, identity = w.rnd.choice([("andi", 1), ("ori", 0), ("xori", 0), ("addi", 0), ("muli", 1)])
        return _single(f"{name} {{e0}}, {{a0}}", identity, _same(value))
    if w.chance(0.5):
        name, identity = w.rnd.choice([("addi", 0), ("muli", 1), ("andi", -1), ("ori", 0), ("xori", 0)])
        return _single(f"{name} {{e0}}, {{a0}}", identity, _same(value))
    name, sign = w.rnd.choice(["maxi", "mini"]), signedness(w)
    known = replace(value, shape=()) if sign == "signed" else _same(value)
    return _single(f"{name} {{e0}}, {{a0}} {sign}", _extreme(element, name == "maxi", sign), known)


def _single(operation: str, identity: float, known: Value) -> Monoid:
    return Monoid(f"{{r0}} = {operation} : {{t0}}", [identity], [known])


def _extreme(element: str, is_maximum: bool, sign: str) -> float:
    """What a maximum or minimum starts with."""
    if is_float(element):
        return -math.inf if is_maximum else math.inf
    least, most = limits(element) if sign == "signed" else (0, -1)
    return least if is_maximum else most


def _simple_float(w: Writer, value: Value, terms: int) -> Monoid | None:
    element = value.element
    if not value.exact:
        return None
    if w.chance(0.5):
        name = w.rnd.choice(["maxf", "minf"])
        # Whether the identity takes part is not said, and it would hide a NaN.
        nan = " propagate_nan" if w.chance(0.3) or not value.finite else ""
        identity = _extreme(element, name == "maxf", "")
        return _single(f"{name} {{e0}}, {{a0}}{nan}", identity, replace(value, shape=()))
    total = terms * value.magnitude
    known = Value("", element, (), -total, total, zeros=True)
    if value.whole and total <= 2.0 ** DIGITS[element]:
        return _single("addf {e0}, {a0}", 0.0, replace(known, whole=True))
    if value.finite and value.low >= 0 and total < 60000:
        return _single("addf {e0}, {a0}", 0.0, replace(known, low=0, error=2 * terms * unit(element)))
    return None


# Several operations on one tile of integers


def _shifted(w: Writer, value: Value) -> Monoid:
    """A sum seen through a bijection: exclusive or with a constant."""
    number = w.rnd.randint(1, 100) if value.element != "i1" else 1
    text = f"""{{c}} = constant <{value.element}: {number if value.element != "i1" else "true"}> : {{t0}}
{{x}} = xori {{e0}}, {{c}} : {{t0}}
{{y}} = xori {{a0}}, {{c}} : {{t0}}
{{s}} = addi {{x}}, {{y}} : {{t0}}
{{r0}} = xori {{s}}, {{c}} : {{t0}}"""
    return Monoid(text, [number], [_same(value)])


def _outer(w: Writer, value: Value) -> Monoid:
    """x + y + k x y, where k comes from outside of the region."""
    k = w.pick(value.element, ())
    text = f"""{{x}} = muli {{e0}}, {{a0}} : {{t0}}
{{y}} = muli {{x}}, {k.name} : {{t0}}
{{s}} = addi {{e0}}, {{a0}} : {{t0}}
{{r0}} = addi {{s}}, {{y}} : {{t0}}"""
    return Monoid(text, [0], [_same(value)])


def _widened(w: Writer, value: Value) -> Monoid:
    """A product of wider integers, cut again."""
    wider = next((e for e in INTEGERS if BITS[e] > BITS[value.element]), None)
    if wider is None:
        return _outer(w, value)
    type_ = tile(wider, ())
    text = f"""{{x}} = exti {{e0}} {signedness(w)} : {{t0}} -> {type_}
{{y}} = exti {{a0}} {signedness(w)} : {{t0}} -> {type_}
{{p}} = muli {{x}}, {{y}} : {type_}
{{r0}} = trunci {{p}} : {type_} -> {{t0}}"""
    return Monoid(text, [1], [_same(value)])


def _chosen(w: Writer, value: Value) -> Monoid:
    """A maximum by comparison and selection; of equals the first, for zeros may differ."""
    word = w.rnd.choice(["greater_than", "less_than"])
    sign = "" if is_float(value.element) else signedness(w)
    text = f"{{c}} = {_compared(value.element, word, sign)}\n{{r0}} = select {{c}}, {{e0}}, {{a0}} : tile<i1>, {{t0}}"
    known = replace(value, shape=()) if sign != "unsigned" else _same(value)
    return Monoid(text, [_extreme(value.element, word == "greater_than", sign)], [known])


def _compared(element: str, word: str, sign: str) -> str:
    if is_float(element):
        return f"cmpf {word} ordered {{e0}}, {{a0}} : {{t0}} -> tile<i1>"
    return f"cmpi {word} {{e0}}, {{a0}}, {sign} : {{t0}} -> tile<i1>"


def _branching(w: Writer, value: Value) -> Monoid:
    """As `_chosen`, by a branch."""
    word = w.rnd.choice(["greater_than", "less_than"])
    sign = "" if is_float(value.element) else signedness(w)
    text = f"""{{c}} = {_compared(value.element, word, sign)}
{{r0}} = if {{c}} -> ({{t0}}) {{{{
  yield {{e0}} : {{t0}}
}}}} else {{{{
  yield {{a0}} : {{t0}}
}}}}"""
    known = replace(value, shape=()) if sign != "unsigned" else _same(value)
    return Monoid(text, [_extreme(value.element, word == "greater_than", sign)], [known])


def _looped(w: Writer, value: Value) -> Monoid:
    """A sum as that of a loop that runs once."""
    low = w.rnd.randint(-2, 2)
    text = f"""{{l}} = constant <i32: {low}> : tile<i32>
{{h}} = constant <i32: {low + 1}> : tile<i32>
{{s}} = constant <i32: 1> : tile<i32>
{{r0}} = for {{i}} in ({{l}} to {{h}}, step {{s}}) : tile<i32> iter_values({{x}} = {{a0}}) -> ({{t0}}) {{{{
  {{y}} = addi {{x}}, {{e0}} : {{t0}}
  continue {{y}} : {{t0}}
}}}}"""
    return Monoid(text, [0], [_same(value)])


def _of_pairs(w: Writer, value: Value) -> Monoid:
    """An operation on the elements of a tile of two, which a reduction in the region makes one."""
    inner, one, two = _simple(w, value), tile(value.element, (1,)), tile(value.element, (2,))
    operation = inner.text.partition(" = ")[2].replace("{e0}", "{p}").replace("{a0}", "{q}")
    text = f"""{{x}} = reshape {{a0}} : {{t0}} -> {one}
{{y}} = reshape {{e0}} : {{t0}} -> {one}
{{z}} = cat {{x}}, {{y}} dim = 0 : {one}, {one} -> {two}
{{r0}} = reduce {{z}} dim=0 identities=[{spelled(value.element, inner.identities[0])} : {value.element}] : {two} -> """
    text += f"""{{t0}} ({{p}}: {{t0}}, {{q}}: {{t0}}) {{{{
  {{o}} = {operation}
  yield {{o}} : {{t0}}
}}}}"""
    return Monoid(text, inner.identities, inner.known)


# Several tiles


def _affine(w: Writer, values: Sequence[Value]) -> Monoid:
    """Composition of functions x -> ax + b: the order of operands matters."""
    text = """{r0} = muli {e0}, {a0} : {t0}
{x} = muli {e0}, {a1} : {t0}
{r1} = addi {x}, {e1} : {t0}"""
    return Monoid(text, [1, 0], [_same(v) for v in values])


def _gaussian(w: Writer, values: Sequence[Value]) -> Monoid:
    """Products of complex integers."""
    text = """{x} = muli {e0}, {a0} : {t0}
{y} = muli {e1}, {a1} : {t0}
{r0} = subi {x}, {y} : {t0}
{u} = muli {e0}, {a1} : {t0}
{v} = muli {e1}, {a0} : {t0}
{r1} = addi {u}, {v} : {t0}"""
    return Monoid(text, [1, 0], [_same(v) for v in values])


def _matrices(w: Writer, values: Sequence[Value]) -> Monoid:
    """Products of 2 x 2 matrices."""
    lines: list[str] = []
    for k, ((a, b), (c, d)) in enumerate((((0, 1), (0, 2)), ((0, 1), (1, 3)), ((2, 3), (0, 2)), ((2, 3), (1, 3)))):
        lines.append(f"{{x{k}}} = muli {{e{a}}}, {{a{c}}} : {{t0}}")
        lines.append(f"{{y{k}}} = muli {{e{b}}}, {{a{d}}} : {{t0}}")
        lines.append(f"{{r{k}}} = addi {{x{k}}}, {{y{k}}} : {{t0}}")
    return Monoid("\n".join(lines), [1, 0, 0, 1], [_same(v) for v in values])


def _segmented(w: Writer, values: Sequence[Value]) -> Monoid:
    """Sums that start again where a flag is set."""
    text = """{r0} = ori {e0}, {a0} : {t0}
{s} = addi {e1}, {a1} : {t1}
{r1} = select {e0}, {e1}, {s} : {t0}, {t1}"""
    return Monoid(text, [0, 0], [_same(v) for v in values])


def _best(w: Writer, values: Sequence[Value]) -> Monoid:
    """The largest or smallest key with what belongs to it; of equal keys the one with the smaller other number."""
    key, other = values
    word, sign = w.rnd.choice(["greater_than", "less_than"]), "signed"
    equal = _compared(key.element, "equal", sign)
    text = f"""{{c}} = {_compared(key.element, word, sign)}
{{q}} = {equal}
{{l}} = cmpi less_than {{e1}}, {{a1}}, signed : {{t1}} -> tile<i1>
{{b}} = andi {{q}}, {{l}} : tile<i1>
{{d}} = ori {{c}}, {{b}} : tile<i1>
{{r0}} = select {{d}}, {{e0}}, {{a0}} : tile<i1>, {{t0}}
{{r1}} = select {{d}}, {{e1}}, {{a1}} : tile<i1>, {{t1}}"""
    identities = [_extreme(key.element, word == "greater_than", sign), limits(other.element)[1]]
    return Monoid(text, identities, [replace(v, shape=()) for v in values])


def _side_by_side(w: Writer, values: Sequence[Value]) -> Monoid:
    """An operation for each tile."""
    parts = [_simple(w, v) for v in values]
    text = "\n".join(part.text.replace("0}", f"{k}}}") for k, part in enumerate(parts))
    return Monoid(text, [part.identities[0] for part in parts], [part.known[0] for part in parts])


# The operation itself


def _emit(w: Writer, values: Sequence[Value], dim: int, monoid: Monoid) -> None:
    reduces = w.chance(0.6)
    shape = tuple(n for k, n in enumerate(values[0].shape) if not (reduces and k == dim))
    known = [v.shaped(shape).named(w.fresh()) for v in monoid.known]
    given: dict[str, str] = {}
    for k, value in enumerate(values):
        given |= {f"e{k}": w.fresh("e"), f"a{k}": w.fresh("a"), f"t{k}": tile(value.element, ())}
    names = _Names(w, given)
    head = "reduce" if reduces else "scan"
    order = "" if reduces else f" reverse={w.rnd.choice(['true', 'false'])}"
    pairs = zip(monoid.identities, values, strict=True)
    identities = ", ".join(f"{spelled(v.element, number)} : {v.element}" for number, v in pairs)
    arguments = ", ".join(f"{names[f'{x}{k}']}: {names[f't{k}']}" for k in range(len(values)) for x in "ea")
    head = f"{_listed(known)} = {head} {_listed(values)} dim={dim}{order} identities=[{identities}]"
    with w.region(f"{head} : {_types(values)} -> {_types(known)} ({arguments})"):
        for line in monoid.text.splitlines():
            w.emit(line.format_map(names))
        results = [v.shaped(()).named(names[f"r{k}"]) for k, v in enumerate(known)]
        w.emit(f"yield {_listed(results)} : {_types(results)}")
    w.pool.extend(known)


def _listed(values: Sequence[Value]) -> str:
    return ", ".join(v.name for v in values)


def _types(values: Sequence[Value]) -> str:
    return ", ".join(v.type for v in values)


_OF_ONE: tuple[Callable[[Writer, Value], Monoid], ...] = (
    *(_shifted, _outer, _widened, _chosen),
    *(_branching, _looped, _of_pairs),
)


def _of_one(w: Writer, value: Value, terms: int) -> Monoid | None:
    if is_float(value.element):
        if value.exact and value.finite and w.chance(0.2):
            return w.rnd.choice([_chosen, _branching])(w, value)
        return _simple_float(w, value, terms)
    if w.chance(0.25):
        return w.rnd.choice(_OF_ONE)(w, value)
    return _simple(w, value)


def _operands(w: Writer, value: Value) -> tuple[Callable[[Writer, Sequence[Value]], Monoid], list[Value]]:
    """An operation on several tiles, of which this may be one, and all of them."""
    shape: Shape = value.shape
    kind = w.rnd.choice([_affine, _gaussian, _matrices, _segmented, _best, _side_by_side])
    if kind is _segmented:
        return kind, [w.pick("i1", shape), value]
    if kind is _best:
        key = w.pick(w.rnd.choice(FLOATS), shape)
        return kind, [key if key.exact and key.finite and w.chance(0.5) else value, w.pick("i32", shape)]
    if kind is _side_by_side:
        others = [w.pick(w.rnd.choice(["i1", *INTEGERS]), shape) for _ in range(w.rnd.randint(1, 3))]
        return kind, [value, *others]
    number = 4 if kind is _matrices else 2
    return kind, [value, *(w.pick(value.element, shape) for _ in range(number - 1))]


def reduction(w: Writer) -> Made:
    """A reduction or scan of a value in scope."""
    value = any_value(w, 1)
    if value is None or value.element not in ("i1", *INTEGERS, *FLOATS):
        return None
    dim, values = w.rnd.randrange(len(value.shape)), [value]
    if value.element in INTEGERS and w.chance(0.3):
        kind, values = _operands(w, value)
        monoid = kind(w, values)
    else:
        found = _of_one(w, value, value.shape[dim])
        if found is None:
            return None
        monoid = found
    _emit(w, values, dim, monoid)
    return w.pool[-1]
