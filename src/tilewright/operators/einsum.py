"""`tilewright.einsum`: products of two arrays over any of their modes, by letters."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TypeVar, Unpack, cast

from tilewright.operators.asked import Options, Subscripts
from tilewright.operators.calls import computed
from tilewright.operators.errors import OperatorError, OperatorTypeError
from tilewright.operators.layouts import Extents, Layout

Array = TypeVar("Array")


def einsum(subscripts: str, a: Array, b: object, out: object | None = None, **options: Unpack[Options]) -> Array:
    """The sum of products that `subscripts` say, as `numpy.einsum` reads them: `"bij,bjk->bik"`.

    A letter for each mode of both factors, and behind the arrow those of the result, in its order; without an arrow
    they are the letters that come once, in alphabetical order. A letter that a factor has twice is its diagonal. What
    the result lacks is summed, and has to be in both factors. Options and arrays are those of `tilewright.matmul`.

    Raises `OperatorError` and `OperatorTypeError` as that does, and for subscripts that are none.
    """
    if not isinstance(cast("object", subscripts), str):
        raise OperatorTypeError(f"subscripts are {subscripts!r}; they are text, as 'ij,jk->ik'")
    return cast("Array", computed(_rule(subscripts), a, b, out, options))


@lru_cache(256)
def _rule(subscripts: str) -> partial[Subscripts]:
    """The modes of factors that fit the subscripts. Raises `OperatorError` for subscripts that are none."""
    return partial(_fitting, subscripts, _parsed("".join(subscripts.split())))


def _fitting(text: str, modes: Subscripts, a: Layout, b: Layout) -> Subscripts:
    for name, letters, layout in (("a", modes.a, a), ("b", modes.b, b)):
        _check_order(text, name, letters, layout.shape)
    return modes


def _check_order(text: str, name: str, letters: tuple[str, ...], shape: Extents) -> None:
    if len(letters) != len(shape):
        raise OperatorError(f"{text!r} has {len(letters)} letters for {name}, whose extents are {shape}")
    extents: dict[str, int] = {}
    for letter, extent in zip(letters, shape, strict=True):
        if extents.setdefault(letter, extent) != extent:
            raise OperatorError(f"{text!r}: {name} has no diagonal {letter!r}, its extents are {shape}")


def _parsed(text: str) -> Subscripts:
    factors, arrow, result = text.partition("->")
    parts = factors.split(",")
    letters = "".join(parts) + result
    if len(parts) != 2 or not all(letter.isascii() and letter.isalpha() for letter in letters):
        raise OperatorError(f"{text!r}: subscripts are letters of two factors, as in 'ij,jk->ik', without an ellipsis")
    a, b = parts
    if not arrow:
        result = "".join(sorted(letter for letter in set(a + b) if (a + b).count(letter) == 1))
    for letter in result:
        if result.count(letter) > 1 or letter not in a + b:
            raise OperatorError(f"{text!r}: the result has {letter!r} twice, or no factor has it")
    for letter in dict.fromkeys(a + b):
        if letter not in result and not (letter in a and letter in b):
            raise OperatorError(f"{text!r}: {letter!r} is in one factor alone; sum that over it first")
    return Subscripts(tuple(a), tuple(b), tuple(result))
