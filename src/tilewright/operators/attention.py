"""`tilewright.attention`: scaled dot-product attention, forward, for arrays of any library."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import numpy as np
from msgspec import Struct

from tilewright.operators.asked import as_number, check_name
from tilewright.operators.attention_text import NAME, AttentionClass, attention_text
from tilewright.operators.errors import OperatorError, OperatorTypeError, refused
from tilewright.operators.frameworks import Framework, framework_of
from tilewright.operators.layouts import Extents, Layout, Sight
from tilewright.operators.overlaps import overlap
from tilewright.runtime.errors import LaunchError

if TYPE_CHECKING:
    from tilewright.program import Kernel

_KEPT_PROGRAMS: Final = 64
"""Compiled programs that a process keeps; the cache on disk keeps them all."""
_KEPT_LAUNCHES: Final = 1024
_ELEMENTS: Final = ("f16", "bf16")
_LAYOUTS: Final = {"bhld": (0, 1, 2, 3), "blhd": (0, 2, 1, 3)}
"""Where batch, heads, length and width stand among the extents of an array."""
_MODES: Final = ("batch", "heads", "length", "width")
_MOST_WIDTH: Final = 256
_LEAST_SCALE, _MOST_SCALE = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)
_MOST_STRIDE: Final = 1 << 31
_TILES: Final = {64: ((64, 128), 128), 128: ((128, 128), 256), 256: ((128, 64), 256)}
"""By the largest width: queries and keys of a block, and its threads on an NVIDIA device.

Measured on an H200, of torch's attention, f16, 4 x 32 heads of length 4096: width 64 0.89 and causal 0.84 (128 queries
by 64 keys 0.86 and 0.84), width 128 0.82 and 0.87. Width 256 is not measured.
"""


class Options(TypedDict, total=False):
    """Options of attention, as `tilewright.attention` explains them."""

    causal: bool
    scale: float | None
    return_lse: bool
    layout: str
    out: object
    target: str


class _Head(Struct, frozen=True):
    """An array of heads: extents and strides of batch, heads, length and width."""

    shape: tuple[int, int, int, int]
    strides: tuple[int, int, int, int]

    @property
    def span(self) -> int:
        """Elements of memory from the first to the last."""
        return 0 if 0 in self.shape else 1 + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))


class _Flat(Struct, frozen=True):
    """All heads of an array as one matrix with its rows: extents, and how far batches and heads are apart in it."""

    rows: int
    columns: int
    batch: tuple[int, int]
    head: tuple[int, int]

    @property
    def integers(self) -> tuple[int, ...]:
        """As a program takes them."""
        return (self.rows, self.columns, self.batch[0], self.head[0], self.batch[1], self.head[1])


class _Asked(Struct, frozen=True):
    """Attention but for the elements of its arrays, as their library shows them: launches are remembered by this."""

    framework: Framework
    sights: tuple[tuple[str, Sight], ...]
    layout: str
    causal: bool
    with_lse: bool
    target: str | None


class AttentionPlan(Struct, frozen=True):
    """What attention takes: one launch of `grid` work-groups of the kernel of a class (`of`).

    It is compiled once for `target`; on an NVIDIA device blocks have so many `threads`. `shape` is that of the result,
    `lse_shape` that of the logarithms. Arrays are passed as the elements of their memory, so many as `spans` says, the
    scale and `integers` behind them. Print it to read how the kernel runs.
    """

    of: AttentionClass
    target: str
    threads: int
    shape: Extents
    lse_shape: tuple[int, int, int]
    spans: Mapping[str, int]
    integers: tuple[int, ...]

    @property
    def grid(self) -> tuple[int, int, int]:
        """Blocks of queries, heads, batches."""
        batch, heads, queries = self.lse_shape
        return (-(-queries // self.of.blocks[0]), heads, batch)

    @property
    def text(self) -> str:
        """The program, in Tile IR."""
        return attention_text(self.of)

    @property
    def kernel(self) -> Kernel:
        """The compiled kernel."""
        return _compiled(self.of, self.threads, self.target)

    @property
    def schedule(self) -> str:
        """How the kernel runs, and why not in a better way: `Kernel.schedule`."""
        return self.kernel.schedule

    def __str__(self) -> str:
        sizes = f"{self.lse_shape} queries of width {self.of.width}"
        return f"attention of {sizes}, blocks {self.of.blocks}, on {self.target}\n{self.schedule}"


class Attention:
    """`tilewright.attention`, a function with a `plan`."""

    def __call__(self, q: object, k: object, v: object, **options: Unpack[Options]) -> object:
        """Scaled dot-product attention: `softmax(scale q k^T) v` of each head, summed in f32.

        `q` is (batch, heads, queries, width), `k` and `v` are (batch, key heads, keys, width), the result is like `q`;
        with `layout="blhd"` lengths stand in front of heads in all of them. Query heads share key heads where there are
        more of them, a multiple. Arrays are f16 or bf16, of NumPy, PyTorch, CuPy or JAX, all of one type and on one
        device, where the operator runs: on a GPU it is enqueued in the current stream. Rows are neighbours in memory;
        other strides may be any from 0 to 2^31 - 1. The width is 1 to 256; 64, 128 and 256 are the fastest. Options,
        all by name:

        - `causal`: query number i of a head sees keys 0 to i only.
        - `scale` is positive, by default one over the root of the width.
        - `return_lse`: a pair of the result and, in f32 (batch, heads, queries), the logarithm of the sum of
          exponentials of the scaled scores of each query.
        - `out` is written and returned; without it the result is a new array of the library of `q`. It may be `q`, and
          shares no memory with other arrays.
        - `layout`: `bhld`, or `blhd`.
        - `target` runs elsewhere than where the arrays are (`interpreter`), or on certain processors (`cpu:avx2`).

        Queries without any key have zeros, and -inf as their logarithm. Scores are rounded to the type of the arrays
        between the two products, as is the result. There is no gradient. Raises `OperatorError`, a ValueError, for
        arguments that do not fit, and `OperatorTypeError`, a TypeError too, for types for which there is no kernel.
        """
        framework = framework_of(q)
        arrays = framework.plain(_arrays(q, k, v, options))
        return_lse, scale = options.get("return_lse", False), options.get("scale")
        prepared = _prepared(_asked(framework, arrays, options))
        plan = prepared.plan
        factor = 1 / math.sqrt(plan.of.width) if scale is None else as_number("scale", scale)
        if not _LEAST_SCALE <= factor <= _MOST_SCALE:
            raise OperatorError(f"scale is {scale}; it is a positive number of f32")
        out = options.get("out")
        if out is None:
            out = arrays["out"] = framework.empty(plan.shape, plan.of.element, q)
        else:
            _check_overlaps(prepared.layouts, arrays)
        lse = framework.empty(plan.lse_shape, "f32", q) if return_lse else None
        if prepared.start is not None:
            passed = [framework.viewed(arrays[name], (span,), (1,)) for name, span in plan.spans.items()]
            passed += [] if lse is None else [framework.viewed(lse, (math.prod(plan.lse_shape),), (1,))]
            try:
                prepared.start(*passed, factor, *plan.integers)
            except LaunchError as error:
                raise refused(error) from None
            if options.get("out") is not None:
                framework.changed(out)
        return (framework.given(out), framework.given(lse)) if return_lse else framework.given(out)

    def plan(self, q: object, k: object, v: object, **options: Unpack[Options]) -> AttentionPlan:
        """How attention of the same arguments is computed. Nothing is computed.

        `target` may be a machine that is not here (`nvidia:sm_90a`). Raises what attention does.
        """
        return _planned(_asked(framework_of(q), _arrays(q, k, v, options), options))


attention: Final = Attention()


class _Prepared(Struct, frozen=True):
    """A plan and its launch, None where the result has no elements; how the arrays lie."""

    plan: AttentionPlan
    start: Callable[..., None] | None
    layouts: Mapping[str, Layout]


def _arrays(q: object, k: object, v: object, options: Options) -> dict[str, object]:
    """All arrays by name. Raises TypeError for an option that there is not, `OperatorTypeError` for what is no text."""
    unknown = [name for name in options if name not in Options.__optional_keys__]
    if unknown:
        raise TypeError(f"there is no option {unknown[0]!r}; there are {', '.join(sorted(Options.__optional_keys__))}")
    arrays = {"q": q, "k": k, "v": v}
    if (out := options.get("out")) is not None:
        arrays["out"] = out
    for name in ("layout", "target"):
        check_name(name, options.get(name))
    return arrays


def _check_overlaps(layouts: Mapping[str, Layout], arrays: Mapping[str, object]) -> None:
    """Raises `OperatorError` for a result in the place of what other work-groups read; each has its queries by then."""
    out = arrays["out"]
    for name in "qkv":
        is_same = name == "q" and layouts["q"].strides == layouts["out"].strides
        if overlap(out, arrays[name], unless_same=is_same):
            raise OperatorError(f"out: it shares memory with {name}; pass memory of its own")


def _asked(framework: Framework, arrays: Mapping[str, object], options: Options) -> _Asked:
    sights = tuple((name, framework.sight(array, name)) for name, array in arrays.items())
    causal, with_lse = (_flag(name, options.get(name, False)) for name in ("causal", "return_lse"))
    return _Asked(framework, sights, options.get("layout", "bhld"), causal, with_lse, options.get("target"))


def _flag(name: str, value: object) -> bool:
    """Raises `OperatorTypeError` for what is neither yes nor no."""
    if type(value) not in (bool, int, np.bool_):
        raise OperatorTypeError(f"{name} is {value!r}; it is True or False")
    return bool(value)


@lru_cache(_KEPT_LAUNCHES)
def _prepared(asked: _Asked) -> _Prepared:
    """What is launched for arrays that lie so. Raises `OperatorError`."""
    plan = _planned(asked)
    layouts = {name: asked.framework.layout(sight, name) for name, sight in asked.sights}
    return _Prepared(plan, None if 0 in plan.shape else plan.kernel[plan.grid], layouts)


def _planned(asked: _Asked) -> AttentionPlan:
    layouts = {name: asked.framework.layout(sight, name) for name, sight in asked.sights}
    if asked.layout not in _LAYOUTS:
        raise OperatorError(f"layout is {asked.layout!r}; there are {' and '.join(_LAYOUTS)}")
    order, first = _LAYOUTS[asked.layout], layouts["q"]
    heads = {name: _head(name, found, order) for name, found in layouts.items()}
    _check(layouts, heads)
    q, k, v = heads["q"], heads["k"], heads["v"]
    out = heads.get("out") or _head("out", Layout(first.dtype, first.shape, _packed(first.shape), ""), order)
    batch, count, queries, width = q.shape
    flat = [found for found in (_flat(k), _flat(v)) if found is not None] if width in _TILES else []
    is_flat = len(flat) == len("kv")
    blocks, threads = next(found for most, found in _TILES.items() if width <= most)
    of = AttentionClass(first.dtype, width, blocks, asked.causal, asked.with_lse, is_flat)
    integers = [queries, k.shape[2], count // max(k.shape[1], 1)]
    integers += [stride for each in (q, k, v, out) for stride in each.strides[:3]]
    integers += [number for found in flat if is_flat for number in found.integers]
    spans = {"q": q.span, "k": k.span, "v": v.span, "out": out.span}
    lse_shape = (batch, count, queries)
    return AttentionPlan(of, _target(asked, layouts), threads, first.shape, lse_shape, spans, tuple(integers))


def _target(asked: _Asked, layouts: Mapping[str, Layout]) -> str:
    """Where it runs. Raises `OperatorError` for arrays on several devices."""
    first = layouts["q"].device
    for name, found in layouts.items():
        if found.device != first:
            raise OperatorError(f"q lies on {first}, {name} on {found.device}; all arrays are on one device")
    if asked.target is not None:
        return asked.target
    kind = first.partition(":")[0]
    if kind not in ("cpu", "cuda"):
        raise OperatorError(f"q lies on {first}; attention runs on the CPU and on NVIDIA devices")
    return "cpu" if kind == "cpu" else "nvidia"


@lru_cache(_KEPT_PROGRAMS)
def _compiled(of: AttentionClass, threads: int, target: str) -> Kernel:
    """The kernel of a class, compiled once."""
    from tilewright.api import compile

    schedule = f"threads={threads}" if target.partition(":")[0] == "nvidia" else None
    return compile(attention_text(of), target=target, schedule=schedule)[NAME]


def _head(name: str, found: Layout, order: Sequence[int]) -> _Head:
    """An array by batch, heads, length and width. Raises `OperatorError`."""
    if found.dtype not in _ELEMENTS:
        raise OperatorTypeError(f"{name} is of {found.dtype}; attention is there of {' and '.join(_ELEMENTS)}")
    if len(found.shape) != len(_MODES):
        raise OperatorError(f"{name} has extents {found.shape}; it has {', '.join(_MODES)}")
    batch, heads, length, width = (found.shape[k] for k in order)
    shape = (batch, heads, length, width)
    # where there is one element along a mode, its stride says nothing; where there is none, no stride does
    given = _packed(found.shape) if 0 in found.shape else found.strides
    strides = [given[k] if found.shape[k] > 1 else 0 for k in order]
    if not 0 < width <= _MOST_WIDTH:
        raise OperatorError(f"{name} has a width of {width}; heads have 1 to {_MOST_WIDTH}")
    if width > 1 and strides[3] != 1:
        raise OperatorError(f"{name} has strides {found.strides}; rows are neighbours in memory: copy it")
    if any(not 0 <= stride < _MOST_STRIDE for stride in strides) or max(shape) >= _MOST_STRIDE:
        raise OperatorError(f"{name} has extents {found.shape} and strides {found.strides}; all are from 0 to 2^31 - 1")
    if length > 1 and strides[2] < width:
        raise OperatorError(f"{name} has strides {found.strides}: its rows overlap; copy it")
    if name == "out" and any(s == 0 and n > 1 for n, s in zip(shape, strides, strict=True)):
        raise OperatorError(f"out has strides {found.strides}: its elements overlap")
    return _Head(shape, (strides[0], strides[1], strides[2] if length > 1 else width, 1))


def _check(layouts: Mapping[str, Layout], heads: Mapping[str, _Head]) -> None:
    """That arrays fit each other. Raises `OperatorError`."""
    first = layouts["q"]
    q, k, v = heads["q"].shape, heads["k"].shape, heads["v"].shape
    for name, found in layouts.items():
        if found.dtype != first.dtype:
            raise OperatorTypeError(f"q is of {first.dtype}, {name} of {found.dtype}; arrays are of one type")
    if k != v:
        raise OperatorError(f"k has extents {layouts['k'].shape}, v {layouts['v'].shape}; they have the same")
    if (q[0], q[3]) != (k[0], k[3]):
        raise OperatorError(f"q has extents {first.shape}, k {layouts['k'].shape}; batch and width are the same")
    if k[1] == 0 or q[1] % k[1]:
        raise OperatorError(f"{q[1]} heads of q are no multiple of the {k[1]} of k")
    if "out" in layouts and layouts["out"].shape != first.shape:
        raise OperatorError(f"out has extents {layouts['out'].shape}, the result {first.shape}")


def _packed(shape: Extents) -> Extents:
    """The strides of a new array."""
    return tuple(math.prod(max(extent, 1) for extent in shape[k + 1 :]) for k in range(len(shape)))


def _flat(of: _Head) -> _Flat | None:
    """All heads of an array in one matrix with its rows; None where a head begins at no multiple of a width."""
    (batch, heads, length, width), (sb, sh, row, _) = of.shape, of.strides
    apart: list[tuple[int, int]] = []
    rows, columns = length, width
    for count, stride in ((batch, sb), (heads, sh)):
        down, along = divmod(stride, row)
        if along % width:
            return None
        rows, columns = rows + (count - 1) * down, columns + (count - 1) * along
        apart.append((down, along // width))
    fits = columns <= row and rows < _MOST_STRIDE
    return _Flat(rows, columns, apart[0], apart[1]) if fits else None
