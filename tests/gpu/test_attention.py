"""`tilewright.attention` of tensors on the GPU, against attention in float64."""

from __future__ import annotations

from typing import Any, Final

import pytest

import tilewright as tw
from tilewright.machine.cuda import driver

torch: Any = pytest.importorskip("torch")

pytestmark = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")

CLOSE: Final = {"float16": 2e-3, "bfloat16": 2e-2}
SHAPES: Final = (
    (2, 4, 2, 512, 512, 64),
    (1, 3, 3, 1000, 1025, 128),
    (1, 2, 1, 130, 65, 256),
    (2, 4, 4, 77, 300, 96),
    (1, 1, 1, 1, 1, 64),
    (1, 1, 1, 3000, 40, 128),
    (2, 40, 20, 256, 384, 96),
    (1, 2, 2, 128, 256, 80),
    (1, 2, 1, 128, 256, 160),
    (4, 36, 12, 512, 512, 128),
    (4, 36, 36, 512, 768, 256),
    (1, 2, 1, 512, 512, 64),
)


def drawn(shape: tuple[int, ...], dtype: str) -> tuple[Any, Any, Any]:
    """Queries, keys and values with lengths in front of heads, as networks have them; behind them are no numbers."""
    batch, heads, key_heads, queries, keys, width = shape
    found: list[Any] = []
    for count, length in ((heads, queries), (key_heads, keys), (key_heads, keys)):
        room = torch.full((batch + 1, length, count, width), float("nan"), device="cuda", dtype=getattr(torch, dtype))
        room[:batch] = torch.randn(batch, length, count, width, device="cuda")
        found.append(room[:batch].transpose(1, 2))
    return found[0], found[1], found[2]


def wanted(q: Any, k: Any, v: Any, causal: bool) -> tuple[Any, Any]:
    q, k, v = (x.double() for x in (q, k, v))
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for x in (k, v))
    scores = q @ k.mT / q.shape[3] ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
    return torch.softmax(scores, dim=3) @ v, scores.logsumexp(dim=3)


@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape(shape: tuple[int, ...], causal: bool, dtype: str) -> None:
    q, k, v = drawn(shape, dtype)
    expected, logarithms = wanted(q, k, v, causal)
    for given in ((q, k, v), [x.contiguous() for x in (q, k, v)]):
        found: Any = tw.attention(*given, causal=causal, return_lse=True)
        assert float((found[0].double() - expected).norm() / expected.norm()) < CLOSE[dtype]
        assert float((found[1] - logarithms).abs().max()) < 1e-3


@pytest.mark.parametrize("dtype", CLOSE)
def test_the_last_blocks_by_parts_of_the_keys(dtype: str) -> None:
    """Those of a few multiprocessors; twice the same bits."""
    q, k, v = drawn((1, 34, 17, 512, 8192, 128), dtype)
    k[:, :, 6000:] *= 3
    assert tw.attention.plan(q, k, v, return_lse=True).rest is not None
    runs: list[Any] = [tw.attention(q, k, v, return_lse=True) for _ in range(2)]
    found, again = runs
    assert all(torch.equal(x, y) for x, y in zip(found, again, strict=True))
    for head in (0, 33):
        keys, values = (x[:, head // 2 : head // 2 + 1] for x in (k, v))
        expected, logarithms = wanted(q[:, head : head + 1], keys, values, False)
        assert float((found[0][:, head].double() - expected[:, 0]).norm() / expected.norm()) < CLOSE[dtype]
        assert float((found[1][:, head] - logarithms[:, 0]).abs().max()) < 1e-3


@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients(shape: tuple[int, ...], causal: bool, dtype: str) -> None:
    given = [x.requires_grad_() for x in drawn(shape, dtype)]
    found: Any = tw.attention(*given, causal=causal)
    q, k, v = wide = [x.detach().double().requires_grad_() for x in given]
    expected, _ = wanted(q, k, v, causal)
    g = torch.randn_like(found)
    one, other = torch.autograd.grad(found, given, g), torch.autograd.grad(expected, wide, g.double())
    for mine, right in zip(one, other, strict=True):
        assert float((mine.double() - right).norm()) < 2 * CLOSE[dtype] * float(right.norm()) + 1e-3


def test_runs_are_equal_to_the_bit() -> None:
    q, k, v = drawn((2, 8, 8, 2048, 2048, 128), "float16")
    first: Any = tw.attention(q, k, v, causal=True)
    for _ in range(40):
        out = torch.full_like(first, float("nan"))
        tw.attention(q, k, v, causal=True, out=out)
        assert torch.equal(out, first)
    found: Any = tw.attention(q, k, v, causal=True, return_lse=True)
    out, lse = found
    gradients = tw.attention.gradients(q, q, k, v, out, lse, causal=True)
    for _ in range(10):
        again = tw.attention.gradients(q, q, k, v, out, lse, causal=True)
        assert all(torch.equal(one, other) for one, other in zip(gradients, again, strict=True))
