"""Garbled and truncated programs of MLIR: a result or diagnostics where the damage is, never an exception."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from effort import Ran, count, falls_short
from frontends.mlir.forms import PRINTED, PROGRAMS, WRITTEN_PROGRAMS
from frontends.mlir.reading import check, findings, read
from tilewright.diagnostics import CompileError, Report, Severity, Source
from tilewright.diagnostics.render import render_text
from tilewright.frontends.mlir import program_of, read_mlir_file
from tilewright.frontends.mlir.region_printer import print_custom
from tilewright.ir.mlir.printer import print_generic
from tilewright.ir.passes import PassContext, PassManager
from tilewright.transforms.lower_mlir import LowerMlir

TEXTS = [path.read_text() for path in [*PROGRAMS, *PRINTED, *WRITTEN_PROGRAMS]]
TOKEN = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|[A-Za-z_0-9$.]+|[%@#!^][A-Za-z_0-9$.-]*|->|\S')
WORDS = ["{", "}", "(", ")", "<", ">", "[", "]", ",", ":", "->", "=", "%arg0", "%", "@f", "#map", "#map1", "^bb0", "0", "-1", "1", "64", "index", "f32", "i1", "memref<", "tensor<4xf32>", "vector<4xf32>", "affine_map<(d0) -> (d0)>", "affine.for", "scf.yield", "linalg.generic", "arith.constant", "func.func", "module", "return", "step", "iter_args", "max", "min", "else", "strided<[1]>", "?", "loc(", "\n", "//", "é", "\0", '"']  # fmt: skip  # noqa: E501


def survives(text: str) -> None:
    """Reading, verifying and lowering end in a program or in located diagnostics, and what is printed is read again."""
    report = Report()
    file = read_mlir_file(Source("hostile.mlir", text), report)
    assert file is not None or report.errors
    if file is not None and not report.errors:
        again = print_generic(file)
        second = Report()
        reread = read_mlir_file(Source("again.mlir", again), second)
        assert reread is not None
        assert not second.errors, render_text(second.in_order)
        assert print_generic(reread) == again
        custom = print_custom(file)
        assert print_custom(read(custom)) == custom
        try:
            if file.module.regions:
                PassManager([LowerMlir()], verify_each=True).run(program_of(file), PassContext(report))
        except CompileError:
            assert report.errors
    for diagnostic in report.diagnostics:
        place = diagnostic.location.primary
        assert place is not None, str(diagnostic)
        assert 0 <= place.start <= place.end <= len(text)
    render_text(report.in_order)


def test_truncated_texts() -> None:
    for text in TEXTS[:30]:
        for end in range(0, len(text), 397):
            survives(text[:end])


@pytest.mark.parametrize(
    ("was", "becomes"),
    [("function_type =", "f32 ="), ("iterator_types =", "i ="), ("iterator_types = [", "iterator_types = [5, ")],
)
def test_rules_about_what_is_around_an_operation_stand_what_is_wrong_there(was: str, becomes: str) -> None:
    """A return asks its function, an index its loops."""
    text = """"builtin.module"() ({
      "func.func"() <{function_type = (memref<4xindex>) -> (), sym_name = "f"}> ({
      ^bb0(%a: memref<4xindex>):
        "linalg.generic"(%a) <{indexing_maps = [affine_map<(d0) -> (d0)>], operandSegmentSizes = array<i32: 0, 1>,
                               iterator_types = [#linalg.iterator_type<parallel>]}> ({
        ^bb0(%x: index):
          %i = "linalg.index"() <{dim = 0 : i64}> : () -> index
          "linalg.yield"(%i) : (index) -> ()
        }) : (memref<4xindex>) -> ()
        "func.return"() : () -> ()
      }) : () -> ()
    }) : () -> ()"""
    survives(text)
    assert text.count(was) == 1
    survives(text.replace(was, becomes))


def test_a_global_has_a_name() -> None:
    text = """"builtin.module"() ({
      %0 = "memref.get_global"() <{name = @g}> : () -> memref<4xf32>
    }) : () -> ()"""
    survives(text)
    survives(text.replace("name", "step"))
    (found,) = findings(text.replace("name", "step"))
    assert "attribute name is missing" in found.message


def test_garbled_texts(ran: Ran) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    cases = count("RANDOM_GARBLED_PROGRAMS", 150, 5000)
    for _ in range(cases):
        text = rng.choice(TEXTS)
        for _ in range(rng.randint(1, 3)):
            tokens = list(TOKEN.finditer(text))
            token = rng.choice(tokens)
            text = text[: token.start()] + rng.choice([*WORDS, rng.choice(tokens)[0]]) + text[token.end() :]
        try:
            survives(text)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {text!r}") from error
    ran(cases, "garbled programs of MLIR")


def test_errors_are_where_the_change_is(rng: np.random.Generator, ran: Ran) -> None:
    """One token is exchanged for another: the first error stands within a line of it."""
    wrong = near = 0
    cases = count("RANDOM_CHANGED_PROGRAMS", 300, 3000)
    for _ in range(cases):
        text = TEXTS[rng.integers(len(TEXTS))]
        tokens = [t for t in TOKEN.finditer(text) if not t[0].startswith("//")]
        token, other = (tokens[rng.integers(len(tokens))] for _ in range(2))
        mutated = text[: token.start()] + other[0] + text[token.end() :]
        found = [d for d in findings(mutated) if d.severity is Severity.ERROR]
        if not found:
            continue
        place = found[0].location.primary
        assert place is not None
        wrong += 1
        line, there = (mutated.count("\n", 0, at) for at in (token.start(), place.start))
        near += abs(line - there) <= 1
    assert not falls_short(near, wrong, 0.95), (near, wrong)
    ran(cases, "changed programs of MLIR")


@pytest.mark.parametrize(
    ("name", "flags"), [("addf", "fastmath = #arith.fastmath<non+>"), ("addi", "overflowFlags = #arith.overflow<fast>")]
)
def test_flags_are_those_that_there_are(name: str, flags: str) -> None:
    """Others could not be printed in the custom form."""
    type_ = "f32" if name == "addf" else "i32"
    text = f'"builtin.module"() ({{ %x = "test.any"() : () -> {type_}\n%y = «"arith.{name}"»(%x, %x) {{{flags}}} : ({type_}, {type_}) -> {type_} }}) : () -> ()'  # noqa: E501
    check("M7", text, "are no flags of")
