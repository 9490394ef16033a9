"""insert-bounds-checks: where tests stand, and which are needless."""

from __future__ import annotations

import re

import pytest

from tilewright.transforms.insert_bounds_checks import InsertBoundsChecks
from tilewright.transforms.licm import HoistLoopInvariants
from transforms.support import filecheck, kernel, run

CONSTANTS = "%z = arith.constant {value = 0} -> index %c4 = arith.constant {value = 4} -> index "
NO_NULL = "%t = memref.alloca -> memref<f32x8,local> %x = arith.constant {value = 1.0} -> f32 "
FOR = "{operand_segments = [1, 1, 0, 0]}"


def checked(body: str, parameters: str = "%A: memref<f32x?>, %n: index, %m: index, %p: bool") -> str:
    return run(kernel(parameters, CONSTANTS + NO_NULL + body), InsertBoundsChecks())


def checks(text: str) -> list[str]:
    """The messages of all checks, in order."""
    return re.findall(r'team\.check .*text = "([^"]*)"', text)


def test_an_access_that_is_known_to_be_inside_needs_no_test() -> None:
    assert "team.check" not in checked("memref.store %x, %t, %c4")


def test_an_index_is_compared_with_both_ends() -> None:
    filecheck(
        checked("memref.store %x, %t, %n"),
        """arith.cmp %{{\\d+}}, %n {predicate = "le"}
        arith.cmp %n, %{{\\d+}} {predicate = "lt"}
        team.check %{{\\d+}}, %n {code = "R010", text = "index [{}] is outside of %t, which has 8 elements here"}
        memref.store""",
    )


def test_a_loop_is_tested_in_front_of_it_at_the_ends() -> None:
    found = checked(f"scf.for %z, %n {FOR} (%i: index) {{ memref.store %x, %t, %i }}")
    filecheck(found, "team.check\nscf.for\n! check\nmemref.store")
    assert checks(found) == ["indices [0 to {}] reach outside of %t, which has 8 elements here"]


def test_loops_with_known_bounds_are_known_to_be_inside() -> None:
    assert "team.check" not in checked(f"scf.for %z, %c4 {FOR} (%i: index) {{ memref.store %x, %t, %i }}")


def test_a_nest_is_tested_in_front_of_all_of_it() -> None:
    inner = f"scf.for %z, %m {FOR} (%j: index) {{ %k = arith.add %i, %j -> index memref.store %x, %t, %k }}"
    found = checked(f"scf.for %z, %n {FOR} (%i: index) {{ {inner} }}")
    filecheck(found, "team.check\nscf.for\nscf.for\n! check\nmemref.store")


def test_what_only_some_iterations_do_is_tested_there() -> None:
    found = checked(f"scf.for %z, %n {FOR} (%i: index) {{ scf.if %p {{ memref.store %x, %t, %i }} }}")
    filecheck(found, "! check\nscf.for\nscf.if\nteam.check\nmemref.store")


def test_an_inner_loop_that_may_not_run_in_every_iteration_stays_around_its_test() -> None:
    inner = f"scf.for %z, %i {FOR} (%j: index) {{ memref.store %x, %t, %j }}"
    found = checked(f"scf.for %z, %n {FOR} (%i: index) {{ {inner} }}")
    filecheck(found, "! check\nscf.for\nteam.check\nscf.for\nmemref.store")


def test_an_index_that_is_no_sum_is_tested_in_the_loop() -> None:
    found = checked(f"scf.for %z, %n {FOR} (%i: index) {{ %k = arith.mul %i, %i -> index memref.store %x, %t, %k }}")
    filecheck(found, "! check\nscf.for\narith.mul\nteam.check\nmemref.store")


def test_one_test_for_one_place() -> None:
    found = checked("%v = memref.load %t, %n -> f32 memref.store %v, %t, %n scf.if %p { memref.store %x, %t, %n }")
    assert len(checks(found)) == 1


def test_tests_stand_in_front_of_what_comes_before() -> None:
    """So that what is in between is not torn apart."""
    found = checked("memref.store %x, %t, %z %k = arith.add %n, %m -> index memref.store %x, %t, %k")
    filecheck(found, "arith.add\nteam.check\nmemref.store %x, %t, %z\nmemref.store %x, %t, %k")
    found = checked("memref.store %x, %t, %z %k = arith.mul %n, %m -> index memref.store %x, %t, %k")
    filecheck(found, "memref.store %x, %t, %z\narith.mul\nteam.check\nmemref.store %x, %t, %k")


def test_a_collective_is_one_test_an_operand() -> None:
    view = (
        "%v = memref.subview %A, %n {static_offsets = [none], static_sizes = [4], operand_segments = [1, 1, 0]} "
        "-> memref<f32x4>"
    )
    found = checked(f"{view} tl.axpby %x, %v, %x, %u", "%A: memref<f32x?>, %n: index, %m: index, %u: memref<f32x4>")
    assert checks(found) == [
        "access through %u, which is null",
        "elements {} to {} of %A are accessed, which has {}",
        "access through %A, which is null",
    ]


def test_views_inside_of_their_memory_need_no_test_of_elements() -> None:
    view = (
        "%s = memref.size %A {mode = 0} -> index "
        "%v = memref.subview %A, %s {static_offsets = [0], static_sizes = [none], operand_segments = [1, 0, 1]} "
        "-> memref<f32x?> tl.axpby %x, %v, %x, %v"
    )
    assert all("null" in message for message in checks(checked(view)))


@pytest.mark.parametrize(("predicate", "kept"), [("%n", 0), ("%i", 1)])
def test_loads_do_not_run_ahead_of_a_check_that_stays(predicate: str, kept: int) -> None:
    """licm moves a check of what does not change, and the load behind it; not past one that stays in the loop."""
    body = (
        f"scf.for %z, %c4 {FOR} (%i: index) {{ "
        f'%ok = arith.cmp {predicate}, %m {{predicate = "lt"}} -> bool '
        'team.check %ok {code = "R010", text = "no"} '
        "%v = memref.load %A, %n -> f32 memref.store %v, %t, %i }"
    )
    parameters = "%A: memref<f32x?>, %n: index, %m: index, %p: bool"
    found = run(kernel(parameters, CONSTANTS + NO_NULL + body), HoistLoopInvariants())
    loop = found[found.index("scf.for") :]
    assert loop.count("team.check") == loop.count("memref.load") == kept


def test_addresses_lie_in_the_array_of_their_pointer() -> None:
    body = (
        "%a = memref.address %P -> i64 %b = arith.add %a, %d -> i64 "
        "%v = memref.from_address %b, %n {operand_segments = [1, 1, 0]} -> memref<f32x?> "
        "%y = tile.load %v, %z {check = [true]} -> tile<4xf32>"
    )
    found = checked(body, "%P: ptr<f32>, %d: i64, %n: index")
    assert checks(found) == ["bytes {} to {} of %P are accessed, which has {}"]
    filecheck(found, "memref.reach %P\nteam.check\ntile.load")


@pytest.mark.parametrize("extent", ["4", "?"])
def test_a_collective_reaches_to_the_last_element_behind_an_address(extent: str) -> None:
    is_open = extent == "?"
    body = (
        f"%a = memref.address %P -> i64 %v = memref.from_address %a, {'%n, ' * is_open}%m "
        f"{{operand_segments = [1, {int(is_open)}, 1]}} -> memref<f32x{extent},strided<?>> tl.axpby %x, %v, %x, %v"
    )
    found = checked(body, "%P: ptr<f32>, %n: index, %m: index")
    reach = f"{'{}' if is_open else 4} elements in steps of {{}} reach beyond the memory of %P"
    assert set(checks(found)) == {reach, "bytes {} to {} of %P are accessed, which has {}"}
    assert re.search(r"arith\.mul .*%m\b", found), "the way to the last element counts"
    assert ("arith.umul_high" in found) == is_open, "sizes that only a launch knows may wrap around"


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("%a = arith.select %p, %q, %r -> i64", ["access outside of the memory of %P and %Q"]),
        ("%a = arith.add %q, %d -> i64", ["bytes {} to {} of %P are accessed, which has {}"]),
        ("%a = arith.sub %q, %d -> i64", ["bytes {} to {} of %P are accessed, which has {}"]),
        ("%a = arith.add %d, %d -> i64", []),
        ("%a = arith.select %p, %q, %d -> i64", []),
        (
            "%a = scf.for %z, %n, %q {operand_segments = [1, 1, 0, 1]} -> i64 (%i: index, %w: i64) "
            "{ %v = arith.add %w, %d -> i64 scf.yield %v }",
            ["bytes {} to {} of %P are accessed, which has {}"],
        ),
    ],
)
def test_where_addresses_come_from(address: str, found: list[str]) -> None:
    body = (
        f"%q = memref.address %P -> i64 %r = memref.address %Q -> i64 {address} "
        '%e = tile.splat %a -> tile<4xi64> %y = tile.gather %e {scope = "device"} -> tile<4xf32>'
    )
    parameters = "%P: ptr<f32>, %Q: ptr<f32>, %d: i64, %n: index, %p: bool"
    assert checks(checked(body, parameters)) == found
