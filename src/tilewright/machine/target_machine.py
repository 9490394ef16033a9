"""LLVM's code generators, one for each processor and level that was asked for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tilewright.machine.llvm_binding import binding
from tilewright.machine.processor import Machine

if TYPE_CHECKING:
    from tilewright.machine.llvm_types import TargetMachine


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
