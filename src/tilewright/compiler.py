"""From text to artefact: read, verify, run the target's passes, generate code; by way of the cache."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.dialects.builtin import Module
from tilewright.frontends.recognise import is_tile_ir
from tilewright.ir.core import Operation
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.verifier import verify

if TYPE_CHECKING:
    from tilewright.dialects.cuda_tile.core import TileModule
    from tilewright.targets.artifact import Artifact
    from tilewright.targets.target import Target

Std = Literal["auto", "old", "new"]
"""Which tensor language a text is in; `auto` recognises it, and Tile IR too."""


def _no_definitions() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """How to compile; everything here is part of the cache key.

    `level` 0 runs no optimisation, 2 all of it. `definitions` are values for `$name`s of the tensor language.
    `verify_each` checks the IR after every pass. `std` says which tensor language the text is in.
    """

    level: int = 2
    definitions: Mapping[str, str] = field(default_factory=_no_definitions)
    verify_each: bool = False
    std: Std = "auto"


def read_tile_ir(source: Source | Binary, report: Report) -> TileModule:
    """Read and verify Tile IR, text or bytecode; warnings stay in `report`. Raises `CompileError` if it is invalid."""
    if isinstance(source, Binary):
        from tilewright.frontends.tile_ir.bytecode import read_verified

        return read_verified(source, report)
    from tilewright.frontends.tile_ir import parse

    module = parse(source, report)
    report.raise_if_errors()
    assert module is not None, "a text that cannot be read is reported"
    verify(module, report)
    report.raise_if_errors()
    return module


def is_tile_ir_source(source: Source | Binary, std: Std = "auto") -> bool:
    """Whether something is to be read as Tile IR."""
    return isinstance(source, Binary) or (std == "auto" and is_tile_ir(source.text))


@contextmanager
def stack_suffices(module: Operation, report: Report) -> Generator[None]:
    """Passes and code generation descend into regions by recursion: that these are too deep is told as an error."""
    try:
        yield
    except RecursionError:
        report.error("T007", module.location, "regions are nested too deeply to be compiled")
        report.raise_if_errors()


def _from_tile_ir(source: Source | Binary, report: Report) -> Module:
    from tilewright.transforms.lower_tile_ir import lower_tile_ir

    module = read_tile_ir(source, report)
    with stack_suffices(module, report):
        return lower_tile_ir(module)


def read_module(
    source: Source | Binary, report: Report, definitions: Mapping[str, str] | None = None, std: Std = "auto"
) -> Module:
    """Read and verify a program; warnings stay in `report`. Raises `CompileError` if it is invalid.

    A `Binary` is bytecode of Tile IR.
    """
    from tilewright.frontends.standard import Standard, read_language

    if isinstance(source, Binary) or is_tile_ir_source(source, std):
        return _from_tile_ir(source, report)
    module = read_language(source, report, definitions, None if std == "auto" else Standard(std))
    report.raise_if_errors()
    verify(module, report)
    report.raise_if_errors()
    return module


def lower_module(
    module: Module,
    target: Target,
    options: CompileOptions,
    report: Report,
    print_after: Callable[[str, str], None] | None = None,
) -> PassManager:
    """Run the target's passes over a verified program in place; the pass manager, for its timings."""
    manager = PassManager(target.passes(options.level), options.verify_each, print_after)
    with stack_suffices(module, report):
        manager.run(module, PassContext(report))
    return manager


@contextmanager
def uncollected() -> Generator[None]:
    """Without the cyclic garbage collector: the IR is a large web of objects that all live until code is generated,
    and walking it again and again would take longer than the passes."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def compile_module(module: Module, target: Target, options: CompileOptions, report: Report) -> Artifact:
    """Lower a verified program and generate its code. Raises `CompileError`."""
    with uncollected():
        lower_module(module, target, options, report)
        with stack_suffices(module, report):
            artifact = target.generate(module, report, options.level)
            report.raise_if_errors()
            return artifact
