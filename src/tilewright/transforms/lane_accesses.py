"""What an access of all lanes of a warp costs: conflicts of shared memory's banks, and lines of global memory.

Shared memory has 32 banks of 4 bytes, each of which serves one word a cycle, to any number of lanes. Accesses of 8 or
16 bytes a lane are served in groups of 16 or 8 lanes. Global memory moves in lines of 128 bytes.
Addresses are in bytes, one for each lane, in the order of the lanes; None is a lane that does not take part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

LANES: Final = 32
BANKS: Final = 32
WORD: Final = 4
LINE: Final = 128
_GROUP_BYTES: Final = LANES * WORD

Address = int | None


def addresses(place: Callable[[int], Sequence[int]], strides: Sequence[int], size: int, base: int = 0) -> list[Address]:
    """Where the lanes access a tensor: `place` gives the subscripts of a lane, `strides` are in elements of `size`
    bytes, `base` is the address of its first element."""
    return [
        base + size * sum(index * stride for index, stride in zip(place(lane), strides, strict=True))
        for lane in range(LANES)
    ]


def bank_conflicts(found: Sequence[Address], width: int) -> int:
    """The largest number of different words that one bank has to serve to lanes that are served together; 1 is none.

    `width` bytes a lane, a power of two up to 16; 0 if no lane takes part.
    """
    return max(_cycles(found, width), default=0)


def bank_cycles(found: Sequence[Address], width: int) -> int:
    """Cycles in which the banks serve all lanes: the conflicts of each group of lanes, one after another."""
    return sum(_cycles(found, width))


def most_in_a_bank(units: Iterable[int], banks: int) -> int:
    """Passes over so many banks for units of as many bytes each, by number; what is asked for twice counts once."""
    different = set(units)
    found = [unit % banks for unit in different]
    # few accesses meet conflicts, and this is asked of every way in which items could be packed
    return 1 if len(set(found)) == len(found) else max(Counter(found).values())


def passes_of(units: Sequence[int], together: int, banks: int) -> int:
    """Those of all lanes, of which so many are served together."""
    groups = (units[first : first + together] for first in range(0, len(units), together))
    return sum(most_in_a_bank(group, banks) for group in groups)


def _cycles(found: Sequence[Address], width: int) -> Iterator[int]:
    """For each group of lanes how many words the bank with the most has to serve."""
    together = min(LANES, _GROUP_BYTES // width)
    for start in range(0, len(found), together):
        words = {word for address in found[start : start + together] for word in _pieces(address, width, WORD)}
        if words:
            yield most_in_a_bank(words, BANKS)


def lines(found: Sequence[Address], width: int) -> int:
    """Transactions of global memory: how many different lines the lanes touch."""
    return len({line for address in found for line in _pieces(address, width, LINE)})


def _pieces(address: Address, width: int, size: int) -> range:
    """The words or lines of an access, by number."""
    return range(0) if address is None else range(address // size, (address + width - 1) // size + 1)
