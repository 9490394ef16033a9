"""How fast the gradients of attention are on an NVIDIA GPU, against those of torch's scaled_dot_product_attention.

    python benchmarks/gpu/attention_gradients.py [--quick] [--lengths N,N,..] [--structures NAME,..] [--json PATH]

All of q, k and v, f16, without a mask and causal, 32 heads of width 64 and 128 in a batch of 4 at length 4096, of as
many queries in all at others, by what a call takes and by each structure of programs (`STRUCTURES` of
operators/attention_gradient_plans.py).
Contestants run in turn on random normal data, timed by events on the device; rates count the five products that are
needed. Gradients of the first head are compared with those in float64, by the norm of the error. Prints a table of
medians with quartiles and saves it: benchmarks/results/gpu_attention_gradients.json unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from device import name_of_device, on_device, torch_on_device

# isort: split
import figures
import tilewright as tw
from figures import Chart
from tilewright.operators import attention_gradient_plans, attention_gradients
from timing import in_turn

ROUNDS = 11
PEER = "torch"
HEADS = 32
QUERIES = 4 * 4096
"""Of a head in all of a batch."""
WIDTHS = (64, 128)
PRODUCTS = 5
ERROR = 2e-3
CHOSEN = "chosen"
"""What a call takes."""
GOAL = 0.9
"""Share of torch that issue 17 wants at length 4096."""


def main() -> None:
    parser = figures.options(__doc__, "gpu_attention_gradients", rounds=ROUNDS)
    parser.add_argument("--lengths", default="4096", help="queries and keys of a head (default: %(default)s)")
    names = ",".join([CHOSEN, *attention_gradient_plans.STRUCTURES])
    parser.add_argument("--structures", default=names, help="programs to run (default: %(default)s)")
    options = figures.parsed(parser)
    torch, structures = torch_on_device(), options.structures.split(",")
    print(name_of_device(torch))
    print(f"{'':16} " + " ".join(f"{name:>12}" for name in (PEER, *structures)) + "  TFLOP/s   share of torch, median")
    cases: list[dict[str, object]] = []
    shares: dict[str, Any] = {}
    for width in WIDTHS:
        for length in (512,) if options.quick else map(int, options.lengths.split(",")):
            for causal in (False, True):
                batch = max(QUERIES // length, 1)
                runs = contestants(torch, (batch, HEADS, length, width), causal, structures)
                timings = in_turn({key: on_device(torch, run) for key, run in runs.items()}, options.rounds, warm=0.01)
                work = 2 * PRODUCTS * batch * HEADS * length**2 * width / (2 if causal else 1)
                rates = {key: work / spread.median / 1e12 for key, spread in timings.seconds().items()}
                case = f"{width} {length} {'causal' if causal else 'full'}"
                found = {name: timings.ratios(PEER, name) for name in structures}
                shares |= {f"{case} {name}": share for name, share in found.items()}
                cases.append({"name": case, "tflops": rates, "share": {name: s.median for name, s in found.items()}})
                said = "  ".join(str(share) for share in found.values())
                print(f"{case:16} " + " ".join(f"{rate:12.1f}" for rate in rates.values()) + f"            {said}")
    chart = Chart("Gradients of attention, share of torch", [(case, s.median) for case, s in shares.items()], GOAL)
    figures.save(options.json, cases, shares, chart)


def contestants(
    torch: Any, shape: tuple[int, int, int, int], causal: bool, structures: list[str]
) -> dict[str, Callable[[], Any]]:
    """All ways to the gradients; ours are right for the first head."""
    q, k, v = (torch.randn(shape, device="cuda", dtype=torch.float16, requires_grad=True) for _ in range(3))
    g = torch.randn_like(q)
    result = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    arrays = {"q": q.detach(), "k": k.detach(), "v": v.detach(), "g": g}
    attended: Any = tw.attention(*(arrays[name] for name in "qkv"), causal=causal, return_lse=True)
    arrays["out"], arrays["lse"] = attended

    def ours(structure: str) -> Callable[[], Any]:
        taken = None if structure == CHOSEN else structure
        return lambda: attention_gradients.gradients(arrays, "bhld", causal, None, None, taken)

    runs = {name: ours(name) for name in structures}
    wanted = of_first_head(torch, q, k, v, g, causal)
    for name in structures:
        for letter, found, one in zip("qkv", runs[name](), wanted, strict=True):
            error = float((found[0, 0].double() - one).norm() / one.norm())
            if not error <= ERROR:
                raise SystemExit(
                    f"{name}, {shape}: the error's norm is {error:.3g} of that of the gradient of {letter}"
                )
    return {PEER: lambda: torch.autograd.grad(result, (q, k, v), g, retain_graph=True), **runs}


def of_first_head(torch: Any, q: Any, k: Any, v: Any, g: Any, causal: bool) -> Any:
    """Gradients in float64."""
    q, k, v = (tensor[0, 0].detach().double().requires_grad_() for tensor in (q, k, v))
    scores = q @ k.T * q.shape[1] ** -0.5
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
    return torch.autograd.grad(torch.softmax(scores, dim=1) @ v, (q, k, v), g[0, 0].double())


if __name__ == "__main__":
    main()
