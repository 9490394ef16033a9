"""What the rest of the compiler asks of a language that kernels are written in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from msgspec import Struct, field

from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.diagnostics.caller_error import CallerError

if TYPE_CHECKING:
    from tilewright.dialects.builtin import Module
    from tilewright.ir.passes import Pass
    from tilewright.program import Program

Std = Literal["auto", "old", "new"]
"""Which tensor language a text is in; `auto` recognises it, and every other language too."""


class NotOffered(CallerError, ValueError):
    """A language has no such thing as was asked for."""


def nothing() -> Mapping[str, str]:
    """No definitions, no choices."""
    return {}


class LanguageOption(Struct, frozen=True):
    """What a caller may say of texts in a language; the first of the choices holds where nothing is said.

    Without `choices` it is any text, which usage lines call `shown`.
    """

    name: str
    choices: tuple[str, ...]
    help: str
    shown: str = ""


class ReadOptions(Struct, frozen=True):
    """What reading depends on beside the text: values for its `$name`s, and what the caller says of the language.

    `chosen` are choices of the language's `options` by their names.
    """

    definitions: Mapping[str, str] = field(default_factory=nothing)
    std: Std = "auto"
    chosen: Mapping[str, str] = field(default_factory=nothing)


class Form(Struct, frozen=True):
    """How a program is to be written: `name` is one of the language's `forms`, `version` that of the form, None the
    lowest that can express the program; `locations` asks for debug locations in text."""

    name: str
    version: str | None = None
    locations: bool = True


class Language(ABC):
    """A language: recognised by content, read into dialects, lowered to the shared ones by named passes.

    Entries import what they need when they are asked, since every compile looks at all of them.
    """

    name: ClassVar[str]
    forms: ClassVar[tuple[str, ...]] = ("text",)
    """The forms that `translate` can write, the one that people read first."""
    translates: ClassVar[bool] = False
    """Whether `translate` writes programs of this language."""
    versions: ClassVar[tuple[str, ...]] = ()
    """Versions of the forms that have them, the lowest first."""
    options: ClassVar[tuple[LanguageOption, ...]] = ()
    """What callers may say of its texts."""

    @abstractmethod
    def recognises(self, source: Source | Binary, std: Std) -> bool:
        """Whether something is in this language, by its content; `std` is what the caller says of it."""

    @abstractmethod
    def read(self, source: Source | Binary, report: Report, options: ReadOptions) -> Module:
        """The verified program in the language's own dialects; warnings stay in `report`. Raises `CompileError`."""

    @abstractmethod
    def passes(self) -> list[Pass]:
        """From what `read` gives to the dialects that all targets and transforms know."""

    @abstractmethod
    def interpret(self, module: Module, text: str | None, checked: bool, report: Report) -> Program:
        """A program that interprets what `read` gave. `text` is its source, None where that is no text."""

    @abstractmethod
    def format(self, source: Source, report: Report, std: Std) -> str:
        """The text as it should be laid out; what is wrong with it is in `report`."""

    def form_for(self, source: Source | Binary) -> str:
        """The form that a file is written in if nobody says: the other one than its own, if there are two."""
        return self.forms[0 if isinstance(source, Binary) else -1]

    def translate(self, module: Module, form: Form) -> bytes:
        """What `read` gave in one of the language's forms. Raises `NotOffered`."""
        raise NotOffered(f"{self.name} has one form only; there is nothing to translate it to")

    def upgrade(self, source: Source, report: Report, std: Std) -> str:
        """The text in the latest edition of the language. Raises `NotOffered` or `CompileError`."""
        raise NotOffered(f"{source.name}: {self.name} has no older edition to upgrade from")
