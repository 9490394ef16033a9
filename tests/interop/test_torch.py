"""Kernels as operators of torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw

torch: Any = pytest.importorskip("torch")

TEXT = """func @scale(%alpha: f32, %X: memref<f32x?>, %Y: memref<f32x?>) {
    %zero = constant 0.0 : f32
    axpby %alpha, %X, %zero, %Y
}
func @add(%X: memref<f64x?x?>, %Y: memref<f64x?x?>) {
    %one = constant 1.0 : f64
    axpby %one, %X, %one, %Y
}
func @each(%X: group<memref<f32x4>x?>, %n: i32) {
    %g = group_id.x : index
    %x = load %X[%g] : memref<f32x4>
    %one = constant 1.0 : f32
    axpby %one, %x, %one, %x
}
"""


@pytest.fixture(scope="module")
def program() -> tw.Program:
    return tw.compile(TEXT)


def made(*kernels: tw.Kernel, **options: Any) -> Any:
    """An operator, with all that torch gives it."""
    return tw.torch.custom_op(*kernels, **options)


def like_second(_alpha: float, x: Any) -> Any:
    return torch.empty_like(x)


def check(operator: Any, *arguments: Any) -> None:
    """What torch itself tests of an operator."""
    found = torch.library.opcheck(operator, arguments)
    assert set(found.values()) == {"SUCCESS"}, found


def test_what_the_kernel_writes_is_changed(program: tw.Program) -> None:
    operator = made(program.scale, name="tilewright_tests::scale_into")
    x, y = torch.randn(10), torch.empty(10)
    operator(2.5, x, y)
    assert torch.equal(y, 2.5 * x)
    check(operator, 2.5, x, y)
    assert "Tensor X, Tensor(a2!) Y" in str(operator._opoverload._schema)


def test_outputs_are_made_and_returned(program: tw.Program) -> None:
    operator = made(program.scale, name="tilewright_tests::scaled", outputs={"Y": like_second})
    x = torch.randn(10)
    assert torch.equal(operator(2.5, x), 2.5 * x)
    check(operator, 2.5, x)


def test_a_compiled_function_has_the_operator_in_one_graph(program: tw.Program) -> None:
    operator = made(program.scale, name="tilewright_tests::in_graph", outputs={"Y": like_second})

    def tripled(x: Any) -> Any:
        return operator(3.0, x + 1) * 2

    function = torch.compile(tripled, fullgraph=True, backend="aot_eager")
    for size in (4, 7):
        x = torch.randn(size)
        assert torch.allclose(function(x), (x + 1) * 6)


@pytest.mark.parametrize("names", [("in", "out"), ("None", "lambda"), ("self", "argument0"), ("0", "argument1")])
def test_parameters_may_have_any_name(names: tuple[str, str]) -> None:
    """Also one that means something in Python, or that another is called by."""
    x_name, y_name = names
    text = TEXT.split("func @add")[0].replace("%X", f"%{x_name}").replace("%Y", f"%{y_name}")
    operator = made(tw.compile(text).scale, name=f"tilewright_tests::names_{'_'.join(names)}")

    def scaled(x: Any, y: Any) -> None:
        operator(2.5, x, y)

    x, y = torch.randn(10), torch.empty(10)
    torch.compile(scaled, backend="aot_eager", fullgraph=True)(x, y)
    assert torch.equal(y, 2.5 * x)


def test_gradients(program: tw.Program) -> None:
    def keep(ctx: Any, inputs: tuple[Any, ...], output: object) -> None:
        ctx.alpha = inputs[0]

    def backward(ctx: Any, given: Any) -> tuple[None, Any]:
        return None, ctx.alpha * given

    gradient = tw.torch.Gradient(backward, keep)
    operator = made(
        program.scale, name="tilewright_tests::with_gradient", outputs={"Y": like_second}, gradient=gradient
    )
    x = torch.randn(10, requires_grad=True)
    operator(2.5, x).sum().backward()
    assert torch.equal(x.grad, torch.full((10,), 2.5))
    check(operator, 2.5, torch.randn(10, requires_grad=True))


def test_changed_arguments_have_no_gradient(program: tw.Program) -> None:
    def backward(_ctx: object, given: object) -> object:
        return given

    with pytest.raises(ValueError, match="kernel scale writes to Y: only operators that change nothing have gradients"):
        made(program.scale, gradient=tw.torch.Gradient(backward))


def test_the_grid_may_depend_on_the_arguments(program: tw.Program) -> None:
    def as_said(_tensors: object, n: int) -> int:
        return n

    operator = made(program.each, name="tilewright_tests::each", grid=as_said)
    tensors = [torch.ones(4) for _ in range(3)]
    operator(tensors, 2)
    assert [float(t[0]) for t in tensors] == [2, 2, 1]


@pytest.mark.parametrize("name", ["X", "alpha", "Z"])
def test_outputs_that_are_none(program: tw.Program, name: str) -> None:
    with pytest.raises(ValueError, match=f"kernel scale writes no array '{name}' that could be an output; it writes Y"):
        made(program.scale, outputs={name: like_second})


def test_kernels_that_do_not_fit(program: tw.Program) -> None:
    with pytest.raises(ValueError, match=r"have one signature, not @scale.*, @add"):
        made(program.scale, program.add)
    with pytest.raises(ValueError, match="two kernels scale are for tensors on cpu"):
        made(program.scale, program.scale)
    with pytest.raises(ValueError, match="an operator needs a kernel"):
        made()


def test_a_kernel_for_each_device(program: tw.Program) -> None:
    """Where the tensors are decides; there is no GPU here, so torch says so."""
    other = tw.compile(TEXT, target="nvidia:sm_80")
    operator = made(program.scale, other.scale, name="tilewright_tests::both", outputs={"Y": like_second})
    x = torch.from_numpy(np.ones(5, np.float32))
    assert torch.equal(operator(2.0, x), 2 * x)
    assert operator(2.0, torch.ones(5, device="meta")).shape == (5,)
