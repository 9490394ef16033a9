"""Checked mode: what a kernel does wrong is found, with the source range."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tilewright as tw
from tilewright.interpreter import KernelError, interpret
from transforms.support import kernel

HEAD = "attributes{subgroup_size=16,work_group_size=[32,1]} {\n"
ITEM = """    %t = alloca : memref<f32x32,local>
    parallel {
        %l = subgroup_local_id : i32
        %s = subgroup_linear_id : i32
        %w = subgroup_size : i32
        %b = mul %s, %w : i32
        %n = add %b, %l : i32
        %i = cast %n : index
        %last = constant 31 : index
        %j = sub %last, %i : index
        %v = load %x[%i] : f32
"""


def finding(body: str, parameters: str = "%x: memref<f32x32>", checked: bool = True) -> tuple[str, str]:
    """Code and source text of the diagnostic that running the kernel ends in."""
    text = f"func @k({parameters}) {HEAD}{ITEM}{body}    }}\n}}\n"
    kernel = tw.compile(text, target="interpreter", checked=checked).k
    with pytest.raises(KernelError) as caught:
        kernel[1](np.arange(32, dtype=np.float32))
    [found] = caught.value.diagnostics
    place = found.location.primary
    assert place is not None
    return found.code, place.source.text[place.start : place.end]


def test_a_missing_barrier_is_a_race() -> None:
    code, where = finding("store %v, %t[%i]\n %u = load %t[%j] : f32\n store %u, %x[%i]\n")
    assert (code, where) == ("R020", "%u = load %t[%j] : f32")


def test_a_barrier_makes_it_right() -> None:
    body = "store %v, %t[%i] barrier.local %u = load %t[%j] : f32 store %u, %x[%i]"
    text = f"func @k(%x: memref<f32x32>) {HEAD}{ITEM}{body} }} }}"
    x = np.arange(32, dtype=np.float32)
    tw.compile(text, target="interpreter", checked=True).k[1](x)
    np.testing.assert_array_equal(x, np.arange(32)[::-1])


def test_two_work_items_that_write_one_element_race() -> None:
    code, where = finding("%z = constant 0 : index\n store %v, %x[%z]\n")
    assert (code, where) == ("R020", "store %v, %x[%z]")


def test_local_memory_that_nothing_wrote() -> None:
    code, where = finding("%u = load %t[%i] : f32\n store %u, %x[%i]\n", checked=False)
    assert (code, where) == ("R011", "%u = load %t[%i] : f32")


def test_out_of_bounds_names_index_and_memref() -> None:
    code, where = finding("%o = add %i, %last : index\n store %v, %x[%o]\n", checked=False)
    assert (code, where) == ("R010", "store %v, %x[%o]")


@pytest.mark.parametrize(("down", "right", "first"), [(1, 0, 4), (0, 1, 3), (1, 1, 3), (-1, 1, 1), (1, -1, 1)])
def test_the_first_work_item_that_is_outside_is_told(down: int, right: int, first: int) -> None:
    """Some are inside, and others outside by one index or the other."""
    text = """func @k(%x: memref<f32x4x3>, %p: index, %q: index) attributes{subgroup_size=16,work_group_size=[16,1]} {
        parallel {
            %l = subgroup_local_id : i32
            %n = cast %l : index
            %a = mul %p, %n : index
            %b = mul %q, %n : index
            %v = load %x[%a,%b] : f32
        }
    }"""
    program = tw.compile(text, target="interpreter")
    place = re.escape(f"index [{down * first}, {right * first}] is outside %x, which has 4 x 3 elements")
    with pytest.raises(KernelError, match=rf"{place} here \(work-item {first}\)"):
        program.k[1](np.zeros((4, 3), np.float32, order="F"), down, right)


@pytest.mark.parametrize(("i", "j"), [(-1, 1), (4, 0), (0, -1), (1, 3)])
def test_every_index_is_looked_at(i: int, j: int) -> None:
    """Of each work-item, also where the element is one of the array's after all."""
    text = """func @k(%x: memref<f32x4x3>, %i: index, %j: index) attributes{subgroup_size=16,work_group_size=[16,1]} {
        parallel {
            %l = subgroup_local_id : i32
            %z = sub %l, %l : i32
            %n = cast %z : index
            %a = add %i, %n : index
            %b = add %j, %n : index
            %v = load %x[%a,%b] : f32
        }
    }"""
    with pytest.raises(KernelError, match="R010"):
        tw.compile(text, target="interpreter").k[1](np.zeros((4, 3), np.float32, order="F"), i, j)


@pytest.mark.parametrize("index", [-1, 8])
def test_elements_beside_a_subview_are_outside_of_it(index: int) -> None:
    """Though they are elements of the array."""
    text = """func @k(%x: memref<f32x32>, %i: index) {
        %o = constant 8 : index
        %s = subview %x[%o:8] : memref<f32x8>
        %v = load %s[%i] : f32
        store %v, %x[%o]
    }"""
    with pytest.raises(KernelError, match=rf"index \[{index}\] is outside %x, which has 8 elements"):
        tw.compile(text, target="interpreter").k[1](np.ones(32, np.float32), index)


def test_read_only_arrays_are_not_written() -> None:
    """Launches refuse them before; whoever interprets a kernel on arrays of his own meets this."""
    module = kernel("%x: f32, %y: memref<f32x4>, %i: index", "memref.store %x, %y, %i")
    y = np.zeros(4, np.float32)
    interpret(module.kernels[0], [1.0, y, 2])
    assert y.tolist() == [0, 0, 1, 0]
    y.flags.writeable = False
    with pytest.raises(KernelError, match="R012"):
        interpret(module.kernels[0], [1.0, y, 3])


def test_a_barrier_that_not_all_reach() -> None:
    body = "%z = constant 5 : i32\n %c = less_than %n, %z : bool\n if %c {\n barrier.local\n }\n"
    code, where = finding(body, checked=False)
    assert (code, where) == ("R022", "barrier.local")


PLACES = """%z = constant 0 : index
    %zero = constant 0 : i32 %first = equal %n, %zero : bool
    %one = constant 1 : i32 %second = equal %n, %one : bool
"""


def run_checked(body: str) -> np.ndarray:
    """What a body without races leaves in `%y`; both arrays hold ones."""
    x, y = np.ones(32, np.float32), np.ones(32, np.float32)
    text = f"func @k(%x: memref<f32x32>, %y: memref<f32x32>) {HEAD}{ITEM}{PLACES}{body} }} }}"
    tw.compile(text, target="interpreter", checked=True).k[1](x, y)
    return y


@pytest.mark.parametrize(
    "body",
    [
        "%o = atomic_add %v, %y[%z] : f32",
        "%p = atomic_load %y[%z] : f32 %o = atomic_add %p, %y[%z] : f32 %q = atomic_load %y[%z] : f32",
        "atomic_store %v, %y[%z]",
        "%o = atomic_add %v, %y[%i] : f32 %p = load %y[%i] : f32 store %p, %y[%i]",
        "store %v, %y[%i] %o = atomic_max %v, %y[%i] : f32 store %o, %y[%i]",
        "if %first { store %v, %t[%z] } barrier.local %p = load %t[%z] : f32",
        "if %first { store %v, %y[%z] } barrier.global.local %p = load %y[%z] : f32",
    ],
)
def test_what_is_no_race(body: str) -> None:
    run_checked(body)


def test_who_is_not_active_writes_nothing() -> None:
    """Neither elements of his own nor one that another work-item writes."""
    found = run_checked("%c = add %v, %v : f32 if %second { store %c, %y[%i] store %c, %y[%last] }")
    assert np.flatnonzero(found == 2).tolist() == [1, 31]


def test_contended_atomics_are_exact() -> None:
    assert run_checked("if %first { store %v, %y[%z] } barrier.global %o = atomic_add %v, %y[%z] : f32")[0] == 33


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("%c = constant 1.0 : f32\n store %c, %x[%z]\n", "store %c, %x[%z]"),
        ("%p = load %x[%z] : f32\n if %first {\n store %p, %x[%z]\n }\n", "store %p, %x[%z]"),
        ("if %first {\n store %v, %x[%z]\n }\n %p = load %x[%z] : f32\n", "%p = load %x[%z] : f32"),
        ("%p = load %x[%z] : f32\n atomic_store %p, %x[%z]\n", "atomic_store %p, %x[%z]"),
        ("if %first {\n atomic_store %v, %x[%z]\n }\n %p = load %x[%z] : f32\n", "%p = load %x[%z] : f32"),
        ("if %first {\n store %v, %x[%z]\n }\n %p = atomic_load %x[%z] : f32\n", "%p = atomic_load %x[%z] : f32"),
        ("%p = atomic_load %x[%z] : f32\n if %first {\n store %p, %x[%z]\n }\n", "store %p, %x[%z]"),
        ("if %second {\n %p = load %x[%z] : f32\n store %p, %x[%z]\n }\n", "store %p, %x[%z]"),
        ("store %v, %x[%i]\n barrier.local\n %p = load %x[%j] : f32\n", "%p = load %x[%j] : f32"),
        ("store %v, %t[%i]\n barrier.global\n %p = load %t[%j] : f32\n", "%p = load %t[%j] : f32"),
        ("store %v, %t[%i]\n barrier\n %p = load %t[%j] : f32\n", "%p = load %t[%j] : f32"),
    ],
)
def test_what_is_a_race(body: str, place: str) -> None:
    assert finding(PLACES + body) == ("R020", place)


def test_work_items_of_a_tile_race() -> None:
    tile = "foreach_tile (%i)=(%z),(%e) as (%s)<=(16) {\n store %c, %x[%i]\n }"
    bounds = "%z = constant 0 : index %e = constant 32 : index %c = constant 1.0 : f32"
    text = f"func @k(%x: memref<f32x32>) {HEAD}{bounds} {tile} }}"
    with pytest.raises(KernelError, match="R020"):
        tw.compile(text, target="interpreter", checked=True).k[1](np.ones(32, np.float32))


def test_a_subgroup_reads_the_matrix_it_has_stored() -> None:
    matrix = "coopmatrix<f32x16x2,matrix_acc>"
    tile = f"""foreach_tile (%i)=(%z),(%e) as (%s)<=(16) {{
        %m = cooperative_matrix_load %x[%i,%z] : {matrix}
        cooperative_matrix_store %m, %x[%i,%z]
        %k = cooperative_matrix_load %x[%i,%z] : {matrix}
        %o = cooperative_matrix_atomic_add %k, %y[%z,%z] : {matrix}
    }}"""
    parameters = "%x: memref<f32x32x2>, %y: memref<f32x16x2>"
    text = f"func @k({parameters}) {HEAD}%z = constant 0 : index %e = constant 32 : index {tile} }}"
    x, y = np.ones((32, 2), np.float32, order="F"), np.zeros((16, 2), np.float32, order="F")
    tw.compile(text, target="interpreter", checked=True).k[1](x, y)
    assert (y == 2).all()


def across_groups(body: str, *arrays: np.ndarray) -> None:
    """Run a body in three work-groups of one work-item each."""
    parameters = ", ".join(f"%{name}: memref<f32x4>" for name, _ in zip("xy", arrays, strict=False))
    place = "%g = group_id.x : index %z = constant 0 : index %o = constant 1.0 : f32"
    text = f"func @k({parameters}) attributes{{subgroup_size=1,work_group_size=[1,1]}} {{ {place} {body} }}"
    tw.compile(text, target="interpreter", checked=True).k[3](*arrays)


@pytest.mark.parametrize(
    "body",
    [
        "store %o, %x[%z]",
        "axpby %o, %y, %o, %x",
        "%v = load %x[%z] : f32 store %v, %x[%g]",
        "%v = load %y[%z] : f32 store %v, %x[%g]",
    ],
)
def test_work_groups_race(body: str) -> None:
    x = np.ones(4, np.float32)
    with pytest.raises(KernelError, match=r"a work-group .* of %[xy] that another one"):
        across_groups(body, x, x)


@pytest.mark.parametrize("offset", [1, 2, 4, 10])
@pytest.mark.parametrize("first", ["x", "y"])
def test_arguments_that_lie_on_each_other_race_where_they_share_bytes(offset: int, first: str) -> None:
    """Of different lengths and types, so that elements do not begin together."""
    text = """func @k(%x: memref<f32x4>, %y: memref<i16x8>) attributes{subgroup_size=1,work_group_size=[1,1]} {
        %g = group_id.x : index %z = constant 0 : index %l = constant 7 : index
        %f = constant 1.0 : f32 %i = constant 1 : i16 %first = equal %g, %z : bool
        if %first { STORES } else { OTHERS }
    }"""
    stores = {"x": "store %f, %x[%z]", "y": "store %i, %y[%l]"}
    other = "y" if first == "x" else "x"
    text = text.replace("STORES", stores[first]).replace("OTHERS", stores[other])
    kernel = tw.compile(text, target="interpreter", checked=True).k
    memory = np.zeros(40, np.int16)
    y, last = memory[offset : offset + 8], offset + 7
    found = "element 7 of %y" if other == "y" else "element 0 of %x"
    for at in range(0, 33, 2):
        x = memory[at : at + 8].view(np.float32)
        if at <= last <= at + 1:
            with pytest.raises(KernelError, match=f"{found} that another one wrote"):
                kernel[2](x, y)
        else:
            kernel[2](x, y)


def test_work_groups_with_parts_of_their_own_and_atomics_do_not_race() -> None:
    x, y = np.zeros(4, np.float32), np.zeros(4, np.float32)
    across_groups("store %o, %x[%g] %p = atomic_add %o, %y[%z] : f32", x, y)
    assert x.tolist() == [1, 1, 1, 0]
    assert y.tolist() == [3, 0, 0, 0]


@pytest.mark.parametrize("beta", ["0.0", "1.0"])
@pytest.mark.parametrize("instruction", ["axpby", "hadamard", "cumsum"])
def test_atomic_updates_of_work_groups_do_not_race(instruction: str, beta: str) -> None:
    """With a factor of zero each element gets an atomic store, else an atomic addition."""
    operands = {"axpby": "%o, %y", "hadamard": "%o, %y, %y", "cumsum": "%o, %y, 0"}[instruction]
    body = f"%b = constant {beta} : f32 {instruction}{{}} {operands}, %b, %x"
    x, y = np.zeros(4, np.float32), np.ones(4, np.float32)
    across_groups(body.format(".atomic"), x, y)
    once = np.cumsum(y) if instruction == "cumsum" else y
    assert x.tolist() == (once if beta == "0.0" else 3 * once).tolist()
    with pytest.raises(KernelError, match="a work-group"):
        across_groups(body.format(""), x, y)


@pytest.mark.parametrize(
    ("instruction", "shapes"),
    [
        ("axpby %o, %a, %o, %c", ["4", "4", "5"]),
        ("axpby %o, %a, %o, %c", ["1", "4", "5"]),
        ("hadamard %o, %a, %b, %o, %c", ["1", "5", "5"]),
        ("cumsum %o, %a, 0, %o, %c", ["1", "4", "5"]),
        ("gemm.n.t %o, %a, %b, %o, %c", ["4x3", "5x2", "4x5"]),
        ("gemv.n %o, %a, %b, %o, %c", ["4x3", "2", "4"]),
        ("ger %o, %a, %b, %o, %c", ["4", "3", "4x2"]),
        ("sum.n %o, %a, %o, %c", ["4x3", "4", "3"]),
    ],
)
def test_extents_that_only_the_launch_knows(instruction: str, shapes: list[str]) -> None:
    extents = [[int(e) for e in shape.split("x")] for shape in shapes]
    types = (f"%{name}: memref<f32{'x?' * len(shape)}>" for name, shape in zip("abc", extents, strict=True))
    text = f"func @k({', '.join(types)}) {{\n    %o = constant 1.0 : f32\n    {instruction}\n}}\n"
    arrays = [np.ones(shape, np.float32, order="F") for shape in extents]
    with pytest.raises(KernelError, match=r"error\[R013\]") as caught:
        tw.compile(text, target="interpreter").k[1](*arrays)
    place = caught.value.diagnostics[0].location.primary
    assert place is not None
    assert place.source.text[place.start : place.end] == instruction
