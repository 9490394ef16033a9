"""How fast `tilewright.matmul` is on an NVIDIA GPU, against torch.

    python benchmarks/gpu/matmul.py [--quick] [--only GROUP,..] [--match TEXT] [--rounds N] [--json PATH]

Peers are `torch.matmul` by cuBLAS and, of single products, by cuBLASLt; a share is that of the faster one of each case.
Groups: squares of all types, the four majors of f16 (a letter for each factor: n row-major, t its transpose), extents
that tiles do not divide (`odd`), tall and wide matrices (`shapes`), batches of small ones (`batched`), f16 with bias
and gelu against `linear` and `gelu` of torch, the same compiled by it, and what cuBLASLt has for both at once, of which
gelu is by tanh (`fused`; the group is `epilogue`). Beside these run products alone, ours and torch's: how many times as
long as such one the compiled one takes is what it would be over it with an epilogue that costs nothing. Random normal
data, contestants in turn, timed by events on the device; f32 without TF32. Results are compared with products in
float64 by the norm of the error. `host` is what a call takes of the host's time, enqueued so often that the queue does
not fill. Prints medians with quartiles and saves them: benchmarks/results/gpu_matmul.json unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from device import enqueued, name_of_device, on_device, torch_on_device

# isort: split
import figures
import tilewright as tw
from figures import Chart
from spread import Overall, Spread
from timing import in_turn

ROUNDS = 21
PEERS = ("cublas", "cublaslt", "linear")
ALONE = ("ours alone", "torch alone")
"""Products without what follows them elsewhere."""
CALLS = 100
DTYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
ERRORS = {"f16": 1e-3, "bf16": 8e-3, "f32": 1e-5, "f64": 1e-13}
"""The norm of the error that is let through, as part of the product's."""


@dataclass(frozen=True, slots=True)
class Case:
    """A product: extents, a batch or none, element type, majors, whether bias and gelu follow."""

    group: str
    dtype: str
    m: int
    n: int
    k: int
    majors: str = "nn"
    batch: int = 0
    epilogue: bool = False

    @property
    def name(self) -> str:
        """As it is printed."""
        size = f"{self.m}" if self.m == self.n == self.k else f"{self.m}x{self.n}x{self.k}"
        many = f"{self.batch} of " if self.batch else ""
        return f"{self.dtype} {many}{size}{'' if self.majors == 'nn' else ' ' + self.majors}"


def cases() -> Iterator[Case]:
    """All, the small ones of a group first."""
    for dtype, sizes in {
        "f16": (1024, 2048, 4096, 8192),
        "bf16": (1024, 4096),
        "f32": (1024, 4096),
        "f64": (1024, 4096),
    }.items():
        yield from (Case("squares", dtype, n, n, n) for n in sizes)
    for majors in ("nn", "nt", "tn", "tt"):
        yield from (Case("majors", "f16", n, n, n, majors) for n in (1024, 2048, 4096))
    for dtype, sizes in {"f16": (1000, 1025, 3000, 4104, 4097, 10000), "f32": (1025, 3001), "f64": (1025,)}.items():
        yield from (Case("odd", dtype, n, n, n) for n in sizes)
    yield from (Case("odd", "f16", 1025, 1025, 1025, majors) for majors in ("nt", "tn", "tt"))
    for m, n, k in ((16, 8192, 8192), (8192, 8192, 128), (128, 128, 65536), (1, 8192, 8192), (8192, 16, 8192)):
        yield from (Case("shapes", "f16", m, n, k, majors) for majors in ("nn", "nt"))
    for dtype in ("f16", "bf16", "f32", "f64"):
        yield from (Case("batched", dtype, n, n, n, batch=2**23 // n**2) for n in (64, 128, 256))
    yield from (Case("epilogue", "f16", n, n, n, "nt", epilogue=True) for n in (1024, 2048, 4096, 8192))


def main() -> None:
    parser = figures.options(__doc__, "gpu_matmul", rounds=ROUNDS)
    parser.add_argument("--only", default="", help="groups (default: all)")
    parser.add_argument("--match", default="", help="only cases whose name has this (default: all)")
    options = figures.parsed(parser)
    torch = torch_on_device()
    torch.backends.cuda.matmul.allow_tf32 = False
    groups = [group for group in options.only.split(",") if group]
    chosen = [c for c in cases() if (not groups or c.group in groups) and options.match in c.name]
    chosen = [case for case in chosen if not options.quick or case.m * case.n * case.k < 2**31]
    print(name_of_device(torch))
    print(f"{'':26} {'peer':>8} {'ours':>8}  TFLOP/s   the faster peer / ours [quartiles]   host us: each")
    found: list[dict[str, object]] = []
    shares: dict[str, Spread] = {}
    groups_of: dict[str, dict[str, Spread]] = {}
    for case in chosen:
        runs, plan = contestants(torch, case)
        timings = in_turn({key: on_device(torch, run) for key, run in runs.items()}, options.rounds, warm=0.01)
        work = 2 * case.m * case.n * case.k * max(case.batch, 1)
        rates = {key: work / spread.median / 1e12 for key, spread in timings.seconds().items()}
        name = f"{case.group}: {case.name}"
        peer = timings.fastest(key for key in PEERS if key in runs)
        over = {key: timings.ratios(key, "ours") for key in runs if key != "ours"}
        shares[name] = over[peer]
        for key, group in _groups(case, peer, over):
            groups_of.setdefault(group, {})[name] = over[key]
        for key in ALONE if case.epilogue else ():
            bound = timings.ratios("compiled", key)
            groups_of.setdefault(f"{case.group}, compiled over {key}", {})[name] = bound
        host = (
            {key: min(enqueued(torch, run, CALLS)() for _ in range(3)) * 1e6 for key, run in runs.items()}
            if small(case)
            else {}
        )
        others = "".join(f"  {key} {share.median:.2f}" for key, share in over.items() if key != peer)
        hosts = " ".join(f"{key} {value:.1f}" for key, value in host.items())
        print(f"{name:26} {rates[peer]:8.1f} {rates['ours']:8.1f}   {peer} {shares[name]}{others}  {hosts}", flush=True)
        told = {"peer": peer, "share": shares[name].median, "host_us": host, "plan": str(plan)}
        found.append({"name": name, "tflops": rates, **told})
    chart = Chart(
        "tilewright.matmul, speed over torch's", [(name, share.median) for name, share in shares.items()], 1.0
    )
    overall = {group: Overall.of(each) for group, each in groups_of.items()}
    figures.tell(overall)
    figures.save(options.json, found, shares | overall, chart)


def _groups(case: Case, peer: str, over: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Peers of a case, and whose summary has its share of each: the faster library, or each way of an epilogue."""
    if case.epilogue:
        yield from ((key, f"{case.group}, over {key}") for key in over if key not in ALONE)
    else:
        yield peer, f"{case.group}, {case.dtype}"


def small(case: Case) -> bool:
    """Whether a call takes the device so little time that the host's can be seen."""
    return case.m * case.n * case.k * max(case.batch, 1) <= 2**31


def contestants(torch: Any, case: Case) -> tuple[dict[str, Callable[[], object]], Any]:
    """The ways of one product, whose results agree, and what ours takes."""
    dtype, batch = getattr(torch, DTYPES[case.dtype]), (case.batch,) * bool(case.batch)
    a = drawn(torch, (*batch, case.m, case.k), dtype, case.majors[0] == "t")
    b = drawn(torch, (*batch, case.k, case.n), dtype, case.majors[1] == "t")
    out = torch.empty((*batch, case.m, case.n), dtype=dtype, device="cuda")
    runs: dict[str, Callable[[], object]]
    if case.epilogue:
        bias = drawn(torch, (case.n,), dtype, False)
        weights = b.t()

        def layer(x: Any, w: Any, c: Any) -> Any:
            return torch.nn.functional.gelu(torch.nn.functional.linear(x, w, c))

        # single products have asked for one and the other
        torch.backends.cuda.preferred_blas_library("default")
        compiled = torch.compile(layer)
        runs = {"linear": lambda: layer(a, weights, bias), "compiled": lambda: compiled(a, weights, bias)}
        runs["fused"] = lambda: torch._addmm_activation(bias, a, b, use_gelu=True)
        other = torch.empty_like(out)
        ours, torchs = ALONE
        runs |= {ours: lambda: tw.matmul(a, b, other), torchs: lambda: torch.mm(a, b, out=other)}
        runs["ours"] = lambda: tw.matmul(a, b, out, bias=bias, epilogue="bias+gelu")
        plan = tw.matmul.plan(a, b, out, bias=bias, epilogue="bias+gelu")
        wanted = layer(a.double(), weights.double(), bias.double())
    else:
        other = torch.empty_like(out)
        runs = {library: _by(torch, library, a, b, other) for library in PEERS[: 1 if case.batch else 2]}
        runs["ours"] = lambda: tw.matmul(a, b, out)
        plan = tw.matmul.plan(a, b, out)
        wanted = a[..., :64, :].double() @ b.double()
    out.fill_(float("nan"))
    runs["ours"]()
    rows = wanted.shape[-2]
    error = float((out[..., :rows, :].double() - wanted).norm() / wanted.norm())
    if not error <= ERRORS[case.dtype]:
        print(f"{case.name}: the error's norm is {error:.3g} of the product's", flush=True)
    for run in runs.values():
        run()
    return runs, plan


def _by(torch: Any, library: str, a: Any, b: Any, out: Any) -> Callable[[], object]:
    """A product by one of torch's libraries."""

    def run() -> object:
        torch.backends.cuda.preferred_blas_library(library)
        return torch.matmul(a, b, out=out)

    return run


def drawn(torch: Any, shape: tuple[int, ...], dtype: Any, transposed: bool) -> Any:
    """Random normal numbers, stored by columns if transposed."""
    stored = (*shape[:-2], shape[-1], shape[-2]) if transposed else shape
    made = torch.randn(stored, device="cuda", dtype=torch.float32).to(dtype)
    return made.transpose(-1, -2) if transposed else made


if __name__ == "__main__":
    main()
