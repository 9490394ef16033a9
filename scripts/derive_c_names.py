"""Ask the C compiler of this machine which names its standard headers have taken, and print `runtime/c_names.py`.

    python scripts/derive_c_names.py > src/tilewright/runtime/c_names.py

Every identifier that occurs in the headers is tried as a member of a struct and as a function, in C and C++, with and
without extensions; those that a compiler refuses are taken. Needs gcc and g++.
"""

from __future__ import annotations

import re
import subprocess
import textwrap
from collections.abc import Iterable
from typing import Final

C_NAMES: Final = """
assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool
stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype
"""
C_HEADERS: Final = C_NAMES.split()
NOT_IN_CPP: Final = {"complex", "stdatomic", "stdnoreturn", "tgmath", "threads"}
CPP_HEADERS: Final = [*(name for name in C_HEADERS if name not in NOT_IN_CPP), "unistd"]
DIALECTS: Final = (
    ("c", "c17", C_HEADERS),
    ("c", "gnu17", [*C_HEADERS, "unistd"]),
    ("c++", "c++20", CPP_HEADERS),
    ("c++", "gnu++20", CPP_HEADERS),
)
MEMBER: Final = "struct t{number} {{ int {name}; }}; enum {{ e{number} = sizeof(((struct t{number} *)0)->{name}) }};"
FUNCTION: Final = "void {name}(const struct tilewright *s, const long *g, long b, long e, void *m, const void *t);"
BUILTINS: Final = "-Werror=builtin-declaration-mismatch"
AT_ONCE: Final = 40
"""A name that is a macro can spoil the lines behind it, so that only the first errors of a run are believed."""


def compiler(language: str, standard: str, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run gcc on a text."""
    command = ["gcc", "-x", language, f"-std={standard}", *arguments, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def identifiers(language: str, standard: str, includes: str) -> set[str]:
    """Names of macros, and all words in what the headers declare; without those that no program may use."""
    macros = compiler(language, standard, includes, "-E", "-dM").stdout
    declared = compiler(language, standard, includes, "-E", "-P").stdout
    words = re.findall(r"^#define (\w+)", macros, re.MULTILINE) + re.findall(r"\b[A-Za-z_]\w*\b", declared)
    return {word for word in words if not re.match("_[A-Z_]", word)}


def refused(language: str, standard: str, includes: str, use: str) -> set[str]:
    """The identifiers that cannot be used in this way behind the headers."""
    head = f"{includes}struct tilewright;\n"
    first = head.count("\n") + 1
    found: set[str] = set()
    names = sorted(identifiers(language, standard, includes))
    while True:
        text = head + "\n".join(use.format(name=name, number=number) for number, name in enumerate(names))
        said = compiler(language, standard, text, "-fsyntax-only", BUILTINS, "-fmax-errors=0").stderr
        lines = {int(line) - first for line in re.findall(r"<stdin>:(\d+):\d+: error", said)}
        bad = {names[line] for line in sorted(line for line in lines if 0 <= line < len(names))[:AT_ONCE]}
        if not bad:
            return found
        found |= bad
        names = [name for name in names if name not in bad]


def table(name: str, doc: str, words: Iterable[str]) -> str:
    """Words as Python."""
    lines = textwrap.fill(" ".join(sorted(words)), 120, break_on_hyphens=False, break_long_words=False)
    return f'{name}: Final = """\n{lines}\n"""\n"""{doc}"""\n'


def main() -> None:
    """Print the module."""
    members: set[str] = set()
    functions: set[str] = set()
    for language, standard, headers in DIALECTS:
        includes = "".join(f"#include <{header}.h>\n" for header in headers)
        members |= refused(language, standard, includes, MEMBER)
        functions |= refused(language, standard, includes, FUNCTION if language == "c" else f'extern "C" {FUNCTION}')
    print('"""Names that C and C++ have for something else, as scripts/derive_c_names.py found them (glibc, gcc)."""\n')
    print("from __future__ import annotations\n\nfrom typing import Final\n")
    print(table("RESERVED", "Keywords and macros: they name nothing, not even members.", members))
    print(table("DECLARED", "What the standard headers and unistd.h declare.", functions - members), end="")


if __name__ == "__main__":
    main()
