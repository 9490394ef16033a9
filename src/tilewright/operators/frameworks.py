"""Arrays as the libraries that made them see them: their layout, new ones, other views of their memory, copies.

No library is imported but NumPy: whoever has an array of one has imported it.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
from functools import cache
from types import ModuleType
from typing import Final, Protocol, cast

import numpy as np
from msgspec.structs import replace

from tilewright.operators.errors import OperatorError, OperatorTypeError
from tilewright.operators.layouts import ALIGNED, NAMES, Extents, Layout, Sight, no_such_type
from tilewright.operators.tensors import TorchTensors, is_tensor
from tilewright.runtime.arrays import AnyArray, ArrayView, NotAnArray, UnusableArray, data_address, typed_view
from tilewright.runtime.dtypes import AnyDtype, numpy_dtype


class Framework(Protocol):
    """A library of arrays."""

    def sight(self, array: object, name: str) -> Sight:
        """What is seen of an argument, in little time. Raises `OperatorError`, which calls it by `name`."""
        ...

    def layout(self, sight: Sight, name: str) -> Layout:
        """Where the elements of what was seen lie. Raises `OperatorError`."""
        ...

    def address(self, array: object) -> int:
        """Where the first element of an argument lies that has been seen, in little time."""
        ...

    def makes(self, device: str) -> bool:
        """Whether there are new arrays on a device."""
        ...

    def empty(self, shape: Extents, dtype: str, like: object) -> object:
        """A new array without gaps, row by row, on the device of another one."""
        ...

    def viewed(self, array: object, shape: Extents, strides: Extents) -> object:
        """The memory of an array with other extents and strides, for a launch."""
        ...

    def copied(self, array: object, shape: Extents, strides: Extents, wanted: Extents) -> object:
        """A copy of what `viewed` shows, whose elements lie as far apart as `wanted` says."""
        ...

    def given(self, array: object) -> object:
        """A new array as the library's users get it."""
        ...

    def plain(self, arrays: dict[str, object]) -> dict[str, object]:
        """Arrays by name as launches take them. Raises `OperatorError` for those of which a gradient is wanted."""
        ...

    def changed(self, array: object) -> None:
        """Tell the library that elements of an array were written."""
        ...


class _Shown:
    """Whatever shows its memory by an interface."""

    def sight(self, array: object, name: str) -> Sight:
        """The interface's answer."""
        try:
            seen = typed_view(array)
        except NotAnArray as error:
            raise OperatorTypeError(f"{name}: {error}") from None
        except UnusableArray as error:
            raise OperatorError(f"{name}: this {type(array).__name__} cannot be used as it is: {error}") from None
        return (seen.dtype, seen.shape, seen.strides, str(seen.device), seen.address % ALIGNED == 0)

    def layout(self, sight: Sight, name: str) -> Layout:
        """The same with the name of the type."""
        dtype, shape, strides, device, aligned = cast("tuple[AnyDtype, Extents, Extents, str, bool]", sight)
        known = NAMES.get(dtype)
        if known is None:
            raise no_such_type(name, dtype)
        return Layout(known, shape, strides, device, aligned)

    def address(self, array: object) -> int:
        """As the interface says."""
        return typed_view(array).address

    def makes(self, device: str) -> bool:
        """On all that have arrays."""
        return True

    def plain(self, arrays: dict[str, object]) -> dict[str, object]:
        """As they are."""
        return arrays

    def changed(self, array: object) -> None:
        """Nobody keeps account of that."""


class _Numpy(_Shown):
    """NumPy, and whatever shows memory of the host."""

    def sight(self, array: object, name: str) -> Sight:
        """Of NumPy's own arrays without going through an interface; strides are in bytes then."""
        if type(array) is not np.ndarray:
            return super().sight(array, name)
        own = cast("AnyArray", array)
        return (own.dtype, own.shape, own.strides, data_address()(own) % ALIGNED == 0)

    def layout(self, sight: Sight, name: str) -> Layout:
        """Strides count elements. Raises `OperatorError` where they are no multiples of one."""
        if len(sight) > len(("dtype", "shape", "strides", "aligned")):
            return super().layout(sight, name)
        dtype, shape, steps, aligned = cast("tuple[AnyDtype, Extents, Extents, bool]", sight)
        if any(extent > 1 and step % dtype.itemsize for extent, step in zip(shape, steps, strict=True)):
            raise OperatorError(
                f"{name}: its byte strides {steps} are no multiples of the element size {dtype.itemsize}"
            )
        strides = tuple(step // dtype.itemsize for step in steps)
        return super().layout((dtype, shape, strides, "cpu", aligned), name)

    def address(self, array: object) -> int:
        """Of NumPy's own arrays without going through an interface."""
        return data_address()(cast("AnyArray", array)) if type(array) is np.ndarray else super().address(array)

    def makes(self, device: str) -> bool:
        """Not on devices, which libraries that are not known show memory of."""
        return device == "cpu"

    def empty(self, shape: Extents, dtype: str, like: object) -> object:
        """In the memory of the host."""
        return np.empty(shape, numpy_dtype(dtype))

    def viewed(self, array: object, shape: Extents, strides: Extents) -> object:
        """What a launch takes for an array."""
        return replace(typed_view(array), shape=shape, strides=strides)

    def copied(self, array: object, shape: Extents, strides: Extents, wanted: Extents) -> object:
        """By NumPy."""
        return _copied(np, _on_host(array), shape, strides, wanted)

    def given(self, array: object) -> object:
        """As it is."""
        return array


def _on_host(array: object) -> AnyArray:
    """The first element of an array in the memory of the host: what offers DLPack alone is no array to NumPy, and other
    libraries' ways there lack types."""
    seen = typed_view(array)
    element = memoryview((ctypes.c_char * seen.dtype.itemsize).from_address(seen.address))
    return np.frombuffer(element, seen.dtype)


class _ArrayModule(Protocol):
    """What NumPy and CuPy have in common."""

    def empty(self, shape: object, dtype: object) -> AnyArray: ...


def _copied(module: object, source: AnyArray, shape: Extents, strides: Extents, wanted: Extents) -> AnyArray:
    """A copy of elements of an array of NumPy or CuPy; of bytes as such, for which all of their functions are there."""
    tricks = importlib.import_module(f"{cast('ModuleType', module).__name__}.lib.stride_tricks")
    size, element = source.dtype.itemsize, source.dtype
    source = source.view(np.uint8) if size == 1 else source
    length = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, wanted, strict=True))
    memory = cast("_ArrayModule", module).empty(max(length, 1), source.dtype)
    target = cast("AnyArray", tricks.as_strided(memory, shape, tuple(stride * size for stride in wanted)))
    if 0 not in shape:
        target[...] = tricks.as_strided(source, shape, tuple(stride * size for stride in strides))
    return target.view(element)


class _Cupy(_Shown):
    """CuPy, asked by the names that it shares with NumPy."""

    @property
    def _module(self) -> object:
        return sys.modules["cupy"]

    def empty(self, shape: Extents, dtype: str, like: object) -> object:
        """On the current device."""
        return cast("_ArrayModule", self._module).empty(shape, numpy_dtype(dtype))

    def viewed(self, array: object, shape: Extents, strides: Extents) -> object:
        """An array of CuPy again, whose stream a launch takes."""
        size = cast("AnyArray", array).dtype.itemsize
        tricks = importlib.import_module("cupy.lib.stride_tricks")
        return tricks.as_strided(array, shape, tuple(stride * size for stride in strides))

    def copied(self, array: object, shape: Extents, strides: Extents, wanted: Extents) -> object:
        """By CuPy."""
        return _copied(self._module, cast("AnyArray", array), shape, strides, wanted)

    def given(self, array: object) -> object:
        """As it is."""
        return array


class _Jax(_Shown):
    """JAX, whose arrays never change: results are made beside it and handed over."""

    def sight(self, array: object, name: str) -> Sight:
        """DLPack's answer, once the array has been computed. Raises `OperatorError` for a result that is given."""
        if name == "out":
            raise OperatorError("out: arrays of JAX do not change; without it the result is a new one")
        cast("_JaxArray", array).block_until_ready()
        return super().sight(array, name)

    def empty(self, shape: Extents, dtype: str, like: object) -> object:
        """Memory of the host, or an array of the device that nobody else has seen."""
        if typed_view(like).device.kind == "cpu":
            return np.empty(shape, numpy_dtype(dtype))
        made = importlib.import_module("jax.numpy").zeros(shape, numpy_dtype(dtype)).block_until_ready()
        return replace(typed_view(made), readonly=False)

    def viewed(self, array: object, shape: Extents, strides: Extents) -> object:
        """What a launch takes for an array."""
        return replace(typed_view(array), shape=shape, strides=strides)

    def copied(self, array: object, shape: Extents, strides: Extents, wanted: Extents) -> object:
        """By NumPy, in the memory of the host. Raises `OperatorError` on a device."""
        if typed_view(array).device.kind != "cpu":
            raise OperatorError(f"an array of JAX would have to be copied: strides {wanted} are wanted, not {strides}")
        return _copied(np, _on_host(array), shape, strides, wanted)

    def given(self, array: object) -> object:
        """An array of JAX over the memory, when it has been computed."""
        numpy = importlib.import_module("jax.numpy")
        if isinstance(array, np.ndarray):
            return numpy.asarray(array)
        owner = cast("ArrayView", array).owner
        return cast("tuple[object, ...]", owner)[0] if isinstance(owner, tuple) else owner


class _JaxArray(Protocol):
    def block_until_ready(self) -> object: ...


_torch = cache(TorchTensors)
_NUMPY: Final = _Numpy()
_CUPY: Final = _Cupy()
_JAX: Final = _Jax()


def framework_of(array: object) -> Framework:
    """The library that an array is of; that of NumPy for all that only show memory."""
    if type(array) is np.ndarray:
        return _NUMPY
    if is_tensor(array):
        return _torch()
    packages = {class_.__module__.partition(".")[0] for class_ in type(array).__mro__}
    if "cupy" in packages:
        return _CUPY
    return _JAX if packages & {"jax", "jaxlib"} else _NUMPY
