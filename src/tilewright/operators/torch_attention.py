"""`torch.ops.tilewright.attention`: attention that autograd differentiates and `torch.compile` traces."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Final

from tilewright.operators.attention_heads import order_of

NAME: Final = "tilewright::attention"
_OPTIONS: Final = "bool causal, float? scale, str layout"
_FORWARD: Final = f"(Tensor q, Tensor k, Tensor v, {_OPTIONS}) -> (Tensor, Tensor)"
_BACKWARD: Final = (
    f"(Tensor g, Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse, Tensor? g_lse, {_OPTIONS})"
    " -> (Tensor, Tensor, Tensor)"
)

Forward = Callable[..., tuple[Any, Any]]
"""The result and the logarithms of q, k, v, with options by name."""
Backward = Callable[..., tuple[Any, Any, Any]]
"""The gradients of q, k and v of the result's, of q, k, v, the result, the logarithms and their gradient, which may be
none, with options by name."""


class TorchAttention:
    """The operators, registered once: `forward` and `backward` compute them."""

    def __init__(self, forward: Forward, backward: Backward) -> None:
        self._torch: Any = importlib.import_module("torch")
        self._is_compiling: Callable[[], bool] = self._torch.compiler.is_compiling
        self._is_grad_enabled: Callable[[], bool] = self._torch.is_grad_enabled
        self._forward, self._backward = forward, backward
        library: Any = importlib.import_module("torch.library")
        self._operator = library.custom_op(NAME, self._compute, mutates_args=(), schema=_FORWARD)
        self._operator.register_fake(self._empty)
        self._gradients = library.custom_op(
            f"{NAME}_backward", self._compute_gradients, mutates_args=(), schema=_BACKWARD
        )
        self._gradients.register_fake(_like_arguments)
        self._operator.register_autograd(self._differentiate, setup_context=_keep)

    def takes(self, *tensors: Any) -> bool:
        """Whether attention has to be known to autograd or to a compiler."""
        if self._is_compiling():
            return True
        return self._is_grad_enabled() and any(getattr(tensor, "requires_grad", False) for tensor in tensors)

    def __call__(self, q: Any, k: Any, v: Any, causal: bool, scale: float | None, layout: str) -> tuple[Any, Any]:
        """The result and the logarithms."""
        return self._operator(q, k, v, causal, scale, layout)

    def _compute(self, q: Any, k: Any, v: Any, causal: bool, scale: float | None, layout: str) -> tuple[Any, Any]:
        q, k, v = (tensor.detach() for tensor in (q, k, v))
        return self._forward(q, k, v, causal=causal, scale=scale, layout=layout)

    def _empty(self, q: Any, k: Any, v: Any, causal: bool, scale: float | None, layout: str) -> tuple[Any, Any]:
        batch, heads, length, _ = order_of(layout)
        lines = (q.shape[batch], q.shape[heads], q.shape[length])
        return q.new_empty(q.shape), q.new_empty(lines, dtype=self._torch.float32)

    def _compute_gradients(
        self,
        g: Any,
        q: Any,
        k: Any,
        v: Any,
        out: Any,
        lse: Any,
        g_lse: Any,
        causal: bool,
        scale: float | None,
        layout: str,
    ) -> tuple[Any, Any, Any]:
        g, q, k, v, out, lse = (tensor.detach() for tensor in (g, q, k, v, out, lse))
        g_lse = None if g_lse is None else g_lse.detach()
        return self._backward(g, q, k, v, out, lse, g_lse, causal=causal, scale=scale, layout=layout)

    def _differentiate(self, context: Any, g: Any, g_lse: Any) -> tuple[Any, ...]:
        """What nobody asks a gradient of has none."""
        q, k, v, out, lse = context.saved_tensors
        g = self._torch.zeros_like(out) if g is None else g
        found = self._gradients(g, q, k, v, out, lse, g_lse, context.causal, context.scale, context.layout)
        return (*found, None, None, None)


def _like_arguments(
    g: Any, q: Any, k: Any, v: Any, out: Any, lse: Any, g_lse: Any, causal: bool, scale: float | None, layout: str
) -> tuple[Any, Any, Any]:
    return q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, Any]) -> None:
    q, k, v, ctx.causal, ctx.scale, ctx.layout = inputs
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(q, k, v, *output)
