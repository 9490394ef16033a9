"""A compiler for the tests of LLVM lowering, and random numbers whose seed a failure shows."""

from __future__ import annotations

import secrets

import numpy as np
import pytest

from targets.llvm.elementwise import Jit


@pytest.fixture(scope="session")
def jit() -> Jit:
    """One compiler a process."""
    return Jit()


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator with a fresh seed, printed for failing tests."""
    seed = secrets.randbits(32)
    print(f"seed = {seed}")
    return np.random.default_rng(seed)
