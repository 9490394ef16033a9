"""The migration page, made of the tested examples: `python -m frontends.old_tensor_language.migration` in tests/."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import Final

from frontends.old_tensor_language.examples import EXAMPLES

PAGE: Final = Path(__file__).parents[3] / "docs" / "guide" / "migration.md"

_INTRODUCTION: Final = """\
# From the old tensor language to the new one

Texts in the old language compile and run as they are: `tw.compile(text)` and the verbs of the command line recognise
them by the words that only one of the languages has (`std="old"`, `--std=old` and `new` say it instead); texts without
such words are in the language in which they are valid. They become the same programs as the texts that `upgrade` makes
of them, and are checked as strictly.

    tilewright upgrade FILE             the new text on standard output
    tilewright upgrade --diff FILE      what changes
    tilewright upgrade --check FILE..   exit status 1 if a file is in the old language; writes nothing
    tilewright upgrade --in-place FILE..

Comments, names, line breaks and the spelling of numbers stay. A file that cannot be upgraded stays as it is, and every
reason is reported in the old text with a code from U1 to U9 (`tilewright explain U5`); the other files are upgraded all
the same. The result is formatted as `tilewright fmt` would leave it (lines end with LF, no byte order mark), and is
read and compared with the old program and its comments before anything is written. `fmt` lays out new texts only.

A plain `barrier` is a word of both languages and ordered all memory in the old one. A text that says nothing else about
its language is taken for a new one, with a warning (U12).

## What Python hides, and what launches by hand have to change

Kernels are launched from Python as before: `kernel[batch](..)`, with a list of arrays or a `PointerArray` for a group.
Launches that are written by hand against the calling convention change in two places:

- a group has one more argument, its size, in front of the offset (rule 16);
- the batch is the first dimension of the grid; it was the third (rule 17).

`upgrade` warns where a text is concerned (U11).

## The rules
"""

_CLOSING: Final = """\

## What has no new form

| construct | code | what to do |
|---|---|---|
| `.atomic` with a beta other than the literal 0 or 1 | U1 | scale C first in a separate kernel, or drop `.atomic` |
| `memref<i1..>` | U2 | use i8, and compare with 0 behind loads |
| a literal that does not fit its type | U3 | write one that does |
| arithmetic or an order on i1 | U4 | use and, or, xor, not |
| element types that cannot be promoted | U5 | cast alpha or beta; give the matrices types that fit |
| a slice of size 0 or outside of the memref, `?` without a value, modes that cannot be fused | U6 | correct the view |
| a collective instruction in a foreach | U7 | split the loop |
| strides that do not grow | U8 | swap the modes |
| words of the new language in an old text | U9 | take them out, then upgrade |
"""


def page() -> str:
    """The text of the page."""
    parts = [_INTRODUCTION]
    for example in EXAMPLES:
        parts.append(f"\n### {example.rule}. {example.title}\n\n{example.note}\n\nBefore:\n\n")
        parts.append(indent(example.before, "    ") + "\nAfter:\n\n" + indent(example.after, "    "))
    return "".join([*parts, _CLOSING])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
