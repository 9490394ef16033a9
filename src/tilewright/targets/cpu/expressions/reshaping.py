"""The same memory with other dimensions."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from tilewright.ir.types import TileType
from tilewright.targets.cpu.expressions.nodes import Memory
from tilewright.targets.llvm.emitter import Value, i64


class Steps(Struct, frozen=True):
    """`extent` positions that lie `stride` elements apart."""

    extent: int
    stride: Value


def column_major(packed: Memory, type_: TileType) -> Memory:
    """A buffer without gaps, its first dimension fastest, in another shape."""
    strides, total = list[Value](), 1
    for extent in type_.shape:
        strides.append(i64(total))
        total *= max(extent, 1)
    return Memory(type_, packed.pointer, tuple(strides), (None,) * type_.rank, packed.span)


def grouped_steps(memory: Memory, type_: TileType) -> list[list[Steps]]:
    """For each dimension of a type of fewer dimensions, the steps of memory that it stands for, the nearest first.

    Steps go on from each other where strides tell that they do.
    """
    groups: list[list[Steps]] = []
    rest = list(zip(memory.type.shape, memory.strides, strict=True))
    for extent in type_.shape:
        found, total = list[Steps](), 1
        while rest and (total < extent or rest[0][0] == 1):
            length, stride = rest.pop(0)
            total *= length
            _continue(found, Steps(length, stride))
        assert total == extent, "dimensions stand for whole dimensions"
        groups.append(found or [Steps(1, i64(1))])
    return groups


def _continue(found: list[Steps], following: Steps) -> None:
    if following.extent == 1:
        return
    known = (found[-1].stride.integer, following.stride.integer) if found else (None, None)
    if known[0] is not None and known[1] == known[0] * found[-1].extent:
        found[-1] = Steps(found[-1].extent * following.extent, found[-1].stride)
    else:
        found.append(following)


def as_strided(memory: Memory, type_: TileType) -> Memory | None:
    """Memory in a shape of fewer dimensions, None if no strides tell that."""
    groups = grouped_steps(memory, type_)
    if any(len(group) > 1 for group in groups):
        return None
    return replace(memory, type=type_, strides=tuple(group[0].stride for group in groups), bounds=(None,) * type_.rank)
