"""Control flow: branches, counted loops, loops that are left, early returns, with values and tokens carried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from generators.tile_ir_floats import exact
from generators.tile_ir_integers import masked
from generators.tile_ir_memory import store
from generators.tile_ir_values import INTEGERS, Shape, Value, anything, limits, tile
from generators.tile_ir_writer import Writer

Work = Callable[[Writer, int], None]
"""Emits some statements."""


@dataclass(frozen=True, slots=True)
class Carried:
    """Values that a loop hands on: their types as facts, and what they start with."""

    starts: list[Value]

    @property
    def types(self) -> list[tuple[str, Shape]]:
        """Element and shape of each."""
        return [(v.element, v.shape) for v in self.starts]

    @property
    def spelled(self) -> str:
        """The types."""
        return ", ".join(v.type for v in self.starts)


def condition(w: Writer) -> Value:
    """A scalar i1, from data if there is some."""
    scalars = [v for v in w.pool if v.shape == () and v.element in INTEGERS]
    if not scalars or w.chance(0.2):
        return w.pick("i1", ())
    a = w.rnd.choice(scalars)
    b = w.constant(a.element, w.rnd.randint(-2, 3))
    known = anything("", "i1", ())
    text = f"cmpi {w.rnd.choice(['less_than', 'equal', 'greater_than'])} {a.name}, {b.name}, signed : {a.type}"
    return w.define(f"{text} -> {known.type}", known)


def _starts(w: Writer, most: int) -> Carried:
    """Exact values in scope, of some types."""
    found = [v for v in w.pool[-20:] if v.exact]
    number = w.rnd.randint(0, most)
    return Carried([w.rnd.choice(found) for _ in range(number)] if found else [])


def _results(w: Writer, types: list[tuple[str, Shape]]) -> list[Value]:
    return [anything(w.fresh(), element, shape) for element, shape in types]


def _ends(w: Writer, word: str, types: list[tuple[str, Shape]]) -> None:
    """The terminator with exact values of those types."""
    values = [w.pick(element, shape, exact) for element, shape in types]
    values = [v if v.exact else w.constants(v.element, v.shape) for v in values]
    if values:
        w.emit(f"{word} {', '.join(v.name for v in values)} : {', '.join(v.type for v in values)}")
    elif w.chance(0.5) or word == "break":
        w.emit(word)


def branch(w: Writer, work: Work) -> None:
    """An `if` with or without results and else."""
    chosen = condition(w)
    types = _starts(w, 2).types
    results = _results(w, types)
    head = f"if {chosen.name}"
    if results:
        head = f"{', '.join(r.name for r in results)} = {head} -> ({', '.join(r.type for r in results)})"
    if not results and w.chance(0.5):
        with w.region(head):
            work(w, 2)
        return
    with w.region(head, "} else {"):
        work(w, 2)
        _ends(w, "yield", types)
    w.depth += 1
    values, tokens = len(w.pool), list(w.tokens)
    work(w, 2)
    _ends(w, "yield", types)
    del w.pool[values:]
    w.tokens[:] = tokens
    w.depth -= 1
    w.emit("}")
    w.pool.extend(results)


def _bounds(w: Writer, element: str, unsigned: bool) -> tuple[Value, Value, Value]:
    """Of a loop of a few iterations: start, end, step. Some come with the launch, some from data."""
    step = w.rnd.randint(1, 3)
    low = w.rnd.randint(0 if unsigned else -4, 4)
    if unsigned and w.chance(0.2):
        # Above the largest signed number.
        low = limits(element)[0] + w.rnd.randint(0, 4)
    high = low + w.rnd.randint(-1 if low > limits(element)[0] else 0, 4) * step + w.rnd.randint(0, 1)
    if low >= 0 and w.chance(0.25):
        end = masked(w, w.pick(element, ()), 7)
        return w.constant(element, low), end, w.constant(element, step)
    values = [low, max(high, low if unsigned else high), step]
    made = [w.scalar(element, v) if w.depth == 1 and w.chance(0.2) else w.constant(element, v) for v in values]
    return made[0], made[1], made[2]


def counted(w: Writer, work: Work) -> None:
    """A `for` that carries values and perhaps a token."""
    element, unsigned = w.rnd.choice(["i32", "i32", "i64", "i16", "i8"]), w.chance(0.25)
    low, high, step = _bounds(w, element, unsigned)
    carried = _starts(w, 2)
    # A loop around this one would have to hand on the token too.
    with_store = not w.loops and w.chance(0.3)
    arguments, results = _results(w, carried.types), _results(w, carried.types)
    i = w.fresh("i")
    head = f"for {'unsigned ' if unsigned else ''}{i} in ({low.name} to {high.name}, step {step.name})"
    head += f" : {tile(element, ())}"
    pairs = [f"{a.name} = {s.name}" for a, s in zip(arguments, carried.starts, strict=True)]
    types = [s.type for s in carried.starts]
    inner = outer = ""
    if with_store:
        start, inner, outer = w.fresh("t"), w.fresh("t"), w.fresh("t")
        w.emit(f"{start} = make_token : token")
        pairs.append(f"{inner} = {start}")
        types.append("token")
    names = [r.name for r in results] + ([outer] if outer else [])
    if pairs:
        head = f"{', '.join(names)} = {head} iter_values({', '.join(pairs)}) -> ({', '.join(types)})"
    with w.region(head):
        w.loops += 1
        w.pool.append(Value(i, element, (), min(low.low, high.low), max(low.high, high.high)))
        w.pool.extend(arguments)
        work(w, 2)
        if with_store:
            _store_and_continue(w, carried, inner)
        else:
            _ends(w, "continue", carried.types)
        w.loops -= 1
    w.pool.extend(results)
    if outer:
        w.tokens.append(outer)


def _store_and_continue(w: Writer, carried: Carried, token: str) -> None:
    """A store behind that of the iteration before."""
    stored = [v for v in w.pool[-6:] if v.exact]
    last = store(w, w.rnd.choice(stored) if stored else w.pick("i32", ()), token)
    values = [w.pick(element, shape, exact) for element, shape in carried.types]
    values = [v if v.exact else w.constants(v.element, v.shape) for v in values]
    names, types = [v.name for v in values] + [last], [v.type for v in values] + ["token"]
    w.emit(f"continue {', '.join(names)} : {', '.join(types)}")


def endless(w: Writer, work: Work) -> None:
    """A `loop` that counts, goes on early now and then, and breaks with other values than it carries."""
    carried = _starts(w, 1)
    out = _starts(w, 2).types
    arguments, results = _results(w, carried.types), _results(w, out)
    zero, one, most = w.constant("i32", 0), w.constant("i32", 1), w.constant("i32", w.rnd.randint(0, 4))
    n = w.fresh("i")
    pairs = [f"{n} = {zero.name}", *(f"{a.name} = {s.name}" for a, s in zip(arguments, carried.starts, strict=True))]
    head = f"loop iter_values({', '.join(pairs)}) : {', '.join(['tile<i32>', *(s.type for s in carried.starts)])}"
    if results:
        head = f"{', '.join(r.name for r in results)} = {head} -> {', '.join(r.type for r in results)}"
    with w.region(head):
        w.loops += 1
        count = Value(n, "i32", (), 0, most.high)
        w.pool.append(count)
        w.pool.extend(arguments)
        if w.chance(0.5):
            work(w, 1)
        done = w.define(f"cmpi greater_than_or_equal {n}, {most.name}, signed : tile<i32> -> tile<i1>",
                        anything("", "i1", ()))  # fmt: skip
        with w.region(f"if {done.name}"):
            if w.chance(0.5):
                work(w, 1)
            _ends(w, "break", out)
        following = w.define(f"addi {n}, {one.name} : tile<i32>", Value("", "i32", (), 1, most.high + 1))
        if w.chance(0.4):
            early = condition(w)
            with w.region(f"if {early.name}"):
                _goes_on(w, following, carried)
        work(w, 2)
        _goes_on(w, following, carried)
        w.loops -= 1
    w.pool.extend(results)


def _goes_on(w: Writer, following: Value, carried: Carried) -> None:
    values = [w.pick(element, shape, exact) for element, shape in carried.types]
    values = [following, *(v if v.exact else w.constants(v.element, v.shape) for v in values)]
    w.emit(f"continue {', '.join(v.name for v in values)} : {', '.join(v.type for v in values)}")


def early_return(w: Writer) -> None:
    """Some tile blocks end here."""
    chosen = condition(w)
    with w.region(f"if {chosen.name}"):
        w.emit("return")


def statement(w: Writer, work: Work) -> None:
    """One of them."""
    w.rnd.choice([branch, branch, counted, counted, endless])(w, work)
