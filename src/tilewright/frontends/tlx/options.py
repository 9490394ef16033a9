"""How TLX texts are read: conventions of those who wrote them."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class Quirks(Enum):
    """Whose mistakes are mended silently."""

    NONE = "none"
    PROTOTYPE = "prototype"
    """An `i8*` says nothing of the elements in memory."""
    RFC_TEXT = "rfc-text"
    """Counts of elements that contradict a shape are those of the shape."""


class LayoutConvention(Enum):
    """What shape and layout mean."""

    MEMORY = "memory"
    """Both in memory order, from the outermost dimension on."""
    XLA = "xla"
    """The shape is logical, the layout lists dimensions from the innermost on."""


class TlxOptions(Struct, frozen=True):
    """What reading depends on beside the text."""

    quirks: Quirks = Quirks.NONE
    layout_convention: LayoutConvention = LayoutConvention.MEMORY


DEFAULT_OPTIONS = TlxOptions()
