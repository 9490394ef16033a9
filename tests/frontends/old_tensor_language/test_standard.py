"""The language of a text is told by its decisive words, or by the language in which it is valid."""

from __future__ import annotations

import random

import pytest

from effort import SEED
from generators.kernels import generate as generate_new
from generators.old_kernels import generate as generate_old
from tilewright.diagnostics import Report, Severity, Source
from tilewright.dialects import team
from tilewright.frontends.standard import Standard, detect, first_word, read_language, refuse_old
from tilewright.frontends.standard_words import judgements
from tilewright.frontends.tensor_language.lexer import tokenize
from tilewright.frontends.tensor_language.limits import DEFAULT_LIMITS

OLD = (
    "%y = «arith».add %x, %x : f32",
    "%t = «alloca» -> memref<f32x4>",
    "%n = «group_size»",
    "%g = «group_id»",
    "func @f(%p: «i1») { }",
    "func @f() «work_group_size»(32, 1) { }",
    "func @f() «subgroup_size»(16) { }",
    "func @f(%G: «group»<memref<f32x4>>) { }",
    "func @f(%G: «group»<memref<f32x4,strided<?>>, offset: ?>) { }",
    "«axpby».n %a, %A, %b, %B : f32, memref<f32x4>, f32, memref<f32x4>",
    "«sum».n.atomic 1.0, %A, 1, %B : f32, memref<f32x4>, f32, memref<f32>",
    "«hadamard_product» %a, %A, %A, %b, %B : f32, memref<f32x4>, memref<f32x4>, f32, memref<f32x4>",
    "%v = «subview» %A[:] : memref<f32x4>",
    "%v = «subview» %A[0:2,:] : memref<f32x4x4>",
    "%v = «subview» %A[1:?] : memref<f32x4>",
    "%v = «expand» %A[0->2x?] : memref<f32x4>",
    "%v = «load» %G[%i] : group<memref<f32x4>>",
    "«store» %v, %A[%i,2] : memref<f32x4x4>",
    "%n = «size» %A[0] : memref<f32x?>",
    "%j = «cast» %i : i32 -> i64",
    "%b = «cmp».lt %i, 16 : i32",
    "«for» %i=0,8 { }",
    "«for» %i=%a,%b : i32 { }",
    "«foreach» %i=%a,%b { }",
    "«if» 1 { }",
    "«yield» %x : f32",
    "«yield» :",
)
NEW = (
    "%y = add %x, %x : f32",
    "%c = constant 1.0 : f32",
    "func @f(%p: bool) { }",
    "func @f(%A: memref<f32x4,local>) { }",
    "func @f(%A: memref<f32x4> {alignment=16}) { }",
    "func @f() attributes{work_group_size=[32,1]} { }",
    "func @f(%G: group<memref<f32x4>x?>) { }",
    "%t = alloca : memref<f32x4,local>",
    "%g = group_id.x : index",
    "%g = group_id : index",
    "func @f(%a: f32 {align=4}) { }",
    "axpby %a, %A, %b, %B",
    "gemm.atomic.n.t %a, %A, %B, %b, %C",
    "%x = load %A[%i] : f32",
    "store %v, %A[%i,%j]",
    "%n = size %A[0] : index",
    "%b = less_than %i, %j : bool",
    "foreach (%i)=(%a),(%b) { }",
    "yield (%x)",
    "$n = 4",
    # Nothing decides.
    "",
    "; only a comment with i1 and arith.add",
    "func @f(%A: memref<f32x4>) { }",
    "%v = subview %A[0:2] : memref<f32x2>",
    "%f = fuse %A[0,1] : memref<f32x16>",
    "barrier",
    "axpby 1.0, %A, 0.0, %B",
)


@pytest.mark.parametrize("text", OLD)
def test_old_words_are_recognised(text: str) -> None:
    plain = text.replace("«", "").replace("»", "")
    assert detect(Source("x", plain)) is Standard.OLD
    tokens = tokenize(Source("x", plain), Report(), DEFAULT_LIMITS)
    assert tokens is not None
    found = first_word(tokens, Standard.OLD)
    assert found is not None
    marked = plain[: found.start] + "«" + plain[found.start : found.end] + "»" + plain[found.end :]
    assert marked == text


@pytest.mark.parametrize("text", NEW)
def test_other_texts_are_new(text: str) -> None:
    assert detect(Source("x", text)) is Standard.NEW


def test_the_majority_decides_and_else_the_first_word() -> None:
    old, new = "%t = alloca -> memref<f32x4>\n", "%c = constant 1.0 : f32\n"
    assert detect(Source("x", old + new)) is Standard.OLD
    assert detect(Source("x", new + old)) is Standard.NEW
    assert detect(Source("x", old + new + new)) is Standard.NEW
    assert detect(Source("x", new + old + old)) is Standard.OLD


def test_comments_and_names_say_nothing() -> None:
    comment = "; constant bool attributes{} $n = 4 group_id.x\n"
    old = f"{comment * 20}func @constant(%bool: i1, %local: memref<f32x8>) {{ ; local\n}}\n"
    assert detect(Source("x", old)) is Standard.OLD
    comment = "; i1 arith.add alloca -> memref<f32x4> group_size\n"
    new = f"{comment * 20}func @i1(%i1: bool, %group_size: memref<f32x8>) {{ ; arith.add\n}}\n"
    assert detect(Source("x", new)) is Standard.NEW
    quiet = f"{comment}func @group_size(%i1: memref<f32x4x6>) {{ %arith = fuse %i1[0,1] : memref<f32x24> }}\n"
    assert detect(Source("x", quiet)) is Standard.NEW


def test_an_instruction_across_the_end_of_the_first_part_is_no_trouble() -> None:
    """The beginning of a long text is looked at first: what it cuts off must not be missed."""
    call = "axpby.n %a, %A, %a, %A\n : f32, memref<f32x4>, f32, memref<f32x4>\n"
    head = "func @f(%a: f32, %A: memref<f32x4>) {\n"
    for length in range(8192 - len(head) - len(call) - 4, 8192 - len(head) + 4):
        assert detect(Source("x", ";" * length + "\n" + head + call + "}")) is Standard.OLD


def test_every_word_of_a_valid_text_says_the_same() -> None:
    """Else a valid text could be taken for one of the other language."""
    for number in range(150):
        for generate, standard in ((generate_old, Standard.OLD), (generate_new, Standard.NEW)):
            text = generate(random.Random(SEED + number)).text
            tokens = tokenize(Source("x", text), Report(), DEFAULT_LIMITS)
            assert tokens is not None
            said = {found for _, found in judgements(tokens.texts)}
            assert said <= {standard}, f"seed {SEED + number}\n{text}"


QUIET = (  # Nothing in these says the language but that one of the readings is invalid.
    (Standard.OLD, "%f = fuse %T[0,1] : memref<f32x4x4x4>"),
    (Standard.NEW, "%f = fuse %T[0,1] : memref<f32x16x4>"),
    (Standard.OLD, "%f = subview %A[0:4,1:2] : memref<f32x8x4>"),
    (Standard.NEW, "%f = subview %A[0:4,1:2] : memref<f32x4x2,strided<1,8>>"),
    (Standard.OLD, "%e = expand %w[0->2x4] : memref<f32x8>"),
    (Standard.NEW, "%e = expand %w[0->2x4] : memref<f32x2x4>"),
    (Standard.NEW, "%e = subview %w[0:8] : memref<f32x8>"),  # the same in both
)


@pytest.mark.parametrize(("standard", "body"), QUIET)
def test_quiet_texts_are_in_the_language_in_which_they_are_valid(standard: Standard, body: str) -> None:
    text = f"func @f(%A: memref<f32x8x4>, %w: memref<f32x8>, %T: memref<f32x4x4x4>) {{\n    {body}\n}}\n"
    source, report = Source("x", text), Report()
    tokens = tokenize(source, Report(), DEFAULT_LIMITS)
    assert tokens is not None
    assert not list(judgements(tokens.texts))
    assert detect(source) is standard
    read_language(source, report)
    assert not report.diagnostics


def test_a_text_that_means_two_things_is_warned_of() -> None:
    text = "func @f() {\n    barrier\n}\n"
    source, report = Source("x", text), Report()
    read_language(source, report)
    [found] = report.diagnostics
    assert (found.code, found.severity) == ("U12", Severity.WARNING)
    where = found.location.primary
    assert where is not None
    assert text[where.start : where.end] == "barrier"
    assert "--std" in found.hints[0]
    for standard, fences in ((Standard.OLD, True), (Standard.NEW, None)):
        report = Report()
        module = read_language(source, report, None, standard)
        assert not report.diagnostics
        [barrier] = [op for op in module.walk() if isinstance(op, team.Barrier)]
        assert barrier.attributes.get("fence_local") is fences


def test_broken_quiet_texts_have_the_errors_of_the_language_with_fewer() -> None:
    body = "%f = fuse %T[0,1] : memref<f32x4x4x4> %g = fuse %f[1,7] : memref<f32x16x4>"
    report = Report()
    read_language(Source("x", f"func @f(%T: memref<f32x4x4x4>) {{ {body} }}"), report)
    assert [d.code for d in report.diagnostics] == ["U6"]


@pytest.mark.parametrize("attributes", ["{x}", "{alignment}"])
def test_broken_quiet_texts_with_parts_of_the_new_language_are_new(attributes: str) -> None:
    report = Report()
    read_language(Source("t", f"func @f(%a: memref<f32x4> {attributes}) {{ }}"), report)
    assert "U9" not in [d.code for d in report.diagnostics]
    assert report.has_errors


def test_a_late_word_decides_too() -> None:
    quiet = "; " + "x" * 60 + "\nbarrier\n"
    assert detect(Source("x", quiet * 2000 + "%n = group_size")) is Standard.OLD
    assert detect(Source("x", quiet * 2000)) is Standard.NEW


@pytest.mark.parametrize(
    "text", ["", "arith", "group", "for", "if", "foreach", "subview %x[", "cast %x :", "axpby.n %a,"]
)
def test_texts_that_end_early_are_no_trouble(text: str) -> None:
    detect(Source("x", text))
    detect(Source("x", "func @f(%p: i1) { " + text))


def test_the_reader_can_be_told() -> None:
    text = "func @f(%A: memref<f32x4x6>) {\n    %f = fuse %A[0,1] : memref<f32x4x6>\n}\n"
    for standard, errors in ((Standard.OLD, 0), (Standard.NEW, 1), (None, 0)):
        report = Report()
        read_language(Source("x", text), report, None, standard)
        assert report.errors == errors


def test_old_text_is_refused_where_asked() -> None:
    report = Report()
    assert refuse_old(Source("x", "func @f(%p: i1) { }"), report)
    assert [d.code for d in report.diagnostics] == ["U10"]
    assert not refuse_old(Source("x", "func @f(%p: bool) { }"), Report())
