"""`tilewright.attention` of tensors: gradients, and functions that torch compiles."""

from __future__ import annotations

from typing import Any

import pytest

import tilewright as tw

torch: Any = pytest.importorskip("torch")


def drawn(count: int, length: int) -> Any:
    return torch.randn(1, count, length, 16).half().requires_grad_()


def expected(q: Any, k: Any, v: Any) -> Any:
    """Causal attention in f64, of query heads that share key heads."""
    q, k, v = (x.double() for x in (q, k, v))
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for x in (k, v))
    scores = q @ k.mT / q.shape[3] ** 0.5
    scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
    return torch.softmax(scores, dim=3) @ v


def causal(q: Any, k: Any, v: Any) -> Any:
    return tw.attention(q, k, v, causal=True)


def test_gradients_as_they_come() -> None:
    """Also those that a sum hands on, of which all elements are one; traced as a whole they are the same."""
    q, k, v = given = drawn(4, 20), drawn(2, 30), drawn(2, 30)
    compiled = torch.compile(causal, fullgraph=True, backend="aot_eager")
    wanted = torch.autograd.grad(expected(q, k, v).sum(), given)
    for function in (causal, compiled):
        found = torch.autograd.grad(function(q, k, v).sum(), given)
        for one, other in zip(found, wanted, strict=True):
            assert float((one.double() - other).norm()) < 2e-3 * float(other.norm())


def test_the_operators_are_ones_to_torch() -> None:
    q, k, v = drawn(2, 5), drawn(1, 7), drawn(1, 7)
    operators, turned = torch.ops.tilewright, [x.detach().transpose(1, 2) for x in (q, k, v)]
    for arguments in ((q, k, v, True, None, "bhld"), (*turned, False, 0.3, "blhd")):
        assert set(torch.library.opcheck(operators.attention, arguments).values()) == {"SUCCESS"}
    found = [x.detach() for x in operators.attention(q, k, v, True, None, "bhld")]
    arguments = (found[0], q.detach(), k.detach(), v.detach(), *found, True, None, "bhld")
    assert set(torch.library.opcheck(operators.attention_backward, arguments).values()) == {"SUCCESS"}


def test_what_the_operator_has_not() -> None:
    q, k, v = drawn(2, 5), drawn(1, 7), drawn(1, 7)
    with pytest.raises(tw.OperatorError, match="out: attention that torch differentiates or compiles has no such"):
        tw.attention(q, k, v, out=torch.empty_like(q))
    found: Any = tw.attention(q, k, v, return_lse=True)
    assert found[0].requires_grad
    assert not found[1].requires_grad
