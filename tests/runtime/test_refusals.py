"""Launches that do not fit are refused before anything runs, with words that help."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import tilewright as tw
from runtime.hand_written import AXPBY, AXPBY_PARAMETERS, ECHO, TruthTensor, axpby, bind, f32, matrix
from tilewright.artifacts.artifact import (
    Artifact,
    GroupParameter,
    MemrefParameter,
    ScalarParameter,
)
from tilewright.runtime.arrays import AnyArray
from tilewright.runtime.groups import ArrayGroup, PointerArray, group_binder
from tilewright.runtime.launch import LaunchError, LaunchTypeError, bind_artifact


@pytest.mark.parametrize(
    ("dtype", "value", "message"),
    [
        ("i8", 128, "128 is out of range for i8"),
        ("i32", 2**31, "out of range for i32"),
        ("index", 2**63, "out of range for index"),
        ("i32", 1.0, "an integer is wanted"),
        ("i32", np.zeros(3, np.int32), "an integer is wanted"),
        ("i32", TruthTensor(True), "an integer is wanted"),
        ("bool", 2, "True or False"),
        ("bool", np.array(1), "True or False"),
        ("bool", np.array([True]), "True or False"),
        ("f32", 1e39, "beyond the range of f32"),
        pytest.param("i64", 10**5000, "an integer of 16610 bits is out of range for i64", id="i64-huge"),
        pytest.param("f32", 10**5000, "beyond the range of f32", id="f32-huge"),
        ("f32", 10**400, "beyond the range of f32"),
        ("f16", 65520.0, "beyond the range of f16"),
        ("bf16", 3.4e38, "beyond the range of bf16"),
        ("tf32", 3.4028235e38, "beyond the range of tf32"),
        ("f8E4M3FN", 464.5, "beyond the range of f8E4M3FN"),
        ("f8E4M3FN", float("inf"), "beyond the range of f8E4M3FN"),
        ("f8E5M2", 1e300, "beyond the range of f8E5M2"),
        ("f8E8M0FNU", 0, "beyond the range of f8E8M0FNU"),
        ("f8E8M0FNU", -1.0, "beyond the range of f8E8M0FNU"),
        ("f32", 1j, "a real number is wanted"),
        ("f64", "1", "a real number is wanted"),
        ("f64", None, "a real number is wanted"),
        ("f64", np.array(True), "a real number is wanted"),
        ("f8E5M2", TruthTensor(True), "a real number is wanted"),
        ("c32", TruthTensor(True), "a number is wanted"),
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


def read_only(array: AnyArray) -> AnyArray:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (f32(3, 4).astype(np.float64), f32(3, 4), r"argument X: its dtype is float64, f32 \(numpy.float32\) is wanted"),
        (f32(3, 4).astype(">f4"), f32(3, 4), "argument X: its dtype is >f4"),
        (f32(3, 4, 5), f32(3, 4), "argument X: its order is 3"),
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


def test_a_layout_that_was_accepted_does_not_let_other_arrays_through() -> None:
    """Read-only ones where the kernel writes, and such at addresses that the kernel was promised not to get."""
    kernel = bind("axpby", AXPBY, (*AXPBY_PARAMETERS[:3], matrix("Y", alignment=64)))
    raw = np.zeros(64 + 64, np.float32)
    base = raw[-raw.ctypes.data % 64 // 4 :]
    fits, shifted = (np.lib.stride_tricks.as_strided(base[k:], (3, 4), (4, 12)) for k in (0, 1))
    frozen = fits.view()
    frozen.flags.writeable = False
    for _ in range(2):
        kernel.launch(4, (1, f32(3, 4), 1, fits))
        with pytest.raises(LaunchError, match=r"argument Y: its address .* is no multiple of 64"):
            kernel.launch(4, (1, f32(3, 4), 1, shifted))
        with pytest.raises(LaunchError, match="argument Y: the array is read-only"):
            kernel.launch(4, (1, f32(3, 4), 1, frozen))


def test_the_type_of_a_tensor_without_modes_has_no_strides() -> None:
    text = "func @f(%a: f32, %x: memref<f32>) { axpby %a, %x, %a, %x }"
    with pytest.raises(LaunchError, match=r"0 is wanted for memref<f32>(;|$)"):
        tw.compile(text).f[1](1.0, f32(3))


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


def test_overlap_is_refused_where_noalias_was_declared() -> None:
    whole = f32(8, 8)
    axpby().launch(4, (1, whole[:, :4], 1, whole[:, 2:6]))
    parameters = (*AXPBY_PARAMETERS[:3], matrix("Y", noalias=True))
    kernel = bind("axpby", AXPBY, parameters)
    kernel.launch(4, (1, whole[:, :4], 1, whole[:, 4:]))
    with pytest.raises(LaunchError, match="argument Y: it overlaps argument X"):
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


@pytest.mark.parametrize(("offset", "fits"), [(0, True), (2, False), (4, True), (-4, True), (-1, False)])
def test_offsets_of_a_group_keep_the_alignment(offset: int, fits: bool) -> None:
    parameter = GroupParameter("G", MemrefParameter("G", "f32", (4,), (1,), alignment=16), None, None)
    take = group_binder(parameter, "kernel k, argument G", reverse=False)
    raw = np.zeros(64, np.float32)
    arrays = [raw[-raw.ctypes.data % 16 // 4 :][16:20]]
    if fits:
        assert take(ArrayGroup(arrays, offset), [])[-1] == offset
    else:
        with pytest.raises(LaunchError, match=f"an offset of {offset} elements breaks the alignment of 16 bytes"):
            take(ArrayGroup(arrays, offset), [])


def test_batches_whose_arrays_do_not_fit() -> None:
    parameters = (
        GroupParameter("G", MemrefParameter("G", "f32", (4, 2), (1, 4)), None),
        MemrefParameter("to", "i8", (64,), (1,)),
    )
    kernel = bind("echo", ECHO.replace("SIZE", "16"), parameters)
    target = np.zeros(64, np.int8)
    for batch in (np.zeros((3, 2, 4), np.float32), np.zeros((3, 2, 4), np.float32).transpose(0, 2, 1)):
        kernel.launch(0, (PointerArray.of(batch), target))
    for batch, message in (
        (np.zeros((3, 2, 3), np.float32), r"argument G\[0\]: its extent 0 is 2"),
        (np.zeros((3, 4, 2), np.float32), r"argument G\[0\]: its stride 0 is 2, 1 is wanted"),
        (np.zeros((3, 8), np.float32), r"argument G\[0\]: its order is 1"),
    ):
        with pytest.raises(LaunchError, match=message):
            kernel.launch(0, (PointerArray.of(batch), target))
    for wrong in ([f32(4, 2)], np.float32(1), np.array(1)):
        with pytest.raises(LaunchTypeError, match=f"not {type(wrong).__name__}"):
            PointerArray.of(wrong)  # type: ignore[arg-type]


def test_a_group_without_arrays() -> None:
    memref = MemrefParameter("G", "f32", (4, None), (1, None))
    parameters = (GroupParameter("G", memref, None), MemrefParameter("to", "i8", (64,), (1,)))
    bind("echo", ECHO.replace("SIZE", "32"), parameters).launch(0, ([], np.zeros(64, np.int8)))


@pytest.mark.parametrize(
    "grid",
    [-1, (1, -1), (1, 1, 1, 1), (), 1.5, "1", True, 2**31, (2**31 - 1,) * 3, 2**63, (1.5,), np.ones(2, np.int32)],
)
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


def test_foreign_artefacts_are_refused() -> None:
    with pytest.raises(LaunchError, match="target 'nvidia'"):
        bind_artifact(Artifact("nvidia", (), b""))
    with pytest.raises(LaunchError, match="no-such-feature, which this machine lacks"):
        bind_artifact(Artifact("cpu", (), b"", features="+no-such-feature"))
    assert ctypes.sizeof(ctypes.c_void_p) == 8
