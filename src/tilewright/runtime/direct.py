"""Launches that Python code has no part in: calls like earlier ones go from the caller's bytecode straight to the pool.

A call with arguments that `BoundKernel.launch` has checked and accepted is remembered, and every later call that
differs from it only in addresses and numbers is recognised by `direct_ir.tw_direct`. That function reads NumPy's arrays
where CPython and NumPy keep their fields; whether they lie where it expects them is tried out before it is ever used,
and where they do not (or this is no CPython, or one without its GIL), launches take the long way, as do calls with
arrays of other libraries, NumPy's scalars and groups.
"""

from __future__ import annotations

import ctypes
import operator
import platform
import struct
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, SupportsIndex, TypeAlias, cast

import numpy as np

from tilewright.runtime import direct_layout as at
from tilewright.runtime.arrays import AnyArray
from tilewright.runtime.direct_ir import IMPORTS, direct_text
from tilewright.runtime.direct_layout import Kind
from tilewright.runtime.native import LoadedObject, compile_text, load_object
from tilewright.runtime.once import once
from tilewright.runtime.pool import Pool
from tilewright.runtime.pool_layout import FRAME_SLOTS
from tilewright.targets.artifact import MemrefParameter, Parameter, ScalarParameter, slot_layout

__all__ = ["AcceptedCalls", "call_site", "recognisable"]

Callee: TypeAlias = Callable[..., None]

_MAX_CALLS: Final = 16
_MAX_SIGHTINGS: Final = 256
_METH_FASTCALL_WITH_KEYWORDS: Final = 0x82
_REALS: Final = {"f32": 4, "f64": 8}
_INTEGERS: Final = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}

Key: TypeAlias = tuple[tuple[tuple[int, ...], tuple[int, ...], int] | int | None, ...]


def recognisable(parameters: Sequence[Parameter]) -> bool:
    """Whether calls of a kernel with these parameters can be recognised at all."""
    return all(_plain(parameter) for parameter in parameters) and _available()


def _plain(parameter: Parameter) -> bool:
    match parameter:
        case ScalarParameter():
            return parameter.dtype == "bool" or parameter.dtype in _REALS or parameter.dtype in _INTEGERS
        case MemrefParameter():
            return parameter.alignment & (parameter.alignment - 1) == 0
        case _:
            return False


@dataclass(frozen=True, slots=True)
class _Code:
    """The compiled function, as the method description from which CPython makes callables."""

    loaded: LoadedObject
    name: bytes
    method: ctypes.Array[ctypes.c_char]
    make: Callable[[int, object, None], Callee]


@once
def _code() -> _Code:
    api = ctypes.pythonapi
    symbols = {name: _address(ctypes.cast(getattr(api, name), ctypes.c_void_p)) for name in IMPORTS}
    objects = {"none": None, "true": True, "false": False, "float": float, "int": int, "ndarray": np.ndarray}
    symbols |= {f"tw_{name}": id(value) for name, value in objects.items()}
    loaded = load_object(compile_text(direct_text(), optimisation=2), ["tw_direct"], symbols=symbols)
    name = b"launch\0"
    place = ctypes.cast(ctypes.c_char_p(name), ctypes.c_void_p)
    # PyMethodDef: name, function, flags, no documentation
    fields = struct.pack("PPiP", _address(place), loaded.address("tw_direct"), _METH_FASTCALL_WITH_KEYWORDS, 0)
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    make = cast("Callable[[int, object, None], Callee]", new(("PyCFunction_NewEx", api)))
    return _Code(loaded, name, ctypes.create_string_buffer(fields, len(fields)), make)


def _address(pointer: ctypes.c_void_p) -> int:
    return pointer.value or 0


@once
def _available() -> bool:
    """Whether objects lie in memory as `direct_layout` says, tried on arrays of all sorts."""
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    if platform.python_implementation() != "CPython" or sys.byteorder != "little" or not has_lock:
        return False
    if struct.calcsize("P") != 8 or _word(1.5, at.OBJECT_TYPE) != id(float):
        return False
    whole = np.zeros((4, 6), np.float32, order="F")
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    return all(
        _as_expected(array) for array in (whole, whole[1:3, ::2], whole.T, fixed, np.zeros(()), np.zeros((0, 2)))
    )


def _word(value: object, offset: int) -> int:
    return ctypes.c_int64.from_address(id(value) + offset).value


def _half(value: object, offset: int) -> int:
    return ctypes.c_int32.from_address(id(value) + offset).value


def _as_expected(array: AnyArray) -> bool:
    head = (at.ARRAY_DATA, array.ctypes.data), (at.ARRAY_DTYPE, id(array.dtype)), (at.OBJECT_TYPE, id(np.ndarray))
    if any(_word(array, offset) != value for offset, value in head) or _half(array, at.ARRAY_RANK) != array.ndim:
        return False
    if bool(_half(array, at.ARRAY_FLAGS) & at.WRITEABLE) != array.flags.writeable:
        return False
    sizes = ctypes.c_int64 * array.ndim
    if not array.ndim:
        return True
    extents = sizes.from_address(_word(array, at.ARRAY_DIMENSIONS))
    strides = sizes.from_address(_word(array, at.ARRAY_STRIDES))
    return tuple(extents) == array.shape and tuple(strides) == array.strides


class _Words:
    """Memory of 64-bit words at a fixed place."""

    __slots__ = ("address", "words")

    def __init__(self, words: Sequence[int]) -> None:
        self.words = (ctypes.c_int64 * max(len(words), 1))(*words)
        self.address = ctypes.addressof(self.words)


@dataclass(frozen=True, slots=True)
class _Call:
    """An accepted call in memory, with all that it points to."""

    record: _Words
    parts: tuple[_Words, ...]
    slots: ctypes.Array[ctypes.c_char]
    dtypes: tuple[object, ...]


class AcceptedCalls:
    """The calls of a kernel that need no further checks, as a chain that is only ever added to.

    The first layouts seen twice are remembered, at most 16: a program that changes them all the time would spend more
    on remembering than it gains. Calls differ in the values of scalars, but for those that are `pinned`.
    """

    def __init__(self, parameters: Sequence[Parameter], pinned: frozenset[str] = frozenset()) -> None:
        self.first = _Words([0])
        self._parameters = tuple(parameters)
        self._pinned = pinned
        offsets: dict[str, int] = {}
        for slot in slot_layout(self._parameters):
            offsets.setdefault(slot.parameter, slot.offset)
        self._offsets = [offsets[parameter.name] for parameter in self._parameters]
        self._calls: list[_Call] = []
        self._seen: set[Key] = set()
        self._remembered: set[Key] = set()
        self._mutex = threading.Lock()

    def saw(self, arguments: Sequence[object], slots: bytes) -> None:
        """Take note of a call that was accepted with these values in its slots."""
        if len(self._calls) >= _MAX_CALLS:
            return
        key = _key(self._parameters, arguments, self._pinned)
        if key is None:
            return
        with self._mutex:
            if key in self._remembered or len(self._calls) >= _MAX_CALLS:
                return
            if key in self._seen:
                self._remembered.add(key)
                self._add(arguments, slots)
            elif len(self._seen) < _MAX_SIGHTINGS:
                self._seen.add(key)

    def _add(self, arguments: Sequence[object], slots: bytes) -> None:
        words: list[int] = []
        layouts: list[_Words] = []
        for parameter, offset, argument in zip(self._parameters, self._offsets, arguments, strict=True):
            if isinstance(parameter, MemrefParameter):
                array = cast("AnyArray", argument)
                layouts.append(_Words([*array.shape, *array.strides]))
                words += _array_words(parameter, offset, array, layouts[-1].address)
            elif parameter.name in self._pinned:
                number = operator.index(cast("SupportsIndex", argument))
                words += [Kind.INTEGER.value, offset, number, number, 0, 0, 0]
            else:
                words += _scalar_words(cast("ScalarParameter", parameter), offset)
        spans = self._spans(arguments)
        template = ctypes.create_string_buffer(slots, max(len(slots), 1))
        described, pairs = _Words(words), _Words(spans)
        count = len(spans) * 8 // at.PAIR
        following, place = self.first.words[0], ctypes.addressof(template)
        record = _Words([following, place, described.address, count, pairs.address])
        dtypes = tuple(cast("AnyArray", a).dtype for a in arguments if isinstance(a, np.ndarray))
        self._calls.append(_Call(record, (described, pairs, *layouts), template, dtypes))
        # the one word that a call in another thread may read at the same time: it sees the old chain or the new one
        self.first.words[0] = record.address

    def _spans(self, arguments: Sequence[object]) -> list[int]:
        """Pairs of arguments whose memory was promised to be apart."""
        found: list[tuple[MemrefParameter, list[int]]] = []
        for parameter, offset, argument in zip(self._parameters, self._offsets, arguments, strict=True):
            if isinstance(parameter, MemrefParameter):
                array = cast("AnyArray", argument)
                if 0 not in array.shape:
                    found.append((parameter, [offset, *_reach(array)]))
        words: list[int] = []
        for k, (left, span) in enumerate(found):
            for right, other in found[k + 1 :]:
                if (left.noalias or right.noalias) and (left.written or right.written):
                    words += [*span, *other]
        return words


def _key(parameters: Sequence[Parameter], arguments: Sequence[object], pinned: frozenset[str]) -> Key | None:
    """What calls must have in common; None if one of the arguments cannot be recognised."""
    key: list[tuple[tuple[int, ...], tuple[int, ...], int] | int | None] = []
    for parameter, argument in zip(parameters, arguments, strict=True):
        if parameter.name in pinned:
            key.append(operator.index(cast("SupportsIndex", argument)))
        elif not isinstance(parameter, MemrefParameter):
            key.append(None)
        elif type(argument) is np.ndarray:
            array = cast("AnyArray", argument)
            key.append((array.shape, array.strides, id(array.dtype)))
        else:
            return None
    return tuple(key)


def _array_words(parameter: MemrefParameter, offset: int, array: AnyArray, layout: int) -> list[int]:
    mask = 0 if 0 in array.shape else parameter.alignment - 1
    writeable = at.WRITEABLE if parameter.written else 0
    return [Kind.ARRAY.value, offset, id(array.dtype), mask, writeable, array.ndim, layout]


def _scalar_words(parameter: ScalarParameter, offset: int) -> list[int]:
    if parameter.dtype == "bool":
        return [Kind.TRUTH.value, offset, 0, 0, 0, 0, 0]
    if parameter.dtype in _REALS:
        return [Kind.REAL.value, offset, _REALS[parameter.dtype], 0, 0, 0, 0]
    half = 1 << (_INTEGERS[parameter.dtype] - 1)
    return [Kind.INTEGER.value, offset, -half, half - 1, 0, 0, 0]


def _reach(array: AnyArray) -> tuple[int, int]:
    """First byte and the one behind the last, counted from the address of the first element."""
    steps = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)]
    return sum(step for step in steps if step < 0), sum(step for step in steps if step > 0) + array.dtype.itemsize


def call_site(
    accepted: AcceptedCalls, pool: Pool, header: bytes, frame_size: int, arguments: int, slow: Callee
) -> Callee:
    """A callable that launches accepted calls with this frame header and hands all others to `slow`."""
    code = _code()
    words = [id(slow), accepted.first.address, pool.place, pool.entry, arguments, frame_size]
    site = _Words([*words, *struct.unpack("<6q", header)])
    assert len(header) == FRAME_SLOTS
    # the tuple becomes the function's `self` and keeps alive what it works with
    return code.make(ctypes.addressof(code.method), (site.address, site, accepted, pool, slow, code), None)
