"""`tilewright doctor`: what this machine can run, with versions."""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from tilewright.version import __version__

if TYPE_CHECKING:
    from tilewright.machine.processor import Machine


def findings() -> Iterator[tuple[str, str]]:
    """What was found, and what its absence disables."""
    yield "tilewright", __version__
    yield "Python", f"{platform.python_version()} on {platform.platform()}"
    for package in ("numpy", "llvmlite", "ml_dtypes", "torch", "jax", "cupy"):
        yield package, _version(package)
    yield from _processor()
    yield "forks", _forks()
    yield from _cache()
    yield "NVIDIA driver", _driver()
    yield "ptxas", shutil.which("ptxas") or "absent: PTX is assembled by the driver"
    yield "linker", shutil.which("cc") or shutil.which("ld") or "absent: no `compile --emit=so`"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def _processor() -> Iterator[tuple[str, str]]:
    from tilewright.machine.processor import FeatureSet, UnsupportedFeatures, machine
    from tilewright.runtime.threads import default_thread_count

    host = machine()
    yield "CPU", f"{host.cpu}, {host.triple}"
    for features in (FeatureSet.AVX512, FeatureSet.AVX2, FeatureSet.GENERIC):
        try:
            machine(features)
            yield f"target cpu:{features.value}", "yes"
        except UnsupportedFeatures as error:
            yield f"target cpu:{features.value}", f"no: {error}"
    yield from _units(host)
    yield "threads", str(default_thread_count())


def _units(host: Machine) -> Iterator[tuple[str, str]]:
    """The units of the processor that products may use."""
    from tilewright.machine.units import FACTS, unavailable

    for unit, facts in FACTS.items():
        why_not = unavailable(host, unit)
        asked = f"; only used where asked for, since it {facts.deviation}" if facts.deviation else ""
        yield (
            f"unit {unit.value}",
            f"no: {why_not}" if why_not is not None else f"yes: {facts.instructions}{asked}",
        )


def _cache() -> Iterator[tuple[str, str]]:
    from tilewright.cache.artifact_cache import open_cache
    from tilewright.cli.cache import describe

    yield "cache", describe(open_cache().statistics())


def _forks() -> str:
    from tilewright.machine.llvm_binding import llvm_lock

    if llvm_lock() is not None:
        return "wait for threads that compile"
    return "do not wait for threads that compile, since this llvmlite is not known: use spawn or forkserver"


def _driver() -> str:
    import ctypes.util

    found = ctypes.util.find_library("cuda")
    return found or "absent: no kernels on NVIDIA devices here (compiling for them works)"


@click.command(name="doctor")
def command() -> None:
    """What this machine can run."""
    for what, said in findings():
        click.echo(f"{what:<20} {said}")
