"""`torch.ops.tilewright.matmul`: products that autograd differentiates and `torch.compile` traces.

The gradient of a product is two products; those of the steps behind it are torch's own, from the sums, which are
computed once more where a step needs them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Final

from tilewright.operators import epilogues
from tilewright.operators.errors import OperatorError, OperatorTypeError

NAME: Final = "tilewright::matmul"
_SCHEMA: Final = (
    "(Tensor a, Tensor b, Tensor? bias, Tensor? scale, Tensor? residual, float alpha, str epilogue, "
    "str? accumulate, str? out_dtype, str? precision) -> Tensor"
)
_OPTIONS: Final = frozenset({"bias", "scale", "residual", "alpha", "epilogue", "accumulate", "out_dtype", "precision"})
_NAMES: Final = ("accumulate", "out_dtype", "precision")
_TENSORS: Final = ("a", "b", "bias", "scale", "residual")
_IMPLIED: Final = ("scale", "bias", "residual")
_SMALL: Final = ("float8_e4m3fn", "float8_e5m2")
"""Types whose products have results of another type and no gradients; older versions of torch have none of them."""

Product = Callable[..., object]
"""The product of two tensors with options by name; results are new."""


class TorchMatmul:
    """The operator, registered once: `product` computes it, `result_dtype` tells the type of its result."""

    def __init__(self, product: Product) -> None:
        self._torch: Any = importlib.import_module("torch")
        self._is_compiling: Callable[[], bool] = self._torch.compiler.is_compiling
        self._is_grad_enabled: Callable[[], bool] = self._torch.is_grad_enabled
        self._product = product
        small = (getattr(self._torch, name, None) for name in _SMALL)
        self._small = frozenset(dtype for dtype in small if dtype is not None)
        self._stored = {self._torch.int8: self._torch.int32, **dict.fromkeys(self._small, self._torch.float32)}
        library: Any = importlib.import_module("torch.library")
        self._operator = library.custom_op(NAME, self._compute, mutates_args=(), schema=_SCHEMA)
        self._operator.register_fake(self._empty)
        self._operator.register_autograd(self._backward, setup_context=_keep)

    def takes(self, a: Any, b: Any, options: Mapping[str, Any]) -> bool:
        """Whether a product has to be known to autograd or to a compiler."""
        if self._is_compiling():
            return True
        if not self._is_grad_enabled():
            return False
        given = (a, b, *options.values()) if options else (a, b)
        return any(getattr(value, "requires_grad", False) for value in given)

    def check_numbers(self, options: Mapping[str, Any]) -> None:
        """Raises `OperatorError` for a number of which a gradient would be wanted."""
        if getattr(options.get("alpha"), "requires_grad", False):
            raise OperatorError("alpha needs a gradient, and numbers have none: multiply the result by it")

    def __call__(self, a: Any, b: Any, options: Mapping[str, Any]) -> Any:
        """The product of two tensors. Raises `OperatorError` for options that the operator has not."""
        for name, value in options.items():
            if name not in _OPTIONS and value is not None:
                raise OperatorError(f"{name}: products that torch differentiates or compiles have no such option")
        for name, value in {"a": a, "b": b, **options}.items():
            if name in _TENSORS and (value is not None or name in "ab") and not isinstance(value, self._torch.Tensor):
                raise OperatorTypeError(f"{name} is a {type(value).__name__}, a is a tensor of torch; pass tensors")
        if a.dtype in self._small and self._is_grad_enabled() and (a.requires_grad or b.requires_grad):
            raise OperatorTypeError(f"factors of {a.dtype} have no gradient: detach them")
        steps = options.get("epilogue")
        if steps is None:
            steps = "+".join(name for name in _IMPLIED if options.get(name) is not None)
        arrays = (options.get("bias"), options.get("scale"), options.get("residual"))
        alpha = float(options.get("alpha", 1.0))
        return self._operator(a, b, *arrays, alpha, steps, *(options.get(name) for name in _NAMES))

    def _compute(
        self,
        a: Any,
        b: Any,
        bias: Any,
        scale: Any,
        residual: Any,
        alpha: float,
        epilogue: str,
        accumulate: str | None,
        out_dtype: str | None,
        precision: str | None,
    ) -> Any:
        given = {
            "bias": bias,
            "scale": scale,
            "residual": residual,
            "accumulate": accumulate,
            "out_dtype": out_dtype,
            "precision": precision,
        }
        options = {name: _detached(value) for name, value in given.items() if value is not None}
        return self._product(_detached(a), _detached(b), alpha=alpha, epilogue=epilogue, **options)

    def _empty(
        self,
        a: Any,
        b: Any,
        bias: Any,
        scale: Any,
        residual: Any,
        alpha: float,
        epilogue: str,
        accumulate: str | None,
        out_dtype: str | None,
        precision: str | None,
    ) -> Any:
        shape = self._torch.matmul(a, b).shape
        dtype = self._stored.get(a.dtype, a.dtype) if out_dtype is None else self._dtype(out_dtype)
        return a.new_empty(shape, dtype=dtype)

    def _dtype(self, name: str) -> Any:
        return getattr(self._torch, {"f": "float", "b": "bfloat", "i": "int"}[name[0]] + name.lstrip("bfi"))

    def _backward(self, context: Any, gradient: Any) -> tuple[Any, ...]:
        a, b, *arrays = context.saved_tensors
        operands: dict[str, Any] = dict(zip(epilogues.OPERAND_STEPS, arrays, strict=True))
        steps = epilogues.steps_of(context.epilogue)
        compute = self._torch.float64 if a.dtype == self._torch.float64 else self._torch.float32
        wide = gradient.to(compute)
        found: dict[str, Any] = {}
        wide = self._through(steps, operands, wide, lambda: self._sums(a, b, context), found) * context.alpha
        of_a, of_b = self._of_factors(a, b, wide.to(a.dtype), context)
        extras = (found.get(name) for name in epilogues.OPERAND_STEPS)
        return (of_a, of_b, *extras, *(None,) * 5)

    def _sums(self, a: Any, b: Any, context: Any) -> Any:
        """What the epilogue began with."""
        compute = "f64" if a.dtype == self._torch.float64 else "f32"
        return self._operator(a, b, None, None, None, context.alpha, "", context.accumulate, compute, context.precision)

    def _through(
        self,
        steps: tuple[str, ...],
        operands: Mapping[str, Any],
        gradient: Any,
        sums: Callable[[], Any],
        found: dict[str, Any],
    ) -> Any:
        """The gradient of the sums; those of arrays are put into `found`."""
        before: list[Any] = [None] * len(steps)
        if any(step not in ("bias", "residual") for step in steps):
            x = sums()
            for k, step in enumerate(steps):
                before[k] = x
                x = self._step(step, x, operands)
        for step, x in zip(reversed(steps), reversed(before), strict=True):
            operand = operands.get(step)
            if operand is None:
                gradient = self._undone(step, gradient, x)
                continue
            own = gradient * x if step == "scale" else gradient
            found[step] = own.sum_to_size(operand.shape).to(operand.dtype)
            gradient = gradient * operand.to(gradient.dtype) if step == "scale" else gradient
        return gradient

    def _step(self, step: str, x: Any, operands: Mapping[str, Any]) -> Any:
        functional = self._torch.nn.functional
        match step:
            case "gelu":
                return functional.gelu(x)
            case "gelu_tanh":
                return functional.gelu(x, approximate="tanh")
            case "relu" | "silu":
                return getattr(functional, step)(x)
            case "sigmoid" | "tanh":
                return getattr(self._torch, step)(x)
            case "scale":
                return x * operands[step].to(x.dtype)
            case _:
                return x + operands[step].to(x.dtype)

    def _undone(self, step: str, gradient: Any, x: Any) -> Any:
        """The gradient in front of a function of `x`."""
        aten = self._torch.ops.aten
        match step:
            case "gelu":
                return aten.gelu_backward(gradient, x)
            case "gelu_tanh":
                return aten.gelu_backward(gradient, x, approximate="tanh")
            case "relu":
                return aten.threshold_backward(gradient, x, 0)
            case "silu":
                # torch does not differentiate its own formula once more
                share = self._torch.sigmoid(x)
                return gradient * share * (1 + x * (1 - share))
            case "sigmoid":
                return aten.sigmoid_backward(gradient, self._torch.sigmoid(x))
            case _:
                return aten.tanh_backward(gradient, self._torch.tanh(x))

    def _of_factors(self, a: Any, b: Any, gradient: Any, context: Any) -> tuple[Any, Any]:
        """The gradients of both factors: that of `a` is the gradient times the transpose of `b`, and so on."""
        rows, columns = a.unsqueeze(0) if a.dim() == 1 else a, b.unsqueeze(1) if b.dim() == 1 else b
        if b.dim() == 1:
            gradient = gradient.unsqueeze(-1)
        if a.dim() == 1:
            gradient = gradient.unsqueeze(-2)
        of_a = of_b = None
        if context.needs_input_grad[0]:
            of_a = (
                self._plain(gradient, columns.transpose(-1, -2), context.precision)
                .sum_to_size(rows.shape)
                .reshape(a.shape)
            )
        if context.needs_input_grad[1]:
            of_b = (
                self._plain(rows.transpose(-1, -2), gradient, context.precision)
                .sum_to_size(columns.shape)
                .reshape(b.shape)
            )
        return of_a, of_b

    def _plain(self, a: Any, b: Any, precision: str | None) -> Any:
        return self._operator(a, b, None, None, None, 1.0, "", None, None, precision)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    a, b, bias, scale, residual, alpha, epilogue, accumulate, _, precision = inputs
    ctx.save_for_backward(a, b, bias, scale, residual)
    ctx.alpha, ctx.epilogue, ctx.accumulate, ctx.precision = alpha, epilogue, accumulate, precision


def _detached(value: Any) -> Any:
    """Tensors without their history, which autograd has taken note of."""
    return value if isinstance(value, str) else value.detach()
