"""cse, licm, dce, forward-stores, assign-stack: one small program each."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tilewright.ir.types import I8, AddressSpace, TileType
from tilewright.ir.types import memref as memref_of
from tilewright.transforms.assign_stack import AssignStack
from tilewright.transforms.canonicalize import Canonicalize
from tilewright.transforms.cse import EliminateCommonSubexpressions
from tilewright.transforms.dce import EliminateDeadCode
from tilewright.transforms.forward_stores import ForwardStores
from tilewright.transforms.generic_policies import GenericTeamPolicy, GenericTilePolicy
from tilewright.transforms.licm import HoistLoopInvariants
from tilewright.transforms.pipeline import common_pipeline
from transforms.support import filecheck, kernel, names, run

NOALIAS = "parameter_attributes = [{}, {}, {noalias = true}]"
LOOP = "scf.for %z, %n {operand_segments = [1, 1, 0, 0]} (%i: index)"


def test_cse_sees_commuted_operands_and_outer_scopes_but_not_other_zeros() -> None:
    text = run(
        kernel(
            "%x: f32, %y: f32, %A: memref<f32x?>, %z: index, %p: bool",
            """%a = arith.add %x, %y -> f32 memref.store %a, %A, %z
               scf.if %p { %b = arith.add %y, %x -> f32 memref.store %b, %A, %z }
               scf.if %p { %c = arith.sub %y, %x -> f32 memref.store %c, %A, %z }
               %d = arith.sub %y, %x -> f32 memref.store %d, %A, %z
               %e = arith.constant {value = 0.0} -> f32 memref.store %e, %A, %z
               %f = arith.constant {value = -0.0} -> f32 memref.store %f, %A, %z""",
        ),
        EliminateCommonSubexpressions(),
    )
    assert text.count("arith.add") == 1
    assert text.count("arith.sub") == 2
    assert text.count("arith.constant") == 2


@pytest.mark.parametrize(("op", "left"), [("add", 1), ("mul", 1), ("sub", 2), ("div", 2), ("shl", 2)])
def test_cse_swaps_operands_only_where_that_changes_nothing(op: str, left: int) -> None:
    body = f"""%a = arith.{op} %x, %y -> i32 memref.store %a, %A, %z
               %b = arith.{op} %y, %x -> i32 memref.store %b, %A, %z"""
    text = run(kernel("%x: i32, %y: i32, %A: memref<i32x?>, %z: index", body), EliminateCommonSubexpressions())
    assert text.count(f"arith.{op}") == left


def test_cse_keeps_tiles_of_teams_apart() -> None:
    text = run(
        kernel(
            "%x: f32, %A: memref<f32x?>, %z: index",
            """%a = tile.splat %x -> tile<16xf32> tile.store %a, %A, %z
               team.spmd { %b = tile.splat %x -> tile<16xf32> tile.store %b, %A, %z }""",
        ),
        EliminateCommonSubexpressions(),
    )
    assert text.count("tile.splat") == 2


def test_licm_moves_pure_scalars_and_safe_loads_only() -> None:
    module = kernel(
        "%x: index, %n: index, %A: memref<f32x?>, %B: memref<f32x?>, %z: index",
        f"""{LOOP} {{ %a = arith.mul %x, %x -> index %v = memref.load %A, %x -> f32 memref.store %v, %B, %a }}""",
    )
    filecheck(run(module, HoistLoopInvariants()), "arith.mul\nscf.for\nmemref.load")
    known = "%z = arith.constant {value = 0} -> index %n = arith.constant {value = 4} -> index"
    body = f"{known} {LOOP} {{ %v = memref.load %A, %x -> f32 memref.store %v, %B, %x }}"
    parameters = "%x: index, %A: memref<f32x?>, %B: memref<f32x?>"
    filecheck(run(kernel(parameters, body), HoistLoopInvariants()), "scf.for\nmemref.load")
    apart = "parameter_attributes = [{}, {noalias = true}]"
    filecheck(run(kernel(parameters, body, apart), HoistLoopInvariants()), "memref.load\nscf.for")


@pytest.mark.parametrize(("lower", "upper", "moved"), [(0, 4, True), (0, 1, True), (4, 4, False), (4, 0, False)])
def test_licm_moves_loads_only_out_of_loops_that_run(lower: int, upper: int, moved: bool) -> None:
    """The place of a load in a loop that does not run need not be one of the array."""
    bounds = f"%z = arith.constant {{value = {lower}}} -> index %n = arith.constant {{value = {upper}}} -> index"
    body = f"{bounds} {LOOP} {{ %v = memref.load %A, %x -> f32 memref.store %v, %B, %x }}"
    module = kernel("%x: index, %A: memref<f32x?>, %B: memref<f32x?>", body, NOALIAS)
    filecheck(run(module, HoistLoopInvariants()), "memref.load\nscf.for" if moved else "scf.for\nmemref.load")


@pytest.mark.parametrize("before", [True, False])
def test_licm_moves_no_load_out_of_a_loop_with_a_barrier(before: bool) -> None:
    """What other work-items write becomes visible behind a barrier."""
    load, barrier = "%v = memref.load %A, %x -> f32", "team.barrier {fence_global = true}"
    parts = f"{load} {barrier}" if before else f"{barrier} {load}"
    bounds = "%z = arith.constant {value = 0} -> index %n = arith.constant {value = 4} -> index"
    body = f"team.spmd {{ {bounds} {LOOP} {{ {parts} memref.store %v, %B, %x }} }}"
    module = kernel("%x: index, %A: memref<f32x?>, %B: memref<f32x?>", body, NOALIAS)
    filecheck(run(module, HoistLoopInvariants()), "scf.for\nmemref.load")


def test_dce_removes_write_only_memory_unused_loads_and_empty_loops() -> None:
    module = kernel(
        "%A: memref<f32x4>, %n: index, %z: index, %p: bool",
        f"""%t = memref.alloca -> memref<f32x4,local>
            %v = memref.permute %t {{order = [0]}} -> memref<f32x4,local>
            %x = tile.load %A, %z -> tile<4xf32> tile.store %x, %v, %z
            {LOOP} {{ scf.if %p {{ %u = memref.load %A, %z -> f32 }} }}""",
    )
    run(module, EliminateDeadCode())
    assert set(names(module)) == {"builtin.module", "builtin.kernel"}


def test_dce_keeps_memory_that_is_read() -> None:
    module = kernel(
        "%A: memref<f32x4>, %x: f32, %z: index",
        """%t = memref.alloca -> memref<f32x4,local> memref.store %x, %t, %z
           %y = memref.load %t, %z -> f32 memref.store %y, %A, %z""",
    )
    run(module, EliminateDeadCode())
    assert names(module)["memref.store"] == 2


def forwarded(body: str, attributes: str = "") -> str:
    zero = "%c = arith.constant {value = 0} -> index %t = memref.alloca -> memref<f32x8x4,local>"
    load = "%x = tile.load %A, %z, %z -> tile<8x4xf32>"
    parameters = "%A: memref<f32x8x4>, %B: memref<f32x8x4>, %z: index, %p: bool, %n: index, %s: f32"
    return run(kernel(parameters, f"{zero} {load} {body}", attributes), ForwardStores())


def test_forwarding_of_the_same_box() -> None:
    text = forwarded("tile.store %x, %t, %c, %c %y = tile.load %t, %c, %c -> tile<8x4xf32> tile.store %y, %B, %z, %z")
    filecheck(text, "tile.store %x, %t\n! tile.load\ntile.store %x, %B")


def test_forwarding_through_permuted_views_and_sub_boxes() -> None:
    text = forwarded(
        """tile.store %x, %t, %c, %c
           %v = memref.permute %t {order = [1, 0]} -> memref<f32x4x8,strided<8,1>,local>
           %k = arith.constant {value = 2} -> index
           %y = tile.load %v, %k, %k -> tile<2x4xf32> tile.store %y, %B, %z, %z"""
    )
    filecheck(text, "tile.permute %x {order = [1, 0]}\ntile.extract {{.*}} {offsets = [2, 2]} -> tile<2x4xf32>")


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_forwarding_through_views_permuted_any_way(order: tuple[int, ...]) -> None:
    whole = np.zeros((2, 3, 4), np.int8, order="F")
    turned = whole.transpose(order)
    view, tile = memref_of(I8, turned.shape, turned.strides, AddressSpace.LOCAL), TileType(turned.shape, I8)
    text = run(
        kernel(
            f"%A: memref<i8x2x3x4>, %B: {memref_of(I8, turned.shape)}, %z: index",
            f"""%x = tile.load %A, %z, %z, %z -> tile<2x3x4xi8>
                %t = memref.alloca -> memref<i8x2x3x4,local> tile.store %x, %t, %z, %z, %z
                %v = memref.permute %t {{order = {list(order)}}} -> {view}
                %y = tile.load %v, %z, %z, %z -> {tile} tile.store %y, %B, %z, %z, %z""",
        ),
        ForwardStores(),
    )
    identity = order == (0, 1, 2)
    filecheck(
        text, "!tile.load %v\ntile.store %x, %B" if identity else f"tile.permute %x {{order = {list(order)}}} -> {tile}"
    )


@pytest.mark.parametrize(("offset", "extent", "inside"), [(0, 4, True), (2, 2, True), (2, 4, False), (3, 2, False)])
def test_only_boxes_that_lie_in_the_stored_one_are_forwarded(offset: int, extent: int, inside: bool) -> None:
    text = forwarded(
        f"""%q = tile.extract %x {{offsets = [0, 0]}} -> tile<4x4xf32> tile.store %q, %t, %c, %c
            %k = arith.constant {{value = {offset}}} -> index
            %y = tile.load %t, %k, %c -> tile<{extent}x4xf32> tile.store %y, %B, %z, %z"""
    )
    assert ("tile.load %t" not in text) is inside


def test_what_hangs_over_the_edge_is_not_forwarded() -> None:
    """Elements outside are not stored, and zero when they are loaded."""
    reload = "%y = tile.load %A, %z, %z -> tile<8x4xf32> tile.store %y, %B, %z, %z"
    stored = "%n2 = tile.load %B, %z, %z -> tile<8x4xf32> tile.store %n2, %A, %z, %z {check = [true, false]}"
    assert forwarded(f"{stored} {reload}").count("tile.load %A") == 2
    assert forwarded(f"{stored.replace(' {check = [true, false]}', '')} {reload}").count("tile.load %A") == 1


def test_a_write_in_between_stops_forwarding() -> None:
    reload = "%y = tile.load %A, %z, %z -> tile<8x4xf32> tile.store %y, %t, %c, %c"
    assert forwarded(f"tile.store %x, %t, %c, %c {reload}").count("tile.load") == 1
    assert forwarded(f"tile.store %x, %B, %c, %c {reload}").count("tile.load") == 2
    apart = "parameter_attributes = [{}, {noalias = true}]"
    assert forwarded(f"tile.store %x, %B, %c, %c {reload}", apart).count("tile.load") == 1
    branch = "scf.if %p { memref.store %s, %A, %z, %z }"
    assert forwarded(f"{branch} {reload}").count("tile.load") == 2
    inside = f"{LOOP} {{ {reload} memref.store %s, %A, %z, %i }}"
    assert forwarded(inside).count("tile.load") == 2
    assert forwarded(f"{LOOP} {{ {reload} }}").count("tile.load") == 1


def test_nothing_is_forwarded_over_the_back_edge_of_a_loop_that_writes() -> None:
    reload = "%y = tile.load %A, %z, %z -> tile<8x4xf32> tile.store %y, %B, %z, %z"
    assert (
        forwarded(f"scf.while {{ {reload} scf.yield %p }}", "parameter_attributes = [{}, {noalias = true}]").count(
            "tile.load"
        )
        == 1
    )
    assert forwarded(f"scf.while {{ {reload} memref.store %s, %A, %z, %z scf.yield %p }}").count("tile.load") == 2


def test_memory_is_kept_while_a_view_of_it_is_used() -> None:
    body = """%a = memref.alloca -> memref<f32x48,local>
              %v = memref.permute %a {order = [0]} -> memref<f32x48,local>
              %b = memref.alloca -> memref<f32x48,local> memref.store %s, %b, %z
              memref.store %s, %v, %z"""
    text = run(kernel("%s: f32, %z: index", body), AssignStack())
    filecheck(text, "local_bytes = 448")


def test_memory_from_outside_a_loop_is_kept_until_the_loop_ends() -> None:
    body = f"""%a = memref.alloca -> memref<f32x48,local>
               {LOOP} {{ %v = memref.load %a, %z -> f32
                 %b = memref.alloca -> memref<f32x48,local> memref.store %v, %b, %z }}"""
    text = run(kernel("%z: index, %n: index", body), AssignStack())
    filecheck(text, "local_bytes = 448")


def test_stack_slots_are_shared_when_lifetimes_allow() -> None:
    use = "memref.store %s, %{0}, %z %v{0} = memref.load %{0}, %z -> f32"
    memory = "%{0} = memref.alloca -> memref<f32x48,local>"
    parameters = "%s: f32, %z: index, %n: index"
    body = f"{memory} {use}".replace("{0}", "a") + " " + f"{memory} {use}".replace("{0}", "b")
    text = run(kernel(parameters, body), AssignStack())
    filecheck(text, "local_bytes = 192\noffset = 0\noffset = 0")
    loop = f"{memory} {LOOP} {{{{ {use.replace('{0}', 'a')} {memory} {use} }}}}"
    body = loop.replace("{{", "{").replace("}}", "}").replace("%{0} = memref.alloca", "%a = memref.alloca", 1)
    text = run(kernel(parameters, body.replace("{0}", "b")), AssignStack())
    filecheck(text, "local_bytes = 448\noffset = 0\noffset = 256")


def test_sample_kernel_stays_in_registers() -> None:
    module = kernel(
        """%alpha: f32, %A: group<memref<f32x16x8>x?>, %B: memref<f32x8x8>, %C: memref<f32x8x16>,
           %D: memref<f32x16x16x?>""",
        """%one = arith.constant {value = 1.0} -> f32 %zero = arith.constant {value = 0.0} -> f32
           %g = team.group_id {dim = 0} -> index
           %a = memref.group_load %A, %g -> memref<f32x16x8>
           %d = memref.subview %D, %g
             {static_offsets = [0, 0, none], static_sizes = [16, 16, 0], operand_segments = [1, 1, 0]}
             -> memref<f32x16x16>
           %t = memref.alloca -> memref<f32x16x8,local>
           tl.gemm %one, %a, %B, %zero, %t {transpose_b = true}
           tl.gemm %alpha, %t, %C, %one, %d""",
        "parameter_attributes = [{}, {}, {}, {}, {noalias = true}]",
    )
    text = run(module, *common_pipeline(GenericTeamPolicy(), GenericTilePolicy(), 2))
    found = names(module)
    assert found["tile.mma"] == 2
    assert found["tile.store"] == 1
    assert found["tile.load"] == 4
    assert not any(name in found for name in ("memref.alloca", "team.barrier", "scf.for", "scf.if"))
    assert "local_bytes" not in text


def test_pipeline_is_idempotent_on_canonical_code() -> None:
    module = kernel("%A: memref<f32x?x?>, %o: f32", "tl.cumsum %o, %A, %o, %A {mode = 1}")
    text = run(module, *common_pipeline(GenericTeamPolicy(), GenericTilePolicy(), 2))
    assert run(module, Canonicalize(), EliminateCommonSubexpressions(), EliminateDeadCode()) == text
