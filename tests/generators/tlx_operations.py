"""Steps of random TLX programs: each calls an intrinsic, computes with vectors, or branches and loops around both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from generators.tlx import DTYPES, EXACT, LARGE, Program, Tensor, exact, ivec, layout_of, wide

Array = NDArray[Any]
FLOAT_FUNCTIONS: Final[dict[str, Callable[[Array], Array]]] = {"fabs": np.abs, "floor": np.floor, "ceil": np.ceil}
REDUCTIONS: Final[dict[str, Callable[..., Array]]] = {
    "add": np.add.reduce,
    "mul": np.multiply.reduce,
    "max": np.maximum.reduce,
    "min": np.minimum.reduce,
    "and": np.bitwise_and.reduce,
    "or": np.bitwise_or.reduce,
    "xor": np.bitwise_xor.reduce,
}
WIDER: Final = {
    "i8": ("i16", "i32", "i64"),
    "i16": ("i32", "i64"),
    "i32": ("i64",),
    "half": ("float",),
    "bfloat": ("float",),
    "float": ("double",),
}
SHORT: Final = ("half", "bfloat")
"""Floats that are only stored: sums of them are formed as `float`."""


def dense(p: Program, element: str, data: Array, is_open: bool = False) -> Tensor:
    """Row-major without padding."""
    return Tensor(element, data, tuple(range(data.ndim)), (0,) * data.ndim, "", is_open)


def drawn(p: Program) -> Tensor:
    """A tensor that is there."""
    found = p.any()
    assert found is not None
    return found


# Products


def matmul(p: Program) -> Tensor | None:
    a = p.any(lambda t: t.rank >= 2)
    if a is None:
        return None
    columns = p.rnd.randint(1, 70 if a.data.size > LARGE // 2 else 7)
    b = p.of_shape(a.element, (*a.data.shape[:-2], a.data.shape[-1], columns))
    found = product(a.element, a, b, np.matmul)
    padding = (*a.padding[:-1], b.padding[-1])
    result = Tensor(a.element, found, layout_of(p.rnd, a.rank), padding, "", True)
    return p.operation("matmul", result, [p.token(a), p.token(b)])


def product(element: str, a: Tensor, b: Tensor, form: Callable[[Array, Array], Array]) -> Array:
    """Of two tensors, exactly."""
    x, y = wide(a.data), wide(b.data)
    return exact(element, form(x, y), form(np.abs(x), np.abs(y)) if element in EXACT else None)


def contract(p: Program) -> Tensor | None:
    a = p.any(lambda t: t.data.size <= 600)
    if a is None:
        return None
    count = p.rnd.randint(1, min(a.rank, 3))
    axes = p.rnd.sample(range(a.rank), count)
    free = [p.rnd.randint(1, 4) for _ in range(p.rnd.randint(0 if count < a.rank else 1, 2))]
    places = p.rnd.sample(range(count + len(free)), count)
    shape = [0] * (count + len(free))
    for place, axis in zip(places, axes, strict=True):
        shape[place] = a.data.shape[axis]
    rest = iter(free)
    b = p.of_shape(a.element, [n or next(rest) for n in shape])
    if a.rank + b.rank - 2 * count < 1:
        return None
    found = product(a.element, a, b, lambda x, y: np.tensordot(x, y, (axes, places)))
    mine, others = ([d for d in range(t.rank) if d not in used] for t, used in ((a, axes), (b, places)))
    padding = (*(a.padding[d] for d in mine), *(b.padding[d] for d in others))
    result = Tensor(a.element, found, layout_of(p.rnd, found.ndim), padding, "", True)
    return p.operation("contract", result, [p.token(a), p.token(b), ivec(axes), ivec(places)])


def convolution(p: Program) -> Tensor | None:
    element = p.rnd.choice(list(DTYPES))
    rank = p.rnd.choice((2, 4))
    sizes = [(p.rnd.randint(1, 9), p.rnd.randint(1, 3)) for _ in range(2)]
    steps = [(p.rnd.randint(1, 3), p.rnd.randint(0, 2), p.rnd.randint(0, 2)) for _ in range(2)]
    for (n, k), (_, d, e) in zip(sizes, steps, strict=True):
        if (k - 1) * max(e, 1) > (n - 1) * max(d, 1):
            return None
    channels, leading = p.rnd.randint(1, 4), [p.rnd.randint(1, 3) for _ in range(2)]
    a = p.of_shape(element, [*([leading[0], channels] if rank == 4 else []), *(n for n, _ in sizes)])
    b = p.of_shape(element, [*([leading[1], channels] if rank == 4 else []), *(k for _, k in sizes)])
    found = product(element, a, b, lambda x, y: convolved(x, y, steps))
    padding = (a.padding[0], b.padding[0], 0, 0) if rank == 4 else (0, 0)
    result = Tensor(element, found, layout_of(p.rnd, rank), padding, "", True)
    whole = all(step == (1, 1, 1) for step in steps)
    operands = [] if whole and p.rnd.random() < 0.5 else [ivec(column) for column in zip(*steps, strict=True)]
    return p.operation("convolution", result, [p.token(a), p.token(b), *operands])


def convolved(x: Array, y: Array, steps: list[tuple[int, int, int]]) -> Array:
    """Element by element, as the formula says."""
    if x.ndim == 2:
        return convolved(x[None, None], y[None, None], steps)[0, 0]
    (s, d, e), (t, f, g) = [(step, max(a, 1), max(b, 1)) for step, a, b in steps]
    (images, channels, height, width), (maps, _, tall, broad) = tuple(x.shape), tuple(y.shape)
    spread = np.zeros((images, channels, (height - 1) * d + 1, (width - 1) * f + 1), x.dtype)
    spread[:, :, ::d, ::f] = x
    rows = ((height - 1) * d - (tall - 1) * e) // s + 1
    columns = ((width - 1) * f - (broad - 1) * g) // t + 1
    found = np.zeros((images, maps, rows, columns), x.dtype)
    for i, j in np.ndindex(tall, broad):
        part = spread[:, :, i * e :: s, j * g :: t][:, :, :rows, :columns]
        found += np.einsum("nchw,oc->nohw", part, y[:, :, i, j])
    return found


def accumulated(p: Program) -> Tensor | None:
    element = p.rnd.choice(("i16", "i32", "i32", "i64", "float", "double"))
    narrow = [e for e in DTYPES if element in (e, *WIDER.get(e, ()))]
    shape = [p.rnd.randint(1, 3) for _ in range(p.rnd.randint(0, 2))]
    m, n, k = (p.rnd.randint(1, 9) for _ in range(3))
    return multiplied(p, p.of_shape(element, (*shape, m, n)), narrow, k)


def multiplied(p: Program, acc: Tensor, narrow: list[str], terms: int) -> Tensor:
    """The accumulator and a product of factors of any width and sign."""
    is_float = acc.element in EXACT
    name = p.rnd.choice(("smma", "mma")) if is_float else p.rnd.choice(("umma", "smma", "usmma", "summa", "mma"))
    *batch, rows, columns = acc.data.shape
    factors = [p.of_shape(p.rnd.choice(narrow), s) for s in ((*batch, rows, terms), (*batch, terms, columns))]
    signs = {"umma": (False, False), "usmma": (False, True), "summa": (True, False)}.get(name, (True, True))
    x, y = (wide(t.data if signed else bits(t.data)) for t, signed in zip(factors, signs, strict=True))
    sums = np.abs(wide(acc.data)) + np.abs(x) @ np.abs(y)
    found = exact(acc.element, wide(acc.data) + x @ y, sums if is_float else None)
    result = Tensor(acc.element, found, acc.layout, acc.padding, "")
    return p.operation(name, result, [p.token(acc), *(p.token(t) for t in factors)])


def bits(data: Array) -> Array:
    """Integers without a sign."""
    return data.view(f"u{data.itemsize}")


# Element by element


def function(p: Program) -> Tensor | None:
    t = drawn(p)
    return applied(p, t)


def applied(p: Program, t: Tensor) -> Tensor:
    """The type stays."""
    name = p.rnd.choice(("relu", *FLOAT_FUNCTIONS)) if t.element in EXACT else "relu"
    data = np.maximum(t.data, t.data.dtype.type(0)) if name == "relu" else FLOAT_FUNCTIONS[name](t.data)
    return p.operation(name, Tensor(t.element, data, t.layout, t.padding, ""), [p.token(t)])


def scalar(p: Program, element: str) -> tuple[str, int]:
    """A number, written or given by the launch."""
    number = p.rnd.randint(-5, 5)
    if p.rnd.random() < 0.5 and element not in SHORT:
        return p.parameter(element, DTYPES[element](number)), number
    return (f"{number}.0" if element in EXACT else str(number)), number


def broadcast(p: Program) -> Tensor | None:
    t = drawn(p)
    name, number = scalar(p, t.element)
    result = Tensor(t.element, np.full_like(t.data, number), t.layout, t.padding, "")
    return p.operation("broadcast", result, [p.token(t), f"{t.element} {name}"])


def splat(p: Program) -> Tensor | None:
    t = p.any(lambda t: t.is_plain)
    if t is None:
        return None
    name, number = scalar(p, t.element)
    result = Tensor(t.element, np.full_like(t.data, number), t.layout, t.padding, "")
    return p.operation("splat", result, [f"{t.type} {t.vector}", f"{t.element} {name}"])


def arithmetic(p: Program) -> Tensor | None:
    t = p.any(lambda t: t.is_plain)
    return None if t is None else combined(p, t)


def combined(p: Program, t: Tensor) -> Tensor:
    """A vector and one of the same type, padding and all."""
    other = p.any(lambda o: o.is_plain and o.alike(t))
    if other is None or p.rnd.random() < 0.5:
        other = p.load(t.element, t.data.shape, t)
    x, y = wide(t.data), wide(other.data)
    kind = p.rnd.choice(("add", "sub", "mul", "select"))
    is_float = t.element in EXACT
    if kind == "select":
        compared = "fcmp olt" if is_float else "icmp slt"
        mask = p.define("m", f"{compared} {t.type} {t.vector}, {other.vector}")
        lanes = t.type.replace(f"x {t.element}", "x i1")
        vector = p.define("v", f"select {lanes} {mask}, {t.type} {t.vector}, {t.type} {other.vector}")
        data = np.minimum(t.data, other.data)
    else:
        vector = p.define("v", f"{'f' if is_float else ''}{kind} {t.type} {t.vector}, {other.vector}")
        data = exact(t.element, {"add": np.add, "sub": np.subtract, "mul": np.multiply}[kind](x, y))
    return Tensor(t.element, data, t.layout, t.padding, vector)


def widened(p: Program) -> Tensor | None:
    t = p.any(lambda t: t.is_plain and t.element in WIDER)
    if t is None:
        return None
    element = p.rnd.choice(WIDER[t.element])
    unsigned = t.element not in EXACT and p.rnd.random() < 0.3
    opcode = "fpext" if t.element in EXACT else "zext" if unsigned else "sext"
    data = exact(element, wide(bits(t.data) if unsigned else t.data))
    result = Tensor(element, data, t.layout, t.padding, "")
    vector = p.define("v", f"{opcode} {t.type} {t.vector} to {result.type}")
    return Tensor(element, data, t.layout, t.padding, vector)


# Shapes


def transpose(p: Program) -> Tensor | None:
    t = drawn(p)
    layout = layout_of(p.rnd, t.rank)
    operands = [p.token(t), ivec(layout)]
    if p.rnd.random() < 0.3:
        layout, operands = (*t.layout[:-2], *t.layout[-2:][::-1]), operands[:1]
    return p.operation("transpose", Tensor(t.element, t.data, layout, t.padding, ""), operands)


def tovector(p: Program) -> Tensor | None:
    t = drawn(p)
    return p.operation("tovector", Tensor(t.element, t.data, t.layout, t.padding, ""), [p.token(t)])


def block(p: Program) -> Tensor | None:
    t = p.any(lambda t: t.rank <= 4 and t.data.size <= 300)
    if t is None:
        return None
    dims = p.rnd.sample(range(t.rank), p.rnd.randint(1, min(2, t.rank)))
    sizes = [p.rnd.randint(1, 4) for _ in dims]
    data, padding, inner = t.data, list(t.padding), list[int]()
    for dim, size in zip(dims, sizes, strict=True):
        extent = data.shape[dim]
        count = -(-extent // size)
        filled = np.pad(data, [(0, count * size - extent if k == dim else 0) for k in range(data.ndim)])
        data = np.moveaxis(filled.reshape(*data.shape[:dim], count, size, *data.shape[dim + 1 :]), dim + 1, -1)
        padding[dim] = 0
        inner.append(size - extent if count == 1 else 0)
    data = data[tuple(slice(0, n - q) for n, q in zip(data.shape, [0] * t.rank + inner, strict=True))]
    layout = (*t.layout, *range(t.rank, t.rank + len(dims)))
    result = Tensor(t.element, data, layout, (*padding, *inner), "")
    return p.operation("reshape.block", result, [p.token(t), ivec(dims), ivec(sizes)])


def permute(p: Program) -> Tensor | None:
    t = drawn(p)
    shape, rest = list[int](), t.data.size
    while rest > 1 and len(shape) < 5:
        divisors = [n for n in range(1, rest + 1) if rest % n == 0]
        shape.append(p.rnd.choice(divisors))
        rest //= shape[-1]
    shape.append(rest)
    found = dense(p, t.element, t.data.reshape(shape))
    return p.operation("reshape.permute", found, [p.token(t), ivec(shape)])


def pad(p: Program) -> Tensor | None:
    t = p.any(lambda t: t.data.size <= 150)
    if t is None:
        return None
    form = p.rnd.randint(1, 3)
    amounts = [[p.rnd.choice((0, 0, 1, 2)) if form >= least else 0 for _ in range(t.rank)] for least in (2, 1, 3)]
    low, high, gaps = amounts
    name, number = scalar(p, t.element)
    shape = [a + b + n + (n - 1) * g for n, a, b, g in zip(t.data.shape, low, high, gaps, strict=True)]
    if np.prod(shape) > LARGE:
        return None
    data = np.full(shape, number, t.data.dtype)
    ends = zip(t.data.shape, low, gaps, strict=True)
    data[tuple(slice(a, a + (n - 1) * (g + 1) + 1, g + 1) for n, a, g in ends)] = t.data
    operands = [ivec(high)] if form == 1 else [ivec(low), ivec(high)] if form == 2 else [ivec(v) for v in amounts]
    result = Tensor(t.element, data, t.layout, (0,) * t.rank, "")
    return p.operation("pad", result, [p.token(t), f"{t.element} {name}", *operands])


def concat(p: Program) -> Tensor | None:
    a = drawn(p)
    dim = p.rnd.randrange(a.rank)
    b = p.of_shape(a.element, [p.rnd.randint(1, 4) if d == dim else n for d, n in enumerate(a.data.shape)])
    padding = tuple(0 if d == dim else q for d, q in enumerate(a.padding))
    result = Tensor(a.element, np.concatenate((a.data, b.data), dim), a.layout, padding, "")
    return p.operation("concat", result, [p.token(a), p.token(b), f"i{p.rnd.choice((32, 64))} {dim}"])


# Reductions


def reduction(p: Program) -> Tensor | None:
    t = drawn(p)
    name = p.rnd.choice(list(REDUCTIONS))
    if t.element in EXACT and name in ("and", "or", "xor"):
        return None
    count = p.rnd.randint(1, t.rank)
    trailing = t.data.shape[t.rank - count :]
    window = [n if p.rnd.random() < 0.4 else p.rnd.randint(1, n) for n in trailing]
    strides = [p.rnd.randint(1, 3) for _ in window]
    views = windows(wide(t.data), window, strides)
    inner = tuple(range(t.rank, t.rank + count))
    sums = REDUCTIONS[name](np.abs(views), axis=inner) if t.element in EXACT else None
    data = exact(t.element, REDUCTIONS[name](views, axis=inner), sums)
    padding = (*t.padding[: t.rank - count], *(0 for _ in window))
    result = Tensor(t.element, data, t.layout, padding, "")
    return p.operation(f"reduce.{name}", result, [p.token(t), ivec(window), ivec(strides)])


def windows(data: Array, window: list[int], strides: list[int]) -> Array:
    """The windows over the trailing dimensions, as dimensions behind."""
    first = data.ndim - len(window)
    found = np.lib.stride_tricks.sliding_window_view(data, window, tuple(range(first, data.ndim)))
    return found[(*(slice(None) for _ in range(first)), *(slice(None, None, s) for s in strides))]


def groups(p: Program) -> Tensor | None:
    element = p.rnd.choice([e for e in DTYPES if e not in SHORT])
    group, count = p.rnd.randint(1, 4), p.rnd.randint(1, 20)
    a, b = (p.load(element, (group * count,), dense(p, element, np.zeros(group * count))) for _ in range(2))
    target = p.rnd.choice((element, *WIDER.get(element, ())))
    products = (wide(a.data) * wide(b.data)).reshape(count, group)
    operands = [f"{a.type} {a.vector}", f"{b.type} {b.vector}", f"i32 {group}"]
    name, total = "reduce.mac", products.sum(axis=1)
    if p.rnd.random() < 0.5:
        acc = p.load(target, (count,), dense(p, target, np.zeros(count)))
        name, total = "reduce.mac.acc", total + wide(acc.data)
        operands.insert(0, f"{acc.type} {acc.vector}")
    return p.operation(name, dense(p, target, exact(target, total)), operands)


# Control flow


def branch(p: Program) -> Tensor | None:
    """One of two tensors of a type."""
    t, flag = drawn(p), p.rnd.randint(0, 1)
    given = p.parameter("i64", flag)
    condition = p.define("c", f"icmp ne i64 {given}, 0")
    then, orelse, end = (p.name("bb")[1:] for _ in range(3))
    p.lines.append(f"  br i1 {condition}, label %{then}, label %{orelse}")
    outer, found = list(p.tensors), list[Tensor]()
    edges: list[str] = []
    for label in (then, orelse):
        p.label(label)
        p.tensors = list(outer)
        found.append(changed(p, t))
        edges.append(f"[ {found[-1].vector}, %{p.block} ]")
        p.lines.append(f"  br label %{end}")
    p.label(end)
    p.tensors = outer
    vector = p.define("v", f"phi {t.type} {', '.join(edges)}")
    chosen = found[0] if flag else found[1]
    return Tensor(t.element, chosen.data, t.layout, t.padding, vector, any(f.is_open for f in found))


def changed(p: Program, t: Tensor) -> Tensor:
    """A tensor of the same type."""
    draw = p.rnd.random()
    if draw < 0.3 and t.is_plain:
        return combined(p, t)
    if draw < 0.5 and t.rank >= 2:
        narrow = [e for e in DTYPES if t.element in (e, *WIDER.get(e, ()))]
        return multiplied(p, t, narrow, p.rnd.randint(1, 5))
    return t if draw < 0.6 else applied(p, t)


def loop(p: Program) -> Tensor | None:
    """A carried tensor, to which a part of an argument is added in every round."""
    t = p.any(lambda t: t.is_plain)
    if t is None:
        return None
    rounds = p.rnd.randint(0, 3)
    drawn_parts = [p.numbers(t.element, t.data.shape) for _ in range(max(rounds, 1))]
    parts = [Tensor(t.element, data, t.layout, t.padding, "") for data in drawn_parts]
    memory = np.concatenate([stored(part) for part in parts])
    pointer, given = p.parameter("ptr", memory), p.parameter("i64", rounds)
    relu = p.rnd.random() < 0.5
    head, body, end = (p.name("bb")[1:] for _ in range(3))
    before = p.block
    index, carried, following, result = (p.name(stem) for stem in ("i", "acc", "next", "w"))
    p.lines.append(f"  br label %{head}")
    p.label(head)
    p.lines += [
        f"  {index} = phi i64 [ 0, %{before} ], [ {following}, %{body} ]",
        f"  {carried} = phi {t.type} [ {t.vector}, %{before} ], [ {result}, %{body} ]",
    ]
    more = p.define("c", f"icmp slt i64 {index}, {given}")
    p.lines.append(f"  br i1 {more}, label %{body}, label %{end}")
    p.label(body)
    at = p.define("o", f"mul i64 {index}, {int(np.prod(t.stored))}")
    place = p.define("a", f"getelementptr {t.element}, ptr {pointer}, i64 {at}")
    zeros = ivec([0] * t.rank)
    token = p.define(
        "t", f"call token @llvm.tensor.load(ptr elementtype({t.element}) {place}, {t.described(p.rnd)}, {zeros})"
    )
    part = p.define("v", f"call {t.type} @llvm.tensor.tovector(token {token})")
    opcode = "fadd" if t.element in EXACT else "add"
    total = p.define("v", f"{opcode} {t.type} {carried}, {part}")
    if relu:
        typed = p.token(Tensor(t.element, t.data, t.layout, t.padding, total))
        p.lines.append(f"  {result} = call {t.type} @llvm.tensor.relu({typed})")
    else:
        p.lines.append(f"  {result} = {opcode} {t.type} {total}, zeroinitializer")
    p.lines += [f"  {following} = add i64 {index}, 1", f"  br label %{head}"]
    p.label(end)
    data = t.data
    for part_ in parts[:rounds]:
        data = exact(t.element, wide(data) + wide(part_.data))
        data = np.maximum(data, data.dtype.type(0)) if relu else data
    return Tensor(t.element, data, t.layout, t.padding, carried)


def stored(t: Tensor) -> Array:
    """All stored elements in memory order, 77 as padding."""
    found = np.full([t.stored[d] for d in t.layout], 77, t.data.dtype)
    found[tuple(slice(0, t.data.shape[d]) for d in t.layout)] = t.data.transpose(t.layout)
    return found.reshape(-1)


STEPS: Final = (
    *(matmul, matmul, contract, convolution, accumulated, accumulated),
    *(function, broadcast, splat, arithmetic, arithmetic, widened),
    *(transpose, transpose, tovector, block, permute, pad, concat),
    *(reduction, reduction, groups, branch, branch, loop, loop),
)
"""What a program may do next, the more often the more often it stands here."""
