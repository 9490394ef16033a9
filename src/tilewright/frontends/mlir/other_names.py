"""Names under which texts know operations beside their own: without their dialect, and those of earlier versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_OF_INTEGERS: Final = "constant addi subi muli trunci cmpi index_cast bitcast"
_OF_FLOATS: Final = "addf subf mulf divf remf negf cmpf sitofp uitofp fptosi fptoui"
_STANDARD: Final[Mapping[str, str]] = {
    "return": "func.return",
    "call": "func.call",
    "br": "cf.br",
    "cond_br": "cf.cond_br",
    "select": "arith.select",
    **{name: f"arith.{name}" for name in f"{_OF_INTEGERS} {_OF_FLOATS}".split(" ")},
    "and": "arith.andi",
    "or": "arith.ori",
    "xor": "arith.xori",
    "shift_left": "arith.shli",
    "shift_right_signed": "arith.shrsi",
    "shift_right_unsigned": "arith.shrui",
    "divi_signed": "arith.divsi",
    "divi_unsigned": "arith.divui",
    "remi_signed": "arith.remsi",
    "remi_unsigned": "arith.remui",
    "sexti": "arith.extsi",
    "zexti": "arith.extui",
    "fpext": "arith.extf",
    "fptrunc": "arith.truncf",
    "absf": "math.absf",
    "ceilf": "math.ceil",
    "floorf": "math.floor",
    **{name: f"memref.{name}" for name in ("load", "store", "alloc", "alloca", "dealloc")},
}
"""Operations of the standard dialect, whose name texts may leave out. It was divided: arithmetic is elsewhere from
version 14 on, memory from version 12 on. Functions lack their dialect in today's texts too."""

SHORT: Final[Mapping[str, str]] = {"module": "builtin.module", "func": "func.func", **_STANDARD}
"""Names that may lack their dialect."""

FORMER: Final[Mapping[str, str]] = {
    "arith.maxf": "arith.maximumf",
    "arith.minf": "arith.minimumf",
    "math.abs": "math.absf",
    "builtin.func": "func.func",
    "linalg.init_tensor": "tensor.empty",
    **{f"std.{name}": now for name, now in _STANDARD.items()},
}
"""Names that earlier versions have for operations."""
