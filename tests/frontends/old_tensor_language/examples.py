"""Before and after of every upgrade rule: tested, and shown in docs/guide/migration.md."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent
from typing import Final


@dataclass(frozen=True, slots=True)
class Example:
    """A rule with an old text and what a person would write instead."""

    rule: int
    title: str
    note: str
    before: str
    after: str


def _example(rule: int, title: str, note: str, before: str, after: str) -> Example:
    return Example(rule, title, note, dedent(before).lstrip("\n"), dedent(after).lstrip("\n"))


EXAMPLES: Final = (
    _example(
        1,
        "Types behind the colon",
        "An instruction with a result says the type of the result, one without says none. Types of operands are gone.",
        """
            func @f(%A: memref<f64x6x?>, %i: index, %j: index) {
                %v = load %A[%i,%j] : memref<f64x6x?>
                store %v, %A[%j,%i] : memref<f64x6x?>
            }
            """,
        """
            func @f(%A: memref<f64x6x?>, %i: index, %j: index) {
                %v = load %A[%i,%j] : f64
                store %v, %A[%j,%i]
            }
            """,
    ),
    _example(
        2,
        "Literals",
        "Operands are values. Literals become constants at the top of the function, one for each number "
        "and type; an integer written for a float gets its point.",
        """
            func @f(%A: memref<f32x9>, %B: memref<f32x9>) {
                axpby.n 2, %A, 0.5, %B : f32, memref<f32x9>, f32, memref<f32x9>
                axpby.n 2.0, %B, 0.0, %A : f32, memref<f32x9>, f32, memref<f32x9>
            }
            """,
        """
            func @f(%A: memref<f32x9>, %B: memref<f32x9>) {
                %two = constant 2.0 : f32
                %half = constant 0.5 : f32
                %zero = constant 0.0 : f32
                axpby %two, %A, %half, %B
                axpby %two, %B, %zero, %A
            }
            """,
    ),
    _example(
        3,
        "i1",
        "i1 is bool, and 1 and 0 of it are true and false.",
        """
            func @f(%p: i1, %x: memref<f32>) {
                %q = arith.and %p, 1 : i1
                if %q {
                    axpby.n 2.0, %x, 0.0, %x : f32, memref<f32>, f32, memref<f32>
                }
            }
            """,
        """
            func @f(%p: bool, %x: memref<f32>) {
                %true = constant true : bool
                %two = constant 2.0 : f32
                %zero = constant 0.0 : f32
                %q = and %p, %true : bool
                if %q {
                    axpby %two, %x, %zero, %x
                }
            }
            """,
    ),
    _example(
        4,
        "Arithmetic",
        "The prefix is gone. On bool there are and, or, xor and not.",
        """
            func @f(%x: f32, %p: i1) {
                %y = arith.mul %x, %x : f32
                %z = arith.neg %y : f32
                %q = arith.not %p : i1
            }
            """,
        """
            func @f(%x: f32, %p: bool) {
                %y = mul %x, %x : f32
                %z = neg %y : f32
                %q = not %p : bool
            }
            """,
    ),
    _example(
        5,
        "Comparisons",
        "They have names and give bool. Two bools are compared with xor.",
        """
            func @f(%i: index, %p: i1, %q: i1) {
                %l = cmp.le %i, 7 : index
                %n = cmp.ne %p, %q : i1
                %e = cmp.eq %p, %q : i1
            }
            """,
        """
            func @f(%i: index, %p: bool, %q: bool) {
                %c7 = constant 7 : index
                %l = less_than_equal %i, %c7 : bool
                %n = xor %p, %q : bool
                %differ = xor %p, %q : bool
                %e = not %differ : bool
            }
            """,
    ),
    _example(
        6,
        "Conversions",
        "Only the type of the result is written. A bool becomes a number by an if, a number becomes a "
        "bool by a comparison with 0.",
        """
            func @f(%x: f32, %p: i1, %n: i32) {
                %y = cast %x : f32 -> f64
                %j = cast %p : i1 -> i32 ; 1 or 0
                %q = cast %n : i32 -> i1
            }
            """,
        """
            func @f(%x: f32, %p: bool, %n: i32) {
                %c1 = constant 1 : i32
                %c0 = constant 0 : i32
                %y = cast %x : f64
                %j = if %p -> (i32) {  ; 1 or 0
                    yield (%c1)
                } else {
                    yield (%c0)
                }
                %q = not_equal %n, %c0 : bool
            }
            """,
    ),
    _example(
        7,
        "alloca",
        "The type follows a colon and says local, as do the types of all views.",
        """
            func @f(%A: memref<f32x2x6>) {
                %t = alloca -> memref<f32x4x6>
                %s = subview %t[0:2,:] : memref<f32x4x6>
                axpby.n 1.0, %A, 0.0, %s : f32, memref<f32x2x6>, f32, memref<f32x2x6,strided<1,4>>
            }
            """,
        """
            func @f(%A: memref<f32x2x6>) {
                %one = constant 1.0 : f32
                %zero = constant 0.0 : f32
                %t = alloca : memref<f32x4x6,local>
                %s = subview %t[0:2,0:6] : memref<f32x2x6,strided<1,4>,local>
                axpby %one, %A, %zero, %s
            }
            """,
    ),
    _example(
        8,
        "Modifiers of collectives",
        "`.atomic` comes first. `.n` is written only where a `.t` follows it.",
        """
            func @f(%a: f32, %A: memref<f32x8x4>, %B: memref<f32x6x4>, %C: memref<f32x8x6>, %D: memref<f32x4x6>) {
                gemm.n.t.atomic %a, %A, %B, 1.0, %C : f32, memref<f32x8x4>, memref<f32x6x4>, f32, memref<f32x8x6>
                gemm.t.n %a, %A, %C, 0.0, %D : f32, memref<f32x8x4>, memref<f32x8x6>, f32, memref<f32x4x6>
            }
            """,
        """
            func @f(%a: f32, %A: memref<f32x8x4>, %B: memref<f32x6x4>, %C: memref<f32x8x6>, %D: memref<f32x4x6>) {
                %one = constant 1.0 : f32
                %zero = constant 0.0 : f32
                gemm.atomic.n.t %a, %A, %B, %one, %C
                gemm.t %a, %A, %C, %zero, %D
            }
            """,
    ),
    _example(
        9,
        "Atomic updates",
        "beta is 0 (an atomic store of the result) or 1 (an atomic addition). Anything else cannot be upgraded (U1).",
        """
            func @f(%A: memref<f32x9>, %s: memref<f32>) {
                sum.n.atomic 1.0, %A, 1.0, %s : f32, memref<f32x9>, f32, memref<f32>
            }
            """,
        """
            func @f(%A: memref<f32x9>, %s: memref<f32>) {
                %one = constant 1.0 : f32
                sum.atomic %one, %A, %one, %s
            }
            """,
    ),
    _example(
        10,
        "load",
        "Indices are values.",
        """
            func @f(%G: group<memref<f32x8>>, %A: memref<f32x4x?>, %i: index) {
                %m = load %G[3] : group<memref<f32x8>>
                %x = load %m[%i] : memref<f32x8>
                %y = load %A[3,%i] : memref<f32x4x?>
            }
            """,
        """
            func @f(%G: group<memref<f32x8>x?>, %A: memref<f32x4x?>, %i: index) {
                %c3 = constant 3 : index
                %m = load %G[%c3] : memref<f32x8>
                %x = load %m[%i] : f32
                %y = load %A[%c3,%i] : f32
            }
            """,
    ),
    _example(
        11,
        "store",
        "The same, without a type.",
        """
            func @f(%v: f32, %A: memref<f32x4x?>, %j: index) {
                store %v, %A[0,%j] : memref<f32x4x?>
            }
            """,
        """
            func @f(%v: f32, %A: memref<f32x4x?>, %j: index) {
                %c0 = constant 0 : index
                store %v, %A[%c0,%j]
            }
            """,
    ),
    _example(
        12,
        "size",
        "It has the type of its result, which is index.",
        """
            func @f(%A: memref<f32x4x?>) {
                %n = size %A[1] : memref<f32x4x?>
            }
            """,
        """
            func @f(%A: memref<f32x4x?>) {
                %n = size %A[1] : index
            }
            """,
    ),
    _example(
        13,
        "subview",
        "`:` is `0:` and the extent, `o:?` is the offset and what is left: a literal if both are known, "
        "else a value. The type of the result is written; its strides only if they are not those of a "
        "packed memref. A slice of size 0 cannot be upgraded (U6).",
        """
            func @f(%A: memref<f32x16x20x?>, %x: memref<f32x30>, %y: memref<f32x?>, %k: index, %o: index) {
                %v = subview %A[:,3:?,%k] : memref<f32x16x20x?>
                %w = subview %x[%o:?] : memref<f32x30>
                ; all but the first
                %t = subview %y[1:?] : memref<f32x?>
                %b = subview %A[%o:4,%k:%o,:] : memref<f32x16x20x?>
            }
            """,
        """
            func @f(%A: memref<f32x16x20x?>, %x: memref<f32x30>, %y: memref<f32x?>, %k: index, %o: index) {
                %c30 = constant 30 : index
                %c1 = constant 1 : index
                %v = subview %A[0:16,3:17,%k] : memref<f32x16x17>
                %rest = sub %c30, %o : index
                %w = subview %x[%o:%rest] : memref<f32x?>
                ; all but the first
                %y_size = size %y[0] : index
                %rest2 = sub %y_size, %c1 : index
                %t = subview %y[1:%rest2] : memref<f32x?>
                %A_size2 = size %A[2] : index
                %b = subview %A[%o:4,%k:%o,0:%A_size2] : memref<f32x4x?x?,strided<1,16,320>>
            }
            """,
    ),
    _example(
        14,
        "expand",
        "`?` is the quotient: a literal if everything is known, else a value. More than one `?`, or one "
        "beside a factor that does not divide, cannot be upgraded (U6).",
        """
            func @f(%A: memref<f32x7x12>, %x: memref<f32x?>, %n: index) {
                %e = expand %A[1->3x?] : memref<f32x7x12>
                %f = expand %x[0->4x?] : memref<f32x?>
                %g = expand %A[1->%n x ?] : memref<f32x7x12>
            }
            """,
        """
            func @f(%A: memref<f32x7x12>, %x: memref<f32x?>, %n: index) {
                %c4 = constant 4 : index
                %c12 = constant 12 : index
                %e = expand %A[1->3 x 4] : memref<f32x7x3x4>
                %x_size = size %x[0] : index
                %quotient = div %x_size, %c4 : index
                %f = expand %x[0->4 x %quotient] : memref<f32x4x?>
                %quotient2 = div %c12, %n : index
                %g = expand %A[1->%n x %quotient2] : memref<f32x7x?x?>
            }
            """,
    ),
    _example(
        15,
        "fuse",
        "The type of the result is written.",
        """
            func @f(%A: memref<f32x4x6x5>) {
                %f = fuse %A[0,1] : memref<f32x4x6x5>
            }
            """,
        """
            func @f(%A: memref<f32x4x6x5>) {
                %f = fuse %A[0,1] : memref<f32x24x5>
            }
            """,
    ),
    _example(
        16,
        "Groups",
        "A group has a size, `?` here. Launches from Python need no change. **Those written by hand pass "
        "one more argument: the size, in front of the offset.**",
        """
            func @f(%G: group<memref<f32x8>, offset: 2>, %i: index) {
                %m = load %G[%i] : group<memref<f32x8>, offset: 2>
            }
            """,
        """
            func @f(%G: group<memref<f32x8>x?, offset: 2>, %i: index) {
                %m = load %G[%i] : memref<f32x8>
            }
            """,
    ),
    _example(
        17,
        "group_id",
        "It says a dimension. Launches from Python need no change. **Those written by hand pass the "
        "batch as the first dimension of the grid, which was the third.**",
        """
            func @f(%A: memref<f32x8x8x?>) {
                %g = group_id
                %a = subview %A[:,:,%g] : memref<f32x8x8x?>
            }
            """,
        """
            func @f(%A: memref<f32x8x8x?>) {
                %g = group_id.x : index
                %a = subview %A[0:8,0:8,%g] : memref<f32x8x8>
            }
            """,
    ),
    _example(
        18,
        "group_size",
        "The number of groups has its own name.",
        """
            func @f() {
                %n = group_size
            }
            """,
        """
            func @f() {
                %n = num_groups.x : index
            }
            """,
    ),
    _example(
        19,
        "Attributes of functions",
        "They stand in a dictionary. Of repeated ones the last holds, as before.",
        """
            func @f(%A: memref<f32x8>) work_group_size(32,2) subgroup_size(16) {
                axpby.n 2.0, %A, 0.0, %A : f32, memref<f32x8>, f32, memref<f32x8>
            }
            """,
        """
            func @f(%A: memref<f32x8>) attributes{work_group_size=[32,2], subgroup_size=16} {
                %two = constant 2.0 : f32
                %zero = constant 0.0 : f32
                axpby %two, %A, %zero, %A
            }
            """,
    ),
    _example(
        20,
        "for",
        "Bounds are values of the type of the loop, which goes unwritten.",
        """
            func @f(%n: i32) {
                for %i=0,%n,4 : i32 {
                    %j = arith.add %i, 1 : i32
                }
            }
            """,
        """
            func @f(%n: i32) {
                %c0 = constant 0 : i32
                %c4 = constant 4 : i32
                %c1 = constant 1 : i32
                for %i=%c0,%n,%c4 {
                    %j = add %i, %c1 : i32
                }
            }
            """,
    ),
    _example(
        21,
        "foreach",
        "Names and bounds are lists.",
        """
            func @f(%x: memref<f32x8>) {
                foreach %i=0,8 {
                    %v = load %x[%i] : memref<f32x8>
                    %w = arith.add %v, %v : f32
                    store %w, %x[%i] : memref<f32x8>
                }
            }
            """,
        """
            func @f(%x: memref<f32x8>) {
                %c0 = constant 0 : index
                %c8 = constant 8 : index
                foreach (%i)=(%c0),(%c8) {
                    %v = load %x[%i] : f32
                    %w = add %v, %v : f32
                    store %w, %x[%i]
                }
            }
            """,
    ),
    _example(
        22,
        "if and yield",
        "yield has parentheses and no types. An empty one is left out.",
        """
            func @f(%p: i1, %x: f32) {
                %r = if %p -> (f32) { yield %x : f32 } else { yield 0.0 : f32 }
                if %p {
                    %y = arith.add %r, %x : f32
                    yield :
                }
            }
            """,
        """
            func @f(%p: bool, %x: f32) {
                %zero = constant 0.0 : f32
                %r = if %p -> (f32) {
                    yield (%x)
                } else {
                    yield (%zero)
                }
                if %p {
                    %y = add %r, %x : f32
                }
            }
            """,
    ),
    _example(
        23,
        "Names",
        "They stay. Unnamed identifiers were texts and are numbers now: where `%07` stands beside `%7`, "
        "one gets a free number.",
        """
            func @f(%0: i32) {
                %7 = arith.add %0, %0 : i32
                %07 = arith.mul %7, %0 : i32
                %8 = arith.sub %07, %7 : i32
            }
            """,
        """
            func @f(%0: i32) {
                %7 = add %0, %0 : i32
                %1 = mul %7, %0 : i32
                %8 = sub %1, %7 : i32
            }
            """,
    ),
    _example(
        24,
        "Hadamard product",
        "It has one name.",
        """
            func @f(%a: memref<f32x9>, %b: memref<f32x9>) {
                hadamard_product 1.0, %a, %b, 0.0, %b : f32, memref<f32x9>, memref<f32x9>, f32, memref<f32x9>
            }
            """,
        """
            func @f(%a: memref<f32x9>, %b: memref<f32x9>) {
                %one = constant 1.0 : f32
                %zero = constant 0.0 : f32
                hadamard %one, %a, %b, %zero, %b
            }
            """,
    ),
    _example(
        25,
        "Barriers and lifetimes",
        "A barrier says which memory it orders; the old one ordered both. Lifetimes are computed.",
        """
            func @f(%A: memref<f32x9>) {
                %t = alloca -> memref<f32x9>
                axpby.n 2.0, %A, 0.0, %t : f32, memref<f32x9>, f32, memref<f32x9>
                barrier
                axpby.n 1.0, %t, 1.0, %A : f32, memref<f32x9>, f32, memref<f32x9>
                lifetime_stop %t
            }
            """,
        """
            func @f(%A: memref<f32x9>) {
                %two = constant 2.0 : f32
                %zero = constant 0.0 : f32
                %one = constant 1.0 : f32
                %t = alloca : memref<f32x9,local>
                axpby %two, %A, %zero, %t
                barrier.global.local
                axpby %one, %t, %one, %A
            }
            """,
    ),
    _example(
        26,
        "Types of scalars",
        "The old compiler did not compare the types of alpha, A, B, beta and C. A literal takes the type "
        "that it must have if that holds it exactly; anything else has to be cast (U5).",
        """
            func @f(%A: memref<f32x9>, %B: memref<f32x9>) {
                axpby.n 2.0, %A, 1.0, %B : f64, memref<f32x9>, f64, memref<f32x9>
            }
            """,
        """
            func @f(%A: memref<f32x9>, %B: memref<f32x9>) {
                %two = constant 2.0 : f32
                %one = constant 1.0 : f32
                axpby %two, %A, %one, %B
            }
            """,
    ),
    _example(
        27,
        "Regions",
        "The body of a foreach, and of an if or a for in it, is executed by each work-item on its own. "
        "Collective instructions there cannot be upgraded (U7): the loop has to be split.",
        """
            func @f(%x: memref<f32x8>, %n: i32, %p: i1) {
                foreach %i=0,8 {
                    for %k=0,%n : i32 {
                        if %p {
                            %v = load %x[%i] : memref<f32x8>
                            %w = arith.add %v, 1 : f32
                            store %w, %x[%i] : memref<f32x8>
                        }
                    }
                }
            }
            """,
        """
            func @f(%x: memref<f32x8>, %n: i32, %p: bool) {
                %c0 = constant 0 : index
                %c8 = constant 8 : index
                %c0_i32 = constant 0 : i32
                %one = constant 1.0 : f32
                foreach (%i)=(%c0),(%c8) {
                    for %k=%c0_i32,%n {
                        if %p {
                            %v = load %x[%i] : f32
                            %w = add %v, %one : f32
                            store %w, %x[%i]
                        }
                    }
                }
            }
            """,
    ),
)
