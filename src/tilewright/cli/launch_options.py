"""What `run` and `bench` have in common: the options that say what is launched, and getting it ready."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click
from msgspec import Struct

from tilewright.cli import completers
from tilewright.cli.inputs import definitions, language_options, read_source, std_option
from tilewright.cli.output import show
from tilewright.numerics.precision import Precision
from tilewright.program import Kernel, Program
from tilewright.runtime.errors import LaunchError
from tilewright.runtime.grid import Extents, grid_extents
from tilewright.settings.product_units import UNIT_WORDS
from tilewright.targets import find_target, target_names

if TYPE_CHECKING:
    from tilewright.languages import Std


class ReadyLaunch(Struct, frozen=True):
    """A kernel with its grid and an argument for every parameter that takes one."""

    kernel: Kernel
    grid: Extents
    arguments: Mapping[str, object]

    @contextmanager
    def prepared(self) -> Generator[Callable[[], None]]:
        """What runs the kernel and waits for it. Behind the block the arrays are as the kernel has left them.

        Raises what launches raise, for a device `DriverUnavailable` too.
        """
        launch, given = self.kernel[self.grid], list(self.arguments.values())
        if self.kernel.info.launch is None:
            yield functools.partial(launch, *given)
            return
        from tilewright.machine.cuda.driver import open_device
        from tilewright.runtime.nvidia.copies import DeviceCopies

        context = open_device()
        copies = DeviceCopies(context, given)

        def launch_and_wait() -> None:
            launch(*copies.arguments)
            context.synchronize()

        yield launch_and_wait
        copies.finish()


class LaunchRequest(Struct, frozen=True):
    """The options as they were written."""

    file: str
    kernel_name: str | None
    grid: str
    pairs: tuple[str, ...]
    target: str | None
    level: int
    values: tuple[str, ...]
    std: Std
    checked: bool
    precision: str
    units: str | None
    schedule: str | None
    tuned: str | None
    chosen: Mapping[str, str]

    def kernel(self, default: str = "cpu") -> Kernel:
        """Compile, and choose the kernel; for the target `default` unless one was named."""
        from tilewright.api import compile as compile_kernel

        program = compile_kernel(
            read_source(self.file),
            target=self._target(default),
            level=self.level,
            definitions=definitions(self.values),
            checked=self.checked,
            precision=self.precision,
            std=self.std,
            units=self.units,
            schedule=self.schedule,
            tuned=self.tuned,
            language_options=self.chosen,
        )
        show(program.warnings, "text", sys.stderr)
        return choose(program, self.kernel_name)

    def ready(self, kernel: Kernel, *, seed: int = 0) -> ReadyLaunch:
        """The kernel's arguments: as given, and the others made up."""
        from tilewright.cli.arguments import make_arguments, parse_pairs

        grid = parse_grid(self.grid)
        return ReadyLaunch(kernel, grid, make_arguments(kernel.info, parse_pairs(self.pairs), seed, grid))

    def _target(self, default: str) -> str:
        target = self.target or default
        if self.checked and target != "interpreter":
            refuse_unchecked(target)
        return target


def refuse_unchecked(target: str) -> None:
    """A usage error for `--checked` on a target that cannot check. Raises `UnknownTarget` too."""
    if not find_target(target).can_check:
        raise click.UsageError(f"--checked: code for --target {target} cannot check its accesses; the interpreter can")


def parse_grid(text: str) -> Extents:
    """`100` or `4,5,6`."""
    try:
        extents = [int(part) for part in text.split(",")]
    except ValueError:
        raise click.UsageError(f"--grid {text}: one to three integers, separated by commas") from None
    try:
        return grid_extents(extents)
    except LaunchError as error:
        raise click.UsageError(f"--grid {text}: {error}") from None


def choose(program: Program, name: str | None) -> Kernel:
    """The named kernel, or the only one."""
    kernels = {kernel.name: kernel for kernel in program}
    if name is None and len(kernels) == 1:
        return next(iter(kernels.values()))
    if name is None or name not in kernels:
        raise click.UsageError(f"name one of the kernels with --kernel: {', '.join(kernels) or 'there is none'}")
    return kernels[name]


def precision_option(command: Callable[..., None]) -> Callable[..., None]:
    """`--precision`: in what products of f32 multiply, and whether those of floats of 8 bits may sum in fewer bits."""
    names = click.Choice([each.value for each in Precision])
    return click.option("--precision", type=names, default="exact", help="How exactly products multiply and sum.")(
        command
    )


def units_option(command: Callable[..., None]) -> Callable[..., None]:
    """`--units`: which product units code for the CPU may use."""
    names = ",".join(UNIT_WORDS)
    return click.option("--units", metavar=names, default=None, help="Product units that code for the CPU may use.")(
        command
    )


def schedule_option(command: Callable[..., None]) -> Callable[..., None]:
    """`--schedule`: how kernels run on a GPU."""
    text = 'How kernels run on a GPU, as Kernel.schedule tells it: "lanes threads=256".'
    return click.option("--schedule", metavar="LINE", default=None, help=text)(command)


def tuned_option(command: Callable[..., None]) -> Callable[..., None]:
    """`--tuned`: which file schedules are taken from."""
    text = "Take schedules that tuning found from this file, not from the user's and the one beside the kernel."
    option = click.option("--tuned", metavar="FILE", default=None, help=text, shell_complete=completers.files)
    return option(command)


_OPTIONS: Final = (
    click.argument("file", shell_complete=completers.files),
    click.option("--kernel", "kernel_name", default=None, help="Which kernel; may be left out if there is only one."),
    click.option("--grid", default="1", help="Work-groups: n, or x,y,z."),
    click.option("--arg", "pairs", multiple=True, metavar="NAME=SPEC", help="A number, random(4,5), zeros(..), a.npy."),
    click.option(
        "--target",
        default=None,
        help=f"{', '.join(target_names())}, or interpreter; default: cpu.",
        shell_complete=completers.launch_targets,
    ),
    click.option("-O", "level", type=click.IntRange(0, 2), default=2, help="0 lowers only, 2 optimises."),
    click.option("-D", "values", multiple=True, metavar="NAME=VALUE", help="Give a $definition from outside."),
    click.option("--checked", is_flag=True, help="Stop at accesses out of bounds; in the interpreter also at races."),
    precision_option,
    units_option,
    schedule_option,
    tuned_option,
    std_option,
    language_options,
)


def launch_options(command: Callable[..., None]) -> Callable[..., None]:
    """Options that the command takes together, as a `LaunchRequest` in front of its own."""

    @functools.wraps(command)
    def collected(
        file: str,
        kernel_name: str | None,
        grid: str,
        pairs: tuple[str, ...],
        target: str | None,
        level: int,
        values: tuple[str, ...],
        checked: bool,
        precision: str,
        units: str | None,
        schedule: str | None,
        tuned: str | None,
        std: Std,
        chosen: Mapping[str, str],
        **own: object,
    ) -> None:
        request = LaunchRequest(
            *(file, kernel_name, grid, pairs, target, level, values, std, checked, precision),
            *(units, schedule, tuned, chosen),
        )
        command(request, **own)

    result: Callable[..., None] = collected
    for option in reversed(_OPTIONS):
        result = option(result)
    return result
