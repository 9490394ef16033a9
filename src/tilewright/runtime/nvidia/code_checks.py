"""Whether the PTX of an artefact is what its header says, before the driver gets it."""

from __future__ import annotations

import re
from typing import Final

from tilewright.artifacts.artifact import Artifact, ArtifactError, KernelInfo, block_alignment, device_block_size
from tilewright.artifacts.parameters import entry_symbols, with_stand_ins
from tilewright.artifacts.seal import SEAL_BYTES, seal_of, seal_symbol

_ENTRY: Final = re.compile(r"^\s*\.visible\s+\.entry\s+([\w$]+)\s*\(([^)]*)\)", re.MULTILINE)
_BLOCK: Final = re.compile(r"\.param\s+\.align\s+(\d{1,3})\s+\.b8\s+[\w$]+\[(\d{1,9})\]\s*")
_SEAL: Final = re.compile(
    r"^\s*\.visible\s+\.const\s+\.align\s+\d+\s+\.b8\s+([\w$]+)\[(\d{1,9})\]\s*=\s*{([\d,\s]*)}", re.MULTILINE
)

_DIGITS: Final = 3


def check_ptx(artifact: Artifact) -> None:
    """Raise `ArtifactError` unless the text has the entries, with the signatures, that the header tells of."""
    try:
        text = artifact.payload.decode("ascii")
    except UnicodeDecodeError:
        raise ArtifactError("the artefact's code is no PTX") from None
    entries: dict[str, str] = dict(_ENTRY.findall(text))
    seals = {name: _content(size, numbers) for name, size, numbers in _SEAL.findall(text)}
    for kernel in (info for head in artifact.kernels for info in with_stand_ins(head)):
        for symbol in entry_symbols(kernel):
            _check_entry(kernel, symbol, entries.get(symbol))
        if kernel.launch is None:
            raise ArtifactError(f"kernel {kernel.name}: the artefact's header does not say how its grid becomes blocks")
        if seals.get(seal_symbol(kernel.symbol)) != seal_of(artifact.target, artifact.features, kernel):
            raise ArtifactError(
                f"kernel {kernel.name}: the artefact's header tells another signature than the code was compiled for"
            )


def _content(size: str, numbers: str) -> bytes | None:
    """The bytes of a constant; zeros at its end are not written."""
    found = numbers.replace(",", " ").split()
    if int(size) != SEAL_BYTES or len(found) > SEAL_BYTES or any(len(number) > _DIGITS for number in found):
        return None
    return bytes(int(number) & 0xFF for number in found).ljust(SEAL_BYTES, b"\0")


def _check_entry(kernel: KernelInfo, symbol: str, parameters: str | None) -> None:
    if parameters is None:
        raise ArtifactError(f"kernel {kernel.name}: the artefact's code does not define the entry {symbol!r}")
    found = _BLOCK.fullmatch(parameters.strip())
    size, alignment = device_block_size(kernel), block_alignment(len(kernel.launch.maps if kernel.launch else ()))
    fits = (int(found[1]), int(found[2])) == (alignment, size) if found else not (size or parameters.strip())
    if not fits:
        raise ArtifactError(
            f"kernel {kernel.name}: the artefact's code takes other parameters than the header tells of"
        )
