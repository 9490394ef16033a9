"""Arguments of kernels for `run` and `bench`: given as text, or made up where they are not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from tilewright.runtime.dtypes import numpy_dtype
from tilewright.targets.parameters import (
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    Parameter,
    PointerParameter,
    ScalarParameter,
)

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
        found[name.lstrip("%")] = spec
    return found


def make_arguments(info: KernelInfo, given: Mapping[str, str], seed: int, groups: int) -> dict[str, object]:
    """An argument for every parameter: as given, else random.

    Groups have as many elements as there are work-groups, and a `?` is at least that, since kernels index both with it.
    """
    rng = np.random.default_rng(seed)
    names = [p.name for p in info.parameters]
    unknown = [name for name in given if name not in names]
    if unknown:
        message = f"kernel {info.name} has no parameter {', '.join(unknown)}; it has {', '.join(names) or 'none'}"
        raise click.UsageError(message)
    return {p.name: _argument(p, given.get(p.name), rng, groups) for p in info.parameters}


def _argument(parameter: Parameter, spec: str | None, rng: np.random.Generator, groups: int) -> object:
    match parameter:
        case ScalarParameter():
            return _scalar(parameter, spec, rng)
        case MemrefParameter():
            return None if parameter.space == "local" else _array(parameter, spec, rng, max(_DEFAULT_EXTENT, groups))
        case PointerParameter():
            return _behind_pointer(parameter, spec, rng)
        case GroupParameter():
            count = parameter.size if parameter.size is not None else groups
            return [_array(parameter.memref, spec, rng, _DEFAULT_EXTENT) for _ in range(count)]


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
    if spec is not None and spec.endswith(".npy"):
        return _loaded(parameter, Path(spec))
    kind, given = ("random", []) if spec is None else _call(parameter, spec)
    shape = given or [default if s is None else s for s in parameter.shape]
    array = _strided(shape, parameter)
    array[...] = _content(kind, array, rng)
    return array


def _behind_pointer(parameter: PointerParameter, spec: str | None, rng: np.random.Generator) -> Array:
    """A row-major array of any shape."""
    if spec is not None and spec.endswith(".npy"):
        return _loaded(parameter, Path(spec))
    kind, shape = ("", []) if spec is None else _call(parameter, spec)
    if not shape:
        raise click.UsageError(
            f"--arg {parameter.name}=random(..): say the extents; how far a kernel goes behind a pointer is not known"
        )
    array = np.zeros(shape, numpy_dtype(parameter.dtype))
    array[...] = _content(kind, array, rng)
    return array


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
        array: Array = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise click.UsageError(f"--arg {parameter.name}={path}: {error}") from None
    wanted = numpy_dtype(parameter.dtype)
    return array.view(wanted) if array.dtype.kind == "V" and array.dtype.itemsize == wanted.itemsize else array


def _strided(shape: list[int], parameter: MemrefParameter) -> Array:
    """A column-major array, with the static strides where the type has them."""
    dtype = numpy_dtype(parameter.dtype)
    strides: list[int] = []
    least = 1
    for extent, stride in zip(shape, parameter.strides, strict=False):
        strides.append(least if stride is None else stride)
        least = strides[-1] * max(extent, 1)
    flat = np.zeros(max(least, 1), dtype)
    return np.lib.stride_tricks.as_strided(flat, shape, [s * dtype.itemsize for s in strides])


def _content(kind: str, array: Array, rng: np.random.Generator) -> Any:
    if kind != "random":
        return 0 if kind == "zeros" else 1
    if array.dtype.kind in "iu":
        return rng.integers(-8, 8, array.shape)
    values = rng.standard_normal(array.shape)
    return values + 1j * rng.standard_normal(array.shape) if array.dtype.kind == "c" else values
