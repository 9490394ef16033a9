"""Values that are taken again where the same instruction has been met on every way, and branches with an empty side."""

from __future__ import annotations

import ctypes
import random
from typing import TYPE_CHECKING

import numpy as np

from effort import count
from tilewright.targets.llvm.emitter import Builder, Module, Parameter, Value, i64

if TYPE_CHECKING:
    from targets.llvm.elementwise import Jit

_PARAMETERS = [Parameter("ptr", "out"), Parameter("i64", "x"), Parameter("i64", "y")]


def _begun(*, reuses: bool) -> tuple[Module, Builder, list[Value]]:
    module = Module()
    function = module.function("f", "void", _PARAMETERS, reuses=reuses)
    return module, Builder(function), function.arguments


class _Program:
    """A random function of x and y: the same one each time for a seed."""

    def __init__(self, seed: int, *, reuses: bool) -> None:
        self._random = random.Random(seed)
        self.module, self._b, (out, *known) = _begun(reuses=reuses)
        self._region(known, 3)
        self._b.store(self._sum(known), out)
        self._b.ret()

    def _region(self, known: list[Value], depth: int) -> None:
        """Add values to those that are known."""
        for _ in range(self._random.randint(2, 6)):
            known.append(self._value(known, depth))

    def _value(self, known: list[Value], depth: int) -> Value:
        b, draw = self._b, self._random
        x, y = draw.choice(known), draw.choice(known)
        match draw.randrange(8 if depth else 4):
            case 0 | 1:
                # few constants, so that instructions are met again
                return b.mul(x, i64(draw.choice((3, 5))))
            case 2:
                return draw.choice((b.add, b.smax))(x, y)
            case 3:
                return b.select(b.icmp("slt", x, y), x, b.sub(y, x))
            case 4 | 5:
                with b.if_else(b.icmp("slt", x, y)) as branch:
                    for side in (branch.then, branch.otherwise):
                        with side():
                            inside = list(known)
                            if draw.random() < 0.7:
                                self._region(inside, depth - 1)
                            branch.yield_(self._sum(inside[-2:]) if len(inside) > len(known) else draw.choice(known))
                return branch.results[0]
            case 6:
                trips = draw.choice([i64(3), b.and_(x, i64(3))])
                with b.loop(i64(0), trips, carried=[y]) as loop:
                    inside = [*known, loop.index, loop.carried[0]]
                    self._region(inside, depth - 1)
                    loop.yield_(inside[-1])
                return loop.results[0]
            case _:
                with b.leavable("end") as end:
                    with b.if_then(b.icmp("slt", x, y)):
                        b.br(end)
                    self._region(list(known), depth - 1)
                return b.xor(x, y)

    def _sum(self, values: list[Value]) -> Value:
        total = values[0]
        for value in values[1:]:
            total = self._b.add(total, value)
        return total


def _result(jit: Jit, module: Module, x: int, y: int) -> int:
    library = jit.compile(str(module), ["f"])
    out = np.zeros(1, np.int64)
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(library.address("f"))
    call(out.ctypes.data, x, y)
    return int(out[0])


def test_programs_that_reuse_values_compute_the_same(jit: Jit, seed: int) -> None:
    for number in range(count("RANDOM_REUSED_VALUES", 8, 300)):
        reusing, anew = (_Program(seed + number, reuses=reuses).module for reuses in (True, False))
        for x, y in ((3, 8), (-7, 2), (0, 0)):
            assert _result(jit, reusing, x, y) == _result(jit, anew, x, y), number


def test_what_is_computed_in_front_is_taken_inside_and_behind() -> None:
    module, b, (out, x, y) = _begun(reuses=True)
    first = b.add(x, y)
    with b.if_then(b.icmp("slt", x, y)):
        b.store(b.add(x, y), out)
        inside = b.mul(x, y)
    assert b.add(x, y) is first
    assert b.mul(x, y) is not inside
    b.ret()
    assert str(module).count(" = add ") == 1


def test_intrinsics_are_taken_again_if_they_depend_on_arguments_alone() -> None:
    _, b, (_, x, y) = _begun(reuses=True)
    z = b.bitcast(x, "double")
    for pure in (lambda: b.smax(x, y), lambda: b.umin(y, x), lambda: b.fma(z, z, z), lambda: b.fneg(b.fabs(z))):
        assert pure() is pure()
    assert b.intrinsic("llvm.readcyclecounter", "i64", [], overload=()) is not b.intrinsic(
        "llvm.readcyclecounter", "i64", [], overload=()
    )


def test_a_branch_jumps_over_its_other_side_if_that_is_empty() -> None:
    for taken in (True, False):
        module, b, (out, x, y) = _begun(reuses=False)
        with b.if_else(b.icmp("slt", x, y)) as branch:
            with branch.then():
                branch.yield_(x if taken else b.mul(x, y))
            with branch.otherwise():
                branch.yield_(b.mul(x, y) if taken else y)
        b.store(branch.results[0], out)
        b.ret()
        text = str(module)
        assert ("then" in text, "else" in text) == (not taken, taken)
        assert text.count("br ") == 2


def test_what_a_loop_computes_is_not_taken_behind_it() -> None:
    """It may have run no time."""
    _, b, (_, x, y) = _begun(reuses=True)
    with b.loop(i64(0), x):
        inside = b.mul(x, y)
    assert b.mul(x, y) is not inside
