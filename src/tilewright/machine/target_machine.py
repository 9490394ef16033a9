"""LLVM's code generators, one for each processor and level that was asked for, and what their modules live in."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from tilewright.machine.llvm_binding import binding
from tilewright.machine.processor import Machine, machine
from tilewright.once import once

if TYPE_CHECKING:
    from tilewright.machine.llvm_types import Context, TargetMachine

_LEFT_OUT: Final = "Loop Strength Reduction"
"""The pass, by its name, of machines that reduce no loops."""


@cache
def initialize() -> None:
    """Make LLVM's back ends known to it."""
    llvm = binding()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    # without the parser, inline assembly aborts the process
    llvm.initialize_native_asmparser()


@cache
def target_machine(target: Machine, optimisation: int) -> TargetMachine:
    """The code generator for a machine, at a level of optimisation from 0 to 3."""
    initialize()
    # Position-independent code in the small model serves the JIT and the system linker alike.
    return (
        binding()
        .Target.from_triple(target.triple)
        .create_target_machine(
            cpu=target.cpu, features=target.features, opt=optimisation, reloc="pic", codemodel="small"
        )
    )


def context_of(target: Machine) -> Context | None:
    """What the module of a text for a machine is to live in; None is the context that all share."""
    if target.reduces_loops:
        return None
    _leave_out_from_now_on()
    return binding().create_context()


@once
def _leave_out_from_now_on() -> None:
    """Have LLVM leave out passes in contexts that are made from now on.

    The option is one of the process, but a context reads it only once: when the first pass runs over a module in it.
    The shared one does so here before, so that other code and other users of LLVM in this process keep all passes.
    """
    llvm = binding()
    initialize()
    shared = llvm.parse_assembly("define void @nothing() { ret void }")
    target_machine(machine(), 1).emit_object(shared)
    llvm.set_option("tilewright", f"-opt-disable={_LEFT_OUT}")
