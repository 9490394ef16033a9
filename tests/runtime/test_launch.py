"""Kernels written by hand to the calling convention, launched on arrays of every origin."""

from __future__ import annotations

import ctypes
import threading
from functools import cache

import ml_dtypes
import numpy as np
import pytest

from tilewright.runtime.arrays import AnyArray
from tilewright.runtime.groups import ArrayGroup, PointerArray
from tilewright.runtime.launch import BoundKernel, LaunchError, LaunchTypeError, bind_artifact
from tilewright.runtime.native import compile_text
from tilewright.runtime.pool import Pool
from tilewright.targets.artifact import (
    Artifact,
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    Parameter,
    ScalarParameter,
)

SIGNATURE = "(ptr %slots, ptr %grid, i64 %begin, i64 %end, ptr %scratch, ptr %team)"

# Y[:, group] = alpha X[:, group] + beta Y[:, group], one column a work-group
AXPBY = f"""
define void @axpby{SIGNATURE} {{
entry:
  %alpha = load float, ptr %slots
  %x.p = getelementptr i8, ptr %slots, i64 8
  %x = load ptr, ptr %x.p
  %n.p = getelementptr i8, ptr %slots, i64 16
  %n = load i64, ptr %n.p
  %xs.p = getelementptr i8, ptr %slots, i64 32
  %xs = load i64, ptr %xs.p
  %beta.p = getelementptr i8, ptr %slots, i64 40
  %beta = load float, ptr %beta.p
  %y.p = getelementptr i8, ptr %slots, i64 48
  %y = load ptr, ptr %y.p
  %ys.p = getelementptr i8, ptr %slots, i64 72
  %ys = load i64, ptr %ys.p
  br label %columns
columns:
  %j = phi i64 [ %begin, %entry ], [ %j.next, %column.end ]
  %more = icmp slt i64 %j, %end
  br i1 %more, label %column, label %leave
column:
  %xo = mul i64 %j, %xs
  %yo = mul i64 %j, %ys
  br label %rows
rows:
  %i = phi i64 [ 0, %column ], [ %i.next, %row ]
  %again = icmp slt i64 %i, %n
  br i1 %again, label %row, label %column.end
row:
  %xi = add i64 %xo, %i
  %yi = add i64 %yo, %i
  %xp = getelementptr float, ptr %x, i64 %xi
  %yp = getelementptr float, ptr %y, i64 %yi
  %xv = load float, ptr %xp
  %yv = load float, ptr %yp
  %a = fmul float %alpha, %xv
  %b = fmul float %beta, %yv
  %s = fadd float %a, %b
  store float %s, ptr %yp
  %i.next = add i64 %i, 1
  br label %rows
column.end:
  %j.next = add i64 %j, 1
  br label %columns
leave:
  ret void
}}
"""

# G[i][0] *= z for the first `size` arrays of complex numbers at `offset`; out[i] = extent of array i
GROUP = f"""
define void @scale{SIGNATURE} {{
entry:
  %re = load double, ptr %slots
  %im.p = getelementptr i8, ptr %slots, i64 8
  %im = load double, ptr %im.p
  %table.p = getelementptr i8, ptr %slots, i64 16
  %table = load ptr, ptr %table.p
  %extents.p = getelementptr i8, ptr %slots, i64 24
  %extents = load ptr, ptr %extents.p
  %offset.p = getelementptr i8, ptr %slots, i64 40
  %offset = load i64, ptr %offset.p
  %out.p = getelementptr i8, ptr %slots, i64 48
  %out = load ptr, ptr %out.p
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %i.next, %body ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %leave
body:
  %base.p = getelementptr ptr, ptr %table, i64 %i
  %base = load ptr, ptr %base.p
  %p = getelementptr {{ double, double }}, ptr %base, i64 %offset
  %q = getelementptr i8, ptr %p, i64 8
  %a = load double, ptr %p
  %b = load double, ptr %q
  %ac = fmul double %a, %re
  %bd = fmul double %b, %im
  %ad = fmul double %a, %im
  %bc = fmul double %b, %re
  %r = fsub double %ac, %bd
  %s = fadd double %ad, %bc
  store double %r, ptr %p
  store double %s, ptr %q
  %e.p = getelementptr i64, ptr %extents, i64 %i
  %e = load i64, ptr %e.p
  %o.p = getelementptr i64, ptr %out, i64 %i
  store i64 %e, ptr %o.p
  %i.next = add i64 %i, 1
  br label %loop
leave:
  ret void
}}
"""

# copies the parameter block to the address in its last slot, and the grid behind it
ECHO = f"""
define void @echo{SIGNATURE} {{
  %to.p = getelementptr i8, ptr %slots, i64 SIZE
  %to = load ptr, ptr %to.p
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %slots, i64 SIZE, i1 false)
  %behind = getelementptr i8, ptr %to, i64 SIZE
  call void @llvm.memcpy.p0.p0.i64(ptr %behind, ptr %grid, i64 24, i1 false)
  ret void
}}
"""


def matrix(name: str, dtype: str = "f32", **options: object) -> MemrefParameter:
    shape: tuple[int | None, ...] = (None, None)
    strides: tuple[int | None, ...] = (1, None)
    return MemrefParameter(name, dtype, shape, strides, **options)  # type: ignore[arg-type]


AXPBY_PARAMETERS: tuple[Parameter, ...] = (
    ScalarParameter("alpha", "f32"),
    matrix("X", written=False),
    ScalarParameter("beta", "f32"),
    matrix("Y"),
)


@cache
def pool() -> Pool:
    return Pool(2)


@cache
def bind(name: str, text: str, parameters: tuple[Parameter, ...], layout: str = "F") -> BoundKernel:
    artifact = Artifact("cpu", (KernelInfo(name, name, parameters),), compile_text(text).object_code)
    again = Artifact.from_bytes(artifact.to_bytes())
    return bind_artifact(again, pool=pool(), layout="C" if layout == "C" else "F")[name]


def axpby() -> BoundKernel:
    return bind("axpby", AXPBY, AXPBY_PARAMETERS)


@pytest.fixture
def rng() -> np.random.Generator:
    seed = int(np.random.SeedSequence().generate_state(1)[0])
    print(f"seed {seed}")
    return np.random.default_rng(seed)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (17, 9), (64, 33), (5, 1000), (0, 4), (4, 0)])
def test_axpby_with_dynamic_strides(shape: tuple[int, int], rng: np.random.Generator) -> None:
    rows, columns = shape
    x = np.asfortranarray(rng.standard_normal(shape).astype(np.float32))
    y = np.full((rows + 7, columns + 2), np.nan, np.float32, order="F")
    y[2 : rows + 2, :columns] = rng.standard_normal(shape)
    window = y[2 : rows + 2, :columns]
    expected = 1.5 * x.astype(np.float64) - 0.5 * window
    axpby().launch(columns, (1.5, x, -0.5, window))
    assert np.linalg.norm(window - expected) <= 1e-6 * np.linalg.norm(expected)
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
    ("i8", -128, b"\x80"),
    ("i16", np.int64(-2), b"\xfe\xff"),
    ("i32", 7, b"\x07\0\0\0"),
    ("i64", -1, b"\xff" * 8),
    ("index", np.uint8(200), b"\xc8" + bytes(7)),
    ("bf16", 1.00390625, b"\x80\x3f"),  # halfway between two bf16: to even
    ("bf16", ml_dtypes.bfloat16(-3.5), np.array(-3.5, ml_dtypes.bfloat16).tobytes()),
    ("bf16", 1 + 2**-8 + 2**-30, b"\x81\x3f"),  # through f32 it would become a tie
    ("bf16", float("inf"), b"\x80\x7f"),
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


@pytest.mark.parametrize(
    ("dtype", "value", "message"),
    [
        ("i8", 128, "128 is out of range for i8"),
        ("i32", 2**31, "out of range for i32"),
        ("index", 2**63, "out of range for index"),
        ("i32", 1.0, "an integer is wanted"),
        ("i32", np.zeros(3, np.int32), "an integer is wanted"),
        ("bool", 2, "True or False"),
        ("f32", 1e39, "beyond the range of f32"),
        ("f32", 10**400, "beyond the range of f32"),
        ("f16", 65520.0, "beyond the range of f16"),
        ("bf16", 3.4e38, "beyond the range of bf16"),
        ("f32", 1j, "a real number is wanted"),
        ("f64", "1", "a real number is wanted"),
        ("f64", None, "a real number is wanted"),
        ("c32", 1e39j, "beyond the range of c32"),
        ("c64", "1j", "a number is wanted"),
    ],
)
def test_scalars_that_do_not_fit(dtype: str, value: object, message: str) -> None:
    size = 16 if dtype == "c64" else 8
    parameters = (ScalarParameter("s", dtype), MemrefParameter("to", "i8", (64,), (1,)))
    kernel = bind("echo", ECHO.replace("SIZE", str(size)), parameters)
    target = np.zeros(64, np.int8)
    with pytest.raises(LaunchError, match=f"kernel echo, argument s: .*{message}"):
        kernel.launch(1, (value, target))
    assert not target.any()


def f32(*shape: int) -> AnyArray:
    return np.zeros(shape, np.float32, order="F")


def read_only(array: AnyArray) -> AnyArray:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (f32(3, 4).astype(np.float64), f32(3, 4), r"argument X: its dtype is float64, f32 \(numpy.float32\) is wanted"),
        (f32(3, 4).astype(">f4"), f32(3, 4), "argument X: its dtype is >f4"),
        (f32(3, 4, 5), f32(3, 4), "argument X: it has 3 modes"),
        (np.zeros((3, 4), np.float32), f32(3, 4), r"argument X: its stride 0 is 4, 1 is wanted .* pass X\.T"),
        (f32(6, 4)[::2], f32(3, 4), r"argument X: its stride 0 is 2, 1 is wanted .* declare strided<\?,\?>"),
        (f32(3, 4)[:, ::-1], f32(3, 4), "argument X: its stride 1 is -3, at least 3"),
        (np.broadcast_to(f32(3, 1), (3, 4)), f32(3, 4), "argument X: its stride 1 is 0, at least 3"),
        (f32(3, 4), read_only(f32(3, 4)), "argument Y: the array is read-only"),
        ([[1.0]], f32(3, 4), "argument X: list is no array"),
        (3.0, f32(3, 4), "argument X: float is no array"),
        (np.ma.masked_array(f32(3, 4)), f32(3, 4), "argument X: .* masked"),
    ],
)
def test_arrays_that_do_not_fit(x: object, y: object, message: str) -> None:
    for _ in range(2):  # what was refused once is refused again
        with pytest.raises(LaunchError, match=f"kernel axpby, {message}"):
            axpby().launch(4, (1, x, 1, y))


def test_the_number_of_arguments() -> None:
    with pytest.raises(LaunchTypeError, match=r"takes 4 arguments \(alpha: f32, X: memref, .*\), 3 were given"):
        axpby().launch(4, (1, f32(3, 4), 1))


def test_static_sizes_and_divisors_and_alignment() -> None:
    parameters = (
        MemrefParameter("A", "f32", (4, None), (1, None), alignment=64, shape_gcd=(4, 3), stride_gcd=(1, 8)),
        MemrefParameter("to", "i8", (64,), (1,)),
    )
    kernel = bind("echo", ECHO.replace("SIZE", "24"), parameters)
    target = np.zeros(64, np.int8)
    raw = np.zeros(4096 + 64, np.int8)
    base = raw[-raw.ctypes.data % 64 :][:4096].view(np.float32)

    def window(rows: int, columns: int, stride: int, shift: int = 0) -> AnyArray:
        return np.lib.stride_tricks.as_strided(base[shift:], (rows, columns), (4, 4 * stride))

    kernel.launch(1, (window(4, 6, 16), target))
    assert np.array_equal(target[8:24].view(np.int64), [6, 16])
    for array, message in [
        (window(5, 6, 16), "its extent 0 is 5"),
        (window(4, 5, 16), "its extent 1 is 5, a multiple of 3"),
        (window(4, 6, 12), "its stride 1 is 12, a multiple of 8"),
        (window(4, 6, 16, shift=1), "no multiple of 64, the alignment"),
    ]:
        with pytest.raises(LaunchError, match=message):
            kernel.launch(1, (array, target))
    # a stride that is never used fits whatever it is, and what is passed keeps the promise
    parameters = (MemrefParameter("A", "f32", (None, 1), (1, None), stride_gcd=(1, 8)), parameters[1])
    bind("echo", ECHO.replace("SIZE", "24"), parameters).launch(1, (f32(6, 1), target))
    assert np.array_equal(target[8:24].view(np.int64), [6, 8])


def test_none_is_a_null_pointer() -> None:
    parameters = (matrix("A"), MemrefParameter("to", "i8", (64,), (1,)))
    target = np.full(64, 9, np.int8)
    bind("echo", ECHO.replace("SIZE", "32"), parameters).launch(1, (None, target))
    assert np.array_equal(target[:32].view(np.int64), [0, 0, 0, 1])


def test_overlap_is_refused_where_noalias_was_declared() -> None:
    whole = f32(8, 8)
    axpby().launch(4, (1, whole[:, :4], 1, whole[:, 2:6]))
    parameters = (*AXPBY_PARAMETERS[:3], matrix("Y", noalias=True))
    kernel = bind("axpby", AXPBY, parameters)
    kernel.launch(4, (1, whole[:, :4], 1, whole[:, 4:]))
    with pytest.raises(LaunchError, match="argument Y: it was declared noalias and overlaps argument X"):
        kernel.launch(4, (1, whole[:, :4], 1, whole[:, 3:]))


def test_groups_that_do_not_fit() -> None:
    memref = MemrefParameter("G", "f32", (4, None), (1, None), alignment=4)
    parameters = (GroupParameter("G", memref, 3), MemrefParameter("to", "i8", (64,), (1,)))
    kernel = bind("echo", ECHO.replace("SIZE", "32"), parameters)
    target = np.zeros(64, np.int8)
    pointers, ones = np.array([64, 128, 192]), np.ones(3, np.int64)
    kernel.launch(0, ([f32(4, 2), None, f32(4, 3)], target))
    kernel.launch(0, (PointerArray(pointers, "f32", [ones], [ones * 4]), target))
    cases: list[tuple[object, str]] = [
        ([f32(4, 2)] * 2, "argument G: the group has 2 arrays, at least 3"),
        ([f32(4, 2), f32(5, 2), None], r"argument G\[1\]: its extent 0 is 5"),
        ([f32(4, 2), None, np.zeros((4, 2), np.int32)], r"argument G\[2\]: its dtype is int32"),
        (f32(4, 2), "argument G: a group is wanted"),
        (ArrayGroup([f32(4, 2)] * 3, offset=1), "argument G: the offset is 1, the kernel was compiled for 0"),
        (PointerArray(pointers, "f64", [ones], [ones * 4]), "argument G: its dtype is float64"),
        (PointerArray(pointers + 1, "f32", [ones], [ones * 4]), "argument G: pointer 0 is no multiple of 4"),
        (PointerArray(pointers, "f32", [ones], []), "leaves 1 strides open"),
        (PointerArray(pointers, "f32", [ones[:2]], [ones * 4]), "has 2 entries, the group has 3"),
        (PointerArray(pointers, "f32", [ones * 2], [ones]), r"argument G\[0\]: its stride 1 is 1, at least 4"),
        (PointerArray(pointers, "f32", [-ones], [ones * 4]), r"argument G\[0\]: negative extent"),
        (PointerArray(pointers, "f32", [ones], [ones * 4], size=-1), "it cannot be negative"),
    ]
    for group, message in cases:
        with pytest.raises(LaunchError, match=message):
            kernel.launch(0, (group, target))


@pytest.mark.parametrize("grid", [0, (0,), (4, 0), (1, 2, 0), [0, 0, 0]])
def test_an_empty_grid_runs_nothing(grid: object) -> None:
    y = np.full((3, 4), 5, np.float32, order="F")
    axpby().launch(grid, (1, f32(3, 4), 0, y))  # type: ignore[arg-type]
    assert np.all(y == 5)


@pytest.mark.parametrize("grid", [-1, (1, -1), (1, 1, 1, 1), (), 1.5, "1", (2**40, 2**40), 2**63, (1.5,)])
def test_bad_grids_are_refused(grid: object) -> None:
    with pytest.raises(LaunchError, match="grid"):
        axpby().launch(grid, (1, f32(3, 4), 0, f32(3, 4)))  # type: ignore[arg-type]


def test_arrays_on_a_device_are_refused() -> None:
    class OnDevice:
        @property
        def __cuda_array_interface__(self) -> dict[str, object]:
            return {"shape": (3, 4), "typestr": "<f4", "data": (4096, False), "version": 3}

        def __dlpack_device__(self) -> tuple[int, int]:
            return (2, 1)

    with pytest.raises(LaunchError, match="argument X: the array lies on cuda:1, this kernel runs on the CPU"):
        axpby().launch(4, (1, OnDevice(), 0, f32(3, 4)))


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
LOCAL = f"""
define void @local{SIGNATURE} {{
entry:
  %out = load ptr, ptr %slots
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %i.next, %next ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %leave
body:
  %last = getelementptr i8, ptr %scratch, i64 99992
  store i64 %i, ptr %last
  %o.p = getelementptr i64, ptr %out, i64 %i
  %alone = icmp eq ptr %team, null
  br i1 %alone, label %serial, label %parallel
serial:
  call void @add(ptr %o.p, i64 0, i64 1000, ptr %scratch, i64 0)
  br label %next
parallel:
  %fn = load ptr, ptr %team
  call void %fn(ptr %team, ptr @add, ptr %o.p, i64 1000)
  br label %next
next:
  %kept = load i64, ptr %last
  %a = atomicrmw add ptr %o.p, i64 %kept seq_cst
  %i.next = add i64 %i, 1
  br label %loop
leave:
  ret void
}}
define internal void @add(ptr %to, i64 %begin, i64 %end, ptr %scratch, i64 %thread) {{
  %n = sub i64 %end, %begin
  %a = atomicrmw add ptr %to, i64 %n seq_cst
  ret void
}}
"""


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("groups", [1, 3, 40])
def test_local_memory_and_teams(threads: int, groups: int) -> None:
    parameters = (
        MemrefParameter("out", "i64", (None,), (1,)),
        MemrefParameter("tile", "f32", (25000,), (1,), space="local"),
    )
    info = KernelInfo("local", "local", parameters, local_bytes=100_000)
    own = Pool(threads)
    kernel = bind_artifact(Artifact("cpu", (info,), compile_text(LOCAL).object_code), pool=own)["local"]
    for arguments in ((out := np.zeros(groups, np.int64),), (out, None)):
        out[:] = 0
        kernel.launch(groups, arguments)
        assert np.array_equal(out, 1000 + np.arange(groups))
    own.close()


def test_foreign_artefacts_are_refused() -> None:
    with pytest.raises(LaunchError, match="target 'nvidia'"):
        bind_artifact(Artifact("nvidia", (), b""))
    with pytest.raises(LaunchError, match="no-such-feature, which this machine lacks"):
        bind_artifact(Artifact("cpu", (), b"", features="+no-such-feature"))
    assert ctypes.sizeof(ctypes.c_void_p) == 8
