"""A product with its epilogue as loops over tiles: each point's arithmetic on all points of a tile at once."""

from __future__ import annotations

from collections.abc import Callable, Collection

from msgspec import Struct, field

from tilewright.dialects import memref, tile, tl
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import TileType
from tilewright.transforms import emit
from tilewright.transforms.collectives_products import lower_gemm, lower_gemv
from tilewright.transforms.fuse_epilogues.chains import Chain
from tilewright.transforms.fuse_epilogues.neighbours import Instruction, Loops, Neighbour
from tilewright.transforms.fuse_epilogues.places import Access, Elements
from tilewright.transforms.policy import Schedule
from tilewright.transforms.scaling import update
from tilewright.transforms.steps import tag_step
from tilewright.transforms.tiling import Box, Piece


def lower_chain(chain: Chain, schedule: Schedule, step: int) -> None:
    """Replace the operations of a chain by loops over tiles, in place of the last one."""
    ops = chain.ops
    last = ops[-1]
    build = Builder.before_op(last)
    build.location = chain.product.location
    parts = [_prepared(neighbour, build) for neighbour in chain.neighbours]
    before = last.previous
    private = chain.private()

    def write(at: Builder, box: Box, value: Value) -> None:
        values = Values(at, box)
        values.write(chain.written, value)
        for part in parts:
            part(values)
        values.store(private)

    match chain.product:
        case tl.Gemm() as gemm:
            lower_gemm(gemm, build, schedule, write)
        case tl.Gemv() as gemv:
            lower_gemv(gemv, build, schedule, write)
    made = before.next if before is not None else last.block.first if last.block is not None else None
    while made is not None and made is not last:
        tag_step([made], step)
        made = made.next
    for op in reversed(ops):
        op.erase()


class Values(Struct):
    """What has been computed at the points of a box: values of elements that were read or written, in whole tiles."""

    build: Builder
    box: Box
    known: dict[Elements, Value] = field(default_factory=dict[Elements, Value])
    written: dict[Elements, Access] = field(default_factory=dict[Elements, Access])
    loaded: set[Elements] = field(default_factory=set[Elements])

    def read(self, access: Access) -> Value:
        """The elements of an access: a tile of the box, or a scalar where there is one element for all points."""
        found = self.known.get(access.elements)
        if found is None:
            found = self.known[access.elements] = self._load(access)
            self.loaded.add(access.elements)
        return found

    def write(self, access: Access, value: Value) -> None:
        """Take note of new elements; they are written to memory at the end."""
        self.known[access.elements] = self.shaped(value)
        self.written[access.elements] = access

    def store(self, private: Collection[Elements]) -> None:
        """Write to memory what others may see, or the chain itself when it runs again."""
        for elements, access in self.written.items():
            if elements in self.loaded or elements not in private:
                view, box = self._ordered(access)
                box.store(self.build, self.known[elements], view)

    def shaped(self, value: Value) -> Value:
        """A value at every point."""
        return emit.shaped(self.build, value, self.type_of(value)) if not isinstance(value.type, TileType) else value

    def type_of(self, value: Value) -> TileType:
        """The tile of a value at every point."""
        return TileType(self.box.shape, emit.scalar_type(value.type))

    def _load(self, access: Access) -> Value:
        build, modes = self.build, access.modes
        if not modes:
            indices = [p for p in access.positions if isinstance(p, Value)]
            return build(memref.Load(access.view, indices)).out
        view, box = self._ordered(access)
        loaded = box.load(build, view)
        shape = tuple(length if k in modes else 1 for k, length in enumerate(self.box.shape))
        element = emit.scalar_type(loaded.type)
        if box.shape != shape:
            loaded = build(tile.Reshape(loaded, result_types=[TileType(shape, element)])).out
        if shape != self.box.shape:
            loaded = build(tile.Broadcast(loaded, result_types=[self.type_of(loaded)])).out
        return loaded

    def _ordered(self, access: Access) -> tuple[Value, Box]:
        """The view with its modes in the order of the box's, fixed ones in front, and the box in it."""
        fixed = [k for k, position in enumerate(access.positions) if isinstance(position, Value)]
        moving = sorted((position, k) for k, position in enumerate(access.positions) if isinstance(position, int))
        order = (*fixed, *(k for _, k in moving))
        indices = [p for p in access.positions if isinstance(p, Value)]
        pieces = (*(Piece(index, 1, False) for index in indices), *(self.box.pieces[mode] for mode, _ in moving))
        view = access.view
        if order != tuple(range(len(order))):
            view = self.build(memref.Permute(view, order)).out
        return view, Box(pieces)


def _prepared(neighbour: Neighbour, build: Builder) -> Callable[[Values], None]:
    """What computes a neighbour from the values of a box; what is the same for all boxes is computed here."""
    match neighbour:
        case Loops():
            return lambda values: _points(neighbour, values)
        case Instruction():
            alpha, *_, beta, target = neighbour.op.operands
            goal = update(build, alpha, beta, target, False)

            def instruction(values: Values) -> None:
                at = values.build
                inputs = [emit.cast(at, values.read(access), goal.accumulator) for access in neighbour.inputs]
                old = None
                if neighbour.reads_target:
                    old = emit.cast(at, values.read(neighbour.target), goal.accumulator)
                total = goal.combined(at, neighbour.op.emit(at, inputs), old)
                values.write(neighbour.target, emit.cast(at, total, goal.element))

            return instruction


def _points(loops: Loops, values: Values) -> None:
    """The body of loops at all points of a box."""
    mapping: dict[Value, Value] = {}
    for op in loops.body:
        access = loops.accesses.get(op)
        if isinstance(op, memref.Store):
            assert access is not None
            values.write(access, mapping.get(op.value, op.value))
        elif isinstance(op, memref.Load):
            assert access is not None
            mapping[op.out] = values.read(access)
        elif not any(value in loops.variables for value in op.operands):
            mapping[op.results[0]] = _computed(op, values, mapping)


def _computed(op: Operation, values: Values, mapping: dict[Value, Value]) -> Value:
    """The result of an operation on elements, at all points if an operand differs among them."""
    operands = {value: mapping.get(value, value) for value in op.operands}
    varies = any(isinstance(value.type, TileType) for value in operands.values())
    copy = op.clone({value: values.shaped(now) if varies else now for value, now in operands.items()})
    if varies:
        (result,) = copy.results
        result.type = values.type_of(result)
    return values.build(copy).results[0]
