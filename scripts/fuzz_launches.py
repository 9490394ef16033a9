"""Random launches with valid and hostile arguments in child processes: interpreter = CPU, and nothing crashes.

    python scripts/fuzz_launches.py --launches 100000 [--minutes 10] [--seed N] [--jobs N]

Kernels of both languages; arrays of every origin (PyTorch's too where it is installed), objects that lie, groups,
numbers. Prints launches per second and every crash, error that is not a typed one, and disagreement with its seed; exit
code 1 if there is one.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / folder) for folder in ("src", "tests")]

CHUNK = 2000


def main() -> int:
    """Spread the seeds over child processes."""
    from differential.launches import Outcome, Tally, launches

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 40))
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    start = last = time.time()
    deadline = start + 60 * chosen.minutes
    end = chosen.seed + chosen.launches

    def work(first: int) -> Tally:
        return launches(first, min(CHUNK, end - first) if time.time() < deadline else 0)

    counts, faults = dict.fromkeys(Outcome, 0), 0
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for done in as_completed([pool.submit(work, first) for first in range(chosen.seed, end, CHUNK)]):
            tally = done.result()
            faults += len(tally.faults)
            for outcome, count in tally.counts.items():
                counts[outcome] += count
            for fault in tally.faults:
                print(fault, flush=True)
            if time.time() - last > 15:
                last = time.time()
                ran = sum(counts.values())
                print(f"{ran} launches, {faults} faults, {ran / (last - start):.0f} a second", flush=True)
    ran, elapsed = sum(counts.values()), time.time() - start
    told = ", ".join(f"{count} {outcome.value}" for outcome, count in counts.items())
    rate = f"{ran / elapsed:.0f} a second"
    print(f"seed {chosen.seed}: {ran} of {chosen.launches} launches ({told}), {faults} faults, {rate}")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
