"""Launches that Python code has no part in: calls like earlier ones go from the caller's bytecode straight to the pool.

A call with arguments that `BoundKernel.launch` has checked and accepted is remembered, and every later call that
differs from it only in addresses and numbers is recognised by `direct_ir.tw_direct`. That function reads NumPy's arrays
where CPython and NumPy keep their fields; whether they lie where it expects them is tried out before it is ever used,
and where they do not (or this is no CPython, or one without its GIL), launches take the long way, as do calls with
arguments that `direct_arguments` does not know: arrays of libraries other than NumPy and torch, and lists of arrays.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys
import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Final, Protocol, TypeAlias, cast

import numpy as np
from msgspec import Struct

from tilewright.artifacts.artifact import MemrefParameter, Parameter, PointerParameter, slot_layout
from tilewright.machine.native import LoadedObject, load_object
from tilewright.machine.own_code import own_code
from tilewright.once import once
from tilewright.runtime import direct_layout as at
from tilewright.runtime.arrays import AnyArray
from tilewright.runtime.constraint_check import ConstraintCheck
from tilewright.runtime.direct_arguments import Described, Words, argument_key, describe, recognisable_parameter
from tilewright.runtime.direct_ir import IMPORTS, direct_text
from tilewright.runtime.grid import Extents
from tilewright.runtime.groups import Table
from tilewright.runtime.pool_layout import FRAME_SLOTS

__all__ = ["AcceptedCalls", "AliasRequirement", "Runner", "call_site", "recognisable"]

Callee: TypeAlias = Callable[..., None]

_MAX_CALLS: Final = 64
_MAX_SIGHTINGS: Final = 256
_METH_FASTCALL_WITH_KEYWORDS: Final = 0x82
_NUMPY_INTEGERS: Final = "lqihbLQIHB"
_NUMPY_FLOATS: Final = "dfe"
_NUMPY_COMPLEX: Final = "DF"

Key: TypeAlias = tuple[Hashable, ...]
_Array: TypeAlias = MemrefParameter | PointerParameter
_Demand: TypeAlias = Callable[[_Array, _Array], bool]


def recognisable(parameters: Sequence[Parameter]) -> bool:
    """Whether calls of a kernel with these parameters can be recognised at all."""
    return all(map(recognisable_parameter, parameters)) and _available()


class Runner(Protocol):
    """What runs accepted calls: the address of the word that holds what its function is given before the frame."""

    @property
    def place(self) -> int: ...


class AliasRequirement(Struct, frozen=True):
    """Which arrays share memory in calls that are recognised: `overlap` says whether one of the parameters that are
    `written` shares a byte with another argument; None if it may or may not."""

    overlap: bool | None = None
    written: frozenset[str] = frozenset()

    def demands(self, overlap: bool, left: Parameter, right: Parameter) -> bool:
        """Whether it depends on two parameters that there is, or is no overlap."""
        return self.overlap is overlap and not self.written.isdisjoint((left.name, right.name))


ANY_ALIASING: Final = AliasRequirement()


class _Code(Struct, frozen=True):
    """The compiled function, as the method description from which CPython makes callables."""

    loaded: LoadedObject
    name: bytes
    method: ctypes.Array[ctypes.c_char]
    kept: tuple[object, ...]
    make: Callable[[int, object, None], Callee]


@once
def _code() -> _Code:
    api = ctypes.pythonapi
    symbols = {name: _address(ctypes.cast(getattr(api, name), ctypes.c_void_p)) for name in IMPORTS}
    objects: dict[str, object] = {"none": None, "true": True, "false": False, "int": int, "ndarray": np.ndarray}
    objects |= {"numpy_true": np.True_, "numpy_false": np.False_}
    symbols |= {f"tw_{name}": id(value) for name, value in objects.items()}
    whole, floats, pairs = (
        [np.dtype(code).type for code in codes] for codes in (_NUMPY_INTEGERS, _NUMPY_FLOATS, _NUMPY_COMPLEX)
    )
    types = {"integers": [int, *whole], "reals": [float, *floats, *whole], "complexes": [complex, *pairs]}
    lists = {name: Words([*map(id, found), 0]) for name, found in types.items()}
    symbols |= {f"tw_{name}": words.address for name, words in lists.items()}
    loaded = load_object(own_code(direct_text(), optimisation=2), ["tw_direct"], symbols=symbols)
    name = b"launch\0"
    place = ctypes.cast(ctypes.c_char_p(name), ctypes.c_void_p)
    # PyMethodDef: name, function, flags, no documentation
    fields = struct.pack("PPiP", _address(place), loaded.address("tw_direct"), _METH_FASTCALL_WITH_KEYWORDS, 0)
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    make = cast("Callable[[int, object, None], Callee]", new(("PyCFunction_NewEx", api)))
    return _Code(loaded, name, ctypes.create_string_buffer(fields, len(fields)), (objects, types, lists), make)


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


class _Call(Struct, frozen=True):
    """An accepted call in memory, with all that it points to."""

    record: Words
    slots: ctypes.Array[ctypes.c_char]
    parts: tuple[object, ...]


class AcceptedCalls:
    """The calls of a kernel that need no further checks, as a chain that is only ever added to.

    The first layouts seen twice are remembered, at most 64: a program that changes them all the time would spend more
    on remembering than it gains. Calls differ in the values of scalars, but for those that are `pinned`. Where tables
    of groups are `copied`, those that last have been, and others are not recognised. How arrays `lie`, calls have in
    common.
    """

    def __init__(
        self,
        parameters: Sequence[Parameter],
        pinned: frozenset[str] = frozenset(),
        copied: bool = False,
        aliasing: AliasRequirement = ANY_ALIASING,
    ) -> None:
        self.first = Words([0])
        self._aliasing = aliasing
        self._copied = copied
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

    def saw(self, arguments: Sequence[object], slots: bytes, keep: Sequence[object], runner: Runner) -> None:
        """Take note of a call that was accepted with these values in its slots, and with `keep` behind them.

        What tells runners apart must be part of what calls have in common.
        """
        if len(self._calls) >= _MAX_CALLS:
            return
        key = _key(self._parameters, arguments, self._pinned, self._copied)
        if key is None:
            return
        with self._mutex:
            if key in self._remembered or len(self._calls) >= _MAX_CALLS:
                return
            if key in self._seen:
                self._remembered.add(key)
                self._add(arguments, slots, keep, runner)
            elif len(self._seen) < _MAX_SIGHTINGS:
                self._seen.add(key)

    def on(self, grid: Extents, constraints: ConstraintCheck | None) -> AcceptedCalls:
        """The calls to recognise on a grid: those accepted on any, unless what is demanded depends on the grid."""
        if constraints is None or not (constraints.of_grid or 0 in grid):
            return self
        return AcceptedCalls(self._parameters, constraints.scalars, self._copied, self._aliasing)

    def _add(self, arguments: Sequence[object], slots: bytes, keep: Sequence[object], runner: Runner) -> None:
        described = [
            describe(parameter, offset, argument, parameter.name in self._pinned, self._copied)
            for parameter, offset, argument in zip(self._parameters, self._offsets, arguments, strict=True)
        ]
        words = Words([word for argument in described for word in argument.words])
        pairs, overlapping = (Words(self._spans(described, demanded)) for demanded in (self._apart, self._overlapping))
        template = ctypes.create_string_buffer(slots, max(len(slots), 1))
        following, place = self.first.words[0], ctypes.addressof(template)
        record = Words([following, place, words.address, *_counted(pairs), runner.place, *_counted(overlapping)])
        # a group's sizes were made for it alone; what else the caller gave is not to be kept alive
        sizes = [table.sizes for table in keep if isinstance(table, Table)]
        parts = (words, pairs, overlapping, sizes, runner, *(part for argument in described for part in argument.kept))
        self._calls.append(_Call(record, template, parts))
        # the one word that a call in another thread may read at the same time: it sees the old chain or the new one
        self.first.words[0] = record.address

    def _spans(self, described: Sequence[Described], demanded: _Demand) -> list[int]:
        """Pairs of arguments of which something is demanded; those without a byte demand nothing."""
        found: list[tuple[_Array, list[int]]] = []
        for parameter, offset, argument in zip(self._parameters, self._offsets, described, strict=True):
            if isinstance(parameter, MemrefParameter | PointerParameter) and argument.reach is not None:
                found.append((parameter, [offset, *argument.reach]))
        words: list[int] = []
        for k, (left, span) in enumerate(found):
            for right, other in found[k + 1 :]:
                if demanded(left, right):
                    words += [*span, *other]
        return words

    def _apart(self, left: _Array, right: _Array) -> bool:
        """Whether a call is one of these only if two arrays do not overlap."""
        promised = any(isinstance(each, MemrefParameter) and each.noalias for each in (left, right))
        return (promised and (left.written or right.written)) or self._aliasing.demands(False, left, right)

    def _overlapping(self, left: _Array, right: _Array) -> bool:
        """Whether a call is one of these only if two arrays overlap, or two others."""
        return self._aliasing.demands(True, left, right)


def _counted(pairs: Words) -> tuple[int, int]:
    return len(pairs.words) * 8 // at.PAIR, pairs.address


def _key(
    parameters: Sequence[Parameter], arguments: Sequence[object], pinned: frozenset[str], copied: bool
) -> Key | None:
    """What calls must have in common; None if one of the arguments cannot be recognised."""
    key = tuple(
        argument_key(parameter, argument, parameter.name in pinned, copied)
        for parameter, argument in zip(parameters, arguments, strict=True)
    )
    return None if None in key else key


def call_site(
    accepted: AcceptedCalls, function: int, header: bytes, frame_size: int, names: Sequence[str], slow: Callee
) -> Callee:
    """A callable that launches accepted calls with this frame header and hands all others to `slow`.

    `names` are those of the arguments, which may be given with them as long as their order is kept. `function` is the
    address of the runners' code, which the call needs to be alive.
    """
    code = _code()
    # as the names of calls in Python's code are, of which there is one object each
    known = [sys.intern(name) for name in names]
    objects = Words([id(name) for name in known])
    words = [id(slow), accepted.first.address, function, len(names), frame_size, objects.address]
    site = Words([*words, *struct.unpack("<6q", header)])
    assert len(header) == FRAME_SLOTS
    # the tuple becomes the function's `self` and keeps alive what it works with
    return code.make(ctypes.addressof(code.method), (site.address, site, accepted, slow, code, known, objects), None)
