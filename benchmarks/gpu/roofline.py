"""Where the kernels of the GPU's tables lie under the device's ceilings, as a table and a plot.

    python benchmarks/gpu/roofline.py [--quick] [--json PATH]

Reads what the other scripts of this folder have saved in benchmarks/results, of runs on the same GPU (those on another
one than most have its name at the end: `gpu_norms_h100`). Of each kernel: operations (a
multiplication and an addition are two; of what is no product those on elements that the text says), useful bytes (each
array once), what it reached, and its share of the roof above it, which is the lower of bytes over a copy's time and of
the speed of arithmetic. The ceilings are measured: bytes by torch's `copy_`; f32 and f64 by chains of `fma` in Tile IR
that touch no memory, both in turn on this machine's GPU and kept with the results, so that the plot can be drawn again
without one; of types that matrix instructions multiply by the fastest product of cuBLAS in gpu_products.json. Saves
benchmarks/results/gpu_roofline.json and .svg unless told otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from device import name_of_device, on_device, torch_on_device
from msgspec import Struct

# isort: split
from small_batches import TYPES

import figures
import tilewright as tw
from children import short_name
from roofline_plot import Ceilings, Point, roofline
from timing import in_turn

ROUNDS = 15
COPIED: Final = 1 << 30
TILE: Final = 256
CHAINS: Final = 8
STEPS: Final = 4096
BLOCKS: Final = 132 * 16
ARITHMETIC: Final = ("f32", "f64")
OPERATIONS: Final = {
    "vector add": (1, 3),
    "silu * mul": (5, 3),
    "transpose": (0, 2),
    "softmax": (5, 2),
    "layer norm": (8, 2),
    "RMS norm": (5, 2),
    "column sums": (1, 1),
    "cumsum along rows": (1, 2),
    "cumsum along columns": (1, 2),
    "layer norm backward": (13, 3),
}
"""Operations on an element, exponentials and divisions counted as one, and how many arrays of it are moved."""
BYTES: Final = {"f32": 4, "tf32": 4, "f64": 8, "f16": 2, "bf16": 2, "i8": 1, "e4m3": 1, "e5m2": 1}
WAYS: Final = ("ours", "persistent", "gemm")
"""How products are written."""


class Kernel(Struct, frozen=True):
    """What a kernel does for each useful byte, and its speed."""

    name: str
    element: str
    operations_a_byte: float
    gigabytes: float

    @property
    def gigaflops(self) -> float:
        """Operations in a ns."""
        return self.operations_a_byte * self.gigabytes


def fma_chains(element: str) -> str:
    """A kernel of Tile IR that multiplies and adds in registers: CHAINS tiles of TILE elements, STEPS times."""
    type_ = f"tile<{TILE}x{element}>"
    names = [f"%s{k}" for k in range(CHAINS)]
    types = ", ".join([type_] * CHAINS)
    starts = "\n".join(f"    {name} = constant <{element}: {k}.5> : {type_}" for k, name in enumerate(names))
    carried = ", ".join(f"%c{k} = {name}" for k, name in enumerate(names))
    steps = "\n".join(f"      %n{k} = fma %c{k}, %x, %y : {type_}" for k in range(CHAINS))
    ends = ", ".join(f"%n{k}" for k in range(CHAINS))
    results = ", ".join(f"%r{k}" for k in range(CHAINS))
    sums = "\n".join(
        f"    %t{k + 1} = addf {'%r0' if not k else f'%t{k}'}, %r{k + 1} : {type_}" for k in range(CHAINS - 1)
    )
    tensor = f"tensor_view<{BLOCKS * TILE}x{element}, strides=[1]>"
    view = f"partition_view<tile=({TILE}), {tensor}>"
    return f"""cuda_tile.module @kernels {{
  entry @chains(%p: tile<ptr<{element}>>) {{
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %pa = assume div_by<16>, %p : tile<ptr<{element}>>
    %pt = make_tensor_view %pa, shape = [{BLOCKS * TILE}], strides = [1] : {tensor}
    %pv = make_partition_view %pt : {view}
    %x, %x_done = load_view_tko weak %pv[%bx] : {view}, tile<i32> -> {type_}, token
    %y = constant <{element}: 0.5> : {type_}
    %lo = constant <i32: 0> : tile<i32>
    %hi = constant <i32: {STEPS}> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
{starts}
    {results} = for %k in (%lo to %hi, step %one) : tile<i32> iter_values({carried}) -> ({types}) {{
{steps}
      continue {ends} : {types}
    }}
{sums}
    %done = store_view_tko weak %t{CHAINS - 1}, %pv[%bx] : {type_}, {view}, tile<i32> -> token
    return
  }}
}}
"""


def main() -> None:
    options = figures.parsed(figures.options(__doc__, "gpu_roofline", rounds=ROUNDS))
    kept = figures.results("gpu_roofline")
    ceilings = measured(options.rounds, options.quick) or saved(kept)
    rows = sorted(kernels(gpu_of(ceilings)), key=lambda kernel: kernel.operations_a_byte)
    print(f"{'':52} {'op/byte':>8} {'GB/s':>7} {'GFLOP/s':>9}   of the roof")
    shown: list[dict[str, object]] = []
    for kernel in rows:
        share = kernel.gigabytes / ceilings.bytes_limit(kernel.operations_a_byte, kernel.element)
        print(
            f"{kernel.name:52} {kernel.operations_a_byte:8.2f} {kernel.gigabytes:7.0f} {kernel.gigaflops:9.0f}"
            f"   {share:.2f}"
        )
        shown.append(
            {
                "name": kernel.name,
                "operations_a_byte": kernel.operations_a_byte,
                "gbs": kernel.gigabytes,
                "share": share,
            }
        )
    figures.save(options.json, shown, {"ceilings": ceilings})
    if options.json is not None:
        points = [Point(k.name, k.element, k.operations_a_byte, k.gigaflops) for k in rows if k.operations_a_byte]
        options.json.with_suffix(".svg").write_text(
            roofline("Kernels under the roof", ceilings, points), encoding="utf-8"
        )


def measured(rounds: int, quick: bool) -> Ceilings | None:
    """The ceilings of this machine's GPU; None if there is none."""
    try:
        torch = torch_on_device()
    except SystemExit as reason:
        print(f"{reason}: ceilings as they were saved")
        return None
    size = COPIED >> (6 if quick else 0)
    source = torch.empty(size, dtype=torch.uint8, device="cuda").random_()
    target = torch.empty_like(source)
    runs: dict[str, Any] = {"copy": lambda: target.copy_(source)}
    for element in ARITHMETIC:
        kernel = next(iter(tw.compile(fma_chains(element), target="nvidia", cache=False)))[BLOCKS]
        values = torch.rand(BLOCKS * TILE, device="cuda", dtype=getattr(torch, TYPES[element]))
        runs[element] = partial(kernel, values)
    seconds = in_turn({name: on_device(torch, run) for name, run in runs.items()}, rounds, warm=0.02).seconds()
    operations = 2.0 * BLOCKS * TILE * CHAINS * STEPS
    rates = {element: operations / seconds[element].median / 1e9 for element in ARITHMETIC}
    device = name_of_device(torch)
    copied = 2 * size / seconds["copy"].median / 1e9
    found = units(gpu_of(Ceilings(device, copied, rates)))
    by_units = {element: max(rate, rates.get(element, 0.0)) for element, rate in found.items()}
    return Ceilings(device, copied, rates | by_units)


def saved(path: Path) -> Ceilings:
    """Those of an earlier run."""
    if not path.exists():
        raise SystemExit(f"there are no ceilings in {path}: run this on a machine with a GPU first")
    found = json.loads(path.read_text())["overall"]["ceilings"]
    return Ceilings(found["device"], found["gigabytes"], found["gigaflops"])


def gpu_of(ceilings: Ceilings) -> str:
    """The short name of the GPU, as results say it."""
    return short_name(ceilings.device)


def units(gpu: str) -> dict[str, float]:
    """The fastest product of cuBLAS of each type."""
    found: dict[str, float] = {}
    for row in _rows("gpu_products", gpu):
        element = _element(row["name"])
        found[element] = max(found.get(element, 0.0), 1e3 * row["tflops"]["cuBLAS"])
    return found


def kernels(gpu: str) -> Iterator[Kernel]:
    """Every kernel of ours in the saved results of a GPU."""
    for script in ("gpu_streaming", "gpu_norms", "gpu_sums", "gpu_transposes"):
        for row in _rows(script, gpu):
            what = next((name for name in OPERATIONS if row["name"].startswith(name)), "transpose")
            element = next(word for word in row["name"].replace(",", "").split() if word in BYTES)
            if not row["name"].endswith(("torch", "(the floor)", "transposed view")):
                operations, arrays = OPERATIONS[what]
                yield Kernel(row["name"], element, operations / arrays / BYTES[element], row["gbs"])
    for row in _rows("gpu_batched_gemm", gpu):
        element, shape, *variant = row["name"].split()
        if "x" in shape and shape[0].isdigit() and not variant:
            m, n, k = map(int, shape.split("x"))
            intensity = 2 * m * n * k / ((m * k + k * n + m * n) * BYTES[element])
            yield Kernel(f"batch {row['name']}", element, intensity, row["gigabytes"]["ours"])
    for row in _rows("gpu_products", gpu):
        element, n = _element(row["name"]), row["name"].split()[1]
        intensity = 2 * int(n) / (3 * BYTES[element])
        for name in (name for name in WAYS if name in row["tflops"]):
            yield Kernel(f"product {row['name']} {name}", element, intensity, 1e3 * row["tflops"][name] / intensity)


def _element(name: str) -> str:
    """What is multiplied, however the second factor lies."""
    return name.split()[0].removesuffix("nn")


def _rows(name: str, gpu: str) -> list[Mapping[str, Any]]:
    """The cases that a script has saved of a GPU; none if it never ran there."""
    for path in (figures.results(name), figures.results(f"{name}_{gpu.lower()}")):
        found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        if found.get("gpu") == gpu:
            return found["cases"]
    return []


if __name__ == "__main__":
    main()
