"""Whether the object of a CPU artefact is what its header says, before any of it is loaded.

What the machine code does cannot be checked: an artefact from elsewhere is a program from elsewhere.
"""

from __future__ import annotations

from typing import Final

from tilewright.artifacts.artifact import Artifact, ArtifactError, KernelInfo
from tilewright.artifacts.parameters import with_stand_ins
from tilewright.artifacts.seal import seal_of, seal_symbol
from tilewright.machine.elf import (
    RELOCATABLE,
    RUN_BY_LOADERS,
    ElfObject,
    ObjectFormatError,
    SectionFlags,
    Symbol,
    SymbolKind,
    is_elf,
    read_object,
)
from tilewright.machine.processor import machine

_PROCESSORS: Final = {"x86_64": 62, "aarch64": 183}
_OTHER_FORMATS: Final = ("darwin", "macos", "windows", "mingw")


def check_object(artifact: Artifact) -> None:
    """Raise `ArtifactError` unless the code has the entries, with the signatures, that the header tells of.

    On systems whose objects are not ELF nothing is checked.
    """
    triple = machine().triple
    if not artifact.kernels or any(system in triple for system in _OTHER_FORMATS):
        return
    if not is_elf(artifact.payload):
        raise ArtifactError("the artefact's code is no ELF object")
    try:
        found = read_object(artifact.payload)
    except ObjectFormatError as error:
        raise ArtifactError(f"the artefact's code cannot be read: {error}") from None
    if found.kind != RELOCATABLE:
        raise ArtifactError("the artefact's code is no relocatable object, as compilers make them")
    if found.processor != _PROCESSORS.get(triple.partition("-")[0], found.processor):
        raise ArtifactError(f"the artefact's code is for another processor than {triple}")
    _refuse_own_start(found)
    symbols = {symbol.name: symbol for symbol in found.symbols if symbol.is_global and not symbol.is_undefined}
    for kernel in (info for head in artifact.kernels for info in with_stand_ins(head)):
        _check_entry(found, kernel, symbols.get(kernel.symbol))
        _check_seal(artifact, found, kernel, symbols.get(seal_symbol(kernel.symbol)))


def _refuse_own_start(found: ElfObject) -> None:
    """Loading is not to run anything."""
    resolvers = [symbol.name for symbol in found.symbols if symbol.kind == SymbolKind.RESOLVER]
    if resolvers or any(section.kind in RUN_BY_LOADERS for section in found.sections):
        raise ArtifactError("the artefact's code has functions that would run when it is loaded")


def _check_entry(found: ElfObject, kernel: KernelInfo, entry: Symbol | None) -> None:
    where = f"kernel {kernel.name}: the artefact's code"
    if entry is None:
        raise ArtifactError(f"{where} does not define the entry {kernel.symbol!r}")
    if entry.kind != SymbolKind.FUNCTION or not _lies_in(found, entry, SectionFlags.EXECUTE):
        raise ArtifactError(f"{where} has an entry {kernel.symbol!r} that is no function")


def _check_seal(artifact: Artifact, found: ElfObject, kernel: KernelInfo, seal: Symbol | None) -> None:
    said = None if seal is None or _lies_in(found, seal, SectionFlags.WRITE) else found.content(seal)
    if said != seal_of(artifact.target, artifact.features, kernel):
        raise ArtifactError(
            f"kernel {kernel.name}: the artefact's header tells another signature than the code was compiled for"
        )


def _lies_in(found: ElfObject, symbol: Symbol, flag: SectionFlags) -> bool:
    """Whether a symbol lies, with a byte at least, in a section of this property."""
    if symbol.section >= len(found.sections):
        return False
    section = found.sections[symbol.section]
    return bool(section.flags & flag) and 0 < symbol.size <= section.size - symbol.place
