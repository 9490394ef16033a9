"""Texts for tests of the LLVM reader, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import binding

from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.render import render_text
from tilewright.frontends.tlx.codes import CODES
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.limits import DEFAULT_LIMITS, Limits
from tilewright.frontends.tlx.llvm.reader import read_module
from tilewright.frontends.tlx.llvm.structure import check_structure

PARAMETERS = (
    "i1 %c, i8 %b, i32 %i, i64 %l, half %h, float %f, double %d, ptr %p, float* %q, <4 x i32> %v, <4 x float> %w, "
    "<4 x i1> %m"
)
"""What instructions of tests work on."""


def kernel(*lines: str) -> str:
    """A function around some lines."""
    return "\n".join([f"define void @k({PARAMETERS}) {{", *lines, "}\n"])


def read(text: str, limits: Limits = DEFAULT_LIMITS) -> tuple[syntax.Module, Report]:
    """A text, read and checked."""
    report, source = Report(), Source("k.ll", text)
    module = read_module(source, report, CODES, limits)
    check_structure(module, source, report, CODES)
    return module, report


def found(text: str, limits: Limits = DEFAULT_LIMITS) -> list[str]:
    """Code, line and message of each finding; rendering works as well."""
    report = read(text, limits)[1]
    assert bool(render_text(report.in_order)) == report.has_errors
    places = [(d, d.location.primary) for d in report.in_order]
    return [f"{d.code} {p.source.position(p.start)[0] if p else 0}: {d.message}" for d, p in places]


def codes(text: str, limits: Limits = DEFAULT_LIMITS) -> list[str]:
    """The codes of the findings."""
    return [line.split()[0] for line in found(text, limits)]


def llvm_accepts(text: str) -> bool:
    """Whether LLVM's own parser and verifier take a text."""
    try:
        module: binding.ModuleRef = binding.parse_assembly(text)  # pyright: ignore[reportUnknownMemberType]
        module.verify()
    except RuntimeError:
        return False
    return True


def instructions(text: str) -> Sequence[syntax.Instruction]:
    """Those of the first block of the first function."""
    module, report = read(text)
    assert not report.has_errors, render_text(report.in_order)
    return module.functions[0].blocks[0].instructions
