"""What can be told before a launch runs is refused on every target: null pointers, and objects that lie."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from unittest.mock import MagicMock

import numpy as np
import pytest

import tilewright as tw
from runtime.test_interruption import child
from tilewright.program import Kernel
from tilewright.runtime.arrays import UnusableArray, view

TARGETS = ["cpu", "interpreter"]
SUM = """func @sum(%x: memref<f32x?>, %y: memref<f32>) {
    %one = constant 1.0 : f32 %zero = constant 0.0 : f32
    sum %one, %x, %zero, %y
}"""
GUARDED = """func @guarded(%x: memref<f32x4>, %y: memref<f32x4>) {
    %one = constant 1.0 : f32 %zero = constant 0.0 : f32
    %there = associated %x : bool
    if %there { axpby %one, %x, %zero, %y }
}"""
UNUSED = "func @unused(%x: memref<f32x4>, %g: group<memref<f32x4>x2>) { }"
GROUP = """func @group(%g: group<memref<f32x4>x?>, %y: memref<f32x4>) {
    %one = constant 1.0 : f32 %zero = constant 0.0 : f32 %i = constant 0 : index
    %m = load %g[%i] : memref<f32x4>
    axpby %one, %m, %zero, %y
}"""
GUARDED_GROUP = """func @group(%g: group<memref<f32x4>x2>, %y: memref<f32x4>) {
    %one = constant 1.0 : f32 %zero = constant 0.0 : f32 %i = constant 0 : index
    %some = associated %g : bool
    if %some {
        %m = load %g[%i] : memref<f32x4>
        %there = associated %m : bool
        if %there { axpby %one, %m, %zero, %y }
    }
}"""


def kernel(text: str, target: str) -> Kernel:
    return next(iter(tw.compile(text, target=target, cache=False)))


@pytest.mark.parametrize("level", [0, 2])
def test_none_for_memory_that_is_accessed(level: int) -> None:
    for target in TARGETS:
        total = np.full((), 7, np.float32)
        found = next(iter(tw.compile(SUM, target=target, level=level, cache=False)))
        for arguments in ((None, total), (np.ones(3, np.float32), None)):
            with pytest.raises(
                tw.LaunchError, match=r"argument [xy]: None is a null pointer, .* pass an array for memref"
            ):
                found[1](*arguments)
        assert total == 7
        found[1](np.ones(3, np.float32), total)
        assert total == 3


@pytest.mark.parametrize("target", TARGETS)
def test_none_where_the_kernel_asks_or_accesses_nothing(target: str) -> None:
    y = np.full(4, 7, np.float32)
    kernel(GUARDED, target)[1](None, y)
    assert np.all(y == 7)
    kernel(GUARDED, target)[1](np.ones(4, np.float32), y)
    assert np.all(y == 1)
    kernel(UNUSED, target)[1](None, None)
    kernel(UNUSED, target)[1](None, [None, None])


@pytest.mark.parametrize("target", TARGETS)
def test_none_in_groups(target: str) -> None:
    x, y = np.ones(4, np.float32), np.full(4, 7, np.float32)
    found = kernel(GROUP, target)
    cases: list[tuple[object, str]] = [
        (None, "argument g: None is a null pointer, .* pass a list of arrays"),
        ([None], r"argument g\[0\]: None is a null pointer"),
        (tw.ArrayGroup([x, None]), r"argument g\[1\]: None is a null pointer"),
        (tw.PointerArray(np.array([x.ctypes.data, 0]), "f32"), r"argument g\[1\]: None is a null pointer"),
    ]
    for group, message in cases:
        with pytest.raises(tw.LaunchError, match=message):
            found[1](group, y)
    assert np.all(y == 7)
    asks = kernel(GUARDED_GROUP, target)
    for group in (None, [None, x], tw.PointerArray(np.array([0, x.ctypes.data]), "f32")):
        asks[1](group, y)
        assert np.all(y == 7)
    asks[1]([x, None], y)
    assert np.all(y == 1)


def test_what_may_be_null_outlives_saving() -> None:
    program = tw.Program.from_bytes(tw.compile(SUM, cache=False).to_bytes())
    with pytest.raises(tw.LaunchError, match="argument x: None is a null pointer"):
        program.sum[1](None, np.zeros((), np.float32))


SCALARS = [
    ("i8", True),
    ("i32", np.True_),
    ("index", False),
    ("i64", np.timedelta64(3, "s")),
    ("f32", True),
    ("bool", 1),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("dtype", "value"), SCALARS)
def test_truth_values_are_no_numbers(dtype: str, value: object, target: str) -> None:
    with pytest.raises(tw.LaunchError, match=rf"argument a: .* is wanted for a parameter of type {dtype}, not "):
        kernel(f"func @k(%a: {dtype}) {{ }}", target)[1](value)


class Claims:
    """Says what it likes by `__array_interface__`, about memory that is there."""

    def __init__(self, **claims: object) -> None:
        self.memory = np.zeros(64, np.float32)
        data = (self.memory.ctypes.data, False)
        self.__array_interface__ = {"shape": (4,), "typestr": "<f4", "data": data, "version": 3} | claims


LIES: list[tuple[dict[str, object], str]] = [
    ({"data": (0, False)}, "lie at address 0x0: null"),
    ({"data": (64, False)}, "null"),
    ({"data": (True, False)}, "lacks"),
    ({"data": None}, "lacks"),
    ({"data": b"1234"}, "lacks"),
    ({"shape": (-4,)}, "negative extent"),
    ({"shape": (2.0,)}, "lacks shape"),
    ({"shape": [4]}, "lacks shape"),
    ({"shape": (1 << 62,)}, "of no array that can be"),
    ({"shape": (0, 1 << 62, 1 << 62)}, "of no array that can be"),
    ({"shape": (1 << 70, 0)}, "of no array that can be"),
    ({"shape": (3, 3), "strides": (1 << 62, 4)}, "outside of all memory"),
    ({"shape": (3,), "strides": (-(1 << 62),)}, "outside of all memory"),
    ({"shape": (2,), "strides": (1 << 62,)}, "outside of all memory"),
    ({"strides": (4, 4)}, "not one integer for each of 1 extents"),
    ({"strides": ("4",)}, "not one integer"),
    ({"strides": 4}, "not one integer"),
    ({"strides": (3,)}, "no multiples of the element size"),
    ({"typestr": "<f3"}, "element type '<f3' is not supported"),
    ({"typestr": "|V0"}, "'|V0' is not supported"),
    ({"typestr": 4}, "element type 4 is not supported"),
]


@pytest.mark.parametrize(("claims", "message"), LIES)
def test_interfaces_of_what_cannot_be(claims: dict[str, object], message: str) -> None:
    with pytest.raises(UnusableArray, match=message):
        view(Claims(**claims))
    for target in TARGETS:
        total = np.full((), 7, np.float32)
        with pytest.raises(tw.LaunchError, match=message):
            kernel(SUM, target)[1](Claims(**claims), total)
        assert total == 7


@pytest.mark.parametrize("target", TARGETS)
def test_arrays_without_memory_are_not_null(target: str) -> None:
    """Empty tensors of PyTorch lie at address 0."""
    text = """func @k(%x: memref<f32x?x?>, %o: memref<i8x2>) {
    %c0 = constant 0 : index %c1 = constant 1 : index %one = constant 1 : i8
    %there = associated %x : bool
    if %there { store %one, %o[%c0] }
    %n = size %x[1] : index %m = cast %n : i8
    store %m, %o[%c1]
}"""
    for given, expected in ((Claims(shape=(0, 4), data=(0, False)), [1, 4]), (None, [0, 0])):
        found = np.zeros(2, np.int8)
        kernel(text, target)[1](given, found)
        assert found.tolist() == expected


def test_interfaces_beyond_the_buffer() -> None:
    class Liar(bytearray):
        @property
        def __array_interface__(self) -> dict[str, object]:
            own = (ctypes.c_char * len(self)).from_buffer(self)
            return {"shape": (5,), "typestr": "<f4", "data": (ctypes.addressof(own), False), "version": 3}

    with pytest.raises(UnusableArray, match="the buffer that it gives has"):
        view(Liar(16))
    assert view(Liar(20)).shape == (5,)


def test_subclasses_are_what_their_memory_is() -> None:
    liar = type("Liar", (np.ndarray,), {"shape": (1 << 40,), "strides": (4,)})
    found = view(np.arange(6, dtype=np.float32)[::2].view(liar))
    assert (found.shape, found.strides) == ((3,), (2,))


def test_what_only_says_that_it_is_an_array() -> None:
    for target in TARGETS:
        with pytest.raises(tw.LaunchError, match="argument x: this MagicMock cannot be used as it is"):
            kernel(SUM, target)[1](MagicMock(spec=np.ndarray), np.zeros((), np.float32))


def raising(name: str, error: Exception) -> object:
    def fail(_self: object, *_: object, **__: object) -> object:
        raise error

    return type("Broken", (), {name: fail if name == "__dlpack__" else property(fail)})()


@pytest.mark.parametrize("name", ["__array_interface__", "__cuda_array_interface__", "__dlpack__"])
@pytest.mark.parametrize("error", [ZeroDivisionError("oops"), KeyError("oops")])
def test_errors_in_the_code_of_other_libraries(name: str, error: Exception) -> None:
    for target in TARGETS:
        message = f"argument x: this Broken cannot be used as it is: its {name} raises {type(error).__name__}"
        with pytest.raises(tw.LaunchError, match=message):
            kernel(SUM, target)[1](raising(name, error), np.zeros((), np.float32))


def _capsule(change: Callable[[int], None]) -> object:
    """A DLPack capsule of three numbers, changed in memory."""
    values = np.zeros(3, np.float32)
    capsule: object = values.__dlpack__()
    address = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    change(address(capsule, b"dltensor"))
    return capsule


def _order(tensor: int, order: int) -> None:
    ctypes.c_int32.from_address(tensor + 16).value = order


def _null(tensor: int) -> None:
    ctypes.c_void_p.from_address(tensor).value = None


def _no_shape(tensor: int) -> None:
    ctypes.c_void_p.from_address(tensor + 24).value = None


CAPSULES: list[tuple[Callable[[int], None], str]] = [
    (_null, "null"),
    (_no_shape, "no shape"),
    (lambda tensor: _order(tensor, -1), "-1 modes"),
    (lambda tensor: _order(tensor, 1 << 30), "1073741824 modes"),
]


@pytest.mark.parametrize(("change", "message"), CAPSULES)
def test_capsules_of_what_cannot_be(change: Callable[[int], None], message: str) -> None:
    class Exporter:
        def __dlpack__(self, **_options: object) -> object:
            return _capsule(change)

    with pytest.raises(UnusableArray, match=message):
        view(Exporter())


METHODS_OF_NOTHING = """
import sys
import numpy as np
from tilewright.runtime.arrays import NotAnArray, UnusableArray, view

class Old:
    # has no options, as exporters from before DLPack 1.0
    def __dlpack__(self):
        return np.ones(3).__dlpack__()

class Unbound:
    def __init__(self):
        self.__dlpack__ = np.ndarray.__dlpack__

def told(given, depth):
    if depth:
        return told(given, depth - 1)
    try:
        view(given)
    except (NotAnArray, UnusableArray) as error:
        return str(error)

for _ in range(100):
    view(Old())
given = np.ndarray if sys.argv[1] == "class" else Unbound()
# where on Python's stack the call lies decides whether Python crashes
print({told(given, depth) for depth in range(200)})
"""


@pytest.mark.parametrize(
    ("given", "message"), [("class", "it is a class, no array"), ("unbound", "TypeError: unbound")]
)
def test_methods_bound_to_nothing(given: str, message: str) -> None:
    """CPython may crash where such a method of a C class is called without arguments and was specialised for it."""
    told = child(METHODS_OF_NOTHING, given, prelude="")
    assert message in told
    assert "None" not in told


@pytest.mark.parametrize("target", TARGETS)
def test_classes_are_no_arrays(target: str) -> None:
    total = np.zeros((), np.float32)
    for given in (np.ndarray, memoryview, Claims):
        with pytest.raises(tw.LaunchError, match="argument x: it is a class, no array; an array for memref<f32x"):
            kernel(SUM, target)[1](given, total)
        with pytest.raises(tw.LaunchError, match=r"argument g\[0\]: it is a class, no array"):
            kernel(GROUP, target)[1]([given], np.zeros(4, np.float32))
