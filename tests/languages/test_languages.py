"""One door for every language: recognition, the passes to the shared dialects, what a language does not offer."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilewright.compile_options import CompileOptions
from tilewright.compiler import pipeline, read_module, read_source
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.printer import print_op
from tilewright.languages import LANGUAGES, Form, NotOffered, language_of
from tilewright.targets import find_target

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
TENSOR: Final = Source("k.tl", "func @f(%x: f32, %A: memref<f32x4>) {\n  axpby.n %x, %A, %x, %A\n}\n")
TLX: Final = Source(
    "k.ll",
    "define void @k(ptr %a, ptr %b) {\n"
    "  %v = load <4 x float>, ptr %a, align 4\n"
    "  store <4 x float> %v, ptr %b, align 4\n"
    "  ret void\n"
    "}\n",
)
TILE: Final = Source("k.tileir", (EXAMPLES / "softmax.tileir").read_text())
PRINTED: Final = Path(__file__).parents[1] / "frontends" / "mlir" / "printed"
MLIR: Final = Source("k.mlir", (PRINTED / "matmul.generic.mlir").read_text())


def test_sources_are_recognised_by_their_content() -> None:
    assert language_of(MLIR).name == "MLIR"
    assert language_of(TENSOR).name == "the tensor language"
    assert language_of(TILE).name == "Tile IR"
    assert language_of(Binary("k", b"\x7fTileIR\0")).name == "Tile IR"
    assert language_of(TILE, "new").name == "the tensor language"
    assert language_of(TLX).name == "TLX"
    assert (
        language_of(Source("k", "for (int i = 0; i < 4; i++)\n  %t = call token @llvm.tensor.load(..)")).name == "TLX"
    )
    assert language_of(Source("k", "func @f() { ; @llvm.tensor.load\n}")).name == "the tensor language"


def test_the_lowering_of_tile_ir_is_a_pass_of_the_pipeline() -> None:
    names = [step.name for step in pipeline(TILE, find_target("cpu:generic"), CompileOptions())]
    assert names[0] == "lower-tile-ir"
    assert "lower-tile-ir" not in [s.name for s in pipeline(TENSOR, find_target("cpu:generic"), CompileOptions())]


def test_what_was_read_is_lowered_by_its_passes() -> None:
    module = read_source(TILE, Report())
    assert "cuda_tile.module" in print_op(module)
    PassManager(language_of(TILE).passes(), verify_each=True).run(module, PassContext())
    assert "cuda_tile." not in print_op(module)
    assert print_op(module) == print_op(read_module(TILE, Report()))


def test_mlir_is_lowered_by_a_pass_of_the_pipeline() -> None:
    names = [step.name for step in pipeline(MLIR, find_target("cpu:generic"), CompileOptions())]
    assert names[0] == "lower-mlir"
    assert "linalg." not in print_op(read_module(MLIR, Report()))


@pytest.mark.parametrize("source", [TENSOR, TILE, TLX, MLIR], ids=["tensor", "tile", "tlx", "mlir"])
def test_every_language_formats_and_interprets(source: Source) -> None:
    language, report = language_of(source), Report()
    text = language.format(source, report, "auto")
    assert language.format(Source("again", text), report, "auto") == text
    program = language.interpret(read_source(source, report), source.text, False, report)
    assert program.target == "interpreter"
    assert program.text("source") == source.text


def test_forms_go_round() -> None:
    language = language_of(TILE)
    module = read_source(TILE, Report())
    data = language.translate(module, Form("bytecode"))
    assert language.recognises(Binary("k", data), "auto")
    back = read_source(Binary("k", data), Report())
    assert language.translate(back, Form("bytecode")) == data
    text = language.translate(back, Form("text")).decode()
    assert language.translate(read_source(Source("k.tileir", text), Report()), Form("bytecode")) == data


def test_branches_are_lifted_by_the_passes_of_the_language() -> None:
    lines = (
        "define void @k(i1 %c, ptr %p) {",
        "br i1 %c, label %x, label %y",
        "x:",
        "store i8 1, ptr %p",
        "br label %y",
    )
    text = "\n".join([*lines, "y:", "ret void", "}", ""])
    module = read_source(Source("k.ll", text), Report())
    assert "cf.cond_br" in print_op(module)
    PassManager(language_of(TLX).passes(), verify_each=True).run(module, PassContext())
    assert "cf.br" not in print_op(module)
    assert "scf.if" in print_op(module)


def test_canonical_tlx_is_a_form() -> None:
    language = language_of(TLX)
    text = language.translate(read_source(TLX, Report()), Form("text")).decode()
    assert language.translate(read_source(Source("k.ll", text), Report()), Form("text")).decode() == text


def test_what_is_not_offered_is_said() -> None:
    tensor = read_source(TENSOR, Report())
    with pytest.raises(NotOffered, match="one form"):
        language_of(TENSOR).translate(tensor, Form("text"))
    with pytest.raises(NotOffered, match=r"k\.tileir: Tile IR has no older edition"):
        language_of(TILE).upgrade(TILE, Report(), "auto")
    with pytest.raises(NotOffered, match=r"no bytecode 12\.9; there are 13\.1"):
        language_of(TILE).translate(read_source(TILE, Report()), Form("bytecode", "12.9"))
    with pytest.raises(NotOffered, match="only bytecode has versions"):
        language_of(TILE).translate(read_source(TILE, Report()), Form("text", "13.1"))


def test_names_of_forms() -> None:
    assert not language_of(TENSOR).translates
    assert all(len(set(language.forms)) == len(language.forms) > 0 for language in LANGUAGES)
