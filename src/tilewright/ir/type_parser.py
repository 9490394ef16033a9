"""Reads the assembly spelling of types back; the inverse of `str(type)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from tilewright.ir.layouts import LayoutError, parse_layout
from tilewright.ir.swizzles import parse_swizzle
from tilewright.ir.types import (
    ALL_SCALARS,
    TOKEN,
    AddressSpace,
    CoopMatrixType,
    Extent,
    FragmentType,
    GroupType,
    MatrixUse,
    MemrefType,
    PointerType,
    ScalarType,
    TileType,
    Type,
    packed_strides,
)

_SHAPED = re.compile(r"([a-z]+?\d*(?:E\d+M\d+[FNU]*)?)((?:x(?:\?|\d+))*)$")
_TILE = re.compile(r"((?:\d+x)*)([a-z]+\d*(?:E\d+M\d+[FNU]*)?)$")
_STORAGE = re.compile(r"(?:strided<(?P<strides>[^<>]*)>)?(?:(?:^|,)(?P<swizzle>swizzle<[^<>]*>))?$")
_GROUP = re.compile(r"(memref<.*>)x(\?|\d+)(?:, offset: (\?|-?\d+))?$")


class TypeSyntaxError(ValueError):
    """The text spells no type."""


def parse_type(text: str) -> Type:
    """The type that `text` spells. Raises `TypeSyntaxError`."""
    scalar = ALL_SCALARS.get(text)
    if scalar is not None:
        return scalar
    if text == "token":
        return TOKEN
    head, bracket, rest = text.partition("<")
    parser = _PARSERS.get(head)
    if parser is None or not bracket or not rest.endswith(">"):
        raise TypeSyntaxError(f"{text!r} is not a type")
    return parser(rest[:-1])


def _extent(text: str) -> Extent:
    return None if text == "?" else int(text)


def _element(text: str) -> ScalarType:
    found = ALL_SCALARS.get(text)
    if found is None:
        raise TypeSyntaxError(f"{text!r} is not a scalar type")
    return found


def _shaped(text: str) -> tuple[ScalarType, tuple[Extent, ...]]:
    match = _SHAPED.match(text)
    if match is None:
        raise TypeSyntaxError(f"{text!r} is not an element type followed by extents")
    return _element(match[1]), tuple(_extent(e) for e in match[2].split("x")[1:])


def _memref(text: str) -> MemrefType:
    space = AddressSpace.GLOBAL
    if text.endswith(",local"):
        text, space = text[: -len(",local")], AddressSpace.LOCAL
    head, comma, rest = text.partition(",")
    element, shape = _shaped(head)
    storage = _STORAGE.match(rest)
    if storage is None or (comma and not rest):
        raise TypeSyntaxError(f"{rest!r} is not a layout")
    inner = storage["strides"]
    strides = packed_strides(shape) if inner is None else tuple(_extent(s) for s in inner.split(",")) if inner else ()
    if len(strides) != len(shape):
        raise TypeSyntaxError(f"{len(strides)} strides for {len(shape)} modes")
    try:
        swizzle = parse_swizzle(storage["swizzle"]) if storage["swizzle"] else None
        return MemrefType(element, shape, strides, space, swizzle)
    except ValueError as error:
        raise TypeSyntaxError(str(error)) from error


def _group(text: str) -> GroupType:
    match = _GROUP.match(text)
    inner = parse_type(match[1]) if match is not None else None
    if match is None or not isinstance(inner, MemrefType):
        raise TypeSyntaxError(f"{text!r} is not the inside of a group type")
    return GroupType(inner, _extent(match[2]), _extent(match[3]) if match[3] else 0)


def _coopmatrix(text: str) -> CoopMatrixType:
    head, _, use = text.partition(",")
    element, shape = _shaped(head)
    uses = {u.value: u for u in MatrixUse}
    if len(shape) != 2 or shape[0] is None or shape[1] is None or use not in uses:
        raise TypeSyntaxError(f"{text!r} is not the inside of a coopmatrix type")
    return CoopMatrixType(element, shape[0], shape[1], uses[use])


def _tile(text: str) -> TileType:
    head, comma, layout = text.partition(", ")
    match = _TILE.match(head)
    if match is None:
        raise TypeSyntaxError(f"{text!r} is not the inside of a tile type")
    shape, element = tuple(int(e) for e in match[1].split("x")[:-1]), _element(match[2])
    if not comma:
        return TileType(shape, element)
    try:
        return TileType(shape, element, parse_layout(layout, shape))
    except LayoutError as error:
        raise TypeSyntaxError(str(error)) from error


def _fragment(text: str) -> FragmentType:
    match = _TILE.match(text)
    if match is None or match[1].count("x") != 1:
        raise TypeSyntaxError(f"{text!r} is not the inside of a fragment type")
    return FragmentType(int(match[1][:-1]), _element(match[2]))


def _pointer(text: str) -> PointerType:
    return PointerType(_element(text))


_PARSERS: Final[Mapping[str, Callable[[str], Type]]] = {
    "memref": _memref,
    "group": _group,
    "coopmatrix": _coopmatrix,
    "tile": _tile,
    "fragment": _fragment,
    "ptr": _pointer,
}
