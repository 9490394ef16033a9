"""Reading an artefact's header: nothing in it is taken for what it should be."""

from __future__ import annotations

from typing import cast


class ArtifactError(ValueError):
    """Bytes that are no artefact, or no longer one."""


class Fields:
    """Typed access to a JSON object; what is absent or of another type is an `ArtifactError`."""

    def __init__(self, value: object) -> None:
        if not isinstance(value, dict):
            raise ArtifactError("an entry of the artefact's header is not an object")
        self._fields = cast("dict[str, object]", value)

    def _get(self, name: str) -> object:
        if name not in self._fields:
            raise ArtifactError(f"the artefact's header lacks {name!r}")
        return self._fields[name]

    def text(self, name: str) -> str:
        """A string."""
        value = self._get(name)
        if not isinstance(value, str):
            raise ArtifactError(f"{name!r} in the artefact's header is not a string")
        return value

    def integer(self, name: str) -> int:
        """An integer; a truth value is none."""
        return _integer(self._get(name), name)

    def size(self, name: str) -> int | None:
        """An integer or null."""
        value = self._get(name)
        return None if value is None else _integer(value, name)

    def flag(self, name: str) -> bool:
        """A truth value."""
        value = self._get(name)
        if not isinstance(value, bool):
            raise ArtifactError(f"{name!r} in the artefact's header is not a truth value")
        return value

    def items(self, name: str) -> list[object]:
        """A list of anything."""
        return entries(self._get(name), name)

    def integers(self, name: str) -> tuple[int, ...]:
        """A list of integers."""
        return tuple(_integer(value, name) for value in self.items(name))

    def sizes(self, name: str) -> tuple[int | None, ...]:
        """A list of integers and nulls."""
        return tuple(None if value is None else _integer(value, name) for value in self.items(name))

    def child(self, name: str) -> Fields:
        """An object."""
        return Fields(self._get(name))

    def child_or_none(self, name: str) -> Fields | None:
        """An object or null."""
        value = self._get(name)
        return None if value is None else Fields(value)

    def names(self) -> list[str]:
        """The keys there are."""
        return list(self._fields)


def entries(value: object, name: str) -> list[object]:
    """A list of anything."""
    if not isinstance(value, list):
        raise ArtifactError(f"{name!r} in the artefact's header is not a list")
    return cast("list[object]", value)


def _integer(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArtifactError(f"{name!r} in the artefact's header is not an integer")
    return value
