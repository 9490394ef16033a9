"""Convolutions in TLX against torch (oneDNN): `python benchmarks/convolutions.py [--quick] [WORD ..]`.

One image, N C H W, kernels of 3 by 3, as many maps as channels, without padding, on random data. f32; bf16 on its unit
where there is one (AMX, else that of AVX-512), results rounded to bf16 as torch's are; i8 with sums modulo 2^8, which
is what TLX means by it, against torch's quantised convolution, which does more: it scales its sums of i32 and
saturates. As a floor our own product of matrices of the same extents, for which no patches have to be gathered. The
table shows median rates in GFLOP/s, and how many times as fast ours is within a round, with quartiles. One process a
thread count.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

import figures
import tilewright as tw
from children import rows_of_children
from comparison import OURS, Comparison, overall
from figures import Chart
from rated import Row
from spread import Overall
from timing import in_turn, timers
from tlx_texts import contraction, convolution
from torch_forms import torch_module

Array = NDArray[Any]
_KERNEL: Final = 3
_SHAPES: Final = [(64, 56), (128, 28), (256, 14)]
_UNITS: Final = {"f32": None, "bf16": "amx,bf16", "i8": None}
_ERRORS: Final = {"f32": 1e-5, "bf16": 1e-2, "i8": 0.0}
_TORCH: Final = "torch"
_FLOOR: Final = "matrices"
_WARM: Final = 0.02


def _numbers(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """As a kernel takes them, and in f32."""
    if dtype == "i8":
        integers = rng.integers(-20, 21, shape).astype(np.int8)
        return integers, integers.astype(np.float32)
    values = rng.standard_normal(shape).astype(np.float32)
    return (values, values) if dtype == "f32" else _rounded(values)


def _rounded(values: Array) -> tuple[Array, Array]:
    """Bits of bf16, cut off, and what they stand for."""
    kept = values.view(np.int32) & -65536
    return (kept >> 16).astype(np.int16), kept.view(np.float32)


def _widened(dtype: str, stored: Array) -> Array:
    return (stored.astype(np.int32) << 16).view(np.float32) if dtype == "bf16" else stored.astype(np.float32)


def measure(dtype: str, channels: int, size: int, seconds: float, threads: int) -> Row:
    """Ours, torch's and the product in turn."""
    rng, positions = np.random.default_rng(), size - _KERNEL + 1
    image, x = _numbers(rng, dtype, (1, channels, size, size))
    kernel, y = _numbers(rng, dtype, (channels, channels, _KERNEL, _KERNEL))
    out = np.zeros((1, channels, positions, positions), image.dtype)
    text = convolution(dtype, image.shape, channels, _KERNEL)
    ours = tw.compile(text, target="cpu", cache=False, units=_UNITS[dtype]).k
    arguments = [_argument(dtype, array) for array in (image, kernel, out)]
    runs: dict[str, Callable[[], object]] = {
        OURS: lambda: ours(*arguments),
        **_torch(dtype, x, y),
        _FLOOR: _matrices(dtype, channels, positions * positions, rng),
    }
    timings = in_turn(timers(runs), sys.maxsize, limit=seconds, threads=threads, warm=_WARM)
    patches = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), (_KERNEL, _KERNEL), (2, 3))
    exact = np.einsum("nchwij,ocij->nohw", patches, y.astype(np.float64), optimize=True)
    exact = exact.astype(np.int64).astype(np.int8) if dtype == "i8" else exact
    error = float(np.linalg.norm(_widened(dtype, out) - exact) / np.linalg.norm(exact.astype(np.float64)))
    name = _name(dtype, channels, size)
    peers = [peer for peer in runs if peer == _TORCH]
    found = Comparison.of(name, timings, peers, threads=threads, error=error, allowed=_ERRORS[dtype])
    return Row(dtype, 2e-9 * channels * channels * _KERNEL**2 * positions**2, found)


def _name(dtype: str, channels: int, size: int) -> str:
    return f"{dtype} {channels} x {size}"


def _cases(words: list[str], quick: bool) -> list[tuple[str, int, int]]:
    """The cases with one of the words in their names, all if there are none."""
    dtypes = _UNITS if torch_module() is not None else ("f32", "i8")
    found = [(dtype, *shape) for dtype in dtypes for shape in ([(16, 10)] if quick else _SHAPES)]
    return [case for case in found if not words or any(word in _name(*case) for word in words)]


def _argument(dtype: str, array: Array) -> object:
    """NumPy has no bf16 of its own; torch has."""
    torch = torch_module()
    return torch.from_numpy(array).view(torch.bfloat16) if dtype == "bf16" else array


def _torch(dtype: str, x: Array, y: Array) -> dict[str, Callable[[], object]]:
    torch = torch_module()
    if torch is None:
        return {}
    image, kernel = torch.from_numpy(x), torch.from_numpy(y)
    if dtype != "i8":
        type_ = torch.float32 if dtype == "f32" else torch.bfloat16
        image, kernel = image.to(type_), kernel.to(type_)
        return {_TORCH: lambda: torch.nn.functional.conv2d(image, kernel)}
    image = torch.quantize_per_tensor(image, 1.0, 64, torch.quint8)
    kernel = torch.quantize_per_tensor(kernel, 1.0, 0, torch.qint8)
    weights = torch.ops.quantized.conv2d_prepack(kernel, None, [1, 1], [0, 0], [1, 1], 1)
    return {_TORCH: lambda: torch.ops.quantized.conv2d(image, weights, 1.0, 64)}


def _matrices(dtype: str, channels: int, positions: int, rng: np.random.Generator) -> Callable[[], object]:
    sizes = {"m": channels, "k": channels * _KERNEL**2, "n": positions}
    text = contraction(dtype, ("mk", "kn", "mn"), sizes)
    kernel = tw.compile(text, target="cpu", cache=False, units=_UNITS[dtype]).k
    arguments = [
        _argument(dtype, _numbers(rng, dtype, (sizes[a], sizes[b]))[0]) for a, b in (("m", "k"), ("k", "n"), ("m", "n"))
    ]
    return lambda: kernel(*arguments)


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "convolutions")
    parser.add_argument("words", nargs="*", help="only cases with one; figures are saved only where --json says then")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--seconds", type=float, default=0.8, help="for each case (default: %(default)s)")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = figures.parsed(parser)
    if options.child is not None:
        rows: list[Row] = []
        for case in _cases(options.words, options.quick):
            rows.append(measure(*case, options.seconds, options.child))
            print(rows[-1].line(), file=sys.stderr, flush=True)
        print(msgspec.json.encode(rows).decode())
        return 0
    seconds = 0.0 if options.quick else options.seconds
    arguments = [*options.words, "--seconds", str(seconds), *(["--quick"] if options.quick else [])]
    rows = rows_of_children(__file__, arguments, options.threads, Row)
    found: dict[str, Overall] = {}
    for name in (_TORCH, _FLOOR):
        groups: dict[str, list[Comparison]] = {}
        for row in rows:
            if name in row.case.ratios:
                groups.setdefault(f"{row.dtype}, {row.case.threads} threads, over {name}", []).append(row.case)
        found |= {what: overall(cases, name) for what, cases in groups.items()}
    figures.tell(found)
    bars = [(row.case.label, row.case.ratio.median) for row in rows]
    partly = options.words and options.json == figures.results("convolutions")
    figures.save(None if partly else options.json, rows, found, Chart("Convolutions: speed over torch's", bars, 1.0))
    return 1 if any(row.case.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
