"""Random chains of products of tiles: results that are factors, sums of two instructions, turned, reduced, carried."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pytest

from effort import SEED, Ran, count
from targets.nvidia.case import Launch
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.products.test_levels import levels
from tilewright.interpreter.engine import interpret
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.generation import emit_llvm

CHAINS = count("RANDOM_PRODUCT_CHAINS", 2, 200)
N = 64
STEPS = 7
WIDE, HALF, LINE = f"tile<{N}x{N}xf32>", f"tile<{N}x{N}xf16>", f"tile<{N}xf32>"

Array = npt.NDArray[np.float64]


@dataclass(slots=True)
class Chain:
    """A text that grows, and what its tiles are by NumPy: f32 and f16 ones, by name."""

    choose: random.Random
    lines: list[str] = field(default_factory=list[str])
    wide: dict[str, Array] = field(default_factory=dict[str, Array])
    half: dict[str, Array] = field(default_factory=dict[str, Array])
    made: int = 0

    def name(self) -> str:
        self.made += 1
        return f"v{self.made}"

    def factor(self, of: dict[str, Array], type_: str) -> tuple[str, Array]:
        """A tile, maybe turned."""
        found = self.choose.choice(list(of))
        if self.choose.random() < 0.6:
            return found, of[found]
        turned = self.name()
        self.lines.append(f"%{turned} = permute %{found} [1, 0] : {type_} -> {type_}")
        return turned, of[found].T

    def product(self, start: tuple[str, Array] | None = None) -> str:
        """A product of tiles of one type, added to another tile."""
        of, type_ = (self.half, HALF) if self.choose.random() < 0.7 else (self.wide, WIDE)
        (x, a), (y, b) = self.factor(of, type_), self.factor(of, type_)
        chosen = self.choose.choice(["zero", *self.wide])
        acc, c = start or (chosen, self.wide.get(chosen, np.zeros((N, N))))
        name = self.name()
        self.lines.append(f"%{name} = mmaf %{x}, %{y}, %{acc} : {type_}, {type_}, {WIDE}")
        self.wide[name] = a @ b + c
        return name

    def scaled(self, source: str) -> str:
        """So that numbers do not grow."""
        name = self.name()
        self.lines.append(f"%{name} = mulf %{source}, %eighth : {WIDE}")
        self.wide[name] = self.wide.pop(source) / 8
        return name

    def step(self) -> None:
        """One of what there is to do."""
        match self.choose.choice(("product", "product", "rounded", "sum", "rows", "loop")):
            case "product":
                self.scaled(self.product())
            case "rounded":
                source, name = self.choose.choice(list(self.wide)), self.name()
                self.lines.append(f"%{name} = ftof %{source} : {WIDE} -> {HALF}")
                self.half[name] = self.wide[source]
            case "sum":
                (x, a), (y, b) = self.factor(self.wide, WIDE), self.factor(self.wide, WIDE)
                name = self.name()
                self.lines.append(f"%{name} = addf %{x}, %{y} : {WIDE}")
                self.wide[name] = a + b
            case "rows":
                self.rows()
            case _:
                self.loop()

    def rows(self) -> None:
        """Every row is its sum, every column its, of a tile."""
        (source, a), dim, name = self.factor(self.wide, WIDE), self.choose.randrange(2), self.name()
        thin = f"tile<{f'{N}x1' if dim else f'1x{N}'}xf32>"
        self.lines.append(f"""%{name}s = reduce %{source} dim={dim} identities=[0.0 : f32] : {WIDE} -> {LINE}
(%{name}p: tile<f32>, %{name}q: tile<f32>) {{
  %{name}r = addf %{name}p, %{name}q : tile<f32>
  yield %{name}r : tile<f32>
}}
%{name}t = reshape %{name}s : {LINE} -> {thin}
%{name} = broadcast %{name}t : {thin} -> {WIDE}""")
        self.wide[name] = np.broadcast_to(a.sum(axis=dim, keepdims=True), (N, N))
        self.scaled(name)

    def loop(self) -> None:
        """A sum that is carried: halved, with a product added, three times."""
        start, name = self.choose.choice(list(self.wide)), self.name()
        value = self.wide[start]
        self.lines.append(
            f"%{name} = for %{name}i in (%none to %three, step %one) : tile<i32> "
            f"iter_values(%{name}c = %{start}) -> ({WIDE}) {{\n%{name}h = mulf %{name}c, %eighth : {WIDE}"
        )
        before = dict(self.wide), dict(self.half)
        inner = self.product((f"{name}h", np.zeros((N, N))))
        added = self.wide[inner]
        self.wide, self.half = before
        self.lines.append(f"continue %{inner} : {WIDE}\n}}")
        for _ in range(3):
            value = value / 8 + added
        self.wide[name] = value
        self.scaled(name)


def text_of(chain: Chain, result: str) -> str:
    """The kernel: four matrices in, one out."""
    lines: list[str] = []
    for name, element in zip("abcd", ("f16", "f16", "f32", "f32"), strict=True):
        lines.append(_view(name, element))
        lines.append(
            f"%{name}, %{name}x = load_view_tko weak %{name}v[%none, %none] : {_view_type(element)}, tile<i32>"
            f" -> tile<{N}x{N}x{element}>, token"
        )
    lines += [_view("o", "f32"), *chain.lines]
    lines.append(
        f"%done = store_view_tko weak %{result}, %ov[%none, %none] : {WIDE}, {_view_type('f32')}, tile<i32> -> token"
    )
    parameters = ", ".join(f"%{n}p: tile<ptr<{e}>>" for n, e in zip("abcdo", ("f16", "f16", *["f32"] * 3), strict=True))
    body = "\n".join(lines)
    return f"""cuda_tile.module @m {{
entry @chain({parameters}) {{
%none = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%three = constant <i32: 3> : tile<i32>
%zero = constant <f32: 0.0> : {WIDE}
%eighth = constant <f32: 0.125> : {WIDE}
{body}
return
}}
}}
"""


def _tensor(element: str) -> str:
    return f"tensor_view<{N}x{N}x{element}, strides=[{N},1]>"


def _view_type(element: str) -> str:
    return f"partition_view<tile=({N}x{N}), {_tensor(element)}>"


def _view(name: str, element: str) -> str:
    return (
        f"%{name}t = make_tensor_view %{name}p, shape = [{N}, {N}], strides = [{N}, 1] : {_tensor(element)}\n"
        f"%{name}v = make_partition_view %{name}t : {_view_type(element)}"
    )


@pytest.mark.covering(0)
@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)
def test_random_chains(architecture: Architecture, ran: Ran) -> None:
    for seed in range(SEED, SEED + CHAINS):
        rng = np.random.default_rng(seed)
        given = [(rng.standard_normal((N, N)) / 4).astype(d) for d in (np.float16, np.float16, np.float32, np.float32)]
        chain = Chain(random.Random(seed))
        chain.half, chain.wide = ({n: given[k].astype(np.float64)} for n, k in (("a", 0), ("c", 2)))
        chain.half["b"], chain.wide["d"] = given[1].astype(np.float64), given[3].astype(np.float64)
        for _ in range(STEPS):
            chain.step()
        result = chain.scaled(chain.product())
        text, wanted, out = text_of(chain, result), chain.wide[result], np.zeros((N, N), np.float32)
        *_, module = levels(text, architecture)
        arrays = [*given, out.copy()]
        interpret(module.kernels[0], list(arrays), (1, 1, 1))
        llvm, kernels = emit_llvm(module, architecture)
        found = Emulated(Program(llvm), kernels).run(Launch([*given, out], {}))[4]
        bound = 2e-2 * max(float(np.abs(wanted).max()), 1.0)
        for where, have in (("interpreted", arrays[4]), ("emulated", found)):
            error = float(np.abs(np.asarray(have, np.float64) - wanted).max())
            assert error <= bound, f"seed {seed}, {where}: off by {error:.3g}\n{text}"
    ran(CHAINS, f"chains of products for {architecture.value}")
