"""A plan: threads of an item, items of a chunk, chunks of a block, and who holds which elements."""

from __future__ import annotations

from msgspec import Struct

from tilewright.ir.schedules import Chunk, Schedule
from tilewright.transforms.pack_items.items import Transfer
from tilewright.transforms.pack_items.slabs import Slabs
from tilewright.transforms.pack_items.tilings import Tiling

Shape = tuple[int, ...]


class Plan(Struct, frozen=True, eq=False):
    """`crew` threads treat a chunk of `items`, `team` of them so many that are `joined` at a time.

    There are `most` blocks, each of which goes on to other chunks, or one for each chunk. `tilings` are by shape of
    tile; `rows` are the transfers that are done for the whole chunk at once; `cost` is cycles of a multiprocessor an
    item. In `pairs` lanes beside each other are of two teams by turns.

    Shared memory serves half a warp in one pass, by 16 bytes a lane, if each lane and that beside it, or the next but
    one, read the same. In pairs lanes of the same rank do of one factor, and lanes of the same item of the other one;
    else four items of eight lanes share passes of one factor alone. Counters of an H200 have it: 15.0 instead of 21.4
    million passes for three products of 56x9 with constant factors, which took 0.96 of the time.
    """

    team: int
    crew: int
    crews: int
    items: int
    tilings: dict[Shape, Tiling]
    rows: frozenset[Transfer]
    slabs: Slabs
    cost: float
    joined: int = 1
    most: int | None = None
    pairs: bool = False

    @property
    def teams(self) -> int:
        """Teams of a crew."""
        return self.crew // self.team

    @property
    def slots(self) -> int:
        """Items of a chunk, joined ones as one."""
        return self.items // self.joined

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.crew * self.crews

    @property
    def items_apart(self) -> tuple[int, int]:
        """Items from the first chunk of a block, and of a crew, to that of the next one.

        Crews of blocks that go on begin behind those of all blocks: what is left at last is few chunks of each
        multiprocessor, not all of few, and small batches are spread over all of them.
        """
        if self.most is None:
            return self.items * self.crews, self.items
        return self.items, self.items * self.most

    @property
    def chunk(self) -> Chunk:
        """As a schedule says it."""
        return Chunk(self.items, self.team, self.crew, self.joined)

    @property
    def has_units(self) -> bool:
        """Whether products are by matrix instructions."""
        return any(tiling.unit for tiling in self.tilings.values())

    def lacks(self, wanted: Schedule) -> str | None:
        """What a caller asks for who does not ask for packed items, and they have not."""
        if wanted.products:
            return f"product={wanted.products[0]}"
        return None if wanted.threads in (None, self.threads) else f"threads={wanted.threads}"

    def is_wanted(self, wanted: Schedule) -> bool:
        """Whether threads and chunk are those asked for."""
        return wanted.threads in (None, self.threads) and wanted.chunk in (None, self.chunk)

    def __str__(self) -> str:
        return (
            f"{self.items * self.crews} items a block, {self.items} a chunk of {self.crew} threads, "
            f"{self.team} threads {f'{self.joined} items' if self.joined > 1 else 'an item'}, "
            f"{self.slabs.bytes_of(self.crews)} bytes of shared memory"
        )
