"""`tilewright env`: settings, and where each comes from."""

from __future__ import annotations

import click


@click.command(name="env")
def command() -> None:
    """Settings, and where each comes from."""
    from tilewright.runtime.config import current

    for line in current().explain():
        click.echo(f"{line.name:<16} {line.value!s:<24} {line.origin}")
