"""Checked mode: what a kernel does wrong is found, with the source range."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.interpreter import KernelError

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


def test_a_barrier_that_not_all_reach() -> None:
    body = "%z = constant 5 : i32\n %c = less_than %n, %z : bool\n if %c {\n barrier.local\n }\n"
    code, where = finding(body, checked=False)
    assert (code, where) == ("R022", "barrier.local")


def test_atomics_do_not_race() -> None:
    text = f"func @k(%x: memref<f32x32>) {HEAD}{ITEM}%z = constant 0 : index %o = atomic_add %v, %x[%z] : f32 }} }}"
    x = np.ones(32, np.float32)
    x[0] = 0
    tw.compile(text, target="interpreter").k[1](x)
    assert x[0] == 31


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
