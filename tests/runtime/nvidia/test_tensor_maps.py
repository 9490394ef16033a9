"""Maps of matrices that a launch makes for boxes that the device copies by itself."""

from __future__ import annotations

import ctypes
import json
import re

import pytest
from msgspec.structs import replace

from machine.cuda.fake_driver import FakeDriver
from runtime.nvidia.on_device import HERE, OnDevice, artifact_of, kernel
from tilewright.artifacts.artifact import (
    Artifact,
    KernelInfo,
    LaunchPlan,
    MemrefParameter,
    PointerParameter,
    ScalarParameter,
    device_block_size,
)
from tilewright.artifacts.constraints import Origin, Polynomial, Quantity
from tilewright.artifacts.json_fields import ArtifactError, Fields
from tilewright.artifacts.parameters import Steps
from tilewright.artifacts.parts import Parts, Trips
from tilewright.artifacts.tensor_maps import MAP_BYTES, TensorMap, map_from_json, map_to_json
from tilewright.machine.cuda.binding import LATER
from tilewright.machine.cuda.errors import DriverUnavailable
from tilewright.runtime.nvidia.code_checks import check_ptx
from tilewright.runtime.nvidia.launch import CudaKernel, Modules

MATRIX = MemrefParameter("a", "f32", (None,), (1,))
POINTER = PointerParameter("p", "f32")
OF_MATRIX = TensorMap("a", "f16", 0, (4096, 300), (4096,), (64, 128))
OF_POINTER = TensorMap("p", "bf16", 32, (512, 70), (512,), (32, 64))
PLAN = LaunchPlan((64, 1, 1), maps=(OF_POINTER, OF_MATRIX))
ENCODE = "cuTensorMapEncodeTiled"
FIXED = [0, 3, 2, 0]
"""Not interleaved, swizzled by 128 bytes, 128 bytes fetched, zeros outside."""
SHORT = [0, 2, 2, 0]
"""The same with boxes of 64 bytes a row."""
LONG = [0, 0, 2, 0]
"""The same with boxes of 256 bytes a row, which are not swizzled."""


def maps_in(slots: bytes) -> list[list[int]]:
    """The words of both maps, which end the block and are aligned in it."""
    assert (len(slots) - 2 * MAP_BYTES) % 64 == 0
    ends = (len(slots) - 2 * MAP_BYTES, len(slots) - MAP_BYTES)
    return [list((ctypes.c_int64 * 11).from_buffer_copy(slots, end)) for end in ends]


def test_maps_are_those_of_the_arguments(played: FakeDriver) -> None:
    """Each made once for an address, by whichever way the kernel is called."""
    found = kernel(MATRIX, POINTER, plan=PLAN)
    at = found.prepare(3)
    for _ in range(3):
        at(OnDevice((7,)), OnDevice((7,), address=HERE + 256))
    first = played.launches[0].slots
    assert len(first) == device_block_size(found.info)
    assert maps_in(first) == [
        [9, HERE + 256 + 32, 512, 70, 1024, 32, 64, *SHORT],
        [6, HERE, 4096, 300, 8192, 64, 128, *FIXED],
    ]
    assert all(launched.slots == first for launched in played.launches)
    assert played.calls.count(ENCODE) == 2
    found.launch(3, (OnDevice((7,), address=HERE + 512), OnDevice((7,), address=HERE + 256)))
    assert [each[1] for each in maps_in(played.launches[-1].slots)] == [HERE + 288, HERE + 512]
    assert played.calls.count(ENCODE) == 3


def test_maps_are_those_of_the_sizes(played: FakeDriver) -> None:
    """Each made once for an address and sizes."""
    open_ = TensorMap("p", "f16", 0, (Quantity(Origin.VALUE, "n"), 70), (Quantity(Origin.VALUE, "s"),), (128, 64))
    plan = LaunchPlan((64, 1, 1), maps=(open_, OF_MATRIX))
    found = kernel(MATRIX, POINTER, ScalarParameter("n", "i32"), ScalarParameter("s", "i64"), plan=plan)
    for n, s in ((512, 512), (512, 520), (504, 520), (512, 520), (512, 516), (528, 520), (-8, 520)):
        found.launch(3, (OnDevice((7,)), OnDevice((7,), address=HERE + 256), n, s))
        has_map = s % 8 == 0 and 0 < n <= s
        expected = [6, HERE + 256, n, 70, 2 * s, 128, 64, *LONG] if has_map else [0] * 11
        assert maps_in(played.launches[-1].slots)[0] == expected
    assert played.calls.count(ENCODE) == 4


@pytest.mark.parametrize("address", [HERE + 4, HERE + 8])
def test_memory_that_is_not_aligned_has_no_map(played: FakeDriver, address: int) -> None:
    """The kernel finds that out, too."""
    kernel(MATRIX, POINTER, plan=PLAN).launch(3, (OnDevice((7,), address=address), OnDevice((7,))))
    assert maps_in(played.launches[0].slots)[1] == [0] * 11
    assert played.calls.count(ENCODE) == 1


@pytest.mark.parametrize("distances", [(0, 256), (0, 8), (4, 0), (None, 0), (0, None)])
def test_launches_with_all_maps_take_their_own_entry(
    played: FakeDriver, distances: tuple[int | None, int | None]
) -> None:
    """Whatever launches before had, and with as much shared memory."""
    found = kernel(MATRIX, POINTER, plan=replace(PLAN, has_mapped=True), local_bytes=50_000)
    given = [None if each is None else OnDevice((7,), address=HERE + each) for each in distances]
    for arguments, has_all in ((given, distances == (0, 256)), ([OnDevice((7,))] * 2, True)) * 2:
        found.launch(3, arguments)
        launched = played.launches[-1]
        assert (launched.function, launched.shared_bytes) == ("k$maps" if has_all else "k", 50_000)
    assert played.calls.count("cuFuncSetAttribute") == 2


def test_both_entries_are_looked_for() -> None:
    """With the parameters that both take."""
    artifact = artifact_of(KernelInfo("k", "k", (MATRIX, POINTER), launch=replace(PLAN, has_mapped=True)))
    line = next(line for line in artifact.payload.splitlines() if b"k$maps" in line)
    other = line.replace(b"slots[", b"slots[1")
    for put, said in ((b"", "does not define the entry 'k$maps'"), (other, "takes other parameters")):
        with pytest.raises(ArtifactError, match=re.escape(said)):
            check_ptx(
                replace(artifact, payload=artifact.payload.replace(line, put).replace(b".align 16", b".align 64"))
            )


def test_steps_have_entries_of_their_own(played: FakeDriver) -> None:
    parts = Parts(((Trips(Polynomial.constant(8), 2),),), 4)
    plans = [replace(PLAN, parts=parts, has_mapped=has_mapped) for has_mapped in (True, False)]
    steps = [KernelInfo(f"k.{k}", f"k{k}", (MATRIX, POINTER), launch=plan) for k, plan in enumerate(plans)]
    info = KernelInfo("k", "k", (MATRIX, POINTER), launch=replace(PLAN, parts=parts), steps=Steps(tuple(steps), 6, 1))
    found = CudaKernel(info, Modules(artifact_of(info, *steps), None))
    for address, names in ((HERE, ["k0$maps", "k1"]), (HERE + 4, ["k0", "k1"])):
        found.launch(1, (OnDevice((7,)), OnDevice((7,), address=address)))
        assert [each.function for each in played.launches[-2:]] == names


def test_nothing_has_no_map(played: FakeDriver) -> None:
    kernel(MATRIX, POINTER, plan=PLAN).launch(3, (None, None))
    assert maps_in(played.launches[0].slots) == [[0] * 11] * 2


def test_drivers_without_maps_run_other_kernels(played: FakeDriver) -> None:
    played.missing.update(LATER)
    library = played.library()
    with pytest.raises(DriverUnavailable, match=f"{ENCODE}.*12.0"):
        library.call(ENCODE)


@pytest.mark.parametrize("has_mapped", [False, True])
def test_round_trip_of_the_artefact(has_mapped: bool) -> None:
    artifact = artifact_of(KernelInfo("k", "k", (MATRIX, POINTER), launch=replace(PLAN, has_mapped=has_mapped)))
    assert Artifact.from_bytes(artifact.to_bytes()) == artifact


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("numbers", ([[4096]], [[300]], [[4100]])),
        ("numbers", ([[4096]], [[300]], [[4088]])),
        ("numbers", ([[4096]], [[0]], [[4096]])),
        ("numbers", ([[1, ["extent", "a", 0]]], [[300]], [[4100]])),
        ("box", (64, 257)),
        ("box", (48, 64)),
        ("box", (96, 64)),
        ("box", (320, 64)),
    ],
)
def test_maps_that_no_device_has(field: str, value: object) -> None:
    fields = json.loads(json.dumps(map_to_json(OF_MATRIX)))
    assert map_from_json(Fields(fields)) == OF_MATRIX
    with pytest.raises(ArtifactError, match="describes no boxes"):
        map_from_json(Fields({**fields, field: json.loads(json.dumps(value))}))


def test_maps_are_of_memory_that_is_passed() -> None:
    with pytest.raises(ValueError, match="a map of 'p', which is no memory that a launch passes"):
        KernelInfo("k", "k", (MATRIX,), launch=PLAN)


@pytest.mark.parametrize(
    ("number", "known"),
    [
        (Quantity(Origin.EXTENT, "a", 0), True),
        (Quantity(Origin.STRIDE, "a", 0), False),
        (Quantity(Origin.VALUE, "p"), False),
        (Quantity(Origin.VALUE, "missing"), False),
        (Quantity(Origin.NUM_GROUPS), False),
    ],
)
def test_maps_are_of_numbers_that_are_passed(number: Quantity, known: bool) -> None:
    plan = LaunchPlan((64, 1, 1), maps=(TensorMap("p", "f16", 0, (8, number), (64,), (64, 8)),))
    if known:
        artifact = artifact_of(KernelInfo("k", "k", (MATRIX, POINTER), launch=plan))
        assert Artifact.from_bytes(artifact.to_bytes()) == artifact
        return
    with pytest.raises(ValueError, match=f"a map of {number}, which a launch does not pass"):
        KernelInfo("k", "k", (MATRIX, POINTER), launch=plan)
