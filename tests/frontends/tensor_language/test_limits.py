"""Limits on input: at the limit it is read, one past it is refused with the limit's own code."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from frontends.tensor_language.reading import kernel
from tilewright.diagnostics import Report, Source
from tilewright.frontends.tensor_language import parse
from tilewright.frontends.tensor_language.limits import DEFAULT_LIMITS, Limits


def codes(text: str, limits: Limits = DEFAULT_LIMITS) -> list[str]:
    report = Report()
    parse(Source("t", text), report, limits=limits)
    return [d.code for d in report.diagnostics]


def test_source_size() -> None:
    text = "func @f() {}"
    assert not codes(text, replace(DEFAULT_LIMITS, source_bytes=len(text)))
    assert codes(text, replace(DEFAULT_LIMITS, source_bytes=len(text) - 1)) == ["L001"]


def test_tokens() -> None:
    text = "func @f() {}"
    assert not codes(text, replace(DEFAULT_LIMITS, tokens=6))
    assert codes(text, replace(DEFAULT_LIMITS, tokens=5)) == ["L002"]


def test_nesting() -> None:
    assert not codes(kernel("if %b {" * 255 + "}" * 255))
    assert codes(kernel("if %b {" * 256 + "}" * 256)) == ["L003"]
    assert codes(kernel("if %nope {" * 300))[-1] == "L003"


def test_nested_attributes() -> None:
    def text(depth: int) -> str:
        return 'func @f() attributes{"a"=' + "[" * depth + "]" * depth + "} {}"

    assert not codes(text(31))
    assert codes(text(32)) == ["L003"]


def test_identifiers_and_literals() -> None:
    assert not codes(f"func @{'a' * 1024}() {{}}")
    assert codes(f"func @{'a' * 1025}() {{}}") == ["L004"]
    assert not codes(kernel(f"%x = constant {'0' * 63}1 : i32"))
    assert codes(kernel(f"%x = constant {'0' * 64}1 : i32")) == ["L005"]
    assert codes(kernel(f"%x = constant {'1' * 10_000} : i32")) == ["L005"]
    assert codes(kernel(f"%x = constant 0.{'1' * 10_000} : f32")) == ["L005"]


def test_order() -> None:
    assert not codes(f"func @f(%a: memref<f32{'x1' * 32}>) {{}}")
    assert codes(f"func @f(%a: memref<f32{'x1' * 33}>) {{}}") == ["L006"]
    assert codes(f"func @f(%a: memref<f32,strided<{'1,' * 32}1>>) {{}}") == ["L006"]
    assert codes(kernel(f"%x = subview %v[{'0,' * 32}0] : memref<f32>")) == ["L006"]


def test_operands() -> None:
    assert not codes(kernel(f"%x = load %v[{','.join(['%i'] * 1024)}] : f32"))
    assert codes(kernel(f"%x = load %v[{','.join(['%i'] * 1025)}] : f32")) == ["L007"]


def test_attributes_that_definitions_multiply() -> None:
    lines = ["$a0 = [1,1,1,1,1,1,1,1,1,1]"]
    lines += [f"$a{k + 1} = [{','.join([f'$a{k}'] * 10)}]" for k in range(8)]
    assert codes(" ".join(lines)) == ["L008"]


def test_errors_are_bounded() -> None:
    assert len(codes(kernel("foo\n" * 10_000))) == 100


@pytest.mark.parametrize("text", ["(" * 100_000, "[" * 100_000, "{" * 100_000, "$a = " + "[" * 100_000, "}" * 100_000])
def test_brackets_do_not_recurse(text: str) -> None:
    assert codes(text)
    assert codes(kernel(text))
