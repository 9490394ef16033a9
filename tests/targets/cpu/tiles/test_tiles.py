"""Tile operations on the CPU against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from generators.element_types import DTYPES
from targets.cpu.collective import Collective, assert_close, available_levels, random_array
from tilewright.machine.processor import FeatureSet

INDEX = "%z = arith.constant {value = 0} -> index"


def _unary(
    operation: str,
    shape: tuple[int, ...],
    result: tuple[int, ...],
    dtype: str = "f32",
    level: FeatureSet = FeatureSet.HOST,
    strides: str = "",
) -> Collective:
    """Loads a whole tile `%t`, runs an operation that defines `%r`, stores that."""

    def spell(extents: tuple[int, ...]) -> str:
        return "".join(f"{e}x" for e in extents)

    zeros, ends = ", ".join(["%z"] * len(shape)), ", ".join(["%z"] * len(result))
    return Collective(
        f"%X: memref<{dtype}{''.join(f'x{e}' for e in shape)}{strides}>, "
        f"%Y: memref<{dtype}{''.join(f'x{e}' for e in result)}>",
        f"""{INDEX}
        %t = tile.load %X, {zeros} -> tile<{spell(shape)}{dtype}>
        {operation}
        tile.store %r, %Y{", " if ends else ""}{ends}""",
        level,
    )


def _run(kernel: Collective, x: np.ndarray, result: tuple[int, ...], dtype: str = "f32") -> np.ndarray:  # type: ignore[type-arg]
    y = np.asfortranarray(np.full(result, 77).astype(DTYPES[dtype]))
    kernel({"X": x, "Y": y})
    return y


@pytest.mark.covering(2)
@pytest.mark.parametrize("level", available_levels())
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1,), (37,), (5, 3), (33, 21), (3, 4, 5)])
def test_elementwise(shape: tuple[int, ...], dtype: str, level: FeatureSet) -> None:
    body = "".join(f"{e}x" for e in shape)
    kernel = _unary(f"%r = arith.add %t, %t -> tile<{body}{dtype}>", shape, shape, dtype, level)
    x = random_array(np.random.default_rng(1), dtype, shape)
    np.testing.assert_array_equal(_run(kernel, x, shape, dtype), x + x)


def test_transposed_load_and_permute() -> None:
    x = random_array(np.random.default_rng(2), "f32", (19, 6))
    kernel = _unary("%r = tile.permute %t {order = [1, 0]} -> tile<6x19xf32>", (19, 6), (6, 19))
    np.testing.assert_array_equal(_run(kernel, x, (6, 19)), x.T)


def test_broadcast_extract_and_cat() -> None:
    x = random_array(np.random.default_rng(3), "f32", (9, 6))
    kernel = _unary(
        """%e = tile.extract %t {offsets = [2, 3]} -> tile<1x3xf32>
        %b = tile.broadcast %e -> tile<9x3xf32>
        %r = tile.cat %t, %b {dim = 1} -> tile<9x9xf32>""",
        (9, 6),
        (9, 9),
    )
    expected = np.concatenate([x, np.broadcast_to(x[2:3, 3:6], (9, 3))], axis=1)
    np.testing.assert_array_equal(_run(kernel, x, (9, 9)), expected)


def test_reshape_is_column_major() -> None:
    x = random_array(np.random.default_rng(4), "f64", (6, 10))
    kernel = _unary("%r = tile.reshape %t -> tile<4x15xf64>", (6, 10), (4, 15), "f64")
    np.testing.assert_array_equal(_run(kernel, x, (4, 15), "f64"), x.reshape((4, 15), order="F"))


@pytest.mark.parametrize("wide", ["i16", "i32", "i64"])
def test_reinterpret_is_little_endian(wide: str) -> None:
    x = random_array(np.random.default_rng(6), wide, (2048,))
    factor = np.dtype(wide.replace("i", "int")).itemsize
    kernel = _unary(
        f"""%p = tile.reinterpret %t -> tile<{2048 * factor}xi8>
        %q = arith.add %p, %p -> tile<{2048 * factor}xi8>
        %r = tile.reinterpret %q -> tile<2048x{wide}>""",
        (2048,),
        (2048,),
        wide,
    )
    octets = x.view(np.int8)
    np.testing.assert_array_equal(_run(kernel, x, (2048,), wide), (octets + octets).view(x.dtype))
    assert kernel.text.count("\n") < 500, "in loops, not element by element"


def test_iota() -> None:
    x = random_array(np.random.default_rng(5), "i32", (21, 5))
    kernel = _unary(
        """%a = tile.iota {dim = 0} -> tile<21x5xi32>
        %b = tile.iota {dim = 1} -> tile<21x5xi32>
        %s = arith.mul %a, %b -> tile<21x5xi32>
        %r = arith.add %s, %t -> tile<21x5xi32>""",
        (21, 5),
        (21, 5),
        "i32",
    )
    rows, columns = np.indices((21, 5))
    np.testing.assert_array_equal(_run(kernel, x, (21, 5), "i32"), x + rows * columns)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("dtype", ["i32", "f32", "f64", "c32"])
@pytest.mark.parametrize("shape", [(5, 3), (33, 21), (300, 4)])
def test_reduce(shape: tuple[int, int], dtype: str, dim: int) -> None:
    left = (shape[1 - dim],)
    kernel = _unary(f'%r = tile.reduce %t {{kind = "add", dim = {dim}}} -> tile<{left[0]}x{dtype}>', shape, left, dtype)
    x = random_array(np.random.default_rng(6), dtype, shape)
    wide = x.astype(np.complex128 if dtype == "c32" else np.float64)
    assert_close(dtype, _run(kernel, x, left, dtype), wide.sum(axis=dim))


@pytest.mark.parametrize("kind", ["add", "max", "min"])
@pytest.mark.parametrize("extent", [1, 7, 16, 45, 300])
def test_reduce_a_vector(extent: int, kind: str) -> None:
    kernel = _unary(f'%r = tile.reduce %t {{kind = "{kind}", dim = 0}} -> tile<f32>', (extent,), ())
    x = random_array(np.random.default_rng(7), "f32", (extent,))
    expected = {"add": np.sum, "max": np.max, "min": np.min}[kind](x.astype(np.float64))
    assert_close("f32", _run(kernel, x, ()), np.asarray(expected), 10)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("dtype", ["i32", "f32", "f64", "c64"])
@pytest.mark.parametrize("shape", [(5, 3), (37, 9), (64, 2)])
def test_scan(shape: tuple[int, int], dtype: str, dim: int) -> None:
    body = f"{shape[0]}x{shape[1]}x{dtype}"
    kernel = _unary(f'%r = tile.scan %t {{kind = "add", dim = {dim}}} -> tile<{body}>', shape, shape, dtype)
    x = random_array(np.random.default_rng(8), dtype, shape)
    wide = x.astype(np.complex128 if dtype == "c64" else np.float64)
    assert_close(dtype, _run(kernel, x, shape, dtype), wide.cumsum(axis=dim), 4)


def test_scan_of_a_vector() -> None:
    kernel = _unary('%r = tile.scan %t {kind = "add", dim = 0} -> tile<75xf32>', (75,), (75,))
    x = random_array(np.random.default_rng(9), "f32", (75,))
    assert_close("f32", _run(kernel, x, (75,)), x.astype(np.float64).cumsum())


def test_checked_access_reads_zero_and_writes_nothing_outside() -> None:
    kernel = Collective(
        "%i: index, %j: index, %X: memref<f32x?x?>, %Y: memref<f32x?x?>",
        """%t = tile.load %X, %i, %j {check = [true, true]} -> tile<16x7xf32>
        %r = arith.add %t, %t -> tile<16x7xf32>
        tile.store %r, %Y, %i, %j {check = [true, true]}""",
    )
    rng = np.random.default_rng(10)
    for i, j, m, n in [(0, 0, 16, 7), (3, 2, 17, 8), (10, 5, 11, 6), (-4, -2, 9, 3), (20, 0, 20, 9)]:
        x = random_array(rng, "f32", (m, n))
        y = np.asfortranarray(np.full((m, n), 5, np.float32))
        kernel({"i": np.int64(i), "j": np.int64(j), "X": x, "Y": y})
        expected = np.full((m, n), 5, np.float32)
        box = (slice(max(i, 0), min(i + 16, m)), slice(max(j, 0), min(j + 7, n)))
        expected[box] = 2 * x[box]
        np.testing.assert_array_equal(y, expected)


def test_a_load_comes_before_the_store_that_overwrites_it() -> None:
    """`%t` must be read before the first store changes X, although only the second one uses it."""
    kernel = Collective(
        "%X: memref<f32x40>, %Y: memref<f32x40>",
        f"""{INDEX}
        %t = tile.load %X, %z -> tile<40xf32>
        %u = arith.add %t, %t -> tile<40xf32>
        tile.store %u, %X, %z
        tile.store %t, %Y, %z""",
    )
    x = random_array(np.random.default_rng(11), "f32", (40,))
    before, y = x.copy(), np.zeros(40, np.float32)
    kernel({"X": x, "Y": y})
    np.testing.assert_array_equal(y, before)
    np.testing.assert_array_equal(x, 2 * before)


def test_transposing_in_place() -> None:
    kernel = Collective(
        "%X: memref<f32x24x24>",
        f"""{INDEX}
        %t = tile.load %X, %z, %z -> tile<24x24xf32>
        %r = tile.permute %t {{order = [1, 0]}} -> tile<24x24xf32>
        tile.store %r, %X, %z, %z""",
    )
    x = random_array(np.random.default_rng(12), "f32", (24, 24))
    before = x.copy()
    kernel({"X": x})
    np.testing.assert_array_equal(x, before.T)


@pytest.mark.parametrize("extent", [24, 400])
def test_loops_carry_tiles_in_registers_and_buffers(extent: int) -> None:
    kernel = Collective(
        f"%X: memref<f32x{extent}x9>, %Y: memref<f32x{extent}>, %Z: memref<f32x{extent}>",
        f"""{INDEX}
        %one = arith.constant {{value = 1}} -> index
        %n = arith.constant {{value = 9}} -> index
        %a = arith.constant {{value = 0.0}} -> tile<{extent}xf32>
        %b = arith.constant {{value = 1.0}} -> tile<{extent}xf32>
        %s, %p = scf.for %z, %n, %one, %a, %b {{operand_segments = [1, 1, 1, 2]}}
            -> tile<{extent}xf32>, tile<{extent}xf32>
            (%k: index, %x: tile<{extent}xf32>, %y: tile<{extent}xf32>) {{
          %m = memref.subview %X, %k {{operand_segments = [1, 1, 0], static_offsets = [0, none],
            static_sizes = [{extent}, 0]}} -> memref<f32x{extent}>
          %t = tile.load %m, %z -> tile<{extent}xf32>
          %w = arith.add %x, %t -> tile<{extent}xf32>
          scf.yield %y, %w
        }}
        tile.store %s, %Y, %z
        tile.store %p, %Z, %z""",
    )
    x = random_array(np.random.default_rng(13), "f32", (extent, 9))
    y, z = np.zeros(extent, np.float32), np.zeros(extent, np.float32)
    kernel({"X": x, "Y": y, "Z": z})
    a, b = np.zeros(extent), np.ones(extent)
    for k in range(9):
        a, b = b, a + x[:, k]
    assert_close("f32", y, a)
    assert_close("f32", z, b)


@pytest.mark.parametrize("dtype", ["i32", "f32", "bf16", "c32"])
def test_atomics_update_each_element_once(dtype: str) -> None:
    kernel = Collective(
        f"%X: memref<{dtype}x9x5>, %Y: memref<{dtype}x9x5>, %Z: memref<{dtype}x9x5>",
        f"""{INDEX}
        %t = tile.load %X, %z, %z -> tile<9x5x{dtype}>
        %o = tile.atomic_rmw %t, %Y, %z, %z {{kind = "add"}} -> tile<9x5x{dtype}>
        tile.atomic_store %o, %Z, %z, %z""",
    )
    rng = np.random.default_rng(14)
    x, y = random_array(rng, dtype, (9, 5)), random_array(rng, dtype, (9, 5))
    old, z = y.copy(), np.zeros_like(y)
    kernel({"X": x, "Y": y, "Z": z})
    np.testing.assert_array_equal(z, old)
    np.testing.assert_array_equal(y, old + x)


def test_chained_products() -> None:
    """The inner product is computed once, into a buffer."""
    kernel = Collective(
        "%A: memref<f32x56x9>, %B: memref<f32x56x9>, %C: memref<f32x56x20>, %D: memref<f32x56x20>",
        f"""{INDEX}
        %a = tile.load %A, %z, %z -> tile<56x9xf32>
        %bt = memref.permute %B {{order = [1, 0]}} -> memref<f32x9x56,strided<56,1>>
        %b = tile.load %bt, %z, %z -> tile<9x56xf32>
        %c = tile.load %C, %z, %z -> tile<56x20xf32>
        %d = tile.load %D, %z, %z -> tile<56x20xf32>
        %zero = arith.constant {{value = 0.0}} -> tile<56x56xf32>
        %p = tile.mma %a, %b, %zero -> tile<56x56xf32>
        %q = tile.mma %p, %c, %d -> tile<56x20xf32>
        tile.store %q, %D, %z, %z""",
    )
    rng = np.random.default_rng(15)
    a, b, c, d = (random_array(rng, "f32", s) for s in ((56, 9), (56, 9), (56, 20), (56, 20)))
    a64, b64, c64, d64 = (x.astype(np.float64) for x in (a, b, c, d))
    expected = d64 + a64 @ b64.T @ c64
    kernel({"A": a, "B": b, "C": c, "D": d})
    assert_close("f32", d, expected)


def test_map_runs_its_region_for_each_element() -> None:
    kernel = _unary(
        """%r = tile.map %t -> tile<7x4xi32> (%i: i32, %j: i32, %v: i32) {
          %s = arith.mul %i, %j -> i32
          %w = arith.add %s, %v -> i32
          scf.yield %w
        }""",
        (7, 4),
        (7, 4),
        "i32",
    )
    x = random_array(np.random.default_rng(16), "i32", (7, 4))
    rows, columns = np.indices((7, 4))
    np.testing.assert_array_equal(_run(kernel, x, (7, 4), "i32"), x + rows * columns)
