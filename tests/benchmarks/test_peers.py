"""Loops in C that do a part of a kernel's work: which part. What needs gcc or libxsmm is skipped without."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw

SAMPLE = Path(__file__).parents[2] / "examples" / "fused_kernel.tl"
XSMM = Path("/usr/include/libxsmm.h")


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_the_floor_of_the_sample_kernel_writes_back_what_it_reads(rng: np.random.Generator, imported: Any) -> None:
    moves = imported("peers.moves").moves(tw.compile(SAMPLE, cache=False).artifact)
    assert len(moves) == 3
    batch = 37
    a, d = rng.standard_normal((batch, 8, 16), np.float32), rng.standard_normal((batch, 16, 16), np.float32)
    b, c = np.ones((8, 8), np.float32), np.ones((16, 8), np.float32)
    for kernel in moves.values():
        found = d.copy()
        # half of the batch: what lies behind is not touched
        kernel.launch(batch // 2, (np.float32(0.5), tw.PointerArray.of(a), b.T, c.T, found.transpose(2, 1, 0)))
        np.testing.assert_array_equal(found, d)


@pytest.mark.skipif(shutil.which("gcc") is None or not XSMM.exists(), reason="gcc or libxsmm-dev is not installed")
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("prefetch", [False, True])
def test_libxsmm_multiplies_whole_batches(dtype: str, prefetch: bool, rng: np.random.Generator, imported: Any) -> None:
    native, kind = imported("peers.native").Native(), imported("products").DTYPES[dtype]
    m, n, k, batch = 9, 5, 7, 3
    kernel = native.xsmm(dtype, (m, n, k), 1.0, prefetch=prefetch)
    assert (kernel.strategy == "none") != prefetch
    a, b, c = (rng.standard_normal(shape).astype(kind) for shape in ((batch, k, m), (batch, n, k), (batch, n, m)))
    expected = c.astype(np.float64) + 2 * (b.astype(np.float64) @ a.astype(np.float64))
    assert native.time_xsmm(kernel, (a, b, c), 2) > 0.0
    np.testing.assert_allclose(c, expected, rtol=0, atol=1e-4 if dtype == "f32" else 1e-12)
