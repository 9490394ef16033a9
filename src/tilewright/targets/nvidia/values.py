"""What the values of the IR become in the code of one GPU thread.

Scalars are LLVM scalars, the same in all threads of the work-group or not as the program says. A tile of a subgroup
lies in registers (`RegisterTile`); what a thread has of one of the work-group is a `Fragment`.
"""

from __future__ import annotations

from msgspec import Struct

from tilewright.ir.types import GroupType, MemrefType, TileType
from tilewright.targets.llvm.emitter import Complex, Value
from tilewright.targets.llvm.types import ELEMENTS, Element

Operand = Value | Complex

GLOBAL = "ptr addrspace(1)"
PARAMETERS = "ptr addrspace(101)"
SHARED = "ptr addrspace(3)"


class View(Struct, frozen=True):
    """A memref: element (i, ..) lies at `pointer + sum i_k stride_k` elements; `base` is that without any offset."""

    type: MemrefType
    pointer: Value
    sizes: tuple[Value, ...]
    strides: tuple[Value, ...]
    base: Value

    @property
    def element(self) -> Element:
        """What code generation knows of the element type."""
        return ELEMENTS[self.type.element.name]


class Group(Struct, frozen=True):
    """A group: its table, one dope array for each dynamic extent, then stride, of the memref; its size and offset."""

    type: GroupType
    table: Value
    dope: tuple[Value, ...]
    size: Value
    offset: Value


class RegisterTile(Struct, frozen=True):
    """A tile of a subgroup: slot c of work-item p holds the element with column-major number `p + c S`.

    That is the layout of the language reference 1.11 with the components in another order; it makes reshapes free. Past
    the last element a slot holds anything.

    Tiles of products by matrix instructions have other layouts (`subgroup_products`).
    """

    type: TileType
    slots: tuple[Operand, ...]


class Fragment(Struct, frozen=True):
    """What a thread holds of a tile (the lane level): the content of each register."""

    slots: tuple[Operand, ...]


class Words(Struct, frozen=True):
    """Registers of a thread as matrix instructions have them: words of four bytes with adjacent elements in each."""

    words: tuple[Value, ...]
    element: Element


Lowered = Value | Complex | View | Group | RegisterTile | Fragment | Words


def parts_of(operand: Operand) -> list[Value]:
    """The LLVM values of a number: one, or two of a complex one."""
    return [operand.re, operand.im] if isinstance(operand, Complex) else [operand]


def of_parts(parts: list[Value]) -> Operand:
    """The number whose `parts_of` these are."""
    return Complex(parts[0], parts[1]) if len(parts) == 2 else parts[0]
