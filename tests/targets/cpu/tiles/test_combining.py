"""Reductions and scans by a region: compiled, against the interpreter's meaning in exact numbers."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from generators.element_types import DTYPES
from targets.cpu.collective import Collective, available_levels

Array = NDArray[Any]
LEVELS = sorted({available_levels()[0], available_levels()[-1]}, key=lambda level: level.name)
SHAPES = [
    ((1,), 0),
    ((8,), 0),
    ((77,), 0),
    ((1024,), 0),
    ((37, 5), 0),
    ((5, 37), 1),
    ((4, 300), 1),
    ((300, 4), 1),
    ((3, 4, 20), 1),
]


def _kernel(
    words: str, body: str, dtypes: tuple[str, ...], shape: tuple[int, ...], dim: int, level: object
) -> Collective:
    left = shape if words.startswith("tile.scan") else tuple(e for k, e in enumerate(shape) if k != dim)
    spell = "".join(f"{e}x" for e in shape)
    out = "".join(f"{e}x" for e in left)
    parameters = [f"%X{i}: memref<{t}{''.join(f'x{e}' for e in shape)}>" for i, t in enumerate(dtypes)]
    parameters += [f"%Y{i}: memref<{t}{''.join(f'x{e}' for e in left)}>" for i, t in enumerate(dtypes)]
    lines = ["%z = arith.constant {value = 0} -> index"]
    zeros, ends = ", ".join(["%z"] * len(shape)), ", ".join(["%z"] * len(left))
    lines += [f"%t{i} = tile.load %X{i}, {zeros} -> tile<{spell}{t}>" for i, t in enumerate(dtypes)]
    arguments = ", ".join(f"%e{i}: {t}, %a{i}: {t}" for i, t in enumerate(dtypes))
    results = ", ".join(f"tile<{out}{t}>" for t in dtypes)
    names = ", ".join(f"%r{i}" for i in range(len(dtypes)))
    tiles = ", ".join(f"%t{i}" for i in range(len(dtypes)))
    word, *options = words.split()
    attributes = f"dim = {dim}"
    if word == "tile.scan_by":
        starts = [f"%s{i}" for i in range(len(dtypes))] if "start" in options else []
        lines += [f"{name} = arith.constant {{value = 3}} -> {t}" for name, t in zip(starts, dtypes, strict=False)]
        tiles = ", ".join([tiles, *starts])
        attributes += f", reverse = {str('reverse' in options).lower()}"
        attributes += f", operand_segments = [{len(dtypes)}, {len(starts)}]"
    lines.append(f"{names} = {word} {tiles} {{{attributes}}} -> {results} ({arguments}) {{ {body} }}")
    lines += [f"tile.store %r{i}, %Y{i}{', ' if ends else ''}{ends}" for i in range(len(dtypes))]
    return Collective(", ".join(parameters), "\n".join(lines), level)  # type: ignore[arg-type]


def _run(words: str, body: str, dtypes: tuple[str, ...], inputs: list[Array], dim: int, level: object) -> list[Array]:
    shape = inputs[0].shape
    left = shape if words.startswith("tile.scan") else tuple(e for k, e in enumerate(shape) if k != dim)
    outs: list[Array] = [np.asfortranarray(np.full(left, 77).astype(DTYPES[t])) for t in dtypes]
    kernel = _kernel(words, body, dtypes, shape, dim, level)
    kernel({**{f"X{i}": x for i, x in enumerate(inputs)}, **{f"Y{i}": y for i, y in enumerate(outs)}})
    return outs


def _rng() -> np.random.Generator:
    seed = secrets.randbits(32)
    print(f"seed = {seed}")
    return np.random.default_rng(seed)


AFFINE = """%m = arith.mul %e0, %a0 -> i32 %n = arith.mul %e0, %a1 -> i32 %s = arith.add %n, %e1 -> i32
    scf.yield %m, %s"""
"""Composition of x -> e0 x + e1 after x -> a0 x + a1: associative, not commutative, exact in wrapping integers."""


def _affine(x: Array, y: Array, dim: int, reverse: bool, start: bool = False) -> tuple[Array, Array]:
    m, s = np.moveaxis(x.astype(np.int32), dim, 0), np.moveaxis(y.astype(np.int32), dim, 0)
    if reverse:
        m, s = m[::-1], s[::-1]
    products, sums = ([3 * m[0]], [3 * m[0] + s[0]]) if start else ([m[0]], [s[0]])
    with np.errstate(over="ignore"):
        for k in range(1, len(m)):
            sums.append(m[k] * sums[-1] + s[k])
            products.append(m[k] * products[-1])
    both = np.stack(products), np.stack(sums)
    turned = [v[::-1] if reverse else v for v in both]
    return np.moveaxis(turned[0], 0, dim), np.moveaxis(turned[1], 0, dim)


@pytest.mark.covering(1)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("shape", "dim"), SHAPES)
def test_two_tiles_keep_their_order(shape: tuple[int, ...], dim: int, level: object) -> None:
    rng = _rng()
    x, y = (np.asfortranarray(rng.integers(-3, 4, shape).astype(np.int32)) for _ in range(2))
    for words in ("tile.scan_by", "tile.scan_by reverse", "tile.scan_by start", "tile.scan_by start reverse"):
        found = _run(words, AFFINE, ("i32", "i32"), [x, y], dim, level)
        for got, want in zip(found, _affine(x, y, dim, "reverse" in words, "start" in words), strict=True):
            np.testing.assert_array_equal(got, want)
    found = _run("tile.reduce_by", AFFINE, ("i32", "i32"), [x, y], dim, level)
    for got, want in zip(found, _affine(x, y, dim, False), strict=True):
        np.testing.assert_array_equal(got, np.take(want, -1, axis=dim))


ARGMAX = """%g = arith.cmp %e0, %a0 {predicate = "gt"} -> bool %v = arith.select %g, %e0, %a0 -> f32
    %i = arith.select %g, %e1, %a1 -> i64 scf.yield %v, %i"""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("shape", "dim"), SHAPES)
def test_argmax_of_elements_of_two_widths(shape: tuple[int, ...], dim: int, level: object) -> None:
    rng = _rng()
    x = np.asfortranarray(rng.integers(-9, 9, shape).astype(np.float32))
    i = np.asfortranarray(np.moveaxis(np.broadcast_to(np.arange(shape[dim]), np.moveaxis(x, dim, -1).shape), -1, dim))
    value, index = _run("tile.reduce_by", ARGMAX, ("f32", "i64"), [x, i.astype(np.int64)], dim, level)
    np.testing.assert_array_equal(value, x.max(axis=dim))
    np.testing.assert_array_equal(index, x.argmax(axis=dim))


@pytest.mark.parametrize("word", ["maximum", "mul", "umax", "xor"])
@pytest.mark.parametrize(("shape", "dim"), SHAPES[2:6])
def test_one_commutative_operation(shape: tuple[int, ...], dim: int, word: str) -> None:
    dtype = "i32" if word in ("umax", "xor") else "f32"
    x = np.asfortranarray(_rng().integers(-2, 9, shape).astype(DTYPES[dtype]))
    if word == "maximum":
        x[(0,) * len(shape)] = np.nan  # type: ignore[assignment]
    body = f"%s = arith.{word} %e0, %a0 -> {dtype} scf.yield %s"
    (found,) = _run("tile.reduce_by", body, (dtype,), [x], dim, LEVELS[-1])
    read = x.view(np.uint32) if word == "umax" else x
    reduced = {"maximum": np.maximum, "mul": np.multiply, "umax": np.maximum, "xor": np.bitwise_xor}[word]
    np.testing.assert_allclose(found, np.asarray(reduced.reduce(read, axis=dim)).view(found.dtype), rtol=1e-5)
