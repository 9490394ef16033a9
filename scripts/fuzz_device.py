"""Random kernels on the NVIDIA GPU of this machine: the answers of the interpreter, and the same bits in a second run.

    python scripts/fuzz_device.py [--languages NAME,..] [--kernels N] [--seed N] [--jobs N] [--seconds N]
                                  [--artifacts FOLDER [--compile-only]]

Kernels of the tensor language are compiled without optimisation and with all of it, those of Tile IR with all of it,
TLX programs at a level each. For a device that is lent by the minute, `--artifacts FOLDER --compile-only` compiles and
loads them (the driver keeps what it makes of PTX); a second run with the folder and the seed launches them. Prints
every disagreement with its seed, and how many kernels ran; exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / folder) for folder in ("src", "tests")]

if TYPE_CHECKING:
    from tilewright.artifacts.artifact import Artifact

CHUNK: Final = 10
LEFT: Final = 3.0
"""Seconds that kernels have behind the time at which none begins."""

LEVELS: Final = {"tensor": (0, 2), "tile-ir": (2,), "tlx": (2, 0, 1)}
"""At which kernels are compiled; a TLX program at one of them."""


class Work(NamedTuple):
    """Seeds of some kernels of a language, where their code is kept, and when to stop."""

    language: str
    seeds: range
    folder: Path | None
    compile_only: bool
    deadline: float


class Outcome(NamedTuple):
    """How many kernels of a language ran, and what was wrong."""

    language: str
    ran: int
    faults: list[str]


def run(work: Work) -> Outcome:
    """Compile some kernels, and compare them if that is not all."""
    of = {"tensor": tensor_kernels, "tile-ir": tile_kernels, "tlx": tlx_programs}[work.language]
    faults: list[str] = []
    ran = 0
    for name, text, check in of(work):
        if time.time() > work.deadline:
            break
        try:
            found = check()
        except Exception as error:  # whatever it is, it is a finding
            found = [f"{type(error).__name__}: {error}"]
        ran += 1
        faults += [f"{work.language}, seed {name}: {fault}\n{text}" for fault in found]
    return Outcome(work.language, ran, faults)


Checks = Iterator[tuple[str, str, Callable[[], list[str]]]]
"""Seeds, texts, and what says what is wrong."""


def tensor_kernels(work: Work) -> Checks:
    """Kernels of the tensor language, one by one."""
    from generators.kernels import generate
    from gpu.device import run_twice
    from targets.nvidia.against_interpreter import disagreements
    from tilewright.machine.cuda import driver

    def check(seed: int) -> list[str]:
        kernel = generate(random.Random(seed))
        found: list[str] = []
        for level in LEVELS["tensor"]:
            artifact = compiled(work, f"{seed}-{level}", kernel.text, level)
            if not work.compile_only:
                faults = disagreements(kernel, partial(run_twice, driver.open_device(), artifact))
                found += [f"O{level}, {fault}" for fault in faults]
        return found

    for seed in work.seeds:
        yield str(seed), generate(random.Random(seed)).text, partial(check, seed)


def tile_kernels(work: Work) -> Checks:
    """Kernels of Tile IR, all of one module."""
    from generators.tile_ir import generate, module_of
    from gpu.device import run_twice
    from targets.nvidia.against_interpreter import random_differences, tile_ir_meaning
    from tilewright.machine.cuda import driver

    kernels = [generate(random.Random(seed), f"seed_{seed}") for seed in work.seeds]
    text = module_of(kernels)
    artifact = cache(partial(compiled, work, str(work.seeds.start), text, 2))
    meant = cache(partial(tile_ir_meaning, text))

    def check(number: int) -> list[str]:
        code = artifact()
        if work.compile_only:
            return []
        runs = partial(run_twice, driver.open_device(), code)
        return random_differences(kernels[number], number, runs, meant())

    for number, seed in enumerate(work.seeds):
        yield str(seed), kernels[number].text, partial(check, number)


def tlx_programs(work: Work) -> Checks:
    """TLX programs, each with the answers that its generator knows."""
    import numpy as np

    from generators.tlx import generate
    from tilewright.machine.cuda import driver
    from tilewright.runtime.nvidia.copies import DeviceCopies
    from tilewright.runtime.nvidia.launch import bind_artifact

    def check(seed: int) -> list[str]:
        program = generate(random.Random(seed))
        artifact = compiled(work, f"{seed}", program.text, LEVELS["tlx"][seed % len(LEVELS["tlx"])])
        if work.compile_only:
            return []
        (kernel,) = bind_artifact(artifact).values()
        results: list[list[Any]] = []
        for _ in range(2):
            arguments: list[Any] = [a.copy() if isinstance(a, np.ndarray) else a for a in program.arguments]
            copies = DeviceCopies(driver.open_device(), arguments)
            kernel.launch(1, copies.arguments)
            copies.finish()
            results.append(arguments)
        found: list[str] = []
        for number, (first, again, wanted) in enumerate(zip(*results, program.expected, strict=True)):
            if not np.array_equal(first, wanted):
                found.append(f"argument {number}: {wanted!r} expected, got {first!r}")
            if np.asarray(first).tobytes() != np.asarray(again).tobytes():
                found.append(f"other bits in a second run, argument {number}")
        return found

    for seed in work.seeds:
        yield str(seed), generate(random.Random(seed)).text, partial(check, seed)


def compiled(work: Work, name: str, text: str, level: int) -> Artifact:
    """A kernel for the device of this machine, as it is kept or compiled now; loaded once if that is all."""
    from tilewright.artifacts.artifact import Artifact
    from tilewright.compile_options import CompileOptions
    from tilewright.compiler import compile_module, read_module
    from tilewright.diagnostics import Report, Source
    from tilewright.machine.cuda import driver
    from tilewright.machine.cuda.architecture import Architecture
    from tilewright.targets.nvidia.target import NvidiaTarget

    kept = work.folder / f"{work.language}-{name}.bin" if work.folder is not None else None
    if kept is not None and kept.exists():
        return Artifact.from_bytes(kept.read_bytes())
    device, report = driver.open_device(), Report()
    module = read_module(Source("generated", text), report)
    target = NvidiaTarget(Architecture.of_capability(device.description.capability))
    artifact = compile_module(module, target, CompileOptions(level), report)
    if kept is not None:
        _ = device.load(artifact.payload.decode())
        kept.write_bytes(artifact.to_bytes())
    return artifact


def has_device() -> bool:
    """Whether there is a GPU."""
    from tilewright.machine.cuda import driver

    return driver.available()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", default=",".join(LEVELS), help="(default: %(default)s)")
    parser.add_argument("--kernels", type=int, default=2000, help="of each language (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 40))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=540.0, help="after which no kernel begins")
    parser.add_argument("--artifacts", type=Path, metavar="FOLDER", help="keep compiled kernels there, or take them")
    parser.add_argument("--compile-only", action="store_true", help="end when they are compiled")
    options = parser.parse_args()
    if not has_device():
        raise SystemExit("random kernels are compared on an NVIDIA GPU, and this machine has none")
    if options.artifacts is not None:
        options.artifacts.mkdir(parents=True, exist_ok=True)
        os.environ["CUDA_CACHE_PATH"] = str(options.artifacts.resolve() / "driver")
        os.environ["CUDA_CACHE_MAXSIZE"] = str((1 << 32) - 1)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the processes share the cores already
    deadline, end = time.time() + options.seconds, options.seed + options.kernels
    work = [
        Work(language, range(first, min(first + CHUNK, end)), options.artifacts, options.compile_only, deadline)
        for first in range(options.seed, end, CHUNK)
        for language in options.languages.split(",")
    ]
    ran: dict[str, int] = {}
    faults = 0
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        outcomes = pool.imap_unordered(run, work)
        for _ in work:
            try:
                outcome = outcomes.next(max(deadline + LEFT - time.time(), 0))
            except multiprocessing.TimeoutError:
                print("kernels that were still running are not counted")
                break
            ran[outcome.language] = ran.get(outcome.language, 0) + outcome.ran
            faults += len(outcome.faults)
            for fault in outcome.faults:
                print(fault, flush=True)
    did = "compiled" if options.compile_only else "ran"
    counts = ", ".join(f"{count} of {options.kernels} {language}" for language, count in sorted(ran.items()))
    print(f"seed {options.seed}: {did} {counts}, {faults} faults, {time.time() - deadline + options.seconds:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
