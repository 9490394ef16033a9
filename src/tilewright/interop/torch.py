"""Kernels as operators of PyTorch, which `torch.compile` and autograd know.

    add = tw.torch.custom_op(program.add, grid=1)                            # add(x, y, out) writes into `out`
    sum_of = tw.torch.custom_op(program.add, grid=1, outputs={"out": lambda x, y: torch.empty_like(x)})   # gives it

An operator has the parameters of the kernel: tensors for memrefs and pointers, lists of them for groups, numbers. What
the kernel writes is declared as changed. Outputs are parameters that the operator makes and returns instead.
"""

from __future__ import annotations

import importlib
import itertools
import keyword
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol, cast, runtime_checkable

from msgspec import Struct

from tilewright.artifacts.parameters import (
    GroupParameter,
    MemrefParameter,
    Parameter,
    PointerParameter,
    ScalarParameter,
)
from tilewright.runtime.grid import Grid

if TYPE_CHECKING:
    from tilewright.program import Kernel

Make = Callable[..., object]
"""From the operator's arguments to an empty tensor."""


class Operator(Protocol):
    """An operator of torch (`torch.library.CustomOpDef`)."""

    def __call__(self, *arguments: object) -> object: ...

    def register_kernel(self, device_types: str, /) -> Callable[[Callable[..., object]], object]: ...

    def register_fake(self, fn: Callable[..., object], /) -> object: ...

    def register_autograd(
        self, backward: Callable[..., object], /, *, setup_context: Callable[..., None] | None
    ) -> None: ...


class _Library(Protocol):
    """`torch.library`."""

    def custom_op(
        self, name: str, fn: Callable[..., object], /, *, mutates_args: Sequence[str], device_types: str, schema: str
    ) -> Operator: ...


@runtime_checkable
class _Tensor(Protocol):
    def detach(self) -> object: ...


class Gradient(Struct, frozen=True):
    """A formula, as of `torch.library.register_autograd`.

    `backward`, called with a context and the gradients of the outputs, gives those of the arguments (None for numbers);
    `setup_context`, called with the context, the arguments and the outputs, keeps in it what that needs.
    """

    backward: Callable[..., object]
    setup_context: Callable[..., None] | None = None


def custom_op(
    *kernels: Kernel,
    grid: Grid | Callable[..., Grid] = 1,
    name: str | None = None,
    outputs: Mapping[str, Make] | None = None,
    gradient: Gradient | None = None,
) -> Operator:
    """An operator of torch that launches a kernel on `grid`, or on what `grid` gives for the operator's arguments.

    `kernels` are one kernel, or the same one compiled for the CPU and for NVIDIA devices: each runs tensors that are
    there. The operator is called `name`, by default `tilewright::` and the kernel's name. `outputs` says of parameters
    that the operator returns them, and how the tensors are made (the same for `torch.compile`'s fake tensors); the
    others are changed in place where the kernel writes them. A `gradient` is for operators that change nothing.

    Raises ValueError for kernels that do not fit each other, outputs that are no arrays that the kernel writes, and a
    gradient of an operator that changes its arguments; ImportError without torch.
    """
    library = cast("_Library", importlib.import_module("torch.library"))
    chosen = outputs or {}
    first = _common(kernels)
    _check_outputs(first, chosen)
    inputs = [p for p in first.info.passed if p.name not in chosen]
    changed = [p for p in inputs if _is_written(p)]
    if gradient is not None and changed:
        written = ", ".join(p.name for p in changed)
        raise ValueError(
            f"kernel {first.name} writes to {written}: only operators that change nothing have gradients; name what it "
            f"writes among the outputs"
        )
    names = _names(inputs)
    declared = ", ".join(_declared(k, name, p) for k, (name, p) in enumerate(zip(names, inputs, strict=True)))
    schema = f"({declared}) -> {_results(len(chosen))}"
    made = [chosen[p.name] for p in first.info.passed if p.name in chosen]
    mutated = [name for name, p in zip(names, inputs, strict=True) if _is_written(p)]
    runs = {_device(kernel): _launching(kernel, chosen, grid) for kernel in kernels}
    device, *others = runs
    called = name or f"tilewright::{first.name}"
    operator = library.custom_op(called, runs[device], mutates_args=mutated, device_types=device, schema=schema)
    for other in others:
        operator.register_kernel(other)(runs[other])
    operator.register_fake(lambda *arguments: _given([make(*arguments) for make in made]))
    if gradient is not None:
        operator.register_autograd(gradient.backward, setup_context=gradient.setup_context)
    return operator


def _common(kernels: Sequence[Kernel]) -> Kernel:
    """The first kernel, whose signature all have."""
    if not kernels:
        raise ValueError("an operator needs a kernel")
    first, *others = kernels
    for other in others:
        if other.signature != first.signature:
            raise ValueError(f"the kernels of an operator have one signature, not {first.signature}, {other.signature}")
    if len({_device(kernel) for kernel in kernels}) < len(kernels):
        raise ValueError(f"two kernels {first.name} are for tensors on {_device(first)}; give one for each device")
    return first


def _device(kernel: Kernel) -> str:
    return "cpu" if kernel.info.launch is None else "cuda"


def _check_outputs(kernel: Kernel, outputs: Mapping[str, Make]) -> None:
    known = {p.name: p for p in kernel.info.passed}
    for name in outputs:
        found = known.get(name)
        if not isinstance(found, MemrefParameter | PointerParameter) or not found.written:
            arrays = ", ".join(p.name for p in known.values() if _is_written(p)) or "none"
            raise ValueError(
                f"kernel {kernel.name} writes no array {name!r} that could be an output; it writes {arrays}"
            )


def _is_written(parameter: Parameter) -> bool:
    match parameter:
        case MemrefParameter() | PointerParameter():
            return parameter.written
        case GroupParameter():
            return parameter.memref.written
        case ScalarParameter():
            return False


_NUMBERS: Final = {"bool": "bool", "c32": "complex", "c64": "complex"}


def _declared(number: int, name: str, parameter: Parameter) -> str:
    """An argument in a schema."""
    mark = f"(a{number}!)" if _is_written(parameter) else ""
    match parameter:
        case ScalarParameter(dtype=dtype):
            usual = "int" if dtype in ("i8", "i16", "i32", "i64", "index") else "float"
            return f"{_NUMBERS.get(dtype, usual)} {name}"
        case GroupParameter():
            return f"Tensor{mark}[] {name}"
        case MemrefParameter() | PointerParameter():
            return f"Tensor{mark} {name}"


def _names(parameters: Sequence[Parameter]) -> list[str]:
    """What arguments are called in a schema and in code that torch writes: as in the kernel, but for keywords."""
    given = {parameter.name for parameter in parameters}
    free = (name for k in itertools.count() if (name := f"argument{k}") not in given)
    return [p.name if _is_plain(p.name) else next(free) for p in parameters]


def _is_plain(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and name != "self"


def _results(count: int) -> str:
    return "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"


def _given(tensors: list[object]) -> object:
    """Results as torch takes them."""
    return None if not tensors else tensors[0] if len(tensors) == 1 else tuple(tensors)


def _launching(kernel: Kernel, outputs: Mapping[str, Make], grid: Grid | Callable[..., Grid]) -> Callable[..., object]:
    """The operator on one kind of device."""
    names = [parameter.name for parameter in kernel.info.passed]

    def run(*arguments: object) -> object:
        made = {name: outputs[name](*arguments) for name in names if name in outputs}
        rest = iter(arguments)
        passed = [made[name] if name in made else _detached(next(rest)) for name in names]
        kernel[grid(*arguments) if callable(grid) else grid](*passed)
        return _given(list(made.values()))

    return run


def _detached(argument: object) -> object:
    """Tensors without their history, which autograd has taken note of before."""
    if isinstance(argument, _Tensor):
        return argument.detach()
    if isinstance(argument, list | tuple):
        return [_detached(item) for item in cast("Sequence[object]", argument)]
    return argument
