"""Forms that the printer does not write: generic regions, aliases, wrappers, locations, implied terminators."""

from __future__ import annotations

import pytest

from frontends.tile_ir.marked import findings
from frontends.tile_ir.samples import module
from frontends.tile_ir.test_round_trip import read
from tilewright.diagnostics import Report, Source
from tilewright.dialects.cuda_tile.debug import CallSite, ScopedLocation, debug_of
from tilewright.frontends.recognise import is_tile_ir
from tilewright.frontends.tile_ir import format_source, print_module

SHORT = """
    %v = if %b -> (tile<f32>) {
      yield %f : tile<f32>
    } else {
      %n = negf %f : tile<f32>
      yield %n : tile<f32>
    }
    for %k in (%i to %j, step %i) : tile<i32> {
    }
"""
GENERIC = """
    %v = "cuda_tile.if"(%b) ({
      "cuda_tile.yield"(%f) : (!cuda_tile.tile<f32>) -> ()
    }, {
      %n = "cuda_tile.negf"(%f) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
      "cuda_tile.yield"(%n) : (!cuda_tile.tile<f32>) -> ()
    }) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<f32>
    "cuda_tile.for"(%i, %j, %i) ({
    ^bb0(%k: !cuda_tile.tile<i32>):
      "cuda_tile.continue"() : () -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
"""
WHOLE = """
"cuda_tile.module"() <{sym_name = "m"}> ({
  "cuda_tile.global"() <{sym_name = "g", alignment = 4 : i64, constant, value = dense<[1.0, 2.0]> : !cuda_tile.tile<2xf32>}> : () -> ()
  "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<f32>) -> (), arg_attrs = [{}], res_attrs = []}> ({
  ^bb0(%a: !cuda_tile.tile<f32>):
    %0 = "cuda_tile.addf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<zero>, flush_to_zero}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""  # noqa: E501
DEBUG = """
#loc2 = #cuda_tile.di_loc<#loc1 in #blk>
#blk = #cuda_tile.di_lexical_block<scope = #sub, file = #di_file, line = 9, column = 5>
#sub = #cuda_tile.di_subprogram<file = #di_file, line = 4, name = "k", linkageName = "k", compileUnit = #cu>
cuda_tile.module @m {
  entry @k(%a: !t {tt.x = 1} loc("a")) {
    %b = addf %a, %a : !t loc(#loc2)
    %c = addf %b, %a : !t loc(callsite(#loc2 at #cuda_tile.di_loc<loc("k.py":3:4) in #sub>))
    %d = addf %c, %a : !t loc(fused<"x">[#loc1, unknown, "name"("k.py":1:2)])
    %e = addf %d, %a : !t loc(unknown)
    return
  } loc(#cuda_tile.di_loc<loc("k.py":1:1) in #sub>)
}
#cu = #cuda_tile.di_compile_unit<file = #di_file>
#di_file = #cuda_tile.di_file<"k.py" in "src">
#loc1 = loc("k.py":9:12)
!t = !cuda_tile.tile<f32>
"""


def test_generic_regions() -> None:
    assert print_module(read(module(GENERIC))) == print_module(read(module(SHORT)))


def test_a_whole_module_in_the_generic_form() -> None:
    text = print_module(read(WHOLE))
    assert "global constant @g alignment = 4 <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>" in text
    assert "%0 = addf %a, %a rounding<zero> flush_to_zero : tile<f32>" in text


def test_wrappers_and_bare_items() -> None:
    plain = module(SHORT)
    items = plain.split("{", 1)[1].rsplit("}", 1)[0]
    wanted = print_module(read(plain))
    assert print_module(read("module {\n" + plain + "}\n")) == wanted
    assert print_module(read("builtin.module @x attributes {a = 1} {\n" + plain + "} loc(unknown)\n")) == wanted
    assert print_module(read("module @m {" + items + "}")) == wanted
    generic = '"builtin.module"() <{sym_name = "x"}> ({\n' + plain + "}) {a = 1} : () -> () loc(unknown)\n"
    for text in (generic, generic.replace("({", "({\n^bb0:"), "module {\n" + generic + "}\n"):
        assert is_tile_ir(text)
        assert print_module(read(text)) == wanted
    assert print_module(read(items)) == wanted.replace("@m", "@kernels")


def test_terminators_may_be_left_out() -> None:
    body = "entry @k(%b: tile<i1>) {\n if %b {\n } else {\n }\n loop {\n if %b {\n break\n }\n }\n}"
    read(body)


def test_debug_information_is_read_printed_and_read() -> None:
    first = read(DEBUG)
    places = [debug_of(op.location) for op in first.entries[0].body.entry]
    assert isinstance(places[0], ScopedLocation)
    assert isinstance(places[1], CallSite)
    assert places[1].callee is places[0]
    text = print_module(first)
    assert print_module(read(text)) == text
    assert "loc(" not in print_module(first, debug=False)
    assert 'loc(fused<"x">[' in text


def test_dictionaries_keep_lists_and_constants_with_their_types() -> None:
    held = (
        "a = dense<[[1, 2], [3, -4]]> : !cuda_tile.tile<2x2xi32>, b = dense<1.500000e+00> : !cuda_tile.tile<4xf16>,"
        " c = array<f32: 1.500000e+00, 0x7FC00000>, d = array<i64>, e = array<i1: true, false>, f = [array<i8: -1>]"
    )
    text = print_module(read(f"entry @k(%a: tile<f32>) {{\n%b = negf %a {{{held}}} : tile<f32>\n}}"))
    assert f"negf %a {{{held}}} : tile<f32>" in text
    assert print_module(read(text)) == text


def test_attributes_of_parameters_are_kept() -> None:
    head = 'entry @k(%a: tile<f32> {"x y" = 1}, %b: tile<i32>, %c: tile<i8> {tt.z, u = 2}) {'
    text = format_source(Source("test", f"// first\n{head} return }}"), Report())
    assert head in text
    generic = WHOLE.replace("arg_attrs = [{}]", "arg_attrs = [{x = 1}]")
    assert "entry @k(%a: tile<f32> {x = 1}) {" in print_module(read(generic))


@pytest.mark.parametrize("place", ['"k.py":1:2', '"k.py":1:2 to :9', '"k.py":1:2 to 3:4'])
def test_places_may_be_ranges(place: str) -> None:
    text = print_module(read(f"entry @k() {{\nreturn loc({place})\n}}"))
    assert f"loc({place})\n" in text
    assert print_module(read(text)) == text


def test_aliases_of_attributes() -> None:
    aliases = "#h = #cuda_tile.optimization_hints<sm_90 = {occupancy = #n}>\n#n = 2\n"
    load = '%a, %t = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 0 : i32, optimization_hints = #h, '
    load += "operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tile<ptr<f32>>) -> (tile<f32>, token)"
    found = read(f"{aliases}entry @k(%p: tile<ptr<f32>>) {{\n{load}\n}}")
    assert "optimization_hints = <sm_90 = {occupancy = 2}>" in print_module(found)


def test_packs_of_results() -> None:
    found = read("entry @k() {\n%r:3 = get_tile_block_id : tile<i32>\n%s = addi %r#0, %r#2 : tile<i32>\n}")
    assert "%s = addi %r_0, %r_2 : tile<i32>" in print_module(found)


def test_discardable_attributes_stay() -> None:
    body = "    %a = addf %f, %f {my.note = 1, other.unit} : tile<f32>\n    if %b {\n    } {cuda_tile.loop_split = 1}\n"
    text = print_module(read(module("\n" + body)))
    assert "%a = addf %f, %f {my.note = 1, other.unit} : tile<f32>" in text
    assert "} {cuda_tile.loop_split = 1}" in text


def test_comments_stay_when_formatting() -> None:
    text = "// first\nentry @k() {\n  // why\n  %a = iota : tile<4xi32> // what\n  // last\n}\n// end\n"
    formatted = format_source(Source("a.tileir", text), Report())
    for comment in ("// first", "// why", "// what", "// last", "// end"):
        assert formatted.count(comment) == 1
    assert format_source(Source("a.tileir", formatted), Report()) == formatted


def test_comments_behind_a_brace_are_not_within_it() -> None:
    text = (
        "entry @k(%b: tile<i1>) {\nif %b {\n} // behind\n%a = make_token : token\n} // end\nentry @l() {\n} // last\n"
    )
    formatted = format_source(Source("a.tileir", text), Report())
    assert "    }\n    // behind\n    %a = make_token" in formatted
    assert "  // end\n  entry @l" in formatted
    assert formatted.endswith("}\n// last\n")


@pytest.mark.parametrize(
    "operation",
    [
        '"cuda_tile.for"(%i, %i, %i) ({\n"cuda_tile.continue"() : () -> ()\n}) '
        ": (tile<i32>, tile<i32>, tile<i32>) -> ()",
        '"cuda_tile.for"(%i, %i, %i) ({\n}) : (tile<i32>, tile<i32>, tile<i32>) -> ()',
        '"cuda_tile.loop"(%f) ({\n"cuda_tile.break"() : () -> ()\n}) : (tile<f32>) -> ()',
        '"cuda_tile.if"(%b) ({\n^bb0(%k: tile<i32>):\n"cuda_tile.yield"() : () -> ()\n}) : (tile<i1>) -> ()',
    ],
)
def test_regions_that_have_no_short_form_are_reported_and_stay(operation: str) -> None:
    text, report = module("\n    " + operation + "\n"), Report()
    assert format_source(Source("a.tileir", text), report) == text
    assert [d.code for d in report.diagnostics] == ["C13"]


def test_generic_regions_over_values_of_other_types() -> None:
    reduction = '"cuda_tile.reduce"(%n) <{dim = 0 : i32, identities = [0.0 : f32]}> ({\n}) : (token) -> (tile<f32>)'
    report = Report()
    format_source(Source("a.tileir", module(f"\n%n = make_token : token\n%r = {reduction}\n")), report)
    assert [d.code for d in report.diagnostics] == ["C10"]


def test_tile_ir_is_recognised_by_its_first_word() -> None:
    for text in (module(SHORT), WHOLE, DEBUG, "// x\n entry @k() {}", "module {\n}", "!t = tile<f32>\n"):
        assert is_tile_ir(text)
    for text in ("func @f() {\n}", "$x = 1\nfunc @f() {}", "", "; entry", "entryway", "// module"):
        assert not is_tile_ir(text)


@pytest.mark.parametrize(
    "line",
    [
        "%a = ftoi %f signed saturating : tile<f32> -> tile<i32>",
        "%a = constant <f8E5M3FNU: 1.0> : tile<f8E5M3FNU>",
        "%a = gdc_wait_tko -> token",
    ],
)
def test_13_4_is_kept_by_the_printed_text(line: str) -> None:
    found = read(module(f"\n    {line}\n"))
    text = print_module(found)
    assert found.version == 4
    assert 'attributes {tilewright.version = "13.4"}' in text
    assert read(text).version == 4


def test_printing_without_a_token_is_13_1() -> None:
    assert not findings(module('\n    print "x"\n'))
