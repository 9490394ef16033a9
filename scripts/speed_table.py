"""README's table of speeds, from what the benchmarks saved: every figure in it is one of `benchmarks/results`.

    python scripts/speed_table.py [--write] [--results FOLDER] [--readme FILE]

Prints the table; with `--write` it replaces the one in README, between the two comments that name this script. A claim
without measurements in its results is an error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

ROOT: Final = Path(__file__).resolve().parent.parent
BEGIN: Final = "<!-- written by scripts/speed_table.py -->"
END: Final = "<!-- end of what scripts/speed_table.py writes -->"
HEAD: Final = (
    "| what | script | machine | median; of several cases their geometric mean | lowest | highest | below 1 |",
    "|---|---|---|---|---|---|---|",
)
_STREAM: Final = "batched_gemm_stream_10000"
_TILE_IR: Final = ("softmax", "layer norm", "RMS norm", "vector add", "silu mul", "transpose", "matmul", "attention")


class Claim(Struct, frozen=True):
    """A row: what it says, the results that say so and the key in their `overall`, how the script is called."""

    what: str
    results: str
    key: str
    script: str
    unit: str = ""


def claims() -> Iterator[Claim]:
    """README's, in its order."""
    yield from _small_products()
    for dtype in ("f32", "f64"):
        for threads in (1, 2):
            what = f"one product of 1024 and 2048, {dtype}, {_threads(threads)}, over NumPy (OpenBLAS)"
            yield Claim(what, "large_gemm", f"{dtype}, {threads} threads, over NumPy", "large_gemm.py")
    yield Claim(
        "the sample kernel on a batch from memory, all cores, over the fastest of six formulations in NumPy and torch",
        "fused",
        "speed over the fastest peer",
        "fused.py",
    )
    moving = "part of our time that moving the matrices takes"
    yield Claim("the same: part of its time that moving the matrices alone takes", "fused", moving, "fused.py")
    yield Claim(
        "two threads over one, products of 16x16x16 to 128x128x128 and the sample kernel",
        "threads",
        "2 threads, times as fast as one",
        "threads.py",
    )
    yield Claim("the same: share of what two processes reach", "threads", "share of that ideal", "threads.py")
    for threads in (1, 2):
        what = f"long vectors, large matrices, f32, {_threads(threads)}, over NumPy's fastest formulation"
        yield Claim(what, "vector_ops", f"{threads} threads, f32, all", "vector_ops.py")
    for kernel in _TILE_IR:
        what = f"CUDA Tile IR, two threads, over torch's fastest formulation: {kernel}"
        yield Claim(what, "tile_ir", f"{kernel}, 2 threads, over torch", "tile_ir.py")
    yield from _other_forms_and_units()
    yield from _tensors()
    yield from _devices()
    yield from _other()


def _threads(count: int) -> str:
    return "one thread" if count == 1 else "two threads"


def _small_products() -> Iterator[Claim]:
    for beta in (1, 0):
        what = f"batched GEMM in the L2 cache, one thread, beta {beta}, over libxsmm 1.17, prefetching or not"
        yield Claim(what, "batched_gemm", f"beta {beta}, over the faster libxsmm", "batched_gemm.py")
    script = "batched_gemm.py --stream"
    for beta in (1, 0):
        what = f"the same, a batch of 10,000 from memory, beta {beta}"
        yield Claim(what, _STREAM, f"beta {beta}, over the faster libxsmm", script)
        what = f"the same: part of its time that moving the matrices alone takes, beta {beta}"
        yield Claim(what, _STREAM, f"beta {beta}, time of bytes over ours", script)
    for library in ("numpy", "torch"):
        yield Claim(f"the same, beta 0, over {library}", _STREAM, f"beta 0, over {library}", script)
    for columns in ("many columns", "one to four columns"):
        what = f"small products with A transposed, {columns}: times as long as without"
        yield Claim(what, "transposes", f"times as long transposed, {columns}", "transposes.py")


def _other_forms_and_units() -> Iterator[Claim]:
    for threads in (1, 2):
        what = f"products written as loops, in MLIR or TLX, {_threads(threads)}, over the instruction gemm"
        yield Claim(what, "raised", f"other forms, {threads} threads, over gemm", "raised.py")
    for results, dtype, what in (
        ("units", "i8", "products of i8 on VNNI"),
        ("units", "bf16", "products of bf16 on its unit, where asked for"),
        ("units_emerald_rapids", "i8", "products of i8 on AMX (Emerald Rapids)"),
        ("units_emerald_rapids", "bf16", "products of bf16 on AMX, where asked for (Emerald Rapids)"),
    ):
        for threads in (1, 2):
            key = f"{dtype}, {threads} threads, over torch"
            yield Claim(f"{what}, {_threads(threads)}, over torch", results, key, "units.py")


def _tensors() -> Iterator[Claim]:
    for dtype in ("f32", "f64"):
        for threads in (1, 2):
            for library in ("numpy", "torch"):
                peer = f"{library}'s einsum"
                what = f"contractions of quantum chemistry in TLX, {dtype}, {_threads(threads)}, over {peer}"
                yield Claim(what, "contractions", f"{dtype}, {threads} threads, over {library}", "contractions.py")
    for dtype in ("f32", "bf16", "i8"):
        for threads in (1, 2):
            what = f"convolutions of 3x3 in TLX, {dtype}, {_threads(threads)}, over torch (oneDNN)"
            yield Claim(what, "convolutions", f"{dtype}, {threads} threads, over torch", "convolutions.py")
    for dtype in ("f32", "f64"):
        for threads in (1, 2):
            of = f"{dtype}, {_threads(threads)}"
            what = f"functions, transposes, reductions of 10^7 elements in TLX, {of}, over NumPy"
            yield Claim(what, "tlx_memory", f"{threads} threads, {dtype}, over NumPy", "tlx_memory.py")
    for name in ("bias, relu", "bias, gelu", "scale, residual"):
        what = f"{name} behind a product of 1024 and 2048, f32: times as long as the product alone"
        yield Claim(what, "epilogues", f"{name}, over the product", "epilogues.py")


def _devices() -> Iterator[Claim]:
    for what in ("vector add, f32", "vector add, f16", "silu * mul, f32", "silu * mul, f16"):
        for style in ("views", "pointers"):
            told = f"H200: {what}, 2^26 elements in Tile IR by {style}, over torch's copy of as many bytes"
            yield Claim(told, "gpu_streaming", f"{what}, {style}", "gpu/streaming.py")
    for who, name in (("Tile IR", "in Tile IR"), ("copy_ of the transposed view", "by torch, for comparison")):
        what = f"H200: transposes of 8192 and 16384, f32 and f16, {name}, over torch's copy of as many bytes"
        yield Claim(what, "gpu_transposes", who, "gpu/transposes.py")
    for norm in ("softmax", "layer norm", "RMS norm"):
        for dtype in ("f32", "f16"):
            what = f"H200: {norm} of rows of 256 to 65536, {dtype}, in Tile IR, over torch"
            yield Claim(what, "gpu_norms", f"{norm}, {dtype}, over torch", "gpu/norms.py")
    for what in ("column sums", "cumsum along rows", "cumsum along columns", "layer norm backward"):
        for dtype in ("f32", "f16"):
            told = f"H200: {what}, {dtype}, in Tile IR, over torch"
            yield Claim(told, "gpu_sums", f"{what}, {dtype}, over torch", "gpu/sums.py")
    yield from _batches_on_devices()
    for dtype in ("f16", "bf16", "f32", "f64", "i8"):
        for key, how in ((f"{dtype} 4096", "in Tile IR"), (f"{dtype} 4096 gemm", "as `gemm` on a grid of one")):
            yield Claim(f"H200: product of 4096 {how}, {dtype}, over cuBLAS", "gpu_products", key, "gpu/products.py")
    for head in (64, 128):
        what = f"H200: attention in Tile IR, f16, 4 x 32 heads of {head}, 4096 rows, over torch"
        yield Claim(what, "gpu_attention", f"{head} 4096", "gpu/attention.py")
    for what, key in (
        ("H200: launch from Python, three torch tensors by pointers", "kernel[1](x, y, z, n), tensors"),
        ("the same of torch.add, for comparison", "for comparison: torch.add(x, y, out=z)"),
    ):
        yield Claim(what, "gpu_launch", key, "gpu/launch.py", " us")


def _batches_on_devices() -> Iterator[Claim]:
    for dtype in ("f32", "f64", "f16", "bf16"):
        what = f"H200: batches of products of 4 to 56 rows, {dtype}, over a copy of as many bytes"
        yield Claim(what, "gpu_batched_gemm", f"contiguous, {dtype}", "gpu/batched_gemm.py")
    for kind in ("constant A", "constant B", "transposed", "alpha, beta", "pointers", "gaps"):
        what = f"the same of 8x8x8, 16x16x16 and 20x9x9, f32, f64 and f16: {kind}"
        yield Claim(what, "gpu_batched_gemm", kind, "gpu/batched_gemm.py")
    yield Claim("the same of 64x64x64, four types", "gpu_batched_gemm", "64x64x64", "gpu/batched_gemm.py")
    for dtype in ("f32", "f64"):
        what = f"H200: the sample kernel, 2,000,000 matrices, {dtype}, over a copy of as many bytes"
        yield Claim(what, "gpu_batched_gemm", f"{dtype} fused", "gpu/batched_gemm.py")


def _other() -> Iterator[Claim]:
    for what, key in (
        ("launch on an empty grid, three NumPy arrays", "kernel[0](a, b, c), NumPy arrays"),
        ("three torch tensors", "kernel[0](x, y, z), torch tensors"),
        ("three arrays and two NumPy scalars", "kernel[0](s, t, a, b, c), s and t NumPy's"),
        ("a pointer array of 100", "kernel[0](group), a pointer array of 100"),
    ):
        yield Claim(what, "launch", key, "launch.py", " us")
    yield Claim(
        "from Ctrl-C to KeyboardInterrupt in a launch", "interruption", "ms in all launches", "interruption.py", " ms"
    )
    yield Claim("compiling the sample kernel", "compile_time", "sample kernel, cold", "compile_time.py", " ms")
    yield Claim("finding it in the cache", "compile_time", "sample kernel, cache hit", "compile_time.py", " ms")
    for what, key in (
        ("the first compilation of a process, from `import tilewright` on: sample kernel", "compile, fused_kernel.tl"),
        ("the same: softmax in Tile IR", "compile, softmax.tileir"),
    ):
        yield Claim(what, "compile_time", f"fresh process, first {key}", "compile_time.py", " ms")
    what = "the same where the cache has it, NumPy imported before"
    yield Claim(
        what, "compile_time", "fresh process, cache hit, fused_kernel.tl, NumPy imported", "compile_time.py", " ms"
    )
    yield Claim(
        "code that tests every access, one thread: times as long, sample kernel and softmax",
        "checked",
        "times as long checked, bar 3",
        "checked.py",
    )


def table(folder: Path, wanted: Iterable[Claim]) -> list[str]:
    """The lines of the table; SystemExit where something is not measured."""
    found: dict[str, Mapping[str, Any]] = {}
    lines = list(HEAD)
    for claim in wanted:
        if claim.results not in found:
            path = folder / f"{claim.results}.json"
            found[claim.results] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        lines.append(row(claim, found[claim.results]))
    return lines


def row(claim: Claim, results: Any) -> str:
    """One line: a figure of one case has quartiles and extremes of its rounds, one of many the cases at both ends."""
    overall = results.get("overall", {}) if isinstance(results, dict) else {}
    if claim.key not in overall:
        raise SystemExit(f"benchmarks/results/{claim.results}.json says nothing of {claim.key!r}; run {claim.script}")
    value, unit = overall[claim.key], claim.unit
    if "geometric_mean" in value:
        cells = [
            f"{value['geometric_mean']:.2f}, {value['cases']} cases",
            f"{_spread(value['lowest'])}, {_case(value['lowest_case'])}",
            f"{_spread(value['highest'])}, {_case(value['highest_case'])}",
            f"{value['below_one']} of {value['cases']}",
        ]
    else:
        cells = [f"{_spread(value)}{unit}", f"{value['lowest']:.2f}{unit}", f"{value['highest']:.2f}{unit}", ""]
    return f"| {claim.what} | `{claim.script}` | {results['machine']} | " + " | ".join(cells) + " |"


def _spread(value: Mapping[str, float]) -> str:
    return f"{value['median']:.2f} [{value['lower']:.2f}, {value['upper']:.2f}]"


def _case(name: str) -> str:
    return " ".join(name.split())


def replaced(readme: str, lines: Iterable[str]) -> str:
    """README with these lines between the two comments; SystemExit if they are not there."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"README lacks {BEGIN!r} or {END!r}")
    return before + BEGIN + "\n\n" + "\n".join(lines) + "\n\n" + END + after


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="into README")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--readme", type=Path, default=ROOT / "README.md")
    options = parser.parse_args()
    lines = table(options.results, claims())
    if options.write:
        options.readme.write_text(replaced(options.readme.read_text(encoding="utf-8"), lines), encoding="utf-8")
    else:
        sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
