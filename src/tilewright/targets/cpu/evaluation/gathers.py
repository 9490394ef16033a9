"""Blocks of gathered tiles, and their inverse: vectors of elements that lie at addresses of their own."""

from __future__ import annotations

from tilewright.targets.cpu.expressions.block_reader import BlockReader
from tilewright.targets.cpu.expressions.blocks import Block, Piece
from tilewright.targets.cpu.expressions.fragments import Fragments, parts_of, value_of
from tilewright.targets.cpu.expressions.nodes import Gathered
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.memory.lanes import prefix_mask
from tilewright.targets.llvm.emitter import Complex, Value, boolean, vector, zero
from tilewright.targets.llvm.types import ELEMENTS, Element
from tilewright.targets.llvm.values import constant


def gathered_block(ev: BlockReader, tile: Gathered, block: Block) -> Fragments:
    """One vector gather a piece, two of complex numbers."""
    places = ev.block(tile.addresses, block)
    masks = None if tile.mask is None else ev.block(tile.mask, block)
    return [
        [
            _gather(ev, tile.type.element.name, value_of(places[j][p]), active_lanes(ev, masks, j, p, piece), piece)
            for p, piece in enumerate(block.pieces)
        ]
        for j in range(block.count)
    ]


def active_lanes(ev: BlockReader, masks: Fragments | None, j: int, p: int, piece: Piece) -> Value | None:
    """The lanes to access; None if all."""
    found = None if masks is None else value_of(masks[j][p])
    if not piece.partial:
        return found
    static = prefix_mask(piece.active, piece.lanes)
    return static if found is None else ev.b.and_(found, static)


def _gather(ev: BlockReader, dtype: str, at: Value, mask: Value | None, piece: Piece) -> Operand:
    found = [_gather_part(ev, component, there, mask, piece) for component, there in _parts(ev, dtype, at)]
    return found[0] if len(found) == 1 else Complex(*found)


def _gather_part(ev: BlockReader, element: Element, at: Value, mask: Value | None, piece: Piece) -> Value:
    b, pointers = ev.b, _pointers(ev, at, piece)
    if piece.lanes > 1:
        ltype = vector(element.llvm, piece.lanes)
        return b.gather(ltype, pointers, mask or b.splat(boolean(True), piece.lanes), element.bytes)
    if mask is None:
        return b.load(element.llvm, pointers, element.bytes)
    with b.if_else(mask) as branch:
        with branch.then():
            branch.yield_(b.load(element.llvm, pointers, element.bytes))
        with branch.otherwise():
            branch.yield_(zero(element.llvm))
    return branch.results[0]


def scatter(ev: BlockReader, dtype: str, value: Operand, at: Value, mask: Value | None, piece: Piece) -> None:
    """Store the lanes of a vector, each at its own address."""
    for (element, there), part in zip(_parts(ev, dtype, at), parts_of(value), strict=True):
        b, pointers = ev.b, _pointers(ev, there, piece)
        if piece.lanes > 1:
            b.scatter(part, pointers, mask or b.splat(boolean(True), piece.lanes), element.bytes)
        elif mask is None:
            b.store(part, pointers, element.bytes)
        else:
            with b.if_then(mask):
                b.store(part, pointers, element.bytes)


def _parts(ev: BlockReader, dtype: str, at: Value) -> list[tuple[Element, Value]]:
    """The types of an element's parts, which are two of a complex number, and where they lie."""
    whole, part = ELEMENTS[dtype], ELEMENTS[ELEMENTS[dtype].component]
    ends = range(part.bytes, whole.bytes, part.bytes)
    return [(part, at), *((part, ev.b.add(at, constant(at.type, end))) for end in ends)]


def _pointers(ev: BlockReader, at: Value, piece: Piece) -> Value:
    return ev.b.cast("inttoptr", at, vector("ptr", piece.lanes), hint="at")
