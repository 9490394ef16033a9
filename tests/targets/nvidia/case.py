"""A kernel with arguments and what it must leave in them: compiled everywhere, run where there is a GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from generators.element_types import SCALARS
from tilewright.artifacts.artifact import Artifact
from tilewright.compile_options import CompileOptions
from tilewright.compiler import lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.ir.parser import parse_ir
from tilewright.ir.verifier import verify
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class GroupArgument:
    """Arrays behind a table of pointers, None for a null pointer.

    The kernel adds `offset` elements to each pointer, and they point so many elements `in_front` of the arrays.
    """

    arrays: Sequence[Array | None]
    offset: int = 0
    in_front: int = 0


Argument: TypeAlias = Array | np.generic | GroupArgument | None


@dataclass(frozen=True, slots=True)
class Launch:
    """Arguments, the grid, and for each written argument (or the arrays of a group) its contents afterwards.

    `tolerance` bounds the relative norm of the error, `ulps` the error of each element in units of the last place; both
    0 demand equality, where NaN equals NaN.
    """

    arguments: Sequence[Argument]
    expected: Mapping[int, Array | Sequence[Array | None]]
    grid: tuple[int, int, int] = (1, 1, 1)
    tolerance: float = 0.0
    ulps: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """One kernel: in the IR's own text on the tile level, or in the tensor language."""

    name: str
    text: str
    prepare: Callable[[np.random.Generator], Launch] = field(repr=False)
    language: bool = False

    def module(self) -> Module:
        """The verified program."""
        report = Report()
        if self.language:
            return read_module(Source(f"{self.name}.tl", self.text), report)
        module = parse_ir(Source(f"{self.name}.twir", self.text), report, operation_classes())
        assert isinstance(module, Module), [str(d) for d in report.diagnostics]
        assert verify(module, report), [str(d) for d in report.diagnostics]
        return module

    def lowered(self, architecture: Architecture, level: int = 2) -> Module:
        """The program as lanes of a device."""
        module = self.module()
        lower_module(module, NvidiaTarget(architecture), CompileOptions(level, verify_each=True), Report())
        return module

    def artifact(self, architecture: Architecture, level: int = 2) -> Artifact:
        """The kernel compiled for a device."""
        return NvidiaTarget(architecture).generate(self.lowered(architecture, level), Report())


def kernel(
    parameters: str, body: str, subgroup: int = 32, work_group: tuple[int, int] = (64, 1), attributes: str = ""
) -> str:
    """A module with the one kernel `k`."""
    sizes = f"subgroup_size = {subgroup}, work_group_size = [{work_group[0]}, {work_group[1]}]"
    return (
        f'builtin.module {{\n  builtin.kernel {{sym_name = "k", {sizes}{attributes}}} ({parameters}) {{\n'
        f"{body}\n  }}\n}}\n"
    )


def random_array(rng: np.random.Generator, dtype: str, *shape: int, small: bool = False) -> Array:
    """Random numbers in Fortran order; `small` ones are integers whose sums are exact in any type."""
    target = SCALARS[dtype]
    if target.kind == "i":
        bound = 5 if small else int(np.iinfo(target).max)
        numbers = rng.integers(-bound, bound, shape)
    elif small:
        numbers = rng.integers(-4, 5, shape)
    else:
        numbers = rng.standard_normal(shape)
    if target.kind == "c":
        numbers = numbers + 1j * (rng.integers(-4, 5, shape) if small else rng.standard_normal(shape))
    return np.array(numbers, target, order="F")


def poisoned(dtype: str, *shape: int) -> Array:
    """An output to be overwritten: NaN, or a number nobody computes."""
    target = SCALARS[dtype]
    value = 0x55 if target.kind in "ib" else np.nan
    return np.array(np.full(shape, value), target, order="F")


def faults(launch: Launch, results: Mapping[int, Array | Sequence[Array | None]]) -> list[str]:
    """Differences between results and expectations, by argument."""
    found: list[str] = []
    for k, expected in launch.expected.items():
        result = results[k]
        pairs = [(result, expected)] if isinstance(result, np.ndarray) else zip(result, expected, strict=True)
        for have, want in pairs:
            if isinstance(have, np.ndarray) and isinstance(want, np.ndarray):
                fault = mismatch(launch, have, want)
                found += [f"argument {k}: {fault}"] if fault else []
    return found


def mismatch(launch: Launch, found: Array, expected: Array) -> str | None:
    """What is wrong with a result, or None."""
    if launch.tolerance:
        return _far(found, expected, launch.tolerance)
    if found.dtype.kind == "V":
        found, expected = found.astype(np.float64), expected.astype(np.float64)
    same = (found == expected) | (np.not_equal(found, found) & np.not_equal(expected, expected))
    if launch.ulps:
        with np.errstate(all="ignore"):
            same |= np.abs(found - expected) <= launch.ulps * np.spacing(np.abs(expected))
    if np.all(same):
        return None
    where = tuple(int(k) for k in np.argwhere(~same)[0])
    return f"{np.count_nonzero(~same)} elements differ; at {where} {found[where]!r}, expected {expected[where]!r}"


def _far(found: Array, expected: Array, tolerance: float) -> str | None:
    wide = np.complex128 if found.dtype.kind == "c" else np.float64
    found, expected = found.astype(wide), expected.astype(wide)
    if not np.array_equal(np.isnan(found), np.isnan(expected)):
        return "NaN where there should be none, or a poisoned element overwritten that should not be"
    off = (found != expected) & ~np.isnan(expected)
    with np.errstate(invalid="ignore"):
        parts = (found[off] - expected[off]).view(np.float64)
    # what is NaN now is an infinite part of a complex number, the same in both
    error = np.linalg.norm(np.nan_to_num(parts, nan=0.0, posinf=np.inf, neginf=-np.inf))
    norm = np.linalg.norm(expected[np.isfinite(expected)])
    return None if error <= tolerance * norm else f"relative error {error / norm:.3g} exceeds {tolerance}"
