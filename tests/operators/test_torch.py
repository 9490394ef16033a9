"""`tilewright.matmul` of tensors: gradients, and functions that torch compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import tilewright as tw
from effort import thorough

torch: Any = pytest.importorskip("torch")


def drawn(*shape: int, dtype: Any = None) -> Any:
    return torch.randn(shape, dtype=dtype or torch.float64, requires_grad=True)


@pytest.mark.parametrize("epilogue", ["bias", "bias+gelu", "gelu_tanh+bias", "silu+relu+bias", "sigmoid+bias+tanh"])
def test_gradients(epilogue: str) -> None:
    arguments = drawn(2, 3, 4), drawn(4, 5), drawn(5)

    def product(a: Any, b: Any, bias: Any) -> Any:
        return tw.matmul(a, b, bias=bias, epilogue=epilogue, alpha=1.5)

    assert torch.autograd.gradcheck(product, arguments)


def test_gradients_of_arrays_that_are_broadcast() -> None:
    arguments = drawn(2, 3, 4), drawn(2, 4, 5), drawn(3, 1), drawn(5), drawn(2, 3, 5)

    def product(a: Any, b: Any, scale: Any, bias: Any, rest: Any) -> Any:
        return tw.matmul(a, b, scale=scale, bias=bias, residual=rest)

    assert torch.autograd.gradcheck(product, arguments)


def test_gradients_of_vectors_and_of_gradients() -> None:
    matrix, vector, other = drawn(3, 4), drawn(4), drawn(3)
    assert torch.autograd.gradcheck(tw.matmul, (matrix, vector))
    assert torch.autograd.gradcheck(tw.matmul, (other, matrix))

    def product(a: Any, b: Any) -> Any:
        return tw.matmul(a, b, epilogue="gelu")

    assert torch.autograd.gradgradcheck(product, (matrix, drawn(4, 2)))

    def smooth(a: Any, b: Any) -> Any:
        return tw.matmul(a, b, epilogue="silu")

    assert torch.autograd.gradgradcheck(smooth, (drawn(2, 3), drawn(3, 1)))


def test_the_operator_is_one_to_torch() -> None:
    tw.matmul(torch.ones(2, 2), torch.ones(2, 2))
    operator = torch.ops.tilewright.matmul.default
    arguments = (drawn(3, 4), drawn(4, 5), drawn(5), None, None, 2.0, "bias+gelu", None, None, None)
    assert set(torch.library.opcheck(operator, arguments).values()) == {"SUCCESS"}
    halves = (torch.ones(3, 4).half(), torch.ones(4, 5).half(), None, None, None, 1.0, "", "f32", "f32", None)
    assert set(torch.library.opcheck(operator, halves).values()) == {"SUCCESS"}


@pytest.mark.parametrize("backend", ["aot_eager", *(["inductor"] if thorough() else [])])
def test_compiled_functions(backend: str) -> None:
    functional = torch.nn.functional
    tw.matmul(torch.ones(2, 2), torch.ones(2, 2))

    def layer(x: Any, weights: Any, bias: Any) -> Any:
        return tw.matmul(x.sin(), weights.t(), bias=bias, epilogue="bias+gelu") * 2

    compiled = torch.compile(layer, fullgraph=True, backend=backend, dynamic=True)
    weights, bias = drawn(5, 7, dtype=torch.float32), drawn(5, dtype=torch.float32)
    for rows in (3, 9):
        x = drawn(rows, 7, dtype=torch.float32)
        wanted = functional.gelu(functional.linear(x.sin(), weights, bias)) * 2
        found = compiled(x, weights, bias)
        torch.testing.assert_close(found, wanted)
        arguments = (x, weights, bias)
        for one, other in zip(
            torch.autograd.grad(found.sum(), arguments), torch.autograd.grad(wanted.sum(), arguments), strict=True
        ):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.skipif(not thorough(), reason="compiles C++, for seconds")
def test_operators_of_kernels_under_inductor() -> None:
    """`tw.torch.custom_op` in code that torch's own compiler writes: what it changes, and what it returns."""
    program = tw.compile("""func @scale(%alpha: f32, %X: memref<f32x?>, %Y: memref<f32x?>) {
    %zero = constant 0.0 : f32
    axpby %alpha, %X, %zero, %Y
}""")
    into = tw.torch.custom_op(program.scale, name="tilewright_tests::inductor_into")

    def like(_: float, x: Any) -> Any:
        return torch.empty_like(x)

    made = tw.torch.custom_op(program.scale, name="tilewright_tests::inductor", outputs={"Y": like})

    def both(x: Any) -> Any:
        y: Any = torch.empty_like(x)
        into(2.0, x * 2, y)
        found: Any = made(3.0, y)
        return found + 1

    x = torch.randn(10)
    torch.testing.assert_close(torch.compile(both, fullgraph=True)(x), x * 12 + 1)


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_floats_of_8_bits(name: str) -> None:
    """Traced as a whole with the types of results that there are, gradients of all but the factors."""
    a, b = (torch.randn(shape).to(getattr(torch, name)) for shape in ((5, 32), (32, 6)))
    scale = drawn(5, 1, dtype=torch.float32)
    wanted = a.double() @ b.double()
    (of_scale,) = torch.autograd.grad(tw.matmul(a, b, scale=scale).sum(), (scale,))
    torch.testing.assert_close(of_scale, wanted.sum(dim=1, keepdim=True).float(), rtol=1e-4, atol=1e-4)
    operator = torch.ops.tilewright.matmul.default
    # the other checks multiply arguments by numbers, which torch does not of these
    checks = ("test_faketensor", "test_autograd_registration")
    for out_dtype, precision in ((None, None), ("bf16", "fast")):
        arguments = (a, b, None, None, None, 1.0, "", None, out_dtype, precision)
        assert set(torch.library.opcheck(operator, arguments, test_utils=checks).values()) == {"SUCCESS"}

    def fast(x: Any, y: Any) -> Any:
        return tw.matmul(x, y, precision="fast")

    found = torch.compile(fast, fullgraph=True, backend="aot_eager")(a, b)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found.double(), wanted, rtol=1e-5, atol=1e-5)
    with pytest.raises(tw.OperatorTypeError, match=rf"factors of torch.{name} have no gradient"):
        tw.matmul(a.clone().requires_grad_(), b)


def test_what_the_operator_has_not() -> None:
    with pytest.raises(tw.OperatorError, match="beta: products that torch differentiates"):
        tw.matmul(drawn(2, 3), drawn(3, 2), beta=1.0, c=torch.ones(2, 2))
    with pytest.raises(tw.OperatorTypeError, match="b is a ndarray, a is a tensor"):
        tw.matmul(drawn(2, 3), np.ones((3, 2)))
    with pytest.raises(tw.OperatorTypeError, match="epilogue is 5"):
        tw.matmul(drawn(2, 3), drawn(3, 2), epilogue=cast("str", 5))
    with pytest.raises(tw.OperatorError, match="alpha needs a gradient"):
        tw.matmul(torch.ones(2, 3), torch.ones(3, 2), alpha=drawn())


def test_parameters_without_gradients() -> None:
    """What needs a gradient is refused where there would be one, and an array like any where torch notes none."""
    a, weights = torch.randn(3, 4), drawn(4, 2, dtype=torch.float32)
    calls: list[Callable[[], Any]] = [
        lambda: tw.einsum("ij,jk->ik", a, weights),
        lambda: tw.matmul(a, torch.ones(4, 2), torch.empty(3, 2, requires_grad=True)),
    ]
    for call in calls:
        with pytest.raises(tw.OperatorError, match="needs a gradient"):
            call()
    with torch.no_grad():
        torch.testing.assert_close(tw.matmul(a, weights), a @ weights)
        for call in calls:
            call()


def test_results_given_are_noted_as_changed() -> None:
    kept, weights = torch.ones(2, 2), drawn(2, 2, dtype=torch.float32)
    product = weights * kept
    tw.matmul(torch.ones(2, 2), torch.ones(2, 2), kept)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


@pytest.mark.parametrize("conversion", ["to_sparse", "to_mkldnn"])
def test_tensors_without_memory(conversion: str) -> None:
    b = getattr(torch.ones(2, 2), conversion)()
    with pytest.raises(tw.OperatorTypeError, match="b: this Tensor cannot be used as it is"):
        tw.matmul(torch.ones(2, 2), b)


def test_tensors_of_other_layouts() -> None:
    a, b = torch.randn(5, 8, 3).half().permute(2, 0, 1), torch.randn(6, 8).half()
    torch.testing.assert_close(tw.matmul(a, b.t()), torch.matmul(a.float(), b.t().float()).half())
