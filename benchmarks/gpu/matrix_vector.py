"""What share of a copy's speed instructions reach that read a large matrix or vector once, on an NVIDIA GPU.

    python benchmarks/gpu/matrix_vector.py [--quick] [--bytes N] [--json PATH]

Tensor language on a grid of one: `gemv` and `sum` of matrices by columns and by rows, square ones, ones with few
results and ones with few terms, and `sum` of a vector; f32 and f16, static and open extents. torch's functions as
peers, its `copy_` of as many bytes as the floor (half of them read, half written); all in turn, on arrays that no cache
holds, timed by events on the device. Useful bytes are those of the matrix. Results are compared with accumulators in
float64. Prints a table of medians with quartiles and saves it: benchmarks/results/gpu_matrix_vector.json unless told
otherwise.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from device import name_of_device, on_device, torch_on_device

# isort: split
import figures
import tilewright as tw
from figures import Chart
from spread import Overall, Spread
from timing import in_turn

BYTES = 1 << 28
ROUNDS = 15
COPY, PEER, OURS = "copy", "torch", "tilewright"
GOAL = 0.85
"""Share of the copy's speed that issue 16 wants of what memory bounds and reduces."""
ELEMENTS = {"f32": "float32", "f16": "float16"}
ERRORS = {"f32": 1e-5, "f16": 2e-3}
FEW = 64
"""Results, or terms, of a matrix that is not square."""


def text_of(instruction: str, element: str, shape: tuple[int | str, ...]) -> str:
    """`y := A x` or sums of A, along its rows with `.n` and along its columns with `.t`, or of a vector."""
    name, _, form = instruction.partition(".")
    extents = "x".join(map(str, shape))
    kept, terms = ("", *shape) if len(shape) == 1 else shape[::-1] if form == "t" else shape
    results = kept and f"x{kept}"
    vector = f", %x: memref<{element}x{terms}>" if name == "gemv" else ""
    mode = f".{form}" if form else ""
    return f"""func @reduced(%A: memref<{element}x{extents}>{vector}, %y: memref<{element}{results}>) {{
        %one = constant 1.0 : {element}
        %zero = constant 0.0 : {element}
        {name}{mode} %one, %A{", %x" if vector else ""}, %zero, %y
    }}"""


def main() -> None:
    parser = figures.options(__doc__, "gpu_matrix_vector", rounds=ROUNDS)
    parser.add_argument("--bytes", type=int, default=BYTES, help="of the matrix (default: %(default)s)")
    options = figures.parsed(parser)
    torch = torch_on_device()
    device = name_of_device(torch)
    size = min(options.bytes, 1 << 22) if options.quick else options.bytes
    print(f"{device}\n{'':44} {'GB/s':>8}   share of the copy, median [quartiles]   to torch")
    cases: list[dict[str, object]] = []
    shares: dict[str, Spread] = {}
    for element in ELEMENTS:
        for instruction, shape in shapes(size // (4 if element == "f32" else 2)):
            for is_open in (False, True):
                spelled = "x".join(map(str, shape))
                name = f"{element} {instruction} {spelled}{', open' if is_open else ''}"
                case, shares[name] = measure(torch, element, instruction, shape, is_open, options.rounds)
                cases.append({"name": name, "device": device, **case})
                print(f"{name:44} {case['gbs']:8.0f}   {shares[name]}   x{case['to_torch']:.2f}", flush=True)
    chart = Chart("Reductions on a grid of one, share of a copy", [(n, s.median) for n, s in shares.items()], GOAL)
    figures.save(options.json, cases, {**shares, "all": Overall.of(shares)}, chart)


def shapes(elements: int) -> list[tuple[str, tuple[int, ...]]]:
    """Instructions with the shapes of their matrices, of about so many elements."""
    n = 1 << (elements.bit_length() - 1) // 2
    matrices = ((n, elements // n), (FEW, elements // FEW), (elements // FEW, FEW))
    ways = ("gemv.n", "gemv.t", "sum.n", "sum.t")
    return [*((way, shape) for way in ways for shape in matrices), ("sum", (elements,))]


def measure(
    torch: Any, element: str, instruction: str, shape: tuple[int, ...], is_open: bool, rounds: int
) -> tuple[dict[str, Any], Spread]:
    """One instruction: its figures, and its share of the copy's speed."""
    dtype = getattr(torch, ELEMENTS[element])
    memory = torch.randn(*shape[::-1], device="cuda", dtype=dtype)
    # row-major in reverse is by columns; what is added up has one sign in gemv, so that errors are relative
    seen = memory.t() if len(shape) > 1 else memory
    rows = seen.t() if instruction.endswith("t") else seen
    x = torch.randn(rows.shape[-1], device="cuda", dtype=dtype)
    y = torch.full(rows.shape[:-1], float("nan"), device="cuda", dtype=dtype)
    kernel = next(
        iter(tw.compile(text_of(instruction, element, ("?",) * len(shape) if is_open else shape), target="nvidia"))
    )
    is_product = instruction.startswith("gemv")
    ours = partial(kernel[1], seen, *([x] if is_product else []), y)
    ours()
    wanted = rows.double() @ x.double() if is_product else rows.double().sum(-1)
    allowed = ERRORS[element] * max(float(wanted.norm()), float(rows.double().norm()))
    if not float((y.double() - wanted).norm()) <= allowed:
        raise SystemExit(f"{element} {instruction} {shape}: the result is wrong")
    half = memory.flatten()[: memory.numel() // 2]
    other = torch.empty_like(half)
    peer = partial(torch.mv, rows, x) if is_product else partial(torch.sum, rows, -1)
    runs = {COPY: partial(other.copy_, half), PEER: peer, OURS: ours}
    timings = in_turn({name: on_device(torch, run) for name, run in runs.items()}, rounds, warm=0.005)
    case = {
        "gbs": memory.nbytes / timings.seconds()[OURS].median / 1e9,
        "to_torch": timings.ratios(PEER, OURS).median,
        "schedule": str(kernel.schedule),
    }
    return case, timings.ratios(COPY, OURS)


if __name__ == "__main__":
    main()
