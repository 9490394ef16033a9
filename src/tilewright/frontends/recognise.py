"""What a file is: Tile IR, as text or bytecode, LLVM text, or something not read here. Loads nothing."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

_FIRST: Final = re.compile(
    r"(?>(?:\s++|//[^\n]*+)*)(?!builtin\.module\s*+\{\s*+builtin\.kernel\b)"
    r"(?:(?>cuda_tile\.|builtin\.|)(?:module|entry|global)\b|\"(?:cuda_tile|builtin)\.|[!#][A-Za-z_][\w$.]*+\s*+=)"
)

_FIRST_OF_MLIR: Final = re.compile(
    r"(?>(?:\s++|//[^\n]*+)*)"
    r"(?:(?>builtin\.|)module\b|(?:func\.func|memref\.global)\b|\"(?:builtin\.(?:module|func)|func\.func|memref\.global)\""
    r"|[!#][A-Za-z_][\w$.]*+\s*+=)"
)
_MLIR_FUNCTION: Final = re.compile(
    r"^[^\n/]*?(?:\bfunc\.func\b|\"func\.func\"|\"builtin\.func\"|\bfunc (?:private |public |nested )?@)", re.MULTILINE
)
"""Functions of MLIR, with the names that version 14 has for them."""
_BARE_FUNCTION: Final = re.compile(r"(?>(?:\s++|//[^\n]*+)*)func\s+(?:private\s+|public\s+|nested\s+)?@")
_ONLY_IN_MLIR: Final = re.compile(
    r"^[^\n;/]*?(?:\bmemref<[\d?*]|\btensor<|\b(?:affine|linalg|scf|memref)\.[a-z])", re.MULTILINE
)
"""What no tensor language has outside of comments: extents in front of elements, and operations of these dialects."""

BYTECODE_MAGIC: Final = b"\x7fTileIR\0"
"""The first bytes of a file of bytecode."""


def is_bytecode(data: bytes) -> bool:
    """Whether some bytes begin like Tile IR bytecode."""
    return data.startswith(BYTECODE_MAGIC)


def is_mlir(text: str) -> bool:
    """Whether a text is a module of MLIR: one that begins as such and in which functions are defined, not kernels of
    Tile IR. Functions of version 14 begin as those of the tensor language do; what they hold tells."""
    if _BARE_FUNCTION.match(text) is not None:
        return _ONLY_IN_MLIR.search(text) is not None
    return _FIRST_OF_MLIR.match(text) is not None and _MLIR_FUNCTION.search(text) is not None


def is_tile_ir(text: str) -> bool:
    """Whether a text begins as Tile IR does: with a module, an entry, a global, or an alias."""
    return _FIRST.match(text) is not None


_LLVM: Final = re.compile(
    r"(?>(?:\s++|;(?! ModuleID)[^\n]*+)*)"
    r"(?:; ModuleID|source_filename\s*+=|target (?:triple|datalayout)\s*+=|define\s[^\n]*+|declare\s[^\n]*+"
    r"|@[\w.$-]++\s*+=|%[\w.$-]++\s*+=\s*+type\s|attributes #\d|!\d++ =)"
)
_TENSORS: Final = re.compile(r"(?<![\w.])@l*vm\.tensor\.|@llvm\.vector\.totensor")


def is_llvm_text(text: str) -> bool:
    """Whether a text begins as LLVM's do, or calls tensor intrinsics and is in no other language."""
    if _LLVM.match(text) is not None:
        return True
    return _TENSORS.search(text) is not None and _FUNCTION.search(text) is None and not is_tile_ir(text)


class Likeness(Struct, frozen=True):
    """What a text that is in no tensor language looks like: `what` it is, where that is seen, and the way out.

    `code` is that of the language it resembles, if it is one that is read here.
    """

    what: str
    start: int
    end: int
    advice: str
    code: str = "V1"


_Row = tuple[re.Pattern[str], str, str, str]
_MAGIC_BYTES: Final = BYTECODE_MAGIC.hex(" ")
_LINE: Final = r"(?>(?:\s++|(?://|;|#)[^\n]*+\n)*)"
"""White space and comments of any kind."""


def _row(pattern: str, what: str, advice: str, code: str = "V1") -> _Row:
    return re.compile(pattern), what, advice, code


_BEGINNINGS: Final = (
    _row(
        r"\W{0,4}TileIR(?!\w)",
        "Tile IR bytecode whose first bytes are damaged",
        f"bytecode begins with {_MAGIC_BYTES}; it must not be copied as text",
        "B1",
    ),
    _row(r"\x7fELF", "an object file", "give the text that it was compiled from"),
    _row(r"TWARTF\0", "a compiled program", "in Python, `tilewright.Program.from_bytes` loads it"),
    _row(r"\ufffdNUMPY", "an array in NumPy's format", "arrays are given with --arg NAME=FILE.npy"),
    _row(r"BC\ufffd\ufffd|ML\ufffdR", "LLVM bitcode or MLIR bytecode", "neither is read"),
    _row(r"PK\x03\x04|\x1f\ufffd", "a compressed file", "unpack it first"),
    _row(_LINE + r"(builtin\.module\s*\{\s*builtin\.kernel\b)", "tilewright's own IR", "`tilewright opt` reads it"),
    _row(_LINE + r"(\.version\s+\d|\.target\s+sm_)", "PTX", "it is what kernels are compiled to; give the kernel"),
)

_ANYWHERE: Final = (
    _row(
        r"\bcuda_tile\.\w+|\b(?:tile|tensor_view|partition_view)<|\b\w+_tko\b",
        "a part of a Tile IR module",
        "a module is written `cuda_tile.module @name { entry @kernel(..) { .. return } }`",
        "C1",
    ),
    _row(
        r"\bfunc\.func\b|\blinalg\.\w+|\barith\.\w+|\bgpu\.\w+",
        "a part of a module of MLIR",
        "a module begins with an alias, `module` or `func.func`",
        "M1",
    ),
    _row(r"\b__(?:global|device|kernel)(?:__)?\b|(?m:^#include\b)", "C, CUDA or OpenCL", "these are not read"),
    _row(r"(?m:^(?:import|from)\s+\w|^def\s+\w+\(|^@\w+\.\w+)", "Python", "`tilewright.interop` runs such kernels"),
)

_COMMENT: Final = re.compile(r"(?m:(?:;|//).*$)")
_FUNCTION: Final = re.compile(r"(?<![\w.])func\s+@")
_CONTROL: Final = re.compile("[\0-\x08\x0e-\x1a]")
_BEGINNING: Final = 1024
"""Characters among which there are control characters in a binary file."""
_PREFIX: Final = 1 << 16
"""Characters that are searched for words."""


def resembles(text: str) -> Likeness | None:
    """What a text looks like that is not valid in the tensor language; None if it may well be meant as such."""
    for pattern, what, advice, code in _BEGINNINGS:
        found = pattern.match(text)
        if found is not None:
            return Likeness(what, *found.span(found.lastindex or 0), advice, code)
    # Comments keep their length, so that places stay where they are.
    plain = _COMMENT.sub(lambda comment: " " * len(comment[0]), text[:_PREFIX])
    if _FUNCTION.search(plain) is not None:
        return None
    control = _CONTROL.search(text[:_BEGINNING])
    if control is not None:
        return Likeness(
            "a binary file", *control.span(), f"bytecode of Tile IR begins with {_MAGIC_BYTES}, texts are UTF-8"
        )
    for pattern, what, advice, code in _ANYWHERE:
        found = pattern.search(plain)
        if found is not None:
            return Likeness(what, *found.span(), advice, code)
    return None
