"""What products are made of, without a GPU: instructions of the loop over k, shared memory, registers, spills.

    python benchmarks/gpu/product_code.py [--quick] [--json PATH] [--against PATH]

The kernels of benchmarks/gpu/products.py at 4096, compiled for sm_90a and sm_80 and assembled by ptxas. The loop is the
shortest one of the PTX that multiplies; copies, stores and barriers are those of the whole kernel. With `--against`,
figures of an earlier run stand beside those that differ.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

# isort: split
import figures
from product_texts import Product, tile_ir_product
from products import KINDS
from tilewright.compiler import CompileOptions, lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx
from tilewright.targets.nvidia.target import NvidiaTarget

EXTENT = 4096
COUNTED = {
    "wgmma": r"wgmma\.mma_async",
    "mma": r"mma\.sync",
    "fma": r"fma\.rn\.f32",
    "cp.async": r"cp\.async\.c[ag]",
    "ldmatrix": r"ldmatrix",
    "ld.shared": r"ld\.shared",
    "st.global": r"st\.global",
    "bar": r"barrier|bar\.sync",
    "all": r"\S",
}
MULTIPLIES = re.compile("|".join((COUNTED["wgmma"], COUNTED["mma"], COUNTED["fma"])))


def main() -> None:
    parser = figures.options(__doc__, "gpu_product_code")
    parser.add_argument("--against", type=Path, metavar="PATH", help="figures of an earlier run")
    options = figures.parsed(parser)
    before = earlier(options.against) if options.against else {}
    cases: list[dict[str, object]] = []
    names = [*COUNTED, "shared", "registers", "spills"]
    print(f"{'':12}", *(f"{name:>11}" for name in names))
    for architecture in (Architecture.SM_90A,) if options.quick else (Architecture.SM_90A, Architecture.SM_80):
        for kind in KINDS:
            case = f"{kind} {architecture.value}"
            found = figures_of(kind, architecture)
            was = before.get(case, found)
            cells = [str(n) if n == was[key] else f"{was[key]} > {n}" for key, n in found.items()]
            print(f"{case:12}", *(f"{cell:>11}" for cell in cells), flush=True)
            cases.append({"name": case, **found})
    figures.save(options.json, cases)


def earlier(path: Path) -> dict[str, dict[str, int]]:
    """The figures of an earlier run by case."""
    return {case["name"]: case for case in json.loads(path.read_text())["cases"]}


def figures_of(name: str, architecture: Architecture) -> dict[str, int]:
    """Counts of the loop's instructions, and what a block and a thread take."""
    kind = KINDS[name]
    product = Product((EXTENT, EXTENT, EXTENT), kind.element, kind.total, kind.transposed, kind.rounded)
    module = read_module(Source(name, tile_ir_product(product, kind.tiles)), Report())
    lower_module(module, NvidiaTarget(architecture), CompileOptions(), Report())
    llvm, (kernel,) = emit_llvm(module, architecture)
    ptx = compile_to_ptx(llvm, architecture)
    lines = [line for line in loop_of(ptx) if line.startswith("\t") and not line.startswith("\t.")]
    counts = {key: sum(bool(re.search(word, line)) for line in lines) for key, word in COUNTED.items()}
    # the block of the copies may stand behind the loop
    counts |= {key: len(re.findall(COUNTED[key], ptx)) for key in ("cp.async", "st.global", "bar")}
    resources = assemble(ptx, architecture).kernels[kernel.symbol]
    spills = resources.spill_load_bytes + resources.spill_store_bytes
    return {**counts, "shared": kernel.local_bytes, "registers": resources.registers, "spills": spills}


def loop_of(ptx: str) -> list[str]:
    """The lines from a label to the branch back to it: of the loops that multiply the shortest."""
    lines = ptx.splitlines()
    labels = {line[:-1].split(":")[0]: k for k, line in enumerate(lines) if re.match(r"\$\w+:", line)}
    loops: list[list[str]] = []
    for k, line in enumerate(lines):
        target = re.search(r"\bbra(?:\.uni)?\s+(\$\w+);", line)
        if target and (start := labels.get(target[1], k)) < k:
            loops.append(lines[start : k + 1])
    return min((each for each in loops if any(MULTIPLIES.search(line) for line in each)), key=len)


if __name__ == "__main__":
    main()
