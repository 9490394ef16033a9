"""Kernels compiled by other processes before any is timed, for runs on machines that are lent for a minute.

Each is loaded once by the process that compiles it, so that the driver keeps what it makes of PTX. Two runs may share a
folder: the first one only compiles (`--processes N --kernels FOLDER --compile-only`), the second one times
(`--kernels FOLDER`).

Processes begin anew instead of as copies of this one, which may use the driver already. They import the script that is
run: all that one does has to be behind its test of `__name__`, or they break off and take the pool with them.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Generator, Iterable
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing import get_context
from pathlib import Path
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


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those of scripts whose kernels can be compiled ahead."""
    parser.add_argument("--processes", type=int, default=0, metavar="N", help="compile all kernels by so many first")
    parser.add_argument("--kernels", type=Path, metavar="FOLDER", help="keep them there (default: only for this run)")
    parser.add_argument("--compile-only", action="store_true", help="end when they are compiled")


@contextmanager
def compiled_ahead(programs: Iterable[Program], options: argparse.Namespace) -> Generator[None]:
    """A block that finds programs compiled as `add_options` says, in a folder that nothing else is in. Nothing of the
    driver's may have been used before.

    Ends the program instead if that only compiles.
    """
    before = {name: os.environ.get(name) for name in _FOLDERS}
    with TemporaryDirectory() if options.kernels is None else nullcontext(str(options.kernels.resolve())) as folder:
        os.environ.update({name: os.path.join(folder, name) for name in _FOLDERS})
        try:
            if options.processes:
                with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool:
                    list(pool.map(_load, dict.fromkeys(programs)))
            if options.compile_only:
                raise SystemExit
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
