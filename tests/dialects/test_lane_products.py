"""Products on the lane and gpu levels: rules of their operations, and what they mean, against NumPy."""

# ruff: noqa: E501 - an operation a line, however long

from __future__ import annotations

import numpy as np
import pytest

from dialects.test_lane import LANE, module_of
from tilewright.diagnostics import Report
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects.lane_products import row_of_pair
from tilewright.interpreter import interpret
from tilewright.ir.verifier import verify

MEMORY = """
  %z = arith.constant {value = 0} -> index
  %b = memref.alloca -> memref<i8x16x16x2,local>
  %s = memref.alloca -> memref<f16x16x8x2,local> %w = memref.alloca -> memref<f32x16x8x2,local>
  %t = memref.alloca -> memref<f16x64x16x1x1,strided<1,64,1024,1024>,swizzle<3,4,3>,local>
  %o = arith.constant {value = 1.0} -> f16 %p = arith.constant {value = 1.0} -> f32
  %f = lane.fill %o -> fragment<8xf16> %g = lane.fill %o -> fragment<4xf16> %h = lane.fill %p -> fragment<4xf32>
"""
COPY = "lane.copy_async %A, %z, %z, %s, %z, %z, %z {operand_segments = [1, 2, 1, 3], "
MMA = '{instruction = "m16n8k16.row.col.f32.f32"} -> fragment<4xf32>'
UNIT = 'instruction = "m16n8k16.row.col.f32.f32", warps = [1, 1], scales = [1, 1, 1], swapped = false'
READ = "%r = gpu.read_parts %s, %z, %z {" + UNIT + ", along = false, side = 1} -> tile<16x8xf16>"
PARTS = (
    """%b = arith.constant {value = 1.0} -> tile<16x8xf16> %a = arith.constant {value = 1.0} -> tile<16x16xf16>
  %c = arith.constant {value = 1.0} -> tile<16x8xf32> %r = gpu.mma_parts %a, %b, %c {"""
    + UNIT
    + "} -> tile<16x8xf32>"
)
ASYNC = "%r = lane.mma_async %h, %t, %t, %z, %z, %z, %z, %z, %z, %z, %z {operand_segments = [1, 1, 1, 4, 4], "
TILE_COPY = "gpu.copy_async %A, %z, %z, %s, %z, %z, %z {operand_segments = [1, 2, 1, 3], "

BROKEN = [
    (COPY + "registers = [[4, 0, 1]], target_registers = [[4, 0, 1]], width = 4, check = [false, false]}", None),
    (COPY + "registers = [[4, 0, 1]], target_registers = [[4, 0, 1]], width = 4, check = [true]}", "1 flags"),
    (COPY + "registers = [[4, 0, 1]], target_registers = [[8, 0, 1]], width = 4}", "as many elements"),
    (COPY + "registers = [[4, 0, 2]], target_registers = [[4, 0, 1]], width = 4}", "behind each other"),
    (COPY + "registers = [[4, 0, 1]], target_registers = [[4, 1, 1]], width = 4}", "behind each other"),
    (COPY + "registers = [[4, 0, 1]], target_registers = [[4, 3, 1]], width = 4}", "3 modes"),
    (COPY + "registers = [[3, 0, 1]], target_registers = [[3, 0, 1]], width = 3}", "4, 8 or 16 bytes"),
    (COPY.replace("%s", "%w") + "registers = [[4, 0, 1]], target_registers = [[4, 0, 1]], width = 4}", "copied to f32"),
    (COPY.replace("%s", "%C") + "registers = [[4, 0, 1]], target_registers = [[4, 0, 1]], width = 4}", "global to"),
    (TILE_COPY + "modes = [0, 1], shape = [16, 8, 1], width = 8}", None),
    (TILE_COPY + "modes = [0, 1], shape = [12, 8, 1], width = 8}", "no copies of 8"),
    (TILE_COPY + "modes = [0, 1], shape = [16, 8, 2], width = 8}", "no part of a stage"),
    (TILE_COPY + "modes = [0, 2], shape = [16, 8, 1], width = 8}", "2 modes"),
    ("gpu.await_copies {pending = -1}", "cannot be left"),
    ("%r = lane.load_matrices %s, %z, %z, %z {starts = [[0, 0, 0]], counts = [4]} -> fragment<8xf16>", None),
    (
        "%r = lane.load_matrices %s, %z, %z, %z {starts = [[0, 0, 0]], counts = [3]} -> fragment<6xf16>",
        "one, two or four",
    ),
    ("%r = lane.load_matrices %s, %z, %z, %z {starts = [[0, 0]], counts = [4]} -> fragment<8xf16>", "3 modes"),
    ("%r = lane.load_matrices %s, %z, %z, %z {starts = [[0, 0, 0]], counts = [4]} -> fragment<4xf16>", "8xf16"),
    (
        "%r = lane.load_matrices %w, %z, %z, %z {starts = [[0, 0, 0]], counts = [4]} -> fragment<4xf32>",
        "one or two bytes",
    ),
    (
        "%r = lane.load_matrices %b, %z, %z, %z {starts = [[0, 0, 0]], counts = [1], transposed = true} -> fragment<4xi8>",
        "by pairs",
    ),
    (READ, None),
    (READ.replace("%s, ", "%C, "), "in shared memory"),
    (READ.replace("%s, ", "%w, "), "multiplies f16, not f32"),
    (READ.replace("along = false", "along = true"), "no whole parts"),
    (READ.replace("16x8xf16>", "8x8xf16>"), "no whole parts"),
    (READ.replace("m16n8k16.row.col.f32.f32", "wgmma.m64n8k16.f32.f16"), "no warp multiplies"),
    (READ.replace("m16n8k16.row.col.f32.f32", "wgmma.m64n8k8.f32.tf32.turned"), "in shared memory"),
    (PARTS, None),
    (PARTS.replace("%a, %b", "%b, %a"), "is no tile<16x8xf32>"),
    (
        PARTS.replace(
            "%c = arith.constant {value = 1.0} -> tile<16x8xf32>", "%c = arith.constant {value = 1.0} -> tile<16x8xf16>"
        ).replace("} -> tile<16x8xf32>", "} -> tile<16x8xf16>"),
        "of f16 to f32",
    ),
    (PARTS.replace("m16n8k16.row.col.f32.f32", "wgmma.m64n8k16.f32.f16"), "no warp multiplies"),
    ("%r = lane.mma %f, %g, %h " + MMA, None),
    ("%r = lane.mma %g, %g, %h " + MMA, "no whole parts"),
    ("%r = lane.mma %h, %g, %h " + MMA, "multiplies f16"),
    ("%r = lane.mma %f, %g, %h " + MMA.replace("m16n8k16", "m16n8k17"), "there is no instruction"),
    ("%r = lane.mma %f, %g, %h " + MMA.replace("m16n8k16.row.col.f32.f32", "wgmma.m64n8k16.f32.f16"), "no factors in"),
    (
        ASYNC
        + 'instruction = "wgmma.m64n8k16.f32.f16", along = [false, false], repeats = 1, steps = 1} -> fragment<4xf32>',
        None,
    ),
    (
        ASYNC
        + 'instruction = "wgmma.m64n8k16.f32.f16", along = [false, false], repeats = 2, steps = 1} -> fragment<4xf32>',
        "2 parts",
    ),
    (
        ASYNC + 'instruction = "fma.f32", along = [false, false], repeats = 1, steps = 1} -> fragment<4xf32>',
        "in registers",
    ),
]


@pytest.mark.parametrize(("line", "words"), BROKEN, ids=[f"{k}" for k in range(len(BROKEN))])
def test_rules(line: str, words: str | None) -> None:
    report = Report()
    verify(module_of("%A: memref<f16x?x?>, %C: memref<f16x16x8x2>", MEMORY + line), report)
    messages = [d.message for d in report.diagnostics]
    assert any(words in message for message in messages) if words else not messages, messages


def run(body: str, *arguments: np.ndarray, lanes: int = 32, threads: int = 32) -> None:
    parameters = ", ".join(f"%{name}: memref<{text}>" for name, text in zip("AC", ("f16x?x?", "f32x?x?"), strict=True))
    module, report = module_of(parameters, body, lanes, threads), Report()
    assert verify(module, report), [str(d) for d in report.diagnostics]
    interpret(module.kernels[0], arguments)


def copied(wait: str) -> str:
    """Each lane copies 8 halves, zeros behind the edge, and reads them back as f32."""
    return f"""{LANE} %z = arith.constant {{value = 0}} -> index
    %s = memref.alloca -> memref<f16x8x32x1,local>
    lane.copy_async %A, %z, %lane, %s, %z, %lane, %z {{registers = [[8, 0, 1]], target_registers = [[8, 0, 1]], width = 8, check = [true, true], operand_segments = [1, 2, 1, 3]}}
    gpu.commit_copies
    {wait}
    %v = lane.load %s, %z, %lane, %z {{registers = [[8, 0, 1]], width = 8}} -> fragment<8xf16>
    %c = arith.cast %v -> fragment<8xf32>
    lane.store %c, %C, %z, %lane {{registers = [[8, 0, 1]]}}"""


def test_copies_arrive_when_they_are_awaited(rng: np.random.Generator) -> None:
    whole = rng.standard_normal((8, 40)).astype(np.float16, order="F")
    a, c = whole[:5, :30], np.ones((8, 32), np.float32, order="F")
    run(copied("gpu.await_copies {pending = 0}"), a, c)
    wanted = np.zeros((8, 32))
    wanted[:5, :30] = a
    assert np.array_equal(c, wanted)
    for wait in ("", "gpu.await_copies {pending = 1}"):
        with pytest.raises(KernelError, match="nothing has written"):
            run(copied(wait), a, c)


@pytest.mark.parametrize("commits", ["all", "half"])
def test_a_work_item_waits_for_its_own_copies(commits: str, rng: np.random.Generator) -> None:
    """The upper half waits in a branch: it has what it copied, the others have nothing yet."""
    half = '%h = arith.constant {value = 16} -> index %up = arith.cmp %lane, %h {predicate = "ge"} -> bool'
    committed = "" if commits == "all" else "gpu.commit_copies"
    branch = f"{half} scf.if %up {{ {committed} gpu.await_copies {{pending = 0}} }}"
    a, c = rng.standard_normal((8, 32)).astype(np.float16, order="F"), np.ones((8, 32), np.float32, order="F")
    body = copied(branch) if commits == "all" else copied(branch).replace("    gpu.commit_copies\n", "", 1)
    with pytest.raises(KernelError, match="nothing has written"):
        run(body, a, c)
    before, read = body.split("    %v = ")
    run(before + "scf.if %up {\n %v = " + read + " }", a, c)
    assert np.array_equal(c[:, 16:], a[:, 16:])
    assert (c[:, :16] == 1).all()


def copied_over_ones(wait: str) -> str:
    """The same where ones were before."""
    ones = """%p = arith.constant {value = 1.0} -> f16 %o = lane.fill %p -> fragment<8xf16>
    lane.store %o, %s, %z, %lane, %z {registers = [[8, 0, 1]]}
    lane.copy_async"""
    return copied(wait).replace("lane.copy_async", ones)


def test_what_was_there_is_gone_before_copies_arrive(rng: np.random.Generator) -> None:
    a, c = rng.standard_normal((8, 32)).astype(np.float16, order="F"), np.zeros((8, 32), np.float32, order="F")
    run(copied_over_ones("gpu.await_copies {pending = 0}"), a, c)
    assert np.array_equal(c, a)
    with pytest.raises(KernelError, match="nothing has written"):
        run(copied_over_ones("gpu.await_copies {pending = 1}"), a, c)


@pytest.mark.parametrize("rows", [8, 5])
def test_copies_that_do_not_fill_are_whole_or_none(rows: int, rng: np.random.Generator) -> None:
    """What lies outside stays as it was; what is cut by the edge is a fault."""
    body = copied_over_ones("gpu.await_copies {pending = 0}")
    body = body.replace("check = [true, true]", "check = [true, true], fills = false")
    whole = rng.standard_normal((8, 40)).astype(np.float16, order="F")
    a, c = whole[:rows, :30], np.zeros((8, 32), np.float32, order="F")
    if rows < 8:
        with pytest.raises(KernelError, match="not all inside or all outside"):
            run(body, a, c)
        return
    run(body, a, c)
    assert np.array_equal(c[:, :30], a)
    assert (c[:, 30:] == 1).all()


def test_copies_that_are_not_aligned_are_told() -> None:
    a = np.zeros((9, 32), np.float16, order="F")
    with pytest.raises(KernelError, match="not aligned"):
        run(copied("gpu.await_copies {pending = 0}"), a, np.zeros((8, 32), np.float32, order="F"))


@pytest.mark.parametrize("transposed", [False, True])
def test_matrices_are_dealt_to_lanes(transposed: bool, rng: np.random.Generator) -> None:
    """Two of them: lane l has row l / 4, columns 2 (l % 4) and the next."""
    a, c = rng.standard_normal((8, 16)).astype(np.float16, order="F"), np.zeros((4, 32), np.float32, order="F")
    run(
        f"""{LANE} %z = arith.constant {{value = 0}} -> index %k = arith.constant {{value = 15}} -> index
        %s = memref.alloca -> memref<f16x8x16,local> %row = arith.and %lane, %k -> index
        %u = lane.load %A, %z, %row {{registers = [[8, 0, 1]]}} -> fragment<8xf16>
        lane.store %u, %s, %z, %row {{registers = [[8, 0, 1]]}} team.barrier {{fence_local = true}}
        %m = lane.load_matrices %s, %z, %row {{starts = [[0, 0]], counts = [2], transposed = {str(transposed).lower()}}} -> fragment<4xf16>
        %c = arith.cast %m -> fragment<4xf32> lane.store %c, %C, %z, %lane {{registers = [[4, 0, 1]]}}""",
        a,
        c,
    )
    for lane, matrix, k in np.ndindex(32, 2, 2):
        row, column = lane // 4, 2 * (lane % 4) + k
        at = (row, column) if transposed else (column, row)
        assert c[2 * matrix + k, lane] == a[at[0], 8 * matrix + at[1]]


def test_warps_that_load_no_matrices_read_nothing(rng: np.random.Generator) -> None:
    """The second warp would read behind the memory."""
    a, c = rng.standard_normal((8, 16)).astype(np.float16, order="F"), np.zeros((2, 32), np.float32, order="F")
    body = f"""{LANE} %z = arith.constant {{value = 0}} -> index %k = arith.constant {{value = 15}} -> index
        %s = memref.alloca -> memref<f16x8x16,local> %column = arith.and %lane, %k -> index
        %u = lane.load %A, %z, %column {{registers = [[8, 0, 1]]}} -> fragment<8xf16>
        lane.store %u, %s, %z, %column {{registers = [[8, 0, 1]]}} team.barrier {{fence_local = true}}
        %n = team.subgroup_linear_id -> i32 %warp = arith.cast %n -> index
        %away = arith.shl %warp, %k -> index %row = arith.add %column, %away -> index
        %first = arith.cmp %warp, %z {{predicate = "eq"}} -> bool
        scf.if %first {{
          %m = lane.load_matrices %s, %z, %row {{starts = [[0, 0]], counts = [1]}} -> fragment<2xf16>
          %f = arith.cast %m -> fragment<2xf32> lane.store %f, %C, %z, %lane {{registers = [[2, 0, 1]]}} scf.yield
        }} {{ scf.yield }}"""
    interpret(module_of("%A: memref<f16x?x?>, %C: memref<f32x?x?>", body, 32, 64).kernels[0], (a, c))
    for lane, k in np.ndindex(32, 2):
        assert c[k, lane] == a[2 * (lane % 4) + k, lane // 4]


def test_bytes_are_dealt_by_columns(rng: np.random.Generator) -> None:
    """Lanes that say where rows lie as `row_of_pair` has it get four numbers of a column, neighbours along the rows."""
    a = rng.integers(-128, 128, (16, 32)).astype(np.int8, order="F")
    c, rows = np.zeros((16, 32), np.float32, order="F"), np.array([row_of_pair(lane) for lane in range(32)], np.int32)
    # rows of a matrix differ in their numbers within eight: swizzled memory has them in different banks
    assert sorted(rows) == list(range(32))
    assert (np.sort(rows.reshape(4, 8) % 8) == np.arange(8)).all()
    body = f"""{LANE} %z = arith.constant {{value = 0}} -> index
        %s = memref.alloca -> memref<i8x16x32,local>
        %u = lane.load %A, %z, %lane {{registers = [[16, 0, 1]]}} -> fragment<16xi8>
        lane.store %u, %s, %z, %lane {{registers = [[16, 0, 1]]}} team.barrier {{fence_local = true}}
        %r = memref.load %R, %lane -> i32 %row = arith.cast %r -> index
        %m = lane.load_matrices %s, %z, %row {{starts = [[0, 0]], counts = [4], transposed = true}} -> fragment<16xi8>
        %c = arith.cast %m -> fragment<16xf32> lane.store %c, %C, %z, %lane {{registers = [[16, 0, 1]]}}"""
    module = module_of("%A: memref<i8x?x?>, %C: memref<f32x?x?>, %R: memref<i32x?>", body, 32, 32)
    report = Report()
    assert verify(module, report), [str(d) for d in report.diagnostics]
    interpret(module.kernels[0], (a, c, rows))
    for lane, half, column, k in np.ndindex(32, 2, 2, 4):
        assert c[8 * half + 4 * column + k, lane] == a[2 * (lane // 4) + column, 16 * half + 4 * (lane % 4) + k]
