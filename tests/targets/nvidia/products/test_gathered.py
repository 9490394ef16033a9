"""Grids with a block for each tile of a product: blocks go on from one work-group to the next."""

from __future__ import annotations

import numpy as np
import pytest

from targets.nvidia.products.cases import TEXTS, ZEROS, launch
from targets.nvidia.products.test_levels import levels, some
from targets.nvidia.products.test_persistent import check, emulate
from targets.nvidia.products.test_products import emitted
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.ir.parser import parse_ir
from tilewright.ir.passes import PassContext
from tilewright.ir.verifier import verified
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.model import NvidiaSchedulePolicy
from tilewright.transforms.schedule.gather_groups import GatherGroups
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
@pytest.mark.parametrize("depth", [64, 136, 320])
def test_blocks_go_on_over_a_grid(asked: str, rows: int, depth: int, rng: np.random.Generator) -> None:
    """Fewer steps than there are stages and more, several tiles of a block, all as many and not."""
    product = TEXTS.Product((rows * 64, 192, depth), "f16", "f32", rounded="f16")
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
    "memory of its own": (PLAIN.replace(FRONT, f"    %m = memref.alloca -> memref<f32x4,local>\n{FRONT}"), "", False),
    "no place": (HERE, "", False),
    "refused": (PLAIN, "persistent=no", False),
    "by elements": (PLAIN, "elements", False),
    "small tiles": (SMALL, "", False),
    "small tiles, asked": (SMALL, "persistent=yes", True),
}
"""A kernel on the tile level, what is asked of its schedule, and whether blocks go on over its grid."""


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
