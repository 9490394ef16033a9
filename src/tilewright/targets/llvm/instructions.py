"""Instructions on values: arithmetic, comparison, casts, lanes, calls.

Each method appends one line to the current block and returns the value it defines. Integer identities and constants are
folded on the way, so that index arithmetic stays short without a pass; floats are folded only where that is exact.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tilewright.numerics.integers import wrap
from tilewright.targets.llvm.types import bits_of, lanes_of, mangle, scalar_of, vector
from tilewright.targets.llvm.values import Value, boolean, constant, lane_constants, poison, zero

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilewright.targets.llvm.module import Block, Callee, Function

_ESCAPED: Final = re.compile(r'["\\]|[^ -~]')
"""What stands as a number in quoted ASCII."""
_ONE_FLOATS = {"0x3FF0000000000000", "0xH3C00"}


class Instructions:
    """Appends instructions to the end of `block`."""

    __slots__ = ("block", "function", "module")

    def __init__(self, function: Function, block: Block | None = None) -> None:
        self.function = function
        self.module = function.module
        self.block = block or (function.blocks[-1] if function.blocks else function.add_block("entry"))

    def position(self, block: Block) -> None:
        """Go on at the end of another block."""
        self.block = block

    def emit(self, ltype: str, operation: str, hint: str = "v") -> Value:
        """Append `%hint.n = operation`; the escape hatch for instructions without a method."""
        name = "%" + self.function.name(hint)
        self.block.lines.append(f"  {name} = {operation}")
        self.module.emitted += 1
        return Value(ltype, name)

    def computed(self, ltype: str, operation: str, hint: str) -> Value:
        """As `emit`, for what depends on its operands alone: where such instructions are reused, an earlier one."""
        known = self.function.computed
        if known is None:
            return self.emit(ltype, operation, hint)
        found = known.find(operation)
        if found is None:
            found = self.emit(ltype, operation, hint)
            known.add(operation, found)
        return found

    def emit_void(self, operation: str) -> None:
        """Append an instruction without a result."""
        self.block.lines.append(f"  {operation}")
        self.module.emitted += 1

    def comment(self, text: str) -> None:
        """A remark in the text, which LLVM drops."""
        self.block.lines.append(f"  ; {text}")

    # Integers

    def _binary(self, op: str, a: Value, b: Value, flags: str, hint: str) -> Value:
        assert a.type == b.type, f"{op} of {a} and {b}"
        word = f"{op} {flags}" if flags else op
        return self.computed(a.type, f"{word} {a.type} {a.text}, {b.text}", hint)

    def add(self, a: Value, b: Value, flags: str = "", hint: str = "add") -> Value:
        """`a + b`, wrapping unless `flags` (`"nsw"`, `"nuw"`) promise otherwise."""
        x, y = a.integer, b.integer
        if y == 0:
            return a
        if x == 0:
            return b
        if x is not None and y is not None:
            return constant(a.type, x + y)
        return self._binary("add", a, b, flags, hint)

    def sub(self, a: Value, b: Value, flags: str = "", hint: str = "sub") -> Value:
        """`a - b`."""
        x, y = a.integer, b.integer
        if y == 0:
            return a
        if x is not None and y is not None:
            return constant(a.type, x - y)
        return self._binary("sub", a, b, flags, hint)

    def mul(self, a: Value, b: Value, flags: str = "", hint: str = "mul") -> Value:
        """`a * b`."""
        x, y = a.integer, b.integer
        if y == 1 or x == 0:
            return a
        if x == 1 or y == 0:
            return b
        if x is not None and y is not None:
            return constant(a.type, x * y)
        return self._binary("mul", a, b, flags, hint)

    def and_(self, a: Value, b: Value, hint: str = "and") -> Value:
        """Bitwise and; logical on `i1`."""
        if b.text == "true" or a.text == "false" or b.integer == -1 or a.integer == 0:
            return a
        if a.text == "true" or b.text == "false" or a.integer == -1 or b.integer == 0:
            return b
        x, y = a.integer, b.integer
        if x is not None and y is not None:
            return constant(a.type, x & y)
        return self._binary("and", a, b, "", hint)

    def or_(self, a: Value, b: Value, flags: str = "", hint: str = "or") -> Value:
        """Bitwise or; logical on `i1`."""
        if b.text in ("false", "0") or a.text == "true":
            return a
        if a.text in ("false", "0") or b.text == "true":
            return b
        return self._binary("or", a, b, flags, hint)

    def xor(self, a: Value, b: Value, hint: str = "xor") -> Value:
        """Bitwise exclusive or."""
        if b.text in ("false", "0"):
            return a
        if a.text in ("false", "0"):
            return b
        return self._binary("xor", a, b, "", hint)

    def not_(self, a: Value, hint: str = "not") -> Value:
        """All bits flipped; logical on `i1`."""
        if a.text in ("true", "false"):
            return boolean(a.text == "false")
        ones = 1 if scalar_of(a.type) == "i1" else -1
        return self._binary("xor", a, constant(a.type, ones), "", hint)

    def shl(self, a: Value, b: Value, flags: str = "", hint: str = "shl") -> Value:
        """Shift left; poison if the amount reaches the width."""
        return self._shift("shl", a, b, flags, hint)

    def lshr(self, a: Value, b: Value, flags: str = "", hint: str = "lshr") -> Value:
        """Shift right, filling with zeros."""
        return self._shift("lshr", a, b, flags, hint)

    def ashr(self, a: Value, b: Value, flags: str = "", hint: str = "ashr") -> Value:
        """Shift right, filling with the sign."""
        return self._shift("ashr", a, b, flags, hint)

    def _shift(self, op: str, a: Value, b: Value, flags: str, hint: str) -> Value:
        x, y, bits = a.integer, b.integer, bits_of(a.type)
        if y == 0:
            return a
        if x is None or y is None or not 0 < y < bits:
            return self._binary(op, a, b, flags, hint)
        if op == "shl":
            return constant(a.type, x << y)
        return constant(a.type, (x if op == "ashr" else x % (1 << bits)) >> y)

    def sdiv(self, a: Value, b: Value, flags: str = "", hint: str = "div") -> Value:
        """Truncating signed division; undefined for a zero divisor and MIN / -1."""
        return a if b.integer == 1 else self._binary("sdiv", a, b, flags, hint)

    def udiv(self, a: Value, b: Value, flags: str = "", hint: str = "div") -> Value:
        """Unsigned division; undefined for a zero divisor."""
        return a if b.integer == 1 else self._binary("udiv", a, b, flags, hint)

    def srem(self, a: Value, b: Value, hint: str = "rem") -> Value:
        """Signed remainder; undefined where `sdiv` is."""
        return self._binary("srem", a, b, "", hint)

    def urem(self, a: Value, b: Value, hint: str = "rem") -> Value:
        """Unsigned remainder; undefined for a zero divisor."""
        return self._binary("urem", a, b, "", hint)

    def smin(self, a: Value, b: Value, hint: str = "min") -> Value:
        """Signed minimum."""
        return self._extremum("smin", a, b, hint)

    def smax(self, a: Value, b: Value, hint: str = "max") -> Value:
        """Signed maximum."""
        return self._extremum("smax", a, b, hint)

    def umin(self, a: Value, b: Value, hint: str = "min") -> Value:
        """Unsigned minimum."""
        return self._extremum("umin", a, b, hint)

    def _extremum(self, which: str, a: Value, b: Value, hint: str) -> Value:
        x, y = a.integer, b.integer
        if x is not None and y is not None and which != "umin":
            return constant(a.type, min(x, y) if which == "smin" else max(x, y))
        return self.intrinsic(f"llvm.{which}", a.type, [a, b], hint=hint, pure=True)

    # Floating point

    def fadd(self, a: Value, b: Value, flags: str = "", hint: str = "fadd") -> Value:
        """`a + b`; `flags` are fast-math words such as `"reassoc contract"`."""
        return self._binary("fadd", a, b, flags, hint)

    def fsub(self, a: Value, b: Value, flags: str = "", hint: str = "fsub") -> Value:
        """`a - b`."""
        return self._binary("fsub", a, b, flags, hint)

    def fmul(self, a: Value, b: Value, flags: str = "", hint: str = "fmul") -> Value:
        """`a * b`; a factor 1 is dropped."""
        if _is_one(b):
            return a
        return b if _is_one(a) else self._binary("fmul", a, b, flags, hint)

    def fdiv(self, a: Value, b: Value, flags: str = "", hint: str = "fdiv") -> Value:
        """`a / b`."""
        return a if _is_one(b) else self._binary("fdiv", a, b, flags, hint)

    def fneg(self, a: Value, hint: str = "fneg") -> Value:
        """The sign flipped, also of a NaN."""
        return self.computed(a.type, f"fneg {a.type} {a.text}", hint)

    def fma(self, a: Value, b: Value, c: Value, hint: str = "fma") -> Value:
        """`a * b + c` with one rounding; a library call where the target has no such instruction."""
        return self.intrinsic("llvm.fma", a.type, [a, b, c], hint=hint, pure=True)

    def fmuladd(self, a: Value, b: Value, c: Value, hint: str = "fma") -> Value:
        """`a * b + c`, fused where that is the faster way."""
        return self.intrinsic("llvm.fmuladd", a.type, [a, b, c], hint=hint, pure=True)

    def fabs(self, a: Value, hint: str = "abs") -> Value:
        """The sign bit cleared."""
        return self.intrinsic("llvm.fabs", a.type, [a], hint=hint, pure=True)

    def sqrt(self, a: Value, hint: str = "sqrt") -> Value:
        """The correctly rounded square root."""
        return self.intrinsic("llvm.sqrt", a.type, [a], hint=hint, pure=True)

    # Comparison and choice

    def icmp(self, predicate: str, a: Value, b: Value, hint: str = "c") -> Value:
        """Integer or pointer comparison: eq ne sgt sge slt sle ugt uge ult ule."""
        assert a.type == b.type, f"icmp of {a} and {b}"
        x, y = a.integer, b.integer
        if x is not None and y is not None and predicate in _SIGNED and not a.type.startswith("<"):
            return boolean(_SIGNED[predicate](x, y))
        if predicate == "slt" and y == 0 and x is None and lanes_of(a.type) > 1:
            return self._has_bit(a, bits_of(a.type) - 1, hint)
        return self.computed(vector("i1", lanes_of(a.type)), f"icmp {predicate} {a.type} {a.text}, {b.text}", hint)

    def _has_bit(self, a: Value, bit: int, hint: str) -> Value:
        """Which lanes of a vector have a bit.

        Not as a sign or by truncation: where such a mask goes to a general register, LLVM 22 moves the signs there with
        an instruction that cannot name the upper half of the vector registers, and reads another one
        (https://github.com/llvm/llvm-project/issues/191304).
        """
        bits = self.and_(a, constant(a.type, wrap(1 << bit, bits_of(a.type))))
        return self.icmp("ne", bits, zero(a.type), hint)

    def fcmp(self, predicate: str, a: Value, b: Value, hint: str = "c") -> Value:
        """Comparison of floats: ordered (oeq olt ..) or true on NaN (ueq une ..), ord, uno."""
        assert a.type == b.type, f"fcmp of {a} and {b}"
        return self.computed(vector("i1", lanes_of(a.type)), f"fcmp {predicate} {a.type} {a.text}, {b.text}", hint)

    def select(self, condition: Value, a: Value, b: Value, hint: str = "sel") -> Value:
        """`a` where the condition holds, else `b`; a scalar condition chooses whole vectors."""
        assert a.type == b.type, f"select of {a} and {b}"
        if condition.text in ("true", "false"):
            return a if condition.text == "true" else b
        if a.text == b.text:
            return a
        return self.computed(a.type, f"select {condition}, {a}, {b}", hint)

    # Casts

    def cast(self, op: str, a: Value, ltype: str, flags: str = "", hint: str = "cast") -> Value:
        """Any LLVM cast instruction by name; to the own type: nothing."""
        if a.type == ltype:
            return a
        return self.computed(ltype, f"{op} {flags} {a} to {ltype}" if flags else f"{op} {a} to {ltype}", hint)

    def bitcast(self, a: Value, ltype: str, hint: str = "bits") -> Value:
        """The same bits as another type of the same size."""
        return a if a.type == ltype else self.cast("bitcast", a, ltype, hint=hint)

    def sext(self, a: Value, ltype: str, hint: str = "ext") -> Value:
        """Sign extension."""
        return self._integer_cast("sext", a, ltype, hint)

    def zext(self, a: Value, ltype: str, hint: str = "ext") -> Value:
        """Zero extension."""
        return self.cast("zext", a, ltype, hint=hint)

    def trunc(self, a: Value, ltype: str, hint: str = "trunc") -> Value:
        """The low bits."""
        if scalar_of(ltype) == "i1" and lanes_of(ltype) > 1 and a.integer is None:
            return self._has_bit(a, 0, hint)
        return self._integer_cast("trunc", a, ltype, hint)

    def _integer_cast(self, op: str, a: Value, ltype: str, hint: str) -> Value:
        number = a.integer
        if number is None:
            return self.cast(op, a, ltype, hint=hint)
        return constant(ltype, number & 1 if scalar_of(ltype) == "i1" else number)

    def resize(self, a: Value, ltype: str, hint: str = "i") -> Value:
        """A signed integer in another width: extended, truncated or as it is."""
        wider = bits_of(ltype) > bits_of(a.type)
        return self.sext(a, ltype, hint) if wider else self.trunc(a, ltype, hint)

    # Lanes

    def extract(self, a: Value, lane: int | Value, hint: str = "lane") -> Value:
        """One lane of a vector; a scalar counts as a vector of one."""
        scalar = scalar_of(a.type)
        if scalar == a.type:
            return a
        if a.text.startswith("splat ("):
            return Value(scalar, a.text[len(f"splat ({scalar} ") : -1])
        position = f"i64 {lane}" if isinstance(lane, int) else str(lane)
        return self.emit(scalar, f"extractelement {a}, {position}", hint)

    def insert(self, a: Value, x: Value, lane: int | Value, hint: str = "ins") -> Value:
        """A copy of the vector with one lane replaced."""
        if a.type == x.type:
            return x
        position = f"i64 {lane}" if isinstance(lane, int) else str(lane)
        return self.emit(a.type, f"insertelement {a}, {x}, {position}", hint)

    def shuffle(self, a: Value, b: Value | None, lanes: Sequence[int], hint: str = "shuf") -> Value:
        """The chosen lanes of `a` followed by `b`; -1 leaves a lane undefined."""
        if len(lanes) == 1:
            count = lanes_of(a.type)
            if b is None or lanes[0] < count:
                return self.extract(a, lanes[0], hint)
            return self.extract(b, lanes[0] - count, hint)
        b = b or poison(a.type)
        ltype = f"<{len(lanes)} x {scalar_of(a.type)}>"
        picks = ", ".join("i32 poison" if lane < 0 else f"i32 {lane}" for lane in lanes)
        return self.emit(ltype, f"shufflevector {a}, {b}, <{len(lanes)} x i32> <{picks}>", hint)

    def splat(self, x: Value, lanes: int, hint: str = "splat") -> Value:
        """A scalar in all lanes."""
        if lanes == 1:
            return x
        ltype = vector(x.type, lanes)
        if x.is_constant:
            return Value(ltype, x.text if x.text in ("poison", "undef") else f"splat ({x})")
        first = self.emit(ltype, f"insertelement {ltype} poison, {x}, i64 0", hint)
        return self.emit(ltype, f"shufflevector {first}, {ltype} poison, <{lanes} x i32> zeroinitializer", hint)

    def concat(self, a: Value, b: Value, hint: str = "cat") -> Value:
        """The lanes of two vectors of one type behind each other."""
        return self.shuffle(a, b, range(2 * lanes_of(a.type)), hint)

    def step(self, ltype: str) -> Value:
        """The constant 0, 1, 2, ...: the number of each lane."""
        return lane_constants(scalar_of(ltype), range(lanes_of(ltype)))

    def reduce(self, which: str, a: Value, start: Value | None = None, flags: str = "", hint: str = "red") -> Value:
        """`llvm.vector.reduce.<which>`: add and or xor smax smin fmaximumnum.. ; fadd and fmul take a start value."""
        scalar = scalar_of(a.type)
        arguments = [a] if start is None else [start, a]
        return self.intrinsic(
            f"llvm.vector.reduce.{which}", scalar, arguments, overload=[a.type], flags=flags, hint=hint
        )

    # Aggregates and calls

    def extract_value(self, a: Value, ltype: str, *path: int, hint: str = "part") -> Value:
        """A member of a struct or array value."""
        return self.emit(ltype, f"extractvalue {a}, {', '.join(map(str, path))}", hint)

    def insert_value(self, a: Value, x: Value, *path: int, hint: str = "agg") -> Value:
        """A copy of a struct or array value with one member replaced."""
        return self.emit(a.type, f"insertvalue {a}, {x}, {', '.join(map(str, path))}", hint)

    def freeze(self, a: Value, hint: str = "fr") -> Value:
        """Stop poison."""
        return self.emit(a.type, f"freeze {a}", hint)

    def call(self, callee: Callee, arguments: Sequence[Value], attributes: str = "", hint: str = "call") -> Value:
        """Call a function that has a result."""
        return self.emit(callee.result, _call_text(callee, arguments, attributes), hint)

    def call_void(self, callee: Callee, arguments: Sequence[Value], attributes: str = "") -> None:
        """Call a function without a result."""
        self.emit_void(_call_text(callee, arguments, attributes))

    def call_pointer(self, target: Value, result: str, arguments: Sequence[Value], hint: str = "call") -> Value | None:
        """Call through a pointer; None if `result` is void."""
        text = f"call {result} {target.text}({', '.join(map(str, arguments))})"
        if result != "void":
            return self.emit(result, text, hint)
        self.emit_void(text)
        return None

    def intrinsic(
        self,
        name: str,
        result: str,
        arguments: Sequence[Value],
        *,
        overload: Sequence[str] | None = None,
        flags: str = "",
        hint: str = "v",
        pure: bool = False,
    ) -> Value:
        """Call an intrinsic, declaring it. `overload`: the types in its mangled name (default: the result type).

        What is `pure` depends on its arguments alone, so that it may be `computed` before.
        """
        full = f"{name}.{mangle(result)}" if overload is None else ".".join([name, *map(mangle, overload)])
        if not self.module.declared(full):
            self.module.declare(full, result, [a.type for a in arguments])
        operands = ", ".join([f"{a.type} {a.text}" for a in arguments])
        text = f"call {flags}{' ' if flags else ''}{result} @{full}({operands})"
        return self.computed(result, text, hint) if pure else self.emit(result, text, hint)

    def intrinsic_void(self, name: str, arguments: Sequence[Value], *, overload: Sequence[str] = ()) -> None:
        """Call an intrinsic without a result."""
        mangled = ".".join([name, *map(mangle, overload)])
        self.call_void(self.module.declare(mangled, "void", [a.type for a in arguments]), arguments)

    def keep(self, value: Value) -> None:
        """Use a value without code: it stays where it is up to here, and no instruction is moved across."""
        name = "llvm.fake.use"
        self.module.declare(name, "void", ["..."])
        self.emit_void(f"call void (...) @{name}({value})")

    def inline_asm(
        self,
        result: str,
        text: str,
        constraints: str,
        arguments: Sequence[Value],
        *,
        side_effect: bool = False,
        hint: str = "asm",
    ) -> Value:
        """Inline assembly; `result` may be `"void"` (the value is then not to be used) or a struct."""
        operands = ", ".join(map(str, arguments))
        if result.startswith("{"):
            result = self.module.struct(result)
        call = f'call {result} asm {"sideeffect " if side_effect else ""}"{_escape(text)}", "{constraints}"({operands})'
        if result == "void":
            self.emit_void(call)
            return poison("void")
        return self.emit(result, call, hint)


def _call_text(callee: Callee, arguments: Sequence[Value], attributes: str) -> str:
    types = tuple(a.type for a in arguments)
    assert types == callee.parameters, f"call of @{callee.name} with {types}"
    convention = f"{callee.convention} " if callee.convention else ""
    tail = f" {attributes}" if attributes else ""
    return f"call {convention}{callee.result} @{callee.name}({', '.join(map(str, arguments))}){tail}"


def _escape(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"\\{ord(found[0]):02X}", text)


def _is_one(value: Value) -> bool:
    text = value.text
    if text.startswith("splat ("):
        text = text[text.index(" ", 7) + 1 : -1]
    return text in _ONE_FLOATS


_SIGNED = {
    "eq": int.__eq__,
    "ne": int.__ne__,
    "slt": int.__lt__,
    "sle": int.__le__,
    "sgt": int.__gt__,
    "sge": int.__ge__,
}
