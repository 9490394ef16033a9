"""How long Ctrl-C takes: from a real SIGINT in the middle of a launch or of code generation to KeyboardInterrupt.

    python benchmarks/interruption.py [--rounds N] [--quick] [--json PATH]

Work-groups of microseconds and of milliseconds, one work-group that threads share, on one thread and on two; then LLVM.
All would go on for much longer. Prints a table of the median with quartiles and the longest, in milliseconds, and saves
it: benchmarks/results/interruption.json unless told otherwise.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

import figures
import tilewright as tw
from children import rows_of_children
from spread import Spread
from tilewright.machine.native import compile_text

GOALS: Final = {"launch": 200.0, "code": 1000.0}
THREADS: Final = (1, 2)
MANY: Final = (1 << 31) - 1

TEXT: Final = """
func @short(%x: memref<f32x64>, %y: memref<f32x64>) {
    %a = constant 1.0 : f32
    %b = constant 0.0 : f32
    axpby %a, %x, %b, %y
}
func @long(%times: index, %x: memref<f32x128x128>, %y: memref<f32x128x128>) {
    %zero = constant 0 : index
    %a = constant 1.0 : f32
    %b = constant 0.0 : f32
    for %i = %zero, %times {
        gemm.n.n %a, %x, %x, %b, %y
    }
}
func @shared(%x: memref<f32x?x?>, %y: memref<f32x?x?>) {
    %a = constant 1.0 : f32
    %b = constant 0.0 : f32
    gemm.n.n %a, %x, %x, %b, %y
}
"""


def launches() -> dict[str, Callable[[], object]]:
    """Work that takes seconds at least."""
    program = tw.compile(TEXT)
    vector, target = np.zeros(64, np.float32), np.zeros(64, np.float32)
    small = np.zeros((128, 128), np.float32, order="F")
    large = np.zeros((6000, 6000), np.float32, order="F")
    result, product = np.zeros_like(small), np.zeros_like(large)
    # loading the code is not what is timed
    program.short[1](vector, target)
    program.long[1](1, small, result)
    program.shared[1](small, result)
    return {
        "work-groups of microseconds": lambda: program.short[MANY](vector, target),
        "work-groups of milliseconds": lambda: program.long[10_000](100, small, result),
        "one work-group, a product of 6000": lambda: program.shared[1](large, product),
    }


def long_text() -> str:
    """LLVM IR that code generation takes seconds for."""
    lines: list[str] = []
    for k in range(8000):
        lines += [f"  %a{k} = load volatile float, ptr %p", f"  %b{k} = call float @llvm.sin.f32(float %a{k})"]
        lines += [f"  store volatile float %b{k}, ptr %p"]
    body = "\n".join(lines)
    return f"declare float @llvm.sin.f32(float)\ndefine void @long(ptr %p) {{\n{body}\n  ret void\n}}\n"


def interrupted(work: Callable[[], object]) -> float:
    """Milliseconds from the signal to the exception."""
    sent: list[float] = []

    def send() -> None:
        time.sleep(0.2 + 0.2 * random.random())
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        work()
    except KeyboardInterrupt:
        return 1e3 * (time.perf_counter() - sent[0])
    finally:
        sender.join()
    raise SystemExit("the work was done before the signal came; this machine needs more of it")


class Row(Struct, frozen=True):
    """Milliseconds from the signal to the exception, and the goal for the longest."""

    what: str
    threads: int
    milliseconds: list[float]
    goal: float

    def line(self) -> str:
        """One line of the table."""
        found = Spread.of(self.milliseconds)
        return f"{self.what:40} {self.threads:8} {found!s:>26} {found.highest:8.1f} {self.goal:8.0f}"


def rows(works: Mapping[str, Callable[[], object]], goal: str, threads: int, rounds: int) -> list[Row]:
    """One row for each kind of work."""
    return [Row(what, threads, [interrupted(work) for _ in range(rounds)], GOALS[goal]) for what, work in works.items()]


def main() -> None:
    parser = figures.options(__doc__, "interruption", rounds=9)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = figures.parsed(parser)
    if options.child is not None:
        print(msgspec.json.encode(rows(launches(), "launch", options.child, options.rounds)).decode())
        return
    table = rows_of_children(sys.argv[0], ["--rounds", str(options.rounds)], THREADS, Row)
    text = long_text()
    launched = Spread.of([time for row in table for time in row.milliseconds])
    # once: LLVM goes on with what was interrupted, at the next one's expense
    table += rows({"code generation": lambda: compile_text(text)}, "code", 1, 1)
    what = "from SIGINT to KeyboardInterrupt, ms"
    print(f"{what:40} {'threads':>8} {'median [quartiles]':>26} {'longest':>8} {'goal':>8}")
    for row in table:
        print(row.line())
    figures.save(options.json, table, {"ms in all launches": launched})


if __name__ == "__main__":
    main()
