"""Random kernels of the old language: the old text and its upgraded text are the same program, bit for bit.

All of them are read from the old text and from the upgraded one, and the IR, printed in full, must be the same but for
lifetimes and empty yields, which the new text does not say and no result depends on. Everything behind the front end -
passes, code generation, the interpreter - sees that IR and nothing else of the text, so equal IR means equal results on
every target, at every level. A sample is run all the same, through the public interface with recognition of the
language, in the interpreter and on the CPU.

The seed of a failing kernel is in the message.
"""

from __future__ import annotations

import os
import random
import re

import numpy as np
import pytest

import tilewright as tw
from generators.old_kernels import GROUPS, Argument, OldKernel, generate
from tilewright.compiler import uncollected
from tilewright.diagnostics import Report, Source
from tilewright.dialects import memref, scf
from tilewright.dialects.builtin import Module
from tilewright.frontends import old_tensor_language, tensor_language
from tilewright.frontends.standard import Standard, detect
from tilewright.frontends.tensor_language.lexer import is_trivia, pieces
from tilewright.ir.printer import print_op
from tilewright.runtime.groups import ArrayGroup

KERNELS = int(os.environ.get("TILEWRIGHT_RANDOM_OLD_KERNELS", "5000"))
RUNS = int(os.environ.get("TILEWRIGHT_RANDOM_OLD_RUNS", "60"))
SEED = int(os.environ.get("TILEWRIGHT_RANDOM_SEED", "0")) or random.SystemRandom().randrange(1 << 40)
CHUNKS = 20
TARGETS = (("interpreter", 2), ("cpu", 2))


def _without_hints(module: Module) -> Module:
    for op in list(module.walk()):
        if isinstance(op, memref.LifetimeStop) or (isinstance(op, scf.Yield) and not op.operands):
            op.erase()
    return module


def _check_text(kernel: OldKernel, formatted: bool) -> None:
    source = Source("old.tl", kernel.text)
    # Both programs are verified here.
    upgraded = old_tensor_language.upgrade(source, Report())
    old = old_tensor_language.parse(source, Report())
    new = tensor_language.parse(Source("new.tl", upgraded), Report())
    assert print_op(_without_hints(old)) == print_op(new)
    assert [p.rstrip() for p, _ in pieces(upgraded) if p[0] == ";"] == kernel.comments
    names = {p for p, _ in pieces(kernel.text) if not is_trivia(p) and re.fullmatch(r"%([A-Za-z]\w*|[1-9]\d*)", p)}
    assert names <= {p for p, _ in pieces(upgraded)}
    if formatted:
        assert tensor_language.format_source(Source("new.tl", upgraded), Report()) == upgraded


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_the_upgraded_text_is_the_same_program(chunk: int) -> None:
    with uncollected():
        for number in range(chunk, KERNELS, CHUNKS):
            seed = SEED + number
            kernel = generate(random.Random(seed))
            try:
                _check_text(kernel, formatted=not number // CHUNKS % 8)
            except Exception as error:
                raise AssertionError(f"seed {seed} fails: {type(error).__name__}: {error}\n{kernel.text}") from error


def _bits(argument: Argument) -> list[bytes]:
    """The memory of an argument."""
    if isinstance(argument, ArrayGroup):
        return [np.asarray(a).tobytes(order="A") for a in argument.arrays]
    if isinstance(argument, list):
        return [a.tobytes(order="A") for a in argument]
    return [np.asarray(argument).tobytes(order="A")]


def _run(text: str, kernel: OldKernel, target: str, level: int) -> list[bytes]:
    arguments = kernel.copy_arguments()
    tw.compile(text, target=target, level=level, cache=False)[kernel.name][GROUPS](*arguments)
    return [bits for argument in arguments for bits in _bits(argument)]


@pytest.mark.parametrize("chunk", range(10))
def test_both_texts_give_the_same_bits(chunk: int) -> None:
    for number in range(chunk, RUNS, 10):
        seed = SEED + KERNELS + number
        kernel = generate(random.Random(seed))
        upgraded = old_tensor_language.upgrade(Source("old.tl", kernel.text), Report())
        if detect(Source("old.tl", kernel.text)) is not Standard.OLD:
            continue
        for target, level in TARGETS:
            try:
                same = _run(kernel.text, kernel, target, level) == _run(upgraded, kernel, target, level)
            except Exception as error:
                where = f"seed {seed} fails on {target} -O{level}"
                raise AssertionError(f"{where}: {type(error).__name__}: {error}\n{kernel.text}") from error
            assert same, f"seed {seed}, {target} -O{level}\n{kernel.text}\n{upgraded}"
