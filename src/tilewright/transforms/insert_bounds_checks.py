"""insert-bounds-checks: what an access demands of memory is tested before it, and a work-group that fails ends there.

before:  scf.for %i = %0 to %n { .. memref.load %A[%i] .. }
after:   %s = memref.size %A   %ok = (%0 >= 0 and %n - 1 < %s) or %0 >= %n
         team.check %ok, %0, %n - 1, %s {code = "R010", text = "indices [{} to {}] reach outside of %A, ..", ..}
         scf.for %i = %0 to %n { .. memref.load %A[%i] .. }

An access is in bounds if its indices are below the extents of its view, and the element lies among those of the array
(parameter, allocation, element of a group) that the view comes from: what the interpreter finds. Addresses have to lie
in the array that was given for the pointer they are computed from. A whole tile, row or operand of a collective is one
test of its first and last element. Tests stand as far out and as early as what they need is known (`index_ranges`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from msgspec import Struct, field

from tilewright.dialects import addresses, memref, tl
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.dialects.reports import Check
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import AccessedAddresses, AccessedBox, AccessesAddresses, AccessesBox, root_of
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms import emit
from tilewright.transforms.bounds_of_addresses import address_test, gather_test, reach_test
from tilewright.transforms.bounds_of_views import Box, Said, element_test, group_test, index_test, null_test, spelled
from tilewright.transforms.conditions import Conjunction
from tilewright.transforms.index_ranges import Hoisting, Moment, Places, Range
from tilewright.transforms.pointer_origins import PointerOrigins
from tilewright.transforms.view_geometry import has_memory, is_contained, keeps_order

OUT_OF_BOUNDS = "R010"
DISAGREEING = "R013"

_Test = Callable[[Builder], tuple[Conjunction, Said]]
"""Emits what has to hold, and says what does not where it does not."""


class InsertBoundsChecks(Pass, frozen=True):
    """Insert `team.check` in front of accesses to memory."""

    name: ClassVar[str] = "insert-bounds-checks"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            insertion = _Insertion()
            for op in list(kernel.walk()):
                changed |= insertion.visit(op)
        return changed


class _Insertion(Struct):
    """The tests of one kernel. `known` holds what was tested, by the block of the test."""

    hoisting: Hoisting = field(default_factory=Hoisting)
    places: Places = field(default_factory=Places)
    origins: PointerOrigins = field(default_factory=PointerOrigins)
    known: set[tuple[object, ...]] = field(default_factory=set[tuple[object, ...]])

    def visit(self, op: Operation) -> bool:
        """Test what one operation accesses; whether it is one that accesses memory."""
        match op:
            case memref.GroupLoad():
                moment = self.hoisting.outermost(op, [Range.of(op.index)], [op.group])
                self._insert(op, moment, ("group", op.group), [op.group], lambda b: group_test(b, op, moment))
            case tl.Collective():
                self._collective(op)
            case AccessesBox():
                self._box(op, _box_of(op.box()))
            case AccessesAddresses():
                self._gather_or_scatter(op, op.elements())
            case _:
                return False
        return True

    def _collective(self, op: tl.Collective) -> None:
        """Extents agree; the target is in memory, and so are the operands unless they are irrelevant."""
        self._agreement(op)
        alpha, *inputs, _, target = op.operands
        self._box(op, Box(target, whole=True))
        if emit.constant_of(alpha) != 0:
            for view in inputs:
                self._box(op, Box(view, whole=True, unless_empty=(target,)))

    def _agreement(self, op: tl.Collective) -> None:
        """Extents of modes with one letter are those of the first that has it."""
        first: dict[str, tuple[Value, int]] = {}
        for tensor in op.tensor_modes():
            view = op.operands[tensor.operand]
            modes = tensor.seen(tuple(range(emit.memref_type(view).order)))
            for letter, mode in zip(tensor.letters, modes, strict=True):
                self._equal(op, (view, mode), first.setdefault(letter, (view, mode)))

    def _equal(self, op: Operation, one: tuple[Value, int], other: tuple[Value, int]) -> None:
        def test(build: Builder) -> tuple[Conjunction, Said]:
            found = Conjunction(build)
            extents = [emit.extent(build, view, mode) for view, mode in (one, other)]
            found.equal(*extents)
            text, numbers = spelled(extents, " and ")
            return found, (f"extents of operands differ where they have to agree: {text}", numbers)

        if one != other:
            self._insert(op, Moment(op, ()), ("equal", one, other), [one[0], other[0]], test, DISAGREEING)

    def _box(self, op: Operation, box: Box) -> None:
        """Indices, elements, and that there is memory at all."""
        needed, key = box.needed, (box.view.type, tuple(box.needed), box.clipped, box.whole)
        order = emit.memref_type(box.view).order
        if not box.whole and not (box.clipped and all(box.clipped)) and order:
            moment = self._moment(op, box)
            self._insert(op, moment, ("index", *key), needed, lambda b: index_test(b, box, moment))
        root = root_of(box.view).defining_op
        if isinstance(root, addresses.FromAddress):
            origins = self.origins.of(root.address)
            if origins:
                there = Moment(op, box.ranges)
                places = [*needed, *root.operands, *(origin.out for origin in origins)]
                self._insert(op, there, ("reach", *key), places, lambda b: reach_test(b, box, there, origins))
                self._insert(op, there, ("address", *key), places, lambda b: address_test(b, box, there, origins))
        elif not is_contained(box.view):
            reached = self._moment(op, box, together=True) if keeps_order(box.view) else Moment(op, box.ranges)
            self._insert(op, reached, ("element", *key), needed, lambda b: element_test(b, box, reached))
        if not has_memory(box.view):
            at = self._moment(op, box) if box.is_clipped or box.whole else self.hoisting.outermost(op, (), needed)
            self._insert(op, at, ("null", *key), needed, lambda b: null_test(b, box, at))

    def _moment(self, op: Operation, box: Box, *, together: bool = False) -> Moment:
        """When the access is tested: what may hang over is not told of all iterations together."""
        if box.is_clipped:
            return Moment(op, box.ranges)
        return self.hoisting.outermost(op, box.ranges, box.needed, together)

    def _gather_or_scatter(self, op: Operation, elements: AccessedAddresses) -> None:
        origins = self.origins.of(elements.addresses)
        size = emit.scalar_type(elements.data.type).bytes
        places, mask = elements.addresses, elements.mask
        if origins:
            needed = [places, *([mask] if mask is not None else []), *(origin.out for origin in origins)]
            key = ("gather", places, mask, size)
            self._insert(op, Moment(op, ()), key, needed, lambda b: gather_test(b, places, mask, size, origins))

    def _insert(
        self,
        op: Operation,
        moment: Moment,
        key: tuple[object, ...],
        needed: Sequence[Value],
        test: _Test,
        code: str = OUT_OF_BOUNDS,
    ) -> None:
        """Emit a test at a moment, unless the same was tested before."""
        key = (code, *key, moment.ranges, moment.runs, moment.distances)
        if self._is_known(moment.op, key):
            return
        build = self.places.before(moment.op, [*needed, *moment.values])
        build.location = op.location
        found, (text, numbers) = test(build)
        if found.value is not None:
            build(Check(found.value, [emit.as_value(build, number) for number in numbers], code, text))
            self.known.add((moment.op.block, key))

    def _is_known(self, op: Operation, key: tuple[object, ...]) -> bool:
        """Whether something was tested in the block of an operation or one around it."""
        around: Operation | None = op
        while around is not None and around.block is not None:
            if (around.block, key) in self.known:
                return True
            around = around.parent_op
        return False


def _box_of(box: AccessedBox) -> Box:
    return Box(box.memref, tuple(map(Range.of, box.indices, box.shape)), clipped=box.clipped)
