"""A case of a benchmark whose work is counted in operations, as a line of its table."""

from __future__ import annotations

from msgspec import Struct

from comparison import Comparison


class Row(Struct, frozen=True):
    """One case of a type with a number of threads; `gigaflops` of work."""

    dtype: str
    gigaflops: float
    case: Comparison

    def line(self) -> str:
        """One line of the table."""
        rates = "".join(f"  {name} {self.gigaflops / s.median:.0f}" for name, s in self.case.seconds.items())
        ratios = "".join(f"   x{ratio} {name}" for name, ratio in self.case.ratios.items())
        return f"{self.case.label:28} GFLOP/s:{rates}{ratios}{'   WRONG' if self.case.wrong else ''}"
