"""The examples of the RFC, with what the decisions of the reference correct in them."""

from __future__ import annotations

import pytest

from frontends.tlx.kernels import findings, ivec, module_of, typed, typeinfo
from frontends.tlx.test_printing import printed
from tilewright.dialects.tlx.base import TensorOperation, tensor_of
from tilewright.frontends.tlx.options import Quirks, TlxOptions


def results(text: str) -> list[str]:
    """The types of tensors that a text's operations give."""
    ops = [op for op in module_of(text).walk() if isinstance(op, TensorOperation)]
    return [str(tensor_of(op.results[0])) for op in ops]


def of_vectors(*lines: str, **vectors: str) -> str:
    """A function of vectors."""
    parameters = ", ".join(f"{type_} %{name}" for name, type_ in vectors.items())
    return "\n".join([f"define void @example({parameters}) {{", *lines, "ret void", "}\n"])


def test_the_transpose_says_what_shape_and_layout_are() -> None:
    """Decisions 1, 3 and 7."""
    text = of_vectors(
        f"%input = {typeinfo('<240 x float> %tensor', [16, 5, 3], padding=[3, 2, 1])}",
        f"%output = call <240 x float> @llvm.tensor.transpose(token %input, {ivec([2, 0, 1])})",
        f"%typed_output = {typeinfo('<240 x float> %output', [3, 16, 5], layout=[2, 0, 1], padding=[1, 3, 2])}",
        tensor="<240 x float>",
    )
    assert results(text) == ["tensor<3x16x5xf32, layout <2,0,1>, padding <1,3,2>>"]
    assert "tlx.typeinfo" in str(module_of(text))
    assert str(module_of(text)).count("tlx.typeinfo") == 1, "the type of the result is the one that it has"
    printed(text)


def test_the_load_has_a_layout_of_three_entries() -> None:
    text = (
        "define void @example(i8* %mem_ptr) {\n%tensor = call token @llvm.tensor.load(i8* %mem_ptr, "
        f"{typed([16, 6, 4])}, {ivec([0, 0, 8])})\nret void\n}}\n"
    )
    assert "distances = [48, 8, 1]" in str(module_of(text))
    printed(text)
    wrong = text.replace(typed([16, 6, 4]), typed([16, 6, 4], layout=[0, 1]))
    assert [line.split(":")[0] for line in findings(wrong)] == ["TLX301 2"]


def test_the_store_has_rows_and_columns() -> None:
    """Decision 11: rows 10 apart, columns 12."""
    text = of_vectors(
        f"%token = {typeinfo('<384 x float> %tensor', [16, 6, 4])}",
        f"call void @llvm.tensor.store(float* %mem_ptr, token %token, {ivec([0, 12, 10])})",
        tensor="<384 x float>",
        mem_ptr="float*",
    )
    assert "distances = [60, 10, 12]" in str(module_of(text))
    mean = text.replace("384", "240")
    assert [line.split(":")[0] for line in findings(mean)] == ["TLX305 2"]
    again = text.replace("%token =", "%tensor =")
    assert findings(again)[0] == "TLX104 2: %tensor is defined twice"


def test_the_contraction_gives_a_matrix() -> None:
    """Decision 32."""
    lines = (
        f"%input1 = {typeinfo('<8 x float> %tensor1', [2, 2, 2])}",
        f"%input2 = {typeinfo('<8 x float> %tensor2', [2, 2, 2])}",
        "%output = call <4 x float> @llvm.tensor.contract(token %input1, token %input2, "
        f"{ivec([0, 2])}, {ivec([0, 1])})",
    )
    text = of_vectors(*lines, tensor1="<8 x float>", tensor2="<8 x float>")
    assert results(text) == ["tensor<2x2xf32>"]
    printed(text)
    written = text.replace("call <4 x float>", "call <8 x float>")
    assert [line.split(":")[0] for line in findings(written)] == ["TLX305 4"]
    assert findings(written, TlxOptions(Quirks.RFC_TEXT)) == []


@pytest.mark.parametrize("operation", ["umma", "smma", "usmma", "summa", "mma"])
def test_accumulating_products(operation: str) -> None:
    text = of_vectors(
        f"%acc = {typeinfo('<9 x i32> %acc_tensor', [3, 3])}",
        f"%op1 = {typeinfo('<12 x i32> %tensor1', [3, 4])}",
        f"%op2 = {typeinfo('<12 x i32> %tensor2', [4, 3])}",
        f"%output = call <9 x i32> @llvm.tensor.{operation}(token %acc, token %op1, token %op2)",
        acc_tensor="<9 x i32>",
        tensor1="<12 x i32>",
        tensor2="<12 x i32>",
    )
    assert results(text) == ["tensor<3x3xi32>"]
    printed(text)


def test_the_convolution_is_an_error() -> None:
    """Decision 33: the kernel is taller than the input."""
    text = of_vectors(
        f"%input = {typeinfo('<12 x float> %tensor1', [3, 4])}",
        f"%kernel = {typeinfo('<12 x float> %tensor2', [4, 3])}",
        f"%output = call <9 x float> @llvm.tensor.convolution(token %input, token %kernel, {ivec([1, 2])}, "
        f"{ivec([0, 0])}, {ivec([0, 0])})",
        tensor1="<12 x float>",
        tensor2="<12 x float>",
    )
    (line,) = findings(text)
    assert line.startswith("TLX313")
    assert "kernel extent 4 exceeds input extent 3" in line


def test_tensors_of_the_lowering_example_lie_in_memory() -> None:
    """Decisions 20, 37 and 38: 6,400,000 elements, by the old pointer and by the new one."""
    lines: list[str] = []
    for number in (1, 2):
        vector = f"<6400000 x i32>* byval(<6400000 x i32>) %tensor{number}"
        lines.append(f"%token{number} = {typeinfo(vector, [1, 10, 800, 800])}")
    lines.append("%tensor3 = call <6400000 x i32> @llvm.tensor.matmul(token %token1, token %token2)")
    lines.append(f"%token3 = {typeinfo('<6400000 x i32> %tensor3', [1, 10, 800, 800], padding=[0, 0, 0, 1])}")
    pointer = "<6400000 x i32>* byval(<6400000 x i32>)"
    old = of_vectors(*lines, tensor1=pointer, tensor2=pointer)
    assert results(old) == ["tensor<1x10x800x800xi32>"]
    new = old.replace("<6400000 x i32>* byval", "ptr byval")
    assert str(module_of(new)) == str(module_of(old))
    printed(new)
