"""CUDA Tile IR, as text and as bytecode."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.frontends.recognise import is_tile_ir
from tilewright.languages.language import Form, Language, LanguageOption, NotOffered, ReadOptions, Std

if TYPE_CHECKING:
    from tilewright.dialects.builtin import Module
    from tilewright.dialects.cuda_tile.core import TileModule
    from tilewright.ir.passes import Pass
    from tilewright.program import Program


class TileIR(Language):
    """Bytecode, and texts that begin as Tile IR does."""

    name: ClassVar[str] = "Tile IR"
    forms: ClassVar[tuple[str, ...]] = ("text", "bytecode")
    translates: ClassVar[bool] = True
    versions: ClassVar[tuple[str, ...]] = ("13.1", "13.2", "13.3", "13.4")
    options: ClassVar[tuple[LanguageOption, ...]] = (
        LanguageOption("extents", ("powers", "any"), "Which extents tiles of Tile IR texts have: powers of two."),
    )

    def recognises(self, source: Source | Binary, std: Std) -> bool:
        return isinstance(source, Binary) or (std == "auto" and is_tile_ir(source.text))

    def read(self, source: Source | Binary, report: Report, options: ReadOptions) -> Module:
        from tilewright.frontends.tile_ir import program_of, read_tile_ir
        from tilewright.ir.mlir.limits import Limits

        limits = Limits(any_extents=options.chosen.get("extents") == "any")
        return program_of(read_tile_ir(source, report, limits))

    def passes(self) -> list[Pass]:
        from tilewright.transforms.lower_tile_ir import LowerTileIR

        return [LowerTileIR()]

    def interpret(self, module: Module, text: str | None, checked: bool, report: Report) -> Program:
        from tilewright.interpreter.tile_ir.program import interpreted_tile_module

        return interpreted_tile_module(_unit(module), text, checked, report)

    def format(self, source: Source, report: Report, std: Std) -> str:
        from tilewright.frontends.tile_ir import format_source

        return format_source(source, report)

    def translate(self, module: Module, form: Form) -> bytes:
        if form.name == "text":
            if form.version is not None:
                raise NotOffered("only bytecode has versions; ask for bytecode, or for text without a version")
            from tilewright.frontends.tile_ir import print_module

            return print_module(_unit(module), debug=form.locations).encode()
        from tilewright.dialects.cuda_tile.rules_symbols import legal_types
        from tilewright.dialects.cuda_tile.types import Version
        from tilewright.frontends.tile_ir.bytecode import lowest_version, write

        unit, report = _unit(module), Report()
        legal_types(unit, report)
        if report.diagnostics:
            raise NotOffered(f"bytecode has no tiles of any extents: {report.diagnostics[0].message}")
        if form.version is None:
            return write(unit, lowest_version(unit))
        if form.version not in self.versions:
            raise NotOffered(f"there is no bytecode {form.version}; there are {', '.join(self.versions)}")
        return write(unit, Version(self.versions.index(form.version) + 1))


def _unit(module: Module) -> TileModule:
    from tilewright.dialects.cuda_tile.core import TileModule

    unit = module.body.entry.first
    assert isinstance(unit, TileModule), "what `read` gives holds one compilation unit"
    return unit
