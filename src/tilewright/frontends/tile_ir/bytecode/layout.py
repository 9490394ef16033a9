"""The layout of an operation's record, as it follows from the operation's declaration and the file's version."""

from __future__ import annotations

from enum import Enum
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from tilewright.dialects.cuda_tile import BY_OPCODE
from tilewright.dialects.cuda_tile.attributes import Assumption, CodedEnum, Dense, Hints, Symbol
from tilewright.dialects.cuda_tile.types import Version
from tilewright.ir.core import Attribute
from tilewright.ir.specs import TERMINATOR, AttributeSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilewright.dialects.cuda_tile.base import TileOperation


class Encoding(Enum):
    """How an attribute is written."""

    ENUM = "enum"
    INTEGER = "integer"
    BYTE = "byte"
    STRING = "string"
    SYMBOL = "symbol"
    CONSTANT = "constant"
    LIST32 = "list32"
    ARRAY = "array"
    BOOLS = "bools"
    TAGGED = "tagged"
    DICTIONARY = "dictionary"


class Operands(Enum):
    """How operands are counted."""

    PLAIN = "one after the other"
    COUNTED = "a total first"
    GROUPED = "each list with its count, optional ones by their flag"


class Field(Struct, frozen=True):
    """An attribute in a record. `flag` is the bit that says whether it is there, None if it always is."""

    name: str
    encoding: Encoding
    members: tuple[CodedEnum, ...]
    required: bool
    default: Attribute
    flag: int | None


class Group(Struct, frozen=True):
    """Operands of one name. `dropped` ones do not exist in this version."""

    name: str
    variadic: bool
    flag: int | None
    optional: bool
    dropped: bool


class Layout(Struct, frozen=True):
    """A record. `units` are attributes that consist of a flag alone; `dropped` fields do not exist in this version.

    `results` is how many there are (at least, if there is a list of them), `counts_results` whether the record says so.
    A list of results that a version added is exactly one token from then on.
    """

    cls: type[TileOperation]
    opcode: int
    results: int
    more_results: bool
    counts_results: bool
    has_flags: bool
    flags: tuple[str, ...]
    units: tuple[tuple[str, int], ...]
    fields: tuple[Field, ...]
    operands: Operands
    groups: tuple[Group, ...]
    regions: tuple[bool, ...]
    terminator: bool
    dropped: tuple[str, ...]

    @property
    def mnemonic(self) -> str:
        """The operation's short name."""
        return self.cls.name.removeprefix("cuda_tile.")


_LISTS: Final = {
    "tuple[int, ...]": Encoding.LIST32,
    "tuple[bool, ...]": Encoding.BOOLS,
    "tuple[Number, ...]": Encoding.ARRAY,
}
_KINDS: Final[tuple[tuple[type, Encoding], ...]] = (
    (CodedEnum, Encoding.ENUM),
    (bool, Encoding.BYTE),
    (int, Encoding.INTEGER),
    (str, Encoding.STRING),
    (Symbol, Encoding.SYMBOL),
    (Dense, Encoding.CONSTANT),
    (Assumption, Encoding.TAGGED),
    (Hints, Encoding.DICTIONARY),
)


def _encoding(cls: type[TileOperation], name: str, spec: AttributeSpec) -> Encoding:
    if spec.kind is tuple:
        return _LISTS[cls.__annotations__[name]]
    return next(encoding for kind, encoding in _KINDS if issubclass(spec.kind, kind))


def _members(kind: type) -> tuple[CodedEnum, ...]:
    return tuple(kind) if issubclass(kind, CodedEnum) else ()


def _is_unit(spec: AttributeSpec) -> bool:
    return not spec.required and spec.kind is bool


def _has_flag(spec: AttributeSpec) -> bool:
    """Whether a bit says that an attribute is there; those with another default than None are always written."""
    return not spec.required and (spec.kind is bool or spec.default is None)


@cache
def layouts(version: Version) -> Mapping[int, Layout]:
    """The records of a version, by opcode. Later operations are among them, so that they can be named."""
    return MappingProxyType({opcode: _layout(cls, opcode, version) for opcode, cls in BY_OPCODE.items()})


def _layout(cls: type[TileOperation], opcode: int, version: Version) -> Layout:
    d = cls.definition
    newer = cls.spec.newer
    dropped = tuple(name for name, since in newer.items() if since > version)
    attributes = {name: spec for name, spec in d.attributes.items() if name not in dropped}
    variadic = any(s.variadic for s in (*d.operands.values(), *d.results.values()))
    grouped = d.segmented
    optional = [n for n, s in d.operands.items() if s.optional and n not in dropped] if grouped else []
    flags = (*(n for n, s in attributes.items() if _has_flag(s)), *optional)
    bits = {name: bit for bit, name in enumerate(flags)}
    counted = any(s.varies for s in d.operands.values())
    return Layout(
        cls,
        opcode,
        sum(not s.variadic or (n in newer and n not in dropped) for n, s in d.results.items()),
        any(s.variadic and n not in newer for n, s in d.results.items()),
        variadic,
        bool(flags),
        flags,
        tuple((n, bits[n]) for n, s in attributes.items() if _is_unit(s)),
        tuple(
            Field(n, _encoding(cls, n, s), _members(s.kind), s.required, s.default, bits.get(n))
            for n, s in attributes.items()
            if not _is_unit(s)
        ),
        Operands.GROUPED if grouped else Operands.COUNTED if counted else Operands.PLAIN,
        tuple(Group(n, s.variadic, bits.get(n), s.optional, n in dropped) for n, s in d.operands.items()),
        tuple(s.optional for s in d.regions.values()),
        TERMINATOR in d.traits,
        dropped,
    )
