"""Artefacts as bytes: what goes in comes out, and nothing else gets through."""

from __future__ import annotations

import hashlib
import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tilewright.artifacts.artifact import (
    Artifact,
    ArtifactError,
    GroupParameter,
    KernelInfo,
    LaunchPlan,
    MemrefParameter,
    Parameter,
    ScalarParameter,
    block_size,
    slot_layout,
)
from tilewright.artifacts.constraints import Origin, Polynomial, Quantity
from tilewright.artifacts.parameters import DTYPES, Joined, Steps
from tilewright.artifacts.parts import Parts, Trips

MATRIX = MemrefParameter("A", "f32", (None, None), (1, None))
_NAMES = st.text(min_size=1, max_size=8)
_SIZES = st.none() | st.integers(0, 2**40)


@st.composite
def memrefs(draw: st.DrawFn, space: str | None = None) -> MemrefParameter:
    order = draw(st.integers(0, 4))
    sizes = st.lists(_SIZES, min_size=order, max_size=order).map(tuple)
    divisors = st.lists(st.integers(1, 64), max_size=order).map(tuple)
    return MemrefParameter(
        draw(_NAMES),
        draw(st.sampled_from([dtype for dtype in DTYPES if dtype != "bool"])),
        draw(sizes),
        draw(sizes),
        "local" if space is None and draw(st.booleans()) else "global",
        draw(st.integers(1, 4096)),
        draw(divisors),
        draw(divisors),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.booleans()),
    )


PARAMETERS: st.SearchStrategy[Parameter] = st.one_of(
    st.builds(ScalarParameter, _NAMES, st.sampled_from(DTYPES)),
    memrefs(),
    st.builds(GroupParameter, _NAMES, memrefs("global"), _SIZES, _SIZES),
)
_THREE = st.tuples(*[st.integers(1, 1024)] * 3)
PLANS = st.none() | st.builds(LaunchPlan, _THREE, st.integers(1, 64), _THREE)
KERNELS = st.builds(
    KernelInfo,
    _NAMES,
    _NAMES,
    st.lists(PARAMETERS, max_size=5, unique_by=lambda p: p.name).map(tuple),
    st.integers(1, 64),
    st.tuples(st.integers(1, 64), st.integers(1, 64)),
    st.integers(0, 2**20),
    st.dictionaries(_NAMES, st.text(max_size=20), max_size=3),
    launch=PLANS,
)
ARTIFACTS = st.builds(
    Artifact,
    st.sampled_from(["cpu", "nvidia"]),
    st.lists(KERNELS, max_size=3).map(tuple),
    st.binary(max_size=200),
    st.dictionaries(_NAMES, st.text(max_size=50), max_size=3),
    st.text(max_size=20),
)


@given(ARTIFACTS)
@settings(max_examples=20, deadline=None)
def test_bytes_round_trip(artifact: Artifact) -> None:
    data = artifact.to_bytes()
    assert Artifact.from_bytes(data) == artifact
    assert Artifact.from_bytes(data).to_bytes() == data


@given(ARTIFACTS, st.data())
@settings(max_examples=40, deadline=None)
def test_every_truncation_is_refused(artifact: Artifact, data: st.DataObject) -> None:
    raw = artifact.to_bytes()
    with pytest.raises(ArtifactError):
        Artifact.from_bytes(raw[: data.draw(st.integers(0, len(raw) - 1))])
    with pytest.raises(ArtifactError):
        Artifact.from_bytes(raw + b"\0")


@given(ARTIFACTS, st.data())
@settings(max_examples=40, deadline=None)
def test_every_bit_flip_is_refused(artifact: Artifact, data: st.DataObject) -> None:
    raw = bytearray(artifact.to_bytes())
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(ArtifactError):
        Artifact.from_bytes(bytes(raw))


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ArtifactError):
        Artifact.from_bytes(data)


def _resealed(header: bytes, rest: bytes = b"") -> bytes:
    body = struct.pack("<8sQ", b"TWARTF\x00\x01", len(header)) + header + rest
    return body + hashlib.sha256(body).digest()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(KERNELS, st.data())
def test_a_forged_header_with_a_valid_checksum_never_crashes(kernel: KernelInfo, data: st.DataObject) -> None:
    raw = Artifact("cpu", (kernel,), b"code").to_bytes()
    (size,) = struct.unpack_from("<Q", raw, 8)
    header = json.loads(raw[16 : 16 + size])
    target = data.draw(st.sampled_from([header, header["kernels"][0]]))
    key = data.draw(st.sampled_from(sorted(target)))
    target[key] = data.draw(_JSON)
    try:
        forged = Artifact.from_bytes(_resealed(json.dumps(header).encode(), b"code"))
    except ArtifactError:
        return
    assert forged.to_bytes()


@pytest.mark.parametrize("header", [b"", b"[]", b"{}", b"[" * 100_000, b"\xff", b'{"format":99}'])
def test_headers_that_are_none(header: bytes) -> None:
    with pytest.raises(ArtifactError):
        Artifact.from_bytes(_resealed(header))


def test_artefacts_of_an_older_format() -> None:
    with pytest.raises(ArtifactError, match=r"of another format version, 7, and this tilewright reads \d+; compile it"):
        Artifact.from_bytes(_resealed(b'{"format":7}'))


COMMON: dict[str, object] = {"most": None, "dependent": False, "flag_bytes": 0, "gathered": False, "has_mapped": False}


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        ({"threads": [32, 1], "items": 1, "cluster": [1, 1, 1], "scratch_bytes": 0}, "threads are three numbers"),
        ({"threads": [32, 0, 1], "items": 1, "cluster": [1, 1, 1], "scratch_bytes": 0}, "at least one thread"),
        ({"threads": [32, 1, 1], "items": 0, "cluster": [1, 1, 1], "scratch_bytes": 0}, "at least one work-group"),
        ({"threads": [32, 1, 1], "items": 1, "cluster": [1, -1, 1], "scratch_bytes": 0}, "at least one block"),
        ({"threads": [32, 1, 1], "items": 1, "cluster": [1, 1, 1], "scratch_bytes": -1}, "negative scratch memory"),
        ({"threads": [9, 1, 1], "items": 1, "cluster": [1, 1, 1], "scratch_bytes": 0, "most": 0}, "at least one block"),
        (
            {"threads": [9, 1, 1], "items": 1, "cluster": [1, 1, 1], "scratch_bytes": 0, "gathered": True},
            "there is a largest number",
        ),
        (
            {"threads": [9, 1, 1], "items": 1, "cluster": [1, 1, 1], "scratch_bytes": 0, "has_mapped": True},
            "an entry for launches with all maps",
        ),
        ({"threads": [32, 1, 1], "items": 1, "cluster": [1, 1, 1]}, "lacks 'scratch_bytes'"),
        ({"threads": [32, 1, 1], "items": 1}, "lacks 'cluster'"),
    ],
)
def test_plans_that_are_none(plan: dict[str, object], text: str) -> None:
    kernel = KernelInfo("k", "k", (), launch=LaunchPlan((32, 1, 1)))
    raw = Artifact("nvidia", (kernel,), b"").to_bytes()
    header = json.loads(raw[16:-32])
    header["kernels"][0]["launch"] = {"parts": None, "group_bytes": 0, "maps": [], **COMMON, **plan}
    with pytest.raises(ArtifactError, match=text):
        Artifact.from_bytes(_resealed(json.dumps(header).encode()))


def test_a_plan_counts_blocks() -> None:
    plan = LaunchPlan((128, 1, 1), items=4, cluster=(2, 1, 1))
    assert [plan.blocks((x, 3, 2)) for x in (0, 1, 4, 5, 9)] == [(x, 3, 2) for x in (0, 1, 1, 2, 3)]
    assert str(plan) == "blocks of 128 threads, 4 work-groups each, clusters of 2 x 1 x 1 blocks"
    plan = LaunchPlan((128, 1, 1), items=4, most=2)
    assert [plan.blocks((x, 1, 1)) for x in (0, 1, 5, 9)] == [(x, 1, 1) for x in (0, 1, 2, 2)]
    assert str(plan) == "blocks of 128 threads, 4 work-groups each, 2 of them that go on along x"
    plan = LaunchPlan((128, 1, 1), most=6, gathered=True)
    assert [plan.blocks((x, 2, z)) for x, z in ((0, 1), (1, 1), (2, 1), (1, 2), (9, 9))] == [
        (found, 1, 1) for found in (0, 2, 4, 4, 6)
    ]
    assert str(plan) == "blocks of 128 threads, a work-group each, 6 of them that go on over the grid"
    assert str(LaunchPlan((8, 4, 1))) == "blocks of 8 x 4 x 1 threads, a work-group each"


def test_work_groups_among_blocks() -> None:
    extent = Polynomial.quantity(Quantity(Origin.EXTENT, "A", 1))
    parts = Parts(((Trips(extent, 64), Trips(Polynomial.constant(200), 64)), (Trips(extent, 1),)), 1000)
    assert str(parts) == "min(max(ceil(extent 1 of %A / 64) x 4, extent 1 of %A), 1000 / work-groups)"
    assert (parts.tiles, Parts(parts.nests[:1], 9).tiles) == (None, None)
    assert Parts(tuple((Trips(Polynomial.constant(200), step),) for step in (64, 100)), 9).tiles == 4
    assert [parts.count((x, 1, 2), lambda _: 130) for x in (1, 2, 4, 500, 501)] == [130, 130, 125, 1, 1]
    plan = LaunchPlan((128, 1, 1), parts=parts)
    assert plan.blocks((3, 2, 1), 5) == (15, 2, 1)
    step = KernelInfo("k.0", "k0", (MATRIX,), launch=plan)
    kernel = KernelInfo("k", "k", (MATRIX,), launch=LaunchPlan((32, 1, 1)), steps=Steps((step,), 9, 4))
    assert Artifact.from_bytes(Artifact("nvidia", (kernel, step), b"").to_bytes()).kernels == (kernel, step)
    assert kernel.steps is not None
    suited = {(x, n): kernel.steps.suit((x, 1, 1), lambda _, n=n: n) for x, n in ((9, 4), (10, 4), (9, 0))}
    assert [place for place, suits in suited.items() if suits] == [(9, 4)]


def test_work_groups_that_are_joined() -> None:
    """Along y, by blocks of 100: two at a time take 1.7 times as long as one, and a tenth more once."""
    step = KernelInfo("k.0", "k0", (MATRIX,), launch=LaunchPlan((64, 1, 1)))
    joined = Joined(1, 2, 100, 85, 10)
    kernel = KernelInfo("k", "k", (MATRIX,), launch=LaunchPlan((32, 1, 1)), steps=Steps((step,), joined=joined))
    assert Artifact.from_bytes(Artifact("nvidia", (kernel, step), b"").to_bytes()).kernels == (kernel, step)
    assert kernel.steps is not None
    grids = (
        (100, 2, 1),
        (200, 1, 1),
        (50, 4, 1),
        (50, 2, 1),
        (51, 2, 1),
        (67, 3, 1),
        (1, 2, 101),
        (3, 2, 50),
        (4, 2, 50),
    )
    assert [kernel.steps.suit(grid, lambda _: 0) for grid in grids] == [
        True,
        False,
        True,
        False,
        True,
        False,
        False,
        False,
        True,
    ]
    for change, text in (
        ({"mode": 3}, "no such mode"),
        ({"count": 0}, "there are work-groups"),
        ({"once": -1}, "less than no time"),
        ({"blocks": ""}, "integer"),
    ):
        header = json.loads(Artifact("nvidia", (kernel, step), b"").to_bytes()[16:-32])
        header["kernels"][0]["steps"]["joined"] |= change
        with pytest.raises(ArtifactError, match=text):
            Artifact.from_bytes(_resealed(json.dumps(header).encode()))


NOT_PARTS: list[tuple[dict[str, object], str]] = [
    ({"nests": [[[0, []]]]}, "a step and an extent"),
    ({"nests": [[[4, [[1, ["extent", "B", 0]]]]]]}, "as many blocks as extent 0 of %B says"),
    ({"nests": [[[4, [[1, ["group_id", "", 0]]]]]]}, "as many blocks as group_id.x says"),
    ({"most": 0}, "at least one block"),
    ({"most": True}, "not an integer"),
]


@pytest.mark.parametrize(("change", "text"), NOT_PARTS)
def test_parts_that_are_none(change: dict[str, object], text: str) -> None:
    kernel = KernelInfo("k", "k", (MATRIX,), launch=LaunchPlan((32, 1, 1), parts=Parts((), 4)))
    header = json.loads(Artifact("nvidia", (kernel,), b"").to_bytes()[16:-32])
    header["kernels"][0]["launch"]["parts"] |= change
    with pytest.raises(ArtifactError, match=text):
        Artifact.from_bytes(_resealed(json.dumps(header).encode()))


def test_steps_of_steps() -> None:
    kernel = KernelInfo("k", "k", (MATRIX,), launch=LaunchPlan((32, 1, 1)))
    raw = Artifact("nvidia", (structs.replace(kernel, steps=Steps((kernel,), 1, 1)),), b"").to_bytes()
    header = json.loads(raw[16:-32])
    (outer,) = header["kernels"]
    outer["steps"]["kernels"][0]["steps"] = outer["steps"] | {"kernels": [dict(outer["steps"]["kernels"][0])]}
    with pytest.raises(ArtifactError, match="a step of a kernel in the artefact has steps of its own"):
        Artifact.from_bytes(_resealed(json.dumps(header).encode()))


def test_slots_follow_the_calling_convention() -> None:
    parameters: tuple[Parameter, ...] = (
        ScalarParameter("alpha", "c64"),
        ScalarParameter("flag", "bool"),
        MemrefParameter("A", "f32", (None, 5, None, 6), (1, None, 5, None)),
        MemrefParameter("W", "f32", (None,), (1,), space="local"),
        GroupParameter("G", MemrefParameter("G", "i32", (None, 5, None, 6), (1, None, 5, None)), None, None),
        GroupParameter("H", MemrefParameter("H", "i32", (4,), (1,)), 3, 0),
    )
    slots = slot_layout(parameters)
    assert [(slot.parameter, slot.role, slot.offset) for slot in slots] == [
        ("alpha", "value", 0),
        ("flag", "value", 16),
        ("A", "pointer", 24),
        ("A", ("extent", 0), 32),
        ("A", ("extent", 2), 40),
        ("A", ("stride", 1), 48),
        ("A", ("stride", 3), 56),
        ("W", ("extent", 0), 64),
        ("G", "table", 72),
        ("G", ("extent_array", 0), 80),
        ("G", ("extent_array", 2), 88),
        ("G", ("stride_array", 1), 96),
        ("G", ("stride_array", 3), 104),
        ("G", "size", 112),
        ("G", "offset", 120),
        ("H", "table", 128),
    ]
    assert block_size(parameters) == 144


def test_signatures_are_checked_when_made() -> None:
    with pytest.raises(ValueError, match="unknown element type"):
        ScalarParameter("a", "f80")
    with pytest.raises(ValueError, match="no memref of"):
        MemrefParameter("A", "bool", (), ())
    with pytest.raises(ValueError, match="two parameters"):
        KernelInfo("k", "k", (ScalarParameter("a", "f32"), ScalarParameter("a", "f32")))
    with pytest.raises(KeyError, match="there are k"):
        Artifact("cpu", (KernelInfo("k", "k", ()),), b"").kernel("x")
