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
    """Which find them once attention has been asked for."""
    q, k, v = drawn(2, 5), drawn(1, 7), drawn(1, 7)
    attended = causal(q, k, v)
    operators, turned = torch.ops.tilewright, [x.detach().transpose(1, 2) for x in (q, k, v)]
    for arguments in ((q, k, v, True, None, "bhld"), (*turned, False, 0.3, "blhd")):
        assert set(torch.library.opcheck(operators.attention, arguments).values()) == {"SUCCESS"}
    found = [x.detach() for x in operators.attention(q, k, v, True, None, "bhld")]
    assert torch.equal(found[0], attended)
    for g_lse in (None, found[1]):
        arguments = (found[0], q.detach(), k.detach(), v.detach(), *found, g_lse, True, None, "bhld")
        assert set(torch.library.opcheck(operators.attention_backward, arguments).values()) == {"SUCCESS"}


def test_gradients_of_logarithms() -> None:
    """With that of the result, and alone; also one whose elements are one in memory."""
    given = drawn(4, 20), drawn(2, 30), drawn(2, 30)
    q, k, v = (x.double() for x in given)
    k, v = (x.repeat_interleave(2, dim=1) for x in (k, v))
    scores = q @ k.mT / 4
    o, lse = torch.softmax(scores, dim=3) @ v, torch.logsumexp(scores, dim=3)
    factors = torch.randn(1, 4, 20)
    found: Any = tw.attention(*given, return_lse=True)
    for ours, theirs in (
        (found[0].sum() + (found[1] * factors).sum(), o.sum() + (lse * factors).sum()),
        (found[1].sum(), lse.sum()),
    ):
        both = (torch.autograd.grad(loss, given, retain_graph=True, allow_unused=True) for loss in (ours, theirs))
        for one, other in zip(*both, strict=True):
            other = torch.zeros_like(one) if other is None else other
            assert float((one.double() - other).norm()) <= 2e-3 * float(other.norm())


def test_what_the_operator_has_not() -> None:
    q, k, v = drawn(2, 5), drawn(1, 7), drawn(1, 7)
    with pytest.raises(tw.OperatorError, match="out: attention that torch differentiates or compiles has no such"):
        tw.attention(q, k, v, out=torch.empty_like(q))
