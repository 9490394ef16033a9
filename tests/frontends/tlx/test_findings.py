"""Every diagnostic of the text, once, with its place; what is right beside it is not reported."""

from __future__ import annotations

import pytest

import tilewright as tw
from frontends.tlx.kernels import findings, function, ivec, load, store, typed, typeinfo
from tilewright.diagnostics import CompileError, Report, Source
from tilewright.diagnostics.codes import CODES
from tilewright.frontends.tlx.llvm.limits import Limits
from tilewright.frontends.tlx.options import Quirks, TlxOptions
from tilewright.frontends.tlx.reading import read_tlx

A = f"%ta = {load('%a', 'float', [2, 3])}"
B = f"%tb = {load('%b', 'float', [3, 4])}"
BYTES = f"%ti = {load('%a', 'i8', [2, 3])}"
MATMUL = "%v = call <8 x float> @llvm.tensor.matmul(token %ta, token %tb)"
TN = f"%tn = {load('%c', 'i32', [2, 2])}"
TM = f"%tm = {load('%c', 'i8', [2, 3])}"
CASES = [
    # text
    (["%v = frobnicate i32 1"], "TLX101 3: expected an instruction, found 'frobnicate'"),
    (["%v = add i32 1, 2", "%v = add i32 1, 2"], "TLX104 4: %v is defined twice"),
    (["%v = add i32 %nothing, 1"], "TLX105 3: %nothing is not defined"),
    (["%v = add i32 1.5, 2"], "TLX106 3: expected an integer of type i32"),
    # names
    (["%v = call <6 x float> @llvm.tensor.reluu(token %ta)"], "TLX102 3: unknown TLX operation 'reluu'"),
    (["%v = call <8 x float> @llvm.tensor.matmull.v8f32(token %ta, token %tb)"], "TLX102 4: unknown TLX operation"),
    (["%v = call <6 x float> @lvm.tensor.reshape.block(token %ta)"], "TLX102 3: unknown TLX operation 'reshape.block'"),
    (["%v = call <6 x float> @lllvm.tensor.transpose(token %ta)"], "TLX102 3: unknown TLX operation 'transpose'"),
    (["%v = call <8 x float> @llvm.tensor.matmul.v9f32(token %ta, token %tb)"], "TLX107 4: the name says v9f32"),
    # tokens
    (["%s = select i1 true, token %ta, token %ta"], "TLX201 3: a token cannot be merged"),
    (["br label %x", "x:", "%s = phi token [ %ta, %0 ]"], "TLX201 5: a token cannot be merged"),
    (["store token %ta, ptr %c"], "TLX201 3: a token cannot be stored"),
    (["%v = call <6 x float> @llvm.tensor.relu(token none)"], "TLX202 3: operand 1 of relu must come from"),
    (["%v = call <6 x float> @llvm.tensor.relu(ptr %a)"], "TLX202 3: operand 1 of relu must come from"),
    # operands
    (["%v = call <6 x float> @llvm.tensor.relu(token %ta, token %ta)"], "TLX203 3: relu takes 1 operand; 2 given"),
    (
        ["call void @llvm.tensor.store(ptr %c, token %ta, i32 0, i32 0)"],
        "TLX203 3: store takes (pointer, token, strides)",
    ),
    (["%v = call <6 x i32> @llvm.tensor.relu(token %ta)"], "TLX203 3: relu: the result has f32 elements"),
    (["%v = call float @llvm.tensor.relu(token %ta)"], "TLX203 3: relu gives a vector"),
    (["%v = call <6 x float> @llvm.tensor.transpose(token %ta, i32 1)"], "TLX203 3: new_layout of transpose"),
    # elements
    ([f"%t = {typeinfo('<4 x i1> zeroinitializer', [2, 2])}"], "TLX204 3: tensors have no i1 elements"),
    ([f"%t = {typeinfo('<4 x fp128> zeroinitializer', [2, 2])}"], "TLX204 3: tensors have no fp128 elements"),
    (["%v = add i7 0, 1"], "TLX204 3: i7 is not supported"),
    (["%v = add <vscale x 4 x i32> zeroinitializer, zeroinitializer"], "TLX205 3: <vscale x 4 x i32> has no fixed"),
    (
        [f"%t = call token @llvm.tensor.load(ptr %c, {typed([2, 2])}, {ivec([0, 0])})"],
        "TLX206 3: load: nothing says what elements lie in memory",
    ),
    ([f"call void @llvm.tensor.store(i32* %q, token %ta, {ivec([0, 0])})"], "TLX206 3: store: the tensor has f32"),
    # shapes
    ([f"%t = {typeinfo('<4 x float> zeroinitializer', [2, 2], layout=[0])}"], "TLX301 3"),
    ([f"%t = {typeinfo('<4 x float> zeroinitializer', [2, 2], layout=[0, 0])}"], "TLX302 3"),
    (["%v = call <6 x float> @llvm.tensor.transpose(token %ta, <2 x i32> %n)"], "TLX303 3: new_layout of transpose"),
    ([f"%t = {typeinfo('<4 x float> zeroinitializer', [2, 2], padding=[2, 0])}"], "TLX304 3"),
    ([f"%t = {typeinfo('<8 x float> zeroinitializer', [2, 2])}"], "TLX305 3"),
    (
        ["%v = call <9 x float> @llvm.tensor.matmul(token %ta, token %tb)"],
        "TLX305 4: matmul: <9 x float> cannot hold 2x4",
    ),
    (["%v = call <4 x float> @llvm.tensor.matmul(token %ta, token %ta)"], "TLX306 3"),
    (
        [f"%t3 = {load('%c', 'float', [1, 3, 4])}", "%v = call <8 x float> @llvm.tensor.matmul(token %ta, token %t3)"],
        "TLX307 4: ",
    ),
    (
        [f"%v = call <9 x float> @llvm.tensor.contract(token %ta, token %ta, {ivec([5])}, {ivec([0])})"],
        "TLX308 3: contract: axis 5 of axes_a is out of range",
    ),
    (["%v = call <6 x float> @llvm.tensor.smma(token %ta, token %ta, token %tb)"], "TLX309 4: "),
    (["%v = call <12 x float> @llvm.tensor.concat(token %ta, token %ti, i32 0)"], "TLX310 4: "),
    (["%v = call <9 x i8> @llvm.tensor.tanh(token %ti)"], "TLX311 3"),
    ([TN, TM, "%v = call <6 x i8> @llvm.tensor.smma(token %ti, token %tn, token %tm)"], "TLX312 5: "),
    (
        [
            "%v = call <4 x float> @llvm.tensor.convolution(token %tb, token %ta, "
            f"{ivec([0, 1])}, {ivec([0, 0])}, {ivec([0, 0])})"
        ],
        "TLX313 4: ",
    ),
    ([f"%v = call <2 x float> @llvm.tensor.reduce.add(token %ta, {ivec([5])}, {ivec([1])})"], "TLX314 3: window 5"),
    ([f"%v = call <7 x float> @llvm.tensor.reshape.permute(token %ta, {ivec([7])})"], "TLX315 3: 6 elements cannot"),
    ([f"%v = call <3 x float> @llvm.tensor.pad(token %ta, float 0.0, {ivec([-1, 0])})"], "TLX316 3: high -1 is"),
    (
        [
            MATMUL,
            f"%tv = {typeinfo('<8 x float> %v', [2, 4])}",
            f"%tw = {typeinfo('<8 x float> %v', [4, 2], layout=[1, 0])}",
        ],
        "TLX317 4: the result of matmul is given two layouts",
    ),
    (
        [
            "%v = call <6 x float> @llvm.tensor.transpose(token %ta)",
            f"%tv = {typeinfo('<6 x float> %v', [2, 4])}",
        ],
        "TLX319 4: ",
    ),
    ([f"call void @llvm.tensor.store(ptr %c, token %ta, {ivec([0, -4])})"], "TLX318 3"),
    ([f"call void @llvm.tensor.store(ptr %c, token %ta, {ivec([0, 1])})"], "TLX318 3"),
    # not in kernels
    (["call void @puts(ptr %a)"], "TLX404 3: a call of @puts is not supported"),
    (["%m = alloca <vscale x 4 x i32>", "%x = ptrtoint ptr %m to i64"], "TLX404 3: memory that holds <vscale"),
    (["%n2 = load i8, ptr @g"], "TLX404 3: the address of @g is not supported"),
    # limits
    ([f"%t = {load('%a', 'i8', [1 << 20, 1 << 9])}"], "TLX501 3: a tensor of 536,870,912 elements"),
    (
        ["%v = call <6 x float> @llvm.tensor.transpose(token %ta, <33 x i32> zeroinitializer)"],
        "TLX502 3: new_layout of 33",
    ),
]


def text_of(lines: list[str]) -> str:
    """A kernel that loads what the lines need, in front of them."""
    used = " ".join(lines)
    loads = [line for name, line in (("%ta", A), ("%tb", B), ("%ti", BYTES)) if name in used]
    return function(*loads, *lines, parameters="ptr %a, ptr %b, ptr %c, i32* %q, <2 x i32> %n, i64 %l")


@pytest.mark.parametrize(("lines", "message"), CASES, ids=[row[1][:10] + str(k) for k, row in enumerate(CASES)])
def test_what_is_wrong_is_said_once(lines: list[str], message: str) -> None:
    text = text_of(lines)
    loads = 0 if "%t" not in " ".join(lines) or not any(n in " ".join(lines) for n in ("%ta", "%tb", "%ti")) else 1
    found = findings(text)
    assert len(found) == 1, found
    code, _, rest = message.partition(" ")
    place, _, words = rest.partition(": ")
    assert found[0].startswith(code)
    assert words in found[0]
    assert int(found[0].split()[1][:-1]) == int(place) - (1 - loads), found


def test_every_code_is_tried() -> None:
    """Missing declarations and missing code have tests of their own, below."""
    assert {message[:6] for _, message in CASES} | {"TLX103", "TLX401"} == {c for c in CODES if c.startswith("TLX")}


def test_what_has_no_code() -> None:
    lines = ("%v = load <5000 x i32>, ptr %a", "%w = bitcast <5000 x i32> %v to <10000 x i16>")
    text = function(*lines, "store <10000 x i16> %w, ptr %b")
    with pytest.raises(CompileError) as caught:
        tw.compile(text, cache=False)
    (found,) = caught.value.diagnostics
    assert found.code == "TLX401"
    place = found.location.primary
    assert place is not None
    assert place.source.position(place.start)[0] == 3


def test_what_is_right() -> None:
    text = function(A, B, MATMUL, f"%tv = {typeinfo('<8 x float> %v', [2, 4])}", store("%c", "%tv", [0, 0]))
    assert findings(text) == []


def test_missing_declarations_are_noted_once_a_name() -> None:
    report = Report()
    read_tlx(Source("k.ll", function(A, B, MATMUL)), report)
    assert [d.code for d in report.in_order] == ["TLX103", "TLX103"]
    declared = function(A) + "declare token @llvm.tensor.load(ptr, <2 x i32>, <2 x i32>, <2 x i32>, <2 x i32>)\n"
    report = Report()
    read_tlx(Source("k.ll", declared), report)
    assert report.in_order == []


def test_misspelt_names_have_a_suggestion() -> None:
    for name, meant in (("matmull", "matmul"), ("reshape.blok", "reshape.block"), ("typeInfo", "typeinfo")):
        with pytest.raises(CompileError) as caught:
            read_tlx(Source("k.ll", function(f"%v = call <4 x float> @llvm.tensor.{name}(token none)")), Report())
        assert f"did you mean 'llvm.tensor.{meant}'?" in caught.value.diagnostics[0].hints


def test_counts_of_the_rfc_are_mended_on_demand() -> None:
    """Decision 23: <8> for a contraction that gives 2x2."""
    text = function(
        f"%ta = {load('%a', 'float', [2, 2, 2])}",
        f"%v = call <8 x float> @llvm.tensor.contract(token %ta, token %ta, {ivec([0, 2])}, {ivec([0, 1])})",
        parameters="ptr %a",
    )
    assert findings(text) == ["TLX305 3: contract: <8 x float> cannot hold 2x2 = 4 elements"]
    assert findings(text, TlxOptions(Quirks.RFC_TEXT)) == []


def test_limits_of_tensors() -> None:
    text = function(f"%t = {load('%a', 'i16', [3, 4])}")
    assert findings(text, limits=Limits(elements=12)) == []
    assert findings(text, limits=Limits(elements=11))[0].startswith("TLX501")
    assert findings(text, limits=Limits(bytes=24)) == []
    assert findings(text, limits=Limits(bytes=23))[0].startswith("TLX501")


def test_the_limit_of_a_rank() -> None:
    ones = [1] * 32
    assert findings(function(f"%t = {load('%a', 'i16', ones)}")) == []
    (found,) = findings(function(f"%t = {load('%a', 'i16', [*ones, 1])}"))
    assert found == "TLX502 2: shape of 33 entries; the limit of a rank is 32"


def test_a_text_without_functions() -> None:
    assert findings("; ModuleID = 'empty'\n") == ["TLX101 1: there is no function in this text"]


def test_all_findings_of_a_text_come_at_once() -> None:
    text = function(
        "%v = call <6 x float> @llvm.tensor.reluu(token none)",
        f"%t = {typeinfo('<8 x float> zeroinitializer', [2, 2])}",
        "call void @puts(ptr %a)",
    )
    assert [line.split()[0] for line in findings(text)] == ["TLX102", "TLX305", "TLX404"]
