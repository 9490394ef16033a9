"""What is told of accesses and barriers, on kernels whose answers are known: copies, strides, banks, copies by few."""

from __future__ import annotations

import random
import re

import pytest

from effort import SEED, Ran, count
from targets.nvidia.cases_tile_ir import transposed
from tilewright.dialects import tile
from tilewright.ir.layouts import Layout
from tilewright.ir.types import AddressSpace, MemrefType, ScalarType, TileType, memref
from tilewright.machine.cuda.architecture import Architecture
from tilewright.transforms.explanations import explain_kernel
from tilewright.transforms.explanations.records import KernelUse, MemoryAccess
from tilewright.transforms.schedule.accesses import traffic
from tilewright.transforms.schedule.assign_layouts import AssignLayouts
from tilewright.transforms.schedule.choose_schedule import ChooseSchedule
from tilewright.transforms.schedule.lower_to_lanes import LowerToLanes
from tilewright.transforms.schedule.shared_buffers import SharedBuffer, shared_buffer
from transforms.support import kernel, run

WARP = 'subgroup_size = 32, work_group_size = [32, 1], schedule = "lanes threads=32"'
WARPS = 'subgroup_size = 32, work_group_size = [128, 1], schedule = "lanes threads=128"'
HEAD = """
%id = team.subgroup_local_id -> i32
%lane = arith.cast %id -> index
%warp_id = team.subgroup_linear_id -> i32
%warp = arith.cast %warp_id -> index
%zero = arith.constant {value = 0} -> index
"""


def explained(parameters: str, body: str, attributes: str = WARP, before: str = "") -> KernelUse:
    module = kernel(parameters, f"{before}\nteam.spmd {{ {HEAD} {body} }}", attributes)
    run(module)
    return explain_kernel(module.kernels[0])


def costs(use: KernelUse) -> list[tuple[str, int, int, int | None, int | None]]:
    return [(a.kind, a.bytes, a.times, a.units, a.least) for a in use.accesses]


@pytest.mark.parametrize(
    ("element", "width", "sectors"), [("f32", 1, 4), ("f32", 4, 16), ("f16", 8, 16), ("f64", 2, 16), ("i8", 1, 1)]
)
def test_a_coalesced_copy_takes_the_least(element: str, width: int, sectors: int) -> None:
    use = explained(
        f"%x: memref<{element}x4096>, %y: memref<{element}x4096>",
        f"""%n = arith.constant {{value = {width}}} -> index
            %at = arith.mul %lane, %n -> index
            %v = lane.load %x, %at {{registers = [[{width}, 0, 1]], width = {width}}} -> fragment<{width}x{element}>
            lane.store %v, %y, %at {{registers = [[{width}, 0, 1]], width = {width}}}""",
    )
    size = {"f32": 4, "f16": 2, "f64": 8, "i8": 1}[element] * width
    assert costs(use) == [("loads", size, 1, sectors, sectors), ("stores", size, 1, sectors, sectors)]
    assert [access.what for access in use.accesses] == ["%x", "%y"]
    assert not use.buffers
    assert not use.waits
    assert not use.untold


@pytest.mark.parametrize(("stride", "sectors"), [(1, 4), (2, 8), (3, 12), (4, 16), (8, 32), (100, 32), ("?", 32)])
def test_strides_cost_sectors(stride: int | str, sectors: int) -> None:
    use = explained(
        f"%x: memref<f32x64x64,strided<1,{stride}>>",
        "%v = lane.load %x, %zero, %lane {registers = []} -> fragment<1xf32>",
    )
    assert costs(use) == [("loads", 4, 1, sectors, 4)]


@pytest.mark.parametrize(
    ("buffer", "passes"),
    [
        ("memref<f32x32x32,local>", 32),
        ("memref<f32x32x32,strided<1,33>,local>", 1),
        ("memref<f32x32x32,strided<1,34>,local>", 2),
        ("memref<f32x32x32,swizzle<5,2,5>,local>", 1),
        ("memref<f32x32x32,swizzle<4,2,5>,local>", 2),
        ("memref<f32x32x32,swizzle<3,4,3>,local>", 4),
        ("memref<f16x32x32,local>", 16),
        ("memref<f64x32x32,local>", 32),
    ],
)
def test_what_lies_across_the_banks_conflicts(buffer: str, passes: int) -> None:
    """Stored along the mode of neighbours, loaded across it: for matrices of 32 words a side the classic transpose."""
    element = buffer[7:10]
    least = 2 if element == "f64" else 1
    use = explained(
        f"%x: memref<{element}x4096>",
        f"""%v = lane.load %x, %lane {{registers = []}} -> fragment<1x{element}>
            lane.store %v, %b, %lane, %zero {{registers = []}}
            team.barrier {{fence_local = true}}
            %w = lane.load %b, %zero, %lane {{registers = []}} -> fragment<1x{element}>
            lane.store %w, %x, %lane {{registers = []}}""",
        before=f"%b = memref.alloca -> {buffer}",
    )
    (found,) = use.buffers
    stored, loaded = (access for access in use.accesses if access.shared)
    assert (stored.units, stored.least) == (least, least)
    assert (loaded.units, loaded.least) == (passes, least)
    assert found.conflicts == passes - least
    assert found.name == stored.what == loaded.what == "shared buffer 1"
    assert ("no bank conflicts" in str(found)) == (passes == least)


@pytest.mark.parametrize("element", ["f32", "f16", "i8"])
def test_a_transpose_with_and_without_its_swizzle(element: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conflicts are those that the choice of the buffer has counted by layouts; more without what keeps lines apart."""
    counted: list[int] = []

    def counting(of: ScalarType, layouts: tuple[Layout, ...], shape: tuple[int, ...] | None = None) -> SharedBuffer:
        found = shared_buffer(of, layouts, shape)
        counted.append(found.conflicts)
        return found

    monkeypatch.setattr("tilewright.transforms.schedule.conversions.shared_buffer", counting)
    module = transposed(element, 128 if element == "i8" else 64).lowered(Architecture.SM_80)
    use = explain_kernel(module.kernels[0])
    assert [buffer.conflicts for buffer in use.buffers] == counted
    assert [(a.bytes, a.units == a.least) for a in use.accesses if not a.shared] == [(16, True)] * 2
    assert any("shared buffer 1 stored at" in reason for wait in use.waits for reason in wait.reasons)
    assert all(wait.reasons for wait in use.waits)
    for op in module.walk():
        for value in op.results:
            type_ = value.type
            if isinstance(type_, MemrefType) and type_.space is AddressSpace.LOCAL:
                value.type = memref(type_.element, type_.shape, space=type_.space)
    (buffer,) = explain_kernel(module.kernels[0]).buffers
    assert buffer.conflicts is not None
    assert buffer.conflicts > counted[0]


def test_lanes_that_a_test_keeps_out_cost_nothing() -> None:
    use = explained(
        "%x: memref<f32x4096>, %n: index",
        """%four = arith.constant {value = 4} -> index
           %few = arith.cmp %lane, %four {predicate = "lt"} -> bool
           %v = lane.load %x, %lane {registers = []} -> fragment<1xf32>
           scf.if %few { lane.store %v, %x, %lane {registers = []} }
                       { lane.store %v, %x, %lane {registers = []} }
           %inside = arith.cmp %lane, %n {predicate = "lt"} -> bool
           scf.if %inside { lane.store %v, %x, %lane {registers = []} }""",
    )
    assert [(a.units, a.least) for a in use.accesses] == [(4, 4), (1, 1), (4, 4), (4, 4)]


@pytest.mark.parametrize(
    ("address", "sectors"),
    [
        ("%at = arith.add %lane, %n -> index", 4),
        ("%at = arith.sub %n, %lane -> index", 5),
        ("%at = arith.mul %lane, %n -> index", None),
        ("%at = arith.rem %lane, %four -> index", 1),
        ("%at = arith.rem %n, %four -> index", 1),
        ("%o = memref.load %i, %lane -> i64 %at = arith.cast %o -> index", None),
        ("%o = memref.load %i, %zero -> i64 %at = arith.cast %o -> index", 1),
        ("%d = arith.mul %lane, %four -> index %at = arith.add %d, %d -> index", 32),
        ("%s = arith.shr %lane, %four -> index %at = arith.mul %s, %four -> index", 1),
        ("%m = arith.add %lane, %n -> index %at = arith.rem %m, %four -> index", None),
    ],
)
def test_addresses_as_far_as_they_are_known(address: str, sectors: int | None) -> None:
    use = explained(
        "%x: memref<f32x4096>, %n: index, %i: memref<i64x64>",
        f"""%four = arith.constant {{value = 4}} -> index
            {address}
            %v = lane.load %x, %at {{registers = []}} -> fragment<1xf32>""",
    )
    found = use.accesses[-1]
    assert found.units == sectors
    assert ("addresses depend on data" in str(found)) == (sectors is None)


@pytest.mark.parametrize(
    ("extent", "at", "sectors"), [(37, 0, 8 + 2), (37, 32, 2), (40, 32, 2), (64, 0, 16), (8, 3, 2), (3, 8, 0)]
)
def test_edges_that_are_known_keep_lanes_out(extent: int, at: int, sectors: int) -> None:
    """Two registers a lane, 8 bytes each, those of the second behind all of the first."""
    use = explained(
        f"%x: memref<f64x{extent}>",
        f"""%start = arith.constant {{value = {at}}} -> index
            %mine = arith.add %lane, %start -> index
            %v = lane.load %x, %mine {{registers = [[2, 0, 32]], check = [true]}} -> fragment<2xf64>""",
    )
    assert use.accesses[0].units == sectors


def test_masks_that_are_known_keep_lanes_out() -> None:
    use = explained(
        "%p: ptr<f32>",
        """%base = memref.address %p -> i64
           %four = arith.constant {value = 4} -> i64
           %i = arith.cast %lane -> i64
           %step = arith.mul %i, %four -> i64
           %at = arith.add %base, %step -> i64
           %few = arith.cmp %i, %four {predicate = "lt"} -> bool
           %where = lane.fill %at -> fragment<1xi64>
           %mask = lane.fill %few -> fragment<1xbool>
           %v = tile.gather %where, %mask {operand_segments = [1, 1]} -> fragment<1xf32>
           %w = tile.gather %where {operand_segments = [1, 0]} -> fragment<1xf32>""",
    )
    assert [(a.units, a.least, a.what) for a in use.accesses] == [
        (1, 1, "memory at addresses"),
        (4, 4, "memory at addresses"),
    ]


def test_registers_of_what_is_loaded_differ() -> None:
    """All lanes have the same, but nobody knows how far one register is from the other."""
    use = explained(
        "%i: memref<i64x64>",
        """%a = lane.load %i, %zero {registers = [[2, 0, 1]]} -> fragment<2xi64>
           %v = tile.gather %a {operand_segments = [1, 0]} -> fragment<2xf32>""",
    )
    assert [access.units for access in use.accesses] == [2, None]


def test_loops_carry_addresses() -> None:
    """An offset that all lanes share changes nothing, one that they do not is not known."""
    body = """
        %end = arith.constant {{value = 64}} -> index
        %four = arith.constant {{value = 4}} -> index
        %r = scf.for %zero, %end, %four, %lane {{operand_segments = [1, 1, 1, 1]}} -> index (%i: index, %at: index) {{
            %v = lane.load %x, %at {{registers = []}} -> fragment<1xf32>
            %next = arith.{op} %at, {by} -> index
            scf.yield %next
        }}"""
    found = [
        explained("%x: memref<f32x4096>", body.format(op=op, by=by)).accesses[0].units
        for op, by in (("add", "%i"), ("add", "%four"), ("mul", "%four"), ("add", "%lane"))
    ]
    assert found == [4, 4, None, None]


def test_barriers_tell_what_waits() -> None:
    use = explained(
        "%x: memref<f32x4096>, %y: memref<f32x4096>",
        """%end = arith.constant {value = 8} -> index
           %one = arith.constant {value = 1} -> index
           %v = lane.load %x, %lane {registers = []} -> fragment<1xf32>
           scf.for %zero, %end, %one {operand_segments = [1, 1, 1, 0]} (%i: index) {
               lane.store %v, %b, %lane {registers = []}
               team.barrier {fence_local = true}
               %w = lane.load %b, %i {registers = []} -> fragment<1xf32>
               team.barrier {fence_local = true}
           }
           team.barrier {fence_global = true}
           lane.store %v, %x, %lane {registers = []}
           lane.store %v, %y, %lane {registers = []}
           team.barrier {fence_global = true}
           lane.store %v, %x, %lane {registers = []}""",
        WARPS,
        "%b = memref.alloca -> memref<f32x32,local>",
    )
    told = [[re.sub(r" at [\d:]*", "", reason) for reason in wait.reasons] for wait in use.waits]
    assert told == [
        ["shared buffer 1 stored before it is loaded"],
        ["shared buffer 1 loaded before it is stored"],
        ["%x loaded before it is stored", "%x loaded before %y is stored"],
        ["%x stored before it is again stored", "%y stored before %x is stored"],
    ]


def test_a_barrier_without_reason_says_so() -> None:
    (wait,) = explained("%x: memref<f32x4096>", "team.barrier {fence_local = true}").waits
    assert not wait.reasons
    assert "nothing that is known waits for it" in str(wait)


def test_tiles_of_the_emission_are_named() -> None:
    module = kernel(
        "%x: memref<f32x48>",
        "%z = arith.constant {value = 0} -> index %v = tile.load %x, %z -> tile<48xf32> tile.store %v, %x, %z",
        'subgroup_size = 32, work_group_size = [96, 1], schedule = "elements threads=96"',
    )
    run(module)
    use = explain_kernel(module.kernels[0])
    assert not use.accesses
    why = "threads are chosen as code is emitted, and not told"
    assert [re.sub(r"^[\d:]*: ", "", said) for said in use.untold] == [
        f"tile.{op} of %x: {why}" for op in ("load", "store")
    ]


def test_layouts_say_the_same(ran: Ran) -> None:
    """Sectors counted from addresses that the code computes are those that layouts tell of."""
    number = count("RANDOM_EXPLANATIONS", 12, 400)
    for k in range(number):
        chosen = random.Random(SEED + k)
        shape = tuple(2 ** chosen.randint(0, 4) for _ in range(chosen.randint(1, 3)))
        element = chosen.choice(["f16", "f32", "f64", "i8"])
        extents = "x".join(str(extent * 2) for extent in shape)
        at = ", ".join(["%z"] * len(shape))
        type_ = f"tile<{'x'.join(map(str, shape))}x{element}>"
        module = kernel(
            f"%x: memref<{element}x{extents}>, %y: memref<{element}x{extents}>",
            f"""%z = arith.constant {{value = 0}} -> index
                %v = tile.load %x, {at} -> {type_} tile.store %v, %y, {at}""",
            "subgroup_size = 32, work_group_size = [128, 1], "
            "parameter_attributes = [{alignment = 16}, {alignment = 16}]",
        )
        run(module, ChooseSchedule(), AssignLayouts())
        wanted = {op.name: _traffic(op) for op in module.walk() if isinstance(op, tile.Load | tile.Store)}
        run(module, LowerToLanes())
        found = [access for access in explain_kernel(module.kernels[0]).accesses if not access.otherwise]
        assert {f"tile.{access.kind[:-1]}": access.units for access in found} == wanted, (
            f"seed {SEED + k}: {shape} {element}"
        )
    ran(number, "copies of tiles explained")


def _traffic(op: tile.Load | tile.Store) -> int:
    value = op.out if isinstance(op, tile.Load) else op.value
    assert isinstance(value.type, TileType)
    assert value.type.layout is not None
    assert isinstance(op.memref.type, MemrefType)
    return traffic(value.type.layout, value.type.shape, op.memref.type)


def test_how_it_reads() -> None:
    access = MemoryAccess("2:5", "loads", "%x", False, 16, 2, 32, 16)
    assert str(access) == "2:5: loads %x: 16 bytes a thread, 2 times, 32 sectors of 32 bytes a warp, at least 16"
    access = MemoryAccess("2:5", "stores", "shared buffer 1", True, 1, 1, 1, 1, True)
    assert str(access) == (
        "2:5: stores shared buffer 1: 1 byte a thread, 1 pass over the banks a warp, at least 1; only where a test "
        "finds no wider access possible"
    )
