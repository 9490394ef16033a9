"""What is known of the processor: as LLVM says, asked once for all processes of a user."""

from __future__ import annotations

import platform
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tilewright.kept.store import BY_PRODUCTS, Store
from tilewright.machine import host as hosts
from tilewright.machine.cpuid import processor_words
from tilewright.machine.host import Host, host
from tilewright.machine.llvm_binding import binding
from tilewright.settings.config import config

on_linux = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="CPUID is read on Linux on x86-64"
)


def said_by_llvm() -> Host:
    llvm = binding()
    return Host(llvm.get_process_triple(), llvm.get_host_cpu_name(), dict(llvm.get_host_cpu_features().items()))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often LLVM was asked since, by this process as if it were a new one each time that the cache is cleared."""
    found: list[str] = []

    def ask() -> object:
        found.append("")
        return binding()

    monkeypatch.setattr(hosts, "binding", ask)
    return found


@pytest.fixture
def again() -> Callable[[], Host]:
    """As a new process knows this machine."""

    def fresh() -> Host:
        host.cache_clear()
        return host()

    return fresh


@on_linux
def test_llvm_is_asked_once(tmp_path: Path, asked: list[str], again: Callable[[], Host]) -> None:
    with config(cache="rw", cache_dir=tmp_path / "cache"):
        assert [again() for _ in range(3)] == [said_by_llvm()] * 3
    assert len(asked) == 1


def test_nothing_is_kept_if_nothing_is_to_be(tmp_path: Path, asked: list[str], again: Callable[[], Host]) -> None:
    with config(cache_dir=tmp_path / "cache", cache="off"):
        assert [again() for _ in range(2)] == [said_by_llvm()] * 2
    assert len(asked) == 2


@on_linux
def test_another_processor_is_asked_for_anew(
    tmp_path: Path, asked: list[str], again: Callable[[], Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = processor_words()
    assert words is not None
    with config(cache="rw", cache_dir=tmp_path / "cache"):
        for changed in (words, (*words[:-1], words[-1] ^ 1), (words[0], words[1] ^ 1, *words[2:])):
            monkeypatch.setattr(hosts, "processor_words", lambda changed=changed: changed)
            again()
        monkeypatch.setattr(hosts, "llvm_version", lambda: "0.0")
        again()
        assert len(asked) == 4
        monkeypatch.setattr(hosts, "processor_words", lambda: None)
        again()
        again()
    assert len(asked) == 6


@on_linux
@pytest.mark.parametrize("content", [b"", b"{}", b"7", b"[1, 2, 3]", b'["a", "b", "c"]', b'["a", "b"]', b"\xff"])
def test_what_llvm_never_said_is_not_believed(
    tmp_path: Path, asked: list[str], again: Callable[[], Host], content: bytes
) -> None:
    """An entry that is whole, though somebody else wrote it."""
    folder = tmp_path / "cache"
    with config(cache="rw", cache_dir=folder):
        again()
        entry = next(folder.glob("*" + BY_PRODUCTS))
        Store(folder, BY_PRODUCTS).write(entry.name.removesuffix(BY_PRODUCTS), content)
        assert again() == said_by_llvm()
    assert len(asked) == 2


@on_linux
def test_cpuid_against_the_system() -> None:
    """/proc/cpuinfo, which the kernel writes, of the first words and of features that it does not mask."""
    words = processor_words()
    assert words is not None
    lines = (line.partition(":") for line in Path("/proc/cpuinfo").read_text().splitlines())
    told = {name.strip(): value.strip() for name, _, value in lines}
    _, b, c, d = words[:4]
    assert struct.pack("<3I", b, d, c).decode() == told["vendor_id"]
    version, basic = words[4], words[7]
    family = (version >> 8 & 15) + (version >> 20 & 255) * (version >> 8 & 15 == 15)
    model = (version >> 4 & 15) + ((version >> 16 & 15) << 4) * (version >> 8 & 15 in (6, 15))
    assert (family, model, version & 15) == tuple(int(told[name]) for name in ("cpu family", "model", "stepping"))
    flags = told["flags"].split()
    assert bool(basic >> 26 & 1) == ("sse2" in flags)
    assert bool(words[9] >> 5 & 1) == ("avx2" in flags)
    assert bool(words[9] >> 16 & 1) == ("avx512f" in flags)
    assert words[-1] & 0b111 == (0b111 if "avx" in flags else 0b011), "x87 and SSE registers are saved, and wider ones"
    assert (words[-1] & 0xE0 == 0xE0) == ("avx512f" in flags)
    assert words == processor_words()
