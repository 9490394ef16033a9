"""Imports what says the types of tensors and where they lie: `typeinfo`, `load` and `store`."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects.tlx.base import tensor_of
from tilewright.dialects.tlx.memory import Load, Store, ToVector, TypeInfo
from tilewright.dialects.tlx.types import TensorType
from tilewright.frontends.tlx import names
from tilewright.frontends.tlx.codes import ELEMENT, OPERANDS, POINTEE
from tilewright.frontends.tlx.context import Broken, FunctionImport
from tilewright.frontends.tlx.ir_types import SCALARS, element_in_memory
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm import types as llvm
from tilewright.frontends.tlx.llvm.tokens import spelled
from tilewright.frontends.tlx.memory import read
from tilewright.frontends.tlx.operands import Operands
from tilewright.frontends.tlx.options import Quirks
from tilewright.frontends.tlx.strides import distances
from tilewright.frontends.tlx.target_types import is_tensor_type
from tilewright.ir.core import Value
from tilewright.ir.types import I8, ScalarType


def enter(f: FunctionImport, call: syntax.Call, value: Value, tensor: bool = True) -> None:
    """Keep what a call computes under its name."""
    if call.result is not None:
        value.name = call.result
        (f.tensors if tensor else f.values)[call.result] = value


# Types of values


def typeinfo(f: FunctionImport, operands: Operands, name: str) -> None:
    """A vector, or what lies in memory, as a tensor."""
    call = operands.call
    operands.counted(1 if is_tensor_type(call.type) else 4)
    argument = operands.arguments[0]
    resident = name != names.TYPEINFO
    if isinstance(argument.operand.type, llvm.PointerType):
        vector = _in_memory(f, argument)
    elif isinstance(argument.operand.type, llvm.VectorType):
        vector = None
    else:
        message = f"{operands.operation} takes a vector, not {argument.operand.type}"
        raise f.refuse(OPERANDS, argument.operand, message)
    type_, place = _said_type(f, operands, _element(f, argument))
    known = f.tensors.get(argument.operand.value.name) if isinstance(argument.operand.value, syntax.Local) else None
    if vector is None and (known is None or known.type != type_):
        vector = f.value(argument.operand)
        source = vector.defining_op
        known = source.input if isinstance(source, ToVector) else known
    if known is not None and known.type == type_ and not resident:
        if call.result is not None:
            f.tensors[call.result] = known
        return
    if vector is None:
        vector = f.value(argument.operand)
    op = f.b(TypeInfo(vector, resident, result_types=[type_]))
    op.places = {("operand", 0): f.range_of(argument.operand), "type": f.range_of(place)}
    enter(f, call, op.out)


def _said_type(f: FunctionImport, operands: Operands, element: ScalarType | None) -> tuple[TensorType, syntax.Node]:
    """The type that a call gives a tensor, by operands or by its own; and the place of it."""
    call = operands.call
    if is_tensor_type(call.type):
        return f.tensor_type(call.type, call), call
    assert element is not None
    return operands.type(element, 1), operands.arguments[1].operand


def _element(f: FunctionImport, argument: syntax.Argument) -> ScalarType:
    type_: llvm.Type = argument.operand.type
    if isinstance(type_, llvm.PointerType):
        said = argument.attributes.get("byval")
        type_ = said if isinstance(said, llvm.Type) else type_.pointee or llvm.VOID
    return tensor_element(f, llvm.element_of(type_), argument.operand)


def tensor_element(f: FunctionImport, type_: llvm.Type, node: syntax.Node) -> ScalarType:
    """What tensors consist of. Raises `Broken` for other types."""
    found = element_in_memory(type_)
    if found is None:
        hint = "elements are i8, i16, i32, i64, half, bfloat, float or double"
        raise f.refuse(ELEMENT, node, f"tensors have no {type_} elements", hint)
    return found


def _in_memory(f: FunctionImport, argument: syntax.Argument) -> Value:
    """A value that lies in memory is read at this point (decision 20)."""
    operand = argument.operand
    said = argument.attributes.get("byval")
    type_ = said if isinstance(said, llvm.Type) else None
    if type_ is None and isinstance(operand.type, llvm.PointerType):
        type_ = operand.type.pointee
    if "byval" not in argument.attributes or not isinstance(type_, llvm.VectorType):
        hint = "write `ptr byval(<N x T>)`, or load the vector"
        raise f.refuse(OPERANDS, operand, "typeinfo of a pointer says which vector lies there", hint)
    tensor_element(f, type_.element, operand)
    return read(f, f.value(operand), f.type_of(type_, operand), operand)


# Memory


def load(f: FunctionImport, operands: Operands, suffix: Sequence[str]) -> None:
    """A tensor in memory."""
    typed = is_tensor_type(operands.call.type)
    operands.counted(2 if typed else 5)
    strides = operands.arguments[-1].operand
    element = None if typed else _loaded_element(f, operands, suffix)
    address = f.value(_pointer(f, operands, 0).operand)
    type_, place = _said_type(f, operands, element)
    if typed:
        _check_pointee(f, operands, suffix, type_)
    found, dynamic = distances(f, operands.call, strides, type_.extents)
    op = f.b(Load(address, dynamic, found, result_types=[type_]))
    op.places = {
        ("operand", 0): f.range_of(operands.arguments[0].operand),
        "type": f.range_of(place),
        "distances": f.range_of(strides),
    }
    enter(f, operands.call, op.out)


def _pointer(f: FunctionImport, operands: Operands, index: int) -> syntax.Argument:
    argument = operands.arguments[index]
    if not isinstance(argument.operand.type, llvm.PointerType):
        message = f"{operands.operation} takes a pointer first, not {argument.operand.type}"
        raise f.refuse(OPERANDS, argument.operand, message)
    return argument


def _said_element(f: FunctionImport, argument: syntax.Argument, suffix: Sequence[str]) -> ScalarType | None:
    """What the pointer says of the elements behind it: by attribute, type or name."""
    said = argument.attributes.get("elementtype")
    if isinstance(said, llvm.Type):
        return tensor_element(f, llvm.element_of(said), argument.operand)
    pointer = argument.operand.type
    assert isinstance(pointer, llvm.PointerType)
    if pointer.pointee is not None:
        found = element_in_memory(pointer.pointee)
        opaque = f.options.quirks is Quirks.PROTOTYPE and found is I8
        return None if opaque else tensor_element(f, llvm.element_of(pointer.pointee), argument.operand)
    mangled = names.mangled_pointee(suffix)
    found = SCALARS.get(mangled or "")
    return None if f.options.quirks is Quirks.PROTOTYPE and found is I8 else found


def _check_pointee(f: FunctionImport, operands: Operands, suffix: Sequence[str], type_: TensorType) -> None:
    """What a pointer points to, if anything says that, is what the tensor consists of."""
    argument = _pointer(f, operands, 0)
    said = _said_element(f, argument, suffix)
    if said is not None and said is not type_.element:
        message = f"{operands.operation}: the tensor has {type_.element} elements, the pointer points to {said}"
        raise f.refuse(POINTEE, argument.operand, message)


def _loaded_element(f: FunctionImport, operands: Operands, suffix: Sequence[str]) -> ScalarType:
    argument = _pointer(f, operands, 0)
    said = _said_element(f, argument, suffix)
    if said is not None:
        return said
    consumed = f.uses.consumed_as(operands.call.result or "")
    if len(consumed) == 1:
        return consumed[0][0]
    message = "nothing says what elements lie in memory" if not consumed else "consumers disagree on the elements"
    finding = f.error(POINTEE, argument.operand, f"load: {message}")
    for element, place in consumed:
        finding.label(f.range_of(place), f"{element} here")
    finding.hint(f"add elementtype(T) to this load: `ptr elementtype(float) {_shown(argument.operand)}`")
    raise Broken


def _shown(operand: syntax.Operand) -> str:
    return spelled("%", operand.value.name) if isinstance(operand.value, syntax.Local) else "%p"


def store(f: FunctionImport, operands: Operands) -> None:
    """A tensor into memory."""
    call = operands.call
    if len(call.arguments) != 3:
        message = f"store takes (pointer, token, strides); {len(call.arguments)} operands given"
        raise f.refuse(OPERANDS, call, message)
    second = call.arguments[1].operand.type
    token, strides = (1, 2) if second == llvm.TOKEN or is_tensor_type(second) else (2, 1)
    argument = _pointer(f, operands, 0)
    tensor = operands.tensor(token)
    type_ = tensor_of(tensor)
    _check_pointee(f, operands, (), type_)
    address = f.value(argument.operand)
    found, dynamic = distances(f, call, call.arguments[strides].operand, type_.extents)
    op = f.b(Store(address, tensor, dynamic, found))
    op.places = {
        ("operand", 0): f.range_of(argument.operand),
        ("operand", 1): f.range_of(call.arguments[token].operand),
        "distances": f.range_of(call.arguments[strides].operand),
    }
