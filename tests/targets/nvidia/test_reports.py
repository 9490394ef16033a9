"""What kernels print and assert on the emulated device: text and errors are those of the interpreter and the CPU."""

from __future__ import annotations

import random
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest

import tilewright as tw
from differential.compare_tile_ir import differences_of, run_of
from differential.test_tile_ir_host import ASSERTS
from differential.tile_ir_kernels import text_of
from effort import SEED, Ran, count
from generators import tile_ir
from tilewright import KernelError
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.frontends.tile_ir import read_tile_ir
from tilewright.interpreter.engine import interpret
from tilewright.interpreter.tile_ir.program import interpreted_tile_module
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble
from tilewright.targets.nvidia.target import NvidiaTarget

from .launching import program_of_text
from .test_ptx import needs_ptxas

KERNELS = count("RANDOM_REPORTING_KERNELS", 8, 1000)
LITTLE = 64
"""Bytes of shared memory, so few that tiles lie elsewhere."""

PRINTS = """
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %i = iota : tile<8xi8>
    %m = reshape %i : tile<8xi8> -> tile<2x4xi8>
    %n = negi %m : tile<2x4xi8>
    %f = itof %n signed : tile<2x4xi8> -> tile<2x4xf16>
    %c = constant <i1: [true, false]> : tile<2xi1>
    %k = print_tko "%d%%: %.1f %x %d\\n", %bx, %f, %n, %c : tile<i32>, tile<2x4xf16>, tile<2x4xi8>, tile<2xi1> -> token
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %j in (%zero to %bx, step %one) : tile<i32> {
        print "  %d of %d\\n", %j, %bx : tile<i32>, tile<i32>
        continue
    }
    print "plain\\n"
    """


def printed(program: tw.Program, grid: tuple[int, ...]) -> str:
    """What a launch prints."""
    out = StringIO()
    with redirect_stdout(out):
        program.k[grid]()
    return out.getvalue()


@pytest.mark.parametrize("shared_bytes", [None, LITTLE])
@pytest.mark.parametrize("level", [0, 2])
def test_text_is_that_of_the_interpreter_and_the_cpu(level: int, shared_bytes: int | None) -> None:
    text = text_of(PRINTS, "")
    wanted = printed(tw.compile(text, target="interpreter"), (3, 2, 2))
    assert wanted.count("plain") == 12
    assert "  1 of 2\nplain\n0%: [[" in wanted
    assert printed(tw.compile(text, level=level, cache=False), (3, 2, 2)) == wanted
    assert printed(program_of_text(text, level, shared_bytes), (3, 2, 2)) == wanted


def test_kernels_that_report_take_the_way_over_lanes() -> None:
    for level in (0, 2):
        assert program_of_text(text_of(PRINTS, ""), level).k.schedule == "lanes threads=32"


@pytest.mark.parametrize("level", [0, 2])
def test_every_floor_of_the_device_prints_the_same(level: int, capsys: pytest.CaptureFixture[str]) -> None:
    """What the target hands to code generation, in the interpreter."""
    module = read_module(Source("prints", text_of(PRINTS, "")), Report())
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(level, verify_each=True), Report())
    wanted = printed(tw.compile(text_of(PRINTS, ""), target="interpreter"), (3, 1, 1))
    interpret(module.kernels[0], [], (3, 1, 1))
    assert capsys.readouterr().out == wanted


PRODUCT = """
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %i = iota : tile<64xi8>
    %a = reshape %i : tile<64xi8> -> tile<8x8xi8>
    %acc = constant <i32: 0> : tile<8x8xi32>
    %p = mmai %a, %a, %acc signed signed : tile<8x8xi8>, tile<8x8xi8>, tile<8x8xi32>
    print "%d: %d\\n", %bx, %p : tile<i32>, tile<8x8xi32>
    """


@pytest.mark.parametrize("level", [0, 2])
def test_sums_of_products_are_printed(level: int) -> None:
    text = text_of(PRODUCT, "")
    program = program_of_text(text, level)
    assert printed(program, (2,)) == printed(tw.compile(text, target="interpreter"), (2,))


ONE_IN_A_LOOP = """
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %i = iota : tile<64xi8>
    for %j in (%zero to %three, step %one) : tile<i32> {
        print "%d: %d\\n", %j, %i : tile<i32>, tile<64xi8>
        continue
    }
    """

BEHIND_A_LOOP = """
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %i = iota : tile<64xi8>
    %a = reshape %i : tile<64xi8> -> tile<8x8xi8>
    %acc = constant <i32: 0> : tile<8x8xi32>
    %sum = for %j in (%zero to %two, step %one) : tile<i32> iter_values(%t = %zero) -> (tile<i32>) {
        %p = mmai %a, %a, %acc signed signed : tile<8x8xi8>, tile<8x8xi8>, tile<8x8xi32>
        %f = reshape %p : tile<8x8xi32> -> tile<64xi32>
        %q = reduce %f dim=0 identities=[0 : i32] : tile<64xi32> -> tile<i32> (%x: tile<i32>, %y: tile<i32>) {
            %z = addi %x, %y : tile<i32>
            yield %z : tile<i32>
        }
        %n = addi %t, %q : tile<i32>
        continue %n : tile<i32>
    }
    print "%d\\n", %sum : tile<i32>
    """

BEHIND_SLICES = """
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %i = iota : tile<2048xi32>
    %start = constant <i32: 0> : tile<64xi32>
    %sum = for %j in (%zero to %three, step %one) : tile<i32> iter_values(%t = %start) -> (tile<64xi32>) {
        %k = subi %two, %j : tile<i32>
        %p = extract %i[%k] : tile<2048xi32> -> tile<64xi32>
        %n = addi %t, %p : tile<64xi32>
        continue %n : tile<64xi32>
    }
    print "%d\\n", %sum : tile<64xi32>
    """
"""Nobody waits behind the slice read last."""

BEFORE_AN_ALLOCATION = """
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %i = iota : tile<8xi32>
    for %j in (%zero to %three, step %one) : tile<i32> {
        print "%d\\n", %j : tile<i32>
        %m = alloca num_elem = 8, alignment = 16 : tile<ptr<i32>>
        %r = reshape %m : tile<ptr<i32>> -> tile<1xptr<i32>>
        %b = broadcast %r : tile<1xptr<i32>> -> tile<8xptr<i32>>
        %at = offset %b, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
        %t = store_ptr_tko weak %at, %i : tile<8xptr<i32>>, tile<8xi32> -> token
        continue
    }
    """
"""The next iteration tells an address behind the store, for which nobody has waited."""


SLICES_IN_TURN = """
    %zero = constant <i32: 0> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %i = iota : tile<2048xi32>
    %start = constant <i32: 0> : tile<64xi32>
    %sum = for %j in (%zero to %three, step %one) : tile<i32> iter_values(%t = %start) -> (tile<64xi32>) {
        %k = subi %two, %j : tile<i32>
        %at = reshape %j : tile<i32> -> tile<1xi32>
        %all = broadcast %at : tile<1xi32> -> tile<2048xi32>
        %x = addi %i, %all : tile<2048xi32>
        %c = cmpi greater_than_or_equal %j, %one, signed : tile<i32> -> tile<i1>
        %s = if %c -> (tile<64xi32>) {
            %p = extract %x[%k] : tile<2048xi32> -> tile<64xi32>
            yield %p : tile<64xi32>
        } else {
            yield %start : tile<64xi32>
        }
        %q = extract %x[%k] : tile<2048xi32> -> tile<64xi32>
        %u = addi %t, %s : tile<64xi32>
        %n = addi %u, %q : tile<64xi32>
        continue %n : tile<64xi32>
    }
    print "%d\\n", %sum : tile<64xi32>
    """
"""The next iteration's first tile lies where this one's second lay."""


@pytest.mark.parametrize("body", [ONE_IN_A_LOOP, BEHIND_A_LOOP, BEHIND_SLICES, BEFORE_AN_ALLOCATION, SLICES_IN_TURN])
@pytest.mark.parametrize("level", [0, 2])
def test_nobody_overwrites_what_others_still_read(body: str, level: int) -> None:
    """The emulated device looks for races: of the address that is told, and of tiles that lay there before."""
    text = text_of(body, "")
    assert printed(program_of_text(text, level), (2,)) == printed(tw.compile(text, target="interpreter"), (2,))


def test_random_kernels(ran: Ran) -> None:
    for seed in range(SEED, SEED + KERNELS):
        kernel = tile_ir.generate(random.Random(seed), f"seed_{seed}", host=1.0)
        text = tile_ir.module_of([kernel])
        module = read_tile_ir(Source("<kernel>", text), Report())
        wanted = run_of(interpreted_tile_module(module, text, checked=False), kernel)
        level, room = random.Random(seed).choice([(0, None), (2, None), (2, LITTLE)])
        program = program_of_text(text, level, room)
        faults = list(differences_of(kernel, wanted, run_of(program, kernel)))
        assert not faults, f"{kernel.name} -O{level}: {'; '.join(faults)}\n{kernel.text}"
    ran(KERNELS, "kernels of Tile IR that print and assert on the emulated device")


@pytest.mark.parametrize("level", [0, 2])
def test_failed_assertions_are_those_of_the_cpu(level: int) -> None:
    text = text_of(ASSERTS, "%out: tile<ptr<i32>>")
    told: list[list[str]] = []
    for program in (program_of_text(text, level), tw.compile(text, level=level, cache=False)):
        out = np.zeros(3, np.int32)
        program.k[1](out)
        with pytest.raises(KernelError) as caught:
            program.k[3](out)
        told.append([str(d) for d in caught.value.diagnostics])
        assert {d.code for d in caught.value.diagnostics} == {"R032"}
        assert (out == 1).all(), "an assertion ends nothing"
        program.k[1](out)
    assert [text.partition(": ")[2] for text in told[0]] == [text.partition(": ")[2] for text in told[1]]
    assert "at most seven at [1, 3] (tile block 1, 0, 0)" in told[0][0]
    assert "<kernel>:12:5" in told[0][0]


def test_one_of_many_work_groups_asserts() -> None:
    text = text_of(ASSERTS.replace("%one = constant <i32: 1>", "%one = constant <i32: 77>"), "%out: tile<ptr<i32>>")
    text = text.replace("less_than_or_equal %bx", "not_equal %bx").replace("i32: 7>", "i32: 1000>")
    out = np.zeros(100, np.int32)
    with pytest.raises(KernelError) as caught:
        program_of_text(text).k[100](out)
    assert [d.message for d in caught.value.diagnostics] == ["first two (tile block 77, 0, 0)"]


def test_what_finds_no_room_is_missed(capsys: pytest.CaptureFixture[str]) -> None:
    body = """
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %i = iota : tile<16xi32>
    print "few: %d\\n", %bx : tile<i32>
    print "many: %d\\n", %i : tile<16xi32>
    """
    # a record of one number takes 5 words, one of 16 takes 20
    program = program_of_text(text_of(body, ""), report_words=30)
    program.k[1]()
    first = capsys.readouterr().out
    assert first.startswith("few: 0\nmany: [0, 1")
    for _ in range(2):
        with pytest.raises(MemoryError, match="kernel k: there was no memory for 1 of its prints, failed assertions"):
            program.k[2]()
        assert capsys.readouterr().out == f"{first}few: 1\n"
    with pytest.raises(MemoryError, match="no memory for 4 of its prints"):
        program_of_text(text_of(body, ""), report_words=0).k[2]()
    assert not capsys.readouterr().out
    failing = text_of(f'%f = constant <i1: false> : tile<i1>\nassert %f, "never" : tile<i1>\n{body}', "")
    with pytest.raises(KernelError, match="never") as caught:
        program_of_text(failing, report_words=12).k[1]()
    assert "no memory for 1 of" in caught.value.__notes__[0]
    assert capsys.readouterr().out == "few: 0\n"


@needs_ptxas
@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)
@pytest.mark.parametrize("body", [PRINTS, PRODUCT, ASSERTS])
@pytest.mark.usefixtures("users_ptx")
def test_ptxas_accepts(body: str, architecture: Architecture) -> None:
    module = read_module(Source("k", text_of(body, "%out: tile<ptr<i32>>")), Report())
    artifact = compile_module(module, NvidiaTarget(architecture), CompileOptions(), Report())
    (resources,) = assemble(artifact.payload.decode(), architecture).kernels.values()
    assert resources.spill_store_bytes == resources.stack_bytes == 0
