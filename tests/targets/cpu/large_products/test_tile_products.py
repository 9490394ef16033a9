"""Products on AMX tiles beyond their arithmetic: results past the caches, epilogues, what LLVM makes of the code."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from effort import count
from generators.element_types import DTYPES
from targets.cpu.collective import Collective
from targets.cpu.fences import Fence
from targets.cpu.units.tile_emulation import compiled_here, emulated, tile_machine
from targets.cpu.units.ways import Way, ways
from tilewright.compile_options import CompileOptions
from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.machine import units as machine_units
from tilewright.machine.native import assembly_of
from tilewright.runtime.launch import bind_artifact
from tilewright.runtime.pool import Pool
from tilewright.settings.product_units import Unit, read_units
from tilewright.targets.cpu.large_products.tile_form import BESIDE_SUMS, PANELS_AT_ONCE
from tilewright.targets.cpu.machine import Machine, machine_of
from tilewright.targets.cpu.target import CpuTarget

Array = NDArray[Any]
has_avx512 = pytest.mark.skipif(not machine_of().masks, reason="this machine has no AVX-512")
WAYS = ways(Unit.AMX_INT8, Unit.AMX_BF16, Unit.AMX_F16)
ELEMENTS = {Unit.AMX_INT8: ("i8", "i32"), Unit.AMX_BF16: ("bf16", "f32"), Unit.AMX_F16: ("f16", "f32")}


@pytest.fixture(autouse=True)
def permitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system refuses tiles, code for them is still compiled; on them, tests are skipped."""
    monkeypatch.setattr(machine_units, "tiles_refused", lambda: None)


def kernel(
    way: Way, shape: Machine, epilogue: str = "", extents: tuple[int, int, int] = (96, 96, 2048), start: int = 0
) -> Collective:
    """`C := A B + start` for matrices of at most these extents; C has another type if the epilogue makes one."""
    factor, total = ELEMENTS[way.unit]
    m, n, k = extents
    result = "bf16" if epilogue else total
    loads = "\n".join(
        f"%{name} = tile.load %p{name}, %z, %z {{check = [true, true]}} -> tile<{rows}x{columns}x{factor}>"
        for name, (rows, columns) in {"A": (m, k), "B": (k, n)}.items()
    )
    return Collective(
        ", ".join(f"%p{n}: memref<{t}x?x?,strided<1,?>>" for n, t in zip("ABC", (factor, factor, result), strict=True)),
        f"""%z = arith.constant {{value = 0}} -> index
        {loads}
        %0 = arith.constant {{value = {start if total == "i32" else float(start)}}} -> {total}
        %C = tile.splat %0 -> tile<{m}x{n}x{total}>
        %r = tile.mma %A, %B, %C -> tile<{m}x{n}x{total}>
        {epilogue.format(m=m, n=n)}
        tile.store {"%s" if epilogue else "%r"}, %pC, %z, %z {{check = [true, true]}}""",
        units=frozenset({Unit.VECTOR, way.unit}),
        shape=shape,
        rewrite=emulated if way.emulated else str,
    )


def factors(rng: np.random.Generator, way: Way, m: int, n: int, k: int) -> tuple[Array, Array]:
    """Small integers, which both types hold, so that products are exact."""
    dtype = DTYPES[ELEMENTS[way.unit][0]]
    a, b = (rng.integers(-9, 10, shape).astype(dtype) for shape in ((m, k), (k, n)))
    return np.asfortranarray(a), np.asfortranarray(b)


def placed(elements: int, offset: int, step: int, columns: int, dtype: Any) -> tuple[Array, Array]:
    """A column-major array whose first element lies `offset` elements behind a cache line, and all around it."""
    size = np.dtype(dtype).itemsize
    whole = np.full((offset + step * columns + 64) * size + 128, 77, np.uint8)
    start = -whole.ctypes.data % 64 + offset * size
    inside = whole[start : start + step * columns * size].view(dtype).reshape((step, columns), order="F")
    return inside[:elements], whole


@pytest.mark.parametrize(("l2_bytes", "start"), [(0, 0), (1 << 21, 0), (1 << 21, 3)])
@pytest.mark.parametrize("way", WAYS)
def test_results_wherever_they_lie(way: Way, l2_bytes: int, start: int, rng: np.random.Generator) -> None:
    """Past the caches, where panels begin with cache lines of the result, or from tiles where accumulators are the result; nothing else is written."""
    shape = replace(tile_machine(), l2_bytes=l2_bytes)
    run = kernel(way, shape, start=start)
    assert ("!nontemporal" in run.text) == (not l2_bytes)
    dtype = DTYPES[ELEMENTS[way.unit][1]]
    for case in range(count("RANDOM_RESULTS_PAST_CACHES", 3, 300)):
        m, n, k = (int(rng.integers(1, end)) for end in (97, 97, 300))
        a, b = factors(rng, way, m, n, k)
        step = -(-(m + 5) // 16) * 16 if case % 3 else m + 3
        c, around = placed(m, int(rng.integers(0, 20)), step, n, dtype)
        outside = around.copy()
        run({"pA": a, "pB": b, "pC": c})
        wanted = a.astype(np.int64) @ b.astype(np.int64) + start
        np.testing.assert_array_equal(c, wanted.astype(dtype), err_msg=str((m, n, k, step)))
        c[...] = np.frombuffer(b"M" * c.itemsize, dtype)[0]
        np.testing.assert_array_equal(around, outside)


@pytest.mark.covering(1)
@pytest.mark.parametrize(("terms", "l2_bytes"), [(40, 0), (300, 1 << 16), (1100, 0)])
@pytest.mark.parametrize("way", WAYS)
def test_sums_are_stored_while_the_next_block_is_computed(
    way: Way, terms: int, l2_bytes: int, rng: np.random.Generator
) -> None:
    """However few steps that has, in one run of terms and in several; where the result fills half of the cache, too."""
    m, n = 97, 96
    # products of f16 of fewer terms take vectors
    terms = max(terms, 100) if way.unit is Unit.AMX_F16 else terms
    run = kernel(way, replace(tile_machine(), l2_bytes=l2_bytes), extents=(m, n, terms))
    assert set(re.findall(r"tilestored64[^\n]*, i64 ([^,]*), x86_amx", run.text)) == {"128"}, "into blocks of sums"
    a, b = factors(rng, way, m, n, terms)
    dtype = DTYPES[ELEMENTS[way.unit][1]]
    c = np.full((m, n), 77, dtype, order="F")
    run({"pA": a, "pB": b, "pC": c})
    np.testing.assert_array_equal(c, (a.astype(np.int64) @ b.astype(np.int64)).astype(dtype))


@has_avx512
def test_few_panels_of_scalars_at_once_where_sums_are_kept(rng: np.random.Generator) -> None:
    """In two runs of terms, of more panels than are multiplied at once."""
    way, (m, n, terms) = Way(Unit.AMX_INT8, True), (33, 32 * BESIDE_SUMS + 40, 1100)
    for l2_bytes in (1 << 21, 1 << 16):
        run = kernel(way, replace(tile_machine(), l2_bytes=l2_bytes), extents=(m, n, terms))
        a, b = factors(rng, way, m, n, terms)
        c = np.full((m, n), 77, np.int32, order="F")
        run({"pA": a, "pB": b, "pC": c})
        np.testing.assert_array_equal(c, a.astype(np.int32) @ b.astype(np.int32))


@pytest.mark.parametrize("l2_bytes", [0, 1 << 21])
@pytest.mark.parametrize("way", ways(Unit.AMX_BF16))
def test_epilogue_happens_on_the_sums(way: Way, l2_bytes: int, rng: np.random.Generator) -> None:
    shape = replace(tile_machine(), l2_bytes=l2_bytes)
    scale = """%two = arith.constant {{value = 2.0}} -> f32
        %w = tile.splat %two -> tile<{m}x{n}xf32>
        %d = arith.mul %r, %w -> tile<{m}x{n}xf32>
        %s = arith.cast %d -> tile<{m}x{n}xbf16>"""
    run = kernel(way, shape, scale)
    for m, n, k in [(1, 1, 1), (33, 17, 65), (96, 95, 1100)]:
        a, b = factors(rng, way, m, n, k)
        c = np.zeros((m, n), DTYPES["bf16"], "F")
        run({"pA": a, "pB": b, "pC": c})
        wanted = (2.0 * (a.astype(np.float32) @ b.astype(np.float32))).astype(DTYPES["bf16"])
        np.testing.assert_array_equal(c, wanted, err_msg=str((m, n, k)))


@pytest.mark.covering(1)
@pytest.mark.parametrize(
    ("l2_bytes", "lines", "apart", "threads"),
    [(1 << 18, 72, False, 3), (1 << 18, -24, True, 3), (1 << 21, 72, False, 1)],
)
def test_threads_divide_panels(l2_bytes: int, lines: int, apart: bool, threads: int, rng: np.random.Generator) -> None:
    """By a number that does not divide them. More than are multiplied at once, for scalars that all threads pack, or
    fewer, for scalars that each does; factors either way, which are read to their ends only; a result with gaps."""
    m, n, k = 66, 32 * PANELS_AT_ONCE + lines, 80
    text = f"""func @k(%A: memref<i8x{n}x{k}>, %B: memref<i8x{k}x{m}>, %C: memref<i32x{n}x{m}>,
            %D: memref<i8x{m}x{k}>, %E: memref<i32x{n}x{m},strided<2,{2 * n}>>) {{
        %one = constant 1 : i8
        %zero = constant 0 : i32
        gemm.n.n %one, %A, %B, %zero, %C
        gemm.n.t %one, %A, %D, %zero, %E
    }}"""
    target = CpuTarget(replace(tile_machine(), l2_bytes=l2_bytes)).using(read_units("amx"))
    module = read_module(Source("k", text), Report())
    artifact = compiled_here(module, target, CompileOptions())
    assert ("pack_rows" in artifact.texts["llvm"]) != apart
    fences = [Fence(16) for _ in "abd"]
    a, b, d = (f.array(shape, np.int8, at_end=True) for f, shape in zip(fences, ((n, k), (k, m), (m, k)), strict=True))
    for factor in (a, b, d):
        factor[...] = rng.integers(-128, 128, factor.shape)
    around = np.full((2 * n, m), 77, np.int32, "F")
    found = [np.full((n, m), 77, np.int32, "F"), around[::2]]
    bind_artifact(artifact, pool=Pool(threads))["k"].launch((1, 1, 1), (a, b, found[0], d, found[1]))
    for other, c in zip((b, d.T), found, strict=True):
        np.testing.assert_array_equal(c, a.astype(np.int32) @ other.astype(np.int32))
    assert (around[1::2] == 77).all()
    for fence in fences:
        fence.open()


@has_avx512
@pytest.mark.covering(0)
@pytest.mark.parametrize("terms", [64, 4096])
@pytest.mark.parametrize(
    ("unit", "instruction", "products", "loads"),
    [
        (Unit.AMX_INT8, "tdpbssd", 4, (2, 2)),
        (Unit.AMX_BF16, "tdpbf16ps", 4, (2, 2)),
        (Unit.AMX_F16, "tdpbf16ps", 16, (4, 6)),
    ],
)
def test_loops_keep_their_tiles_in_registers(
    unit: Unit, instruction: str, products: int, loads: tuple[int, int], terms: int
) -> None:
    """A step is four loads and four products, of f16 ten and sixteen; else sums are moved once a block and run, the
    configuration once."""
    shape = tile_machine()
    text = kernel(Way(unit, emulated=True), shape, extents=(1024, 1024, terms)).text
    code = assembly_of(text, replace(shape.processor, cpu="sapphirerapids"))
    assert code.count("ldtilecfg") == code.count("tilerelease") == 1
    assert code.count(f"\t{instruction}") == products
    assert len(re.findall(r"\ttileloaddt1\s", code)) == loads[0]
    kept = 4 if terms > 1024 else 0
    assert len(re.findall(r"\ttileloadd\s", code)) == loads[1] + kept
    assert code.count("tilezero") == code.count("tilestored") == 4


@has_avx512
def test_tiles_are_stored_where_they_belong() -> None:
    """Sums that are the result go there from tiles; they are kept elsewhere only where a block reaches over an end."""
    shape = replace(tile_machine(), l2_bytes=1 << 21)
    text = kernel(Way(Unit.AMX_INT8, emulated=True), shape, extents=(256, 256, 512)).text
    code = assembly_of(text, replace(shape.processor, cpu="sapphirerapids"))
    assert code.count("tilestored") == 8


@has_avx512
@pytest.mark.covering(0)
@pytest.mark.parametrize(("left", "right"), ["ss", "su", "us", "uu"])
def test_every_pair_of_signs_has_its_instruction(left: str, right: str) -> None:
    from targets.cpu.units.test_integer_units import kernel as signed_kernel

    text = signed_kernel((left, right), Way(Unit.AMX_INT8, emulated=True)).text
    code = assembly_of(text, replace(tile_machine().processor, cpu="sapphirerapids"))
    assert set(re.findall(r"\ttdp\w+", code)) == {f"\ttdpb{right}{left}d"}
