"""Operators of torch on tensors of a GPU, and schedules that are found on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tilewright.machine.cuda import driver
from tilewright.remembered.record import read_record

pytestmark = pytest.mark.skipif(not driver.available(), reason="needs an NVIDIA GPU")

TEXT = """func @scale(%alpha: f32, %X: memref<f32x?>, %Y: memref<f32x?>) {
    %zero = constant 0.0 : f32
    axpby %alpha, %X, %zero, %Y
}
"""
ROWS = """func @sums(%A: memref<f32x512x?>, %y: memref<f32x512>) {
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    sum.n %one, %A, %zero, %y
}
"""


@pytest.fixture(scope="module")
def torch() -> Any:
    found = pytest.importorskip("torch")
    if not found.cuda.is_available():
        pytest.skip("torch without CUDA")
    return found


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_one_operator_for_both_machines(torch: Any, backend: str) -> None:
    """In one graph, as torch checks it, with gradients, on tensors of the CPU and of the GPU."""

    def like_second(_alpha: float, x: Any) -> Any:
        return torch.empty_like(x)

    def keep(ctx: Any, inputs: tuple[Any, ...], output: object) -> None:
        ctx.alpha = inputs[0]

    def backward(ctx: Any, given: Any) -> tuple[None, Any]:
        return None, ctx.alpha * given

    operator: Any = tw.torch.custom_op(
        tw.compile(TEXT).scale,
        tw.compile(TEXT, target="nvidia").scale,
        name=f"tilewright_tests::both_{backend}",
        outputs={"Y": like_second},
        gradient=tw.torch.Gradient(backward, keep),
    )

    def tripled(x: Any) -> Any:
        return operator(3.0, x + 1) * 2

    function = torch.compile(tripled, fullgraph=True, backend=backend)
    for device in ("cpu", "cuda"):
        x = torch.randn(1000, device=device, requires_grad=True)
        found = function(x)
        torch.testing.assert_close(found, (x + 1) * 6)
        found.sum().backward()
        torch.testing.assert_close(x.grad, torch.full_like(x, 6.0))
        checked = torch.library.opcheck(operator, (2.5, torch.randn(1000, device=device, requires_grad=True)))
        assert set(checked.values()) == {"SUCCESS"}


def test_what_is_found_on_this_device_is_taken(torch: Any, tmp_path: Path) -> None:
    record = tmp_path / "tuned.toml"
    a = torch.randn(4096, 512, device="cuda")
    y = torch.full((512,), float("nan"), device="cuda")
    with tw.config(tuned=str(record)):
        tuned = tw.tune(ROWS, a.t(), y, trials=4, seconds=10)
        program = tw.compile(ROWS, target="nvidia")
    assert bool(y.isnan().all()), "what is tuned is a copy"
    assert not tuned.found.wrong
    assert tuned.found.gain.median >= 0.9
    (entry,) = read_record(record)
    assert entry.device == driver.open_device().description.name
    best = str(tuned.found.best)
    assert (program.sums.schedule or "").startswith(best.partition("#")[0].strip())
    program.sums[1](a.t(), y)
    torch.testing.assert_close(y, a.sum(0), rtol=1e-4, atol=1e-3)
