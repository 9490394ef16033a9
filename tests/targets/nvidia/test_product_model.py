"""Tiles of products of known extents: those that were fastest on an H200 are chosen."""

from __future__ import annotations

import pytest

from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.product_model import Chosen, chosen_tile


def chosen(m: int, n: int, k: int, many: int = 1, element: str = "f16") -> Chosen:
    sums = "f32" if element == "f16" else element
    return chosen_tile((m, n, k), many, element, element, sums, Architecture.SM_90A)


@pytest.mark.parametrize(
    ("size", "tile", "microseconds"),
    [
        (1280, "128x64x64", 14.7),
        (1536, "160x128x64", 18.4),
        (2048, "128x128x64", 30.5),
        (2304, "256x192x64", 45.6),
        (3328, "224x128x64", 110.0),
        (4096, "256x128x64", 196.1),
        (5632, "256x192x64", 525.1),
        (8192, "256x128x64", 1591.0),
    ],
)
def test_squares(size: int, tile: str, microseconds: float) -> None:
    found = chosen(size, size, size)
    assert f"tile={tile}" in found.schedule
    assert abs(found.seconds * 1e6 - microseconds) < 0.15 * microseconds


@pytest.mark.parametrize(
    ("turned", "tile"),
    [((False, False), "256x128x32"), ((True, False), "128x256x32"), ((False, True), "256x128x32")],
)
def test_long_sides_are_the_columns_of_instructions(turned: tuple[bool, bool], tile: str) -> None:
    """Of tf32: rows are those of the factor that threads read."""
    found = chosen_tile((4096, 4096, 4096), 1, "tf32", "f32", "f32", Architecture.SM_90A, turned=turned)
    assert found.schedule == f"threads=256 tile={tile}"
    assert abs(found.seconds * 1e6 - 365) < 30


def test_threads_multiply_what_units_do_not_take() -> None:
    found = chosen_tile((4096, 4096, 4096), 1, "tf32", "f32", "f32", Architecture.SM_90A, turned=(True, True))
    assert found.seconds > 5e-4


def test_what_memory_takes() -> None:
    """134 MB of the one large factor."""
    assert chosen(16, 8192, 4096, many=2).seconds > 34e-6
    assert 30e-6 < chosen(16, 8192, 8192).seconds < 40e-6
    assert "x16x" in chosen(16, 8192, 8192).schedule


def test_a_batch_is_as_many_tiles() -> None:
    assert "tile=128x128x64" in chosen(256, 256, 256, many=128).schedule
    assert chosen(64, 64, 64, many=4096).seconds > 1.8 * chosen(64, 64, 64, many=2048).seconds


@pytest.mark.parametrize("element", ["f32", "f64", "i8", "bf16"])
def test_nothing_to_multiply(element: str) -> None:
    assert chosen(0, 5, 0, element=element).seconds > 0
