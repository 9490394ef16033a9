"""Programs whose Tile IR kernels the interpreter runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.artifacts.artifact import Artifact
from tilewright.artifacts.parameters import (
    DTYPE_BYTES,
    MAX_GROUPS,
    KernelInfo,
    Parameter,
    PointerParameter,
    ScalarParameter,
)
from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import types as t
from tilewright.dialects.cuda_tile.conversions import PtrToInt
from tilewright.dialects.cuda_tile.core import Entry, TileModule
from tilewright.frontends.tile_ir import print_module
from tilewright.interpreter.program import as_numpy, passed_scalar
from tilewright.interpreter.tile_ir.engine import Argument, GlobalMemory, run_entry
from tilewright.interpreter.tile_ir.memory import AddressTable
from tilewright.ir.core import BlockArgument
from tilewright.ir.printer import print_op
from tilewright.program import Program
from tilewright.runtime.argument_checks import ArgumentChecks
from tilewright.runtime.launcher import Launcher
from tilewright.transforms.signature import pointer_is_nullable, written_through


def interpreted_tile_module(
    module: TileModule, text: str | None, checked: bool, report: Report | None = None
) -> Program:
    """A program that runs a verified module in the interpreter; without a text, the module says what its source is.

    Its globals live as long as the program.
    """
    report = report or Report()
    entries = {entry.sym_name: entry for entry in module.entries}
    infos = tuple(_info(entry) for entry in module.entries)
    texts: dict[str, Callable[[], str]] = {
        "source": lambda: print_module(module) if text is None else text,
        "ir": lambda: print_op(module),
    }
    memory = GlobalMemory(module)

    def launcher(info: KernelInfo) -> Launcher:
        return _InterpretedEntry(entries[info.name], info, checked, memory)

    artifact = Artifact("interpreter", infos, b"")
    return Program(artifact, launcher, texts, lambda: tuple(report.in_order))


def _info(entry: Entry) -> KernelInfo:
    parameters = tuple(_parameter(argument) for argument in entry.body.entry.arguments)
    return KernelInfo(entry.sym_name, entry.sym_name, parameters, facts={MAX_GROUPS: str(t.MAX_TILE_BLOCKS)})


def _parameter(argument: BlockArgument) -> Parameter:
    assert isinstance(argument.type, t.Tile)
    element, name = argument.type.element, argument.name or f"arg{argument.index}"
    if isinstance(element, t.Pointer):
        nullable = pointer_is_nullable(argument, lambda op: isinstance(op, PtrToInt))
        return PointerParameter(name, _dtype(element.pointee), written_through(argument), nullable)
    return ScalarParameter(name, _dtype(element))


def _dtype(element: t.ElementType) -> str:
    """The name of an element type in signatures; one that has none there is told by its bytes."""
    if element is t.I1:
        return "bool"
    return element.name if element.name in DTYPE_BYTES else "i8"


class _InterpretedEntry:
    """Checks arguments as a compiled kernel does, then interprets."""

    def __init__(self, entry: Entry, info: KernelInfo, checked: bool, memory: GlobalMemory) -> None:
        self.entry = entry
        self.info = info
        self.checked = checked
        self.memory = memory
        self.checks = ArgumentChecks(info)

    def __call__(self, grid: tuple[int, int, int], arguments: Sequence[object]) -> None:
        parameters = self.info.parameters
        # A table of the interpreter's own stands for a pointer to its words.
        self.checks.values([a.words if isinstance(a, AddressTable) else a for a in arguments], grid)
        values = [_argument(p, a) for p, a in zip(parameters, arguments, strict=True)]
        run_entry(self.entry, values, grid, checked=self.checked, global_memory=self.memory)


def _argument(parameter: Parameter, argument: object) -> Argument:
    if isinstance(argument, AddressTable):
        return argument
    if isinstance(parameter, ScalarParameter):
        return passed_scalar(parameter, argument)
    return as_numpy(argument)
