"""What the parser knows about a mnemonic."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from msgspec import Struct

from tilewright.frontends.tensor_language.regions import RegionReader

Handler = Callable[[RegionReader, str], None]
"""Reads an instruction behind its mnemonic, which is the second argument, and finishes it or opens its region."""


class Results(Enum):
    """How many names stand to the left of `=`."""

    ONE = "exactly one"
    NONE = "none"
    ALL_OR_NONE = "none, or one for each result"


class Instruction(Struct, frozen=True):
    """How a mnemonic is read and how many results it has."""

    handler: Handler
    results: Results


def value(handler: Handler) -> Instruction:
    """An instruction with one result."""
    return Instruction(handler, Results.ONE)


def plain(handler: Handler) -> Instruction:
    """An instruction without result."""
    return Instruction(handler, Results.NONE)


def multi(handler: Handler) -> Instruction:
    """An instruction with any number of results."""
    return Instruction(handler, Results.ALL_OR_NONE)
