"""llvmlite with types: text to machine code, and machine code into this process.

llvmlite has no annotations, so the few functions used are described here as protocols; nothing else in the package
imports it for compiling. LLVM is initialised on first use. Every call takes llvmlite's one global lock.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class _Module(Protocol):
    def verify(self) -> None: ...


class _Machine(Protocol):
    def emit_object(self, module: _Module) -> bytes: ...
    def emit_assembly(self, module: _Module) -> str: ...


class _Target(Protocol):
    def create_target_machine(
        self, *, cpu: str, features: str, opt: int, reloc: str, codemodel: str, jit: bool
    ) -> _Machine: ...


class _TargetFactory(Protocol):
    def from_triple(self, triple: str) -> _Target: ...


class _Engine(Protocol): ...


class _Tracker(Protocol):
    def __getitem__(self, symbol: str) -> int: ...


class _LibraryBuilder(Protocol):
    def add_object_img(self, image: bytes) -> _LibraryBuilder: ...
    def add_current_process(self) -> _LibraryBuilder: ...
    def import_symbol(self, symbol: str, address: int) -> _LibraryBuilder: ...
    def export_symbol(self, symbol: str) -> _LibraryBuilder: ...
    def link(self, engine: _Engine, name: str) -> _Tracker: ...


class _FeatureMap(Protocol):
    def flatten(self) -> str: ...
    def items(self) -> Iterable[tuple[str, bool]]: ...


class _Binding(Protocol):
    Target: _TargetFactory

    def initialize_all_targets(self) -> None: ...
    def initialize_all_asmprinters(self) -> None: ...
    def initialize_native_asmparser(self) -> None: ...
    def parse_assembly(self, text: str) -> _Module: ...
    def get_process_triple(self) -> str: ...
    def get_host_cpu_features(self) -> _FeatureMap: ...
    def create_lljit_compiler(self, machine: _Machine, *, use_jit_link: bool = ...) -> _Engine: ...
    def JITLibraryBuilder(self) -> _LibraryBuilder: ...


@cache
def _binding() -> _Binding:
    binding = cast("_Binding", importlib.import_module("llvmlite.binding"))
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    binding.initialize_native_asmparser()
    return binding


class Compiler:
    """A target machine: `Compiler.host()`, or any triple, CPU name and feature string (`"+avx2,-avx512f"`)."""

    __slots__ = ("_machine",)

    def __init__(self, triple: str, cpu: str = "", features: str = "", opt: int = 2, *, jit: bool = False) -> None:
        target = _binding().Target.from_triple(triple)
        model = "jitdefault" if jit else "default"
        self._machine = target.create_target_machine(
            cpu=cpu, features=features, opt=opt, reloc="default", codemodel=model, jit=jit
        )

    @staticmethod
    def host(features: str | None = None, opt: int = 2, *, jit: bool = True) -> Compiler:
        """For this machine; `features` replaces what it has; without `jit` the code is for a linker."""
        flags = _binding().get_host_cpu_features().flatten() if features is None else features
        return Compiler(_binding().get_process_triple(), "", flags, opt, jit=jit)

    def object_code(self, text: str) -> bytes:
        """An object file; text that LLVM refuses is an error of ours and raises RuntimeError."""
        return self._machine.emit_object(_parsed(text))

    def assembly(self, text: str) -> str:
        """Assembly, PTX for NVPTX."""
        return self._machine.emit_assembly(_parsed(text))

    def engine(self) -> Engine:
        """An empty JIT for code of this machine."""
        return Engine(_binding().create_lljit_compiler(self._machine))


class Engine:
    """Holds object code in this process; one serves for any number of libraries."""

    __slots__ = ("_count", "_engine")

    def __init__(self, engine: _Engine) -> None:
        self._engine = engine
        self._count = 0

    def load(self, image: bytes, symbols: Sequence[str]) -> Library:
        """Link an object file against this process. An unresolved symbol raises RuntimeError."""
        builder = _binding().JITLibraryBuilder().add_object_img(image).add_current_process()
        for symbol in symbols:
            builder.export_symbol(symbol)
        self._count += 1
        return Library(builder.link(self._engine, f"library{self._count}"))


class Library:
    """Loaded code; the addresses hold as long as this object lives."""

    __slots__ = ("_tracker",)

    def __init__(self, tracker: _Tracker) -> None:
        self._tracker = tracker

    def address(self, symbol: str) -> int:
        """Where an exported symbol is."""
        return self._tracker[symbol]


def _parsed(text: str) -> _Module:
    module = _binding().parse_assembly(text)
    module.verify()
    unknown = str(module).find("; Unknown intrinsic")
    if unknown >= 0:
        raise RuntimeError(f"LLVM does not know an intrinsic: {str(module)[unknown : unknown + 200]}")
    return module


def host_features() -> Mapping[str, bool]:
    """LLVM's feature names of this machine, and whether it has them."""
    return dict(_binding().get_host_cpu_features().items())
