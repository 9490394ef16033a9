"""Contractions in loops of any order and tiling become instructions, with the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from effort import Ran, count
from generators.element_types import DTYPES
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module
from tilewright.diagnostics import Report
from tilewright.dialects.builtin import Module
from tilewright.interpreter import interpret
from tilewright.program import load_artifact
from tilewright.targets import find_target
from tilewright.transforms.raise_contractions import RaiseContractions
from transforms.raise_contractions.loops import Spec, Writer
from transforms.support import kernel, names, run

Array = NDArray[Any]
NESTS = count("RANDOM_RAISED_NESTS", 6, 2000)

SPECS = {
    "gemm": ("mn", "mk", "kn"),
    "gemm of transposed factors": ("mn", "km", "nk"),
    "transposed gemm": ("nm", "mk", "kn"),
    "batched gemm": ("bmn", "bmk", "bkn"),
    "gemm with the batch last": ("mnb", "mkb", "knb"),
    "gemv": ("m", "mk", "k"),
    "transposed gemv": ("m", "km", "k"),
    "row times matrix": ("n", "k", "kn"),
    "ger": ("mn", "m", "n"),
    "hadamard": ("mn", "mn", "mn"),
    "gemm over two modes": ("mn", "mkl", "lkn"),
}
OPERATIONS = {"gemm": "tl.gemm", "gemv": "tl.gemv", "row ": "tl.gemv", "ger": "tl.ger", "hadamard": "tl.hadamard"}


def operation(name: str) -> str:
    return next(op for part, op in OPERATIONS.items() if part in name)


def arrays(spec: Spec, rng: np.random.Generator) -> list[Array]:
    """The target and the sources, of small integers."""
    dtype = DTYPES[spec.element]
    return [
        np.asfortranarray(rng.integers(-4, 5, [spec.extents[k] for k in letters]).astype(dtype))
        for letters in (spec.target, spec.left, spec.right)
    ]


def contraction(spec: Spec, target: Array, left: Array, right: Array) -> None:
    target += np.einsum(f"{spec.left},{spec.right}->{spec.target}", left, right)


def check(module: Module, spec: Spec, rng: np.random.Generator) -> None:
    """The program computes the contraction."""
    made = arrays(spec, rng)
    want = [a.copy(order="K") for a in made]
    contraction(spec, want[0], want[1], want[2])
    interpret(module.kernels[0], [*made, *(spec.extents.values() if spec.dynamic else ())], (1, 1, 1))
    for x, y in zip(made, want, strict=True):
        np.testing.assert_array_equal(x, y)


def random_spec(rng: np.random.Generator, name: str) -> Spec:
    target, left, right = SPECS[name]
    letters = dict.fromkeys(target + left + right)
    extents = {k: int(rng.integers(2, 14)) for k in letters}
    return Spec(target, left, right, extents, str(rng.choice(["f64", "f32", "i32", "i8"])), bool(rng.random() < 0.3))


def is_raised(module: Module, name: str) -> bool:
    found = names(module)
    return found[operation(name)] >= 1 and not found["memref.store"]


@pytest.mark.parametrize("name", SPECS)
def test_contractions_are_recognised_whatever_the_loops(rng: np.random.Generator, ran: Ran, name: str) -> None:
    for _ in range(NESTS):
        spec = random_spec(rng, name)
        text = Writer(spec, rng).nest()
        module = kernel(spec.parameters, text, spec.attributes)
        after = run(module, RaiseContractions())
        assert is_raised(module, name), f"{text}\n\n{after}"
        check(module, spec, rng)
    ran(NESTS, "contractions in loops")


@pytest.mark.parametrize("name", SPECS)
def test_loops_of_all_kinds_are_drawn(rng: np.random.Generator, name: str) -> None:
    """The rarest are in one nest of ten."""
    missing = {"tiled", "unrolled", "backwards"}
    for _ in range(500):
        writer = Writer(random_spec(rng, name), rng)
        writer.nest()
        missing -= writer.features
        if not missing:
            break
    assert not missing


@pytest.mark.parametrize("name", ["gemm", "batched gemm", "transposed gemv"])
def test_what_is_compiled_for_the_cpu_is_raised_and_right(rng: np.random.Generator, name: str) -> None:
    spec = random_spec(rng, name)
    module = kernel(spec.parameters, Writer(spec, rng).nest(), spec.attributes)
    artifact = compile_module(module, find_target("cpu"), CompileOptions(), Report())
    made = arrays(spec, rng)
    want = [a.copy(order="K") for a in made]
    contraction(spec, want[0], want[1], want[2])
    lengths = spec.extents.values() if spec.dynamic else ()
    load_artifact(artifact, lambda: "", lambda: ()).f[1](*made, *lengths)
    np.testing.assert_array_equal(made[0], want[0])
    assert not names(module)["memref.store"]
