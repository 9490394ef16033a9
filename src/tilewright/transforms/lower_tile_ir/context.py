"""The state of lowering one entry: what its values became, and the operations that all parts need."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from tilewright.dialects import addresses, arith, arith_integers, tile
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder
from tilewright.dialects.cuda_tile import types as cuda
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import BOOL, I64, INDEX, PointerType, ScalarType, TileType, Type, element_of, with_element
from tilewright.transforms.lower_tile_ir.facts import Facts
from tilewright.transforms.lower_tile_ir.statics import Statics
from tilewright.transforms.lower_tile_ir.types import value_type


class TensorValue(Struct, frozen=True):
    """A tensor view: base address, sizes and strides as indices, in the order of its type.

    `divisors` are powers of two that divide the sizes, `least` numbers that these reach.
    """

    type: cuda.TensorView
    base: Value
    sizes: tuple[Value, ...]
    strides: tuple[Value, ...]
    divisors: tuple[int, ...]
    least: tuple[int, ...]


class Lowering(Struct):
    """Values of the entry and what they became; `b` inserts where the lowering stands.

    `inlined`: terminators of arms that what follows their `if` has been moved behind, with that `if`.
    """

    b: Builder
    statics: Statics
    values: dict[Value, Value] = field(default_factory=dict[Value, Value])
    tensors: dict[Value, TensorValue] = field(default_factory=dict[Value, TensorValue])
    inlined: dict[Operation, Operation] = field(default_factory=dict[Operation, Operation])
    facts: Facts = field(default_factory=Facts)

    def inside(self, b: Builder) -> Lowering:
        """The same state, inserting elsewhere."""
        return Lowering(b, self.statics, self.values, self.tensors, self.inlined, self.facts)

    # Values

    def value(self, value: Value) -> Value:
        """What a tile became."""
        return self.values[value]

    def bind(self, value: Value, found: Value) -> None:
        """Remember what a tile became."""
        if found.name is None:
            found.name = value.name
        self.values[value] = found

    def bind_parameter(self, argument: Value, parameter: Value) -> None:
        """Parameters: pointers become addresses."""
        if isinstance(parameter.type, PointerType):
            self.values[argument] = self.b(addresses.AddressOf(parameter)).out
        else:
            self.values[argument] = parameter

    def type_of(self, value: Value) -> ScalarType | TileType:
        """The type of a tile here."""
        return value_type(value.type)

    # Operations that are written often

    def constant(self, value: bool | int | float, type_: Type) -> Value:
        """A constant in every element."""
        return self.b.constant(value, type_)

    def add(self, x: Value, y: Value) -> Value:
        """Sum."""
        return self.b(arith.Add(x, y)).out

    def mul(self, x: Value, y: Value) -> Value:
        """Product."""
        return self.b(arith.Mul(x, y)).out

    def and_(self, x: Value, y: Value) -> Value:
        """Bitwise and."""
        return self.b(arith.And(x, y)).out

    def or_(self, x: Value, y: Value) -> Value:
        """Bitwise or."""
        return self.b(arith.Or(x, y)).out

    def xor(self, x: Value, y: Value) -> Value:
        """Bitwise exclusive or."""
        return self.b(arith.Xor(x, y)).out

    def not_(self, x: Value) -> Value:
        """Complement."""
        return self.b(arith.Not(x)).out

    def compare(self, predicate: Predicate, x: Value, y: Value) -> Value:
        """Signed or ordered comparison."""
        return self.b(arith.Cmp(predicate, x, y)).out

    def select(self, condition: Value, x: Value, y: Value) -> Value:
        """Choice element by element."""
        return self.b(arith.Select(condition, x, y)).out

    def cast(self, x: Value, element: ScalarType) -> Value:
        """Conversion of numbers, with sign."""
        if element_of(x.type) is element:
            return x
        return self.b(arith.Cast(x, result_types=[with_element(x.type, element)])).out

    def splat(self, x: Value, shape: tuple[int, ...]) -> Value:
        """A scalar in every element of a shape."""
        assert isinstance(x.type, ScalarType)
        return self.b(tile.Splat(x, result_types=[TileType(shape, x.type)])).out

    def iota(self, shape: tuple[int, ...], dim: int, element: ScalarType) -> Value:
        """Positions along a dimension."""
        return self.b(tile.Iota(dim, result_types=[TileType(shape, element)])).out

    # Integers

    def widened(self, x: Value, element: ScalarType, signed: bool) -> Value:
        """An integer or bool in a wider integer type."""
        source = element_of(x.type)
        if source is BOOL and signed:
            type_ = with_element(x.type, element)
            return self.select(x, self.constant(-1, type_), self.constant(0, type_))
        if source is not BOOL and (signed or source is element or self.not_negative(x)):
            return self.cast(x, element)
        return self.unsigned_cast(x, element)

    def unsigned_cast(self, x: Value, element: ScalarType) -> Value:
        """Conversion that reads and writes integers as unsigned."""
        if element_of(x.type) is element:
            return x
        return self.b(arith_integers.UCast(x, result_types=[with_element(x.type, element)])).out

    def bitcast(self, x: Value, element: ScalarType) -> Value:
        """The same bits as another element type of equal width."""
        if element_of(x.type) is element:
            return x
        return self.b(arith_integers.Bitcast(x, result_types=[with_element(x.type, element)])).out

    def index(self, value: Value) -> Value:
        """An unsigned scalar of Tile IR as an index."""
        found = self.value(value)
        return self.cast(self.widened(found, I64, self.facts.not_negative(value)), INDEX)

    def not_negative(self, x: Value) -> bool:
        """Whether an integer is surely not negative: what follows from its own operation."""
        op = x.defining_op
        match op:
            case arith.Constant():
                return not isinstance(op.value, complex) and op.value >= 0
            case arith.Cast():
                return op.value.defining_op is not None and op.value.defining_op.definition.dialect == "team"
            case _:
                return False


Handler = Callable[[Lowering, Operation], None]
