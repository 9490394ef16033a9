"""Random programs: a product, and loops and instructions behind it that use its elements in all manners."""

from __future__ import annotations

from itertools import count

import numpy as np

MATRICES = "CDE"
SIZE = 5
LOCAL = "%L = alloca : memref<f64x5x5,local>"
PARAMETERS = ", ".join(
    [
        "%A: memref<f64x5x5>",
        "%B: memref<f64x5x5>",
        *(f"%{name}: memref<f64x5x5>" for name in MATRICES),
        "%v: memref<f64x5>",
        "%s: f64",
    ]
)


class Programs:
    """Writes one kernel; `alone` says of each parameter whether nothing else shares its memory."""

    def __init__(self, rng: np.random.Generator, alone: dict[str, bool]) -> None:
        self.rng = rng
        self.names = count()
        self.parameters = PARAMETERS
        self.alone = alone
        for name, is_alone in alone.items():
            if is_alone:
                shape = "5x5" if name in MATRICES else "5"
                self.parameters = self.parameters.replace(
                    f"%{name}: memref<f64x{shape}>", f'%{name}: memref<f64x{shape}> {{"noalias"=true}}'
                )

    def program(self) -> str:
        """Its text."""
        target = str(self.rng.choice(["C", "C", "L"]))
        self.target = target
        beta = str(self.rng.choice(["%zero", "%zero", "%one", "%s"])) if target == "C" else "%zero"
        product = f"gemm {self.rng.choice(['%one', '%s'])}, %A, %B, {beta}, %{target}"
        parts = [product, *(self._neighbour() for _ in range(int(self.rng.integers(1, 4))))]
        if target == "L" and self.rng.random() < 0.3:
            parts.append(self._loops("%x = load %L[%j,%i] : f64 store %x, %E[%i,%j]"))
        constants = (
            "%c0 = constant 0 : index %c1 = constant 1 : index %n = constant 5 : index %less = constant 4 : index "
            "%zero = constant 0.0 : f64 %one = constant 1.0 : f64"
        )
        return f"func @f({self.parameters}) {{ {constants} {LOCAL} {' '.join(parts)} }}"

    def _loops(self, body: str) -> str:
        choice = self.rng.random()
        upper = "%less" if self.rng.random() < 0.1 else "%n"
        if choice < 0.5:
            return f"for %i = %c0, {upper} {{ for %j = %c0, %n {{ {body} }} }}"
        return f"for %j = %c0, {upper} {{ for %i = %c0, %n {{ {body} }} }}"

    def _neighbour(self) -> str:
        if self.rng.random() < 0.25 and all(self.alone.values()):
            into = str(self.rng.choice([self.target, "D"]))
            other = "E" if into != "E" else "D"
            if self.rng.random() < 0.5:
                return f"axpby %s, %{other}, {self.rng.choice(['%zero', '%one', '%s'])}, %{into}"
            return f"hadamard %one, %{other}, %{self.target if into == 'D' else 'D'}, %one, %{into}"
        lines: list[str] = []
        value = self._load(lines, self.target)
        for _ in range(int(self.rng.integers(0, 3))):
            other = self._operand(lines)
            name = f"%x{next(self.names)}"
            lines.append(f"{name} = {self.rng.choice(['add', 'mul', 'max', 'sub'])} {value}, {other} : f64")
            value = name
        into = str(self.rng.choice([self.target, self.target, *MATRICES]))
        lines.append(f"store {value}, %{into}[{self._place()}]")
        return self._loops(" ".join(lines))

    def _load(self, lines: list[str], memory: str) -> str:
        name = f"%x{next(self.names)}"
        lines.append(f"{name} = load %{memory}[{self._place()}] : f64")
        return name

    def _operand(self, lines: list[str]) -> str:
        choice = self.rng.random()
        if choice < 0.3:
            return str(self.rng.choice(["%zero", "%s"]))
        if choice < 0.6:
            name = f"%x{next(self.names)}"
            lines.append(f"{name} = load %v[{self.rng.choice(['%i', '%j', '%c1'])}] : f64")
            return name
        return self._load(lines, str(self.rng.choice([self.target, *MATRICES, *MATRICES])))

    def _place(self) -> str:
        return str(self.rng.choice(["%i,%j"] * 12 + ["%j,%i", "%i,%c1"]))
