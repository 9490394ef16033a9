"""What is in no language that is read here is told as what it looks like, not as a broken kernel."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import tilewright as tw
from tilewright.cli.main import cli
from tilewright.frontends.recognise import BYTECODE_MAGIC, is_mlir, resembles

SAMPLE = Path(__file__).parents[2] / "examples" / "fused_kernel.tl"
ADDITION = "%s = addf %a, %b : tile<4xf32>\n"
FRAGMENTS = [
    ADDITION,
    f"// a comment\n{ADDITION}",
    "%0 = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>",
    "%v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token",
    "%view = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>",
]
KERNELS = [
    "func @f(%a: f32) { %b = add %a, %c : f32 }",
    "; cuda_tile.module in a comment\nfunc @f(%a: f32) {\n %b = frobnicate %a : tile<f32> }",
    "axpby %a, %x, %a, %y",
    "; #include tile<4xf32>\naxpby %a, %x, %a, %y",
    "func",
    "fnc @f() {}",
]


def said(text: str | bytes) -> list[str]:
    """Code and message of everything that is wrong with an input."""
    with pytest.raises(tw.CompileError) as caught:
        tw.compile(text if isinstance(text, bytes) else text.encode(), cache=False)
    return [f"{d.code}: {d.message}" for d in caught.value.diagnostics]


@pytest.mark.parametrize("text", FRAGMENTS)
def test_a_part_of_a_module(text: str) -> None:
    assert said(text) == ["C1: this looks like a part of a Tile IR module, not like the tensor language"]


def test_bytecode_with_a_wrong_magic_number() -> None:
    rest = bytes([13, 1, 0, 0]) + bytes(40)
    for magic in (BYTECODE_MAGIC[1:], BYTECODE_MAGIC[:-1] + b"\x01", b"\xef\xbb\xbf" + BYTECODE_MAGIC, b"\x7fTileIR"):
        message = "B1: this looks like Tile IR bytecode whose first bytes are damaged, not like the tensor language"
        assert said(magic + rest) == [message]
    assert said(b"\x7fTylIR\0" + rest) == ["V1: this looks like a binary file, not like the tensor language"]


def test_what_compilations_leave_behind() -> None:
    program, device = tw.compile(SAMPLE), tw.compile(SAMPLE, target="nvidia")
    for text, what in (
        (program.text("tile"), "tilewright's own IR"),
        (program.artifact.payload, "an object file"),
        (program.to_bytes(), "a compiled program"),
        (device.text("ptx"), "PTX"),
    ):
        assert said(text) == [f"V1: this looks like {what}, not like the tensor language"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("#include <math.h>\n__global__ void f(float *x) {}", "C, CUDA or OpenCL"),
        ("import cuda.tile as ct\n@ct.kernel\ndef f(x):\n    pass\n", "Python"),
        ("PK\x03\x04...", "a compressed file"),
        ("func @f() {}".encode("utf-16"), "a binary file"),
    ],
)
def test_other_languages(text: str | bytes, what: str) -> None:
    assert said(text) == [f"V1: this looks like {what}, not like the tensor language"]


def test_a_part_of_a_module_of_mlir() -> None:
    [message] = said("affine.for %i = 0 to 4 {\n  %x = arith.constant 0 : i32\n}")
    assert message == "M1: this looks like a part of a module of MLIR, not like the tensor language"


@pytest.mark.parametrize(
    "text",
    [
        "func.func @f(%x: memref<4xf32>) {\n  return\n}",
        "// a comment\nmodule {\n  func.func @f() {\n    return\n  }\n}",
        "#map = affine_map<(d0) -> (d0)>\nmodule @m {\n  func.func @f() {\n    return\n  }\n}",
        '"builtin.module"() ({\n  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({\n    "func.return"() : () -> ()\n  }) : () -> ()\n}) : () -> ()\n',  # noqa: E501
    ],
)
def test_modules_of_mlir(text: str) -> None:
    assert is_mlir(text)
    assert [kernel.name for kernel in tw.compile(text, target="interpreter")] == ["f"]


@pytest.mark.parametrize("text", KERNELS)
def test_kernels_with_mistakes_are_kernels(text: str) -> None:
    assert resembles(text) is None
    assert not any("looks like" in message for message in said(text))


@pytest.mark.parametrize("verb", ["check", "fmt", "compile", "opt", "run"])
def test_every_verb_says_so(verb: str, tmp_path: Path) -> None:
    path = tmp_path / "k.tl"
    path.write_text(ADDITION)
    result = CliRunner().invoke(cli, [verb, str(path)])
    shown = result.output + str(result.exception)
    assert result.exit_code == 1
    assert "this looks like a part of a Tile IR module" in shown
    assert path.read_text() == ADDITION
