"""What `tile_ir.py` measures: a Tile IR kernel, what NumPy and torch do instead, what issue 4 asks for.

Peers write into arrays that exist already wherever they can, each into its own: an array that two of them write stays
nearer to the processor than ours. What torch does stands in `torch_forms.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

import tile_ir_kernels as kernels
import tilewright as tw
import torch_forms

Array = NDArray[np.float32]
Run = Callable[[], object]

_ELEMENTS: Final = 1 << 22
_LENGTH: Final = 10_000_000
_WIDTH: Final = 1024
_SQUARE: Final = 4096
_PRODUCT: Final = 1024
_HEADS: Final = 8
_EPSILON: Final = 1e-5


class Case(Struct, frozen=True):
    """Ours and NumPy's, where ours writes and what it should, the formulations of torch, the bars by library.

    Whoever does not ask for `torch` does not load it.
    """

    ours: Run
    numpy: Run
    result: Array
    expected: Array
    torch: Callable[[], torch_forms.Forms]
    bars: dict[str, float] = field(default_factory=dict[str, float])


def _kernel(text: str, name: str, *grid: int) -> Callable[..., object]:
    launch: Callable[..., object] = getattr(tw.compile(text, cache=False), name)[grid]
    return launch


def _random(rng: np.random.Generator, *shape: int) -> Array:
    return rng.standard_normal(shape, np.float32)


def _softmax(columns: int, rng: np.random.Generator) -> Case:
    rows = _ELEMENTS // columns
    x, y, out = (
        _random(rng, rows, columns),
        np.full((rows, columns), np.nan, np.float32),
        np.empty((rows, columns), np.float32),
    )
    ours = _kernel(kernels.softmax(rows, columns), "softmax", rows)

    def peer() -> Array:
        np.subtract(x, x.max(1, keepdims=True), out=out)
        np.exp(out, out=out)
        return np.divide(out, out.sum(1, keepdims=True), out=out)

    forms = partial(torch_forms.softmax, x)
    return Case(lambda: ours(x, y), peer, y, peer().copy(), forms, {"numpy": 2.0, "torch": 0.8})


def _layer_norm(columns: int, rng: np.random.Generator) -> Case:
    rows = _ELEMENTS // columns
    x, y, out = (
        _random(rng, rows, columns),
        np.full((rows, columns), np.nan, np.float32),
        np.empty((rows, columns), np.float32),
    )
    w, b = _random(rng, columns), _random(rng, columns)
    ours = _kernel(kernels.layer_norm(rows, columns), "layer_norm", rows)

    def peer() -> Array:
        np.subtract(x, x.mean(1, keepdims=True), out=out)
        np.multiply(out, 1 / np.sqrt(np.square(out).mean(1, keepdims=True) + np.float32(_EPSILON)), out=out)
        np.multiply(out, w, out=out)
        return np.add(out, b, out=out)

    forms = partial(torch_forms.layer_norm, x, w, b, _EPSILON)
    return Case(lambda: ours(x, w, b, y), peer, y, peer().copy(), forms, {"numpy": 2.0, "torch": 0.8})


def _rms_norm(columns: int, rng: np.random.Generator) -> Case:
    rows = _ELEMENTS // columns
    x, y, out = (
        _random(rng, rows, columns),
        np.full((rows, columns), np.nan, np.float32),
        np.empty((rows, columns), np.float32),
    )
    w = _random(rng, columns)
    ours = _kernel(kernels.rms_norm(rows, columns), "rms_norm", rows)

    def peer() -> Array:
        np.square(x, out=out)
        np.multiply(x, 1 / np.sqrt(out.mean(1, keepdims=True) + np.float32(_EPSILON)), out=out)
        return np.multiply(out, w, out=out)

    forms = partial(torch_forms.rms_norm, x, w, _EPSILON)
    return Case(lambda: ours(x, w, y), peer, y, peer().copy(), forms, {"numpy": 2.0, "torch": 0.8})


def _vector_add(style: str, rng: np.random.Generator) -> Case:
    x, y, z, out = (_random(rng, _LENGTH) for _ in range(4))
    blocks = -(-_LENGTH // _WIDTH)
    if style == "views":
        views = _kernel(kernels.vector_add_views(_LENGTH, _WIDTH), "vector_add", blocks)
        ours = partial(views, x, y, z)
    else:
        pointers = _kernel(kernels.vector_add_pointers(_WIDTH), "vector_add", blocks)
        ours = partial(pointers, x, y, z, _LENGTH)
    bars = {"numpy": 1.0, "torch": 1.0}
    return Case(ours, lambda: np.add(x, y, out=out), z, x + y, partial(torch_forms.add, x, y), bars)


def _silu_mul(style: str, rng: np.random.Generator) -> Case:
    x, y, z, out = (_random(rng, _LENGTH) for _ in range(4))
    blocks = -(-_LENGTH // _WIDTH)
    if style == "views":
        views = _kernel(kernels.silu_mul_views(_LENGTH, _WIDTH), "silu_mul", blocks)
        ours = partial(views, x, y, z)
    else:
        pointers = _kernel(kernels.silu_mul_pointers(_WIDTH), "silu_mul", blocks)
        ours = partial(pointers, x, y, z, _LENGTH)

    def peer() -> Array:
        np.exp(np.negative(x, out=out), out=out)
        np.divide(x, np.add(out, 1, out=out), out=out)
        return np.multiply(out, y, out=out)

    forms = partial(torch_forms.silu_mul, x, y)
    return Case(ours, peer, z, peer().copy(), forms, {"numpy": 1.0, "torch": 1.0})


def _transpose(style: str, rng: np.random.Generator) -> Case:
    x, y, out, tile = (
        _random(rng, _SQUARE, _SQUARE),
        *(np.full((_SQUARE, _SQUARE), np.nan, np.float32) for _ in range(2)),
        64,
    )
    grid = (_SQUARE // tile, _SQUARE // tile)
    if style == "views":
        views = _kernel(kernels.transpose_views(_SQUARE, tile), "transpose", *grid)
        ours = partial(views, x, y)
    else:
        pointers = _kernel(kernels.transpose_pointers(tile), "transpose", *grid)
        ours = partial(pointers, x, y, _SQUARE)
    bars = {"numpy": 1.0, "torch": 1.0}
    return Case(ours, lambda: np.copyto(out, x.T), y, x.T, partial(torch_forms.transpose, x), bars)


def _matmul(style: str, tiles: tuple[int, int, int], rng: np.random.Generator) -> Case:
    a, b, c, out = (_random(rng, _PRODUCT, _PRODUCT) for _ in range(4))
    grid = (_PRODUCT // tiles[0], _PRODUCT // tiles[1])
    if style == "views":
        views = _kernel(kernels.matmul_views(_PRODUCT, tiles), "matmul", *grid)
        ours = partial(views, a, b, c)
    else:
        pointers = _kernel(kernels.matmul_pointers(_PRODUCT, tiles), "matmul", *grid)
        ours = partial(pointers, a, b, c, _PRODUCT, _PRODUCT, _PRODUCT)
    forms = partial(torch_forms.matmul, a, b)
    return Case(ours, lambda: np.matmul(a, b, out=out), c, a @ b, forms, {"torch": 0.6})


def _attention(tile: tuple[int, int], rng: np.random.Generator) -> Case:
    length, width = 1024, 64
    q, k, v, o = (_random(rng, _HEADS, length, width) for _ in range(4))
    ours = _kernel(kernels.attention(_HEADS, length, width, tile), "attention", length // tile[0], _HEADS)
    hidden = np.where(np.tri(length, dtype=bool), np.float32(0), np.float32(-np.inf))

    def peer() -> Array:
        scores = q @ k.transpose(0, 2, 1) * np.float32(width**-0.5) + hidden
        np.exp(scores - scores.max(2, keepdims=True), out=scores)
        return (scores / scores.sum(2, keepdims=True)) @ v

    forms = partial(torch_forms.attention, q, k, v)
    return Case(lambda: ours(q, k, v, o), peer, o, peer(), forms, {"torch": 0.5})


def cases() -> Iterator[tuple[str, Callable[[np.random.Generator], Case]]]:
    """Names, the kernel's before the first comma, and makers."""
    for name, maker in (("softmax", _softmax), ("layer norm", _layer_norm), ("RMS norm", _rms_norm)):
        for columns in (1024, 4096, 8192):
            yield f"{name}, {columns}", partial(maker, columns)
    for name, of_style in (("vector add", _vector_add), ("silu mul", _silu_mul), ("transpose", _transpose)):
        for style in ("views", "pointers"):
            yield f"{name}, {style}", partial(of_style, style)
    for style in ("views", "pointers"):
        for tiles in ((64, 64, 32), (128, 128, 64)):
            yield f"matmul, {'x'.join(map(str, tiles))}, {style}", partial(_matmul, style, tiles)
    for tile in ((64, 64), (128, 64)):
        yield f"attention, {tile[0]}x{tile[1]}", partial(_attention, tile)
