"""A compiler for the tests of LLVM lowering."""

from __future__ import annotations

import pytest

from targets.llvm.elementwise import Jit


@pytest.fixture(scope="session")
def jit() -> Jit:
    """One compiler a process."""
    return Jit()
