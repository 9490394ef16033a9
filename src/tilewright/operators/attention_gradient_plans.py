"""Programs of gradients of attention: which there are, how each is launched, what memory they take between them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.operators.attention_blocks import are_rows, known_strides
from tilewright.operators.attention_devices import takes_tensors
from tilewright.operators.attention_gradient_text import gradient_text
from tilewright.operators.attention_gradient_writer import KEPT, NAME, GradientClass
from tilewright.operators.attention_heads import Head, check_fit, flat_of, head_of, order_of, packed, target_of
from tilewright.operators.errors import OperatorError, OperatorTypeError
from tilewright.operators.frameworks import Framework
from tilewright.operators.layouts import Extents, Layout, Sight

if TYPE_CHECKING:
    from tilewright.program import Kernel

_LINES: Final = ("lse", "g_lse")
"""Arrays of a number for each query."""
_TOGETHER_LINES: Final = 4
"""Queries of which the machine copies logarithms: 16 bytes."""
MOST_KEPT: Final = 1 << 31
"""Elements of differences that are kept at a time: 4 GB."""
_KEPT_PROGRAMS: Final = 64


class _Way(Struct, frozen=True):
    """A program's queries and keys of a block, and its threads on an NVIDIA device.

    What it goes over flat is copied with further `options` of its schedule on sm_90a, under a mask those `masked` too,
    and what it does `early`. What is `kept` is read by blocks of so many queries.
    """

    blocks: tuple[int, int]
    threads: int
    options: str = ""
    masked: str = ""
    early: bool = False
    kept: int = 0
    otherwise: _Way | None = None
    """The way of other devices, under a mask, and of what it goes over that is not flat, if these have another one."""


_PIPELINED: Final = "turns=no reuse=yes overlap=yes"
_KEYS_OF_64_BY_ONE: Final = _Way((64, 64), 128, "reuse=yes overlap=yes", early=True)
_KEYS_OF_64: Final = _Way((64, 128), 256, _PIPELINED + " roles=yes", early=True, otherwise=_KEYS_OF_64_BY_ONE)
"""Measured on an H200, both programs together, full: 1.09 times as fast as 64 queries and keys on 128 threads, which
are 1.03 times as fast as this without a producer warp. Nobody has measured it under a mask."""
_KEYS_OF_128: Final = _Way((64, 128), 256, _PIPELINED, early=True)
_TOGETHER: Final = 256
"""Queries of a block of differences that are read: so many read the keys from memory that all multiprocessors share."""
_OF_LINES: Final = _Way((64, 64), 128)
_OF_KEPT: Final = _Way((_TOGETHER, 64), 256, masked="persistent=no", kept=_TOGETHER)
"""Blocks of queries that see few keys take less time than others: each begins when there is room."""
STRUCTURES: Final[Mapping[str, Mapping[int, Mapping[str, _Way]]]] = {
    "kept": {
        64: {
            "l": _OF_LINES,
            "kv": _Way((64, 64), 128, "reuse=yes overlap=yes stores=tensor", early=True, kept=_TOGETHER),
            "d": _OF_KEPT,
        },
        128: {
            "l": _OF_LINES,
            "kv": _Way((64, 128), 256, _PIPELINED + " stores=tensor", early=True, kept=_TOGETHER),
            "d": _OF_KEPT,
        },
    },
    "recomputed": {
        64: {"q": _Way((64, 64), 128, "reuse=yes resident=3"), "kv": _KEYS_OF_64},
        128: {"q": _Way((128, 64), 256, "turns=no reuse=yes"), "kv": _KEYS_OF_128},
        256: {"q": _Way((64, 16), 128), "k": _Way((16, 64), 128), "v": _Way((32, 64), 128)},
    },
}
"""How gradients are computed, and by the largest width the programs: five products with the differences in memory, or
seven and more without. `benchmarks/gpu/attention_gradients.py` compares them; nobody has measured width 256."""


_KEPT_IS_FASTER: Final = frozenset({128})
"""Widths: there what is not computed twice takes longer than the memory."""


def structure_of(width: int, kept: int) -> str:
    """The fastest of the structures on an H200 (f16, 4 x 32 heads of length 4096) that has memory for differences.

    Those of the query heads that share a key head are so many.
    """
    return "kept" if width in _KEPT_IS_FASTER and kept <= MOST_KEPT else "recomputed"


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
    kept: int = 0
    """Elements of differences that the program takes memory for."""

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


@lru_cache(_KEPT_PROGRAMS)
def _compiled(of: GradientClass, threads: int, options: str, target: str) -> Kernel:
    """The kernel of a class, compiled once."""
    from tilewright.api import compile

    return compile(gradient_text(of), target=target, schedule=schedule_of(threads, options, target))[NAME]


def schedule_of(threads: int, options: str, target: str) -> str | None:
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
    for name in _LINES:
        if name in layouts:
            check_line(name, layouts[name], (batch, count, queries))
    results = {"x": layouts["q"], "y": layouts["k"], "z": layouts["v"]}
    made = {name: Layout(found.dtype, found.shape, packed(found.shape), "") for name, found in results.items()}
    heads |= {name: head_of(name, found, order) for name, found in made.items()}
    heads["o"] = heads.pop("out")
    chosen = asked.structure or structure_of(width, _kept_of(q.shape, k.shape))
    widths = STRUCTURES[chosen]
    programs = next((found for most, found in widths.items() if width <= most), None)
    if programs is None:
        raise OperatorError(f"the structure {chosen!r} is for heads of width {max(widths)} at most, not {width}")
    planner = _Planner(layouts, heads, asked.causal, layouts["q"].dtype, width in widths, "g_lse" in layouts, target)
    return tuple(planner.plans(programs))


class _Planner(Struct, frozen=True):
    """Plans of programs for arrays of heads; `may_be_flat` says whether the width is that of tiles."""

    layouts: Mapping[str, Layout]
    heads: Mapping[str, Head]
    causal: bool
    element: str
    may_be_flat: bool
    has_g_lse: bool
    target: str

    def plans(self, programs: Mapping[str, _Way]) -> Iterator[GradientPlan]:
        """In the order of launches: what keeps and reads differences, by as many heads as there is memory for."""
        kept = [what for what, way in programs.items() if way.kept]
        for what, way in programs.items():
            if what not in kept:
                yield self._plan(what, way, 0, 0)
        if not kept:
            return
        (batch, key_heads, _, _), most = self.heads["k"].shape, self._heads_at_a_time
        for first in range(0, batch * key_heads, most):
            for what in kept:
                yield self._plan(what, programs[what], first, min(most, batch * key_heads - first))

    @property
    def _heads_at_a_time(self) -> int:
        """Key heads of which differences are kept at a time."""
        return max(MOST_KEPT // max(_kept_of(self.heads["q"].shape, self.heads["k"].shape), 1), 1)

    def _panels(self, heads: int) -> list[int]:
        """How far panels of differences are apart, and how many there are of so many heads."""
        rows, columns = _kept_extents(self.heads["q"].shape[2], self.heads["k"].shape[2])
        return [rows * KEPT, columns // KEPT * heads]

    def _plan(self, what: str, way: _Way, first: int, count: int) -> GradientPlan:
        """Of a program, for so many key heads from the first one on if they are told."""
        heads = self.heads
        (batch, all_heads, queries, width), (_, key_heads, keys, _) = heads["q"].shape, heads["k"].shape
        of = GradientClass(self.element, width, way.blocks, self.causal, False, what, kept=way.kept)
        over = [heads[name] for name in of.gone_over]
        is_copied = bool(over) and takes_tensors(self.target)
        is_copied = is_copied and are_rows([self.layouts[name] for name in of.gone_over], over)
        found = [flat_of(each) for each in over] if self.may_be_flat and not is_copied else [None]
        flat = [each for each in found if each is not None]
        is_flat = len(flat) == len(found)
        is_best = (is_flat or is_copied) and (way.otherwise is None or (takes_tensors(self.target) and not self.causal))
        way = way if is_best else way.otherwise or way
        blocks, early = way.blocks, way.early and (is_flat or is_copied) and queries % _TOGETHER_LINES == 0
        of = replace(of, blocks=blocks, flat=is_flat, early=early, of_lse=of.writes_lines and self.has_g_lse)
        of = replace(of, copied=is_copied, ragged=is_copied and keys % blocks[1] > 0)
        group = all_heads // max(key_heads, 1)
        integers = [queries, keys, group]
        integers += [batch * all_heads] if early else []
        if of.kept:
            rows, columns = _kept_extents(queries, keys)
            panels = columns // KEPT
            integers += [all_heads, first, rows, panels, rows * panels * count * group]
        integers += [stride for name in of.arrays for stride in known_strides(heads[name], is_copied)]
        integers += [number for each in flat if is_flat for number in each.integers]
        integers += [batch, all_heads, key_heads] if is_copied else []
        integers += self._panels(count * group) if is_copied and what == "d" else []
        of_queries, of_keys = -(-queries // blocks[0]), -(-keys // blocks[1])
        if of.kept:
            grid = (of_queries, count * group, 1) if of.is_of_queries else (of_keys, count, 1)
        else:
            grid = (of_queries, all_heads, batch) if of.is_of_queries else (of_keys, key_heads, batch)
        spans = {name: heads[name].span for name in of.arrays}
        kept = max(count * _kept_of(heads["q"].shape, heads["k"].shape), 1) if of.kept else 0
        options = f"{way.options} {way.masked * self.causal}".strip() if is_flat or is_copied else ""
        return GradientPlan(of, self.target, way.threads, grid, spans, tuple(integers), options, kept)


def _kept_of(q: Extents, k: Extents) -> int:
    """Elements of the differences of the query heads that share a key head."""
    return q[1] // max(k[1], 1) * math.prod(_kept_extents(q[2], k[2]))


def _kept_extents(queries: int, keys: int) -> tuple[int, int]:
    """Keys and queries of which there is memory for the differences of a head."""
    return -(-keys // KEPT) * KEPT, -(-queries // KEPT) * KEPT


def check_line(name: str, found: Layout, shape: tuple[int, int, int]) -> None:
    """Raises `OperatorError` for what is not a number of f32 for each query, as attention returns them."""
    if found.dtype != "f32":
        raise OperatorTypeError(f"{name} is of {found.dtype}; logarithms are f32")
    if found.shape != shape:
        raise OperatorError(f"{name} has extents {found.shape}; those of batch, heads and queries are {shape}")
    lies = zip(found.shape, found.strides, packed(shape), strict=True)
    if 0 not in shape and any(extent > 1 and stride != wanted for extent, stride, wanted in lies):
        strides = found.strides
        raise OperatorError(f"{name} has strides {strides}; logarithms follow each other as attention returns them")
