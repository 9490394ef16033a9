"""Structured control flow over basic blocks: loops with carried values, two-way branches with results."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from tilewright.targets.llvm.memory import MemoryInstructions
from tilewright.targets.llvm.module import Block, Phi
from tilewright.targets.llvm.values import Value, zero

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence


class Loop:
    """A counted loop while its body is emitted.

    `index` and `carried` are valid inside; `yield_` names the next iteration's carried values (left out: unchanged);
    `results` are the carried values after the loop and may be used once the `with` block is left.
    """

    __slots__ = ("carried", "exit", "index", "results", "yielded")

    def __init__(self, index: Value, carried: list[Value], exit_block: Block) -> None:
        self.index = index
        self.carried = carried
        self.exit = exit_block
        self.yielded: list[Value] = carried
        self.results: list[Value] = carried

    def yield_(self, *values: Value) -> None:
        """Carry these values into the next iteration."""
        assert [v.type for v in values] == [v.type for v in self.carried], "yielded types differ from the carried ones"
        self.yielded = list(values)


class Branch:
    """A two-way branch: emit the sides in `with branch.then():` and `with branch.otherwise():`, then read `results`."""

    __slots__ = ("_arms", "_builder", "_current", "_head", "_targets", "results")

    def __init__(self, builder: ControlFlow) -> None:
        self._builder = builder
        self._head = builder.block
        self._arms: list[tuple[Block, list[Value]]] = []
        self._targets: dict[bool, Block] = {}
        self._current: list[Value] = []
        self.results: list[Value] = []

    @contextmanager
    def _arm(self, taken: bool, hint: str) -> Generator[None]:
        block = self._builder.function.add_block(hint)
        self._targets[taken] = block
        self._current = []
        self._builder.position(block)
        with self._builder.scope():
            yield
        if not self._builder.block.terminated:
            self._arms.append((self._builder.block, self._current))

    def then(self) -> AbstractContextManager[None]:
        """The side for a true condition."""
        return self._arm(True, "then")

    def otherwise(self) -> AbstractContextManager[None]:
        """The side for a false condition; without it a false condition skips the branch."""
        return self._arm(False, "else")

    def yield_(self, *values: Value) -> None:
        """The results of the side being emitted."""
        self._current = list(values)

    def finish(self, condition: Value, weights: str) -> None:
        """Join the sides; called by `ControlFlow.if_else`."""
        builder = self._builder
        self._leave_out_an_empty_side()
        merge = builder.function.add_block("merge")
        sides = [self._targets.get(side, merge) for side in (True, False)]
        self._head.terminate(f"  br {condition}, label %{sides[0].label}, label %{sides[1].label}{weights}")
        for block, _ in self._arms:
            if block is not self._head:
                block.terminate(f"  br label %{merge.label}")
        builder.position(merge)
        if not any(values for _, values in self._arms):
            return
        for values in zip(*(values for _, values in self._arms), strict=True):
            phi = builder.phi(values[0].type, "res")
            for (block, _), value in zip(self._arms, values, strict=True):
                phi.add(value, block)
            self.results.append(phi.value)

    def _leave_out_an_empty_side(self) -> None:
        """The head jumps over the other one instead: what a side without instructions gives is known there.

        Code generators that move no blocks, and ptxas, which predicates a side better than two, get fewer of them.
        """
        if any(values for _, values in self._arms):
            assert len(self._targets) == 2, "a branch with results needs both sides"
        for number, (end, values) in enumerate(self._arms):
            side = next((taken for taken, block in self._targets.items() if block is end), None)
            if side is not None and end.is_empty:
                self._arms[number] = (self._head, values)
                del self._targets[side]
                self._builder.function.blocks.remove(end)
                return


class ControlFlow(MemoryInstructions):
    """Blocks, branches, phis and the structured forms made of them."""

    __slots__ = ()

    def add_block(self, hint: str = "bb") -> Block:
        """A new block at the end of the function; the builder stays where it is."""
        return self.function.add_block(hint)

    def scope(self) -> AbstractContextManager[None]:
        """Code that not every way to what is emitted behind it comes through."""
        known = self.function.computed
        return nullcontext() if known is None else known.scope()

    def br(self, target: Block, loop_metadata: str = "") -> None:
        """Jump; `loop_metadata` (`"!4"`) marks the back edge of a loop."""
        self.block.terminate(f"  br label %{target.label}{f', !llvm.loop {loop_metadata}' if loop_metadata else ''}")

    def condbr(self, condition: Value, true: Block, false: Block, loop_metadata: str = "") -> None:
        """Jump by an `i1`."""
        tail = f", !llvm.loop {loop_metadata}" if loop_metadata else ""
        self.block.terminate(f"  br {condition}, label %{true.label}, label %{false.label}{tail}")

    def switch(self, value: Value, default: Block, cases: Sequence[tuple[int, Block]]) -> None:
        """Jump by an integer."""
        arms = " ".join(f"{value.type} {number}, label %{block.label}" for number, block in cases)
        self.block.terminate(f"  switch {value}, label %{default.label} [ {arms} ]")

    def ret(self, value: Value | None = None) -> None:
        """Return."""
        self.block.terminate("  ret void" if value is None else f"  ret {value}")

    def unreachable(self) -> None:
        """Promise that control never arrives here."""
        self.block.terminate("  unreachable")

    def cut(self, longest: int) -> None:
        """Go on in a block of its own if this one has more instructions than that.

        LLVM's time for a block grows faster than its length. A plain jump would not do, since it joins such blocks
        again: this one returns if the function's first argument, a pointer, is null, which it never is.
        """
        if len(self.block.lines) <= longest:
            return
        never = self.icmp("eq", self.function.arguments[0], zero("ptr"))
        leave, following = self.add_block("never"), self.add_block("on")
        self.condbr(never, leave, following)
        self.position(leave)
        self.ret()
        self.position(following)

    def phi(self, ltype: str, hint: str = "phi") -> Phi:
        """A phi of the current block; edges are added with `Phi.add`."""
        phi = Phi(Value(ltype, f"%{self.function.name(hint)}"))
        self.block.phis.append(phi)
        return phi

    @contextmanager
    def loop(
        self,
        lower: Value,
        upper: Value,
        step: Value | int = 1,
        carried: Sequence[Value] = (),
        *,
        runs_at_least_once: bool = False,
        loop_metadata: str = "",
        hint: str = "i",
    ) -> Generator[Loop]:
        """`for index = lower; index < upper (signed); index += step`, with `step` > 0.

        `upper - 1 + step` must not overflow. Where constants show that the loop runs, or the caller promises it, the
        test is at the bottom only.
        """
        increment = Value(lower.type, str(step)) if isinstance(step, int) else step
        first, last = lower.integer, upper.integer
        bottom_tested = runs_at_least_once or (first is not None and last is not None and first < last)
        preheader = self.block
        header = self.add_block("loop")
        self.br(header)
        self.position(header)
        phis = [self.phi(lower.type, hint), *(self.phi(value.type, "carry") for value in carried)]
        for phi, value in zip(phis, [lower, *carried], strict=True):
            phi.add(value, preheader)
        exit_block = Block(self.function.name("exit"))
        if not bottom_tested:
            body = self.add_block("body")
            self.condbr(self.icmp("slt", phis[0].value, upper), body, exit_block)
            self.position(body)
        loop = Loop(phis[0].value, [phi.value for phi in phis[1:]], exit_block)
        with self.scope():
            yield loop
            following = self.add(loop.index, increment, "nsw", hint="next")
        for phi, value in zip(phis, [following, *loop.yielded], strict=True):
            phi.add(value, self.block)
        if bottom_tested:
            self.condbr(self.icmp("slt", following, upper), header, exit_block, loop_metadata)
            loop.results = loop.yielded
        else:
            self.br(header, loop_metadata)
        self.function.blocks.append(exit_block)
        self.position(exit_block)

    @contextmanager
    def while_loop(self, carried: Sequence[Value]) -> Generator[Loop]:
        """A loop left by `leave_unless`, called once in the body; `results` are what the last trip was given."""
        preheader = self.block
        header = self.add_block("while")
        self.br(header)
        self.position(header)
        phis = [self.phi(value.type, "carry") for value in carried]
        for phi, value in zip(phis, carried, strict=True):
            phi.add(value, preheader)
        exit_block = Block(self.function.name("done"))
        loop = Loop(Value("void", ""), [phi.value for phi in phis], exit_block)
        with self.scope():
            yield loop
        for phi, value in zip(phis, loop.yielded, strict=True):
            phi.add(value, self.block)
        self.br(header)
        self.function.blocks.append(exit_block)
        self.position(exit_block)

    def leave_unless(self, loop: Loop, condition: Value) -> None:
        """Leave a `while_loop` here if the condition is false."""
        body = self.add_block("body")
        self.condbr(condition, body, loop.exit)
        self.position(body)

    @contextmanager
    def leavable(self, hint: str) -> Generator[Block]:
        """Code that may jump to its end from anywhere inside: to the block that the `with` statement gives."""
        end = Block(self.function.name(hint))
        with self.scope():
            yield end
        self.br(end)
        self.function.blocks.append(end)
        self.position(end)

    @contextmanager
    def if_else(self, condition: Value, likely: bool | None = None) -> Generator[Branch]:
        """`with b.if_else(c) as branch: with branch.then(): ...; with branch.otherwise(): ...`."""
        branch = Branch(self)
        yield branch
        weights = ""
        if likely is not None:
            odds = "i32 1000, i32 1" if likely else "i32 1, i32 1000"
            weights = f', !prof {self.module.metadata(f"""!{{!"branch_weights", {odds}}}""")}'
        branch.finish(condition, weights)

    @contextmanager
    def if_then(self, condition: Value, likely: bool | None = None) -> Generator[None]:
        """A one-sided branch without results; none for what always holds."""
        if condition.text == "true":
            yield
            if self.block.terminated:
                # what follows is never reached, and has to stand somewhere
                self.position(self.add_block("never"))
            return
        with self.if_else(condition, likely) as branch, branch.then():
            yield
