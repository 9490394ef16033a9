"""Kernels of random size in every direction: each compiles, or is refused, in 10 s of CPU time and 1 GB.

    python scripts/fuzz_compile_time.py --kernels 500 --minutes 5 [--seed N] [--jobs N] [--seconds 10]
        [--megabytes 1000]

Every compile is a process of its own. Prints what takes more, with the family, the size and the seed that give the
text again; exit code 1 if there is anything.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(_ROOT / "benchmarks"))
# The children import tilewright from here as well.
os.environ["PYTHONPATH"] = os.pathsep.join([str(_ROOT / "src"), os.environ.get("PYTHONPATH", "")])

from capped import Compilation, compile_capped  # noqa: E402
from compile_cases import families, mixture  # noqa: E402


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel, and how to make it again."""

    name: str
    text: str


def case(seed: int) -> Case:
    """A kernel of a random family and size, small ones as often as large ones."""
    rnd = random.Random(seed)
    if rnd.random() < 0.3:
        count = int(2 ** rnd.uniform(3, 12))
        return Case(f"seed {seed}: mixture of {count}", mixture(rnd, count))
    family = rnd.choice(families())
    low, high = family.sizes[0], family.largest
    size = round(low * (high / low) ** rnd.random())
    if family.dimension == "extent" and family.name.startswith("tile"):
        size = 1 << (size.bit_length() - 1)
    return Case(f"seed {seed}: {family.name}, {family.dimension} {size}", family.kernel(size))


def main() -> int:
    """Compile until the number or the time is reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=int, default=500)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 40))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=10.0, help="CPU time of a compile")
    parser.add_argument("--megabytes", type=float, default=1000.0, help="peak memory of a compile, Python's included")
    parser.add_argument("--target", default="cpu")
    chosen = parser.parse_args()
    deadline = time.monotonic() + 60 * chosen.minutes

    def attempt(seed: int) -> tuple[Case, Compilation] | None:
        if time.monotonic() > deadline:
            return None
        made = case(seed)
        return made, compile_capped(made.text, chosen.target, chosen.seconds, chosen.megabytes)

    ran = over = refused = 0
    slowest, largest = 0.0, 0.0
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for found in pool.map(attempt, range(chosen.seed, chosen.seed + chosen.kernels)):
            if found is None:
                continue
            made, taken = found
            ran += 1
            refused += taken.outcome.startswith("refused")
            slowest, largest = max(slowest, taken.seconds), max(largest, taken.megabytes)
            if not taken.within(chosen.seconds, chosen.megabytes):
                over += 1
                print(f"{made.name}: {taken.seconds:.1f} s, {taken.megabytes:.0f} MB, {taken.outcome}", flush=True)
    print(
        f"seed {chosen.seed}: {ran} kernels, {refused} refused, {over} over {chosen.seconds:g} s or"
        f" {chosen.megabytes:g} MB; slowest {slowest:.1f} s, largest {largest:.0f} MB"
    )
    return 1 if over else 0


if __name__ == "__main__":
    raise SystemExit(main())
