"""Updates and compare-and-swap at addresses: of words, and of elements that share a word with others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from generators.element_types import SCALARS

from .case import Array, Case, Launch, kernel, poisoned

CELLS = 12
COUNT = 150
OFFSET = 3
"""Elements before the first that is updated: it begins in the middle of a word."""

UPDATES: Mapping[str, Callable[[Array, Array], Array]] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "umax": lambda x, y: np.maximum(_bits(x), _bits(y)).view(x.dtype),
    "umin": lambda x, y: np.minimum(_bits(x), _bits(y)).view(x.dtype),
    "max": np.maximum,
    "min": np.minimum,
    "add": np.add,
}


def _bits(x: Array) -> Array:
    return x.view(f"u{x.dtype.itemsize}")


def _addresses(dtype: str, tile: str) -> str:
    """%at: where element `OFFSET + i mod CELLS` lies behind the pointer %P."""
    return f"""
    %p = memref.address %P -> i64
    %ps = tile.splat %p -> tile<{tile}xi64>
    %i = tile.iota {{dim = 0}} -> tile<{tile}xi64>
    %cells = arith.constant {{value = {CELLS}}} -> tile<{tile}xi64>
    %cell = arith.rem %i, %cells -> tile<{tile}xi64>
    %first = arith.constant {{value = {OFFSET}}} -> tile<{tile}xi64>
    %number = arith.add %cell, %first -> tile<{tile}xi64>
    %size = arith.constant {{value = {SCALARS[dtype].itemsize}}} -> tile<{tile}xi64>
    %far = arith.mul %number, %size -> tile<{tile}xi64>
    %at = arith.add %ps, %far -> tile<{tile}xi64>
    %z = arith.constant {{value = 0}} -> index
    %x = tile.load %X, %z -> tile<{tile}x{dtype}>"""


def updates(dtype: str, kind: str) -> Case:
    """Many elements of a tile update few cells; the old values are some order's."""
    body = (
        _addresses(dtype, str(COUNT))
        + f"""
    %old = tile.scatter_update %x, %at {{kind = "{kind}"}} -> tile<{COUNT}x{dtype}>"""
    )

    def prepare(rng: np.random.Generator) -> Launch:
        info = np.iinfo(SCALARS[dtype])
        memory, x = (rng.integers(info.min, info.max, n, SCALARS[dtype], True) for n in (CELLS + 5, COUNT))
        expected = memory.copy()
        for k, number in enumerate(x):
            at = OFFSET + k % CELLS
            expected[at : at + 1] = UPDATES[kind](expected[at : at + 1], np.array([number]))
        return Launch([memory, x], {0: expected})

    return Case(f"update-{kind}-{dtype}", kernel(f"%P: ptr<{dtype}>, %X: memref<{dtype}x{COUNT}>", body), prepare)


def exchange(dtype: str) -> Case:
    """Each cell is swapped by one element, where it holds what is expected; every third element is masked off."""
    body = (
        _addresses(dtype, str(CELLS))
        + f"""
    %e = tile.load %E, %z -> tile<{CELLS}x{dtype}>
    %three = arith.constant {{value = 3}} -> tile<{CELLS}xi64>
    %zero = arith.constant {{value = 0}} -> tile<{CELLS}xi64>
    %third = arith.rem %i, %three -> tile<{CELLS}xi64>
    %mask = arith.cmp %third, %zero {{predicate = "ne"}} -> tile<{CELLS}xbool>
    %old = tile.scatter_exchange %x, %e, %at, %mask -> tile<{CELLS}x{dtype}>
    tile.store %old, %O, %z
    %was = tile.scatter_update %x, %at, %mask {{kind = "xchg"}} -> tile<{CELLS}x{dtype}>
    tile.store %was, %W, %z"""
    )

    def prepare(rng: np.random.Generator) -> Launch:
        target = SCALARS[dtype]
        memory, x, e = (rng.integers(1, 100, n).astype(target) for n in (CELLS + 5, CELLS, CELLS))
        before = memory[OFFSET : OFFSET + CELLS].copy()
        e[::2] = before[::2]
        on = np.arange(CELLS) % 3 != 0
        old = np.where(on, before, e)
        was = np.where(on, np.where(before == e, x, before), np.zeros(1, target))
        after = memory.copy()
        after[OFFSET : OFFSET + CELLS] = np.where(on, x, before)
        blank = [poisoned(dtype, CELLS) for _ in range(2)]
        return Launch([memory, x, e, *blank], {0: after, 3: old, 4: was})

    arrays = ", ".join(f"%{name}: memref<{dtype}x{CELLS}>" for name in "XEOW")
    return Case(f"exchange-{dtype}", kernel(f"%P: ptr<{dtype}>, {arrays}", body), prepare)


def exchange_cases() -> list[Case]:
    """All cases of this file."""
    return [
        *(updates("i8", kind) for kind in UPDATES),
        *(updates("i16", kind) for kind in ("xor", "umin", "add")),
        *(updates("i32", kind) for kind in ("and", "umax")),
        *(exchange(dtype) for dtype in ("i8", "i16", "i64", "f16", "f32")),
    ]
