"""Small matrix products in all sizes: operands, results that stand in poison, and what is right, in exact integers."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from generators.arguments import Array
from generators.element_types import DTYPES
from tilewright.runtime.groups import PointerArray

LARGEST = 17
ELEMENTS = ("f32", "f64", "bf16", "i8")
TRANSPOSES = (".n.n", ".n.t", ".t.n", ".t.t")
BETAS = (0, 1, 2)
Words = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Product:
    """One product with static extents and factors."""

    m: int
    n: int
    k: int
    dtype: str
    transposes: str
    beta: int

    def text(self, name: str) -> str:
        """A function that computes it."""
        t = self.dtype
        dot = "" if t[0] == "i" else ".0"
        a, b = self._shapes()
        return (
            f"func @{name}(%A: memref<{t}x{a[0]}x{a[1]}>, %B: memref<{t}x{b[0]}x{b[1]}>, "
            f"%C: memref<{t}x{self.m}x{self.n}>) {{\n"
            f"    %alpha = constant 1{dot} : {t}\n    %beta = constant {self.beta}{dot} : {t}\n"
            f"    gemm{self.transposes} %alpha, %A, %B, %beta, %C\n}}\n"
        )

    def _shapes(self) -> tuple[tuple[int, int], tuple[int, int]]:
        a = (self.k, self.m) if self.transposes[1] == "t" else (self.m, self.k)
        b = (self.n, self.k) if self.transposes[3] == "t" else (self.k, self.n)
        return a, b

    def arguments(self, rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
        """A, B, C before, and C afterwards; where beta is 0, C is poison before."""
        dtype = DTYPES[self.dtype]
        whole = [rng.integers(-3, 4, shape) for shape in (*self._shapes(), (self.m, self.n))]
        a, b, c = (np.asfortranarray(x.astype(dtype)) for x in whole)
        left = whole[0].T if self.transposes[1] == "t" else whole[0]
        right = whole[1].T if self.transposes[3] == "t" else whole[1]
        want = (left @ right + self.beta * whole[2]).astype(dtype)
        if self.beta == 0:
            c[...] = poison(self.dtype)
        return a, b, c, want


def poison(dtype: str) -> np.generic:
    """What must not be read, or not be written over."""
    return DTYPES[dtype].type(77 if dtype[0] == "i" else np.nan)


def every_shape() -> Words:
    """All (m, n, k), one a row."""
    return np.array(list(itertools.product(range(1, LARGEST + 1), repeat=3)), np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Where the result of every shape lies in one buffer, with gaps between columns and between matrices.

    `places` are the elements of all results in that buffer, `owners` the numbers of their shapes, `sources` their
    places in an array of [k - 1, i, j].
    """

    offsets: Words
    strides: Words
    places: Words
    owners: Words
    sources: Words
    size: int


@cache
def results() -> Results:
    """The layout that all tests share."""
    shapes = every_shape()
    strides = shapes[:, 0] + shapes.sum(1) % 3
    spans = strides * shapes[:, 1] + 5
    offsets = np.cumsum(spans) - spans
    places: list[Words] = []
    sources: list[Words] = []
    for (m, n, k), offset, stride in zip(shapes.tolist(), offsets.tolist(), strides.tolist(), strict=True):
        i: Words = np.arange(m, dtype=np.int64)[:, None]
        j: Words = np.arange(n, dtype=np.int64)[None, :]
        places.append((offset + i + stride * j).ravel())
        sources.append((((k - 1) * LARGEST + i) * LARGEST + j).ravel())
    owners = np.repeat(np.arange(len(shapes)), shapes[:, 0] * shapes[:, 1])
    return Results(offsets, strides, np.concatenate(places), owners, np.concatenate(sources), int(spans.sum()))


def factors(dtype: str, whole: Words, transposed: bool, rows: Words, columns: Words) -> tuple[PointerArray, Array]:
    """The upper left (rows, columns) of `whole` for every shape, and the memory that they lie in.

    Each lies once, transposed if so wished, with a gap that holds poison behind every column.
    """
    offsets = np.zeros((LARGEST + 1, LARGEST + 1), np.int64)
    strides = np.zeros_like(offsets)
    pieces: list[Array] = []
    end = 0
    for r, c in itertools.product(range(1, LARGEST + 1), repeat=2):
        block = (whole[:r, :c].T if transposed else whole[:r, :c]).astype(DTYPES[dtype])
        gap = (r + c) % 3
        piece = np.full((block.shape[1], block.shape[0] + gap), poison(dtype))
        piece[:, : block.shape[0]] = block.T
        offsets[r, c], strides[r, c] = end, piece.shape[1]
        pieces.append(piece.ravel())
        end += piece.size
    memory = np.concatenate(pieces)
    extents = (columns, rows) if transposed else (rows, columns)
    return group(dtype, memory, offsets[rows, columns], extents, strides[rows, columns]), memory


def group(dtype: str, memory: Array, offsets: Words, extents: tuple[Words, Words], strides: Words) -> PointerArray:
    """Matrices within `memory`."""
    pointers = memory.ctypes.data + offsets * memory.itemsize
    sizes = tuple(np.ascontiguousarray(e) for e in extents)
    return PointerArray(pointers, DTYPES[dtype], sizes, (np.ascontiguousarray(strides),))
