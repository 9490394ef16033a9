"""Random launches with valid and hostile arguments, in child processes: refused alike on every target, or equal.

A launch that the interpreter runs to its end must do the same on the CPU; one that it refuses must be refused there in
the same words. Where the interpreter stops because a kernel goes further behind a pointer than its array does, the
compiled kernel is not run: how far kernels go there nobody knows before.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from generators.launch_arguments import Made, argument
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.program import Kernel

Array = NDArray[Any]

_LAUNCHES_OF_A_CHILD = 2000


def _store(dtype: str) -> str:
    return f"""func @store_{dtype}(%a: {dtype}, %x: memref<{dtype}x?>) {{
    %zero = constant 0 : index %n = size %x[0] : index
    foreach (%i) = (%zero), (%n) {{ store %a, %x[%i] }}
}}"""


_ONE = "%one = constant 1.0 : f32 %zero = constant 0.0 : f32"
_FIRST = "%i = group_id.x : index %n = size %g[0] : index %inside = cmp.lt %i, %n : bool"

TENSOR_KERNELS = (
    "func @nothing(%x: memref<f32x?>, %g: group<memref<f32x4>x2>, %b: bool, %z: c32) { }",
    "func @axpby(%a: f32, %x: memref<f32x4>, %b: f32, %y: memref<f32x4>) { axpby %a, %x, %b, %y }",
    f"func @open(%x: memref<f32x?>, %y: memref<f32x?>) {{ {_ONE} axpby %one, %x, %one, %y }}",
    f"func @sum(%x: memref<f32x?,strided<?>>, %y: memref<f32>) {{ {_ONE} sum %one, %x, %zero, %y }}",
    f"""func @gemm(%a: memref<f32x2x3>, %b: memref<f32x3x4>, %c: memref<f32x2x4>) {{
    {_ONE} gemm %one, %a, %b, %one, %c
}}""",
    f"func @strided(%x: memref<f32x?x?,strided<?,?>>) {{ {_ONE} axpby %one, %x, %one, %x }}",
    f"""func @promised(%x: memref<f32x?> {{alignment = 8, shape_gcd = [2]}}, %y: memref<f32x4> {{"noalias" = true}}) {{
    {_ONE} %z = constant 0 : index %n = size %x[0] : index
    foreach (%i) = (%z), (%n) {{ store %one, %x[%i] }}
    axpby %one, %y, %one, %y
}}""",
    f"""func @perhaps(%x: memref<f32x4>, %y: memref<f32x4>) {{
    {_ONE} %there = associated %x : bool
    if %there {{ axpby %one, %x, %one, %y }}
}}""",
    f"""func @group(%g: group<memref<f32x?x?>x?>) {{
    {_ONE} {_FIRST}
    if %inside {{ %m = load %g[%i] : memref<f32x?x?> axpby %one, %m, %one, %m }}
}}""",
    f"""func @offset(%g: group<memref<f32x2x3>x?, offset: ?>, %y: memref<f32x2x3>) {{
    {_ONE} {_FIRST}
    if %inside {{
        %m = load %g[%i] : memref<f32x2x3>
        %there = associated %m : bool
        if %there {{ axpby %one, %m, %one, %y }}
    }}
}}""",
    f"""func @pair(%g: group<memref<f32x?,strided<?>>x2>, %y: memref<f32>) {{
    {_ONE} %some = associated %g : bool %i = constant 1 : index
    if %some {{ %m = load %g[%i] : memref<f32x?,strided<?>> sum %one, %m, %one, %y }}
}}""",
    *map(_store, ("i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64", "c32", "c64")),
)

_F32 = "tile<ptr<f32>>"
_LANES = "tile<8xptr<f32>>"


def _pointer_store(dtype: str) -> str:
    pointer = f"tile<ptr<{dtype}>>"
    return f"""cuda_tile.module @m {{ entry @put_{dtype}(%a: tile<{dtype}>, %p: {pointer}) {{
  %t = store_ptr_tko weak %p, %a : {pointer}, tile<{dtype}> -> token
}} }}"""


TILE_KERNELS = (
    f"""cuda_tile.module @m {{ entry @first(%p: {_F32}, %q: {_F32}) {{
  %x, %t = load_ptr_tko weak %p : {_F32} -> tile<f32>, token
  %u = store_ptr_tko weak %q, %x : {_F32}, tile<f32> -> token
}} }}""",
    f"""cuda_tile.module @m {{ entry @some(%p: {_F32}, %n: tile<i32>, %q: {_F32}) {{
  %k = iota : tile<8xi32>
  %0 = reshape %n : tile<i32> -> tile<1xi32>
  %1 = broadcast %0 : tile<1xi32> -> tile<8xi32>
  %m = cmpi less_than %k, %1, signed : tile<8xi32> -> tile<8xi1>
  %2 = reshape %p : {_F32} -> tile<1xptr<f32>>
  %3 = broadcast %2 : tile<1xptr<f32>> -> {_LANES}
  %4 = offset %3, %k : {_LANES}, tile<8xi32> -> {_LANES}
  %5 = reshape %q : {_F32} -> tile<1xptr<f32>>
  %6 = broadcast %5 : tile<1xptr<f32>> -> {_LANES}
  %7 = offset %6, %k : {_LANES}, tile<8xi32> -> {_LANES}
  %x, %t = load_ptr_tko weak %4, %m : {_LANES}, tile<8xi1> -> tile<8xf32>, token
  %u = store_ptr_tko weak %7, %x, %m token = %t : {_LANES}, tile<8xf32>, tile<8xi1> -> token
}} }}""",
    f"""cuda_tile.module @m {{ entry @null(%p: {_F32}, %q: tile<ptr<i64>>) {{
  %a = ptr_to_int %p : {_F32} -> tile<i64>
  %zero = constant <i64: 0> : tile<i64>
  %there = cmpi not_equal %a, %zero, unsigned : tile<i64> -> tile<i1>
  %b = exti %there unsigned : tile<i1> -> tile<i64>
  %u = store_ptr_tko weak %q, %b : tile<ptr<i64>>, tile<i64> -> token
}} }}""",
    *map(_pointer_store, ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64")),
)


class Outcome(Enum):
    """What became of a launch."""

    RAN = "ran"
    REFUSED = "refused"
    UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class Tally:
    """How many launches ended how, and what was wrong with others."""

    counts: dict[Outcome, int]
    faults: list[str]


@cache
def _kernels(target: str) -> tuple[Kernel, ...]:
    texts = (*TENSOR_KERNELS, *TILE_KERNELS)
    return tuple(next(iter(tw.compile(text, target=target, cache=False))) for text in texts)


def launch(seed: int) -> Outcome:
    """One launch on both targets; AssertionError says what is wrong."""
    with warnings.catch_warnings():
        # what libraries say about strange arrays
        warnings.simplefilter("ignore")
        return _compare(seed)


def _compare(seed: int) -> Outcome:
    number = random.Random(seed).randrange(len(_kernels("cpu")))
    expected, memory = _run(_kernels("interpreter")[number], seed)
    if isinstance(expected, KernelError) and not isinstance(expected, tw.LaunchError):
        assert _is_kernels_own(expected), f"it could be told before: {_words(expected)}"
        return Outcome.UNDEFINED
    found, changed = _run(_kernels("cpu")[number], seed)
    assert _words(found) == _words(expected), f"CPU: {_words(found)}\ninterpreter: {_words(expected)}"
    for left, right in zip(changed, memory, strict=True):
        assert left.dtype == right.dtype
        assert _equal(left, right), f"memory differs:\n{left}\n{right}"
    return Outcome.RAN if expected is None else Outcome.REFUSED


def _is_kernels_own(error: KernelError) -> bool:
    """Whether no check of arguments could foresee this."""
    found = error.diagnostics[0]
    return found.code == "R010" and "null" not in found.message


def _run(kernel: Kernel, seed: int) -> tuple[Exception | None, list[Array]]:
    """What the launch raised, and the memory of all arguments afterwards."""
    rnd = random.Random(seed)
    grid = rnd.choice((1, 1, 2, 3, 0))
    count = len(kernel.info.passed) + rnd.choice((0,) * 60 + (1, -1))
    made: list[Made] = [argument(rnd, parameter) for parameter in kernel.info.passed][: max(count, 0)]
    made += [Made(None)] * (count - len(made))
    error = None
    try:
        kernel[grid](*(entry.argument for entry in made))
    except (tw.LaunchError, KernelError) as refused:
        error = refused
    return error, [part for entry in made for part in entry.memory]


def _words(error: Exception | None) -> str:
    """What an error says, but for addresses."""
    if error is None:
        return "runs"
    return re.sub(r"0x[0-9a-f]+|\d{12,}", "0x..", f"{type(error).__name__}: {error}")


def _equal(left: Array, right: Array) -> bool:
    if left.dtype.kind in "?biu" or left.tobytes() == right.tobytes():
        return left.tobytes() == right.tobytes()
    wide = np.complex128 if left.dtype.kind == "c" else np.float64
    return bool(np.allclose(left.astype(wide), right.astype(wide), 1e-2, 1e-30, equal_nan=True))


# Children


def _child(first: int, count: int) -> None:
    """Say each seed before its launch, and what was wrong after it."""
    for seed in range(first, first + count):
        os.write(1, f"launch {seed}\n".encode())
        try:
            line = launch(seed).value
        except Exception as error:  # whatever it is, it is a finding
            line = f"fault {type(error).__name__}: {error}".replace("\n", "\\n")
        os.write(1, f"{line}\n".encode())


def launches(first: int, count: int) -> Tally:
    """Launches with these seeds in child processes, one after another; a crash ends a child and is a fault."""
    tally = Tally(dict.fromkeys(Outcome, 0), [])
    end = first + count
    while first < end:
        size = min(_LAUNCHES_OF_A_CHILD, end - first)
        lines, ended = run_child(first, size)
        done = _add(tally, lines, ended)
        if not lines:
            break
        if done < size:
            done += 1
        first += done
    return tally


def run_child(first: int, count: int) -> tuple[list[str], str]:
    """The lines of a child, and how it ended if it crashed."""
    tests = Path(__file__).resolve().parent.parent
    paths = [str(tests.parent / "src"), str(tests), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONFAULTHANDLER": "1"}
    command = [sys.executable, "-m", "differential.launches", str(first), str(count)]
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    ended = "" if child.returncode == 0 else f"{_how(child.returncode)}\n{child.stderr[-2000:]}"
    return child.stdout.splitlines(), ended


def _how(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else f"exit status {status}"


def _add(tally: Tally, lines: Sequence[str], ended: str) -> int:
    """Count a child's lines; how many launches it has finished."""
    done = 0
    for seed, line in _pairs(lines):
        if line is None:
            tally.faults.append(f"seed {seed}: the process ended by {ended}")
            continue
        done += 1
        if line.startswith("fault"):
            text = line.removeprefix("fault ").replace("\\n", "\n")
            tally.faults.append(f"seed {seed}: {text}")
        else:
            tally.counts[Outcome(line)] += 1
    if ended and not lines:
        tally.faults.append(f"the process ended before any launch: {ended}")
    return done


def _pairs(lines: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    seed = None
    for line in lines:
        if line.startswith("launch "):
            seed = line.removeprefix("launch ")
        elif seed is not None:
            yield seed, line
            seed = None
    if seed is not None:
        yield seed, None


if __name__ == "__main__":
    _child(int(sys.argv[1]), int(sys.argv[2]))
