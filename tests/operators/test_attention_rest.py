"""What is left of blocks of queries is computed for parts of the keys: as right as the others, each block once."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from operators.test_attention import DTYPES, ERROR, READING, given, wanted
from targets.nvidia.case import Launch
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.products.test_products import emitted
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.operators import attention_blocks, attention_plans, attention_rest
from tilewright.operators.attention_blocks import schedule_of
from tilewright.operators.attention_sums_text import sums_text
from tilewright.operators.attention_whole_text import whole_integers

GROUPS = 5


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device in the interpreter that copies boxes, of `GROUPS` multiprocessors, for which launches cost nothing.

    Launches are remembered by the arrays: no other test has some that lie so.
    """
    for module in (attention_blocks, attention_plans):
        monkeypatch.setattr(module, "multiprocessors", lambda: GROUPS)
    monkeypatch.setattr(attention_blocks, "takes_tensors", _takes_all)
    monkeypatch.setattr(attention_rest, "APART", 0)


def _takes_all(target: str) -> bool:
    return True


CASES = [
    # batch, heads, key heads, queries, keys; blocks of queries that are left, and their keys
    ((1, 2, 2, 384, 640), (1, 1)),
    ((2, 6, 3, 128, 512), (2, 2)),
    ((2, 3, 1, 256, 640), (2, 3)),
]


@pytest.mark.parametrize(("shape", "left"), CASES, ids=str)
@pytest.mark.parametrize("turned", [False, True])
def test_right(
    few: None, shape: tuple[int, int, int, int, int], left: tuple[int, int], turned: bool, rng: np.random.Generator
) -> None:
    """The result, its logarithms, and nothing beside them."""
    element = random.Random(int(rng.integers(100))).choice(list(DTYPES))
    batch, heads, _, queries, _ = shape
    q, k, v = given(rng, (*shape, 128), element, turned)
    room = np.full((batch, queries, heads + 1, 128) if turned else (batch, heads + 1, queries, 128), 7, q.dtype)
    heads_first = room.swapaxes(1, 2) if turned else room
    out = heads_first[:, :heads]
    plan = tw.attention.plan(q, k, v, out=out, target="interpreter")
    assert plan.rest is not None
    numbers = dict(zip(whole_integers(plan.rest.parts.of), plan.rest.parts.integers, strict=True))
    assert (plan.rest.blocks, numbers["each"]) == left
    found: Any = tw.attention(q, k, v, out=out, return_lse=True, scale=0.3, target="interpreter")
    expected, lse = wanted(q, k, v, False, 0.3)
    np.testing.assert_allclose(found[0].astype(np.float64), expected, atol=ERROR[element], rtol=ERROR[element])
    np.testing.assert_allclose(found[1], lse, atol=1e-5, rtol=1e-5)
    assert (heads_first[:, heads:] == 7).all()
    alone: Any = tw.attention(q, k, v, scale=0.3, target="interpreter")
    np.testing.assert_array_equal(alone.view(np.uint16), found[0].view(np.uint16))


def test_queries_that_see_nothing_in_some_parts(few: None, rng: np.random.Generator) -> None:
    """Scores of -inf have no weight, in a part or in all of them."""
    q, k, v = given(rng, (1, 1, 1, 768, 256, 128))
    q[..., 0], q[:, :, 7] = 1, 0
    q[:, :, 7, 0] = 1
    k[:, :, :128, 0] = -np.inf
    found: Any = tw.attention(q, k, v, return_lse=True, target="interpreter")
    expected, lse = wanted(q, k[:, :, 128:], v[:, :, 128:], False, 128**-0.5)
    np.testing.assert_allclose(found[0].astype(np.float64), expected, atol=4e-3)
    np.testing.assert_allclose(found[1], lse, atol=1e-5)
    k[..., 0] = -np.inf
    found = tw.attention(q, k, v, return_lse=True, target="interpreter")
    assert (found[0] == 0).all()
    assert (found[1] == -np.inf).all()


def test_where_it_is_worth_two_more_launches() -> None:
    """A last round for a few blocks of many keys; not short rounds, nearly full ones, masks, nor in place of q."""

    def left(batch: int, length: int, width: int = 128, **options: Any) -> tuple[int, int] | None:
        x = np.broadcast_to(np.zeros((1, 1, length, width), np.float16), (batch, 32, length, width))
        plan = tw.attention.plan(x, x, x, target="nvidia:sm_90a", **options)
        if plan.rest is None:
            return None
        numbers = dict(zip(whole_integers(plan.of), plan.integers, strict=True))
        assert numbers["tiles"] + plan.rest.blocks == batch * 32 * length // plan.of.blocks[0]
        assert plan.rest.sums.parts >= plan.rest.integers[0] > plan.rest.sums.parts // 2
        return plan.rest.blocks, plan.rest.integers[0]

    for width in (128, 256):
        blocks, parts = left(4, 4096, width) or (0, 0)
        assert blocks == 4
        assert parts >= 8
    assert left(1, 16384) is not None
    for none in (left(32, 512), left(4, 4096, causal=True), left(1, 4096)):
        assert none is None
    x = np.zeros((4, 32, 4096, 16), np.float16)
    assert tw.attention.plan(x, x, x, out=x, target="nvidia:sm_90a").rest is None


def test_parts_emulated(few: None, rng: np.random.Generator) -> None:
    """The launches behind the first one, by groups of warps with one that asks for what they multiply."""
    q, k, v = given(rng, (1, 2, 2, 384, 640, 128))
    plan = tw.attention.plan(q, k, v, return_lse=True, target="nvidia:sm_90a")
    assert plan.rest is not None
    parts, sums = plan.rest.parts, plan.rest.sums
    flat = [array.reshape(-1) for array in (q, k, v)]
    results, logs = np.full(np.prod(parts.shape), np.nan, np.float16), np.full(parts.shape[2], np.nan, np.float32)
    numbers = [np.float32(0.3), *map(np.int32, parts.integers)]
    llvm, kernel = emitted(parts.text, schedule=schedule_of(parts.of, parts.threads, "nvidia:sm_90a") or "")
    assert "roles=yes" in kernel.facts[SCHEDULE]
    found: Any = Emulated(Program(llvm), (kernel,)).run(Launch([*flat, results, logs, *numbers], {}, parts.grid))
    out, lse = np.full(q.size, 7, np.float16), np.full(q.size // 128, 7, np.float32)
    llvm, kernel = emitted(sums_text(sums), reading=READING)
    integers = map(np.int32, plan.rest.integers)
    ended: Any = Emulated(Program(llvm), (kernel,)).run(
        Launch([found[3], found[4], out, lse, *integers], {}, plan.rest.grid)
    )
    expected, expected_lse = wanted(q, k, v, False, 0.3)
    # the first block of the last head
    made: Any = np.reshape(ended[2], q.shape).astype(np.float64)
    of_lines: Any = np.reshape(ended[3], q.shape[:3])
    np.testing.assert_allclose(made[0, 1, :128], expected[0, 1, :128], atol=4e-3)
    np.testing.assert_allclose(of_lines[0, 1, :128], expected_lse[0, 1, :128], atol=1e-5)
    assert (made == 7).sum() == made.size - 128 * 128
    assert (of_lines == 7).sum() == of_lines.size - 128
