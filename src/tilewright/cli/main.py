"""The command line: verbs are imported when called, so that `tilewright --version` starts fast."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import click

from tilewright.cli.completion_variable import COMPLETE
from tilewright.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

EXIT_DIAGNOSTICS: Final = 1
EXIT_USAGE: Final = 2
EXIT_INTERNAL: Final = 3
EXIT_UNREAD: Final = 141
"""What shells make of SIGPIPE, which ends other tools where a pipe has no reader any more."""

_VERBS: Final[Mapping[str, tuple[str, str]]] = {
    "check": ("tilewright.cli.check", "Report what is wrong in kernels; exit status 1 if anything is."),
    "fmt": ("tilewright.cli.fmt", "Format kernels."),
    "upgrade": ("tilewright.cli.upgrade", "Rewrite kernels of the old tensor language into the new one."),
    "translate": ("tilewright.cli.translate", "Translate Tile IR between text and bytecode."),
    "opt": ("tilewright.cli.opt", "Run passes on a kernel or on IR text and print the result."),
    "compile": ("tilewright.cli.compile", "Compile a kernel and write one of its stages."),
    "run": ("tilewright.cli.run", "Run a kernel on random arrays or .npy files."),
    "bench": ("tilewright.cli.bench", "Time a kernel."),
    "tune": ("tilewright.cli.tune", "Find the fastest schedule of a kernel on this machine, and remember it."),
    "explain": ("tilewright.cli.explain", "Explain a diagnostic code."),
    "doctor": ("tilewright.cli.doctor", "What this machine can run."),
    "cache": ("tilewright.cli.cache", "Look after the artefact cache."),
    "env": ("tilewright.cli.env", "Settings, and where each comes from."),
    "completion": ("tilewright.cli.completion", "Install completion for bash, zsh or fish."),
}


class _LazyGroup(click.Group):
    """Verbs from the table; nothing is imported to list them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = _VERBS.get(cmd_name)
        if found is None:
            return None
        command = importlib.import_module(found[0]).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in _VERBS and not args[0].startswith("-"):
            from tilewright.diagnostics.nearest import did_you_mean, nearest

            meant = nearest(args[0], _VERBS)
            hint = f"; {did_you_mean([repr(verb) for verb in meant])}" if meant else ""
            ctx.fail(f"there is no verb {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        from tilewright.cli.completers import beginning_with

        verbs = ((name, text) for name, (_, text) in _VERBS.items())
        return [*beginning_with(incomplete, verbs), *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl([(name, text) for name, (_, text) in _VERBS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tilewright")
def cli() -> None:
    """Compile tensor kernels: several languages in, CPUs and GPUs out, the same answers everywhere.

    Files named - are standard input. Exit status: 0 fine, 1 diagnostics, 2 usage, 3 internal error,
    141 output that nobody reads.
    """


def main() -> None:
    """Entry point of the `tilewright` command."""
    stream: object = sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        # as Python has it for standard error: what the terminal's encoding lacks is shown as an escape
        stream.reconfigure(errors="backslashreplace")
    try:
        if COMPLETE in os.environ:
            from tilewright.cli.completion import answer

            answer(cli)
            return
        status: object = cli.main(prog_name="tilewright", standalone_mode=False)
    except click.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(EXIT_USAGE)
    except SystemExit as end:
        # click replaces a stream that nobody reads any more, and ends with 1, which stands for diagnostics
        sys.exit(EXIT_UNREAD if sys.stdout is not stream else end.code)
    except BrokenPipeError:
        sys.exit(EXIT_UNREAD)
    except Exception as error:
        sys.exit(_failure(error))
    # click returns the status of `Exit` instead of raising it when it is not standalone
    sys.exit(status if isinstance(status, int) else 0)


def _failure(error: Exception) -> int:
    """Diagnostics end with 1, other mistakes of the caller with 2; the rest is our fault: one line, no traceback."""
    from tilewright.diagnostics import CompileError
    from tilewright.diagnostics.caller_error import CallerError
    from tilewright.ir.passes import InternalError

    if isinstance(error, CompileError):
        click.echo(str(error), err=True)
        return EXIT_DIAGNOSTICS
    if isinstance(error, CallerError | OSError | MemoryError):
        click.echo(f"tilewright: {_said(error)}", err=True)
        return EXIT_USAGE
    from tilewright.cli.reproducer import write_reproducer

    path = error.reproducer if isinstance(error, InternalError) else write_reproducer(error)
    where = f"; reproducer: {path}" if path is not None and str(path) not in str(error) else ""
    click.echo(f"tilewright: internal error: {type(error).__name__}: {error}{where}", err=True)
    return EXIT_INTERNAL


def _said(error: Exception) -> str:
    """What an error says; of files as shells do: the name first, no number."""
    if isinstance(error, OSError) and error.strerror and isinstance(error.filename, str):
        return f"{error.filename}: {error.strerror}"
    return str(error)
