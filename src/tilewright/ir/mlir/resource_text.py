"""Reads and spells the resources at the end of a file: `{-# dialect_resources: {builtin: {name: "0x.."}} #-}`."""

from __future__ import annotations

import re
from typing import Final

from tilewright.ir.mlir.codes import NUMBER, WORDS
from tilewright.ir.mlir.cursor import escape
from tilewright.ir.mlir.operations import Resources
from tilewright.ir.mlir.region_text import RegionReader
from tilewright.ir.mlir.spelling import spell_key

_SECTIONS: Final = ("dialect_resources", "external_resources")
_BYTES: Final = re.compile(r"0x(?:[0-9a-fA-F]{2}){4,}")


class ResourceReader(RegionReader):
    """Reads resources."""

    def at_resources(self) -> bool:
        """Whether resources are ahead."""
        return self.at("{-#")

    def read_resources(self, found: Resources) -> None:
        """`{-# section: {owner: {name: value, ..}, ..}, .. #-}`."""
        self.expect("{-#")
        while not self.at("#-}"):
            start = self.position
            section = self.word("a section")
            if section not in _SECTIONS:
                said = f"{section[:80]!r} is not one of {', '.join(_SECTIONS)}"
                self.fail(said, WORDS, self.range_from(start))
            self.expect(":")
            self._owners(found.setdefault(section, {}), section)
            if not self.accept(","):
                break
        self.expect("#-}")

    def _owners(self, owners: dict[str, dict[str, str | bool]], section: str) -> None:
        self.expect("{")
        while not self.at("}"):
            owner = self.key()
            self.expect(":")
            entries = owners.setdefault(owner, {})
            self.expect("{")
            while not self.at("}"):
                self._entry(entries, section)
                if not self.accept(","):
                    break
            self.expect("}")
            if not self.accept(","):
                break
        self.expect("}")

    def _entry(self, entries: dict[str, str | bool], section: str) -> None:
        start = self.position
        key = self.key()
        if key in entries:
            self.fail(f"{key[:80]!r} is given twice", WORDS, self.range_from(start))
        self.expect(":")
        start = self.position
        if self.at('"'):
            value: str | bool = self.string()
            if section == _SECTIONS[0] and not _BYTES.fullmatch(value):
                said = 'a resource is spelled "0x..": four bytes of its alignment, then its own'
                self.fail(said, NUMBER, self.range_from(start))
        else:
            word = self.word("a string, true or false")
            if word not in ("true", "false"):
                self.fail(f"{word[:80]!r} is not one of true, false", WORDS, self.range_from(start))
            value = word == "true"
        entries[key] = value


def spell_resources(resources: Resources) -> list[str]:
    """The lines of the resources; none if there are none."""
    sections: list[str] = []
    for section, owners in resources.items():
        groups = [f"    {spell_key(owner)}: {{\n{_entries(entries)}\n    }}" for owner, entries in owners.items()]
        sections.append(f"  {section}: {{\n{_joined(groups)}\n  }}")
    return ["", "{-#", _joined(sections), "#-}"] if sections else []


def _entries(entries: dict[str, str | bool]) -> str:
    return _joined([f"      {spell_key(k)}: {_value(v)}" for k, v in entries.items()])


def _joined(items: list[str]) -> str:
    return ",\n".join(items)


def _value(value: str | bool) -> str:
    return escape(value) if isinstance(value, str) else str(value).lower()
