"""Random kernels on all cores for a while: the interpreter = the CPU with each set of features at each level, in turn.

    python scripts/fuzz_many.py --kernels 100000 --minutes 9 [--seed N] [--jobs N] [--dynamic 0.1]
    python scripts/fuzz_many.py --language tile-ir --kernels 50000 [--large 0.1]
    python scripts/fuzz_many.py --language tlx --kernels 50000

TLX programs are compared with NumPy, in the interpreter and on the CPU at a level each.

Prints kernels per second and every disagreement with its seed; exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / folder) for folder in ("src", "tests")]

CHUNK = 20
RACING = 0.03


@dataclass(frozen=True, slots=True)
class Work:
    """Seeds of some kernels, and when to stop."""

    first: int
    count: int
    language: str
    share: float
    deadline: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many kernels ran, and what was wrong."""

    ran: int
    faults: tuple[str, ...]


def run(work: Work) -> Outcome:
    """Compare some kernels; none after the deadline."""
    return LANGUAGES[work.language](work)


def tile_kernels(work: Work) -> Outcome:
    """Kernels of Tile IR, all in one module."""
    from differential.compare_tile_ir import failures
    from differential.variants import rotation
    from generators.tile_ir import generate

    if time.time() > work.deadline:
        return Outcome(0, ())
    seeds = range(work.first, work.first + work.count)
    kernels = [generate(random.Random(seed), f"seed_{seed}", work.share, 0.3, RACING) for seed in seeds]
    found = failures(kernels, rotation(work.first // CHUNK))
    return Outcome(work.count, tuple(f"{kernel.name}: {message}\n{kernel.text}" for kernel, message in found))


def tensor_kernels(work: Work) -> Outcome:
    """Kernels of the tensor language, one by one."""
    from differential.compare import disagreements
    from differential.variants import rotation
    from generators.kernels import generate

    def drawn(seed: int) -> tuple[str, Callable[[], Iterable[object]]]:
        kernel = generate(random.Random(seed), work.share, RACING)
        return kernel.text, lambda: disagreements(kernel, rotation(seed))

    return one_by_one(work, drawn)


def tlx_programs(work: Work) -> Outcome:
    """Programs of TLX, one by one."""
    from differential.compare_tlx import check
    from generators.tlx import generate

    def drawn(seed: int) -> tuple[str, Callable[[], Iterable[object]]]:
        program = generate(random.Random(seed))

        def compared() -> Iterable[object]:
            check(seed, program, program.text, "interpreter")
            check(seed, program, program.text, "cpu", seed % 3)
            return ()

        return program.text, compared

    return one_by_one(work, drawn)


def one_by_one(work: Work, drawn: Callable[[int], tuple[str, Callable[[], Iterable[object]]]]) -> Outcome:
    """Compare what is drawn of each seed, until there is no time: a text, and what says what is wrong or raises it."""
    faults: list[str] = []
    ran = 0
    for seed in range(work.first, work.first + work.count):
        if time.time() > work.deadline:
            break
        text, compared = drawn(seed)
        try:
            found = list(compared())
        except Exception as error:  # whatever it is, it is a finding
            found = [f"{type(error).__name__}: {error}"]
        ran += 1
        faults += [f"seed {seed}: {fault}\n{text}" for fault in found]
    return Outcome(ran, tuple(faults))


LANGUAGES: Final[Mapping[str, Callable[[Work], Outcome]]] = {
    "tensor": tensor_kernels,
    "tile-ir": tile_kernels,
    "tlx": tlx_programs,
}


def main() -> int:
    """Spread the seeds over processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=9.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 40))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--dynamic", type=float, default=0.1, help="share of kernels with extents left to the launch")
    parser.add_argument("--language", choices=list(LANGUAGES), default="tensor")
    parser.add_argument("--large", type=float, default=0.1, help="share of Tile IR kernels with many operations")
    chosen = parser.parse_args()
    share = chosen.large if chosen.language == "tile-ir" else chosen.dynamic
    # One thread a process: the processes share the cores already.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    start = time.time()
    deadline = start + 60 * chosen.minutes
    end = chosen.seed + chosen.kernels
    work = [Work(s, min(CHUNK, end - s), chosen.language, share, deadline) for s in range(chosen.seed, end, CHUNK)]
    ran = faults = 0
    last = start
    # Fresh processes now and then, for compiled code stays in a process.
    with multiprocessing.get_context("spawn").Pool(chosen.jobs, maxtasksperchild=50) as pool:
        for outcome in pool.imap_unordered(run, work):
            ran += outcome.ran
            faults += len(outcome.faults)
            for fault in outcome.faults:
                print(fault, flush=True)
            if time.time() - last > 15:
                last = time.time()
                print(f"{ran} kernels, {faults} faults, {ran / (last - start):.1f} a second", flush=True)
    elapsed = time.time() - start
    print(f"seed {chosen.seed}: {ran} of {chosen.kernels} kernels, {faults} faults, {ran / elapsed:.1f} a second")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
