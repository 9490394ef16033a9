"""CUDA Tile IR as NVIDIA's Python front end writes it: texts of the kernels that `tile_ir.py` measures.

Sizes are constants of the views, as after the front end's specialisation, or arguments of the pointer style.
"""

from __future__ import annotations

from collections.abc import Sequence

_SUM = "addf", "0.0"
_MAX = "maxf", "0xFF800000"


def _module(name: str, pointers: Sequence[str], body: str, scalars: str = "", element: str = "f32") -> str:
    parameters = ", ".join(f"%{pointer}: tile<ptr<{element}>>" for pointer in pointers) + scalars
    aligned = "\n".join(f"    %{p}a = assume div_by<16>, %{p} : tile<ptr<{element}>>" for p in pointers)
    return (
        f"cuda_tile.module @kernels {{\n  entry @{name}({parameters}) {{\n{aligned}\n"
        f"    %bx, %by, %bz = get_tile_block_id : tile<i32>\n{body}    return\n  }}\n}}\n"
    )


def _dims(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape))


def _strides(shape: Sequence[int]) -> list[int]:
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * extent)
    return strides


def _cast(result: str, value: str, shape: Sequence[int], source: str, target: str) -> str:
    return f"    %{result} = ftof %{value} : tile<{_dims(shape)}x{source}> -> tile<{_dims(shape)}x{target}>\n"


class _View:
    """A partition view `%name` + v of a whole row-major array at the pointer `%name` + a; tiles are computed in f32."""

    def __init__(self, name: str, shape: Sequence[int], tile: Sequence[int], element: str = "f32") -> None:
        strides = _strides(shape)
        words = ",".join(map(str, strides))
        self._shape, self._element = tile, element
        self._tensor = f"tensor_view<{_dims(shape)}x{element}, strides=[{words}]>"
        self._view = f"partition_view<tile=({_dims(tile)}), {self._tensor}>"
        self._tile = f"tile<{_dims(tile)}x{element}>"
        self.name = name
        self.text = (
            f"    %{name}t = make_tensor_view %{name}a, shape = {list(shape)}, strides = {strides} : {self._tensor}\n"
            f"    %{name}v = make_partition_view %{name}t : {self._view}\n"
        )

    def load(self, result: str, *indices: str) -> str:
        at = ", ".join(indices)
        narrow = result if self._element == "f32" else f"{result}_n"
        text = (
            f"    %{narrow}, %{result}_done = load_view_tko weak %{self.name}v[{at}]"
            f" : {self._view}, tile<i32> -> {self._tile}, token\n"
        )
        return text if narrow == result else text + _cast(result, narrow, self._shape, self._element, "f32")

    def store(self, value: str, *indices: str) -> str:
        at = ", ".join(indices)
        narrow = value if self._element == "f32" else f"{value}_n"
        text = "" if narrow == value else _cast(narrow, value, self._shape, "f32", self._element)
        return text + (
            f"    %{self.name}_done = store_view_tko weak %{narrow}, %{self.name}v[{at}]"
            f" : {self._tile}, {self._view}, tile<i32> -> token\n"
        )


def _constant(name: str, value: object, kind: str = "i32", shape: Sequence[int] = ()) -> str:
    type_ = _dims([*shape, 0])[:-1] + kind
    return f"    %{name} = constant <{kind}: {value}> : tile<{type_}>\n"


def _spread(result: str, value: str, shape: Sequence[int], kind: str, source: Sequence[int] = ()) -> str:
    """A scalar, or a tile that lacks dimensions of `shape`, in all of `shape`; `source` has extents 1 for those."""
    ones = list(source) or [1] * len(shape)
    have = _dims([*[n for n in source if n > 1], 0])[:-1]
    return (
        f"    %{result}_1 = reshape %{value} : tile<{have}{kind}> -> tile<{_dims(ones)}x{kind}>\n"
        f"    %{result} = broadcast %{result}_1 : tile<{_dims(ones)}x{kind}> -> tile<{_dims(shape)}x{kind}>\n"
    )


def _reduce(result: str, value: str, shape: Sequence[int], how: tuple[str, str]) -> str:
    """Along the last dimension, then spread over it again."""
    operation, identity = how
    kept = shape[:-1]
    out = _dims([*kept, 0])[:-1]
    lines = (
        f"    %{result}_r = reduce %{value} dim={len(shape) - 1} identities=[{identity} : f32]"
        f" : tile<{_dims(shape)}xf32> -> tile<{out}f32>\n"
        f"    (%{result}_x: tile<f32>, %{result}_y: tile<f32>) {{\n"
        f"      %{result}_z = {operation} %{result}_x, %{result}_y : tile<f32>\n"
        f"      yield %{result}_z : tile<f32>\n    }}\n"
    )
    ones = [*kept, 1]
    return (
        lines + f"    %{result}_1 = reshape %{result}_r : tile<{out}f32> -> tile<{_dims(ones)}xf32>\n"
        f"    %{result} = broadcast %{result}_1 : tile<{_dims(ones)}xf32> -> tile<{_dims(shape)}xf32>\n"
    )


def _binary(result: str, operation: str, lhs: str, rhs: str, shape: Sequence[int], kind: str = "f32") -> str:
    return f"    %{result} = {operation} %{lhs}, %{rhs} : tile<{_dims([*shape, 0])[:-1]}{kind}>\n"


def _unary(result: str, operation: str, value: str, shape: Sequence[int]) -> str:
    return f"    %{result} = {operation} %{value} : tile<{_dims(shape)}xf32>\n"


def transpose(extent: int, tile: int, element: str) -> str:
    """y = x transposed, both square, in square tiles."""
    tensor = f"tensor_view<{extent}x{extent}x{element}, strides=[{extent},1]>"
    view = f"partition_view<tile=({tile}x{tile}), {tensor}>"
    value = f"tile<{tile}x{tile}x{element}>"
    views = "".join(
        f"    %{p}a = assume div_by<16>, %{p} : tile<ptr<{element}>>\n"
        f"    %{p}t = make_tensor_view %{p}a, shape = [{extent}, {extent}], strides = [{extent}, 1] : {tensor}\n"
        f"    %{p}v = make_partition_view %{p}t : {view}\n"
        for p in "xy"
    )
    return (
        f"cuda_tile.module @kernels {{\n  entry @transpose(%x: tile<ptr<{element}>>, %y: tile<ptr<{element}>>) {{\n"
        f"    %i, %j, %k = get_tile_block_id : tile<i32>\n{views}"
        f"    %v, %v_done = load_view_tko weak %xv[%i, %j] : {view}, tile<i32> -> {value}, token\n"
        f"    %w = permute %v [1, 0] : {value} -> {value}\n"
        f"    %y_done = store_view_tko weak %w, %yv[%j, %i] : {value}, {view}, tile<i32> -> token\n"
        "    return\n  }\n}\n"
    )


def softmax(rows: int, columns: int) -> str:
    """y = softmax of the rows of x, one a tile block."""
    shape = (1, columns)
    x, y = _View("x", (rows, columns), shape), _View("y", (rows, columns), shape)
    body = x.text + y.text + _constant("zero", 0) + x.load("v", "%bx", "%zero") + _reduce("max", "v", shape, _MAX)
    body += _binary("moved", "subf", "v", "max", shape) + _unary("e", "exp", "moved", shape)
    body += _reduce("sum", "e", shape, _SUM) + _binary("q", "divf", "e", "sum", shape)
    return _module("softmax", "xy", body + y.store("q", "%bx", "%zero"))


def layer_norm(rows: int, columns: int) -> str:
    """y = (x - mean) / sqrt(variance + 1e-5) * w + b, one row a tile block."""
    shape = (1, columns)
    x, y = _View("x", (rows, columns), shape), _View("y", (rows, columns), shape)
    w, b = _View("w", (1, columns), shape), _View("b", (1, columns), shape)
    body = "".join(view.text for view in (x, y, w, b)) + _constant("zero", 0)
    body += _constant("n", float(columns), "f32", shape) + _constant("eps", "0.00001", "f32", shape)
    body += x.load("v", "%bx", "%zero") + w.load("ws", "%zero", "%zero") + b.load("bs", "%zero", "%zero")
    body += _reduce("sum", "v", shape, _SUM) + _binary("mean", "divf", "sum", "n", shape)
    body += _binary("d", "subf", "v", "mean", shape) + _binary("dd", "mulf", "d", "d", shape)
    body += _reduce("sumsq", "dd", shape, _SUM) + _binary("var", "divf", "sumsq", "n", shape)
    body += _binary("safe", "addf", "var", "eps", shape) + _unary("r", "rsqrt", "safe", shape)
    body += _binary("u", "mulf", "d", "r", shape) + _binary("uw", "mulf", "u", "ws", shape)
    body += _binary("q", "addf", "uw", "bs", shape)
    return _module("layer_norm", "xwby", body + y.store("q", "%bx", "%zero"))


def rms_norm(rows: int, columns: int) -> str:
    """y = x / sqrt(mean of squares + 1e-5) * w, one row a tile block."""
    shape = (1, columns)
    x, y, w = _View("x", (rows, columns), shape), _View("y", (rows, columns), shape), _View("w", (1, columns), shape)
    body = "".join(view.text for view in (x, y, w)) + _constant("zero", 0)
    body += _constant("n", float(columns), "f32", shape) + _constant("eps", "0.00001", "f32", shape)
    body += x.load("v", "%bx", "%zero") + w.load("ws", "%zero", "%zero") + _binary("vv", "mulf", "v", "v", shape)
    body += _reduce("sum", "vv", shape, _SUM) + _binary("mean", "divf", "sum", "n", shape)
    body += _binary("safe", "addf", "mean", "eps", shape) + _unary("r", "rsqrt", "safe", shape)
    body += _binary("u", "mulf", "v", "r", shape) + _binary("q", "mulf", "u", "ws", shape)
    return _module("rms_norm", "xwy", body + y.store("q", "%bx", "%zero"))


def _pointers(pointers: str, width: int, element: str) -> str:
    """Masked 1-d accesses `%?_at` with `%mask`, of elements below `%n`."""
    shape = (width,)
    body = _constant("width", width) + _binary("base", "muli", "bx", "width", (), "i32")
    body += f"    %i = iota : tile<{width}xi32>\n" + _spread("bases", "base", shape, "i32")
    body += _binary("at", "addi", "i", "bases", shape, "i32") + _spread("ends", "n", shape, "i32")
    body += f"    %mask = cmpi less_than %at, %ends, signed : tile<{width}xi32> -> tile<{width}xi1>\n"
    for p in pointers:
        body += _spread(f"{p}_all", f"{p}a", shape, f"ptr<{element}>")
        body += f"    %{p}_at = offset %{p}_all, %at"
        body += f" : tile<{width}xptr<{element}>>, tile<{width}xi32> -> tile<{width}xptr<{element}>>\n"
    return body


def _load_pointers(result: str, pointer: str, width: int, element: str) -> str:
    types = f"tile<{width}xptr<{element}>>, tile<{width}xi1> -> tile<{width}x{element}>, token"
    narrow = result if element == "f32" else f"{result}_n"
    text = f"    %{narrow}, %{result}_done = load_ptr_tko weak %{pointer}_at, %mask : {types}\n"
    return text if narrow == result else text + _cast(result, narrow, (width,), element, "f32")


def _store_pointers(pointer: str, value: str, width: int, element: str) -> str:
    types = f"tile<{width}xptr<{element}>>, tile<{width}x{element}>, tile<{width}xi1> -> token"
    narrow = value if element == "f32" else f"{value}_n"
    text = "" if narrow == value else _cast(narrow, value, (width,), "f32", element)
    return text + f"    %{pointer}_done = store_ptr_tko weak %{pointer}_at, %{narrow}, %mask : {types}\n"


def _silu_mul(shape: Sequence[int]) -> str:
    """%q = %u / (1 + exp(-%u)) * %v."""
    body = _constant("one", 1.0, "f32", shape) + _unary("minus", "negf", "u", shape)
    body += _unary("e", "exp", "minus", shape) + _binary("below", "addf", "e", "one", shape)
    return body + _binary("s", "divf", "u", "below", shape) + _binary("q", "mulf", "s", "v", shape)


def vector_add_pointers(width: int, element: str = "f32") -> str:
    """z = x + y over n elements, through pointers with a mask."""
    return _of_pointers("vector_add", _binary("q", "addf", "u", "v", (width,)), width, element)


def vector_add_views(length: int, width: int, element: str = "f32") -> str:
    """z = x + y through views."""
    return _of_views("vector_add", _binary("q", "addf", "u", "v", (width,)), length, width, element)


def silu_mul_pointers(width: int, element: str = "f32") -> str:
    """z = silu(x) * y over n elements, through pointers with a mask."""
    return _of_pointers("silu_mul", _silu_mul((width,)), width, element)


def silu_mul_views(length: int, width: int, element: str = "f32") -> str:
    """z = silu(x) * y through views."""
    return _of_views("silu_mul", _silu_mul((width,)), length, width, element)


def _of_pointers(name: str, compute: str, width: int, element: str) -> str:
    """%q from %u of x and %v of y."""
    body = _pointers("xyz", width, element)
    body += _load_pointers("u", "x", width, element) + _load_pointers("v", "y", width, element)
    body += compute + _store_pointers("z", "q", width, element)
    return _module(name, "xyz", body, ", %n: tile<i32>", element)


def _of_views(name: str, compute: str, length: int, width: int, element: str) -> str:
    """The same through views."""
    views = [_View(name, (length,), (width,), element) for name in "xyz"]
    x, y, z = views
    body = "".join(view.text for view in views) + x.load("u", "%bx") + y.load("v", "%bx") + compute
    return _module(name, "xyz", body + z.store("q", "%bx"), element=element)


def long_kernel(operations: int, width: int = 64) -> str:
    """About that many operations: rounds of loads, arithmetic, comparisons and functions, one store at the end."""
    shape, views = (width,), [_View(name, (1 << 20,), (width,)) for name in "xyz"]
    x, y, z = views
    body = "".join(view.text for view in views) + x.load("s0", "%bx") + y.load("w", "%bx")
    steps = (operations - body.count(" = ") - 6) // 5
    for k in range(steps):
        body += _binary(f"a{k}", "mulf", f"s{k}", "w", shape) + _binary(f"b{k}", "addf", f"a{k}", "w", shape)
        body += _unary(f"c{k}", "absf", f"b{k}", shape) + _binary(f"d{k}", "maxf", f"c{k}", "w", shape)
        body += _binary(f"s{k + 1}", "subf", f"d{k}", f"a{k}", shape)
    return _module("long", "xyz", body + z.store(f"s{steps}", "%bx"))


def transpose_views(n: int, tile: int) -> str:
    """y = x transposed."""
    x, y = _View("x", (n, n), (tile, tile)), _View("y", (n, n), (tile, tile))
    body = x.text + y.text + x.load("v", "%bx", "%by")
    body += f"    %q = permute %v [1, 0] : tile<{tile}x{tile}xf32> -> tile<{tile}x{tile}xf32>\n"
    return _module("transpose", "xy", body + y.store("q", "%by", "%bx"))


def _grid(name: str, pointer: str, rows: tuple[str, int], columns: tuple[str, int], stride: str) -> str:
    """`%name_at`: pointers to rows x columns, whose positions are the 1-d tiles named."""
    (row, m), (column, n), shape = rows, columns, (rows[1], columns[1])
    body = _spread(f"{name}_row", row, shape, "i32", (m, 1)) + _spread(f"{name}_column", column, shape, "i32", (1, n))
    body += _spread(f"{name}_stride", stride, shape, "i32")
    body += _binary(f"{name}_jump", "muli", f"{name}_row", f"{name}_stride", shape, "i32")
    body += _binary(f"{name}_index", "addi", f"{name}_jump", f"{name}_column", shape, "i32")
    body += _spread(f"{name}_all", f"{pointer}a", shape, "ptr<f32>")
    box = _dims(shape)
    return body + (
        f"    %{name}_at = offset %{name}_all, %{name}_index"
        f" : tile<{box}xptr<f32>>, tile<{box}xi32> -> tile<{box}xptr<f32>>\n"
    )


def _positions(name: str, block: str, width: int) -> str:
    """`%name` = block * width + iota."""
    body = _constant(f"{name}_width", width) + _binary(f"{name}_base", "muli", block, f"{name}_width", (), "i32")
    body += f"    %{name}_i = iota : tile<{width}xi32>\n" + _spread(f"{name}_bases", f"{name}_base", (width,), "i32")
    return body + _binary(name, "addi", f"{name}_i", f"{name}_bases", (width,), "i32")


def _load_grid(name: str, shape: Sequence[int]) -> str:
    box = _dims(shape)
    return (
        f"    %{name}, %{name}_done = load_ptr_tko weak %{name}_at : tile<{box}xptr<f32>> -> tile<{box}xf32>, token\n"
    )


def _store_grid(name: str, value: str, shape: Sequence[int]) -> str:
    box = _dims(shape)
    return (
        f"    %{name}_done = store_ptr_tko weak %{name}_at, %{value} : tile<{box}xptr<f32>>, tile<{box}xf32> -> token\n"
    )


def transpose_pointers(tile: int) -> str:
    """y = x transposed, n x n, through pointers."""
    shape = (tile, tile)
    body = _positions("rows", "bx", tile) + _positions("columns", "by", tile)
    body += _grid("v", "x", ("rows", tile), ("columns", tile), "n") + _load_grid("v", shape)
    body += f"    %q = permute %v [1, 0] : tile<{tile}x{tile}xf32> -> tile<{tile}x{tile}xf32>\n"
    body += _grid("r", "y", ("columns", tile), ("rows", tile), "n") + _store_grid("r", "q", shape)
    return _module("transpose", "xy", body, ", %n: tile<i32>")


def matmul_views(n: int, tiles: tuple[int, int, int]) -> str:
    """c = a b of n x n matrices."""
    tm, tn, tk = tiles
    a, b, c = _View("a", (n, n), (tm, tk)), _View("b", (n, n), (tk, tn)), _View("c", (n, n), (tm, tn))
    inside = a.load("x", "%bx", "%k") + b.load("y", "%k", "%by")
    return _module(
        "matmul", "abc", a.text + b.text + c.text + _product_loop(n // tk, tiles, inside) + c.store("sum", "%bx", "%by")
    )


def matmul_pointers(n: int, tiles: tuple[int, int, int]) -> str:
    """c = a b of n x n matrices, row strides given; tiles of pointers are computed in the loop."""
    tm, tn, tk = tiles
    before = _positions("rows", "bx", tm) + _positions("columns", "by", tn)
    inside = (
        _positions("terms", "k", tk) + _grid("x", "a", ("rows", tm), ("terms", tk), "sa") + _load_grid("x", (tm, tk))
    )
    inside += _grid("y", "b", ("terms", tk), ("columns", tn), "sb") + _load_grid("y", (tk, tn))
    after = _grid("r", "c", ("rows", tm), ("columns", tn), "sc") + _store_grid("r", "sum", (tm, tn))
    scalars = "".join(f", %{name}: tile<i32>" for name in ("sa", "sb", "sc"))
    return _module("matmul", "abc", before + _product_loop(n // tk, tiles, inside) + after, scalars)


def _product_loop(steps: int, tiles: tuple[int, int, int], inside: str) -> str:
    """%sum = sum over k of %x %y."""
    tm, tn, tk = tiles
    body = _constant("lo", 0) + _constant("hi", steps) + _constant("step", 1) + _constant("zeros", 0.0, "f32", (tm, tn))
    return body + (
        f"    %sum = for %k in (%lo to %hi, step %step) : tile<i32>"
        f" iter_values(%acc = %zeros) -> (tile<{tm}x{tn}xf32>) {{\n{inside}"
        f"    %next = mmaf %x, %y, %acc : tile<{tm}x{tk}xf32>, tile<{tk}x{tn}xf32>, tile<{tm}x{tn}xf32>\n"
        f"    continue %next : tile<{tm}x{tn}xf32>\n    }}\n"
    )


def attention(heads: int, length: int, width: int, tile: tuple[int, int]) -> str:
    """o = softmax(q k^T / sqrt(width), causal) v for each head; online softmax over blocks of keys."""
    tm, tn = tile
    size, square, wide = (heads, length, width), (tm, tn), (tm, width)
    q, o = _View("q", size, (1, tm, width)), _View("o", size, (1, tm, width))
    k, v = _View("k", size, (1, tn, width)), _View("v", size, (1, tn, width))
    body = "".join(view.text for view in (q, k, v, o)) + _constant("zero", 0) + _constant("step", 1)
    body += q.load("q3", "%by", "%bx", "%zero") + _squeeze("qs", "q3", wide)
    body += _constant("scale", repr(width**-0.5), "f32", square) + _constant("low", "0xFF800000", "f32", square)
    body += _constant("m0", "0xFF800000", "f32", (tm,)) + _constant("l0", 0.0, "f32", (tm,))
    body += (
        _constant("acc0", 0.0, "f32", wide)
        + _positions("rows", "bx", tm)
        + _spread("row", "rows", square, "i32", (tm, 1))
    )
    body += _constant("tm", tm) + _constant("tn", tn) + _binary("next", "addi", "bx", "step", (), "i32")
    body += _binary("reach", "muli", "next", "tm", (), "i32")
    body += "    %hi = divi %reach, %tn signed rounding<positive_inf> : tile<i32>\n"
    types = f"tile<{tm}xf32>, tile<{tm}xf32>, tile<{tm}x{width}xf32>"
    body += "    %m_end, %l_end, %acc_end = for %j in (%zero to %hi, step %step) : tile<i32>"
    body += f" iter_values(%m = %m0, %l = %l0, %acc = %acc0) -> ({types}) {{\n"
    body += k.load("k3", "%by", "%j", "%zero") + _squeeze("ks", "k3", (tn, width))
    body += f"    %keys = permute %ks [1, 0] : tile<{tn}x{width}xf32> -> tile<{width}x{tn}xf32>\n"
    body += _constant("none", 0.0, "f32", square)
    body += f"    %qk = mmaf %qs, %keys, %none : tile<{tm}x{width}xf32>, tile<{width}x{tn}xf32>, tile<{tm}x{tn}xf32>\n"
    body += _binary("scaled", "mulf", "qk", "scale", square) + _positions("columns", "j", tn)
    body += _spread("column", "columns", square, "i32", (1, tn))
    body += (
        f"    %seen = cmpi greater_than_or_equal %row, %column, signed : tile<{tm}x{tn}xi32> -> tile<{tm}x{tn}xi1>\n"
    )
    body += f"    %s = select %seen, %scaled, %low : tile<{tm}x{tn}xi1>, tile<{tm}x{tn}xf32>\n"
    body += _reduce("top", "s", square, _MAX) + _binary("m_next", "maxf", "m", "top_r", (tm,))
    body += _spread("m_all", "m_next", square, "f32", (tm, 1)) + _binary("moved", "subf", "s", "m_all", square)
    body += _unary("p", "exp", "moved", square) + _reduce("total", "p", square, _SUM)
    body += _binary("less", "subf", "m", "m_next", (tm,)) + _unary("alpha", "exp", "less", (tm,))
    body += _binary("l_old", "mulf", "l", "alpha", (tm,)) + _binary("l_next", "addf", "l_old", "total_r", (tm,))
    body += _spread("alphas", "alpha", wide, "f32", (tm, 1)) + _binary("acc_old", "mulf", "acc", "alphas", wide)
    body += v.load("v3", "%by", "%j", "%zero") + _squeeze("vs", "v3", (tn, width))
    body += f"    %acc_next = mmaf %p, %vs, %acc_old : tile<{tm}x{tn}xf32>, tile<{tn}x{width}xf32>,"
    body += f" tile<{tm}x{width}xf32>\n"
    body += f"    continue %m_next, %l_next, %acc_next : {types}\n    }}\n"
    body += _spread("l_all", "l_end", wide, "f32", (tm, 1)) + _binary("out", "divf", "acc_end", "l_all", wide)
    body += f"    %out3 = reshape %out : tile<{_dims(wide)}xf32> -> tile<1x{_dims(wide)}xf32>\n"
    return _module("attention", "qkvo", body + o.store("out3", "%by", "%bx", "%zero"))


def _squeeze(result: str, value: str, shape: Sequence[int]) -> str:
    return f"    %{result} = reshape %{value} : tile<1x{_dims(shape)}xf32> -> tile<{_dims(shape)}xf32>\n"
