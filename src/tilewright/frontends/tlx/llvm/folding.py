"""Integers, and short vectors of them, that are known while a text is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.structure import Structure
from tilewright.frontends.tlx.llvm.types import ArrayType, IntegerType, Type, VectorType, element_of

Known = int | tuple[int, ...]
"""An integer, or those of a vector or an array. Undefined ones are 0."""
_LONGEST: Final = 64
"""Elements of vectors and arrays that are kept."""
_Arithmetic = Callable[[int, int], int]
_ARITHMETIC: Final[Mapping[str, _Arithmetic]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
_SHIFTS: Final = frozenset({"shl", "lshr", "ashr"})
_COMPARED: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}


class Constants:
    """What is known of the values of a function, by name; `value_of` asks of an operand."""

    def __init__(self, module: syntax.Module, function: syntax.Function, structure: Structure) -> None:
        self.module = module
        self.known: dict[str, Known] = {}
        order = structure.graph.order
        for number in sorted(order, key=lambda n: order[n][0]):
            for instruction in function.blocks[number].instructions:
                found = self._result(instruction)
                if found is not None and instruction.result is not None:
                    self.known[instruction.result] = found

    def value_of(self, operand: syntax.Operand) -> Known | None:
        """The integers that an operand is, signed; None if that is not known."""
        match operand.value:
            case syntax.Local(name=name):
                return self.known.get(name)
            case syntax.Integer(value=value):
                return _wrapped(value, operand.type)
            case syntax.Word():
                return _filled(operand.type, 0)
            case syntax.Splat(item=item):
                inner = self.value_of(item)
                return _filled(operand.type, inner) if isinstance(inner, int) else None
            case syntax.Integers(values=values):
                return values
            case syntax.Elements(items=items):
                return self._elements(items)
            case _:
                return None

    def _elements(self, items: tuple[syntax.Operand, ...]) -> Known | None:
        if len(items) > _LONGEST:
            return None
        found: list[int] = []
        for item in items:
            value = item.value
            known = _wrapped(value.value, item.type) if isinstance(value, syntax.Integer) else self.value_of(item)
            if not isinstance(known, int):
                return None
            found.append(known)
        return tuple(found)

    def _result(self, instruction: syntax.Instruction) -> Known | None:
        match instruction:
            case syntax.Call() | syntax.Store():
                return None
            case syntax.Binary(opcode=opcode, lhs=lhs, rhs=rhs) if rhs is not None:
                return self._binary(opcode, lhs, rhs)
            case syntax.Cast():
                return self._cast(instruction)
            case syntax.Freeze(value=value):
                return self.value_of(value)
            case syntax.Select(condition=condition, then=then, orelse=orelse):
                chosen = self.value_of(condition)
                return None if not isinstance(chosen, int) else self.value_of(then if chosen else orelse)
            case syntax.Compare():
                return self._compare(instruction)
            case syntax.Phi(incoming=incoming, result=name):
                values = [self.value_of(v) for v, _ in incoming if v.value != syntax.Local(name or "")]
                return values[0] if values and all(v == values[0] for v in values) else None
            case syntax.ExtractElement(vector=vector, index=index):
                whole, at = self.value_of(vector), self.value_of(index)
                if isinstance(whole, tuple) and isinstance(at, int) and 0 <= at < len(whole):
                    return whole[at]
                return None
            case syntax.InsertElement():
                return self._insert(instruction)
            case syntax.ShuffleVector():
                return self._shuffle(instruction)
            case syntax.Load(type=type_, pointer=pointer):
                return self._load(type_, pointer)
            case _:
                return None

    def _binary(self, opcode: str, lhs: syntax.Operand, rhs: syntax.Operand) -> Known | None:
        a, b = self.value_of(lhs), self.value_of(rhs)
        element = element_of(lhs.type)
        if a is None or b is None or not isinstance(element, IntegerType):
            return None
        function = _ARITHMETIC.get(opcode)
        if opcode in _SHIFTS:
            function = _shift(opcode, element.bits)
        return None if function is None else _each(function, a, b, element)

    def _compare(self, instruction: syntax.Compare) -> Known | None:
        a, b = self.value_of(instruction.lhs), self.value_of(instruction.rhs)
        element = element_of(instruction.lhs.type)
        if a is None or b is None or not isinstance(element, IntegerType):
            return None
        predicate = instruction.predicate
        compared = _COMPARED[predicate if predicate in _COMPARED else predicate[1:]]
        mask = (1 << element.bits) - 1 if predicate[0] == "u" else -1
        return _each(lambda x, y: compared(x & mask, y & mask), a, b, IntegerType(32))

    def _cast(self, instruction: syntax.Cast) -> Known | None:
        found = self.value_of(instruction.value)
        before, after = element_of(instruction.value.type), element_of(instruction.to)
        if found is None or not (isinstance(before, IntegerType) and isinstance(after, IntegerType)):
            return None
        if instruction.opcode == "bitcast":
            return found if before == after else None
        mask = (1 << before.bits) - 1 if instruction.opcode == "zext" else -1
        return _each(lambda x, _: x & mask, found, found, after)

    def _insert(self, instruction: syntax.InsertElement) -> Known | None:
        whole, item, at = (self.value_of(o) for o in (instruction.vector, instruction.element, instruction.index))
        if isinstance(whole, tuple) and isinstance(item, int) and isinstance(at, int) and 0 <= at < len(whole):
            return (*whole[:at], item, *whole[at + 1 :])
        return None

    def _shuffle(self, instruction: syntax.ShuffleVector) -> Known | None:
        parts = [self.value_of(o) for o in (instruction.first, instruction.second, instruction.mask)]
        first, second, mask = parts
        if not (isinstance(first, tuple) and isinstance(second, tuple) and isinstance(mask, tuple)):
            return None
        both = first + second
        return tuple(both[k] for k in mask) if all(0 <= k < len(both) for k in mask) else None

    def _load(self, type_: Type, pointer: syntax.Operand) -> Known | None:
        """What constant variables of the module hold."""
        if not isinstance(pointer.value, syntax.Global):
            return None
        found = self.module.variables.get(pointer.value.name)
        if found is None or not found.constant or found.value is None:
            return None
        counts = [t.count for t in (type_, found.type) if isinstance(t, VectorType | ArrayType)]
        same = element_of(type_) == (
            found.type.element if isinstance(found.type, ArrayType) else element_of(found.type)
        )
        return self.value_of(found.value) if same and len(set(counts)) < 2 and len(counts) != 1 else None


def _each(function: _Arithmetic, a: Known, b: Known, element: IntegerType) -> Known | None:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return tuple(_wrapped(function(x, y), element) for x, y in zip(a, b, strict=True))
    if isinstance(a, int) and isinstance(b, int):
        return _wrapped(function(a, b), element)
    return None


def _shift(opcode: str, bits: int) -> _Arithmetic:
    def shifted(value: int, count: int) -> int:
        count %= bits
        if opcode == "shl":
            return value << count
        return (value & (1 << bits) - 1) >> count if opcode == "lshr" else value >> count

    return shifted


def _wrapped(value: int, type_: Type) -> int:
    """An integer in the signed range of its type; that of `i1` is 0 and 1."""
    bits = type_.bits if isinstance(type_, IntegerType) else 64
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> bits - 1 else value


def _filled(type_: Type, value: int) -> Known | None:
    if isinstance(type_, VectorType | ArrayType):
        fits = type_.count <= _LONGEST and isinstance(element_of(type_), IntegerType | ArrayType)
        return (value,) * type_.count if fits and isinstance(type_.element, IntegerType) else None
    return value if isinstance(type_, IntegerType) else None
