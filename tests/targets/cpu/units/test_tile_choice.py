"""Which products take AMX tiles, for a machine that has them: compiled everywhere, run where they are."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tilewright as tw
from targets.cpu.units.test_unit_choice import I8, gemm, mmai
from targets.cpu.units.tile_emulation import described_machine
from tilewright.artifacts.artifact import Artifact
from tilewright.artifacts.parameters import SCHEDULE, TILES
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_source
from tilewright.diagnostics import Report, Source
from tilewright.machine import units
from tilewright.machine.processor import machine
from tilewright.machine.units import EXACT_UNITS, unavailable
from tilewright.runtime import launch
from tilewright.runtime.header import emit_header
from tilewright.runtime.launch import LaunchError, bind_artifact
from tilewright.settings.product_units import Unit, read_units
from tilewright.targets.cpu.target import CpuTarget

BF16 = ("bf16", "bf16", "f32")
F16 = ("f16", "f16", "f32")
F32 = ("f32", "f32", "f32")
LARGE = gemm(I8, 100, 90, 130)
REFUSED = "Operation not permitted"
has_tiles = pytest.mark.skipif(
    unavailable(machine(), Unit.AMX_INT8) is not None, reason="this machine has no AMX, or refuses it"
)


@pytest.fixture(autouse=True)
def permitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine may have tiles that its system refuses; the described one's system does not."""
    monkeypatch.setattr(units, "tiles_refused", lambda: None)


def compiled(text: str, names: str | None = None, level: int = 2) -> Artifact:
    target = CpuTarget(described_machine()).using(EXACT_UNITS if names is None else read_units(names))
    return compile_source(Source("k", text), target, CompileOptions(level=level), Report())


@pytest.mark.parametrize(
    ("text", "names", "said"),
    [
        (LARGE, None, r"amx-int8, packed, blocks of 32x30, runs of 192 terms\Z"),
        (gemm(I8, 64, 64, 64), None, r"vnni, packed, [^;]*; amx-int8: faster from 96x96x96 on"),
        (gemm(I8, 64, 64, 64), "amx", "amx-int8, packed"),
        (LARGE, "vnni", "vnni, packed, [^;]*; amx-int8: not among the units to be used"),
        (gemm(("i16", "i8", "i32"), 128, 128, 128), None, r"vnni, packed, [^;]*\Z"),
        (
            gemm(BF16, 128, 128, 128),
            None,
            "vector, packed, [^;]*; amx-bf16: only used where asked for, since it",
        ),
        (gemm(BF16, 128, 128, 128), "amx-bf16", "amx-bf16, packed"),
        (gemm(BF16, 128, 128, 128), "amx,bf16", "amx-bf16, packed"),
        (gemm(BF16, 128, 128, 128), "bf16", "bf16, packed, [^;]*; amx-bf16: only used where asked for"),
        (gemm(F16, 64, 64, 64), "amx", r"vector, [^;]*; amx-f16: faster from 96x96x96 on\Z"),
        (gemm(F16, 128, 128, 128), None, r"amx-f16, packed, [^;]*\Z"),
        (gemm(F16, 128, 128, 128), "amx-bf16", r"vector, packed, [^;]*; amx-f16: not among the units to be used\Z"),
        (gemm(F32, 1024, 1024, 1024), None, r"vector, packed, blocks of 32x13, runs of 256 terms\Z"),
        (gemm(F32, 1024, 512, 1024), None, r"vector, packed, blocks of 32x14, runs of 256 terms\Z"),
        (gemm(F32, 1024, 512, 352), None, r"vector, packed, blocks of 32x14, runs of 352 terms\Z"),
        (gemm(F32, 1024, 1024, 32), None, r"vector, packed, blocks of 32x14, runs of 32 terms\Z"),
    ],
)
def test_schedule_says_which_products_take_tiles(text: str, names: str | None, said: str) -> None:
    facts = compiled(text, names).kernels[0].facts
    assert re.search(said, facts[SCHEDULE]), facts[SCHEDULE]
    assert (TILES in facts) == (" amx-" in facts[SCHEDULE].split(";")[0])


def test_a_system_that_refuses_tiles_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next best unit is taken, and the schedule tells why."""
    monkeypatch.setattr(units, "machine", lambda: described_machine().processor)
    monkeypatch.setattr(units, "tiles_refused", lambda: REFUSED)
    facts = compiled(LARGE).kernels[0].facts
    why = re.escape(f"; amx-int8: the system refuses the state of tiles ({REFUSED})")
    assert re.search(f"vnni, packed, [^;]*{why}", facts[SCHEDULE]), facts[SCHEDULE]
    assert TILES not in facts
    assert Unit.AMX_INT8 not in units.usable(described_machine().processor, EXACT_UNITS)


def test_fingerprints_tell_whether_tiles_are_permitted(monkeypatch: pytest.MonkeyPatch) -> None:
    permitted = CpuTarget(described_machine()).fingerprint()
    monkeypatch.setattr(units, "machine", lambda: described_machine().processor)
    monkeypatch.setattr(units, "tiles_refused", lambda: REFUSED)
    assert CpuTarget(described_machine()).fingerprint() != permitted


def _nothing(_features: str) -> tuple[str, ...]:
    return ()


def test_code_with_tiles_is_not_loaded_where_the_system_refuses_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first instruction on one would end the process."""
    monkeypatch.setattr(launch, "missing_features", _nothing)
    monkeypatch.setattr(launch, "tiles_refused", lambda: REFUSED)
    with pytest.raises(LaunchError, match=f"uses AMX tiles, which the system refuses this process: {REFUSED}"):
        bind_artifact(compiled(LARGE))
    bind_artifact(compiled(LARGE, "vector"))


@pytest.mark.parametrize("level", [0, 1, 2])
def test_no_level_of_optimisation_ends_the_process(level: int) -> None:
    """LLVM does at its own level 0, over loops that carry tiles."""
    signs = ("signed", "unsigned")
    assert TILES in compiled(mmai(signs, (128, 128, 128), (128, 128, 128)), level=level).kernels[0].facts


def test_header_says_how_tiles_are_permitted() -> None:
    assert "long tilewright_permit_tiles(void)" in emit_header(compiled(LARGE))
    assert "tilewright_permit_tiles" not in emit_header(compiled(LARGE, "vnni"))


@has_tiles
def test_tiles_are_used_unasked_where_they_are(rng: np.random.Generator) -> None:
    kernel = tw.compile(LARGE, cache=False).k
    assert "amx-int8, packed" in kernel.schedule
    a, b = (np.asfortranarray(rng.integers(-128, 128, s).astype(np.int8)) for s in ((100, 130), (130, 90)))
    c = np.zeros((100, 90), np.int32, "F")
    kernel[1](a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.int64) @ b.astype(np.int64))
