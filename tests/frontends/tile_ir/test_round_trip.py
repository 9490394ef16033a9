"""Text -> module -> text -> module, in the short and in the generic form, for every operation."""

from __future__ import annotations

import pytest

from frontends.tile_ir.samples import BODIES, module
from tilewright.diagnostics import Report, Source
from tilewright.dialects.cuda_tile import OPERATIONS
from tilewright.dialects.cuda_tile.core import TileModule
from tilewright.frontends.tile_ir import parse, print_module
from tilewright.ir.verifier import verify


def read(text: str) -> TileModule:
    report = Report()
    found = parse(Source("test.tileir", text), report)
    assert not report.errors, [str(d) for d in report.diagnostics]
    assert found is not None
    verify(found, report)
    assert not report.diagnostics, [str(d) for d in report.diagnostics]
    return found


@pytest.mark.parametrize("name", BODIES)
def test_printed_text_is_the_same_module(name: str) -> None:
    first = read(module(BODIES[name]))
    text = print_module(first)
    again = read(text)
    assert print_module(again) == text
    assert str(again) == str(first)


@pytest.mark.parametrize("name", BODIES)
def test_the_generic_form_is_the_same_module(name: str) -> None:
    first = read(module(BODIES[name]))
    again = read(print_module(first, generic=True))
    assert print_module(again) == print_module(first)


@pytest.mark.parametrize("name", BODIES)
def test_long_spellings_are_the_same_module(name: str) -> None:
    first = read(module(BODIES[name]))
    body = BODIES[name].replace("tile<", "!cuda_tile.tile<").replace("ptr<", "!cuda_tile.ptr<")
    body = body.replace(" = ", " = cuda_tile.", 1) if name not in ("control", "views", "matrices") else body
    assert print_module(read(module(body))) == print_module(first)


def test_samples_have_every_operation() -> None:
    found = {type(op) for body in BODIES.values() for op in read(module(body)).walk()}
    assert found == set(OPERATIONS), {c.name for c in set(OPERATIONS) - found}
