"""libxsmm's kernels for bf16 (`pairs.c`), compiled where gcc and Debian's libxsmm-dev are, or loaded ready-made."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_SOURCE: Final = Path(__file__).with_name("pairs.c")
_LINK: Final = ("-lxsmm", "-lxsmmnoblas", "-ldl", "-lpthread", "-lm")


class Pairs:
    """The loops of `pairs.c`; `ready`: where they lie compiled. Raises RuntimeError where they cannot be compiled."""

    def __init__(self, ready: Path | None = None) -> None:
        self._library = ctypes.CDLL(str(ready)) if ready is not None else _compiled()
        pointer, number = ctypes.c_void_p, ctypes.c_int
        for name, result, arguments in (
            ("pairs_kernel", pointer, [number]),
            ("pairs_target", number, []),
            ("pairs_pack", None, [number, pointer, pointer]),
            ("pairs_time", ctypes.c_double, [pointer, number, ctypes.c_long, *[pointer] * 4, number]),
        ):
            function = getattr(self._library, name)
            function.restype, function.argtypes = result, arguments

    @property
    def target(self) -> int:
        """The instructions that libxsmm takes, by its own number."""
        return int(self._library.pairs_target())

    def kernel(self, size: int) -> int:
        """A product of `size` x `size` matrices; RuntimeError where libxsmm has none."""
        found = self._library.pairs_kernel(size)
        if not found:
            raise RuntimeError(f"libxsmm has no product of bf16 of {size}")
        return int(found)

    def packed(self, matrices: NDArray[Any]) -> NDArray[Any]:
        """Column-major matrices with the pairs of terms of each row side by side."""
        found = np.zeros_like(matrices)
        for source, target in zip(matrices, found, strict=True):
            self._library.pairs_pack(len(source), source.ctypes.data, target.ctypes.data)
        return found

    def seconds(
        self,
        kernel: int,
        arrays: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
        repeats: int,
        packed: NDArray[Any] | None = None,
    ) -> float:
        """Of a pass over a batch of column-major products, on average; each left factor is packed into `packed`."""
        a, b, c = (array.ctypes.data for array in arrays)
        to = None if packed is None else packed.ctypes.data
        count, size, _ = arrays[0].shape
        return float(self._library.pairs_time(kernel, size, count, a, b, c, to, repeats)) / repeats


def _compiled() -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "pairs.so"
        command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", str(_SOURCE), "-o", str(library), *_LINK]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise RuntimeError("libxsmm's products need gcc, which is not installed") from None
        if done.returncode:
            raise RuntimeError(f"libxsmm's products need gcc and libxsmm-dev:\n{done.stderr}")
        return ctypes.CDLL(str(library))
