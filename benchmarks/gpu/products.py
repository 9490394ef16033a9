"""How fast one product of two square matrices is on an NVIDIA GPU, against cuBLAS.

    python benchmarks/gpu/products.py [--quick] [--sizes N,N,..] [--only TYPE,..] [--processes N] [--json PATH]

Tile IR, one block a tile of the result (`ours`; of 16 bits, where that has tiles of 128x128, also `wide`, 128x256), the
same with as many blocks as run at a time, which go on from tile to tile in a loop of the program (`persistent`, of
128x256; of 16 bits also `narrow`, of 128x128), and `gemm` of the tensor language on a grid of one, which the compiler
spreads over blocks;
and, of floats of 8 bits, `tw.matmul` with `precision="fast"` (`matmul`);
types as torch has them: f16 and bf16 with accumulators in f32, f32 (no TF32), tf32 (f32 whose factors are rounded,
`precision="tf32"` and allow_tf32), f64, i8 with accumulators in i32 (torch._int_mm), and e4m3 and e5m2 with
accumulators in f32 that may be fast, rounded to bf16 (torch._scaled_mm with use_fast_accum, scales of one; of e5m2 by
e4m3, for torch has none by e5m2; no gemm: the tensor language has no such type). The second factor of those of 8 bits
is stored by columns, as torch wants it; of tf32 too (`tf32`), or by rows (`tf32nn`, and `i8nn`, `e4m3nn`, of which
torch makes a copy by columns first: its library takes none by rows of e4m3, and is slower by them than with the copy
of i8).
Of f32 and f64 the units alone, where there is CuPy (`alone`, `unit_rate.py`: as many multiply-adds on factors that stay
in registers), are a bound.
Contestants run in turn on random normal data, timed by events on the device; with `--processes` so many compile all
kernels before. Results are compared with products in
float64, by the norm of the error. Prints a table of medians with quartiles and saves it:
benchmarks/results/gpu_products.json unless told otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from device import name_of_device, on_device, torch_on_device

# isort: split
import ml_dtypes
import numpy as np
from ahead import Program, add_options, compiled_ahead
from unit_rate import alone

import figures
import tilewright as tw
from figures import Chart
from product_texts import Product, tile_ir_product, whole_gemm
from timing import in_turn

ROUNDS = 21
SIZES = (1024, 2048, 4096, 8192)
PEER = "cuBLAS"
WAYS = ("ours", "wide", "persistent", "narrow", "gemm", "matmul", "alone")
_UNITS = {"f32": "fma", "f64": "f64"}
"""Those of exact products, as `unit_rate.py` calls them."""
GOAL = 0.6
"""Share of cuBLAS that issue 16 wants of f16 without wgmma."""
FAST = "fast"
WITH_UNITS = "nvidia:sm_90a"
"""Devices that multiply floats of 8 bits; the driver is not asked before kernels are compiled."""
_SQUARE = 128
_BAND, _NARROW_BAND = 16, 8
"""Rows of tiles whose tiles follow each other, of wide tiles and of narrow ones."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Element types, tiles of a block, the norm of the error that is let through."""

    torch: str
    element: str
    total: str
    tiles: tuple[int, int, int]
    error: float
    transposed: tuple[bool, bool] = (False, False)
    rounded: str = ""
    precision: str = "exact"

    @property
    def persistent(self) -> tuple[int, int, int] | None:
        """Tiles of a block that goes on from one to the next: none of types that threads copy."""
        if self.precision == "exact" and self.element in ("f32", "f64"):
            return None
        return self.tiles if max(self.tiles[:2]) > _SQUARE else (_SQUARE, 2 * _SQUARE, self.tiles[2])

    @property
    def has_both(self) -> bool:
        """Whether there are wide tiles and narrow ones."""
        return self.element in ("f16", "bf16")

    @property
    def is_small(self) -> bool:
        """Whether elements are floats of 8 bits."""
        return self.element.startswith("f8")


KINDS = {
    "f16": Kind("float16", "f16", "f32", (128, 128, 64), 1e-3, rounded="f16"),
    "bf16": Kind("bfloat16", "bf16", "f32", (128, 128, 64), 8e-3, rounded="bf16"),
    "f32": Kind("float32", "f32", "f32", (128, 128, 32), 1e-5),
    "f64": Kind("float64", "f64", "f64", (128, 128, 16), 1e-13),
    "tf32": Kind("float32", "f32", "f32", (128, 256, 32), 1e-3, (False, True), precision="tf32"),
    "tf32nn": Kind("float32", "f32", "f32", (256, 128, 32), 1e-3, precision="tf32"),
    "i8": Kind("int8", "i8", "i32", (128, 128, 128), 0.0, (False, True)),
    "i8nn": Kind("int8", "i8", "i32", (256, 128, 128), 0.0),
    "e4m3nn": Kind("float8_e4m3fn", "f8E4M3FN", "f32", (256, 128, 128), 1e-2, rounded="bf16"),
    "e4m3": Kind("float8_e4m3fn", "f8E4M3FN", "f32", (128, 256, 128), 1e-2, (False, True), "bf16"),
    "e5m2": Kind("float8_e5m2", "f8E5M2", "f32", (128, 256, 128), 1e-2, (False, True), "bf16"),
}


def main() -> None:
    parser = figures.options(__doc__, "gpu_products", rounds=ROUNDS)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="(default: %(default)s)")
    parser.add_argument("--only", default=",".join(KINDS), help="element types (default: %(default)s)")
    add_options(parser)
    options = figures.parsed(parser)
    sizes = [int(n) for n in options.sizes.split(",")][: 1 if options.quick else None]
    every = [each for name in options.only.split(",") for n in sizes for each in programs(KINDS[name], n).values()]
    with compiled_ahead(every, options):
        _run(options, sizes)


def _run(options: Any, sizes: list[int]) -> None:
    torch = torch_on_device()
    print(name_of_device(torch))
    columns = " ".join(f"{key:>10}" for key in (PEER, *WAYS))
    print(f"{'':12} {columns}  TFLOP/s   share of cuBLAS, median [quartiles]: {', '.join(WAYS)}")
    cases: list[dict[str, object]] = []
    shares: dict[str, Any] = {}
    for name in options.only.split(","):
        for n in sizes:
            kind = KINDS[name]
            torch.backends.cuda.matmul.allow_tf32 = kind.precision == "tf32"
            runs = contestants(torch, kind, n)
            timings = in_turn({key: on_device(torch, run) for key, run in runs.items()}, options.rounds, warm=0.01)
            rates = {key: 2 * n**3 / spread.median / 1e12 for key, spread in timings.seconds().items()}
            case = f"{name} {n}"
            names = {key: f"{case} {key}" for key in WAYS} | {"ours": case}
            ways = [key for key in names if key in runs]
            shares |= {names[key]: timings.ratios(PEER, key) for key in ways}
            found = {"share" if key == "ours" else f"{key}_share": shares[names[key]].median for key in ways}
            cases.append({"name": case, "tflops": rates, **found})
            shown = " ".join(f"{rates[key]:10.1f}" if key in rates else " " * 10 for key in (PEER, *WAYS))
            print(f"{case:12} {shown}            {'  '.join(str(shares[names[key]]) for key in ways)}", flush=True)
    chart = Chart("Products, share of cuBLAS", [(case, share.median) for case, share in shares.items()], GOAL)
    figures.save(options.json, cases, shares, chart)


def programs(kind: Kind, n: int) -> dict[str, Program]:
    """Ours, by name."""
    product = Product((n, n, n), kind.element, kind.total, kind.transposed, kind.rounded, fast=kind.is_small)
    found = {"ours": Program(tile_ir_product(product, kind.tiles), precision=kind.precision)}
    if (tiles := kind.persistent) is not None:
        text = tile_ir_product(product, tiles, band=min(_BAND, n // tiles[0]))
        found["persistent"] = Program(text, precision=kind.precision)
    if kind.has_both and tiles is not None:
        found["wide"] = Program(tile_ir_product(product, tiles), precision=kind.precision)
        text = tile_ir_product(product, kind.tiles, band=min(_NARROW_BAND, n // kind.tiles[0]))
        found["narrow"] = Program(text, precision=kind.precision)
    if not kind.is_small:
        whole = whole_gemm(n, kind.element, kind.rounded or kind.total, kind.transposed[1])
        found["gemm"] = Program(whole, precision=kind.precision)
    else:
        found["matmul"] = _planned(kind, n)
    return found


def _planned(kind: Kind, n: int) -> Program:
    """The program of `tw.matmul`, which finds it compiled."""
    a, b = (np.empty((n, n), getattr(ml_dtypes, kind.torch)) for _ in range(2))
    right = b.T if kind.transposed[1] else b
    plan = tw.matmul.plan(a, right, out_dtype=kind.rounded, precision=FAST, target=WITH_UNITS)
    (step,) = plan.steps
    return Program(step.text, step.tiles, plan.precision)


def contestants(torch: Any, kind: Kind, n: int) -> dict[str, Any]:
    """The ways of one product, whose results agree."""
    kernels = {name: program.kernel() for name, program in programs(kind, n).items()}
    runs, (a, b, c) = peers(torch, kind, n)
    resident = torch.cuda.get_device_properties(0).multi_processor_count
    tiles = {"ours": kind.tiles, "wide": kind.persistent or kind.tiles}
    for name in kernels.keys() - {"gemm", "matmul"}:
        grid = (n // tiles[name][0], n // tiles[name][1]) if name in tiles else (resident,)
        runs[name] = partial(kernels[name][grid], a, b, c)
    if "gemm" in kernels:
        spread = kernels["gemm"][1]
        # rows are columns to the tensor language: it multiplies the transposed matrices in reverse
        runs["gemm"] = lambda: spread(b.t(), a.t(), c.t())
    if "matmul" in kernels:
        right = b.t() if kind.transposed[1] else b
        runs["matmul"] = lambda: tw.matmul(a, right, c, precision=FAST)
    rows = slice(0, min(n, 1024))
    wanted = a[rows].double() @ (b.t() if kind.transposed[1] else b).double()
    for key in runs.keys() - {PEER}:
        c.zero_()
        runs[key]()
        error = float((c[rows].double() - wanted).norm() / wanted.norm())
        if not error <= kind.error:
            raise SystemExit(f"{key} {kind.element} {n}: the error's norm is {error:.3g} of the product's")
    unit = _UNITS.get(kind.element) if kind.precision == "exact" else None
    units = None if unit is None else alone(torch, n, unit)
    return runs if units is None else runs | {"alone": units}


def peers(torch: Any, kind: Kind, n: int) -> tuple[dict[str, Any], tuple[Any, Any, Any]]:
    """What torch does, and two factors and a result for the others."""
    dtype = getattr(torch, kind.torch)
    result = getattr(torch, {"i32": "int32", "bf16": "bfloat16"}.get(kind.rounded or kind.total, kind.torch))
    c = torch.zeros(n, n, dtype=result, device="cuda")
    if kind.element == "i8":
        a, b = (torch.randint(-128, 128, (n, n), dtype=dtype, device="cuda") for _ in range(2))
        return {PEER: lambda: torch._int_mm(a, by_columns(kind, b))}, (a, b, c)
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.float64).to(dtype) for _ in range(2))
    if kind.is_small:
        one, other = torch.ones((), device="cuda"), b.double().to(torch.float8_e4m3fn)
        scaled = {"out_dtype": result, "use_fast_accum": True}
        return {PEER: lambda: torch._scaled_mm(a, by_columns(kind, other), one, one, **scaled)}, (a, b, c)
    d, right = torch.zeros_like(c), b.t() if kind.transposed[1] else b
    return {PEER: lambda: torch.mm(a, right, out=d)}, (a, b, c)


def by_columns(kind: Kind, b: Any) -> Any:
    """The second factor of 8 bits, k x n, as torch wants it: a view of what is stored so, or of a copy."""
    return b.t() if kind.transposed[1] else b.t().contiguous().t()


if __name__ == "__main__":
    main()
