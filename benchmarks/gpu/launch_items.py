"""Where the host's time goes in a launch with tensors of torch that is like an earlier one: nanoseconds of each item.

    python benchmarks/gpu/launch_items.py [--quick] [--json PATH]

Each is called by a loop in machine code, as a launch calls it, but for what is said to be called from Python. What
needs no device is measured on any machine with torch; on one with a GPU also what the driver and torch take for it, and
whole launches (`launch.py` compares these with other ways). Prints a table of medians with quartiles and saves it:
benchmarks/results/gpu_launch_items.json unless told otherwise.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from ctypes import c_void_p
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from time import perf_counter
from typing import Any

from device import name_of_device

# isort: split
import figures
import tilewright as tw
from figures import Chart
from tile_ir_kernels import vector_add_pointers
from tilewright.artifacts.artifact import device_block_size
from tilewright.machine.cuda.binding import library
from tilewright.machine.cuda.driver import open_device
from tilewright.machine.cuda.launch_config import LaunchConfig
from tilewright.machine.native import load_object
from tilewright.machine.own_code import own_code
from tilewright.runtime.nvidia.direct import CUDA
from tilewright.runtime.torch_functions import KINDS, SIZES, STATES, tensor_functions
from tilewright.runtime.torch_tensors import describer, stream_teller
from timing import Timer, in_turn

CALLS = 200
"""Few enough for the device's queue."""
REPEATS = 50
"""How often as many are called of what the queue does not see."""
ROUNDS = 51
N = 1024

LOOPS = """
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)

define void @repeat(ptr %function, ptr %a, ptr %b, ptr %c, ptr %d, i64 %count) {
entry:
  br label %call

call:
  %k = phi i64 [ 0, %entry ], [ %next, %call ]
  %result = call i32 %function(ptr %a, ptr %b, ptr %c, ptr %d)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %call, label %done

done:
  ret void
}

define i32 @other_threads_may_run(ptr %a, ptr %b, ptr %c, ptr %d) {
  %thread = call ptr @PyEval_SaveThread()
  call void @PyEval_RestoreThread(ptr %thread)
  ret i32 0
}

define i32 @nothing(ptr %a, ptr %b, ptr %c, ptr %d) {
  ret i32 0
}
"""
THREADS = ("PyEval_SaveThread", "PyEval_RestoreThread")


class Loops:
    """Machine code that calls functions many times, with up to four words; at `place` these may leave answers."""

    def __init__(self) -> None:
        symbols = {name: ctypes.cast(getattr(ctypes.pythonapi, name), c_void_p).value or 0 for name in THREADS}
        self._code = load_object(own_code(LOOPS), ["repeat", "other_threads_may_run", "nothing"], symbols=symbols)
        # with the GIL, as a launch has it
        self._repeat = ctypes.PYFUNCTYPE(None, *[c_void_p] * 6)(self._code.address("repeat"))
        self._answers = ctypes.create_string_buffer(64)
        self.place = ctypes.addressof(self._answers)

    def own(self, name: str) -> tuple[int, ...]:
        """A function of its own, to be called without arguments."""
        return (self._code.address(name),)

    def timer(self, function: int, *arguments: int, calls: int) -> Timer:
        """Seconds of one call."""
        given = [*arguments, 0, 0, 0, 0][:4]

        def timed() -> float:
            begin = perf_counter()
            self._repeat(function, *given, calls)
            return (perf_counter() - begin) / calls

        return timed


def of_tensors(loops: Loops, tensor: Any) -> dict[str, Timer]:
    """What a launch asks about each tensor, and what it would cost otherwise."""
    functions = tensor_functions()
    if functions is None:
        raise SystemExit("this torch lacks the functions that launches ask")
    handle, place = id(tensor) + functions.place, loops.place
    names = chain(("requires_grad", "is_neg", "is_conj"), (name.removeprefix("aoti_torch_") for name in KINDS + SIZES))
    assert len(functions.addresses) == len(STATES + KINDS + SIZES)
    calls = CALLS * REPEATS
    found = {
        f"a tensor's {name}": loops.timer(
            address, tensor._cdata if name == "requires_grad" else handle, place, calls=calls
        )
        for name, address in zip(names, functions.addresses, strict=True)
    }
    if describer():
        found["for comparison: DLPack's exchange interface"] = loops.timer(describer(), id(tensor), place, calls=calls)
    found["for comparison: tensor.requires_grad, Python"] = from_python(lambda: tensor.requires_grad, calls)
    found["for comparison: tensor.is_neg(), Python"] = from_python(tensor.is_neg, calls)
    return found


def from_python(run: Callable[[], object], calls: int) -> Timer:
    """Seconds of one call from Python's bytecode."""

    def timed() -> float:
        begin = perf_counter()
        for _ in range(calls):
            run()
        return (perf_counter() - begin) / calls

    return timed


def of_device(loops: Loops, torch: Any) -> dict[str, Timer]:
    """What a launch asks torch and the driver, and whole launches; nothing is waited for within a round."""
    x, y, z = (torch.zeros(N, device="cuda") for _ in range(3))
    program = tw.compile(vector_add_pointers(N), target="nvidia", cache=False)
    add = program.vector_add
    launch = add[1]
    for _ in range(3):
        launch(x, y, z, N)
    context = open_device(torch.cuda.current_device())
    info = next(iter(program.artifact.kernels))
    assert info.launch is not None
    function = context.load(program.artifact.payload.decode()).function(info.symbol)
    slots = (ctypes.c_uint64 * (device_block_size(info) // 8))(x.data_ptr(), y.data_ptr(), z.data_ptr(), N)
    parameters = c_void_p(ctypes.addressof(slots))
    config = LaunchConfig.of((1, 1, 1), info.launch.threads, info.local_bytes)
    kept = (function, slots, parameters, config)
    places = [loops.place, config.address, ctypes.addressof(parameters)]
    driver, many = library(), CALLS * REPEATS

    def queued(timer: Timer, _kept: object = kept) -> Timer:
        def timed() -> float:
            torch.cuda.synchronize()
            took = timer()
            torch.cuda.synchronize()
            return took

        return timed

    found: dict[str, Timer] = {
        "torch's current stream": loops.timer(
            stream_teller(), CUDA, context.description.ordinal, places[0], calls=many
        ),
        "cuCtxGetCurrent": loops.timer(driver.address("cuCtxGetCurrent"), places[0], calls=many),
        "cuLaunchKernelEx": queued(
            loops.timer(driver.address("cuLaunchKernelEx"), places[1], function.handle, places[2], calls=CALLS)
        ),
    }
    stable = getattr(ctypes.CDLL(sys.modules["torch._C"].__file__ or ""), "aoti_torch_get_current_cuda_stream", None)
    if stable is not None:
        address = ctypes.cast(stable, c_void_p).value or 0
        found["for comparison: its stable C interface's"] = loops.timer(
            address, context.description.ordinal, places[0], calls=many
        )
    found["launch(x, y, z, n), launch = kernel[1], Python"] = queued(from_python(lambda: launch(x, y, z, N), CALLS))
    found["kernel[1](x, y, z, n), Python"] = queued(from_python(lambda: add[1](x, y, z, N), CALLS))
    found["for comparison: torch.add(x, y, out=z), Python"] = queued(from_python(lambda: torch.add(x, y, out=z), CALLS))
    return found


def main() -> None:
    options = figures.parsed(figures.options(__doc__, "gpu_launch_items", rounds=ROUNDS))
    if find_spec("torch") is None:
        raise SystemExit("this benchmark launches with tensors of torch, which is not installed")
    torch = import_module("torch")
    has_device = torch.cuda.is_available()
    loops, calls = Loops(), CALLS * REPEATS
    tensor = torch.zeros(N, device="cuda" if has_device else "cpu")
    timers = {
        "the loop, and a function that does nothing": loops.timer(*loops.own("nothing"), calls=calls),
        "other threads may run": loops.timer(*loops.own("other_threads_may_run"), calls=calls),
        **of_tensors(loops, tensor),
        **(of_device(loops, torch) if has_device else {}),
    }
    device = name_of_device(torch) if has_device else f"no device, torch {torch.__version__}"
    print(device)
    print(f"{'nanoseconds of the host':50} {'median [quartiles]':>26} {'lowest':>9}")
    found = {name: spread.scaled(1e9) for name, spread in in_turn(timers, options.rounds).seconds().items()}
    for name, spread in found.items():
        print(f"{name:50} {spread!s:>26} {spread.lowest:9.1f}")
    cases: list[dict[str, object]] = [{"name": name, "device": device} for name in found]
    bars = [(name, spread.median / 1e3) for name, spread in found.items()]
    figures.save(
        options.json, cases, found, Chart("Items of a launch on the host", bars, 5.0, "us", lower_is_better=True)
    )


if __name__ == "__main__":
    main()
