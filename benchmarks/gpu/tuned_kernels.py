"""Kernels of the GPU's table, each with arguments: what the model's schedules are compared with tuned ones by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

# isort: split
from norm_kernels import layer_norm, rms_norm, softmax
from norms import LENGTHS
from small_batches import ODD_SHAPES, SHAPES, TYPES, VARIANTS, VARIED, batch_of, text_of
from streaming import BYTES_A_BLOCK, WORK
from sum_kernels import WIDE, column_sums, layer_norm_backward, running_sums_of_columns, running_sums_of_rows
from sums import BLOCKS, DOWN, ENOUGH

from attention_texts import Attention, attention
from product_texts import Product, tile_ir_product, whole_gemm
from products import KINDS, SIZES
from tile_ir_kernels import transpose
from transposes import TILES

COLUMNS: Mapping[str, tuple[int, ...]] = {
    "column sums": (1024, 4096, 16384),
    "cumsum rows": (1024, 4096, 8192),
    "cumsum columns": (4096, 8192, 16384),
    "layer norm backward": (1024, 4096, 8192),
}
HEADS, LENGTH, BAND = 128, 4096, 16
WIDTHS = (64, 96, 128)
NARROW: Mapping[str, str] = {"f32": "float32", "f16": "float16"}


class Case(NamedTuple):
    """A kernel with its launch; `arrays` is all memory that it reads and writes."""

    text: str
    grid: int | tuple[int, ...]
    arguments: tuple[Any, ...]
    arrays: tuple[Any, ...]
    precision: str = "exact"
    schedule: str = ""
    """What the model is told, if not everything is its choice."""
    language_options: Mapping[str, str] = {}


def table(torch: Any, size: int) -> Iterator[tuple[str, Callable[[], Case]]]:
    """Names of all cases, and how each is made when it is its turn."""
    for element, dtype in NARROW.items():
        of = getattr(torch, dtype)
        for what in WORK:
            for way in ("views", "pointers"):
                yield f"{what} {way} {element}", lambda w=what, y=way, e=element, d=of: stream(torch, w, y, e, d, size)
        for what, text in {"softmax": softmax, "layer norm": layer_norm, "RMS norm": rms_norm}.items():
            for length in LENGTHS:
                yield (
                    f"{what} {length} {element}",
                    lambda t=text, n=length, e=element, d=of: rows_of(torch, t, n, e, d, size),
                )
        for what, lengths in COLUMNS.items():
            for columns in lengths:
                yield (
                    f"{what} {columns} {element}",
                    lambda w=what, n=columns, e=element, d=of: sums(torch, w, n, e, d, size),
                )
        yield f"transpose {element}", lambda e=element, d=of: turned(torch, e, d, size)
    for element in TYPES:
        for shape in (*SHAPES, *ODD_SHAPES):
            yield (
                f"batch {_spelled(shape)} {element}",
                lambda e=element, s=shape: batch(torch, e, s, "contiguous", size),
            )
    for element in ("f32", "f64", "f16"):
        for shape in VARIED:
            for variant in VARIANTS:
                name = f"batch {_spelled(shape)} {element} {variant}"
                yield name, lambda e=element, s=shape, v=variant: batch(torch, e, s, v, size)
    for kind in KINDS:
        for n in SIZES:
            yield f"matmul {n} {kind}", lambda k=kind, n=n: product(torch, k, n, is_whole=False)
            if not KINDS[kind].is_small:  # which the tensor language has not
                yield f"gemm {n} {kind}", lambda k=kind, n=n: product(torch, k, n, is_whole=True)
    for width in WIDTHS:
        for causal in (False, True):
            name = f"attention {width} {'causal' if causal else 'full'}"
            yield name, lambda w=width, c=causal: heads(torch, w, is_causal=c)


def _spelled(shape: tuple[int, int, int]) -> str:
    return "x".join(map(str, shape))


def stream(torch: Any, what: str, way: str, element: str, dtype: Any, size: int) -> Case:
    """Elementwise work on three vectors."""
    width = BYTES_A_BLOCK // dtype.itemsize
    n = size // 3 // BYTES_A_BLOCK * width
    x, y, z = (torch.randn(n, device="cuda", dtype=dtype) for _ in range(3))
    grid = n // width
    if way == "views":
        return Case(WORK[what].views(n, width, element), grid, (x, y, z), (x, y, z))
    return Case(WORK[what].pointers(width, element), grid, (x, y, z, n), (x, y, z))


def rows_of(
    torch: Any, text: Callable[[int, int, str], str], columns: int, element: str, dtype: Any, size: int
) -> Case:
    """A norm or softmax of rows."""
    rows = size // 2 // dtype.itemsize // columns
    x, y = (torch.randn(rows, columns, device="cuda", dtype=dtype) for _ in range(2))
    weights = [torch.randn(1, columns, device="cuda", dtype=dtype) for _ in range(2)]
    between = weights[: 0 if text is softmax else 1 if text is rms_norm else 2]
    return Case(text(rows, columns, element), rows, (x, *between, y), (x, *between, y))


def sums(torch: Any, what: str, columns: int, element: str, dtype: Any, size: int) -> Case:
    """Sums along columns, those of all elements before along rows or columns, and the gradients of layer norm."""
    arrays = {"column sums": 1, "layer norm backward": 3}.get(what, 2)
    rows = size // arrays // dtype.itemsize // columns
    x = torch.randn(rows, columns, device="cuda", dtype=dtype)
    if what == "column sums":
        strips = max(ENOUGH * WIDE // columns, 1)
        total = torch.zeros(strips, columns, device="cuda")
        grid = columns // WIDE, strips
        return Case(column_sums(rows, columns, strips, element, "f32"), grid, (x, total), (x, total))
    y = torch.empty_like(x)
    if what == "cumsum rows":
        return Case(running_sums_of_rows(rows, columns, element), rows, (x, y), (x, y))
    if what == "cumsum columns":
        text = running_sums_of_columns(rows, columns, element, DOWN)
        return Case(text, columns // DOWN[1], (x, y), (x, y))
    g, weight = torch.randn_like(x), torch.randn(columns, device="cuda", dtype=dtype)
    mean, scale = x.float().mean(1, keepdim=True), x.float().var(1, keepdim=True).rsqrt()
    parts = [torch.zeros(BLOCKS, columns, device="cuda") for _ in range(2)]
    given = (g, x, weight, mean, scale, y, *parts)
    return Case(layer_norm_backward(rows, columns, BLOCKS, element), BLOCKS, given, given)


def turned(torch: Any, element: str, dtype: Any, size: int) -> Case:
    """The transpose of a matrix."""
    n = tile = TILES[element]
    while 2 * (2 * n) ** 2 * dtype.itemsize <= size:
        n *= 2
    x, y = (torch.randn(n, n, device="cuda", dtype=dtype) for _ in range(2))
    return Case(transpose(n, tile, element), (n // tile,) * 2, (x, y), (x, y))


def batch(torch: Any, element: str, shape: tuple[int, int, int], variant: str, size: int) -> Case:
    """A batch of small products, by columns."""
    given = batch_of(torch, element, shape, variant, size)
    # all of the memory, gaps between columns too
    arrays = tuple(each._base for each in given.memory.values())
    return Case(text_of(element, shape, variant), given.items, given.arguments, arrays)


def product(torch: Any, name: str, n: int, *, is_whole: bool) -> Case:
    """One product, with its tiles given (Tile IR) or left to the compiler (`gemm`)."""
    kind = KINDS[name]
    dtype = getattr(torch, kind.torch)
    if kind.element == "i8":
        a, b = (torch.randint(-128, 128, (n, n), dtype=dtype, device="cuda") for _ in range(2))
        c = torch.zeros(n, n, dtype=torch.int32, device="cuda")
    else:
        a, b = (torch.randn(n, n, device="cuda", dtype=torch.float32).to(dtype) for _ in range(2))
        result = {"bf16": "bfloat16"}.get(kind.rounded, kind.torch)
        c = torch.zeros(n, n, dtype=getattr(torch, result), device="cuda")
    if is_whole:
        # rows are columns to the tensor language: it multiplies the transposed matrices in reverse
        text = whole_gemm(n, kind.element, kind.rounded or kind.total, kind.transposed[1])
        return Case(text, 1, (b.t(), a.t(), c.t()), (a, b, c), kind.precision)
    of = Product((n, n, n), kind.element, kind.total, kind.transposed, kind.rounded, fast=kind.is_small)
    grid = (n // kind.tiles[0], n // kind.tiles[1])
    return Case(tile_ir_product(of, kind.tiles), grid, (a, b, c), (a, b, c), kind.precision)


def heads(torch: Any, width: int, *, is_causal: bool) -> Case:
    """Attention of all heads, two threads for each query of a block."""
    blocks = (64, 128) if width == 64 else (128, 128)
    of = Attention(LENGTH, LENGTH, width, blocks, "f16", HEADS, is_causal, width**-0.5, band=BAND if is_causal else 1)
    arrays = tuple(torch.randn(HEADS * LENGTH, width, device="cuda", dtype=torch.float16) for _ in range(4))
    told = f"threads={2 * blocks[0]}"
    return Case(attention(of), of.grid, arrays, arrays, schedule=told, language_options={"extents": "any"})
