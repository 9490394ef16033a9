"""Which product units a processor has, which are permitted, and how the permission for tiles is asked for."""

from __future__ import annotations

import errno
import sys
from functools import cache

import pytest

from tilewright.machine import tile_state, units
from tilewright.machine.processor import FeatureSet, Machine, machine
from tilewright.machine.units import EXACT_UNITS, lacking, unavailable, usable
from tilewright.settings.product_units import Unit, read_units

AVX512 = "+avx512f,+avx512vl,+avx512bw,+avx512dq"


def processor(features: str) -> Machine:
    return Machine("x86_64-unknown-linux-gnu", "x86-64", features)


@pytest.mark.parametrize(
    ("features", "units"),
    [
        ("", [Unit.VECTOR]),
        (AVX512, [Unit.VECTOR]),
        (f"{AVX512},+avx512vnni,-avx512bf16", [Unit.VECTOR, Unit.VNNI]),
        (f"{AVX512},+avx512vnni,+avx512bf16", [Unit.VECTOR, Unit.VNNI, Unit.BF16]),
        ("+avx512vnni,-avx512f", [Unit.VECTOR]),
        (f"{AVX512},+amx-tile,+amx-int8,-amx-bf16", [Unit.VECTOR, Unit.AMX_INT8]),
        (f"{AVX512},+amx-tile,+amx-int8,+amx-bf16", [Unit.VECTOR, Unit.AMX_INT8, Unit.AMX_BF16, Unit.AMX_F16]),
        (f"{AVX512},+amx-int8,+amx-bf16", [Unit.VECTOR]),
    ],
)
def test_units_are_there_with_all_that_they_need(features: str, units: list[Unit]) -> None:
    assert usable(processor(features), frozenset(Unit)) == units
    assert usable(processor(features), frozenset({Unit.VECTOR})) == [Unit.VECTOR]
    assert all(bool(lacking(processor(features), unit)) == (unit not in units) for unit in Unit)


def test_smaller_feature_sets_take_units_away() -> None:
    assert usable(machine(FeatureSet.GENERIC), frozenset(Unit)) == [Unit.VECTOR]


def test_units_by_name() -> None:
    assert read_units(" VNNI , vector") == {Unit.VNNI, Unit.VECTOR}
    assert read_units("vnni") == {Unit.VNNI, Unit.VECTOR}, "vectors are always there"
    assert read_units("bf16,vnni") == {Unit.VECTOR, Unit.VNNI, Unit.BF16}
    assert read_units("amx") == {Unit.VECTOR, Unit.AMX_INT8, Unit.AMX_BF16, Unit.AMX_F16}
    assert read_units("amx-int8,bf16") == {Unit.VECTOR, Unit.AMX_INT8, Unit.BF16}
    assert frozenset({Unit.VECTOR, Unit.VNNI, Unit.AMX_INT8, Unit.AMX_F16}) == EXACT_UNITS
    for text in ("", "vnni,", "avx", "amx-fp16"):
        with pytest.raises(ValueError, match="is no product unit"):
            read_units(text)


class _Libc:
    def __init__(self, result: int) -> None:
        self.result = result
        self.asked: list[tuple[int, ...]] = []

    def syscall(self, *arguments: int) -> int:
        self.asked.append(arguments)
        return self.result


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux asks by a system call")
@pytest.mark.parametrize(("result", "said"), [(0, None), (-1, "Operation not permitted")])
def test_permission_for_tiles(result: int, said: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    libc = _Libc(result)

    def library(_name: None, use_errno: bool) -> _Libc:
        assert use_errno
        return libc

    monkeypatch.setattr(tile_state.ctypes, "CDLL", library)
    monkeypatch.setattr(tile_state.ctypes, "get_errno", lambda: errno.EPERM)
    assert tile_state.request_tiles() == said
    assert libc.asked == [(158, 0x1023, 18)]


def test_refusal_is_no_error() -> None:
    found = tile_state.request_tiles()
    assert found is None or found


def test_the_system_is_asked_once_and_only_where_there_are_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[None] = []

    def answer() -> str:
        asked.append(None)
        return "Operation not permitted"

    tiles = processor(f"{AVX512},+avx512vnni,+amx-tile,+amx-int8,+amx-bf16")
    monkeypatch.setattr(tile_state, "request_tiles", answer)
    monkeypatch.setattr(units, "tiles_refused", cache(tile_state.tiles_refused.__wrapped__))
    monkeypatch.setattr(units, "machine", lambda: processor(AVX512))
    assert unavailable(tiles, Unit.AMX_INT8) is None, "code for another machine"
    monkeypatch.setattr(units, "machine", lambda: tiles)
    assert unavailable(tiles, Unit.VNNI) is None
    assert not asked
    assert usable(tiles, frozenset(Unit)) == [Unit.VECTOR, Unit.VNNI]
    assert unavailable(tiles, Unit.AMX_BF16) == "the system refuses the state of tiles (Operation not permitted)"
    assert len(asked) == 1
