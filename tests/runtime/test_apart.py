"""Kernels in two forms: which one a launch takes, against the bytes that its arrays lie in."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from msgspec.structs import replace

import tilewright as tw
from runtime.hand_written import SIGNATURE
from runtime.python_run import python_run
from tilewright.artifacts.artifact import Artifact, KernelInfo, MemrefParameter, Parameter, PointerParameter
from tilewright.machine.native import compile_text
from tilewright.runtime.arrays import AnyArray
from tilewright.runtime.errors import LaunchError
from tilewright.runtime.launch import BoundKernel, bind_artifact
from tilewright.runtime.pool import Pool

CAREFUL, APART = 1, 2
FORM_SLOT = 40
"""Behind an array with extent and stride, and two pointers."""


def _text(symbol: str, number: int) -> str:
    """A kernel that stores its number where its last parameter leads."""
    return f"""
define void @{symbol}{SIGNATURE} {{
  %form.p = getelementptr i8, ptr %slots, i64 {FORM_SLOT}
  %form = load ptr, ptr %form.p
  store i64 {number}, ptr %form
  ret void
}}
"""


def _parameters(written: Sequence[bool]) -> tuple[Parameter, ...]:
    a, b, c = written
    return (
        MemrefParameter("a", "f32", (None,), (None,), written=a),
        PointerParameter("b", "f32", b),
        PointerParameter("c", "f32", c),
        PointerParameter("form", "i64"),
    )


def _kernel(written: Sequence[bool]) -> BoundKernel:
    """A kernel in two forms, of which the one for arrays that lie apart knows what is written."""
    apart = KernelInfo("k.apart", "k2", _parameters(written), local_bytes=64)
    info = KernelInfo("k", "k1", _parameters([True] * 3), apart=apart)
    artifact = Artifact("cpu", (info,), compile_text(_text("k1", CAREFUL) + _text("k2", APART)))
    assert Artifact.from_bytes(artifact.to_bytes()) == artifact
    return bind_artifact(artifact, pool=Pool(1))["k"]


def _long(kernel: BoundKernel) -> Callable[..., None]:
    def launch(*arguments: object) -> None:
        kernel.launch(1, arguments)

    return launch


def _bytes(array: AnyArray) -> set[int]:
    """From the first one to the last, whatever is between."""
    if 0 in array.shape:
        return set()
    ends = [array[k : k + 1].ctypes.data for k in (0, len(array) - 1)]
    return set(range(min(ends), max(ends) + array.itemsize))


def _wanted(arrays: Sequence[AnyArray], written: Sequence[bool]) -> int:
    pairs = itertools.combinations(zip(map(_bytes, arrays), written, strict=True), 2)
    return CAREFUL if any((x or y) and bool(left & right) for (left, x), (right, y) in pairs) else APART


def _drawn(rng: np.random.Generator, memory: AnyArray) -> list[AnyArray]:
    """Three arrays somewhere, of few layouts, so that many calls are like earlier ones."""
    starts, counts, step = rng.integers(2, 12, 3), rng.choice([0, 1, 2], 3, p=[0.1, 0.5, 0.4]), rng.choice([1, 2, 3])
    first, *others = (memory[start:] for start in starts)
    return [first[: int(counts[0] * step)][::step], *(x[:n] for x, n in zip(others, counts[1:], strict=True))]


@pytest.mark.parametrize("written", [*itertools.product([False, True], repeat=3)])
def test_the_form_of_a_launch(rng: np.random.Generator, written: tuple[bool, ...]) -> None:
    kernel, memory, form = _kernel(written), np.zeros(16, np.float32), np.zeros(1, np.int64)
    call, found = kernel.prepare(1), set[int]()

    def by_name(a: AnyArray, b: AnyArray, c: AnyArray, form: AnyArray) -> None:
        call(a, b, form=form, c=c)

    ways: list[Callable[..., None]] = [call, call, by_name, _long(kernel)]
    for number in range(300):
        arrays = _drawn(rng, memory)
        form[0] = 0
        ways[number % len(ways)](*arrays, form)
        assert form[0] == _wanted(arrays, written)
        found.add(int(form[0]))
    assert found == ({APART, CAREFUL} if any(written) else {APART})


def test_calls_like_earlier_ones_take_their_form_without_python() -> None:
    kernel, memory, form = _kernel([False, False, True]), np.zeros(16, np.float32), np.zeros(1, np.int64)
    call = kernel.prepare(1)
    places = [(0, 4, 8), (0, 4, 7), (4, 0, 4), (8, 0, 4), (0, 0, 4), (3, 8, 0), (0, 0, 0), (0, 4, 12)]
    for number in range(6):
        for place in places:
            arrays = [memory[start : start + 4] for start in place]
            with python_run() as run:
                call(*arrays, form)
            assert form[0] == _wanted(arrays, [False, False, True]), place
            assert number < 4 or run == []


def test_what_a_launch_cannot_tell_is_taken_to_overlap() -> None:
    kernel, memory, form = _kernel([False, True, True]), np.zeros(16, np.float32), np.zeros(1, np.int64)
    a, b, c = (memory[start : start + 4] for start in (0, 4, 8))
    at = b.ctypes.data
    wide = tw.address(memory[4:].reshape(2, 6)[:, :2])
    cases: list[tuple[object, object, int]] = [
        (None, c, APART),
        (b, None, APART),
        (tw.address(at, nbytes=16), c, APART),
        (tw.address(at, nbytes=17), c, CAREFUL),
        (wide, memory[12:], APART),
        (wide, memory[11:], CAREFUL),
    ]
    for second, third, wanted in cases:
        kernel.launch(1, [a, second, third, form])
        assert form[0] == wanted


def test_both_forms_refuse_what_does_not_fit_by_the_name_of_the_kernel() -> None:
    kernel, memory, form = _kernel([False, True, True]), np.zeros(16, np.float32), np.zeros(1, np.int64)
    a, b, c = (memory[start : start + 4] for start in (0, 4, 8))
    fixed = c.copy()
    fixed.flags.writeable = False
    for call in (kernel.prepare(1), _long(kernel)):
        for wrong, message in [
            ((a, b, fixed, form), "kernel k, argument c: the array is read-only"),
            ((a, a, fixed, form), "kernel k, argument c: the array is read-only"),
            ((a, b, c.astype(np.float64), form), "kernel k, argument c: its dtype"),
            ((a, b, 5, form), "kernel k, argument c: a number is no array"),
            ((a, b, c), "kernel k takes 4 arguments"),
        ]:
            with pytest.raises(LaunchError, match=message):
                call(*wrong)


@pytest.mark.parametrize(
    "other",
    [
        _parameters([True] * 3)[:3],
        tuple(reversed(_parameters([True] * 3))),
        (MemrefParameter("a", "f32", (4,), (None,)), *_parameters([True] * 3)[1:]),
        (*_parameters([True] * 3)[:3], PointerParameter("form", "i64", measured=True)),
    ],
)
def test_forms_have_the_same_slots(other: tuple[Parameter, ...]) -> None:
    with pytest.raises(ValueError, match=r"k\.apart cannot take its place"):
        KernelInfo("k", "k1", _parameters([True] * 3), apart=KernelInfo("k.apart", "k2", other))


def test_forms_have_no_forms() -> None:
    one = KernelInfo("k", "k1", ())
    with pytest.raises(ValueError, match="cannot take its place"):
        replace(one, apart=replace(one, apart=one))
