"""LLVM's code generators, one for each processor and level that was asked for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from tilewright.machine.llvm_binding import binding
from tilewright.machine.processor import Machine

if TYPE_CHECKING:
    from tilewright.machine.llvm_types import TargetMachine

_LEFT_OUT: Final = ("slsr", "nary-reassociate")
"""Passes that LLVM's back ends for GPUs alone run, by its names. They rewrite addresses so that ptxas makes the same
code of it with the same registers, and take a third of the time, two thirds of what has a thousand addresses."""


@cache
def initialize() -> None:
    """Make LLVM's back ends known to it, and what they leave out to all contexts that are made from then on."""
    llvm = binding()
    llvm.set_option("tilewright", f"-opt-disable={','.join(_LEFT_OUT)}")
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
