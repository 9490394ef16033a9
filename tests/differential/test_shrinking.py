"""The same kernels drawn by hypothesis, which shrinks one that fails to a small one."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generators.kernels import Generated, generate

from .compare import disagreements
from .variants import rotation


def kernels() -> st.SearchStrategy[Generated]:
    """Random kernels whose every decision hypothesis draws."""
    decisions: st.SearchStrategy[random.Random] = st.randoms(use_true_random=False)
    return decisions.map(generate)


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)
@given(kernels())
def test_targets_agree_on_drawn_kernels(kernel: Generated) -> None:
    assert not disagreements(kernel, rotation(0)), kernel.text
