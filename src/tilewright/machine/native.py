"""All that is asked of LLVM: text to object code or assembly, and object code to callable addresses.

No pass pipeline runs unless passes are named: the text that targets print is tiled and vectorised already, and the
standard pipeline costs several times the code generation without gain.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from tilewright.machine.elf import is_elf, undefined_symbols
from tilewright.machine.interruptible import interruptibly
from tilewright.machine.llvm_binding import LibraryBuilder, Module, ResourceTracker, TargetMachine, binding
from tilewright.machine.processor import Machine, machine
from tilewright.once import once

__all__ = ["InvalidIR", "LinkError", "LoadedObject", "assembly_of", "compile_text", "load_object", "open_library"]

# What LLVM itself may call for memory intrinsics, even in freestanding code.
_CODEGEN_SYMBOLS: Final = frozenset({"memcpy", "memmove", "memset", "memcmp"})
FUSED_MULTIPLY_ADDS: Final = frozenset({"fma", "fmaf"})
"""What LLVM calls for a fused multiply-add where the processor has no such instruction."""


class InvalidIR(ValueError):
    """LLVM refused a text; a bug of whoever printed it."""


class LinkError(RuntimeError):
    """Object code that cannot be loaded: a symbol is missing, or the bytes are no object."""


_PASSES: Final[Mapping[str, str]] = {
    "always-inline": "add_always_inliner_pass",
    "sroa": "add_sroa_pass",
    "instcombine": "add_instruction_combine_pass",
    "simplifycfg": "add_simplify_cfg_pass",
    "gvn": "add_new_gvn_pass",
    "dce": "add_dead_code_elimination_pass",
    "loop-simplify": "add_loop_simplify_pass",
    "loop-rotate": "add_loop_rotate_pass",
    "loop-unroll": "add_loop_unroll_pass",
    "globaldce": "add_global_dead_code_eliminate_pass",
}
_PIPELINES: Final[Mapping[str, int]] = {"O1": 1, "O2": 2, "O3": 3}


@cache
def _initialize() -> None:
    llvm = binding()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    # without the parser, inline assembly aborts the process
    llvm.initialize_native_asmparser()


@cache
def _target_machine(target: Machine, optimisation: int) -> TargetMachine:
    _initialize()
    # Position-independent code in the small model serves the JIT and the system linker alike.
    return (
        binding()
        .Target.from_triple(target.triple)
        .create_target_machine(
            cpu=target.cpu, features=target.features, opt=optimisation, reloc="pic", codemodel="small"
        )
    )


def compile_text(
    text: str, target: Machine | None = None, *, passes: Sequence[str] = (), optimisation: int = 3
) -> bytes:
    """Object code of LLVM IR for a machine (the host if none is given).

    `passes` are run in order: names of single passes or one of the standard pipelines O1, O2, O3. `optimisation` is the
    level of code generation. Raises `InvalidIR`, and what a signal handler raises meanwhile (KeyboardInterrupt).
    """

    def generate() -> bytes:
        engine = _target_machine(target or machine(), optimisation)
        return engine.emit_object(_parsed(text, engine, passes))

    return interruptibly(generate)


def assembly_of(text: str, target: Machine | None = None, *, passes: Sequence[str] = (), optimisation: int = 3) -> str:
    """As `compile_text`, but assembly; for a GPU that is PTX."""

    def generate() -> str:
        engine = _target_machine(target or machine(), optimisation)
        module = _parsed(text, engine, passes)
        printed = str(module)
        # In assembly it would be a call like any other; object code with one does not link.
        unknown = printed.find("; Unknown intrinsic")
        if unknown >= 0:
            raise InvalidIR(f"LLVM does not know an intrinsic: {printed[unknown : unknown + 200]}")
        return engine.emit_assembly(module)

    return interruptibly(generate)


def _parsed(text: str, engine: TargetMachine, passes: Sequence[str]) -> Module:
    """The verified module of a text, after the passes."""
    if "\0" in text:
        raise InvalidIR(f"the text holds a NUL byte at offset {text.index(chr(0))}, behind which LLVM would ignore it")
    try:
        module = binding().parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise InvalidIR(f"LLVM refused the text: {str(error).strip()}") from None
    module.triple = engine.triple
    module.data_layout = str(engine.target_data)
    for name in passes:
        _run_pass(name, module, engine)
    return module


def _run_pass(name: str, module: Module, engine: TargetMachine) -> None:
    llvm = binding()
    level = _PIPELINES.get(name)
    builder = llvm.create_pass_builder(engine, llvm.create_pipeline_tuning_options(speed_level=level or 0))
    if level is not None:
        builder.getModulePassManager().run(module, builder)
        return
    add = _PASSES.get(name)
    if add is None:
        raise ValueError(f"unknown pass {name!r}; there are {', '.join([*_PASSES, *_PIPELINES])}")
    manager = llvm.create_new_module_pass_manager()
    getattr(manager, add)()
    manager.run(module, builder)


class LoadedObject:
    """Object code in this process; its addresses are valid as long as this object lives."""

    def __init__(self, tracker: ResourceTracker, addresses: Mapping[str, int]) -> None:
        self._tracker = tracker
        self._addresses = addresses

    def address(self, symbol: str) -> int:
        """Where an exported symbol lies."""
        return self._addresses[symbol]


class _Linker:
    """The one JIT of a process; library names are never used twice."""

    def __init__(self) -> None:
        self._jit = binding().create_lljit_compiler(_target_machine(machine(), 3), use_jit_link=True)
        self._serial = itertools.count()

    def link(self, builder: LibraryBuilder) -> ResourceTracker:
        return builder.link(self._jit, f"tilewright.{next(self._serial)}")


@once
def _linker() -> _Linker:
    return _Linker()


def load_object(
    data: bytes,
    exports: Iterable[str],
    *,
    symbols: Mapping[str, int] | None = None,
    process_symbols: bool = False,
) -> LoadedObject:
    """Load object code and find its exports.

    Undefined symbols are bound to `symbols`, fused multiply-adds to libm's, and only if `process_symbols` says so to
    what the process exports: libm, or a library opened with `open_library`. Whatever stays unresolved is a `LinkError`
    that names it.
    """
    wanted = tuple(dict.fromkeys(exports))
    given = dict(symbols or {})
    if not process_symbols and is_elf(data):
        unresolved = _unresolved(data, given)
        given |= _fused(unresolved & FUSED_MULTIPLY_ADDS)
        if unresolved - FUSED_MULTIPLY_ADDS:
            names = ", ".join(sorted(unresolved - FUSED_MULTIPLY_ADDS))
            raise LinkError(f"object code refers to symbols that nothing defines: {names}")
    builder = binding().JITLibraryBuilder().add_object_img(data)
    for name in wanted:
        builder.export_symbol(name)
    for name, address in given.items():
        builder.import_symbol(name, address)
    if process_symbols:
        builder.add_current_process()
    try:
        tracker = _linker().link(builder)
    except RuntimeError as error:
        raise LinkError(f"object code cannot be loaded: {str(error).strip()}") from None
    return LoadedObject(tracker, {name: tracker[name] for name in wanted})


def _unresolved(data: bytes, given: Mapping[str, int]) -> frozenset[str]:
    try:
        return undefined_symbols(data) - given.keys() - _CODEGEN_SYMBOLS - {"_GLOBAL_OFFSET_TABLE_"}
    except ValueError as error:
        raise LinkError(f"object code cannot be loaded: {error}") from None


def _fused(names: Iterable[str]) -> Mapping[str, int]:
    """Addresses of libm's functions; they round once, as the instruction does."""
    found = {name: ctypes.cast(getattr(_libm(), name), ctypes.c_void_p).value for name in names}
    return {name: address for name, address in found.items() if address is not None}


@cache
def _libm() -> ctypes.CDLL:
    return ctypes.CDLL(ctypes.util.find_library("m"))


def open_library(name: str) -> bool:
    """Open a shared library so that `process_symbols` can bind to it; False if this machine does not have it."""
    _initialize()
    try:
        binding().load_library_permanently(name)
    except RuntimeError:
        return False
    return True
