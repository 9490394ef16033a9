"""Collective instructions and the regions that leave collective execution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Final

from tilewright.dialects import declared_in, team, tl
from tilewright.frontends.tensor_language.instruction import Instruction, plain
from tilewright.frontends.tensor_language.regions import RegionReader, region_of, types_of
from tilewright.frontends.tensor_language.vocabulary import ATOMIC, TRANSPOSE
from tilewright.ir.core import Attribute, Block, Value
from tilewright.ir.types import INDEX, Type


def mnemonic_of(cls: type[tl.Collective]) -> str:
    """The name without the dialect's."""
    return cls.name.partition(".")[2]


def modifiers_of(cls: type[tl.Collective]) -> list[str]:
    """The attributes that modifiers set, in the order in which they are written; the language has no others."""
    flags = [name for name in cls.definition.attributes if name == "atomic" or name.startswith("transpose")]
    return sorted(flags, key=lambda name: name != "atomic")


def written_fields(cls: type[tl.Collective]) -> list[str]:
    """The operands and numbers behind the mnemonic, in the order in which they are written."""
    attributes = cls.definition.attributes
    return [key for key in cls.definition.order if key not in attributes or attributes[key].kind is int]


def collective(cls: type[tl.Collective]) -> Instruction:
    """`mnemonic.atomic.t operand, .., operand`: modifiers and operands as they are declared, numbers among them."""
    attributes = cls.definition.attributes
    flags = modifiers_of(cls)
    slots = [ATOMIC if flag == "atomic" else TRANSPOSE for flag in flags]

    def read(p: RegionReader, word: str) -> None:
        given = p.modifiers(slots)
        operands: list[Value] = []
        numbers: dict[str, Attribute] = {}
        for position, key in enumerate(written_fields(cls)):
            if position:
                p.expect(",")
            if key in attributes:
                numbers[key] = p.integer_attribute(key, attributes[key].doc)
            else:
                operands += p.values(1)
        chosen = {flag for flag, value in zip(flags, given, strict=True) if value}
        numbers.update((flag, True) for flag in attributes if flag in chosen)
        p.finish(cls.of_parts(operands, attributes=numbers))

    return plain(read)


def _parallel(p: RegionReader, word: str) -> None:
    block = Block()
    p.open_region(team.Spmd(region_of(block)), block, (), p.finish_region)


def _box(p: RegionReader) -> tuple[list[int], list[Value], list[Value]]:
    """`(%i, ..)=(%from, ..),(%to, ..)`."""
    names = p.new_names()
    p.expect("=")
    p.expect("(")
    lowers = p.value_list(")")
    p.expect(",")
    p.expect("(")
    return names, lowers, p.value_list(")")


def _variable_types(names: list[int], lowers: list[Value]) -> list[Type]:
    """Types of loop variables; lists of unequal length, which the verifier reports, are filled up."""
    return (types_of(lowers) + [INDEX] * len(names))[: len(names)]


def _foreach(p: RegionReader, word: str) -> None:
    names, lowers, uppers = _box(p)
    block = Block()
    p.arguments(block, names, _variable_types(names, lowers))
    p.open_region(tl.Foreach(lowers, uppers, region_of(block)), block, names, p.finish_region)


def _foreach_tile(p: RegionReader, word: str) -> None:
    names, lowers, uppers = _box(p)
    p.expect("as")
    sizes_at = p.i
    sizes = p.new_names()
    p.expect("<=")
    first = p.i
    shape = _tile_shape(p)
    p.places["tile_shape"] = p.since(first)
    if len(sizes) != len(names):
        message = f"{len(names)} tile offsets, but {len(sizes)} tile sizes"
        p.error("V43", p.range(sizes_at, first - 2), message).hint("all five lists have the same length")
        p.poisoned = True
    block = Block()
    p.arguments(block, names, _variable_types(names, lowers))
    p.arguments(block, sizes, _variable_types(sizes, lowers))
    op = tl.ForeachTile(lowers, uppers, shape, region_of(block))
    p.open_region(op, block, [*names, *sizes], p.finish_region)


def _tile_shape(p: RegionReader) -> tuple[int, ...]:
    first = p.i
    p.expect("(")
    shape: list[int] = []
    while True:
        where = p.i
        shape.append(p.integer("the extent of a tile"))
        p.places["tile", len(shape) - 1] = p.range(where)
        if not p.accept(","):
            break
    if not p.accept(")"):
        p.fail("`,` or `)`")
    p.check_count(len(shape), first)
    return tuple(shape)


def collectives(dialects: Iterable[ModuleType]) -> dict[str, Instruction]:
    """The collectives that dialects declare, by mnemonic."""
    found = [cls for cls in declared_in(dialects) if issubclass(cls, tl.Collective) and cls.in_language]
    return {mnemonic_of(cls): collective(cls) for cls in found}


INSTRUCTIONS: Final[Mapping[str, Instruction]] = {
    **collectives([tl]),
    "parallel": plain(_parallel),
    "foreach": plain(_foreach),
    "foreach_tile": plain(_foreach_tile),
}
