"""Rules that several operations of TLX share. Each reports what is broken and says whether all holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright.diagnostics import Diagnostic, Report
from tilewright.dialects.tlx.base import TensorOperation, TlxOperation, tensor_of
from tilewright.dialects.tlx.types import TensorType
from tilewright.ir.core import Operation, Place, Value
from tilewright.ir.types import ScalarType, TileType, promotable


def error(op: TlxOperation, report: Report, code: str, place: Place, message: str) -> Diagnostic:
    """An error that begins with what the text calls the operation."""
    return report.error(code, op.place(place), f"{op.spoken}: {message}")


def place_of(op: Operation, value: Value) -> Place:
    """Where an operation names an operand."""
    return ("operand", next(k for k, found in enumerate(op.operands) if found is value))


def sound(op: TlxOperation, report: Report, type_: TensorType) -> bool:
    """A type that the text gives is one."""
    for fault in type_.faults:
        error(op, report, fault.code, "type", fault.message)
    return type_.is_sound


def spelled(extents: Sequence[int]) -> str:
    """Extents as messages say them."""
    return "x".join(map(str, extents)) if extents else "a single element"


def lengths(op: TlxOperation, report: Report, rank: int, lists: Mapping[str, Sequence[int | None]]) -> bool:
    """There is one entry for each dimension."""
    fits = True
    for name, entries in lists.items():
        if len(entries) != rank:
            error(op, report, "TLX301", name, f"{name} has {len(entries)} entries for {rank} dimensions")
            fits = False
    return fits


def factors(op: TensorOperation, report: Report, a: Value, b: Value, out: ScalarType) -> bool:
    """Equal integers give the same integers; equal floats the same or wider ones (decision 24)."""
    x, y = tensor_of(a).element, tensor_of(b).element
    if x is not y:
        hint = ": use smma, umma, usmma or summa" if x.is_integer and y.is_integer else ""
        error(op, report, "TLX310", place_of(op, b), f"factors have one element type, not {x} and {y}{hint}")
        return False
    wider = out is x if x.is_integer else promotable(x, out) and out.is_float
    if not wider:
        hint = ": use smma, umma, usmma or summa" if x.is_integer and out.is_integer else ""
        error(op, report, "TLX310", "type", f"products of {x} are not summed in {out}{hint}")
    return wider


def matrices(op: TensorOperation, report: Report, a: Value, b: Value) -> bool:
    """[B.., M, K] times [B.., K, N], in valid extents."""
    x, y = tensor_of(a).shape, tensor_of(b).shape
    if len(x) != len(y) or len(x) < 2:
        error(op, report, "TLX307", place_of(op, b), f"factors have one rank of at least 2, not {len(x)} and {len(y)}")
        return False
    fits = True
    for dim, (one, other) in enumerate(zip(x[:-2], y[:-2], strict=True)):
        if one != other:
            error(op, report, "TLX307", place_of(op, b), f"batch {one} against {other} at dimension {dim}")
            fits = False
    if x[-1] != y[-2]:
        message = f"A is {spelled(x)}, B is {spelled(y)}; {x[-1]} and {y[-2]} must be equal"
        error(op, report, "TLX306", place_of(op, b), message)
        fits = False
    return fits


def accumulator(op: TensorOperation, report: Report, acc: Value, a: Value, b: Value) -> bool:
    """The accumulator has the shape of the product."""
    x, y, found = tensor_of(a).shape, tensor_of(b).shape, tensor_of(acc).shape
    wanted = (*x[:-1], y[-1])
    if found != wanted:
        error(op, report, "TLX309", place_of(op, acc), f"accumulator is {spelled(found)}, product is {spelled(wanted)}")
    return found == wanted


def contraction(op: TensorOperation, report: Report, a: Value, b: Value, axes: Sequence[Sequence[int]]) -> bool:
    """As many axes of each factor, distinct, in range, of pairwise equal extents."""
    names = ("axes_a", "axes_b")
    shapes = (tensor_of(a).shape, tensor_of(b).shape)
    if len(axes[0]) != len(axes[1]):
        error(op, report, "TLX308", names[1], f"{len(axes[0])} axes against {len(axes[1])}")
        return False
    fits = True
    for name, own, shape in zip(names, axes, shapes, strict=True):
        for number, axis in enumerate(own):
            outside = not 0 <= axis < len(shape)
            if outside or axis in own[:number]:
                said = f"out of range 0..{len(shape) - 1}" if outside else "repeated"
                error(op, report, "TLX308", name, f"axis {axis} of {name} is {said}")
                fits = False
    for one, other in zip(axes[0], axes[1], strict=True) if fits else ():
        x, y = shapes[0][one], shapes[1][other]
        if x != y:
            error(op, report, "TLX308", names[1], f"axes {one} and {other} have extents {x} and {y}")
            fits = False
    return fits


def scalar(op: TlxOperation, report: Report, code: str, value: Value, element: ScalarType) -> bool:
    """A number of the tensor's element type."""
    if value.type is not element:
        error(op, report, code, place_of(op, value), f"the number is {value.type}, the elements are {element}")
    return value.type is element


def vector_of(value: Value) -> TileType:
    """The type of a value that is known to be a vector."""
    assert isinstance(value.type, TileType)
    return value.type
