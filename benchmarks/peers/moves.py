"""The sample kernel without its products (`moves.c`), launched as the kernel is: what moving its matrices takes."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from tilewright.artifacts.artifact import Artifact, slot_layout
from tilewright.runtime.launch import BoundKernel, bind_artifact

_SOURCE: Final = Path(__file__).with_name("moves.c")
_AHEAD: Final = (0, 2, 8)


def moves(sample: Artifact) -> dict[str, BoundKernel]:
    """By name, kernels with the signature of the compiled sample kernel; RuntimeError where gcc is missing or fails."""
    info = sample.kernels[0]
    places = {(slot.parameter, slot.role): slot.offset for slot in slot_layout(info.parameters)}
    defined = [f"-DTABLE={places['A', 'table']}", f"-DMATRICES={places['D', 'pointer']}"]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "moves.o"
        command = ["gcc", "-O3", "-march=native", "-fPIC", "-c", *defined, str(_SOURCE), "-o", str(target)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise RuntimeError("the floor needs gcc, which is not installed") from None
        if done.returncode:
            raise RuntimeError(f"the floor does not compile:\n{done.stderr}")
        code = target.read_bytes()
    symbols = {f"moves, {ahead} ahead": f"move_{ahead}" for ahead in _AHEAD}
    infos = tuple(msgspec.structs.replace(info, name=name, symbol=symbol) for name, symbol in symbols.items())
    return bind_artifact(Artifact("cpu", infos, code))
