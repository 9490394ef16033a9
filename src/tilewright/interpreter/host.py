"""Memory of the program itself, scratch memory at addresses, and reports to the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from tilewright.diagnostics import Diagnostic, Severity
from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.printf import Printed, failed_assertion, formatted
from tilewright.dialects.reports import Check, Claim, Report, ReportKind, filled, of_work_group
from tilewright.dialects.statics import Global, GlobalAddress, Reserve
from tilewright.interpreter.addresses import Space
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.ir.core import Operation


def _space(name: str, data: bytes, alignment: int, readonly: bool) -> Space:
    memory = np.zeros(len(data) + alignment, np.uint8)
    skipped = -int(memory.__array_interface__["data"][0]) % alignment
    held = memory[skipped : skipped + len(data)]
    held[:] = np.frombuffer(data, np.uint8)
    return Space(name, int(held.__array_interface__["data"][0]), held, readonly)


def globals_of(kernel: Kernel) -> Mapping[str, tuple[int, Space]]:
    """Address and memory of each global of the kernel's module, with its first contents."""
    module = kernel.parent_op
    if module is None:
        return {}
    found: dict[str, tuple[int, Space]] = {}
    for op in module.regions[0].entry:
        if isinstance(op, Global):
            space = _space(f"@{op.sym_name}", bytes.fromhex(op.data), op.alignment, op.constant)
            found[op.sym_name] = (space.low, space)
    return found


def _global_address(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, GlobalAddress)
    w.values[op.out] = np.asarray(w.symbols[op.symbol][0], np.int64)


def _reserve(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, Reserve)
    space = _space("reserved memory", b"\xa5" * op.size, op.alignment, False)
    w.spaces.append(space)
    w.values[op.out] = np.asarray(space.low, np.int64)


def _report(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, Report)
    values = [np.asarray(w.scalar(v)) for v in op.values]
    _tell(w, op, [Printed(v.ravel("F").tolist(), v.shape[::-1], bits) for v, bits in zip(values, op.bits, strict=True)])


def _tell(w: WorkGroup, op: Report | Claim, values: Sequence[Printed]) -> None:
    if op.kind is ReportKind.PRINT:
        print(formatted(op.text, values), end="")
        return
    message = failed_assertion(op.text, values[0].zeros, w.group_id)
    w.failures.append(Diagnostic(Severity.ERROR, "R032", message, op.location))


def _claim(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, Claim)
    space = _space("a report", bytes(max(8 * op.words, 8)), 8, False)
    w.spaces.append(space)
    w.claims.append((op, space))
    w.values[op.out] = np.asarray(space.low, np.int64)


def tell_claims(w: WorkGroup) -> None:
    """What a work-group that is at its end has stored as its reports."""
    for op, space in w.claims:
        assert isinstance(op, Claim)
        assert isinstance(space, Space)
        values, offset = list[Printed](), 0
        for shape, is_float, bits in zip(op.shapes, op.floats, op.bits, strict=True):
            size = 8 * prod(shape)
            numbers = space.data[offset : offset + size].view(np.float64 if is_float else np.int64)
            values.append(Printed(numbers.tolist(), shape, bits))
            offset += size
        _tell(w, op, values)


def _check(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, Check)
    failing = w.active & ~w.spread(w.scalar(op.condition))
    if failing.any():
        first = int(np.argmax(failing))
        values = [int(w.spread(w.scalar(v))[first]) for v in op.values]
        fail(op.code, op.location, filled(op.text, values) + of_work_group(w.group_id))


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {GlobalAddress: _global_address, Reserve: _reserve, Report: _report, Claim: _claim, Check: _check}
