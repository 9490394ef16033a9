"""What is told of a compiled kernel: its accesses to memory, shared buffers, and what its barriers wait for."""

from __future__ import annotations

from msgspec import Struct


class MemoryAccess(Struct, frozen=True):
    """An access of the source, as the first warp runs it.

    A thread moves `bytes` at once, `times` one after the other. `units` are what a warp takes for all of them: sectors
    of 32 bytes of global memory, passes over the banks of shared memory; `least` are those of as many bytes in a row;
    None where addresses depend on data. `otherwise`: only where a test at run time does not allow a wider access.
    """

    place: str
    kind: str
    what: str
    shared: bool
    bytes: int
    times: int
    units: int | None
    least: int | None
    otherwise: bool = False

    def __str__(self) -> str:
        size = f"{self.bytes} bytes" if self.bytes != 1 else "1 byte"
        often = f", {self.times} times" if self.times > 1 else ""
        unit = "over the banks" if self.shared else "of 32 bytes"
        one, several = ("pass", "passes") if self.shared else ("sector", "sectors")
        cost = f"{self.units} {one if self.units == 1 else several} {unit} a warp, at least {self.least}"
        if self.units is None:
            cost = "addresses depend on data"
        only = "; only where a test finds no wider access possible" if self.otherwise else ""
        return f"{self.place}: {self.kind} {self.what}: {size} a thread{often}, {cost}{only}"


class SharedBuffer(Struct, frozen=True):
    """A buffer in shared memory, and the passes over the banks beyond the least that all accesses to it take."""

    name: str
    type: str
    bytes: int
    conflicts: int | None

    def __str__(self) -> str:
        found = "addresses depend on data" if self.conflicts is None else f"{self.conflicts} bank conflicts"
        return (
            f"{self.name}: {self.bytes:,} bytes, {self.type}: {'no bank conflicts' if self.conflicts == 0 else found}"
        )


class Wait(Struct, frozen=True):
    """A barrier, and for each memory what happens in front of it that something behind it has to wait for."""

    place: str
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.place}: barrier: {'; '.join(self.reasons) or 'nothing that is known waits for it'}"


class KernelUse(Struct, frozen=True):
    """What a kernel does with memory and barriers; `untold`: accesses of which is not told who does them, and why."""

    accesses: tuple[MemoryAccess, ...]
    buffers: tuple[SharedBuffer, ...]
    waits: tuple[Wait, ...]
    untold: tuple[str, ...]
