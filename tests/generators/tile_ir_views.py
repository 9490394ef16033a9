"""Views of tensors: partition, strided and gather views, loads, stores and updates at their edges."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from generators.tile_ir_conversions import addressable
from generators.tile_ir_floats import settled
from generators.tile_ir_memory import kind_of_data, of_this_block, ordering
from generators.tile_ir_values import DIGITS, F4, Shape, Value, count, is_float, limits, tile
from generators.tile_ir_writer import Output, Writer

_PADDING = {"zero": 0.0, "neg_zero": 0.0, "nan": math.nan, "pos_inf": math.inf, "neg_inf": -math.inf}


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor view."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Access:
    """A view with an index: what stands between the brackets and what comes behind the colon."""

    name: str
    type: str
    index: str
    index_types: str
    padding: float | None
    covered: bool


def _extent(w: Writer, known: bool, value: int, element: str) -> tuple[str, str, str]:
    """An extent in the type and in the list, and the SSA value where it is not static."""
    if known:
        return str(value), str(value), ""
    found = w.scalar(element, value) if w.depth == 1 and w.chance(0.5) else w.constant(element, value)
    return "?", found.name, found.name


def _tensor(w: Writer, base: str, element: str, sizes: Shape, strides: Shape) -> Tensor:
    index = w.rnd.choice(["i32", "i64", "i16"])
    static = 1.0 if element == F4 else 0.6
    shape, steps = ([_extent(w, w.chance(static), value, index) for value in values] for values in (sizes, strides))
    type_ = f"tensor_view<{''.join(s[0] + 'x' for s in shape)}{element}, strides=[{','.join(s[0] for s in steps)}]>"
    dynamic = f"{tile(index, ())} -> " if any(s[2] for s in (*shape, *steps)) else ""
    name = w.fresh("n")
    w.emit(
        f"{name} = make_tensor_view {base}, shape = [{', '.join(s[1] for s in shape)}], "
        f"strides = [{', '.join(s[1] for s in steps)}] : {dynamic}{type_}"
    )
    if w.chance(0.1):
        _shape_of_tensor(w, name, type_, sizes)
    return Tensor(name, type_)


def extent(sizes: Shape, strides: Shape) -> int:
    """How many elements of memory a tensor spans."""
    return sum((n - 1) * s for n, s in zip(sizes, strides, strict=True)) + 1


def _shape_of_tensor(w: Writer, name: str, type_: str, sizes: Shape) -> None:
    """Its sizes as values."""
    fits = [e for e in ("i8", "i16", "i32", "i64") if max(sizes, default=0) <= limits(e)[1]]
    known = [Value(w.fresh(), w.rnd.choice(fits), (), n, n) for n in sizes]
    known = [replace(v, element=known[0].element) for v in known]
    w.emit(f"{', '.join(v.name for v in known)} = get_tensor_shape {name} : {type_} -> {known[0].type}")
    w.pool.extend(known)


def _layout(w: Writer, element: str, sizes: Shape) -> Shape:
    """Row-major or another order, perhaps with gaps."""
    order, halves = list(range(len(sizes))), element == F4
    if w.chance(0.2) and not halves:
        w.rnd.shuffle(order)
    strides, step = [0] * len(sizes), 1 if halves or w.chance(0.85) else 2
    for dim in reversed(order):
        strides[dim] = step
        step *= sizes[dim]
        if w.chance(0.15):
            step += w.rnd.randint(1, 3)
    return tuple(strides)


def _legal(element: str, sizes: Shape) -> Shape:
    """Sizes that a tensor of such elements may have in this order."""
    return (*sizes[:-1], sizes[-1] + sizes[-1] % 2) if element == F4 else sizes


def _sizes(w: Writer, shape: Shape, dim_map: list[int], steps: Shape) -> Shape:
    """Of a tensor of one to three tiles along each dimension, the last one perhaps a part only."""
    sizes = [0] * len(shape)
    for k, (length, step) in enumerate(zip(shape, steps, strict=True)):
        tiles = w.rnd.randint(1, 3 if count(shape) <= 64 else 1)
        whole = (tiles - 1) * step + length
        cut = 0 if w.chance(0.4) else w.rnd.randint(0, length - 1)
        sizes[dim_map[k]] = max((tiles - 1) * step + 1, whole - cut)
    return tuple(sizes)


def _index(w: Writer, tiles: int, element: str, block: bool) -> str:
    """Of a tile along a dimension."""
    if block:
        return "%block"
    if tiles > 1 and w.chance(0.3):
        name = w.scalar(element, w.rnd.randrange(tiles)).name if w.depth == 1 else None
        if name is not None:
            return name
    return w.constant(element, w.rnd.randrange(tiles)).name


def _view(w: Writer, element: str, shape: Shape, writes: bool, padded: bool = True) -> tuple[Access, Shape, Shape, str]:
    """A view type that gives tiles of that shape; then the tensor's sizes, strides, and the text with a hole."""
    rank = len(shape)
    kind = w.rnd.choice(["partition", "partition", "strided"])
    steps = shape if kind == "partition" else tuple(max(1, n + w.rnd.randint(-2, 3)) for n in shape)
    if writes and kind == "strided":
        steps = tuple(max(s, n) for s, n in zip(steps, shape, strict=True))
    dim_map = list(range(rank))
    if rank > 1 and w.chance(0.25):
        w.rnd.shuffle(dim_map)
    sizes = _sizes(w, shape, dim_map, steps)
    blocks = w.blocks > 1
    if blocks:
        # The tile blocks go along the first dimension of the tile.
        end = (w.blocks - 1) * steps[0] + shape[0]
        inner = list(sizes)
        inner[dim_map[0]] = end if w.chance(0.5) else end - w.rnd.randint(0, shape[0] - 1)
        sizes = tuple(inner)
    sizes = _legal(element, sizes)
    names = [n for n in _PADDING if n == "zero" or element in ("f16", "bf16", "f32", "f64", "tf32")]
    padding = w.rnd.choice(names) if padded and w.chance(0.7) else None
    type_ = f"{kind}_view<tile=({'x'.join(map(str, shape))})"
    if kind == "strided":
        type_ += f", traversal_strides=[{','.join(map(str, steps))}]"
    if padding is not None:
        type_ += f", padding_value = {padding}"
    type_ += ", {}"
    if dim_map != list(range(rank)):
        type_ += f", dim_map=[{', '.join(map(str, dim_map))}]"
    index_type = "i32" if blocks else w.rnd.choice(["i32", "i64", "i16"])
    numbers = [-(-sizes[d] // s) for d, s in zip(dim_map, steps, strict=True)]
    covered = all(
        (n - 1) * s + length <= sizes[d] for n, s, length, d in zip(numbers, steps, shape, dim_map, strict=True)
    )
    index = ", ".join(_index(w, n, index_type, blocks and k == 0) for k, n in enumerate(numbers))
    value = None if padding is None else _PADDING[padding]
    access = Access("", type_ + ">", index, tile(index_type, ()), value, covered)
    return access, sizes, _layout(w, element, sizes), kind


def _opened(w: Writer, access: Access, kind: str, tensor: Tensor) -> Access:
    type_ = access.type.replace("{}", tensor.type)
    name = w.fresh("w")
    w.emit(f"{name} = make_{kind}_view {tensor.name} : {type_}")
    return replace(access, name=name, type=type_)


def load(w: Writer, element: str, shape: Shape) -> Value:
    """A tile of data through a view; elements outside of the tensor are the padding."""
    if not w.loops and w.chance(0.15) and is_small(shape):
        return _gathered(w, element, shape)
    access, sizes, strides, kind = _view(w, element, shape, False)
    while access.padding is None and not access.covered:
        access, sizes, strides, kind = _view(w, element, shape, False)
    array, known = w.data_value(element, shape, kind_of_data(w), extent(sizes, strides))
    access = _opened(w, access, kind, _tensor(w, w.source(element, array), element, sizes, strides))
    if access.padding is not None and not access.covered:
        known = padded(known, access.padding)
    if w.chance(0.1):
        shape_of(w, access, len(shape))
    return load_through(w, access, known)


def is_small(shape: Shape) -> bool:
    """Gathering is code for each row."""
    return count(shape) <= 64


def padded(known: Value, padding: float) -> Value:
    """What is known when some elements are padding."""
    if not math.isfinite(padding):
        return replace(known, low=-math.inf, high=math.inf, whole=False)
    return replace(known, low=min(known.low, padding), high=max(known.high, padding))


def load_through(w: Writer, access: Access, known: Value, before: str | None = None) -> Value:
    """A load from a view, after some token if none is named."""
    name, token = w.fresh(), w.fresh("t")
    before = w.token() if before is None else before
    w.emit(
        f"{name}, {token} = load_view_tko {ordering(w, 'acquire')} {access.name}[{access.index}]{before} : "
        f"{access.type}, {access.index_types} -> {known.type}, token"
    )
    w.tokens.append(token)
    found = known.named(name)
    w.pool.append(found)
    return found


@dataclass(frozen=True, slots=True)
class _Rows:
    """A view whose tiles are rows of a tensor by a list of positions."""

    type: str
    sizes: Shape
    index: str
    index_types: str


def _rows(w: Writer, element: str, shape: Shape, writes: bool, outside: bool) -> _Rows:
    """Positions, of which some may lie outside; those of a store differ, among all tile blocks. The type has a hole."""
    sparse, blocks = w.rnd.randrange(len(shape)), w.blocks if writes else 1
    least = shape[sparse] if blocks > 1 else 1
    part = w.rnd.randint(least, max(9, 2 * least))
    sizes = tuple(part * blocks if k == sparse else n + w.rnd.randint(0, 5) for k, n in enumerate(shape))
    sizes = _legal(element, sizes)
    beyond = 3 if outside and blocks == 1 else 0
    choices = range(max(part + beyond, shape[sparse] if writes else 0))
    rows = w.rnd.sample(choices, shape[sparse]) if writes else w.rnd.choices(choices, k=shape[sparse])
    known = Value("", w.rnd.choice(["i32", "i32", "i64", "i16"]) if blocks == 1 else "i32", (shape[sparse],), 0, 99)
    text = f"constant <{known.element}: [{', '.join(map(str, rows))}]> : {known.type}"
    if len(set(rows)) == 1:
        text = f"constant <{known.element}: {rows[0]}> : {known.type}"
    found = w.define(text, replace(known, low=min(rows), high=max(rows)))
    if blocks > 1:
        found = of_this_block(w, found, part)
    dense = w.rnd.choice(["i32", "i32", "i64", "i16"])
    starts = [0 if k == sparse else w.rnd.randint(0, sizes[k] - (1 if outside else n)) for k, n in enumerate(shape)]
    index = [found if k == sparse else w.constant(dense, start) for k, start in enumerate(starts)]
    types = ", ".join(v.type for v in index)
    if all(v.type == found.type for v in index):
        types = found.type
    padding = ", padding_value = zero" if outside and not writes else ""
    tiles = "x".join(map(str, shape))
    type_ = f"gather_scatter_view<tile=({tiles}){padding}, {{}}, sparse_dim={sparse}>"
    return _Rows(type_, sizes, ", ".join(v.name for v in index), types)


def _opened_rows(w: Writer, rows: _Rows, tensor: Tensor) -> Access:
    access = Access("", rows.type, rows.index, rows.index_types, None, True)
    return _opened(w, access, "gather_scatter", tensor)


def _gathered(w: Writer, element: str, shape: Shape) -> Value:
    """Rows of an array."""
    outside = w.chance(0.4)
    rows = _rows(w, element, shape, False, outside)
    strides = _layout(w, element, rows.sizes)
    array, known = w.data_value(element, shape, kind_of_data(w), extent(rows.sizes, strides))
    tensor = _tensor(w, w.source(element, array), element, rows.sizes, strides)
    return load_through(w, _opened_rows(w, rows, tensor), padded(known, 0.0) if outside else known)


def shape_of(w: Writer, access: Access, rank: int) -> None:
    """Sizes of the index space as values."""
    names = [w.fresh() for _ in range(rank)]
    w.emit(f"{', '.join(names)} = get_index_space_shape {access.name} : {access.type} -> tile<i32>")
    w.pool.extend(Value(n, "i32", (), 1, 64) for n in names)


def store(w: Writer, value: Value, after: str | None = None) -> str:
    """A tile of results through a view of memory of its own. The token."""
    if w.blocks > 1:
        # Another tile block may have the other half of a byte.
        value = addressable(w, value)
    if w.chance(0.15) and is_small(value.shape):
        access = _scattered(w, value)
    else:
        access, sizes, strides, kind = _view(w, value.element, value.shape, True)
        base, _ = w.output(value.element, extent(sizes, strides), value)
        access = _opened(w, access, kind, _tensor(w, base, value.element, sizes, strides))
    before = w.token() if after is None else f" token={after}"
    return store_through(w, access, value, before)


def _scattered(w: Writer, value: Value) -> Access:
    """Rows of an output."""
    rows = _rows(w, value.element, value.shape, True, w.chance(0.4))
    strides = _layout(w, value.element, rows.sizes)
    base, _ = w.output(value.element, extent(rows.sizes, strides), value)
    return _opened_rows(w, rows, _tensor(w, base, value.element, rows.sizes, strides))


def store_through(w: Writer, access: Access, value: Value, before: str) -> str:
    """A store into a view. Its token."""
    token = w.fresh("t")
    w.emit(
        f"{token} = store_view_tko {ordering(w, 'release')} {value.name}, {access.name}[{access.index}]{before} : "
        f"{value.type}, {access.type}, {access.index_types} -> token"
    )
    w.tokens.append(token)
    return token


def whole(w: Writer, base: str, element: str, shape: Shape) -> Access:
    """Memory as one tile in rows."""
    strides = tuple(math.prod(shape[k + 1 :]) for k in range(len(shape)))
    type_ = f"partition_view<tile=({'x'.join(map(str, shape))}), {{}}>"
    index = ", ".join(w.constant("i32", 0).name for _ in shape)
    access = Access("", type_, index, tile("i32", ()), None, True)
    return _opened(w, access, "partition", _tensor(w, base, element, shape, strides))


_MODES = ("and", "or", "xor", "add", "max", "min", "umax", "umin")


def update(w: Writer, value: Value) -> None:
    """An atomic update of initialised memory."""
    element, terms = value.element, w.blocks * 64**w.loops
    if element not in ("i32", "i64", "f16", "bf16", "f32", "f64"):
        return
    value = settled(w, value)
    if is_float(element) and not (value.whole and terms * value.magnitude + 8 <= 2.0 ** DIGITS[element]):
        return
    if not value.exact:
        return
    access, sizes, strides, kind = _view(w, element, value.shape, True, padded=False)
    array, _ = w.data_value(element, value.shape, "small", extent(sizes, strides))
    base = w.pointer(element, array)
    w.outputs.append(Output(len(w.arguments) - 1, element, 0.0, zeros=True))
    access = _opened(w, access, kind, _tensor(w, base, element, sizes, strides))
    mode = "addf" if is_float(element) else w.rnd.choice(_MODES)
    token = w.fresh("t")
    w.emit(
        f"{token} = atomic_red_view_tko relaxed {w.rnd.choice(['tl_blk', 'device'])} {access.name}[{access.index}], "
        f"{mode}, {value.name}{w.token()} : {value.type}, {access.type}, {access.index_types} -> token"
    )
    w.tokens.append(token)
