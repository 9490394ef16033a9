"""Nested work without nested Python calls: regions may be as deep as the limit allows, whatever the stack holds."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")

Steps = Generator[Generator[Any, Any, Any], Any, ResultT]
"""Work that yields the parts it needs done and is sent their results."""


def run(work: Steps[ResultT]) -> ResultT:
    """The result of `work`. What a part raises is raised where it was asked for."""
    stack: list[Generator[Any, Any, Any]] = [work]
    value: Any = None
    failure: Exception | None = None
    while True:
        try:
            if failure is None:
                part = stack[-1].send(value)
            else:
                error, failure = failure, None
                part = stack[-1].throw(error)
        except StopIteration as end:
            stack.pop()
            value = end.value
            if not stack:
                return value
        except Exception as error:
            stack.pop()
            if not stack:
                raise
            failure = error
        else:
            stack.append(part)
            value = None
