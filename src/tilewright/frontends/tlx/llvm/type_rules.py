"""What types the operands of each instruction have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.result_types import Types, field_type, resolved
from tilewright.frontends.tlx.llvm.types import (
    I1,
    METADATA,
    TOKEN,
    FloatType,
    IntegerType,
    PointerType,
    StructType,
    TargetType,
    Type,
    VectorType,
    agrees,
    element_of,
)

Finding = tuple[syntax.Operand | None, str]
"""What is wrong, and with which operand; None: with the instruction."""
_NARROWING: Final = {"trunc": IntegerType, "fptrunc": FloatType}
_WIDENING: Final = {"zext": IntegerType, "sext": IntegerType, "fpext": FloatType}
_KINDS: Final[dict[str, tuple[type[Type], type[Type]]]] = {
    "trunc": (IntegerType, IntegerType),
    "zext": (IntegerType, IntegerType),
    "sext": (IntegerType, IntegerType),
    "fptrunc": (FloatType, FloatType),
    "fpext": (FloatType, FloatType),
    "fptoui": (FloatType, IntegerType),
    "fptosi": (FloatType, IntegerType),
    "uitofp": (IntegerType, FloatType),
    "sitofp": (IntegerType, FloatType),
    "ptrtoint": (PointerType, IntegerType),
    "inttoptr": (IntegerType, PointerType),
    "addrspacecast": (PointerType, PointerType),
}


def faults(instruction: syntax.Instruction, types: Types) -> Iterator[Finding]:
    """The rules of types that an instruction breaks."""
    match instruction:
        case syntax.Binary():
            yield from _binary(instruction)
        case syntax.Compare():
            yield from _compare(instruction)
        case syntax.Cast():
            yield from _cast(instruction)
        case syntax.Select():
            yield from _select(instruction)
        case syntax.GetElementPointer():
            yield from _address(instruction, types)
        case syntax.InsertElement(vector=vector, element=element):
            if not agrees(element_of(vector.type), element.type):
                yield element, f"the elements of {vector.type} are no {element.type}"
        case syntax.ShuffleVector(first=first, second=second, mask=mask):
            if first.type != second.type:
                yield second, f"both vectors have one type, not {first.type} and {second.type}"
            if element_of(mask.type) != IntegerType(32):
                yield mask, f"a mask is a vector of i32, not {mask.type}"
        case syntax.Load(type=type_, pointer=pointer):
            yield from _sized(type_, types)
            yield from _pointee(pointer, type_)
        case syntax.Store(value=value, pointer=pointer):
            if isinstance(value.type, TargetType):
                yield value, f"memory holds no {value.type}"
            yield from _pointee(pointer, value.type)
        case syntax.Alloca(type=type_):
            yield from _sized(type_, types)
        case syntax.Switch(value=value, cases=cases):
            for case in cases:
                if case.type != value.type or not isinstance(case.value, syntax.Integer):
                    yield case, f"a case is a constant of type {value.type}"
        case _:
            return


def _binary(instruction: syntax.Binary) -> Iterator[Finding]:
    floating = instruction.opcode.startswith("f")
    element = element_of(instruction.lhs.type)
    if not isinstance(element, FloatType if floating else IntegerType):
        wanted = "floats" if floating else "integers"
        yield instruction.lhs, f"{instruction.opcode} takes {wanted} or vectors of them, not {instruction.lhs.type}"


def _compare(instruction: syntax.Compare) -> Iterator[Finding]:
    element = element_of(instruction.lhs.type)
    fits = isinstance(element, FloatType if instruction.opcode == "fcmp" else IntegerType | PointerType)
    if not fits:
        yield instruction.lhs, f"{instruction.opcode} does not compare {instruction.lhs.type}"


def _cast(instruction: syntax.Cast) -> Iterator[Finding]:
    source, to = instruction.value.type, instruction.to
    if instruction.opcode == "bitcast":
        if not _same_bits(source, to):
            yield instruction.value, f"bitcast of {source} to {to}, which is no reading of the same bits"
        return
    before, after = element_of(source), element_of(to)
    wanted = _KINDS[instruction.opcode]
    counts = [t.count if isinstance(t, VectorType) else None for t in (source, to)]
    fits = isinstance(before, wanted[0]) and isinstance(after, wanted[1]) and counts[0] == counts[1]
    if fits and isinstance(before, IntegerType | FloatType) and isinstance(after, IntegerType | FloatType):
        if instruction.opcode in _NARROWING:
            fits = before.bits > after.bits
        elif instruction.opcode in _WIDENING:
            fits = before.bits < after.bits
    if not fits:
        yield instruction.value, f"there is no {instruction.opcode} from {source} to {to}"


def _same_bits(source: Type, to: Type) -> bool:
    if isinstance(source, PointerType) or isinstance(to, PointerType):
        return isinstance(source, PointerType) and isinstance(to, PointerType) and source.space == to.space
    return bits_of(source) is not None and bits_of(source) == bits_of(to)


def bits_of(type_: Type) -> int | None:
    """The bits of a number, a pointer or a vector of them; None for other types."""
    match type_:
        case IntegerType(bits=bits) | FloatType(bits=bits):
            return bits
        case PointerType():
            return 64
        case VectorType(count=count, element=element):
            bits = bits_of(element)
            return None if bits is None else count * bits
        case _:
            return None


def _select(instruction: syntax.Select) -> Iterator[Finding]:
    condition, then, orelse = instruction.condition, instruction.then, instruction.orelse
    if not agrees(then.type, orelse.type):
        yield orelse, f"both values have one type, not {then.type} and {orelse.type}"
    if element_of(condition.type) != I1:
        yield condition, f"a condition is an i1 or a vector of them, not {condition.type}"
    elif isinstance(condition.type, VectorType) and (
        not isinstance(then.type, VectorType) or then.type.count != condition.type.count
    ):
        yield condition, f"{condition.type} does not choose among the elements of {then.type}"


def _address(instruction: syntax.GetElementPointer, types: Types) -> Iterator[Finding]:
    base = element_of(instruction.pointer.type)
    if isinstance(base, PointerType) and base.pointee not in (None, instruction.type):
        yield instruction.pointer, f"{base} does not point to {instruction.type}"
    for index in instruction.indices:
        if not isinstance(element_of(index.type), IntegerType):
            yield index, f"an index is an integer, not {index.type}"
    yield from _sized(instruction.type, types)
    walked = instruction.type
    for index in instruction.indices[1:]:
        inner = field_type(walked, index, types)
        if inner is None:
            is_struct = isinstance(resolved(walked, types), StructType)
            said = "a struct takes the constant number of a field" if is_struct else "it has no parts"
            yield index, f"this index does not fit {walked}: {said}"
            return
        walked = inner


def _sized(type_: Type, types: Types) -> Iterator[Finding]:
    found = resolved(type_, types)
    if found is None or found in (TOKEN, METADATA) or isinstance(found, TargetType):
        yield None, f"memory holds no {type_}"


def _pointee(pointer: syntax.Operand, found: Type) -> Iterator[Finding]:
    if isinstance(pointer.type, PointerType) and pointer.type.pointee is not None:
        pointee = pointer.type.pointee
        if not agrees(pointee, found):
            yield pointer, f"{pointer.type} does not point to {found}"
