"""Runs kernels of every kind under the checks of compute-sanitizer on the GPU of this machine.

    python scripts/sanitize.py [--tools NAME,..] [--seconds N] [--only TEXT] [--processes N]

The sample takes kernels from the tests: all of the machine's operations on the tile level, Tile IR, products by each
kind of matrix instruction (TMA, clusters, rings and spread sums too), packed items, attention, random kernels; each
kind in turn, so that whatever time there is meets all of them. Each tool (memcheck: accesses out of bounds and leaks;
racecheck: shared memory; synccheck: barriers; initcheck: memory that is read before it is written) has processes of its
own, which share the sample, all at a time; answers are compared too. Prints a line a process, and what a tool has
found; ends with 1 if one has found something, or an answer was wrong. Needs CUDA's compute-sanitizer, no torch.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
TOOLS: Final = ("memcheck", "racecheck", "synccheck", "initcheck")
SECONDS: Final = 80.0
SEED: Final = 7
FOUND: Final = 9
"""How a tool ends a process in which it has found something."""

Check = Callable[[], list[str]]
"""Compiles, launches, compares: what is wrong."""


class Sample(NamedTuple):
    """A kernel of a kind."""

    kind: str
    name: str
    check: Check


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default=",".join(TOOLS), help="(default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="after which no kernel begins")
    parser.add_argument("--only", default="", help="kernels whose kind or name contains this")
    parser.add_argument("--processes", type=int, default=1, help="that share the sample, of each tool")
    parser.add_argument("--here", action="store_true", help="run the sample in this process, without a tool")
    parser.add_argument("--part", type=int, default=0, help="which of the shares that is")
    options = parser.parse_args()
    if options.here:
        raise SystemExit(run_sample(options.seconds, options.only, options.part, options.processes))
    shares = list(itertools.product(options.tools.split(","), range(options.processes)))
    mine = [sys.executable, __file__, "--here", "--seconds", str(options.seconds), "--only", options.only,
            "--processes", str(options.processes)]  # fmt: skip
    flags = ["--error-exitcode", str(FOUND), "--print-limit", "20"]
    started = {(tool, part): subprocess.Popen(["compute-sanitizer", "--tool", tool, *flags, *mine, "--part", str(part)],
                                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                              cwd=ROOT) for tool, part in shares}  # fmt: skip
    bad = False
    for (tool, _), process in started.items():
        text, _ = process.communicate()
        lines = [line for line in text.splitlines() if not line.startswith("========= COMPUTE-SANITIZER")]
        print(f"{tool}: {'nothing found' if process.returncode == 0 else f'ended with {process.returncode}'}")
        print("\n".join(f"    {line}" for line in (lines[-3:] if process.returncode == 0 else lines[:200])), flush=True)
        bad = bad or process.returncode != 0
    raise SystemExit(bad)


def run_sample(seconds: float, only: str, part: int, processes: int) -> int:
    """One of so many shares of the kernels, of each kind in turn, until there is no time; 1 if an answer was wrong."""
    begin, count, wrong = monotonic(), 0, 0
    kinds: dict[str, int] = {}
    every = [each for each in sample() if only in f"{each.kind} {each.name}"][part::processes]
    for each in every:
        if monotonic() - begin > seconds:
            break
        found = each.check()
        count, wrong = count + 1, wrong + bool(found)
        kinds[each.kind] = kinds.get(each.kind, 0) + 1
        if found:
            print(f"wrong: {each.kind}, {each.name}: {'; '.join(found)[:300]}", flush=True)
    of = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    print(f"{count} of {len(every)} kernels in {monotonic() - begin:.0f} s ({of}), {wrong} wrong")
    return int(wrong > 0)


# The sample


def sample() -> list[Sample]:
    """All kernels, one of each kind, then the second of each, and so on; large kinds in an order that is always one."""
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]
    kinds = [list(kind) for kind in (tile_kernels(), tile_ir(), products(), packed(), attention(), generated())]
    for kind in kinds:
        random.Random(SEED).shuffle(kind)
    return [each for row in itertools.zip_longest(*kinds) for each in row if each is not None]


def checked(artifact: Any, launch: Any) -> list[str]:
    """Launch once, and compare."""
    from gpu.device import run
    from targets.nvidia.case import faults
    from tilewright.machine.cuda import driver

    return faults(launch, run(driver.open_device(), artifact, launch))


def architecture() -> Any:
    """That of the device."""
    from tilewright.machine.cuda import driver
    from tilewright.machine.cuda.architecture import Architecture

    return Architecture.of_capability(driver.open_device().description.capability)


def of_case(kind: str, case: Any) -> Sample:
    """A kernel of the tests with its arguments."""
    import numpy as np

    return Sample(
        kind, case.name, lambda: checked(case.artifact(architecture()), case.prepare(np.random.default_rng(SEED)))
    )


def tile_kernels() -> Iterator[Sample]:
    """Kernels of the tensor language and of the tile level."""
    from targets.nvidia.test_kernels import CASES

    yield from (of_case("tensor language", case) for case in CASES)


def tile_ir() -> Iterator[Sample]:
    """Kernels of Tile IR."""
    from targets.nvidia.cases_tile_ir import tile_ir_cases

    yield from (of_case("Tile IR", case) for case in tile_ir_cases())


def scheduled(text: str, schedule: str, launch: Any) -> list[str]:
    """A kernel of the tensor language or of Tile IR by a schedule."""
    from tilewright.compiler import CompileOptions, lower_module, read_module
    from tilewright.diagnostics import Report, Source
    from tilewright.targets.nvidia.target import NvidiaTarget

    module, report = read_module(Source("kernel", text), Report()), Report()
    target = NvidiaTarget(architecture()).scheduled(schedule)
    lower_module(module, target, CompileOptions(2), report)
    return checked(target.generate(module, report), launch)


def products() -> Iterator[Sample]:
    """Products of all types in both languages, by blocks, clusters and sums that are spread over blocks."""
    import numpy as np

    from targets.nvidia.products.cases import TEXTS, TOTALS, ZEROS, launch

    for element in TOTALS:
        tiles = (64, 64) if element == "f64" else (128, 128)
        for turned in ((False, False), (True, True)):
            for extents in ((129, 77, 65), (200, 136, 320)):
                of = TEXTS.Product(extents, element, TOTALS[element], turned)
                text = TEXTS.tile_ir_product(of, (*tiles, 32 if element == "f64" else 64), ZEROS)
                given = launch(of, tiles, "C", np.random.default_rng(SEED))
                name = f"{element} {extents} {turned}"
                yield Sample("product", f"Tile IR {name}", lambda t=text, g=given: scheduled(t, "", g))
                gemm, column = (
                    TEXTS.gemm_product(of, tiles, "2.0"),
                    launch(of, tiles, "F", np.random.default_rng(SEED), 2.0),
                )
                yield Sample("product", f"gemm {name}", lambda t=gemm, g=column: scheduled(t, "", g))
    for schedule in ("", "cluster=2x1 persistent=yes", "cluster=1x2 persistent=yes", "stream=yes"):
        of = TEXTS.Product((520, 264, 200), "f16", "f32", (False, False))
        text, given = (
            TEXTS.whole_product(of.extents, "f16", "f32", (False, False)),
            launch(of, of.extents[:2], "F", np.random.default_rng(SEED)),
        )
        yield Sample("product", f"whole {schedule}", lambda t=text, s=schedule, g=given: scheduled(t, s, g))


def packed() -> Iterator[Sample]:
    """Batches of small products by forms of memory, types and ways to compute them."""
    import numpy as np

    from targets.nvidia.test_joined_items import launch_of, text_of
    from targets.nvidia.test_packing import Batch

    for element, size in itertools.product(("f32", "f64", "f16"), ((8, 8, 8), (20, 9, 9), (32, 32, 32))):
        for forms in (("rows",) * 3, ("pointers",) * 3, ("rows", "fixed", "rows"), ("gaps", "rows", "gaps")):
            batch = Batch(element, size, forms, gap=4 * ("gaps" in forms))
            yield Sample(
                "packed items", f"{element} {size} {forms}",
                lambda b=batch: scheduled(b.text, "", b.launch(np.random.default_rng(SEED), 101)),
            )  # fmt: skip
    for element, size in (("f32", (56, 9, 56)), ("f64", (56, 9, 56)), ("f16", (24, 9, 24))):
        given = launch_of(element, size, np.random.default_rng(SEED), 700)
        yield Sample(
            "packed items", f"chain {element}", lambda e=element, s=size, g=given: scheduled(text_of(e, s), "", g)
        )


def attention() -> Iterator[Sample]:
    """Attention by warps and groups of warps."""
    import numpy as np

    from targets.nvidia.case import Launch
    from targets.nvidia.products.test_attention import ERRORS, SHAPES, TEXTS, arguments

    for of in SHAPES:
        given, wanted = arguments(of, np.random.default_rng(SEED))
        launch = Launch(given, {3: wanted.astype(given[3].dtype)}, of.grid, tolerance=10 * ERRORS[of.element])
        text = TEXTS.attention(of)
        yield Sample("attention", str(of), lambda t=text, g=launch: scheduled(t, "", g))


def generated() -> Iterator[Sample]:
    """Random kernels of the tensor language, against the interpreter."""
    from generators.kernels import generate
    from gpu.device import run
    from targets.nvidia.against_interpreter import disagreements
    from tilewright.compile_options import CompileOptions
    from tilewright.compiler import compile_module, read_module
    from tilewright.diagnostics import Report, Source
    from tilewright.machine.cuda import driver
    from tilewright.targets.nvidia.target import NvidiaTarget

    def check(seed: int) -> list[str]:
        kernel, report = generate(random.Random(seed)), Report()
        module = read_module(Source("generated", kernel.text), report)
        artifact = compile_module(module, NvidiaTarget(architecture()), CompileOptions(2), report)
        return disagreements(kernel, lambda launch, number: run(driver.open_device(), artifact, launch, number))

    for seed in range(40):
        yield Sample("random kernel", str(seed), lambda s=seed: check(s))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")]))
    main()
