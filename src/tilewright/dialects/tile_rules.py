"""Rules of tile operations that their declared constraints cannot express; called by `verify` of each class."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.memref import AtomicKind
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.types import F32, I32, TF32, MemrefType, ScalarType, TileType, Type, element_of, promotable


def fail(op: Operation, report: Report, message: str, place: str | tuple[str, int] = "type") -> None:
    """Report a broken rule at a part of an operation."""
    name = op.name.split(".", 1)[1]
    report.error(op.definition.code, op.place(place), f"{name}: {message}")


def tile_of(value: Value) -> TileType:
    """The tile type of an operand or result whose constraint holds."""
    assert isinstance(value.type, TileType)
    return value.type


def access(
    op: Operation, report: Report, view: Value, indices: Sequence[Value], check: Sequence[bool], value: Value
) -> None:
    """One index for each mode, a tile of as many dimensions and the memref's elements, and none or all check flags."""
    assert isinstance(view.type, MemrefType)
    type_, order = tile_of(value), view.type.order
    if len(indices) != order:
        fail(op, report, f"{len(indices)} indices for a memref of order {order}", "mnemonic")
    if type_.rank != order:
        fail(op, report, f"a tile of rank {type_.rank} cannot be accessed in a memref of order {order}")
    if type_.element is not view.type.element:
        fail(op, report, f"tile elements are {type_.element}, those of the memref {view.type.element}")
    if len(check) not in (0, order):
        fail(op, report, f"check has {len(check)} flags for a memref of order {order}", "check")


def update_kind(op: Operation, report: Report, kind: AtomicKind, type_: Type) -> None:
    """Complex numbers have no maximum."""
    element = element_of(type_)
    if kind is not AtomicKind.ADD and element is not None and element.is_complex:
        fail(op, report, f"{kind.value} is not defined for {element}", "kind")


def box(op: Operation, report: Report, view: Value, indices: Sequence[Value], shape: Sequence[int]) -> None:
    """A box of a memref: one index and one positive length for each mode."""
    assert isinstance(view.type, MemrefType)
    order = view.type.order
    if len(indices) != order or len(shape) != order:
        fail(op, report, f"needs {order} indices and lengths, one for each mode", "mnemonic")
    if any(s <= 0 for s in shape):
        fail(op, report, "lengths must be positive", "shape")


def same_element(op: Operation, report: Report, value: Value, out: Value) -> None:
    """Operand and result hold elements of one type."""
    if element_of(value.type) is not element_of(out.type):
        fail(op, report, f"elements of {value.type} and {out.type} differ")


def single(op: Operation, report: Report, value: Value) -> None:
    """Exactly one element."""
    if tile_of(value).size != 1:
        fail(op, report, f"{value.type} has {tile_of(value).size} elements, not one", ("operand", 0))


def broadcast(op: Operation, report: Report, value: Value, out: Value) -> None:
    """Equal ranks; every extent is kept or was 1."""
    same_element(op, report, value, out)
    source, target = tile_of(value).shape, tile_of(out).shape
    if len(source) != len(target) or any(s not in (1, t) for s, t in zip(source, target, strict=False)):
        fail(op, report, f"{value.type} cannot be stretched to {out.type}")


def reshape(op: Operation, report: Report, value: Value, out: Value) -> None:
    """The number of elements stays."""
    same_element(op, report, value, out)
    if tile_of(value).size != tile_of(out).size:
        fail(op, report, f"{value.type} has {tile_of(value).size} elements, {out.type} {tile_of(out).size}")


def reinterpret(op: Operation, report: Report, value: Value, out: Value) -> None:
    """One dimension, integers of whole bytes, as many bits in all."""
    source, target = tile_of(value), tile_of(out)
    whole = all(t.rank == 1 and t.element.is_integer and t.element.bits % 8 == 0 for t in (source, target))
    if not whole or source.size * source.element.bits != target.size * target.element.bits:
        fail(op, report, f"{source} and {target} are no rows of the same bits as integers of whole bytes")


def permutation(op: Operation, report: Report, order: Sequence[int], value: Value) -> None:
    """`order` names every dimension once."""
    if sorted(order) != list(range(tile_of(value).rank)):
        fail(op, report, f"order {list(order)} is no permutation of {tile_of(value).rank} dimensions", "order")


def extract(op: Operation, report: Report, value: Value, offsets: Sequence[int], out: Value) -> None:
    """The box lies inside the operand."""
    same_element(op, report, value, out)
    source, target = tile_of(value).shape, tile_of(out).shape
    if not len(source) == len(target) == len(offsets):
        fail(op, report, f"{value.type}, {out.type} and {len(offsets)} offsets differ in rank")
    elif any(o < 0 or o + t > s for o, t, s in zip(offsets, target, source, strict=True)):
        fail(op, report, f"the box {list(target)} at {list(offsets)} leaves {value.type}", "offsets")


def cat(op: Operation, report: Report, tiles: Sequence[Value], dim: int, out: Value) -> None:
    """Equal shapes but for `dim`, whose extents add up."""
    target = tile_of(out)
    if not 0 <= dim < target.rank:
        fail(op, report, f"no dimension {dim} in {target}", "dim")
        return
    for value in tiles:
        type_ = tile_of(value)
        others = [s for k, s in enumerate(type_.shape) if k != dim]
        if type_.element is not target.element or others != [s for k, s in enumerate(target.shape) if k != dim]:
            fail(op, report, f"{type_} does not fit beside the others in {target}")
            return
    total = sum(tile_of(v).shape[dim] for v in tiles)
    if total != target.shape[dim]:
        fail(op, report, f"extents along dimension {dim} add up to {total}, not {target.shape[dim]}")


def iota(op: Operation, report: Report, dim: int, out: Value) -> None:
    """An existing dimension and integers."""
    dimension(op, report, dim, out)
    if not tile_of(out).element.is_integer:
        fail(op, report, f"positions are integers, not {tile_of(out).element}")


def dimension(op: Operation, report: Report, dim: int, value: Value) -> None:
    """An existing dimension."""
    if not 0 <= dim < tile_of(value).rank:
        fail(op, report, f"no dimension {dim} in {value.type}", "dim")


def mma(op: Operation, report: Report, lhs: Value, rhs: Value, acc: Value) -> None:
    """m x k, k x n and m x n, with operands that are exact in the accumulator."""
    a, b, c = tile_of(lhs), tile_of(rhs), tile_of(acc)
    if not a.rank == b.rank == c.rank == 2:
        fail(op, report, f"{a}, {b} and {c} must have two dimensions")
    elif (a.shape[0], b.shape[1]) != c.shape or a.shape[1] != b.shape[0]:
        fail(op, report, f"{a} times {b} is not a {c}")
    if c.element.accumulator is not c.element:
        fail(op, report, f"{c.element} is only stored, products are formed in {c.element.accumulator}", ("operand", 2))
    for index, type_ in enumerate((a, b)):
        if not promotable(type_.element, c.element) and (type_.element, c.element) != (TF32, F32):
            fail(op, report, f"{type_.element} is not exact in {c.element}", ("operand", index))


def mapped(op: Operation, report: Report, value: Value, body: Region) -> None:
    """The region takes the position and the element and yields an element."""
    type_ = tile_of(value)
    wanted: list[ScalarType] = [I32] * type_.rank + [type_.element]
    if [a.type for a in body.entry.arguments] != wanted:
        fail(op, report, f"the region must take ({', '.join(map(str, wanted))})")
    last = body.entry.last
    if last is None or last.name != "scf.yield" or [v.type for v in last.operands] != [type_.element]:
        fail(op, report, f"the region must yield one {type_.element}")


def share(op: Operation, report: Report, value: Value, index: int, component: Value) -> None:
    """A component of a matrix."""
    if tile_of(value).rank != 2:
        fail(op, report, f"{value.type} is no matrix")
    if index < 0:
        fail(op, report, f"component {index} does not exist", "index")
    same_element(op, report, value, component)


def reduced(type_: TileType, dim: int) -> TileType:
    """The type of a tile along one dimension of which everything becomes one element; each thread that held a part of
    a line holds all of it."""
    layout = None if type_.layout is None else type_.layout.reduce_dim(dim)
    return TileType(tuple(s for k, s in enumerate(type_.shape) if k != dim), type_.element, layout)
