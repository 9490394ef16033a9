"""Ahead-of-time use of a CPU artefact: a C header that declares its kernels, and a shared object that holds them.

A C program fills the parameter block, which the header declares as a struct, and calls the kernel on a range of
work-groups or, through the `_run` function beside it, on the whole grid.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tilewright.artifacts.artifact import Artifact, KernelInfo, Slot, slot_layout
from tilewright.artifacts.parameters import DTYPE_BYTES, REPORTS, TILES, made_extents
from tilewright.diagnostics.caller_error import CallerError
from tilewright.files import replacing
from tilewright.machine.elf import is_elf, undefined_symbols
from tilewright.machine.native import FUSED_MULTIPLY_ADDS
from tilewright.runtime.c_names import DECLARED, RESERVED

__all__ = ["LinkerError", "NotForC", "emit_header", "emit_shared_object"]

_LINKERS: Final = ("cc", "clang", "gcc", "ld.lld", "ld")
_LINK_SECONDS: Final = 60

_C_TYPES: Final = {
    "bool": "uint8_t",
    "i8": "int8_t",
    "i16": "int16_t",
    "i32": "int32_t",
    "i64": "int64_t",
    "index": "int64_t",
    "bf16": "uint16_t",
    "f16": "uint16_t",
    "f32": "float",
    "f64": "double",
    "tf32": "float",
    "f8E4M3FN": "uint8_t",
    "f8E5M2": "uint8_t",
    "f8E8M0FNU": "uint8_t",
    "c32": "float",
    "c64": "double",
}
_KEYWORD_LIST: Final = """
auto break case char const continue default do double else enum extern float for goto if inline int
long register restrict return short signed sizeof static struct switch typedef union unsigned void
volatile while bool true false class new delete this template namespace private public protected
operator try catch throw using virtual
alignas alignof and asm bitand bitor compl concept const_cast consteval constexpr constinit decltype
dynamic_cast explicit export friend mutable noexcept not nullptr or reinterpret_cast requires
static_assert static_cast thread_local typeid typename typeof typeof_unqual wchar_t xor
char8_t char16_t char32_t co_await co_return co_yield
main NULL int8_t int16_t int32_t int64_t uint8_t uint16_t uint64_t
"""
_KEYWORDS: Final = frozenset(_KEYWORD_LIST.split())

_LOCAL: Final = "slots grid begin end scratch team x y z"
"""Names in the functions of the header, where a kernel of that name is out of sight."""

_SUFFIXES: Final = (
    "",
    "_run",
    "_slots",
    "_slots_have_the_right_size",
    "_LOCAL_BYTES",
    "_WORK_GROUP_ROWS",
    "_WORK_GROUP_COLUMNS",
)
"""What is made of the name of a kernel."""


class NotForC(CallerError, ValueError):
    """An artefact that C programs cannot use."""


class LinkerError(CallerError, RuntimeError):
    """No linker is there, or the one that is there refused the object."""


def emit_header(artifact: Artifact) -> str:
    """The C (and C++) header of an artefact."""
    _require_usable(artifact)
    taken: set[str] = set(f"{RESERVED} {DECLARED} {_LOCAL} {_PERMIT}".split())
    kernels: list[str] = []
    for info in artifact.kernels:
        name = _free(_identifier(info.name), _SUFFIXES, taken)
        kernels.append(_kernel(name, info))
    tiles = any(TILES in info.facts for info in artifact.kernels)
    return "\n".join([_PROLOGUE, *([_PERMISSION] if tiles else []), *kernels, _EPILOGUE])


def _free(name: str, suffixes: Sequence[str], taken: set[str]) -> str:
    """The name, longer where it or what is derived from it is taken; all of them are taken from now on."""
    while not taken.isdisjoint(name + suffix for suffix in suffixes):
        name += "_"
    taken.update(name + suffix for suffix in suffixes)
    return name


_PROLOGUE: Final = """\
/* Kernels compiled by tilewright.
 *
 * A kernel runs the work-groups with linear numbers begin .. end-1 of a grid (x fastest). `scratch` is memory of the
 * calling thread, aligned to 128 bytes, of at least ..._LOCAL_BYTES bytes. `team` is reserved: pass a null pointer.
 * Strides and offsets count elements. Floats of 8 and 16 bits are passed as their bits, complex numbers as two parts.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
"""

_PERMIT: Final = "tilewright_permit_tiles"
_PERMISSION: Final = f"""\
/* These kernels use AMX tiles, which Linux permits a process that asks. Ask before the first kernel runs; all threads
 * have the permission then. Anything but 0 is the negative error number of a refusal: do not run these kernels.
 */
#ifndef TILEWRIGHT_PERMIT_TILES
#define TILEWRIGHT_PERMIT_TILES
static inline long {_PERMIT}(void) {{
  long result;
  /* arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) */
  __asm__ volatile("syscall" : "=a"(result) : "a"(158L), "D"(0x1023L), "S"(18L) : "rcx", "r11", "memory");
  return result;
}}
#endif
"""

_EPILOGUE: Final = """\
#ifdef __cplusplus
}
#endif
"""


def _kernel(name: str, info: KernelInfo) -> str:
    slots = slot_layout(info.parameters)
    made = {p.name: " * ".join(f"max({e}, 0)" for e in made_extents(p)) for p in info.parameters if made_extents(p)}
    members = "\n".join(_members(slots, made)) or "  uint64_t unused;"
    size = sum(16 if slot.dtype == "c64" else 8 for slot in slots) or 8
    rows, columns = info.work_group_size
    limit = "" if info.max_groups is None else f"\n/* The grid has up to {info.max_groups} work-groups along a mode. */"
    return f"""{limit}
typedef struct {name}_slots {{
{members}
}} {name}_slots;
typedef char {name}_slots_have_the_right_size[sizeof({name}_slots) == {size} ? 1 : -1];
enum {{
  {name}_LOCAL_BYTES = {info.local_bytes},
  {name}_WORK_GROUP_ROWS = {rows},
  {name}_WORK_GROUP_COLUMNS = {columns}
}};
void {name}(const {name}_slots *slots, const int64_t grid[3], int64_t begin, int64_t end,
            void *scratch, const void *team)
  __asm__("{_asm_label(info.symbol)}");
static inline void {name}_run(const {name}_slots *slots, int64_t x, int64_t y, int64_t z, void *scratch) {{
  const int64_t grid[3] = {{x, y, z}};
  {name}(slots, grid, 0, x * y * z, scratch, NULL);
}}
"""


def _members(slots: Sequence[Slot], made: Mapping[str, str]) -> list[str]:
    """Members of the structure; `made` says how many elements memory has that a caller makes for the kernel."""
    lines: list[str] = []
    taken: set[str] = set(RESERVED.split())
    for slot in slots:
        if slot.role == "pointer" and slot.parameter in made:
            lines.append(f"  /* memory that the kernel uses, of {made[slot.parameter]} elements: */")
        lines += _member(slot, _free(_member_name(slot), ("", "_padding"), taken))
    return lines


def _member(slot: Slot, name: str) -> list[str]:
    if slot.dtype == "ptr":
        kind = {"table": "void *const *", "pointer": "void *"}.get(str(slot.role), "const int64_t *")
        return [f"  {kind}{name};"]
    count = "[2]" if slot.dtype in ("c32", "c64") else ""
    lines = [f"  {_C_TYPES[slot.dtype]} {name}{count}; /* {slot.dtype} */"]
    padding = -DTYPE_BYTES[slot.dtype] % 8
    return [*lines, f"  uint8_t {name}_padding[{padding}];"] if padding else lines


def _member_name(slot: Slot) -> str:
    name = _identifier(slot.parameter)
    match slot.role:
        case "value" | "pointer" | "table":
            return name
        case "bytes" | "size" | "offset":
            return f"{name}_{slot.role}"
        case (role, mode):
            return f"{name}_{role.removesuffix('_array')}{mode}{'s' if role.endswith('_array') else ''}"


def _identifier(name: str) -> str:
    """The name as C allows it; what C does not allow becomes its code point."""
    text = re.sub(r"[^A-Za-z0-9_]", lambda match: f"_{ord(match[0]):x}_", name)
    return f"_{text}" if not text or text[0].isdigit() or text in _KEYWORDS else text


def _asm_label(symbol: str) -> str:
    if re.search(r'["\\\x00-\x1f]', symbol):
        raise ValueError(f"the symbol {symbol!r} cannot be written in C")
    return symbol


def emit_shared_object(artifact: Artifact, path: Path) -> None:
    """Link an artefact's code into a shared object with the linker of this system."""
    _require_usable(artifact)
    linker = next((found for name in _LINKERS if (found := shutil.which(name))), None)
    if linker is None:
        raise LinkerError(f"a shared object needs a linker, and none of {', '.join(_LINKERS)} is on the PATH")
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        source, result = Path(folder) / "kernels.o", Path(folder) / "kernels.so"
        source.write_bytes(artifact.payload)
        code = artifact.payload
        needs_libm = is_elf(code) and bool(undefined_symbols(code) & FUSED_MULTIPLY_ADDS)
        _run([linker, "-shared", "-o", str(result), str(source), *(["-lm"] if needs_libm else [])])
        with result.open("rb") as linked, replacing(path, 0o777) as stream:
            shutil.copyfileobj(linked, stream)


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LINK_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LinkerError(f"{command[0]} could not be run: {error}") from None
    if done.returncode != 0:
        raise LinkerError(f"{command[0]} failed with status {done.returncode}: {done.stderr.strip()}")


def _require_usable(artifact: Artifact) -> None:
    if artifact.target != "cpu":
        raise NotForC(f"headers and shared objects are for CPU artefacts, this one is for {artifact.target!r}")
    reporting = [info.name for info in artifact.kernels if REPORTS in info.facts]
    if reporting:
        raise NotForC(
            f"{', '.join(reporting)}: what kernels print, assert and check is told by Python's launches, and lost in C"
        )
