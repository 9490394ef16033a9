"""The part of `llvmlite.binding` that is used, with types, since llvmlite has none; for type checkers alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class FeatureMap(Protocol):
    """Feature names of a processor with their presence."""

    def items(self) -> Iterable[tuple[str, bool]]:
        """Names with presence."""
        ...


class Function(Protocol):
    """A function of a module, defined or declared; its `str` is its text."""

    @property
    def name(self) -> str:
        """What it is called, without `@`."""
        ...


class Module(Protocol):
    """A parsed module."""

    triple: str
    data_layout: str

    @property
    def functions(self) -> Iterable[Function]:
        """Those that it defines and declares."""
        ...

    def verify(self) -> None:
        """Raise RuntimeError if the module is malformed."""
        ...


class Context(Protocol):
    """What types and constants of modules live in; it goes with the last of them."""


class TargetMachine(Protocol):
    """A code generator."""

    @property
    def triple(self) -> str:
        """The triple it generates for."""
        ...

    @property
    def target_data(self) -> object:
        """The data layout; its `str` is the text of it."""
        ...

    def emit_object(self, module: Module) -> bytes:
        """Object code."""
        ...

    def emit_assembly(self, module: Module) -> str:
        """Assembly text."""
        ...


class Target(Protocol):
    """A back end."""

    def create_target_machine(self, *, cpu: str, features: str, opt: int, reloc: str, codemodel: str) -> TargetMachine:
        """A code generator of this back end."""
        ...


class TargetFactory(Protocol):
    """The class `Target` of the binding."""

    def from_triple(self, triple: str) -> Target:
        """The back end for a triple."""
        ...


class PassBuilder(Protocol):
    """Context of passes."""

    def getModulePassManager(self) -> PassManager:
        """The standard pipeline."""
        ...


class PassManager(Protocol):
    """A list of passes."""

    def run(self, module: Module, builder: PassBuilder) -> None:
        """Run them."""
        ...


class ResourceTracker(Protocol):
    """Keeps a linked library alive."""

    def __getitem__(self, symbol: str) -> int: ...


class Jit(Protocol):
    """An LLJIT."""


class LibraryBuilder(Protocol):
    """Collects what is linked into one JIT library."""

    def add_object_img(self, data: bytes) -> LibraryBuilder:
        """Add object code."""
        ...

    def add_current_process(self) -> LibraryBuilder:
        """Let symbols be found in the process."""
        ...

    def import_symbol(self, name: str, address: int) -> LibraryBuilder:
        """Define a symbol."""
        ...

    def export_symbol(self, name: str) -> LibraryBuilder:
        """Ask for a symbol's address."""
        ...

    def link(self, jit: Jit, name: str) -> ResourceTracker:
        """Link under a name that was never used before."""
        ...


class Binding(Protocol):
    """The module `llvmlite.binding`."""

    @property
    def Target(self) -> TargetFactory:
        """Back ends."""
        ...

    def JITLibraryBuilder(self) -> LibraryBuilder:
        """A library to be linked."""
        ...

    def initialize_all_targets(self) -> None:
        """Make the back ends known."""
        ...

    def initialize_all_asmprinters(self) -> None:
        """Make their code emission known."""
        ...

    def initialize_native_asmparser(self) -> None:
        """Make inline assembly usable."""
        ...

    def get_process_triple(self) -> str:
        """The triple of this process."""
        ...

    def get_host_cpu_name(self) -> str:
        """What LLVM takes the processor for."""
        ...

    def get_host_cpu_features(self) -> FeatureMap:
        """What the processor can do."""
        ...

    def set_option(self, name: str, option: str) -> None:
        """Set an option of LLVM's command line, for the process."""
        ...

    def create_context(self) -> Context:
        """A place for modules of its own."""
        ...

    def parse_assembly(self, text: str, context: Context | None = None) -> Module:
        """Parse IR, in the context that all share if none is given; RuntimeError on bad text."""
        ...

    def create_pipeline_tuning_options(self, *, speed_level: int) -> object:
        """Options of the standard pipeline."""
        ...

    def create_pass_builder(self, machine: TargetMachine, options: object) -> PassBuilder:
        """Context of passes for a code generator."""
        ...

    def create_new_module_pass_manager(self) -> PassManager:
        """An empty list of passes."""
        ...

    def create_lljit_compiler(self, machine: TargetMachine, *, use_jit_link: bool) -> Jit:
        """A JIT."""
        ...

    def load_library_permanently(self, name: str) -> None:
        """Open a shared library for the rest of the process."""
        ...
