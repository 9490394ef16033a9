"""What is written is read again as it was, at every version that can express it."""

from __future__ import annotations

import pytest

from frontends.tile_ir.bytecode.equality import lines
from frontends.tile_ir.bytecode.samples import SAMPLES, Kernel, build, tile
from tilewright.diagnostics import CompileError, Report
from tilewright.dialects.cuda_tile import OPERATIONS, core, floats, misc
from tilewright.dialects.cuda_tile import attributes as at
from tilewright.dialects.cuda_tile import types as ty
from tilewright.frontends.tile_ir.bytecode import is_bytecode, lowest_version, read, write
from tilewright.ir.verifier import verify

EXAMPLE = bytes.fromhex(
    """
    7f 54 69 6c 65 49 52 00  0d 01 00 00
    82 10 08 cb  01  00 05 02 00 06  10 01 00  5c 00 00  cb cb cb cb
    84 15 08 cb cb cb cb cb  01 cb cb cb cb cb cb cb  00 00 00 00 00 00 00 00  04 05 00 00 00
    85 2a 04  06 cb cb cb  00 00 00 00  01 00 00 00  04 00 00 00  05 00 00 00  07 00 00 00  0a 00 00 00
    03  0d 00 00  07  0c 02  0d 03 00  10 01 04 00
    81 09 04 cb cb cb  01 cb cb cb  00 00 00 00  6b
    00
    """
)


def example() -> core.TileModule:
    kernel = Kernel()
    kernel.parameter(tile(ty.Pointer(ty.F32)))
    kernel(core.Constant(at.dense(ty.I32, [5], 1), result_types=[tile(ty.I32)]))
    return kernel.module("k")


def reread(data: bytes) -> core.TileModule:
    report = Report()
    module = read(data, report, "sample.tilebc")
    assert module is not None, [str(d) for d in report.diagnostics]
    verify(module, report)
    assert not report.diagnostics, [str(d) for d in report.diagnostics]
    return module


def needed(name: str) -> ty.Version:
    return lowest_version(build(name))


def test_the_example_of_the_format() -> None:
    assert write(example(), ty.Version.V13_1) == EXAMPLE
    assert lines(reread(EXAMPLE)) == lines(example())
    assert is_bytecode(EXAMPLE)
    assert not is_bytecode(b"cuda_tile.module @m {}")


def test_samples_have_every_operation() -> None:
    found = {type(op) for name in SAMPLES for op in build(name).walk()}
    assert found == set(OPERATIONS)


@pytest.mark.parametrize("version", list(ty.Version))
@pytest.mark.parametrize("name", SAMPLES)
def test_round_trip(name: str, version: ty.Version) -> None:
    module = build(name)
    if version < needed(name):
        with pytest.raises(CompileError) as caught:
            write(module, version)
        assert {d.code for d in caught.value.diagnostics} == {"B10"}
        return
    data = write(module, version)
    again = reread(data)
    assert again.version == version
    assert write(again, version) == data
    if name == "printing":  # has a token or not by the version
        return
    assert lines(again) == lines(module)


NEWER = {
    "fast_tanh": 2,
    "negi_nsw": 2,
    "cuda_tile.atan2": 2,
    "scales": 2,
    "printing_with_tokens": 2,
    "for_unsigned": 2,
    "fast_exp": 3,
    "four_bits": 3,
    "private_globals": 3,
    "alloca": 3,
    "strided": 3,
    "gather": 3,
    "atomic_view": 3,
    "fast_product": 3,
    "scaled_product": 3,
    "fpowi": 4,
    "saturating": 4,
    "away": 4,
    "insert": 4,
    "fences": 4,
    "dependent_launch": 4,
    "inbounds": 4,
}


@pytest.mark.parametrize("name", SAMPLES)
def test_lowest_version(name: str) -> None:
    assert needed(name) == NEWER.get(name, 1)


@pytest.mark.parametrize("name", [n for n, v in NEWER.items() if v > 1])
def test_older_files_cannot_have_it(name: str) -> None:
    """The version byte of a file set back: what is newer is named, or the records no longer fit."""
    version = needed(name)
    data = bytearray(write(build(name), version))
    for older in range(1, version):
        data[9] = older
        report = Report()
        assert read(bytes(data), report, "old") is None or not verify_quietly(bytes(data))
        assert all(d.code in ("B10", "B2", "B4", "B5", "B6", "B7", "B8", "B9") for d in report.diagnostics)


def verify_quietly(data: bytes) -> bool:
    report = Report()
    module = read(data, report, "old")
    return module is not None and verify(module, report)


def test_unused_results_of_later_versions_are_left_out() -> None:
    kernel = Kernel()
    kernel(misc.Print("x", [], result_types=[ty.TOKEN_TYPE]))
    after = kernel.tile(ty.F32)
    kernel(floats.AbsF(after))
    module = kernel.module("k")
    assert lowest_version(module) == ty.Version.V13_1
    found = reread(write(module, ty.Version.V13_1))
    prints = [op for op in found.walk() if isinstance(op, misc.Print)]
    assert [len(p.results) for p in prints] == [0]


def test_several_entries_share_tables() -> None:
    modules = [build("for"), build("reduce"), build("hints")]
    first = modules[0]
    for index, other in enumerate(modules[1:]):
        entry = other.entries[0]
        entry.detach()
        entry.sym_name = f"kernel{index}"
        first.body.entry.append(entry)
    again = reread(write(first))
    assert lines(again) == lines(first)
    assert [e.sym_name for e in again.entries] == ["kernel", "kernel0", "kernel1"]


def test_an_empty_module() -> None:
    from tilewright.ir.core import Block, Region

    module = core.TileModule("kernels", Region(Block()))
    assert lines(reread(write(module))) == lines(module)


def test_deep_regions() -> None:
    from tilewright.dialects.cuda_tile import control

    kernel = Kernel()
    condition = kernel.parameter(tile(ty.I1))

    def nest(depth: int) -> None:
        if depth:
            kernel(control.If(condition, kernel.region([], lambda _: nest(depth - 1))))
        kernel(control.Yield([]))

    kernel(control.If(condition, kernel.region([], lambda _: nest(99))))
    module = kernel.module("k")
    assert write(reread(write(module))) == write(module)


def test_two_hundred_operations() -> None:
    kernel = Kernel()
    x = kernel.tile(ty.F32, 64, 64)
    for _ in range(200):
        x = kernel(floats.Fma(x, x, x)).out
    data = write(kernel.module("k"))
    assert write(reread(data)) == data
