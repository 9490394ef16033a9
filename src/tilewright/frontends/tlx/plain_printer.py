"""Prints operations of the shared dialects as the instructions of LLVM that they came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.dialects import arith, arith_floats, arith_integers, memref, tile
from tilewright.dialects.addresses import FromAddress
from tilewright.dialects.statics import Reserve
from tilewright.frontends.tlx.absorbed import insertion, selection
from tilewright.frontends.tlx.llvm.tokens import words
from tilewright.frontends.tlx.names import SPLAT
from tilewright.frontends.tlx.printing import Printing
from tilewright.frontends.tlx.spelling import component_text, scalar_text, type_text, vector_text
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import BOOL, TileType, Type, element_of

_INTEGERS: Final[Mapping[str, str]] = {
    "arith.add": "add",
    "arith.sub": "sub",
    "arith.mul": "mul",
    "arith.div": "sdiv",
    "arith.udiv": "udiv",
    "arith.rem": "srem",
    "arith.urem": "urem",
    "arith.shl": "shl",
    "arith.ushr": "lshr",
    "arith.shr": "ashr",
    "arith.and": "and",
    "arith.or": "or",
    "arith.xor": "xor",
}
_FLOATS: Final[Mapping[str, str]] = {
    "arith.add": "fadd",
    "arith.sub": "fsub",
    "arith.mul": "fmul",
    "arith.div": "fdiv",
    "arith.rem": "frem",
}
_MATH: Final = words("exp exp2 log log2 log10 sin cos tan sinh cosh tanh sqrt floor ceil pow atan2")
_FUNCTIONS: Final[Mapping[str, str]] = {
    **{f"math.{name}": name for name in _MATH},
    "arith.fma": "fma",
    "arith.maximum": "maximum",
    "arith.minimum": "minimum",
    "arith.maximum_number": "maxnum",
    "arith.minimum_number": "minnum",
    "arith.max": "smax",
    "arith.min": "smin",
    "arith.umax": "umax",
    "arith.umin": "umin",
}


def print_operation(p: Printing, op: Operation) -> None:
    """One operation of the shared dialects."""
    match op:
        case Reserve(size=size, alignment=alignment, out=out):
            p.define(out, f"alloca [{size} x i8], align {alignment}")
        case memref.Load(memref=view, out=out):
            p.define(out, f"load {type_text(out.type)}, ptr {_address(p, view)}, align {_alignment(out.type)}")
        case memref.Store(value=value, memref=view):
            p.line(f"store {p.operand(value)}, ptr {_address(p, view)}, align {_alignment(value.type)}")
        case tile.Load(memref=view, out=out):
            p.define(out, f"load {type_text(out.type)}, ptr {_address(p, view)}, align {_alignment(out.type)}")
        case tile.Store(value=value, memref=view):
            p.line(f"store {p.operand(value)}, ptr {_address(p, view)}, align {_alignment(value.type)}")
        case tile.Cat() | tile.Extract() | tile.Splat() | tile.Item() | tile.Reinterpret():
            p.define(op.results[0], _vector(p, op))
        case _:
            p.define(op.results[0], _computed(p, op))


def _address(p: Printing, view: Value) -> str:
    producer = view.defining_op
    assert isinstance(producer, FromAddress), "memory is accessed at addresses"
    return p.pointer(producer.address)


def _alignment(type_: Type) -> int:
    """What every array of the elements has."""
    element = element_of(type_)
    assert element is not None
    return element.bytes


def _computed(p: Printing, op: Operation) -> str:
    out = op.results[0]
    match op:
        case arith.Add(lhs=lhs, rhs=rhs) if out in p.pointers:
            return f"getelementptr i8, ptr {p.pointer(lhs)}, i64 {p.value(rhs)}"
        case arith.Select(condition=condition, on_true=then, on_false=orelse):
            if out in p.pointers:
                return f"select {p.operand(condition)}, ptr {p.pointer(then)}, ptr {p.pointer(orelse)}"
            return f"select {p.operand(condition)}, {p.operand(then)}, {p.operand(orelse)}"
        case arith.Neg(value=value):
            return f"fneg {p.operand(value)}"
        case arith.Abs(value=value):
            return _absolute(p, value)
        case arith.Cmp(predicate=predicate, lhs=lhs, rhs=rhs):
            word = (
                predicate.value
                if len(predicate.value) == 2 and predicate.value in ("eq", "ne")
                else f"s{predicate.value}"
            )
            return f"icmp {word} {p.operand(lhs)}, {p.value(rhs)}"
        case arith_integers.UCmp(predicate=predicate, lhs=lhs, rhs=rhs):
            word = predicate.value if predicate.value in ("eq", "ne") else f"u{predicate.value}"
            return f"icmp {word} {p.operand(lhs)}, {p.value(rhs)}"
        case arith_floats.OrderedCmp(predicate=predicate, lhs=lhs, rhs=rhs):
            return f"fcmp o{predicate.value} {p.operand(lhs)}, {p.value(rhs)}"
        case arith_floats.UnorderedCmp(predicate=predicate, lhs=lhs, rhs=rhs):
            return f"fcmp u{predicate.value} {p.operand(lhs)}, {p.value(rhs)}"
        case arith.Cast(value=value) | arith_integers.UCast(value=value):
            signed = isinstance(op, arith.Cast)
            return f"{_conversion(value.type, out.type, signed)} {p.operand(value)} to {type_text(out.type)}"
        case arith_integers.Bitcast(value=value):
            return f"bitcast {p.operand(value)} to {type_text(out.type)}"
        case _:
            return _named(p, op)


def _named(p: Printing, op: Operation) -> str:
    out = op.results[0]
    element = element_of(out.type)
    assert element is not None
    opcode = (_FLOATS if element.is_float else _INTEGERS).get(op.name)
    if opcode is not None:
        lhs, rhs = op.operands
        return f"{opcode} {p.operand(lhs)}, {p.value(rhs)}"
    kind = type_text(out.type)
    name = f"llvm.{_FUNCTIONS[op.name]}.{component_text(out.type)}"
    return p.call(name, kind, [(kind, p.value(v)) for v in op.operands])


def _absolute(p: Printing, value: Value) -> str:
    element, kind = element_of(value.type), type_text(value.type)
    assert element is not None
    if element.is_float:
        return p.call(f"llvm.fabs.{component_text(value.type)}", kind, [(kind, p.value(value))])
    return p.call(f"llvm.abs.{component_text(value.type)}", kind, [(kind, p.value(value)), ("i1", "false")])


def _conversion(source: Type, target: Type, signed: bool) -> str:
    before, after = element_of(source), element_of(target)
    assert before is not None
    assert after is not None
    if before.is_float and after.is_float:
        return "fpext" if before.bits < after.bits else "fptrunc"
    if before.is_float:
        return "fptosi" if signed else "fptoui"
    if after.is_float:
        return "sitofp" if signed else "uitofp"
    if before is not BOOL and before.bits > after.bits:
        return "trunc"
    return "sext" if signed else "zext"


def _vector(p: Printing, op: Operation) -> str:
    out = op.results[0]
    match op:
        case tile.Reinterpret(tile=source):
            return f"bitcast {p.operand(source)} to {type_text(out.type)}"
        case tile.Item(tile=source):
            producer = source.defining_op
            if isinstance(producer, tile.Extract) and producer in p.absorbed:
                return f"extractelement {p.operand(producer.tile)}, i64 {producer.offsets[0]}"
            return f"extractelement {p.operand(source)}, i64 0"
        case tile.Splat(value=value):
            assert isinstance(out.type, TileType)
            kind = type_text(out.type)
            if out.type.size == 1:
                return f"insertelement {kind} poison, {p.operand(value)}, i64 0"
            name = f"{SPLAT}.{component_text(out.type)}.{component_text(out.type)}.{component_text(value.type)}"
            return p.call(name, kind, [(kind, "poison"), (scalar_text(out.type.element), p.value(value))])
        case tile.Cat() | tile.Extract():
            return _rearranged(p, op)
        case _:
            raise AssertionError(f"{op.name} came from no instruction")


def _rearranged(p: Printing, op: tile.Cat | tile.Extract) -> str:
    inserted = insertion(op) if isinstance(op, tile.Cat) else None
    if inserted is not None:
        vector, scalar, at = inserted
        return f"insertelement {p.operand(vector)}, {p.operand(scalar)}, i64 {at}"
    found = selection(op)
    assert found is not None, "parts of at most two vectors are put together"
    sources, mask = found
    second = p.value(sources[1]) if len(sources) > 1 else "poison"
    kind = type_text(sources[0].type)
    return f"shufflevector {kind} {p.value(sources[0])}, {kind} {second}, {vector_text(mask)}"
