"""`tw.attention` means softmax(scale q k^T) v, in the interpreter, on the CPU and emulated: layouts, masks, lengths."""

from __future__ import annotations

import random
from contextlib import nullcontext
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

import tilewright as tw
from targets.nvidia.case import Launch
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.products.test_levels import levels, some
from targets.nvidia.products.test_products import emitted
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.dialects import gpu_products
from tilewright.interpreter.engine import interpret
from tilewright.languages import ReadOptions
from tilewright.machine.cuda.architecture import Architecture
from tilewright.operators.attention import AttentionPlan
from tilewright.operators.attention_blocks import numbers_of_blocks, schedule_of
from tilewright.operators.attention_heads import Head
from tilewright.operators.attention_text import EXTENTS, AttentionClass, attention_text
from tilewright.operators.attention_whole_text import WholeWriter, divisors, reciprocal, whole_integers
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx

Array = npt.NDArray[Any]
DTYPES = {"f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}
ERROR = {"f16": 4e-3, "bf16": 3e-2}


def wanted(q: Array, k: Array, v: Array, causal: bool, scale: float) -> tuple[Array, Array]:
    """The result and the logarithms, in f64."""
    q, k, v = (array.astype(np.float64) for array in (q, k, v))
    k, v = (np.repeat(array, q.shape[1] // k.shape[1], axis=1) for array in (k, v))
    scores = scale * q @ k.swapaxes(2, 3)
    if causal:
        scores[..., np.arange(q.shape[2])[:, None] < np.arange(k.shape[2])] = -np.inf
    top = scores.max(axis=3, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(axis=3, keepdims=True)
    return weights / total @ v, (top + np.log(total))[..., 0]


def given(
    rng: np.random.Generator, shape: tuple[int, int, int, int, int, int], element: str = "f16", turned: bool = False
) -> tuple[Array, Array, Array]:
    """q, k and v of batch, heads, key heads, queries, keys, width; `turned` if lengths stand in front of heads."""
    batch, heads, key_heads, queries, keys, width = shape
    found: list[Array] = []
    for count, length in ((heads, queries), (key_heads, keys), (key_heads, keys)):
        array = rng.standard_normal((batch, length, count, width) if turned else (batch, count, length, width))
        found.append(array.astype(DTYPES[element]).swapaxes(1, 2) if turned else array.astype(DTYPES[element]))
    return found[0], found[1], found[2]


SHAPES = [
    (1, 2, 1, 70, 150, 64),
    (2, 2, 2, 64, 128, 64),
    (1, 1, 1, 1, 1, 64),
    (1, 4, 2, 130, 20, 96),
    (1, 1, 1, 3, 129, 17),
    (1, 1, 1, 65, 66, 256),
]
WHOLE = (2, 4, 2, 128, 128, 64)
"""Of whole blocks."""
NARROW = (1, 2, 1, 128, 128, 96)
"""The same, of rows that are no whole slabs of 128 bytes."""
WIDE = (2, 2, 1, 130, 70, 256)
"""Queries and keys that end in blocks which the device stores and copies."""
READING = ReadOptions(chosen=EXTENTS)


@pytest.mark.parametrize("shape", [*SHAPES, WHOLE], ids=str)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_interpreted(
    shape: tuple[int, int, int, int, int, int], causal: bool, turned: bool, rng: np.random.Generator
) -> None:
    q, k, v = given(rng, shape, "bf16" if causal else "f16", turned)
    out, lse = wanted(q, k, v, causal, 0.3)
    found: Any = tw.attention(q, k, v, causal=causal, scale=0.3, return_lse=True, target="interpreter")
    error = ERROR["bf16" if causal else "f16"]
    np.testing.assert_allclose(found[0].astype(np.float64), out, atol=error, rtol=error)
    np.testing.assert_allclose(found[1], lse, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("keys", [256, 300])
def test_the_largest_scores_come_last(keys: int, rng: np.random.Generator) -> None:
    """What was summed up before is scaled by next to nothing, of some queries."""
    q, k, v = given(rng, (1, 1, 1, 64, keys, 64))
    q[:, :, ::3] /= 64
    k[:, :, 128:] *= 8
    out, lse = wanted(q, k, v, False, 0.3)
    found: Any = tw.attention(q, k, v, scale=0.3, return_lse=True, target="interpreter")
    np.testing.assert_allclose(found[0].astype(np.float64), out, atol=4e-3, rtol=4e-3)
    np.testing.assert_allclose(found[1], lse, atol=1e-5, rtol=1e-5)


def test_heads_that_begin_anywhere_in_a_row(rng: np.random.Generator) -> None:
    """They are no columns of one matrix in steps of the width."""
    rows = rng.standard_normal((300, 3 * 72)).astype(np.float16)
    q, k, v = (rows[100 * part :][:100].reshape(1, 100, 3, 72)[..., :64].swapaxes(1, 2) for part in range(3))
    assert not tw.attention.plan(q, k, v).of.flat
    found: Any = tw.attention(q, k, v, target="interpreter")
    np.testing.assert_allclose(found.astype(np.float64), wanted(q, k, v, False, 0.125)[0], atol=4e-3, rtol=4e-3)


def test_on_the_cpu(rng: np.random.Generator) -> None:
    """Lengths in front of heads, parts of one array, into what is there."""
    packed = rng.standard_normal((2, 21, 3, 2, 16)).astype(np.float16)
    q, k, v = (packed[:, :, part] for part in range(3))
    out = np.full((2, 21, 2, 16), np.nan, np.float16)
    assert tw.attention(q, k, v, causal=True, layout="blhd", out=out) is out
    expected, _ = wanted(q.swapaxes(1, 2), k.swapaxes(1, 2), v.swapaxes(1, 2), True, 0.25)
    np.testing.assert_allclose(out.swapaxes(1, 2).astype(np.float64), expected, atol=4e-3, rtol=4e-3)


def emulated(
    shape: tuple[int, int, int, int, int, int], causal: bool, turned: bool, aligned: bool, rng: np.random.Generator
) -> tuple[AttentionPlan, int]:
    """Runs a plan, which is right, and gives it, with the copies that threads make."""
    q, k, v = given(rng, shape, turned=turned)
    # of the head behind: in no product, not even by 0
    k, v = (_with_nan_behind(array, turned) for array in (k, v))
    q = q if aligned else _not_aligned(q)
    plan = tw.attention.plan(q, k, v, causal=causal, return_lse=True, target="nvidia:sm_90a")
    schedule = schedule_of(plan.of, plan.threads, plan.target) if aligned else f"threads={plan.threads}"
    llvm, kernel = emitted(plan.text, schedule=schedule or "", reading=READING)
    assert "copies=tensor" in kernel.facts[SCHEDULE]
    flat = [_memory(array, plan.spans[name]) for name, array in zip("qkv", (q, k, v), strict=True)]
    room = [np.full(plan.spans["out"], np.nan, np.float16), np.full(np.prod(plan.lse_shape), np.nan, np.float32)]
    numbers = [np.float32(0.125), *map(np.int32, plan.integers)]
    found = Emulated(Program(llvm), (kernel,)).run(Launch([*flat, *room, *numbers], {}, plan.grid))
    out, lse = wanted(q, k, v, causal, 0.125)
    np.testing.assert_allclose(np.reshape(np.asarray(found[3], np.float64), plan.shape), out, atol=4e-3)
    np.testing.assert_allclose(np.reshape(np.asarray(found[4]), plan.lse_shape), lse, atol=1e-5)
    return plan, sum("call" in line and "cp.async.commit.group" in line for line in llvm.splitlines())


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("shape", "causal", "turned", "aligned"),
    [
        (SHAPES[0], True, True, True),
        (SHAPES[0], True, False, False),
        (SHAPES[0], False, True, False),
        (WIDE, True, False, True),
        (WHOLE, True, True, True),
        (NARROW, True, True, True),
    ],
    ids=str,
)
def test_emulated(
    shape: tuple[int, int, int, int, int, int], causal: bool, turned: bool, aligned: bool, rng: np.random.Generator
) -> None:
    """Nothing of other heads is multiplied. The device copies all blocks, also those that are not whole: no thread
    does, nor is there code for it; but for arrays that are not known to begin at 16 bytes, of which threads copy what
    is left of a head."""
    plan, copies = emulated(shape, causal, turned, aligned, rng)
    assert (plan.of.whole, plan.of.ragged) == (aligned, aligned and shape not in (WHOLE, NARROW))
    assert (copies == 0) == aligned


def test_lengths_that_end_in_blocks(rng: np.random.Generator) -> None:
    """Of several heads: rows of the next one are neither read as keys nor written."""
    plan, copies = emulated((2, 2, 1, 70, 150, 64), False, False, True, rng)
    assert plan.of.ragged
    assert copies == 0


def test_arrays_of_which_the_device_copies_any_lengths() -> None:
    """They begin, with all rows, at multiples of 16 bytes, each at one of its own; where there is one it has none."""
    x = np.zeros((2, 3, 70, 64), np.float16)

    def plan(k: Array, q: Array = x) -> AttentionPlan:
        return tw.attention.plan(q, k, k, target="nvidia:sm_90a")

    apart, close = (np.zeros((2, 3, 70, room), np.float16)[..., :64] for room in (72, 68))
    assert [plan(k).of.ragged for k in (x, apart, close, _not_aligned(x))] == [True, True, False, False]
    assert not plan(np.broadcast_to(x[:, :1], x.shape)).of.ragged
    one = plan(x[:1, :1], x[:1, :1])
    known = dict(zip(whole_integers(one.of), one.integers, strict=True))
    assert min(known[f"s{name}{mode}"] for name in "qkvo" for mode in "bhl") > 0


GROUPS = 3
PERSISTENT = {
    64: "threads=128 persistent=yes",
    128: "threads=256 turns=yes persistent=yes stores=tensor",
    256: "threads=512 persistent=yes roles=yes",
}
"""By queries of a block."""


def persistent(shape: tuple[int, ...], causal: bool, rows: int, rng: np.random.Generator) -> tuple[str, list[Any], Any]:
    """Attention of `GROUPS` that go on from block to block, of 64 keys, in pairs under a mask; and the result."""
    batch, heads, key_heads, queries, keys, width = shape
    q, k, v = given(rng, (batch, heads, key_heads, queries, keys, width))
    plan = tw.attention.plan(q, k, v, causal=causal, return_lse=True, target="nvidia:sm_90a")
    known = dict(zip(whole_integers(plan.of), plan.integers, strict=True))
    of = replace(plan.of, blocks=(rows, 64), whole=True, persistent=True, paired=causal)
    of_q, of_k = (
        Head((batch, count, length, width), (0, 0, width, 1)) for count, length in ((heads, queries), (key_heads, keys))
    )
    names, last = whole_integers(of), numbers_of_blocks(of_q, of_k, 2, of, GROUPS)
    numbers = [*(known[name] for name in names[: -len(last)]), *last]
    room = [np.full(plan.spans["out"], np.nan, np.float16), np.full(np.prod(plan.lse_shape), np.nan, np.float32)]
    passed: list[Any] = [*(array.reshape(-1) for array in (q, k, v)), *room, np.float32(0.125), *map(np.int32, numbers)]
    return WholeWriter(of).text(), passed, wanted(q, k, v, causal, 0.125)


@pytest.mark.covering(1)
@pytest.mark.parametrize("rows", PERSISTENT)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("less", [0, 5])
def test_work_groups_go_on_from_block_to_block(rows: int, causal: bool, less: int, rng: np.random.Generator) -> None:
    """On all levels: some have one block and some two, of one block of keys and of several, of which the last may be
    parts."""
    text, arguments, (out, lse) = persistent((1, 2, 1, 2 * rows - less, 256 - less, 64), causal, rows, rng)
    for module in some(levels(text, Architecture.SM_90A, PERSISTENT[rows]), rng):
        assert "persistent=yes" in (module.kernels[0].schedule or "")
        arrays: list[Any] = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
        interpret(module.kernels[0], arrays, (GROUPS, 1, 1))
        np.testing.assert_allclose(arrays[3].reshape(out.shape).astype(np.float64), out, atol=4e-3)
        np.testing.assert_allclose(arrays[4].reshape(lse.shape), lse, atol=1e-5)


def places(blocks: int, heads: int, batch: int, band: int, groups: int) -> Array:
    """Which batch, head and block of queries each number is, under a mask, as so many work-groups find it."""
    of = AttentionClass("f16", 64, (64, 64), True, False, True, whole=True, persistent=True, paired=True)
    head = Head((batch, heads, blocks * 64, 64), (0, 0, 64, 1))
    names = whole_integers(of)[-3 - 3 - 2 - 2 * len(divisors(of)) :]
    parameters = ", ".join(f"%{name}: tile<i32>" for name in ("lk", "group", *names))
    text = f"""cuda_tile.module @kernels {{
entry @places(%out: tile<ptr<i32>>, {parameters}) {{
%bid, %u0, %u1 = get_tile_block_id : tile<i32>
%count, %u2, %u3 = get_num_tile_blocks : tile<i32>
%one = constant <i32: 1> : tile<i32>
%many = constant <i32: 100> : tile<i32>
%rows = constant <i32: 64> : tile<i32>
%columns = constant <i32: 64> : tile<i32>
%whole = divi %lk, %columns signed : tile<i32>
%final = subi %nb, %one : tile<i32>
for %t in (%bid to %tiles, step %count) : tile<i32> {{
{WholeWriter(of).places()}
%code1 = muli %b, %many : tile<i32>
%code2 = addi %code1, %h : tile<i32>
%code3 = muli %code2, %many : tile<i32>
%code = addi %code3, %x : tile<i32>
%at = offset %out, %t : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
%done = store_ptr_tko weak %at, %code : tile<ptr<i32>>, tile<i32> -> token
continue
}}
return
}}
}}
"""
    kernel = tw.compile(text, target="interpreter", cache=False).places
    out = np.full(blocks * heads * batch, -1, np.int32)
    kernel[(groups, 1, 1)](out, blocks * 64, 1, *numbers_of_blocks(head, head, band, of, groups))
    return np.stack([out // 10_000, out // 100 % 100, out % 100])


@pytest.mark.parametrize("groups", [5, 7, 24])
def test_short_and_long_blocks_by_turns(groups: int) -> None:
    """Each once, and as much for all work-groups, but for what is left in the end."""
    blocks, heads, batch = 6, 4, 2
    found = places(blocks, heads, batch, 2, groups)
    assert len(np.unique(found, axis=1).T) == blocks * heads * batch
    assert (found.max(1) == (batch - 1, heads - 1, blocks - 1)).all()
    rounds = blocks * heads * batch // (2 * groups)
    seen = (found[2] + 1)[: rounds * 2 * groups].reshape(-1, 2, groups)
    assert (seen.sum(1) == blocks + 1).all()
    assert (seen[:, 0] < seen[:, 1]).all()


@pytest.mark.covering(0)
@pytest.mark.parametrize("less", [0, 3])
def test_emulated_from_block_to_block(less: int, rng: np.random.Generator) -> None:
    """By two groups of warps, with one that asks for what they multiply."""
    text, arguments, (out, lse) = persistent((1, 2, 1, 256 - less, 256 - less, 64), True, 128, rng)
    llvm, kernel = emitted(text, schedule=PERSISTENT[128])
    assert "roles=yes" in kernel.facts[SCHEDULE]
    assert kernel.launch is not None
    assert kernel.launch.threads == (384, 1, 1)
    found = Emulated(Program(llvm), (kernel,)).run(
        Launch(arguments, {}, (GROUPS, 1, 1)), schedule=random.Random(int(rng.integers(100)))
    )
    np.testing.assert_allclose(np.reshape(np.asarray(found[3], np.float64), out.shape), out, atol=4e-3)
    np.testing.assert_allclose(np.reshape(np.asarray(found[4]), lse.shape), lse, atol=1e-5)


@pytest.mark.parametrize(
    ("was", "becomes", "reason"),
    [
        ("%qg[%qat, %qc3]", "%qg[%qat, %qc3] token=%mark", "loads are in an order with what other tiles store"),
        ("iter_values(%mi = %most,", "iter_values(%mi = %none,", ""),
        (
            "continue %mn, %ln, %next :",
            "%more = addf %next, %nothing : {sums}\ncontinue %mn, %ln, %more :",
            "used in it",
        ),
    ],
)
def test_what_keeps_work_groups_from_going_on(was: str, becomes: str, reason: str, rng: np.random.Generator) -> None:
    text, *_ = persistent((1, 1, 1, 64, 128, 64), False, 64, rng)
    assert was in text
    text = text.replace(was, becomes.format(sums="tile<64x64xf32>"))
    text = text.replace("%zero = constant", "%mark = make_token : token\n%zero = constant", 1)
    with pytest.raises(tw.CompileError, match=reason) if reason else nullcontext():
        tw.compile(text, target="nvidia:sm_90a", schedule=PERSISTENT[64], cache=False)


def test_quotients_by_reciprocals(rng: np.random.Generator) -> None:
    """Of all numbers that are not negative: those around multiples of the divisor, and the largest."""
    for number in (1, 2, 3, 5, 7, 64, 641, 65535, 65537, 2**30 + 1, 2**31 - 1, *rng.integers(1, 2**31, 50)):
        factor, shift = reciprocal(int(number))
        assert -(2**31) <= factor < 0
        for at in (0, *rng.integers(0, (2**31 - 1) // number + 1, 20), (2**31 - 1) // number):
            for n in (int(at * number) - 1, int(at * number), 2**31 - 1):
                assert n < 0 or (2 * n * (factor + 2**32) >> 32) >> shift == n // number


def test_blocks_that_go_on_where_that_is_faster() -> None:
    """Of 128 queries, on sm_90a, if there are more than run at a time; not in place of q."""
    x = np.zeros((1, 40, 512, 128), np.float16)
    long = np.broadcast_to(np.zeros((1, 1, 4224, 128), np.float16), (1, 40, 4224, 128))

    def goes_on(*arrays: Array, target: str = "nvidia:sm_90a", **options: Any) -> bool:
        return tw.attention.plan(*arrays, target=target, **options).of.persistent

    assert goes_on(x, x, x)
    assert goes_on(x, long, long)
    assert goes_on(*[np.zeros((1, 40, 512, 256), np.float16)] * 3)
    assert not goes_on(*[np.zeros((1, 40, 512, 64), np.float16)] * 3)
    assert not goes_on(x[:, :33], x[:, :33], x[:, :33])
    assert not goes_on(x, x, x, out=x)
    assert not goes_on(x, x, x, target="nvidia:sm_80")
    assert not goes_on(x, x, x, target="cpu")


def test_four_groups_read_one_copy_of_many_keys() -> None:
    """Of whole blocks without a mask, where all of them go on; else a block has 64 queries."""

    def blocks(queries: int, keys: int, heads: int = 40, **options: Any) -> tuple[tuple[int, int], bool]:
        x = np.broadcast_to(np.zeros((1, 1, queries, 64), np.float16), (1, heads, queries, 64))
        y = np.broadcast_to(np.zeros((1, 1, keys, 64), np.float16), (1, heads, keys, 64))
        of = tw.attention.plan(x, y, y, target="nvidia:sm_90a", **options).of
        return of.blocks, of.persistent

    assert blocks(1024, 4096) == blocks(4096, 4160) == ((256, 64), True)
    for usual in (blocks(1024, 2048), blocks(1088, 4096), blocks(1024, 4096, heads=33)):
        assert usual == ((64, 128), False)
    x = np.zeros((1, 40, 4096, 64), np.float16)
    assert blocks(4096, 4096, causal=True)[0] == (64, 128)
    assert tw.attention.plan(x, x, x, out=x, target="nvidia:sm_90a").of.blocks == (64, 128)


def test_pairs_of_blocks_where_they_are_faster() -> None:
    """Under a mask: neither few heads of which many work-groups wait for some, nor long ones that hide their ends."""

    def taken(batch: int, heads: int, length: int, width: int = 128) -> tuple[bool, bool, int]:
        x = np.broadcast_to(np.zeros((1, 1, length, width), np.float16), (batch, heads, length, width))
        plan = tw.attention.plan(x, x, x, target="nvidia:sm_90a", causal=True)
        assert plan.of.paired <= plan.of.persistent
        return plan.of.persistent, plan.of.paired, plan.band

    for width in (96, 128, 256):
        assert taken(4, 32, 4096, width) == taken(32, 32, 512, width) == (True, True, 1)
        assert taken(1, 32, 16384, width)[:2] == taken(1, 12, 4096, width)[:2] == (False, False)
    # blocks that are no pairs
    assert taken(8, 32, 640)[:2] == taken(8, 32, 3968)[:2] == (True, False)
    assert taken(8, 32, 4224)[:2] == taken(8, 32, 2176, 96)[:2] == taken(8, 32, 640, 256)[:2] == (False, False)
    assert taken(4, 32, 4096, 64)[:2] == (False, False)


def test_blocks_that_are_larger_where_they_are_whole() -> None:
    """Of width 160, or where the device copies what is no whole block; others have no memory for that."""
    x = np.zeros((1, 1, 192, 160), np.float16)

    def blocks(keys: int, target: str = "nvidia:sm_90a", x: Array = x) -> tuple[tuple[int, int], bool, bool]:
        of = tw.attention.plan(x[:, :, :128], *[x[:, :, :keys]] * 2, target=target).of
        return of.blocks, of.whole, of.ragged

    assert [blocks(keys)[0] for keys in (128, 192, 130)] == [(128, 128), (128, 64), (128, 128)]
    assert [blocks(keys)[1:] for keys in (128, 192, 130)] == [(True, False), (True, False), (True, True)]
    assert blocks(130, x=_not_aligned(x)) == ((128, 64), False, False)
    assert blocks(128, "nvidia:sm_80") == ((128, 64), True, False)


def test_few_keys_under_a_mask_have_shorter_blocks() -> None:
    def blocks(length: int, causal: bool = True, width: int = 64, keys: int = 0, target: str = "sm_90a") -> Any:
        q, k = (np.zeros((1, 1, count, width), np.float16) for count in (length, keys or length))
        return tw.attention.plan(q, k, k, target=f"nvidia:{target}", causal=causal).of.blocks

    assert blocks(512) == blocks(512, keys=1024) == (64, 64)
    longer = [blocks(512, causal=False), blocks(4096), blocks(4096, keys=512), blocks(512, target="sm_80")]
    assert longer == [(64, 128)] * len(longer)
    assert blocks(512, width=128) == (128, 128)
    few = [blocks(17, causal=False, width=128), blocks(17, width=64), blocks(64, causal=False, width=96)]
    assert few == [(64, 64)] * len(few)
    assert blocks(17, width=256) == (128, 64)
    assert blocks(17, causal=False, keys=65, width=128) == blocks(65, keys=17, width=128) == (128, 128)
    assert blocks(17, causal=False, target="sm_80") == (64, 128)


def test_masks_are_in_front_of_the_loop() -> None:
    """Of the first iteration, if blocks come so that others need none."""

    def goes_down(width: int, causal: bool, length: int) -> bool:
        x = np.zeros((1, 1, length, width), np.float16)
        text = tw.attention.plan(x, x, x, target="nvidia:sm_90a", causal=causal).text
        return "cmpi less_than %i, %one" in text

    lengths = (512, 500)
    assert [goes_down(128, True, length) for length in lengths] == [True, True]
    assert [goes_down(128, False, length) for length in lengths] == [False, True]
    # two blocks of 64 keys
    assert [goes_down(256, True, length) for length in lengths] == [False, False]
    assert goes_down(256, False, 500)
    assert [goes_down(96, True, length) for length in lengths] == [False, True]


def test_rows_without_scores_in_their_first_block(rng: np.random.Generator) -> None:
    """Of two blocks of keys the last one first, of which half of the queries see none."""
    of = AttentionClass("f16", 64, (128, 64), True, False, False)
    q, k, v = given(rng, (1, 1, 1, 128, 128, 64))
    was, text = "%key = muli %i, %columns", attention_text(of)
    assert text.count(was) == 1
    assert text.count("w[%i, %zero]") == 2
    down = "%j0 = subi %seen, %i : tile<i32>\n%j = subi %j0, %one : tile<i32>\n%key = muli %j, %columns"
    text = text.replace(was, down).replace("w[%i, %zero]", "w[%j, %zero]")
    kernel = tw.compile(text, target="interpreter", cache=False, language_options=EXTENTS)["attention"]
    out = np.zeros(q.size, np.float16)
    kernel[(1, 1, 1)](q.ravel(), k.ravel(), v.ravel(), out, 0.3, 128, 128, 1, *[0, 0, 64] * 4)
    np.testing.assert_allclose(out.reshape(q.shape), wanted(q, k, v, True, 0.3)[0], atol=4e-3)


def test_whole_blocks_are_stored_by_devices_that_do() -> None:
    def schedule(array: Array, target: str, **options: Any) -> str:
        plan = tw.attention.plan(array, array, array, target=target, **options)
        return schedule_of(plan.of, plan.threads, target) or ""

    x, narrow = (np.zeros((1, 2, 512, width), np.float16) for width in (128, 96))
    assert "stores=tensor" in schedule(x, "nvidia:sm_90a")
    assert "swizzle" not in schedule(x, "nvidia:sm_90a")
    assert "stores=tensor swizzle=64" in schedule(narrow, "nvidia:sm_90a")
    assert "swizzle" not in schedule(narrow, "nvidia:sm_80")
    assert not tw.attention.plan(narrow, narrow, narrow, target="nvidia:sm_90a").of.ragged
    assert "stores=tensor" in schedule(x[:, :, :500], "nvidia:sm_90a")
    assert "stores=tensor" not in schedule(_not_aligned(x), "nvidia:sm_90a")
    assert "stores=tensor" not in schedule(x, "nvidia:sm_80")
    assert not schedule(x, "cpu")
    # under a mask, where a work-group has one block
    assert "roles=yes" in schedule(narrow, "nvidia:sm_90a", causal=True)
    assert "roles=yes" not in schedule(narrow, "nvidia:sm_90a")
    assert "roles" not in schedule(x, "nvidia:sm_90a", causal=True)


def test_groups_take_turns_where_heads_are_wide() -> None:
    def kernel(width: int, **options: Any) -> str:
        x = np.zeros((1, 40, 512, width), np.float16)
        return tw.attention.plan(x, x, x, target="nvidia:sm_90a", **options).kernel.schedule

    assert "turns=yes" in kernel(256)
    assert "turns=yes" in kernel(256, causal=True)
    assert "turns=yes" not in kernel(128)


def test_a_warp_has_one_slab_where_memory_is_short() -> None:
    """Two stages of keys and values of width 256 leave no room for two."""
    _, kernel = emitted(
        WholeWriter(AttentionClass("f16", 256, (128, 64), False, False, True, whole=True)).text(),
        schedule="threads=256 stores=tensor",
    )
    assert kernel.facts[SCHEDULE].count("/1x2/2 ") == 2
    assert "stores=tensor" in kernel.facts[SCHEDULE]


@pytest.mark.parametrize(
    ("length", "unknown"),
    [
        *((128, name) for name in ("", "div_by<8>, %skl ", "bounded<64, ?>, %skl ", "bounded<1, ?>, %krows ")),
        *((120, name) for name in ("", "div_by<8>, %sql ", "bounded<64, ?>, %skl0 ", "bounded<1, ?>, %svh0 ")),
        *((120, name) for name in ("bounded<1, ?>, %lk ", "div_by<8>, %skb ")),
    ],
)
def test_what_nobody_promises_is_asked(length: int, unknown: str) -> None:
    """Where the device may not be able to copy keys or queries there is code for threads that do."""
    x = np.zeros((1, 1, length, 64), np.float16)
    text = tw.attention.plan(x, x, x, target="nvidia:sm_90a").text
    if unknown:
        assert unknown in text
        text = text.replace(f"assume {unknown}", f"addi %zero, {unknown.rpartition(', ')[2]}")
    module = next(levels(text, Architecture.SM_90A, "threads=128"))
    assert (sum(isinstance(op, gpu_products.CommitCopies) for op in module.walk()) == 0) == (not unknown)


def _with_nan_behind(array: Array, turned: bool) -> Array:
    """The array as one head of several, of which the others are no numbers."""
    batch, heads, length, width = array.shape
    shape = (batch + 1, length, heads, width) if turned else (batch + 1, heads, length, width)
    whole = np.full(shape, np.nan, array.dtype)
    room = whole.swapaxes(1, 2) if turned else whole
    room[:batch] = array
    return room[:batch]


def _not_aligned(array: Array) -> Array:
    """The same at an address that is no multiple of 16."""
    span = 1 + sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)) // array.itemsize
    room = np.empty(span + 8, array.dtype)
    at = next(at for at in range(1, 9) if room[at:].ctypes.data % 16)
    found = np.lib.stride_tricks.as_strided(room[at:], array.shape, array.strides)
    found[...] = array
    return found


def _memory(array: Array, span: int) -> Array:
    return np.lib.stride_tricks.as_strided(array, (span,), (array.itemsize,))


def test_without_keys_or_queries(rng: np.random.Generator) -> None:
    q, k, v = given(rng, (1, 2, 1, 3, 0, 64))
    found: Any = tw.attention(q, k, v, return_lse=True, target="interpreter")
    assert (found[0] == 0).all()
    assert (found[1] == -np.inf).all()
    q, k, v = given(rng, (1, 2, 1, 0, 3, 64))
    found = tw.attention(q, k, v)
    assert found.shape == (1, 2, 0, 64)


def test_a_result_in_the_place_of_an_argument(rng: np.random.Generator) -> None:
    """Queries are read by those who write the result there; keys and values by all."""
    q, k, v = given(rng, (1, 1, 1, 4, 4, 16))
    expected, _ = wanted(q, k, v, False, 0.25)
    for name, other in {"k": k, "v": v[:, :, ::1]}.items():
        with pytest.raises(tw.OperatorError, match=f"out: it shares memory with {name}"):
            tw.attention(q, k, v, out=other)
    packed = np.empty((1, 1, 4, 2, 16), np.float16)
    between, out = packed[..., 0, :], packed[..., 1, :]
    between[...] = k
    for place in (out, q):
        tw.attention(q, between, v, out=place, target="interpreter")
        np.testing.assert_allclose(place.astype(np.float64), expected, atol=4e-3)


def test_a_number_that_is_none_stays_in_its_row(rng: np.random.Generator) -> None:
    q, k, v = given(rng, (1, 1, 1, 4, 5, 64))
    q[0, 0, 2, 1] = np.nan
    found: Any = tw.attention(q, k, v, target="interpreter")
    assert np.isnan(found[0, 0]).all(axis=1).tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"q": np.zeros((1, 1, 4, 64), np.float32)}, tw.OperatorTypeError, "q is of f32"),
        ({"q": np.zeros((1, 1, 4, 64), ml_dtypes.bfloat16)}, tw.OperatorTypeError, "one type"),
        ({"q": np.zeros((1, 4, 64), np.float16)}, tw.OperatorError, "batch, heads, length, width"),
        ({"q": np.zeros((1, 1, 4, 32), np.float16)}, tw.OperatorError, "width are the same"),
        ({"q": np.zeros((1, 3, 4, 64), np.float16)}, tw.OperatorError, "3 heads of q are no multiple of the 2 of k"),
        ({"k": np.zeros((1, 2, 6, 64), np.float16)}, tw.OperatorError, "they have the same"),
        ({"q": np.zeros((1, 2, 64, 4), np.float16).swapaxes(2, 3)}, tw.OperatorError, "neighbours in memory"),
        ({"q": np.zeros((1, 2, 4, 64), np.float16)[:, :, ::-1]}, tw.OperatorError, "from 0 to"),
        ({"out": np.zeros((1, 2, 4, 32), np.float16)}, tw.OperatorError, "out has extents"),
        ({"scale": -1.0}, tw.OperatorError, "positive"),
        ({"scale": 1e-50}, tw.OperatorError, "positive number of f32"),
        ({"scale": "x"}, tw.OperatorTypeError, "scale is 'x'; it is a number"),
        ({"causal": np.zeros(2)}, tw.OperatorTypeError, "causal is .*; it is True or False"),
        ({"target": 5}, tw.OperatorTypeError, "target is 5; it is text"),
        ({name: np.zeros((1, 2, 4, 0), np.float16) for name in "qkv"}, tw.OperatorError, "heads have 1 to 256"),
        ({"out": np.frombuffer(bytes(1024), np.float16).reshape(1, 2, 4, 64)}, tw.OperatorError, "^out: .* read-only"),
        ({"layout": "lbhd"}, tw.OperatorError, "bhld and blhd"),
        ({"mask": None}, TypeError, "no option 'mask'"),
    ],
)
def test_what_does_not_fit(change: dict[str, Any], error: type[Exception], said: str) -> None:
    arguments: dict[str, Any] = {name: np.zeros((1, 2, 5 - (name == "q"), 64), np.float16) for name in "qkv"}
    with pytest.raises(error, match=said):
        tw.attention(**(arguments | change))


@needs_ptxas
@pytest.mark.covering(0)
@pytest.mark.parametrize(("width", "blocks", "threads"), [(64, (64, 128), 128), (128, (128, 128), 256)])
@pytest.mark.usefixtures("users_ptx")
def test_next_to_nothing_is_spilled(width: int, blocks: tuple[int, int], threads: int) -> None:
    llvm, kernel = emitted(
        attention_text(AttentionClass("bf16", width, blocks, True, True, True)), schedule=f"threads={threads}"
    )
    resources = assemble(compile_to_ptx(llvm, Architecture.SM_90A), Architecture.SM_90A).kernels[kernel.symbol]
    # of width 128 one register, behind the loop; a factor would take 128 bytes
    assert max(resources.spill_load_bytes, resources.spill_store_bytes, resources.stack_bytes) <= 8
