"""What it costs to start the pool's threads on a job and to wait for them, beside Python's own ways.

    python benchmarks/fork_join.py [--threads N] [--quick]

A kernel of one work-group hands `ROUNDS` jobs to its team, one share for each thread, through the entry that compiled
kernels use. Shares are empty, or keep a thread busy for about a microsecond, in which case all threads must come for
the job to take no longer than one share; what it takes beyond one share is the price of fork and join. The lowest of
many batches is given with the median, since on a shared machine the other threads are not always running.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import figures
from spread import Spread
from tilewright.artifacts.artifact import Artifact, KernelInfo, ScalarParameter
from tilewright.machine.native import compile_text
from tilewright.runtime.launch import BoundKernel, bind_artifact
from tilewright.runtime.pool import Pool
from tilewright.runtime.threads import available_processors
from timing import in_turn, timers

ROUNDS = 50
BATCHES = 400

# `jobs` starts ROUNDS jobs of `shares` shares; each share is a dependent chain of `steps` multiplications.
TEXT = """
define void @jobs(ptr %slots, ptr %grid, i64 %begin, i64 %end, ptr %scratch, ptr %team) {
entry:
  %shares = load i64, ptr %slots
  %steps.p = getelementptr i8, ptr %slots, i64 8
  %alone = icmp eq ptr %team, null
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  br i1 %alone, label %serial, label %parallel
serial:
  call void @share(ptr %steps.p, i64 0, i64 %shares, ptr %scratch, i64 0)
  br label %next
parallel:
  %for = load ptr, ptr %team
  call void %for(ptr %team, ptr @share, ptr %steps.p, i64 %shares)
  br label %next
next:
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, ROUNDS
  br i1 %more, label %loop, label %leave
leave:
  ret void
}
define internal void @share(ptr %steps.p, i64 %begin, i64 %end, ptr %scratch, i64 %thread) noinline {
entry:
  %count = sub i64 %end, %begin
  %each = load i64, ptr %steps.p
  %steps = mul i64 %count, %each
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %body ]
  %x = phi i64 [ %begin, %entry ], [ %y, %body ]
  %more = icmp ult i64 %i, %steps
  br i1 %more, label %body, label %leave
body:
  %y = mul i64 %x, 6364136223846793005
  %i.next = add i64 %i, 1
  br label %loop
leave:
  store volatile i64 %x, ptr %scratch
  ret void
}
""".replace("ROUNDS", str(ROUNDS))
STEPS = 1000


def kernel(pool: Pool) -> BoundKernel:
    info = KernelInfo("jobs", "jobs", (ScalarParameter("shares", "i64"), ScalarParameter("steps", "i64")))
    return bind_artifact(Artifact("cpu", (info,), compile_text(TEXT)), pool=pool)["jobs"]


def start_and_join() -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()


def measure(threads: int, rounds: int) -> dict[str, Spread]:
    """Microseconds a job."""
    alone, pool = Pool(1), Pool(threads)
    serial, parallel, executor = kernel(alone), kernel(pool), ThreadPoolExecutor(1)
    jobs = {
        "one empty share, one thread": partial(serial.launch, 1, (1, 0)),
        f"{threads} empty shares, {threads} threads": partial(parallel.launch, 1, (threads, 0)),
        "one share, one thread": partial(serial.launch, 1, (1, STEPS)),
        f"{threads} shares, one thread": partial(serial.launch, 1, (threads, STEPS)),
        f"{threads} shares, {threads} threads": partial(parallel.launch, 1, (threads, STEPS)),
    }
    singles: dict[str, Callable[[], object]] = {
        "ThreadPoolExecutor submit + result": lambda: executor.submit(int).result(),
        "threading.Thread start + join": start_and_join,
    }
    found = in_turn(timers({**jobs, **singles}), rounds).seconds()
    pool.close()
    executor.shutdown()
    return {name: spread.scaled(1e6 / (ROUNDS if name in jobs else 1)) for name, spread in found.items()}


def main() -> None:
    parser = figures.options(__doc__, "fork_join", rounds=BATCHES)
    parser.add_argument("--threads", type=int, default=available_processors())
    options = figures.parsed(parser)
    threads = max(2, options.threads)
    table = measure(threads, options.rounds)
    print(f"{'microseconds a job':45} {'median [quartiles]':>26} {'lowest':>9}")
    for name, row in table.items():
        print(f"{name:45} {row!s:>26} {row.lowest:9.2f}")
    joined, share = table[f"{threads} shares, {threads} threads"], table["one share, one thread"]
    lowest, median = joined.lowest - share.lowest, joined.median - share.median
    print(f"fork-join with every thread at work: {lowest:.2f} us at best, median {median:.2f} us")
    cases = [{"name": name, "us": row} for name, row in table.items()]
    figures.save(options.json, cases, {"fork_join_us": {"lowest": lowest, "median": median}})


if __name__ == "__main__":
    main()
