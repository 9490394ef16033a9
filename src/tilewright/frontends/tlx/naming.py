"""Names of values and blocks in printed text: those that they have, each once, and numbers for the others."""

from __future__ import annotations

from collections.abc import Hashable

from tilewright.frontends.tlx.llvm.tokens import spelled


class Names:
    """Gives each thing one name of a function."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.of: dict[Hashable, str] = {}
        self._numbers: dict[str, int] = {}

    def reserve(self, thing: Hashable, wanted: str | None) -> None:
        """Give a thing the name that it wants, if it wants one that is free and no number."""
        if wanted and not wanted.isdigit() and wanted not in self.taken:
            self.taken.add(wanted)
            self.of[thing] = wanted

    def name(self, thing: Hashable, stem: str = "t") -> str:
        """The name of a thing with its sigil; `stem` begins the names of those that have none."""
        found = self.of.get(thing)
        if found is None:
            found = self.of[thing] = self._free(stem)
        return spelled("%", found)

    def fresh(self, stem: str) -> str:
        """A new name with its sigil."""
        return spelled("%", self._free(stem))

    def derived(self, base: str, ending: str) -> str:
        """A name beside another one."""
        plain = base[1:].strip('"')
        found = f"{plain}.{ending}"
        return spelled("%", found if self._take(found) else self._free(found + "."))

    def _take(self, name: str) -> bool:
        if name in self.taken:
            return False
        self.taken.add(name)
        return True

    def _free(self, stem: str) -> str:
        number = self._numbers.get(stem, 0) + 1
        while not self._take(f"{stem}{number}"):
            number += 1
        self._numbers[stem] = number
        return f"{stem}{number}"
