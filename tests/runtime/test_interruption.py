"""Ctrl-C in the middle of a launch and of code generation: real signals, in child processes.

Whatever is interrupted here would go on for half a minute or longer, and limits are many times what is promised.
"""

from __future__ import annotations

import os
import subprocess
import sys
from textwrap import indent

import pytest

from warm.python import command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

# A shell's background jobs ignore Ctrl-C, and so do their children unless they say otherwise.
HEARD = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
"""

# Kernels whose work-groups, or parts of one, take some milliseconds each; `done` and `after` say what was finished.
PRELUDE = """
import os, signal, sys, threading, time
import numpy as np
from interrupted import Launches, interrupted, signalled

"""
EACH = """
for THREADS in map(int, sys.argv[1:]):
    launches = Launches(THREADS)
"""


def with_threads(script: str, *numbers: int) -> str:
    """What a script prints that one process runs with each of these numbers of threads in turn."""
    return child(EACH + indent(script, "    "), *numbers, prelude=PRELUDE)


def child(script: str, *arguments: object, prelude: str, status: int = 0) -> str:
    """What a script prints in a process of its own that ends with the status."""
    paths = [os.path.dirname(__file__), os.path.dirname(os.path.dirname(__file__)), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TILEWRIGHT_CACHE": "off"}
    line = [*command(), "-c", HEARD + prelude + script, *map(str, arguments)]
    run = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == status, run.stdout + run.stderr
    return run.stdout


def test_launches_of_many_work_groups_and_of_one_shared_by_the_team() -> None:
    """KeyboardInterrupt comes soon, with no thread at work any more; then the pool works as before.

    By the long way, by the direct call, and in the middle of a work-group.
    """
    script = """
interrupted(launches.groups, launches.done)
launches.few()
call = launches.warmed()
for _ in range(2):
    launches.done[:] = 0
    interrupted(lambda: call(launches.done, launches.after, launches.spins), launches.done)
launches.few()
launches.done[:] = 0
interrupted(launches.shared, launches.done)
assert not launches.after.any(), "the work-group went on without its parts"
launches.few()
"""
    with_threads(script, 1, 3)


def test_a_large_product_leaves_the_kernel() -> None:
    """What the compiler makes of a kernel: nothing behind an interrupted product runs."""
    script = '''
import tilewright as tw

with tw.config(num_threads=THREADS):
    program = tw.compile("""
func @products(%x: memref<f32x?x?>, %y: memref<f32x?x?>, %z: memref<f32x?x?>) {
    %zero = constant 0 : index
    %times = constant 2000 : index
    %a = constant 1.0 : f32
    %b = constant 0.0 : f32
    for %i = %zero, %times {
        gemm.n.n %a, %x, %x, %b, %y
    }
    gemm.n.n %a, %x, %x, %b, %z
}
""")
    x = np.asfortranarray(np.ones((1200, 1200), np.float32))
    y, z = np.zeros_like(x), np.zeros_like(x)
    small = np.ones((40, 40), np.float32, order="F")
    program.products[1](small, y[:40, :40].copy(order="F"), other := np.zeros_like(small))
    assert np.all(other == 40)
    begun = time.perf_counter()
    with signalled(y[:, 0]):
        try:
            program.products[1](x, y, z)
        except KeyboardInterrupt:
            pass
        else:
            raise AssertionError("it ran to its end")
    assert time.perf_counter() - begun < 15
    assert not z.any(), "the kernel went on"
    program.products[1](small, small.copy(order="F"), other)
    assert np.all(other == 40)
'''
    with_threads(script, 1, 2)


def test_handlers_of_the_user_run_and_the_launch_goes_on() -> None:
    script = """
seen = []

def handler(number, frame):
    seen.append(int(launches.done.sum()))
    launches.few()
    if THREADS > 1:
        try:
            launches.pool.resize(1)
        except RuntimeError as error:
            seen.append(str(error))
    launches.hurry()

signal.signal(signal.SIGINT, handler)
with signalled(launches.done):
    launches.groups()
assert np.all(launches.done == 1)
assert 0 < seen[0] < len(launches.done), "only after the launch"
assert THREADS == 1 or "in the middle of a launch" in seen[1], seen
"""
    with_threads(script, 1, 2)


def test_what_a_handler_raises_comes_out() -> None:
    script = """
def handler(number, frame):
    raise LookupError("mine")

signal.signal(signal.SIGINT, handler)
with signalled(launches.done):
    try:
        launches.groups()
    except LookupError as error:
        assert str(error) == "mine"
    else:
        raise AssertionError("it ran to its end")
assert launches.done.sum() < len(launches.done)
"""
    with_threads(script, 2)


def test_launches_of_other_threads_go_on() -> None:
    """Python runs handlers on the main thread alone; it may even be launching itself while the pool is busy."""
    script = """
other = threading.Thread(target=launches.groups)
other.start()
while not launches.done.any():
    time.sleep(0.001)
mine = Launches(THREADS, pool=launches.pool)
interrupted(mine.groups, mine.done)
assert other.is_alive()
launches.hurry()
other.join()
assert np.all(launches.done == 1)
"""
    with_threads(script, 2)


CODE_GENERATION = """
import os, signal, sys, threading, time
import numpy as np
from interrupted import long_text, signalled
from tilewright.machine.native import compile_text

def at_work():
    return [thread for thread in threading.enumerate() if thread.name == "tilewright-compile"]

begun = np.zeros(1)
text = long_text(LENGTH)
compile_text("define void @f() { ret void }")
"""


def test_code_generation() -> None:
    """KeyboardInterrupt comes while LLVM is still at work; the next compilation waits for it, and so does the end."""
    script = """
with signalled(begun, 0.1):
    try:
        begun[0] = 1
        compile_text(text)
    except KeyboardInterrupt:
        assert at_work()
    else:
        raise AssertionError("it ran to its end")
assert len(compile_text("define void @f() { ret void }"))
begun[0] = 0
with signalled(begun, 0.1):
    try:
        begun[0] = 1
        compile_text(text)
    except KeyboardInterrupt:
        assert at_work()
print("last words")
"""
    assert child(script, prelude=CODE_GENERATION.replace("LENGTH", "4000")) == "last words\n"


def test_the_second_interrupt_does_not_wait_for_code_generation() -> None:
    script = """
with signalled(begun, 0.1):
    try:
        begun[0] = 1
        compile_text(text)
    except KeyboardInterrupt:
        assert at_work()

def again():
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=again, daemon=True).start()
"""
    child(script, prelude=CODE_GENERATION.replace("LENGTH", "100_000"), status=-2)


def test_errors_of_code_generation_are_raised_as_they_are() -> None:
    from tilewright.machine.native import InvalidIR, compile_text

    with pytest.raises(InvalidIR, match="LLVM refused the text"):
        compile_text("define")


def test_what_was_printed_is_shown() -> None:
    """What the work-groups that ran have printed comes out, and their failed assertions are noted on the exception."""
    script = '''
import tilewright as tw

with tw.config(num_threads=THREADS):
    kernel = tw.compile("""cuda_tile.module @m {
    entry @k(%out: tile<ptr<i32>>) {
      %x, %y, %z = get_tile_block_id : tile<i32>
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %many = constant <i32: 1000000> : tile<i32>
      %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
      if %first {
        print_tko "first\\\\n" -> token
        assert %zero_is_one, "never" : tile<i1>
      }
      %last = for %i in (%zero to %many, step %one) : tile<i32> iter_values(%a = %x) -> (tile<i32>) {
        %b = muli %a, %i : tile<i32>
        %c = xori %b, %x : tile<i32>
        continue %c : tile<i32>
      }
      %p = offset %out, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %set = ori %last, %one : tile<i32>
      %t = store_ptr_tko weak %p, %set : tile<ptr<i32>>, tile<i32> -> token
    }
}""".replace("assert %zero_is_one", "%zero_is_one = cmpi equal %zero, %one, signed : tile<i32> -> tile<i1>\\n"
             "assert %zero_is_one")).k
    out = np.zeros(100_000, np.int32)
    with signalled(out):
        try:
            kernel[len(out)](out)
        except KeyboardInterrupt as error:
            assert "never" in error.__notes__[0]
        else:
            raise AssertionError("it ran to its end")
    assert 0 < np.count_nonzero(out) < len(out)
'''
    assert with_threads(script, 1, 2) == "first\n" * 2
