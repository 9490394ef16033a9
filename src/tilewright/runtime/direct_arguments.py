"""What a direct call's arguments are recognised by: a key that calls must have in common, and words for the IR.

Whatever decides whether a launch accepts an argument is either part of the key or compared again at each call.
"""

from __future__ import annotations

import ctypes
import operator
import struct
import weakref
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields
from typing import Final, Protocol, SupportsIndex, cast

import numpy as np
from msgspec import Struct

from tilewright.artifacts.artifact import GroupParameter, MemrefParameter, Parameter, PointerParameter, ScalarParameter
from tilewright.artifacts.parameters import DTYPE_BYTES
from tilewright.once import once
from tilewright.runtime import direct_layout as at
from tilewright.runtime.arrays import LEAST_ADDRESS, AnyArray
from tilewright.runtime.direct_layout import Kind
from tilewright.runtime.groups import PointerArray
from tilewright.runtime.torch_functions import tensor_functions
from tilewright.runtime.torch_tensors import is_tensor

REALS: Final = {"f32": 4, "f64": 8}
COMPLEX: Final = {"c32": 4, "c64": 8}
INTEGERS: Final = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}

_WORD: Final = 8
_NOT_COMPARED: Final = ("pointers", "owner")
"""Fields of a `PointerArray` that are looked at in another way, or that nothing but a lifetime depends on."""


class _Tensor(Protocol):
    shape: tuple[int, ...]

    def stride(self) -> tuple[int, ...]: ...
    def element_size(self) -> int: ...


class Words:
    """Memory of 64-bit words at a fixed place."""

    __slots__ = ("address", "words")

    def __init__(self, words: Sequence[int]) -> None:
        self.words = (ctypes.c_int64 * max(len(words), 1))(*words)
        self.address = ctypes.addressof(self.words)


class Described(Struct, frozen=True):
    """An argument's words, what these point to, and the bytes it touches, counted from its address (None: unknown)."""

    words: list[int]
    kept: tuple[object, ...] = ()
    reach: tuple[int, int] | None = None


def recognisable_parameter(parameter: Parameter) -> bool:
    """Whether arguments of a parameter can be recognised at all."""
    match parameter:
        case ScalarParameter():
            return any(parameter.dtype in known for known in (("bool",), REALS, COMPLEX, INTEGERS))
        case MemrefParameter():
            return _is_power(parameter.alignment)
        case GroupParameter():
            return _is_power(parameter.memref.alignment)
        case PointerParameter():
            return True


def _is_power(number: int) -> bool:
    return number & (number - 1) == 0


def argument_key(parameter: Parameter, argument: object, pinned: bool, copied: bool = False) -> Hashable | None:
    """What an argument must have in common with an accepted one; None if it cannot be recognised.

    `pinned` scalars have their value in common, groups that are `copied` elsewhere are the same object.
    """
    if isinstance(parameter, ScalarParameter):
        return (Kind.INTEGER, operator.index(cast("SupportsIndex", argument))) if pinned else Kind.REAL
    if isinstance(parameter, GroupParameter) and copied:
        is_lasting = type(argument) is PointerArray and argument.is_fixed
        return (Kind.SAME, weakref.ref(argument)) if is_lasting else None
    if isinstance(parameter, GroupParameter):
        return _group_key(argument) if type(argument) is PointerArray else None
    if type(argument) is np.ndarray:
        array = cast("AnyArray", argument)
        return Kind.ARRAY, array.shape, array.strides, id(array.dtype)
    functions = tensor_functions() if is_tensor(argument) else None
    kind = functions.kind(argument) if functions is not None else None
    tensor = cast("_Tensor", argument)
    return None if kind is None else (Kind.TENSOR, tuple(tensor.shape), tensor.stride(), kind)


def _group_key(group: PointerArray) -> Hashable | None:
    table = group.pointers
    if not _places():
        return None
    if type(table) is not np.ndarray or len(group.extents) or len(group.strides):
        # sizes of each array are compared with the memref one by one
        return None
    key = (Kind.POINTERS, table.shape, table.strides, id(table.dtype), *(value for _, value in _compared(group)))
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _compared(group: PointerArray) -> list[tuple[str, object]]:
    names = [field.name for field in fields(PointerArray) if field.name not in _NOT_COMPARED]
    return [(name, cast("object", getattr(group, name))) for name in names]


def describe(parameter: Parameter, offset: int, argument: object, pinned: bool, copied: bool = False) -> Described:
    """How the IR recognises arguments like this one, which has a key; `offset` is the parameter's first slot."""
    match parameter:
        case GroupParameter() if copied:
            return _same(offset, argument)
        case ScalarParameter() if pinned:
            number = operator.index(cast("SupportsIndex", argument))
            return Described([Kind.INTEGER.value, offset, number, number, 0, 0, 0])
        case ScalarParameter():
            return Described(_scalar_words(parameter, offset))
        case GroupParameter():
            return _group(parameter, offset, cast("PointerArray", argument))
        case MemrefParameter():
            alignment, written = parameter.alignment, parameter.written
        case PointerParameter():
            alignment, written = max(DTYPE_BYTES[parameter.dtype], parameter.alignment), parameter.written
    if type(argument) is np.ndarray:
        return _array(offset, cast("AnyArray", argument), alignment, written)
    return _tensor(offset, cast("_Tensor", argument), alignment)


def _array(offset: int, array: AnyArray, alignment: int, written: bool) -> Described:
    sizes = Words([*array.shape, *array.strides])
    mask = 0 if 0 in array.shape else alignment - 1
    writeable = at.WRITEABLE if written else 0
    words = [Kind.ARRAY.value, offset, id(array.dtype), mask, writeable, array.ndim, sizes.address]
    return Described(words, (sizes, array.dtype), _reach(array.shape, array.strides, array.dtype.itemsize))


def _tensor(offset: int, tensor: _Tensor, alignment: int) -> Described:
    functions, class_, shape, strides = tensor_functions(), type(tensor), tuple(tensor.shape), tensor.stride()
    kind = functions.kind(tensor) if functions is not None else None
    assert functions is not None
    assert kind is not None, "a tensor with a key has a kind"
    empty = 0 in shape
    least = 0 if empty else LEAST_ADDRESS
    sizes = Words([*struct.unpack("<2q", struct.pack("<4i", *kind)), least, *shape, *strides])
    called = Words(functions.words)
    mask = 0 if empty else alignment - 1
    words = [Kind.TENSOR.value, offset, id(class_), mask, called.address, len(shape), sizes.address]
    size = tensor.element_size()
    return Described(words, (sizes, called, class_), _reach(shape, [stride * size for stride in strides], size))


def _group(parameter: GroupParameter, offset: int, group: PointerArray) -> Described:
    table, places = group.pointers, _places()
    compared = _compared(group)
    listed = Words([word for name, value in compared for word in (places[name], id(value))])
    pointers = _array(0, table, 1, written=False)
    layout = Words([places["pointers"], len(table), *pointers.words])
    mask = parameter.memref.alignment - 1
    words = [Kind.POINTERS.value, offset, id(PointerArray), mask, listed.address, len(compared), layout.address]
    return Described(words, (listed, layout, *pointers.kept, *(value for _, value in compared)))


def _same(offset: int, argument: object) -> Described:
    """The object itself, which is not kept alive: where it was, another one may be once it is gone."""
    cell = Words([id(argument)])

    def gone(_: object) -> None:
        cell.words[0] = 0

    words = [Kind.SAME.value, offset, cell.address, 0, 0, 0, 0]
    return Described(words, (cell, weakref.ref(argument, gone)))


def _scalar_words(parameter: ScalarParameter, offset: int) -> list[int]:
    if parameter.dtype == "bool":
        return [Kind.TRUTH.value, offset, 0, 0, 0, 0, 0]
    if parameter.dtype in REALS:
        return [Kind.REAL.value, offset, REALS[parameter.dtype], 0, 0, 0, 0]
    if parameter.dtype in COMPLEX:
        return [Kind.COMPLEX.value, offset, COMPLEX[parameter.dtype], 0, 0, 0, 0]
    half = 1 << (INTEGERS[parameter.dtype] - 1)
    return [Kind.INTEGER.value, offset, -half, half - 1, 0, 0, 0]


def _reach(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, int] | None:
    """First byte and the one behind the last, counted from the address of the first element; None if there is none."""
    if 0 in shape:
        return None
    steps = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    return sum(step for step in steps if step < 0), sum(step for step in steps if step > 0) + itemsize


@once
def _places() -> Mapping[str, int]:
    """Where the fields of a `PointerArray` lie in the object; empty if they cannot be found there."""
    probe = object.__new__(PointerArray)
    marks = {field.name: object() for field in fields(PointerArray)}
    for name, mark in marks.items():
        object.__setattr__(probe, name, mark)
    words = range(at.OBJECT_TYPE + _WORD, PointerArray.__basicsize__, _WORD)
    found = {ctypes.c_int64.from_address(id(probe) + place).value: place for place in words}
    if any(id(mark) not in found for mark in marks.values()):
        return {}
    return {name: found[id(mark)] for name, mark in marks.items()}
