"""`tilewright explain`: the long text of a diagnostic code."""

from __future__ import annotations

import click

from tilewright.cli import completers


@click.command(name="explain")
@click.argument("code", required=False, shell_complete=completers.codes)
def command(code: str | None) -> None:
    """Explain a diagnostic code; without one, list them."""
    from tilewright.diagnostics.codes import CODES, explain

    if code is None:
        for name, title in CODES.items():
            click.echo(f"{name:<6} {title}")
        return
    text = explain(code.upper())
    if text is None:
        raise click.UsageError(f"there is no code {code}; `tilewright explain` lists them")
    click.echo(text)
