"""Arguments of kernels for `run` and `bench`: given as text, or made up where they are not."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from tilewright.artifacts.parameters import (
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    Parameter,
    PointerParameter,
    ScalarParameter,
)
from tilewright.cli.inputs import say_once
from tilewright.files import open_to_read
from tilewright.numerics.strided import strided
from tilewright.runtime.dtypes import numpy_dtype

Array = NDArray[Any]
_CALL = re.compile(r"(random|zeros|ones)\(([0-9, ]*)\)$")
_DEFAULT_EXTENT = 16


def parse_pairs(pairs: tuple[str, ...]) -> Mapping[str, str]:
    """`NAME=SPEC` options by name."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, spec = pair.partition("=")
        if not equals:
            raise click.UsageError(f"--arg {pair}: write NAME=SPEC")
        say_once(found, name.lstrip("%"), spec, f"--arg {pair}")
    return found


def make_arguments(info: KernelInfo, given: Mapping[str, str], seed: int, grid: Sequence[int]) -> Mapping[str, object]:
    """An argument for every parameter that takes one, in their order: as given, else random.

    Groups have as many elements as there are work-groups, and a `?` is at least that, since kernels index both with it.
    """
    rng = np.random.default_rng(seed)
    groups = math.prod(grid)
    names = [p.name for p in info.passed]
    unknown = [name for name in given if name not in names]
    if unknown:
        message = f"kernel {info.name} takes no argument {', '.join(unknown)}; it takes {', '.join(names) or 'none'}"
        raise click.UsageError(message)
    return {p.name: _argument(p, given.get(p.name), rng, groups) for p in info.passed}


def _argument(parameter: Parameter, spec: str | None, rng: np.random.Generator, groups: int) -> object:
    match parameter:
        case ScalarParameter():
            return _scalar(parameter, spec, rng)
        case MemrefParameter():
            return _array(parameter, spec, rng, max(_DEFAULT_EXTENT, groups))
        case PointerParameter():
            return _behind_pointer(parameter, spec, rng)
        case GroupParameter():
            return _group(parameter, spec, rng, groups)


def _scalar(parameter: ScalarParameter, spec: str | None, rng: np.random.Generator) -> object:
    if spec is None:
        return True if parameter.dtype == "bool" else numpy_dtype(parameter.dtype).type(1)
    try:
        if parameter.dtype == "bool":
            return {"true": True, "false": False, "1": True, "0": False}[spec.lower()]
        number = complex(spec) if parameter.dtype[0] == "c" else float(spec) if "f" in parameter.dtype else int(spec)
    except (ValueError, KeyError):
        raise click.UsageError(f"--arg {parameter.name}={spec}: this is no {parameter.dtype}") from None
    return number


def _array(parameter: MemrefParameter, spec: str | None, rng: np.random.Generator, default: int) -> Array:
    to_dimensions = parameter.by_dimensions(tuple(range(len(parameter.shape))))
    if spec is not None and spec.endswith(".npy"):
        loaded = _loaded(parameter, Path(spec))
        if parameter.dimensions and loaded.ndim == len(to_dimensions):
            return _laid_out(loaded.transpose(parameter.dimensions), parameter.strides).transpose(to_dimensions)
        return _laid_out(loaded, parameter.strides)
    kind, given = ("random", []) if spec is None else _call(parameter, spec)
    shape = parameter.by_modes(tuple(given)) or [default if s is None else s for s in parameter.shape]
    made = _filled(_strided(shape, parameter.strides, numpy_dtype(parameter.dtype)), kind, rng)
    return made.transpose(to_dimensions) if parameter.dimensions and made.ndim == len(to_dimensions) else made


def _group(parameter: GroupParameter, spec: str | None, rng: np.random.Generator, groups: int) -> list[Array]:
    """Arrays in one piece of memory; those of a file lie along its first mode, as `--save` writes them."""
    memref = parameter.memref
    if spec is not None and spec.endswith(".npy"):
        return [_laid_out(array, memref.strides) for array in np.atleast_1d(_loaded(memref, Path(spec)))]
    kind, given = ("random", []) if spec is None else _call(memref, spec)
    shape = given or [_DEFAULT_EXTENT if s is None else s for s in memref.shape]
    count = groups if parameter.size is None else parameter.size
    strides = [*memref.strides[: len(shape)], None]
    batch = _filled(_strided([*shape, count], strides, numpy_dtype(memref.dtype)), kind, rng)
    return [batch[..., k] for k in range(count)]


def _behind_pointer(parameter: PointerParameter, spec: str | None, rng: np.random.Generator) -> Array:
    """A row-major array of any shape."""
    if spec is not None and spec.endswith(".npy"):
        return _loaded(parameter, Path(spec))
    kind, shape = ("", []) if spec is None else _call(parameter, spec)
    if not shape:
        raise click.UsageError(
            f"--arg {parameter.name}=random(..): say the extents; how far a kernel goes behind a pointer is not known"
        )
    return _filled(_zeros(shape, numpy_dtype(parameter.dtype)), kind, rng)


def _call(parameter: MemrefParameter | PointerParameter, spec: str) -> tuple[str, list[int]]:
    """`random(4,5)` as a word and extents."""
    match = _CALL.match(spec)
    if match is None:
        raise click.UsageError(
            f"--arg {parameter.name}={spec}: write random(..), zeros(..), ones(..) with extents, or a .npy file"
        )
    try:
        return match[1], [int(s) for s in match[2].split(",")] if match[2].strip() else []
    except ValueError:
        raise click.UsageError(
            f"--arg {parameter.name}={spec}: extents are integers with commas between them"
        ) from None


def _loaded(parameter: MemrefParameter | PointerParameter, path: Path) -> Array:
    """An array in a file; types that NumPy does not know are stored there as bytes without a name."""
    try:
        with open_to_read(path) as file:
            array: Array = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise click.UsageError(f"--arg {parameter.name}={path}: {error}") from None
    wanted = numpy_dtype(parameter.dtype)
    return array.view(wanted) if array.dtype.kind == "V" and array.dtype.itemsize == wanted.itemsize else array


def _laid_out(array: Array, declared: Sequence[int | None]) -> Array:
    """The elements where the type wants them, whatever their order in a file."""
    copy = _strided(array.shape, declared, array.dtype)
    copy[...] = array
    return copy


def _zeros(shape: int | list[int], dtype: np.dtype[Any]) -> Array:
    try:
        return np.zeros(shape, dtype)
    except (MemoryError, ValueError):
        elements = f"{math.prod(shape) if isinstance(shape, list) else shape:,} elements of {dtype}"
        raise click.UsageError(f"{elements} do not fit into memory; ask for less with --arg or --grid") from None


def _strided(shape: Sequence[int], declared: Sequence[int | None], dtype: np.dtype[Any]) -> Array:
    """A column-major array, with the static strides where the type has them."""
    strides: list[int] = []
    least = 1
    for mode, extent in enumerate(shape):
        stride = declared[mode] if mode < len(declared) else None
        strides.append(least if stride is None else stride)
        least = strides[-1] * max(extent, 1)
    flat = _zeros(max(least, 1), dtype)
    return strided(flat, shape, [s * flat.itemsize for s in strides])


def _filled(array: Array, kind: str, rng: np.random.Generator) -> Array:
    match kind:
        case "zeros":
            array[...] = 0
        case "ones":
            array[...] = 1
        case _ if array.dtype.kind in "iu":
            array[...] = rng.integers(-8, 8, array.shape)
        case _:
            array[...] = rng.standard_normal(array.shape)
            if array.dtype.kind == "c":
                imaginary: Array = rng.standard_normal(array.shape)
                array += 1j * imaginary
    return array
