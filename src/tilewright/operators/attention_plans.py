"""How attention forward is computed: which program of which arrays, in which order its work-groups take blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.operators.attention_blocks import (
    are_paired,
    are_rows,
    are_whole,
    goes_on,
    heads_of_band,
    known_strides,
    numbers_of_blocks,
    rest_of,
    schedule_of,
    tiles_of,
)
from tilewright.operators.attention_devices import multiprocessors, takes_tensors
from tilewright.operators.attention_heads import (
    Head,
    check_fit,
    flat_of,
    head_of,
    order_of,
    packed,
    target_of,
)
from tilewright.operators.attention_rest import Rest
from tilewright.operators.attention_sums_text import NAME as SUMS
from tilewright.operators.attention_sums_text import SCHEDULE, SumsClass, sums_text
from tilewright.operators.attention_text import EXTENTS, NAME, WIDTH_UNIT, AttentionClass, attention_text
from tilewright.operators.attention_whole_text import FLAT, WholeWriter
from tilewright.operators.layouts import Extents, Layout

if TYPE_CHECKING:
    from tilewright.program import Kernel

_KEPT_PROGRAMS: Final = 64
"""Compiled programs that a process keeps; the cache on disk keeps them all."""


class AttentionPlan(Struct, frozen=True):
    """What attention takes: one launch of `grid` work-groups of the kernel of a class (`of`).

    It is compiled once for `target`; on an NVIDIA device blocks have so many `threads`. `shape` is that of the result,
    `lse_shape` that of the logarithms. Arrays are passed as the elements of their memory, so many as `spans` says, the
    scale and `integers` behind them. Work-groups of so many heads, a `band`, begin beside each other. Blocks that
    are left of rounds may have a plan of their own (`rest`). Print it to read how the kernel runs.
    """

    of: AttentionClass
    target: str
    threads: int
    shape: Extents
    lse_shape: tuple[int, int, int]
    spans: Mapping[str, int]
    integers: tuple[int, ...]
    band: int = 1
    rest: RestPlan | None = None

    @property
    def grid(self) -> tuple[int, int, int]:
        """Blocks of queries of a band of heads, bands, batches; as many as run at a time if they go on."""
        batch, heads, queries = self.lse_shape
        blocks = -(-queries // self.of.blocks[0])
        if self.of.persistent:
            return (multiprocessors(), 1, 1)
        return (blocks * self.band, heads // self.band, batch)

    @property
    def text(self) -> str:
        """The program, in Tile IR."""
        return _text(self.of)

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
        text = f"attention of {sizes}, blocks {self.of.blocks}, on {self.target}\n{self.schedule}"
        return text if self.rest is None else f"{text}\nthe last of them in parts of the keys: {self.rest.parts}"


class RestPlan(Struct, frozen=True):
    """Two more launches, for so many `blocks` of queries: attention to `parts` of the keys, and one that makes their
    result of those (`sums`), of `integers`. Results of parts are rows without gaps.
    """

    parts: AttentionPlan
    sums: SumsClass
    blocks: int
    integers: tuple[int, ...]

    @property
    def grid(self) -> tuple[int, int, int]:
        """Of the second one: pieces of a block of queries, blocks."""
        return (self.sums.queries // self.sums.rows, self.blocks, 1)

    @property
    def kernel(self) -> Kernel:
        """Of the second one."""
        return _compiled_sums(self.sums, self.parts.target)


def planned(
    layouts: Mapping[str, Layout], layout: str, causal: bool, with_lse: bool, in_place: bool, target: str | None
) -> AttentionPlan:
    """How attention of arrays that lie so is computed. Raises `OperatorError`."""
    order, first = order_of(layout), layouts["q"]
    heads = {name: head_of(name, found, order) for name, found in layouts.items()}
    check_fit(layouts, heads)
    q, k, v = heads["q"], heads["k"], heads["v"]
    out = heads.get("out") or head_of("out", Layout(first.dtype, first.shape, packed(first.shape), ""), order)
    batch, count, queries, width = q.shape
    arrays = (q, k, v, out)
    flat = [flat_of(each) for each in (arrays if width % WIDTH_UNIT == 0 else ())]
    is_flat = len(flat) == len(FLAT) and None not in flat[1:3]
    matrices, runs_on = [found for found in flat if found is not None], target_of(layouts, target)
    going_on = 0 if in_place else batch * count
    tiles = tiles_of(width, queries, k.shape[2], causal, runs_on, heads=going_on)
    have_maps = len(matrices) == len(FLAT)
    whole = next((each for each in tiles if have_maps and are_whole(layouts, arrays, each[0])), None)
    ragged = whole is None and takes_tensors(runs_on) and are_rows(layouts.values(), arrays)
    whole = tiles[0] if ragged else whole
    blocks, threads = tiles[-1] if whole is None else whole
    of = AttentionClass(first.dtype, width, blocks, causal, with_lse, is_flat, ragged=ragged)
    spans = {"q": q.span, "k": k.span, "v": v.span, "out": out.span}
    plan = AttentionPlan(of, runs_on, threads, first.shape, (batch, count, queries), spans, _strides(arrays, ragged))
    if whole is None:
        places = [number for found in flat[1:3] if is_flat and found is not None for number in found.integers]
        return replace(plan, integers=(*plan.integers, *places))
    of = replace(of, whole=True)
    of = replace(of, persistent=not in_place and goes_on(runs_on, q, k, of))
    of = replace(of, paired=of.persistent and are_paired(q, of))
    plan, rest = replace(plan, of=of, band=heads_of_band(q, k, of)), rest_of(q, k, of)
    plan = replace(plan, integers=_integers(arrays, plan, rest))
    return plan if rest is None else replace(plan, rest=_rest_plan(plan, arrays, rest))


def _rest_plan(plan: AttentionPlan, arrays: Sequence[Head], rest: Rest) -> RestPlan:
    """How what is left of a plan is computed."""
    (q, k, v, out), (rows, columns) = arrays, plan.of.blocks
    batch, heads, queries, width = q.shape
    count, of_head = rest.parts(k.shape[2] // columns), queries // rows
    shape = (1, 1, rest.blocks * count * rows, width)
    results = Head(shape, (0, 0, width, 1))
    divided = replace(plan, of=replace(plan.of, divided=True, with_lse=True), shape=shape, lse_shape=shape[:3])
    divided = replace(divided, spans={**plan.spans, "out": results.span})
    divided = replace(divided, integers=_integers((q, k, v, results), divided, rest))
    sums = SumsClass(plan.of.element, width, rows, 1 << (count - 1).bit_length(), plan.of.with_lse)
    skipped = of_head * heads * batch - rest.blocks
    integers = (count, rest.blocks, skipped, of_head, heads, queries, *out.strides[:3])
    return RestPlan(divided, sums, rest.blocks, integers)


def _integers(arrays: Sequence[Head], plan: AttentionPlan, rest: Rest | None) -> tuple[int, ...]:
    """What a launch of whole blocks passes."""
    q, k, *_ = arrays
    flat = [found for each in arrays if (found := flat_of(each)) is not None]
    places = [number for found in flat for number in (found.rows, *found.integers[2:])]
    places = [q.shape[0], k.shape[1]] if plan.of.ragged else places
    numbers = numbers_of_blocks(q, k, plan.band, plan.of, multiprocessors(), rest)
    return (*_strides(arrays, plan.of.ragged), *places, *numbers)


def _strides(arrays: Sequence[Head], is_copied: bool) -> tuple[int, ...]:
    """The first integers of a launch: queries, keys, heads that share keys, strides."""
    q, k, *_ = arrays
    shared = q.shape[1] // max(k.shape[1], 1)
    strides = (stride for each in arrays for stride in known_strides(each, is_copied))
    return (q.shape[2], k.shape[2], shared, *strides)


def _text(of: AttentionClass) -> str:
    return WholeWriter(of).text() if of.whole else attention_text(of)


@lru_cache(_KEPT_PROGRAMS)
def _compiled(of: AttentionClass, threads: int, target: str) -> Kernel:
    """The kernel of a class, compiled once."""
    from tilewright.api import compile

    schedule = schedule_of(of, threads, target)
    return compile(_text(of), target=target, schedule=schedule, language_options=EXTENTS)[NAME]


@lru_cache(_KEPT_PROGRAMS)
def _compiled_sums(of: SumsClass, target: str) -> Kernel:
    from tilewright.api import compile

    schedule = SCHEDULE if target.partition(":")[0] == "nvidia" else None
    return compile(sums_text(of), target=target, schedule=schedule, language_options=EXTENTS)[SUMS]
