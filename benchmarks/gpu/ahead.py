"""Kernels compiled by other processes before any is timed, for runs on machines that are lent for a minute.

Each is loaded once by the process that compiles it, so that the driver keeps what it makes of PTX.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from tempfile import TemporaryDirectory

from msgspec import Struct

import tilewright as tw
from tilewright.diagnostics import CompileError

_FOLDERS = ("TILEWRIGHT_CACHE_DIR", "CUDA_CACHE_PATH")


class Program(Struct, frozen=True):
    """A text with one kernel, the schedule that is asked for, in what products of f32 multiply, and stages of MLIR."""

    text: str
    schedule: str = ""
    precision: str = "exact"
    stages: str | None = None

    def kernel(self) -> tw.Kernel:
        """Compiled for the GPU that is here, or as it was before."""
        asked = self.schedule or None
        (found,) = tw.compile(self.text, target="nvidia", precision=self.precision, schedule=asked, stages=self.stages)
        return found


@contextmanager
def compiled_ahead(programs: Iterable[Program], processes: int) -> Generator[None]:
    """A block that finds programs compiled by so many processes, in folders of its own. Nothing of the driver's may
    have been used before."""
    before = {name: os.environ.get(name) for name in _FOLDERS}
    with TemporaryDirectory() as folder:
        os.environ.update({name: os.path.join(folder, name) for name in _FOLDERS})
        try:
            if processes:
                with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
                    list(pool.map(_load, dict.fromkeys(programs)))
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name)
                else:
                    os.environ[name] = value


def _load(program: Program) -> None:
    """What the compiler refuses it refuses again, where it is wanted."""
    with suppress(CompileError):
        _ = program.kernel().resources
