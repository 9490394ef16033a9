"""Blocks of queries and keys: how large they are, whether all are whole, in which order work-groups take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from tilewright.operators.attention_devices import multiprocessors, takes_tensors
from tilewright.operators.attention_heads import ELEMENT_BYTES, Head
from tilewright.operators.attention_rest import Rest, best_rest
from tilewright.operators.attention_text import AttentionClass
from tilewright.operators.attention_views import UNIT
from tilewright.operators.attention_waves import is_faster_in_pairs
from tilewright.operators.attention_whole_text import divisors, reciprocal
from tilewright.operators.layouts import Layout

_LARGE: Final = (128, 128)
_FEW: Final = (64, 64)
"""Queries and keys of a block on 128 threads, where there are no more. Measured on an H200, 17 of each: width 64 1.5
times as fast as 64 queries by 128 keys, width 96 2.3 and 128 1.8 times as fast as 128 by 128; 256 .87 of 128 by 64."""
_MOST_OF_FEW: Final = 128
"""The largest width of these."""
_SHORT: Final = {128: 4096}
"""Keys that take little longer than what a work-group begins and ends with, where work-groups have more and less: by
the width."""
_SHORT_OF_OTHERS: Final = 2048
_ASKED_FOR: Final = (96, 256)
"""Widths whose work-groups have a producer warp under a mask, where they do not go on: measured on an H200,
width 96 1.02 at length 4096, 256 1.01, 1.04 at 512; 128 .99."""
_IN_TURN: Final = (256,)
"""Widths whose groups of warps take turns where they go on: that is faster with and without a mask, but for few keys
under one (`benchmarks/gpu/attention.py`)."""
_LINE: Final = 128
"""Bytes of the longest rows of shared memory that the device copies."""
_BAND_BYTES: Final = 32 << 20
"""Of keys and values of the heads of a band, which a cache of 50 MiB keeps beside what else goes through it."""
_TILES: Final = {64: ((64, 128), 128), 128: (_LARGE, 256), 256: ((128, 64), 256)}
"""By the largest width: queries and keys of a block, and its threads on an NVIDIA device.

Measured on an H200, of torch's attention, f16, 4 x 32 heads of length 4096, full and causal: width 64 1.03 and 1.01
(128 queries by 64 keys 0.93 and 0.91, 256 by 64 on 512 threads 0.89 and 0.83), width 128 0.93 and 0.96, width 256 0.91
and 0.94; full, width 96 1.08 (64 queries by 128 keys 1.04, 64 by 64 0.98).
"""
_WHOLE_TILES: Final = {160: (_LARGE, 256)}
"""The same of whole blocks that a device copies, by the width: full 1.16, where 64 keys have 0.97.

There is memory for two stages, as it is not for what blocks need that are not whole, nor for rows of 144 elements,
which take slabs of 192.
"""


_LONG: Final = 4096
_LONG_TILES: Final = {64: ((256, 64), 512)}
"""The same of whole blocks of work-groups that go on, by the width, from so many keys on: four groups of warps read one
copy of keys and values. Measured on an H100 at length 4096, of torch's attention: 1.05 and 1.04, causal 1.02 and 1.04;
without a producer warp 0.94. Two groups with 128 queries and keys 0.96.
"""


class _Shorter(Struct, frozen=True):
    """Queries and keys of a block, and its threads, that compute fewer scores behind the mask; how fast they are, of
    what the usual ones do of as many scores."""

    blocks: tuple[int, int]
    threads: int
    speed: float


_SHORTER: Final = {64: _Shorter((64, 64), 128, 0.94)}
"""Those of whole blocks that a device copies under a mask, by the width. Measured on an H200, of torch's attention,
with 64 and with 128 keys: length 512 1.02 and 0.94, 1024 1.01 both, 2048 1.03 and 1.06."""


def tiles_of(
    width: int, queries: int, keys: int, causal: bool, target: str, *, heads: int
) -> Sequence[tuple[tuple[int, int], int]]:
    """Queries and keys of a block, and its threads: those that are best if blocks are whole, and those for all. There
    are so many `heads` whose work-groups may go on, none if these may not."""
    usual = next(found for most, found in _TILES.items() if width <= most)
    if not takes_tensors(target):
        return [usual]
    if max(queries, keys) <= _FEW[0] and width <= _MOST_OF_FEW:
        return [(_FEW, 128), usual]
    shorter = _SHORTER.get(width) if causal else None
    if shorter is not None:
        few, many = (_scores(blocks, queries, keys) for blocks in (shorter.blocks, usual[0]))
        if few < shorter.speed * many:
            return [(shorter.blocks, shorter.threads), usual]
    whole = [_WHOLE_TILES[width]] if width in _WHOLE_TILES else []
    if not causal and keys >= _LONG and width in _LONG_TILES:
        long = _LONG_TILES[width]
        whole = [long, *whole] if heads * (queries // long[0][0]) > multiprocessors() else whole
    return [*whole, usual]


def _scores(blocks: tuple[int, int], queries: int, keys: int) -> float:
    """Scores of a head that blocks compute under a mask, on average over the places where it may end in one."""
    seen = min(queries, keys)
    return seen * (seen + max(blocks)) / 2 + (queries - seen) * keys


def are_whole(layouts: Mapping[str, Layout], heads: Sequence[Head], blocks: tuple[int, int]) -> bool:
    """Whether lengths are multiples of blocks, and all rows begin at multiples of 16 bytes."""
    q, k, _, out = heads
    if 0 in q.shape or 0 in k.shape or q.shape[2] % blocks[0] or k.shape[2] % blocks[1]:
        return False
    strides = (*(each.strides[2] for each in heads), *out.strides[:2])
    return all(found.aligned for found in layouts.values()) and not any(stride % UNIT for stride in strides)


def are_rows(layouts: Iterable[Layout], heads: Sequence[Head]) -> bool:
    """Whether there are rows, and all begin at multiples of 16 bytes, no two of them at one."""
    if any(0 in each.shape for each in heads) or not all(found.aligned for found in layouts):
        return False
    steps = (pair for each in heads for pair in zip(each.shape[:3], each.strides[:3], strict=True))
    return not any(stride % UNIT or (extent > 1 and stride == 0) for extent, stride in steps)


def known_strides(of: Head, is_copied: bool) -> list[int]:
    """Of batches, heads and rows; where one is all, as if there were more if maps need a number."""
    pairs = zip(of.shape[:3], of.strides[:3], strict=True)
    return [UNIT if is_copied and extent == 1 and stride == 0 else stride for extent, stride in pairs]


def goes_on(target: str, q: Head, k: Head, of: AttentionClass) -> bool:
    """Whether work-groups go on from block to block, where that is faster.

    Measured on an H200, of torch's attention, f16, with (and a producer warp) and without: full, width 128
    1.06 and 0.82 at length 512, 1.03 and 0.90 at 1024, 1.04 and 0.97 at 4096, width 96 1.07 and 0.90 at 512, 1.09 and
    1.07 at 4096, width 256 1.06 and 0.94. Causal, in pairs, and by bands with that warp where `schedule_of` has it:
    width 128 1.08 and 0.92 at 1024, 1.06 and 1.04 at 4096, 1.05 and 1.06 at 8192, 1.04 and 1.08 at 16384, width 96 1.18
    and 1.15 at 4096, width 256 1.00 and 0.91 at 512, 1.00 and 0.94 at 1024, 0.98 and 0.96 at 2048, 0.97 both at 4096.
    """
    batch, heads, queries, _ = q.shape
    keys, (rows, columns) = k.shape[2], of.blocks
    blocks = -(-queries // rows)
    is_known = rows >= _LARGE[0] and batch * heads * blocks > multiprocessors() and takes_tensors(target)
    if not (is_known and of.causal):
        return is_known
    if not are_paired(q, of):
        return of.blocks == _LARGE and keys <= _SHORT.get(of.width, _SHORT_OF_OTHERS)
    seen = [min(-(-(x + 1) * rows // columns), -(-keys // columns)) for x in reversed(range(blocks))]
    band = heads_of_band(q, k, of)
    return is_faster_in_pairs(seen, columns, batch * heads, band, multiprocessors())


def are_paired(q: Head, of: AttentionClass) -> bool:
    """Whether work-groups that go on take blocks of queries in pairs: half of them are long ones."""
    return of.causal and -(-q.shape[2] // of.blocks[0]) % 2 == 0


def schedule_of(of: AttentionClass, threads: int, target: str) -> str | None:
    """How a program is run on an NVIDIA device.

    Whole blocks of 128 queries are stored by the device: measured on an H200, 1.03 to 1.06 times as fast at length 512
    (width 128; 256 1.07), 1.00 to 1.02 at 4096. Rows of values that are no whole slabs of 128 bytes are cut into those
    of 64: 1.01 times as fast as padded ones, width 96; slabs of 32 are slower (80 0.97, 112 0.93).
    """
    if target.partition(":")[0] != "nvidia":
        return None
    stores = of.whole and of.blocks[0] == _LARGE[0] and takes_tensors(target)
    is_cut = of.padded * ELEMENT_BYTES % _LINE == _LINE // 2 and takes_tensors(target)
    slabs = f" swizzle={_LINE // 2}" * is_cut
    asks = stores and of.causal and not of.persistent and of.width in _ASKED_FOR
    asks |= of.persistent and of.blocks[0] > _LARGE[0]
    turns = of.persistent and of.width in _IN_TURN and takes_tensors(target)
    more = " stores=tensor" * stores + " persistent=yes" * of.persistent + " roles=yes" * asks + " turns=yes" * turns
    return f"threads={threads}{more}{slabs}"


def heads_of_band(q: Head, k: Head, of: AttentionClass) -> int:
    """Query heads whose blocks begin beside each other."""
    _, heads, _, _ = q.shape
    _, key_heads, keys, width = k.shape
    group = heads // key_heads
    # where blocks are alike, or pairs of them, those of one head read the same keys one after the other
    are_alike = not of.causal or of.paired
    most = 1 if are_alike else max(_BAND_BYTES * group // (2 * ELEMENT_BYTES * keys * width), 1)
    return next(count for count in range(min(most, heads), 0, -1) if heads % count == 0)


def rest_of(q: Head, k: Head, of: AttentionClass) -> Rest | None:
    """What is left of rounds of work-groups that go on over blocks as long as each other."""
    if not of.persistent or of.causal or of.ragged:
        return None
    (rows, columns), (batch, heads, queries, width) = of.blocks, q.shape
    return best_rest(batch * heads * (queries // rows), k.shape[2] // columns, of.blocks, width, multiprocessors())


def numbers_of_blocks(
    q: Head, k: Head, band: int, of: AttentionClass, groups: int, rest: Rest | None = None
) -> list[int]:
    """The last of the numbers that a launch of so many work-groups passes (`whole_integers`): those behind places in
    matrices. It has all blocks of queries but the `rest`, or the parts of that."""
    batch, heads, queries, _ = q.shape
    blocks = -(-queries // of.blocks[0])
    found = {"nb": blocks, "band": band, "hs": heads}
    whole = blocks * heads * batch - (0 if rest is None else rest.blocks)
    if of.persistent:
        numbered = blocks // 2 if of.paired else blocks
        found |= {"tb": numbered * heads, "gb": numbered * band, "tiles": whole}
    if of.paired:
        found |= {"pairs": blocks // 2 * heads * batch, "two": 2 * groups}
    if of.divided:
        assert rest is not None, "there are parts of something"
        parts = rest.parts(k.shape[2] // of.blocks[1])
        found |= {"tiles": rest.blocks * parts, "parts": parts, "each": rest.keys, "skipped": whole}
    known = {**found, "group": heads // k.shape[1]}
    return [*found.values(), *(part for name in divisors(of) for part in reciprocal(known[name]))]
