"""Products of i8, bf16 and f16 with product units and without, against torch: `units.py [WORD ...] [--quick]`.

C := A B, row-major (for us: the transposes in reverse), on random data: large matrices, and batches of small ones that
stay in the second cache. Ours with the best unit there is (AMX, else VNNI and the bf16 unit; those of bf16 have to be
asked for), ours without, and torch (`_int_mm` and matmul, bmm; its products of bf16 and f16 are rounded to these, ours
are f32; f16 widened to f32 where oneDNN has nothing for it) run in turn in one process a thread count.
The table shows median rates in GFLOP/s, how many times as fast ours with units is, with quartiles, and on machines with
AMX the share of what its tiles give at most (`tile_ceiling.py`), timed in the same rounds. WORDs select rows: one of
their words begins like that. Pin it (`taskset -c 2,3`) where other processors are busy.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

import figures
import tilewright as tw
from children import rows_of_children
from comparison import Comparison, overall
from figures import Chart
from spread import Overall
from tile_ceiling import ceiling
from timing import in_turn, timers
from torch_forms import torch_module

Array = NDArray[Any]
_RESULTS: Final = {"i8": "i32", "bf16": "f32", "f16": "f32"}
_UNITS: Final = {"i8": "amx,vnni", "bf16": "amx,bf16", "f16": "amx"}
_WITHOUT: Final = "vector"
_LARGE: Final = [512, 1024, 2048, 4096]
_SMALL: Final = [16, 32, 64, 128]
_QUICK: Final = ([256, 512], [32, 64])
_BATCH_BYTES: Final = 400_000
_ERROR: Final = 1e-5
_WARM: Final = 0.03
_UNITS_ON: Final = "units"
_UNITS_OFF: Final = "vectors"
_TORCH: Final = "torch"
_CEILING: Final = "tiles"


class Case(Struct, frozen=True):
    """Products of `size` x `size` matrices of a type, `batch` of them."""

    dtype: str
    size: int
    batch: int

    @property
    def name(self) -> str:
        """For tables."""
        return f"{self.dtype} {self.size}" + (f" batch of {self.batch}" if self.batch > 1 else "")

    @property
    def text(self) -> str:
        """The kernel: a work-group a product."""
        one, zero = ("1", "0") if self.dtype == "i8" else ("1.0", "0.0")
        result, n = _RESULTS[self.dtype], self.size
        types = {"A": self.dtype, "B": self.dtype, "C": result}
        views = "".join(
            f"%{name.lower()} = subview %{name}[0:{n},0:{n},%g] : memref<{element}x{n}x{n}>\n"
            for name, element in types.items()
        )
        parameters = ", ".join(f"%{name}: memref<{element}x{n}x{n}x?>" for name, element in types.items())
        return f"""func @k({parameters}) {{
            %one = constant {one} : {self.dtype}
            %zero = constant {zero} : {result}
            %g = group_id.x : index
            {views}
            gemm %one, %a, %b, %zero, %c
        }}"""

    def factor(self, rng: np.random.Generator) -> tuple[Array, Any]:
        """A random factor: its elements, and as a torch tensor where there is torch or bf16 is needed."""
        shape = (self.batch, self.size, self.size)
        if self.dtype == "i8":
            values = rng.integers(-128, 128, shape).astype(np.int8)
            return values, torch_module() and torch_module().from_numpy(values)
        if self.dtype == "f16":
            values = rng.standard_normal(shape).astype(np.float16)
            return values, torch_module() and torch_module().from_numpy(values)
        import ml_dtypes

        values = rng.standard_normal(shape).astype(ml_dtypes.bfloat16)
        bits = torch_module() and torch_module().from_numpy(values.view(np.int16)).view(torch_module().bfloat16)
        return values, bits


def _torch_product(case: Case, a: Any, b: Any) -> Callable[[], object] | None:
    """What torch has for the case."""
    torch = torch_module()
    if torch is None:
        return None
    if case.dtype == "i8":
        return (lambda: torch._int_mm(a[0], b[0])) if case.batch == 1 else None  # pyright: ignore[reportPrivateUsage]
    if case.dtype == "f16" and not torch.ops.mkldnn._is_mkldnn_fp16_supported():
        # oneDNN has nothing for f16 here, and what torch does instead is a hundred times slower than this
        return lambda: torch.bmm(a.float(), b.float())
    return (lambda: torch.matmul(a[0], b[0])) if case.batch == 1 else (lambda: torch.bmm(a, b))


class Row(Struct, frozen=True):
    """One case with a number of threads; `gigaflops` of work; the unit; the share of what that gives at most."""

    dtype: str
    gigaflops: float
    case: Comparison
    unit: str
    share: float | None = None

    def line(self) -> str:
        """One line of the table."""
        case = self.case
        others = {name: spread for name, spread in case.seconds.items() if name != _CEILING}
        rates = "".join(f"  {name} {self.gigaflops / spread.median:.0f}" for name, spread in others.items())
        ratios = "".join(f"   x{case.ratios[name]} {name}" for name in others if name in case.ratios)
        share = "" if self.share is None else f"   {self.share:.0%} of tiles"
        return f"{case.label:28} {self.unit} GFLOP/s:{rates}{ratios}{share}{'   WRONG' if case.wrong else ''}"


def measure(case: Case, seconds: float, threads: int, *, without: bool = True) -> Row:
    """Ours with units, ours without if that is wanted, torch's, in turn."""
    rng = np.random.default_rng()
    (a, ta), (b, tb) = case.factor(rng), case.factor(rng)
    exact = a[0].astype(np.float64) @ b[0].astype(np.float64)
    runs: dict[str, Callable[[], object]] = {}
    errors: list[float] = []
    schedules: list[str] = []
    asked = {_UNITS_ON: _UNITS[case.dtype], _UNITS_OFF: _WITHOUT}
    peer = _torch_product(case, ta, tb)
    if peer is not None and not without:
        del asked[_UNITS_OFF]
    for name, units in asked.items():
        c = np.zeros(a.shape, np.int32 if case.dtype == "i8" else np.float32)
        compiled = tw.compile(case.text, cache=False, units=units).k
        schedules.append(compiled.schedule)
        kernel = compiled[case.batch]
        runs[name] = lambda kernel=kernel, c=c: kernel(b.T, a.T, c.T)
        runs[name]()
        errors.append(float(np.linalg.norm(c[0] - exact) / np.linalg.norm(exact)))
    if peer is not None:
        runs[_TORCH] = peer
    unit = schedules[0].split(": ")[2].split(",")[0]
    most = ceiling(case.dtype, threads) if unit.startswith("amx") else None
    if most is not None:
        runs[_CEILING] = most.run
    timings = in_turn(timers(runs), sys.maxsize, limit=seconds, threads=threads, warm=_WARM)
    found = Comparison.of(
        case.name,
        timings,
        [_TORCH] if peer is not None else [name for name in runs if name not in (_UNITS_ON, _CEILING)],
        ours=_UNITS_ON,
        threads=threads,
        error=max(errors),
        allowed=0 if case.dtype == "i8" else _ERROR,
    )
    work = 2.0 * case.size**3 * case.batch
    share = None
    if most is not None:
        share = work / most.operations * found.ratios[_CEILING].median
    return Row(case.dtype, work / 1e9, found, unit, share)


def _cases(words: list[str], quick: bool) -> list[Case]:
    large, small = _QUICK if quick else (_LARGE, _SMALL)
    found: list[Case] = []
    for dtype in _UNITS:
        found += [Case(dtype, size, 1) for size in large]
        each = 4 + 2 * (1 if dtype == "i8" else 2)
        found += [Case(dtype, size, max(2, _BATCH_BYTES // (size * size * each))) for size in small]
    return [case for case in found if not words or any(f" {word}" in f" {case.name}" for word in words)]


def main() -> int:
    """Print the tables; exit code 1 if a result is wrong."""
    parser = figures.options(__doc__, "units")
    parser.add_argument("words", nargs="*", help="with any, figures are saved only where --json says")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--seconds", type=float, default=1.0, help="for each case")
    parser.add_argument(
        "--torch-only",
        action="store_true",
        help="not ours without units, which takes long, where torch has the product",
    )
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = figures.parsed(parser)
    if options.child is not None:
        rows: list[Row] = []
        for case in _cases(options.words, options.quick):
            rows.append(measure(case, options.seconds, options.child, without=not options.torch_only))
            print(rows[-1].line(), file=sys.stderr, flush=True)
        print(msgspec.json.encode(rows).decode())
        return 0
    arguments = [*options.words, "--seconds", str(options.seconds), *(["--quick"] if options.quick else [])]
    arguments += ["--torch-only"] if options.torch_only else []
    rows = rows_of_children(__file__, arguments, options.threads, Row)
    found = _overall(rows)
    figures.tell(found)
    bars = [(row.case.label, row.case.ratio.median) for row in rows]
    chart = Chart(
        "Products of i8, bf16 and f16 on product units: speed over torch's, or over ours without them", bars, 1.0
    )
    partly = options.words and options.json == figures.results("units")
    figures.save(None if partly else options.json, rows, found, chart)
    return 1 if any(row.case.wrong for row in rows) else 0


def _overall(rows: list[Row]) -> dict[str, Overall]:
    """Over each peer, by type and number of threads, of the cases that it has."""
    found: dict[str, Overall] = {}
    for peer in (_TORCH, _UNITS_OFF):
        groups: dict[str, list[Comparison]] = {}
        for row in rows:
            if peer in row.case.ratios:
                groups.setdefault(f"{row.dtype}, {row.case.threads} threads, over {peer}", []).append(row.case)
        found |= {what: overall(cases, peer) for what, cases in groups.items()}
    return found


if __name__ == "__main__":
    sys.exit(main())
