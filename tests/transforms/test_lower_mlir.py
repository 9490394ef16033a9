"""What programs of MLIR become: products the collectives of the tensor language, and what has no lowering is named."""

from __future__ import annotations

import pytest

import tilewright as tw
from tilewright.diagnostics import Report, Source
from tilewright.dialects import memref, tl
from tilewright.frontends.mlir import program_of, read_mlir_file
from tilewright.ir.core import Operation
from tilewright.ir.passes import PassContext, PassManager
from tilewright.transforms.lower_mlir import LowerMlir


def lowered(text: str) -> list[Operation]:
    """The operations of the only kernel, behind its own."""
    report = Report()
    file = read_mlir_file(Source("test.mlir", text), report)
    report.raise_if_errors()
    assert file is not None
    module = program_of(file)
    PassManager([LowerMlir()], verify_each=True).run(module, PassContext(report))
    [kernel] = module.kernels
    return list(kernel.walk())[1:]


def function(arguments: str, *lines: str) -> str:
    """A function with these lines."""
    return f"func.func @f({arguments}) {{\n  " + "\n  ".join(lines) + "\n  return\n}\n"


OPEN = "memref<?x?xf32>"
EIGHT = "memref<8xf32>"
PRODUCTS = {
    "matmul": ("memref<?x?xf32>, memref<?x?xf32>", "memref<?x?xf32>", (False, False)),
    "matmul_transpose_a": ("memref<?x?xf32>, memref<?x?xf32>", "memref<?x?xf32>", (False, True)),
    "matmul_transpose_b": ("memref<?x?xf32>, memref<?x?xf32>", "memref<?x?xf32>", (True, False)),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_product_is_one_collective_on_the_arguments(name: str) -> None:
    """No copy, no loop: the factors stand in the other order, since modes are dimensions in reverse."""
    inputs, out, turned = PRODUCTS[name]
    first, second = inputs.split(", ")
    ops = lowered(
        function(f"%A: {first}, %B: {second}, %C: {out}", f"linalg.{name} ins(%A, %B : {inputs}) outs(%C : {out})")
    )
    assert {op.name for op in ops} == {"arith.constant", "tl.gemm"}
    gemm = ops[-1]
    assert isinstance(gemm, tl.Gemm)
    assert [v.name for v in (gemm.a, gemm.b, gemm.c)] == ["B", "A", "C"]
    assert (gemm.transpose_a, gemm.transpose_b) == turned


def test_a_product_that_reads_what_it_writes_keeps_its_order() -> None:
    m = "memref<4x4xf32>"
    ops = lowered(function(f"%A: {m}, %B: {m}", f"linalg.matmul ins(%A, %B : {m}, {m}) outs(%A : {m})"))
    assert "tl.gemm" not in {op.name for op in ops}
    assert sum(op.name == "scf.for" for op in ops) == 3


def test_zeros_that_a_product_is_added_to_are_not_written() -> None:
    m = "memref<?x?xf32>"
    lines = [
        "%z = arith.constant 0.0 : f32",
        f"linalg.fill ins(%z : f32) outs(%C : {m})",
        f"linalg.matmul ins(%A, %B : {m}, {m}) outs(%C : {m})",
    ]
    ops = lowered(function(f"%A: {m}, %B: {m}, %C: {m}", *lines))
    assert not any(isinstance(op, tl.Foreach) for op in ops)
    lines.insert(2, f"linalg.matmul ins(%A, %C : {m}, {m}) outs(%B : {m})")
    ops = lowered(function(f"%A: {m}, %B: {m}, %C: {m}", *lines))
    assert any(isinstance(op, tl.Foreach) for op in ops)


def test_a_negative_zero_is_no_zero() -> None:
    m = "memref<?x?xf32>"
    lines = [
        "%z = arith.constant -0.0 : f32",
        f"linalg.fill ins(%z : f32) outs(%C : {m})",
        f"linalg.matmul ins(%A, %B : {m}, {m}) outs(%C : {m})",
    ]
    assert any(isinstance(op, tl.Foreach) for op in lowered(function(f"%A: {m}, %B: {m}, %C: {m}", *lines)))


def test_a_batch_is_a_parallel_loop_of_products() -> None:
    m = "memref<?x?x?xf32>"
    ops = lowered(function(f"%A: {m}, %B: {m}, %C: {m}", f"linalg.batch_matmul ins(%A, %B : {m}, {m}) outs(%C : {m})"))
    assert [op.attributes["parallel"] for op in ops if op.name == "scf.for"] == [True]
    assert sum(isinstance(op, tl.Gemm) for op in ops) == 1
    assert sum(isinstance(op, memref.Subview) for op in ops) == 3


def test_an_update_in_place_that_reads_other_elements_keeps_its_order() -> None:
    """The transpose of a matrix into itself: iterations depend on each other."""
    body = "^bb0(%x: f32, %y: f32):\n  linalg.yield %x : f32\n"
    maps = "indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>]"
    m = "memref<4x4xf32>"
    kinds = 'iterator_types = ["parallel", "parallel"]'
    line = f"linalg.generic {{{maps}, {kinds}}} ins(%A : {m}) outs(%A : {m}) {{\n{body}}}"
    ops = lowered(function(f"%A: {m}", line))
    assert not any(isinstance(op, tl.Foreach) for op in ops)
    other = line.replace("ins(%A", "ins(%B")
    assert any(isinstance(op, tl.Foreach) for op in lowered(function(f"%A: {m}, %B: {m}", other)))


def test_functions_that_say_that_they_are_public_are_kernels() -> None:
    text = "module {\n  func.func public @f(%A: memref<4xf32>) {\n    return\n  }\n}\n"
    assert [kernel.name for kernel in tw.compile(text, target="interpreter")] == ["f"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (function("%A: tensor<*xf32>"), "tensors with a rank, dense, are"),
        (function("%A: vector<4xf32>"), "argument 0 of @f is vector<4xf32>; kernels take memrefs, tensors and numbers"),
        (function("%A: memref<4xi1>"), "arrays of i1 are not supported: pass i8, and compare"),
        (function("%A: memref<*xf32>"), "has no rank"),
        (function("%A: memref<4x4xf32, strided<[2, 1]>>"), "whose elements overlap"),
        (function("%A: memref<4x4xf32, affine_map<(i, j) -> (j, i)>>"), "the layout"),
        ("func.func private @f()\n", "the module has no function to launch"),
        ("func.func private @f() {\n  return\n}\n", "the module has no function to launch"),
        ("func.func nested @f() {\n  return\n}\n", "the module has no function to launch"),
        ("func.func @f() -> f32 {\n  %x = arith.constant 1.0 : f32\n  return %x : f32\n}\n", "returns f32"),
        (function("%n: index", "%A = memref.alloc(%n) {alignment = 512 : i64} : memref<?xf32>"), "multiples of 256"),
        (function("%A: memref<8xf32>", '"gpu.wait"() : () -> ()'), "gpu.wait is not supported"),
        (function("", "func.call @g() : () -> ()"), "there is no function @g"),
        (function("", "func.call @f() : () -> ()"), "@f calls itself"),
        (
            function(
                f"%A: {EIGHT}",
                f"%B = memref.subview %A[7] [4] [-2] : {EIGHT} to memref<4xf32, strided<[-2], offset: 7>>",
            ),
            "steps of -2 elements",
        ),
        (
            function(
                f"%A: {OPEN}",
                f"%B = memref.reinterpret_cast %A to offset: [0], sizes: [4], strides: [1] : {OPEN} to memref<4xf32>",
            ),
            "memory is reinterpreted that is packed",
        ),
    ],
)
def test_what_is_not_supported_is_named_where_it_stands(text: str, says: str) -> None:
    with pytest.raises(tw.CompileError) as caught:
        tw.compile(text + "// \n", target="interpreter")
    [finding] = caught.value.diagnostics
    assert finding.code == "M11"
    assert says in finding.message
    assert finding.location.primary is not None
