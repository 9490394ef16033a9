"""Checked code on the CPU: what it finds, what it says, and that nothing out of bounds is touched."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright import KernelError
from tilewright.diagnostics import Source, SourceRange

Array = NDArray[np.float32]
GUARD = np.float32(77.0)


def guarded(*shape: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """A column-major array of zeros in the middle of other memory, and that memory."""
    count = int(np.prod(shape))
    whole = np.full(count + 2048, GUARD)
    inside = whole[1024 : 1024 + count]
    inside[:] = 0
    return inside.reshape(shape, order="F"), whole


def untouched(whole: Array, count: int) -> bool:
    """Whether the memory around an array is what it was."""
    return bool((whole[:1024] == GUARD).all() and (whole[1024 + count :] == GUARD).all())


def compiled(text: str, level: int = 2) -> tw.Program:
    return tw.compile(text, checked=True, level=level, cache=False)


def fault(launch: Callable[[], None]) -> str:
    """The message of the error that a launch ends with."""
    with pytest.raises(KernelError) as found:
        launch()
    (diagnostic,) = found.value.diagnostics
    assert isinstance(diagnostic.location, SourceRange)
    return f"{diagnostic.code} {diagnostic.message}"


LOOP = """func @f(%A: memref<f32x?>, %n: index) {
    %zero = constant 0 : index
    %one = constant 1.0 : f32
    for %i=%zero,%n {
        %v = load %A[%i] : f32
        %w = add %v, %one : f32
        store %w, %A[%i]
    }
}
"""


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


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel `f` on one array `%A` of `shape` and an index, which is out of bounds from `first` on."""

    body: str
    memref: str
    shape: tuple[int, ...]
    last: int
    first: int
    message: str


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


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_is_out_of_bounds_is_found_and_not_touched(case: Case, level: int) -> None:
    attributes = "attributes{subgroup_size=16,work_group_size=[16,1]}"
    text = f"""func @f(%A: {case.memref}, %X: memref<f32x4>, %given: index) {attributes} {{
    %one = constant 1.0 : f32  %zeros = constant 0.0 : f32
    %zero = constant 0 : index  %a1 = constant 1 : index
    %n = div %given, %a1 : index  ; no launch looks behind a quotient
    {case.body}
}}"""
    kernel = compiled(text, level).f[1]
    source = np.ones(4, np.float32)
    array, whole = guarded(*case.shape)
    kernel(array, source, case.last)
    assert untouched(whole, array.size)
    array, whole = guarded(*case.shape)
    message = fault(lambda: kernel(array, source, case.first))
    assert case.message in message
    assert untouched(whole, array.size)
    reference = tw.compile(text, target="interpreter")
    assert fault(lambda: reference.f[1](array, source, case.first))[:4] == message[:4]


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


# Tile IR

POINTERS = """cuda_tile.module @m {
  entry @f(%a: tile<ptr<f32>>, %first: tile<i32>, %n: tile<i32>) {
    %i = iota : tile<16xi32>
    %b1 = reshape %first : tile<i32> -> tile<1xi32>
    %b = broadcast %b1 : tile<1xi32> -> tile<16xi32>
    %at = addi %i, %b : tile<16xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %n2 = broadcast %n1 : tile<1xi32> -> tile<16xi32>
    %mask = cmpi less_than %at, %n2, signed : tile<16xi32> -> tile<16xi1>
    %p1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %p2 = broadcast %p1 : tile<1xptr<f32>> -> tile<16xptr<f32>>
    %p = offset %p2, %at : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
    %one = constant <f32: 1.0> : tile<16xf32>
    %t = store_ptr_tko weak %p, %one, %mask : tile<16xptr<f32>>, tile<16xf32>, tile<16xi1> -> token
    return
  }
}
"""

VIEW = """cuda_tile.module @m {
  entry @f(%a: tile<ptr<f32>>, %rows: tile<i32>, %row: tile<i32>) {
    %t = make_tensor_view %a, shape = [%rows, 8], strides = [8, 1] : tile<i32> -> tensor_view<?x8xf32, strides=[8,1]>
    %v = make_partition_view %t : partition_view<tile=(2x8), tensor_view<?x8xf32, strides=[8,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <f32: 1.0> : tile<2x8xf32>
    %s = store_view_tko weak %one, %v[%row, %zero] : tile<2x8xf32>,
      partition_view<tile=(2x8), tensor_view<?x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
}
"""


@pytest.mark.parametrize("level", [0, 2])
def test_pointers_of_tile_ir(level: int) -> None:
    kernel = compiled(POINTERS, level).f[1]
    array, whole = guarded(20)
    kernel(array, 4, 100)
    kernel(array, 10, 20)
    kernel(array, 1000, 20)
    assert untouched(whole, 20)
    assert "bytes 20 to 83 of %a are accessed, which has 80" in fault(lambda: kernel(array, 5, 100))
    assert "bytes -4 to 59 of %a are accessed, which has 80" in fault(lambda: kernel(array, -1, 100))
    assert untouched(whole, 20)


@pytest.mark.parametrize("level", [0, 2])
def test_views_of_tile_ir(level: int) -> None:
    kernel = compiled(VIEW, level).f[1]
    array, whole = guarded(40)
    for row in range(3):
        kernel(array, 5, row)
    assert (array == 1).all()
    assert "bytes 128 to 191 of %a are accessed, which has 160" in fault(lambda: kernel(array, 6, 2))
    assert "bytes 192 to 223 of %a are accessed, which has 160" in fault(lambda: kernel(array, 7, 3))
    assert untouched(whole, 40)


def test_a_part_of_an_array_is_all_that_a_pointer_may_reach() -> None:
    kernel = compiled(POINTERS).f[1]
    array, _ = guarded(40)
    kernel(array[10:30], 4, 100)
    assert "bytes -4 to" in fault(lambda: kernel(array[10:30], -1, 100))
    assert "which has 80" in fault(lambda: kernel(array[10:30], 5, 100))


def test_an_address_reaches_as_far_as_it_is_said_to() -> None:
    kernel = compiled(POINTERS).f[1]
    array, whole = guarded(20)
    kernel(tw.address(array.ctypes.data, nbytes=64), 0, 17)
    assert (array[:16] == 1).all()
    message = "bytes 4 to 67 of %a are accessed, which has 64"
    assert message in fault(lambda: kernel(tw.address(array.ctypes.data, nbytes=64), 1, 100))
    assert (array[16:] == 0).all()
    assert untouched(whole, 20)


# Refusals


def test_gpus_do_not_check() -> None:
    with pytest.raises(
        ValueError, match="checked runs are those of the interpreter and the CPU: 'nvidia:sm_80' cannot"
    ):
        tw.compile(LOOP, target="nvidia:sm_80", checked=True)


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
    launcher = kernel._launcher  # pyright: ignore[reportPrivateUsage]
    launcher._checked = None  # type: ignore[union-attr]  # pyright: ignore[reportAttributeAccessIssue, reportOptionalMemberAccess]
    call(array, 10)
    assert (array == 5).all()
    assert "indices [0 to 11] reach outside of %A" in fault(lambda: call(array, 12))
    call(array, 10)
    assert untouched(whole, 10)
