"""How fast TLX's product of two square matrices is on an NVIDIA GPU, against cuBLAS and the instruction `gemm`.

    python benchmarks/gpu/tlx_products.py [--quick] [--sizes N,N,..] [--only TYPE,..] [--processes N] [--json PATH]

`llvm.tensor.contract` over row-major matrices, on a grid of one, which the compiler spreads over blocks, as it does
`gemm` of the tensor language; f16 and bf16 with accumulators in f32, f32 (no TF32) and f64. The text as users write it
says nothing of whether its pointers lead to memory that overlaps, which launches see; the same with `noalias` is a
contestant too. No schedule is given. Contestants run in turn on random normal data, timed by events on the device;
results are compared with products in float64. Prints a table of medians with quartiles and saves it:
benchmarks/results/gpu_tlx_products.json unless told otherwise.
"""

from __future__ import annotations

from typing import Any

from device import name_of_device, on_device, torch_on_device

# isort: split
from ahead import Program, add_options, compiled_ahead

import figures
from figures import Chart
from product_texts import whole_gemm
from spread import Overall, Spread
from timing import in_turn
from tlx_texts import contraction

ROUNDS = 21
SIZES = (2048, 4096, 8192)
TYPES = {"f16": ("float16", 1e-3), "bf16": ("bfloat16", 8e-3), "f32": ("float32", 1e-5), "f64": ("float64", 1e-13)}
"""As torch calls them, and the norm of the error that is let through."""
OURS = "TLX"
PEER = "cuBLAS"
PROMISED = "noalias"
GEMM = "gemm"


def main() -> None:
    parser = figures.options(__doc__, "gpu_tlx_products", rounds=ROUNDS)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="(default: %(default)s)")
    parser.add_argument("--only", default=",".join(TYPES), help="element types (default: %(default)s)")
    add_options(parser)
    options = figures.parsed(parser)
    sizes = [int(n) for n in options.sizes.split(",")][: 1 if options.quick else None]
    cases = [(name, n) for name in options.only.split(",") for n in sizes]
    with compiled_ahead([each for name, n in cases for each in _programs(name, n).values()], options):
        _run(options, cases)


def _run(options: Any, cases: list[tuple[str, int]]) -> None:
    torch = torch_on_device()
    print(name_of_device(torch))
    names = " ".join(f"{name:>8}" for name in (PEER, OURS, PROMISED, GEMM))
    print(f"{'':12} {names}  TFLOP/s   speed of {OURS} over {PEER}, {PROMISED}, {GEMM}: median [quartiles]")
    rows: list[dict[str, object]] = []
    over: dict[str, dict[str, Spread]] = {PEER: {}, PROMISED: {}, GEMM: {}}
    for name, n in cases:
        torch.backends.cuda.matmul.allow_tf32 = False
        runs = _contestants(torch, name, n)
        timings = in_turn({key: on_device(torch, run) for key, run in runs.items()}, options.rounds, warm=0.01)
        rates = {key: 2 * n**3 / spread.median / 1e12 for key, spread in timings.seconds().items()}
        case = f"{name} {n}"
        for peer, found in over.items():
            found[case] = timings.ratios(peer, OURS)
        rows.append(
            {"name": case, "tflops": rates, "ratios": {peer: found[case].median for peer, found in over.items()}}
        )
        shown = " ".join(f"{rates[key]:8.1f}" for key in (PEER, OURS, PROMISED, GEMM))
        print(f"{case:12} {shown}            {'  '.join(str(found[case]) for found in over.values())}", flush=True)
    chart = Chart(f"TLX products, speed over {PEER}'s", [(case, each.median) for case, each in over[PEER].items()], 1.0)
    figures.save(options.json, rows, {f"over {peer}": Overall.of(found) for peer, found in over.items()}, chart)


def _programs(dtype: str, n: int) -> dict[str, Program]:
    letters, sizes = ("mk", "kn", "mn"), {"m": n, "k": n, "n": n}
    texts = {key: contraction(dtype, letters, sizes, apart=key == PROMISED) for key in (OURS, PROMISED)}
    return {**{key: Program(text) for key, text in texts.items()}, GEMM: Program(whole_gemm(n, dtype, dtype))}


def _contestants(torch: Any, dtype: str, n: int) -> dict[str, Any]:
    """The ways of one product, whose results agree."""
    kernels = {name: program.kernel()[1] for name, program in _programs(dtype, n).items()}
    kind, allowed = TYPES[dtype]
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.float64).to(getattr(torch, kind)) for _ in range(2))
    c, d = torch.zeros_like(a), torch.zeros_like(a)
    runs: dict[str, Any] = {
        OURS: lambda: kernels[OURS](a, b, c),
        PROMISED: lambda: kernels[PROMISED](a, b, c),
        # rows are columns to the tensor language: it multiplies the transposed matrices in reverse
        GEMM: lambda: kernels[GEMM](b.t(), a.t(), c.t()),
        PEER: lambda: torch.mm(a, b, out=d),
    }
    rows = slice(0, min(n, 1024))
    wanted = a[rows].double() @ b.double()
    for key in (OURS, PROMISED, GEMM):
        c.zero_()
        runs[key]()
        error = float((c[rows].double() - wanted).norm() / wanted.norm())
        if not error <= allowed:
            raise SystemExit(f"{key} {dtype} {n}: the error's norm is {error:.3g} of the product's")
    return runs


if __name__ == "__main__":
    main()
