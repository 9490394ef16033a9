"""A nest over memory of one mode once more, on views of the modes that its accesses see (`delinearisation`).

before:  memref.load %A[%i * %N + %k]                        %A of one mode
after:   scf.if 0 < %N && size rem %N == 0 {                 no test where numbers say so
             %V = memref.expand %A, 0, [%N, size / %N]
             memref.load %V[%k, %i]
         } else { memref.load %A[%i * %N + %k] }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from tilewright.dialects import arith, memref, scf
from tilewright.dialects.builder import Builder, new_region
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import MemrefType
from tilewright.transforms import emit
from tilewright.transforms.conditions import Conjunction
from tilewright.transforms.emit import Length, memref_type
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.loop_nests.nests import Nest
from tilewright.transforms.raise_contractions.delinearisation import Split, splits


class SplitCopy(Struct, frozen=True):
    """`ops` are a nest once more, between it and `behind`; `either` tests whether they do the same."""

    nest: Nest
    ops: tuple[Operation, ...]
    behind: Operation | None
    either: scf.If | None

    def keep(self) -> None:
        """Put it in the place of the nest, which stays for the case that the test fails."""
        if self.either is None:
            for op in reversed(self.nest.ops):
                op.erase()
            return
        assert self.either.orelse is not None
        for op in self.nest.ops:
            op.detach()
            self.either.orelse.entry.append(op)

    def drop(self) -> None:
        """Take it out again."""
        for op in reversed(list(_between(self.nest.last.next, self.behind))):
            op.erase()


def split_copy(nest: Nest) -> SplitCopy | None:
    """A copy of a nest behind it; None if it has no memory that is split."""
    if not nest.is_known or any(not nest.has(user) for op in nest.ops for out in op.results for user in out.uses):
        return None
    found = splits(nest)
    if not found:
        return None
    last = nest.last
    assert last.block is not None
    behind = last.next
    build = Builder(last.block, behind, last.location)
    holds = Conjunction(build)
    extents = {base: _extents(build, holds, base, split) for base, split in found.items()}
    for condition in dict.fromkeys(one for split in found.values() for one in split.conditions):
        holds.at_most(0, condition.emitted(build))
    either: scf.If | None = None
    if holds.value is not None:
        (then, inside), (orelse, _) = new_region(), new_region()
        either = build(scf.If(holds.value, then, orelse))
        build = Builder.at_end(inside, last.location)
    copies = _copies(build, nest, {base: (found[base], _view(build, base, extents[base])) for base in found})
    return SplitCopy(nest, copies, behind, either)


def _extents(build: Builder, holds: Conjunction, base: Value, split: Split) -> list[Length]:
    """The extents of all modes; what they have to be for the memory to be of whole rows is demanded."""
    found = [extent.emitted(build) for extent in split.extents]
    for extent in found:
        holds.at_most(1, extent)
    row: Length = 1
    for extent in found:
        row = row * extent if isinstance(row, int) and isinstance(extent, int) else _product(build, row, extent)
    size = emit.extent(build, base, 0)
    if isinstance(size, int) and isinstance(row, int):
        return [*found, size // row]
    whole, length = emit.as_value(build, size), emit.as_value(build, row)
    holds.equal(emit.rem(build, whole, length), 0)
    return [*found, build(arith.Div(whole, length)).out]


def _product(build: Builder, one: Length, other: Length) -> Value:
    return emit.mul(build, emit.as_value(build, one), emit.as_value(build, other))


def _view(build: Builder, base: Value, extents: Sequence[Length]) -> Value:
    type_ = memref_type(base)
    shape = tuple(extent if isinstance(extent, int) else None for extent in extents)
    strides = [type_.strides[0]]
    for extent in shape[:-1]:
        strides.append(None if extent is None or strides[-1] is None else strides[-1] * extent)
    sizes = [extent for extent in extents if not isinstance(extent, int)]
    result = MemrefType(type_.element, shape, tuple(strides), type_.space)
    return build(memref.Expand(base, sizes, 0, shape, result_types=[result])).out


def _copies(build: Builder, nest: Nest, views: Mapping[Value, tuple[Split, Value]]) -> tuple[Operation, ...]:
    """The operations of a nest, whose accesses are those of views."""
    mapping: dict[Value, Value] = {}
    made = tuple(build(op.clone(mapping)) for op in nest.ops)
    subscripts = {op: (view, forms) for split, view in views.values() for op, forms in split.subscripts.items()}
    instead: dict[Operation, Operation] = {}
    for one, other in list(zip(_walk(nest.ops), _walk(made), strict=True)):
        if one in subscripts:
            view, forms = subscripts[one]
            instead[other] = _access(other, view, [_mapped(form, mapping) for form in forms])
    return tuple(instead.get(op, op) for op in made)


def _mapped(form: Linear, mapping: Mapping[Value, Value]) -> Linear:
    return Linear(form.constant, tuple((mapping.get(value, value), factor) for value, factor in form.terms))


def _access(op: Operation, view: Value, forms: Sequence[Linear]) -> Operation:
    """Put an access of a view in the place of one; the new one."""
    build = Builder.before_op(op)
    indices = [emit.as_value(build, form.emitted(build)) for form in forms]
    match op:
        case memref.Load():
            access = build(memref.Load(view, indices))
            op.out.replace_all_uses_with(access.out)
        case memref.Store():
            access = build(memref.Store(op.value, view, indices))
        case _:
            raise AssertionError(op.name)
    op.erase()
    return access


def _between(first: Operation | None, behind: Operation | None) -> Iterator[Operation]:
    while first is not None and first is not behind:
        yield first
        first = first.next


def _walk(ops: Iterable[Operation]) -> Iterator[Operation]:
    for op in ops:
        yield from op.walk()
