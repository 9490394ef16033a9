"""lower-collectives: shapes of the loops, remainders, zero factors, atomics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.dialects import tile
from tilewright.interpreter import interpret
from tilewright.transforms.generic_policies import GenericTilePolicy
from tilewright.transforms.lower_collectives import LowerCollectives
from tilewright.transforms.policy import Remainders, StreamPrefetch
from transforms.support import filecheck, kernel, names, run

ZERO = "%zero = arith.constant {value = 0.0} -> f32"
ONE = "%one = arith.constant {value = 1.0} -> f32"
SMALL = LowerCollectives(GenericTilePolicy(whole=16, block=8, depth=4, run=32))


def test_small_static_gemm_is_one_tile() -> None:
    module = kernel(
        "%A: memref<f32x16x8>, %B: memref<f32x16x8>, %C: memref<f32x16x16>",
        f"{ZERO} {ONE} tl.gemm %one, %A, %B, %zero, %C {{transpose_b = true}}",
    )
    filecheck(
        run(module, LowerCollectives()),
        """
        memref.permute %B {order = [1, 0]}
        ! scf.
        ! tile.load %C
        tile.load %A
        tile.load
        tile.mma
        ! arith.mul
        tile.store {{.*}}, %C
        """,
    )
    assert names(module)["tile.load"] == 2


def test_beta_one_and_alpha_one_accumulate_onto_the_target() -> None:
    module = kernel(
        "%A: memref<f32x4x8>, %B: memref<f32x8x4>, %C: memref<f32x4x4>", f"{ONE} tl.gemm %one, %A, %B, %one, %C"
    )
    filecheck(
        run(module, LowerCollectives()),
        """
        %[[c]] = tile.load %C
        = tile.mma {{.*}}, %[[c]]
        ! arith.add
        tile.store
        """.replace("%[[c]]", "{{%\\d+}}"),
    )


def test_run_time_factors_select_zeros() -> None:
    module = kernel(
        "%a: f32, %b: f32, %A: memref<f32x4x8>, %B: memref<f32x8x4>, %C: memref<f32x4x4>",
        "tl.gemm %a, %A, %B, %b, %C",
    )
    filecheck(
        run(module, LowerCollectives()),
        """
        arith.cmp %a
        arith.cmp %b
        tile.mma
        tile.load %C
        arith.select
        arith.add
        arith.select
        tile.store
        """,
    )


def test_static_remainders_are_exact_tiles_and_inner_loop_carries_the_accumulator() -> None:
    module = kernel(
        "%A: memref<f32x20x35>, %B: memref<f32x35x16>, %C: memref<f32x20x16>",
        f"{ZERO} {ONE} tl.gemm %one, %A, %B, %zero, %C",
    )
    text = run(module, SMALL)
    filecheck(
        text,
        """
        scf.for {{.*}} parallel = true
        scf.for {{.*}} parallel = true
        scf.for {{.*}} -> tile<8x8xf32>
        tile.load %A{{.*}} -> tile<8x4xf32>
        scf.yield
        tile.load %A{{.*}} -> tile<8x3xf32>
        tile.store
        tile.load %A{{.*}} -> tile<4x4xf32>
        tile.load %A{{.*}} -> tile<4x3xf32>
        """,
    )
    assert "true, " not in text.replace("parallel = true", "")
    assert "scf.if" not in text


def test_transposes_end_in_smaller_squares(rng: np.random.Generator) -> None:
    """Each element once, without tests, whatever is left."""
    policy = GenericTilePolicy(whole=0, run=64, crosswise_remainders=Remainders.SMALLER)
    module = kernel(
        "%A: memref<f32x?x?>, %B: memref<f32x?x?>",
        f"{ONE} tl.axpby %one, %A, %one, %B {{transpose = true}}",
    )
    assert "check = [" not in run(module, LowerCollectives(policy)).replace("check = []", "")
    assert names(module)["tile.store"] == 9, "squares of 16, 4 and 1 along both modes"
    for m, n in rng.integers(0, 40, (12, 2)):
        a, b = (np.asfortranarray(rng.integers(-9, 9, shape).astype(np.float32)) for shape in ((m, n), (n, m)))
        expected = b + a.T
        interpret(module.kernels[0], [a, b], (1, 1, 1))
        np.testing.assert_array_equal(b, expected)


def test_dynamic_remainders_are_checked() -> None:
    module = kernel(
        "%A: memref<f32x?x?>, %B: memref<f32x?x?>", f"{ZERO} {ONE} tl.axpby %one, %A, %zero, %B {{transpose = true}}"
    )
    filecheck(
        run(module, SMALL),
        """
        memref.permute %A
        scf.for {{.*}} parallel = true
        check = []
        check = []
        scf.if
        check = [true, false]
        scf.if
        check = [false, true]
        check = [true, true]
        """,
    )


def test_declared_divisibility_removes_remainders() -> None:
    module = kernel(
        "%A: memref<f32x?>, %B: memref<f32x?>",
        f"{ZERO} {ONE} tl.axpby %one, %A, %zero, %B",
        "parameter_attributes = [{}, {shape_gcd = [64]}]",
    )
    text = run(module, SMALL)
    assert "scf.if" not in text
    assert "scf.for" in text


@pytest.mark.parametrize(("beta", "op"), [("%zero", "tile.atomic_store"), ("%one", "tile.atomic_rmw")])
def test_atomic_updates(beta: str, op: str) -> None:
    module = kernel(
        "%A: memref<bf16x4x4>, %C: memref<bf16x4x4>",
        f"{ZERO.replace('f32', 'bf16')} {ONE.replace('f32', 'bf16')}"
        f" tl.hadamard %one, %A, %A, {beta}, %C {{atomic = true}}",
    )
    run(module, LowerCollectives())
    found = names(module)
    assert found[op] == 1
    assert found["tile.store"] == 0


def test_zero_alpha_reads_no_operand_and_identity_vanishes() -> None:
    types = "%A: memref<f32x4x4>, %C: memref<f32x4x4>"
    module = kernel(types, f"{ZERO} {ONE} tl.gemm %zero, %A, %A, %zero, %C")
    text = run(module, LowerCollectives())
    assert "tile.load" not in text
    assert "tile.store" in text
    module = kernel(types, f"{ZERO} {ONE} tl.gemm %zero, %A, %A, %one, %C")
    assert "tile.store" not in run(module, LowerCollectives())


def test_empty_tensors_leave_nothing() -> None:
    module = kernel("%A: memref<f32x0>, %B: memref<f32x0>", f"{ZERO} {ONE} tl.axpby %one, %A, %zero, %B")
    assert "tile." not in run(module, LowerCollectives())


def test_low_precision_rounds_once() -> None:
    module = kernel(
        "%A: memref<bf16x4x8>, %B: memref<bf16x8x4>, %C: memref<bf16x4x4>",
        f"{ONE.replace('f32', 'bf16')} tl.gemm %one, %A, %B, %one, %C",
    )
    filecheck(
        run(module, LowerCollectives()),
        """
        arith.cast {{.*}} -> tile<4x4xf32>
        tile.mma {{.*}} -> tile<4x4xf32>
        arith.cast {{.*}} -> tile<4x4xbf16>
        tile.store
        """,
    )
    assert names(module)["arith.cast"] == 2


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_cumsum_carries_the_last_slice(mode: int) -> None:
    module = kernel(
        "%A: memref<f32x5x40x7>, %B: memref<f32x5x40x7>",
        f"{ZERO} {ONE} tl.cumsum %one, %A, %zero, %B {{mode = {mode}}}",
    )
    run(module, SMALL)
    found = names(module)
    assert found["memref.subview"] == 2
    assert found["tile.scan"] >= 1
    assert found["tile.extract"] >= 1


def test_cumsum_of_nothing_has_views_of_all_modes() -> None:
    """An extent of 0 is no size of a subview that drops its mode."""
    module = kernel(
        "%A: memref<f32x3x0x2>, %B: memref<f32x3x0x2>", f"{ZERO} {ONE} tl.cumsum %one, %A, %zero, %B {{mode = 1}}"
    )
    run(module, SMALL)
    assert names(module)["memref.subview"] == 2


@pytest.mark.parametrize("alpha", [0.0, -0.0, 2.0])
@pytest.mark.parametrize("beta", [0.0, -0.0, 3.0])
def test_what_stands_behind_a_factor_of_zero_has_no_influence(alpha: float, beta: float) -> None:
    """The rules of BLAS, for NaN and infinities and for factors that only the launch knows."""
    module = kernel("%a: f32, %A: memref<f32x5>, %b: f32, %B: memref<f32x5>", "tl.axpby %a, %A, %b, %B")
    run(module, SMALL)
    source = np.array([np.nan, np.inf, 1, 2, 3], np.float32)
    target = np.array([1, 2, np.nan, -np.inf, 3], np.float32)
    first: NDArray[Any] = alpha * source if alpha else np.zeros(5)
    second: NDArray[Any] = beta * target if beta else np.zeros(5)
    wanted = first + second
    interpret(module.kernels[0], [alpha, source, beta, target])
    np.testing.assert_array_equal(target, wanted)


def test_gemv_follows_the_layout() -> None:
    types = "%A: memref<f32x64x64>, %x: memref<f32x64>, %y: memref<f32x64>"
    column = kernel(types, f"{ONE} tl.gemv %one, %A, %x, %one, %y")
    run(column, LowerCollectives())
    assert names(column)["tile.mma"] == 1
    row = kernel(types, f"{ONE} tl.gemv %one, %A, %x, %one, %y {{transpose = true}}")
    run(row, LowerCollectives())
    assert names(row)["tile.mma"] == 0
    assert names(row)["tile.reduce"] == 1


def test_scalar_targets_use_scalar_accesses() -> None:
    module = kernel(
        "%a: memref<f32>, %b: memref<f32>, %x: memref<f32x70>",
        f"{ZERO} {ONE} tl.axpby %one, %a, %one, %b tl.sum %one, %x, %zero, %a",
    )
    filecheck(run(module, SMALL), "memref.load %a\nmemref.load %b\nmemref.store\ntile.reduce\ntile.item\nmemref.store")


def test_streams_of_stores_fetch_ahead_where_the_machine_wishes_it() -> None:
    text = "tl.axpby %one, %A, %b, %B"
    long = LowerCollectives(GenericTilePolicy(run=32), StreamPrefetch(stores=64))
    module = kernel("%b: f32, %A: memref<f32x?>, %B: memref<f32x?>", f"{ONE} {ZERO} {text.replace('%b', '%zero')}")
    filecheck(
        run(module, long),
        """
        scf.for
        = arith.add
        tile.prefetch %B, {{%\\d+}} {level = 0, shape = [32], write = true}
        tile.store
        ! tile.prefetch
        tile.store
        """,
    )
    for parameters in (
        "%b: f32, %A: memref<f32x?>, %B: memref<f32x?>",
        "%b: f32, %A: memref<f32x8>, %B: memref<f32x8>",
    ):
        assert "tile.prefetch" not in run(kernel(parameters, f"{ONE} {text}"), long)


def test_streams_of_elements_apart_fetch_ahead_by_every_fourth() -> None:
    apart = LowerCollectives(GenericTilePolicy(run=8), StreamPrefetch(stores=32, strided=64))
    types = "%a: memref<f32x?,strided<?>>, %b: memref<f32x?,strided<?>>, %y: memref<f32>"
    assert "tile.prefetch" not in run(kernel(types, f"{ONE} tl.axpby %one, %a, %one, %b"), apart)
    found = run(kernel(types, f"{ONE} {ZERO} tl.axpby %one, %a, %zero, %b"), apart)
    assert found.count("tile.prefetch %a") == found.count("tile.prefetch %b") == 2
    assert found.count("write = true") == 2
    found = run(kernel(types, f"{ONE} {ZERO} tl.sum %one, %a, %zero, %y"), apart)
    assert found.count("tile.prefetch %a") == 2
    for parameters in ("%a: memref<f32x?>, %y: memref<f32>", "%a: memref<f32x8,strided<3>>, %y: memref<f32>"):
        assert "tile.prefetch" not in run(kernel(parameters, f"{ONE} {ZERO} tl.sum %one, %a, %zero, %y"), apart)


@pytest.mark.parametrize("unsigned", [(False, False), (True, False), (False, True), (True, True)])
def test_factors_of_either_sign(rng: np.random.Generator, unsigned: tuple[bool, bool]) -> None:
    """Bytes of the whole range, transposed too: the numbers that they are with and without a sign."""
    names_of = ("unsigned_a", "unsigned_b")
    flags = ", ".join(f"{name} = {str(flag).lower()}" for name, flag in zip(names_of, unsigned, strict=True))
    text = (
        "%zero = arith.constant {value = 0} -> i32 %one = arith.constant {value = 1} -> i32 "
        f"tl.gemm %one, %A, %B, %zero, %C {{transpose_b = true, {flags}}}"
    )
    a, b = (np.asfortranarray(rng.integers(-128, 128, shape), np.int8) for shape in ((20, 9), (18, 9)))
    x, y = (v.view(np.uint8 if flag else np.int8).astype(np.int64) for v, flag in zip((a, b), unsigned, strict=True))
    for step in (None, LowerCollectives(), SMALL):
        module = kernel("%A: memref<i8x20x9>, %B: memref<i8x18x9>, %C: memref<i32x20x18>", text)
        if step is not None:
            run(module, step)
        c = np.zeros((20, 18), np.int32, order="F")
        interpret(module.kernels[0], [a, b, c])
        assert np.array_equal(c, x @ y.T), step


def test_sums_are_read_and_written_outside_of_the_loop_over_terms() -> None:
    module = kernel(
        "%A: memref<f32x32x64>, %B: memref<f32x64x32>, %C: memref<f32x32x32>", f"{ONE} tl.gemm %one, %A, %B, %one, %C"
    )
    assert SMALL.broken(module) == ["tl.gemm is left"]
    run(module, SMALL)
    assert SMALL.broken(module) == []
    product = next(op for op in module.walk() if isinstance(op, tile.Mma))
    first = next(op for op in module.walk() if isinstance(op, tile.Load) and op.out.type == product.acc.type)
    block = product.block
    assert block is not None
    again = first.clone({})
    block.insert(again, product)
    product.operands = [product.lhs, product.rhs, again.results[0]]
    assert SMALL.broken(module) == ["a loop over terms reads its accumulator in every round"]
