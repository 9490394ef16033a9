"""What instructions compute, and from which operands: read off what they say themselves."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.types import (
    I1,
    PTR,
    VOID,
    ArrayType,
    NamedType,
    PointerType,
    StructType,
    Type,
    VectorType,
    element_of,
    with_element,
)

Types = Mapping[str, Type | None]
"""The named types of a module."""


def operands_of(instruction: syntax.Instruction) -> list[syntax.Operand]:
    """All operands but those of a phi, which are used at the ends of other blocks."""
    match instruction:
        case syntax.Call(arguments=arguments):
            return [argument.operand for argument in arguments]
        case syntax.Binary(lhs=lhs, rhs=rhs):
            return [lhs] if rhs is None else [lhs, rhs]
        case syntax.Compare(lhs=lhs, rhs=rhs):
            return [lhs, rhs]
        case syntax.Cast(value=value) | syntax.Freeze(value=value):
            return [value]
        case syntax.Select(condition=condition, then=then, orelse=orelse):
            return [condition, then, orelse]
        case syntax.Branch(condition=optional) | syntax.Return(value=optional) | syntax.Alloca(count=optional):
            return [] if optional is None else [optional]
        case syntax.Switch(value=value, cases=cases):
            return [value, *cases]
        case syntax.Load(pointer=pointer):
            return [pointer]
        case syntax.Store(value=value, pointer=pointer):
            return [value, pointer]
        case syntax.GetElementPointer(pointer=pointer, indices=indices):
            return [pointer, *indices]
        case syntax.ExtractElement(vector=vector, index=index):
            return [vector, index]
        case syntax.InsertElement(vector=vector, element=element, index=index):
            return [vector, element, index]
        case syntax.ShuffleVector(first=first, second=second, mask=mask):
            return [first, second, mask]
        case _:
            return []


def result_type(instruction: syntax.Instruction, types: Types) -> Type:
    """The type of what an instruction computes; `void` if that is nothing."""
    match instruction:
        case syntax.Binary(lhs=operand) | syntax.Freeze(value=operand) | syntax.InsertElement(vector=operand):
            return operand.type
        case syntax.Select(then=operand):
            return operand.type
        case syntax.Compare(lhs=operand):
            return with_element(operand.type, I1)
        case syntax.Call(type=type_) | syntax.Phi(type=type_) | syntax.Load(type=type_):
            return type_
        case syntax.Cast(to=type_) | syntax.Alloca(to=type_):
            return type_
        case syntax.GetElementPointer():
            return _address_type(instruction, types)
        case syntax.ExtractElement(vector=operand):
            return element_of(operand.type)
        case syntax.ShuffleVector(first=first, mask=mask):
            return with_element(mask.type, element_of(first.type))
        case _:
            return VOID


def resolved(type_: Type | None, types: Types) -> Type | None:
    """What a name of a type stands for, through other names; None if it is opaque, unknown or its own."""
    seen: set[str] = set()
    while isinstance(type_, NamedType):
        if type_.name in seen:
            return None
        seen.add(type_.name)
        type_ = types.get(type_.name)
    return type_


def field_type(type_: Type, index: syntax.Operand, types: Types) -> Type | None:
    """The type of a part of an aggregate or a vector; None if there is none."""
    found = resolved(type_, types)
    match found:
        case ArrayType(element=element) | VectorType(element=element):
            return element
        case StructType(fields=fields):
            number = index.value.value if isinstance(index.value, syntax.Integer) else -1
            return fields[number] if 0 <= number < len(fields) else None
        case _:
            return None


def _address_type(instruction: syntax.GetElementPointer, types: Types) -> Type:
    """A pointer, with what it points to where the first operand says that too."""
    base = element_of(instruction.pointer.type)
    vectors = [o.type for o in (instruction.pointer, *instruction.indices) if isinstance(o.type, VectorType)]
    found: Type = PTR
    if isinstance(base, PointerType):
        pointee: Type | None = None
        if base.pointee is not None:
            pointee = instruction.type
            for index in instruction.indices[1:]:
                pointee = None if pointee is None else field_type(pointee, index, types)
        found = PointerType(pointee, base.space)
    return with_element(vectors[0], found) if vectors else found
