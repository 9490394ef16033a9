"""The lane level: rules of its operations, and what they mean, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.interpreter import interpret
from tilewright.ir.parser import parse_ir
from tilewright.ir.printer import print_op
from tilewright.ir.verifier import verify

VALUES = """
  %f = lane.fill %x -> fragment<4xf32> %g = lane.fill %n -> fragment<4xi32> %z = arith.constant {value = 0} -> index
"""

BROKEN = [
    ("%r = lane.load %A, %z {registers = [[4, 0, 1]]} -> fragment<4xf32>", "1 indices"),
    ("%r = lane.load %A, %z, %z {registers = [[4, 0, 1]]} -> fragment<4xi32>", "the memref f32"),
    ("%r = lane.load %A, %z, %z {registers = [[4, 0, 1]], check = [true]} -> fragment<4xf32>", "1 flags"),
    ("%r = lane.load %A, %z, %z {registers = [[2, 0, 1]]} -> fragment<4xf32>", "digits of 4 registers"),
    ("%r = lane.load %A, %z, %z {registers = [[4, 2, 1]]} -> fragment<4xf32>", "2 modes"),
    ("%r = lane.load %B, %z, %z {registers = [[4, 1, 1]], width = 2} -> fragment<4xf32>", "behind each other"),
    ("%r = lane.load %A, %z, %z {registers = [[4, 0, 2]], width = 2} -> fragment<4xf32>", "behind each other"),
    ("%r = lane.load %A, %z, %z {registers = [[4, 0, 1]], width = 8} -> fragment<4xf32>", "behind each other"),
    ("lane.store %g, %A, %z, %z {registers = [[4, 0, 1]]}", "registers hold i32"),
    ("%r = lane.aligned %A, %z {bytes = 16} -> bool", "1 indices"),
    ("%r = lane.fill %x -> fragment<4xi32>", "filled with f32"),
    ("%r = lane.numbers {values = [1, 2, 3]} -> fragment<4xi32>", "3 integers"),
    ("%r = lane.numbers {values = [1, 2, 3, 4]} -> fragment<4xf32>", "4 integers"),
    ("%r = lane.pick %f, %g {registers = [0]} -> fragment<1xf32>", "one element type"),
    ("%r = lane.pick %f {registers = [0, 4]} -> fragment<2xf32>", "4 registers"),
    ("%r = lane.pick %f {registers = [0]} -> fragment<2xf32>", "fragment<1xf32>"),
    ("%r = lane.item %f {register = 4} -> f32", "no register 4"),
    ("%r = lane.flip %f {lanes = 0} -> fragment<4xf32>", "flips no bit"),
]


def module_of(parameters: str, body: str, lanes: int = 4, threads: int = 8) -> Module:
    """A kernel of one SPMD region, which reads back as it is printed."""
    head = f'sym_name = "f", subgroup_size = {lanes}, work_group_size = [{threads}, 1]'
    text = f"builtin.module {{ builtin.kernel {{{head}}} ({parameters}) {{ team.spmd {{ {body} }} }} }}"
    report = Report()
    module = parse_ir(Source("test.twir", text), report, operation_classes())
    assert isinstance(module, Module), [str(d) for d in report.diagnostics]
    again = parse_ir(Source("test.twir", print_op(module)), report, operation_classes())
    assert again is not None
    assert print_op(again) == print_op(module)
    return module


@pytest.mark.parametrize(("line", "words"), BROKEN, ids=[f"{k}" for k in range(len(BROKEN))])
def test_broken_rules_are_reported(line: str, words: str) -> None:
    report = Report()
    verify(module_of("%A: memref<f32x?x?>, %B: memref<f32x8x8>, %x: f32, %n: i32", VALUES + line), report)
    assert any(words in d.message for d in report.diagnostics), [d.message for d in report.diagnostics]


def run(parameters: str, body: str, *arguments: np.ndarray | np.generic, threads: int = 8) -> None:
    module, report = module_of(parameters, body, threads=threads), Report()
    assert verify(module, report), [str(d) for d in report.diagnostics]
    interpret(module.kernels[0], arguments)


LANE = "%lane32 = team.subgroup_local_id -> i32 %lane = arith.cast %lane32 -> index\n"
WARP = "%warp32 = team.subgroup_linear_id -> i32 %warp = arith.cast %warp32 -> index\n"


def aligned(shape: tuple[int, ...], start: int = 0) -> np.ndarray:
    """An array of f32, in columns, so many elements behind a multiple of 64 bytes."""
    count = int(np.prod(shape))
    raw = np.zeros(count + 32, np.float32)
    first = -(raw.ctypes.data // 4) % 16 + start
    return raw[first : first + count].reshape(shape, order="F")


def test_registers_lie_where_their_digits_say(rng: np.random.Generator) -> None:
    """Two warps of four lanes: registers 2 rows apart, then 1 column; what is outside reads as 0 and is not written."""
    x, y = aligned((14, 3)), aligned((14, 3))
    x[:], y[:] = rng.standard_normal((14, 3)), -1
    body = (
        LANE + WARP + "%eight = arith.constant {value = 8} -> index %row = arith.mul %warp, %eight -> index\n"
        "%at = arith.add %row, %lane -> index %z = arith.constant {value = 0} -> index\n"
        "%v = lane.load %x, %at, %z {registers = [[2, 0, 4], [4, 1, 1]], check = [true, true]} -> fragment<8xf32>\n"
        "%w = arith.add %v, %v -> fragment<8xf32>\n"
        "lane.store %w, %y, %at, %z {registers = [[2, 0, 4], [4, 1, 1]], check = [true, true]}"
    )
    run("%x: memref<f32x14x3>, %y: memref<f32x14x3>", body, x, y)
    np.testing.assert_array_equal(y, 2 * x)


@pytest.mark.parametrize(("start", "extent", "words"), [(1, 16, "aligned"), (0, 14, "all inside or all outside")])
def test_promises_of_wide_accesses_are_held(start: int, extent: int, words: str) -> None:
    x = aligned((16,), start)[:extent]
    four = "%four = arith.constant {value = 4} -> index %at = arith.mul %lane, %four -> index\n"
    load = "%v = lane.load %x, %at {registers = [[4, 0, 1]], check = [true], width = 4} -> fragment<4xf32>"
    with pytest.raises(KernelError, match=words):
        run("%x: memref<f32x?>", LANE + four + load, x, threads=4)


def test_registers_are_renamed_and_exchanged(rng: np.random.Generator) -> None:
    x, y = aligned((8, 4)), aligned((8, 4))
    x[:] = rng.standard_normal((8, 4))
    body = (
        LANE + WARP + "%four = arith.constant {value = 4} -> index %row = arith.mul %warp, %four -> index\n"
        "%at = arith.add %row, %lane -> index %z = arith.constant {value = 0} -> index\n"
        "%v = lane.load %x, %at, %z {registers = [[4, 1, 1]]} -> fragment<4xf32>\n"
        "%p = lane.pick %v, %v {registers = [3, 6, 1, 0]} -> fragment<4xf32> %q = lane.flip %p {lanes = 3}"
        " -> fragment<4xf32>\n"
        "lane.store %q, %y, %at, %z {registers = [[4, 1, 1]]}"
    )
    run("%x: memref<f32x8x4>, %y: memref<f32x8x4>", body, x, y)
    np.testing.assert_array_equal(y, x[[3, 2, 1, 0, 7, 6, 5, 4]][:, [3, 2, 1, 0]])


def test_numbers_items_and_addresses() -> None:
    y = aligned((8,))
    body = (
        LANE + "%n = lane.numbers {values = [2, 5]} -> fragment<2xi32> %l = lane.fill %lane32 -> fragment<2xi32>\n"
        "%s = arith.add %n, %l -> fragment<2xi32> %r = arith.cast %s -> fragment<2xf32>\n"
        '%five = lane.item %n {register = 1} -> i32 %ok = arith.cmp %five, %five {predicate = "eq"} -> bool\n'
        "%z = arith.constant {value = 0} -> index %one = arith.constant {value = 1} -> index\n"
        "%even = lane.aligned %y, %z {bytes = 16} -> bool %odd = lane.aligned %y, %one {bytes = 16} -> bool\n"
        "scf.if %even { scf.if %ok { lane.store %r, %y, %lane {registers = [[2, 0, 4]]} } }\n"
        "scf.if %odd { lane.store %r, %y, %z {registers = [[2, 0, 1]]} }"
    )
    run("%y: memref<f32x8>", body, y, threads=4)
    np.testing.assert_array_equal(y, [2, 3, 4, 5, 5, 6, 7, 8])


def test_a_subgroup_agrees_as_a_whole() -> None:
    """One work-item of the second subgroup does not."""
    y = aligned((8,))
    body = (
        LANE + WARP + "%four = arith.constant {value = 4} -> index %row = arith.mul %warp, %four -> index\n"
        "%at = arith.add %row, %lane -> index %six = arith.constant {value = 6} -> index\n"
        '%ok = arith.cmp %at, %six {predicate = "ne"} -> bool %all = lane.all %ok -> bool\n'
        "%one = arith.constant {value = 1.0} -> f32 %v = lane.fill %one -> fragment<1xf32>\n"
        "scf.if %all { lane.store %v, %y, %at {registers = [[1, 0, 1]]} }"
    )
    run("%y: memref<f32x8>", body, y)
    np.testing.assert_array_equal(y, [1, 1, 1, 1, 0, 0, 0, 0])
