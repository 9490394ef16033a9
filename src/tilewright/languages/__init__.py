"""The languages that kernels are written in: one entry for each, and nothing above knows of any.

A new language is a folder in `frontends/` and an entry here.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from tilewright.diagnostics import Source
from tilewright.diagnostics.binary import Binary
from tilewright.languages.language import Form, Language, LanguageOption, NotOffered, ReadOptions, Std
from tilewright.languages.mlir import Mlir
from tilewright.languages.tensor_language import TensorLanguage
from tilewright.languages.tile_ir import TileIR
from tilewright.languages.tlx import Tlx
from tilewright.plugins import extended

__all__ = [
    "LANGUAGES",
    "Form",
    "Language",
    "LanguageOption",
    "NotOffered",
    "ReadOptions",
    "Std",
    "check_choices",
    "language_of",
    "languages",
]

LANGUAGES: Final[tuple[Language, ...]] = (Mlir(), TileIR(), Tlx(), TensorLanguage())
"""In the order in which they are asked; the tensor language, whose texts may begin in any way, comes last."""


@cache
def languages() -> tuple[Language, ...]:
    """All of them, plug-ins' before the tensor language."""
    *first, last = LANGUAGES
    own = {language.name: language for language in first}
    added = extended("a language", own, lambda plugin: {language.name: language for language in plugin.languages})
    return (*added.values(), last)


def language_of(source: Source | Binary, std: Std = "auto") -> Language:
    """The language that a source is in; `std` is what the caller says of it."""
    return next(language for language in languages() if language.recognises(source, std))


def check_choices(source: Source | Binary, options: ReadOptions) -> None:
    """Nothing if the language of a source has the options that are chosen. Raises `NotOffered`."""
    if not options.chosen:
        return
    language = language_of(source, options.std)
    own = {option.name: option for option in language.options}
    for name, choice in options.chosen.items():
        if name not in own:
            elsewhere = [other.name for other in languages() if any(o.name == name for o in other.options)]
            whose = f"an option of {' and '.join(elsewhere)}" if elsewhere else "no option of any language"
            raise NotOffered(f"{source.name}: {name} is {whose}; the text is in {language.name}")
        if own[name].choices and choice not in own[name].choices:
            raise NotOffered(f"{name} is {', '.join(own[name].choices)}, not {choice!r}")
