"""The Python interface: compiling, launching, showing, saving."""

from __future__ import annotations

import array
import copy
import mmap
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import click
import numpy as np
import pytest

import tilewright as tw
from tilewright.cli.launch_options import refuse_unchecked
from tilewright.diagnostics import Severity
from tilewright.targets.nvidia.target import NvidiaTarget

SAMPLE = Path(__file__).parents[2] / "examples" / "fused_kernel.tl"
AXPBY = "func @axpby(%a: f32, %x: memref<f32x?>, %b: f32, %y: memref<f32x?>) { axpby %a, %x, %b, %y }"


@pytest.mark.parametrize("target", ["cpu", "cpu:avx2", "cpu:generic", "interpreter"])
def test_the_sample_kernel_is_right(target: str, rng: np.random.Generator) -> None:
    batch = 5
    a, b = rng.standard_normal((batch, 8, 16), np.float32), rng.standard_normal((8, 8), np.float32)
    c, d = rng.standard_normal((16, 8), np.float32), rng.standard_normal((batch, 16, 16), np.float32)
    wanted = d.astype(np.float64) + 0.5 * (c.astype(np.float64) @ (b.T.astype(np.float64) @ a.astype(np.float64)))
    kernel = tw.compile(SAMPLE, target=target).fused_kernel
    kernel[batch](0.5, tw.PointerArray.of(a), b.T, c.T, d.transpose(2, 1, 0))
    assert np.linalg.norm(d - wanted) <= 1e-6 * np.linalg.norm(wanted)


def test_launch_with_lists_and_call_syntax() -> None:
    program = tw.compile(AXPBY)
    x, y = np.arange(5, dtype=np.float32), np.ones(5, np.float32)
    program.axpby(2.0, x, 3.0, y)
    np.testing.assert_array_equal(y, 2 * np.arange(5) + 3)
    program["axpby"][1](1.0, x, 0.0, y)
    np.testing.assert_array_equal(y, x)


def test_one_kernel_is_launched_on_grids_of_several_sizes() -> None:
    kernel = tw.compile(
        "func @f(%y: memref<f32x?>)"
        " { %g = group_id.x : index %one = constant 1.0 : f32 %v = load %y[%g] : f32"
        " %s = add %v, %one : f32 store %s, %y[%g] }"
    ).f
    y = np.zeros(5, np.float32)
    for grid in (2, 4, 2, 1):
        kernel[grid](y)
    assert y.tolist() == [4, 3, 1, 1, 0]
    with pytest.raises(TypeError):
        kernel[True]  # though a launch on the grid 1 is prepared


def test_targets_that_cannot_check_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NvidiaTarget, "can_check", False)
    with pytest.raises(ValueError, match="'nvidia:sm_80' cannot check its accesses"):
        tw.compile(AXPBY, target="nvidia:sm_80", checked=True)
    with pytest.raises(click.UsageError, match="--target nvidia:sm_80 cannot check its accesses"):
        refuse_unchecked("nvidia:sm_80")


def test_signatures_are_read_again() -> None:
    parameters = "(%G: group<memref<f32x8x4>x5, offset: ?>, %H: group<memref<f32x8>x?, offset: 2>, %s: f64)"
    assert tw.compile(f"func @f{parameters} {{ }}").f.signature == f"@f{parameters}"


def test_what_a_kernel_shows() -> None:
    kernel = tw.compile(SAMPLE).fused_kernel
    assert kernel.signature.startswith("@fused_kernel(%alpha: f32, %A: group<memref<f32x16x8>x?>")
    assert "tile.mma" in kernel.ir("tile")
    assert "memref.alloca" not in kernel.ir("tile"), "the intermediate product must not travel through memory"
    assert "define" in kernel.llvm
    assert "vfmadd" in kernel.asm or "mul" in kernel.asm
    assert "fused_kernel" in repr(kernel)
    assert "<details>" in kernel._repr_html_()  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(KeyError, match="stage"):
        kernel.ir("nonsense")


def test_a_notebook_shows_what_each_pass_changed() -> None:
    program = tw.compile(SAMPLE)
    changes = {change.name: change.text for change in program.pass_changes()}
    assert "+" in changes["lower-collectives"]
    assert "tl.gemm" in changes["lower-collectives"]
    page = program.fused_kernel._repr_html_()  # pyright: ignore[reportPrivateUsage]
    for name in changes:
        assert f"<summary>{name}</summary>" in page
    assert "-&gt;" in page, "text is escaped"
    assert page.count("<details>") == page.count("</details>") == len(program.stages) + 1 + len(program.pass_changes())
    loaded = tw.Program.from_bytes(program.to_bytes())
    assert loaded.pass_changes() == ()
    assert "what each pass changed" not in loaded.fused_kernel._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_bytes_carry_a_program() -> None:
    program = tw.Program.from_bytes(tw.compile(AXPBY).to_bytes())
    x, y = np.arange(9, dtype=np.float32), np.full(9, np.nan, np.float32)
    program.axpby[1](1.0, x, 0.0, y)
    np.testing.assert_array_equal(y, x)
    with pytest.raises(ValueError):
        tw.Program.from_bytes(b"nonsense")


def test_any_buffer_carries_a_program(tmp_path: Path) -> None:
    data = tw.compile(AXPBY).to_bytes()
    (tmp_path / "program").write_bytes(data)
    with (tmp_path / "program").open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert "axpby" in tw.Program.from_bytes(mapped)
    apart = np.repeat(np.frombuffer(data, np.uint8), 2)[::2]
    for buffer in (bytearray(data), memoryview(data), apart.data, array.array("B", data)):
        assert "axpby" in tw.Program.from_bytes(buffer)
    assert "axpby" in tw.compile(array.array("B", AXPBY.encode()))


@pytest.mark.parametrize("read", [tw.Program.from_bytes, tw.compile])
@pytest.mark.parametrize("wrong", [None, 5, 1.5, ["a"]])
def test_what_is_no_buffer_is_a_type_error(read: Callable[[object], object], wrong: object) -> None:
    with pytest.raises(TypeError, match=f"bytes or another buffer, not {type(wrong).__name__}"):
        read(wrong)


@pytest.mark.parametrize("damaged", [b"", b"abc", bytearray(100), memoryview(b"TWARTF\x00\x01" + bytes(64))])
def test_bytes_that_are_no_program(damaged: bytes | bytearray | memoryview) -> None:
    with pytest.raises(ValueError, match="artefact"):
        tw.Program.from_bytes(damaged)


def test_programs_and_kernels_travel_between_processes(rng: np.random.Generator) -> None:
    kernel = tw.compile(AXPBY).axpby
    x, y = rng.standard_normal(9, np.float32), np.full(9, np.nan, np.float32)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        np.testing.assert_array_equal(pool.submit(scaled, kernel, x).result(), 2 * x)
    for copied in (copy.copy(kernel), copy.deepcopy([kernel])[0], pickle.loads(pickle.dumps(kernel))):
        copied[1](1.0, x, 0.0, y)
        np.testing.assert_array_equal(y, x)
    with pytest.raises(ValueError, match="a program for the interpreter has no compiled code; keep its source"):
        pickle.dumps(tw.compile(AXPBY, target="interpreter"))


def scaled(kernel: tw.Kernel, x: np.ndarray[tuple[int], np.dtype[np.float32]]) -> object:
    """Twice an array, in whichever process this runs."""
    y = np.full_like(x, np.nan)
    kernel[1](2.0, x, b=0.0, y=y)
    return y


def test_errors_are_diagnostics_or_launch_errors() -> None:
    with pytest.raises(tw.CompileError, match=r"V6.*%q is not defined|%q"):
        tw.compile("func @f(%a: f32) { %b = add %a, %q : f32 }")
    kernel = tw.compile(AXPBY).axpby
    x = np.zeros(4, np.float32)
    for wrong in (
        (1.0, x.astype(np.float64), 0.0, x),
        (1.0, x.reshape(2, 2), 0.0, x),
        (1.0, x, 0.0),
        ("a", x, 0.0, x),
    ):
        with pytest.raises(tw.LaunchError):
            kernel[1](*wrong)
    frozen = np.zeros(4, np.float32)
    frozen.flags.writeable = False
    with pytest.raises(tw.LaunchError, match="y"):
        kernel[1](1.0, x, 0.0, frozen)
    with pytest.raises(ValueError, match="target"):
        tw.compile(AXPBY, target="abacus")
    with pytest.raises(AttributeError, match="axpby"):
        _ = tw.compile(AXPBY).gemm


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_every_target_refuses_the_same_launches(target: str) -> None:
    apart = 'func @apart(%x: memref<f32x?> {"noalias"=true}, %a: f32, %y: memref<f32x?>) { axpby %a, %x, %a, %y }'
    program = tw.compile("func @k(%x: memref<f32x8>, %l: memref<f32x4,local>) { }\n" + apart, target=target)
    x = np.ones(8, np.float32)
    program.k[1](x)
    program.k[1](x, None)
    with pytest.raises(tw.LaunchError, match=r"takes 1 arguments \(x: memref\), 2 were given"):
        program.k[1](x, x)
    with pytest.raises(tw.LaunchError, match=r"takes 1 arguments \(x: memref\), 0 were given"):
        program.k[1]()
    with pytest.raises(tw.LaunchError, match="argument x: it overlaps argument y"):
        program.apart[1](x[:5], 1.0, x[3:])


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_arguments_by_name(target: str) -> None:
    k = tw.compile(
        "func @k(%x: memref<f32x?>, %l: memref<f32x4,local>, %y: memref<f32x?>, %grid: f32) "
        "{ %0 = constant 0.0 : f32 axpby %grid, %x, %0, %y }",
        target=target,
    ).k
    x, y = np.arange(5, dtype=np.float32), np.empty(5, np.float32)
    for scale in range(1, 5):
        y[:] = np.nan
        k[1](x, grid=scale, y=y)
        np.testing.assert_array_equal(y, scale * x)
    k[1](x, y, 2.0)
    k(x, y, 3.0, grid=0)
    for named, message in (
        ({"grid": 1.0}, "kernel k: nothing is given for y"),
        ({"Y": y, "grid": 1.0}, "kernel k has no parameter Y; there are x, y, grid"),
        ({"gird": 1.0, "y": y}, "kernel k has no parameter gird; did you mean grid?"),
        ({"x": x, "y": y, "grid": 1.0}, "kernel k, argument x: it is given by position and by name"),
        ({"l": None, "y": y, "grid": 1.0}, "kernel k, parameter l: local memory is the launch's own"),
    ):
        with pytest.raises(tw.LaunchError, match=re.escape(message)):
            k[1](x, **named)


def test_options_that_do_not_exist() -> None:
    with pytest.raises(ValueError, match="level is 0, 1 or 2, not 7"):
        tw.compile(AXPBY, level=7)
    with pytest.raises(ValueError, match=r"std is auto, old, new, not 'c\+\+'"):
        tw.compile(AXPBY, std="c++")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("checked", "no", "checked is True or False, not 'no'"),
        ("reorder_sums", "no", "reorder_sums is True or False, not 'no'"),
        ("cache", None, "cache is True or False, not None"),
        ("units", ["vnni"], "units is text, not ['vnni']"),
        ("schedule", 3, "schedule is text, not 3"),
        ("stages", 3, "stages is text, not 3"),
        ("definitions", "n=1", "definitions is a mapping from names to texts, such as {'n': '16'}, not 'n=1'"),
        ("definitions", {"n": 16}, "definitions has names and texts, such as {'n': '16'}; 16 is none"),
        ("language_options", {1: "a"}, "language_options has names and texts, such as {'n': '16'}; 1 is none"),
    ],
)
def test_options_of_another_kind(option: str, value: object, message: str) -> None:
    """A text for a flag that is off would be a flag that is on."""
    with pytest.raises(ValueError, match=re.escape(message) + "$"):
        tw.compile(AXPBY, target="interpreter", **{option: value})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("encode", [str, str.encode])
def test_a_byte_order_mark_is_no_part_of_the_text(encode: Callable[[str], str | bytes]) -> None:
    assert tw.compile(encode("\ufefffunc @k() {}"), target="interpreter")["k"].name == "k"
    with pytest.raises(tw.CompileError, match=r">:1:13: error\[V2\]"):
        tw.compile(encode("\ufefffunc @k(%x: mmref<f32x4>) {}"), target="interpreter")


def test_kernels_by_name() -> None:
    program = tw.compile(AXPBY)
    assert "axpby" in program
    assert program["axpby"] in program
    assert "gemm" not in program
    with pytest.raises(KeyError, match="no kernel 'gemm'; it has axpby"):
        _ = program["gemm"]


def test_kernels_that_are_called_like_attributes_of_programs() -> None:
    names = ["text", "stages", "target", "warnings", "_artifact", "__init__", "plain"]
    entries = "\n".join(f'entry @"{name}"() {{ return }}' for name in names)
    program = tw.compile(f"cuda_tile.module @m {{\n{entries}\n}}")
    assert [kernel.name for kernel in program] == names
    for name in names:
        assert program[name].name == name
        program[name][1]()
    assert program.target == "cpu"
    assert program.warnings == ()
    assert program.text("source").startswith("cuda_tile.module @m")
    assert program.plain is program["plain"]
    hidden = ", ".join(f'program["{name}"]' for name in names[:-1])
    assert repr(program) == (
        f"<program for cpu: {', '.join(names)}; programs have attributes of that name, so write {hidden}>"
    )
    assert repr(tw.compile(AXPBY)) == "<program for cpu: axpby>"


DOUBTFUL = """func @f(%x: memref<f32x?>) {
    %tiny = constant 1e-60 : f32
    axpby %tiny, %x, %tiny, %x
}"""


@pytest.mark.parametrize("target", ["interpreter", "cpu", "nvidia:sm_80"])
def test_warnings_are_those_of_the_text_whatever_the_target(target: str, tmp_path: Path) -> None:
    with tw.config(cache="rw", cache_dir=str(tmp_path)):
        for _ in range(2):
            (warning,) = tw.compile(DOUBTFUL, target=target).warnings
            assert (warning.code, warning.severity) == ("V19", Severity.WARNING)
            assert "1e-60" in str(warning)
    assert tw.compile(AXPBY, target=target, cache=False).warnings == ()


@pytest.mark.parametrize(("cache", "found"), [(True, 1), (False, 0)])
def test_whoever_wants_no_cache_leaves_nothing_in_it(cache: bool, found: int, tmp_path: Path) -> None:
    with tw.config(cache="rw", cache_dir=str(tmp_path)):
        tw.compile(AXPBY, cache=cache)
    assert len(list(tmp_path.rglob("*.twa"))) == found


def test_programs_without_their_text_have_no_warnings() -> None:
    assert tw.Program.from_bytes(tw.compile(DOUBTFUL).to_bytes()).warnings == ()


def test_names_are_listed_once() -> None:
    program = tw.compile("func @text() {} func @plain() {}")
    public = ["artifact", "explanations", "from_bytes", "pass_changes", "plain", "stages"]
    public += ["target", "text", "to_bytes", "warnings"]
    assert program.__dir__() == public
    assert tw.__dir__() == sorted(tw.__all__)
    fresh = "import tilewright as tw; tw.compile; assert dir(tw) == sorted(tw.__all__), dir(tw)"
    subprocess.run([sys.executable, "-c", fresh], check=True, timeout=60)


def test_definitions_from_outside() -> None:
    text = "func @f(%x: memref<f32x$n>) { %z = constant 0.0 : f32 %o = constant 1.0 : f32 axpby %o, %x, %o, %x }"
    x = np.ones(7, np.float32)
    tw.compile(text, definitions={"n": "7"}).f[1](x)
    assert (x == 2).all()
    with pytest.raises(tw.CompileError):
        tw.compile(text)


def test_torch_tensors_are_used_in_place() -> None:
    torch = pytest.importorskip("torch")
    x, y = torch.arange(6, dtype=torch.float32), torch.ones(6)
    tw.compile(AXPBY).axpby[1](2.0, x, 1.0, y)
    assert torch.equal(y, 2 * torch.arange(6, dtype=torch.float32) + 1)
