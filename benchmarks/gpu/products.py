"""How fast one product of two square matrices is on an NVIDIA GPU, against cuBLAS.

    python benchmarks/gpu/products.py [--quick] [--sizes N,N,..] [--only TYPE,..] [--json PATH]

Tile IR, one block a tile of the result (`ours`), and `gemm` of the tensor language on a grid of one, which the compiler
spreads over blocks; types as torch has them: f16 and bf16 with sums in f32, f32 (no TF32), f64, i8
with sums in i32, whose second factor is stored by columns, as torch wants it. Contestants run in turn on random normal
data, timed by events on the device. Results are compared with products in float64, by the norm of the error. Prints a
table of medians with quartiles and saves it: benchmarks/results/gpu_products.json unless told otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from device import name_of_device, on_device, torch_on_device

# isort: split
import figures
import tilewright as tw
from figures import Chart
from product_texts import Product, tile_ir_product, whole_gemm
from timing import in_turn

ROUNDS = 21
SIZES = (1024, 2048, 4096, 8192)
PEER = "cuBLAS"
GOAL = 0.6
"""Share of cuBLAS that issue 16 wants of f16 without wgmma."""


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


KINDS = {
    "f16": Kind("float16", "f16", "f32", (128, 128, 64), 1e-3, rounded="f16"),
    "bf16": Kind("bfloat16", "bf16", "f32", (128, 128, 64), 8e-3, rounded="bf16"),
    "f32": Kind("float32", "f32", "f32", (128, 128, 32), 1e-5),
    "f64": Kind("float64", "f64", "f64", (64, 64, 16), 1e-13),
    "i8": Kind("int8", "i8", "i32", (128, 128, 128), 0.0, (False, True)),
}


def main() -> None:
    parser = figures.options(__doc__, "gpu_products", rounds=ROUNDS)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="(default: %(default)s)")
    parser.add_argument("--only", default=",".join(KINDS), help="element types (default: %(default)s)")
    options = figures.parsed(parser)
    torch = torch_on_device()
    torch.backends.cuda.matmul.allow_tf32 = False
    sizes = [int(n) for n in options.sizes.split(",")][: 1 if options.quick else None]
    print(name_of_device(torch))
    print(f"{'':12} {'cuBLAS':>8} {'ours':>8} {'gemm':>8}  TFLOP/s   share of cuBLAS, median [quartiles]: ours, gemm")
    cases: list[dict[str, object]] = []
    shares: dict[str, Any] = {}
    for name in options.only.split(","):
        for n in sizes:
            kind = KINDS[name]
            runs = contestants(torch, kind, n)
            timings = in_turn({key: on_device(torch, run) for key, run in runs.items()}, options.rounds, warm=0.01)
            rates = {key: 2 * n**3 / spread.median / 1e12 for key, spread in timings.seconds().items()}
            case = f"{name} {n}"
            shares[case], shares[f"{case} gemm"] = (timings.ratios(PEER, key) for key in ("ours", "gemm"))
            found = {"share": shares[case].median, "gemm_share": shares[f"{case} gemm"].median}
            cases.append({"name": case, "tflops": rates, **found})
            shown = f"{rates[PEER]:8.1f} {rates['ours']:8.1f} {rates['gemm']:8.1f}"
            print(f"{case:12} {shown}            {shares[case]}  {shares[f'{case} gemm']}", flush=True)
    chart = Chart("Products, share of cuBLAS", [(case, share.median) for case, share in shares.items()], GOAL)
    figures.save(options.json, cases, shares, chart)


def contestants(torch: Any, kind: Kind, n: int) -> dict[str, Any]:
    """The ways of one product, whose results agree."""
    text = tile_ir_product(Product((n, n, n), kind.element, kind.total, kind.transposed, kind.rounded), kind.tiles)
    kernel = tw.compile(text, target="nvidia", cache=False).product[n // kind.tiles[0], n // kind.tiles[1]]
    spread = tw.compile(
        whole_gemm(n, kind.element, kind.rounded or kind.total, kind.transposed[1]), target="nvidia", cache=False
    ).product[1]
    dtype = getattr(torch, kind.torch)
    if kind.element == "i8":
        a, b = (torch.randint(-128, 128, (n, n), dtype=dtype, device="cuda") for _ in range(2))
        c = torch.zeros(n, n, dtype=torch.int32, device="cuda")
        runs = {PEER: lambda: torch._int_mm(a, b.t()), "ours": lambda: kernel(a, b, c)}
    else:
        a, b = (torch.randn(n, n, device="cuda", dtype=torch.float64).to(dtype) for _ in range(2))
        c, d = (torch.zeros(n, n, dtype=dtype, device="cuda") for _ in range(2))
        runs = {PEER: lambda: torch.mm(a, b, out=d), "ours": lambda: kernel(a, b, c)}
    # rows are columns to the tensor language: it multiplies the transposed matrices in reverse
    runs["gemm"] = lambda: spread(b.t(), a.t(), c.t())
    rows = slice(0, min(n, 1024))
    wanted = a[rows].double() @ (b.t() if kind.transposed[1] else b).double()
    for key in ("ours", "gemm"):
        c.zero_()
        runs[key]()
        error = float((c[rows].double() - wanted).norm() / wanted.norm())
        if not error <= kind.error:
            raise SystemExit(f"{key} {kind.element} {n}: the error's norm is {error:.3g} of the product's")
    return runs


if __name__ == "__main__":
    main()
