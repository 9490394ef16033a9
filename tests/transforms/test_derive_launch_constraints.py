"""derive-launch-constraints: what is certain to be executed, in terms of what a launch knows."""

from __future__ import annotations

import pytest

from tilewright.artifacts.constraints import Constraint, SameExtent, WithinExtent, WithinGroup
from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.transforms.derive_launch_constraints import launch_constraints


def demands(parameters: str, body: str, kind: type[Constraint] = SameExtent) -> list[str]:
    """The constraints of a kernel, those of one kind, as equations and as memberships."""
    head = "%o = constant 1.0 : f32  %zero = constant 0 : index  %two = constant 2 : index"
    text = f"func @k({parameters}) {{\n{head}\n{body}\n}}"
    found: list[str] = []
    constraints = launch_constraints(read_module(Source("k.tl", text), Report()).kernels[0])
    for constraint in filter(lambda found: isinstance(found, kind), constraints):
        match constraint:
            case SameExtent():
                left, right = constraint.extents
                found.append(f"{left} = {right}")
            case WithinGroup():
                found.append(f"{constraint.index} in %{constraint.group}")
            case WithinExtent():
                sizes = "".join(f" if {size} > 0" for size in constraint.sizes)
                box = f"{constraint.first} : {constraint.count}"
                found.append(f"{constraint.access} = {constraint.mode}[{box}] of {constraint.extent}{sizes}")
        assert constraint.place is not None
        assert constraint.place.text.strip() in body
    return found


VECTORS = "%x: memref<f32x?>, %y: memref<f32x?>, %n: index, %m: i32"
MATRICES = "%a: memref<f32x?x?>, %b: memref<f32x?x?>, %c: memref<f32x?x?>, %u: memref<f32x?>, %v: memref<f32x?>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("axpby %o, %a, %o, %c", ["extent 0 of %a = extent 0 of %c", "extent 1 of %a = extent 1 of %c"]),
        ("axpby.t %o, %a, %o, %c", ["extent 1 of %a = extent 0 of %c", "extent 0 of %a = extent 1 of %c"]),
        ("sum %o, %a, %o, %u", ["extent 0 of %u = extent 0 of %a"]),
        ("sum.t %o, %a, %o, %u", ["extent 0 of %u = extent 1 of %a"]),
        ("cumsum %o, %a, 1, %o, %c", ["extent 0 of %c = extent 0 of %a", "extent 1 of %c = extent 1 of %a"]),
        (
            "gemm.n.t %o, %a, %b, %o, %c",
            ["extent 1 of %b = extent 1 of %a", "extent 0 of %c = extent 0 of %a", "extent 1 of %c = extent 0 of %b"],
        ),
        ("gemv.t %o, %a, %u, %o, %v", ["extent 0 of %u = extent 0 of %a", "extent 0 of %v = extent 1 of %a"]),
        ("ger %o, %u, %v, %o, %c", ["extent 0 of %c = extent 0 of %u", "extent 1 of %c = extent 0 of %v"]),
        ("hadamard %o, %u, %v, %o, %u", ["extent 0 of %v = extent 0 of %u"]),
        ("gemm %o, %a, %a, %o, %a", ["extent 0 of %a = extent 1 of %a"]),
        ("axpby %o, %a, %o, %a", []),
    ],
)
def test_collectives(body: str, expected: list[str]) -> None:
    assert demands(MATRICES, body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%s = subview %x[0:%n] : memref<f32x?>  axpby %o, %s, %o, %y", ["%n = extent 0 of %y"]),
        (
            "%k = add %n, %two : index  %s = subview %x[%two:%k] : memref<f32x?>  axpby %o, %s, %o, %y",
            ["%n + 2 = extent 0 of %y"],
        ),
        (
            "%l = size %x[0] : index  %k = sub %l, %n : index  %s = subview %x[%n:%k] : memref<f32x?>\n"
            "axpby %o, %s, %o, %y",
            ["extent 0 of %x - %n = extent 0 of %y"],
        ),
        (
            "%k = mul %n, %two : index  %e = expand %x[0->%n x 2] : memref<f32x?x2,strided<1,?>>\n"
            "%f = fuse %e[0,1] : memref<f32x?>  axpby %o, %f, %o, %y",
            ["2 * %n = extent 0 of %y"],
        ),
        (
            "%k = cast %m : index  %s = subview %x[0:%k] : memref<f32x?>  axpby %o, %s, %o, %y",
            ["%m = extent 0 of %y"],
        ),
        (
            "%k = num_groups.x : index  %s = subview %x[0:%k] : memref<f32x?>  axpby %o, %s, %o, %y",
            ["num_groups.x = extent 0 of %y"],
        ),
        (
            "%p = div %two, %two : index  %k = add %p, %n : index  %s = subview %x[0:%k] : memref<f32x?>\n"
            "axpby %o, %s, %o, %y",
            ["%n + 1 = extent 0 of %y"],
        ),
        ("%s = subview %x[0:%n] : memref<f32x?>  %t = subview %y[0:%n] : memref<f32x?>  axpby %o, %s, %o, %t", []),
        ("axpby %o, %x, %o, %y  axpby %o, %y, %o, %x", ["extent 0 of %x = extent 0 of %y"]),
    ],
)
def test_sizes_are_followed_through_views_and_arithmetic(body: str, expected: list[str]) -> None:
    assert demands(VECTORS, body) == expected


@pytest.mark.parametrize(
    "size",
    [
        "%k = div %n, %two : index",
        "%k = min %n, %two : index",
        "%i = add %m, %m : i32  %k = cast %i : index",
        "%c = less_than %n, %two : bool  %k = if %c -> (index) { yield (%n) } else { yield (%two) }",
    ],
)
def test_sizes_that_a_launch_does_not_determine(size: str) -> None:
    assert demands(VECTORS, f"{size}  %s = subview %x[0:%k] : memref<f32x?>  axpby %o, %s, %o, %y") == []


ONCE = ["extent 0 of %x = extent 0 of %y"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for %i = %zero, %two { axpby %o, %x, %o, %y }", ONCE),
        ("for %i = %zero, %two { for %j = %i, %n { axpby %o, %x, %o, %y } }", []),
        ("for %i = %two, %zero { axpby %o, %x, %o, %y }", []),
        ("for %i = %two, %two { axpby %o, %x, %o, %y }", []),
        ("for %i = %zero, %two, %n { axpby %o, %x, %o, %y }", []),
        ("for %i = %zero, %n { axpby %o, %x, %o, %y }", []),
        ("%c = equal %n, %n : bool  if %c { axpby %o, %x, %o, %y } else { axpby %o, %x, %o, %y }", []),
    ],
)
def test_only_what_certainly_runs(body: str, expected: list[str]) -> None:
    assert demands(VECTORS, body) == expected


GROUPS = "%G: group<memref<f32x4>x?>, %n: index, %x: memref<f32x4x?>"
IDS = "%g = group_id.x : index  %h = group_id.y : index  %w = num_groups.x : index"


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("%i = add %g, %two : index", ["group_id.x + 2 in %G"]),
        ("%i = mul %g, %two : index", ["2 * group_id.x in %G"]),
        ("%r = mul %h, %w : index  %i = add %g, %r : index", ["group_id.y * num_groups.x + group_id.x in %G"]),
        ("%r = mul %g, %n : index  %i = neg %r : index", ["-group_id.x * %n in %G"]),
        ("%i = size %x[1] : index", ["extent 1 of %x in %G"]),
        ("%r = size %G[0] : index  %i = sub %r, %two : index", ["the size of %G - 2 in %G"]),
        ("%i = mul %g, %h : index", []),
        ("%i = rem %g, %two : index", []),
    ],
)
def test_indices_of_groups(index: str, expected: list[str]) -> None:
    assert demands(GROUPS, f"{IDS}\n{index}\n%m = load %G[%i] : memref<f32x4>", WithinGroup) == expected


def test_indices_in_parallel_and_foreach() -> None:
    load = "%m = load %G[%g] : memref<f32x4>"
    once = ["group_id.x in %G"]
    assert demands(GROUPS, f"{IDS} parallel {{ {load} }}", WithinGroup) == once
    assert demands(GROUPS, f"{IDS} foreach (%i)=(%zero),(%two) {{ {load} }}", WithinGroup) == once
    assert demands(GROUPS, f"{IDS} foreach (%i)=(%zero),(%n) {{ {load} }}", WithinGroup) == []


ARRAYS = "%x: memref<f32x?>, %r: memref<f32x4x2x?>, %n: index, %G: group<memref<f32x4x8>x?>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%v = load %x[%g] : f32", ["%x = mode 0 of %x[group_id.x : 1] of extent 0 of %x"]),
        ("parallel { store %o, %x[%g] }", ["%x = mode 0 of %x[group_id.x : 1] of extent 0 of %x"]),
        ("%v = atomic_add %o, %x[%n] : f32", ["%x = mode 0 of %x[%n : 1] of extent 0 of %x"]),
        (
            "%s = subview %r[0:4,1,%g] : memref<f32x4>  axpby %o, %s, %o, %s",
            ["%s = mode 2 of %r[group_id.x : 1] of extent 2 of %r"],
        ),
        (
            "%s = subview %r[0:4,0:2,%g] : memref<f32x4x2>  %t = subview %s[0:4,%n] : memref<f32x4>\n"
            "axpby %o, %t, %o, %t",
            ["%t = mode 1 of %r[%n : 1] of 2", "%t = mode 2 of %r[group_id.x : 1] of extent 2 of %r"],
        ),
        (
            "%i = mul %g, %two : index  %s = subview %x[%i:2] : memref<f32x2>  %v = load %s[%n] : f32",
            [
                "%s = mode 0 of %x[2 * group_id.x + %n : 1] of extent 0 of %x",
            ],
        ),
        (
            "%s = subview %x[%n:%n] : memref<f32x?>  axpby %o, %s, %o, %s",
            ["%s = mode 0 of %x[%n : %n] of extent 0 of %x if %n > 0"],
        ),
        (
            "%s = subview %r[0:4,0:2,%g] : memref<f32x4x2>  %f = fuse %s[0,1] : memref<f32x8>  axpby %o, %f, %o, %f",
            ["%f = mode 2 of %r[group_id.x : 1] of extent 2 of %r"],
        ),
        (
            "%m = load %G[%g] : memref<f32x4x8>  %v = load %m[%zero,%g] : f32",
            ["%m = mode 1 of %m[group_id.x : 1] of 8"],
        ),
        ("%l = alloca : memref<f32x4,local>  store %o, %l[%g]", ["%l = mode 0 of %l[group_id.x : 1] of 4"]),
        ("%s = subview %r[0:4,1,%g] : memref<f32x4>", []),
        ("%c = equal %g, %n : bool  if %c { store %o, %x[%g] }", []),
        ("%v = load %r[%zero,%zero,%zero] : f32", ["%r = mode 2 of %r[0 : 1] of extent 2 of %r"]),
        ("foreach (%i)=(%zero),(%two) { store %o, %x[%i] }", []),
    ],
)
def test_accesses(body: str, expected: list[str]) -> None:
    assert demands(ARRAYS, f"%g = group_id.x : index\n{body}", WithinExtent) == expected


def test_operands_that_are_not_read() -> None:
    body = "%z = constant 0.0 : f32  %g = group_id.x : index  %s = subview %x[%g:2] : memref<f32x2>\n"
    local = "%l = alloca : memref<f32x2,local>  "
    assert demands(ARRAYS, f"{body}{local}axpby %z, %s, %z, %l", WithinExtent) == []
    read = ["%s = mode 0 of %x[group_id.x : 2] of extent 0 of %x"]
    assert demands(ARRAYS, f"{body}{local}axpby %o, %s, %z, %l", WithinExtent) == read


def test_formulas_that_grow_are_given_up() -> None:
    steps = "\n".join(f"%k{i + 1} = mul %k{i}, %k{i} : index" for i in range(200))
    body = f"%k0 = add %n, %two : index\n{steps}\n%s = subview %x[0:%k200] : memref<f32x?>  axpby %o, %s, %o, %y"
    assert demands(VECTORS, body) == []
