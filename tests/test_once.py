"""One result a process, also when many threads ask first."""

from __future__ import annotations

import subprocess
import threading
import time

import pytest

from tilewright.once import once
from warm.python import command


def test_threads_that_ask_together_get_the_same() -> None:
    made: list[object] = []

    def make() -> object:
        time.sleep(0.02)
        made.append(object())
        return made[-1]

    get = once(make)
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(get())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert found == made * 8


def test_a_failure_is_not_remembered() -> None:
    attempts: list[int] = []

    def make() -> int:
        attempts.append(0)
        if len(attempts) == 1:
            raise OSError
        return 7

    get = once(make)
    with pytest.raises(OSError):
        get()
    assert get() == 7


FIRST_LAUNCHES = """
import threading
import numpy as np
import tilewright as tw
program = tw.compile("func @f(%x: memref<f32x?>) { %a = constant 2.0 : f32 axpby %a, %x, %a, %x }", cache=False)
barrier = threading.Barrier(4)
found = []
def work():
    x = np.ones(1000, np.float32)
    barrier.wait()
    for _ in range(50):
        x[:] = 1
        program.f[4](x[:0])
        program.f[1](x)
        assert np.all(x == 4)
    found.append(True)
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
assert len(found) == 4
"""


def test_first_launches_of_many_threads() -> None:
    """Loading, the pool and the direct call are all made at the first launch: here by four threads at once."""
    ended = subprocess.run([*command(), "-c", FIRST_LAUNCHES], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
