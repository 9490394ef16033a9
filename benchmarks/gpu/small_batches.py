"""Batches of small products for the GPU benchmarks: texts of their kernels, their memory, and what moving it takes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tilewright as tw

SHAPES = ((4, 4, 4), (8, 8, 8), (16, 16, 16), (32, 32, 32), (64, 64, 64))
ODD_SHAPES = ((9, 9, 9), (20, 9, 9), (56, 9, 9), (35, 9, 20), (20, 9, 56))
TYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16"}
VARIANTS = ("pointers", "constant A", "constant B", "transposed", "alpha, beta", "gaps")
VARIED = ((8, 8, 8), (16, 16, 16), (20, 9, 9))
GAP = 4
"""Elements between columns."""
READ_BYTES, SECTOR = 64, 32
"""What memory reads as a whole, and the L2 cache writes."""


def text_of(element: str, shape: tuple[int, int, int], variant: str) -> str:
    """The kernel: `C_i := alpha A_i B_i + beta C_i`."""
    turned, gap = variant == "transposed", GAP if variant == "gaps" else 0
    parameters: list[str] = []
    views: list[str] = []
    for name, (rows, columns) in sizes_of(shape, turned).items():
        matrix, view = f"{element}x{rows}x{columns}", name.lower()
        strides = f",strided<1,{rows + gap}>" if gap else ""
        if variant == f"constant {name}":
            parameters.append(f"%{name}: memref<{matrix}>")
            views.append(f"%{view} = subview %{name}[0:{rows}, 0:{columns}] : memref<{matrix}>")
        elif variant == "pointers":
            parameters.append(f"%{name}: group<memref<{matrix}>x?>")
            views.append(f"%{view} = load %{name}[%g] : memref<{matrix}>")
        else:
            batched = f",strided<1,{rows + gap},{(rows + gap) * columns}>" if gap else ""
            parameters.append(f"%{name}: memref<{matrix}x?{batched}>")
            views.append(f"%{view} = subview %{name}[0:{rows}, 0:{columns}, %g] : memref<{matrix}{strides}>")
    alpha, beta = (2.0, 0.5) if variant == "alpha, beta" else (1.0, 0.0)
    return f"""func @product({", ".join(parameters)}) {{
        %g = group_id.x : index
        %alpha = constant {alpha} : {element}
        %beta = constant {beta} : {element}
        {chr(10).join(views)}
        gemm.{"t.t" if turned else "n.n"} %alpha, %a, %b, %beta, %c
    }}"""


class Batch(NamedTuple):
    """Matrices of `items` products, `each` of so many useful bytes: row-major [item, column, row], of which a kernel
    sees [row, column, item], and what it is called with."""

    items: int
    each: int
    memory: Mapping[str, Any]
    arguments: tuple[Any, ...]


def sizes_of(shape: tuple[int, int, int], turned: bool) -> dict[str, tuple[int, int]]:
    """Rows and columns of the matrices as they lie in memory."""
    m, n, k = shape
    return {"A": (k, m) if turned else (m, k), "B": (n, k) if turned else (k, n), "C": (m, n)}


def batch_of(torch: Any, element: str, shape: tuple[int, int, int], variant: str, size: int) -> Batch:
    """Random matrices for `text_of`, of so many useful bytes."""
    dtype, gap = getattr(torch, TYPES[element]), GAP if variant == "gaps" else 0
    sizes = sizes_of(shape, variant == "transposed")
    moving = {key: rows * columns for key, (rows, columns) in sizes.items() if variant != f"constant {key}"}
    written = moving["C"] if variant == "alpha, beta" else 0
    each = (sum(moving.values()) + written) * dtype.itemsize
    items = size // each
    memory: dict[str, Any] = {}
    arguments: list[Any] = []
    for key, (rows, columns) in sizes.items():
        count = items if key in moving else 1
        memory[key] = torch.randn(count, columns, rows + gap, device="cuda", dtype=torch.float32).to(dtype)[..., :rows]
        seen = memory[key].permute(2, 1, 0)
        if variant == "pointers":
            arguments.append(tw.PointerArray.of(seen.permute(2, 0, 1)))
        else:
            arguments.append(seen if key in moving else seen[..., 0])
    return Batch(items, each, memory, tuple(arguments))


def moved_bytes(rows: int, columns: int, pitch: int, size: int, *, is_written: bool) -> float:
    """Bytes that memory moves on average for a matrix of a batch with gaps between its columns."""
    places = np.zeros(READ_BYTES * columns * pitch * size, bool)
    for begin in range(0, len(places), pitch * size):
        places[begin : begin + rows * size] = True
    if not is_written:
        return float(places.reshape(-1, READ_BYTES).any(axis=1).sum())
    used = places.reshape(-1, SECTOR)
    touched, whole = used.any(axis=1).sum(), used.all(axis=1).sum()
    return float((2 * touched - whole) * SECTOR / READ_BYTES)


def fused_text(element: str) -> str:
    """The sample kernel of the language."""
    return (Path(__file__).parents[2] / "examples" / "fused_kernel.tl").read_text().replace("f32", element)


def chain_text(element: str) -> str:
    """An update as of ADER schemes: `Q_i := Q_i + Y_i`, `Y = K2 (X + s_i K1 (K0 Q_i))`, X the inner product itself."""
    return f"""func @chain(%K0: memref<{element}x56x56>, %K1: memref<{element}x56x56>, %K2: memref<{element}x56x56>,
                     %s: memref<{element}x?>, %Q: memref<{element}x56x9x?>) {{
        %one = constant 1.0 : {element}
        %zero = constant 0.0 : {element}
        %g = group_id.x : index
        %f = load %s[%g] : {element}
        %q = subview %Q[0:56, 0:9, %g] : memref<{element}x56x9>
        %x = alloca : memref<{element}x56x9,local>
        %y = alloca : memref<{element}x56x9,local>
        gemm %one, %K0, %q, %zero, %x
        gemm %f, %K1, %x, %zero, %y
        axpby %one, %x, %one, %y
        gemm %one, %K2, %y, %one, %q
    }}"""
