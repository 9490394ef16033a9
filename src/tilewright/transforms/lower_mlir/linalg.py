"""Lowers linalg: contractions become collectives, everything else loops, the parallel ones a `tl.foreach`.

Threads of a block (`launches`) run operations each for itself: as loops in their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright.dialects import arith, tl
from tilewright.dialects import memref as shared
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.mlir import linalg, mlir_operations
from tilewright.dialects.mlir.base import integer_of
from tilewright.ir.affine import AffineMap, Dimension
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.mlir.types import MemrefType as Foreign
from tilewright.ir.mlir.types import TensorType
from tilewright.ir.types import INDEX, MemrefType, ScalarType, promote
from tilewright.transforms.lower_mlir.affine import evaluated
from tilewright.transforms.lower_mlir.context import Agreement, Handler, Lowering, Number, Unsupported
from tilewright.transforms.lower_mlir.contractions import Contraction, contraction_of, plain_loops
from tilewright.transforms.lower_mlir.control import LowerBlock, counted_loop
from tilewright.transforms.lower_mlir.memory import view
from tilewright.transforms.lower_mlir.tensors import in_memory
from tilewright.transforms.lower_mlir.types import STORED
from tilewright.transforms.signature import root


class _Structured:
    def __init__(self, lower_block: LowerBlock) -> None:
        self.lower_block = lower_block

    def __call__(self, low: Lowering, op: Operation) -> None:
        assert isinstance(op, linalg.Structured)
        mixed = {type(v.type) for v in op.outputs}
        if len(mixed) > 1 or bool(op.outs) != (mixed == {TensorType}):
            raise Unsupported(op, f"{op.name}: outputs are tensors, one for each result, or memrefs, not both")
        with in_memory(low, op):
            self._lower(low, op)

    def _lower(self, low: Lowering, op: linalg.Structured) -> None:
        contraction = contraction_of(op) if low.threads is None else None
        if contraction is not None and _is_product(contraction) and not _reads_output(low, contraction):
            _contract(low, contraction, op)
            return
        _Loops(low, op, self.lower_block).emit()


def _is_shaped(value: Value) -> bool:
    """Whether it has elements in memory; else it is a number."""
    return isinstance(value.type, Foreign | TensorType)


def _is_product(found: Contraction) -> bool:
    """Whether it is one of matrices or of a matrix and a vector, or an outer one, into numbers to compute with."""
    out = found.out.type
    assert isinstance(out, Foreign | TensorType)
    is_shaped = found.rows is not None and (found.summed is not None or found.columns is not None)
    return is_shaped and out.element not in STORED


def _reads_output(low: Lowering, found: Contraction) -> bool:
    """Whether a factor may be part of the memory that is written: then every step sees those before it."""
    return root(low.value(found.out)) in (root(low.value(found.x)), root(low.value(found.y)))


# Contractions


def _contract(low: Lowering, found: Contraction, op: Operation) -> None:
    """A collective, in parallel loops over the batch."""
    if low.certain:
        _agree(low, [found.x, found.y, found.out], found.letters, op)
    zero = not found.batch and _overwrites_zeros(low, low.value(found.out))
    _batched(low, found, list(found.batch), {}, zero)


def _agree(low: Lowering, values: Sequence[Value], letters: Sequence[Sequence[int]], op: Operation) -> None:
    """Dimensions of one loop are equally long."""
    known: dict[int, tuple[Value, int]] = {}
    for value, loops in zip(values, letters, strict=True):
        for dimension, loop in enumerate(loops):
            here = (low.value(value), len(loops) - 1 - dimension)
            first = known.setdefault(loop, here)
            if first != here:
                low.agreements.append(Agreement(first, here, op.location))


def _overwrites_zeros(low: Lowering, out: Value) -> bool:
    """Whether the operation just in front fills the output with zeros, which then is taken out."""
    last = low.b.block.last
    skipped = (arith.Constant, shared.Size)
    while isinstance(last, skipped):
        last = last.previous
    if not isinstance(last, tl.Foreach) or low.b.before is not None:
        return False
    body = list(last.body.entry)
    if len(body) != 1 or not isinstance(body[0], shared.Store) or body[0].memref is not out:
        return False
    store = body[0]
    known = store.value.defining_op
    if not isinstance(known, arith.Constant) or known.value != 0 or str(known.value).startswith("-"):
        return False
    assert isinstance(out.type, MemrefType)
    if list(store.indices) != list(last.body.entry.arguments) or len(last.uppers) != out.type.order:
        return False
    last.erase()
    return True


def _batched(low: Lowering, found: Contraction, batch: list[int], at: dict[int, Value], zero: bool) -> None:
    if not batch:
        _collective(low, found, at, zero)
        return
    loop, *rest = batch
    out = low.value(found.out)
    extent = low.extent(out, len(found.letters[2]) - 1 - found.letters[2].index(loop))

    def body(inner: Lowering, index: Value, _: Sequence[Value]) -> list[Value]:
        _batched(inner, found, rest, {**at, loop: index}, zero)
        return []

    counted_loop(low, (0, extent, 1), [], body, INDEX, parallel=True)


def _collective(low: Lowering, found: Contraction, at: Mapping[int, Value], zero: bool) -> None:
    """The product of two matrices or of a matrix and a vector, or the outer one of two vectors."""
    x, y, out = (
        _slice(low, low.value(value), loops, at)
        for value, loops in zip((found.x, found.y, found.out), found.letters, strict=True)
    )
    modes = [[k for k in reversed(loops) if k not in at] for loops in found.letters]
    element, product = _element(out), promote(_element(x), _element(y))
    assert product is not None
    one = low.constant(1.0 if product.is_float else 1, product)
    beta = low.constant((0.0 if zero else 1.0) if element.is_float else (0 if zero else 1), element)
    if found.columns is None:
        low.b(tl.Gemv(one, x, y, beta, out, transpose=modes[0][0] != found.rows))
        return
    # what has the output's first mode comes first
    factors = (x, modes[0]), (y, modes[1])
    (first, of_first), (second, of_second) = factors if modes[2][0] == found.rows else factors[::-1]
    if found.summed is None:
        low.b(tl.Ger(one, first, second, beta, out))
        return
    turned = of_first[0] == found.summed, of_second[0] != found.summed
    low.b(tl.Gemm(one, first, second, beta, out, *turned))


def _element(value: Value) -> ScalarType:
    assert isinstance(value.type, MemrefType)
    return value.type.element


def _slice(low: Lowering, value: Value, loops: Sequence[int], at: Mapping[int, Value]) -> Value:
    """The part of an operand at a place of the batch, whose modes are dropped."""
    if not at:
        return value
    order = len(loops)
    offsets: list[Number] = [at.get(loops[order - 1 - k], 0) for k in range(order)]
    sizes: list[Number] = [0 if loops[order - 1 - k] in at else _whole(low, value, k) for k in range(order)]
    return view(low, value, offsets, sizes)


def _whole(low: Lowering, value: Value, mode: int) -> Number:
    """The extent of a mode that is kept; an empty one as a value, for 0 drops it."""
    found = low.extent(value, mode)
    return low.b.index(0) if found == 0 else found


# Loops


class _Loops:
    """An operation as loops around its body: parallel ones at once if the outputs allow it, then those that sum."""

    def __init__(self, low: Lowering, op: linalg.Structured, lower_block: LowerBlock) -> None:
        self.low = low
        self.op = op
        self.lower_block = lower_block
        self.maps = op.maps
        self.operands = [*op.inputs, *op.outputs]
        self.kinds = op.iterators
        self.extents = [self._extent(loop) for loop in range(len(self.kinds))]
        if low.certain:
            self._agree()

    def _agree(self) -> None:
        loops = [plain_loops(m) for m in self.maps]
        pairs = [(v, p) for v, p in zip(self.operands, loops, strict=True) if p is not None]
        _agree(self.low, [v for v, _ in pairs], [p for _, p in pairs], self.op)

    def _extent(self, loop: int) -> Number:
        """How many iterations a loop has, by the first operand that says so; best one that is known."""
        found: list[tuple[Value, int]] = []
        for value, map_ in zip(self.operands, self.maps, strict=True):
            if _is_shaped(value):
                rank = len(map_.results)
                found += [(value, rank - 1 - d) for d, e in enumerate(map_.results) if e == Dimension(loop)]
        for value, mode in found:
            shape = self.low.memref(value)[1].shape
            if shape[mode] is not None:
                return self.low.extent(self.low.value(value), mode)
        value, mode = found[0]
        return self.low.extent(self.low.value(value), mode)

    def emit(self) -> None:
        """All loops."""
        parallel = [k for k, kind in enumerate(self.kinds) if kind == "parallel"]
        if self.low.threads is not None or not parallel or not self._is_independent(parallel):
            self._in_order(self.low, list(range(len(self.kinds))), {})
            return
        sums = [k for k in range(len(self.kinds)) if k not in parallel]
        region, block = new_region([INDEX for _ in parallel])
        inner = self.low.inside(Builder(block, location=self.op.location))
        # the last loop is that of the first modes, whose elements lie side by side
        order = parallel[::-1]
        at: dict[int, Value] = dict(zip(order, block.arguments, strict=True))
        self._elements(inner, sums, at)
        build = self.low.b
        uppers = [self.low.index(self.extents[k]) for k in order]
        build(tl.Foreach([build.index(0) for _ in order], uppers, region))

    def _is_independent(self, parallel: Sequence[int]) -> bool:
        """Whether each point of the parallel loops has elements of the outputs for itself, which no other reads."""
        inputs = len(self.op.inputs)
        for map_ in self.maps[inputs:]:
            loops = plain_loops(map_)
            if loops is None or set(loops) != set(parallel):
                return False
        written = {root(self.low.value(v)): m for v, m in zip(self.op.outputs, self.maps[inputs:], strict=True)}
        if len(written) < len(self.op.outputs):
            return False
        for value, map_ in zip(self.op.inputs, self.maps, strict=False):
            if not _is_shaped(value):
                continue
            found = self.low.value(value)
            same = root(found)
            if same in written and (written[same] != map_ or found not in self.low.all(self.op.outputs)):
                return False
        return True

    def _indices(self, low: Lowering, map_: AffineMap, at: Mapping[int, Value]) -> list[Value]:
        dimensions: list[Number] = [at[k] for k in range(len(self.kinds))]
        return [low.index(evaluated(low, e, dimensions, [])) for e in reversed(map_.results)]

    def _read(self, low: Lowering, index: int, at: Mapping[int, Value]) -> Value:
        """The element of an operand."""
        value = self.operands[index]
        found = low.value(value)
        if not _is_shaped(value):
            return found
        return low.load(found, self._indices(low, self.maps[index], at), linalg.element_of(value.type))

    def _elements(self, low: Lowering, sums: Sequence[int], at: Mapping[int, Value]) -> None:
        """One point of the parallel loops: the outputs' elements are carried through the others."""
        count = len(self.op.inputs)
        outputs = range(count, len(self.operands))
        places = {**at, **{k: low.b.index(0) for k in sums}}
        if sums:
            carried = [self._read(low, k, places) for k in outputs]
            found = self._summed(low, list(sums), dict(at), carried)
        else:
            found = self._body(low, at, self._before(low, at))
        for k, value in zip(outputs, found, strict=True):
            low.store(value, low.value(self.operands[k]), self._indices(low, self.maps[k], places))

    def _before(self, low: Lowering, at: Mapping[int, Value]) -> list[Value | None]:
        """The elements of the outputs that the body asks for."""
        count = len(self.op.inputs)
        asked = [self.op.element(k) for k in range(count, len(self.operands))]
        return [self._read(low, k, at) if name and name.uses else None for k, name in enumerate(asked, count)]

    def _summed(
        self, low: Lowering, sums: list[int], at: dict[int, Value], carried: Sequence[Value]
    ) -> Sequence[Value]:
        if not sums:
            return self._body(low, at, carried)
        loop, *rest = sums

        def body(inner: Lowering, index: Value, values: Sequence[Value]) -> Sequence[Value]:
            return self._summed(inner, rest, {**at, loop: index}, values)

        return counted_loop(low, (0, self.extents[loop], 1), carried, body, INDEX)

    def _body(self, low: Lowering, at: Mapping[int, Value], outputs: Sequence[Value | None]) -> list[Value]:
        """The new elements of the outputs; None stands for elements that the body does not ask for."""
        region = self.op.body
        count = len(self.op.inputs)
        for k, argument in enumerate(region.entry.arguments):
            given = outputs[k - count] if k >= count else None
            if given is not None:
                low.values[argument] = given
            elif argument.uses:
                low.values[argument] = self._read(low, k, at)
        for op in region.entry:
            if isinstance(op, linalg.Index):
                low.values[op.result] = at[integer_of(op.dim)]
        return self._computed(low, region)

    def _computed(self, low: Lowering, region: Region) -> list[Value]:
        end = self.lower_block(low, region)
        return low.all(end.operands)

    def _in_order(self, low: Lowering, loops: list[int], at: dict[int, Value]) -> None:
        """Every loop in its order, with the outputs in memory, as the operation is defined."""
        if loops:
            loop, *rest = loops

            def body(inner: Lowering, index: Value, _: Sequence[Value]) -> list[Value]:
                self._in_order(inner, rest, {**at, loop: index})
                return []

            counted_loop(low, (0, self.extents[loop], 1), [], body, INDEX)
            return
        count = len(self.op.inputs)
        outputs = range(count, len(self.operands))
        found = self._body(low, at, self._before(low, at))
        for k, value in zip(outputs, found, strict=True):
            low.store(value, low.value(self.operands[k]), self._indices(low, self.maps[k], at))


def _index(low: Lowering, op: Operation) -> None:
    """Bound already, where the body around is lowered."""


def handlers(lower_block: LowerBlock) -> Mapping[type[Operation], Handler]:
    """The operations that are lowered here."""
    structured = _Structured(lower_block)
    found = [cls for cls in mlir_operations().values() if issubclass(cls, linalg.Structured)]
    return {**dict.fromkeys(found, structured), linalg.Index: _index}
