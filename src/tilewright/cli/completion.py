"""`tilewright completion`: completion of verbs, options, targets, codes and passes in bash, zsh and fish.

The scripts ask the command itself: they pass the line up to the cursor and read `type`, `value` and `help` with tabs in
between. Those of click split values at colons and commas, which are parts of targets and lists of passes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem, ShellComplete, split_arg_string
from msgspec import Struct

from tilewright.cli import completers
from tilewright.cli.completion_variable import COMPLETE
from tilewright.cli.output import write_result

_BASH: Final = r"""_tilewright_completion() {
    local line="${COMP_LINE:0:COMP_POINT}" word type value help before=
    word="${line##*[[:space:]=]}"
    # bash replaces what is behind the last colon only
    if [[ $COMP_WORDBREAKS == *:* && $word == *:* ]]; then before="${word%:*}:"; fi
    COMPREPLY=()
    while IFS=$'\t' read -r type value help; do
        case $type in
            file) compopt -o default ;;
            plain) COMPREPLY+=("${value#"$before"}") ;;
        esac
    done < <(COMP_WORDS="$line" VARIABLE=bash_complete "$1" 2>/dev/null)
}
complete -o nosort -F _tilewright_completion tilewright
"""

_ZSH: Final = r"""#compdef tilewright
_tilewright_completion() {
    local line="${(j: :)words[1,CURRENT-1]} $PREFIX" type value help
    local -a plain described
    [[ $PREFIX == --*=* ]] && compset -P '*='
    while IFS=$'\t' read -r type value help; do
        case $type in
            file) _files ;;
            plain) if [[ -n $help ]]; then described+=("${value//:/\\:}:$help"); else plain+=("$value"); fi ;;
        esac
    done < <(COMP_WORDS="$line" VARIABLE=zsh_complete tilewright 2>/dev/null)
    (( $#described )) && _describe -V tilewright described
    (( $#plain )) && compadd -V tilewright -a plain
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _tilewright_completion "$@"
else
    compdef _tilewright_completion tilewright
fi
"""

_FISH: Final = r"""function __tilewright_completion
    set -l line (commandline -cp)
    set -l option (string match -r -- '^--[^=]+=' (commandline -ct))
    for completion in (env COMP_WORDS="$line" VARIABLE=fish_complete tilewright 2>/dev/null)
        set -l fields (string split \t -- $completion)
        if test "$fields[1]" = file
            __fish_complete_path (commandline -ct)
        else
            printf '%s%s\t%s\n' "$option" $fields[2] "$fields[3]"
        end
    end
end
complete --no-files --command tilewright --arguments '(__tilewright_completion)'
"""


def _folder(variable: str, default: str) -> Path:
    found = os.environ.get(variable)
    return Path(found) if found else Path.home() / default


class _Shell(Struct, frozen=True):
    """A script, the file in which the shell looks for it (below a folder of the user), and what else is to be done."""

    script: str
    variable: str
    default: str
    file: str
    note: str = ""

    @property
    def path(self) -> Path:
        return _folder(self.variable, self.default) / self.file


_SHELLS: Final[Mapping[str, _Shell]] = {
    "bash": _Shell(_BASH, "XDG_DATA_HOME", ".local/share", "bash-completion/completions/tilewright"),
    "zsh": _Shell(
        _ZSH,
        "XDG_DATA_HOME",
        ".local/share",
        "zsh/site-functions/_tilewright",
        "put `fpath=({folder} $fpath)` into ~/.zshrc, in front of `compinit`",
    ),
    "fish": _Shell(_FISH, "XDG_CONFIG_HOME", ".config", "fish/completions/tilewright.fish"),
}


class _Answer(ShellComplete):
    """What the scripts are told; all three read the same."""

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_WORDS"]
        words = split_arg_string(line)[1:]
        return (words, "") if not words or line[-1:].isspace() else (words[:-1], words[-1])

    def format_completion(self, item: CompletionItem[str]) -> str:
        return f"{item.type}\t{item.value}\t{item.help or ''}"


def answer(cli: click.Command) -> None:
    """Print what may follow the line in `COMP_WORDS`."""
    click.echo(_Answer(cli, {}, "tilewright", COMPLETE).complete())


@click.command(name="completion")
@click.argument("shell", type=click.Choice(tuple(_SHELLS)))
@click.option(
    "-o",
    "output",
    default=None,
    help="Where to; default: where the shell looks for it.",
    shell_complete=completers.files,
)
def command(shell: str, output: str | None) -> None:
    """Install completion of verbs, options, targets, codes and passes; -o - prints the script instead."""
    found = _SHELLS[shell]
    script = found.script.replace("VARIABLE", COMPLETE)
    if output is not None:
        write_result(script, output)
        return
    found.path.parent.mkdir(parents=True, exist_ok=True)
    write_result(script, str(found.path))
    click.echo(f"{found.path}: read by {shell} when it starts", err=True)
    if found.note:
        click.echo(found.note.format(folder=found.path.parent), err=True)
