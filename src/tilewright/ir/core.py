"""Structure of the IR: values, operations, blocks, regions (MLIR's data model).

A `Value` is an operation's result or a block's argument and knows its users. An `Operation` has operands, results,
attributes, regions and successors; the operations of a `Block` form a doubly linked list; a `Region` holds blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tilewright.diagnostics import UNKNOWN, Location, Report
from tilewright.ir.attributes import Attribute
from tilewright.ir.printer import print_op
from tilewright.ir.types import Type

if TYPE_CHECKING:
    from tilewright.ir.effects import Effect
    from tilewright.ir.specs import Definition


class Value:
    """What an operation computes or a block receives. `uses` counts the operand slots of each user."""

    __slots__ = ("name", "type", "uses")

    def __init__(self, type_: Type, name: str | None = None) -> None:
        self.type = type_
        self.name = name
        self.uses: dict[Operation, int] = {}

    @property
    def owner(self) -> Operation | Block:
        """The defining operation, or the block of an argument."""
        raise AssertionError("values are OpResult or BlockArgument")

    @property
    def location(self) -> Location:
        """Where the value is defined in the source."""
        raise AssertionError("values are OpResult or BlockArgument")

    @property
    def defining_op(self) -> Operation | None:
        """The operation whose result this is; None for a block argument."""
        return None

    @property
    def use_count(self) -> int:
        """Operand slots that hold this value."""
        return sum(self.uses.values())

    def has_one_use(self) -> bool:
        """Whether exactly one operand slot holds this value."""
        return len(self.uses) == 1 and next(iter(self.uses.values())) == 1

    def replace_all_uses_with(self, new: Value) -> None:
        """Put `new` into every operand slot that holds this value."""
        if new is self:
            return
        for user in list(self.uses):
            user.replace_operand(self, new)
        if new.name is None:
            new.name = self.name


class OpResult(Value):
    """Result `index` of an operation."""

    __slots__ = ("index", "op")

    def __init__(self, op: Operation, index: int, type_: Type, name: str | None = None) -> None:
        # as `Value` does: most values are results, and each call takes its time
        self.type = type_
        self.name = name
        self.uses = {}
        self.op = op
        self.index = index

    @property
    def owner(self) -> Operation:
        return self.op

    @property
    def location(self) -> Location:
        return self.op.place(("result", self.index))

    @property
    def defining_op(self) -> Operation:
        return self.op


class BlockArgument(Value):
    """Argument `index` of a block."""

    __slots__ = ("_location", "block", "index")

    def __init__(self, block: Block, index: int, type_: Type, name: str | None, location: Location) -> None:
        super().__init__(type_, name)
        self.block = block
        self.index = index
        self._location = location

    @property
    def owner(self) -> Block:
        return self.block

    @property
    def location(self) -> Location:
        return self._location


Place = tuple[str, int] | str
"""A part of an operation: ("operand", 1), ("result", 0), or the name of an attribute, "type", "mnemonic"."""


class Operation:
    """Base of all operations; concrete ones are declared with `definition.operation`.

    Constructors take operands, attributes and regions by the names in the declaration, and always the keywords
    `result_types` (needed where they are not inferred) and `location`.
    """

    __slots__ = (
        "_operands",
        "attributes",
        "block",
        "location",
        "next",
        "places",
        "previous",
        "regions",
        "results",
        "successors",
    )

    definition: ClassVar[Definition]
    name: str
    evaluate: Callable[..., Any] | None = None
    """What a pure operation computes, from operands as `ir.evaluation` describes; None if it is not said."""
    fault: Callable[..., str | None] | None = None
    """Why a program should not compute this, in words, from the same operands; None if it always may."""

    def __init__(
        self,
        operands: Iterable[Value] = (),
        result_types: Iterable[Type] = (),
        attributes: dict[str, Attribute] | None = None,
        regions: Iterable[Region] = (),
        successors: Iterable[Block] = (),
        location: Location = UNKNOWN,
    ) -> None:
        self._operands: list[Value] = list(operands)
        self.results: list[OpResult] = []
        for type_ in result_types:
            self.results.append(OpResult(self, len(self.results), type_))
        self.attributes: dict[str, Attribute] = {} if attributes is None else attributes
        # Most have neither: an empty tuple is nothing to make, nor to look through for garbage.
        self.regions: tuple[Region, ...] = ()
        self.successors: tuple[Block, ...] = tuple(successors)
        self.location = location
        self.places: dict[Place, Location] | None = None
        self.block: Block | None = None
        self.next: Operation | None = None
        self.previous: Operation | None = None
        for operand in self._operands:
            uses = operand.uses
            uses[self] = uses.get(self, 0) + 1
        for region in regions:
            self.add_region(region)

    @classmethod
    def of_parts(
        cls,
        operands: Iterable[Value] = (),
        result_types: Iterable[Type] = (),
        attributes: dict[str, Attribute] | None = None,
        successors: Sequence[Block] = (),
    ) -> Self:
        """An operation of this class, whatever its own constructor takes."""
        op = object.__new__(cls)
        Operation.__init__(op, operands, result_types, attributes, (), successors)
        return op

    # Operands

    @property
    def operands(self) -> Sequence[Value]:
        """The operands; change them with `set_operand` so that use counts stay right."""
        return self._operands

    @operands.setter
    def operands(self, values: Iterable[Value]) -> None:
        self.drop_operands()
        for value in values:
            self._operands.append(value)
            value.uses[self] = value.uses.get(self, 0) + 1

    def set_operand(self, index: int, value: Value) -> None:
        """Replace one operand."""
        old = self._operands[index]
        if old is value:
            return
        self._operands[index] = value
        _forget_use(old, self)
        value.uses[self] = value.uses.get(self, 0) + 1

    def replace_operand(self, old: Value, new: Value) -> None:
        """Replace every occurrence of `old` among the operands."""
        for index, operand in enumerate(self._operands):
            if operand is old:
                self.set_operand(index, new)

    def drop_operands(self) -> None:
        """Release all operands, before the operation is deleted."""
        for operand in self._operands:
            _forget_use(operand, self)
        self._operands.clear()

    # Results, attributes, regions

    @property
    def result(self) -> OpResult:
        """The only result."""
        assert len(self.results) == 1, f"{self.name} has {len(self.results)} results"
        return self.results[0]

    def add_region(self, region: Region) -> Region:
        """Append a region and take ownership of it."""
        region.parent = self
        self.regions = (*self.regions, region)
        return region

    def add_result(self, type_: Type) -> OpResult:
        """Append a result."""
        result = OpResult(self, len(self.results), type_)
        self.results.append(result)
        return result

    # Position

    @property
    def parent_region(self) -> Region | None:
        """The region that holds this operation."""
        return self.block.region if self.block is not None else None

    @property
    def parent_op(self) -> Operation | None:
        """The operation whose region holds this one."""
        region = self.parent_region
        return region.parent if region is not None else None

    def ancestors(self) -> Iterator[Operation]:
        """Enclosing operations, innermost first."""
        op = self.parent_op
        while op is not None:
            yield op
            op = op.parent_op

    def is_ancestor_of(self, other: Operation) -> bool:
        """Whether `other` is this operation or nested in it."""
        # analyses ask for each pair of what they look at: without properties in between
        op: Operation | None = other
        while op is not None and op is not self:
            region = None if op.block is None else op.block.region
            op = None if region is None else region.parent
        return op is not None

    def detach(self) -> None:
        """Take the operation out of its block without deleting it."""
        if self.block is not None:
            self.block.unlink(self)

    def erase(self) -> None:
        """Delete the operation and all it contains. Its results must be unused."""
        assert not any(r.uses for r in self.results), f"erasing {self.name} whose results are used"
        self.detach()
        self.drop_all()

    def drop_all(self) -> None:
        """Release the operands of this operation and of everything nested in it."""
        self.drop_operands()
        for region in self.regions:
            for block in region.blocks:
                for op in list(block):
                    op.drop_all()

    # Traversal

    def walk(self) -> Iterator[Operation]:
        """This operation and all nested ones, parents first. The visited one may be erased meanwhile."""
        stack: list[Iterator[Operation]] = [iter([self])]
        while stack:
            for op in stack[-1]:
                if not op.regions:
                    yield op
                    continue
                # every pass walks: along the links themselves, since each generator in between would take its time
                nested: list[Operation] = []
                for region in op.regions:
                    for block in region.blocks:
                        inner = block.first
                        while inner is not None:
                            nested.append(inner)
                            inner = inner.next
                yield op
                stack.append(iter(nested))
                break
            else:
                stack.pop()

    # Copying

    def clone(self, mapping: dict[Value, Value] | None = None) -> Operation:
        """A deep copy; operands found in `mapping` are replaced, copies of results and arguments added to it."""
        mapping = {} if mapping is None else mapping
        late: list[Operation] = []
        copy = self.copy_into(mapping, late)
        _replace_late(late, mapping)
        return copy

    def copy_into(self, mapping: dict[Value, Value], late: list[Operation]) -> Operation:
        """As `clone`; copies with operands that are not in `mapping` yet are added to `late`."""
        copy = object.__new__(type(self))
        Operation.__init__(
            copy,
            [mapping.get(o, o) for o in self._operands],
            [r.type for r in self.results],
            dict(self.attributes),
            (),
            self.successors,
            self.location,
        )
        copy.places = self.places
        for old, new in zip(self.results, copy.results, strict=True):
            new.name = old.name
            mapping[old] = new
        if any(o not in mapping for o in self._operands):
            late.append(copy)
        for region in self.regions:
            copy.add_region(region.copy_into(mapping, late))
        return copy

    # Properties with a default that definitions override

    def place(self, part: Place) -> Location:
        """Source range of a part of this operation, or of the whole if that part's is not known."""
        if self.places is not None:
            found = self.places.get(part)
            if found is not None:
                return found
        return self.location

    def verify(self, report: Report) -> None:
        """Report what the declared constraints cannot express. Overridden per operation."""

    def effects(self) -> Sequence[Effect] | None:
        """Effects on memory; () is pure, None unknown. Overridden per operation or set by its traits."""
        return self.definition.default_effects

    def __str__(self) -> str:
        return print_op(self)

    def __repr__(self) -> str:
        return f"<{self.name} at {self.location}>"


def _replace_late(late: list[Operation], mapping: dict[Value, Value]) -> None:
    """Replace operands whose definitions were copied behind their uses, as those of blocks in any order are."""
    for op in late:
        for index, operand in enumerate(op.operands):
            new = mapping.get(operand)
            if new is not None:
                op.set_operand(index, new)


def _forget_use(value: Value, user: Operation) -> None:
    left = value.uses[user] - 1
    if left:
        value.uses[user] = left
    else:
        del value.uses[user]


class Block:
    """A list of operations with arguments."""

    __slots__ = ("arguments", "first", "last", "region")

    def __init__(self, argument_types: Iterable[Type] = ()) -> None:
        self.arguments: list[BlockArgument] = []
        self.first: Operation | None = None
        self.last: Operation | None = None
        self.region: Region | None = None
        for type_ in argument_types:
            self.add_argument(type_)

    def add_argument(self, type_: Type, name: str | None = None, location: Location = UNKNOWN) -> BlockArgument:
        """Append an argument."""
        argument = BlockArgument(self, len(self.arguments), type_, name, location)
        self.arguments.append(argument)
        return argument

    def erase_argument(self, index: int) -> None:
        """Remove an unused argument."""
        assert not self.arguments[index].uses
        del self.arguments[index]
        for i, argument in enumerate(self.arguments):
            argument.index = i

    def __iter__(self) -> Iterator[Operation]:
        """Operations in order. The current one may be erased or replaced while iterating."""
        op = self.first
        while op is not None:
            following = op.next
            yield op
            op = following

    def __reversed__(self) -> Iterator[Operation]:
        op = self.last
        while op is not None:
            preceding = op.previous
            yield op
            op = preceding

    @property
    def parent_op(self) -> Operation | None:
        """The operation whose region holds this block."""
        return self.region.parent if self.region is not None else None

    def append(self, op: Operation) -> None:
        """Add at the end."""
        self.insert(op, None)

    def insert(self, op: Operation, before: Operation | None) -> None:
        """Add `op` in front of `before`, or at the end if that is None."""
        assert op.block is None, "detach the operation first"
        after = self.last if before is None else before.previous
        op.block, op.previous, op.next = self, after, before
        if after is None:
            self.first = op
        else:
            after.next = op
        if before is None:
            self.last = op
        else:
            before.previous = op

    def unlink(self, op: Operation) -> None:
        """Take `op` out of this block."""
        before, after = op.previous, op.next
        if before is None:
            self.first = after
        else:
            before.next = after
        if after is None:
            self.last = before
        else:
            after.previous = before
        op.block = op.previous = op.next = None


class Region:
    """Blocks nested in an operation; the first is the entry."""

    __slots__ = ("blocks", "parent")

    def __init__(self, *blocks: Block) -> None:
        self.blocks: list[Block] = []
        self.parent: Operation | None = None
        for block in blocks:
            self.add_block(block)

    def add_block(self, block: Block) -> Block:
        """Append a block."""
        block.region = self
        self.blocks.append(block)
        return block

    @property
    def entry(self) -> Block:
        """The first block."""
        return self.blocks[0]

    def clone(self, mapping: dict[Value, Value]) -> Region:
        """A deep copy whose values are added to `mapping`."""
        late: list[Operation] = []
        copy = self.copy_into(mapping, late)
        _replace_late(late, mapping)
        return copy

    def copy_into(self, mapping: dict[Value, Value], late: list[Operation]) -> Region:
        """As `clone`; copies with operands that are not in `mapping` yet are added to `late`."""
        copy = Region()
        blocks = {block: copy.add_block(Block()) for block in self.blocks}
        for old, new in blocks.items():
            for argument in old.arguments:
                mapping[argument] = new.add_argument(argument.type, argument.name, argument.location)
        for old, new in blocks.items():
            for op in old:
                inner = op.copy_into(mapping, late)
                inner.successors = tuple(blocks.get(s, s) for s in inner.successors)
                new.append(inner)
        return copy
