"""How to compile; apart from the compiler, which loads of compiled code do without."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from tilewright.languages import ReadOptions, Std
from tilewright.languages.language import nothing
from tilewright.numerics.precision import Precision


class CompileOptions(Struct, frozen=True):
    """How to compile; everything here is part of the cache key.

    `level` 0 runs no optimisation, 2 all of it. `definitions` are values for `$name`s of the tensor language.
    `verify_each` checks the IR after every pass. `std` says which tensor language the text is in. `checked` code tests
    what it accesses. Without `reorder_sums`, what loops add up one after another in floats is added in that order.
    `precision` says in what products of f32 multiply. `chosen` are choices of the options of the text's language.
    """

    level: int = 2
    definitions: Mapping[str, str] = field(default_factory=nothing)
    verify_each: bool = False
    std: Std = "auto"
    checked: bool = False
    reorder_sums: bool = True
    precision: Precision = Precision.EXACT
    chosen: Mapping[str, str] = field(default_factory=nothing)

    @property
    def reading(self) -> ReadOptions:
        """The part of it that reading depends on."""
        return ReadOptions(self.definitions, self.std, self.chosen)
