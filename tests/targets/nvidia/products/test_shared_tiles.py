"""Loops whose products share copies of tiles (`reuse=yes`), go on while threads compute (`overlap=yes`), and have what
all iterations multiply in registers (`held=yes`)."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from operators.test_attention_gradients import Array, check, chosen, drawn, gradients
from targets.nvidia.case import Launch
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.products.test_attention import TEXTS
from targets.nvidia.products.test_levels import levels, read_back
from targets.nvidia.products.test_products import emitted
from targets.nvidia.products.test_tensor_rings import OF
from targets.nvidia.products.test_tensor_rings import checked as forward_checked
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects import math, scf
from tilewright.dialects.builtin import Kernel, Module
from tilewright.interpreter.engine import interpret
from tilewright.machine.cuda.architecture import Architecture
from tilewright.operators.attention_gradient_text import gradient_text
from tilewright.operators.attention_gradient_writer import GradientClass

SCALE = 0.125
QUERIES = 6 * 64 + 10
"""More blocks than stages, and some of one."""
TEXT = gradient_text(GradientClass("f16", 64, (64, 64), False, True, "kv", early=True))
OPTIONS = ("reuse=yes", "overlap=yes", "held=yes", "reuse=yes overlap=yes held=yes")


def scheduled(options: str) -> str:
    return f"threads=128 {options}"


@lru_cache(len(OPTIONS))
def placed(options: str) -> Module:
    """The program whose products have been placed."""
    return next(levels(TEXT, Architecture.SM_90A, scheduled(options)))


def given(rng: np.random.Generator, heads: int, keys: int) -> tuple[list[Any], tuple[Array, ...]]:
    """What the program takes, and what gradients must be."""
    q, k, v, g = drawn(rng, (1, heads, 1, QUERIES, keys, 64), "f16", False)
    scores = SCALE * q.astype(np.float64) @ k.astype(np.float64).swapaxes(2, 3)
    lse = np.log(np.exp(scores).sum(axis=3))
    out = np.exp(scores - lse[..., None]) @ v.astype(np.float64)
    delta = (out * g.astype(np.float64)).sum(axis=3)
    arrays = [q, k, v, g, np.full_like(k, np.nan), np.full_like(v, np.nan)]
    lines = [lse.astype(np.float32), delta.astype(np.float32)]
    strides = [stride // 2 for array in arrays for stride in array.strides[:3]]
    flat = [heads * QUERIES, 64, heads * QUERIES, QUERIES, 0, 0] * 2
    numbers = map(np.int32, (QUERIES, keys, heads, *strides, *flat))
    taken = [np.ascontiguousarray(array).reshape(-1) for array in (*arrays, *lines)]
    return [*taken, np.float32(SCALE), *numbers], gradients(q, k, v, g, False, SCALE)


def checked(module: Module, rng: np.random.Generator) -> None:
    """Nothing differs from NumPy in the interpreter, where products are as late as they may be."""
    arrays, wanted = given(rng, 2, 70)
    interpret(module.kernels[0], arrays, (2, 1, 1))
    _compare(arrays[4:6], wanted)


def _compare(arrays: Any, wanted: tuple[Array, ...]) -> None:
    of_k, of_v = (np.reshape(np.asarray(each), wanted[1].shape) for each in arrays)
    check((wanted[0], of_k, of_v), wanted, "f16")


@pytest.mark.covering(0)
@pytest.mark.parametrize("options", OPTIONS)
def test_right(options: str, rng: np.random.Generator) -> None:
    module = placed(options)
    assert (module.kernels[0].schedule or "").partition(" #")[0].endswith(f"copies=tensor {options}")
    checked(module, rng)


@pytest.mark.covering(0)
@pytest.mark.parametrize("options", OPTIONS[1::2])
def test_emulated(options: str, rng: np.random.Generator) -> None:
    llvm, kernel = emitted(TEXT, schedule=scheduled(options))
    assert options in kernel.facts[SCHEDULE]
    arrays, wanted = given(rng, 1, 64)
    ran = Emulated(Program(llvm), (kernel,)).run(Launch(arrays, {}, (1, 1, 1)), schedule=random.Random(0))
    _compare((ran[4], ran[5]), wanted)


def test_two_products(rng: np.random.Generator) -> None:
    """Sums of the last one are awaited behind the softmax."""
    module = next(levels(TEXTS.attention(OF), Architecture.SM_90A, scheduled("overlap=yes")))
    forward_checked(module, OF, rng)
    (loop,) = [op for op in module.walk() if isinstance(op, scf.For)]
    names = [op.name for op in loop.body.entry]
    waits = [number for number, name in enumerate(names) if name == gpu.AwaitMma.definition.name]
    assert [names[number - 1] == tensors.AwaitPhase.definition.name for number in waits] == [False, True]
    assert math.Exp2.definition.name in names[waits[0] : waits[1]]


def test_a_tile_is_copied_once() -> None:
    """By far less shared memory: two rings in the place of four."""
    counts = {
        options: sum(isinstance(op, tensors.OpenBarriers) for op in placed(options).walk()) for options in OPTIONS[:2]
    }
    assert counts == {"reuse=yes": 4, "overlap=yes": 8}


def _ops(kernel: Kernel, wanted: type[Any]) -> list[Any]:
    return [op for op in kernel.walk() if isinstance(op, wanted)]


def sums_that_go_on(kernel: Kernel) -> None:
    """One more product is left than may be."""
    for wait in _ops(kernel, gpu.AwaitMma):
        if wait.others:
            wait.pending += 1


@pytest.mark.parametrize("mistake", [sums_that_go_on])
def test_mistakes_are_found(mistake: Callable[[Kernel], None], rng: np.random.Generator) -> None:
    module = read_back(placed(OPTIONS[-1]))
    mistake(module.kernels[0])
    with pytest.raises((KernelError, AssertionError)):
        checked(module, rng)


def test_two_stages_are_too_few_for_what_two_iterations_read() -> None:
    """The last product reads a stage while the first one of the next iteration reads another."""
    asked = "threads=128 reuse=yes product=64x64x64:wgmma.m64n64k16.f32.f16/1x1/"
    found = [chosen(TEXT, asked + stages) for stages in "23"]
    assert [each.partition(" reuse=")[2].split()[0] for each in found] == ["no", "yes"]


def test_loops_without_such_products() -> None:
    text = TEXTS.attention(TEXTS.Attention(64, 128, 64, (64, 64)))
    with pytest.raises(tw.CompileError, match="reuse=yes does not fit") as found:
        tw.compile(text, target="nvidia:sm_90a", schedule=f"{scheduled(OPTIONS[-1])} copies=threads")
    assert "overlap=yes does not fit" in str(found.value)
