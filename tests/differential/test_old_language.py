"""Random kernels of the old language: the old text and its upgraded text are the same program, bit for bit.

All of them are read from the old text and from the upgraded one, and the IR, printed in full, must be the same but for
lifetimes and empty yields, which the new text does not say and no result depends on. Everything behind the front end -
passes, code generation, the interpreter - sees that IR and nothing else of the text, so equal IR means equal results on
every target, at every level. A sample is compiled all the same, through the public interface with recognition of the
language: the object code and the PTX are the same byte for byte, and so is what the interpreter makes of the arguments,
and what the CPU does, which is the same up to rounding.

The seed of a failing kernel is in the message.
"""

from __future__ import annotations

import random
import re

import pytest

import tilewright as tw
from effort import SEED, Ran, count
from generators.arguments import Array, arrays, spilled
from generators.old_kernels import GROUPS, OldKernel, generate
from tilewright.compiler import uncollected
from tilewright.diagnostics import Report, Source
from tilewright.frontends import old_tensor_language, tensor_language
from tilewright.frontends.old_tensor_language.parser import INSTRUCTIONS
from tilewright.frontends.standard import Standard, detect
from tilewright.ir.printer import print_op

from .compare import difference
from .variants import Variant, rotation

KERNELS = count("RANDOM_OLD_KERNELS", 1000, 20_000)
RUNS = count("RANDOM_OLD_RUNS", 3, 500)
CHUNKS = 20
RUN_CHUNKS = 3


_COMMENT = re.compile(r";[^\n]*")
_MNEMONIC = re.compile(r"(?<![%@\w.])[a-z]\w*")
_NAME = re.compile(r"%(?:[A-Za-z]\w*|[1-9]\d*)\b")
"""Names that are valid in the new language; `%07` is not."""


def _check_text(kernel: OldKernel, closely: bool) -> None:
    # Both programs are verified here.
    upgraded = old_tensor_language.upgraded_programs(Source("old.tl", kernel.text), Report())
    # Lifetimes and empty yields are gone from the old program, that is all.
    assert print_op(upgraded.old) == print_op(upgraded.new)
    text = upgraded.text
    assert [remark.rstrip() for remark in _COMMENT.findall(text)] == kernel.comments
    assert set(_NAME.findall(_COMMENT.sub("", kernel.text))) <= set(_NAME.findall(_COMMENT.sub("", text)))
    if closely:
        assert tensor_language.format_source(Source("new.tl", text), Report()) == text
        lines = kernel.text.replace("\n", "\r\n")
        assert old_tensor_language.upgrade(Source("windows.tl", lines), Report()) == text


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_the_upgraded_text_is_the_same_program(chunk: int, ran: Ran) -> None:
    numbers = range(chunk, KERNELS, CHUNKS)
    with uncollected():
        for number in numbers:
            seed = SEED + number
            kernel = generate(random.Random(seed))
            try:
                _check_text(kernel, closely=not number // CHUNKS % 8)
            except Exception as error:
                raise AssertionError(f"seed {seed} fails: {type(error).__name__}: {error}\n{kernel.text}") from error
    ran(len(numbers), "kernels of the old tensor language, upgraded")


def _run(program: tw.Program, kernel: OldKernel) -> list[tuple[str, Array]]:
    """All arrays afterwards, around which nothing is written."""
    arguments = kernel.copy_arguments()
    program[kernel.name][GROUPS](*arguments)
    found = list(arrays(arguments))
    assert not [name for name, array in found if spilled(array)], "bytes around an argument are written"
    return found


def _check_results(kernel: OldKernel, upgraded: str, variant: Variant) -> None:
    results: list[list[tuple[str, Array]]] = []
    for target in ("interpreter", f"cpu:{variant.features.value}", "nvidia"):
        texts = kernel.text, upgraded
        programs = [tw.compile(text, target=target, level=variant.level, cache=False) for text in texts]
        # LLVM numbers all calls of the process in comments of the PTX.
        payloads = [re.sub(rb"// callseq \d+", b"", program.artifact.payload) for program in programs]
        assert payloads[0] == payloads[1], f"other code for {target}"
        if target != "nvidia":
            old, new = (_run(program, kernel) for program in programs)
            assert [a.tobytes() for _, a in old] == [a.tobytes() for _, a in new], f"other results on {target}"
            results.append(old)
    for (name, want), (_, have) in zip(*results, strict=True):
        fault = difference(want, have, exact=False)
        assert not fault, f"{name}, {variant}: {fault}"


@pytest.mark.parametrize("chunk", range(RUN_CHUNKS))
def test_both_texts_give_the_same_code_and_the_same_bits(chunk: int, ran: Ran) -> None:
    compared = 0
    for number in range(chunk, RUNS, RUN_CHUNKS):
        seed = SEED + KERNELS + number
        kernel = generate(random.Random(seed))
        source = Source("old.tl", kernel.text)
        if detect(source) is not Standard.OLD:
            # Without parameters and with nothing but `fuse` and the like, a text does not say its language.
            continue
        upgraded = old_tensor_language.upgrade(source, Report())
        try:
            _check_results(kernel, upgraded, rotation(number)[0])
        except Exception as error:
            raise AssertionError(f"seed {seed} fails: {type(error).__name__}: {error}\n{kernel.text}") from error
        compared += 1
    ran(compared, "kernels of the old tensor language, upgraded, compiled and run")


def test_every_mnemonic_is_generated() -> None:
    missing = set(INSTRUCTIONS)
    for number in range(1000):
        missing -= set(_MNEMONIC.findall(_COMMENT.sub("", generate(random.Random(SEED + number)).text)))
        if not missing:
            break
    assert not missing
