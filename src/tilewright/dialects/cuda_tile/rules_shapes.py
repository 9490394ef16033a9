"""Rules of the operations on shapes."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile.rules import SHAPE, element, error, number, shape, where
from tilewright.dialects.cuda_tile.types import F4E2M1FN, TF32, ElementType, Pointer, Tile
from tilewright.ir.check_reports import spoken
from tilewright.ir.core import Operation, Value


def _same_element(op: Operation, report: Report, a: Value, b: Value) -> bool:
    if element(a) == element(b):
        return True
    error(op, report, "C10", where(op, b), f"element types differ: {a.type} and {b.type}")
    return False


def iota(op: Operation, report: Report, out: Value) -> None:
    """Rank 1, and every position fits the element."""
    if len(shape(out)) != 1:
        error(op, report, SHAPE, op.place("type"), f"the result has rank 1, not {len(shape(out))}")
    elif shape(out)[0] > 1 << number(out).bits:
        error(op, report, SHAPE, op.place("type"), f"{shape(out)[0]} numbers do not fit {element(out)}")


def broadcast(op: Operation, report: Report, source: Value, out: Value) -> None:
    """Extents are equal or 1."""
    if not _same_element(op, report, source, out):
        return
    a, b = shape(source), shape(out)
    if len(a) != len(b):
        error(op, report, SHAPE, op.place("type"), f"ranks differ: {source.type} and {out.type}").hint("reshape first")
    elif any(s not in (1, r) for s, r in zip(a, b, strict=True)):
        error(op, report, SHAPE, op.place("type"), f"only dimensions of extent 1 stretch: {source.type} to {out.type}")


def reshape(op: Operation, report: Report, source: Value, out: Value) -> None:
    """Equal numbers of elements."""
    assert isinstance(source.type, Tile)
    assert isinstance(out.type, Tile)
    if _same_element(op, report, source, out) and source.type.size != out.type.size:
        error(op, report, SHAPE, op.place("type"), f"{source.type.size} elements do not become {out.type.size}")


def permute(op: Operation, report: Report, source: Value, order: tuple[int, ...], out: Value) -> None:
    """A permutation of at least two dimensions, applied to the shape."""
    extents = shape(source)
    if not _same_element(op, report, source, out):
        return
    if len(extents) < 2:
        error(op, report, SHAPE, where(op, source), "the source has at least two dimensions")
    elif sorted(order) != list(range(len(extents))):
        error(op, report, SHAPE, op.place("permutation"), f"this is no permutation of 0..{len(extents) - 1}")
    elif tuple(extents[p] for p in order) != shape(out):
        wanted = Tile(tuple(extents[p] for p in order), element(source))
        error(op, report, SHAPE, op.place("type"), f"the result is {wanted}, not {out.type}")


def cat(op: Operation, report: Report, lhs: Value, rhs: Value, dim: int, out: Value) -> None:
    """Equal extents but along `dim`, where they add up."""
    if not (_same_element(op, report, lhs, rhs) and _same_element(op, report, lhs, out)):
        return
    a, b, r = shape(lhs), shape(rhs), shape(out)
    if not len(a) == len(b) == len(r):
        error(op, report, SHAPE, op.place("type"), f"ranks differ: {lhs.type}, {rhs.type} and {out.type}")
    elif not 0 <= dim < len(a):
        error(op, report, SHAPE, op.place("dim"), f"dimension {dim} does not lie in 0..{len(a) - 1}")
    elif any(r[k] != (a[k] + b[k] if k == dim else a[k]) or (k != dim and a[k] != b[k]) for k in range(len(a))):
        error(op, report, SHAPE, op.place("type"), f"{lhs.type} and {rhs.type} along {dim} do not make {out.type}")


def slices(
    op: Operation,
    report: Report,
    whole: Value,
    part: Value,
    indices: Sequence[Value],
    known: Sequence[int | None],
    what: str,
) -> None:
    """The part divides the whole; one index for each dimension, each naming an existing slice as far as it is known."""
    if not _same_element(op, report, whole, part):
        return
    a, b = shape(whole), shape(part)
    if len(a) != len(b):
        error(op, report, SHAPE, op.place("type"), f"ranks differ: {whole.type} and {part.type}")
        return
    if len(indices) != len(a):
        error(op, report, SHAPE, op.location, f"{len(indices)} indices for {len(a)} dimensions")
        return
    for k, (extent, piece) in enumerate(zip(a, b, strict=True)):
        if piece > extent or extent % piece:
            error(op, report, SHAPE, op.place("type"), f"extent {piece} of {what} does not divide {extent}")
            continue
        found = known[k]
        if found is not None and not 0 <= found < extent // piece:
            message = f"{spoken(op)}: there is no slice {found} along dimension {k}, there are {extent // piece}"
            report.warning(SHAPE, where(op, indices[k]), message)


def selectable(op: Operation, report: Report, out: Value) -> None:
    """Nibbles cannot be chosen one by one."""
    if element(out) is F4E2M1FN:
        error(op, report, "C10", op.place("type"), "tiles of f4E2M1FN cannot be selected from")


def addressable(op: Operation, report: Report, pointer: Value) -> None:
    """Elements of four bits have no address of their own."""
    found = element(pointer)
    if isinstance(found, Pointer) and found.pointee is F4E2M1FN:
        error(op, report, "C10", where(op, pointer), "pointers to 4-bit elements cannot be advanced")


def _bits(type_: ElementType) -> int:
    return 32 if type_ is TF32 else type_.bits


def packed(op: Operation, report: Report, values: Value, octets: Value) -> None:
    """Tiles of rank 1 with the same number of bytes; bytes themselves need no packing."""
    if len(shape(values)) != 1 or len(shape(octets)) != 1:
        error(op, report, SHAPE, op.place("type"), f"both tiles have rank 1, not {values.type} and {octets.type}")
        return
    bits = _bits(number(values))
    if bits == 8:
        error(op, report, "C10", op.place("type"), f"{element(values)} has 8 bits already; write bitcast")
    elif shape(values)[0] * bits != shape(octets)[0] * 8:
        message = f"{values.type} has {shape(values)[0] * bits} bits, {octets.type} has {shape(octets)[0] * 8}"
        error(op, report, SHAPE, op.place("type"), message)
