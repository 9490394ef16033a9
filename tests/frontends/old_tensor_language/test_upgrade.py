"""What an upgrade keeps: comments, names, line breaks, the spelling of numbers; and where it puts what is new."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tilewright.diagnostics import CompileError, Report, Source
from tilewright.frontends.old_tensor_language import upgrade
from tilewright.frontends.tensor_language import parse, print_module

from .reading import upgraded

EXAMPLES = Path(__file__).parents[3] / "examples"

SAMPLE = """\
func @fused_kernel(%alpha: f32,
                   %A: group<memref<f32x16x8>>,
                   %B: memref<f32x8x8>,
                   %C: memref<f32x8x16>,
                   %D: memref<f32x16x16x?>) {
  %0 = group_id
  %1 = load %A[%0] : group<memref<f32x16x8>>        ; Returns memref<f32x16x8>
  %2 = subview %D[:,:,%0] : memref<f32x16x16x?>     ; Returns memref<f32x16x16>
  %tmp0 = alloca -> memref<f32x16x8>
  gemm.n.t 1.0, %1, %B, 0.0, %tmp0
     : f32, memref<f32x16x8>, memref<f32x8x8>, f32, memref<f32x16x8>
  gemm.n.n %alpha, %tmp0, %C, 1.0, %2
     : f32, memref<f32x16x8>, memref<f32x8x16>, f32, memref<f32x16x16>
}
"""


def check(before: str, after: str) -> None:
    assert upgraded(dedent(before).lstrip("\n")) == dedent(after).lstrip("\n")


def test_the_sample_becomes_what_a_person_wrote() -> None:
    assert upgraded(SAMPLE) == dedent(
        """\
        func @fused_kernel(%alpha: f32,
                           %A: group<memref<f32x16x8>x?>,
                           %B: memref<f32x8x8>,
                           %C: memref<f32x8x16>,
                           %D: memref<f32x16x16x?>) {
            %one = constant 1.0 : f32
            %zero = constant 0.0 : f32
            %0 = group_id.x : index
            %1 = load %A[%0] : memref<f32x16x8>  ; Returns memref<f32x16x8>
            %2 = subview %D[0:16,0:16,%0] : memref<f32x16x16>  ; Returns memref<f32x16x16>
            %tmp0 = alloca : memref<f32x16x8,local>
            gemm.n.t %one, %1, %B, %zero, %tmp0
            gemm %alpha, %tmp0, %C, %one, %2
        }
        """
    )


def test_the_sample_is_the_hand_written_kernel_but_for_names() -> None:
    """examples/fused_kernel.tl is the same sample, written in the new language by hand."""
    hand_written = (EXAMPLES / "fused_kernel.tl").read_text()
    for old, new in (("%0", "%g"), ("%1", "%a"), ("%2", "%d"), ("%tmp0", "%tmp")):
        hand_written = hand_written.replace(new + " ", old + " ").replace(new + ",", old + ",")
        hand_written = hand_written.replace(new + "]", old + "]").replace(new + "\n", old + "\n")
    ours = parse(Source("a", upgraded(SAMPLE)), Report())
    theirs = parse(Source("b", hand_written), Report())
    assert print_module(ours) == print_module(theirs)


def test_comments_and_line_breaks_stay_where_they_were() -> None:
    check(
        """
        ; about the file

        ; about the function
        func @f(%p: i1, ; a flag
                %A: memref<f32x8>,
                ; on its own
                %B: memref<f32x8>) subgroup_size(16) { ; the body
          ; about the first

          axpby.n 1.0, %A, ; in the middle
             0.0, %B
             : f32, memref<f32x8>, ; among types
               f32, memref<f32x8>  ; behind

          if %p { ; then
            barrier ; wait
          } else { ; otherwise
            ; nothing
          } ; over
          ; the last
        }
        ; end
        """,
        """
        ; about the file

        ; about the function
        func @f(%p: bool,  ; a flag
                %A: memref<f32x8>,
                ; on its own
                %B: memref<f32x8>) attributes{subgroup_size=16} {  ; the body
            %one = constant 1.0 : f32
            %zero = constant 0.0 : f32
            ; about the first

            axpby %one, %A,  ; in the middle
                    %zero, %B  ; among types
            ; behind

            if %p {  ; then
                barrier.global.local  ; wait
            } else {  ; otherwise
                ; nothing
            }  ; over
            ; the last
        }
        ; end
        """,
    )


def test_what_a_rule_computes_stands_in_front_of_its_instruction() -> None:
    check(
        """
        func @f(%x: memref<f32x?>, %p: i1) {
          if %p {
            ; the tail
            %v = subview %x[2:?] : memref<f32x?> ; without the first two
            %w = subview %x[%0:?] : memref<f32x?>
          }
        }
        """.replace("%0", "2"),
        """
        func @f(%x: memref<f32x?>, %p: bool) {
            %c2 = constant 2 : index
            if %p {
                ; the tail
                %x_size = size %x[0] : index
                %rest = sub %x_size, %c2 : index
                %v = subview %x[2:%rest] : memref<f32x?>  ; without the first two
                %rest2 = sub %x_size, %c2 : index
                %w = subview %x[2:%rest2] : memref<f32x?>
            }
        }
        """,
    )


def test_sizes_that_the_text_asks_for_are_used() -> None:
    check(
        """
        func @f(%A: memref<f32x?x?>, %p: i1) {
          %n = size %A[0] : memref<f32x?x?>
          %v = subview %A[:,:] : memref<f32x?x?>
          if %p {
            %w = subview %A[:,1] : memref<f32x?x?>
          }
        }
        """,
        """
        func @f(%A: memref<f32x?x?>, %p: bool) {
            %n = size %A[0] : index
            %A_columns = size %A[1] : index
            %v = subview %A[0:%n,0:%A_columns] : memref<f32x?x?>
            if %p {
                %w = subview %A[0:%n,1] : memref<f32x?>
            }
        }
        """,
    )


def test_sizes_of_another_region_are_not_used() -> None:
    check(
        """
        func @f(%x: memref<f32x?>, %p: i1) {
          if %p { %n = size %x[0] : memref<f32x?> }
          %v = subview %x[:] : memref<f32x?>
        }
        """,
        """
        func @f(%x: memref<f32x?>, %p: bool) {
            if %p {
                %n = size %x[0] : index
            }
            %x_size = size %x[0] : index
            %v = subview %x[0:%x_size] : memref<f32x?>
        }
        """,
    )


def test_new_names_avoid_those_of_the_text() -> None:
    check(
        """
        func @f(%one: f32, %c0: index, %x: memref<f32x?>) {
          %v = subview %x[1:?] : memref<f32x?>
          foreach %rest = 0, 4 {
            %x_size = load %x[0] : memref<f32x?>
            %zero = arith.mul %x_size, 1.0 : f32
            %true = cmp.eq %rest, 1 : index
          }
        }
        """,
        """
        func @f(%one: f32, %c0: index, %x: memref<f32x?>) {
            %c1 = constant 1 : index
            %c0_index = constant 0 : index
            %c4 = constant 4 : index
            %one_f32 = constant 1.0 : f32
            %x_size2 = size %x[0] : index
            %rest2 = sub %x_size2, %c1 : index
            %v = subview %x[1:%rest2] : memref<f32x?>
            foreach (%rest)=(%c0_index),(%c4) {
                %x_size = load %x[%c0_index] : f32
                %zero = mul %x_size, %one_f32 : f32
                %true = equal %rest, %c1 : bool
            }
        }
        """,
    )


def test_numbers_are_spelt_as_they_were() -> None:
    check(
        """
        func @f(%x: f64) {
          %a = arith.mul %x, 6.02214e23 : f64
          %b = arith.mul %a, 0x1.8p-4 : f64
          %c = arith.add %b, -.5 : f64
          %d = arith.add %c, 7 : f64
          %e = arith.add %d, -0.0 : f64
          %f = arith.add %e, 0.10 : f64
        }
        """,
        """
        func @f(%x: f64) {
            %c6_02214e23 = constant 6.02214e23 : f64
            %c0_09375 = constant 0x1.8p-4 : f64
            %cm0_5 = constant -.5 : f64
            %c7 = constant 7.0 : f64
            %minus_zero = constant -0.0 : f64
            %c0_1 = constant 0.10 : f64
            %a = mul %x, %c6_02214e23 : f64
            %b = mul %a, %c0_09375 : f64
            %c = add %b, %cm0_5 : f64
            %d = add %c, %c7 : f64
            %e = add %d, %minus_zero : f64
            %f = add %e, %c0_1 : f64
        }
        """,
    )


def test_dropped_instructions_leave_no_trace() -> None:
    check(
        """
        func @f(%p: i1) {
          %t = alloca -> memref<f32>
          if %p {
            barrier
            yield : ; nothing
          }
          lifetime_stop %t
          barrier lifetime_stop %t2
        }
        """.replace(" lifetime_stop %t2", ""),
        """
        func @f(%p: bool) {
            %t = alloca : memref<f32,local>
            if %p {
                barrier.global.local
                ; nothing
            }
            barrier.global.local
        }
        """,
    )


def test_windows_line_ends_and_tabs() -> None:
    text = "func @f(%p: i1) { ; c\r\n\tif 1 {\r\n\t\tbarrier ; d\r\n\t}\r\n}\r\n"
    wanted = """\
        func @f(%p: bool) {  ; c
            %true = constant true : bool
            if %true {
                barrier.global.local  ; d
            }
        }
        """
    assert upgraded(text) == dedent(wanted)


def test_several_functions_and_letters_beyond_ascii_in_comments() -> None:
    text = "; größer\nfunc @f(%p: i1) { }\n\nfunc @g(%p: i1) { if 0 { } } ; ≤ 1\n"
    wanted = """\
        ; größer
        func @f(%p: bool) {
        }

        func @g(%p: bool) {
            %false = constant false : bool
            if %false {
            }
        }  ; ≤ 1
        """
    assert upgraded(text) == dedent(wanted)


def test_deep_nesting_and_long_texts() -> None:
    depth = 200
    text = "func @f(%p: i1) {" + " if %p {" * depth + " %c = cmp.ne %p, 1 : i1 " + "}" * depth + "}"
    assert upgraded(text).count("if %p {") == depth
    body = "".join(f"  %v{i} = arith.add %x, {i % 50}.5 : f64\n" for i in range(2000))
    assert upgraded(f"func @f(%x: f64) {{\n{body}}}\n").count(" add ") == 2000


@pytest.mark.parametrize(
    "text", ["func @f(%x: memref<i1x4>) { }", "func @f(%p: i1) { %q = arith.neg %p : i1 }", "func @f("]
)
def test_what_cannot_be_upgraded_is_refused(text: str) -> None:
    with pytest.raises(CompileError):
        upgrade(Source("old.tl", text), Report())


def test_launches_by_hand_are_warned_of_once() -> None:
    report = Report()
    upgrade(Source("old.tl", SAMPLE + SAMPLE.replace("fused_kernel", "again")), report)
    assert [d.code for d in report.diagnostics] == ["U11", "U11"]


def test_remarks_on_conversions_and_in_dropped_instructions_stay() -> None:
    check(
        """
        func @f(%p: i1) {
          %t = alloca -> memref<f32>
          %j = cast %p : i1 -> i32 ; a number
          %k = cast %p ; of another type
                 : i1 -> i64 %q = arith.not %p : i1 ; two on a line
          if %p {
            yield ; nothing
             :
          }
          lifetime_stop ; the last use
             %t
        }
        """,
        """
        func @f(%p: bool) {
            %c1 = constant 1 : i32
            %c0 = constant 0 : i32
            %c1_i64 = constant 1 : i64
            %c0_i64 = constant 0 : i64
            %t = alloca : memref<f32,local>
            %j = if %p -> (i32) {  ; a number
                yield (%c1)
            } else {
                yield (%c0)
            }
            %k = if %p  ; of another type
                    -> (i64) {
                yield (%c1_i64)
            } else {
                yield (%c0_i64)
            }
            %q = not %p : bool  ; two on a line
            if %p {
                ; nothing
            }
            ; the last use
        }
        """,
    )
