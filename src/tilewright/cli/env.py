"""`tilewright env`: settings, and where each comes from."""

from __future__ import annotations

import click


@click.command(name="env")
def command() -> None:
    """Settings, and where each comes from."""
    from tilewright.settings.config import current

    for line in current().explain():
        value = "not set" if line.value is None else str(line.value)
        click.echo(f"{line.name:<16} {value:<16} {line.origin:<12} {line.doc}")
