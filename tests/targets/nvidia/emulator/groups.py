"""Products of groups of four warps (`wgmma`), as the PTX ISA says: factors by descriptors, sums by lanes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import ml_dtypes
import numpy as np

from .matrices import cut_to_tf32, signed
from .numbers import Array
from .text import EmulatorError

GROUP: Final = 128
_WARP: Final = 32
_NAME: Final = re.compile(
    r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k(\d+)\.(?:f32\.(f16|bf16|tf32|e4m3|e5m2)\.\3|s32\.([su]8\.[su]8))$"
)
_FACTORS: Final[dict[str, np.dtype[Any]]] = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "tf32": np.dtype(np.float32),
    "e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "e5m2": np.dtype(ml_dtypes.float8_e5m2),
}
_LINES: Final = {1: (128, 7), 2: (64, 3), 3: (32, 1)}
"""Bytes of a line and bits of a swizzle, by what a descriptor says."""
_ROW: Final = 32
"""Bytes of a row of a factor that one instruction reads."""


_PRODUCT: Final = re.compile(
    r"\{ \.reg \.pred p; setp\.ne\.b32 p, ([01]), 0; (wgmma\.mma_async\.\S+) "
    r"\{([^{}]*)\}, (?:\{([^{}]*)\}|(\$\d+)), (\$\d+), p(, 1, 1)?((?:, [01])*); \}"
)
_FENCE: Final = "wgmma.fence.sync.aligned;"
_SIGNED: Final = ".f32."


@dataclass(frozen=True, slots=True)
class Multiplication:
    """One product of an assembly: which of the `sums` it is added to unless they begin `anew`, which operands tell of
    its factors, and which of these are `turned`.
    """

    name: str
    sums: range
    anew: bool
    rows: tuple[int, ...]
    columns: int
    turned: tuple[bool, bool]


def multiplications(text: str, results: int) -> list[Multiplication]:
    """The products of an assembly with so many results, in front of which may be a fence. Raises EmulatorError."""
    found = [_multiplication(match, results) for match in _PRODUCT.finditer(text)]
    if not found or _PRODUCT.sub("", text).strip() not in ("", _FENCE):
        raise EmulatorError(f"unknown assembly: {text}")
    return found


def _multiplication(match: re.Match[str], results: int) -> Multiplication:
    anew, name, into, held, at_rows, at_columns, signs, flags = match.groups()
    if (signs is None) == (_SIGNED in name):
        raise EmulatorError(f"products of floats alone have signs: {match[0]}")
    numbers = [int(each[1:]) for each in into.split(",")]
    sums = range(numbers[0], numbers[-1] + 1)
    if numbers != [*sums] or len(sums) != group_product(name).sums or sums.stop > results:
        raise EmulatorError(f"these are not the sums of one product: {match[0]}")
    rows = tuple(int(each[1:]) - results for each in (held.split(",") if held else [at_rows]))
    turned = [flag == "1" for flag in flags.split(", ")[1:]] or [False] * (1 if held else 2)
    return Multiplication(name, sums, anew == "0", rows, int(at_columns[1:]) - results, (turned[0], turned[-1]))


@dataclass(frozen=True, slots=True)
class GroupProduct:
    """64 x `columns` sums of products of `depth` elements."""

    columns: int
    factor: np.dtype[Any]
    rows: int = 64
    signs: str = "s8.s8"

    @property
    def depth(self) -> int:
        """Products that are added to a sum."""
        return _ROW // self.factor.itemsize

    @property
    def total(self) -> np.dtype[Any]:
        """Of sums: integers wrap."""
        return np.dtype(np.int32 if self.factor.kind == "i" else np.float32)

    @property
    def sums(self) -> int:
        """Those of a thread."""
        return self.rows * self.columns // GROUP

    def added(self, sums: Sequence[Array], a: Array, b: Array) -> list[Array]:
        """The sums of each thread with the product of [row, k] and [column, k] added, exact and rounded once."""
        thread, wide = np.arange(GROUP), np.dtype(np.int64 if self.factor.kind == "i" else np.float64)
        if self.factor == np.float32:
            a, b = (cut_to_tf32(x) for x in (a, b))
        if self.factor.kind == "i":
            a, b = signed(a, b, self.signs)
        product = a.astype(wide) @ b.astype(wide).T
        found: list[Array] = []
        for i, part in enumerate(sums):
            row = thread // 32 * 16 + thread % 32 // 4 + 8 * (i // 2 % 2)
            column = i // 4 * 8 + thread % 4 * 2 + i % 2
            found.append((part.astype(wide) + product[row, column]).astype(self.total))
        return found

    def rows_held(self, words: Sequence[Array]) -> Array:
        """[row, k] of words of elements that each thread has: rows 8 apart, then half of all k further on."""
        thread, each = np.arange(GROUP), 4 // self.factor.itemsize
        found = np.zeros((self.rows, self.depth), self.factor)
        for i, word in enumerate(words):
            row = thread // 32 * 16 + thread % 32 // 4 + 8 * (i % 2)
            pairs = np.ascontiguousarray(word).astype(np.uint32).view(self.factor).reshape(-1, each)
            for k in range(each):
                found[row, i // 2 * (self.depth // 2) + thread % 4 * each + k] = pairs[:, k]
        return found


class Unshown:
    """Bytes of shared memory that threads wrote and no fence has shown to instructions that read by themselves."""

    def __init__(self, size: int) -> None:
        self._writers: Array = np.zeros(size, np.int16)
        """The number of who wrote each byte and one more, or 0."""
        self._end = 0
        """Behind it nobody has written."""

    def write(self, threads: Array, offsets: Array, size: int) -> None:
        """Threads write so many bytes each, at offsets in shared memory or, below 0, elsewhere."""
        inside = offsets >= 0
        if not inside.any():
            return
        if len(offsets) < len(threads):
            threads = threads[-1:]
        elif not inside.all():
            offsets, threads = offsets[inside], threads[inside]
        for k in range(size):
            self._writers[offsets + k] = threads + 1
        self._end = max(self._end, int(offsets.max()) + size)

    def replace(self, offsets: Array) -> None:
        """Something else that needs no fence is at these offsets now."""
        self._writers[offsets] = 0

    def show(self, threads: Array) -> None:
        """A fence of these threads."""
        written = self._writers[: self._end]
        shown = np.zeros(max(int(threads.max()), int(written.max(initial=0))) + 2, np.bool_)
        shown[threads + 1] = True
        written[shown[written]] = 0

    def check(self, offsets: Array, size: int) -> None:
        """Raises EmulatorError if so many bytes at these offsets are not all shown."""
        if self._writers[offsets[:, None] + np.arange(size)].any():
            raise EmulatorError("a product reads what no fence has shown it")


@dataclass(slots=True)
class Going:
    """A product since the last barrier: who multiplies, in which of their groups of products, what it reads.

    `told` are the warps that have awaited it before they updated a word of memory or arrived at the barrier there,
    `known` those of which each thread has learnt that by updating the word, or waiting at the barrier, behind them.
    """

    threads: Array
    warps: frozenset[int]
    number: int
    offsets: Array
    told: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    known: dict[int, set[int]] = field(default_factory=dict[int, set[int]])


class GoingProducts:
    """Products that go on until their threads have waited for them, though their sums are here at once."""

    def __init__(self, threads: int) -> None:
        self._committed = np.zeros(threads, np.int64)
        self._awaited = np.zeros(threads, np.int64)
        self._going: list[Going] = []

    def begin(self, threads: Array, offsets: Array) -> None:
        """A product of these threads reads bytes at these offsets."""
        warps = frozenset((threads // _WARP).tolist())
        self._going.append(Going(threads, warps, int(self._committed[threads[0]]), offsets))

    def update(self, threads: Array, words: Array) -> None:
        """Threads update words of memory, one after the other."""
        for thread, word in zip(threads.tolist(), words.tolist(), strict=True):
            self.learn(thread, word)
            self.tell(thread, word)

    def tell(self, thread: int, word: int) -> None:
        """A thread arrives where others look, behind what it has awaited."""
        for each in self._going:
            if self._has_awaited(thread, each):
                each.told.setdefault(word, set()).add(thread // _WARP)

    def learn(self, thread: int, word: int) -> None:
        """A thread looks at a word behind all who have told there."""
        for each in self._going:
            if told := each.told.get(word):
                each.known.setdefault(thread, set()).update(told)
            if self._has_awaited(thread, each):
                each.known.setdefault(thread, set()).add(thread // _WARP)

    def _has_awaited(self, thread: int, going: Going) -> bool:
        return thread // _WARP in going.warps and bool(self._awaited[thread] > going.number)

    def barrier(self) -> None:
        """All know what all have awaited."""
        self._going = [each for each in self._going if (self._awaited[each.threads] <= each.number).any()]

    def commit(self, threads: Array) -> None:
        """What each has begun since the last time is a group."""
        self._committed[threads] += 1

    def wait(self, threads: Array, pending: int) -> None:
        """All groups of these threads but so many have ended."""
        self._awaited[threads] = np.maximum(self._awaited[threads], self._committed[threads] - pending)

    def is_read(self, offsets: Array) -> bool:
        """Whether one of these bytes is read by a product that some of its threads have not awaited."""
        going = (each for each in self._going if (self._awaited[each.threads] <= each.number).any())
        return any(np.isin(each.offsets, offsets).any() for each in going)

    def read(self, thread: int, offsets: Array) -> bool:
        """Whether one of these bytes is still read, for all that a thread knows."""
        unknown = [each for each in self._going if not each.warps <= each.known.get(thread, set())]
        return any(np.isin(each.offsets, offsets).any() for each in unknown)


def group_product(name: str) -> GroupProduct:
    """The instruction of a name."""
    found = _NAME.match(name)
    if found is None:
        raise EmulatorError(f"unknown product of groups of warps: {name}")
    factor = np.dtype(np.int8) if found[4] else _FACTORS[found[3]]
    product = GroupProduct(int(found[1]), factor, signs=found[4] or "")
    coarse = product.factor.kind == "i" and product.columns > 32 and product.columns % 16
    if product.depth != int(found[2]) or coarse or not 0 < product.columns <= 256 or product.columns % 8:
        raise EmulatorError(f"no shape of products of groups of warps: {name}")
    return product


def factor_offsets(descriptor: int, outer: int, product: GroupProduct, turned: bool) -> Array:
    """Bytes from the beginning of shared memory to the elements [outer, k] of a factor.

    Lines of 128, 64 or 32 bytes run along k, or `turned` along the other dimension; eight lines are `stride` bytes
    apart from the next eight, lines that go on `leading` bytes. Address bits 4 to 6, 5 or 4 are changed by
    those from 7 on.
    """
    start, leading, stride = ((descriptor >> shift & 0x3FFF) << 4 for shift in (0, 16, 32))
    size = product.factor.itemsize
    if descriptor >> 62 & 3 not in _LINES:
        raise EmulatorError("factors that are not swizzled")
    length, bits = _LINES[descriptor >> 62 & 3]
    if turned and size != 2:
        raise EmulatorError("only elements of two bytes are turned")
    rows, deep = np.meshgrid(np.arange(outer), np.arange(product.depth), indexing="ij")
    line, along = (deep, rows * size) if turned else (rows, deep * size)
    address = start + line // 8 * stride + line % 8 * length + along // length * leading + along % length
    return address ^ (address >> 7 & bits) << 4
