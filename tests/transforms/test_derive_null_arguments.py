"""derive-null-arguments: kernels say which pointers they rely on."""

from __future__ import annotations

import pytest

from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.ir.passes import PassContext
from tilewright.transforms.derive_null_arguments import DeriveNullArguments

SIGNATURE = "%x: memref<f32x4>, %g: group<memref<f32x4>x?>, %i: index, %c: bool"
POINTER = "tile<ptr<f32>>"


def nonnull(text: str) -> list[str]:
    report = Report()
    module = read_module(Source("k", text), report)
    assert DeriveNullArguments().run(module, PassContext(report))
    assert not DeriveNullArguments().run(module, PassContext(report))
    kernel = module.kernels[0]
    names = [parameter.name or "" for parameter in kernel.parameters]
    elements = [f"{names[k]}[]" for k in kernel.nonnull_elements or ()]
    return [names[k] for k in kernel.nonnull or ()] + elements


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", []),
        ("%v = load %x[%i] : f32", ["x"]),
        ("%v = constant 1.0 : f32 store %v, %x[%i]", ["x"]),
        ("%v = constant 1.0 : f32 if %c { store %v, %x[%i] }", ["x"]),
        ("%v = subview %x[0:2] : memref<f32x2> %s = load %v[%i] : f32", ["x"]),
        ("%v = subview %x[0:2] : memref<f32x2>", []),
        ("%a = associated %x : bool if %a { %v = load %x[%i] : f32 }", []),
        ("%v = subview %x[0:2] : memref<f32x2> %a = associated %v : bool if %a { %s = load %x[%i] : f32 }", []),
        ("%n = size %g[0] : index", []),
        ("%m = load %g[%i] : memref<f32x4>", ["g"]),
        ("%m = load %g[%i] : memref<f32x4> %v = load %m[%i] : f32", ["g", "g[]"]),
        ("%m = load %g[%i] : memref<f32x4> %a = associated %m : bool if %a { %v = load %m[%i] : f32 }", ["g"]),
        ("%a = associated %g : bool if %a { %m = load %g[%i] : memref<f32x4> %v = load %m[%i] : f32 }", ["g[]"]),
    ],
)
def test_what_a_kernel_relies_on(body: str, expected: list[str]) -> None:
    assert nonnull(f"func @k({SIGNATURE}) {{ {body} }}") == expected


LOAD = f"%x, %t = load_ptr_tko weak %p : {POINTER} -> tile<f32>, token"
NUMBER = f"%a = ptr_to_int %p : {POINTER} -> tile<i64> %z = constant <i64: 0> : tile<i64>"
COMPARED = f"{NUMBER} %c = cmpi not_equal %a, %z, signed : tile<i64> -> tile<i1>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [("", []), (LOAD, ["p"]), (NUMBER, []), (f"{COMPARED} if %c {{ {LOAD} yield }}", []), (f"{COMPARED} {LOAD}", [])],
)
def test_pointers(body: str, expected: list[str]) -> None:
    assert nonnull(f"cuda_tile.module @m {{ entry @k(%p: {POINTER}) {{ {body} }} }}") == expected
