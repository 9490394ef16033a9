"""Gradients of attention: two launches, of which the second reads what the first has summed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast

from msgspec import Struct

from tilewright.operators.attention_devices import takes_tensors
from tilewright.operators.attention_gradient_text import gradient_text
from tilewright.operators.attention_gradient_writer import NAME, GradientClass
from tilewright.operators.attention_heads import (
    ORDERS,
    check_fit,
    factor_of,
    flat_of,
    head_of,
    order_of,
    packed,
    target_of,
)
from tilewright.operators.errors import OperatorError, OperatorTypeError, refused
from tilewright.operators.frameworks import Framework, framework_of
from tilewright.operators.layouts import Extents, Layout, Sight
from tilewright.runtime.errors import LaunchError

if TYPE_CHECKING:
    from tilewright.program import Kernel

_LINES: Final = ("lse", "g_lse")
"""Arrays of a number for each query."""
_KEPT_PROGRAMS: Final = 64
_NARROW: Final = 64
"""Width up to which three blocks of queries of a multiprocessor are faster than one of twice the size."""
_KEPT_LAUNCHES: Final = 1024


class _Way(Struct, frozen=True):
    """A program's queries and keys of a block, and its threads on an NVIDIA device.

    What it goes over flat is copied with further `options` of its schedule on sm_90a, and what it does `early`.
    """

    blocks: tuple[int, int]
    threads: int
    options: str = ""
    early: bool = False


_WIDEST: Final = {"q": _Way((64, 16), 128), "k": _Way((16, 64), 128), "v": _Way((32, 64), 128)}
_REUSED: Final = "turns=no reuse=yes"
_PIPELINED: Final = "turns=no reuse=yes overlap=yes"
_KEYS_OF_64: Final = _Way((64, 64), 128, "reuse=yes overlap=yes", early=True)
_REUSED_OF_128: Final = {
    "q": _Way((128, 64), 256, _REUSED),
    "kv": _Way((64, 128), 256, _REUSED, early=True),
}
STRUCTURES: Final[Mapping[str, Mapping[int, Mapping[str, _Way]]]] = {
    "reused": {
        64: {"q": _Way((128, 128), 256, _REUSED), "kv": _Way((64, 64), 128, "reuse=yes", early=True)},
        128: _REUSED_OF_128,
        256: _WIDEST,
    },
    "pipelined": {
        64: {"q": _Way((128, 128), 256, _REUSED), "kv": _KEYS_OF_64},
        128: {**_REUSED_OF_128, "kv": _Way((32, 128), 256, _PIPELINED, early=True)},
        256: _WIDEST,
    },
    "resident": {
        64: {"q": _Way((64, 64), 128, "reuse=yes resident=3"), "kv": _KEYS_OF_64},
        128: _REUSED_OF_128,
        256: _WIDEST,
    },
}
"""How gradients are computed, and by the largest width the programs.

Which is the fastest `benchmarks/gpu/attention_gradients.py` prints; nobody has measured width 256.
"""


def structure_of(width: int) -> str:
    """The fastest of the structures on an H200 (f16, 4 x 32 heads of length 4096)."""
    return "resident" if width <= _NARROW else "pipelined"


class GradientPlan(Struct, frozen=True):
    """One launch of `grid` work-groups of the kernel of a class (`of`), compiled for `target`.

    On an NVIDIA device its blocks have so many `threads`, and on sm_90a it has further `options`. `spans` are the
    elements of memory of each array, `integers` stand behind the scale. Print it to read how the kernel runs.
    """

    of: GradientClass
    target: str
    threads: int
    grid: tuple[int, int, int]
    spans: Mapping[str, int]
    integers: tuple[int, ...]
    options: str = ""

    @property
    def text(self) -> str:
        """The program, in Tile IR."""
        return gradient_text(self.of)

    @property
    def kernel(self) -> Kernel:
        """The compiled kernel."""
        return _compiled(self.of, self.threads, self.options, self.target)

    @property
    def schedule(self) -> str:
        """How the kernel runs, and why not in a better way: `Kernel.schedule`."""
        return self.kernel.schedule

    def __str__(self) -> str:
        return f"gradient of {self.of.of}, blocks {self.of.blocks}, on {self.target}\n{self.schedule}"


class Request(Struct, frozen=True):
    """Gradients but for the elements of their arrays."""

    framework: Framework
    sights: tuple[tuple[str, Sight], ...]
    layout: str
    causal: bool
    target: str | None
    structure: str | None = None
    """None for that which is fastest."""


class Gradients(Struct, frozen=True):
    """What is launched, one after the other; the extents of q and of k, those of the logarithms."""

    plans: tuple[GradientPlan, ...]
    starts: tuple[Callable[..., None], ...]
    shapes: tuple[Extents, Extents]
    lse_shape: tuple[int, int, int]
    element: str


@lru_cache(_KEPT_PROGRAMS)
def _compiled(of: GradientClass, threads: int, options: str, target: str) -> Kernel:
    """The kernel of a class, compiled once."""
    from tilewright.api import compile

    return compile(gradient_text(of), target=target, schedule=_schedule(threads, options, target))[NAME]


def _schedule(threads: int, options: str, target: str) -> str | None:
    """What is asked of a target, whose device may have no unit that copies by itself."""
    if target.partition(":")[0] != "nvidia":
        return None
    return f"threads={threads} {options}" if options and takes_tensors(target) else f"threads={threads}"


def planned(asked: Request) -> tuple[GradientPlan, ...]:
    """The launches for arrays that lie so. Raises `OperatorError`."""
    layouts = {name: asked.framework.layout(sight, name) for name, sight in asked.sights}
    order = order_of(asked.layout)
    matrices = {name: found for name, found in layouts.items() if name not in _LINES}
    heads = {name: head_of(name, found, order) for name, found in matrices.items()}
    check_fit(matrices, heads)
    target = target_of(layouts, asked.target)
    q, k = heads["q"], heads["k"]
    batch, count, queries, width = q.shape
    key_heads, keys = k.shape[1:3]
    for name in _LINES:
        if name in layouts:
            _check_line(name, layouts[name], (batch, count, queries))
    results = {"x": layouts["q"], "y": layouts["k"], "z": layouts["v"]}
    made = {name: Layout(found.dtype, found.shape, packed(found.shape), "") for name, found in results.items()}
    heads |= {name: head_of(name, found, order) for name, found in made.items()}
    heads["o"] = heads.pop("out")
    plans: list[GradientPlan] = []
    widths = STRUCTURES[asked.structure or structure_of(width)]
    programs = next(found for most, found in widths.items() if width <= most)
    for what, way in programs.items():
        blocks, gone_over = way.blocks, "kv" if what == "q" else "qg"
        found = [flat_of(heads[name]) for name in gone_over] if width in widths else []
        flat = [each for each in found if each is not None]
        is_flat = len(flat) == len(gone_over)
        of_lse = what == "q" and "g_lse" in layouts
        early = way.early and is_flat and queries % 2 == 0
        of = GradientClass(layouts["q"].dtype, width, blocks, asked.causal, is_flat, what, early, of_lse)
        integers = [queries, keys, count // max(key_heads, 1)]
        integers += [stride for name in of.arrays for stride in heads[name].strides[:3]]
        integers += [number for each in flat if is_flat for number in each.integers]
        grid = (-(-queries // blocks[0]), count, batch) if what == "q" else (-(-keys // blocks[1]), key_heads, batch)
        spans = {name: heads[name].span for name in of.arrays}
        options = way.options if is_flat else ""
        plans.append(GradientPlan(of, target, way.threads, grid, spans, tuple(integers), options))
    return tuple(plans)


def _check_line(name: str, found: Layout, shape: tuple[int, int, int]) -> None:
    """Raises `OperatorError` for what is not a number of f32 for each query, as attention returns them."""
    if found.dtype != "f32":
        raise OperatorTypeError(f"{name} is of {found.dtype}; logarithms are f32")
    if found.shape != shape:
        raise OperatorError(f"{name} has extents {found.shape}; those of batch, heads and queries are {shape}")
    lies = zip(found.shape, found.strides, packed(shape), strict=True)
    if 0 not in shape and any(extent > 1 and stride != wanted for extent, stride, wanted in lies):
        strides = found.strides
        raise OperatorError(f"{name} has strides {strides}; logarithms follow each other as attention returns them")


@lru_cache(_KEPT_LAUNCHES)
def prepared(asked: Request) -> Gradients:
    """What is launched for arrays that lie so. Raises `OperatorError`."""
    plans = planned(asked)
    layouts = {name: asked.framework.layout(sight, name) for name, sight in asked.sights}
    shape, order = layouts["q"].shape, ORDERS[asked.layout]
    lse_shape = (shape[order[0]], shape[order[1]], shape[order[2]])
    starts = tuple(plan.kernel[plan.grid] for plan in plans if 0 not in plan.grid)
    kept = tuple(plan for plan in plans if 0 not in plan.grid)
    return Gradients(kept, starts, (shape, layouts["k"].shape), lse_shape, layouts["q"].dtype)


def gradients(
    arrays: dict[str, object],
    layout: str,
    causal: bool,
    scale: float | None,
    target: str | None,
    structure: str | None = None,
) -> list[object]:
    """The gradients of q, k and v: new arrays.

    `arrays` are q, k, v, out, lse, g, the gradient of the result, and maybe g_lse, that of the logarithms.
    """
    framework = framework_of(arrays["q"])
    arrays = framework.plain(arrays)
    arrays = {name: _as_rows(framework, array, name, layout) for name, array in arrays.items()}
    sights = tuple((name, framework.sight(array, name)) for name, array in arrays.items())
    found = prepared(Request(framework, sights, layout, causal, target, structure))
    like, element = arrays["q"], found.element
    x = framework.empty(found.shapes[0], element, like)
    y, z = (framework.empty(found.shapes[1], element, like) for _ in range(2))
    delta, lse2 = (framework.empty(found.lse_shape, "f32", like) for _ in range(2))
    factor = factor_of(scale, found.shapes[0][3])
    own = {**arrays, "o": arrays["out"], "x": x, "y": y, "z": z}
    count = math.prod(found.lse_shape)
    own |= {"delta": delta, "lse2": lse2, "glse": arrays.get("g_lse")}
    for plan, start in zip(found.plans, found.starts, strict=True):
        passed = [framework.viewed(own[name], (span,), (1,)) for name, span in plan.spans.items()]
        passed += [framework.viewed(own[name], (count,), (1,)) for name in plan.of.lines]
        try:
            start(*passed, factor, *plan.integers)
        except LaunchError as error:
            raise refused(error) from None
    return [framework.given(each) for each in (x, y, z)]


def _as_rows(framework: Framework, array: object, name: str, layout: str) -> object:
    """A gradient that is given as it is if rows of it are neighbours, else a copy; others as they are."""
    if name not in ("g", "g_lse"):
        return array
    found = framework.layout(framework.sight(array, name), name)
    try:
        if name == "g":
            head_of(name, found, order_of(layout))
        else:
            _check_line(name, found, cast("tuple[int, int, int]", found.shape))
    except OperatorTypeError:
        raise
    except OperatorError:
        return framework.copied(array, found.shape, found.strides, packed(found.shape))
    return array
