"""Reading kernels for the command line: files and standard input."""

from __future__ import annotations

import errno
import functools
import sys
from collections.abc import Callable, Mapping
from typing import Final

import click

from tilewright.diagnostics import Source
from tilewright.diagnostics.binary import Binary
from tilewright.frontends.reading import read_source_file, read_source_stream
from tilewright.frontends.recognise import is_bytecode
from tilewright.languages import LANGUAGES

_OPTIONS: Final = tuple(option for language in LANGUAGES for option in language.options)


def read_bytes(name: str) -> tuple[str, bytes]:
    """The name to report a file (standard input for `-`) under, and its bytes.

    Raises `click.ClickException` or `CompileError`.
    """
    shown = "<stdin>" if name == "-" else name
    try:
        return shown, _standard_input(shown) if name == "-" else read_source_file(name, shown)
    except OSError as error:
        raise click.ClickException(f"{name}: {error.strerror or error}") from None


def _standard_input(shown: str) -> bytes:
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    return read_source_stream(sys.stdin.buffer, shown)


def read_source(name: str) -> Source | Binary:
    """A file, or standard input for `-`, as what its content is. Raises `click.ClickException` or `CompileError`."""
    shown, data = read_bytes(name)
    return Binary(shown, data) if is_bytecode(data) else as_source(shown, data)


def read_text(name: str) -> Source:
    """As `read_source`, for verbs that bytecode has no place in. Raises `click.ClickException` or `CompileError`."""
    source = read_source(name)
    if isinstance(source, Binary):
        message = f"{source.name}: this is Tile IR bytecode; `tilewright translate {name}` gives it as text"
        raise click.ClickException(message)
    return source


def as_source(name: str, data: bytes) -> Source:
    """Bytes as text. Those that are no UTF-8 become visible characters, which lexers refuse with their place."""
    return Source(name, data.decode("utf-8-sig", errors="replace"))


def definitions(pairs: tuple[str, ...]) -> Mapping[str, str]:
    """`NAME=VALUE` options as a dictionary."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"-D {pair}: write NAME=VALUE")
        say_once(found, name.lstrip("$"), value, f"-D {pair}")
    return found


def say_once(found: dict[str, str], name: str, value: str, said: str) -> None:
    """Enter what an option says of a name; no other may have done so."""
    if name in found:
        raise click.UsageError(f"{said}: {name} is given twice, as {found[name]} before")
    found[name] = value


def std_option(command: Callable[..., None]) -> Callable[..., None]:
    """`--std`: which tensor language the files are in."""
    return click.option(
        "--std", type=click.Choice(("auto", "old", "new")), default="auto", help="The language of the text."
    )(command)


def language_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of all languages, as the mapping `chosen` of those that were given."""
    return language_options_but()(command)


def language_options_but(*others: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The options of all languages for a verb that has others of some names."""
    options = [option for option in _OPTIONS if option.name not in others]

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def collected(**given: object) -> None:
            chosen = {o.name: str(choice) for o in options if (choice := given.pop(o.name)) is not None}
            command(**given, chosen=chosen)

        result: Callable[..., None] = collected
        for option in reversed(options):
            kind = click.Choice(option.choices) if option.choices else str
            name, shown = f"--{option.name.replace('_', '-')}", option.shown or None
            result = click.option(name, option.name, type=kind, metavar=shown, help=option.help)(result)
        return result

    return with_options
