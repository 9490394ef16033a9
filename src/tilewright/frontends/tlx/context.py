"""The state of a function's import: what its names stand for, and how operands become values."""

from __future__ import annotations

import math
import struct
from collections.abc import Hashable, Sequence
from typing import Final

from tilewright.diagnostics import Diagnostic, Report, Source, SourceRange
from tilewright.dialects import tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.cf import Undefined
from tilewright.dialects.tlx.memory import ToVector, TypeInfo
from tilewright.dialects.tlx.types import TensorType
from tilewright.frontends.tlx.codes import ELEMENT, ELEMENTS, LIMIT, NO_TOKEN, SCALABLE, UNSUPPORTED
from tilewright.frontends.tlx.ir_types import Layouts, ir_type
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm import types as llvm
from tilewright.frontends.tlx.llvm.float_patterns import double_of
from tilewright.frontends.tlx.llvm.folding import Constants
from tilewright.frontends.tlx.llvm.limits import Limits
from tilewright.frontends.tlx.llvm.structure import Structure
from tilewright.frontends.tlx.llvm.tokens import spelled
from tilewright.frontends.tlx.options import TlxOptions
from tilewright.frontends.tlx.target_types import is_tensor_type, tensor_of_type
from tilewright.frontends.tlx.uses import Uses
from tilewright.ir.core import Block, Value
from tilewright.ir.types import BOOL, I64, ScalarType, TileType, Type, element_of

_LISTED: Final = 1024
"""Elements of a constant vector whose elements are told one by one."""


MOST_DIMENSIONS: Final = 32


class Broken(Exception):
    """An instruction means nothing, and the report says why, or says so of what it depends on."""


class FunctionImport:
    """`values` are bare ones by name, `tensors` tokens and results of operations on tensors.

    What could not be imported is in neither. `cyclic` are the blocks that lead back to themselves,
    `opaque` the parameters that are pointers and do not say to what, `read_off` vectors that were only put together to
    be taken apart. `own_bytes` counts memory of the function's own, which is taken in the first block, `entry`.
    """

    def __init__(
        self,
        source: Source,
        module: syntax.Module,
        function: syntax.Function,
        structure: Structure,
        report: Report,
        options: TlxOptions,
        limits: Limits,
        entry: Block,
    ) -> None:
        self.source = source
        self.module = module
        self.function = function
        self.structure = structure
        self.report = report
        self.options = options
        self.limits = limits
        self.constants = Constants(module, function, structure)
        self.uses = Uses(function)
        self.layouts = Layouts(module.types)
        self.values: dict[str, Value] = {}
        self.tensors: dict[str, Value] = {}
        self.cyclic: set[Block] = set()
        self.opaque: set[str] = set()
        self.read_off: list[str] = []
        self.tensor_types: dict[TensorType, TensorType] = {}
        self.said_types: dict[Hashable, TensorType] = {}
        self.entry = entry
        self.own_bytes = 0
        self._vectors: dict[Value, Value] = {}
        self._result: Value | None = None
        self.b = Builder(entry)

    @property
    def result(self) -> Value:
        """The address that the function's result is written to."""
        assert self._result is not None, "functions without a result write none"
        return self._result

    @result.setter
    def result(self, value: Value) -> None:
        self._result = value

    # Findings

    def range_of(self, node: syntax.Node) -> SourceRange:
        """The place of something in the text."""
        return SourceRange(self.source, node.start, node.end)

    def error(self, code: str, node: syntax.Node, message: str) -> Diagnostic:
        """Report an error at a place of the text."""
        return self.report.error(code, self.range_of(node), message)

    def refuse(self, code: str, node: syntax.Node, message: str, hint: str | None = None) -> Broken:
        """Report why an instruction means nothing; the caller raises what this gives."""
        finding = self.error(code, node, message)
        if hint is not None:
            finding.hint(hint)
        return Broken()

    def unsupported(self, node: syntax.Node, what: str, hint: str | None = None) -> Broken:
        """Report that kernels do not have something."""
        return self.refuse(UNSUPPORTED, node, f"{what} in TLX kernels", hint)

    # Types

    def type_of(self, type_: llvm.Type, node: syntax.Node) -> Type:
        """The type of the IR. Raises `Broken` for types that kernels do not compute with."""
        found = ir_type(type_)
        if found is not None:
            return found
        if is_tensor_type(type_):
            return self.tensor_type(type_, node).flat
        if isinstance(type_, llvm.VectorType) and type_.scalable:
            raise self.refuse(SCALABLE, node, f"{type_} has no fixed element count")
        raise self.refuse(
            ELEMENT,
            node,
            f"{type_} is not supported",
            "numbers are i8, i16, i32, i64, half, bfloat, float or double, conditions i1",
        )

    def the(self, type_: TensorType) -> TensorType:
        """The one of equal types: what is asked of a type is kept with it."""
        return self.tensor_types.setdefault(type_, type_)

    def tensor_type(self, type_: llvm.TargetType, node: syntax.Node) -> TensorType:
        """The tensor that a target type says. Raises `Broken` for types that say none."""
        known = self.said_types.get(type_)
        if known is not None:
            return known
        found = tensor_of_type(type_) if is_tensor_type(type_) else None
        if found is None:
            hint = 'write target("tlx.tensor", T, rank, extents.., layout.., padding..)'
            raise self.refuse(ELEMENT, node, f"{type_} is the type of no tensor", hint)
        self.bounded(found.rank, found.extents, found.element, node)
        for fault in found.faults:
            self.error(fault.code, node, fault.message)
        if found.faults:
            raise Broken
        self.said_types[type_] = found = self.the(found)
        return found

    def bounded(self, rank: int, extents: Sequence[int], element: ScalarType, node: syntax.Node) -> None:
        """Raise `Broken` for a tensor that is larger than tensors may be."""
        if rank > MOST_DIMENSIONS:
            message = f"a tensor of {rank:,} dimensions; the limit of a rank is {MOST_DIMENSIONS}"
            raise self.refuse(LIMIT, node, message)
        limits = self.limits
        count = math.prod(n for n in extents if n > 0)
        for found, unit, most in ((count, "elements", limits.elements), (count * element.bytes, "bytes", limits.bytes)):
            if found > most:
                raise self.refuse(ELEMENTS, node, f"a tensor of {found:,} {unit}; the limit is {most:,}")

    # Values

    def value(self, operand: syntax.Operand) -> Value:
        """A bare value. Raises `Broken` if it is not there."""
        if isinstance(operand.value, syntax.Local):
            return self.named(operand.value.name)
        return self.constant(operand)

    def named(self, name: str) -> Value:
        """The bare value behind a name: what stores a tensor becomes a vector right behind its definition."""
        found = self.values.get(name)
        if found is not None:
            return found
        tensor = self.tensors.get(name)
        if tensor is None:
            raise Broken
        self.values[name] = self._stored(tensor)
        return self.values[name]

    def _stored(self, tensor: Value) -> Value:
        """What stores a tensor, right behind its definition."""
        if tensor not in self._vectors:
            op = tensor.defining_op
            assert op is not None
            assert op.block is not None
            self._vectors[tensor] = Builder(op.block, op.next, op.location)(ToVector(tensor)).out
        return self._vectors[tensor]

    def note_vector(self, op: ToVector) -> None:
        """Use a vector that the text itself makes of a tensor, if it stands right behind that."""
        producer = op.input.defining_op
        if producer is not None and producer.next is op:
            self._vectors.setdefault(op.input, op.out)

    def tensor(self, operand: syntax.Operand, position: int, operation: str) -> Value:
        """What a token names, or a value of a target type. Raises `Broken` if it names nothing."""
        if is_tensor_type(operand.type):
            return self._typed(operand, self.tensor_type(operand.type, operand))
        wrong = f"operand {position} of {operation} must come from typeinfo or load"
        if operand.type != llvm.TOKEN:
            finding = f"{wrong}, it is a value of type {operand.type}"
            raise self.refuse(NO_TOKEN, operand, finding)
        if not isinstance(operand.value, syntax.Local):
            raise self.refuse(NO_TOKEN, operand, wrong)
        name = operand.value.name
        found = self.tensors.get(name)
        if found is not None:
            return self._reached(found)
        definition = self.uses.definitions.get(name)
        if definition is not None and self.uses.intrinsic(definition) is None:
            finding = self.error(NO_TOKEN, operand, wrong)
            finding.label(self.range_of(definition), f"{spelled('%', name)} comes from here")
        raise Broken

    def _typed(self, operand: syntax.Operand, type_: TensorType) -> Value:
        """A value of a target type: merges of such are merges of vectors, which are typed again."""
        if isinstance(operand.value, syntax.Local):
            found = self.tensors.get(operand.value.name)
            if found is not None:
                return self._reached(found)
        vector = self.value(operand)
        source = vector.defining_op
        if isinstance(source, ToVector) and source.input.type == type_:
            return self._reached(source.input)
        return self.b(TypeInfo(vector, result_types=[type_])).out

    def _reached(self, tensor: Value) -> Value:
        """A tensor in the block that is imported. Loops carry vectors: what leaves one is typed again."""
        op = tensor.defining_op
        assert op is not None
        if op.block is self.b.block or op.block not in self.cyclic:
            return tensor
        return self.b(TypeInfo(self._stored(tensor), result_types=[tensor.type])).out

    def undefined(self, type_: Type) -> Value:
        """Some value."""
        return self.b(Undefined(result_types=[type_])).out

    # Constants

    def constant(self, operand: syntax.Operand) -> Value:
        """A constant as a value."""
        type_ = self.type_of(operand.type, operand)
        match operand.value:
            case syntax.Elements(items=items):
                return self._listed(items, type_, operand)
            case syntax.Integers(values=values):
                return self._row([*values], type_)
            case syntax.Splat(item=item):
                return self.b.constant(self._number(item, operand), type_)
            case syntax.Expression(name="bitcast" | "inttoptr" | "ptrtoint", operands=(inner,)) if type_ is I64:
                return self.value(inner)
            case _:
                return self.b.constant(self._number(operand, operand), type_)

    def _number(self, operand: syntax.Operand, whole: syntax.Operand) -> bool | int | float:
        element = element_of(self.type_of(operand.type, operand))
        match operand.value:
            case syntax.Word():
                return False if element is BOOL else 0.0 if element is not None and element.is_float else 0
            case syntax.Integer(value=value):
                return bool(value & 1) if element is BOOL else _signed(value, operand.type)
            case syntax.Float(bits=bits):
                assert isinstance(operand.type, llvm.FloatType)
                return double_of(bits, operand.type)
            case syntax.Global(name=name):
                shown = spelled("@", name)
                raise self.unsupported(whole, f"the address of {shown} is not supported", "pass it as an argument")
            case _:
                raise self.unsupported(whole, "this constant is not supported")

    def _listed(self, items: tuple[syntax.Operand, ...], type_: Type, whole: syntax.Operand) -> Value:
        numbers = [self._number(item, whole) for item in items]
        if len(numbers) > _LISTED and not all(_same(n, numbers[0]) for n in numbers):
            message = f"a constant of {len(numbers):,} different elements; the limit is {_LISTED:,}"
            raise self.refuse(ELEMENTS, whole, message, "pass it as an argument")
        return self._row(numbers, type_)

    def _row(self, numbers: Sequence[bool | int | float], type_: Type) -> Value:
        assert isinstance(type_, TileType)
        if all(_same(n, numbers[0]) for n in numbers):
            return self.b.constant(numbers[0], type_)
        single = TileType((1,), type_.element)
        parts: list[Value] = [self.b.constant(n, single) for n in numbers]
        return self.b(tile.Cat(parts, 0, result_types=[type_])).out

    # Elements of vectors

    def element(self, vector: Value, index: int) -> Value:
        """One element of a vector as a scalar."""
        type_ = vector.type
        assert isinstance(type_, TileType)
        single = self.slice(vector, index, 1)
        return self.b(tile.Item(single)).out

    def slice(self, vector: Value, start: int, count: int) -> Value:
        """Elements of a vector that follow each other."""
        type_ = vector.type
        assert isinstance(type_, TileType)
        if count == type_.size:
            return vector
        return self.b(tile.Extract(vector, (start,), result_types=[TileType((count,), type_.element)])).out

    def splat(self, value: Value, count: int) -> Value:
        """A vector filled with a scalar."""
        assert isinstance(value.type, ScalarType)
        return self.b(tile.Splat(value, result_types=[TileType((count,), value.type)])).out


def _signed(value: int, type_: llvm.Type) -> int:
    bits = type_.bits if isinstance(type_, llvm.IntegerType) else 64
    return value - (1 << bits) if value >> bits - 1 > 0 else value


def _same(one: float, other: float) -> bool:
    """Whether two numbers have one bit pattern; all NaNs count as one."""
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return one == other and struct.pack("<d", one) == struct.pack("<d", other)
