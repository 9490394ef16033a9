"""`tilewright.attention`: scaled dot-product attention, forward, for arrays of any library."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypedDict, Unpack, cast

from msgspec import Struct

from tilewright.once import once
from tilewright.operators.asked import as_number, check_name
from tilewright.operators.attention_gradients import gradients
from tilewright.operators.attention_heads import ELEMENT_BYTES, as_flag, factor_of
from tilewright.operators.attention_plans import AttentionPlan, RestPlan, planned
from tilewright.operators.errors import OperatorError, refused
from tilewright.operators.frameworks import Framework, framework_of
from tilewright.operators.layouts import Layout, Sight
from tilewright.operators.overlaps import overlap
from tilewright.operators.tensors import is_tensor
from tilewright.operators.torch_attention import TorchAttention
from tilewright.runtime.errors import LaunchError

_KEPT_LAUNCHES: Final = 1024


class Options(TypedDict, total=False):
    """Options of attention, as `tilewright.attention` explains them."""

    causal: bool
    scale: float | None
    return_lse: bool
    layout: str
    out: object
    target: str


class GradientOptions(TypedDict, total=False):
    """Options of gradients, those that attention was computed with."""

    causal: bool
    scale: float | None
    layout: str
    target: str


class _Asked(Struct, frozen=True):
    """Attention but for the elements of its arrays, as their library shows them: launches are remembered by this."""

    framework: Framework
    sights: tuple[tuple[str, Sight], ...]
    layout: str
    causal: bool
    with_lse: bool
    target: str | None
    in_place: bool


class Attention:
    """`tilewright.attention`, a function with a `plan`."""

    def __call__(self, q: object, k: object, v: object, **options: Unpack[Options]) -> object:
        """Scaled dot-product attention: `softmax(scale q k^T) v` of each head, summed in f32.

        `q` is (batch, heads, queries, width), `k` and `v` are (batch, key heads, keys, width), the result is like `q`;
        with `layout="blhd"` lengths stand in front of heads in all of them. Query heads share key heads where there are
        more of them, a multiple. Arrays are f16 or bf16, of NumPy, PyTorch, CuPy or JAX, all of one type and on one
        device, where the operator runs: on a GPU it is enqueued in the current stream. Rows are neighbours in memory;
        other strides may be any from 0 to 2^31 - 1. The width is 1 to 256; 64, 128 and 256 are the fastest. Options,
        all by name:

        - `causal`: query number i of a head sees keys 0 to i only.
        - `scale` is positive, by default one over the root of the width.
        - `return_lse`: a pair of the result and, in f32 (batch, heads, queries), the logarithm of the sum of
          exponentials of the scaled scores of each query.
        - `out` is written and returned; without it the result is a new array of the library of `q`. It may be `q`, and
          shares no memory with other arrays.
        - `layout`: `bhld`, or `blhd`.
        - `target` runs elsewhere than where the arrays are (`interpreter`), or on certain processors (`cpu:avx2`).

        Queries without any key have zeros, and -inf as their logarithm. Scores are rounded to the type of the arrays
        between the two products, as is the result. Tensors of PyTorch that need a gradient, or that `torch.compile`
        traces, take the operator `torch.ops.tilewright.attention`, which has no `out`.
        Raises `OperatorError`, a ValueError, for
        arguments that do not fit, and `OperatorTypeError`, a TypeError too, for types for which there is no kernel.
        """
        if is_tensor(q) and torch_attention().takes(q, k, v):
            return _differentiable(q, k, v, options)
        framework = framework_of(q)
        arrays = framework.plain(_arrays(q, k, v, options))
        return_lse = options.get("return_lse", False)
        prepared = _prepared(_asked(framework, arrays, options))
        plan = prepared.plan
        factor = factor_of(options.get("scale"), plan.of.width)
        out = options.get("out")
        if out is None:
            out = arrays["out"] = framework.empty(plan.shape, plan.of.element, q)
        else:
            _check_overlaps(framework, prepared.layouts, arrays)
        lse = framework.empty(plan.lse_shape, "f32", q) if return_lse else None
        if prepared.start is not None:
            passed = [framework.viewed(arrays[name], (span,), (1,)) for name, span in plan.spans.items()]
            passed += [] if lse is None else [framework.viewed(lse, (math.prod(plan.lse_shape),), (1,))]
            try:
                prepared.start(*passed, factor, *plan.integers)
                if plan.rest is not None:
                    _launch_rest(framework, plan.rest, prepared.rest, passed, factor, q)
            except LaunchError as error:
                raise refused(error, o="out") from None
            if options.get("out") is not None:
                framework.changed(out)
        return (framework.given(out), framework.given(lse)) if return_lse else framework.given(out)

    def plan(self, q: object, k: object, v: object, **options: Unpack[Options]) -> AttentionPlan:
        """How attention of the same arguments is computed. Nothing is computed.

        `target` may be a machine that is not here (`nvidia:sm_90a`). Raises what attention does.
        """
        return _planned(_asked(framework_of(q), _arrays(q, k, v, options), options))

    def gradients(
        self,
        g: object,
        q: object,
        k: object,
        v: object,
        out: object,
        lse: object,
        g_lse: object = None,
        **options: Unpack[GradientOptions],
    ) -> tuple[object, object, object]:
        """The gradients of q, k and v where `g` is that of the result `out`, with whose logarithms `lse` was returned.

        `g_lse`, f32 (batch, heads, queries), is the gradient of the logarithms; without it they have none. Arrays and
        options are as of attention; `g` and `out` are like `q`, of its type. A `g` whose rows are no neighbours in
        memory, or overlap, is copied. The results are new arrays. Accumulators are f32, the same in each run; weights
        and their gradients are rounded to the type of the arrays before they are multiplied. Query heads that share a
        key head are summed. Memory of 2 bytes for each query and key of a head may be taken meanwhile, 4 GB at most.
        Raises what attention does.
        """
        arrays = {"q": q, "k": k, "v": v, "out": out, "lse": lse, "g": g}
        arrays |= {} if g_lse is None else {"g_lse": g_lse}
        for name in ("layout", "target"):
            check_name(name, options.get(name))
        causal, scale = as_flag("causal", options.get("causal", False)), options.get("scale")
        layout, target = options.get("layout", "bhld"), options.get("target")
        of_q, of_k, of_v = gradients(arrays, layout, causal, scale, target)
        return of_q, of_k, of_v


attention: Final = Attention()


class _Prepared(Struct, frozen=True):
    """A plan and its launch, None where the result has no elements; those of its rest; how the arrays lie."""

    plan: AttentionPlan
    start: Callable[..., None] | None
    rest: Sequence[Callable[..., None]]
    layouts: Mapping[str, Layout]


def _arrays(q: object, k: object, v: object, options: Options) -> dict[str, object]:
    """All arrays by name. Raises TypeError for an option that there is not, `OperatorTypeError` for what is no text."""
    unknown = [name for name in options if name not in Options.__optional_keys__]
    if unknown:
        raise TypeError(f"there is no option {unknown[0]!r}; there are {', '.join(sorted(Options.__optional_keys__))}")
    arrays = {"q": q, "k": k, "v": v}
    if (out := options.get("out")) is not None:
        arrays["out"] = out
    for name in ("layout", "target"):
        check_name(name, options.get(name))
    return arrays


def _launch_rest(
    framework: Framework,
    rest: RestPlan,
    starts: Sequence[Callable[..., None]],
    passed: Sequence[object],
    factor: float,
    like: object,
) -> None:
    """The launches behind the first one, to which q, k, v, the result and its logarithms, if it has some, were passed.
    Raises `LaunchError`."""
    q, k, v, *ends = passed
    shapes = ((rest.parts.shape, rest.parts.of.element), (rest.parts.lse_shape, "f32"))
    results, logs = (
        framework.viewed(framework.empty(shape, element, like), (math.prod(shape),), (1,)) for shape, element in shapes
    )
    of_parts, sums = starts
    of_parts(q, k, v, results, logs, factor, *rest.parts.integers)
    sums(results, logs, *ends, *rest.integers)


def _check_overlaps(framework: Framework, layouts: Mapping[str, Layout], arrays: Mapping[str, object]) -> None:
    """Raises `OperatorError` for a result in the place of what other work-groups read; each has its queries by then."""
    out, reach = arrays["out"], {name: _reach(framework, layouts[name], arrays[name]) for name in arrays}
    for name in "qkv":
        if reach["out"].stop <= reach[name].start or reach[name].stop <= reach["out"].start:
            continue
        is_same = name == "q" and layouts["q"].strides == layouts["out"].strides
        if overlap(out, arrays[name], unless_same=is_same):
            raise OperatorError(f"out: it shares memory with {name}; pass memory of its own")


def _reach(framework: Framework, of: Layout, array: object) -> range:
    """The bytes from the first element of an array to its last one."""
    if 0 in of.shape:
        return range(0)
    start = framework.address(array)
    elements = 1 + sum((extent - 1) * stride for extent, stride in zip(of.shape, of.strides, strict=True))
    return range(start, start + elements * ELEMENT_BYTES)


def _asked(framework: Framework, arrays: Mapping[str, object], options: Options) -> _Asked:
    sights = tuple((name, framework.sight(array, name)) for name, array in arrays.items())
    causal, with_lse = (as_flag(name, options.get(name, False)) for name in ("causal", "return_lse"))
    layout, target = options.get("layout", "bhld"), options.get("target")
    in_place = "out" in arrays and framework.address(arrays["out"]) == framework.address(arrays["q"])
    return _Asked(framework, sights, layout, causal, with_lse, target, in_place)


@lru_cache(_KEPT_LAUNCHES)
def _prepared(asked: _Asked) -> _Prepared:
    """What is launched for arrays that lie so. Raises `OperatorError`."""
    plan = _planned(asked)
    layouts = {name: asked.framework.layout(sight, name) for name, sight in asked.sights}
    rest = () if plan.rest is None else (plan.rest.parts.kernel[plan.rest.parts.grid], plan.rest.kernel[plan.rest.grid])
    return _Prepared(plan, None if 0 in plan.shape else plan.kernel[plan.grid], rest, layouts)


def _planned(asked: _Asked) -> AttentionPlan:
    layouts = {name: asked.framework.layout(sight, name) for name, sight in asked.sights}
    return planned(layouts, asked.layout, asked.causal, asked.with_lse, asked.in_place, asked.target)


def _differentiable(q: object, k: object, v: object, options: Options) -> object:
    """By the operator of torch. Raises `OperatorError` for options that it has not."""
    _arrays(q, k, v, options)
    for name in ("out", "target"):
        if options.get(name) is not None:
            raise OperatorError(f"{name}: attention that torch differentiates or compiles has no such option")
    scale = options.get("scale")
    number = None if scale is None else as_number("scale", scale)
    causal, with_lse = (as_flag(name, options.get(name, False)) for name in ("causal", "return_lse"))
    found = torch_attention()(q, k, v, causal, number, options.get("layout", "bhld"))
    return found if with_lse else found[0]


@once
def torch_attention() -> TorchAttention:
    """The operator `torch.ops.tilewright.attention`."""

    def forward(q: object, k: object, v: object, **options: Unpack[GradientOptions]) -> tuple[object, object]:
        return cast("tuple[object, object]", attention(q, k, v, return_lse=True, **options))

    return TorchAttention(forward, attention.gradients)


if "torch" in sys.modules:
    # compilers of torch find it there; they cannot make it while they trace a call
    torch_attention()
