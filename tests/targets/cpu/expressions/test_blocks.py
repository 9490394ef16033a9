"""How extents are cut into vectors."""

from __future__ import annotations

import pytest

from targets.cpu.entry import Entry
from tilewright.targets.cpu.expressions.blocks import Piece, split_pieces, split_powers
from tilewright.targets.cpu.machine import machine_of


@pytest.mark.parametrize("extent", range(70))
@pytest.mark.parametrize("lanes", [1, 4, 16])
def test_pieces_cover_an_extent_in_order(extent: int, lanes: int) -> None:
    pieces = split_pieces(extent, lanes, machine_of())
    covered = [piece.offset + lane for piece in pieces for lane in range(piece.active)]
    assert covered == list(range(extent))
    assert all(piece.lanes <= lanes and piece.active <= piece.lanes for piece in pieces)
    assert all(not piece.partial for piece in pieces[: pieces.full])
    if not pieces.rest or not pieces.rest[0].partial:
        assert tuple(pieces) == split_powers(extent, lanes)


def test_pieces_of_the_longest_tiles_are_not_enumerated() -> None:
    pieces = split_pieces((1 << 24) + 3, 4, machine_of())
    assert len(pieces) > 1 << 22
    assert pieces[1 << 21] == Piece(1 << 23, 4, 4)
    assert pieces[-1].offset + pieces[-1].active == (1 << 24) + 3


def test_code_for_the_longest_tiles_is_short() -> None:
    type_ = f"tile<{1 << 24}xf32>"
    text = f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}}
      (%x: memref<f32x?>, %y: memref<f32x?>) {{
      %zero = arith.constant {{value = 0}} -> index
      %a = tile.load %x, %zero -> {type_}
      %b = arith.add %a, %a -> {type_}
      tile.store %b, %y, %zero
    }} }}"""
    assert Entry(text).text.count("\n") < 300
