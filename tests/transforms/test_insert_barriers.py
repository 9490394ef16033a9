"""insert-barriers: each kind of hazard of the language reference, section 3, and where none is needed."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from tilewright.dialects import team
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Operation
from tilewright.ir.types import AddressSpace
from tilewright.transforms import pending
from tilewright.transforms.aliasing import Access, accesses, commute, may_overlap
from tilewright.transforms.assign_stack import AssignStack
from tilewright.transforms.footprints import Footprint, Footprints
from tilewright.transforms.generic_policies import GenericTilePolicy
from tilewright.transforms.insert_barriers import InsertBarriers
from tilewright.transforms.lower_collectives import LowerCollectives
from tilewright.transforms.lower_foreach import LowerForeach
from transforms.support import filecheck, kernel, run

CONSTANTS = """
  %zero = arith.constant {value = 0.0} -> f32
  %one = arith.constant {value = 1.0} -> f32
  %z = arith.constant {value = 0} -> index
  %u = arith.constant {value = 1} -> index
  %n = arith.constant {value = 4} -> index
"""
TYPES = "%A: memref<f32x64>, %B: memref<f32x64>, %p: bool"
ALIASED = "subgroup_size = 16, work_group_size = [32, 1]"
WORK_GROUP = ALIASED + ", parameter_attributes = [{noalias = true}, {noalias = true}]"
LOCAL = "%t = memref.alloca -> memref<f32x64,local>"
TO_LOCAL = "tl.axpby %one, %A, %zero, %t"
FROM_LOCAL = "tl.axpby %one, %t, %zero, %B"
SPMD_READ = "team.spmd { %v = memref.load %t, %z -> f32  memref.store %v, %B, %z }"


def barriers(body: str, parameters: str = TYPES, attributes: str = WORK_GROUP) -> tuple[Module, list[str]]:
    """The module after the passes and, for each barrier, what it fences."""
    module = kernel(parameters, CONSTANTS + body, attributes)
    policy = GenericTilePolicy(whole=16, block=8, depth=4, run=16)
    run(module, LowerForeach(), LowerCollectives(policy), AssignStack(), InsertBarriers())
    found = [op for op in module.walk() if isinstance(op, team.Barrier)]
    return module, ["global " * b.fence_global + "local" * b.fence_local for b in found]


def test_collective_then_spmd_reads_its_result() -> None:
    _, found = barriers(f"{LOCAL} {TO_LOCAL} {SPMD_READ}")
    assert found == ["local"]


def test_spmd_then_spmd() -> None:
    _, found = barriers("team.spmd { memref.store %one, %A, %z } team.spmd { %v = memref.load %A, %u -> f32 }")
    assert found == []
    _, found = barriers("team.spmd { memref.store %one, %A, %z } team.spmd { %v = memref.load %A, %z -> f32 }")
    assert found == ["global "]


def test_reads_need_none_and_write_after_read_does() -> None:
    _, found = barriers("%v = memref.load %A, %z -> f32 %w = memref.load %A, %z -> f32")
    assert found == []
    _, found = barriers("%v = memref.load %A, %z -> f32 memref.store %v, %A, %z")
    assert found == ["global "]


def test_parameters_may_alias_unless_told() -> None:
    body = "tl.axpby %one, %A, %zero, %B  %v = memref.load %A, %z -> f32  memref.store %v, %A, %z"
    _, found = barriers(body, attributes=ALIASED)
    assert found == ["global "] * 2
    _, found = barriers(body)
    assert found == ["global "]


def test_one_instruction_with_many_tiles_needs_none() -> None:
    types = "%A: memref<f32x?x?>, %B: memref<f32x?x?>, %C: memref<f32x?x?>"
    _, found = barriers("tl.gemm %one, %A, %B, %one, %C", types)
    assert found == []
    _, found = barriers("tl.gemm %one, %A, %B, %one, %C tl.gemm %one, %A, %C, %zero, %B", types, ALIASED)
    assert found == ["global "]


def test_loop_back_edge_of_one_instruction() -> None:
    body = "scf.for %z, %n {operand_segments = [1, 1, 0, 0]} (%i: index) { tl.axpby %one, %A, %one, %B }"
    module, found = barriers(body)
    assert found == ["global "]
    filecheck(str(module), "scf.for {{.*}}(%i: index)\nteam.barrier")


def test_if_without_else_has_a_way_around() -> None:
    body = f"{LOCAL} {TO_LOCAL} scf.if %p {{ team.barrier {{fence_local = true}} }} {FROM_LOCAL}"
    _, found = barriers(body)
    assert found == ["local", "local"]
    both = "scf.if %p { team.barrier {fence_local = true} } { team.barrier {fence_local = true} }"
    _, found = barriers(f"{LOCAL} {TO_LOCAL} {both} {FROM_LOCAL}")
    assert found == ["local", "local"]


def test_user_barriers_count_for_their_spaces() -> None:
    _, found = barriers(f"{LOCAL} {TO_LOCAL} team.barrier {{fence_local = true}} {FROM_LOCAL}")
    assert found == ["local"]
    _, found = barriers(f"{LOCAL} {TO_LOCAL} team.barrier {{fence_global = true}} {FROM_LOCAL}")
    assert found == ["global ", "local"]


@pytest.mark.parametrize(
    ("kinds", "used", "expected"),
    [
        (("add", "add"), "", []),
        (("max", "max"), "", []),
        (("add", "max"), "", ["global "]),
        (("add", "add"), "%w = arith.add %v, %v -> f32", ["global "]),
    ],
)
def test_atomics_commute_if_nobody_looks_at_the_order(kinds: tuple[str, str], used: str, expected: list[str]) -> None:
    update = 'team.spmd {{ %v = memref.atomic_rmw %one, %A, %z {{kind = "{}"}} -> f32 {} }}'
    first, second = kinds
    assert barriers(f"{update.format(first, '')} {update.format(second, used)}")[1] == expected
    assert barriers(f"{update.format(first, used)} {update.format(second, '')}")[1] == expected


def test_two_loads_of_one_group() -> None:
    types = "%G: group<memref<f32x64>x?>, %p: bool"
    body = "%a = memref.group_load %G, %z -> memref<f32x64>  %b = memref.group_load %G, %u -> memref<f32x64>"
    _, found = barriers(f"{body} team.spmd {{ memref.store %one, %a, %z }} %v = memref.load %b, %z -> f32", types)
    assert found == ["global "]


def test_reused_stack_bytes_conflict() -> None:
    body = """%s = memref.alloca -> memref<f32x64,local> tl.axpby %one, %A, %zero, %s tl.axpby %one, %s, %zero, %B
              %t = memref.alloca -> memref<f32x64,local> tl.axpby %one, %A, %zero, %t tl.axpby %one, %t, %zero, %B"""
    _, found = barriers(body)
    assert found[0] == "local"
    assert any("local" in f for f in found[1:2])


def test_commuting_atomics_need_none() -> None:
    one = 'team.spmd { %o = memref.atomic_rmw %one, %A, %z {kind = "add"} -> f32 }'
    _, found = barriers(f"{one} {one}")
    assert found == []
    _, found = barriers(f"{one} {one.replace('add', 'max')}")
    assert found == ["global "]


def test_barriers_inside_spmd_bodies_split_them() -> None:
    body = """team.spmd { memref.store %one, %A, %z team.barrier {fence_global = true} memref.store %one, %B, %z }
              team.spmd { %v = memref.load %A, %z -> f32 }"""
    _, found = barriers(body)
    assert found == ["global "]


def test_one_work_item_needs_none() -> None:
    _, found = barriers(f"{LOCAL} {TO_LOCAL} {SPMD_READ}", attributes="subgroup_size = 1, work_group_size = [1, 1]")
    assert found == []


def test_conflict_with_a_loop_is_fenced_in_front_of_it() -> None:
    body = f"{LOCAL} {TO_LOCAL} scf.for %z, %n {{operand_segments = [1, 1, 0, 0]}} (%i: index) {{ {SPMD_READ} }}"
    module, found = barriers(body)
    assert found == ["local", "global "]
    filecheck(str(module), "fence_local = true\nscf.for {{.*}}(%i: index)\nfence_global = true")


LOOP = "scf.for %z, %n {operand_segments = [1, 1, 0, 0]}"


def test_none_in_front_of_a_loop_that_begins_with_one() -> None:
    module, found = barriers(f"memref.store %one, %A, %z {LOOP} (%i: index) {{ memref.store %one, %A, %z }}")
    assert found == ["global "]
    filecheck(str(module), "scf.for {{.*}}(%i: index)\nteam.barrier")


def test_one_in_front_of_a_loop_where_a_way_leads_around_the_one_inside() -> None:
    body = "scf.if %p { memref.store %one, %B, %z } %v = memref.load %A, %z -> f32"
    module, found = barriers(f"memref.store %one, %A, %z {LOOP} (%i: index) {{ {body} }}")
    assert found == ["global "] * 2
    filecheck(str(module), "team.barrier\nscf.for {{.*}}(%i: index)\nscf.if\nteam.barrier")


def test_none_in_a_branch_of_a_loop_if_one_behind_it_serves_the_next_iteration() -> None:
    body = "scf.if %p { memref.store %one, %A, %z } memref.store %one, %B, %z"
    module, found = barriers(f"{LOOP} (%i: index) {{ {body} }}")
    assert found == ["global "]
    filecheck(str(module), "scf.if\n}\nteam.barrier\nmemref.store %one, %B")


def test_what_the_iteration_before_makes_wait_serves_others_too() -> None:
    body = "%a = memref.load %A, %z -> f32 %b = memref.load %B, %z -> f32 memref.store %b, %A, %z"
    body += " %c = memref.load %A, %z -> f32 memref.store %c, %B, %z"
    module, found = barriers(f"{LOOP} (%i: index) {{ {body} }}")
    assert found == ["global "] * 2
    filecheck(str(module), "load %A\nteam.barrier\n%b = memref.load %B\nmemref.store %b, %A\nteam.barrier\n%c")


def test_both_spaces_in_one_barrier() -> None:
    body = "tl.axpby %one, %B, %zero, %t team.spmd { %v = memref.load %t, %z -> f32 memref.store %v, %A, %z }"
    _, found = barriers(f"{LOCAL} {LOOP} (%i: index) {{ {body} }}")
    assert found == ["local", "global local"]


def nested(depth: int) -> str:
    """Loops in loops, each with a step that waits for the step of the iteration before."""
    loop = "scf.for %z, %n {{operand_segments = [1, 1, 0, 0]}} (%i{k}: index) {{ memref.store %one, %A, %i{k}"
    return " ".join(loop.format(k=k) for k in range(depth)) + " }" * depth


def test_work_grows_with_the_operations_however_deep_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    visits: list[Operation] = []
    of = Footprints.of

    def counted(self: Footprints, op: Operation) -> Footprint:
        visits.append(op)
        assert len(visits) < 2000, "each level of loops does the work of those inside again"
        return of(self, op)

    monkeypatch.setattr(Footprints, "of", counted)
    module, found = barriers(nested(40))
    # each store waits for that of the iteration before, and nothing for what a barrier inside parts it from
    assert len(found) == 40
    assert len(visits) <= 12 * sum(1 for _ in module.walk())


def test_thousands_of_accesses_are_not_all_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    comparisons: list[None] = []
    overlap = pending.may_overlap

    def counted(before: Access, access: Access, unstable: Sequence[Operation]) -> bool:
        comparisons.append(None)
        return overlap(before, access, unstable)

    monkeypatch.setattr(pending, "may_overlap", counted)
    count = 1000
    stores = [f"%k{k} = arith.constant {{value = {k}}} -> index memref.store %one, %L, %k{k}" for k in range(count)]
    barriers("\n".join(stores), "%L: memref<f32x2000>, %B: memref<f32x64>, %p: bool")
    assert len(comparisons) <= 129 * count


STEPS = [
    "tl.axpby %one, %{a}, %zero, %{b}",
    "tl.axpby %one, %{a}, %one, %{b}",
    "tl.hadamard %one, %{a}, %{b}, %one, %{c}",
    "tl.axpby %one, %{a}, %zero, %{b} {atomic = true}",
    "tl.axpby %one, %{a}, %one, %{b} {atomic = true}",
    "team.spmd { %v{k} = memref.load %{a}, %z -> f32 memref.store %v{k}, %{b}, %u }",
    "%v{k} = memref.load %{a}, %u -> f32",
    "memref.store %one, %{a}, %z",
    "team.barrier {fence_local = true}",
]


def random_steps(rng: random.Random) -> str:
    """A straight line of steps on global and local memory."""
    memory = ["A", "B", "t", "s"]
    lines = [LOCAL, LOCAL.replace("%t", "%s")]
    for k in range(rng.randrange(2, 9)):
        a, b, c = rng.sample(memory, 3)
        step = rng.choice(STEPS)
        lines.append(step.replace("{a}", a).replace("{b}", b).replace("{c}", c).replace("{k}", str(k)))
    return "\n".join(lines)


def conflicts(first: Operation, second: Operation) -> set[AddressSpace]:
    """Spaces in which two operations of a straight line conflict, by definition."""
    found: set[AddressSpace] = set()
    step = first.attributes.get("step")
    if step is not None and second.attributes.get("step") == step:
        return found
    for a in accesses(first):
        for b in accesses(second):
            if (a.writes or b.writes) and not commute(a, b) and may_overlap(a, b) and a.space is not None:
                found.add(a.space)
    return found


def fenced(ops: list[Operation], first: int, second: int) -> set[AddressSpace]:
    """Spaces that barriers between two positions fence."""
    found: set[AddressSpace] = set()
    for op in ops[first:second]:
        if isinstance(op, team.Barrier):
            if op.fence_global:
                found.add(AddressSpace.GLOBAL)
            if op.fence_local:
                found.add(AddressSpace.LOCAL)
    return found


def test_random_straight_lines_are_safe_and_without_excess() -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    for _ in range(60):
        text = random_steps(rng)
        written = text.count("team.barrier")
        module = kernel(TYPES, CONSTANTS + text, rng.choice([WORK_GROUP, ALIASED]))
        run(module, LowerCollectives(GenericTilePolicy()), AssignStack(), InsertBarriers())
        ops = list(module.kernels[0].body.entry)
        pairs = [(i, j, s) for j in range(len(ops)) for i in range(j) for s in conflicts(ops[i], ops[j])]
        assert all(s in fenced(ops, i, j) for i, j, s in pairs), f"a pair is not separated:\n{module}"
        barriers_at = [k for k, op in enumerate(ops) if isinstance(op, team.Barrier)]
        for k in barriers_at:
            others = [op for n, op in enumerate(ops) if n != k]
            needed = any(s not in fenced(others, i, j - 1) for i, j, s in pairs if i < k < j)
            written -= not needed
        assert written >= 0, f"a barrier serves no pair:\n{module}"
        again = len(barriers_at)
        run(module, InsertBarriers())
        assert sum(isinstance(op, team.Barrier) for op in module.walk()) == again
