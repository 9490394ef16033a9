"""Arguments of a launch: what the kernel is compiled for because of them, and the values its entry takes for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Protocol, TypeAlias, cast, runtime_checkable

import numpy as np
from msgspec import Struct, field

from tilewright.interop.cutile.annotations import Annotation, ArrayNote, EachItem, Items, KernelParameter, Leaf
from tilewright.interop.cutile.specialisation import (
    ALIGNMENT,
    ArrayFacts,
    Facts,
    ListFacts,
    ScalarFacts,
    TupleFacts,
    array_facts,
    common,
    constant_facts,
)
from tilewright.runtime.arrays import ArrayView, NotAnArray, UnusableArray, typed_view
from tilewright.runtime.dtypes import AnyDtype
from tilewright.runtime.errors import LaunchError, LaunchOverflowError, LaunchTypeError

DTYPES: Final = {
    "bool": "bool_",
    **{name: name for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
    **{name: name for name in ("float16", "bfloat16", "float32", "float64")},
    **{name: name for name in ("float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu")},
}
"""NumPy's and ml_dtypes' names of element types, and the front end's."""

_F32_OVERFLOW: Final = math.ldexp(2 - math.ldexp(1, -24), 127)
"""The least number that rounds to infinity."""

_REMEMBERED_LAYOUTS: Final = 1024


class PassedArray(Struct, frozen=True):
    """An array whose address is an argument of the entry."""

    where: str
    view: ArrayView


class PassedTable(Struct, frozen=True):
    """The words of a list of arrays, and the arrays that they point to."""

    words: np.ndarray[tuple[int], np.dtype[np.int64]]
    members: tuple[PassedArray, ...]


Value: TypeAlias = PassedArray | PassedTable | bool | int | float
"""An argument of the entry."""


class Flattened(Struct):
    """All values of a launch, in the order of the entry's parameters; `kind` is that of the device of its arrays."""

    kind: str | None
    values: list[Value] = field(default_factory=lambda: list[Value]())


def read_arguments(
    kernel: str, parameters: Sequence[KernelParameter], arguments: Sequence[object], kind: str | None
) -> tuple[tuple[Facts, ...], list[Value]]:
    """Facts of all arguments and the values to pass. Raises `LaunchError`; nothing has been compiled or run.

    Arrays lie on a device of the `kind` (`cpu`, `cuda`), or anywhere if it is None.
    """
    if len(arguments) != len(parameters):
        names = ", ".join(p.name for p in parameters)
        raise LaunchTypeError(
            f"kernel {kernel} takes {len(parameters)} arguments ({names}), {len(arguments)} were given"
        )
    flat = Flattened(kind)
    facts = tuple(
        _read(f"kernel {kernel}, argument {p.name}", p.annotation, argument, flat)
        for p, argument in zip(parameters, arguments, strict=True)
    )
    return facts, flat.values


def _read(where: str, note: Annotation, argument: object, flat: Flattened) -> Facts:
    if isinstance(argument, tuple):
        return _tuple(where, note, cast("tuple[object, ...]", argument), flat)
    if not isinstance(note, Leaf):
        raise LaunchTypeError(f"{where}: it is annotated as a tuple, {type(argument).__name__} was given")
    if note.constant:
        return constant_facts(_constant(where, argument))
    if isinstance(argument, bool | int | float):
        return _scalar(where, note, argument, flat)
    if isinstance(argument, list):
        return _list(where, note.elements, cast("list[object]", argument), flat)
    if isinstance(argument, np.generic):
        raise LaunchTypeError(
            f"{where}: numbers are bool, int and float of Python in this front end, a NumPy scalar was "
            f"given; pass its .item()"
        )
    array = _array_view(where, argument, flat.kind)
    facts = _facts(where, array, note.array)
    flat.values += [PassedArray(where, array), *array.shape, *array.strides]
    return facts


def _tuple(where: str, note: Annotation, items: tuple[object, ...], flat: Flattened) -> Facts:
    if type(items) is not tuple:
        kind = type(items).__name__
        raise LaunchTypeError(f"{where}: {kind} is a subclass of tuple, only plain tuples are accepted; pass tuple(..)")
    if isinstance(note, Items):
        if len(note.items) != len(items):
            raise LaunchTypeError(f"{where}: it is annotated as {len(note.items)} items, {len(items)} were given")
        notes = note.items
    else:
        notes = (note.item if isinstance(note, EachItem) else note,) * len(items)
    return TupleFacts(
        tuple(_read(f"{where}[{i}]", n, item, flat) for i, (n, item) in enumerate(zip(notes, items, strict=True)))
    )


def _constant(where: str, argument: object) -> bool | int | float:
    if not isinstance(argument, bool | int | float):
        raise LaunchTypeError(
            f"{where}: it is a constant of the kernel, a bool, int or float of Python; "
            f"{type(argument).__name__} was given"
        )
    if isinstance(argument, int) and not -(1 << 63) <= argument < 1 << 64:
        raise LaunchOverflowError(f"{where}: {int(argument)} has more than 64 bits")
    return argument


def _scalar(where: str, note: Leaf, argument: bool | int | float, flat: Flattened) -> ScalarFacts:
    if isinstance(argument, bool):
        flat.values.append(argument)
        return ScalarFacts("bool_")
    if isinstance(argument, float):
        flat.values.append(float(argument))
        if math.isfinite(argument) and abs(argument) >= _F32_OVERFLOW:
            raise LaunchOverflowError(
                f"{where}: {argument} is beyond the range of float32, which numbers have in this front end"
            )
        return ScalarFacts("float32")
    bits = 64 if note.wide_scalar else 32
    if not -(1 << bits - 1) <= argument < 1 << bits - 1:
        hint = "" if note.wide_scalar else "; annotate the parameter as ScalarInt64"
        raise LaunchOverflowError(f"{where}: {int(argument)} does not fit int{bits}{hint}")
    flat.values.append(int(argument))
    return ScalarFacts(f"int{bits}")


@runtime_checkable
class _Tracked(Protocol):
    """A PyTorch tensor, which may be part of a graph of gradients."""

    requires_grad: bool

    def detach(self) -> object: ...


def _untracked(argument: object) -> object:
    """NVIDIA's launcher takes the memory of such tensors too; the kernel is no part of their graph either way."""
    # a class has the methods of its tensors, and nothing to call them on
    if isinstance(argument, type) or not (isinstance(argument, _Tracked) and argument.requires_grad):
        return argument
    return argument.detach()


def _array_view(where: str, argument: object, kind: str | None) -> ArrayView:
    try:
        array = typed_view(_untracked(argument))
    except NotAnArray as error:
        raise LaunchTypeError(f"{where}: {error}; an array, number, list of arrays or tuple is wanted") from None
    except UnusableArray as error:
        raise LaunchError(f"{where}: this {type(argument).__name__} cannot be used as it is: {error}") from None
    if kind not in (None, array.device.kind):
        place = "the CPU" if kind == "cpu" else f"a {kind} device"
        said = f"the array lies on {array.device}, this launch runs on {place}"
        raise LaunchError(f"{where}: {said}; copy it there first")
    if array.dtype.name not in DTYPES:
        raise LaunchTypeError(
            f"{where}: its dtype is {array.dtype}, which the front end does not have; it has {', '.join(DTYPES)}"
        )
    if not array.dtype.isnative:
        raise LaunchTypeError(f"{where}: its elements are in the other byte order")
    return array


def _facts(where: str, array: ArrayView, note: ArrayNote) -> ArrayFacts:
    try:
        return _layout_facts(array.dtype, array.address % ALIGNMENT, array.shape, array.strides, note)
    except OverflowError as error:
        raise LaunchOverflowError(f"{where}: {error}") from None
    except ValueError as error:
        raise LaunchError(f"{where}: {error}") from None


@lru_cache(_REMEMBERED_LAYOUTS)
def _layout_facts(
    dtype: AnyDtype, phase: int, shape: tuple[int, ...], strides: tuple[int, ...], note: ArrayNote
) -> ArrayFacts:
    """Facts of all arrays with one layout; ValueError or OverflowError for one that the front end cannot take."""
    for shown, numbers in (("shape", shape), ("strides in elements", strides)):
        if any(n < 0 for n in numbers):
            raise ValueError(f"its {shown}, {numbers}, are negative, which the front end does not allow")
        if not note.wide and any(n >= 1 << 31 for n in numbers):
            raise OverflowError(f"its {shown}, {numbers}, do not fit int32; annotate the parameter as IndexedWithInt64")
    return array_facts(DTYPES[dtype.name], dtype.itemsize, phase, shape, strides, note)


def _list(where: str, note: ArrayNote, items: list[object], flat: Flattened) -> ListFacts:
    if not items:
        raise LaunchTypeError(f"{where}: an empty list says nothing about its arrays; at least one is wanted")
    arrays = [_array_view(f"{where}[{i}]", item, flat.kind) for i, item in enumerate(items)]
    first = arrays[0]
    for i, array in enumerate(arrays):
        if (array.dtype, len(array.shape)) != (first.dtype, len(first.shape)):
            raise LaunchTypeError(
                f"{where}[{i}]: an array of {array.dtype} of rank {len(array.shape)} among those of {first.dtype} of "
                f"rank {len(first.shape)}; the arrays of a list have one type and one rank"
            )
    facts = _facts(f"{where}[0]", first, note)
    for i, array in enumerate(arrays[1:], 1):
        other = _facts(f"{where}[{i}]", array, note)
        try:
            facts = common(facts, other, note)
        except ValueError as error:
            raise LaunchError(f"{where}: {error}") from None
    words = np.array([[a.address, *a.shape, *a.strides] for a in arrays], np.uint64).view(np.int64).reshape(-1)
    members = tuple(PassedArray(f"{where}[{i}]", array) for i, array in enumerate(arrays))
    flat.values += [PassedTable(words, members), len(arrays)]
    return ListFacts(facts)
