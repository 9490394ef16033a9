"""Views of tensors: partition, strided and gather views, loads, stores and updates at their edges."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from generators.tile_ir_floats import settled
from generators.tile_ir_memory import kind_of_data, ordering
from generators.tile_ir_values import DIGITS, Shape, Value, count, is_float, tile
from generators.tile_ir_writer import Output, Writer

_PADDING = {"zero": 0.0, "neg_zero": 0.0, "nan": math.nan, "pos_inf": math.inf, "neg_inf": -math.inf}


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor view: its type, and how many elements its memory has."""

    name: str
    type: str
    sizes: Shape
    memory: int


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
    shape, steps = ([_extent(w, w.chance(0.6), value, index) for value in values] for values in (sizes, strides))
    type_ = f"tensor_view<{''.join(s[0] + 'x' for s in shape)}{element}, strides=[{','.join(s[0] for s in steps)}]>"
    dynamic = f"{tile(index, ())} -> " if any(s[2] for s in (*shape, *steps)) else ""
    name = w.fresh("n")
    w.emit(
        f"{name} = make_tensor_view {base}, shape = [{', '.join(s[1] for s in shape)}], "
        f"strides = [{', '.join(s[1] for s in steps)}] : {dynamic}{type_}"
    )
    return Tensor(name, type_, sizes, sum((n - 1) * s for n, s in zip(sizes, strides, strict=True)) + 1)


def _layout(w: Writer, sizes: Shape) -> Shape:
    """Row-major or another order, perhaps with gaps."""
    order = list(range(len(sizes)))
    if w.chance(0.2):
        w.rnd.shuffle(order)
    strides, step = [0] * len(sizes), 1 if w.chance(0.85) else 2
    for dim in reversed(order):
        strides[dim] = step
        step *= sizes[dim]
        if w.chance(0.15):
            step += w.rnd.randint(1, 3)
    return tuple(strides)


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
    return access, sizes, _layout(w, sizes), kind


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
    memory = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True)) + 1
    array, known = w.data_value(element, shape, kind_of_data(w), memory)
    access = _opened(w, access, kind, _tensor(w, w.pointer(element, array), element, sizes, strides))
    if access.padding is not None and not access.covered:
        known = padded(known, access.padding)
    if w.chance(0.1):
        shape_of(w, access, len(shape))
    return _loaded(w, access, known)


def is_small(shape: Shape) -> bool:
    """Gathering is code for each row."""
    return count(shape) <= 64


def padded(known: Value, padding: float) -> Value:
    """What is known when some elements are padding."""
    if not math.isfinite(padding):
        return replace(known, low=-math.inf, high=math.inf, whole=False)
    return replace(known, low=min(known.low, padding), high=max(known.high, padding))


def _loaded(w: Writer, access: Access, known: Value) -> Value:
    name, token = w.fresh(), w.fresh("t")
    before = w.token()
    w.emit(
        f"{name}, {token} = load_view_tko {ordering(w, 'acquire')} {access.name}[{access.index}]{before} : "
        f"{access.type}, {access.index_types} -> {known.type}, token"
    )
    w.tokens.append(token)
    found = known.named(name)
    w.pool.append(found)
    return found


def _gathered(w: Writer, element: str, shape: Shape) -> Value:
    """Rows by a list of positions, of which some may lie outside."""
    rank = len(shape)
    sparse = w.rnd.randrange(rank)
    sizes = tuple(n + w.rnd.randint(0, 5) if k != sparse else w.rnd.randint(1, 9) for k, n in enumerate(shape))
    strides = _layout(w, sizes)
    memory = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True)) + 1
    array, known = w.data_value(element, shape, kind_of_data(w), memory)
    tensor = _tensor(w, w.pointer(element, array), element, sizes, strides)
    outside = w.chance(0.3)
    type_ = f"gather_scatter_view<tile=({'x'.join(map(str, shape))})"
    if outside:
        type_ += ", padding_value = zero"
        known = padded(known, 0.0)
    type_ += f", {tensor.type}, sparse_dim={sparse}>"
    name = w.fresh("w")
    w.emit(f"{name} = make_gather_scatter_view {tensor.name} : {type_}")
    rows = [w.rnd.randrange(sizes[sparse] + (3 if outside else 0)) for _ in range(shape[sparse])]
    list_type = tile("i32", (shape[sparse],))
    rows_name = w.fresh()
    w.emit(f"{rows_name} = constant <i32: [{', '.join(map(str, rows))}]> : {list_type}")
    starts = [0 if k == sparse else w.rnd.randint(0, sizes[k] - n) for k, n in enumerate(shape)]
    index = [rows_name if k == sparse else w.constant("i32", start).name for k, start in enumerate(starts)]
    types = ", ".join(list_type if k == sparse else tile("i32", ()) for k in range(rank))
    return _loaded(w, Access(name, type_, ", ".join(index), types, 0.0, True), known)


def shape_of(w: Writer, access: Access, rank: int) -> None:
    """Sizes of the index space as values."""
    names = [w.fresh() for _ in range(rank)]
    w.emit(f"{', '.join(names)} = get_index_space_shape {access.name} : {access.type} -> tile<i32>")
    w.pool.extend(Value(n, "i32", (), 1, 64) for n in names)


def store(w: Writer, value: Value, after: str | None = None) -> str:
    """A tile of results through a view of memory of its own. The token."""
    access, sizes, strides, kind = _view(w, value.element, value.shape, True)
    memory = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True)) + 1
    base, _ = w.output(value.element, memory, value)
    access = _opened(w, access, kind, _tensor(w, base, value.element, sizes, strides))
    before = w.token() if after is None else f" token={after}"
    token = w.fresh("t")
    w.emit(
        f"{token} = store_view_tko {ordering(w, 'release')} {value.name}, {access.name}[{access.index}]{before} : "
        f"{value.type}, {access.type}, {access.index_types} -> token"
    )
    w.tokens.append(token)
    return token


_MODES = ("and", "or", "xor", "add", "max", "min", "umax", "umin")


def update(w: Writer, value: Value) -> None:
    """An atomic update of initialised memory."""
    element, terms = value.element, w.blocks * 64**w.loops
    value = settled(w, value)
    if is_float(element) and not (value.whole and terms * value.magnitude + 8 <= 2.0 ** DIGITS[element]):
        return
    if not value.exact or element not in ("i32", "i64", "f16", "bf16", "f32", "f64"):
        return
    access, sizes, strides, kind = _view(w, element, value.shape, True, padded=False)
    memory = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True)) + 1
    array, _ = w.data_value(element, value.shape, "small", memory)
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
