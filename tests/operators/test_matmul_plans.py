"""How products are arranged: modes, copies, programs that are shared, tiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright.operators.epilogues import operations_of
from tilewright.operators.products import compiled

Array = NDArray[Any]


class OnHost:
    """An array that nothing but DLPack shows."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> object:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def test_a_leading_batch_of_one_factor_is_rows() -> None:
    """Matrices that lie one behind the other and meet one and the same second factor are one matrix."""
    plan = tw.matmul.plan(np.zeros((6, 5, 4)), np.zeros((4, 3)))
    assert plan.arrangement.loops == ()
    assert dict(plan.arrangement.extents) == {"m": 30, "n": 3, "k": 4}
    apart = tw.matmul.plan(np.zeros((6, 7, 4))[:, :5], np.zeros((4, 3)))
    assert apart.arrangement.loops == ("p0",)
    repeated = tw.matmul.plan(np.broadcast_to(np.zeros((1, 5, 4)), (6, 5, 4)), np.zeros((6, 4, 3)))
    assert repeated.copies == ()
    assert repeated.arrangement.operands[0].modes == ("m", "k")


def test_equal_classes_share_a_program() -> None:
    before = compiled.cache_info().misses
    for m in (3, 4, 5):
        a, b = np.zeros((m, m), np.float16), np.zeros((m, m + 1), np.float16)
        assert tw.matmul.plan(a, b).kernel is tw.matmul.plan(a, b).kernel
    assert compiled.cache_info().misses <= before + 1


def test_columns_are_computed_as_rows_of_the_transposed_product() -> None:
    a, b = np.zeros((3, 4)), np.zeros((4, 5))
    plan = tw.matmul.plan(a, b, np.zeros((5, 3)).T)
    assert plan.arrangement.turned
    assert plan.text == tw.matmul.plan(b.T, a.T, np.zeros((5, 3))).text.replace("%a", "%t").replace("%b", "%a").replace(
        "%t", "%b"
    )


class TestCopies:
    """What kernels do not take as it lies is copied, and plans say so."""

    def copies(self, a: Array, b: Array, target: str = "cpu") -> list[str]:
        return [str(copy) for copy in tw.matmul.plan(a, b, target=target).copies]

    def test_steps_backwards_and_repeated_elements(self) -> None:
        a, b = np.zeros((3, 4)), np.zeros((4, 5))
        assert self.copies(a, b) == self.copies(a[::2, ::2], b[::2, ::3]) == []
        assert self.copies(a[:, ::-1], b) == ["a is copied: it runs backwards (strides (4, -1), of the copy (4, 1))"]
        assert "b is copied: it repeats elements" in self.copies(a, np.broadcast_to(b[:, :1], (4, 5)))[0]
        windows = np.lib.stride_tricks.sliding_window_view(np.arange(6.0), 4)
        assert "a is copied: its rows overlap" in self.copies(windows, b)[0]
        np.testing.assert_array_equal(tw.matmul(windows, b + 1), windows @ (b + 1))

    def test_of_what_offers_dlpack_alone(self) -> None:
        """To NumPy it is one object, whose elements would be pointers."""
        a = np.arange(12, dtype=np.float32).reshape(3, 4)
        found: Array = tw.matmul(a, OnHost(a.T[::-1]))
        assert np.array_equal(found, a @ a.T[::-1])

    def test_factors_that_a_gpu_reads_slowly(self) -> None:
        a = np.zeros((1025, 1032), np.float16)
        odd = a[:, :1025].copy()
        assert self.copies(a[:, :1025], a, "nvidia:sm_90a") == []
        (said,) = self.copies(odd, a, "nvidia:sm_90a")
        assert said == (
            "a is copied: its rows are 2050 bytes apart, no multiple of 16 (strides (1025, 1), of the copy (1088, 1))"
        )
        (said,) = self.copies(a[:, 1:1026], a, "nvidia:sm_90a")
        assert "it begins at no multiple of 16 bytes" in said
        assert (
            "its elements are no neighbours" in self.copies(np.zeros((1025, 2050), np.float16)[:, ::2], a, "nvidia")[0]
        )
        # rows of copies begin where lines of 128 bytes do; small products take none
        wide = np.zeros((3001, 3001), np.float32)
        (said, _) = self.copies(wide.T, wide, "nvidia:sm_90a")
        assert "its rows are 12004 bytes apart, no multiple of 16 (strides (3001, 1), of the copy (3008, 1))" in said
        # multiply-adds have rows along the terms turned element by element, wherever they lie
        (said,) = self.copies(wide, wide, "nvidia:sm_90a")
        assert said.startswith("b is copied")
        assert self.copies(wide, wide.T, "nvidia:sm_90a") == []
        # a copy takes longer than what such rows cost
        short = wide[:1025, :1025].copy()
        assert self.copies(short, short, "nvidia:sm_90a") == []
        assert "threads=256 tile=96x96x32" in tw.matmul.plan(short, short, target="nvidia:sm_90a").schedule
        few, many = np.zeros((1025, 1025)), np.zeros((4097, 4097))
        assert self.copies(few, few, "nvidia:sm_90a") == []
        assert len(self.copies(many, many, "nvidia:sm_90a")) == 2
        assert self.copies(odd[:65, :65].copy(), odd[:65, :65].copy(), "nvidia") == []
        assert self.copies(odd, a) == []

    @pytest.mark.parametrize(
        ("dtype", "precision", "unit"), [(np.float32, "tf32", "tf32.turned"), (np.int8, "exact", "i8.turned")]
    )
    def test_one_of_two_factors_that_no_unit_takes(self, dtype: type[Any], precision: str, unit: str) -> None:
        a, few = np.zeros((2048, 4608), dtype), np.zeros((9, 2048), dtype)
        plans = [tw.matmul.plan(x, a, target="nvidia:sm_90a", precision=precision) for x in (a.T, few)]
        copies = [[str(copy) for copy in plan.copies] for plan in plans]
        reason = "no unit takes both factors as they lie"
        assert copies == [[f"a is copied: {reason} (strides (1, 4608), of the copy (2048, 1))"], []]
        assert unit in plans[0].schedule
        assert not tw.matmul.plan(a.T, a, target="nvidia:sm_80", precision=precision).copies
        if precision != "exact":
            assert not tw.matmul.plan(a.T, a, target="nvidia:sm_90a").copies


def test_what_the_machine_copies_has_no_second_way() -> None:
    """In which threads copy: only a plan for other arrays has it."""
    a = np.zeros((300, 304), np.float16)
    b, out = np.zeros((304, 200), np.float16), np.zeros((300, 200), np.float16)
    odd = np.zeros((300, 203), np.float16)

    def second(*arrays: Array, target: str = "nvidia:sm_90a") -> bool:
        return "maps=yes" not in tw.matmul.plan(*arrays, target=target).steps[0].tiles

    assert not second(a, b, out)
    assert not second(a[:, :1], b[:1], out)
    assert not second(np.zeros((5, 304), np.float16), np.zeros((304, 16), np.float16), np.zeros((5, 16), np.float16))
    assert second(a[:, 1:297], b[:296], out)
    assert second(a, b, odd[:, :200])
    assert second(a, b, np.zeros((300, 201), np.float16)[:, 1:])
    assert second(a, b[:, ::2], out[:, :100])
    assert second(a, b, out, target="nvidia:sm_80")
    # neighbours that lie in matrices beside each other, and more modes than a map has
    apart = np.zeros((8, 8, 8), np.float16)
    assert second(apart.transpose(2, 0, 1), apart)
    for modes in (5, 6):
        many = np.zeros((16,) * (modes - 1) + (8,), np.float16)[(slice(None, None, 2),) * (modes - 1)]
        plan = tw.matmul.plan(many, apart[0], target="nvidia:sm_90a")
        assert len(plan.arrangement.operands[0].modes) == modes
        assert ("maps=yes" in plan.steps[0].tiles) == (modes == 5)
    plan = tw.matmul.plan(a, b, out, target="nvidia:sm_90a")
    assert plan.schedule.endswith("maps=yes")


@pytest.mark.parametrize("target", ["nvidia:sm_80", "nvidia:sm_90a"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_copy_in_one_way(dtype: type[np.float32 | np.float64], target: str) -> None:
    """An element at a time where rows begin anywhere; else 16 bytes of f64, if accumulators leave few registers, or
    terms end in a box. Left factors of f32 are turned, wherever their rows begin."""
    a, b, odd = np.zeros((512, 512), dtype), np.zeros((512, 208), dtype), np.zeros((512, 203), dtype)
    large, is_single = np.zeros((2048, 2048), dtype), dtype is np.float32

    def said(a: Array, b: Array, **options: Any) -> str:
        tiles = tw.matmul.plan(a, b, target=target, **options).steps[0].tiles
        return tiles[tiles.index("maps=") :] if "maps=" in tiles else ""

    assert said(large, large) == said(np.stack([large, large]), large[:, :512]) == ("" if is_single else "maps=yes")
    assert said(a, b) == said(a[:203], b[:, :200]) == ""
    assert said(a[:, :510], b[:510]) == ("" if is_single else "maps=yes")
    assert said(a, odd) == ("maps=none" if is_single else "")
    assert said(a[:, 1:204], odd[:203]) == "maps=none"
    assert said(a[:, 1:], b[1:]) == ""
    assert said(a[:, 1:204], odd[:203], accumulate="f64") == ("" if is_single else "maps=none")
    assert said(a[:, ::2], b[::2]) == ""
    if is_single:
        assert said(a, odd, precision="3xtf32") == said(a, odd, precision="tf32") == ""
    assert "maps=none" in tw.matmul.plan(a[:, 1:204], odd[:203], target=target).schedule


def test_tiles_by_turns_where_the_machine_stores() -> None:
    """Not where threads read what they store, nor where rows begin within 16 bytes."""
    a, wide = np.zeros((3072, 3072), np.float16), np.zeros((3072, 3073), np.float16)

    def tiles(out: Array, **options: Any) -> str:
        return tw.matmul.plan(a, a, out, target="nvidia:sm_90a", **options).steps[0].tiles

    assert tiles(a) == "threads=128 tile=192x128x64 roles=yes pingpong=yes maps=yes"
    assert tiles(a, epilogue="gelu") == tiles(a)
    assert tiles(a, beta=1.0, c=a) == tiles(a)
    assert tiles(wide[:, :-1]) == "threads=256 tile=192x128x64 maps=no"
    assert tiles(a, beta=1.0) == "threads=256 tile=192x128x64 maps=yes"


def test_clusters_wait_for_what_follows() -> None:
    a, bias = np.zeros((4096, 4096), np.float16), np.zeros(4096, np.float16)

    def tiles(epilogue: str) -> str:
        return tw.matmul.plan(a, a.T, a, bias=bias, epilogue=epilogue, target="nvidia:sm_90a").steps[0].tiles

    assert tiles("bias") == "threads=256 tile=256x128x64 roles=yes cluster=1x2 maps=yes"
    assert tiles("bias+gelu") == "threads=256 tile=256x128x64 maps=yes"
    assert [operations_of(steps, "f32", "f16") for steps in ((), ("bias",), ("bias", "gelu"))] == [0, 1, 12]
