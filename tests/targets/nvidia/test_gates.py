"""What makes kernels with products by groups of warps slow and is no error: said by ptxas, or seen in what it makes.

Each loss is provoked in the PTX of a kernel that has none.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

import tilewright as tw
from targets.nvidia.machine_code import codes
from targets.nvidia.test_ptx import needs_ptxas, whole
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import Assembled, AssemblerError, assemble

LARGE = "threads=256 tile=256x128x64 copies=tensor persistent=yes stores=tensor"
ROLES, CLUSTERS = f"{LARGE} roles=yes", f"{LARGE} roles=yes cluster=1x2"
ALONE = "threads=128 tile=128x128x64 copies=tensor persistent=yes stores=tensor roles=no"
COMMITTED = "wgmma.commit_group.sync.aligned;"
LOSSES: dict[str, tuple[str, str, str]] = {
    "C7507": (ROLES, r"(setmaxnreg\.inc\S+\s+)232", r"\g<1>128"),
    "C7511": (ALONE, r"\.reqntid 128,", ".reqntid 512,"),
    "C7514": (
        f"{ALONE} maps=no",
        rf"(?s)(.*\{{(%r\d+),[^{{}}]*\}}[^{{}}]*\}}.*?{re.escape(COMMITTED)})",
        r"\1 xor.b32 \2, \2, 1;",
    ),
    "C7517": (ALONE, r"wgmma\.wait_group\.sync\.aligned\s+\d+;", ""),
    "C7519": (ALONE, r"wgmma\.fence\.sync\.aligned;", ""),
}
"""Fewer registers than what computes needs; than accumulators take; accumulators used while they are added to; before
anybody waits for them; products that begin without a fence."""


@cache
def ptx_of(schedule: str) -> str:
    return tw.compile(whole("f16", "x512x512"), target="nvidia:sm_90a", schedule=schedule).text("ptx")


def assembled(ptx: str) -> Assembled:
    return assemble(ptx, Architecture.SM_90A)


@needs_ptxas
@pytest.mark.parametrize("code", LOSSES)
def test_losses_are_errors(code: str) -> None:
    schedule, was, becomes = LOSSES[code]
    ptx = ptx_of(schedule)
    changed = re.sub(was, becomes, ptx)
    assert changed != ptx
    with pytest.raises(AssemblerError, match=rf"\({code}\)"):
        assembled(changed)


def kernel(body: str) -> str:
    """PTX of one that does this alone."""
    return f""".version 8.0
.target sm_90a
.address_size 64
.visible .entry alone(.param .u32 n) {{ .reg .u32 %n; ld.param.u32 %n, [n]; {body} ret; }}
"""


def instructions(ptx: str) -> Counter[int]:
    """Of all kernels, by their codes."""
    return sum(codes(assembled(ptx).cubin).values(), Counter[int]())


@pytest.fixture(scope="module")
def of_the_device() -> set[int]:
    """Codes of what waits for all memory of the device, and is in no fence of a block and no meeting of a cluster."""
    meeting = kernel("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;")
    near = instructions(kernel("fence.acq_rel.cta;")) | instructions(meeting)
    found = instructions(kernel("fence.acq_rel.gpu;")).keys() - near.keys()
    assert found
    return found


@needs_ptxas
@pytest.mark.parametrize(
    "release", ["mbarrier.arrive.release.cluster.shared::cluster", "mbarrier.arrive.shared::cluster"]
)
def test_nobody_waits_for_all_memory(release: str, of_the_device: set[int]) -> None:
    """Each k block would, if readers told other blocks of a cluster with release semantics (0.72 to 0.77 x cuBLAS)."""
    ptx = ptx_of(CLUSTERS).replace("mbarrier.arrive.shared::cluster", release)
    assert bool(of_the_device & instructions(ptx).keys()) == ("release" in release)


@needs_ptxas
def test_barriers_without_a_number_take_all() -> None:
    """Then four blocks have all barriers of a multiprocessor: packed items, of which more run, have one at most."""
    for body, barriers in (("barrier.sync 3, 32;", 4), ("barrier.sync %n, 32;", 16), ("", 0)):
        assert assembled(kernel(body)).kernels["alone"].barriers == barriers
