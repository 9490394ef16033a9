"""The state of lowering one function: what its values became, and the operations that all parts need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field, structs

from tilewright.diagnostics import Location
from tilewright.dialects import arith, arith_integers
from tilewright.dialects import memref as shared
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import func
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.types import BOOL, I8, MemrefType, ScalarType, Type
from tilewright.transforms.lower_mlir.statics import Globals


class Unsupported(Exception):
    """An operation has no lowering; the message says which, and what would have one."""

    def __init__(self, op: Operation, message: str, place: Location | None = None) -> None:
        super().__init__(message)
        self.place = op.location if place is None else place


class Agreement(Struct, frozen=True):
    """Two modes of memrefs that an operation wants to be equally long; the second may be an integer, without a mode."""

    first: tuple[Value, int]
    second: tuple[Value, int | None]
    place: Location


Number = int | Value
"""An index, known or not."""


class Threads(Struct, frozen=True):
    """The threads of a block that run what is being lowered, each for itself.

    `outside` inserts where all of them are together, in front of it; `number` is which of the `count` threads it is.
    """

    outside: Builder
    number: Value
    count: int


class Launched(Struct, frozen=True):
    """A launch that was lowered, with so many threads a block."""

    op: Operation
    threads: int


class Workspace(Struct, frozen=True):
    """A parameter whose memory the launch makes, and the view of it that is as long as an allocation `op` says."""

    memory: Value
    view: shared.Subview
    op: Operation


class Buffers(Struct):
    """Memory of tensors: that of the results of `function`, and what no other tensor uses (`owned`).

    Parameters are arguments of the kernel's `entry`. `taken` are the results whose memory has a use already.
    """

    function: func.Func
    entry: Block
    results: tuple[Value, ...] = ()
    owned: set[Value] = field(default_factory=set[Value])
    taken: set[int] = field(default_factory=set[int])


class Lowering(Struct):
    """Values of the function and what they became; `b` inserts where the lowering stands.

    `vectors` are kept as their elements. `calls`: the functions that are being inlined. `agreements` are of operations
    that certainly run. `of_work_group` is the memory of globals that a work-group has. `threads` is None where the
    work-group works together. If the function is `outlined`, its launch's grid is that of the kernel.
    """

    b: Builder
    functions: Mapping[str, func.Func]
    globals: Globals
    buffers: Buffers
    values: dict[Value, Value] = field(default_factory=dict[Value, Value])
    agreements: list[Agreement] = field(default_factory=list[Agreement])
    calls: tuple[str, ...] = ()
    certain: bool = True
    vectors: dict[Value, list[Value]] = field(default_factory=dict[Value, list[Value]])
    launches: list[Launched] = field(default_factory=list[Launched])
    workspaces: list[Workspace] = field(default_factory=list[Workspace])
    of_work_group: dict[str, Value] = field(default_factory=dict[str, Value])
    threads: Threads | None = None
    outlined: bool = False

    def inside(self, b: Builder, certain: bool = False) -> Lowering:
        """The same state, inserting elsewhere."""
        return structs.replace(self, b=b, certain=self.certain and certain)

    # Values

    def value(self, value: Value) -> Value:
        """What a value became."""
        return self.values[value]

    def all(self, values: Sequence[Value]) -> list[Value]:
        """What values became."""
        return [self.values[value] for value in values]

    def indices(self, values: Sequence[Value]) -> list[Value]:
        """Indices of a memref, in the order of the modes that it has here."""
        return [self.values[value] for value in reversed(values)]

    def bind(self, value: Value, found: Value) -> None:
        """Remember what a value became."""
        if found.name is None:
            found.name = value.name
        self.values[value] = found

    def bind_parameter(self, argument: Value, parameter: Value, view: tuple[int, ...]) -> None:
        """A parameter, with its modes in the order in which the kernel has them."""
        if view and view != tuple(range(len(view))):
            parameter = self.b(shared.Permute(parameter, view)).out
        self.values[argument] = parameter

    # Operations that are written often

    def constant(self, value: bool | int | float, type_: Type) -> Value:
        """A number."""
        return self.b.constant(value, type_)

    def index(self, number: Number) -> Value:
        """An index as a value."""
        return self.b.index(number) if isinstance(number, int) else number

    def add(self, x: Number, y: Number) -> Number:
        """Sum; nothing is computed of what is known."""
        if isinstance(x, int) and isinstance(y, int):
            return x + y
        if x == 0:
            return y
        if y == 0:
            return x
        return self.b(arith.Add(self.index(x), self.index(y))).out

    def sub(self, x: Number, y: Number) -> Number:
        """Difference."""
        if isinstance(x, int) and isinstance(y, int):
            return x - y
        if y == 0:
            return x
        return self.b(arith.Sub(self.index(x), self.index(y))).out

    def mul(self, x: Number, y: Number) -> Number:
        """Product."""
        if isinstance(x, int) and isinstance(y, int):
            return x * y
        if x == 1:
            return y
        if y == 1:
            return x
        return self.b(arith.Mul(self.index(x), self.index(y))).out

    def extremum(self, cls: type[arith.Max] | type[arith.Min], numbers: Sequence[Number]) -> Number:
        """The largest or smallest of some numbers."""
        choose = max if cls is arith.Max else min
        known = [n for n in numbers if isinstance(n, int)]
        rest: list[Number] = [n for n in numbers if not isinstance(n, int)]
        if known:
            rest.append(choose(known))
        found = rest[0]
        for number in rest[1:]:
            found = self.b(cls(self.index(found), self.index(number))).out
        return found

    def compare(self, predicate: Predicate, x: Value, y: Value) -> Value:
        """Signed or ordered comparison."""
        return self.b(arith.Cmp(predicate, x, y)).out

    def truth(self, value: bool) -> Value:
        """A bool."""
        return self.b.constant(value, BOOL)

    def cast(self, value: Value, type_: ScalarType) -> Value:
        """Conversion of numbers, with sign."""
        return value if value.type is type_ else self.b(arith.Cast(value, result_types=[type_])).out

    # Memrefs

    def load(self, memory: Value, indices: list[Value], type_: Type) -> Value:
        """An element of a type; of i1, which is a byte in memory, whether that is not 0."""
        found = self.b(shared.Load(memory, indices)).out
        return self.compare(Predicate.NE, found, self.b.zero(I8)) if type_ is BOOL else found

    def store(self, value: Value, memory: Value, indices: list[Value]) -> None:
        """Writes an element."""
        stored = self.b(arith_integers.UCast(value, result_types=[I8])).out if value.type is BOOL else value
        self.b(shared.Store(stored, memory, indices))

    def memref(self, value: Value) -> tuple[Value, MemrefType]:
        """What a memref became, and its type here."""
        found = self.values[value]
        assert isinstance(found.type, MemrefType)
        return found, found.type

    def extent(self, value: Value, mode: int) -> Number:
        """The extent of a mode of a memref, counted as here."""
        found, type_ = value, value.type
        assert isinstance(type_, MemrefType)
        known = type_.shape[mode]
        return self.b(shared.Size(found, mode)).out if known is None else known


Handler = Callable[[Lowering, Operation], None]
