"""What kernels printed, which assertions and checks failed: records that a launch leaves behind
(`targets/cpu/spmd/host.py`, `targets/cpu/spmd/checks.py`)."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from math import prod
from threading import RLock
from typing import Final

from tilewright.artifacts.parameters import KernelInfo
from tilewright.artifacts.report_sites import RECORD_WORDS, ReportSite, head_words, read_sites
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
        """Print what was printed, in order for each work-group; then raise `KernelError` if anything failed.

        `MemoryError` says that reports are missing; if assertions or checks failed too, a note on their error does.
        """
        address, lost = self._head[:2]
        if not (address or lost):
            return
        self._head[:] = (0,) * len(self._head)
        records: list[tuple[ReportSite, tuple[int, int, int], list[Printed]]] = []
        while address:
            following, number, x, y, z = _HEAD.unpack(ctypes.string_at(address, _HEAD.size))
            site = self._sites[int(number)]
            records.append((site, (int(x), int(y), int(z)), _values(site, address + _HEAD.size)))
            _c_library().free(address)
            address = following
        failures: list[Diagnostic] = []
        for site, block, values in reversed(records):
            match site.kind:
                case ReportKind.PRINT:
                    print(formatted(site.text, values), end="")
                case ReportKind.ASSERT:
                    message = failed_assertion(site.text, _wrong(values[0]), block)
                    failures.append(Diagnostic(Severity.ERROR, "R032", message, site.location))
                case None:
                    numbers = [int(value.numbers[0]) for value in values]
                    message = f"kernel {self._kernel}: {filled(site.text, numbers)}{of_work_group(block)}"
                    failures.append(Diagnostic(Severity.ERROR, site.code, message, site.location))
        missing = f"kernel {self._kernel}: there was no memory for {lost} of its prints, failed assertions and checks"
        if failures:
            error = KernelError(failures)
            if lost:
                error.add_note(missing)
            raise error
        if lost:
            raise MemoryError(missing)

    def _deliver_beside(self, interruption: BaseException) -> None:
        """As `deliver` after a launch that ended early; failed assertions become a note on what ended it."""
        try:
            self.deliver()
        except (KernelError, MemoryError) as error:
            interruption.add_note(str(error))


def _values(site: ReportSite, address: int) -> list[Printed]:
    found: list[Printed] = []
    for value in site.values:
        count = prod(value.shape)
        raw = ctypes.string_at(address, 8 * count)
        numbers = struct.unpack(f"<{count}{'d' if value.is_float else 'q'}", raw)
        found.append(Printed(numbers, value.shape, value.bits))
        address += 8 * count
    return found


def _wrong(condition: Printed) -> list[list[int]]:
    """Positions of the elements that are zero."""
    found: list[list[int]] = []
    for number, held in enumerate(condition.numbers):
        if not held:
            position, rest = list[int](), number
            for extent in reversed(condition.shape):
                position.insert(0, rest % extent)
                rest //= extent
            found.append(position)
    return found
