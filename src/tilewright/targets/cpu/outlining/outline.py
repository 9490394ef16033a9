"""Parts of a kernel as functions of their own, which the threads of a team share.

    define internal void @part(ptr %context, i64 %begin, i64 %end, ptr %workspace, i64 %thread)

runs positions begin..end-1 of some range, in the pool's form of a job (contract: `artifacts/artifact.py`). What the
part needs of its surroundings is captured: the caller writes the values into a block on its stack, the function reads
them from there.
"""

from __future__ import annotations

from msgspec.structs import replace

from tilewright.ir import core
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.expressions.nodes import Expression, Substitution
from tilewright.targets.cpu.lowered import Group, Linear, Lowered, Scalar, View
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.past_caches import settle
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Builder, Value, i64, lanes_of, zero

_PARAMETERS = [("ptr", "context"), ("i64", "begin"), ("i64", "end"), ("ptr", "workspace"), ("i64", "thread")]
_WORD = 8
_VECTOR = 64
_LONG_FUNCTION = 4096


class Outlined:
    """A part of a kernel while it is emitted.

    Capture everything first (`value`, `tile`, `lowered`), emit the body with `inner`, then `call` from where the caller
    stands. `begin` and `end` bound the positions to run.
    """

    __slots__ = ("_caller", "_captured", "_size", "_tiles", "begin", "end", "inner")

    def __init__(self, caller: KernelContext, machine: Machine, name: str) -> None:
        module = caller.module
        number = 0
        while module.defined(f"{name}.{number}") is not None:
            number += 1
        function = module.function(
            f"{name}.{number}", "void", _PARAMETERS, linkage="internal", attributes=f"noinline {machine.attributes}"
        )
        _, self.begin, self.end, workspace, _ = function.arguments
        b = Builder(function)
        self._caller = caller
        self._captured: dict[Value, tuple[int, Value]] = {}
        self._size = 0
        self._tiles = Substitution(self.value)
        self.inner = replace(
            caller,
            b=b,
            arith=Arithmetic(b, machine.flags),
            values={},
            workspace=workspace,
            team=zero("ptr"),
            leave=None,
        )
        self.inner.scratch = self.value(caller.scratch)
        x, y, z = map(self.value, caller.num_groups)
        self.inner.num_groups = (x, y, z)
        x, y, z = map(self.value, caller.group_id)
        self.inner.group_id = (x, y, z)

    def value(self, outside: Value) -> Value:
        """What a value of the caller is inside."""
        if outside.text[0] != "%":
            return outside
        known = self._captured.get(outside)
        if known is None:
            step = _WORD if lanes_of(outside.type) == 1 else _VECTOR
            offset = -(-self._size // step) * step
            self._size = offset + step
            b = self.inner.b
            context = b.function.arguments[0]
            inside = b.load(outside.type, b.offset(context, offset), step, hint="captured")
            known = self._captured[outside] = (offset, inside)
        return known[1]

    def tile(self, outside: Expression) -> Expression:
        """What a tile of the caller is inside."""
        return self._tiles.tile(outside)

    def lowered(self, outside: Lowered) -> Lowered:
        """What an IR value of the caller is inside."""
        match outside:
            case Scalar():
                return self._scalar(outside)
            case View(type_, pointer, offset, sizes, strides, base):
                many = (tuple(map(self._scalar, sizes)), tuple(map(self._scalar, strides)))
                return View(type_, self._scalar(pointer), self._scalar(offset), *many, self._scalar(base))
            case Group(type_, table, extents, strides, size, offset):
                dope = (tuple(map(self.value, extents)), tuple(map(self.value, strides)))
                return Group(type_, self.value(table), *dope, self._scalar(size), self._scalar(offset))
            case _:
                assert isinstance(outside, Expression)
                return self.tile(outside)

    def _scalar(self, outside: Scalar) -> Scalar:
        linear = None if outside.linear is None else Linear(self.value(outside.linear.base), outside.linear.stride)
        return Scalar(self._tiles.operand(outside.operand), outside.varying, linear)

    def _block(self, b: Builder) -> Value:
        """Where the caller puts what is captured: on the stack, unless there are many such blocks."""
        ctx, size = self._caller, max(self._size, _WORD)
        if b.function.length < _LONG_FUNCTION:
            return b.alloca(f"[{size} x i8]", align=_VECTOR, hint="context")
        return b.offset(ctx.workspace, ctx.layout.reserve(size), hint="context")

    def call(self, total: Value, shared: Value) -> None:
        """Run positions 0..total-1: by the team if there is one and `shared` is true, else by this thread.

        Only the entry function has a team, so if the launch was interrupted the kernel returns here.
        """
        settle(self.inner.b)
        self.inner.b.ret()
        ctx, b = self._caller, self._caller.b
        context = self._block(b)
        for outside, (offset, _) in self._captured.items():
            b.store(outside, b.offset(context, offset), _WORD if lanes_of(outside.type) == 1 else _VECTOR)
        # Equal instructions of a kernel share their parts.
        callee = ctx.module.once(self.inner.b.function)
        alone = [context, i64(0), total, ctx.workspace, i64(0)]
        if ctx.team.text == "null":
            b.call_void(callee, alone)
            return
        together = b.and_(shared, b.icmp("ne", ctx.team, zero("ptr")))
        with b.if_else(together) as branch:
            with branch.then():
                parallel_for = b.load("ptr", ctx.team, _WORD)
                what = [ctx.team, Value("ptr", f"@{callee.name}"), context, total]
                interrupted = b.call_pointer(parallel_for, "i32", what, hint="interrupted")
                assert interrupted is not None
                # the rest would compute with what is not there, and perhaps make addresses of it
                with b.if_then(b.icmp("ne", interrupted, zero("i32"))):
                    b.ret()
            with branch.otherwise():
                b.call_void(callee, alone)


def threads_of(ctx: KernelContext, shared: Value) -> Value:
    """How many threads `Outlined.call` has for a part: those of the team if there is one and `shared` is true."""
    b, one = ctx.b, i64(1)
    if ctx.team.text == "null":
        return one
    with b.if_else(b.and_(shared, b.icmp("ne", ctx.team, zero("ptr")))) as branch:
        with branch.then():
            branch.yield_(b.load("i64", b.offset(ctx.team, _WORD), _WORD))
        with branch.otherwise():
            branch.yield_(one)
    return branch.results[0]


def free_values(op: core.Operation, operands: bool = True) -> list[core.Value]:
    """Values from outside that all in an operation uses, and with `operands` the operation itself, each once."""
    inside: set[core.Value] = set()
    found: dict[core.Value, None] = {}
    for inner in op.walk():
        if operands or inner is not op:
            found.update(dict.fromkeys(v for v in inner.operands if v not in inside))
        inside.update(inner.results)
        for region in inner.regions:
            for block in region.blocks:
                inside.update(block.arguments)
    return list(found)
