"""Launches of a kernel on a grid, and of kernels in two forms: for arrays that lie apart, and for any others.

Which form runs is decided at each launch, by the arrays that it is given (`aliasing.lie_apart`). Calls without Python
code (`direct`) pass two call sites: the first one takes those like earlier ones whose arrays lie apart, and hands all
others to the second, which takes those whose arrays overlap; what neither knows goes the long way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tilewright.artifacts.artifact import KernelInfo, MemrefParameter, PointerParameter
from tilewright.runtime.aliasing import lie_apart
from tilewright.runtime.direct import ANY_ALIASING, AliasRequirement
from tilewright.runtime.keywords import in_order


class LaunchSite(Struct, frozen=True):
    """A form of a kernel on a grid. `long` checks arguments, launches, and remembers the call; `before` makes a
    callable that takes calls like those, and hands all others on to what it is given."""

    long: Callable[..., None]
    before: Callable[[Callable[..., None]], Callable[..., None]]


def form_apart(info: KernelInfo) -> KernelInfo | None:
    """The form of a kernel for arrays that lie apart, which messages call by the kernel's name; None if it has one form
    for all."""
    return None if info.apart is None else replace(info.apart, name=info.name)


def alias_requirement(info: KernelInfo, is_apart: bool) -> AliasRequirement:
    """What calls of a form have in common: the one for arrays that lie apart knows best what is written."""
    form = info if is_apart else info.apart
    if form is None:
        return ANY_ALIASING
    arrays = [each for each in form.passed if isinstance(each, MemrefParameter | PointerParameter)]
    return AliasRequirement(not is_apart, frozenset(each.name for each in arrays if each.written))


def takes_apart(info: KernelInfo, arguments: Sequence[object]) -> bool:
    """Whether a launch takes the form for arrays that lie apart."""
    if info.apart is None:
        return False
    passed = info.apart.passed
    return len(arguments) == len(passed) and lie_apart(passed, arguments)


def prepared(info: KernelInfo, site: LaunchSite, apart: LaunchSite | None) -> Callable[..., None]:
    """The launches of a kernel, called with its arguments by position or by name; `apart` are those of its form for
    arrays that lie apart."""

    def rest(*arguments: object, **named: object) -> None:
        if named:
            call(*in_order(info, arguments, named))
        elif apart is not None and takes_apart(info, arguments):
            apart.long(*arguments)
        else:
            site.long(*arguments)

    call = site.before(rest) if apart is None else apart.before(site.before(rest))
    return call
