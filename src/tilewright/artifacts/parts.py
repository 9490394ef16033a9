"""Into how many blocks a device divides each work-group: known to a launch, from extents of its arguments.

A kernel whose tiles are spread over blocks gives the same answer in any number of them, so what is said here decides
over speed alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Final

from msgspec import Struct

from tilewright.artifacts.constraint_codec import Json, polynomial_from_json, polynomial_to_json
from tilewright.artifacts.constraints import Lookup, Polynomial, Quantity
from tilewright.artifacts.json_fields import ArtifactError, Fields, entries

_MOST_BLOCKS: Final = (1 << 31) - 1
"""Along x, of any device."""


class Trips(Struct, frozen=True):
    """The iterations of a loop: `extent` in steps of `step`, the last of which may be shorter."""

    extent: Polynomial
    step: int

    def __post_init__(self) -> None:
        if self.step <= 0:
            raise ValueError("a loop over tiles steps forward")

    def count(self, known: Lookup) -> int:
        """How many there are."""
        return max(-(-self.extent.value(known) // self.step), 0)

    @property
    def number(self) -> int | None:
        """The same, if that does not depend on a launch."""
        found = self.extent.number
        return None if found is None else max(-(-found // self.step), 0)

    def __str__(self) -> str:
        if self.number is not None:
            return str(self.number)
        return str(self.extent) if self.step == 1 else f"ceil({self.extent} / {self.step})"


class Parts(Struct, frozen=True):
    """A block for each tile of that nest of loops which has most, and about `most` blocks in the whole grid.

    `nests` are the loops around tiles; what a launch does not know of them is left out. Blocks that run in a `cluster`
    take so many iterations of the last two loops together; there are whole clusters of them.
    """

    nests: tuple[tuple[Trips, ...], ...]
    most: int
    cluster: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        if self.most <= 0:
            raise ValueError("a grid has at least one block")
        if min(self.cluster) <= 0:
            raise ValueError("a cluster has at least one block")

    @property
    def together(self) -> int:
        """Blocks of a cluster."""
        return prod(self.cluster)

    @property
    def quantities(self) -> frozenset[Quantity]:
        """Everything of a launch that it depends on beside the grid."""
        return frozenset(q for nest in self.nests for trips in nest for q in trips.extent.quantities)

    @property
    def tiles(self) -> int | None:
        """Of the nest of which there are most, if that does not depend on a launch."""
        counts = [[trips.number for trips in nest] for nest in self.nests]
        known = [[number for number in nest if number is not None] for nest in counts]
        return None if known != counts else max(map(prod, known), default=1)

    def count(self, grid: tuple[int, int, int], known: Lookup) -> int:
        """Blocks of each work-group of a grid, at least one."""
        tiles = max((self._rounded([trips.count(known) for trips in nest]) for nest in self.nests), default=1)
        groups, together = max(prod(grid), 1), self.together
        found = max(min(tiles, -(-self.most // groups), _MOST_BLOCKS // max(grid[0], 1)), 1)
        return max(found // together, 1) * together

    def _rounded(self, counts: Sequence[int]) -> int:
        """Tiles of a nest, those beside the edge that clusters reach beyond included."""
        last = counts[-len(self.cluster) :]
        clusters = self.cluster[-len(last) :] if last else ()
        whole = (-(-count // each) * each for count, each in zip(last, clusters, strict=True))
        return prod(counts[: len(counts) - len(last)]) * prod(whole)

    def __str__(self) -> str:
        nests = [" x ".join(map(str, nest)) or "1" for nest in self.nests]
        tiles = nests[0] if len(nests) == 1 else f"max({', '.join(nests)})"
        return f"min({tiles}, {self.most} / work-groups)"


def parts_to_json(parts: Parts) -> Mapping[str, Json]:
    """As a dictionary of its fields."""
    nests = tuple(
        tuple((trips.step, polynomial_to_json(trips.extent)) for trips in nest) for nest in dict.fromkeys(parts.nests)
    )
    clustered = {"cluster": parts.cluster} if parts.together > 1 else {}
    return {"most": parts.most, "nests": nests, **clustered}


def parts_from_json(fields: Fields) -> Parts:
    """The inverse of `parts_to_json`. Raises `ArtifactError`."""
    nests = tuple(tuple(map(_trips, entries(nest, "nest"))) for nest in fields.items("nests"))
    try:
        return Parts(nests, fields.integer("most"), _cluster(fields))
    except ValueError as error:
        raise ArtifactError(str(error)) from None


def _cluster(fields: Fields) -> tuple[int, int]:
    """Blocks of one are not written."""
    if "cluster" not in fields.names():
        return (1, 1)
    match fields.integers("cluster"):
        case outer, inner:
            return outer, inner
        case _:
            raise ArtifactError("a cluster has two extents")


def _trips(value: object) -> Trips:
    match entries(value, "trips"):
        case [int(step), extent] if not isinstance(step, bool) and step > 0:
            return Trips(polynomial_from_json(entries(extent, "extent")), step)
        case _:
            raise ArtifactError("a loop over tiles has a step and an extent")
