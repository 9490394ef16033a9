"""Programs whose compilation `compile_time.py` times: texts, what is asked of them, and how long they may take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from device import HERE
from msgspec import Struct, field

# isort: split
import tilewright as tw
from product_texts import Product, tile_ir_product, whole_gemm
from tile_ir_kernels import long_kernel
from tilewright.operators import attention_gradient_plans
from tilewright.operators.attention_blocks import schedule_of
from tilewright.operators.attention_text import EXTENTS
from tilewright.operators.frameworks import framework_of

TARGET = "nvidia:sm_90a"
SAMPLE = HERE.parents[1] / "examples" / "fused_kernel.tl"
N = 4096
OPERATORS = 500.0
"""Milliseconds to PTX that issue 17 allows programs of operators."""


class Case(Struct, frozen=True):
    """A kernel, and how many milliseconds it may take to PTX; the schedule and what is said of its language."""

    text: str
    bar: float
    schedule: str | None = None
    chosen: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def options(self) -> dict[str, Any]:
        """Of `tw.compile`."""
        return {"target": TARGET, "cache": False, "schedule": self.schedule, "language_options": self.chosen}


def cases() -> dict[str, Case]:
    """By what they are."""
    product = Product((N, N, N), "f16", "f32", (False, False), "f16")
    kernels = {
        "sample kernel": Case(SAMPLE.read_text(), 100),
        "Tile IR kernel of 200 operations": Case(long_kernel(200), 200),
        "product f16 in Tile IR": Case(tile_ir_product(product, (128, 128, 64)), 300),
        "gemm f16": Case(whole_gemm(N, "f16", "f16", False), 300),
    }
    return kernels | dict([*_products(), *_attention(), *_gradients()])


def _products() -> Iterator[tuple[str, Case]]:
    """Of open extents: rows that the device copies by itself and others, f32, an epilogue."""
    for dtype, extent, options in (
        ("f16", N, {}),
        ("f16", N, {"epilogue": "bias+gelu"}),
        ("f16", 1025, {}),
        ("f32", 1000, {}),
    ):
        matrix = np.empty((extent, extent), {"f16": np.float16, "f32": np.float32}[dtype])
        given: dict[str, Any] = options | ({"bias": matrix[0]} if options else {})
        (step,) = tw.matmul.plan(matrix, matrix, target=TARGET, **given).steps
        name = " ".join([f"tw.matmul {dtype}", str(extent), *options.values()])
        yield name, Case(step.text, OPERATORS, step.tiles or None)


def _attention() -> Iterator[tuple[str, Case]]:
    """Causal: whole blocks of queries and keys, and any lengths."""
    for width, length in ((128, N), (128, 1000), (256, 1000)):
        x = np.empty((1, 2, length, width), np.float16)
        plan = tw.attention.plan(x, x, x, causal=True, target=TARGET)
        schedule = schedule_of(plan.of, plan.threads, TARGET)
        yield f"tw.attention width {width} length {length}", Case(plan.text, OPERATORS, schedule, EXTENTS)


def _gradients() -> Iterator[tuple[str, Case]]:
    """Causal: all programs of a call."""
    for width in (64, 128):
        x, line = np.empty((1, 2, N, width), np.float16), np.empty((1, 2, N), np.float32)
        framework, arrays = framework_of(x), {"q": x, "k": x, "v": x, "g": x, "out": x, "lse": line}
        sights = tuple((name, framework.sight(array, name)) for name, array in arrays.items())
        asked = attention_gradient_plans.Request(framework, sights, "bhld", True, TARGET)
        for plan in attention_gradient_plans.planned(asked):
            schedule = attention_gradient_plans.schedule_of(plan.threads, plan.options, TARGET)
            yield f"gradients of attention width {width}, {plan.of.of}", Case(plan.text, OPERATORS, schedule)
