"""How well LLVM generates code in tests: their subject is the text that it is given, and it takes a large part of the
time. What asks for instructions or registers of PTX takes the fixture `users_ptx`.
"""

from __future__ import annotations

import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Final

import pytest

from effort import thorough
from tilewright.machine import native
from tilewright.machine.processor import Machine, machine
from tilewright.targets.cpu import generation
from tilewright.targets.nvidia import ptx

_WELL: Final = 12
"""LLVM generates good code for one text in so many and otherwise code fast; for all of them in thorough runs."""
_LARGE: Final = 4_000
"""Bytes: texts longer than so many times `_WELL` have good code more rarely, each as much longer as it takes."""
_KEPT: Final = 200
"""So many texts have their code kept: tests of one file often come to the same one."""


_ALWAYS_WELL: Final = ("x86_amx", "wgmma")
"""Fast code generation ends the process where loops carry tiles, and moves sums for which ptxas warns of a loss."""


def level_for(text: str) -> int:
    """The level of code generation, the same each time for one text."""
    well = thorough() or any(word in text for word in _ALWAYS_WELL)
    return 3 if well or zlib.crc32(text.encode()) % max(_WELL, len(text) // _LARGE) == 0 else 0


@lru_cache(_KEPT)
def code_of(text: str, target: Machine | None = None, most: int = 3) -> bytes:
    """Object code for a machine, else this one, at the text's level or that which it has at most."""
    return native.compile_text(text, target or machine(), optimisation=min(most, level_for(text)))


@contextmanager
def quick_code_generation() -> Generator[None]:
    """Kernels that this process compiles get that level at most; ptxas optimises the PTX of NVIDIA's after that."""
    generate, print_ptx = generation.compile_text, ptx.assembly_of

    def compile_text(
        text: str, target: Machine | None = None, *, passes: Sequence[str] = (), optimisation: int = 3
    ) -> bytes:
        if passes:
            return generate(text, target, passes=passes, optimisation=min(optimisation, level_for(text)))
        return code_of(text, target, optimisation)

    def assembly_of(text: str, target: Machine, *, optimisation: int) -> str:
        return print_ptx(text, target, optimisation=min(optimisation, level_for(text)))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(generation, "compile_text", compile_text)
        patched.setattr(ptx, "assembly_of", assembly_of)
        yield


@contextmanager
def ptx_of_users() -> Generator[None]:
    """PTX is generated as it is for users, whatever the text."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ptx, "assembly_of", native.assembly_of)
        yield
