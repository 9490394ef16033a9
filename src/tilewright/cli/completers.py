"""What shells offer for the arguments of verbs; each looks at the word typed so far, and imports what it needs then."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import click
from click.shell_completion import CompletionItem

Items: TypeAlias = "list[CompletionItem[str]]"
"""Not evaluated: click 8.1 has no generic ones."""


def beginning_with(incomplete: str, names: Iterable[tuple[str, str]]) -> Items:
    """Those of the names, given with what they are, that begin as the word does."""
    return [CompletionItem(name, help=what) for name, what in names if name.startswith(incomplete)]


def files(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Files, which the shell knows better."""
    return [CompletionItem(incomplete, type="file")]


def targets(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """What kernels are compiled for."""
    from tilewright.targets import target_names

    return beginning_with(incomplete, ((name, "") for name in target_names()))


def launch_targets(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """What the verbs that launch kernels run them on."""
    from tilewright.targets import target_names

    return beginning_with(incomplete, ((name, "") for name in (*target_names(), "interpreter")))


def codes(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Codes of diagnostics, with their titles; lower case will do."""
    from tilewright.diagnostics.codes import CODES

    return beginning_with(incomplete.upper(), CODES.items())


def stages(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Stages of a product of matrices."""
    from tilewright.transforms.matmul_stages.stages import NAMES

    return beginning_with(incomplete, ((name, "") for name in NAMES))


def passes(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Names of passes, in a list with commas; `all` of them are those of the target that the line names."""
    from tilewright.targets import find_target
    from tilewright.transforms.registry import pass_names

    before, comma, _ = incomplete.rpartition(",")
    known = pass_names(find_target(str(ctx.params.get("target_name") or "cpu")).passes(2))
    return beginning_with(incomplete, ((f"{before}{comma}{name}", "") for name in known))
