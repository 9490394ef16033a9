"""Checked code on the CPU: what an error says, when it comes, and who checks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tilewright as tw
from runtime.checked.checking import LOOP, compiled, fault, guarded, untouched
from runtime.python_run import CHECKS, python_run
from tilewright import KernelError
from tilewright.diagnostics import Source, SourceRange


def test_an_error_names_kernel_argument_index_extent_and_place() -> None:
    program = compiled(LOOP)
    array, whole = guarded(10)
    with pytest.raises(KernelError) as found:
        program.f[3](array, 12)
    (diagnostic,) = found.value.diagnostics
    assert diagnostic.code == "R010"
    assert "kernel f: indices [0 to 11] reach outside of %A, which has 10 elements here (work-group" in str(diagnostic)
    place = diagnostic.location
    assert isinstance(place, SourceRange)
    assert place.source.position(place.start) == (5, 9)
    assert place.source.text[place.start : place.end] == "%v = load %A[%i] : f32"
    assert "%v = load %A[%i] : f32\n" in str(found.value)
    assert "^^^^^" in str(found.value)
    assert untouched(whole, 10)
    program.f[1](array, 10)
    assert (array == 1).all(), "the program runs on as before"


def test_of_many_faults_one_is_told() -> None:
    array, _ = guarded(4)
    with pytest.raises(KernelError) as found:
        compiled(LOOP).f[50_000](array, 5)
    assert len(found.value.diagnostics) == 1


def test_programs_that_were_pickled_check_too() -> None:
    program: tw.Program = pickle.loads(pickle.dumps(compiled(LOOP)))
    assert "indices [0 to 4] reach outside of %A" in fault(lambda: program.f[1](np.zeros(4, np.float32), 5))


def test_checked_code_is_kept_apart_in_the_cache(tmp_path: object) -> None:
    with tw.config(cache_dir=str(tmp_path), cache="rw"):
        for _ in range(2):
            array, whole = guarded(4)
            tw.compile(LOOP).f[1](array, 4)
            fault(lambda array=array: tw.compile(LOOP, checked=True).f[1](array, 5))
            assert untouched(whole, 4)


def test_every_thread_comes_to_rest_first(rng: np.random.Generator) -> None:
    """Work-groups that are in order are run, whichever others are not."""
    text = """func @f(%A: memref<f32x16x?>, %bad: memref<i64x?>) {
    %g = group_id.x : index  %one = constant 1.0 : f32  %zero = constant 0 : index
    %k = load %bad[%g] : i64
    %at = cast %k : index
    foreach (%i)=(%zero),(%at) { store %one, %A[%i,%g] }
}"""
    count = 2000
    array = np.zeros((16, count), np.float32, order="F")
    bad = np.full(count, 16)
    wrong = rng.choice(count, 5, replace=False)
    bad[wrong] = 17
    assert "indices [0 to 16" in fault(lambda: compiled(text).f[count](array, bad))
    assert (np.delete(array, wrong, axis=1) == 1).all()
    assert (array[:, wrong] == 0).all()


def test_checked_code_has_no_header() -> None:
    from tilewright.runtime.header import NotForC, emit_header

    with pytest.raises(NotForC, match="print, assert and check"):
        emit_header(compiled(LOOP).artifact)


def test_sources_know_their_names() -> None:
    with pytest.raises(KernelError, match=r"kernel\.tl:5:9: error\[R010\]"):
        tw.compile(Source("kernel.tl", LOOP), checked=True, cache=False).f[1](np.zeros(1, np.float32), 2)


def test_calls_like_earlier_ones_are_recognised_and_still_checked() -> None:
    kernel = compiled(LOOP).f
    call = kernel[1]
    array, whole = guarded(10)
    for _ in range(4):
        call(array, 10)
    with python_run() as run:
        call(array, 10)
    assert (array == 5).all()
    assert CHECKS not in run
    assert "indices [0 to 11] reach outside of %A" in fault(lambda: call(array, 12))
    call(array, 10)
    assert untouched(whole, 10)
