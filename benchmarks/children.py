"""Processes of their own: one a thread count, which limits every library; ones that do what they are asked to."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

_LIBRARIES: Final = ("OPENBLAS_", "NVPL_BLAS_", "MKL_", "BLIS_", "DNNL_", "ONEDNN_")
"""How names of variables begin that make a library another than it is by itself: its kernels, its sizes of blocks."""
_LIMITS: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "TILEWRIGHT_NUM_THREADS")

Row = TypeVar("Row")


def rows_of_children(script: str, arguments: Sequence[str], threads: Sequence[int], kind: type[Row]) -> list[Row]:
    """Run `script ARGUMENTS --child THREADS`, which prints its rows as JSON, for each thread count in turn."""
    rows: list[Row] = []
    for count in threads:
        command = [sys.executable, script, *arguments, "--child", str(count)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=untuned(os.environ) | limited(count))
        rows += msgspec.json.decode(done.stdout, type=list[kind])
    return rows


def limited(threads: int) -> dict[str, str]:
    """The environment that limits all libraries to that many threads."""
    return dict.fromkeys(_LIMITS, str(threads))


def untuned(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which the libraries that we are compared with choose for themselves, but for threads.

    `OPENBLAS_CORETYPE=Haswell`, which some machines come with, halves what OpenBLAS makes of AVX-512.
    """
    return {k: v for k, v in environment.items() if not k.startswith(_LIBRARIES) or k in _LIMITS}


class Child:
    """A process that does what it is asked, one line of JSON after another, and meanwhile sleeps (`serve`).

    It lives as long as the context of this object.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=untuned(os.environ) | dict(environment),
        )

    def ask(self, *request: object) -> None:
        """Send a request."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def answer(self) -> float:
        """What the earliest request without an answer amounts to; RuntimeError if the process ended instead."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"a child ended with status {self._process.wait()}: {self._process.args}")
        return float(json.loads(line))

    def asked(self, *request: object) -> float:
        """Ask and wait."""
        self.ask(*request)
        return self.answer()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        # without requests it ends, and closes its side
        self._process.communicate()


def serve(answers: Mapping[str, Callable[..., float]]) -> None:
    """Answer requests, `[NAME, ARGUMENT ...]` a line, until there are no more."""
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        print(json.dumps(answers[name](*arguments)), flush=True)


def machine() -> str:
    """The processor's name and how many cores this process may use."""
    cores = len(os.sched_getaffinity(0))
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {cores} cores"


def gpu() -> str | None:
    """The short name of the GPU that this process computes on by PyTorch, such as H200; None if it uses none."""
    torch: Any = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return None
    return short_name(str(torch.cuda.get_device_name()))


def short_name(device: str) -> str:
    """A GPU without what all have in their names, or what says more than its kind."""
    return device.removeprefix("NVIDIA ").replace(",", " ").split()[0]


def last_level_cache(processors: Path = Path("/sys/devices/system/cpu")) -> int:
    """Bytes of all the caches of the last level that this process's cores share; RuntimeError if Linux does not say."""
    found: dict[tuple[int, str], int] = {}
    for cpu in os.sched_getaffinity(0):
        for cache in (processors / f"cpu{cpu}" / "cache").glob("index*"):
            level, shared, size = ((cache / name).read_text().strip() for name in ("level", "shared_cpu_list", "size"))
            found[int(level), shared] = int(size.removesuffix("K")) * 1024
    if not found:
        raise RuntimeError(f"the machine does not say how large its caches are ({processors}/cpu*/cache)")
    last = max(level for level, _ in found)
    return sum(size for (level, _), size in found.items() if level == last)
