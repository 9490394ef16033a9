"""What a user does from the shell, through the real command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from acceptance.shell import AXPBY, python, tilewright

RACE = """func @race(%x: memref<f32x16>) attributes{subgroup_size=16, work_group_size=[16,1]} {
    %t = alloca : memref<f32x16,local>
    parallel {
        %c15 = constant 15 : index
        %k = subgroup_local_id : i32
        %i = cast %k : index
        %j = sub %c15, %i : index
        %a = load %x[%i] : f32
        store %a, %t[%i]
        %b = load %t[%j] : f32
        store %b, %x[%i]
    }
}
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    folder = tmp_path_factory.mktemp("kernels")
    good, bad, worse = folder / "good.tl", folder / "bad.tl", folder / "worse.tl"
    good.write_text(AXPBY)
    bad.write_text("func @f(%a: f32) {\n    %b = add %a, %c : f32\n}\n")
    worse.write_text("func @g(%x: memref<boolx4>) {\n}\n")
    return good, bad, worse


def test_check_gives_sarif_of_many_files(files: tuple[Path, Path, Path]) -> None:
    done = tilewright("check", "--format=sarif", *map(str, files))
    assert done.returncode == 1, done.stderr
    log = json.loads(done.stdout)
    assert log["version"] == "2.1.0"
    results = log["runs"][0]["results"]
    assert {r["ruleId"] for r in results} == {"V6", "V9"}
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}
    assert {uri.rsplit("/", 1)[1] for uri in uris} == {"bad.tl", "worse.tl"}
    region = next(r for r in results if r["ruleId"] == "V6")["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (2, 18, 20)


def test_our_own_faults_end_in_3_with_a_reproducer(tmp_path: Path, files: tuple[Path, Path, Path]) -> None:
    # a pass that fails stands for a bug of ours
    code = """
import sys
from tilewright.transforms.dce import EliminateDeadCode as Pass
def run(self, module, context):
    raise RuntimeError("broken on purpose")
Pass.run = run
from tilewright.cli.main import main
sys.argv = ["tilewright", "compile", "--emit=tile", sys.argv[1]]
main()
"""
    done = python("-c", code, str(files[0]), TMPDIR=str(tmp_path), TILEWRIGHT_CACHE="off")
    assert done.returncode == 3, done.stderr
    assert "internal error" in done.stderr
    assert "Traceback" not in done.stderr
    (reproducer,) = tmp_path.glob("tilewright-*.twir")
    assert str(reproducer) in done.stderr
    assert "passes: dce" in reproducer.read_text()
    again = tilewright("opt", str(reproducer), "--passes", "dce", "--verify-each")
    assert again.returncode == 0, again.stderr


def test_opt_shows_passes(files: tuple[Path, Path, Path]) -> None:
    every = tilewright("opt", str(files[0]), "--print-ir-after-all", "--verify-each", "--timing")
    changing = tilewright("opt", str(files[0]), "--print-ir-after-change")
    assert (every.returncode, changing.returncode) == (0, 0), every.stderr + changing.stderr
    assert every.stdout == changing.stdout
    after = [line for line in every.stderr.splitlines() if line.startswith("// ----- after")]
    changed = [line for line in changing.stderr.splitlines() if line.startswith("// ----- after")]
    assert 0 < len(changed) < len(after)
    assert "ms" in every.stderr.splitlines()[-1]


def test_compile_emits_objects_and_libraries(tmp_path: Path, files: tuple[Path, Path, Path]) -> None:
    for stage in ("obj", "so"):
        out = tmp_path / f"kernel.{stage}"
        done = tilewright("compile", str(files[0]), f"--emit={stage}", "-o", str(out))
        assert done.returncode == 0, done.stderr
        assert out.read_bytes().startswith(b"\x7fELF")


def test_run_checked_finds_a_race() -> None:
    done = tilewright("run", "-", "--checked", text=RACE)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "R020" in done.stderr
    assert "Traceback" not in done.stderr


def test_run_reads_arrays_and_refuses_those_that_do_not_fit(tmp_path: Path) -> None:
    x, y, out = (tmp_path / f"{name}.npy" for name in ("x", "y", "out"))
    np.save(x, np.arange(7, dtype=np.float32))
    np.save(y, np.ones(7, np.float32))
    arguments = ["--arg", "a=2", "--arg", f"x={x}", "--arg", "b=-1", "--arg", f"y={y}", "--save", f"y={out}"]
    done = tilewright("run", "-", *arguments, text=AXPBY)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(out), 2 * np.arange(7) - 1)
    out.unlink()
    np.save(y, np.ones((7, 2)))
    refused = tilewright("run", "-", *arguments, text=AXPBY)
    assert refused.returncode != 0
    assert "[V47]" in refused.stderr
    assert not out.exists()


def test_explain_and_doctor() -> None:
    known, unknown = tilewright("explain", "V47"), tilewright("explain", "V999")
    assert known.returncode == 0
    assert "Right:" in known.stdout
    assert unknown.returncode == 2
    doctor = tilewright("doctor")
    assert doctor.returncode == 0, doctor.stderr
    assert "llvmlite" in doctor.stdout
