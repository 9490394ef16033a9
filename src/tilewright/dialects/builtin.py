"""Modules and kernels: what every program consists of, on every floor."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.ir.core import Attribute, BlockArgument
from tilewright.ir.definition import ISOLATED, Operation, Region, attribute, optional_attribute, region
from tilewright.ir.schedules import ScheduleError, parse_line


class Module(Operation, name="builtin.module", traits=(ISOLATED,)):
    """A program: any number of kernels."""

    body: Region = region()

    @property
    def kernels(self) -> list[Kernel]:
        """The kernels in order."""
        return [op for op in self.body.entry if isinstance(op, Kernel)]

    def kernel(self, name: str) -> Kernel:
        """The kernel of a name, which the program has."""
        return next(kernel for kernel in self.kernels if kernel.sym_name == name)

    def steps_of(self, kernel: Kernel) -> list[Kernel]:
        """The launches that may take the place of one of a kernel, in order."""
        return [other for other in self.kernels if other.step_of == kernel.sym_name]

    def apart_from(self, kernel: Kernel) -> Kernel | None:
        """What takes a kernel's place where arrays do not overlap, if there is such a kernel."""
        of = (other for other in self.kernels if other.step_of is None and other.apart_of == kernel.sym_name)
        return next(of, None)


class Kernel(Operation, name="builtin.kernel", traits=(ISOLATED,)):
    """A function that the host launches once for each work-group of a grid.

    The entry block's arguments are the parameters; `parameter_attributes` holds one dictionary for each (alignment,
    shape_gcd, stride_gcd, "noalias", "read_only", the `divisor` and the `least` of an integer, dimensions, "made", the
    extents of memory that a launch makes itself, as `constraint_codec` writes them, and quoted names kept as they are).
    `language_attributes` holds the function's quoted attributes. `local_bytes` is the work-group memory its allocations
    take once the stack is assigned; a launch has at most `max_groups` work-groups along a mode of its grid.
    `launch_constraints` says what else a launch must fulfil, as `constraint_codec` writes it. `nonnull` and
    `nonnull_elements` are the numbers of the parameters that must not be null and of the groups that must not have
    nulls among their elements; None if nobody has found out (`derive-null-arguments`). `spread` says that the machine
    may choose how many work-items there are, since the program cannot tell; `schedule` how the machine runs the kernel
    (`ir/schedules.py`). The body is run once for each `items` work-groups that follow each other along x, fewer at the
    end of the grid, and `team.group_id` is the first of them; where there are `most_blocks`, no more run along x, each
    of which goes on by itself to those that are so many blocks further on. Where the grid is `gathered`, there are at
    most so many blocks in all, each of which runs the body once and takes its share of the work-groups: `team.part`
    tells blocks apart, no `team.group_id` is asked for, and the result does not depend on how many there are. Where
    `parts` is there, each work-group is divided among several blocks, which run the body each (`team.part` tells them
    apart); how many the launch chooses as it says (`artifacts/parts.py`), and the result does not depend on that. Where
    there is a `cluster`, so many of these blocks along m and n of products run at a time beside each other
    (`dialects/gpu_clusters.py`); of each work-group there are whole clusters.

    A kernel that is a `step_of` another one is one of the launches that have the other's effect when they come one
    after the other; `group_bytes` of the device's memory are each work-group's in all of them (`memref.group_memory`).
    Blocks that divide a work-group may have such memory without steps: the first `flag_bytes` of it are 0 before each
    launch and behind it.
    They are for grids of so many work-groups at most, and so many blocks of a work-group at least, as `stepped` of the
    other kernel says; or a single one, whose blocks compute several work-groups as one, for grids that `joined` says:
    along which mode of the grid how many are one, and what that takes, as `Joined` of `artifacts/parameters.py` has it.
    A kernel that is `apart_of` another one takes its place in launches that write to no array which overlaps another
    argument. `held_up` says how often a pass was careful for such overlaps, by its name, until `separate-arrays` has
    seen it. The body is a collective region.
    """

    sym_name: str = attribute(str)
    body: Region = region()
    subgroup_size: int | None = optional_attribute(int, default=None)
    work_group_size: tuple[int, int] | None = optional_attribute(tuple, default=None)
    parameter_attributes: tuple[dict[str, Attribute], ...] = optional_attribute(tuple, default=())
    language_attributes: dict[str, Attribute] | None = optional_attribute(dict, default=None)
    local_bytes: int = optional_attribute(int, default=0)
    max_groups: int | None = optional_attribute(int, default=None)
    launch_constraints: tuple[Attribute, ...] = optional_attribute(tuple, default=())
    nonnull: tuple[int, ...] | None = optional_attribute(tuple, default=None)
    nonnull_elements: tuple[int, ...] | None = optional_attribute(tuple, default=None)
    spread: bool = optional_attribute(bool, default=False)
    schedule: str | None = optional_attribute(str, default=None)
    items: int = optional_attribute(int, default=1)
    most_blocks: int | None = optional_attribute(int, default=None)
    gathered: bool = optional_attribute(bool, default=False)
    parts: dict[str, Attribute] | None = optional_attribute(dict, default=None)
    step_of: str | None = optional_attribute(str, default=None)
    group_bytes: int = optional_attribute(int, default=0)
    flag_bytes: int = optional_attribute(int, default=0)
    stepped: tuple[int, int] | None = optional_attribute(tuple, default=None)
    joined: tuple[int, ...] | None = optional_attribute(tuple, default=None)
    cluster: tuple[int, int] | None = optional_attribute(tuple, default=None)
    apart_of: str | None = optional_attribute(str, default=None)
    held_up: dict[str, Attribute] | None = optional_attribute(dict, default=None)

    def verify(self, report: Report) -> None:
        try:
            parse_line(self.schedule or "")
        except ScheduleError as error:
            report.error(self.definition.code, self.location, f"kernel {self.sym_name} has no schedule: {error}")

    @property
    def launched_as(self) -> str:
        """The name of the kernel that callers launch, in whose place this one, if it is another one, may run."""
        return self.apart_of or self.step_of or self.sym_name

    @property
    def is_head(self) -> bool:
        """Whether callers launch it by its name."""
        return self.apart_of is None and self.step_of is None

    @property
    def parameters(self) -> list[BlockArgument]:
        """The entry block's arguments."""
        return self.body.entry.arguments

    def attributes_of(self, parameter: BlockArgument) -> dict[str, Attribute]:
        """Attribute dictionary of a parameter; empty if it has none."""
        found = self.parameter_attributes
        return found[parameter.index] if parameter.index < len(found) else {}
