"""Grids with a block for each tile of a product: blocks go on from one work-group to the next."""

from __future__ import annotations

import numpy as np
import pytest

from targets.nvidia.case import Launch
from targets.nvidia.products.cases import TEXTS, ZEROS, launch
from targets.nvidia.products.test_levels import levels, some
from targets.nvidia.products.test_persistent import check, emulate
from targets.nvidia.products.test_products import emitted
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.ir.parser import parse_ir
from tilewright.ir.passes import PassContext
from tilewright.ir.printer import print_op
from tilewright.ir.verifier import verified
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.model import NvidiaSchedulePolicy
from tilewright.transforms.schedule.gather_groups import GatherGroups
from tilewright.transforms.schedule.products import plan
from tilewright.transforms.schedule.request import parse_request

ASKED = {
    "persistent=yes": "persistent=yes",
    "persistent=yes order=2": "order=2",
    "persistent=yes roles=yes": "roles=yes",
    "persistent=yes roles=yes pingpong=yes": "pingpong=yes",
}


@pytest.mark.covering(1)
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("rows", [3, 4])
@pytest.mark.parametrize("depth", [64, 136, 200])
def test_blocks_go_on_over_a_grid(asked: str, rows: int, depth: int, rng: np.random.Generator) -> None:
    """Fewer steps than there are stages and more, several tiles of a block, all as many and not."""
    product = TEXTS.Product((rows * 64, 128, depth), "f16", "f32", rounded="f16")
    text, given = TEXTS.tile_ir_product(product, (64, 64, 32), ZEROS), launch(product, (64, 64), "C", rng)
    for module in some(levels(text, Architecture.SM_90A, asked), rng):
        assert module.kernels[0].gathered
        assert ASKED[asked] in (module.kernels[0].schedule or "")
        check(module, given)
    llvm, kernel = emitted(text, schedule=asked)
    emulate(llvm, kernel, given)


FRONT, END = "    %sum = scf.for", "  }\n}\n"
PLAIN = """builtin.module {
  builtin.kernel {sym_name = "product", subgroup_size = 32, work_group_size = [128, 1], spread = true} (
      %a: memref<f16x1024x1024>, %b: memref<f16x1024x1024>, %c: memref<f32x1024x1024>) {
    %x = team.group_id {dim = 0} -> index
    %y = team.group_id {dim = 1} -> index
    %d = arith.constant {value = 128} -> index
    %i = arith.mul %x, %d -> index
    %j = arith.mul %y, %d -> index
    %lo = arith.constant {value = 0} -> index
    %hi = arith.constant {value = 1024} -> index
    %step = arith.constant {value = 64} -> index
    %zeros = arith.constant {value = 0.0} -> tile<128x128xf32>
    %ones = arith.constant {value = 1.0} -> tile<1x1xf32>
    %sum = scf.for %lo, %hi, %step, %zeros {operand_segments = [1, 1, 1, 1]} -> tile<128x128xf32> (
        %k: index, %acc: tile<128x128xf32>) {
      %p = tile.load %a, %i, %k -> tile<128x64xf16>
      %q = tile.load %b, %k, %j -> tile<64x128xf16>
      %next = tile.mma %p, %q, %acc -> tile<128x128xf32>
      scf.yield %next
    }
    tile.store %sum, %c, %i, %j
  }
}
"""


def behind(what: str) -> str:
    return PLAIN.removesuffix(END) + f"    {what}\n{END}"


def update(more: str) -> str:
    return behind(f'%old = tile.atomic_rmw %ones, %c, %lo, %lo {{kind = "add"{more}}} -> tile<1x1xf32>')


SMALL = PLAIN.replace("128x", "64x").replace("x128", "x64").replace("= 128", "= 64")
HERE = PLAIN.replace("team.group_id {dim = 0}", "arith.constant {value = 0}").replace(
    "team.group_id {dim = 1}", "arith.constant {value = 0}"
)
GOES_ON = {
    "as it is": (PLAIN, "", True),
    "a store in front": (PLAIN.replace(FRONT, f"    tile.store %ones, %c, %lo, %lo\n{FRONT}"), "", False),
    "an update behind": (update(""), "", True),
    "an order behind": (update(', semantics = "release"'), "", False),
    "a loop that waits": (
        behind("scf.while () {\n %t = arith.constant {value = false} -> bool\n scf.yield %t\n}"),
        "",
        False,
    ),
    "memory of its own": (PLAIN.replace(") {\n    %x", ", %m: memref<f32x4,local>) {\n    %x"), "", False),
    "no place": (HERE, "", False),
    "refused": (PLAIN, "persistent=no", False),
    "packed": (PLAIN, "packed", False),
    "small tiles": (SMALL, "", False),
    "small tiles, asked": (SMALL, "persistent=yes", True),
}
"""A kernel on the tile level, what is asked of its schedule, and whether blocks go on over its grid."""


def test_threads_that_wait_for_each_other_take_no_turns() -> None:
    """As they do to add up rows, in memory that is known to be apart."""
    rows = behind("""%rows = tile.reduce %sum {dim = 1, kind = "add"} -> tile<128xf32>
    %old = tile.atomic_rmw %rows, %apart, %i {kind = "add"} -> tile<128xf32>""")
    apart = "parameter_attributes = [{}, {}, {noalias = true}, {noalias = true}], spread"
    rows = rows.replace("spread", apart).replace(") {\n    %x", ", %apart: memref<f32x1024>) {\n    %x")
    for text, takes_turns in ((PLAIN, True), (rows, False)):
        report = Report()
        module = parse_ir(Source("k", text), report, operation_classes())
        assert isinstance(module, Module), report.diagnostics
        verified(module)
        GatherGroups(NvidiaSchedulePolicy(Architecture.SM_90A)).run(module, PassContext())
        assert module.kernels[0].gathered
        assert ("pingpong=yes" in print_op(module)) is takes_turns


@pytest.mark.parametrize("case", GOES_ON)
def test_what_blocks_go_on_over(case: str) -> None:
    text, asked, goes_on = GOES_ON[case]
    report = Report()
    module = parse_ir(Source("k", text), report, operation_classes())
    assert isinstance(module, Module), report.diagnostics
    request = parse_request(asked, report)
    GatherGroups(NvidiaSchedulePolicy(Architecture.SM_90A), request).run(module, PassContext())
    verified(module)
    assert module.kernels[0].gathered is goes_on


A_VIEW, B_VIEW, ROW = (
    f"partition_view<tile=({tile}), tensor_view<{shape}xf16, strides=[{strides}]>>"
    for tile, shape, strides in (("64x64", "256x128", "128,1"), ("64x64", "256x128", "128,1"), ("64", "512", "1"))
)
PLANES = f"""cuda_tile.module @kernels {{
  entry @product(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f16>>, %bias: tile<ptr<f16>>) {{
    %aa = assume div_by<16>, %a : tile<ptr<f16>>
    %ba = assume div_by<16>, %b : tile<ptr<f16>>
    %ca = assume div_by<16>, %c : tile<ptr<f16>>
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %at = make_tensor_view %aa, shape = [256, 128], strides = [128, 1] : tensor_view<256x128xf16, strides=[128,1]>
    %av = make_partition_view %at : {A_VIEW}
    %bt = make_tensor_view %ba, shape = [256, 128], strides = [128, 1] : tensor_view<256x128xf16, strides=[128,1]>
    %bv = make_partition_view %bt : {B_VIEW}
    %ct = make_tensor_view %ca, shape = [256, 128], strides = [128, 1] : tensor_view<256x128xf16, strides=[128,1]>
    %cv = make_partition_view %ct : {A_VIEW}
    %lt = make_tensor_view %bias, shape = [512], strides = [1] : tensor_view<512xf16, strides=[1]>
    %lv = make_partition_view %lt : {ROW}
    %lo = constant <i32: 0> : tile<i32>
    %hi = constant <i32: 2> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %above = muli %bz, %hi : tile<i32>
    %row = addi %above, %bx : tile<i32>
    %first = muli %bz, %hi : tile<i32>
    %zeros = constant <f32: 0.0> : tile<64x64xf32>
    %sum = for %k in (%lo to %hi, step %step) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x64xf32>) {{
      %term = addi %first, %k : tile<i32>
      %x, %xd = load_view_tko weak %av[%row, %k] : {A_VIEW}, tile<i32> -> tile<64x64xf16>, token
      %y, %yd = load_view_tko weak %bv[%term, %by] : {B_VIEW}, tile<i32> -> tile<64x64xf16>, token
      %next = mmaf %x, %y, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }}
BEHIND    %rounded = ftof %out : tile<64x64xf32> -> tile<64x64xf16>
    %done = store_view_tko weak %rounded, %cv[%row, %by] : tile<64x64xf16>, {A_VIEW}, tile<i32> -> token
    return
  }}
}}
"""
BIAS = f"""
    %l, %ld = load_view_tko weak %lv[%by] : {ROW}, tile<i32> -> tile<64xf16>, token
    %l2 = ftof %l : tile<64xf16> -> tile<64xf32>
    %l3 = reshape %l2 : tile<64xf32> -> tile<1x64xf32>
    %l4 = broadcast %l3 : tile<1x64xf32> -> tile<64x64xf32>
    %out = addf %sum, %l4 : tile<64x64xf32>
"""
ROWS = f"""
    %out = addf %sum, %zeros : tile<64x64xf32>
    %rows = reduce %sum dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
        (%e: tile<f32>, %f: tile<f32>) {{
      %g = addf %e, %f : tile<f32>
      yield %g : tile<f32>
    }}
    %narrow = ftof %rows : tile<64xf32> -> tile<64xf16>
    %twice = muli %row, %hi : tile<i32>
    %at0 = addi %twice, %by : tile<i32>
    %told = store_view_tko weak %narrow, %lv[%at0] : tile<64xf16>, {ROW}, tile<i32> -> token
"""


@pytest.mark.parametrize("has_bias", [True, False])
def test_batches_and_scales(has_bias: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two planes of tiles; sides take turns where each thread stores what it holds, with a bias, and not where
    threads add up rows together, too."""
    monkeypatch.setattr(plan, "_LEAST_GOING_ON", 64 * 64)
    text = PLANES.replace("BEHIND", BIAS if has_bias else ROWS)
    shapes = ((2, 128, 128),) * 3
    a, b, c = (rng.integers(-2, 3, shape).astype(np.float16) for shape in shapes)
    bias = rng.integers(-2, 3, 512).astype(np.float16)
    product = a.astype(np.float32) @ b.astype(np.float32)
    rows = product.reshape(4, 64, 2, 64).sum(-1).swapaxes(1, 2)
    expected = {2: (product + bias[:128] if has_bias else product).astype(np.float16).ravel()}
    expected |= {} if has_bias else {3: rows.astype(np.float16).ravel()}
    given = Launch([a.ravel(), b.ravel(), c.ravel(), bias], expected, (2, 2, 2))
    for module in some(levels(text, Architecture.SM_90A), rng):
        assert module.kernels[0].gathered
        assert ("pingpong=yes" in (module.kernels[0].schedule or "")) is has_bias
        check(module, given)
    llvm, kernel = emitted(text)
    emulate(llvm, kernel, given)
