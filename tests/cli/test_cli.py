"""The command line: every verb, exit statuses, standard input, no traceback."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from cli.command import run
from tilewright.cli.main import cli, main
from tilewright.machine.processor import machine
from tilewright.machine.units import lacking
from tilewright.settings.product_units import Unit

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "examples" / "fused_kernel.tl"
AXPBY = """func @axpby(%a: f32, %x: memref<f32x?>, %b: f32, %y: memref<f32x?>) {
    axpby %a, %x, %b, %y
}
"""


def test_check_reports_all_files_with_one_status(tmp_path: Path) -> None:
    bad = tmp_path / "bad.tl"
    bad.write_text("func @f(%a: f32) {\n    %b = add %a, %c : f32\n    %d = frobnicate %a : f32\n}\n")
    fine = run("check", str(SAMPLE))
    assert (fine.returncode, fine.stdout) == (0, "")
    both = run("check", str(SAMPLE), str(bad))
    assert both.returncode == 1
    assert f"{bad}:2:18: error[V6]" in both.stdout
    assert f"{bad}:3:10: error[V2]" in both.stdout
    assert "Traceback" not in both.stdout + both.stderr
    found = json.loads(run("check", "--format=json", str(bad)).stdout)
    assert [d["code"] for d in found] == ["V6", "V2"]


def test_check_reads_standard_input() -> None:
    assert run("check", "-", text=AXPBY).returncode == 0
    assert run("check", "-", text="func").returncode == 1


def test_check_for_a_target_reports_what_that_refuses() -> None:
    large = "func @f() attributes{subgroup_size=32, work_group_size=[64,17]} {\n}\n"
    for arguments in (), ("--target", "cpu:generic"):
        assert run("check", *arguments, "-", text=large).returncode == 0
    refused = run("check", "--target", "nvidia:sm_80", "--format=json", "-", text=large)
    assert refused.returncode == 1
    assert [d["code"] for d in json.loads(refused.stdout)] == ["V17"]
    assert run("check", "--target", "abacus", "-", text=large).returncode == 2


def test_usage_errors_have_status_2(tmp_path: Path) -> None:
    assert run("check", str(tmp_path / "absent.tl")).returncode == 2
    assert run("nonsense").returncode == 2
    nowhere = str(tmp_path / "absent" / "k.s")
    written = run("compile", str(SAMPLE), "-o", nowhere)
    assert (written.returncode, written.stderr) == (2, f"tilewright: {nowhere}: No such file or directory\n")
    assert "there is no verb 'chek'; did you mean 'check'?" in run("chek", "x").stderr
    assert run("run", "-", "--arg", "q=1", text=AXPBY).returncode == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compile", "--target", "cpu:avx1024"], "no target 'cpu:avx1024' to compile for; there are cpu, cpu:avx512"),
        (["compile", "--target", "nvidia", "--emit=header"], "headers and shared objects are for CPU artefacts"),
        (["opt", "--passes", "canonicalise"], "unknown pass 'canonicalise'; known ones: "),
        (["run", "--arg", "alpha=1e50"], "argument alpha: 1e+50 is beyond the range of f32"),
        (["run", "--grid", "99999999999"], "grid extent 99999999999 is not in 0 .. 2^31-1"),
        (["bench", "--arg", "alpha=1e50"], "argument alpha: 1e+50 is beyond the range of f32"),
        (["run", "--arg", "D=zeros(16,16,999999999999999)"], "elements of float32 do not fit into memory"),
        (["run", "--arg", "B=ones(8,8,3)"], "argument B: its order is 3"),
        (["translate"], "is read as the tensor language, which has one form; translate reads MLIR, Tile IR, TLX"),
    ],
)
def test_mistakes_of_the_caller_are_no_internal_errors(arguments: list[str], message: str) -> None:
    done = run(*arguments, str(SAMPLE))
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--arg", "alpha=1", "--arg", "%alpha=2"], "--arg %alpha=2: alpha is given twice, as 1 before"),
        (["run", "--save", "D=a", "--save", "%D=b.npy"], "--save %D=b.npy: D is given twice, as a.npy before"),
        (["check", "-D", "n=1", "-D", "$n=2"], "-D $n=2: n is given twice, as 1 before"),
    ],
)
def test_nothing_is_given_twice(arguments: list[str], message: str) -> None:
    done = CliRunner().invoke(cli, [*arguments, str(SAMPLE)])
    assert done.exit_code == 2
    assert message in done.stderr


@pytest.mark.parametrize("arguments", [["explain"], ["--help"], ["compile", "--emit=llvm", "-"]])
def test_output_that_nobody_reads(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """No 1, which is said of diagnostics."""

    class Closed(io.RawIOBase):
        """A pipe whose reader went away."""

        def writable(self) -> bool:
            return True

        def write(self, _data: object) -> int:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    stream = io.TextIOWrapper(io.BufferedWriter(Closed()), "utf-8")
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"func @k() {}"), "utf-8"))
    monkeypatch.setattr(sys, "argv", ["tilewright", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 141
    with contextlib.suppress(BrokenPipeError):
        stream.detach().detach()


def test_a_setting_that_is_wrong() -> None:
    done = run("env", TILEWRIGHT_CACHE="maybe")
    assert done.returncode == 2
    assert "'maybe' is no mode: off, ro or rw" in done.stderr


def test_a_file_that_is_absent_does_not_hide_what_is_wrong_in_others(tmp_path: Path) -> None:
    bad = tmp_path / "bad.tl"
    bad.write_text("func @f(%a: f32) {\n    %b = add %a, %c : f32\n}\n")
    done = run("check", str(tmp_path / "absent.tl"), str(bad))
    assert done.returncode == 2
    assert "absent.tl: No such file" in done.stderr
    assert "error[V6]" in done.stdout


def test_groups_are_saved_and_loaded(tmp_path: Path) -> None:
    a, first, again = tmp_path / "a.npy", tmp_path / "first.npy", tmp_path / "again.npy"
    common = ["run", str(SAMPLE), "--grid=3", "--arg=B=ones()", "--arg=C=ones()", "--arg=D=zeros()"]
    assert run(*common, f"--save=A={a}", f"--save=D={first}").returncode == 0
    np.save(a, np.ascontiguousarray(np.load(a)))
    assert run(*common, f"--arg=A={a}", f"--save=D={again}").returncode == 0
    assert np.load(first)[:, :, :3].any()
    np.testing.assert_array_equal(np.load(first), np.load(again))


def test_an_empty_grid() -> None:
    assert run("run", str(SAMPLE), "--grid=0").returncode == 0


def test_format_is_idempotent_and_keeps_comments(tmp_path: Path) -> None:
    path = tmp_path / "k.tl"
    path.write_text("; about\nfunc @axpby(%a:f32,%x:memref<f32x?>){ axpby %a,%x , %a,%x ; why\n}\n")
    assert run("fmt", "--check", str(path)).returncode == 1
    assert run("fmt", str(path)).returncode == 0
    text = path.read_text()
    assert "; about" in text
    assert "; why" in text
    assert run("fmt", "--check", str(path)).returncode == 0


def test_run_saves_results(tmp_path: Path, rng: np.random.Generator) -> None:
    x, y, out = tmp_path / "x.npy", tmp_path / "y.npy", tmp_path / "out.npy"
    np.save(x, rng.standard_normal(37).astype(np.float32))
    np.save(y, rng.standard_normal(37).astype(np.float32))
    arguments = ["--arg", "a=2", "--arg", f"x={x}", "--arg", "b=-1", "--arg", f"y={y}", "--save", f"y={out}"]
    for target in ("cpu", "interpreter"):
        done = run("run", "-", "--target", target, *arguments, text=AXPBY)
        assert done.returncode == 0, done.stderr
        np.testing.assert_allclose(np.load(out), 2 * np.load(x) - np.load(y), rtol=1e-6)


@pytest.mark.parametrize("stage", ["ir", "tile", "llvm", "asm", "header"])
def test_compile_writes_every_stage(stage: str) -> None:
    done = run("compile", str(SAMPLE), f"--emit={stage}")
    assert done.returncode == 0, done.stderr
    assert "fused_kernel" in done.stdout


def test_opt_prints_ir_that_it_reads_again(tmp_path: Path) -> None:
    first = run("opt", str(SAMPLE), "--verify-each", "--timing")
    assert first.returncode == 0, first.stderr
    assert "total" in first.stderr
    path = tmp_path / "k.twir"
    path.write_text(first.stdout)
    again = run("opt", str(path), "--passes", "canonicalize")
    assert again.returncode == 0, again.stderr
    assert run("opt", str(SAMPLE), "--passes", "canonicalise").returncode != 0
    assert "tw.builtin.kernel" in run("opt", str(SAMPLE), "--emit-mlir").stdout


def test_opt_checks_ir_text_like_source_text(tmp_path: Path) -> None:
    path = tmp_path / "k.twir"
    text = run("opt", "-", "--passes", "canonicalize", text=AXPBY).stdout
    assert "tl.axpby" in text
    path.write_text(text.replace("f32x?>", "boolx?>"))
    language = run("opt", str(path), "--passes", "canonicalize")
    assert (language.returncode, "error[V9]" in language.stdout + language.stderr) == (1, True), language
    path.write_text(text.replace("tl.axpby %a", "tl.axpby %y"))
    declared = run("opt", str(path), "--passes", "canonicalize")
    assert declared.returncode == 1, declared
    assert "Traceback" not in language.stderr + declared.stderr


def test_explain_doctor_env_cache(tmp_path: Path) -> None:
    assert "stride rule" in run("explain", "v12").stdout
    assert run("explain", "V999").returncode == 2
    codes = [line.split()[0] for line in run("explain").stdout.splitlines()]
    families = list(dict.fromkeys(code.rstrip("0123456789") for code in codes))
    assert codes == sorted(codes, key=lambda code: (families.index(code.rstrip("0123456789")), len(code), code))
    doctor = run("doctor").stdout
    assert "CPU" in doctor
    assert re.search(r"forks +wait for threads that compile\n", doctor)
    for unit, said in {
        "vnni": "vpdpbusd, vpdpwssd",
        "bf16": "vdpbf16ps; .*takes subnormal numbers for zeros",
        "amx-int8": "tdpbssd, .*",
        "amx-bf16": "tdpbf16ps; .*takes subnormal numbers for zeros",
        "amx-f16": "tdpbf16ps, four for factors that are sums of two bf16 each",
    }.items():
        assert re.search(rf"unit {unit} +(yes: {said}|no: the (target lacks|system refuses) .*)\n", doctor)
    assert "cache_size" in run("env").stdout
    assert str(tmp_path) in run("cache", "info", TILEWRIGHT_CACHE_DIR=str(tmp_path)).stdout


@pytest.mark.parametrize("options", [[], ["--checked"]])
def test_bench_prints_times(options: list[str]) -> None:
    done = run("bench", str(SAMPLE), "--grid", "50", "--repeats", "3", *options)
    assert done.returncode == 0, done.stderr
    assert "median" in done.stdout


@pytest.mark.parametrize("target", [[], ["--target", "cpu"], ["--target", "interpreter"]])
def test_checked_runs_end_at_an_access_out_of_bounds(target: list[str]) -> None:
    given = ["--grid=3", "--arg=D=zeros(16,16,2)", "--checked", *target]
    done = run("run", str(SAMPLE), *given)
    assert done.returncode == 1, done.stderr
    assert "fused_kernel.tl:15:5: error[R010]: " in done.stderr
    assert "mode 2 of %D" in done.stderr
    assert "gemm %alpha, %tmp, %C, %one, %d" in done.stderr


def test_checked_code_is_compiled() -> None:
    assert "team.check" in run("compile", str(SAMPLE), "--emit=tile", "--checked").stdout
    on_device = run("compile", str(SAMPLE), "--emit=llvm", "--checked", "--target=nvidia:sm_80")
    assert "tilewright_failed_check" in on_device.stdout
    assert "team.check" not in run("compile", str(SAMPLE), "--emit=tile").stdout


def saved(file: Path, *options: str) -> np.ndarray:
    """What `run` saves of the array `x` of `AXPBY`."""
    done = run("run", "-", "--save", f"x={file}", *options, text=AXPBY)
    assert done.returncode == 0, done.stderr
    return np.load(file)


def test_run_makes_the_same_random_arrays_of_the_same_seed(tmp_path: Path) -> None:
    first, again, other, usual = (
        saved(tmp_path / f"{number}.npy", *options)
        for number, options in enumerate((["--seed=3"], ["--seed=3"], ["--seed=4"], []))
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()
    np.testing.assert_array_equal(usual, saved(tmp_path / "zero.npy", "--seed=0"))


def test_run_prints_what_is_written_unless_something_is_saved(tmp_path: Path) -> None:
    printed = run("run", "-", text=AXPBY).stdout
    assert "%y =" in printed
    assert "%x =" not in printed
    assert run("run", "-", "--save", f"x={tmp_path / 'x.npy'}", text=AXPBY).stdout == ""


def test_warnings_do_not_fail_a_check() -> None:
    text = "func @f(%a: i32) {\n    %c = constant 40 : i32\n    %b = shl %a, %c : i32\n}\n"
    done = run("check", "-", text=text)
    assert "warning[V38]" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_runs_show_warnings(target: str) -> None:
    text = "func @f(%x: memref<f32x?>) {\n    %c = constant 1e-60 : f32\n    axpby %c, %x, %c, %x\n}\n"
    done = run("run", "-", "--target", target, "--arg", "x=ones(4)", text=text)
    assert "warning[V19]" in done.stderr
    assert done.returncode == 0


def test_damaged_cache_entries_are_told_and_removed_when_asked(tmp_path: Path) -> None:
    folder, key = tmp_path / "cache", "5a" * 32
    folder.mkdir(mode=0o700)
    (folder / f"{key}.twa").write_bytes(b"TWCACHE1 and nothing else")
    setting = {"TILEWRIGHT_CACHE_DIR": str(folder)}
    for options, status, left in (([], 1, 1), (["--remove"], 0, 0)):
        done = run("cache", "verify", *options, **setting)
        assert (done.stdout, done.returncode) == (f"damaged: {key}\n", status)
        assert len(list(folder.glob("*.twa"))) == left
    assert run("cache", "verify", **setting).returncode == 0


STRIDED = """func @twice(%x: memref<f32x3x4,strided<1,8>>, %y: memref<f32x3x4>) {
    %one = constant $factor : f32
    %zero = constant 0.0 : f32
    axpby %one, %x, %zero, %y
}
"""


@pytest.mark.parametrize("name", ["factor", "$factor"])
def test_arrays_of_a_file_are_laid_out_as_the_type_says(name: str, tmp_path: Path) -> None:
    x, y = tmp_path / "x.npy", tmp_path / "y.npy"
    np.save(x, np.arange(12, dtype=np.float32).reshape(3, 4))
    done = run("run", "-", "-D", f"{name}=2.0", f"--arg=x={x}", f"--save=y={y}", text=STRIDED)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(y), 2 * np.load(x))
    assert run("run", "-", "-D", "factor=1.0", text=STRIDED).returncode == 0


def test_opt_runs_the_pipeline_of_the_level() -> None:
    plain, optimised = (run("opt", "-", f"-O{level}", text=AXPBY).stdout for level in (0, 2))
    assert plain.count("arith.") > optimised.count("arith.")


def test_units_of_products(tmp_path: Path) -> None:
    path = tmp_path / "product.tl"
    path.write_text("""func @product(%A: memref<i8x64x64>, %B: memref<i8x64x64>, %C: memref<i32x64x64>) {
    %one = constant 1 : i8
    %zero = constant 0 : i32
    gemm %one, %A, %B, %zero, %C
}
""")
    vectors = run("compile", str(path), "--emit", "llvm", "--units", "vector")
    assert vectors.returncode == 0
    assert "vpdpbusd" not in vectors.stdout
    others = run("compile", str(path), "--emit", "llvm", TILEWRIGHT_UNITS="vnni")
    assert ("vpdpbusd" in others.stdout) == (not lacking(machine(), Unit.VNNI))
    assert run("run", str(path), "--units", "vnni,vector").returncode == 0
    for arguments in (["compile", str(path)], ["run", str(path)], ["bench", str(path)]):
        wrong = run(*arguments, "--units", "vnii")
        assert wrong.returncode == 2
        assert "units in argument: 'vnii' is no list of product units: vector, vnni, bf16" in wrong.stderr
    wrong = run("compile", str(path), TILEWRIGHT_UNITS="simd")
    assert wrong.returncode == 2
    assert "TILEWRIGHT_UNITS in environment: 'simd' is no list of product units" in wrong.stderr
