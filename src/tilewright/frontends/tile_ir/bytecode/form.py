"""What is fixed about bytecode files: versions, sections, tags."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

MAJOR: Final = 13
PADDING: Final = 0xCB
MODULE_NAME: Final = "kernels"
"""Files do not store the module's name."""
DYNAMIC: Final = -(1 << 63)
"""A `?` among the extents of a tensor_view."""


class SectionId(IntEnum):
    """The sections of a file."""

    STRING = 1
    FUNC = 2
    DEBUG = 3
    CONSTANT = 4
    TYPE = 5
    GLOBAL = 6
    PRODUCER = 7

    def __str__(self) -> str:
        return self.name.capitalize()


ALIGNMENT: Final = {
    SectionId.STRING: 4,
    SectionId.FUNC: 8,
    SectionId.DEBUG: 8,
    SectionId.CONSTANT: 8,
    SectionId.TYPE: 4,
    SectionId.GLOBAL: 1,
    SectionId.PRODUCER: 1,
}
"""Every section starts at a multiple of this."""


class TypeTag(IntEnum):
    """Types with parts; the elements have tags of their own."""

    POINTER = 12
    TILE = 13
    TENSOR_VIEW = 14
    PARTITION_VIEW = 15
    FUNCTION = 16
    TOKEN = 17
    GATHER_SCATTER_VIEW = 20
    STRIDED_VIEW = 21


class AttributeTag(IntEnum):
    """Attributes that say what they are."""

    INTEGER = 1
    FLOAT = 2
    BOOL = 3
    TYPE = 4
    STRING = 5
    ARRAY = 6
    DENSE = 7
    DIV_BY = 8
    SAME_ELEMENTS = 9
    DICTIONARY = 10
    HINTS = 11
    BOUNDED = 12


class DebugTag(IntEnum):
    """Debug attributes; any other tag is an unknown location."""

    COMPILE_UNIT = 1
    FILE = 2
    LEXICAL_BLOCK = 3
    LOCATION = 4
    SUBPROGRAM = 5
    CALL_SITE = 6


PRIVATE_FLAG, KERNEL_FLAG, HINTS_FLAG = 1, 2, 4
"""Flags of a function."""
