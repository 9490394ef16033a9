"""Units through the whole compiler: products of both languages, what `schedule` says, units that are asked for."""

from __future__ import annotations

import re
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from effort import thorough
from tilewright.machine.processor import machine
from tilewright.machine.units import lacking, unavailable
from tilewright.settings.config import ConfigError
from tilewright.settings.product_units import Unit
from tilewright.targets import find_target

Array = NDArray[Any]
SIGNS = ("signed", "unsigned")
has_vnni = pytest.mark.skipif(bool(lacking(machine(), Unit.VNNI)), reason="this machine has no VNNI")


def gemm(types: tuple[str, str, str], m: int, n: int, k: int) -> str:
    one = "1" if types[0][0] == "i" else "1.0"
    zero = "0" if types[2][0] == "i" else "0.0"
    a, b, c = f"{types[0]}x{m}x{k}", f"{types[1]}x{k}x{n}", f"{types[2]}x{m}x{n}"
    return f"""func @k(%A: memref<{a}>, %B: memref<{b}>, %C: memref<{c}>) {{
        %one = constant {one} : {types[0]}
        %zero = constant {zero} : {types[2]}
        gemm %one, %A, %B, %zero, %C
    }}"""


I8 = ("i8", "i8", "i32")


class View:
    """A partition view of a row-major array at the pointer `%name`; what lies outside is zero."""

    def __init__(self, name: str, element: str, shape: tuple[int, ...], tile: tuple[int, ...]) -> None:
        strides = [prod(shape[k + 1 :]) for k in range(len(shape))]
        extents, steps = "x".join(map(str, shape)), ",".join(map(str, strides))
        tensor = f"tensor_view<{extents}x{element}, strides=[{steps}]>"
        padding = "padding_value = zero, " if element == "i8" else ""
        self.name = name
        self.tile = f"tile<{'x'.join(map(str, tile))}x{element}>"
        self.type = f"partition_view<tile=({'x'.join(map(str, tile))}), {padding}{tensor}>"
        self.text = f"""%{name}t = make_tensor_view %{name}, shape = {list(shape)}, strides = {strides} : {tensor}
            %{name}v = make_partition_view %{name}t : {self.type}"""

    def load(self, at: str) -> str:
        """`%` and the name in upper case is the tile at an index."""
        load = f"%{self.name.upper()}, %{self.name}u = load_view_tko weak %{self.name}v[{at}]"
        return f"{load} : {self.type}, tile<i32> -> {self.tile}, token"


def mmai(signs: tuple[str, str], size: tuple[int, int, int], tiles: tuple[int, int, int]) -> str:
    """`c = a b` in tiles, with a loop over terms."""
    (m, n, k), (tm, tn, tk) = size, tiles
    a, b = View("a", "i8", (m, k), (tm, tk)), View("b", "i8", (k, n), (tk, tn))
    c = View("c", "i32", (m, n), (tm, tn))
    return f"""cuda_tile.module @m {{
        entry @k(%a: tile<ptr<i8>>, %b: tile<ptr<i8>>, %c: tile<ptr<i32>>) {{
            {a.text}
            {b.text}
            {c.text}
            %m, %n, %z = get_tile_block_id : tile<i32>
            %lo = constant <i32: 0> : tile<i32>
            %hi = constant <i32: {-(-k // tk)}> : tile<i32>
            %step = constant <i32: 1> : tile<i32>
            %zero = constant <i32: 0> : {c.tile}
            %sum = for %k in (%lo to %hi, step %step) : tile<i32> iter_values(%acc = %zero) -> ({c.tile}) {{
                {a.load("%m, %k")}
                {b.load("%k, %n")}
                %next = mmai %A, %B, %acc {signs[0]} {signs[1]} : {a.tile}, {b.tile}, {c.tile}
                continue %next : {c.tile}
            }}
            %done = store_view_tko weak %sum, %cv[%m, %n] : {c.tile}, {c.type}, tile<i32> -> token
            return
        }}
    }}
    """


@pytest.mark.covering(2)
@pytest.mark.parametrize("tiles", [(16, 8, 32), (64, 32, 32), (128, 64, 128)])
@pytest.mark.parametrize("signs", list(product(SIGNS, SIGNS)), ids="-".join)
def test_mmai_is_the_same_on_every_unit_and_in_the_interpreter(
    signs: tuple[str, str], tiles: tuple[int, int, int], rng: np.random.Generator
) -> None:
    m, n, k = size = (150, 70, 137)
    text = mmai(signs, size, tiles)
    a, b = rng.integers(-128, 128, (m, k)).astype(np.int8), rng.integers(-128, 128, (k, n)).astype(np.int8)
    seen = [v if sign == "signed" else v.view(np.uint8) for v, sign in zip((a, b), signs, strict=True)]
    wanted = (seen[0].astype(np.int64) @ seen[1].astype(np.int64)).astype(np.int32)
    grid = (-(-m // tiles[0]), -(-n // tiles[1]), 1)
    # For processors without vectors of integers LLVM writes much code, which need not be fast here.
    ways = [
        ("interpreter", None, 2),
        ("cpu", "vector", 2),
        ("cpu", "vnni", 2),
        ("cpu", "amx", 2),
        ("cpu:generic", None, 0),
    ]
    for target, units, level in ways if thorough() else ways[int(rng.integers(2)) :: 2]:
        c = np.full((m, n), -1, np.int32)
        tw.compile(text, cache=False, target=target, units=units, level=level).k[grid](a, b, c)
        np.testing.assert_array_equal(c, wanted, err_msg=f"{target} {units}")


@pytest.mark.covering(2)
@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("unit", [Unit.VNNI, Unit.AMX_INT8])
@pytest.mark.parametrize("signs", list(product(SIGNS, SIGNS)), ids="-".join)
def test_batches_of_mmai(signs: tuple[str, str], unit: Unit, level: int, rng: np.random.Generator) -> None:
    """Each matrix of a batch is a product of its own, of unsigned bytes too."""
    shapes = {"a": ((2, 64, 128), "i8"), "b": ((2, 128, 32), "i8"), "c": ((2, 64, 32), "i32")}
    views = {name: View(name, element, shape, shape) for name, (shape, element) in shapes.items()}
    zero = ", ".join(["%z"] * 3)
    text = f"""cuda_tile.module @m {{
        entry @k(%a: tile<ptr<i8>>, %b: tile<ptr<i8>>, %c: tile<ptr<i32>>) {{
            {views["a"].text}
            {views["b"].text}
            {views["c"].text}
            %z = constant <i32: 0> : tile<i32>
            {views["a"].load(zero)}
            {views["b"].load(zero)}
            %zeros = constant <i32: 0> : {views["c"].tile}
            %sum = mmai %A, %B, %zeros {signs[0]} {signs[1]} : {", ".join(view.tile for view in views.values())}
            %done = store_view_tko weak %sum, %cv[{zero}] : {views["c"].tile}, {views["c"].type}, tile<i32> -> token
            return
        }}
    }}
    """
    a, b = (rng.integers(-128, 128, shapes[name][0]).astype(np.int8) for name in "ab")
    seen = [v if sign == "signed" else v.view(np.uint8) for v, sign in zip((a, b), signs, strict=True)]
    c = np.full(shapes["c"][0], -1, np.int32)
    kernel = tw.compile(text, cache=False, level=level, units=unit.value).k
    kernel[1](a, b, c)
    np.testing.assert_array_equal(c, (seen[0].astype(np.int64) @ seen[1].astype(np.int64)).astype(np.int32))
    assert (f"{unit.value}, packed" in kernel.schedule) == (unavailable(machine(), unit) is None)


def test_cooperative_matrices(rng: np.random.Generator) -> None:
    text = """func @k(%A: memref<i8x64x64>, %B: memref<i8x64x64>, %C: memref<i32x64x64>)
            attributes{subgroup_size=16, work_group_size=[16,1]} {
        parallel {
            %0 = constant 0 : index
            %a = cooperative_matrix_load %A[%0,%0] : coopmatrix<i8x64x64,matrix_a>
            %b = cooperative_matrix_load %B[%0,%0] : coopmatrix<i8x64x64,matrix_b>
            %c = cooperative_matrix_load %C[%0,%0] : coopmatrix<i32x64x64,matrix_acc>
            %d = cooperative_matrix_mul_add %a, %b, %c : coopmatrix<i32x64x64,matrix_acc>
            cooperative_matrix_store %d, %C[%0,%0]
        }
    }"""
    a, b = (np.asfortranarray(rng.integers(-128, 128, (64, 64)).astype(np.int8)) for _ in range(2))
    for units in ("vector", "vnni", "amx"):
        c = np.full((64, 64), np.iinfo(np.int32).max, np.int32, "F")
        tw.compile(text, cache=False, units=units).k[1](a, b, c)
        wanted = a.astype(np.int64) @ b.astype(np.int64) + np.iinfo(np.int32).max
        np.testing.assert_array_equal(c, wanted.astype(np.int32))


@has_vnni
def test_products_of_both_languages_take_vnni() -> None:
    tensor = tw.compile(gemm(I8, 100, 90, 80), cache=False).k
    assert "4:9: 100x90x80, i8 by i8 into i32: vnni, packed, blocks of 32x" in tensor.schedule
    assert "vpdpbusd" in tensor.asm
    assert "into i8" not in tensor.schedule
    for signs in product(SIGNS, SIGNS):
        kernel = tw.compile(mmai(signs, (128, 128, 128), (64, 64, 64)), cache=False).k
        words = ["unsigned i8" if sign == "unsigned" else "i8" for sign in reversed(signs)]
        assert f"{words[0]} by {words[1]} into i32: vnni, packed" in kernel.schedule
    shorts = tw.compile(gemm(("i16", "i8", "i32"), 100, 90, 80), cache=False).k
    assert "vpdpwssd" in shorts.asm


@has_vnni
@pytest.mark.parametrize(
    ("text", "target", "units", "said"),
    [
        (gemm(I8, 100, 90, 80), "cpu", "vector", "vector, packed, .*; vnni: not among the units to be used"),
        (gemm(I8, 100, 90, 80), "cpu:generic", None, "vector, .*; vnni: the target lacks avx512f, .*avx512vnni"),
        (gemm(I8, 20, 20, 20), "cpu", None, "vector, factors read in place; vnni: only packed products take it"),
        (gemm(I8, 20, 20, 20), "cpu", "vector", "read in place; .*vnni: not among the units to be used"),
        (gemm(("f32", "f32", "f32"), 100, 90, 80), "cpu", None, r"f32 by f32 into f32: vector, packed, [^;]*\Z"),
        (gemm(("i8", "i8", "i64"), 100, 90, 80), "cpu", None, r"into i64: vector, packed, [^;]*\Z"),
        (gemm(I8, 100, 90, 80), "interpreter", None, r"\A\Z"),
    ],
)
def test_schedule_says_why_no_better_unit(text: str, target: str, units: str | None, said: str) -> None:
    kernel = tw.compile(text, cache=False, target=target, units=units).k
    assert re.search(said, kernel.schedule), kernel.schedule


def test_schedule_says_why_bf16_is_left_to_vectors() -> None:
    missing = lacking(machine(), Unit.BF16)
    why = f"the target lacks {', '.join(missing)}" if missing else "only used where asked for, since it takes subnormal"
    schedule = tw.compile(gemm(("bf16", "bf16", "f32"), 100, 90, 80), cache=False).k.schedule
    assert re.search(f"vector, packed, .*; bf16: {why}", schedule), schedule


def test_schedule_survives_the_cache_and_bytes() -> None:
    program = tw.compile(gemm(I8, 100, 90, 80))
    assert tw.compile(gemm(I8, 100, 90, 80)).k.schedule == program.k.schedule
    assert tw.Program.from_bytes(program.to_bytes()).k.schedule == program.k.schedule
    assert program.k.schedule


@has_vnni
def test_units_come_from_the_argument_before_the_setting() -> None:
    with tw.config(units="vector"):
        assert "vector, packed" in tw.compile(gemm(I8, 100, 90, 80)).k.schedule
        assert "vnni, packed" in tw.compile(gemm(I8, 100, 90, 80), units="vnni,vector").k.schedule
    assert "vnni, packed" in tw.compile(gemm(I8, 100, 90, 80)).k.schedule


@pytest.mark.parametrize("words", ["vnii", "vnni;vector", "vnni,,vector", "amx512"])
def test_what_is_no_unit_is_told(words: str) -> None:
    with pytest.raises(
        ConfigError, match="is no list of product units: vector, vnni, bf16, amx-int8, amx-bf16, amx-f16, amx, with"
    ):
        tw.compile(gemm(I8, 4, 4, 4), units=words)


def test_units_of_targets_that_have_none() -> None:
    with pytest.raises(ValueError, match="product units are chosen for the CPU"):
        tw.compile(gemm(I8, 4, 4, 4), target="nvidia:sm_80", units="vector")
    with tw.config(units="vector"):
        tw.compile(gemm(I8, 4, 4, 4), target="nvidia:sm_80")


def test_units_that_a_target_lacks_are_no_part_of_its_fingerprint() -> None:
    assert find_target("cpu:generic", "vnni").fingerprint() == find_target("cpu:generic", "vector").fingerprint()
    differs = find_target("cpu", "vnni").fingerprint() != find_target("cpu", "vector").fingerprint()
    assert differs == (not lacking(machine(), Unit.VNNI))
