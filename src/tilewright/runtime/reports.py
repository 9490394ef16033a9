"""What kernels printed, which assertions and checks failed: records that a launch leaves behind
(`targets/cpu/spmd/host.py`, `targets/cpu/spmd/checks.py`; on devices `runtime/nvidia/records.py`)."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from math import prod
from threading import RLock
from typing import Final

from msgspec import Struct

from tilewright.artifacts.parameters import KernelInfo
from tilewright.artifacts.report_sites import RECORD_WORDS, ReportSite, head_words, read_sites, value_words
from tilewright.diagnostics import Diagnostic, Severity
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects.printf import Printed, failed_assertion, formatted
from tilewright.dialects.reports import ReportKind, filled, of_work_group
from tilewright.machine.native import LoadedObject

_HEAD: Final = struct.Struct(f"<{RECORD_WORDS}q")


@cache
def _c_library() -> ctypes.CDLL:
    library = ctypes.CDLL(None)
    library.free.argtypes = [ctypes.c_void_p]
    library.free.restype = None
    return library


def report_symbols() -> Mapping[str, int]:
    """What the code of a kernel that reports must be linked with."""
    return {"malloc": ctypes.cast(_c_library().malloc, ctypes.c_void_p).value or 0}


def reporting_exports(info: KernelInfo) -> list[str]:
    """Symbols that a kernel's reports need beside its entry."""
    found = read_sites(info.facts)
    return [] if found is None else [found[0]]


class Record(Struct, frozen=True):
    """What one report left: its site, the work-group that it is of, and 8 bytes for each element of its values."""

    site: ReportSite
    work_group: tuple[int, int, int]
    words: bytes

    @property
    def values(self) -> list[Printed]:
        """The values as they are shown."""
        found: list[Printed] = []
        offset = 0
        for value in self.site.values:
            count = prod(value.shape)
            numbers = struct.unpack_from(f"<{count}{'d' if value.is_float else 'q'}", self.words, offset)
            found.append(Printed(numbers, value.shape, value.bits))
            offset += 8 * count
        return found


class ReportLog:
    """The reports of one kernel. One launch at a time, so that they can be told apart.

    A signal handler that runs during a launch may launch the kernel again, hence a lock that a thread can take twice.
    """

    def __init__(self, kernel: str, head: int, sites: tuple[ReportSite, ...]) -> None:
        self._lock = RLock()
        self._kernel = kernel
        words = head_words(any(site.kind is None for site in sites))
        self._head = (ctypes.c_uint64 * words).from_address(head)
        self._sites = sites

    @staticmethod
    def of(info: KernelInfo, code: LoadedObject) -> ReportLog | None:
        """The log of a kernel that reports."""
        found = read_sites(info.facts)
        return None if found is None else ReportLog(info.name, code.address(found[0]), found[1])

    @contextmanager
    def delivering(self) -> Generator[None]:
        """Around one launch: what it reported is delivered behind it, also if it ends early."""
        with self._lock:
            try:
                yield
            except BaseException as interruption:
                self._deliver_beside(interruption)
                raise
            self.deliver()

    def deliver(self) -> None:
        """Tell what was reported, as `deliver` does."""
        address, lost = self._head[:2]
        if not (address or lost):
            return
        self._head[:] = (0,) * len(self._head)
        records: list[Record] = []
        while address:
            following, number, x, y, z = _HEAD.unpack(ctypes.string_at(address, _HEAD.size))
            site = self._sites[int(number)]
            words = ctypes.string_at(address + _HEAD.size, 8 * value_words(site))
            records.append(Record(site, (int(x), int(y), int(z)), words))
            _c_library().free(address)
            address = following
        deliver(self._kernel, records[::-1], lost)

    def _deliver_beside(self, interruption: BaseException) -> None:
        """As `deliver` after a launch that ended early; failed assertions become a note on what ended it."""
        try:
            self.deliver()
        except (KernelError, MemoryError) as error:
            interruption.add_note(str(error))


def deliver(kernel: str, records: Sequence[Record], lost: int) -> None:
    """Print what was printed, one work-group after the other; then raise `KernelError` if anything failed.

    `records` are in the order of their work-groups' steps. `MemoryError` says that `lost` reports are missing; if
    assertions or checks failed too, a note on their error does.
    """
    failures: list[Diagnostic] = []
    for record in sorted(records, key=lambda record: record.work_group[::-1]):
        site, values = record.site, record.values
        match site.kind:
            case ReportKind.PRINT:
                print(formatted(site.text, values), end="")
            case ReportKind.ASSERT:
                message = failed_assertion(site.text, values[0].zeros, record.work_group)
                failures.append(Diagnostic(Severity.ERROR, "R032", message, site.location))
            case None:
                numbers = [int(value.numbers[0]) for value in values]
                message = f"kernel {kernel}: {filled(site.text, numbers)}{of_work_group(record.work_group)}"
                failures.append(Diagnostic(Severity.ERROR, site.code, message, site.location))
    missing = f"kernel {kernel}: there was no memory for {lost} of its prints, failed assertions and checks"
    if failures:
        error = KernelError(failures)
        if lost:
            error.add_note(missing)
        raise error
    if lost:
        raise MemoryError(missing)
