"""How fast attention forward is on an NVIDIA GPU, against torch's scaled_dot_product_attention.

    python benchmarks/gpu/attention.py [--quick] [--widths N,N,..] [--lengths N,N,..] [--text-lengths N,N,..]
                                       [--blocks MxN] [--schedule LINE] [--json PATH]

`tw.attention` of f16 arrays (batch, 32 heads, length, width), without a mask and causal, 4 * 4096 queries of a head in
all of a batch, with `out` given; at some lengths, of width 64, 96 and 128, also the same written out in Tile IR
(`attention_texts.py`) with all extents constant. Contestants run in turn on random normal data of more than 200 MB,
timed by events on the device. Results are compared with softmax(scale Q K^T) V in float64 for some queries of the last
head, by the norm of the error. Prints a table of medians with quartiles and saves it:
benchmarks/results/gpu_attention.json unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from device import name_of_device, on_device, torch_on_device
from msgspec import Struct

# isort: split
import figures
import tilewright as tw
from attention_texts import Attention, attention
from figures import Chart
from tilewright.operators.attention_devices import multiprocessors
from timing import in_turn

ROUNDS = 11
PEER, TEXT, CALL = "torch", "Tile IR", "tw.attention"
HEADS = 32
QUERIES = 4 * 4096
"""Of a head in all of a batch."""
BAND = {64: 16, 96: 4, 128: 4}
"""Heads, by their width, whose blocks of queries run beside each other if they are not alike."""
TEXT_WIDTHS = (64, 96, 128)
RUN = {
    (True, False): ("256x64", "threads=512 persistent=yes roles=yes"),
    (True, True): ("64x128", None),
    (False, False): ("128x128", "persistent=yes"),
    (False, True): ("128x128", None),
}
"""Queries and keys of a block of the text, and how it is run, where heads are narrow and where there is a mask: without
one its work-groups go on from block to block."""
ERROR = 2e-3
CHECKED = 256
"""Queries whose result is looked at."""
GOAL = 1.05
"""Share of torch that issue 17 wants at length 4096."""
WARM = 4e-3
"""Seconds that each contestant runs for before it is timed."""


class Case(Struct, frozen=True):
    """Heads of a width, as many queries as keys."""

    width: int
    length: int
    causal: bool

    def __str__(self) -> str:
        return f"{self.width} {self.length} {'causal' if self.causal else 'full'}"

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Of each array."""
        return (max(QUERIES // self.length, 1), HEADS, self.length, self.width)

    @property
    def work(self) -> float:
        """Floating-point operations that are needed."""
        return 4 * self.shape[0] * HEADS * self.length**2 * self.width / (2 if self.causal else 1)


def main() -> None:
    parser = figures.options(__doc__, "gpu_attention", rounds=ROUNDS)
    parser.add_argument("--widths", default="64,128,96,256", help="of heads (default: %(default)s)")
    lengths = "512,1000,1024,2048,4000,4096,8192,16384"
    parser.add_argument("--lengths", default=lengths, help="queries and keys of a head (default: %(default)s)")
    parser.add_argument("--text-lengths", default="4096", help="those at which the text is run (default: %(default)s)")
    parser.add_argument(
        "--blocks", help="queries and keys of a block of the text (default: as `tw.attention` has at length 4096)"
    )
    parser.add_argument("--schedule", help="how the text is run (default: so that blocks go on where there is no mask)")
    options = figures.parsed(parser)
    torch = torch_on_device()
    print(name_of_device(torch))
    print(f"{'':16} {PEER:>8} {TEXT:>8} {CALL:>12}  TFLOP/s   share of torch, median [quartiles]")
    cases: list[dict[str, object]] = []
    shares: dict[str, Any] = {}
    for case in cases_of(options):
        with_text = case.width in TEXT_WIDTHS and str(case.length) in options.text_lengths.split(",")
        runs = contestants(torch, case, options if with_text else None)
        timings = in_turn({key: on_device(torch, run) for key, run in runs.items()}, options.rounds, warm=WARM)
        rates = {key: case.work / spread.median / 1e12 for key, spread in timings.seconds().items()}
        found = {key: timings.ratios(PEER, key) for key in runs if key != PEER}
        # the text has the names that it had before `tw.attention` was timed here
        shares |= {f"{case}" if key == TEXT else f"{case} {key}": share for key, share in found.items()}
        cases.append({"name": str(case), "tflops": rates, "share": {key: share.median for key, share in found.items()}})
        print(table_row(case, rates, found), flush=True)
    chart = Chart("Attention, share of torch", [(name, share.median) for name, share in shares.items()], GOAL)
    figures.save(options.json, cases, shares, chart)


def cases_of(options: Any) -> list[Case]:
    """What is timed: of the lengths of a width those without a mask first."""
    widths, lengths = (list(map(int, each.split(","))) for each in (options.widths, options.lengths))
    if options.quick:
        lengths = lengths[:1]
    return [Case(width, length, causal) for width in widths for causal in (False, True) for length in lengths]


def table_row(case: Case, rates: Mapping[str, float], shares: Mapping[str, Any]) -> str:
    text = f"{rates[TEXT]:8.1f}" if TEXT in rates else " " * 8
    said = ", ".join(f"{key} {share}" for key, share in shares.items())
    return f"{case!s:16} {rates[PEER]:8.1f} {text} {rates[CALL]:12.1f}            {said}"


def contestants(torch: Any, case: Case, text_options: Any) -> dict[str, Callable[[], Any]]:
    """All ways of attention, with that of the text if it has options; ours are right."""
    q, k, v, o = (torch.randn(case.shape, device="cuda", dtype=torch.float16) for _ in range(4))
    scaled = torch.nn.functional.scaled_dot_product_attention
    runs: dict[str, Callable[[], Any]] = {
        PEER: lambda: scaled(q, k, v, is_causal=case.causal),
        CALL: lambda: tw.attention(q, k, v, causal=case.causal, out=o),
    }
    if text_options is not None:
        kernel = kernel_of_text(case, text_options)
        flat = [tensor.view(-1, case.width) for tensor in (q, k, v, o)]
        runs[TEXT] = lambda: kernel(*flat)
    rows = torch.randperm(case.length, device="cuda")[:CHECKED]
    wanted = of_last_head(torch, [tensor[-1, -1] for tensor in (q, k, v)], rows, case.causal)
    for name, run in runs.items():
        if name != PEER:
            o.fill_(float("nan"))
            run()
            error = float((o[-1, -1][rows].double() - wanted).norm() / wanted.norm())
            if not error <= ERROR:
                raise SystemExit(f"{name}, {case}: the error's norm is {error:.3g} of the result's")
    return runs


def kernel_of_text(case: Case, options: Any) -> Callable[..., None]:
    """The program in Tile IR, for a launch."""
    blocks, schedule = RUN[case.width == TEXT_WIDTHS[0], case.causal]
    rows, columns = map(int, (options.blocks or blocks).split("x"))
    of = Attention(
        case.length,
        case.length,
        case.width,
        (rows, columns),
        "f16",
        HEADS * case.shape[0],
        case.causal,
        case.width**-0.5,
        BAND[case.width] if case.causal else 1,
        0 if case.causal else multiprocessors(),
    )
    any_extents = {"extents": "any"}
    asked = options.schedule or schedule
    program = tw.compile(attention(of), target="nvidia", schedule=asked, language_options=any_extents)
    return program.attention[of.grid]


def of_last_head(torch: Any, arrays: list[Any], rows: Any, causal: bool) -> Any:
    """The result of some queries in float64."""
    q, k, v = (tensor.double() for tensor in arrays)
    scores = q.shape[1] ** -0.5 * q[rows] @ k.T
    if causal:
        scores = scores.masked_fill(rows[:, None] < torch.arange(len(k), device="cuda"), float("-inf"))
    return torch.softmax(scores, dim=1) @ v


if __name__ == "__main__":
    main()
