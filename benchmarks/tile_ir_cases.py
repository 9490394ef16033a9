"""What `tile_ir.py` measures: a Tile IR kernel, what NumPy and torch do instead, what issue 4 asks for.

Peers write into arrays that exist already wherever they can, each into its own: an array that two of them write stays
nearer to the processor than ours. torch is left out if missing.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import tile_ir_kernels as kernels
import tilewright as tw

Array = NDArray[np.float32]
Run = Callable[[], object]

_ELEMENTS: Final = 1 << 22
_LENGTH: Final = 10_000_000
_WIDTH: Final = 1024
_SQUARE: Final = 4096
_PRODUCT: Final = 1024
_HEADS: Final = 8
_EPSILON: Final = 1e-5


@dataclass(frozen=True, slots=True)
class Case:
    """Callables by name ("tilewright" first), where ours writes, what it should, the bars by peer."""

    runs: dict[str, Run]
    result: Array
    expected: Array
    bars: dict[str, float] = field(default_factory=dict[str, float])


def torch_module() -> Any:
    """The module torch, or None."""
    return importlib.import_module("torch") if importlib.util.find_spec("torch") else None


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

    runs: dict[str, Run] = {"tilewright": lambda: ours(x, y), "numpy": peer}
    if (torch := torch_module()) is not None:
        source, into = torch.from_numpy(x), torch.empty(rows, columns)
        runs["torch"] = lambda: torch.softmax(source, 1, out=into)
    return Case(runs, y, peer().copy(), {"numpy": 2.0, "torch": 0.8})


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

    runs: dict[str, Run] = {"tilewright": lambda: ours(x, w, b, y), "numpy": peer}
    if (torch := torch_module()) is not None:
        source, weight, bias = (torch.from_numpy(array) for array in (x, w, b))
        into, mean, deviation = torch.empty(rows, columns), torch.empty(rows, 1), torch.empty(rows, 1)
        norm = torch.ops.aten.native_layer_norm.out
        runs["torch"] = lambda: norm(source, [columns], weight, bias, _EPSILON, out0=into, out1=mean, out2=deviation)
    return Case(runs, y, peer().copy(), {"numpy": 2.0, "torch": 0.8})


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

    runs: dict[str, Run] = {"tilewright": lambda: ours(x, w, y), "numpy": peer}
    if (torch := torch_module()) is not None:
        source, weight = torch.from_numpy(x), torch.from_numpy(w)
        runs["torch"] = lambda: torch.nn.functional.rms_norm(source, [columns], weight, _EPSILON)
    return Case(runs, y, peer().copy(), {"numpy": 2.0, "torch": 0.8})


def _vector_add(style: str, rng: np.random.Generator) -> Case:
    x, y, z, out = (_random(rng, _LENGTH) for _ in range(4))
    blocks = -(-_LENGTH // _WIDTH)
    if style == "views":
        views = _kernel(kernels.vector_add_views(_LENGTH, _WIDTH), "vector_add", blocks)
        ours = partial(views, x, y, z)
    else:
        pointers = _kernel(kernels.vector_add_pointers(_WIDTH), "vector_add", blocks)
        ours = partial(pointers, x, y, z, _LENGTH)
    runs: dict[str, Run] = {"tilewright": ours, "numpy": lambda: np.add(x, y, out=out)}
    if (torch := torch_module()) is not None:
        left, right = (torch.from_numpy(array) for array in (x, y))
        into = torch.empty_like(left)
        runs["torch"] = lambda: torch.add(left, right, out=into)
    return Case(runs, z, x + y, {"numpy": 1.0, "torch": 1.0})


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

    runs: dict[str, Run] = {"tilewright": ours, "numpy": peer}
    if (torch := torch_module()) is not None:
        left, right, middle, into = (torch.from_numpy(array) for array in (x, y, np.empty_like(x), np.empty_like(x)))
        silu = torch.ops.aten.silu.out
        runs["torch"] = lambda: torch.mul(silu(left, out=middle), right, out=into)
    return Case(runs, z, peer().copy(), {"numpy": 1.0, "torch": 1.0})


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
    runs: dict[str, Run] = {"tilewright": ours, "numpy": lambda: np.copyto(out, x.T)}
    if (torch := torch_module()) is not None:
        source, into = torch.from_numpy(x), torch.empty(_SQUARE, _SQUARE)
        runs["torch"] = lambda: into.copy_(source.t())
    return Case(runs, y, x.T, {"numpy": 1.0, "torch": 1.0})


def _matmul(style: str, tiles: tuple[int, int, int], rng: np.random.Generator) -> Case:
    a, b, c, out = (_random(rng, _PRODUCT, _PRODUCT) for _ in range(4))
    grid = (_PRODUCT // tiles[0], _PRODUCT // tiles[1])
    if style == "views":
        views = _kernel(kernels.matmul_views(_PRODUCT, tiles), "matmul", *grid)
        ours = partial(views, a, b, c)
    else:
        pointers = _kernel(kernels.matmul_pointers(_PRODUCT, tiles), "matmul", *grid)
        ours = partial(pointers, a, b, c, _PRODUCT, _PRODUCT, _PRODUCT)
    runs: dict[str, Run] = {"tilewright": ours, "numpy": lambda: np.matmul(a, b, out=out)}
    if (torch := torch_module()) is not None:
        left, right, into = (torch.from_numpy(array) for array in (a, b, out))
        runs["torch"] = lambda: torch.matmul(left, right, out=into)
    return Case(runs, c, a @ b, {"torch": 0.6})


def _attention(tile: tuple[int, int], rng: np.random.Generator) -> Case:
    length, width = 1024, 64
    q, k, v, o = (_random(rng, _HEADS, length, width) for _ in range(4))
    ours = _kernel(kernels.attention(_HEADS, length, width, tile), "attention", length // tile[0], _HEADS)
    hidden = np.where(np.tri(length, dtype=bool), np.float32(0), np.float32(-np.inf))

    def peer() -> Array:
        scores = q @ k.transpose(0, 2, 1) * np.float32(width**-0.5) + hidden
        np.exp(scores - scores.max(2, keepdims=True), out=scores)
        return (scores / scores.sum(2, keepdims=True)) @ v

    runs: dict[str, Run] = {"tilewright": lambda: ours(q, k, v, o), "numpy": peer}
    if (torch := torch_module()) is not None:
        queries, keys, values = (torch.from_numpy(array[None]) for array in (q, k, v))
        product = torch.nn.functional.scaled_dot_product_attention
        runs["torch"] = lambda: product(queries, keys, values, is_causal=True)
    return Case(runs, o, peer(), {"torch": 0.5})


def cases() -> Iterator[tuple[str, Callable[[np.random.Generator], Case]]]:
    """Names and makers."""
    for name, maker in (("softmax", _softmax), ("layer_norm", _layer_norm), ("rms_norm", _rms_norm)):
        for columns in (1024, 4096, 8192):
            yield f"{name} {columns}", partial(maker, columns)
    for name, of_style in (("vector add", _vector_add), ("silu mul", _silu_mul), ("transpose", _transpose)):
        for style in ("views", "pointers"):
            yield f"{name}, {style}", partial(of_style, style)
    for style in ("views", "pointers"):
        for tiles in ((64, 64, 32), (128, 128, 64)):
            yield f"matmul {'x'.join(map(str, tiles))}, {style}", partial(_matmul, style, tiles)
    for tile in ((64, 64), (128, 64)):
        yield f"attention {tile[0]}x{tile[1]}", partial(_attention, tile)
