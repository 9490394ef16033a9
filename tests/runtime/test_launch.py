"""Kernels written by hand to the calling convention, launched on arrays of every origin."""

from __future__ import annotations

import threading

import ml_dtypes
import numpy as np
import pytest

from runtime.hand_written import AXPBY, AXPBY_PARAMETERS, ECHO, GROUP, LOCAL, TruthTensor, axpby, bind, f32, matrix
from tilewright.artifacts.artifact import (
    Artifact,
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    ScalarParameter,
)
from tilewright.machine.native import compile_text
from tilewright.runtime.arrays import AnyArray
from tilewright.runtime.groups import ArrayGroup, PointerArray
from tilewright.runtime.launch import bind_artifact
from tilewright.runtime.pool import Pool


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (17, 9), (64, 33), (5, 1000), (0, 4), (4, 0)])
def test_axpby_with_dynamic_strides(shape: tuple[int, int], rng: np.random.Generator) -> None:
    rows, columns = shape
    x = np.asfortranarray(rng.standard_normal(shape).astype(np.float32))
    y = np.full((rows + 7, columns + 2), np.nan, np.float32, order="F")
    y[2 : rows + 2, :columns] = rng.standard_normal(shape)
    window = y[2 : rows + 2, :columns]
    expected, size = 1.5 * x.astype(np.float64) - 0.5 * window, np.linalg.norm(x) + np.linalg.norm(window)
    axpby().launch(columns, (1.5, x, -0.5, window))
    assert np.linalg.norm(window - expected) <= 1e-6 * size
    assert np.isnan(y).sum() == y.size - window.size


def test_row_major_arrays_with_reversed_modes(rng: np.random.Generator) -> None:
    x, y = rng.standard_normal((2, 9, 14)).astype(np.float32)
    expected = 2 * x
    bind("axpby", AXPBY, AXPBY_PARAMETERS, "C").launch(9, (2, x, 0, y))
    assert np.array_equal(y, expected)


def test_torch_tensors_and_other_protocols(rng: np.random.Generator) -> None:
    torch = pytest.importorskip("torch")
    x, y = torch.randn(14, 9), torch.randn(14, 9)
    expected = x.T + y.T
    axpby().launch(14, (1, x.T, 1, y.T))
    assert torch.allclose(y.T, expected)
    buffer = bytearray(np.ones(6, np.float32).tobytes())
    column = memoryview(buffer).cast("f", (2, 3))
    target = np.zeros((3, 2), np.float32, order="F")
    bind("axpby", AXPBY, AXPBY_PARAMETERS, "C").launch(2, (3, column, 0, target.T))
    assert np.all(target == 3)

    class Wrapped:
        __array_interface__ = x.numpy().T.__array_interface__

    axpby().launch(14, (1, Wrapped(), 0, y.T))
    assert torch.equal(x, y)


@pytest.mark.parametrize("as_pointers", [False, True])
def test_groups_of_complex_arrays(as_pointers: bool, rng: np.random.Generator) -> None:
    memref = MemrefParameter("G", "c64", (None,), (1,))
    parameters = (
        ScalarParameter("z", "c64"),
        GroupParameter("G", memref, None, None),
        MemrefParameter("out", "i64", (None,), (1,)),
    )
    kernel = bind("scale", GROUP, parameters)
    lengths = rng.integers(3, 9, 37)
    arrays: list[AnyArray] = [rng.standard_normal(n) + 1j * rng.standard_normal(n) for n in lengths]
    expected: list[AnyArray] = [array.copy() for array in arrays]
    z = complex(0.3, -1.2)
    for array in expected:
        array[2] *= z
    out = np.full(40, -1)
    group: object = ArrayGroup(arrays, offset=2)
    if as_pointers:
        pointers = np.array([array.ctypes.data for array in arrays])
        group = PointerArray(pointers, np.complex128, extents=[lengths], offset=2)
    kernel.launch(37, (z, group, out))
    assert np.array_equal(out[:37], lengths)
    assert np.all(out[37:] == -1)
    for array, wanted in zip(arrays, expected, strict=True):
        assert np.allclose(array, wanted, rtol=1e-14, atol=0)


SCALARS = [
    ("bool", True, b"\x01"),
    ("bool", np.False_, b"\x00"),
    ("bool", np.array(True), b"\x01"),
    ("bool", TruthTensor(False), b"\x00"),
    ("i8", -128, b"\x80"),
    ("i16", np.int64(-2), b"\xfe\xff"),
    ("i32", 7, b"\x07\0\0\0"),
    ("i64", -1, b"\xff" * 8),
    ("index", np.uint8(200), b"\xc8" + bytes(7)),
    ("bf16", 1.00390625, b"\x80\x3f"),  # halfway between two bf16: to even
    ("bf16", ml_dtypes.bfloat16(-3.5), np.array(-3.5, ml_dtypes.bfloat16).tobytes()),
    ("bf16", 1 + 2**-8 + 2**-30, b"\x81\x3f"),  # through f32 it would become a tie
    ("bf16", float("inf"), b"\x80\x7f"),
    ("tf32", 1 + 2**-11 + 2**-30, np.float32(1 + 2**-10).tobytes()),
    ("f8E4M3FN", 1 + 2**-4 + 2**-40, b"\x39"),
    ("f8E4M3FN", ml_dtypes.float8_e4m3fn(-448), b"\xfe"),
    ("f8E5M2", float("-inf"), b"\xfc"),
    ("f8E8M0FNU", 4, b"\x81"),
    ("f16", np.float32(0.1), np.float16(0.1).tobytes()),
    ("f32", 0.1, np.float32(0.1).tobytes()),
    ("f64", np.float16(0.1), np.float64(np.float16(0.1)).tobytes()),
    ("f64", 3, np.float64(3).tobytes()),
    ("c32", 1 - 2j, np.complex64(1 - 2j).tobytes()),
    ("c64", np.complex64(0.5j), np.complex128(0.5j).tobytes()),
    ("c64", 2, np.complex128(2).tobytes()),
]


@pytest.mark.parametrize(("dtype", "value", "expected"), SCALARS)
def test_scalars_of_every_type(dtype: str, value: object, expected: bytes) -> None:
    size = 16 if dtype == "c64" else 8
    parameters = (ScalarParameter("s", dtype), MemrefParameter("to", "i8", (64,), (1,)))
    target = np.full(64, 99, np.int8)
    bind("echo", ECHO.replace("SIZE", str(size)), parameters).launch((1, 1), (value, target))
    assert target.tobytes()[: len(expected)] == expected
    assert np.array_equal(target[size : size + 24].view(np.int64), [1, 1, 1])


def test_bf16_rounding_is_that_of_a_single_step(rng: np.random.Generator) -> None:
    parameters = (ScalarParameter("s", "bf16"), MemrefParameter("to", "i8", (64,), (1,)))
    kernel = bind("echo", ECHO.replace("SIZE", "8"), parameters)
    target = np.zeros(64, np.int8)
    values = np.ldexp(rng.standard_normal(600), rng.integers(-150, 120, 600))
    for value in values.astype(np.float32).tolist():
        kernel.launch(1, (value, target))
        assert target.tobytes()[:2] == np.array(value, np.float32).astype(ml_dtypes.bfloat16).tobytes()


def test_none_is_a_null_pointer() -> None:
    parameters = (matrix("A"), MemrefParameter("to", "i8", (64,), (1,)))
    target = np.full(64, 9, np.int8)
    bind("echo", ECHO.replace("SIZE", "32"), parameters).launch(1, (None, target))
    assert np.array_equal(target[:32].view(np.int64), [0, 0, 0, 1])


@pytest.mark.parametrize("grid", [0, (0,), (4, 0), (1, 2, 0), [0, 0, 0]])
def test_an_empty_grid_runs_nothing(grid: object) -> None:
    y = np.full((3, 4), 5, np.float32, order="F")
    axpby().launch(grid, (1, f32(3, 4), 0, y))  # type: ignore[arg-type]
    assert np.all(y == 5)


def test_launches_from_many_threads() -> None:
    failures: list[int] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(200):
            x = np.asfortranarray(rng.standard_normal((20, 50)).astype(np.float32))
            y = f32(20, 50)
            axpby().launch(50, (2.0, x, 0.0, y))
            if not np.array_equal(y, 2 * x):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# each work-group writes its id to its scratch, and the sum of all team members' shares to out[group]
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("groups", [1, 3, 40])
def test_local_memory_and_teams(threads: int, groups: int) -> None:
    parameters = (
        MemrefParameter("out", "i64", (None,), (1,)),
        MemrefParameter("tile", "f32", (25000,), (1,), space="local"),
    )
    info = KernelInfo("local", "local", parameters, local_bytes=100_000)
    own = Pool(threads)
    kernel = bind_artifact(Artifact("cpu", (info,), compile_text(LOCAL)), pool=own)["local"]
    for arguments in ((out := np.zeros(groups, np.int64),), (out, None)):
        out[:] = 0
        kernel.launch(groups, arguments)
        assert np.array_equal(out, 1000 + np.arange(groups))
    own.close()
