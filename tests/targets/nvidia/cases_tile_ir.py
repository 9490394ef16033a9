"""Kernels of CUDA Tile IR: the examples, products of tiles, control flow, reductions by regions, atomics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from generators.element_types import SCALARS

from .case import Array, Case, Launch, poisoned, random_array

EXAMPLES = Path(__file__).parents[3] / "examples"


def tile_ir_cases() -> list[Case]:
    """All of them."""
    return [
        transposed("f32", 64),
        transposed("f16", 64),
        *_examples(),
        *_products(),
        _pointers(),
        _edges(),
        _regions(),
        _control(),
        _atomics(),
        _functions(),
    ]


def _case(name: str, text: str, prepare: Callable[[np.random.Generator], Launch]) -> Case:
    return Case(f"tile_ir-{name}", text, prepare, language=True)


def entry(name: str, parameters: str, body: str) -> str:
    """A module with one entry."""
    return f"cuda_tile.module @m {{\nentry @{name}({parameters}) {{\n{body}\n}}\n}}\n"


def spread(name: str, source: str, element: str, count: int) -> str:
    """A scalar as a row."""
    return (
        f"%{name}_1 = reshape %{source} : tile<{element}> -> tile<1x{element}>\n"
        f"%{name} = broadcast %{name}_1 : tile<1x{element}> -> tile<{count}x{element}>\n"
    )


def pointers(name: str, element: str, count: int, at: str = "i") -> str:
    """Pointers `%<name>p` to elements behind a parameter."""
    ptr = f"ptr<{element}>"
    return spread(f"{name}_all", name, ptr, count) + (
        f"%{name}p = offset %{name}_all, %{at} : tile<{count}x{ptr}>, tile<{count}xi32> -> tile<{count}x{ptr}>\n"
    )


def load(name: str, element: str, count: int) -> str:
    """A load `%<name>v` through `pointers`."""
    types = f"tile<{count}xptr<{element}>> -> tile<{count}x{element}>"
    return f"%{name}v, %{name}t = load_ptr_tko weak %{name}p : {types}, token\n"


def store(name: str, value: str, element: str, count: int) -> str:
    """A store through `pointers`."""
    return (
        f"%{name}s = store_ptr_tko weak %{name}p, %{value} : "
        f"tile<{count}xptr<{element}>>, tile<{count}x{element}> -> token\n"
    )


# Examples


def _examples() -> list[Case]:
    def vector_add(rng: np.random.Generator) -> Launch:
        n = int(rng.integers(3000, 5000))
        a, b, c = (random_array(rng, "f32", n) for _ in range(3))
        c = np.concatenate([c, poisoned("f32", 100)])
        expected = np.concatenate([a + b, c[n:]])
        return Launch([a, b, c, np.int32(n)], {2: expected}, (-(-n // 1024), 1, 1))

    def softmax(rng: np.random.Generator) -> Launch:
        rows = int(rng.integers(5, 20))
        x = rng.standard_normal((rows, 1024)).astype(np.float32) * 4
        e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
        expected = (e / e.sum(axis=1, keepdims=True)).astype(np.float32)
        out = np.full_like(x, np.nan)
        # One thread adds 1,024 numbers one after another: NumPy's cumsum in f32 is off by 0.8e-6 to 2.1e-6, too.
        return Launch([x, out, np.int32(rows)], {1: expected}, (rows, 1, 1), tolerance=1e-5)

    def matmul(rng: np.random.Generator) -> Launch:
        a, b = (rng.standard_normal((1024, 1024)).astype(np.float32) for _ in range(2))
        out = np.full_like(a, np.nan)
        expected = out.copy()
        expected[:64, :64] = a[:64].astype(np.float64) @ b[:, :64].astype(np.float64)
        return Launch([a, b, out], {2: expected}, tolerance=1e-6)

    prepared = {"vector_add": vector_add, "softmax": softmax, "matmul": matmul}
    return [_case(name, (EXAMPLES / f"{name}.tileir").read_text(), prepare) for name, prepare in prepared.items()]


# Products

PRODUCTS = (
    ("f16", "f32", 16, 16, 16),
    ("f16", "f32", 64, 64, 32),
    ("bf16", "f32", 32, 16, 64),
    ("tf32", "f32", 16, 16, 8),
    ("f8E4M3FN", "f16", 16, 32, 16),
    ("f64", "f64", 8, 8, 4),
    ("i8", "i32", 32, 32, 16),
)


def _products() -> list[Case]:
    return [_product(*shape) for shape in PRODUCTS]


def _product(element: str, result: str, m: int, n: int, k: int) -> Case:
    """`C += A B` over 3 tiles of depth, all row-major, two tiles in each direction."""
    rows, columns, depth = 2 * m, 2 * n, 3 * k
    lines: list[str] = []
    for name, (x, y), (tx, ty), e in (
        ("a", (rows, depth), (m, k), element),
        ("b", (depth, columns), (k, n), element),
        ("c", (rows, columns), (m, n), result),
    ):
        tensor = f"tensor_view<{x}x{y}x{e}, strides=[{y},1]>"
        lines += [
            f"%{name}t = make_tensor_view %{name}, shape = [{x}, {y}], strides = [{y}, 1] : {tensor}",
            f"%{name}w = make_partition_view %{name}t : partition_view<tile=({tx}x{ty}), {tensor}>",
        ]
    ta, tb, tc = f"tile<{m}x{k}x{element}>", f"tile<{k}x{n}x{element}>", f"tile<{m}x{n}x{result}>"
    va = f"partition_view<tile=({m}x{k}), tensor_view<{rows}x{depth}x{element}, strides=[{depth},1]>>"
    vb = f"partition_view<tile=({k}x{n}), tensor_view<{depth}x{columns}x{element}, strides=[{columns},1]>>"
    vc = f"partition_view<tile=({m}x{n}), tensor_view<{rows}x{columns}x{result}, strides=[{columns},1]>>"
    product = "mmaf %x, %y, %s" if result[0] == "f" else "mmai %x, %y, %s signed signed"
    lines += [
        "%i, %j, %z = get_tile_block_id : tile<i32>",
        "%lo = constant <i32: 0> : tile<i32>",
        "%hi = constant <i32: 3> : tile<i32>",
        "%by = constant <i32: 1> : tile<i32>",
        f"%start, %t0 = load_view_tko weak %cw[%i, %j] : {vc}, tile<i32> -> {tc}, token",
        f"%sum = for %l in (%lo to %hi, step %by) : tile<i32> iter_values(%s = %start) -> ({tc}) {{",
        f"  %x, %t1 = load_view_tko weak %aw[%i, %l] : {va}, tile<i32> -> {ta}, token",
        f"  %y, %t2 = load_view_tko weak %bw[%l, %j] : {vb}, tile<i32> -> {tb}, token",
        f"  %next = {product} : {ta}, {tb}, {tc}",
        f"  continue %next : {tc}",
        "}",
        f"%t3 = store_view_tko weak %sum, %cw[%i, %j] : {tc}, {vc}, tile<i32> -> token",
        "return",
    ]
    parameters = f"%a: tile<ptr<{element}>>, %b: tile<ptr<{element}>>, %c: tile<ptr<{result}>>"

    def prepare(rng: np.random.Generator) -> Launch:
        a, b = (_small(rng, element, *shape) for shape in ((rows, depth), (depth, columns)))
        c = _small(rng, result, rows, columns)
        expected = (c.astype(np.float64) + a.astype(np.float64) @ b.astype(np.float64)).astype(c.dtype)
        return Launch([a, b, c], {2: expected}, (2, 2, 1))

    return _case(f"mma-{element}-{m}x{n}x{k}", entry("mma", parameters, "\n".join(lines)), prepare)


def _small(rng: np.random.Generator, element: str, *shape: int) -> Array:
    """Whole numbers whose products add up exactly."""
    import ml_dtypes

    dtypes = {**SCALARS, "tf32": np.dtype(np.float32), "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn)}
    return rng.integers(-3, 4, shape).astype(np.float32).astype(dtypes[element])


# Pointers and views


def _pointers() -> Case:
    """A gather by an index array under a mask with padding, and a reversed scatter."""
    n = 64
    body = f"%i = iota : tile<{n}xi32>\n" + spread("ns", "n", "i32", n)
    body += f"%mask = cmpi less_than %i, %ns, signed : tile<{n}xi32> -> tile<{n}xi1>\n"
    body += pointers("index", "i32", n) + load("index", "i32", n) + pointers("x", "f16", n, "indexv")
    body += f"%pad = constant <f16: -7.5> : tile<{n}xf16>\n"
    types = f"tile<{n}xptr<f16>>, tile<{n}xi1>, tile<{n}xf16> -> tile<{n}xf16>, token"
    body += f"%v, %t = load_ptr_tko weak %xp, %mask, %pad : {types}\n"
    body += f"%last = constant <i32: {n - 1}> : tile<{n}xi32>\n%back = subi %last, %i : tile<{n}xi32>\n"
    body += pointers("out", "f16", n, "back") + store("out", "v", "f16", n) + "return"
    parameters = "%n: tile<i32>, %index: tile<ptr<i32>>, %x: tile<ptr<f16>>, %out: tile<ptr<f16>>"

    def prepare(rng: np.random.Generator) -> Launch:
        count = int(rng.integers(1, n))
        x, index = random_array(rng, "f16", 500), rng.integers(0, 500, n, np.int32)
        wanted = np.where(np.arange(n) < count, x[index], np.float16(-7.5))[::-1].copy()
        return Launch([np.int32(count), index, x, poisoned("f16", n)], {3: wanted})

    return _case("pointers", entry("gather", parameters, body), prepare)


def _edges() -> Case:
    """Transposition of a matrix in tiles that hang over its edges; what is read beyond them is -infinity."""
    source, target = "tensor_view<?x?xf32, strides=[?,1]>", "tensor_view<?x?xf32, strides=[?,1]>"
    read = f"partition_view<tile=(16x32), padding_value = neg_inf, {source}>"
    write = f"partition_view<tile=(32x16), {target}>"
    body = f"""%xt = make_tensor_view %x, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {source}
%yt = make_tensor_view %y, shape = [%n, %m], strides = [%m, 1] : tile<i32> -> {target}
%xw = make_partition_view %xt : {read}
%yw = make_partition_view %yt : {write}
%i, %j, %k = get_tile_block_id : tile<i32>
%v, %t0 = load_view_tko weak %xw[%i, %j] : {read}, tile<i32> -> tile<16x32xf32>, token
%r = permute %v [1, 0] : tile<16x32xf32> -> tile<32x16xf32>
%t1 = store_view_tko weak %r, %yw[%j, %i] : tile<32x16xf32>, {write}, tile<i32> -> token
return"""
    parameters = "%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>"

    def prepare(rng: np.random.Generator) -> Launch:
        m, n = (int(s) for s in rng.integers(20, 70, 2))
        x = rng.standard_normal((m, n)).astype(np.float32)
        out = np.full((n, m), np.nan, np.float32)
        return Launch([x, out, np.int32(m), np.int32(n)], {1: x.T.copy()}, (-(-m // 16), -(-n // 32), 1))

    return _case("edges", entry("transpose", parameters, body), prepare)


# Regions


def _regions() -> Case:
    """Greatest element of each row with its position, their sum, and sums of all elements from each one on."""
    body = """%xt = make_tensor_view %x, shape = [16, 64], strides = [64, 1] : tensor_view<16x64xi32, strides=[64,1]>
%xw = make_partition_view %xt : partition_view<tile=(16x64), tensor_view<16x64xi32, strides=[64,1]>>
%zero = constant <i32: 0> : tile<i32>
%v, %t0 = load_view_tko weak %xw[%zero, %zero]
    : partition_view<tile=(16x64), tensor_view<16x64xi32, strides=[64,1]>>, tile<i32> -> tile<16x64xi32>, token
%n = iota : tile<64xi32>
%n1 = reshape %n : tile<64xi32> -> tile<1x64xi32>
%n2 = broadcast %n1 : tile<1x64xi32> -> tile<16x64xi32>
%best, %where, %total = reduce %v, %n2, %v dim=1 identities=[-2147483648 : i32, 0 : i32, 0 : i32]
    : tile<16x64xi32>, tile<16x64xi32>, tile<16x64xi32> -> tile<16xi32>, tile<16xi32>, tile<16xi32>
    (%e: tile<i32>, %acc: tile<i32>, %p: tile<i32>, %q: tile<i32>, %a: tile<i32>, %b: tile<i32>) {
  %more = cmpi greater_than %e, %acc, signed : tile<i32> -> tile<i1>
  %value = select %more, %e, %acc : tile<i1>, tile<i32>
  %place = select %more, %p, %q : tile<i1>, tile<i32>
  %sum = addi %a, %b : tile<i32>
  yield %value, %place, %sum : tile<i32>, tile<i32>, tile<i32>
}
%after = scan %v dim=1 reverse=true identities=[0 : i32] : tile<16x64xi32> -> tile<16x64xi32>
    (%e: tile<i32>, %acc: tile<i32>) {
  %s = addi %e, %acc : tile<i32>
  yield %s : tile<i32>
}
%t1 = store_view_tko weak %after, %xw[%zero, %zero]
    : tile<16x64xi32>, partition_view<tile=(16x64), tensor_view<16x64xi32, strides=[64,1]>>, tile<i32> -> token
%i = iota : tile<16xi32>
"""
    body += pointers("y", "i32", 16) + pointers("z", "i32", 16) + pointers("w", "i32", 16)
    body += store("y", "best", "i32", 16) + store("z", "where", "i32", 16) + store("w", "total", "i32", 16) + "return"
    parameters = "%x: tile<ptr<i32>>, %y: tile<ptr<i32>>, %z: tile<ptr<i32>>, %w: tile<ptr<i32>>"

    def prepare(rng: np.random.Generator) -> Launch:
        x = np.array([rng.permutation(1000)[:64] for _ in range(16)], np.int32)
        after = np.cumsum(x[:, ::-1], axis=1, dtype=np.int32)[:, ::-1].copy()
        expected = {0: after, 1: x.max(axis=1), 2: x.argmax(axis=1).astype(np.int32), 3: after[:, 0].copy()}
        return Launch([x, *(poisoned("i32", 16) for _ in range(3))], expected)

    return _case("regions", entry("argmax", parameters, body), prepare)


# Control flow


def _control() -> Case:
    """Halves a row until its sum is small: a loop that carries a tile and is left by `break`."""
    body = (
        """%i = iota : tile<32xi32>
%none = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%two = constant <i32: 2> : tile<32xi32>
"""
        + pointers("x", "i32", 32)
        + load("x", "i32", 32)
        + """%end, %steps = loop iter_values(%v = %xv, %k = %none)
    : tile<32xi32>, tile<i32> -> tile<32xi32>, tile<i32> {
  %sum = reduce %v dim=0 identities=[0 : i32] : tile<32xi32> -> tile<i32> (%e: tile<i32>, %acc: tile<i32>) {
    %s = addi %e, %acc : tile<i32>
    yield %s : tile<i32>
  }
  %small = cmpi less_than %sum, %limit, signed : tile<i32> -> tile<i1>
  if %small {
    break %v, %k : tile<32xi32>, tile<i32>
  }
  %half = divi %v, %two signed : tile<32xi32>
  %more = addi %k, %one : tile<i32>
  continue %half, %more : tile<32xi32>, tile<i32>
}
%odd = andi %steps, %one : tile<i32>
%is_odd = cmpi equal %odd, %one, signed : tile<i32> -> tile<i1>
%kept = if %is_odd -> (tile<32xi32>) {
  %negated = negi %end : tile<32xi32>
  yield %negated : tile<32xi32>
} else {
  yield %end : tile<32xi32>
}
"""
        + store("x", "kept", "i32", 32)
        + """%s1 = reshape %steps : tile<i32> -> tile<1xi32>
%y1 = reshape %y : tile<ptr<i32>> -> tile<1xptr<i32>>
%t = store_ptr_tko weak %y1, %s1 : tile<1xptr<i32>>, tile<1xi32> -> token
return"""
    )
    parameters = "%limit: tile<i32>, %x: tile<ptr<i32>>, %y: tile<ptr<i32>>"

    def prepare(rng: np.random.Generator) -> Launch:
        x, limit, steps = rng.integers(0, 1 << 20, 32, np.int32), int(rng.integers(100, 100000)), 0
        now = x.copy()
        while now.sum(dtype=np.int32) >= limit:
            now, steps = now // 2, steps + 1
        expected = {1: -now if steps % 2 else now, 2: np.array([steps], np.int32)}
        return Launch([np.int32(limit), x, poisoned("i32", 1)], expected)

    return _case("control", entry("halve", parameters, body), prepare)


# Atomics


def _atomics() -> Case:
    """Histograms by atomic additions of many work-groups in several types, and unsigned maxima."""
    n = 128
    body = f"""%bx, %by, %bz = get_tile_block_id : tile<i32>
%len = constant <i32: {n}> : tile<i32>
%from = muli %bx, %len : tile<i32>
%k = iota : tile<{n}xi32>
"""
    body += spread("froms", "from", "i32", n) + f"%i = addi %k, %froms : tile<{n}xi32>\n"
    body += pointers("x", "i32", n) + load("x", "i32", n)
    updates = (("h", "i32", "add", "1"), ("f", "f32", "addf", "0.5"), ("w", "f16", "addf", "1.0"))
    for name, element, mode, value in updates:
        body += pointers(name, element, n, "xv") + f"%{name}1 = constant <{element}: {value}> : tile<{n}x{element}>\n"
        body += (
            f"%{name}o, %{name}t = atomic_rmw_tko relaxed device %{name}p, {mode}, %{name}1 : "
            f"tile<{n}xptr<{element}>>, tile<{n}x{element}> -> tile<{n}x{element}>, token\n"
        )
    body += pointers("u", "i64", n, "xv") + f"%wide = exti %i signed : tile<{n}xi32> -> tile<{n}xi64>\n"
    body += f"%flip = negi %wide : tile<{n}xi64>\n"
    body += (
        f"%uo, %ut = atomic_rmw_tko relaxed device %up, umax, %flip : "
        f"tile<{n}xptr<i64>>, tile<{n}xi64> -> tile<{n}xi64>, token\nreturn"
    )
    parameters = "%x: tile<ptr<i32>>, %h: tile<ptr<i32>>, %f: tile<ptr<f32>>, %w: tile<ptr<f16>>, %u: tile<ptr<i64>>"

    def prepare(rng: np.random.Generator) -> Launch:
        blocks, bins = 7, 10
        x = rng.integers(0, bins, n * blocks, np.int32)
        counts = np.bincount(x, minlength=bins)
        greatest = np.zeros(bins, np.uint64)
        np.maximum.at(greatest, x, (-np.arange(len(x))).astype(np.int64).view(np.uint64))
        arguments = [np.zeros(bins, t) for t in (np.int32, np.float32, np.float16, np.int64)]
        expected: Sequence[Array] = [
            counts.astype(np.int32),
            counts.astype(np.float32) * np.float32(0.5),
            counts.astype(np.float16),
            greatest.view(np.int64),
        ]
        return Launch([x, *arguments], dict(enumerate(expected, 1)), (blocks, 1, 1))

    return _case("atomics", entry("histogram", parameters, body), prepare)


# Functions

FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
}


def _functions() -> Case:
    """Every elementary function of f32 and f64, one column each."""
    n, lines = 64, f"%i = iota : tile<{64}xi32>\n"
    for element in ("f32", "f64"):
        x = f"x{element[1:]}"
        lines += pointers(x, element, n) + load(x, element, n)
        for number, word in enumerate(FUNCTIONS):
            name = f"{word}{element}"
            lines += f"%{name} = {word} %{x}v : tile<{n}x{element}>\n"
            lines += f"%by{name} = constant <i32: {number * n}> : tile<{n}xi32>\n"
            lines += f"%at{name} = addi %i, %by{name} : tile<{n}xi32>\n"
            lines += (
                pointers(f"y{element[1:]}", element, n, f"at{name}")
                .replace("%y", f"%{word}_y")
                .replace(f"reshape %{word}_y", "reshape %y")
            )
            lines += store(f"{word}_y{element[1:]}", name, element, n)
    parameters = ", ".join(f"%{v}{bits}: tile<ptr<f{bits}>>" for bits in (32, 64) for v in "xy")

    def prepare(rng: np.random.Generator) -> Launch:
        x = rng.uniform(0.01, 20, n)
        arguments: list[Array] = []
        expected: dict[int, Array] = {}
        for dtype in (np.float32, np.float64):
            given = x.astype(dtype)
            wide = given.astype(np.float64)
            expected[len(arguments) + 1] = np.array([f(wide) for f in FUNCTIONS.values()]).astype(dtype)
            arguments += [given, np.full((len(FUNCTIONS), n), np.nan, dtype)]
        return Launch(arguments, expected, ulps=8)

    return _case("functions", entry("functions", parameters, lines + "return"), prepare)


def _transpose(rows: int, columns: int, tile: int, element: str) -> str:
    """Tile IR: y = x transposed, in square tiles."""
    views: list[str] = []
    for name, m, n in (("x", rows, columns), ("y", columns, rows)):
        tensor = f"tensor_view<{m}x{n}x{element}, strides=[{n},1]>"
        views.append(f"partition_view<tile=({tile}x{tile}), {tensor}>")
        views.append(
            f"%{name}t = make_tensor_view %{name}a, shape = [{m}, {n}], strides = [{n}, 1] : {tensor}\n"
            f"%{name}v = make_partition_view %{name}t : {views[-1]}\n"
        )
    x, make_x, y, make_y = views
    value = f"tile<{tile}x{tile}x{element}>"
    return (
        f"cuda_tile.module @m {{\nentry @k(%x: tile<ptr<{element}>>, %y: tile<ptr<{element}>>) {{\n"
        f"%i, %j, %l = get_tile_block_id : tile<i32>\n"
        f"%xa = assume div_by<16>, %x : tile<ptr<{element}>>\n%ya = assume div_by<16>, %y : tile<ptr<{element}>>\n"
        f"{make_x}{make_y}"
        f"%v, %vt = load_view_tko weak %xv[%i, %j] : {x}, tile<i32> -> {value}, token\n"
        f"%w = permute %v [1, 0] : {value} -> {value}\n"
        f"%yd = store_view_tko weak %w, %yv[%j, %i] : {value}, {y}, tile<i32> -> token\nreturn\n}}\n}}\n"
    )


def transposed(element: str, tile: int) -> Case:
    """Two blocks transpose a matrix of two square tiles."""

    def launch(rng: np.random.Generator) -> Launch:
        x = random_array(rng, element, tile, 2 * tile)
        return Launch([x, poisoned(element, 2 * tile, tile)], {1: np.asfortranarray(x.T)}, (2, 1, 1))

    return _case(f"transpose-{element}", _transpose(2 * tile, tile, tile, element), launch)
