"""Checked code on the CPU finds every access out of bounds, and touches nothing there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import tilewright as tw
from runtime.checked.checking import compiled, fault, guarded, untouched

ATTRIBUTES = "attributes{subgroup_size=16,work_group_size=[16,1]}"


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel `f` on one array `%A` of `shape` and an index, which is out of bounds from `first` on."""

    body: str
    memref: str
    shape: tuple[int, ...]
    last: int
    first: int
    message: str

    @property
    def text(self) -> str:
        """The kernel."""
        return f"""func @f(%A: {self.memref}, %X: memref<f32x4>, %given: index) {ATTRIBUTES} {{
    %one = constant 1.0 : f32  %zeros = constant 0.0 : f32
    %zero = constant 0 : index  %a1 = constant 1 : index
    %n = div %given, %a1 : index  ; no launch looks behind a quotient
    {self.body}
}}"""


CASES = {
    "a store": Case("store %one, %A[%n]", "memref<f32x?>", (8,), 7, 8, "index [8] is outside of %A, which has 8"),
    "a negative index": Case("store %one, %A[%n]", "memref<f32x8>", (8,), 0, -1, "index [-1] is outside of %A"),
    "an atomic update": Case(
        "parallel { %x = atomic_add %one, %A[%n] : f32 }", "memref<f32x?>", (8,), 7, 8, "index [8] is outside"
    ),
    "a mode of a matrix": Case(
        "store %one, %A[%n,%zero]", "memref<f32x?x?>", (4, 3), 3, 4, "index [4, 0] is outside of %A, which has 4 x 3"
    ),
    "a loop with a step": Case(
        "%three = constant 3 : index for %i=%zero,%n,%three { store %one, %A[%i] }",
        "memref<f32x?>",
        (8,),
        9,
        10,
        "indices [0 to 9] reach outside of %A",
    ),
    "a loop that counts down": Case(
        "%m = constant 7 : index for %i=%zero,%n { %j = sub %m, %i : index store %one, %A[%j] }",
        "memref<f32x8>",
        (8,),
        8,
        9,
        "indices [-1 to 7] reach outside of %A",
    ),
    "work-items": Case("foreach (%i)=(%zero),(%n) { store %one, %A[%i] }", "memref<f32x?>", (70,), 70, 71, "[0 to 70]"),
    "work-items under a mask": Case(
        """parallel {
        %l = subgroup_local_id : i32  %i = cast %l : index
        %below = less_than %i, %n : bool
        if %below { store %one, %A[%i] }
    }""",
        "memref<f32x?>",
        (5,),
        5,
        6,
        "index [5] is outside of %A, which has 5",
    ),
    "work-items with addresses of their own": Case(
        "foreach (%i)=(%zero),(%n) { %j = mul %i, %i : index store %one, %A[%j] }",
        "memref<f32x?>",
        (50,),
        8,
        9,
        "index [64] is outside of %A, which has 50",
    ),
    "a view whose offset is too large": Case(
        "%v = subview %A[%n:4] : memref<f32x4> axpby %one, %X, %one, %v",
        "memref<f32x?>",
        (12,),
        8,
        9,
        "elements 9 to 12 of %A are accessed, which has 12",
    ),
    "a view whose size is too large": Case(
        "%v = subview %A[4:%n] : memref<f32x?> %x = subview %X[0:%n] : memref<f32x?> axpby %one, %x, %zeros, %v",
        "memref<f32x?>",
        (8,),
        4,
        5,
        "elements 4 to 8 of %A are accessed, which has 8",
    ),
    "a column": Case(
        "%v = subview %A[0:4,%n] : memref<f32x4> axpby %one, %X, %one, %v",
        "memref<f32x4x?>",
        (4, 6),
        5,
        6,
        "elements 24 to 27 of %A are accessed, which has 24",
    ),
    "an element of a view": Case(
        "%m = constant 3 : index %v = subview %A[%n:%m] : memref<f32x?> %two = constant 2 : index store %one, %v[%two]",
        "memref<f32x?>",
        (8,),
        5,
        6,
        "element 8 of %A is accessed, which has 8",
    ),
    "extents of its own making": Case(
        "%v = expand %A[0->4 x %n] : memref<f32x4x?> %t = constant 3 : index %k = sub %n, %a1 : index "
        "store %one, %v[%t,%k]",
        "memref<f32x?>",
        (8,),
        2,
        3,
        "element 11 of %A is accessed, which has 8",
    ),
    "extents that the text makes up": Case(
        "%v = expand %A[0->4 x 3] : memref<f32x4x3> store %one, %v[%zero,%n]",
        "memref<f32x?>",
        (8,),
        1,
        2,
        "element 8 of %A is accessed, which has 8",
    ),
    "local memory": Case(
        "%t = alloca : memref<f32x8,local> store %one, %t[%n] store %one, %A[%zero]",
        "memref<f32x?>",
        (1,),
        7,
        8,
        "index [8] is outside of %t, which has 8",
    ),
    "a matrix": Case(
        """parallel {
        %m = cooperative_matrix_load %A[%n,%zero] : coopmatrix<f32x16x2,matrix_acc>
        cooperative_matrix_store %m, %A[%n,%zero]
    }""",
        "memref<f32x?x?>",
        (20, 2),
        4,
        5,
        "indices [5 to 20, 0 to 1] reach outside of %A, which has 20 x 2",
    ),
    "a matrix that is updated": Case(
        """parallel {
        %m = cooperative_matrix_construct %one : coopmatrix<f32x16x2,matrix_acc>
        %o = cooperative_matrix_atomic_add.t.rows_checked %m, %A[%n,%zero] : coopmatrix<f32x16x2,matrix_acc>
    }""",
        "memref<f32x?x?>",
        (20, 16),
        18,
        19,
        "reach outside of %A, which has 20 x 16",
    ),
    "a matrix with one end that may hang over": Case(
        """parallel {
        %m = cooperative_matrix_load.rows_checked %A[%zero,%n] : coopmatrix<f32x16x2,matrix_acc>
        cooperative_matrix_store.rows_checked %m, %A[%zero,%n]
    }""",
        "memref<f32x?x?>",
        (10, 3),
        1,
        2,
        "reach outside of %A, which has 10 x 3",
    ),
    "extents that have to agree": Case(
        "%four = constant 4 : index %x = subview %X[0:%four] : memref<f32x?> "
        "%v = subview %A[0:%n] : memref<f32x?> axpby %one, %x, %one, %v",
        "memref<f32x?>",
        (8,),
        4,
        3,
        "R013 kernel f: extents of operands differ where they have to agree: 4 and 3",
    ),
}


def found_and_not_touched(case: Case, kernel: Callable[..., None]) -> str:
    """The last access inside goes well, the first outside is said and does nothing; what is said."""
    source = np.ones(4, np.float32)
    array, whole = guarded(*case.shape)
    kernel(array, source, case.last)
    assert untouched(whole, array.size)
    array, whole = guarded(*case.shape)
    message = fault(lambda: kernel(array, source, case.first))
    assert case.message in message
    assert untouched(whole, array.size)
    return message


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_is_out_of_bounds_is_found_and_not_touched(case: Case, level: int) -> None:
    message = found_and_not_touched(case, compiled(case.text, level).f[1])
    array, _ = guarded(*case.shape)
    reference = tw.compile(case.text, target="interpreter")
    assert fault(lambda: reference.f[1](array, np.ones(4, np.float32), case.first))[:4] == message[:4]


GROUP = """func @f(%G: group<memref<f32x4>x?>, %B: memref<f32x4>, %force: bool) {
    %one = constant 1.0 : f32
    %id = group_id.x : index  %a1 = constant 1 : index
    %g = div %id, %a1 : index  ; no launch looks behind a quotient
    %a = load %G[%g] : memref<f32x4>
    %there = associated %a : bool
    %use = or %there, %force : bool
    if %use { axpby %one, %a, %one, %B }
}
"""


def test_groups() -> None:
    kernel = compiled(GROUP).f
    arrays, target = [np.ones(4, np.float32) for _ in range(3)], np.zeros(4, np.float32)
    kernel[3](arrays, target, True)
    assert "index 3 is outside of group %G of 3 elements" in fault(lambda: kernel[4](arrays, target, True))
    holes = [arrays[0], None, arrays[2]]
    assert "access through %G[1], which is null (work-group 1, 0, 0)" in fault(lambda: kernel[3](holes, target, True))
    kernel[3](holes, target, False)
    kernel[1](holes, target, True)


def test_a_null_array_that_the_kernel_tests_for() -> None:
    text = """func @f(%A: memref<f32x4>, %force: bool) {
    %zero = constant 0 : index  %one = constant 1.0 : f32
    %there = associated %A : bool
    %use = or %there, %force : bool
    if %use { store %one, %A[%zero] }
}"""
    kernel = compiled(text).f[1]
    kernel(None, False)
    assert "access through %A, which is null" in fault(lambda: kernel(None, True))


def test_what_does_not_run_is_no_fault() -> None:
    text = """func @f(%A: memref<f32x?>, %n: index, %m: index, %p: bool) {
    %zero = constant 0 : index  %one = constant 1.0 : f32  %far = constant 1000 : index
    for %i=%zero,%n { for %j=%zero,%m { store %one, %A[%far] } }
    if %p { store %one, %A[%far] }
    foreach (%i)=(%m),(%zero) { store %one, %A[%far] }
}"""
    kernel = compiled(text).f[1]
    array = np.zeros(3, np.float32)
    kernel(array, 0, 7, False)
    kernel(array, 7, 0, False)
    assert "index [1000] is outside" in fault(lambda: kernel(array, 1, 1, False))
    assert "index [1000] is outside" in fault(lambda: kernel(array, 0, 0, True))


@pytest.mark.parametrize("bounds", [(-(2**62), 2**62), (2**62, 2**62 + 4), (-(2**63), 2**63 - 1)])
def test_loop_bounds_whose_distance_wraps(bounds: tuple[int, int]) -> None:
    text = """func @f(%A: memref<f32x?>, %n: index, %m: index) {
    %one = constant 1.0 : f32  %four = constant 4 : index
    for %i=%n,%m { %j = mul %i, %four : index store %one, %A[%j] }
}"""
    array, whole = guarded(4)
    fault(lambda: compiled(text).f[1](array, *bounds))
    assert untouched(whole, 4)


@pytest.mark.parametrize(("offset", "size"), [(0, 2**62), (2**62, 4), (-(2**62), 2**62 + 4), (0, 2**63 - 1)])
def test_views_whose_reach_wraps(offset: int, size: int) -> None:
    text = """func @f(%A: memref<f32x2x?>, %n: index, %m: index, %i: index) {
    %one = constant 1.0 : f32
    %v = subview %A[1,%n:%m] : memref<f32x?,strided<2>>
    store %one, %v[%i]
}"""
    kernel = compiled(text).f[1]
    array, whole = guarded(2, 4)
    fault(lambda: kernel(array, offset, size, min(size - 1, 2**61)))
    assert untouched(whole, 8)


@pytest.mark.parametrize("memref", ["memref<f32x4x?>", "memref<f32x?x?,strided<1,?>>"])
def test_operands_whose_last_element_is_the_first_one_again(memref: str) -> None:
    """2^62 steps of 4 elements lead around the address space."""
    strides = "4" if memref == "memref<f32x4x?>" else "?"
    text = f"""func @f(%A: {memref}, %given: index) {{
    %one = constant 1.0 : f32  %a1 = constant 1 : index
    %m = div %given, %a1 : index  ; no launch looks behind a quotient
    %v = subview %A[1,0:%m] : memref<f32x?,strided<{strides}>>
    axpby %one, %v, %one, %v
}}"""
    kernel = compiled(text).f[1]
    array, whole = guarded(4, 4)
    kernel(array, 4)
    assert "of %A are accessed, which has 16" in fault(lambda: kernel(array, 2**62 + 1))
    assert untouched(whole, 16)


def test_operands_of_an_empty_result_are_not_accessed() -> None:
    text = """func @f(%A: memref<f32x?>, %B: memref<f32x4x?>, %C: memref<f32x4x?>, %given: index) {
    %one = constant 1.0 : f32  %a1 = constant 1 : index
    %far = div %given, %a1 : index  ; no launch looks behind a quotient
    %v = subview %A[%far:16] : memref<f32x16>
    %a = expand %v[0->4 x 4] : memref<f32x4x4>
    gemm %one, %a, %B, %one, %C
}"""
    kernel = compiled(text).f[1]
    a, b, c = (np.zeros(shape, np.float32, order="F") for shape in ((16,), (4, 1), (4, 1)))
    kernel(a, b[:, :0], c[:, :0], 1)
    kernel(a, b, c, 0)
    assert "elements 1 to 16 of %A are accessed" in fault(lambda: kernel(a, b, c, 1))
