"""What the NVIDIA target can and cannot do, asked before anything is emitted.

LLVM's NVPTX back end ends the *process* on what it cannot select. So kernels are checked against the limits of the
machine first, with diagnostics that point into the source, and the finished text is checked once more against the table
of constructs known to be fatal: a hit there is a fault of the compiler, and an exception instead of an abort.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from tilewright.diagnostics import Diagnostic, Location, Report
from tilewright.dialects.builtin import Kernel

UNSUPPORTED_CODE: Final = "T003"
LIMIT_CODE: Final = "T004"

SUBGROUP_SIZES: Final = (1, 2, 4, 8, 16, 32)
MAX_THREADS: Final = 1024
MAX_PARAMETER_BYTES: Final = 4096
MAX_SUBGROUP_INSTRUCTIONS: Final = 8192


class PtxError(RuntimeError):
    """LLVM text that does not parse or does not become valid PTX: a fault of the compiler, not of the user's kernel."""


class Fatal(Struct, frozen=True):
    """A construct that NVPTX cannot select: how it looks in LLVM text, and what happens."""

    pattern: re.Pattern[str]
    consequence: str


def _intrinsics(names: str, types: str = r"\w+") -> re.Pattern[str]:
    return re.compile(rf"@llvm\.(?:{names})\.{types}\(")


# what looks behind itself begins with letters, which are found fast: texts have megabytes
FATAL: Final = (
    Fatal(_intrinsics("sin|cos|tan|sincos|asin|acos|atan|atan2|sinh|cosh|tanh"), "cannot select"),
    Fatal(_intrinsics("pow|powi|exp|exp10|log|log2|log10|ldexp|frexp|modf"), "a call of a library that is not there"),
    Fatal(_intrinsics("exp2", "f64"), "a call of a library that is not there"),
    Fatal(re.compile(r"fp(?:128|80)\b(?:(?<=\bfp128)|(?<=\bx86_fp80)|(?<=\bppc_fp128))"), "cannot select"),
    Fatal(re.compile(r"= frem "), "an inexact expansion"),
    Fatal(re.compile(r"i(?<![\w.%@:-]i)(?!128\b)(?:6[5-9]|[7-9]\d|\d{3,})\b"), "no integers of that width"),
)


def check_selectable(text: str) -> None:
    """Raise `PtxError` if LLVM text holds what would end the process in code generation."""
    if "\0" in text:
        raise PtxError("LLVM text holds a NUL byte")
    for fatal in FATAL:
        if found := fatal.pattern.search(text):
            raise PtxError(f"{found[0]!r} in the generated text: {fatal.consequence} on NVPTX")


def check_geometry(kernel: Kernel, report: Report) -> None:
    """The sizes of subgroup and work-group must be chosen and fit the device."""
    size, shape = kernel.subgroup_size, kernel.work_group_size
    if size is None or shape is None:
        refuse(report, kernel.location, f"kernel {kernel.sym_name} has no subgroup and work-group size yet")
        return
    if size not in SUBGROUP_SIZES:
        limit(report, kernel.location, f"subgroup size {size} does not exist on NVIDIA devices").hint(
            f"use one of {', '.join(map(str, SUBGROUP_SIZES))}; 32 is the size of a warp"
        )
    elif shape[0] % size:
        limit(report, kernel.location, f"{shape[0]} work-items do not divide into subgroups of {size}")
    if not 0 < shape[0] * shape[1] <= MAX_THREADS:
        threads = f"{shape[0]} x {shape[1]}"
        limit(report, kernel.location, f"a work-group of {threads} work-items exceeds the {MAX_THREADS} of a block")


def check_parameters(kernel: Kernel, report: Report, parameter_bytes: int) -> None:
    """Parameters must fit."""
    if parameter_bytes > MAX_PARAMETER_BYTES:
        limit(
            report, kernel.location, f"{parameter_bytes} bytes of parameters exceed the {MAX_PARAMETER_BYTES} possible"
        )


def refuse(report: Report, location: Location, message: str) -> Diagnostic:
    """Report something that this target does not do."""
    return report.error(UNSUPPORTED_CODE, location, message)


def limit(report: Report, location: Location, message: str) -> Diagnostic:
    """Report a size beyond the machine."""
    return report.error(LIMIT_CODE, location, message)
