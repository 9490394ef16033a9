"""Imports instructions that compute: each of LLVM's becomes what it means in `arith`, `math` and `tile`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tilewright.dialects import arith, arith_floats, arith_integers, math, tile
from tilewright.dialects.arith import Predicate
from tilewright.frontends.tlx.codes import NOT_CONSTANT
from tilewright.frontends.tlx.context import FunctionImport
from tilewright.frontends.tlx.intrinsics import FORMS
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm import types as llvm
from tilewright.frontends.tlx.same_bits import reread
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import BOOL, element_of, with_element

_Two = Callable[[Value, Value], Operation]
_One = Callable[[Value], Operation]
_BINARY: Final[Mapping[str, _Two]] = {
    "add": arith.Add,
    "sub": arith.Sub,
    "mul": arith.Mul,
    "sdiv": arith.Div,
    "udiv": arith_integers.UDiv,
    "srem": arith.Rem,
    "urem": arith_integers.URem,
    "shl": arith.Shl,
    "lshr": arith_integers.UShr,
    "ashr": arith.Shr,
    "and": arith.And,
    "or": arith.Or,
    "xor": arith.Xor,
    "fadd": arith.Add,
    "fsub": arith.Sub,
    "fmul": arith.Mul,
    "fdiv": arith.Div,
    "frem": arith.Rem,
}
_OF_CONDITIONS: Final[Mapping[str, _Two]] = {
    "add": arith.Xor,
    "sub": arith.Xor,
    "mul": arith.And,
    "and": arith.And,
    "or": arith.Or,
    "xor": arith.Xor,
}
_PREDICATES: Final = {p.value: p for p in Predicate}
_FUNCTIONS: Final[Mapping[str, _One]] = {
    "exp": math.Exp,
    "exp2": math.Exp2,
    "log": math.Log,
    "log2": math.Log2,
    "log10": math.Log10,
    "sin": math.Sin,
    "cos": math.Cos,
    "tan": math.Tan,
    "sinh": math.Sinh,
    "cosh": math.Cosh,
    "tanh": math.Tanh,
    "sqrt": math.Sqrt,
    "floor": math.Floor,
    "ceil": math.Ceil,
    "fabs": arith.Abs,
}
_PAIRS: Final[Mapping[str, _Two]] = {
    "maxnum": arith_floats.MaximumNumber,
    "minnum": arith_floats.MinimumNumber,
    "maximumnum": arith_floats.MaximumNumber,
    "minimumnum": arith_floats.MinimumNumber,
    "maximum": arith_floats.Maximum,
    "minimum": arith_floats.Minimum,
    "pow": math.Pow,
    "atan2": math.Atan2,
    "smax": arith.Max,
    "smin": arith.Min,
    "umax": arith_integers.UMax,
    "umin": arith_integers.UMin,
}
_FLAGGED: Final = frozenset({"abs", "ctlz", "cttz"})
"""Intrinsics with one operand more, which says whether a case is left undefined."""
MATH: Final = frozenset({*_FUNCTIONS, *_PAIRS, *FORMS, "fma", "fmuladd", "abs"})
"""Intrinsics of LLVM that compute, without `llvm.` and suffix."""


def result_of(op: Operation) -> Value:
    """The only result of an operation."""
    return op.results[0]


def binary(f: FunctionImport, i: syntax.Binary) -> Value:
    """Arithmetic; `fneg` has one operand."""
    lhs = f.value(i.lhs)
    if i.rhs is None:
        return f.b(arith.Neg(lhs)).out
    rhs = f.value(i.rhs)
    if element_of(lhs.type) is BOOL:
        function = _OF_CONDITIONS.get(i.opcode)
        if function is None:
            raise f.unsupported(i, f"{i.opcode} of i1 is not supported")
    else:
        function = _BINARY[i.opcode]
    return result_of(f.b(function(lhs, rhs)))


def compare(f: FunctionImport, i: syntax.Compare) -> Value:
    """Comparisons of integers, addresses and floats."""
    lhs, rhs = f.value(i.lhs), f.value(i.rhs)
    if i.opcode == "icmp":
        predicate = _PREDICATES[i.predicate if len(i.predicate) == 2 else i.predicate[1:]]
        is_unsigned = i.predicate[0] == "u" or isinstance(llvm.element_of(i.lhs.type), llvm.PointerType)
        if element_of(lhs.type) is BOOL and len(i.predicate) == 3 and not is_unsigned:
            # of i1, true is -1
            predicate = _PREDICATES[predicate.value.translate(str.maketrans("gl", "lg"))]
            return f.b(arith_integers.UCmp(predicate, lhs, rhs)).out
        if is_unsigned and predicate not in (Predicate.EQ, Predicate.NE):
            return f.b(arith_integers.UCmp(predicate, lhs, rhs)).out
        return f.b(arith.Cmp(predicate, lhs, rhs)).out
    return _compare_floats(f, i.predicate, lhs, rhs)


def _compare_floats(f: FunctionImport, said: str, lhs: Value, rhs: Value) -> Value:
    if said in ("true", "false"):
        return f.b.constant(said == "true", with_element(lhs.type, BOOL))
    if said == "ord":
        sides = [f.b(arith_floats.OrderedCmp(Predicate.EQ, v, v)).out for v in (lhs, rhs)]
        return f.b(arith.And(*sides)).out
    if said == "uno":
        sides = [f.b(arith_floats.UnorderedCmp(Predicate.NE, v, v)).out for v in (lhs, rhs)]
        return f.b(arith.Or(*sides)).out
    compared = arith_floats.OrderedCmp if said[0] == "o" else arith_floats.UnorderedCmp
    return f.b(compared(_PREDICATES[said[1:]], lhs, rhs)).out


def cast(f: FunctionImport, i: syntax.Cast) -> Value:
    """Conversions; pointers are addresses already."""
    value, to = f.value(i.value), f.type_of(i.to, i)
    before, after = element_of(value.type), element_of(to)
    assert before is not None
    assert after is not None
    match i.opcode:
        case "bitcast" | "addrspacecast":
            return reread(f, value, to)
        case "trunc" if after is BOOL:
            odd = f.b(arith.And(value, f.b.constant(1, value.type))).out
            return f.b(arith.Cmp(Predicate.NE, odd, f.b.constant(0, value.type))).out
        case "sext" | "sitofp" if before is BOOL:
            minus = -1.0 if after.is_float else -1
            return f.b(arith.Select(value, f.b.constant(minus, to), f.b.zero(to))).out
        case "zext" | "uitofp" | "fptoui" | "inttoptr" | "ptrtoint":
            return value if value.type == to else f.b(arith_integers.UCast(value, result_types=[to])).out
        case "fptosi" if after is BOOL:
            raise f.unsupported(i, "fptosi to i1 is not supported")
        case _:
            return f.b(arith.Cast(value, result_types=[to])).out


def select(f: FunctionImport, i: syntax.Select) -> Value:
    """A choice, of whole vectors or element by element."""
    return f.b(arith.Select(f.value(i.condition), f.value(i.then), f.value(i.orelse))).out


def freeze(f: FunctionImport, i: syntax.Freeze) -> Value:
    """What is not defined is some value already."""
    return f.value(i.value)


# Vectors


def _position(f: FunctionImport, index: syntax.Operand, count: int) -> int:
    found = f.constants.value_of(index)
    if not isinstance(found, int):
        raise f.refuse(NOT_CONSTANT, index, "the number of an element must be a constant after folding")
    if not 0 <= found < count:
        raise f.refuse(NOT_CONSTANT, index, f"there is no element {found} among {count}")
    return found


def extract(f: FunctionImport, i: syntax.ExtractElement) -> Value:
    """An element."""
    assert isinstance(i.vector.type, llvm.VectorType)
    return f.element(f.value(i.vector), _position(f, i.index, i.vector.type.count))


def insert(f: FunctionImport, i: syntax.InsertElement) -> Value:
    """A vector with one element replaced."""
    assert isinstance(i.vector.type, llvm.VectorType)
    count = i.vector.type.count
    at = _position(f, i.index, count)
    element = f.splat(f.value(i.element), 1)
    if count == 1:
        return element
    vector = f.value(i.vector)
    parts = [f.slice(vector, 0, at)] if at else []
    parts.append(element)
    if at + 1 < count:
        parts.append(f.slice(vector, at + 1, count - at - 1))
    return f.b(tile.Cat(parts, 0, result_types=[vector.type])).out


def shuffle(f: FunctionImport, i: syntax.ShuffleVector) -> Value:
    """Elements of two vectors, taken in runs that follow each other."""
    assert isinstance(i.first.type, llvm.VectorType)
    assert isinstance(i.mask.type, llvm.VectorType)
    mask = f.constants.value_of(i.mask)
    if mask is None and isinstance(i.mask.value, syntax.Word):
        mask = (0,) * i.mask.type.count
    if not isinstance(mask, tuple):
        raise f.refuse(NOT_CONSTANT, i.mask, "a mask is a constant of at most 64 elements, or one element repeated")
    count = i.first.type.count
    if not all(0 <= k < 2 * count for k in mask):
        raise f.refuse(NOT_CONSTANT, i.mask, f"a mask chooses among {2 * count} elements")
    vectors = [f.value(i.first), f.value(i.second)]
    if len(set(mask)) == 1 and len(mask) > 1:
        return f.splat(f.element(vectors[mask[0] // count], mask[0] % count), len(mask))
    parts: list[Value] = []
    start = 0
    for k in range(1, len(mask) + 1):
        follows = k < len(mask) and mask[k] == mask[k - 1] + 1 and mask[k] % count
        if not follows:
            parts.append(f.slice(vectors[mask[start] // count], mask[start] % count, k - start))
            start = k
    type_ = f.type_of(llvm.VectorType(len(mask), i.first.type.element), i)
    return parts[0] if len(parts) == 1 else f.b(tile.Cat(parts, 0, result_types=[type_])).out


# Intrinsics of LLVM


def function(f: FunctionImport, name: str, i: syntax.Call) -> Value:
    """`llvm.exp`, `llvm.fma` and others in `MATH`."""
    form = FORMS.get(name)
    wanted = 3 if name in ("fma", "fmuladd") else 2 if name in _PAIRS else 1 if form is None else form[1]
    has_flag = name in _FLAGGED and len(i.arguments) == wanted + 1
    values = [f.value(a.operand) for a in i.arguments[: wanted if has_flag else None]]
    if len(values) != wanted or any(v.type != values[0].type for v in values):
        raise f.unsupported(i, f"llvm.{name} of these operands is not supported")
    if form is not None:
        return _composed(f, name, i, values)
    if name in ("fma", "fmuladd"):
        return f.b(arith.Fma(*values)).out
    if name == "abs":
        return f.b(arith.Abs(values[0])).out
    return result_of(f.b(_PAIRS[name](*values) if name in _PAIRS else _FUNCTIONS[name](values[0])))


def _composed(f: FunctionImport, name: str, i: syntax.Call, values: list[Value]) -> Value:
    form, _, kinds = FORMS[name]
    element = element_of(values[0].type)
    assert element is not None
    kind = "b" if element is BOOL else "f" if element.is_float else "i"
    if kind not in kinds:
        raise f.unsupported(i, f"llvm.{name} of {element} is not supported")
    return form(f.b, *values)
