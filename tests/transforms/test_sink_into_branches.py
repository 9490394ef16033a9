"""sink-into-branches: what one side of a branch alone needs is computed on that side."""

from __future__ import annotations

from tilewright.transforms.sink_into_branches import SinkIntoBranches
from transforms.support import filecheck, kernel, run

PARAMETERS = "%M: memref<f32x8>, %c: bool, %x: f32, %n: index"
START = "%z = arith.constant {value = 0} -> index %t = tile.splat %x -> tile<8xf32> "
STORE = "tile.store %{0}, %M, %z"
COMPUTED = "%u = arith.mul %t, %t -> tile<8xf32> %v = arith.add %u, %t -> tile<8xf32> "


def text(body: str) -> str:
    return run(kernel(PARAMETERS, START + body), SinkIntoBranches())


def test_all_that_one_side_needs_in_order() -> None:
    found = text(f"{COMPUTED} scf.if %c {{ scf.yield }} {{ {STORE.format('v')} scf.yield }}")
    filecheck(found, "scf.if\nscf.yield\ntile.splat\narith.mul\narith.add\ntile.store")


def test_into_a_branch_of_a_branch_and_not_into_a_loop() -> None:
    loop = f"scf.for %z, %n {{operand_segments = [1, 1, 0, 0]}} (%i: index) {{ {STORE.format('v')} }}"
    found = text(f"{COMPUTED} scf.if %c {{ scf.if %c {{ {loop} scf.yield }} scf.yield }}")
    filecheck(found, "scf.if\nscf.if\ntile.splat\narith.mul\narith.add\nscf.for\ntile.store")
    filecheck(text(f"{COMPUTED} {loop} scf.if %c {{ scf.yield }}"), "arith.add\nscf.for\ntile.store")


def test_what_both_sides_need_or_what_follows_stays() -> None:
    both = text(f"{COMPUTED} scf.if %c {{ {STORE.format('v')} scf.yield }} {{ {STORE.format('v')} scf.yield }}")
    filecheck(both, "arith.add\nscf.if")
    later = text(f"{COMPUTED} scf.if %c {{ {STORE.format('v')} scf.yield }} {STORE.format('u')}")
    filecheck(later, "arith.mul\nscf.if\narith.add\ntile.store")


def test_what_memory_holds_is_read_where_it_is() -> None:
    found = text(
        f"%v = tile.load %M, %z -> tile<8xf32> {STORE.format('t')} scf.if %c {{ {STORE.format('v')} scf.yield }}"
    )
    filecheck(found, "tile.load\ntile.store\nscf.if")
