"""How attention forward is computed: which program of which arrays, in which order its work-groups take blocks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.operators.attention_blocks import (
    are_paired,
    are_whole,
    goes_on,
    heads_of_band,
    numbers_of_blocks,
    schedule_of,
    tiles_of,
)
from tilewright.operators.attention_devices import multiprocessors
from tilewright.operators.attention_heads import (
    Head,
    check_fit,
    flat_of,
    head_of,
    order_of,
    packed,
    target_of,
)
from tilewright.operators.attention_rest import Blocks, Rest, best_rest, first_of, parts_of
from tilewright.operators.attention_sums_text import NAME as SUMS
from tilewright.operators.attention_sums_text import SumsClass, sums_text
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
    """Two more launches: attention to `parts` of the keys, a batch of them, of the queries that are left, and one that
    makes their result of those (`sums`), of a grid and `integers`.

    Its arrays begin at the `first` elements of those of all queries.
    """

    rest: Rest
    parts: AttentionPlan
    first: Mapping[str, int]
    sums: SumsClass
    integers: tuple[int, ...]
    span: int

    @property
    def grid(self) -> tuple[int, int, int]:
        """Blocks of rows of a head, heads."""
        _, heads, queries = self.parts.lse_shape
        return (queries // self.sums.rows, heads, 1)

    @property
    def lines(self) -> int:
        """Rows of the result."""
        _, heads, queries = self.parts.lse_shape
        return heads * queries

    @property
    def kernel(self) -> Kernel:
        """That of sums."""
        return _compiled_sums(self.sums, self.parts.target)


class _Arrays(Struct, frozen=True):
    """Arrays of heads, and what is asked."""

    element: str
    heads: tuple[Head, Head, Head, Head]
    is_aligned: bool
    causal: bool
    with_lse: bool
    in_place: bool
    target: str
    shape: Extents


def planned(
    layouts: Mapping[str, Layout], layout: str, causal: bool, with_lse: bool, in_place: bool, target: str | None
) -> AttentionPlan:
    """How attention of arrays that lie so is computed. Raises `OperatorError`."""
    order, first = order_of(layout), layouts["q"]
    heads = {name: head_of(name, found, order) for name, found in layouts.items()}
    check_fit(layouts, heads)
    out = heads.get("out") or head_of("out", Layout(first.dtype, first.shape, packed(first.shape), ""), order)
    is_aligned = all(found.aligned for found in layouts.values())
    arrays = (heads["q"], heads["k"], heads["v"], out)
    runs_on = target_of(layouts, target)
    return _plan(_Arrays(first.dtype, arrays, is_aligned, causal, with_lse, in_place, runs_on, first.shape))


def _plan(asked: _Arrays, may_leave: bool = True) -> AttentionPlan:
    """One that `may_leave` blocks to other launches."""
    q, k, v, out = asked.heads
    target, in_place = asked.target, asked.in_place
    batch, count, queries, width = q.shape
    flat = [flat_of(each) for each in (asked.heads if width % WIDTH_UNIT == 0 else ())]
    is_flat = len(flat) == len(FLAT) and None not in flat[1:3]
    matrices = [found for found in flat if found is not None]
    tiles = tiles_of(width, queries, k.shape[2], asked.causal, target, heads=0 if in_place else batch * count)
    have_maps = len(matrices) == len(FLAT) and asked.is_aligned
    whole = next((each for each in tiles if have_maps and are_whole(asked.heads, each[0])), None)
    blocks, threads = tiles[-1] if whole is None else whole
    of = AttentionClass(asked.element, width, blocks, asked.causal, asked.with_lse, is_flat)
    integers = [queries, k.shape[2], count // max(k.shape[1], 1)]
    integers += [stride for each in asked.heads for stride in each.strides[:3]]
    band, rest = 1, None
    if whole is not None:
        of = replace(of, whole=True, persistent=not in_place and goes_on(target, q, k, of))
        of = replace(of, paired=of.persistent and are_paired(q, of))
        integers += [number for found in matrices for number in (found.rows, *found.integers[2:])]
        band = heads_of_band(q, k, of)
        rest = _rest(asked, of) if may_leave and of.persistent and not of.causal else None
        left = 0 if rest is None else rest.rest.taken
        integers += numbers_of_blocks(q, k, band, of, multiprocessors(), left)
    else:
        integers += [number for found in flat[1:3] if is_flat and found is not None for number in found.integers]
    spans = {"q": q.span, "k": k.span, "v": v.span, "out": out.span}
    lines = (batch, count, queries)
    return AttentionPlan(of, target, threads, asked.shape, lines, spans, tuple(integers), band, rest)


def _rest(asked: _Arrays, of: AttentionClass) -> RestPlan | None:
    """What is left to other launches, if that is faster."""
    q, k, v, out = asked.heads
    (rows, columns), (batch, heads, queries, width) = of.blocks, q.shape
    group = heads // k.shape[1]
    counted = Blocks(batch, heads, group, queries // rows, k.shape[2] // columns, rows * columns * width)
    rest = best_rest(counted, multiprocessors())
    if rest is None:
        return None
    (some, keys), (_, values) = parts_of(q, k, rest, rows), parts_of(q, v, rest, rows)
    result = Head(some.shape, packed(some.shape))
    given = replace(asked, heads=(some, keys, values, result), with_lse=True, shape=some.shape)
    first = {"q": first_of(q, rest.heads), "out": first_of(out, rest.heads)}
    first |= {name: first_of(of_keys, keys.shape[1]) for name, of_keys in (("k", k), ("v", v))}
    first["lse"] = (batch * heads - rest.heads) * queries
    parts = _plan(given, may_leave=False)
    sums = SumsClass(of.element, width, 1 << (rest.parts - 1).bit_length(), asked.with_lse)
    _, _, some_queries, _ = some.shape
    lines = rest.heads * some_queries
    integers = (
        rest.parts,
        lines,
        lines * width,
        some_queries // sums.rows,
        rest.heads,
        some_queries,
        *out.strides[1:3],
    )
    return RestPlan(rest, parts, first, sums, integers, out.span - first["out"])


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

    return compile(sums_text(of), target=target, language_options=EXTENTS)[SUMS]
