"""The syntax tree of LLVM text: what was written where, before anybody asks what names stand for.

`start` and `end` are offsets in the source. Unnamed values and blocks have their numbers for names. Nothing leads back
to what holds it, so the collector of cycles need not look at any of it (`gc=False`).
"""

from __future__ import annotations

from msgspec import Struct, field

from tilewright.frontends.tlx.llvm.types import Type


class Node(Struct, gc=False):
    """Something at characters `start` to `end`."""

    start: int
    end: int


# Values


class Written(Struct, frozen=True, gc=False):
    """Base of what stands for a value."""


class Local(Written, frozen=True):
    """`%name`."""

    name: str


class Global(Written, frozen=True):
    """`@name`."""

    name: str


class Integer(Written, frozen=True):
    """An integer as a mathematical number, `true` as 1."""

    value: int


class Float(Written, frozen=True):
    """A float: its bit pattern in the format of its type."""

    bits: int


class Word(Written, frozen=True):
    """`zeroinitializer`, `undef`, `poison`, `null`, `none`."""

    name: str


class Elements(Written, frozen=True):
    """A literal of a vector, an array or a struct."""

    items: tuple[Operand, ...]


class Integers(Written, frozen=True):
    """A literal of a vector of integers, each of few digits and none negative."""

    values: tuple[int, ...]


class Splat(Written, frozen=True):
    """`splat (i32 4)`."""

    item: Operand


class Characters(Written, frozen=True):
    """`c"text\\00"`."""

    data: bytes


class Expression(Written, frozen=True):
    """A constant expression: `bitcast (ptr @g to ptr)`; `to` is what a cast makes, or a `getelementptr` counts."""

    name: str
    operands: tuple[Operand, ...]
    to: Type | None = None


Literal = Local | Global | Integer | Float | Word | Elements | Integers | Splat | Characters | Expression


class Operand(Node):
    """A value with its type."""

    type: Type
    value: Literal


Attribute = Type | int | str | None
"""What an attribute says beside its name: `byval(T)`, `align 4`, `memory(read)`, or nothing."""
Attributes = dict[str, Attribute]


class Argument(Node):
    """What a call passes, with the attributes that it passes it under."""

    operand: Operand
    attributes: Attributes


# Instructions


class Instruction(Node):
    """Base of all instructions. `result` is the name of what it computes, None if it computes nothing."""

    result: str | None


class Binary(Instruction):
    """`add nsw i32 %a, %b`, and `fneg` with no `rhs`."""

    opcode: str
    flags: tuple[str, ...]
    lhs: Operand
    rhs: Operand | None


class Compare(Instruction):
    """`icmp` or `fcmp`."""

    opcode: str
    predicate: str
    lhs: Operand
    rhs: Operand


class Cast(Instruction):
    """`zext i8 %a to i32`."""

    opcode: str
    value: Operand
    to: Type


class Select(Instruction):
    """`select i1 %c, T %a, T %b`."""

    condition: Operand
    then: Operand
    orelse: Operand


class Phi(Instruction):
    """`phi T [ %a, %block ], ..`."""

    type: Type
    incoming: list[tuple[Operand, Label]]


class Label(Node):
    """The name of a block that something leads to."""

    name: str


class Branch(Instruction):
    """`br`, with one target or two."""

    condition: Operand | None
    targets: list[Label]


class Switch(Instruction):
    """`switch`: the default stands first among the `targets`."""

    value: Operand
    cases: list[Operand]
    targets: list[Label]


class Return(Instruction):
    """`ret`."""

    value: Operand | None


class Unreachable(Instruction):
    """`unreachable`."""


class Alloca(Instruction):
    """`alloca T, i32 n`; what it computes is a pointer of type `to`."""

    type: Type
    count: Operand | None
    to: Type


class Load(Instruction):
    """`load T, ptr %p`."""

    type: Type
    pointer: Operand
    align: int | None
    volatile: bool


class Store(Instruction):
    """`store T %v, ptr %p`."""

    value: Operand
    pointer: Operand
    align: int | None
    volatile: bool


class GetElementPointer(Instruction):
    """`getelementptr T, ptr %p, i64 %i`."""

    type: Type
    pointer: Operand
    indices: list[Operand]


class ExtractElement(Instruction):
    """`extractelement <4 x float> %v, i32 %i`."""

    vector: Operand
    index: Operand


class InsertElement(Instruction):
    """`insertelement <4 x float> %v, float %x, i32 %i`."""

    vector: Operand
    element: Operand
    index: Operand


class ShuffleVector(Instruction):
    """`shufflevector <4 x T> %a, <4 x T> %b, <8 x i32> %mask`."""

    first: Operand
    second: Operand
    mask: Operand


class Freeze(Instruction):
    """`freeze T %v`."""

    value: Operand


class Call(Instruction):
    """A call of `@callee`. `type` is what it gives, `callee_at` where the name stands."""

    callee: str
    type: Type
    arguments: list[Argument]
    attributes: Attributes
    flags: tuple[str, ...]
    callee_at: Node


# Functions and modules


class Parameter(Node):
    """A parameter of a function."""

    name: str
    type: Type
    attributes: Attributes


class Block(Node):
    """Instructions up to one that ends the block. `start` and `end` are those of its label or first instruction."""

    name: str
    instructions: list[Instruction]
    broken: bool = False


class Function(Node):
    """A function with a body, or declared without (no blocks). `start` and `end` are those of its name.

    `broken` names are those of instructions that could not be read.
    """

    name: str
    result: Type
    parameters: list[Parameter]
    variadic: bool
    attributes: Attributes
    result_attributes: Attributes
    blocks: list[Block] = field(default_factory=list["Block"])
    broken: set[str] = field(default_factory=set[str])

    @property
    def is_declaration(self) -> bool:
        """Whether there is no body."""
        return not self.blocks


class Variable(Node):
    """`@name = constant T value`; `value` is None where it is external."""

    name: str
    type: Type
    constant: bool
    value: Operand | None


class Module(Struct):
    """A text. `types` are the named ones (None: opaque), `left_out` what was read and is not kept."""

    functions: list[Function] = field(default_factory=list[Function])
    declarations: dict[str, Function] = field(default_factory=dict[str, Function])
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    types: dict[str, Type | None] = field(default_factory=dict[str, "Type | None"])
    left_out: dict[str, int] = field(default_factory=dict[str, int])
