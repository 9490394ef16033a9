"""The kernels under examples/ give the right answers and are formatted."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pytest

import tilewright as tw
from tilewright.diagnostics import Report, Source
from tilewright.languages import language_of

_EXAMPLES: Final = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("length", [1, 1024, 5000])
def test_vector_add(length: int, rng: np.random.Generator) -> None:
    a, b = (rng.standard_normal(length).astype(np.float32) for _ in range(2))
    c = np.full(length + 1, np.nan, np.float32)
    program = tw.compile(_EXAMPLES / "vector_add.tileir")
    program.vector_add[-(-length // 1024)](a, b, c, length)
    assert np.array_equal(c[:-1], a + b)
    assert np.isnan(c[-1])


def test_softmax(rng: np.random.Generator) -> None:
    x = rng.standard_normal((37, 1024)).astype(np.float32)
    y = np.full_like(x, np.nan)
    tw.compile(_EXAMPLES / "softmax.tileir").softmax[37](x, y, 37)
    wide = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    expected = wide / wide.sum(1, keepdims=True)
    assert np.linalg.norm(y - expected) <= 1e-6 * np.linalg.norm(expected)


def test_matmul(rng: np.random.Generator) -> None:
    a, b = (rng.standard_normal((1024, 1024)).astype(np.float32) for _ in range(2))
    c = np.full_like(a, np.nan)
    tw.compile(_EXAMPLES / "matmul.tileir").matmul[16, 16](a, b, c)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    assert np.linalg.norm(c - expected) <= 1e-5 * np.linalg.norm(expected)


def test_matmul_of_tlx(rng: np.random.Generator) -> None:
    a, b = (rng.integers(-9, 9, shape).astype(np.float32) for shape in ((16, 32), (32, 16)))
    c = np.zeros((16, 20), np.float32)
    tw.compile(_EXAMPLES / "matmul.ll").matmul(a, np.ascontiguousarray(b.T), c)
    assert np.array_equal(c[:, :16], a @ b)
    assert not c[:, 16:].any()


@pytest.mark.parametrize("path", ["attention.tl", "attention.tileir"])
def test_attention(path: str, rng: np.random.Generator) -> None:
    """Two heads; several blocks of keys."""
    heads, queries, keys = 2, 128, 256
    q, k, v = (rng.standard_normal((heads, n, 64)).astype(np.float16) for n in (queries, keys, keys))
    o, scale = np.full_like(q, np.nan), np.float32(0.125)
    (attention,) = tw.compile(_EXAMPLES / path)
    if path.endswith(".tl"):
        attention[queries // 32, heads](scale, q.T, k.T, v.T, o.T)
    else:
        attention[queries // 128, heads](scale, q, k, v, o, queries, keys, heads * queries, heads * keys)
    scores = q.astype(np.float64) @ k.astype(np.float64).swapaxes(1, 2) * 0.125
    weights = np.exp(scores - scores.max(2, keepdims=True))
    expected = weights / weights.sum(2, keepdims=True) @ v.astype(np.float64)
    assert np.abs(o - expected).max() < 2e-3


def test_attention_in_tile_ir_is_copied_and_stored_by_the_device() -> None:
    (attention,) = tw.compile(_EXAMPLES / "attention.tileir", target="nvidia:sm_90a")
    assert "wgmma" in attention.schedule
    assert "copies=tensor stores=tensor" in attention.schedule


@pytest.mark.parametrize(
    "path", [p for p in _EXAMPLES.iterdir() if p.suffix in (".tl", ".tileir", ".ll")], ids=lambda p: p.name
)
def test_formatted(path: Path) -> None:
    text = path.read_text()
    source = Source(path.name, text)
    assert language_of(source).format(source, Report(), "auto") == text
