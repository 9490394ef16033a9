"""The language's text for operations without regions, and for attributes and constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from tilewright.dialects import arith, memref, scf, team, tl
from tilewright.frontends.tensor_language.instructions_collective import mnemonic_of, modifiers_of, written_fields
from tilewright.frontends.tensor_language.instructions_scalar import BINARY, ELEMENTARY, UNARY
from tilewright.frontends.tensor_language.vocabulary import ATTRIBUTE_NAMES, COMPARISON_NAMES, LANGUAGE_ATTRIBUTES
from tilewright.ir.attributes import spell_float
from tilewright.ir.core import Attribute, Operation, Value
from tilewright.ir.operation_table import OperationTable

Name = Callable[[Value], str]
"""The name of a value, with its `%`."""
Speller = Callable[[Operation, Name], str]
"""Text of an operation between its result and its type."""


class NotInLanguage(ValueError):
    """The program holds something that the tensor language cannot say."""


def spell_attribute(value: Attribute) -> str:
    """Text of an attribute."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return f'"{value}"'
        case tuple():
            return "[" + ",".join(spell_attribute(v) for v in value) + "]"
        case dict():
            return spell_dictionary(cast("dict[str, Attribute]", value))
        case _:
            raise NotInLanguage(f"{value!r} is not an attribute of the tensor language")


def spell_dictionary(entries: Mapping[str, Attribute]) -> str:
    """Text of a dictionary; names the language does not know are quoted."""
    items = (f"{_attribute_name(name)}={spell_attribute(value)}" for name, value in entries.items())
    return "{" + ", ".join(items) + "}"


def _attribute_name(name: str) -> str:
    return name if name in ATTRIBUTE_NAMES else f'"{name}"'


def language_dictionary(attributes: Mapping[str, Attribute], known: frozenset[str]) -> dict[str, Attribute]:
    """What the text's dictionary says: `known` attributes and quoted ones."""
    found = {name: value for name, value in attributes.items() if name in known}
    others = attributes.get(LANGUAGE_ATTRIBUTES)
    if isinstance(others, dict):
        found.update(others)
    return found


def spell_constant(value: Attribute) -> str:
    """Text of a constant."""
    match value:
        case float():
            return spell_float(value)
        case complex():
            return f"[{spell_float(value.real)},{spell_float(value.imag)}]"
        case _:
            return spell_attribute(value)


# Parts of instructions


def _list(values: list[Value], name: Name) -> str:
    return ",".join(map(name, values))


def _operands(op: Operation, name: Name) -> str:
    return ", ".join(map(name, op.operands))


def _flag(op: Operation, attribute: str, text: str) -> str:
    return text if op.attributes.get(attribute) else ""


def _transposes(*flags: bool) -> str:
    """Modifiers for operands in order; `.n` only where a `.t` follows."""
    while flags and not flags[-1]:
        flags = flags[:-1]
    return "".join(".t" if flag else ".n" for flag in flags)


def _order(op: Operation) -> str:
    """`.scope.semantics`, as far as they were written."""
    scope, semantics = op.attributes.get("scope"), op.attributes.get("semantics")
    text = f".{scope.value}" if isinstance(scope, memref.Scope) else ""
    return text + (f".{semantics.value}" if isinstance(semantics, memref.Semantics) else "")


def _access(op: Operation) -> str:
    """`.t.checked` of a cooperative matrix access."""
    checked = op.attributes.get("checked")
    named = isinstance(checked, tl.Checked) and checked is not tl.Checked.NONE
    return _flag(op, "transpose", ".t") + (f".{checked.value}" if named and isinstance(checked, tl.Checked) else "")


def _mixed(numbers: Sequence[int | Value], name: Name) -> list[str]:
    """Literals and names of values."""
    return [str(number) if isinstance(number, int) else name(number) for number in numbers]


# Instructions


def _binary(mnemonic: str) -> Speller:
    return lambda op, name: f"{mnemonic} {_operands(op, name)}"


def _unary(mnemonic: str) -> Speller:
    return lambda op, name: f"{mnemonic} {name(op.operands[0])}"


def _elementary(mnemonic: str) -> Speller:
    return lambda op, name: f"{_flag(op, 'native', 'native_')}{mnemonic} {name(op.operands[0])}"


def _constant(op: Operation, name: Name) -> str:
    return f"constant {spell_constant(op.attributes['value'])}"


def _cmp(op: arith.Cmp, name: Name) -> str:
    return f"{COMPARISON_NAMES[op.predicate]} {_operands(op, name)}"


def _collective(op: tl.Collective, name: Name) -> str:
    if not op.in_language:
        raise NotInLanguage(f"{op.name} is not in the tensor language")
    cls = type(op)
    flags = modifiers_of(cls)
    if any(value is True and key not in flags for key, value in op.attributes.items()):
        raise NotInLanguage("a product of unsigned integers is not in the tensor language")
    transposed = [bool(op.attributes.get(flag)) for flag in flags if flag != "atomic"]
    values = iter(op.operands)
    fields = [
        str(op.attributes[key]) if key in cls.definition.attributes else name(next(values))
        for key in written_fields(cls)
    ]
    modifiers = f"{_flag(op, 'atomic', '.atomic')}{_transposes(*transposed)}"
    return f"{mnemonic_of(cls)}{modifiers} {', '.join(fields)}"


def _alloca(op: memref.Alloca, name: Name) -> str:
    if op.offset is not None:
        raise NotInLanguage("an allocation with a place on the stack is not in the tensor language")
    entries = language_dictionary(op.attributes, frozenset({"alignment"}))
    return f"alloca {spell_dictionary(entries)}" if entries else "alloca"


def _barrier(op: team.Barrier, name: Name) -> str:
    return "barrier" + _flag(op, "fence_global", ".global") + _flag(op, "fence_local", ".local")


def _yield(op: scf.Yield, name: Name) -> str:
    return f"yield ({_operands(op, name)})"


def _load(op: memref.Load, name: Name) -> str:
    return f"load {name(op.memref)}[{_list(op.indices, name)}]"


def _group_load(op: memref.GroupLoad, name: Name) -> str:
    return f"load {name(op.group)}[{name(op.index)}]"


def _store(op: memref.Store, name: Name) -> str:
    return f"store {name(op.value)}, {name(op.memref)}[{_list(op.indices, name)}]"


def _atomic_load(op: memref.AtomicLoad, name: Name) -> str:
    return f"atomic_load{_order(op)} {name(op.memref)}[{_list(op.indices, name)}]"


def _atomic_store(op: memref.AtomicStore, name: Name) -> str:
    return f"atomic_store{_order(op)} {name(op.value)}, {name(op.memref)}[{_list(op.indices, name)}]"


def _atomic_update(op: memref.AtomicRmw, name: Name) -> str:
    target = f"{name(op.memref)}[{_list(op.indices, name)}]"
    return f"atomic_{op.kind.value}{_order(op)} {name(op.value)}, {target}"


def _size(op: memref.Size, name: Name) -> str:
    return f"size {name(op.source)}[{op.mode}]"


def _expand(op: memref.Expand, name: Name) -> str:
    sizes = _mixed(op.mixed_sizes, name)
    return f"expand {name(op.memref)}[{op.mode}->{' x '.join(sizes)}]"


def _fuse(op: memref.Fuse, name: Name) -> str:
    return f"fuse {name(op.memref)}[{op.first},{op.last}]"


def _subview(op: memref.Subview, name: Name) -> str:
    offsets, sizes = _mixed(op.mixed_offsets, name), _mixed(op.mixed_sizes, name)
    entries = (o if s == "0" else f"{o}:{s}" for o, s in zip(offsets, sizes, strict=True))
    return f"subview {name(op.memref)}[{','.join(entries)}]"


def _dimension(mnemonic: str) -> Speller:
    return lambda op, name: f"{mnemonic}.{'xyz'[int(str(op.attributes['dim']))]}"


def _fixed(mnemonic: str) -> Speller:
    return lambda op, name: mnemonic


def _reduce(op: team.Reduce, name: Name) -> str:
    return f"subgroup_reduce_{op.kind.value} {name(op.value)}"


def _scan(op: team.Scan, name: Name) -> str:
    return f"subgroup_{'inclusive' if op.inclusive else 'exclusive'}_scan_{op.kind.value} {name(op.value)}"


def _coop_load(op: tl.CoopLoad, name: Name) -> str:
    return f"cooperative_matrix_load{_access(op)} {name(op.memref)}[{name(op.x)},{name(op.y)}]"


def _coop_store(op: tl.CoopStore, name: Name) -> str:
    return f"cooperative_matrix_store{_access(op)} {name(op.matrix)}, {name(op.memref)}[{name(op.x)},{name(op.y)}]"


def _coop_atomic_load(op: tl.CoopAtomicLoad, name: Name) -> str:
    target = f"{name(op.memref)}[{name(op.x)},{name(op.y)}]"
    return f"cooperative_matrix_atomic_load{_access(op)}{_order(op)} {target}"


def _coop_atomic_store(op: tl.CoopAtomicStore, name: Name) -> str:
    target = f"{name(op.memref)}[{name(op.x)},{name(op.y)}]"
    return f"cooperative_matrix_atomic_store{_access(op)}{_order(op)} {name(op.matrix)}, {target}"


def _coop_atomic_update(op: tl.CoopAtomicRmw, name: Name) -> str:
    target = f"{name(op.memref)}[{name(op.x)},{name(op.y)}]"
    mnemonic = f"cooperative_matrix_atomic_{op.kind.value}"
    return f"{mnemonic}{_access(op)}{_order(op)} {name(op.matrix)}, {target}"


def _coop_prefetch(op: tl.CoopPrefetch, name: Name) -> str:
    target = f"{name(op.memref)}[{name(op.x)},{name(op.y)}]"
    return f"cooperative_matrix_prefetch {op.level}, {target}, {op.rows}, {op.columns}"


def _coop_extract(op: tl.CoopExtract, name: Name) -> str:
    return f"cooperative_matrix_extract {name(op.matrix)}[{op.index}]"


def _coop_insert(op: tl.CoopInsert, name: Name) -> str:
    return f"cooperative_matrix_insert {name(op.value)}, {name(op.matrix)}[{op.index}]"


def _coop_reduce(op: tl.CoopReduce, name: Name) -> str:
    way = "row" if op.row else "column"
    return f"cooperative_matrix_reduce_{op.kind.value}.{way} {name(op.matrix)}"


# Each function takes the class it is listed under, which the type of the table cannot say.
SPELLERS: Final[OperationTable[Speller]] = OperationTable(
    cast(
        "Mapping[type[Operation], Speller]",
        {
            **{cls: _binary(mnemonic) for mnemonic, cls in BINARY.items()},
            **{cls: _unary(mnemonic) for mnemonic, cls in UNARY.items()},
            **{cls: _elementary(mnemonic) for mnemonic, cls in ELEMENTARY.items()},
            arith.Constant: _constant,
            arith.Cmp: _cmp,
            tl.Collective: _collective,
            memref.Alloca: _alloca,
            memref.LifetimeStop: _unary("lifetime_stop"),
            memref.Load: _load,
            memref.GroupLoad: _group_load,
            memref.Store: _store,
            memref.AtomicLoad: _atomic_load,
            memref.AtomicStore: _atomic_store,
            memref.AtomicRmw: _atomic_update,
            memref.Size: _size,
            memref.Associated: _unary("associated"),
            memref.Expand: _expand,
            memref.Fuse: _fuse,
            memref.Subview: _subview,
            team.Barrier: _barrier,
            team.GroupId: _dimension("group_id"),
            team.NumGroups: _dimension("num_groups"),
            team.NumSubgroups: _dimension("num_subgroups"),
            team.SubgroupId: _dimension("subgroup_id"),
            team.SubgroupSize: _fixed("subgroup_size"),
            team.SubgroupLinearId: _fixed("subgroup_linear_id"),
            team.SubgroupLocalId: _fixed("subgroup_local_id"),
            team.Broadcast: _binary("subgroup_broadcast"),
            team.Reduce: _reduce,
            team.Scan: _scan,
            scf.Yield: _yield,
            tl.CoopLoad: _coop_load,
            tl.CoopStore: _coop_store,
            tl.CoopAtomicLoad: _coop_atomic_load,
            tl.CoopAtomicStore: _coop_atomic_store,
            tl.CoopAtomicRmw: _coop_atomic_update,
            tl.CoopPrefetch: _coop_prefetch,
            tl.CoopConstruct: _unary("cooperative_matrix_construct"),
            tl.CoopExtract: _coop_extract,
            tl.CoopInsert: _coop_insert,
            tl.CoopScale: _binary("cooperative_matrix_scale"),
            tl.CoopMulAdd: _binary("cooperative_matrix_mul_add"),
            tl.CoopReduce: _coop_reduce,
        },
    )
)
