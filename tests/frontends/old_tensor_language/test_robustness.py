"""No text, however broken, brings the reader or the upgrade down; whatever passes is upgraded to the same program."""

from __future__ import annotations

import random

import pytest

from effort import SEED, Ran, count
from generators.old_kernels import generate
from tilewright.diagnostics import CompileError, Report, Source
from tilewright.frontends.old_tensor_language import parse, upgrade, verify_language
from tilewright.frontends.old_tensor_language.parser import INSTRUCTIONS
from tilewright.frontends.standard import detect
from tilewright.frontends.tensor_language.lexer import pieces

TEXTS = count("RANDOM_BROKEN_TEXTS", 400, 20_000)
WORDS = (
    *INSTRUCTIONS,
    *("i1", "i8", "i32", "index", "f32", "f64", "memref", "group", "x", "?", ":", "->", ",", "(", ")", "{", "}"),
    *("[", "]", "<", ">", "=", "0", "1", "-1", "1.5", "1e400", "true", "%v", "%id1", "%07", "@f", "func"),
    *(".n", ".t", ".atomic", ".add", ".lt", "else", "strided", "offset", "work_group_size", "subgroup_size"),
    *("99999999999999999999", "constant", "bool", "attributes", "$n", "local", '"x"', "\x00", "é", "; c\n", "\n"),
)  # fmt: skip


def _broken(rnd: random.Random) -> str:
    """A kernel with a few tokens changed."""
    found = [piece for piece, _ in pieces(generate(rnd).text)]
    for _ in range(rnd.randint(1, 6)):
        at = rnd.randrange(len(found))
        match rnd.randrange(5):
            case 0:
                del found[at : at + rnd.randint(1, 3)]
            case 1:
                found.insert(at, f" {rnd.choice(WORDS)} ")
            case 2:
                found[at] = f" {rnd.choice(WORDS)} "
            case 3:
                other = rnd.randrange(len(found))
                found[at], found[other] = found[other], found[at]
            case _:
                found[at:at] = found[at : at + rnd.randint(1, 12)]
        if not found:
            break
    text = "".join(found)
    return text[: rnd.randrange(len(text) + 1)] if rnd.random() < 0.1 else text


@pytest.mark.parametrize("chunk", range(4))
def test_broken_texts_are_reported(chunk: int, ran: Ran) -> None:
    numbers = range(chunk, TEXTS, 4)
    for number in numbers:
        text = _broken(random.Random(SEED + number))
        source = Source("broken.tl", text)
        report = Report()
        try:
            verify_language(parse(source, report), report)
            assert all(d.location.primary is not None for d in report.diagnostics)
            detect(source)
            upgrade(source, Report())
        except CompileError:
            assert report.has_errors
        except Exception as error:
            raise AssertionError(f"seed {SEED + number}: {type(error).__name__}: {error}\n{text}") from error
    ran(len(numbers), "broken texts of the old tensor language")


def test_limits_are_those_of_the_new_reader() -> None:
    for text, code in (
        ("func @f(%p: i1) {" + " if %p {" * 300 + "}" * 301, "L003"),
        ("func @f(%x: memref<f32" + "x1" * 40 + ">, %p: i1) { }", "L006"),
        ("func @f(%p: i1) { %v = subview %x[" + ",".join("0" * 40) + "] : memref<f32> }", "V6"),
        ("func @f(%x: memref<f32>) { %v = subview %x[" + ",".join("0" * 40) + "] : memref<f32> }", "L006"),
    ):
        report = Report()
        parse(Source("old.tl", text), report)
        assert code in {d.code for d in report.diagnostics}
