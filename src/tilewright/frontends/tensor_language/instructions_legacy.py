"""Spellings of older texts: those in the language's own examples warn, those of the old language are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.diagnostics import SourceRange
from tilewright.diagnostics.nearest import nearest
from tilewright.dialects import arith
from tilewright.frontends.tensor_language import instructions_scalar as scalar
from tilewright.frontends.tensor_language.cursor import quoted
from tilewright.frontends.tensor_language.instruction import Instruction, plain, value
from tilewright.frontends.tensor_language.regions import RegionReader
from tilewright.frontends.tensor_language.vocabulary import COMPARISONS, OLD_COMPARISONS
from tilewright.ir.types import BOOL


def _suffix(p: RegionReader, word: str, known: Mapping[str, str]) -> tuple[str, SourceRange]:
    """The new spelling of `word.suffix`, and where the old one stands."""
    where = p.range(p.mnemonic, p.i)
    text = p.texts[p.i]
    spelling = known.get(text)
    if spelling is None:
        if text[0] != ".":
            where = p.range(p.mnemonic)
            text = ""
        finding = p.error("V2", where, f"{quoted(word + text)} is not an instruction")
        if text:
            finding.suggest(where, nearest(text.removeprefix("."), known.values()), "`")
        p.abandon()
    p.i += 1
    return spelling, where


def _cmp(p: RegionReader, word: str) -> None:
    spelling, where = _suffix(p, word, OLD_COMPARISONS)
    lhs = p.value()
    p.expect(",")
    if p.at_number():
        _old_compare(p, spelling, p.texts[p.i - 2])
    rhs = p.value()
    p.expect(":")
    first = p.i
    type_ = p.read_type()
    p.places["type"] = p.since(first)
    if type_ is not BOOL:
        message = f"`{p.texts[p.mnemonic]}` with an operand type belongs to the old language"
        finding = p.error("V2", p.since(p.mnemonic), message)
        new = f"{spelling} {p.texts[first - 4]}, {p.texts[first - 2]} : bool"
        finding.hint(f"the new one writes `{new}`").fix(p.since(p.mnemonic), new, "rewrite it")
        p.abandon()
    p.warn("V2", where, f"`{word}{p.texts[p.mnemonic + 1]}` is spelt `{spelling}`").fix(
        where, spelling, f"write `{spelling}`"
    )
    p.finish(arith.Cmp(COMPARISONS[spelling], lhs, rhs, result_types=[type_]))


def _old_compare(p: RegionReader, spelling: str, lhs: str) -> None:
    """Report a comparison with a literal, with what the new language writes."""
    literal = p.texts[p.i]
    p.i += 1
    type_ = "index"
    if p.accept(":"):
        first = p.i
        p.read_type()
        type_ = p.source.text[p.starts[first] : p.starts[p.i - 1] + len(p.texts[p.i - 1])]
    where = p.since(p.first)
    finding = p.error("V2", where, "a comparison with a literal belongs to the old language")
    target = f"{p.texts[p.results[0]]} = " if p.results else ""
    new = f"%c = constant {literal} : {type_}  {target}{spelling} {lhs}, %c : bool"
    finding.hint(f"the new one writes `{new}`").fix(where, new, "rewrite it")
    p.abandon()


def _math(p: RegionReader, word: str) -> None:
    known = {f".{name}": name for stem in scalar.ELEMENTARY for name in (stem, f"native_{stem}")}
    spelling, where = _suffix(p, word, known)
    p.warn("V2", where, f"`math.{spelling}` is spelt `{spelling}`").fix(where, spelling, f"write `{spelling}`")
    scalar.elementary(p, spelling)


def _arith(p: RegionReader, word: str) -> None:
    names = (*scalar.BINARY, *scalar.UNARY)
    spelling, where = _suffix(p, word, {f".{name}": name for name in names})
    finding = p.error("V2", where, f"`arith.{spelling}` belongs to the old language; the new one says `{spelling}`")
    finding.fix(where, spelling, f"write `{spelling}`")
    p.abandon()


def _group_size(p: RegionReader, word: str) -> None:
    where = p.range(p.mnemonic)
    finding = p.error("V2", where, "`group_size` belongs to the old language; the new one says `num_groups.x : index`")
    finding.fix(where, "num_groups.x : index", "write `num_groups.x : index`")
    p.abandon()


def _hadamard_product(p: RegionReader, word: str) -> None:
    where = p.range(p.mnemonic)
    finding = p.error("V2", where, "`hadamard_product` belongs to the old language; the new one says `hadamard`")
    finding.fix(where, "hadamard", "write `hadamard`")
    p.abandon()


INSTRUCTIONS: Final[Mapping[str, Instruction]] = {
    "cmp": value(_cmp),
    "math": value(_math),
    "arith": value(_arith),
    "group_size": value(_group_size),
    "hadamard_product": plain(_hadamard_product),
}
