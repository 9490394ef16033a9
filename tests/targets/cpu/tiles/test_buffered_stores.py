"""Tiles that leave by way of a buffer: in which order they come, wherever rows begin, whatever else is read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from targets.cpu.entry import Entry
from tilewright.targets.cpu.machine import machine_of

pytestmark = pytest.mark.skipif(not machine_of().masks, reason="only vectors with masks are stored past the caches")

_ROWS, _COLUMNS = 64, 40
_GUARD = 64
_TYPES = {"f32": np.float32, "f64": np.float64, "i16": np.int16, "c32": np.complex64}
_HEAD = 'builtin.module { builtin.kernel {sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}'


def _transposing(dtype: str, body: str = "%v = tile.permute %u {order = [1, 0]} -> ROWS", rows: int = _ROWS) -> str:
    """y := x^T of one tile, both with rows any distance apart."""
    text = f"""{_HEAD}
      (%x: memref<{dtype}x{_COLUMNS}x{rows},strided<1,?>>, %y: memref<{dtype}x{rows}x{_COLUMNS},strided<1,?>>) {{
      %zero = arith.constant {{value = 0}} -> index
      %u = tile.load %x, %zero, %zero -> tile<{_COLUMNS}x{rows}x{dtype}>
      {body}
      tile.store %v, %y, %zero, %zero
    }} }}"""
    return text.replace("ROWS", f"tile<{rows}x{_COLUMNS}x{dtype}>")


def _entry(text: str, last_cache_bytes: int = 1) -> Entry:
    return Entry(text, replace(machine_of(), last_cache_bytes=last_cache_bytes))


def _matrix(rows: int, columns: int, pitch: int, dtype: str, behind_line: int) -> NDArray[Any]:
    """A column-major matrix that begins so many elements behind a line, of numbers, in memory full of another one."""
    kind = np.dtype(_TYPES[dtype])
    memory = np.full(columns * pitch + 4 * _GUARD, 77, kind)
    first = _GUARD + (-memory[_GUARD:].ctypes.data % 64) // kind.itemsize + behind_line
    return memory[first : first + columns * pitch].reshape(columns, pitch)[:, :rows].T


def _rest(matrix: NDArray[Any], pitch: int) -> NDArray[Any]:
    """What of its memory is not the matrix's."""
    memory = matrix
    while memory.base is not None:
        memory = memory.base
    assert isinstance(memory, np.ndarray)
    mine = np.zeros(memory.size, bool)
    first = (matrix.ctypes.data - memory.ctypes.data) // memory.itemsize
    for column in range(matrix.shape[1]):
        mine[first + column * pitch : first + column * pitch + matrix.shape[0]] = True
    return memory[~mine]


@pytest.mark.parametrize("dtype", _TYPES)
def test_transposes(dtype: str, rng: np.random.Generator) -> None:
    """Rows begin and end with parts of vectors, and no byte beside them is written."""
    entry = _entry(_transposing(dtype))
    assert "!nontemporal" in entry.text
    for pitch, behind_line in ((_ROWS, 0), (_ROWS + 1, 0), (_ROWS + 5, 3), (_ROWS + 32, 7)):
        x = _matrix(_COLUMNS, _ROWS, _COLUMNS + 3, dtype, 1)
        x[...] = rng.integers(-60, 60, x.shape)
        y = _matrix(_ROWS, _COLUMNS, pitch, dtype, behind_line)
        entry({"x": x, "y": y})
        np.testing.assert_array_equal(y, x.T)
        assert (_rest(y, pitch) == 77).all()


@pytest.mark.parametrize(("rows", "last_cache_bytes"), [(16, 1), (_ROWS, 1 << 40)])
def test_short_rows_and_small_memory_go_through_the_caches(rows: int, last_cache_bytes: int) -> None:
    assert "!nontemporal" not in _entry(_transposing("f32", rows=rows), last_cache_bytes).text


def test_old_elements_that_are_read_stay_in_the_caches(rng: np.random.Generator) -> None:
    """y := x^T + y: code finds out that the pointers are the same."""
    body = """%t = tile.permute %u {order = [1, 0]} -> ROWS
      %o = tile.load %y, %zero, %zero -> ROWS
      %v = arith.add %t, %o -> ROWS"""
    entry = _entry(_transposing("f32", body))
    x, y = (_matrix(*shape, shape[0], "f32", 2) for shape in ((_COLUMNS, _ROWS), (_ROWS, _COLUMNS)))
    x[...], y[...] = (rng.integers(-60, 60, m.shape) for m in (x, y))
    expected = x.T + y
    entry({"x": x, "y": y})
    np.testing.assert_array_equal(y, expected)


_PIECES = f"""{_HEAD} (%x: memref<f32x20x4x30>, %y: memref<f32x20x30x4>) {{
      %zero = arith.constant {{value = 0}} -> index
      %u = tile.load %x, %zero, %zero, %zero -> tile<20x4x30xf32>
      %v = tile.permute %u {{order = [0, 2, 1]}} -> tile<20x30x4xf32>
      tile.store %v, %y, %zero, %zero, %zero
    }} }}"""


@pytest.mark.parametrize("behind_line", [0, 3])
def test_dimensions_that_continue_each_other_are_one_row(behind_line: int, rng: np.random.Generator) -> None:
    entry = _entry(_PIECES)
    assert "!nontemporal" in entry.text
    x, y = (_matrix(2400, 1, 2400, "f32", behind_line) for _ in range(2))
    x[:, 0] = rng.integers(-60, 60, 2400)
    source, target = x.reshape(20, 4, 30, order="F"), y.reshape(20, 30, 4, order="F")
    assert np.shares_memory(target, y)
    entry({"x": source, "y": target})
    np.testing.assert_array_equal(target, source.transpose(0, 2, 1))
    assert (_rest(y, 2400) == 77).all()


def test_rows_along_another_dimension_than_the_first(rng: np.random.Generator) -> None:
    """y := x, where neighbours of one are none in the other; all of y is one row."""
    text = f"""{_HEAD} (%x: memref<f32x30x20>, %y: memref<f32x30x20,strided<20,1>>) {{
      %zero = arith.constant {{value = 0}} -> index
      %u = tile.load %x, %zero, %zero -> tile<30x20xf32>
      %v = arith.add %u, %u -> tile<30x20xf32>
      tile.store %v, %y, %zero, %zero
    }} }}"""
    entry = _entry(text)
    assert "!nontemporal" in entry.text
    x = np.asfortranarray(rng.integers(-60, 60, (30, 20)).astype(np.float32))
    y = np.full((30, 20), 77, np.float32)
    entry({"x": x, "y": y})
    np.testing.assert_array_equal(y, x + x)
