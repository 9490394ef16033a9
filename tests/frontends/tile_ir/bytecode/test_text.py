"""Text and bytecode say the same."""

from __future__ import annotations

import pytest

from frontends.tile_ir.bytecode.equality import lines
from frontends.tile_ir.bytecode.samples import SAMPLES, build
from frontends.tile_ir.bytecode.test_debug import with_places
from frontends.tile_ir.bytecode.test_round_trip import reread
from tilewright.diagnostics import Report, Source
from tilewright.dialects.cuda_tile.core import TileModule
from tilewright.dialects.cuda_tile.types import Version
from tilewright.frontends.tile_ir import parse, print_module
from tilewright.frontends.tile_ir.bytecode import lowest_version, write
from tilewright.ir.verifier import verify


def parsed(text: str) -> TileModule:
    report = Report()
    module = parse(Source("sample.tileir", text), report)
    assert module is not None, text
    verify(module, report)
    assert not report.diagnostics, [str(d) for d in report.diagnostics]
    return module


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("name", SAMPLES)
def test_bytecode_to_text_to_bytecode(name: str, generic: bool) -> None:
    module = build(name)
    version = lowest_version(module)
    data = write(module, version)
    text = print_module(reread(data), generic=generic)
    again = parsed(text)
    assert lines(again) == lines(reread(data))
    assert write(again, version) == data
    assert print_module(reread(write(again, version)), generic=generic) == text


@pytest.mark.parametrize("name", ["for", "reduce", "partition", "conditional"])
def test_places(name: str) -> None:
    data = write(with_places(name), Version.V13_3)
    again = parsed(print_module(reread(data)))
    assert lines(again) == lines(with_places(name))
    assert lines(reread(write(again, Version.V13_3))) == lines(again)


@pytest.mark.parametrize(
    "text",
    [
        "%b = ftof %a rounding<zero> : tile<4xf64> -> tile<4xf16>",
        """%true = constant <i1: true> : tile<i1>
        %b = reduce %a dim=0 identities=[0.0 : f64] : tile<4xf64> -> tile<f64> (%x: tile<f64>, %y: tile<f64>) {
          %z = if %true -> (tile<f64>) { yield %x : tile<f64> } else { yield %y : tile<f64> }
          yield %z : tile<f64>
        }""",
    ],
    ids=["rounding", "region"],
)
def test_what_only_later_versions_allow_is_written_in_those(text: str) -> None:
    body = f"entry @k() {{\n%a = constant <f64: 1.5> : tile<4xf64>\n{text}\nreturn\n}}"
    module = parsed(f'cuda_tile.module @m attributes {{tilewright.version = "13.4"}} {{\n{body}\n}}')
    assert lowest_version(module) == Version.V13_4
    again = reread(write(module, Version.V13_4))
    assert verify(again, Report())
