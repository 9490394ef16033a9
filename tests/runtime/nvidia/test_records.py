"""What kernels on a device report comes out of the memory that a launch gave, when the launch is over."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from ctypes import c_int64
from types import BuiltinFunctionType, FunctionType

import pytest

import tilewright as tw
from machine.cuda.fake_driver import FakeDriver, Launched
from runtime.nvidia.on_device import PLAN, OnDevice, artifact_of
from tilewright import KernelError
from tilewright.artifacts.artifact import KernelInfo, LaunchPlan, MemrefParameter, device_block_size, report_slots
from tilewright.artifacts.parameters import REPORTS
from tilewright.machine.cuda.errors import DeviceFailed
from tilewright.runtime.nvidia.launch import CudaKernel, bind_artifact

WHERE = ["k.tl", 3, 5, 4, "    check"]
SITES: list[dict[str, object]] = [
    {"kind": "print", "text": "%d %.1f\n", "values": [[[2], False, 32], [[], True, 0]], "where": WHERE},
    {"kind": "assert", "text": "all hold", "values": [[[2, 2], False, 0]], "where": WHERE},
    {"code": "R010", "text": "index {} of {}", "values": [[[], False, 0], [[], False, 0]], "where": WHERE},
]
HEAD = 4
CAPTURED = 9


def kernel(sites: Sequence[object] = SITES, plan: LaunchPlan = PLAN) -> CudaKernel:
    """A kernel that reports so."""
    facts = {REPORTS: json.dumps({"head": "h", "sites": sites})}
    parameters = (MemrefParameter("x", "f32", (None,), (1,)),)
    return bind_artifact(artifact_of(KernelInfo("k", "k", parameters, facts=facts, launch=plan)))["k"]


class Reporting:
    """What a kernel does that writes records; `room` is how many words it thought there were."""

    def __init__(self, *records: bytes, failed: int = 0) -> None:
        self.records, self.failed, self.room = records, failed, 0
        self.places: list[int] = []

    def __call__(self, launched: Launched) -> None:
        address, self.room = launched.words[2:4]
        head = (c_int64 * (HEAD + self.room)).from_address(address)
        assert tuple(head[:HEAD]) == (0, self.room, 0, 0), "each launch begins with no records"
        self.places.append(address)
        for record in self.records:
            words = struct.unpack(f"<{len(record) // 8}q", record)
            begin = head[0]
            head[0] += len(words)
            if begin + len(words) > self.room:
                head[1], head[2] = min(head[1], begin), head[2] + 1
            else:
                head[HEAD + begin : HEAD + begin + len(words)] = words


def printed(x: int, *numbers: int, real: float = 0.5) -> bytes:
    """A record of the first site."""
    return struct.pack("<6qd", 0, x, 0, 0, *numbers, real)


def test_text_comes_out_by_work_groups(played: FakeDriver, capsys: pytest.CaptureFixture[str]) -> None:
    played.doing = Reporting(printed(1, 1, 2), printed(0, 3, 4), printed(1, 5, 6, real=-2.0))
    kernel().launch(2, (OnDevice((8,)),))
    assert capsys.readouterr().out == "[3, 4] 0.5\n[1, 2] 0.5\n[5, 6] -2.0\n"
    assert played.calls.index("cuLaunchKernelEx") < played.calls.index("cuStreamSynchronize")


def test_what_failed_is_an_error_with_its_place(played: FakeDriver, capsys: pytest.CaptureFixture[str]) -> None:
    played.doing = Reporting(
        struct.pack("<8q", 1, 0, 2, 0, 1, 0, 0, 1), printed(0, 3, 4), struct.pack("<6q", 2, 5, 0, 1, 17, 16)
    )
    with pytest.raises(KernelError) as caught:
        kernel().prepare(9)(OnDevice((8,)))
    assert [f"{d.code} {d.message}" for d in caught.value.diagnostics] == [
        "R032 all hold at [0, 1], [1, 0] (tile block 0, 2, 0)",
        "R010 kernel k: index 17 of 16 (work-group 5, 0, 1)",
    ]
    assert all(str(d.location).startswith("k.tl:3:5") for d in caught.value.diagnostics)
    assert capsys.readouterr().out == "[3, 4] 0.5\n"


def test_memory_is_taken_again_and_begins_empty(played: FakeDriver, capsys: pytest.CaptureFixture[str]) -> None:
    launched, doing = kernel(), Reporting(printed(0, 1, 1))
    played.doing = doing
    for _ in range(3):
        launched.launch(1, (OnDevice((8,)),), stream=7)
    assert len(set(doing.places)) == 1
    assert capsys.readouterr().out == "[1, 1] 0.5\n" * 3
    assert {launched.stream for launched in played.launches} == {7}


def test_launches_at_one_time_have_memory_of_their_own(played: FakeDriver, capsys: pytest.CaptureFixture[str]) -> None:
    """One is made while another has not come to its end."""
    launched, doing = kernel(), Reporting(printed(0, 1, 1))

    def nested(first: Launched) -> None:
        played.doing = doing
        launched.launch(1, (OnDevice((8,)),))
        doing(first)

    played.doing = nested
    launched.launch(1, (OnDevice((8,)),))
    assert len(set(doing.places)) == 2
    assert capsys.readouterr().out == "[1, 1] 0.5\n" * 2


def test_what_finds_no_room_is_missed(played: FakeDriver, capsys: pytest.CaptureFixture[str]) -> None:
    """Checks alone have room for the largest record."""
    check = struct.pack("<6q", 2, 0, 0, 0, 17, 16)
    played.doing = doing = Reporting(check)
    with pytest.raises(KernelError, match="index 17 of 16"):
        kernel(SITES[2:] * 3).launch(1, (OnDevice((8,)),))
    assert doing.room == 6
    many = Reporting(*[printed(x, x, x) for x in range((1 << 20) // 7 + 3)])
    played.doing = many
    with pytest.raises(MemoryError, match="kernel k: there was no memory for 3 of its prints"):
        kernel().launch(1, (OnDevice((8,)),))
    assert capsys.readouterr().out.count("\n") == (1 << 20) // 7


def test_a_capture_is_refused(played: FakeDriver) -> None:
    launched = kernel()
    played.capturing = {CAPTURED}
    with pytest.raises(tw.LaunchError, match=r"kernel k prints, asserts or .* cannot be captured"):
        launched.launch(1, (OnDevice((8,)),), stream=CAPTURED)
    assert not played.launches
    played.doing = Reporting()
    launched.launch(1, (OnDevice((8,)),), stream=7)


def test_calls_go_through_python(played: FakeDriver) -> None:
    """Machine code that takes calls over would not tell what was reported; other kernels have it."""
    parameters = (MemrefParameter("x", "f32", (None,), (1,)),)
    silent = bind_artifact(artifact_of(KernelInfo("k", "k", parameters, launch=PLAN)))["k"]
    assert isinstance(silent.prepare(1), BuiltinFunctionType)
    assert isinstance(kernel().prepare(1), FunctionType)


def test_an_empty_grid_reports_nothing(played: FakeDriver) -> None:
    kernel().launch(0, (OnDevice((8,)),))
    assert "cuMemAlloc_v2" not in played.calls


def test_a_device_that_failed_says_so(played: FakeDriver) -> None:
    launched = kernel()
    played.doing = Reporting(printed(0, 1, 1))
    played.failing = {"cuStreamSynchronize": 700}
    with pytest.raises(DeviceFailed):
        launched.launch(1, (OnDevice((8,)),))


def test_slots_lie_behind_those_of_scratch_memory() -> None:
    plain, spacious = kernel_info(0), kernel_info(256)
    assert report_slots(plain.parameters, has_scratch=False) == (16, 24)
    assert report_slots(spacious.parameters, has_scratch=True) == (32, 40)
    assert (device_block_size(plain), device_block_size(spacious)) == (32, 48)


def kernel_info(scratch_bytes: int) -> KernelInfo:
    """A kernel that reports, and has so much scratch memory a block."""
    parameters = (MemrefParameter("x", "f32", (None,), (1,)),)
    plan = LaunchPlan((32, 1, 1), scratch_bytes=scratch_bytes)
    return KernelInfo("k", "k", parameters, facts={REPORTS: "{}"}, launch=plan)
