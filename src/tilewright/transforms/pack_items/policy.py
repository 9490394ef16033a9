"""What a machine has for small work-groups that share a block of threads."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from tilewright.ir.types import ScalarType


class PackingPolicy(Struct, frozen=True):
    """How several small work-groups are packed into one block of threads: of a multiprocessor, a block, a warp.

    `warp` threads wait for each other without others; a block has `block` of them at most, `usual_block` unless they
    share more than they have alone (a block of one warp ends when that is done: on an H200 0.96 of a copy's speed where
    two took 0.91), and `shared_bytes` at most (of joined items `joined_bytes`) of the `all_shared_bytes` of its
    multiprocessor, which wants `warps` at a time, and `crews` of them that do not wait for each other: what one
    computes hides what another one loads. A warp loads at least `chunk_bytes` in one go, and more than `usual_bytes`
    only if it must, or for whole sectors where computing takes less than a part `short_computing` of the time of moving
    the bytes and there is room for `sector_warps`. A thread holds at most `registers` of one tile, `product_registers`
    with the factors that it is multiplying, and `all_registers` of all tiles; for larger boxes there may be
    `fewer_terms` of the factors. A multiprocessor moves `bytes_a_cycle` to and from memory, `cached_bytes_a_cycle` from
    the cache of the device, and `bank_bytes` to or from shared memory; `busy_warps` keep it computing;
    `cycles_of_pass` is what a warp spends on what is no product, `cycles_of_access` on an access to shared memory and
    `cycles_of_conversion` on an element that
    is converted; all takes `waiting` as long where warps wait for each other. Multiply-adds whose factors do not lie in
    panels take `bank_conflicts` as long: more of their registers are in the same bank. `units` names the matrix
    instructions that there are, `joined_units` those besides for items that are joined. If it `leaves_alone`, an item
    that has a block alone and whose product these fill is not packed.
    """

    warp: int = 32
    block: int = 128
    usual_block: int = 32
    shared_bytes: int = 96 * 1024
    all_shared_bytes: int = 227 * 1024
    joined_bytes: int = 227 * 1024
    warps: int = 12
    crews: int = 6
    sector_warps: int = 14
    chunk_bytes: int = 2048
    usual_bytes: int = 10240
    registers: int = 64
    product_registers: int = 84
    all_registers: int = 144
    fewer_terms: bool = False
    bytes_a_cycle: float = 18.0
    short_computing: float = 0.57
    cached_bytes_a_cycle: float = 40.0
    busy_warps: int = 8
    multiprocessors: int = 132
    bank_bytes: int = 128
    cycles_of_pass: float = 15.0
    cycles_of_conversion: float = 0.5
    cycles_of_access: float = 0.25
    waiting: float = 1.25
    bank_conflicts: float = 1.2
    units: tuple[str, ...] = ("m16n8k16.row.col.f32.f32", "m16n8k16.row.col.bf16")
    joined_units: tuple[str, ...] = ("m16n8k8.row.col.f64",)
    leaves_alone: bool = False

    def with_room(self) -> PackingPolicy:
        """For what computes longer than it moves: more registers, and so much shared memory that few blocks have it."""
        return replace(
            self, shared_bytes=160 * 1024, registers=96, product_registers=128, all_registers=216, fewer_terms=True
        )

    def going_on(self) -> PackingPolicy:
        """For blocks that go on with constants in panels: one block of a multiprocessor may have all shared memory."""
        return replace(self.with_room(), shared_bytes=self.joined_bytes, block=2 * self.block)

    def beside(self) -> PackingPolicy:
        """For joined items that are moved for longer than they are computed: two warps share what is the same."""
        return replace(self, usual_block=2 * self.warp)

    def joining(self) -> PackingPolicy:
        """For joined items: what all read is as much of a multiprocessor as there is, and a block has all of it."""
        block, units = 2 * self.block, (*self.units, *self.joined_units)
        return replace(self.with_room(), shared_bytes=self.joined_bytes, block=block, usual_block=block, units=units)

    def cycles_of_unit(self, type_: ScalarType) -> float:
        """Of a multiprocessor for a matrix instruction with factors of a type."""
        return 2.0 if type_.bytes <= 2 else 8.0

    def cycles_of_product(self, type_: ScalarType) -> float:
        """Of a multiprocessor for one multiplication and addition of each thread of a warp."""
        return 0.25 if type_.bytes <= 4 and type_.is_float else 0.5
