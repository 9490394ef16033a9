"""Vectors of elements in memory: contiguous or strided, whole, partial or under a mask, of every element type.

A bool occupies a byte; the parts of a complex number lie side by side.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.llvm.emitter import Builder, Complex, Value, boolean, i64, lane_constants, vector
from tilewright.targets.llvm.emitter import zero as zero_of
from tilewright.targets.llvm.types import ELEMENTS, Kind, lanes_of


class Lanes(Struct, frozen=True):
    """Where the lanes of a vector lie: the first element's address, the distance between lanes in elements.

    `gathered`: whether strided lanes are best read by one instruction, not one by one; `streamed`: whether vectors are
    stored past the caches, where they lie at multiples of their size.
    """

    dtype: str
    pointer: Value
    stride: Value
    count: int
    gathered: bool = False
    streamed: bool = False

    @property
    def contiguous(self) -> bool:
        """Whether the lanes are neighbours in memory."""
        return self.count == 1 or self.stride.integer == 1


def plain_address(b: Builder, pointer: Value) -> Value:
    """The same address in a register of its own.

    Instruction selection would fold its computation into each access; x86 splits fused operations with an index
    register in two (measured: 16x16x16 f32 at 110 instead of 180 GF/s).
    """
    if pointer.text.startswith("%buffer"):
        return pointer
    return b.inline_asm("ptr", "", "=r,0", [pointer], hint="at")


def prefix_mask(active: int, count: int) -> Value:
    """The constant mask of the first `active` lanes."""
    return lane_constants("i1", [int(lane < active) for lane in range(count)])


def load_lanes(b: Builder, at: Lanes, mask: Value | None = None) -> Operand:
    """Load the lanes; those off give zero."""
    element = ELEMENTS[at.dtype]
    if element.kind is Kind.BOOL:
        raw = _load_plain(b, "i8", 1, at, mask)
        return b.icmp("ne", raw, zero_of(raw.type))
    if element.kind is not Kind.COMPLEX:
        return _load_plain(b, element.llvm, element.bytes, at, mask)
    size = ELEMENTS[element.component].bytes
    if at.contiguous and at.count > 1:
        pairs = vector(element.llvm, 2 * at.count)
        if mask is None:
            both = b.load(pairs, at.pointer, size)
        else:
            both = b.masked_load(pairs, at.pointer, _twice(b, mask), size)
        even, odd = range(0, 2 * at.count, 2), range(1, 2 * at.count, 2)
        return Complex(b.shuffle(both, None, even), b.shuffle(both, None, odd))
    parts = [_load_plain(b, element.llvm, size, part, mask) for part in _component_lanes(b, at)]
    return Complex(parts[0], parts[1])


def store_lanes(b: Builder, operand: Operand, at: Lanes, mask: Value | None = None) -> None:
    """Store the lanes that are on."""
    element = ELEMENTS[at.dtype]
    if isinstance(operand, Complex):
        size = ELEMENTS[element.component].bytes
        if at.contiguous and at.count > 1:
            order = [half * at.count + lane for lane in range(at.count) for half in (0, 1)]
            both = b.shuffle(operand.re, operand.im, order)
            _store_run(b, both, size, replace(at, count=2 * at.count), None if mask is None else _twice(b, mask))
            return
        for value, part in zip((operand.re, operand.im), _component_lanes(b, at), strict=True):
            _store_plain(b, value, size, part, mask)
    elif element.kind is Kind.BOOL:
        _store_plain(b, b.zext(operand, vector("i8", at.count)), 1, at, mask)
    else:
        _store_plain(b, operand, element.bytes, at, mask)


def _component_lanes(b: Builder, at: Lanes) -> tuple[Lanes, Lanes]:
    """The real and the imaginary parts as two strided vectors of the component type."""
    element = ELEMENTS[at.dtype]
    double = b.add(at.stride, at.stride)
    imaginary = b.gep(element.llvm, at.pointer, i64(1))
    return replace(at, dtype=element.component, stride=double), replace(
        at, dtype=element.component, pointer=imaginary, stride=double
    )


def _twice(b: Builder, mask: Value) -> Value:
    """Each mask bit for both parts of a complex number."""
    count = lanes_of(mask.type)
    return b.shuffle(mask, None, [lane // 2 for lane in range(2 * count)])


def _load_plain(b: Builder, scalar: str, size: int, at: Lanes, mask: Value | None) -> Value:
    ltype = vector(scalar, at.count)
    if at.count == 1:
        return b.load(ltype, at.pointer, size) if mask is None else _load_if(b, scalar, size, at.pointer, mask)
    if at.contiguous:
        return b.load(ltype, at.pointer, size) if mask is None else b.masked_load(ltype, at.pointer, mask, size)
    if (at.gathered and mask is None) or (mask is not None and not mask.is_constant):
        return b.gather(ltype, _addresses(b, scalar, at), mask or b.splat(boolean(True), at.count), size)
    active = _active(at, mask)
    gathered = zero_of(ltype)
    for lane in range(active):
        pointer = b.gep(scalar, at.pointer, b.mul(at.stride, i64(lane)))
        gathered = b.insert(gathered, b.load(scalar, pointer, size), lane)
    return gathered


def _active(at: Lanes, mask: Value | None) -> int:
    """Lanes that a constant prefix mask leaves on."""
    return at.count if mask is None or mask.text.startswith("splat (i1 true") else mask.text.count("i1 true")


def _load_if(b: Builder, scalar: str, size: int, pointer: Value, condition: Value) -> Value:
    zero = zero_of(scalar)
    with b.if_else(condition) as branch:
        with branch.then():
            branch.yield_(b.load(scalar, pointer, size))
        with branch.otherwise():
            branch.yield_(zero)
    return branch.results[0]


def _store_plain(b: Builder, value: Value, size: int, at: Lanes, mask: Value | None) -> None:
    scalar = "i8" if ELEMENTS[at.dtype].kind is Kind.BOOL else ELEMENTS[at.dtype].llvm
    if at.count == 1:
        if mask is None:
            b.store(value, at.pointer, size)
            return
        with b.if_then(mask):
            b.store(value, at.pointer, size)
    elif at.contiguous:
        _store_run(b, value, size, at, mask)
    elif mask is not None and not mask.is_constant:
        b.scatter(value, _addresses(b, scalar, at), mask, size)
    else:
        for lane in range(_active(at, mask)):
            b.store(b.extract(value, lane), b.gep(scalar, at.pointer, b.mul(at.stride, i64(lane))), size)


def _store_run(b: Builder, value: Value, size: int, at: Lanes, mask: Value | None) -> None:
    """Store neighbours, of `size` bytes each."""
    if mask is None:
        b.store(value, at.pointer, size * (at.count if at.streamed else 1), nontemporal=at.streamed)
    else:
        b.masked_store(value, at.pointer, mask, size)


def _addresses(b: Builder, scalar: str, at: Lanes) -> Value:
    steps = b.mul(b.splat(at.stride, at.count), b.step(vector("i64", at.count)))
    return b.gep(scalar, at.pointer, steps)
