"""`tilewright translate`: Tile IR from text to bytecode and back; TLX in its canonical, MLIR in its generic form."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Final

import click

from tilewright.cli import completers
from tilewright.cli.inputs import language_options_but, read_source
from tilewright.cli.output import show, write_result
from tilewright.diagnostics import Report
from tilewright.languages import LANGUAGES, Form, NotOffered, ReadOptions, check_choices, language_of, languages

_FORMS: Final = tuple(dict.fromkeys(form for language in LANGUAGES for form in language.forms))
_VERSIONS: Final = tuple(version for language in LANGUAGES for version in language.versions)


@click.command(name="translate")
@click.argument("file", shell_complete=completers.files)
@click.option("-o", "output", default="-", help="Where to (- is standard output).", shell_complete=completers.files)
@click.option(
    "--to",
    "form",
    type=click.Choice(_FORMS),
    help="The form to write; of Tile IR the other one than that of the file, else text, if this is not given.",
)
@click.option(
    "--bytecode-version",
    "version",
    type=click.Choice(_VERSIONS),
    help="Version of the bytecode to write; the lowest that can express the module if this is not given.",
)
@language_options_but("stages")
@click.option("--locations/--no-locations", default=True, help="Write debug locations in text.")
def command(
    file: str,
    output: str,
    form: str | None,
    version: str | None,
    locations: bool,
    chosen: Mapping[str, str],
) -> None:
    """Translate Tile IR from text to bytecode or back, TLX to its canonical text or to target
    types, MLIR to its generic form; - reads standard input."""
    source, report = read_source(file), Report()
    language = language_of(source)
    if not language.translates:
        others = ", ".join(other.name for other in languages() if other.translates)
        reading = f"{source.name}: the text is read as {language.name}, which has one form"
        raise NotOffered(f"{reading}; translate reads {others}")
    if form is not None and form not in language.forms:
        raise click.UsageError(f"{language.name} is written as {' or '.join(language.forms)}, not as {form}")
    options = ReadOptions(chosen=chosen)
    check_choices(source, options)
    module = language.read(source, report, options)
    show(report.in_order, "text", sys.stderr)
    if form is None:
        form = language.form_for(source)
    if version is not None and form != "bytecode":
        raise click.UsageError("--bytecode-version says something about bytecode only; add --to bytecode")
    write_result(language.translate(module, Form(form, version, locations)), output)
