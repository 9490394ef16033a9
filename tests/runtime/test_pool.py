"""Every element of a range is done exactly once, whoever does it and whatever else goes on."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from tilewright.machine.native import LoadedObject, compile_text, load_object
from tilewright.runtime.pool import Pool
from tilewright.runtime.threads import available_processors, default_thread_count
from tilewright.settings.config import config

# A range function that counts each index, marks its scratch and tells which thread did what.
COUNT = """
define void @count(ptr %context, i64 %begin, i64 %end, ptr %scratch, i64 %thread) {
entry:
  store i64 %thread, ptr %scratch
  %empty = icmp sge i64 %begin, %end
  br i1 %empty, label %leave, label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %i.next, %loop ]
  %p = getelementptr i32, ptr %context, i64 %i
  %old = atomicrmw add ptr %p, i32 1 monotonic
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %end
  br i1 %more, label %loop, label %leave
leave:
  ret void
}
"""


@cache
def count_code() -> LoadedObject:
    return load_object(compile_text(COUNT), ["count"])


def count(pool: Pool, total: int, scratch_bytes: int = 0) -> None:
    done = np.zeros(total + 1, np.int32)
    pool.run(count_code().address("count"), done.ctypes.data, total, scratch_bytes)
    assert done[-1] == 0
    assert np.all(done[:-1] == 1), np.flatnonzero(done[:-1] != 1)[:10]


@pytest.fixture(params=[1, 2, 3, 7])
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    made = Pool(int(request.param))
    yield made
    made.close()


@pytest.mark.parametrize("total", [0, 1, 2, 3, 6, 7, 8, 31, 32, 33, 100, 1009, 100_003])
def test_each_index_once(pool: Pool, total: int) -> None:
    for _ in range(20):
        count(pool, total)


def test_many_small_jobs_in_a_row(pool: Pool, rng: np.random.Generator) -> None:
    for total in rng.integers(0, 70, 3000).tolist():
        count(pool, total)


def test_late_workers_do_not_join_the_next_job() -> None:
    """Several pools with more threads than processors, so that some threads are put aside between reading a job and
    claiming a part of it: they must not measure the words of one job by the sizes of the next. A matter of luck: the
    fault that this once found came up every twenty thousand jobs or so."""

    finished: list[int] = []
    count_code()

    def work(seed: int) -> None:
        crowd = Pool(7)
        for total in np.random.default_rng(seed).integers(2, 70, 1500).tolist():
            count(crowd, total)
        crowd.close()
        finished.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(finished) == len(threads), "a job never ended, or did work twice"


def test_workers_sleep_and_wake(pool: Pool) -> None:
    for _ in range(5):
        count(pool, 1000)
        time.sleep(0.02)


def test_interrupted_while_workers_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker is started twice: two of one number would have one scratch."""
    started: list[str] = []
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        started.append(thread.name)
        if len(started) == 1:
            raise KeyboardInterrupt

    pool = Pool(3)
    count_code()
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        count(pool, 100)
    for _ in range(20):
        count(pool, 1000)
    assert started == ["tilewright-1", "tilewright-2"]
    pool.close()


def test_scratch_grows_on_demand(pool: Pool) -> None:
    for size in (8, 100_000, 16, 3_000_000):
        count(pool, 50, size)


def test_resizing_between_jobs() -> None:
    pool = Pool(2)
    for threads in (1, 3, 2, 5, 1, 4):
        pool.resize(threads)
        assert pool.threads == threads
        count(pool, 1000)
    pool.close()


def test_jobs_from_several_python_threads() -> None:
    pool = Pool(3)
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(100):
                count(pool, 333)
        except AssertionError as error:
            failures.append(error)

    callers = [threading.Thread(target=work) for _ in range(4)]
    for caller in callers:
        caller.start()
    for threads in (2, 4, 1, 3):
        pool.resize(threads)
    for caller in callers:
        caller.join()
    pool.close()
    assert not failures


def test_idle_workers_use_no_time() -> None:
    """Other threads, those of earlier pools that are about to end for instance, are none of our business."""
    others = set(threading.enumerate())
    pool = Pool(2)
    count(pool, 1000)
    (worker,) = set(threading.enumerate()) - others
    assert worker.ident is not None
    clock = time.pthread_getcpuclockid(worker.ident)
    time.sleep(0.2)
    before = time.clock_gettime(clock)
    time.sleep(0.3)
    assert time.clock_gettime(clock) - before < 0.05
    pool.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_has_a_pool_of_its_own() -> None:
    script = """
import os, sys
from tests_pool import count
from tilewright.runtime.pool import Pool
pool = Pool(3)
count(pool, 1000)
child = os.fork()
count(pool, 1000)
if child == 0:
    count(pool, 77777)
    pool.resize(2)
    count(pool, 10)
    sys.exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    script = script.replace("tests_pool", "test_pool")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])}
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr


def test_exit_with_workers_waiting_is_clean() -> None:
    script = "from test_pool import count\nfrom tilewright.runtime.pool import default_pool\ncount(default_pool(), 100)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])}
    environment["TILEWRIGHT_NUM_THREADS"] = "3"
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_bad_sizes_are_refused() -> None:
    for threads in (0, -1, 10**6):
        with pytest.raises(ValueError, match="a pool has 1 to"):
            Pool(threads)


def test_the_environment_sets_the_size() -> None:
    assert default_thread_count({"TILEWRIGHT_NUM_THREADS": "5", "OMP_NUM_THREADS": "3"}) == 5
    assert default_thread_count({"OMP_NUM_THREADS": "3,2"}) == 3
    assert default_thread_count({}) >= 1
    with pytest.raises(ValueError, match="TILEWRIGHT_NUM_THREADS"):
        default_thread_count({"TILEWRIGHT_NUM_THREADS": "many"})
    with config(num_threads=7):
        assert default_thread_count({"OMP_NUM_THREADS": "3"}) == 7
    for ignored in ("-4", "5000", "9" * 5000, "four", ",2"):
        with pytest.warns(UserWarning, match="is ignored: it does not begin with a number from 1 to 4096"):
            assert default_thread_count({"OMP_NUM_THREADS": ignored}) == available_processors()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux gives huge pages to who asks")
@pytest.mark.parametrize("size", [1 << 21, (1 << 22) + 4096])
def test_much_scratch_begins_with_a_huge_page(pool: Pool, size: int) -> None:
    addresses: list[int] = []

    @ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)
    def fill(_context: int, _begin: int, _end: int, scratch: int, _thread: int) -> None:
        ctypes.memset(scratch, 1, size)
        addresses.append(scratch)

    pool.run(ctypes.cast(fill, ctypes.c_void_p).value or 0, 0, 1000, size)
    assert addresses
    assert all(scratch % (1 << 21) == 0 for scratch in addresses)


def test_scratch_is_aligned(pool: Pool) -> None:
    addresses: list[int] = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
    def note(_context: int, _begin: int, _end: int, scratch: int, _thread: int) -> None:
        addresses.append(scratch)

    address = ctypes.cast(note, ctypes.c_void_p).value
    assert address is not None
    pool.run(address, 0, 20, 100)
    assert addresses
    assert all(scratch % 128 == 0 for scratch in addresses)
