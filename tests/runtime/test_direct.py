"""Direct calls: what is recognised runs as by the long way, what is not is refused or rounded as by the long way."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import weakref
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from runtime.hand_written import AXPBY, AXPBY_PARAMETERS, ECHO, bind, f32, matrix
from runtime.python_run import CHECKS, python_run
from tilewright.artifacts.artifact import Artifact, KernelInfo, MemrefParameter, ScalarParameter
from tilewright.machine.native import compile_text
from tilewright.runtime.arrays import AnyArray
from tilewright.runtime.direct import recognisable
from tilewright.runtime.launch import BoundKernel, LaunchError, bind_artifact
from tilewright.runtime.pool import Pool

TARGET = MemrefParameter("to", "i64", (None,), (1,))


def axpby(pool: Pool) -> BoundKernel:
    """A kernel of one's own: it recognises the calls that came first, and no more."""
    artifact = Artifact("cpu", (KernelInfo("axpby", "axpby", AXPBY_PARAMETERS),), compile_text(AXPBY))
    return bind_artifact(artifact, pool=pool)["axpby"]


def warmed(kernel: BoundKernel, grid: int, *arguments: object) -> Callable[..., None]:
    """The kernel after enough calls with these arguments for them to be recognised."""
    call = kernel.prepare(grid)
    for _ in range(3):
        call(*arguments)
    return call


def outcome(call: Callable[..., None], *arguments: object) -> str:
    """What a call ends with."""
    try:
        call(*arguments)
    except (LaunchError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    return "done"


def test_calls_are_recognised_here() -> None:
    """On the platforms that CI runs on, the short way must not silently be out of use."""
    if sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)():
        assert recognisable(AXPBY_PARAMETERS)


def test_python_has_no_part_in_a_recognised_call(rng: np.random.Generator) -> None:
    kernel = axpby(Pool(1))
    x, y = f32(5, 3), f32(5, 3)
    call = warmed(kernel, 3, 1.0, x, 0.0, y)
    x[:] = rng.standard_normal(x.shape)
    with python_run() as run:
        call(-1.0, x, 0, y)
    assert np.array_equal(y, np.negative(x))
    assert run == []
    with python_run() as run:
        call(2.0, x, 0.0, y[:, :2])
    assert CHECKS in run


def axpby_artifact() -> Artifact:
    return Artifact("cpu", (KernelInfo("axpby", "axpby", AXPBY_PARAMETERS),), compile_text(AXPBY))


def test_python_has_no_part_in_calls_with_numbers_of_numpy() -> None:
    kernel = bind_artifact(axpby_artifact(), pool=Pool(1))["axpby"]
    x, y = f32(5, 3), f32(5, 3)
    call = warmed(kernel, 3, np.float32(1), x, np.int8(0), y)
    x[:] = 3
    with python_run() as run:
        call(np.float64(-1), x, np.uint64(0), y)
    assert np.all(y == -3)
    assert run == []


def test_layouts_in_turn(rng: np.random.Generator) -> None:
    """More layouts than are remembered, in random order, with windows and other addresses."""
    kernel = axpby(Pool(1))
    calls = {columns: kernel.prepare(columns) for columns in range(7)}
    for _ in range(400):
        rows, columns, extra = (int(n) for n in rng.integers(0, 7, 3))
        whole = np.asfortranarray(rng.standard_normal((rows + extra, columns)).astype(np.float32))
        x, y = whole[extra:], np.full((rows, columns), np.nan, np.float32, order="F")
        y[:] = rng.standard_normal(y.shape)
        alpha, beta = float(rng.standard_normal()), int(rng.integers(-3, 3))
        expected = np.float32(alpha) * x + np.float32(beta) * y
        calls[columns](alpha, x, beta, y)
        assert np.allclose(y, expected, rtol=1e-5, atol=1e-6)


BAD_ARRAYS: dict[str, Callable[[AnyArray], object]] = {
    "shape": lambda a: a[:-1],
    "rank": lambda a: a[0],
    "row-major": lambda a: np.ascontiguousarray(a),
    "dtype": lambda a: a.astype(np.float64),
    "byte order": lambda a: a.astype(">f4"),
    "bytes between": lambda a: np.zeros((10, 3), np.float32, order="F")[::2],
    "misaligned": lambda a: np.frombuffer(bytearray(a.nbytes + 2), np.uint8)[2:].view(np.float32).reshape(3, 5).T,
    "read-only": lambda a: np.broadcast_to(a, a.shape),
    "subclass": lambda a: a.view(np.ma.MaskedArray),
    "list": lambda a: a.tolist(),
    "none": lambda a: None,
    "good": lambda a: a.copy(order="F"),
}


@pytest.mark.parametrize("flaw", BAD_ARRAYS)
@pytest.mark.parametrize("place", [1, 3])
def test_arrays_end_as_by_the_long_way(flaw: str, place: int) -> None:
    parameters = (
        ScalarParameter("a", "f32"),
        matrix("X", written=False, alignment=4),
        AXPBY_PARAMETERS[2],
        matrix("Y"),
    )
    kernel = bind("axpby", AXPBY, parameters)
    arguments: list[object] = [1.0, f32(5, 3), 0.0, f32(5, 3)]
    call = warmed(kernel, 0, *arguments)
    arguments[place] = BAD_ARRAYS[flaw](f32(5, 3))
    assert outcome(call, *arguments) == outcome(lambda *given: kernel.launch(0, given), *arguments)


class HalfOfOne(float):
    """A number of a class of its own, which says something else than it holds."""

    def __float__(self) -> float:
        return 0.5


NUMBERS: tuple[object, ...] = (
    *(0, 1, -1, 127, 128, -128, -129, 1 << 31, -(1 << 31) - 1, (1 << 63) - 1, 1 << 63, -(1 << 63), 1 << 70),
    *(0.0, -0.0, 1.5, 1e-50, 3.4028235677973366e38, 1e39, 1e308, float("inf"), float("-inf"), float("nan")),
    *(True, False, np.float32(2.5), np.int8(3), np.bool_(True), 1j, "1", None, b"1", np.ones(1), np.ones(2)),
    *((1 << 53) + 1, 1 << 24 | 1, -(1 << 62) - 1),
    *(kind(5) for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)),
    *(np.int16(-129), np.int64((1 << 53) + 1), np.uint64(1 << 63), np.longlong(-7), np.uint8(200), np.bool_(False)),
    *(np.float16(1e-7), np.float32("inf"), np.float64(1e39), np.float64("nan"), np.float64(-0.0), np.longdouble(1.5)),
    *(
        2 - 3j,
        1e39j,
        complex("nan"),
        complex("inf-infj"),
        np.complex64(2 - 1j),
        np.complex128(1e39 + 1j),
        np.complex128(-0j),
    ),
    *(np.clongdouble(1j), np.array(3), np.array(2.5), np.array(True), np.datetime64(1, "s"), np.str_("1"), HalfOfOne()),
)


@pytest.mark.parametrize("dtype", ["bool", "i8", "i16", "i32", "i64", "index", "f32", "f64", "c32", "c64"])
def test_numbers_end_as_by_the_long_way(dtype: str) -> None:
    size = 16 if dtype == "c64" else 8
    kernel = bind("echo", ECHO.replace("SIZE", str(size)), (ScalarParameter("value", dtype), TARGET))
    width = {"bool": 1, "i8": 1, "i16": 2, "i32": 4, "f32": 4}.get(dtype, size)
    for value in NUMBERS:
        long, short = np.full(5, -7, np.int64), np.full(5, -7, np.int64)
        call = warmed(kernel, 1, False if dtype == "bool" else 0, np.zeros(5, np.int64))
        found = outcome(call, value, short), outcome(lambda *given: kernel.launch(1, given), value, long)
        assert found[0] == found[1], value
        # behind the value's bytes the slot holds nothing
        assert short.tobytes()[:width] == long.tobytes()[:width], value
        assert np.array_equal(short[size // 8 :], long[size // 8 :])


def test_a_wrong_number_of_arguments() -> None:
    call = warmed(axpby(Pool(1)), 1, 1.0, f32(5, 3), 0.0, f32(5, 3))
    with pytest.raises(TypeError, match="takes 4 arguments"):
        call(1.0, f32(5, 3), 0.0)
    with pytest.raises(TypeError, match="takes 4 arguments"):
        call(1.0, f32(5, 3), 0.0, f32(5, 3), 1)


def test_promised_not_to_overlap(rng: np.random.Generator) -> None:
    x = matrix("X", written=False, noalias=True)
    kernel = bind("axpby", AXPBY, (AXPBY_PARAMETERS[0], x, *AXPBY_PARAMETERS[2:]))
    memory = np.zeros(200, np.float32)

    def cut(start: int) -> AnyArray:
        return memory[start : start + 15].reshape(5, 3, order="F")

    call = warmed(kernel, 0, 1.0, cut(0), 0.0, cut(100))
    for start in [*rng.integers(60, 140, 40), 85, 86, 99, 100, 101, 114, 115]:
        arguments = (1.0, cut(int(start)), 0.0, cut(100))
        assert outcome(call, *arguments) == outcome(lambda *given: kernel.launch(0, given), *arguments), start


def references_per_call(work: Callable[[], object], things: Sequence[object]) -> list[int]:
    """How many more references to each of the things there are after a call than before it.

    Counts are taken between collections: what they free, in the test or in anything that ran before it, refers to None
    and to types of elements too. The rest that other threads and caches add is lost in the rounding.
    """
    calls = 1000
    work()
    gc.collect()
    before = [sys.getrefcount(thing) for thing in things]
    for _ in range(calls):
        work()
    gc.collect()
    after = [sys.getrefcount(thing) for thing in things]
    return [round((b - a) / calls) for a, b in zip(before, after, strict=True)]


def test_nothing_leaks() -> None:
    x, y, value, large = f32(5, 3), f32(5, 3), 1234.5, 1 << 40
    call = warmed(axpby(Pool(1)), 1, value, x, large, y)
    things = (x, y, value, large, x.dtype, call, None)
    assert references_per_call(lambda: call(value, x, large, y), things) == [0] * len(things)
    assert references_per_call(lambda: outcome(call, value, x, "no", y), things) == [0] * len(things)


def test_a_leak_would_be_noticed() -> None:
    """The leak of another object is no leak of this one; Python 3.12 and later count no references to None."""
    leaked, other = f32(2, 2), f32(2, 2)
    incref = ctypes.pythonapi.Py_IncRef
    incref.argtypes, incref.restype = [ctypes.py_object], None
    garbage: list[object] = [None] * 5000
    garbage.append(garbage)
    del garbage
    assert references_per_call(lambda: incref(leaked), (leaked, other, None)) == [1, 0, 0]
    counted = int(sys.version_info < (3, 12))
    assert references_per_call(lambda: incref(None), (leaked, other, None)) == [0, 0, counted]


def test_a_call_outlives_its_kernel_and_is_collected() -> None:
    pool = Pool(1)
    kernel = axpby(pool)
    reference = weakref.ref(kernel)
    x, y = np.asfortranarray(np.ones((5, 3), np.float32)), f32(5, 3)
    call = warmed(kernel, 3, 1.0, x, 0.0, y)
    del kernel
    gc.collect()
    call(4.0, x, 0.0, y)
    assert np.all(y == 4)
    del call
    gc.collect()
    assert reference() is None


def test_many_threads_and_a_pool_that_changes() -> None:
    pool = Pool(2)
    kernel = axpby(pool)
    call = kernel.prepare(50)
    failures: list[int] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for k in range(300):
            x = np.asfortranarray(rng.standard_normal((20 + k % 3, 50)).astype(np.float32))
            y = f32(*x.shape)
            call(2.0, x, 0.0, y)
            if not np.array_equal(y, 2 * x):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for count in (1, 3, 2):
        pool.resize(count)
    for thread in threads:
        thread.join()
    assert not failures
    pool.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_in_a_forked_child() -> None:
    pool = Pool(2)
    kernel = axpby(pool)
    x, y = np.asfortranarray(np.ones((5, 50), np.float32)), f32(5, 50)
    call = warmed(kernel, 50, 1.0, x, 0.0, y)
    child = os.fork()
    if child == 0:
        try:
            call(3.0, x, 0.0, y)
            os._exit(0 if np.all(y == 3) else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    pool.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_writes_nothing_that_its_parent_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child's launch falls between the parent's writing of a frame and its reading."""
    pool = Pool(1)
    kernel = axpby(pool)
    x, y = np.asfortranarray(np.ones((5, 50), np.float32)), f32(5, 50)
    kernel.launch(50, (1.0, x, 0.0, y))
    launch = pool.call

    def after_the_child(pool_address: int, frame: int) -> int:
        os.write(write_end, b".")
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        return launch(pool_address, frame)

    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.read(read_end, 1)
            kernel.launch(10, (3.0, x, 0.0, f32(5, 50)))
            os._exit(0)
        finally:
            os._exit(2)
    monkeypatch.setattr(kernel, "_call", after_the_child)
    kernel.launch(50, (2.0, x, 0.0, y))
    os.close(read_end)
    os.close(write_end)
    assert np.all(y == 2)
    pool.close()


def test_names_in_order_are_recognised(rng: np.random.Generator) -> None:
    """By name as by position, behind arguments without names too; any other order is put right first."""
    kernel = axpby(Pool(1))
    x, y = f32(5, 3), f32(5, 3)
    call = warmed(kernel, 3, 1.0, x, 0.0, y)
    names = [parameter.name for parameter in AXPBY_PARAMETERS]
    for first in range(5):
        x[...] = rng.standard_normal(x.shape)
        given = (1.0, x, 0.0, y)
        named = dict(zip(names[first:], given[first:], strict=True))
        with python_run() as run:
            call(*given[:first], **named)
        np.testing.assert_array_equal(y, x)
        assert run == []
    x[...] = rng.standard_normal(x.shape)
    with python_run() as run:
        call(1.0, **dict(reversed(list(zip(names[1:], (x, 0.0, y), strict=True)))))
    np.testing.assert_array_equal(y, x)
    assert CHECKS not in run
    for wrong in ({names[0]: 1.0}, {"none": y}):
        with pytest.raises(LaunchError):
            call(1.0, x, 0.0, **wrong)
    with pytest.raises(LaunchError, match=f"nothing is given for {names[3]}"):
        call(1.0, x, **{names[2]: 0.0})


def test_arguments_that_names_leave_out_are_not_read() -> None:
    """What lies behind the last argument is none, even if it would fit."""
    x, y = np.asfortranarray(np.ones((5, 3), np.float32)), f32(5, 3)
    call = warmed(axpby(Pool(1)), 3, 1.0, x, 0.0, y)
    vectorcall = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.py_object, ctypes.py_object * 4, ctypes.c_size_t, ctypes.py_object
    )(("PyObject_Vectorcall", ctypes.pythonapi))
    last, before = AXPBY_PARAMETERS[3].name, AXPBY_PARAMETERS[2].name
    memory = (ctypes.py_object * 4)(7.0, x, 0.0, y)
    with pytest.raises(LaunchError, match=f"nothing is given for {last}"):
        vectorcall(call, memory, 2, (before,))
    assert np.all(y == 1)
    vectorcall(call, memory, 2, (before, last))
    assert np.all(y == 7)
