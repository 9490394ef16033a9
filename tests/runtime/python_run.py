"""Which functions of the package Python runs meanwhile: none, where machine code recognises a call and launches."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from tilewright.runtime.argument_checks import ArgumentChecks

CHECKS: Final = ArgumentChecks.values.__qualname__
"""What checks the arguments of a call."""


@contextmanager
def python_run() -> Generator[list[str]]:
    """Names of the package's functions that this thread has begun to run, as its profiler is told.

    No garbage is collected meanwhile, whose finalizers are functions of the package too.
    """
    begun: list[str] = []

    def told(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_globals.get("__name__", "").startswith("tilewright."):
            begun.append(frame.f_code.co_qualname)

    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()
    sys.setprofile(told)
    try:
        yield begun
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()
