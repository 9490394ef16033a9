"""How fast attention forward is on an NVIDIA GPU, against torch's scaled_dot_product_attention.

    python benchmarks/gpu/attention.py [--quick] [--lengths N,N,..] [--blocks MxN] [--schedule LINE] [--json PATH]

Tile IR, f16 with sums in f32, without a mask and causal, 32 heads of width 64 and 128 in a batch of 4 at length 4096,
of as many queries in all at others; one block of queries a work-group. Contestants run in turn on random normal data,
timed by events on the device. Results are compared with softmax(scale Q K^T) V in float64, by the norm of the error.
Prints a table of medians with quartiles and saves it: benchmarks/results/gpu_attention.json unless told otherwise.
"""

from __future__ import annotations

from typing import Any

from device import name_of_device, on_device, torch_on_device

# isort: split
import figures
import tilewright as tw
from attention_texts import Attention, attention
from figures import Chart
from timing import in_turn

ROUNDS = 21
PEER = "torch"
HEADS = 32
QUERIES = 4 * 4096
"""Of a head in all of a batch."""
BAND = 16
"""Heads whose blocks of queries run beside each other if they are not alike."""
WIDTHS = (64, 128)
ERROR = 2e-3
GOAL = 1.05
"""Share of torch that issue 17 wants at length 4096."""


def main() -> None:
    parser = figures.options(__doc__, "gpu_attention", rounds=ROUNDS)
    parser.add_argument("--lengths", default="4096", help="queries and keys of a head (default: %(default)s)")
    parser.add_argument("--blocks", help="queries and keys of a block (default: 64x128 for width 64, else 128x128)")
    parser.add_argument("--schedule", help="how the kernel is run (default: two threads for each query)")
    options = figures.parsed(parser)
    torch = torch_on_device()
    print(name_of_device(torch))
    print(f"{'':16} {PEER:>8} {'ours':>8}  TFLOP/s   share of torch, median [quartiles]")
    cases: list[dict[str, object]] = []
    shares: dict[str, Any] = {}
    for width in WIDTHS:
        rows, columns = map(int, (options.blocks or ("64x128" if width == WIDTHS[0] else "128x128")).split("x"))
        schedule = options.schedule or f"threads={2 * rows}"
        for length in (512,) if options.quick else map(int, options.lengths.split(",")):
            for causal in (False, True):
                of = Attention(
                    length,
                    length,
                    width,
                    (rows, columns),
                    "f16",
                    HEADS * max(QUERIES // length, 1),
                    causal,
                    width**-0.5,
                    BAND if causal else 1,
                )
                runs = contestants(torch, of, schedule)
                timings = in_turn({key: on_device(torch, run) for key, run in runs.items()}, options.rounds, warm=0.01)
                work = 4 * of.heads * length**2 * width / (2 if causal else 1)
                rates = {key: work / spread.median / 1e12 for key, spread in timings.seconds().items()}
                case = f"{width} {length} {'causal' if causal else 'full'}"
                shares[case] = timings.ratios(PEER, "ours")
                cases.append({"name": case, "tflops": rates, "share": shares[case].median})
                print(f"{case:16} {rates[PEER]:8.1f} {rates['ours']:8.1f}            {shares[case]}", flush=True)
    chart = Chart("Attention, share of torch", [(case, share.median) for case, share in shares.items()], GOAL)
    figures.save(options.json, cases, shares, chart)


def contestants(torch: Any, of: Attention, schedule: str) -> dict[str, Any]:
    """Both ways of attention; ours is right for the first head."""
    program = tw.compile(attention(of), target="nvidia", cache=False, schedule=schedule)
    kernel = program.attention[of.grid]
    shape = (of.heads // HEADS, HEADS, of.queries, of.width)
    q, k, v, o = (torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(4))
    flat = [tensor.view(-1, of.width) for tensor in (q, k, v, o)]
    scaled = torch.nn.functional.scaled_dot_product_attention
    runs = {PEER: lambda: scaled(q, k, v, scale=of.scale, is_causal=of.causal), "ours": lambda: kernel(*flat)}
    runs["ours"]()
    first = [tensor[0, 0].double() for tensor in (q, k, v)]
    scores = of.scale * first[0] @ first[1].T
    if of.causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
    wanted = torch.softmax(scores, dim=1) @ first[2]
    error = float((o[0, 0].double() - wanted).norm() / wanted.norm())
    if not error <= ERROR:
        raise SystemExit(f"{of}: the error's norm is {error:.3g} of the result's")
    return runs


if __name__ == "__main__":
    main()
