"""`tilewright cache`: look after the artefact cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tilewright.cli.main import EXIT_DIAGNOSTICS

if TYPE_CHECKING:
    from tilewright.cache.artifact_cache import CacheStatistics


def describe(statistics: CacheStatistics) -> str:
    """One line."""
    used = f"{statistics.entries} artefacts, {statistics.size:,} of {statistics.limit:,} bytes"
    return f"{statistics.directory} ({statistics.mode.value}): {used}"


@click.group(name="cache")
def command() -> None:
    """Look after the artefact cache."""


@command.command(name="info")
def info() -> None:
    """Where the cache is and how much is in it."""
    from tilewright.cache.artifact_cache import open_cache

    click.echo(describe(open_cache().statistics()))


@command.command(name="verify")
@click.option("--remove", is_flag=True, help="Remove damaged entries.")
def verify(remove: bool) -> None:
    """Hash every entry again; exit status 1 if any is damaged."""
    from tilewright.cache.artifact_cache import open_cache

    damaged = open_cache().verify(remove=remove)
    for key in damaged:
        click.echo(f"damaged: {key}")
    if damaged and not remove:
        raise click.exceptions.Exit(EXIT_DIAGNOSTICS)


@command.command(name="prune")
@click.option("--limit", type=click.IntRange(0), default=None, help="Bytes to keep; default: the configured size.")
def prune(limit: int | None) -> None:
    """Remove the entries used longest ago until the rest fits."""
    from tilewright.cache.artifact_cache import open_cache

    click.echo(f"removed {open_cache().prune(limit)}")
