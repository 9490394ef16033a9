"""Products on a device, in one launch or in parts of the terms."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

import tilewright as tw
from effort import thorough
from interop.emulated_device import OnDevice, runs
from machine.cuda.fake_driver import FakeDriver
from machine.cuda.played import played as played
from operators.activations import gelu, relu
from tilewright.operators.frameworks import framework_of
from tilewright.operators.products import launch_of
from tilewright.runtime.arrays import view

Array = NDArray[Any]


def test_on_a_device(played: FakeDriver) -> None:
    """The emulator runs what a launch enqueues: a product with an epilogue, of arrays with gaps."""
    rng = np.random.default_rng()
    a, b, bias = (rng.standard_normal(shape).astype(np.float16) for shape in ((5, 21), (24, 9), (9,)))
    out = np.full((5, 9), np.nan, np.float16)
    arrays = [OnDevice(a[:, 1:20]), OnDevice(b[:19]), OnDevice(out)]
    shift = OnDevice(bias)
    options: Any = {"bias": shift, "epilogue": "bias+relu", "target": "nvidia:sm_80"}
    text = tw.matmul.plan(*arrays, **options).text
    runs(played, lambda: tw.compile(text, target="nvidia:sm_80"), [*arrays, shift])
    tw.matmul(*arrays, **options)
    wanted = np.maximum(a[:, 1:20].astype(float) @ b[:19].astype(float) + bias.astype(float), 0)
    assert np.allclose(out.astype(float), wanted, rtol=2e-3, atol=2e-3)


@pytest.mark.skipif(not thorough(), reason="the emulator takes seconds")
def test_parts_on_a_device(played: FakeDriver) -> None:
    """Two launches: sums of parts, then their sums with what follows."""
    rng = np.random.default_rng()
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((3, 4096), (4096, 2)))
    bias = rng.standard_normal(2).astype(np.float32)
    plan = tw.matmul.plan(a, b, bias=bias, epilogue="bias+relu", target="nvidia:sm_80")
    out = OnDevice(np.full((3, 2), np.nan, np.float16))
    arrays = {"a": OnDevice(a), "b": OnDevice(b), "bias": OnDevice(bias), "out": out}
    arrays["partial"] = OnDevice(np.full(plan.steps[0].arranged.operands[-1].shape, np.nan, np.float32))
    for step in plan.steps:
        of_step = partial(tw.compile, step.text, target="nvidia:sm_80", schedule=step.tiles or None)
        runs(played, of_step, [*arrays.values()])
        operands = step.arranged.operands
        of_step().matmul[1](*(replace(view(arrays[o.name]), shape=o.shape, strides=o.strides) for o in operands))
    assert len(played.launches) == 2
    assert np.allclose(out.array, relu(a.astype(float) @ b.astype(float) + bias), rtol=2e-3, atol=2e-3)


def interpreted(plan: Any, arrays: dict[str, Array], *numbers: float) -> None:
    """Run the steps of a plan in the interpreter."""
    for step in plan.steps:
        operands = step.arranged.operands
        shapes = {one.name: (one.shape, [arrays[one.name].itemsize * s for s in one.strides]) for one in operands}
        views = [np.lib.stride_tricks.as_strided(arrays[name], *layout) for name, layout in shapes.items()]
        tw.compile(step.text, target="interpreter").matmul[1](*(numbers if step.takes_numbers else ()), *views)


def test_launches_of_parts(played: FakeDriver) -> None:
    """Each launch takes the arrays of its program; the sums of parts are a new array between them."""
    a, b, out = np.zeros((3, 8192), np.float16), np.zeros((8192, 2), np.float16), np.zeros((3, 2), np.float16)
    plan = tw.matmul.plan(a, b, out, alpha=2.0, target="nvidia:sm_90a")
    passed: list[tuple[object, ...]] = []

    def start(*given: object) -> None:
        passed.append(given)

    found = launch_of(plan, {name: (x.shape, (x.shape[1], 1)) for name, x in (("a", a), ("b", b), ("out", out))})
    starts = tuple(replace(each, start=start) for each in found.starts)
    replace(found, starts=starts).run(framework_of(a), (2.0,), {"a": a, "b": b, "out": out})
    (left, right, sums), (alpha, added, target) = cast("Any", passed)
    assert (alpha, target is out, added is sums) == (2.0, True, True)
    assert (left.shape, right.shape) == ((3, plan.parts, 8192 // plan.parts), (plan.parts, 8192 // plan.parts, 2))
    assert (sums.shape, sums.dtype) == ((plan.parts, 3, 2), np.float32)


def test_parts_of_a_product() -> None:
    """Few elements and many terms: sums of parts are stored, then added; the texts run in the interpreter as well."""
    rng = np.random.default_rng()
    a, b, bias = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 3, 2048), (2, 2048, 70), (70,)))
    out, shift = np.full((2, 3, 70), np.nan, np.float32), rng.standard_normal((3, 1)).astype(np.float32)
    for given, options in ((a, {"bias": bias, "epilogue": "bias+gelu", "alpha": 0.1}), (a[:1], {"residual": shift})):
        wanted = gelu(0.1 * (a @ b) + bias) if "bias" in options else a[:1] @ b + shift
        plan = tw.matmul.plan(given, b, out, **cast("Any", options), target="nvidia:sm_90a")
        assert plan.parts > 1
        assert [step.takes_numbers for step in plan.steps] == [False, "alpha" in options]
        assert dict(plan.steps[0].arranged.extents)["k"] * plan.parts == 2048
        if given is a:  # which compiles both kernels
            assert f"in {plan.parts} parts of the terms, whose sums a second launch adds" in str(plan)
        partial_sums = plan.steps[0].arranged.operands[-1]
        arrays: dict[str, Array] = {
            "a": given,
            "b": b,
            "out": out,
            "partial": np.full(partial_sums.shape, np.nan, "f4"),
        }
        interpreted(plan, arrays | {k: v for k, v in options.items() if isinstance(v, np.ndarray)}, 0.1)
        assert np.allclose(out, wanted, atol=1e-3)
    # enough tiles, or terms that cannot be dealt out evenly
    # parts begin at multiples of 16 bytes: not 60 of 137 terms
    assert tw.matmul.plan(np.zeros((3, 8220), np.float32), np.zeros((8220, 2), np.float32), target="nvidia").parts == 15
    for m, n, k in ((4096, 4096, 2048), (3, 2, 4099), (3, 2, 128)):
        wide, long = np.zeros((m, k), np.float32), np.zeros((k, n), np.float32)
        assert tw.matmul.plan(wide, long, target="nvidia").parts == 1
