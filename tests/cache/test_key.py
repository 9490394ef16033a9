"""Two compilations share an artefact only if nothing that it depends on differs."""

from __future__ import annotations

import itertools

import pytest

from tilewright.cache.key import cache_key
from tilewright.compiler import CompileOptions
from tilewright.diagnostics import Source
from tilewright.diagnostics.binary import Binary
from tilewright.machine.processor import machine
from tilewright.machine.units import lacking
from tilewright.settings.product_units import Unit
from tilewright.targets import find_target

TEXT = "func @f(%x: f32) {}\n"
SOURCE = Source("a.tl", TEXT)
CPU = find_target("cpu:generic")
VARIANTS = {
    "plain": cache_key(SOURCE, CPU, CompileOptions()),
    "level": cache_key(SOURCE, CPU, CompileOptions(level=0)),
    "another level": cache_key(SOURCE, CPU, CompileOptions(level=1)),
    "definition": cache_key(SOURCE, CPU, CompileOptions(definitions={"n": "4"})),
    "value": cache_key(SOURCE, CPU, CompileOptions(definitions={"n": "5"})),
    "name": cache_key(SOURCE, CPU, CompileOptions(definitions={"m": "4"})),
    "standard": cache_key(SOURCE, CPU, CompileOptions(std="old")),
    "said of the language": cache_key(SOURCE, CPU, CompileOptions(chosen={"quirks": "prototype"})),
    "checked": cache_key(SOURCE, CPU, CompileOptions(checked=True)),
    "text": cache_key(Source("a.tl", TEXT + "\n"), CPU, CompileOptions()),
    "target": cache_key(SOURCE, find_target("nvidia:sm_80"), CompileOptions()),
    "features": cache_key(SOURCE, find_target("cpu:avx2"), CompileOptions()),
}


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(VARIANTS, 2)))
def test_what_differs_has_another_key(first: str, second: str) -> None:
    assert VARIANTS[first] != VARIANTS[second]


def test_what_is_equal_has_one_key() -> None:
    definitions = {"n": "4", "m": "5"}
    turned = dict(reversed(definitions.items()))
    keys = {
        cache_key(Source(name, TEXT), CPU, CompileOptions(definitions=d))
        for name in "ab"
        for d in (definitions, turned)
    }
    assert len(keys) == 1
    assert cache_key(Binary("a", b"\x7fTileIR\0"), CPU, CompileOptions()) == cache_key(
        Binary("b", b"\x7fTileIR\0"), CPU, CompileOptions()
    )


def test_another_machine_of_the_same_name_has_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def fingerprint(_: object) -> str:
        return "a processor with other features"

    monkeypatch.setattr(type(CPU), "fingerprint", fingerprint)
    assert cache_key(SOURCE, CPU, CompileOptions()) != VARIANTS["plain"]


@pytest.mark.parametrize("name", ["cpu", "nvidia:sm_80"])
def test_other_code_of_the_same_text_has_another_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier compiler made and kept, perhaps wrong, is not taken for what this one makes."""
    target = find_target(name)
    before = cache_key(SOURCE, target, CompileOptions())
    monkeypatch.setattr(f"{type(target).__module__}._FORMAT", "of tomorrow")
    assert cache_key(SOURCE, target, CompileOptions()) != before


def test_other_product_units_have_another_key() -> None:
    if lacking(machine(), Unit.VNNI):
        pytest.skip("this machine has one unit")
    first, second = (find_target("cpu", units) for units in ("vector", "vnni"))
    assert cache_key(SOURCE, first, CompileOptions()) != cache_key(SOURCE, second, CompileOptions())
