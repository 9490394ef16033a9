"""Gradients of `tw.attention`, in the interpreter, on the CPU and emulated, against those in f64."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import tilewright as tw
from operators.test_attention import DTYPES, given, wanted
from targets.nvidia.case import Launch
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.products.test_products import emitted
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import scf, tile
from tilewright.ir.passes import PassContext, PassManager
from tilewright.machine.cuda.architecture import Architecture
from tilewright.operators import attention_gradient_plans, attention_gradients
from tilewright.operators.errors import OperatorError
from tilewright.operators.frameworks import framework_of
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.transforms.schedule.choose_schedule import ChooseSchedule
from tilewright.transforms.schedule.products.loops import may_run_ahead

Array = npt.NDArray[Any]
ERROR = {"f16": 2e-3, "bf16": 1.5e-2}
CASES = [
    ("interpreter", (1, 4, 2, 151, 140, 64), "f16", True, True),
    ("interpreter", (1, 1, 1, 20, 65, 256), "f16", False, False),
    ("interpreter", (1, 2, 1, 40, 7, 96), "f16", True, False),
    ("interpreter", (1, 1, 1, 1, 1, 64), "f16", False, False),
    ("cpu", (2, 2, 2, 33, 130, 17), "bf16", True, False),
]
"""Where, extents of batch, heads, key heads, queries, keys, width, element, whether causal, lengths before heads."""


def gradients(
    q: Array, k: Array, v: Array, g: Array, causal: bool, scale: float, g_lse: Array | None = None
) -> tuple[Array, Array, Array]:
    """Those of q, k and v, in f64."""
    q, k, v, g = (array.astype(np.float64) for array in (q, k, v, g))
    group, shape = q.shape[1] // k.shape[1], k.shape
    k, v = (np.repeat(array, group, axis=1) for array in (k, v))
    scores = scale * q @ k.swapaxes(2, 3)
    if causal:
        scores[..., np.arange(q.shape[2])[:, None] < np.arange(k.shape[2])] = -np.inf
    weights = np.exp(scores - scores.max(axis=3, keepdims=True))
    weights /= weights.sum(axis=3, keepdims=True)
    of_weights = g @ v.swapaxes(2, 3)
    less = 0 if g_lse is None else g_lse[..., None]
    off = weights * (of_weights - (weights * of_weights).sum(axis=3, keepdims=True) + less)
    found = (scale * off.swapaxes(2, 3) @ q, weights.swapaxes(2, 3) @ g)
    of_k, of_v = (each.reshape(shape[0], shape[1], group, *shape[2:]).sum(axis=2) for each in found)
    return scale * off @ k, of_k, of_v


def drawn(rng: np.random.Generator, shape: Any, element: str, turned: bool) -> tuple[Array, Array, Array, Array]:
    q, k, v = given(rng, shape, element, turned)
    g = given(rng, shape, element, turned)[0]
    return q, k, v, g


def check(found: Any, expected: Any, element: str) -> None:
    for name, one, other in zip("qkv", found, expected, strict=True):
        distance = float(np.linalg.norm(np.asarray(one, np.float64) - other))
        assert distance <= ERROR[element] * float(np.linalg.norm(other)) + 1e-4, f"gradient of {name}"


@pytest.mark.covering(1)
@pytest.mark.parametrize(("target", "shape", "element", "causal", "turned"), CASES, ids=str)
def test_right(target: str, shape: Any, element: str, causal: bool, turned: bool, rng: np.random.Generator) -> None:
    q, k, v, g = drawn(rng, shape, element, turned)
    out, lse = wanted(q, k, v, causal, 0.2)
    result = out.astype(DTYPES[element])
    if turned:
        q, k, v, g, result = (array.swapaxes(1, 2) for array in (q, k, v, g, result))
    layout = "blhd" if turned else "bhld"
    # half of the cases have a gradient of the logarithms, which does not lie as these do
    g_lse = rng.standard_normal(lse.shape[::-1]).astype(np.float32).T if causal else None
    found: Any = tw.attention.gradients(
        g, q, k, v, result, lse.astype(np.float32), g_lse, causal=causal, scale=0.2, layout=layout, target=target
    )
    if turned:
        q, k, v, g, *found = (array.swapaxes(1, 2) for array in (q, k, v, g, *found))
    check(found, gradients(q, k, v, g, causal, 0.2, g_lse), element)


def test_few_heads_at_a_time(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is memory for the differences of one key head, launches follow each other, to the same bits; none
    reads what nobody has written."""
    framework: Any = type(framework_of(np.zeros(1)))
    empty = framework.empty

    def poisoned(*given: Any) -> Array:
        return np.full_like(empty(*given), np.nan)

    monkeypatch.setattr(framework, "empty", poisoned)
    q, k, v, g = drawn(rng, (1, 4, 2, 262, 270, 64), "f16", False)
    out, lse = wanted(q, k, v, True, 0.125)
    arrays: dict[str, object] = {"q": q, "k": k, "v": v, "g": g, "out": out.astype(np.float16)}
    arrays["lse"] = lse.astype(np.float32)

    def kept() -> list[Any]:
        attention_gradients.prepared.cache_clear()
        return attention_gradients.gradients(arrays, "bhld", True, 0.125, "interpreter", "kept")

    whole = kept()
    check(whole, gradients(q, k, v, g, True, 0.125), "f16")
    of_head = 2 * (2 * attention_gradient_plans.KEPT) ** 2
    monkeypatch.setattr(attention_gradient_plans, "MOST_KEPT", of_head)
    assert all(np.array_equal(one, other) for one, other in zip(whole, kept(), strict=True))
    found = plans(q, k, v, True, "kept")
    assert [plan.of.of for plan in found] == ["l", *("kv", "d") * 2]
    assert {plan.kept for plan in found[1:]} == {of_head}
    assert [attention_gradient_plans.structure_of(128, of_head + k) for k in range(2)] == ["kept", "recomputed"]


def test_loads_run_ahead_of_what_a_loop_stores() -> None:
    """Where it is promised that they read nothing of it."""
    plan = plans(*(np.zeros((1, 1, 300, 64), np.float16),) * 3, causal=False, structure="kept")[1]
    passes = NvidiaTarget(Architecture.SM_90A).passes(2)
    last = next(number for number, each in enumerate(passes) if isinstance(each, ChooseSchedule))
    module = read_module(Source("program", plan.text), Report())
    PassManager(passes[:last]).run(module, PassContext())
    loops = [op for op in module.walk() if isinstance(op, scf.For)]
    (loop,) = (op for op in loops if any(isinstance(each, tile.Store) for each in op.body.entry))
    assert may_run_ahead(loop)
    load = next(op for op in loop.body.entry if isinstance(op, tile.Load))
    load.unordered = False
    assert not may_run_ahead(loop)


def plans(
    q: Array,
    k: Array,
    v: Array,
    causal: bool,
    structure: str | None = None,
    of_lse: bool = False,
    target: str = "nvidia:sm_90a",
) -> tuple[attention_gradient_plans.GradientPlan, ...]:
    """Of arrays on a device."""
    lse, framework = np.zeros(q.shape[:3], np.float32), framework_of(q)
    arrays = {"q": q, "k": k, "v": v, "out": q, "lse": lse, "g": q, **({"g_lse": lse} if of_lse else {})}
    sights = tuple((name, framework.sight(array, name)) for name, array in arrays.items())
    request = attention_gradient_plans.Request(framework, sights, "bhld", causal, target, structure)
    return attention_gradient_plans.planned(request)


def test_what_the_device_copies_has_a_way_of_its_own() -> None:
    """Blocks of 128 keys by two groups of warps, with one that asks; not of rows that begin elsewhere, nor under a
    mask, nor on other devices."""

    def way(width: int, target: str = "nvidia:sm_90a", causal: bool = False) -> tuple[tuple[int, int], int, bool]:
        q = np.zeros((1, 2, 140, width), np.float16)
        *_, plan = plans(q, q, q, causal=causal, structure="recomputed", target=target)
        return plan.of.blocks, plan.threads, "roles=yes" in plan.options

    assert way(64) == ((64, 128), 256, True)
    assert way(50) == way(64, "nvidia:sm_80") == way(64, causal=True) == ((64, 64), 128, False)
    assert way(128) == ((64, 128), 256, False)


def test_blocks_of_queries_begin_when_there_is_room_under_a_mask() -> None:
    """Those of the program that reads differences: some see few keys."""
    q = np.zeros((1, 2, 256, 128), np.float16)
    for causal in (False, True):
        assert ("persistent=no" in plans(q, q, q, causal=causal, structure="kept")[-1].options) == causal


def test_a_structure_without_programs_for_the_width_says_so() -> None:
    with pytest.raises(OperatorError, match="'kept' is for heads of width 128 at most, not 160"):
        plans(*(np.zeros((1, 1, 64, 160), np.float16),) * 3, causal=False, structure="kept")


@pytest.mark.parametrize(("queries", "early"), [(138, False), (140, True)])
def test_logarithms_come_early_by_16_bytes(queries: int, early: bool) -> None:
    q = np.zeros((1, 2, queries, 64), np.float16)
    assert plans(q, q, q, causal=False, structure="kept")[1].of.early == early


def chosen(text: str, schedule: str) -> str:
    """The schedule that a program takes where one is asked for."""
    passes = NvidiaTarget(Architecture.SM_90A).scheduled(schedule).passes(2)
    last = next(number for number, each in enumerate(passes) if isinstance(each, ChooseSchedule))
    module = read_module(Source("program", text), Report())
    PassManager(passes[: last + 1]).run(module, PassContext())
    return module.kernels[0].schedule or ""


@pytest.mark.parametrize(
    ("structure", "width"),
    [(name, width) for name, ways in attention_gradient_plans.STRUCTURES.items() for width in ways],
)
def test_scheduled(structure: str, width: int) -> None:
    """All programs for NVIDIA devices multiply by groups of warps, whose factors the device copies, as is asked."""
    q = k = v = np.zeros((1, 2, 300, width), np.float16)
    for plan in plans(q, k, v, causal=True, structure=structure):
        schedule = chosen(plan.text, f"threads={plan.threads} {plan.options}")
        assert schedule.startswith("lanes"), schedule
        assert ("copies=tensor" in schedule) == (plan.of.of != "l")
        assert all(option in schedule for option in plan.options.split())


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("width", "queries", "keys", "causal", "structure", "far"),
    [
        (64, 76, 140, True, "kept", 0),
        (64, 132, 140, False, "recomputed", 0),
        (128, 84, 40, False, "recomputed", 0),
        (128, 138, 70, True, "kept", 0),
        (64, 76, 140, False, "kept", 32),
        (64, 76, 140, False, "recomputed", 32),
    ],
)
def test_emulated(
    width: int, queries: int, keys: int, causal: bool, structure: str, far: int, rng: np.random.Generator
) -> None:
    """As a call takes it: all blocks are copied by the device, in any order of warps. Scores that are `far` from those
    of keys that are zero: there would be infinite weights of what is behind the end of a head."""
    q, k, v, g = drawn(rng, (1, 2, 1, queries, keys, width), "f16", False)
    if far:
        q[..., 0], k[..., 0] = -far, far
    out, lse = wanted(q, k, v, causal, 0.125)
    arrays = {"q": q, "k": k, "v": v, "out": out.astype(np.float16), "lse": lse.astype(np.float32), "g": g}
    arrays |= {
        "o": arrays["out"],
        "x": np.full_like(q, np.nan),
        "y": np.full_like(k, np.nan),
        "z": np.full_like(v, np.nan),
    }
    g_lse = rng.standard_normal(lse.shape).astype(np.float32) if causal else None
    unwritten = {name: np.full_like(arrays["lse"], np.nan) for name in ("delta", "lse2")}
    lines = {"lse": arrays["lse"], "glse": g_lse, **unwritten}
    kept = np.full(0, np.nan, np.float16)
    for plan in plans(q, k, v, causal, structure, of_lse=causal):
        kept = kept if plan.kept == kept.size else np.full(plan.kept, np.nan, np.float16)
        llvm, kernel = emitted(plan.text, schedule=f"threads={plan.threads} {plan.options}")
        assert all(option in kernel.facts[SCHEDULE] for option in plan.options.split())
        assert plan.of.copied == (plan.of.of != "l")
        passed = [arrays[name].reshape(-1) for name in plan.of.arrays]
        numbers = [np.float32(0.125), *map(np.int32, plan.integers)]
        passed += [line.reshape(-1) for name in plan.of.lines if (line := lines[name]) is not None]
        passed += [kept] if plan.kept else []
        launch = Launch([*passed, *numbers], {}, plan.grid)
        found = Emulated(Program(llvm), (kernel,)).run(launch)
        for number, name in enumerate(plan.of.arrays):
            arrays[name] = np.reshape(np.asarray(found[number]), arrays[name].shape)
        if plan.kept:
            kept = np.asarray(found[len(passed) - 1])
        if plan.of.writes_lines:
            written = {name: len(plan.of.arrays) + plan.of.lines.index(name) for name in unwritten}
            lines |= {name: np.reshape(np.asarray(found[number]), lse.shape) for name, number in written.items()}
    expected = gradients(q, k, v, g, causal, 0.125, g_lse)
    if far:
        # differences of a query add up to none there, times a large number
        arrays["x"][..., 0] = expected[0][..., 0]
    check([arrays[name] for name in "xyz"], expected, "f16")
