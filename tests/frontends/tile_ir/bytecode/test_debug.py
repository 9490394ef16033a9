"""Places in the program that somebody wrote survive both ways."""

from __future__ import annotations

import pytest

from frontends.tile_ir.bytecode.equality import lines
from frontends.tile_ir.bytecode.samples import Kernel, build, tile
from tilewright.diagnostics import UNKNOWN, CompileError, Report, Source
from tilewright.dialects.cuda_tile import core, debug
from tilewright.dialects.cuda_tile import types as ty
from tilewright.frontends.tile_ir import parse, print_module
from tilewright.frontends.tile_ir.bytecode import read, write
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.verifier import verify


def with_places(name: str, linkage: str = "kernel") -> core.TileModule:
    """A sample whose operations have places: scoped ones, call sites, unknown ones."""
    module = build(name)
    pool = debug.DebugPool()
    file = pool.make(debug.DebugFile, "k.py", "src")
    unit = pool.make(debug.CompileUnit, file)
    own = pool.make(debug.Subprogram, file, 4, "kernel", linkage, unit, 5)
    other = pool.make(debug.Subprogram, file, 40, "helper", "helper", unit, 40)
    entry = module.entries[0]
    entry.location = debug.DebugLocation(UNKNOWN, pool.make(debug.ScopedLocation, own, "k.py", 4, 1))
    for index, op in enumerate(entry.walk()):
        block = pool.make(debug.LexicalBlock, own, file, index, 3)
        at = pool.make(debug.ScopedLocation, block, "k.py", 300 + index, 7)
        if index % 3 == 0 and op is not entry:
            callee = pool.make(debug.ScopedLocation, other, "k.py", 41, 2)
            op.location = debug.DebugLocation(UNKNOWN, pool.make(debug.CallSite, callee, at))
        elif index % 3 == 1:
            op.location = debug.DebugLocation(UNKNOWN, at)
    return module


@pytest.mark.parametrize("name", ["for", "reduce", "conditional", "partition", "printing_with_tokens"])
@pytest.mark.parametrize("version", [ty.Version.V13_2, ty.Version.V13_3, ty.Version.V13_4])
def test_round_trip(name: str, version: ty.Version) -> None:
    module = with_places(name)
    report = Report()
    verify(module, report)
    assert not report.diagnostics, [str(d) for d in report.diagnostics]
    data = write(module, version)
    again = read(data, report, "x")
    assert again is not None, [str(d) for d in report.diagnostics]
    verify(again, report)
    assert not report.diagnostics
    assert lines(again) == lines(module)
    assert write(again, version) == data


def test_equal_attributes_are_one_object() -> None:
    again = read(write(with_places("for")), Report(), "x")
    assert again is not None
    known: dict[debug.DebugInfo, None] = {}
    for op in again.walk():
        info = debug.debug_of(op.location)
        if info is not None:
            for part in debug.bottom_up(info, known):
                known[part] = None
    assert sorted(part.name for part in known if isinstance(part, debug.Subprogram)) == ["helper", "kernel"]


def test_wrong_scopes_are_found_by_the_verifier() -> None:
    report = Report()
    again = read(write(with_places("for", linkage="other")), report, "x")
    assert again is not None
    verify(again, report)
    assert {d.code for d in report.diagnostics} == {"C23"}


def test_plain_file_locations_become_unknown() -> None:
    module = build("grid")
    pool = debug.DebugPool()
    for op in module.entries[0].walk():
        op.location = debug.DebugLocation(UNKNOWN, pool.make(debug.FileLocation, "k.py", 1, 2))
    assert write(module) == write(build("grid"))


@pytest.mark.parametrize("kind", ["name", "fused"])
def test_other_locations_have_no_form(kind: str) -> None:
    kernel = Kernel()
    kernel.parameter(tile(ty.I32))
    module = kernel.module("k")
    pool = debug.DebugPool()
    info = pool.make(debug.NamedLocation, "x", None) if kind == "name" else pool.make(debug.FusedDebug, ())
    module.entries[0].location = debug.DebugLocation(UNKNOWN, info)
    with pytest.raises(CompileError) as caught:
        write(module)
    assert [d.code for d in caught.value.diagnostics] == ["B12"]


def deep(depth: int, *, blocks: bool) -> core.TileModule:
    """A sample whose operations have places nested so deep: blocks in blocks, or calls in calls."""
    module = build("grid")
    pool = debug.DebugPool()
    own: debug.DebugInfo = pool.make(debug.Subprogram, None, 1, "kernel", "kernel", None, 1)
    at = pool.make(debug.ScopedLocation, own, "k.py", 1, 1)
    module.entries[0].location = debug.DebugLocation(UNKNOWN, at)
    if blocks:
        for index in range(depth - 2):
            own = pool.make(debug.LexicalBlock, own, None, index, 0)
        found: debug.DebugInfo = pool.make(debug.ScopedLocation, own, "k.py", 1, 1)
    else:
        found = at
        for index in range(depth - 2):
            call = pool.make(debug.ScopedLocation, own, "k.py", index, 1)
            found = pool.make(debug.CallSite, *((found, call) if index % 2 else (call, found)))
    assert pool.depth(found) == depth
    for op in module.entries[0].body.entry:
        op.location = debug.DebugLocation(UNKNOWN, found)
    return module


def places(module: core.TileModule) -> list[str]:
    """The lines that a text has for its places."""
    return [line for line in print_module(module).splitlines() if line.startswith("#")]


@pytest.mark.covering(0)
@pytest.mark.parametrize("blocks", [True, False])
def test_deep_debug_attributes(blocks: bool) -> None:
    """As deep as the limit allows, in every reader, printer and rule, whatever Python's stack holds."""
    limit = DEFAULT_LIMITS.debug_nesting
    for depth in (109, limit):
        module = deep(depth, blocks=blocks)
        report = Report()
        verify(module, report)
        again = read(write(module), report, "x")
        text = parse(Source("x", print_module(module)), report)
        assert again is not None
        assert text is not None
        verify(again, report)
        verify(text, report)
        assert report.diagnostics == []
        assert places(again) == places(module) == places(text)
    report, deeper = Report(), deep(limit + 1, blocks=blocks)
    assert read(write(deeper), report, "x") is None
    parse(Source("x", print_module(deeper)), report)
    assert [d.code for d in report.diagnostics] == ["B11", "C3"]
    assert all(f"more than {limit:,} deep" in d.message for d in report.diagnostics)


def test_deep_debug_attributes_are_refused() -> None:
    data = write(deep(50, blocks=True))
    assert read(data, Report(), "x", Limits(debug_nesting=50)) is not None
    report = Report()
    assert read(data, report, "x", Limits(debug_nesting=49)) is None
    assert [d.code for d in report.diagnostics] == ["B11"]
