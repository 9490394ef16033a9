"""Kernels that compute with strides of modes of extent 1, and arrays with any number there; for every target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

FUSED = """
func @{name}(%A: {source}, %B: memref<f32{extents},strided<{strides}>>) {{
    %v = fuse %A[{first},{last}] : {fused}
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    axpby %one, %v, %zero, %B
}}
"""

OTHERS = """
func @expanded(%A: memref<f32x?x?,strided<?,?>>, %B: memref<f32x?x?>) {
    %n = size %A[0] : index
    %m = size %A[1] : index
    %e = expand %A[0->1 x %n] : memref<f32x1x?x?,strided<?,?,?>>
    %v = subview %e[0,0:%n,0:%m] : memref<f32x?x?,strided<?,?>>
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    axpby %one, %v, %zero, %B
}

func @sliced(%A: memref<f32x?x?x?,strided<?,?,?>>, %B: memref<f32x?x1,strided<?,?>>, %n: index) {
    %s = subview %A[0:1,0:%n,0:1] : memref<f32x1x?x1,strided<?,?,?>>
    %f = fuse %s[0,1] : memref<f32x?x1,strided<?,?>>
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    axpby %one, %f, %zero, %B
}

func @grouped(%G: group<memref<f32x?x?x?,strided<?,?,?>>x?>, %B: memref<f32x?x?x?,strided<?,?,?>>) {
    %g = group_id.x : index
    %A = load %G[%g] : memref<f32x?x?x?,strided<?,?,?>>
    %v = fuse %A[0,1] : memref<f32x?x?,strided<?,?>>
    %r = size %v[0] : index
    %c = size %v[1] : index
    %b = subview %B[0:%r,0:%c,%g] : memref<f32x?x?,strided<?,?>>
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    axpby %one, %v, %zero, %b
}
"""


@dataclass(frozen=True, slots=True)
class Fuse:
    """A type, the modes to fuse, and shapes of arrays for it."""

    name: str
    shape: str
    strides: str
    modes: tuple[int, int]
    shapes: tuple[tuple[int, ...], ...]

    @property
    def text(self) -> str:
        """The kernel: the fused view copied to `B`."""
        first, last = self.modes
        order = len(self.shapes[0]) - (last - first)
        strides = ",".join("?" * order)
        sizes = self.shape.split("x")
        product = "?" if "?" in sizes[first : last + 1] else str(np.prod([int(s) for s in sizes[first : last + 1]]))
        extents = "".join(f"x{s}" for s in (*sizes[:first], product, *sizes[last + 1 :]))
        fused = f"memref<f32{extents},strided<{strides}>>"
        source = f"memref<f32x{self.shape}{f',strided<{self.strides}>' if self.strides else ''}>"
        return FUSED.format(
            name=self.name,
            source=source,
            extents=extents,
            strides=strides,
            first=first,
            last=last,
            fused=fused,
        )

    def expected(self, array: Array) -> Array:
        """The modes fused, the first one fastest."""
        first, last = self.modes
        size = int(np.prod(array.shape[first : last + 1]))
        return array.reshape((*array.shape[:first], size, *array.shape[last + 1 :]), order="F")


OPEN = "?,?,?"
FUSIONS = (
    Fuse("front", "?x?x?", OPEN, (0, 1), ((1, 5, 3), (5, 1, 3), (1, 1, 3), (1, 1, 1), (1, 4, 1), (1, 0, 2))),
    Fuse("back", "?x?x?", OPEN, (1, 2), ((4, 1, 3), (1, 1, 6), (3, 5, 1), (2, 1, 1), (1, 7, 1), (2, 0, 1))),
    Fuse("all", "?x?x?", OPEN, (0, 2), ((1, 1, 5), (1, 6, 1), (4, 1, 1), (1, 1, 1), (0, 1, 1))),
    Fuse("static", "1x3x1", "", (0, 1), ((1, 3, 1),)),
    Fuse("static_last", "1x3x1", "", (1, 2), ((1, 3, 1),)),
    Fuse("static_open", "1x3x1", OPEN, (0, 2), ((1, 3, 1),)),
    Fuse("half", "1x?x?", "", (0, 1), ((1, 3, 4), (1, 1, 4), (1, 5, 1))),
    Fuse("wide", "?x1x?", "1,?,?", (1, 2), ((6, 1, 3), (1, 1, 3))),
)


def all_text() -> str:
    """One program with all kernels."""
    return "\n".join(fusion.text for fusion in FUSIONS) + OTHERS


def array_of(rng: np.random.Generator, shape: tuple[int, ...], contiguous: tuple[int, ...] = ()) -> Array:
    """Random numbers with gaps between the modes, and any stride, odd and negative ones too, where none is needed.

    Modes in `contiguous` are packed behind the one before.
    """
    size, strides, span = 4, list[int](), 1
    empty = 0 in shape
    for mode, extent in enumerate(shape):
        if extent <= 1 or empty:
            strides.append(int(rng.integers(-3000, 3000)))
            continue
        gap = 0 if mode in contiguous else int(rng.integers(0, 4))
        strides.append((span + gap) * size)
        span = (span + gap) * extent
    data = rng.standard_normal(span + 8).astype(np.float32)
    return np.lib.stride_tricks.as_strided(data, shape, strides)


def fusible(rng: np.random.Generator, fusion: Fuse, shape: tuple[int, ...]) -> Array:
    """An array for a fusion; static and unit strides of the type are kept."""
    first, last = fusion.modes
    packed = {k for k in range(first + 1, last + 1) if all(s > 1 for s in shape[first : k + 1])}
    declared = fusion.strides.split(",") if fusion.strides else ["1", *["" for _ in shape[1:]]]
    packed |= {k for k, stride in enumerate(declared) if stride == "1"}
    if not fusion.strides:
        packed |= {0, 1}
    return array_of(rng, shape, tuple(packed))
