"""open-reports: where what is reported is stored."""

from __future__ import annotations

from tilewright.transforms.open_reports import OpenReports
from transforms.support import filecheck, kernel, run


def opened(body: str, parameters: str = "%n: i64, %x: f64") -> str:
    return run(kernel(parameters, body), OpenReports())


def test_values_lie_behind_each_other_with_their_dimensions() -> None:
    tile = "%t = tile.splat %n -> tile<4x2xi64>"
    attributes = '{kind = "print", text = "%d %d %f", bits = [32, 8, 0]}'
    found = opened(f"{tile} team.report %n, %t, %x {attributes}")
    filecheck(
        found,
        """%0 = team.claim {kind = "print", text = "%d %d %f", bits = [32, 8, 0], shapes = [[], [2, 4], []], \
floats = [false, false, true]} -> i64
        scf.if
        memref.from_address %0 {operand_segments = [1, 0, 0]} -> memref<i64>
        memref.store %n
        arith.constant {value = 8} -> i64
        memref.from_address %{{\\d+}} {operand_segments = [1, 0, 0]} -> memref<i64x4x2>
        tile.store %t
        arith.constant {value = 72} -> i64
        memref.from_address %{{\\d+}} {operand_segments = [1, 0, 0]} -> memref<f64>
        memref.store %x""",
    )
    assert "team.report" not in found


def test_a_report_without_values_stores_nothing() -> None:
    found = opened('team.report {kind = "print", text = "here", bits = []}')
    assert "team.claim" in found
    assert "scf.if" not in found


def test_nothing_is_stored_of_tiles_without_elements() -> None:
    tile = "%t = tile.splat %n -> tile<4x0xi64>"
    found = opened(f'{tile} team.report %t, %x {{kind = "print", text = "%d %f", bits = [32, 0]}}')
    assert "tile.store" not in found
    assert "memref.store %x" in found
