"""Imports the intrinsics of TLX: tokens vanish, tensors have types, results settle their layouts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from msgspec import Struct

from tilewright.diagnostics import Location, Report
from tilewright.dialects.tlx import BY_INTRINSIC
from tilewright.dialects.tlx.base import TensorOperation, TlxOperation, tensor_of
from tilewright.dialects.tlx.memory import ToVector
from tilewright.dialects.tlx.shapes import swapped_layout
from tilewright.dialects.tlx.types import TENSOR, TensorType
from tilewright.frontends.tlx import names
from tilewright.frontends.tlx.codes import COUNT, LAYOUTS_DIFFER, OPERANDS, RETYPED
from tilewright.frontends.tlx.context import Broken, FunctionImport
from tilewright.frontends.tlx.ir_types import element_in_memory
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm import types as llvm
from tilewright.frontends.tlx.operands import Operands
from tilewright.frontends.tlx.options import LayoutConvention, Quirks
from tilewright.frontends.tlx.target_types import is_tensor_type
from tilewright.frontends.tlx.tensor_memory import enter, load, store, tensor_element, typeinfo
from tilewright.frontends.tlx.uses import is_typing
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Place, Value
from tilewright.ir.types import ScalarType

_ONES: Final = (1, 1)
_LAYOUTS: Final = frozenset({"layout", "new_layout"})
_AS_WHOLE: Final = frozenset({"convolution"})
"""Operations whose optional operands are all there or none."""


def tensor_call(f: FunctionImport, call: syntax.Call, name: str, suffix: Sequence[str]) -> None:
    """An intrinsic of TLX; its result is entered under its name."""
    operands = Operands(f, call, name.removeprefix("llvm.tensor.").removeprefix("llvm."))
    if is_typing(name):
        typeinfo(f, operands, name)
    elif name == names.LOAD:
        load(f, operands, suffix)
    elif name == names.STORE:
        store(f, operands)
    elif name == names.SPLAT:
        _splat(f, operands)
    else:
        _operation(f, operands, BY_INTRINSIC[name])


def _splat(f: FunctionImport, operands: Operands) -> None:
    operands.counted(2)
    like, value = (argument.operand for argument in operands.arguments)
    if not isinstance(like.type, llvm.VectorType) or like.type.element != value.type:
        raise f.refuse(OPERANDS, value, f"splat takes an element of {like.type}, not {value.type}")
    if operands.call.type != like.type:
        raise f.refuse(OPERANDS, operands.call, f"splat gives {like.type}, not {operands.call.type}")
    f.type_of(like.type, like)
    enter(f, operands.call, f.splat(f.value(value), like.type.count), tensor=False)


def _operation(f: FunctionImport, operands: Operands, cls: type[TlxOperation]) -> None:
    """An operation whose operands are those that its declaration lists."""
    places: dict[Place, Location] = {"type": f.range_of(operands.call)}
    values: list[Value] = []
    attributes: dict[str, Attribute] = {}
    for index, slot in enumerate(_present(operands, cls)):
        place = f.range_of(operands.arguments[index].operand)
        if slot.attribute is None:
            places["operand", len(values)] = place
            values.append(_operand(f, operands, index, slot.is_tensor))
        else:
            places[slot.name] = place
            attributes[slot.name] = _attribute(operands, index, slot.name, slot.attribute)
    for name in cls.definition.attributes:
        if name not in attributes:
            attributes[name] = _default(name, tensor_of(values[0]))
    if issubclass(cls, TensorOperation):
        _tensor_operation(f, operands, cls, values, attributes, places)
        return
    type_ = tensor_of(values[0]).flat if cls is ToVector else f.type_of(operands.call.type, operands.call)
    op = f.b(cls.of_parts(values, [type_], attributes))
    op.places = places
    if isinstance(op, ToVector):
        f.note_vector(op)
    if op.results[0].type != f.type_of(operands.call.type, operands.call):
        raise f.refuse(COUNT, operands.call, f"{operands.operation} gives {type_}, not {operands.call.type}")
    enter(f, operands.call, op.results[0], tensor=False)


class _Slot(Struct, frozen=True):
    """What a word of a declaration says of an operand of the intrinsic: one of the operation, or its attribute."""

    name: str
    is_optional: bool
    is_tensor: bool
    attribute: type | None


@cache
def _slots(cls: type[TlxOperation]) -> tuple[_Slot, ...]:
    """The operands of an intrinsic, as its operation declares them."""
    found: list[_Slot] = []
    for word in cls.spec.assembly:
        name, d = word.strip("$?"), cls.definition
        is_operand = word.startswith("$")
        is_tensor = is_operand and d.operands[name].constraint is TENSOR
        kind = None if is_operand else d.attributes[name].kind
        found.append(_Slot(name, word.endswith("?"), is_tensor, kind))
    return tuple(found)


def _present(operands: Operands, cls: type[TlxOperation]) -> Sequence[_Slot]:
    """The operands of the declaration that the call has one for."""
    slots, given = _slots(cls), len(operands.arguments)
    if given == len(slots):
        return slots
    needed = sum(not slot.is_optional for slot in slots)
    operands.counted(needed, len(slots))
    left = given - needed
    if operands.operation in _AS_WHOLE and left:
        message = f"{operands.operation} takes {needed} or {len(slots)} operands; {given} given"
        raise operands.f.refuse(OPERANDS, operands.call, message)
    found: list[_Slot] = []
    for slot in slots:
        if not slot.is_optional:
            found.append(slot)
        elif left:
            left -= 1
            found.append(slot)
    return found


def _operand(f: FunctionImport, operands: Operands, index: int, is_tensor: bool) -> Value:
    operand = operands.arguments[index].operand
    if is_tensor:
        return operands.tensor(index)
    if operand.type == llvm.TOKEN or is_tensor_type(operand.type):
        found = "token" if operand.type == llvm.TOKEN else "tensor"
        message = f"operand {index + 1} of {operands.operation} is a number or a vector, not a {found}"
        raise f.refuse(OPERANDS, operand, message)
    return f.value(operand)


def _attribute(operands: Operands, index: int, word: str, kind: type) -> Attribute:
    if kind is int:
        return operands.number(index, word)
    return operands.layout(index, word) if word in _LAYOUTS else operands.numbers(index, word)


def _default(word: str, type_: TensorType) -> Attribute:
    """What an operand that a call leaves out is."""
    match word:
        case "new_layout":
            return swapped_layout(type_)
        case "low" | "interior":
            return (0,) * type_.rank
        case _:
            return _ONES


def _tensor_operation(
    f: FunctionImport,
    operands: Operands,
    cls: type[TensorOperation],
    values: Sequence[Value],
    attributes: dict[str, Attribute],
    places: dict[Place, Location],
) -> None:
    call = operands.call
    said = f.tensor_type(call.type, call) if is_tensor_type(call.type) else None
    element = _result_element(f, operands) if said is None else said.element
    first = next(v for v in values if isinstance(v.type, TensorType))
    op = f.b(cls.of_parts(values, [tensor_of(first).with_element(element)], attributes))
    op.places = places
    found = op.inferred(Report())
    if found is None:
        raise Broken  # the verifier says why
    op.results[0].type = found = f.the(found)
    if cls.has_open_layout and (said is None or said.rank == found.rank):
        layout = _settled(f, operands, found) if said is None else said.layout
        op.results[0].type = found = f.the(found.relaid(layout))
    if said is None:
        _compare(f, operands, found)
    elif said != found:
        code = COUNT if said.size != found.size else RETYPED
        raise f.refuse(code, call, f"{operands.operation}: the result is {found}, not {said}")
    enter(f, call, op.results[0])


def _result_element(f: FunctionImport, operands: Operands) -> ScalarType:
    """What the vector that a call gives consists of."""
    call = operands.call
    if not isinstance(call.type, llvm.VectorType):
        raise f.refuse(OPERANDS, call, f"{operands.operation} gives a vector, not {call.type}")
    f.type_of(call.type, call)
    return tensor_element(f, call.type.element, call)


def _compare(f: FunctionImport, operands: Operands, found: TensorType) -> None:
    """The vector that the call is written to give has the elements of the result."""
    call = operands.call
    assert isinstance(call.type, llvm.VectorType)
    if element_in_memory(call.type) is not found.element:
        raise f.refuse(
            OPERANDS, call, f"{operands.operation}: the result has {found.element} elements, not {call.type}"
        )
    if call.type.count != found.size and f.options.quirks is not Quirks.RFC_TEXT:
        shape = "x".join(map(str, found.extents)) or "1"
        message = f"{operands.operation}: {call.type} cannot hold {shape} = {found.size:,} elements"
        raise f.refuse(COUNT, call, message)


def _settled(f: FunctionImport, operands: Operands, found: TensorType) -> tuple[int, ...]:
    """The layout that the users of a result agree on; the identity if there are none (decision 9)."""
    is_reversed = f.options.layout_convention is LayoutConvention.XLA
    wanted = f.uses.layouts(operands.call.result or "", f.constants, found.rank, is_reversed)
    if len(wanted) > 1:
        message = f"the result of {operands.operation} is given two layouts"
        finding = f.error(LAYOUTS_DIFFER, operands.call, message)
        for one in wanted:
            said = "row-major" if one.layout is None else f"<{', '.join(map(str, one.layout))}>"
            finding.label(f.range_of(one.place), f"{said} here")
        finding.hint("give one of the uses a transpose")
        raise Broken
    layout = wanted[0].layout if wanted else None
    return tuple(range(found.rank)) if layout is None else layout
