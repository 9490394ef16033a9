"""Stores past the caches: which they are, and that no byte is lost or written beside, wherever arrays begin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from targets.cpu.entry import Entry
from tilewright.targets.cpu.machine import machine_of

pytestmark = pytest.mark.skipif(not machine_of().masks, reason="only vectors with masks are stored past the caches")

_TILE = 512
_GUARD = 64
_TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "f16": np.float16,
    "c32": np.complex64,
    "c64": np.complex128,
}
_HEAD = 'builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]{attributes}}}'


def _loop(dtype: str, body: str = "", attributes: str = "") -> str:
    """y := x + x, tile by tile; `body` comes behind the store."""
    tile = f"tile<{_TILE}x{dtype}>"
    return f"""{_HEAD.format(attributes=attributes)} (%x: memref<{dtype}x?>, %y: memref<{dtype}x?>) {{
      %end = memref.size %y {{mode = 0}} -> index
      %zero = arith.constant {{value = 0}} -> index
      %step = arith.constant {{value = {_TILE}}} -> index
      scf.for %zero, %end, %step {{operand_segments = [1, 1, 1, 0], parallel = true}} (%i: index) {{
        %u = tile.load %x, %i -> {tile}
        %v = arith.add %u, %u -> {tile}
        tile.store %v, %y, %i
        {body}
      }}
    }} }}"""


def _tile(dtype: str, width: int) -> str:
    tile = f"tile<{width}x2x{dtype}>"
    return f"""{_HEAD.format(attributes="")}
      (%x: memref<{dtype}x{width}x2>, %y: memref<{dtype}x{width}x?,strided<1,?>>) {{
      %zero = arith.constant {{value = 0}} -> index
      %u = tile.load %x, %zero, %zero -> {tile}
      %v = arith.add %u, %u -> {tile}
      tile.store %v, %y, %zero, %zero
    }} }}"""


def _entry(text: str, last_cache_bytes: int = 1) -> Entry:
    return Entry(text, replace(machine_of(), last_cache_bytes=last_cache_bytes))


def _at(size: int, dtype: str, behind_line: int) -> NDArray[Any]:
    """An array that begins so many elements behind a line, with a guard on both sides."""
    kind = np.dtype(_TYPES[dtype])
    memory = np.full(size + 4 * _GUARD, 77, kind)
    first = _GUARD + (-memory[_GUARD:].ctypes.data % 64) // kind.itemsize + behind_line
    return memory[first : first + size]


def _numbers(rng: np.random.Generator, size: int, dtype: str, behind_line: int) -> NDArray[Any]:
    found = _at(size, dtype, behind_line)
    parts = found.view({"c32": np.float32, "c64": np.float64}.get(dtype, _TYPES[dtype]))
    parts[:] = rng.integers(-60, 60, parts.size)
    return found


def _guards(array: NDArray[Any]) -> NDArray[Any]:
    memory = array.base
    assert isinstance(memory, np.ndarray)
    first = (array.ctypes.data - memory.ctypes.data) // array.itemsize
    return np.concatenate([memory[:first], memory[first + array.size :]])


@pytest.mark.parametrize("dtype", _TYPES)
def test_runs_of_tiles(dtype: str, rng: np.random.Generator) -> None:
    entry = _entry(_loop(dtype))
    assert "!nontemporal" in entry.text
    assert entry.text.count("@llvm.x86.sse.sfence()") == 2
    for tiles, behind_line in ((0, 1), (1, 0), (1, 5), (3, 1), (5, 0), (4, 7)):
        x = _numbers(rng, tiles * _TILE, dtype, 3)
        y = _at(x.size, dtype, behind_line)
        y[:] = 99
        entry({"x": x, "y": y})
        np.testing.assert_array_equal(y, x + x)
        assert (_guards(y) == 77).all()


@pytest.mark.parametrize(("dtype", "products"), [("c32", 1), ("c32", 4), ("f32", 4), ("f32", 40)])
def test_reads_are_prefetched_where_there_is_much_code_a_line(dtype: str, products: int) -> None:
    """A vector of complex numbers fills two lines. Machines that do not fetch what is stored prefetch that anyhow."""
    more = "".join(f"%v{k + 1} = arith.mul %v{k}, %u -> tile<{_TILE}x{dtype}>\n" for k in range(products))
    text = _loop(dtype).replace("%v = arith.add", "%v0 = arith.add").replace("store %v,", f"store %v{products},")
    shape = replace(machine_of(), last_cache_bytes=1, fetches_stores=True)
    prefetches = "@llvm.prefetch" in Entry(text.replace("tile.store", more + "tile.store"), shape).text
    assert prefetches is (products > (1 if dtype == "c32" else 4))


def test_no_tiles_of_much_memory(rng: np.random.Generator) -> None:
    text = _loop("f32").replace("%end = memref.size %y {mode = 0} -> index\n", "")
    entry = _entry(text.replace("%y: memref<f32x?>)", "%y: memref<f32x?>, %end: index)"))
    x, y = _numbers(rng, _TILE, "f32", 0), _at(_TILE, "f32", 5)
    y[:] = 99
    entry({"x": x, "y": y, "end": np.int64(0)})
    assert (y == 99).all()
    assert (_guards(y) == 77).all()


def test_the_same_memory(rng: np.random.Generator) -> None:
    x = _numbers(rng, 2 * _TILE, "f32", 4)
    expected = x + x
    _entry(_loop("f32"))({"x": x, "y": x})
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("distance", [-_TILE, -5, 0, 3, _TILE])
def test_memory_at_addresses_that_overlaps(distance: int, rng: np.random.Generator) -> None:
    """Tiles one after the other, as the program says: what a tile stores, later ones read."""
    text = _loop("f32").replace(
        "(%x: memref<f32x?>, %y: memref<f32x?>) {", "(%p: ptr<f32>, %q: ptr<f32>, %end: index) {"
    )
    views = "".join(
        f"%{a}a = memref.address %{a} -> i64\n"
        f"%{v} = memref.from_address %{a}a {{operand_segments = [1, 0, 0]}} -> memref<f32x{4 * _TILE}>\n"
        for a, v in (("p", "x"), ("q", "y"))
    )
    text = text.replace("%end = memref.size %y {mode = 0} -> index\n", views)
    entry = _entry(text)
    assert "!nontemporal" in entry.text
    memory = _numbers(rng, 6 * _TILE, "f32", 1)
    expected = memory.copy()
    x, y = _TILE, _TILE + distance
    for i in range(0, 4 * _TILE, _TILE):
        expected[y + i : y + i + _TILE] = 2 * expected[x + i : x + i + _TILE]
    entry({"p": memory[x:], "q": memory[y:], "end": np.int64(4 * _TILE)})
    np.testing.assert_array_equal(memory, expected)


def test_what_the_caches_hold_goes_there(rng: np.random.Generator) -> None:
    entry = _entry(_loop("f32"), last_cache_bytes=1 << 40)
    x, y = _numbers(rng, 2 * _TILE, "f32", 1), _at(2 * _TILE, "f32", 1)
    entry({"x": x, "y": y})
    np.testing.assert_array_equal(y, x + x)


_AGAIN = f"%w = tile.load %y, %i -> tile<{_TILE}xf32>\n tile.store %w, %x, %i"


@pytest.mark.parametrize(("body", "attributes"), [(_AGAIN, ""), (_AGAIN, ", max_groups = 1")])
def test_not_what_is_read_soon(body: str, attributes: str) -> None:
    assert "!nontemporal" not in _entry(_loop("f32", body, attributes)).text


def test_what_a_loop_counts_beside_its_tiles(rng: np.random.Generator) -> None:
    text = _loop("f32").replace("%y: memref<f32x?>)", "%y: memref<f32x?>, %n: memref<i32x1>)")
    counted = '%o = arith.constant {value = 1} -> i32\n %b = memref.atomic_rmw %o, %n, %zero {kind = "add"} -> i32\n'
    x, n = _numbers(rng, 3 * _TILE, "f32", 3), np.zeros(1, np.int32)
    y = _at(x.size, "f32", 1)
    _entry(text.replace("%u = ", counted + "%u = "))({"x": x, "y": y, "n": n})
    np.testing.assert_array_equal(y, x + x)
    assert n == 3


@pytest.mark.parametrize("order", ["relaxed", "release", "acquire_release"])
def test_what_is_released_goes_through_the_caches(order: str) -> None:
    """No store is a fence for those past the caches: who sees the flag might not see the tile."""
    flag = f'%o = arith.constant {{value = 1}} -> i32\n memref.atomic_store %o, %n, %zero {{semantics = "{order}"}}\n'
    body, end, rest = (
        _tile("f32", 1024).replace("strided<1,?>>)", "strided<1,?>>, %n: memref<i32x1>)").rpartition("} }")
    )
    assert ("!nontemporal" in _entry(body + flag + end + rest).text) is (order == "relaxed")


@pytest.mark.parametrize(("width", "behind_line", "gap"), [(1024, 0, 0), (1024, 1, 0), (1024, 0, 4), (1000, 0, 24)])
def test_tiles(width: int, behind_line: int, gap: int, rng: np.random.Generator) -> None:
    """Past the caches where both columns begin and end with lines."""
    entry = _entry(_tile("f32", width))
    assert ("!nontemporal" in entry.text) is (width % 16 == 0)
    x = _numbers(rng, 2 * width, "f32", 2)
    memory = _at(2 * (width + gap), "f32", behind_line)
    memory[:] = 99
    y = np.lib.stride_tricks.as_strided(memory, (width, 2), (4, 4 * (width + gap)))
    entry({"x": x.reshape(2, width).T, "y": y})
    np.testing.assert_array_equal(y, 2 * x.reshape(2, width).T)
    assert (memory.reshape(2, width + gap)[:, width:] == 99).all()
    assert (_guards(memory) == 77).all()
