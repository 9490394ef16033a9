"""What operations of Tile IR become on the tile level."""

# ruff: noqa: E501 - lines of kernels stay in one piece

from __future__ import annotations

import re

import pytest

from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.ir.parser import parse_ir
from tilewright.ir.printer import print_op
from tilewright.ir.verifier import verify

PARAMETERS = "%p: tile<ptr<f32>>, %q: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>, %c: tile<i1>"


def lowered(body: str, items: str = "") -> str:
    """The module on the tile level; it verifies."""
    text = f"cuda_tile.module @m {{\n{items}\nentry @k({PARAMETERS}) {{\n{body}\n}}\n}}\n"
    report = Report()
    module = read_module(Source("test", text), report)
    verify(module, report)
    report.raise_if_errors()
    return print_op(module)


def check(text: str, *patterns: str) -> None:
    """The patterns occur in this order; one with `!` in front does not occur behind the one before."""
    position = 0
    for pattern in patterns:
        found = re.compile(pattern.removeprefix("!")).search(text, position)
        if pattern.startswith("!"):
            assert found is None, f"{pattern} in\n{text}"
        else:
            assert found is not None, f"no {pattern} in\n{text[position:]}"
            position = found.end()


def words(text: str, name: str) -> int:
    return len(re.findall(re.escape(name) + r"\b", text))


POINTERS = """
%i = iota : tile<8xi32>
%p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
%p8 = broadcast %p1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
%at = offset %p8, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
"""


@pytest.mark.parametrize(("count", "chosen"), [(32, 31), (64, 0)])
def test_many_different_elements_lie_in_memory(count: int, chosen: int) -> None:
    """Few are chosen by their position."""
    listed = ", ".join(str(1.5 * k) for k in range(count))
    text = lowered(f"%z = constant <f32: [{listed}]> : tile<{count}xf32>")
    assert words(text, "arith.select") == chosen
    assert words(text, "tile.load") == words(text, "memref.global_address") == (not chosen)


@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
def test_floats_become_bits_that_say_whether_they_are_not_zero(signedness: str) -> None:
    """`lowered` verifies: the cast is one between types that casts take."""
    text = lowered(POINTERS + "%x, %t = load_ptr_tko weak %at : tile<8xptr<f32>> -> tile<8xf32>, token\n"
                   f"%y = ftoi %x {signedness} : tile<8xf32> -> tile<8xi1>")  # fmt: skip
    check(text, r"arith.cast %x -> tile<8xbool>")


def test_pointers_are_addresses() -> None:
    text = lowered(POINTERS + "%x, %t = load_ptr_tko weak %at : tile<8xptr<f32>> -> tile<8xf32>, token\n"
                   "%u = store_ptr_tko release device %at, %x token = %t : tile<8xptr<f32>>, tile<8xf32> -> token")  # fmt: skip
    check(text, "memref.address", "tile.iota", r"arith.mul", r"tile.gather %at \{scope = \"device\"\}", "tile.scatter")
    assert "release" in text.partition("tile.scatter")[2]


def test_a_masked_load_chooses_its_padding() -> None:
    body = POINTERS + "%z = constant <f32: 1.5> : tile<8xf32>\n%k = constant <i1: true> : tile<8xi1>\n"
    body += "%x, %t = load_ptr_tko weak %at, %k, %z : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token"
    check(lowered(body), "tile.gather", "arith.select")


def view(size: str, tile: int, kind: str = "partition_view<tile=({})", step: str = "") -> str:
    tensor = "tensor_view<?xf32, strides=[1]>"
    type_ = f"{kind.format(tile)}{step}, {tensor}>"
    make = "make_strided_view" if step else "make_partition_view"
    return (
        f"%v = make_tensor_view %p, shape = [{size}], strides = [1] : tile<i32> -> {tensor}\n"
        f"%w = {make} %v : {type_}\n"
        f"%x, %t = load_view_tko weak %w[%m] : {type_}, tile<i32> -> tile<{tile}xf32>, token"
    )


def test_views_are_memrefs_whose_edges_are_checked() -> None:
    check(lowered(view("%n", 16)), "memref.from_address", r"tile.load.*check = \[true\]")


@pytest.mark.parametrize(("size", "tile", "checked"), [
    ("%d = assume div_by<16>, %n : tile<i32>", 16, False),
    ("%d = assume div_by<32>, %n : tile<i32>", 16, False),
    ("%d = assume div_by<8>, %n : tile<i32>", 16, True),
    ("%e = constant <i32: 64> : tile<i32>\n%d = muli %n, %e : tile<i32>", 64, False),
    ("%e = constant <i32: 48> : tile<i32>\n%d = andi %n, %e : tile<i32>", 16, False),
    ("%e = assume div_by<16>, %n : tile<i32>\n%f = assume bounded<0, ?>, %e : tile<i32>\n%d = addi %f, %e : tile<i32>", 16, False),
    ("%e = assume div_by<16>, %n : tile<i32>\n%d = addi %e, %m : tile<i32>", 16, True),
    ("%e = constant <i32: 4> : tile<i32>\n%d = shli %n, %e : tile<i32>", 16, False),
    ("%e = assume div_by<64>, %n : tile<i32>\n%f = constant <i32: 4> : tile<i32>\n%d = divi %e, %f signed : tile<i32>", 16, False),
    ("%e = assume div_by<64>, %n : tile<i32>\n%f = constant <i32: 8> : tile<i32>\n%d = divi %e, %f unsigned : tile<i32>", 16, True),
    ("%e = assume div_by<64>, %n : tile<i32>\n%f = constant <i32: 5> : tile<i32>\n%d = divi %e, %f signed : tile<i32>", 4, True),
    ("%e = assume div_by<64>, %n : tile<i32>\n%f = constant <i32: -4> : tile<i32>\n%d = divi %e, %f signed : tile<i32>", 16, True),
])  # fmt: skip
def test_divisible_sizes_need_no_check(size: str, tile: int, checked: bool) -> None:
    assert ("check = [true]" in lowered(f"{size}\n{view('%d', tile)}")) is checked


@pytest.mark.parametrize(("index", "checked"), [
    ("%i = constant <i32: 5> : tile<i32>", False),
    ("%i = constant <i32: 6> : tile<i32>", True),
    ("%i = assume bounded<0, 5>, %m : tile<i32>", False),
    ("%i = assume bounded<-1, 5>, %m : tile<i32>", True),
    ("%k = constant <i32: 5> : tile<i32>\n%i = andi %m, %k : tile<i32>", False),
    ("%k = constant <i32: 6> : tile<i32>\n%a = absi %m : tile<i32>\n%i = remi %a, %k signed : tile<i32>", True),
    ("%k = constant <i32: 6> : tile<i32>\n%a = assume bounded<0, ?>, %m : tile<i32>\n%i = remi %a, %k signed : tile<i32>", False),
    ("%k = constant <i32: 5> : tile<i32>\n%a = assume bounded<0, ?>, %m : tile<i32>\n%i = mini %a, %k signed : tile<i32>", False),
    ("%k = constant <i32: 5> : tile<i32>\n%i = mini %m, %k signed : tile<i32>", True),
    ("%k = constant <i32: 1> : tile<i32>\n%a = assume bounded<1, 6>, %m : tile<i32>\n%i = subi %a, %k : tile<i32>", False),
    ("%a = assume bounded<0, 2>, %m : tile<i32>\n%k = constant <i32: 1> : tile<i32>\n%i = shli %a, %k : tile<i32>", False),
])  # fmt: skip
def test_tiles_that_end_before_the_edge_need_no_check(index: str, checked: bool) -> None:
    body = f"%s = assume bounded<100, ?>, %n : tile<i32>\n{index}\n{view('%s', 16)}"
    assert ("check = [true]" in lowered(body.replace("[%m]", "[%i]"))) is checked


@pytest.mark.parametrize(("end", "checked"), [(6, False), (7, True)])
def test_loop_variables_end_in_front_of_their_bound(end: int, checked: bool) -> None:
    load = view("%s", 16).splitlines()
    body = "\n".join([
        "%s = assume bounded<100, ?>, %n : tile<i32>", *load[:2],
        "%z = constant <i32: 0> : tile<i32>", "%one = constant <i32: 1> : tile<i32>",
        f"%end = constant <i32: {end}> : tile<i32>",
        "for %i in (%z to %end, step %one) : tile<i32> {", load[2].replace("[%m]", "[%i]"), "continue }",
    ])  # fmt: skip
    assert ("check = [true]" in lowered(body)) is checked


def test_promises_of_sums_are_believed() -> None:
    head = "%a = assume bounded<0, ?>, %n : tile<i32>\n%b = assume bounded<0, ?>, %m : tile<i32>\n%s = addi %a, %b"
    assert words(lowered(f"{head} : tile<i32>\n{view('%s', 16)}"), "arith.ucast") == 2
    assert words(lowered(f"{head} overflow<no_signed_wrap> : tile<i32>\n{view('%s', 16)}"), "arith.ucast") == 1


def test_overlapping_tiles_of_a_divisible_size_are_checked() -> None:
    kind = "strided_view<tile=({})"
    size = "%d = assume div_by<16>, %n : tile<i32>\n"
    assert "check = [true]" in lowered(size + view("%d", 16, kind, ", traversal_strides=[8]"))
    assert "check = [true]" not in lowered(size + view("%d", 8, kind, ", traversal_strides=[16]"))


def test_bounds_decide_how_a_size_is_extended() -> None:
    """Sizes are unsigned; one that is known not to be negative may be extended with its sign."""
    assert words(lowered(view("%n", 16)), "arith.ucast") == 2
    bounded = "%d = assume bounded<0, ?>, %n : tile<i32>\n"
    assert words(lowered(bounded + view("%d", 16)), "arith.ucast") == 1


def test_rows_become_columns() -> None:
    text = lowered("%a = constant <f32: 1.0> : tile<4x8xf32>\n%b = constant <f32: 2.0> : tile<8x2xf32>\n"
                   "%z = constant <f32: 0.0> : tile<4x2xf32>\n%r = mmaf %a, %b, %z : tile<4x8xf32>, tile<8x2xf32>, tile<4x2xf32>")  # fmt: skip
    check(text, r"arith.constant .*8x4", r"arith.constant .*2x8", r"tile.mma %b, %a, %z")


def test_large_constants_are_globals() -> None:
    listed = ", ".join(map(str, range(128)))
    body = f"%a = constant <i16: [{listed}]> : tile<128xi16>\n%b = constant <i16: [{listed}]> : tile<128xi16>"
    text = lowered(body)
    assert words(text, "builtin.global") == 1
    assert "000001000200" in text
    check(text, "memref.global_address", "memref.from_address", "tile.load")


def test_globals_of_the_module_keep_their_names() -> None:
    text = lowered("%g = get_global @table : tile<ptr<f32>>", "global constant @table <f32: [1.0, 2.0]> : tile<2xf32>")
    check(text, r'builtin.global.*"?0000803f00000040', 'memref.global_address.*"table"')


def test_assertions_report_in_a_branch() -> None:
    check(lowered('assert %c, "no"' + " : tile<i1>"), "arith.not", "scf.if", "team.report.*assert")
    check(
        lowered('%x = constant <i1: true> : tile<4x2xi1>\nassert %x, "no" : tile<4x2xi1>'),
        "tile.reduce",
        "scf.if",
        "team.report",
    )


def test_prints_take_numbers_of_64_bits() -> None:
    check(
        lowered('%t = print_tko "%d %p", %n, %p : tile<i32>, tile<ptr<f32>> -> token'),
        r"arith.cast.*i64",
        "team.report.*print",
    )


def test_unsigned_loops_count_where_their_bounds_may_be_negative() -> None:
    head = "%a = exti %n signed : tile<i32> -> tile<i64>\n%one = constant <i64: 1> : tile<i64>\n"
    loop = "for unsigned %i in (%one to {}, step %one) : tile<i64> {{ continue }}"
    check(lowered(head + loop.format("%a")), "arith.uceil_div", "scf.for")
    bounded = head + "%b = assume bounded<0, 100>, %a : tile<i64>\n"
    check(lowered(bounded + loop.format("%b")), "!arith.uceil_div")


def test_breaks_become_values() -> None:
    body = """%one = constant <i32: 1> : tile<i32>
    %r = loop iter_values(%i = %n) : tile<i32> -> tile<i32> {
      if %c { break %i : tile<i32> }
      %j = addi %i, %one : tile<i32>
      continue %j : tile<i32>
    }"""
    check(lowered(body), "scf.while", "scf.if", "scf.yield", "arith.cmp", "scf.yield")


def test_regions_of_one_addition_are_sums() -> None:
    reduce = """%a = constant <f32: 1.0> : tile<8xf32>
    %r = reduce %a dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) {{
      %s = {} %x, %y : tile<f32>
      yield %s : tile<f32>
    }}"""
    check(lowered(reduce.format("addf")), "tile.reduce", "!tile.reduce_by")
    check(lowered(reduce.format("mulf")), "tile.reduce_by", "arith.mul", "scf.yield")


@pytest.mark.parametrize(("signedness", "op"), [("signed", "tile.reduce "), ("unsigned", "tile.reduce_by ")])
def test_extrema_of_unsigned_numbers_are_no_signed_ones(signedness: str, op: str) -> None:
    body = f"""%a = constant <i32: 1> : tile<8xi32>
    %r = reduce %a dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32> (%x: tile<i32>, %y: tile<i32>) {{
      %s = maxi %x, %y {signedness} : tile<i32>
      yield %s : tile<i32>
    }}"""
    assert op in lowered(body)


def test_halves_of_bytes() -> None:
    check(lowered("%a = constant <f4E2M1FN: 1.0> : tile<8xf4E2M1FN>\n%b = pack %a : tile<8xf4E2M1FN> -> tile<4xi8>"),
          "arith.bitcast.*i4", "arith.ucast.*i8", "tile.extract", "arith.shl", "arith.or")  # fmt: skip


def test_the_tile_level_reads_back() -> None:
    text = lowered(view("%n", 16) + '\nassert %c, "no" : tile<i1>\n%a = alloca num_elem = 3, alignment = 8 : tile<ptr<f64>>',
                   "global @g <i8: [1, 2]> : tile<2xi8>")  # fmt: skip
    again = parse_ir(Source("again", text), Report(), operation_classes())
    assert again is not None
    assert print_op(again) == text


def test_unsigned_floats_are_codes() -> None:
    text = "%a = constant <f8E5M3FNU: 1.0> : tile<8xf8E5M3FNU>\n%b = ftof %a : tile<8xf8E5M3FNU> -> tile<8xf32>"
    check(lowered(text), "arith.constant.*120.*i8", "arith.shl", "arith.bitcast.*f32", "arith.mul", "arith.select")


def test_what_a_region_does_not_change_runs_in_front() -> None:
    body = """%x = constant <f32: 1.0> : tile<4x8xf32>
    %z = constant <i32: 1> : tile<i32>
    %t = reduce %x dim=1 identities=[0.0 : f32] : tile<4x8xf32> -> tile<4xf32> (%a: tile<f32>, %b: tile<f32>) {
      %u, %v, %w = get_tile_block_id : tile<i32>
      %f = itof %u signed : tile<i32> -> tile<f32>
      %g = mulf %a, %f : tile<f32>
      %h = addf %g, %b : tile<f32>
      yield %h : tile<f32>
    }"""
    check(lowered(body), "team.group_id", "arith.cast", "tile.reduce_by", "arith.mul", "arith.add", "scf.yield")


def test_a_region_with_tiles_goes_from_element_to_element() -> None:
    body = """%x = constant <f32: 1.0> : tile<4x8xf32>
    %t = scan %x dim=1 reverse=true identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32> (%a: tile<f32>, %b: tile<f32>) {
      %f = reshape %a : tile<f32> -> tile<1xf32>
      %g = addf %f, %f : tile<1xf32>
      %h = reshape %g : tile<1xf32> -> tile<f32>
      yield %h : tile<f32>
    }"""
    check(lowered(body), "memref.reserve", "tile.store", "scf.for", "scf.for", "memref.load", "memref.store", "scf.for",
          "arith.sub", "memref.load", "tile.splat", "tile.item", "memref.store", "scf.yield", "tile.load")  # fmt: skip


ORDERS = {"relaxed": "relaxed", "acquire": "acquire", "release": "release", "acq_rel": "acquire_release"}
SCOPES = {"tl_blk": "work_group", "device": "device", "sys": "cross_device"}
STRONG = {
    "load_ptr_tko {} %q : tile<ptr<i32>> -> tile<i32>, token": ("tile.gather", ("relaxed", "acquire")),
    "store_ptr_tko {} %q, %n : tile<ptr<i32>>, tile<i32> -> token": ("tile.scatter", ("relaxed", "release")),
    "atomic_rmw_tko {} %q, add, %n : tile<ptr<i32>>, tile<i32> -> tile<i32>, token": (
        "tile.scatter_update",
        tuple(ORDERS),
    ),
    "atomic_cas_tko {} %q, %n, %m : tile<ptr<i32>>, tile<i32> -> tile<i32>, token": (
        "tile.scatter_exchange",
        tuple(ORDERS),
    ),
}


@pytest.mark.parametrize(("access", "op", "order", "scope"), [
    (access, op, order, scope) for access, (op, orders) in STRONG.items() for order in orders for scope in SCOPES
])  # fmt: skip
def test_accesses_keep_their_order_and_scope(access: str, op: str, order: str, scope: str) -> None:
    names = "%t" if access.startswith("store") else "%x, %t"
    text = lowered(f"{names} = {access.format(f'{order} {scope}')}")
    line = next(line for line in text.splitlines() if f"{op} " in line)
    assert f'semantics = "{ORDERS[order]}"' in line
    assert f'scope = "{SCOPES[scope]}"' in line


def test_weak_accesses_have_no_order() -> None:
    body = POINTERS + "%x, %t = load_ptr_tko weak %at : tile<8xptr<f32>> -> tile<8xf32>, token"
    assert "semantics" not in lowered(body)


@pytest.mark.parametrize("leaves", [False, True])
def test_promises_are_those_of_all_blocks(leaves: bool) -> None:
    """What is assumed behind a way out is so for those that come there."""
    text = lowered(f"""
%z = constant <i32: 0> : tile<i32>
%b = cmpi less_than_or_equal %n, %z, signed : tile<i32> -> tile<i1>
if %b {{ {"return" if leaves else ""} }}
%d = assume bounded<1, ?>, %n : tile<i32>
%e = assume div_by<16>, %n : tile<i32>
return""")
    assert ("divisor = 16" in text, "least = 1" in text) == (not leaves, not leaves)
