"""What a user does from Python: arrays of every origin, programs in files, refused launches."""

from __future__ import annotations

import array
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from acceptance.shell import AXPBY, python
from tilewright.runtime.groups import PointerArray

SCALE = """func @scale(%A: group<memref<f32x4x?>x?>, %f: f32) {
    %g = group_id.x : index
    %zero = constant 0.0 : f32
    %a = load %A[%g] : memref<f32x4x?>
    axpby %f, %a, %zero, %a
}
"""


class OnlyDlpack:
    """An array that offers nothing but DLPack."""

    def __init__(self, values: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> None:
        self._values = values

    def __dlpack__(self, **options: object) -> object:
        return self._values.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._values.__dlpack_device__()


def test_arrays_of_every_origin_are_used_in_place() -> None:
    kernel = tw.compile(AXPBY).axpby
    x = array.array("f", range(5))
    y = np.full(5, np.nan, np.float32)
    kernel[1](2.0, x, 0.0, OnlyDlpack(y))
    np.testing.assert_array_equal(y, 2 * np.arange(5))
    buffer = bytearray(np.ones(5, np.float32).tobytes())
    kernel[1](1.0, y, 1.0, memoryview(buffer).cast("f"))
    np.testing.assert_array_equal(np.frombuffer(buffer, np.float32), 2 * np.arange(5) + 1)


def test_groups_as_list_and_as_pointers(rng: np.random.Generator) -> None:
    kernel = tw.compile(SCALE).scale
    batch = np.asfortranarray(rng.standard_normal((4, 6, 3)).astype(np.float32))
    wanted = batch * 2
    kernel[3]([batch[:, :, k] for k in range(3)], 2.0)
    np.testing.assert_array_equal(batch, wanted)
    addresses = np.array([batch[:, :, k].ctypes.data for k in (2, 0)], np.uint64)
    kernel[2](PointerArray(addresses, np.float32, extents=[np.array([6, 6], np.int64)]), 0.5)
    np.testing.assert_array_equal(batch[:, :, [2, 0]], wanted[:, :, [2, 0]] / 2)
    np.testing.assert_array_equal(batch[:, :, 1], wanted[:, :, 1])


def test_a_program_in_a_file_runs_in_a_fresh_process(tmp_path: Path) -> None:
    (tmp_path / "program.twa").write_bytes(tw.compile(AXPBY).to_bytes())
    code = """
import sys
import numpy as np
import tilewright as tw
program = tw.Program.from_bytes(open(sys.argv[1], "rb").read())
x, y = np.arange(11, dtype=np.float32), np.full(11, np.nan, np.float32)
program.axpby[1](3.0, x, 0.0, y)
assert (y == 3 * x).all()
"""
    done = python("-c", code, str(tmp_path / "program.twa"), TILEWRIGHT_CACHE="off")
    assert done.returncode == 0, done.stderr


def every_second() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.full(8, 7, np.float32)[::2]


def frozen() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    values = np.full(4, 7, np.float32)
    values.flags.writeable = False
    return values


REFUSED: dict[str, Callable[[], np.ndarray[tuple[int, ...], np.dtype[np.float32 | np.float64]]]] = {
    "extent": lambda: np.full(5, 7, np.float32),
    "order": lambda: np.full((2, 2), 7, np.float32),
    "dtype": lambda: np.full(4, 7, np.float64),
    "stride": every_second,
    "read-only": frozen,
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_refused_launch_writes_nothing(reason: str) -> None:
    kernel = tw.compile(AXPBY.replace("x?", "x4")).axpby
    y = REFUSED[reason]()
    with pytest.raises(tw.LaunchError, match=r"^\[V47\] kernel axpby, argument y: "):
        kernel[1](1.0, np.ones(4, np.float32), 0.0, y)
    assert (y == 7).all()
