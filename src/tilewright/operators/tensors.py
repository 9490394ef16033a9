"""Tensors of PyTorch as its users have them: gradients, versions, and tensors without memory among them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Final, Protocol, cast

from tilewright.operators.errors import OperatorError, OperatorTypeError
from tilewright.operators.layouts import ALIGNED, Extents, Layout, Sight, no_such_type


class Tensor(Protocol):
    """A tensor of torch."""

    shape: Sequence[int]
    dtype: object
    device: object
    requires_grad: bool

    def stride(self) -> tuple[int, ...]: ...
    def data_ptr(self) -> int: ...
    def as_strided(self, shape: Extents, strides: Extents) -> Tensor: ...
    def copy_(self, source: object) -> Tensor: ...
    def detach(self) -> Tensor: ...
    def is_inference(self) -> bool: ...


class _TorchModule(Protocol):
    def empty(self, *shape: object, dtype: object, device: object) -> Tensor: ...
    def empty_strided(self, shape: Extents, strides: Extents, *, dtype: object, device: object) -> Tensor: ...


_DTYPES: Final = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
    "i8": "int8",
    "i32": "int32",
}
"""Names of torch."""


class TorchTensors:
    """PyTorch."""

    def __init__(self) -> None:
        module = importlib.import_module("torch")
        self._torch = cast("_TorchModule", module)
        self._tensor: type = module.Tensor
        self._is_grad_enabled = cast("Callable[[], bool]", module.is_grad_enabled)
        graph = importlib.import_module("torch.autograd.graph")
        self._increment_version = cast("Callable[[object], None]", graph.increment_version)
        # the oldest versions have no floats of 8 bits
        known = {name: getattr(module, own, None) for name, own in _DTYPES.items()}
        self._dtypes: dict[str, object] = {name: own for name, own in known.items() if own is not None}
        self._names = {own: name for name, own in self._dtypes.items()}

    def sight(self, array: object, name: str) -> Sight:
        """What the tensor answers."""
        if type(array) is not self._tensor and not is_tensor(array):
            raise OperatorTypeError(f"{name} is a {type(array).__name__}, a is a tensor of torch; pass tensors")
        tensor = cast("Tensor", array)
        try:
            return (tensor.dtype, tensor.shape, tensor.stride(), tensor.device, tensor.data_ptr() % ALIGNED == 0)
        except RuntimeError as error:
            # sparse and nested tensors, and those that stand for others in transformations
            said = str(error).partition("\n")[0]
            raise OperatorTypeError(f"{name}: this {type(array).__name__} cannot be used as it is: {said}") from None

    def layout(self, sight: Sight, name: str) -> Layout:
        """The same in our words."""
        dtype, shape, strides, device, aligned = cast("tuple[object, Extents, Extents, object, bool]", sight)
        known = self._names.get(dtype)
        if known is None:
            raise no_such_type(name, dtype)
        return Layout(known, tuple(shape), strides, str(device), aligned)

    def address(self, array: object) -> int:
        """As the tensor says."""
        return cast("Tensor", array).data_ptr()

    def makes(self, device: str) -> bool:
        """On all that have tensors."""
        return True

    def empty(self, shape: Extents, dtype: str, like: object) -> object:
        """On the device of another tensor."""
        return self._torch.empty(shape, dtype=self._dtypes[dtype], device=cast("Tensor", like).device)

    def viewed(self, array: object, shape: Extents, strides: Extents) -> object:
        """A tensor again, of which launches like earlier ones are recognised."""
        return cast("Tensor", array).as_strided(shape, strides)

    def copied(self, array: object, shape: Extents, strides: Extents, wanted: Extents) -> object:
        """By torch, in its current stream."""
        tensor = cast("Tensor", array)
        made = self._torch.empty_strided(shape, wanted, dtype=tensor.dtype, device=tensor.device)
        is_whole = tensor.shape == shape and tensor.stride() == strides
        return made.copy_(tensor if is_whole else tensor.as_strided(shape, strides))

    def given(self, array: object) -> object:
        """As it is."""
        return array

    def plain(self, arrays: dict[str, object]) -> dict[str, object]:
        """Without gradients; those that keep one, such as parameters, are taken where torch notes none."""
        wanted = [name for name, array in arrays.items() if getattr(array, "requires_grad", False)]
        if not wanted:
            return arrays
        if self._is_grad_enabled():
            raise OperatorError(
                f"{wanted[0]} needs a gradient, which there is of matmul without out, c and beta alone: "
                f"call this in torch.no_grad()"
            )
        return {**arrays, **{name: cast("Tensor", arrays[name]).detach() for name in wanted}}

    def changed(self, array: object) -> None:
        """Whoever kept the tensor for a gradient is told by autograd that it is another one now."""
        if not cast("Tensor", array).is_inference():
            self._increment_version(array)


def is_tensor(value: object) -> bool:
    """Whether this is a tensor of torch, of a derived class too."""
    torch = sys.modules.get("torch")
    return torch is not None and (type(value) is torch.Tensor or isinstance(value, torch.Tensor))
