"""What a printed text declares: each intrinsic that it calls, with its attributes (section 3.4 of the reference).

The words for memory are those of LLVM 15, which later ones read as `memory(..)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final


class Effect(Enum):
    """What an intrinsic does to memory, as attributes."""

    NONE = "nofree nosync nounwind readnone speculatable willreturn"
    READ = "argmemonly nofree nosync nounwind readonly willreturn"
    WRITE = "argmemonly nofree nosync nounwind willreturn writeonly"


_POINTERS: Final = {Effect.READ: "nocapture readonly", Effect.WRITE: "nocapture writeonly"}


class Declarations:
    """Collects calls; `text` declares what was called."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, tuple[str, ...], Effect]] = {}

    def call(self, name: str, result: str, operands: Sequence[str], effect: Effect = Effect.NONE) -> str:
        """The name with its sigil, of a function that takes operands of these types."""
        self._found.setdefault(name, (result, tuple(operands), effect))
        return f"@{name}"

    def text(self) -> str:
        """All declarations, in the order of their names."""
        groups = [effect for effect in Effect if any(e is effect for _, _, e in self._found.values())]
        lines = [self._line(name, groups) for name in sorted(self._found)]
        lines += [f"\nattributes #{k} = {{ {effect.value} }}" for k, effect in enumerate(groups)]
        return "".join(line + "\n" for line in lines)

    def _line(self, name: str, groups: Sequence[Effect]) -> str:
        result, operands, effect = self._found[name]
        pointer = _POINTERS.get(effect)
        parameters = [f"{t} {pointer}" if t == "ptr" and pointer else t for t in operands]
        return f"declare {result} @{name}({', '.join(parameters)}) #{groups.index(effect)}"
