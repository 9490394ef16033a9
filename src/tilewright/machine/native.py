"""Text to object code or assembly by LLVM, and object code to callable addresses.

No pass pipeline runs unless passes are named: the text that targets print is tiled and vectorised already, and the
standard pipeline costs several times the code generation without gain.
"""

from __future__ import annotations

import ctypes
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from tilewright.machine.elf import ElfObject, ObjectFormatError, is_elf, read_object
from tilewright.machine.interruptible import interruptibly
from tilewright.machine.llvm_binding import binding
from tilewright.machine.llvm_linker import link_with_llvm
from tilewright.machine.loaded import LinkError, LoadedObject
from tilewright.machine.loader import link
from tilewright.machine.processor import Machine, machine
from tilewright.machine.relocations import UnsupportedObject
from tilewright.machine.system import is_linux_on_x86_64
from tilewright.machine.target_machine import context_of, initialize, target_machine

if TYPE_CHECKING:
    from tilewright.machine.llvm_types import Context, Module, TargetMachine

__all__ = [
    "InvalidIR",
    "LinkError",
    "LinkerWarning",
    "LoadedObject",
    "assembly_of",
    "compile_text",
    "load_object",
    "open_library",
    "unknown_intrinsics",
]

FUSED_MULTIPLY_ADDS: Final = frozenset({"fma", "fmaf"})
"""What LLVM calls for a fused multiply-add where the processor has no such instruction."""
# and for memory intrinsics, even in freestanding code
_PERMITTED: Final = FUSED_MULTIPLY_ADDS | {"memcpy", "memmove", "memset", "memcmp"}
_OFFSET_TABLE: Final = "_GLOBAL_OFFSET_TABLE_"
"""What each linker makes for itself."""


class InvalidIR(ValueError):
    """LLVM refused a text; a bug of whoever printed it."""


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
# what begins with letters is found fast: texts have megabytes
_INTRINSIC: Final = re.compile(r"declare (?<=^declare )[^\n]*@llvm\.[^\n]*", re.MULTILINE)
_PIPELINES: Final[Mapping[str, int]] = {"O1": 1, "O2": 2, "O3": 3}


def compile_text(
    text: str, target: Machine | None = None, *, passes: Sequence[str] = (), optimisation: int = 3
) -> bytes:
    """Object code of LLVM IR for a machine (the host if none is given).

    `passes` are run in order: names of single passes or one of the standard pipelines O1, O2, O3. `optimisation` is the
    level of code generation. Raises `InvalidIR`, and what a signal handler raises meanwhile (KeyboardInterrupt).
    """

    def generate() -> bytes:
        chosen = target or machine()
        engine = target_machine(chosen, optimisation)
        return engine.emit_object(_parsed(text, engine, context_of(chosen), passes))

    return interruptibly(generate)


def assembly_of(text: str, target: Machine | None = None, *, passes: Sequence[str] = (), optimisation: int = 3) -> str:
    """As `compile_text`, but assembly; for a GPU that is PTX."""

    def generate() -> str:
        chosen = target or machine()
        engine = target_machine(chosen, optimisation)
        context = context_of(chosen)
        module = _parsed(text, engine, context, passes)
        # In assembly it would be a call like any other; object code with one does not link. LLVM numbers all values of
        # a module for each function that it prints: here those of the declarations alone.
        for unknown in unknown_intrinsics(binding().parse_assembly("\n".join(_INTRINSIC.findall(text)), context)):
            raise InvalidIR(f"LLVM does not know an intrinsic: {unknown}")
        return engine.emit_assembly(module)

    return interruptibly(generate)


def unknown_intrinsics(module: Module) -> Iterator[str]:
    """The declarations of functions that are called like intrinsics and are none."""
    for function in module.functions:
        if function.name.startswith("llvm.") and "; Unknown intrinsic" in (printed := str(function)):
            yield printed.strip()


def _parsed(text: str, engine: TargetMachine, context: Context | None, passes: Sequence[str]) -> Module:
    """The verified module of a text, after the passes."""
    if "\0" in text:
        raise InvalidIR(f"the text holds a NUL byte at offset {text.index(chr(0))}, behind which LLVM would ignore it")
    try:
        module = binding().parse_assembly(text, context)
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


class LinkerWarning(UserWarning):
    """Our own loader does not know what an object asks for, so LLVM's linker was taken; the result is the same."""


def load_object(
    data: bytes,
    exports: Iterable[str],
    *,
    symbols: Mapping[str, int] | None = None,
    process_symbols: bool = False,
) -> LoadedObject:
    """Load object code and find its exports: by `loader` where that knows the system, else by LLVM's linker.

    Undefined symbols are bound to `symbols`, fused multiply-adds to libm's, and only if `process_symbols` says so to
    what the process exports: libm, or a library opened with `open_library`. Whatever stays unresolved is a `LinkError`
    that names it.
    """
    wanted = tuple(dict.fromkeys(exports))
    given = dict(symbols or {})
    if is_elf(data):
        try:
            found = read_object(data)
            given |= addresses_outside(found, given, process_symbols=process_symbols)
            if is_linux_on_x86_64():
                return link(found, wanted, given)
        except ObjectFormatError as error:
            raise LinkError(f"object code cannot be loaded: {error}") from None
        except UnsupportedObject as error:
            message = f"object code is linked by LLVM, since it is not what tilewright's own loader knows: {error}"
            warnings.warn(message, LinkerWarning, stacklevel=2)
    return link_with_llvm(data, wanted, given, process_symbols=process_symbols)


def addresses_outside(found: ElfObject, given: Collection[str], *, process_symbols: bool = False) -> Mapping[str, int]:
    """Addresses of what an object refers to and neither it nor the caller defines. Raises `LinkError`."""
    names = {symbol.name for symbol in found.symbols if symbol.is_undefined} - set(given) - {_OFFSET_TABLE}
    addresses: dict[str, int] = {}
    for name in sorted(names):
        library = _libm() if name in FUSED_MULTIPLY_ADDS else ctypes.CDLL(None)
        function = getattr(library, name, None) if process_symbols or name in _PERMITTED else None
        address = None if function is None else ctypes.cast(function, ctypes.c_void_p).value
        if address is not None:
            addresses[name] = address
    if names - addresses.keys():
        absent = ", ".join(sorted(names - addresses.keys()))
        raise LinkError(f"object code refers to symbols that nothing defines: {absent}")
    return addresses


@cache
def _libm() -> ctypes.CDLL:
    """The library of `FUSED_MULTIPLY_ADDS`; they round once, as the instruction does."""
    # takes a while to import
    from ctypes.util import find_library

    return ctypes.CDLL(find_library("m"))


def open_library(name: str) -> bool:
    """Open a shared library so that `process_symbols` can bind to it; False if this machine does not have it."""
    initialize()
    try:
        binding().load_library_permanently(name)
    except RuntimeError:
        return False
    return True
