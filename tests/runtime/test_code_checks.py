"""Artefacts whose header and code do not belong together are refused before anything of them is loaded."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tilewright.api import source_of
from tilewright.artifacts.artifact import Artifact, ArtifactError
from tilewright.cache.artifact_cache import ArtifactCache, CacheWarning
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import Report
from tilewright.machine.elf import ElfObject, read_object
from tilewright.machine.native import compile_text
from tilewright.runtime.code_checks import check_object
from tilewright.targets import find_target

TEXT = """func @k(%a: f32, %x: memref<f32x?>, %b: f32, %y: memref<f32x?>) { axpby %a, %x, %b, %y }
func @l(%n: index, %x: memref<f32x8>) { %v = load %x[%n] : f32  store %v, %x[%n] }
"""
PREFIX = struct.Struct("<8sQ")
SYMBOL_BYTES = 24
Edit = Callable[[dict[str, Any]], object]


def signed(data: bytes, change: Edit, payload: Callable[[bytes], bytes] = lambda code: code) -> bytes:
    """An artefact's bytes with another header and other code, and the checksum of both."""
    magic, size = PREFIX.unpack_from(data)
    header = json.loads(data[PREFIX.size : PREFIX.size + size])
    rest = data[PREFIX.size + size : -32]
    code, texts = payload(rest[: header["payload"]]), rest[header["payload"] :]
    header["payload"] = len(code)
    change(header)
    encoded = json.dumps(header).encode()
    body = PREFIX.pack(magic, len(encoded)) + encoded + code + texts
    return body + hashlib.sha256(body).digest()


@pytest.fixture(scope="module")
def data() -> bytes:
    return tw.compile(TEXT).to_bytes()


def kernel(change: Callable[[dict[str, Any]], object]) -> Edit:
    return lambda header: change(header["kernels"][0])


def parameter(number: int, **changes: object) -> Edit:
    return kernel(lambda info: info["parameters"][number].update(changes))


def drop_constraints(info: dict[str, Any]) -> None:
    assert info["constraints"]
    info["constraints"] = []


def swap_kernels(header: dict[str, Any]) -> None:
    first, second = header["kernels"]
    first["symbol"], second["symbol"] = second["symbol"], first["symbol"]


HEADERS: dict[str, Edit] = {
    "an entry that is not there": kernel(lambda info: info.update(symbol="tw_m")),
    "a constant as entry": kernel(lambda info: info.update(symbol="tw_k$signature")),
    "the other's entry": swap_kernels,
    "no name": kernel(lambda info: info.update(symbol="")),
    "another name": kernel(lambda info: info.update(name="m")),
    "a smaller array": lambda header: header["kernels"][1]["parameters"][1].update(shape=[3]),
    "another element type": parameter(1, dtype="i8"),
    "other strides": parameter(1, strides=[2]),
    "not written": parameter(3, written=False),
    "a wider scalar": parameter(0, dtype="f64"),
    "one parameter less": kernel(lambda info: info["parameters"].pop(2)),
    "less memory": kernel(lambda info: info.update(local_bytes=info["local_bytes"] + 8)),
    "another work-group": kernel(lambda info: info.update(work_group_size=[1, 1], subgroup_size=1)),
    "nothing demanded": kernel(drop_constraints),
    "another fact": kernel(lambda info: info["facts"].update(signature="k()")),
    "fewer features": lambda header: header.update(features=""),
}


def test_what_was_compiled_is_accepted(data: bytes) -> None:
    assert [found.name for found in tw.Program.from_bytes(signed(data, lambda header: None))] == ["k", "l"]


@pytest.mark.parametrize("name", HEADERS)
def test_other_headers(data: bytes, name: str) -> None:
    with pytest.raises(ArtifactError, match=r"^kernel [klm]: the artefact's (code|header) "):
        tw.Program.from_bytes(signed(data, HEADERS[name]))


def found_in(code: bytes, name: str) -> tuple[ElfObject, int]:
    """An object and the place of a symbol's record in it."""
    found = read_object(code)
    number = next(k for k, symbol in enumerate(found.symbols) if symbol.name == name)
    table = next(section for section in found.sections if section.kind == 2)
    # the null symbol is left out
    return found, table.offset + (number + 1) * SYMBOL_BYTES


def with_bytes(code: bytes, place: int, content: bytes) -> bytes:
    return code[:place] + content + code[place + len(content) :]


def kind_of_entry(kind: int) -> Callable[[bytes], bytes]:
    """The entry as a global symbol of another kind."""
    return lambda code: with_bytes(code, found_in(code, "tw_k")[1] + 4, bytes([1 << 4 | kind]))


def local_entry(code: bytes) -> bytes:
    return with_bytes(code, found_in(code, "tw_k")[1] + 4, bytes([2]))


def entry_behind_the_end(code: bytes) -> bytes:
    found, place = found_in(code, "tw_k")
    symbol = next(s for s in found.symbols if s.name == "tw_k")
    return with_bytes(code, place + 8, struct.pack("<Q", found.sections[symbol.section].size))


def entry_in_data(code: bytes) -> bytes:
    found, place = found_in(code, "tw_k")
    constant = next(s for s in found.symbols if s.name == "tw_k$signature")
    return with_bytes(code, place + 6, struct.pack("<H", constant.section))


def weak_call(code: bytes) -> bytes:
    """The entry of the second kernel as a weak reference to nothing."""
    place = found_in(code, "tw_l")[1]
    return with_bytes(with_bytes(code, place + 4, bytes([2 << 4 | 2])), place + 6, bytes(18))


def run_at_start(code: bytes) -> bytes:
    """The first section without meaning as one with functions to run."""
    found = read_object(code)
    sections = struct.unpack_from("<Q", code, 40)[0]
    number = next(k for k, section in enumerate(found.sections) if k and not section.flags)
    return with_bytes(code, sections + 64 * number + 4, struct.pack("<I", 14))


CODES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "none": (lambda code: b"", "no ELF object"),
    "no object": (lambda code: b"garbage", "no ELF object"),
    "cut off": (lambda code: code[: len(code) // 2], "cannot be read"),
    "of 32 bits": (lambda code: with_bytes(code, 4, b"\1"), "cannot be read"),
    "a library": (lambda code: with_bytes(code, 16, b"\3\0"), "no relocatable object"),
    "of another processor": (lambda code: with_bytes(code, 18, struct.pack("<H", 243)), "another processor"),
    "of another program": (
        lambda code: tw.compile(TEXT.replace("?", "9"), cache=False).artifact.payload,
        "another signature",
    ),
    "of nobody": (lambda code: compile_text("define void @tw_k() { ret void }"), "another signature"),
    "an entry of data": (kind_of_entry(1), "no function"),
    "an entry to resolve": (kind_of_entry(10), "would run when it is loaded"),
    "an entry of its own": (local_entry, "does not define the entry 'tw_k'"),
    "an entry behind the end": (entry_behind_the_end, "no function"),
    "an entry in data": (entry_in_data, "no function"),
    "a weak reference": (weak_call, "does not define the entry 'tw_l'"),
    "with a start": (run_at_start, "would run when it is loaded"),
}


@pytest.mark.parametrize("name", CODES)
def test_other_codes(data: bytes, name: str) -> None:
    change, message = CODES[name]
    with pytest.raises(ArtifactError, match=message):
        tw.Program.from_bytes(signed(data, lambda header: None, change))


def test_bytes_that_are_changed_anywhere_in_the_code_never_crash(data: bytes) -> None:
    """Nothing is loaded: whatever the object says, the check ends in a result or in an error of its own."""
    artifact = Artifact.from_bytes(data)
    for place in range(0, len(artifact.payload), 7):
        code = with_bytes(artifact.payload, place, b"\xff")
        with suppress(ArtifactError):
            check_object(Artifact("cpu", artifact.kernels, code, features=artifact.features))


def test_entries_of_the_cache_are_checked_too(data: bytes, tmp_path: Path) -> None:
    """They cost a compilation and a warning, as all damage does."""
    cache, key = ArtifactCache(tmp_path), "0" * 64
    cache.put(key, Artifact.from_bytes(data))
    assert cache.get(key) is not None
    cache.put(key, Artifact.from_bytes(signed(data, HEADERS["a smaller array"])))
    assert cache.verify() == [key]
    with pytest.warns(CacheWarning, match="another signature"):
        assert cache.get_or_compile(key, lambda: Artifact.from_bytes(data)).to_bytes() == data


PLANS: dict[str, Edit] = {
    "no plan of the launch": kernel(lambda info: info.update(launch=None)),
    "more threads": kernel(lambda info: info["launch"].update(threads=[256, 1, 1])),
    "two work-groups a block": kernel(lambda info: info["launch"].update(items=2)),
    "clusters": kernel(lambda info: info["launch"].update(cluster=[2, 1, 1])),
}


def ptx() -> bytes:
    target = find_target("nvidia:sm_80")
    source, report = source_of(TEXT), Report()
    return compile_module(read_module(source, report), target, CompileOptions(), report).to_bytes()


def test_ptx() -> None:
    data = ptx()
    tw.Program.from_bytes(data)
    headers = {name: edit for name, edit in HEADERS.items() if name != "a constant as entry"}
    for edit in (*headers.values(), *PLANS.values()):
        with pytest.raises(ArtifactError, match=r"^(kernel [klm]: )?the artefact's (code|header) "):
            tw.Program.from_bytes(signed(data, edit))
    for old, new, message in [
        (b".entry tw_k", b".entry tw_m", "does not define the entry 'tw_k'"),
        (b"param_0[", b"param_0[1", "takes other parameters"),
        (b"$signature[32] = {", b"$signature[32] = {1", "another signature"),
        (b"//", b"\xff", "no PTX"),
    ]:
        with pytest.raises(ArtifactError, match=message):
            tw.Program.from_bytes(signed(data, lambda header: None, lambda code, o=old, n=new: code.replace(o, n)))
