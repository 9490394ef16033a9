"""Declaring Tile IR operations: the declaration of `ir.definition` with what text and bytecode need beside it.

    class AddF(TileOperation, name="cuda_tile.addf", traits=(PURE,), opcode=0x02,
               assembly="$lhs , $rhs rounding_mode? flush_to_zero? : @T"):

Text parser and printer, bytecode reader and writer, verifier and manual are driven by these declarations alone.

`assembly` is the short form, word by word: `$x` an operand (a list if it is variadic), `x` an attribute, `x?` one that
may be missing, `x:word?` a flag spelled `word`, `{a? b?}` flags in any order, `@x` the type of an operand, result or
type variable, `@x*` the types of a list, `@x+` too but one type if all are equal, `( .. )?` a part that is there iff
its first operand or attribute is, `!name` a part with code of its own, anything else (quoted or not) itself.

A bytecode record follows from the declaration: result count if there is a list among operands or results, flags in
the order of declaration (attributes that may be missing, then operands that may be missing), attributes in the order of
declaration, operands group by group. `newer` names what later versions added to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from msgspec import Struct, field

from tilewright.dialects.cuda_tile.types import TOKEN_TYPE, Version
from tilewright.ir.core import Attribute
from tilewright.ir.core import Operation as CoreOperation
from tilewright.ir.definition import Operation, Trait
from tilewright.ir.types import Type


class Spec(Struct, frozen=True):
    """What Tile IR adds to the definition of an operation.

    `opcode` is None for operations that are no records. `newer` maps fields to the version that added them, `generic`
    fields to their names in the generic form where those differ, `aliases` are other mnemonics.
    """

    opcode: int | None
    since: Version
    assembly: str
    newer: Mapping[str, Version] = field(default_factory=dict[str, Version])
    generic: Mapping[str, str] = field(default_factory=dict[str, str])
    aliases: tuple[str, ...] = ()


_NOTHING: Mapping[str, Version] = MappingProxyType({})
_NO_NAMES: Mapping[str, str] = MappingProxyType({})


class TileOperation(Operation):
    """Base of Tile IR operations."""

    __slots__ = ()

    spec: ClassVar[Spec]

    def __init_subclass__(
        cls,
        name: str = "",
        traits: tuple[Trait, ...] = (),
        code: str = "C10",
        *,
        opcode: int | None = None,
        since: Version = Version.V13_1,
        assembly: str = "",
        newer: Mapping[str, Version] = _NOTHING,
        generic: Mapping[str, str] = _NO_NAMES,
        aliases: tuple[str, ...] = (),
    ) -> None:
        super().__init_subclass__(name, traits, code)
        if name:
            cls.spec = Spec(opcode, since, assembly, newer, generic, aliases)

    @classmethod
    def decode(cls, attributes: dict[str, Attribute]) -> None:
        """Give the attributes of a record the form that texts have, where writers of bytecode use another one."""

    def later_use(self) -> str:
        """What makes this use of the operation one that only 13.4 and later allow, beyond its fields; else nothing."""
        return ""


def token_type(op: CoreOperation) -> Type:
    """Infers a token."""
    return TOKEN_TYPE


def generic_name(cls: type[TileOperation], key: str) -> str:
    """Name of a field in the generic form."""
    return cls.spec.generic.get(key, key)
