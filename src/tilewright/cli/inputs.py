"""Reading kernels for the command line: files and standard input."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Mapping

import click

from tilewright.diagnostics import Source
from tilewright.diagnostics.binary import Binary
from tilewright.frontends.reading import read_source_file, read_source_stream
from tilewright.frontends.recognise import is_bytecode
from tilewright.frontends.tlx.options import LayoutConvention, Quirks, TlxOptions


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
        found[name.lstrip("$")] = value
    return found


def std_option(command: Callable[..., None]) -> Callable[..., None]:
    """`--std`: which tensor language the files are in."""
    return click.option(
        "--std", type=click.Choice(("auto", "old", "new")), default="auto", help="The language of the text."
    )(command)


def tlx_options(command: Callable[..., None]) -> Callable[..., None]:
    """`--quirks` and `--layout-convention`: who wrote a TLX text; `tlx_of` makes one value of them."""
    quirks = click.option(
        "--quirks",
        type=click.Choice([quirk.value for quirk in Quirks]),
        default=Quirks.NONE.value,
        help="Whose mistakes in TLX texts are mended.",
    )
    convention = click.option(
        "--layout-convention",
        type=click.Choice([convention.value for convention in LayoutConvention]),
        default=LayoutConvention.MEMORY.value,
        help="What shapes and layouts of TLX texts mean.",
    )
    return quirks(convention(command))


def tlx_of(quirks: str, layout_convention: str) -> TlxOptions:
    """The options of `tlx_options` as reading takes them."""
    return TlxOptions(Quirks(quirks), LayoutConvention(layout_convention))
