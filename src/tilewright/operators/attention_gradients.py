"""Gradients of attention: launches, of which later ones read what earlier ones have summed or kept."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final, cast

from msgspec import Struct

from tilewright.operators.attention_gradient_plans import GradientPlan, Request, check_line, planned
from tilewright.operators.attention_heads import ORDERS, factor_of, head_of, order_of, packed
from tilewright.operators.errors import OperatorError, OperatorTypeError, refused
from tilewright.operators.frameworks import Framework, framework_of
from tilewright.operators.layouts import Extents
from tilewright.runtime.errors import LaunchError

_KEPT_LAUNCHES: Final = 1024


class Gradients(Struct, frozen=True):
    """What is launched, one after the other; the extents of q and of k, those of the logarithms."""

    plans: tuple[GradientPlan, ...]
    starts: tuple[Callable[..., None], ...]
    shapes: tuple[Extents, Extents]
    lse_shape: tuple[int, int, int]
    element: str


@lru_cache(_KEPT_LAUNCHES)
def prepared(asked: Request) -> Gradients:
    """What is launched for arrays that lie so. Raises `OperatorError`."""
    plans = planned(asked)
    layouts = {name: asked.framework.layout(sight, name) for name, sight in asked.sights}
    shape, order = layouts["q"].shape, ORDERS[asked.layout]
    lse_shape = (shape[order[0]], shape[order[1]], shape[order[2]])
    starts = tuple(plan.kernel[plan.grid] for plan in plans if 0 not in plan.grid)
    kept = tuple(plan for plan in plans if 0 not in plan.grid)
    return Gradients(kept, starts, (shape, layouts["k"].shape), lse_shape, layouts["q"].dtype)


def gradients(
    arrays: dict[str, object],
    layout: str,
    causal: bool,
    scale: float | None,
    target: str | None,
    structure: str | None = None,
) -> list[object]:
    """The gradients of q, k and v: new arrays.

    `arrays` are q, k, v, out, lse, g, the gradient of the result, and maybe g_lse, that of the logarithms.
    """
    framework = framework_of(arrays["q"])
    arrays = framework.plain(arrays)
    arrays = {name: _as_rows(framework, array, name, layout) for name, array in arrays.items()}
    sights = tuple((name, framework.sight(array, name)) for name, array in arrays.items())
    found = prepared(Request(framework, sights, layout, causal, target, structure))
    like, element = arrays["q"], found.element
    x = framework.empty(found.shapes[0], element, like)
    y, z = (framework.empty(found.shapes[1], element, like) for _ in range(2))
    delta, lse2 = (framework.empty(found.lse_shape, "f32", like) for _ in range(2))
    factor = factor_of(scale, found.shapes[0][3])
    own = {**arrays, "o": arrays["out"], "x": x, "y": y, "z": z}
    count = math.prod(found.lse_shape)
    own |= {"delta": delta, "lse2": lse2, "glse": arrays.get("g_lse")}
    most = max((plan.kept for plan in found.plans), default=0)
    kept = framework.empty((most,), element, like) if most else None
    for plan, start in zip(found.plans, found.starts, strict=True):
        passed = [framework.viewed(own[name], (span,), (1,)) for name, span in plan.spans.items()]
        passed += [framework.viewed(own[name], (count,), (1,)) for name in plan.of.lines]
        passed += [framework.viewed(kept, (plan.kept,), (1,))] if plan.kept else []
        try:
            start(*passed, factor, *plan.integers)
        except LaunchError as error:
            raise refused(error) from None
    return [framework.given(each) for each in (x, y, z)]


def _as_rows(framework: Framework, array: object, name: str, layout: str) -> object:
    """A gradient that is given as it is if rows of it are neighbours, else a copy; others as they are."""
    if name not in ("g", "g_lse"):
        return array
    found = framework.layout(framework.sight(array, name), name)
    try:
        if name == "g":
            head_of(name, found, order_of(layout))
        else:
            check_line(name, found, cast("tuple[int, int, int]", found.shape))
    except OperatorTypeError:
        raise
    except OperatorError:
        return framework.copied(array, found.shape, found.strides, packed(found.shape))
    return array
