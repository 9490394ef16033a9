"""Memory as the threads of a block see it: what they load, store and update, copies and products under way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .barriers import Barriers
from .clusters import Cluster, rank_of
from .copies import Copies
from .groups import GoingProducts, Unshown
from .memory import SHARED, SIZE, WINDOW, Memory
from .numbers import Array
from .races import WORD_BYTES, Access, Epoch, RaceError
from .readers import Readers
from .stores import Stores


class Accesses:
    """Memory as the threads of a block see it: their accesses, the copies and products that are under way."""

    def __init__(self, memory: Memory, threads: int, cluster: Cluster) -> None:
        self._memory = memory
        self._epoch = Epoch(memory.marks)
        self._copies = Copies(memory, threads)
        self._unshown = Unshown(SIZE - WINDOW)
        self._barriers = Barriers(memory)
        self._products = GoingProducts(threads)
        self._readers = Readers(threads)
        self._stores = Stores(memory, threads)
        self._cluster = cluster
        self._turns = np.zeros(threads, np.int64)
        """How many barriers of its warp each thread has passed: a new array each time, for accesses are remembered with
        it."""

    def load(self, threads: Array, addresses: Array, dtype: np.dtype[Any], align: int, access: int) -> Array:
        """Read one number a thread."""
        size = dtype.itemsize
        offsets = self._memory.offsets(addresses, size, align, access)
        self._epoch.add(threads, offsets, size, access, self._turns)
        return self._memory.view(dtype)[offsets // size]

    def store(self, threads: Array, addresses: Array, values: Array, align: int, access: int) -> None:
        """Write one number a thread."""
        size = values.dtype.itemsize
        offsets = self._memory.offsets(addresses, size, align, access)
        self._epoch.add(threads, offsets, size, access, self._turns)
        self._memory.view(values.dtype)[offsets // size] = values
        self._unshown.write(threads, offsets - WINDOW, size)

    def load_vector(
        self, threads: Array, addresses: Array, dtype: np.dtype[Any], count: int, align: int
    ) -> list[Array]:
        """Read so many neighbouring numbers a thread, all together aligned to their bytes."""
        size = dtype.itemsize
        offsets = self._memory.offsets(addresses, count * size, align, Access.READ)
        self._note(threads, offsets, count * size, Access.READ)
        view, first = self._memory.view(dtype), offsets // size
        return [view[first + k] for k in range(count)]

    def store_vector(self, threads: Array, addresses: Array, values: Sequence[Array], align: int) -> None:
        """Write so many neighbouring numbers a thread, all together aligned to their bytes."""
        dtype, count = values[0].dtype, len(values)
        size = dtype.itemsize
        offsets = self._memory.offsets(addresses, count * size, align, Access.WRITE)
        self._note(threads, offsets, count * size, Access.WRITE)
        view, first = self._memory.view(dtype), offsets // size
        for k, value in enumerate(values):
            view[first + k] = value
        self._unshown.write(threads, offsets - WINDOW, count * size)

    def _note(self, threads: Array, offsets: Array, size: int, access: int) -> None:
        """Remember an access, word by word."""
        for first in range(0, size, WORD_BYTES):
            self._epoch.add(threads, offsets + first, min(size, WORD_BYTES), access, self._turns)

    def update(
        self,
        threads: Array,
        addresses: Array,
        dtype: np.dtype[Any],
        access: int,
        new: Callable[[slice, Array], Array],
    ) -> Array:
        """Let one thread after the other replace a number; the old ones. Bytes that stay as they are count as read."""
        size = dtype.itemsize
        offsets = self._memory.offsets(addresses, size, size, access)
        self._epoch.add(threads, offsets, size, access & ~Access.WRITE, self._turns)
        self._products.update(threads, np.broadcast_to(offsets, threads.shape))
        view, places = self._memory.view(dtype), offsets // size
        if len(set(places.tolist())) == len(places):
            return self._replace(threads, view, places, slice(None), access, new)
        old = [
            self._replace(threads[k : k + 1], view, places[k : k + 1], slice(k, k + 1), access, new)
            for k in range(len(places))
        ]
        return np.concatenate(old)

    def _replace(
        self,
        threads: Array,
        view: Array,
        places: Array,
        who: slice,
        access: int,
        new: Callable[[slice, Array], Array],
    ) -> Array:
        """Replace numbers at different places; the old ones."""
        old = view[places]
        fresh = new(who, old).astype(view.dtype, copy=False)
        view[places] = fresh
        number, byte = np.nonzero(_bytes(fresh) != _bytes(old))
        if len(number):
            at = places[number] * view.itemsize + byte
            self._epoch.add(threads[number], at, 1, access, self._turns)
        return old

    def copy_later(self, threads: Array, target: Array, source: Array, size: int, given: Array) -> None:
        """Begin to copy `given` bytes, zeros behind them, to shared memory."""
        self._copies.begin(self._epoch, threads, (target, source), size, given, self._turns)

    def commit_copies(self, threads: Array) -> None:
        """Make a group of the copies begun."""
        self._copies.commit(threads)

    def await_copies(self, threads: Array, pending: int) -> None:
        """End all groups of copies but so many."""
        for who, targets, size in self._copies.wait(self._epoch, threads, pending, self._turns):
            self._unshown.write(who, targets - WINDOW, size)

    def open_barrier(self, place: int, arrivals: int) -> None:
        """Make a barrier that counts copies of a word of shared memory."""
        self._barriers.open(place, arrivals)

    def close_barrier(self, place: int) -> None:
        """Make a word of a barrier."""
        self._barriers.close(place)

    def expect(self, place: int, count: int) -> None:
        """Arrive at a barrier, and tell how many bytes more its phase has."""
        self._barriers.expect(place, count)

    def arrive_behind_products(self, thread: int, place: int) -> None:
        """Arrive at a barrier, behind the products that the thread has awaited and what its warp has read."""
        self._barriers.expect(place, 0)
        self._products.tell(thread, place)
        self._readers.tell(thread, place, self._turns)

    def copy_box(self, thread: int, place: int, target: int, pointer: int, start: tuple[int, ...]) -> None:
        """Begin to copy a box of a matrix, which nobody else may be at."""
        read, written = self._barriers.copy(place, target, pointer, start)
        if self._epoch.touches(written, self._readers.known(thread)):
            raise RaceError(f"thread {thread} lets a box be copied where somebody is since the last barrier")
        if self._products.read(thread, written):
            raise RaceError(f"thread {thread} lets a box be copied where a product still reads")
        who = np.full(len(read), thread)
        self._epoch.add(who, read, 1, Access.READ, self._turns)
        self._unshown.replace(written - WINDOW)

    def copy_box_to(self, thread: int, mask: int, place: tuple[int, int, int], start: tuple[int, ...]) -> None:
        """Begin to copy a box to the same place in the blocks of a mask: the barrier, target and map of `place`."""
        for rank in Cluster.ranks_in(mask):
            with self._cluster.memory_of(rank) as other:
                if other is self:
                    self.copy_box(thread, *place, start)
                else:
                    other.take_box(*place, start)

    def take_box(self, barrier: int, target: int, pointer: int, start: tuple[int, ...]) -> None:
        """Another block begins to copy a box here, where nobody may be, whatever he knows of the others."""
        _, written = self._barriers.copy(barrier, target, pointer, start)
        if self._epoch.touches(written):
            raise RaceError("another block lets a box be copied where somebody is since the last barrier")
        if self._products.is_read(written):
            raise RaceError("another block lets a box be copied where a product still reads")
        self._unshown.replace(written - WINDOW)

    def arrive_at(self, thread: int, address: int) -> None:
        """Arrive at a barrier of any block of the cluster, behind the products that the thread has awaited."""
        rank, place = rank_of(address)
        with self._cluster.memory_of(rank) as other:
            if other is self:
                self.arrive_behind_products(thread, place + SHARED)
            else:
                other.expect(place + SHARED, 0)

    def store_box(self, thread: int, slab: int, pointer: int, start: tuple[int, ...]) -> None:
        """Begin to store a slab of shared memory to a box of a matrix."""
        self._stores.begin(self._epoch, self._unshown, thread, (slab, pointer, *start), self._turns)

    def commit_stores(self, threads: Array) -> None:
        """Make a group of the boxes begun."""
        self._stores.commit(threads)

    def await_stores(self, threads: Array, pending: int) -> None:
        """Store all groups of boxes but so many."""
        self._stores.wait(self._epoch, threads, pending, self._turns)

    def commit_products(self, threads: Array) -> None:
        """Make a group of the products begun."""
        self._products.commit(threads)

    def await_products(self, threads: Array, pending: int) -> None:
        """End all groups of products but so many."""
        self._products.wait(threads, pending)

    def show_writes(self, threads: Array) -> None:
        """Let instructions that read memory by themselves see what was written."""
        self._unshown.show(threads)


def _bytes(numbers: Array) -> Array:
    """Those of each number, in a row of its own."""
    return np.ascontiguousarray(numbers).view(np.uint8).reshape(len(numbers), -1)
