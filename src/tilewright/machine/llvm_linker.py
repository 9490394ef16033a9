"""Linking an object into this process by LLVM's JIT: for systems and objects that `loader` does not know."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tilewright.machine.llvm_binding import binding
from tilewright.machine.loaded import LinkError, LoadedObject
from tilewright.machine.processor import machine
from tilewright.machine.target_machine import target_machine
from tilewright.once import once

if TYPE_CHECKING:
    from tilewright.machine.llvm_types import LibraryBuilder, ResourceTracker


class _Linker:
    """The one JIT of a process; library names are never used twice."""

    def __init__(self) -> None:
        self._jit = binding().create_lljit_compiler(target_machine(machine(), 3), use_jit_link=True)
        self._serial = itertools.count()

    def link(self, builder: LibraryBuilder) -> ResourceTracker:
        return builder.link(self._jit, f"tilewright.{next(self._serial)}")


@once
def _linker() -> _Linker:
    return _Linker()


def link_with_llvm(
    data: bytes, exports: Iterable[str], addresses: Mapping[str, int], *, process_symbols: bool = False
) -> LoadedObject:
    """The object in memory with the addresses of its exports; undefined names are those of `addresses`, and what the
    process exports if `process_symbols` says so. Raises `LinkError`."""
    wanted = tuple(exports)
    builder = binding().JITLibraryBuilder().add_object_img(data)
    for name in wanted:
        builder.export_symbol(name)
    for name, address in addresses.items():
        builder.import_symbol(name, address)
    if process_symbols:
        builder.add_current_process()
    try:
        tracker = _linker().link(builder)
    except RuntimeError as error:
        raise LinkError(f"object code cannot be loaded: {str(error).strip()}") from None
    return LoadedObject(tracker, {name: tracker[name] for name in wanted})
