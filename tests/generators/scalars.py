"""Random computations on the scalars of work-items."""

from __future__ import annotations

from generators.arguments import SMALLER
from generators.writer import Writer

Values = list[str]
COMPARISONS = ["less_than", "less_than_equal", "greater_than", "greater_than_equal", "equal", "not_equal"]


def arithmetic(w: Writer, dtype: str, values: Values) -> None:
    """A few operations on `values`, appending to it. The first, of which nothing may be known, is every divisor."""
    for _ in range(w.rnd.randint(1, 4)):
        _operation(w, dtype, values)
    if w.chance(0.25):
        _other_type(w, dtype, values)
    if dtype[0] in "fbc" and w.chance(0.15) and w.exactly(values):
        _elementary(w, dtype, values)
    if dtype[0] != "c" and w.chance(0.4) and w.exactly(values):
        choice(w, dtype, values)


def _elementary(w: Writer, dtype: str, values: Values) -> None:
    """A function where it is smooth: of numbers up to 4, logarithms of those from 1 on."""
    value, real = w.exactly(values)[-1], {"c32": "f32", "c64": "f64"}.get(dtype, dtype)
    part = w.define(f"re {value} : {real}") if dtype[0] == "c" else value
    size = w.define(f"min {w.define(f'abs {part} : {real}')}, {w.constant(real, 4)} : {real}")
    name = w.rnd.choice(["exp", "exp2"] if dtype[0] == "c" else ["exp", "exp2", "sin", "cos", "log", "log2"])
    if name.startswith("log"):
        size = w.define(f"add {size}, {w.constant(real, 1)} : {real}")
    if dtype[0] == "c":
        turned = w.define(f"constant [0.5, -0.5] : {dtype}", "c")
        size = w.define(f"mul {w.define(f'cast {size} : {dtype}')}, {turned} : {dtype}")
    values.append(w.define(f"{w.rnd.choice(['', 'native_'])}{name} {size} : {dtype}"))
    w.round(values[-1])


def _operation(w: Writer, dtype: str, values: Values) -> None:
    binary, unary = ["add", "sub", "mul"], ["neg"]
    if dtype[0] == "i":
        binary += ["max", "min", "rem", "div", "and", "or", "xor", "shl", "shr"]
        unary += ["abs", "not"]
    elif dtype[0] == "c":
        unary += ["conj"]
    else:
        binary += ["max", "min"] if w.data.summable else ["max", "min", "div", "rem"]
        unary += ["abs"]
    if w.chance(0.75):
        op = w.rnd.choice(binary)
        right = w.rnd.choice(values[:1] if op in ("div", "rem") else values)
        values.append(w.define(f"{op} {w.rnd.choice(values)}, {right} : {dtype}"))
    else:
        values.append(w.define(f"{w.rnd.choice(unary)} {w.rnd.choice(values)} : {dtype}"))


def _other_type(w: Writer, dtype: str, values: Values) -> None:
    """A detour by way of another type: a narrower one, or the parts of a complex number."""
    exact = w.exactly(values)
    if not exact:
        return
    value = w.rnd.choice(exact)
    if dtype[0] == "c":
        component = "f32" if dtype == "c32" else "f64"
        value = w.define(f"{w.rnd.choice(['re', 'im'])} {value} : {component}")
    elif dtype in SMALLER:
        value = w.define(f"cast {value} : {w.rnd.choice(SMALLER[dtype])}")
    else:
        value = w.define(f"cast {value} : i32")
    values.append(w.define(f"cast {value} : {dtype}"))


def choice(w: Writer, dtype: str, values: Values) -> None:
    """A value by a branch."""
    exact = w.exactly(values)
    compared = w.define(f"{w.rnd.choice(COMPARISONS)} {w.rnd.choice(exact)}, {w.rnd.choice(exact)} : bool", "b")
    if w.chance(0.3):
        other = w.define(f"{w.rnd.choice(COMPARISONS)} {w.rnd.choice(exact)}, {w.rnd.choice(exact)} : bool", "b")
        compared = w.define(f"{w.rnd.choice(['and', 'or', 'xor'])} {compared}, {other} : bool", "b")
    name = w.fresh("v")
    with w.region(f"{name} = if {compared} -> ({dtype})", "} else {"):
        inner = w.define(f"add {w.rnd.choice(values)}, {w.rnd.choice(values)} : {dtype}")
        w.emit(f"yield ({inner})")
    w.emit(f"    yield ({w.rnd.choice(values)})")
    w.close()
    values.append(name)


def loop(w: Writer, dtype: str, lane: str, values: Values) -> None:
    """A loop whose trip count differs by work-item, carrying one value or two."""
    zero, four = w.constant("i32", 0), w.constant("i32", 4)
    bound = w.define(f"rem {lane}, {four} : i32")
    i, first, second = (w.fresh("v") for _ in range(3))
    two = w.chance(0.3)
    starts = f"{first}={values[0]}, {second}={values[1]}" if two else f"{first}={values[0]}"
    results = [w.fresh("v") for _ in range(2 if two else 1)]
    types = ", ".join([dtype] * len(results))
    step = f",{w.constant('i32', w.rnd.randint(1, 3))}" if w.chance(0.4) else ""
    with w.region(f"{', '.join(results)} = for {i}={zero},{bound}{step} init({starts})->({types})", unrolled(w)):
        following = w.define(f"add {first}, {values[1]} : {dtype}")
        w.emit(f"yield ({second}, {following})" if two else f"yield ({following})")
    values.extend(results)


def unrolled(w: Writer) -> str:
    """The end of a loop, perhaps with a wish of how it is unrolled."""
    return f"}} attributes{{unroll={w.rnd.choice(['true', 'false', '2', '5'])}}}" if w.chance(0.2) else "}"
