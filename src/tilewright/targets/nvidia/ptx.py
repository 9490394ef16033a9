"""LLVM text to PTX, and PTX to machine code where NVIDIA's assembler is on the machine.

The PTX is what an artefact ships: the driver of the user's machine assembles it. `assemble` is for tests, for `doctor`
and for a look at registers and spills without a GPU.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from msgspec import Struct

from tilewright.diagnostics.caller_error import CallerError
from tilewright.machine.cuda.architecture import Architecture
from tilewright.machine.native import InvalidIR, assembly_of
from tilewright.machine.processor import Machine
from tilewright.targets.nvidia.capabilities import PtxError, check_selectable

TRIPLE: Final = "nvptx64-nvidia-cuda"
DATA_LAYOUT: Final = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
_ASSEMBLER_SECONDS: Final = 60.0


class AssemblerError(RuntimeError):
    """ptxas refused a text or warned of a loss; `log` is what it said."""

    def __init__(self, message: str, log: str) -> None:
        super().__init__(f"{message}\n{log}" if log else message)
        self.log = log


class AssemblerMissing(CallerError, AssemblerError):
    """There is no ptxas here."""


class KernelResources(Struct, frozen=True):
    """What ptxas reports for a kernel. Of the barriers of a block it reserves all 16 if one has no constant number."""

    registers: int
    spill_store_bytes: int
    spill_load_bytes: int
    stack_bytes: int
    shared_bytes: int
    barriers: int


class Assembled(Struct, frozen=True):
    """Machine code and the resources of each kernel in it."""

    cubin: bytes
    kernels: dict[str, KernelResources]
    log: str


_NEWER_INSTRUCTIONS: Final = re.compile(r"wgmma\.mma_async\S+\.s32\.(?:s8\.u8|u8\.s8) ")
"""Such as older versions of PTX do not know; texts without them are for older drivers too."""
_NEWER_FEATURES: Final = "+ptx84"
_OPTIMISATION: Final = 2
"""LLVM's level of code generation: 3 numbers values once more (GVN), for 7 % of the time and the same registers."""


def compile_to_ptx(text: str, architecture: Architecture, *, reduces_loops: bool = True) -> str:
    """Parse and verify LLVM text and print PTX. No pass pipeline runs: ptxas optimises."""
    check_selectable(text)
    try:
        newer = _NEWER_FEATURES if _NEWER_INSTRUCTIONS.search(text) else architecture.features
        machine = Machine(TRIPLE, architecture.value, newer, reduces_loops)
        return assembly_of(text, machine, optimisation=_OPTIMISATION)
    except InvalidIR as error:
        raise PtxError(f"LLVM refused the generated text: {error}") from error


def find_assembler() -> Path | None:
    """ptxas of this machine, if any."""
    found = shutil.which("ptxas")
    return Path(found) if found else None


def assemble(ptx: str, architecture: Architecture, assembler: Path | None = None) -> Assembled:
    """Run ptxas; `AssemblerError` if it refuses the text, loses performance by its own word, or is not there
    (`AssemblerMissing`)."""
    program = assembler or find_assembler()
    if program is None:
        said = "ptxas, NVIDIA's assembler, is not on PATH: it comes with the CUDA toolkit"
        raise AssemblerMissing(f"{said}; PTX needs none, the driver assembles it", "")
    with tempfile.TemporaryDirectory(prefix="tilewright-ptxas-") as folder:
        source, target = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx, encoding="ascii")
        command = [str(program), "-v", f"-arch={architecture.value}", "-o", str(target), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_ASSEMBLER_SECONDS, check=False)
        log = done.stdout + done.stderr
        if done.returncode != 0:
            raise AssemblerError(f"ptxas refused the text for {architecture.value}", log)
        if loss := re.search(r"\(C75\d\d\)|Potential Performance Loss", log):
            raise AssemblerError(f"ptxas reports a loss: {loss[0]}", log)
        return Assembled(target.read_bytes(), parse_resources(log), log)


_ENTRY: Final = re.compile(r"Compiling entry function '([^']+)'")
_STACK: Final = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED: Final = re.compile(r"Used (\d+) registers(?:, used (\d+) barriers)?(?:.*?(\d+) bytes smem)?")


def parse_resources(log: str) -> dict[str, KernelResources]:
    """Resources by kernel from the log of `ptxas -v`."""
    result: dict[str, KernelResources] = {}
    name, frame = "", (0, 0, 0)
    for line in log.splitlines():
        if entry := _ENTRY.search(line):
            name, frame = entry[1], (0, 0, 0)
        elif stack := _STACK.search(line):
            frame = (int(stack[1]), int(stack[2]), int(stack[3]))
        elif name and (used := _USED.search(line)):
            stack_bytes, stores, loads = frame
            barriers, shared = int(used[2] or 0), int(used[3] or 0)
            result[name] = KernelResources(int(used[1]), stores, loads, stack_bytes, shared, barriers)
    return result
