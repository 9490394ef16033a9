"""Constraints of launches as JSON values and back, every field checked on the way in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from tilewright.artifacts.constraints import (
    Constraint,
    Origin,
    Polynomial,
    Quantity,
    SameExtent,
    WithinExtent,
    WithinGroup,
)
from tilewright.artifacts.json_fields import ArtifactError, Fields, entries
from tilewright.artifacts.places import SourcePlace, place_from_json, place_to_json

Json: TypeAlias = bool | int | str | tuple["Json", ...] | dict[str, "Json"]
"""What is an attribute of the IR and a JSON value alike."""


def constraint_to_json(constraint: Constraint) -> Json:
    """A constraint as a dictionary of its fields."""
    match constraint:
        case SameExtent():
            return {
                "kind": "same_extent",
                "names": constraint.names,
                "extents": tuple(map(polynomial_to_json, constraint.extents)),
                "place": place_to_json(constraint.place),
            }
        case WithinExtent():
            return {
                "kind": "within_extent",
                "mode": constraint.mode,
                "access": constraint.access,
                "first": polynomial_to_json(constraint.first),
                "count": polynomial_to_json(constraint.count),
                "extent": polynomial_to_json(constraint.extent),
                "sizes": tuple(map(polynomial_to_json, constraint.sizes)),
                "place": place_to_json(constraint.place),
            }
        case WithinGroup():
            return {
                "kind": "within_group",
                "group": constraint.group,
                "index": polynomial_to_json(constraint.index),
                "place": place_to_json(constraint.place),
            }


def polynomial_to_json(polynomial: Polynomial) -> Json:
    """Its terms, each a coefficient and the quantities behind it."""
    return tuple(
        (coefficient, *((quantity.origin.value, quantity.parameter, quantity.mode) for quantity in factors))
        for factors, coefficient in polynomial.terms
    )


def constraint_from_json(value: object) -> Constraint:
    """The inverse of `constraint_to_json`. Raises `ArtifactError`."""
    fields = Fields(value)
    kind = fields.text("kind")
    try:
        place = place_from_json(fields.items("place"))
    except ValueError as error:
        raise ArtifactError(str(error)) from None
    match kind:
        case "within_group":
            return WithinGroup(fields.text("group"), _field(fields, "index"), place)
        case "within_extent":
            first, count, extent = (_field(fields, name) for name in ("first", "count", "extent"))
            sizes = _fields(fields, "sizes")
            return WithinExtent(fields.text("mode"), fields.text("access"), first, count, extent, sizes, place)
        case "same_extent":
            return _same_extent(fields, place)
        case _:
            raise ArtifactError(f"unknown kind of constraint {kind!r}")


def _same_extent(fields: Fields, place: SourcePlace | None) -> SameExtent:
    match fields.items("names"), _fields(fields, "extents"):
        case [str(left), str(right)], (first, second):
            return SameExtent((left, right), (first, second), place)
        case _:
            raise ArtifactError("a constraint on extents has two names and two extents")


def _field(fields: Fields, name: str) -> Polynomial:
    return polynomial_from_json(fields.items(name))


def _fields(fields: Fields, name: str) -> tuple[Polynomial, ...]:
    return tuple(polynomial_from_json(entries(entry, name)) for entry in fields.items(name))


def polynomial_from_json(terms: Sequence[object]) -> Polynomial:
    """The inverse of `polynomial_to_json`. Raises `ArtifactError`."""
    found = Polynomial.of(map(_term, terms))
    if not found.is_small:
        raise ArtifactError("a constraint of the artefact is larger than those that are made")
    return found


def _term(value: object) -> tuple[tuple[Quantity, ...], int]:
    match entries(value, "term"):
        case [int(coefficient), *factors] if not isinstance(coefficient, bool):
            return tuple(map(_quantity, factors)), coefficient
        case _:
            raise ArtifactError("a term of a constraint has an integer as coefficient")


def _quantity(value: object) -> Quantity:
    match entries(value, "quantity"):
        case [str(origin), str(parameter), int(mode)] if origin in _ORIGINS and not isinstance(mode, bool):
            return Quantity(Origin(origin), parameter, mode)
        case _:
            raise ArtifactError("a quantity of a constraint has an origin, a parameter and a mode")


_ORIGINS: Final = frozenset(origin.value for origin in Origin)
