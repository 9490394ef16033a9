"""The signature of a compiled kernel: what a launch must pass, and in which shape the machine wants to be started."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Final, Literal, TypeAlias, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from tilewright.artifacts.constraints import (
    Constraint,
    Lookup,
    Origin,
    Polynomial,
    Quantity,
    WithinGroup,
    quantities_of,
)
from tilewright.artifacts.parts import Parts
from tilewright.artifacts.symbols import mapped_symbol
from tilewright.artifacts.tensor_maps import TensorMap

DTYPES: Final = ("bool", "i8", "i16", "i32", "i64", "index", "bf16", "f16", "f32", "f64", "c32", "c64")

DTYPE_BYTES: Final[Mapping[str, int]] = {
    "bool": 1,
    "i8": 1,
    "i16": 2,
    "i32": 4,
    "i64": 8,
    "index": 8,
    "bf16": 2,
    "f16": 2,
    "f32": 4,
    "f64": 8,
    "c32": 8,
    "c64": 16,
    "tf32": 4,
    "f8E4M3FN": 1,
    "f8E5M2": 1,
    "f8E8M0FNU": 1,
}

INTEGERS: Final = ("i8", "i16", "i32", "i64", "index")
GRID_MODES: Final = 3
MADE_ALIGNMENT: Final = 256
"""Bytes that divide the addresses of memory that launches make."""
_SizeT = TypeVar("_SizeT")

Space: TypeAlias = Literal["global", "local"]

REPORTS: Final = "reports"
"""The fact of a kernel that says what it reports to the host (`artifacts.report_sites`)."""
SCHEDULE: Final = "schedule"
"""The fact of a kernel that says how it runs: on a device in one line, on the CPU which units its products run on."""
TILES: Final = "tiles"
"""The fact of a kernel whose code uses tiles of the CPU, which the system has to permit the process before."""
MAX_GROUPS: Final = "max_groups"
"""The fact of a kernel that says how many work-groups a launch may have along a mode of the grid."""


def _check(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


class ScalarParameter(Struct, frozen=True):
    """A number passed by value."""

    name: str
    dtype: str

    def __post_init__(self) -> None:
        _check(self.dtype in DTYPE_BYTES, f"parameter {self.name}: unknown element type {self.dtype!r}")


class MemrefParameter(Struct, frozen=True):
    """A strided array. `None` among shape and strides is a size that the launch supplies.

    `alignment` is that of the base pointer in bytes. `shape_gcd` and `stride_gcd` promise divisors; entries that are
    missing promise nothing. `noalias` promises that no other argument overlaps this one. `nullable`: None may be given,
    for the kernel does not access the memory, or asks itself whether it is there. Mode k is dimension
    `dimensions[k]` of the array that a launch gives; dimension k if `dimensions` is empty. Where there are `made`, no
    argument is given: it is memory of undefined content that the launch itself makes, packed, mode 0 first, with these
    extents (0 for negative ones).
    """

    name: str
    dtype: str
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    space: Space = "global"
    alignment: int = 1
    shape_gcd: tuple[int, ...] = ()
    stride_gcd: tuple[int, ...] = ()
    written: bool = True
    read: bool = True
    noalias: bool = False
    nullable: bool = True
    dimensions: tuple[int, ...] = ()
    made: tuple[Polynomial, ...] = ()

    def __post_init__(self) -> None:
        where = f"parameter {self.name}"
        _check(len(self.made) in (0, len(self.shape)), f"{where}: as many extents that are made as modes are needed")
        permuted = not self.dimensions or sorted(self.dimensions) == list(range(len(self.shape)))
        _check(permuted, f"{where}: its dimensions are no permutation")
        _check(self.dtype in DTYPE_BYTES and self.dtype != "bool", f"{where}: no memref of {self.dtype!r}")
        _check(len(self.shape) == len(self.strides), f"{where}: as many strides as extents are needed")
        _check(self.space in ("global", "local"), f"{where}: unknown address space {self.space!r}")
        _check(self.alignment > 0, f"{where}: alignment must be positive")
        _check(all(size is None or size >= 0 for size in self.shape), f"{where}: negative extent")
        for divisors in (self.shape_gcd, self.stride_gcd):
            _check(len(divisors) <= len(self.shape), f"{where}: more divisors than modes")
            _check(all(divisor > 0 for divisor in divisors), f"{where}: divisors must be positive")

    def by_modes(self, sizes: tuple[_SizeT, ...]) -> tuple[_SizeT, ...]:
        """What belongs to the dimensions of an array, by modes; as it is for another number of them."""
        if len(sizes) != len(self.dimensions):
            return sizes
        return tuple(sizes[k] for k in self.dimensions)

    def by_dimensions(self, sizes: tuple[_SizeT, ...]) -> tuple[_SizeT, ...]:
        """The inverse of `by_modes`."""
        if len(sizes) != len(self.dimensions):
            return sizes
        return tuple(sizes[self.dimensions.index(k)] for k in range(len(sizes)))

    def dimension(self, mode: int) -> int:
        """The dimension of an array that a mode is."""
        return self.dimensions[mode] if self.dimensions else mode


class GroupParameter(Struct, frozen=True):
    """A table of pointers to arrays of one type; `size` and `offset` of None are supplied by the launch.

    `nullable` is about the table; that of `memref` about the arrays.
    """

    name: str
    memref: MemrefParameter
    size: int | None
    offset: int | None = 0
    nullable: bool = True

    def __post_init__(self) -> None:
        _check(self.size is None or self.size >= 0, f"parameter {self.name}: negative group size")
        _check(self.memref.space == "global", f"parameter {self.name}: a group lies in global memory")


class PointerParameter(Struct, frozen=True):
    """The address of an array of any shape; the kernel itself knows how far it may go, or asks for it if `measured`.

    `alignment` in bytes is promised beyond that of the elements.
    """

    name: str
    dtype: str
    written: bool = True
    nullable: bool = True
    measured: bool = False
    alignment: int = 1

    def __post_init__(self) -> None:
        _check(self.dtype in DTYPE_BYTES, f"parameter {self.name}: unknown element type {self.dtype!r}")
        power = self.alignment > 0 and self.alignment & (self.alignment - 1) == 0
        _check(power, f"parameter {self.name}: an alignment is a power of two")

    def problem(self, address: int) -> str | None:
        """What is wrong with the address of the first element, if anything is."""
        size = DTYPE_BYTES[self.dtype]
        if address % size:
            return f"its address {address:#x} is no multiple of {size}, the size of an element of {self.dtype}"
        if address % self.alignment:
            promised = "the alignment that the kernel was promised"
            return f"its address {address:#x} is no multiple of {self.alignment}, {promised}"
        return None


Parameter: TypeAlias = ScalarParameter | MemrefParameter | GroupParameter | PointerParameter


def _no_facts() -> Mapping[str, str]:
    return {}


class LaunchPlan(Struct, frozen=True):
    """How a grid of work-groups becomes blocks of threads of a device.

    `threads` of a block along x, y and z. A block runs `items` work-groups that follow each other along x, fewer at the
    end of the grid: a grid (x, y, z) takes ceil(x / items) * y * z blocks. If there are `most` along x, each goes on to
    the work-groups that are `most` blocks further on. If the grid is `gathered`, there are at most so many in all,
    along x, each of which takes its share of the work-groups. `cluster` is how many blocks along each mode run at a
    time on neighbouring multiprocessors; it divides the blocks. Each block gets `local_bytes` of the kernel as
    dynamic shared memory. What that has no room for are `scratch_bytes` of the device's memory for each block. Where
    there are `parts`, a work-group is divided among so many blocks, which follow each other along x. `group_bytes` of
    the device's memory are each work-group's, in all launches of a kernel in several launches; where blocks tell each
    other something by them, the first `flag_bytes` are 0 before a launch and behind it. `maps` are what a launch makes
    for boxes that the device copies by itself. A `dependent` launch may begin before the one in front of it in its
    stream is over, for which the code waits. If it `has_mapped`, a launch that has all maps takes another entry
    (`symbols.mapped_symbol`), with the same parameters and geometry, whose code does not ask for them.
    """

    threads: tuple[int, int, int]
    items: int = 1
    cluster: tuple[int, int, int] = (1, 1, 1)
    scratch_bytes: int = 0
    parts: Parts | None = None
    group_bytes: int = 0
    maps: tuple[TensorMap, ...] = ()
    most: int | None = None
    dependent: bool = False
    flag_bytes: int = 0
    gathered: bool = False
    has_mapped: bool = False

    def __post_init__(self) -> None:
        _check(min(self.threads) > 0, "a block has at least one thread along each mode")
        _check(self.items > 0, "a block runs at least one work-group")
        _check(self.most is None or self.most > 0, "there is at least one block")
        _check(self.most is None or self.parts is None, "blocks that go on share no work-group")
        _check(self.most is not None or not self.gathered, "of blocks that share a grid there is a largest number")
        _check(min(self.cluster) > 0, "a cluster has at least one block along each mode")
        _check(self.scratch_bytes >= 0, "negative scratch memory")
        _check(self.group_bytes >= 0, "negative memory of a work-group")
        _check(0 <= self.flag_bytes <= self.group_bytes, "flags are in the memory of a work-group")
        _check(self.parts is None or self.items == 1, "blocks share a work-group or run several")
        _check(bool(self.maps) or not self.has_mapped, "an entry for launches with all maps, of which there are none")

    @property
    def is_clustered(self) -> bool:
        """Whether clusters have more than one block."""
        return self.cluster != (1, 1, 1)

    @property
    def grid_words(self) -> int:
        """What the parameter block says of the grid: how many work-groups there are along x or, of a `gathered` one,
        along each mode; or how many blocks of each there are."""
        if self.gathered:
            return GRID_MODES
        return int(self.items > 1 or self.parts is not None or self.most is not None)

    def blocks(self, grid: tuple[int, int, int], parts: int = 1) -> tuple[int, int, int]:
        """The blocks that run a grid of work-groups, each divided among `parts` blocks."""
        x, y, z = grid
        if self.gathered and self.most is not None:
            return min(x * y * z, self.most), 1, 1
        blocks = -(-x // self.items)
        return (blocks if self.most is None else min(blocks, self.most)) * parts, y, z

    def __str__(self) -> str:
        x, y, z = self.threads
        block = f"blocks of {x * y * z} threads" if y == z == 1 else f"blocks of {x} x {y} x {z} threads"
        work = "a work-group each" if self.items == 1 else f"{self.items} work-groups each"
        work = work if self.parts is None else f"{self.parts} of them for each work-group"
        where = "over the grid" if self.gathered else "along x"
        work += f", {self.most} of them that go on {where}" if self.most is not None else ""
        apart = ", code of its own for launches with maps of all matrices" if self.has_mapped else ""
        clusters = f", clusters of {' x '.join(map(str, self.cluster))} blocks" if self.is_clustered else ""
        what = "bytes of the device's memory a block for what shared memory has no room for"
        scratch = f", {self.scratch_bytes:,} {what}" if self.scratch_bytes else ""
        return f"{block}, {work}{clusters}{scratch}{apart}"


class KernelInfo(Struct, frozen=True):
    """One kernel of an artefact.

    `symbol` is its entry in the code, `local_bytes` the work-group memory that a launch provides for each running
    work-group, `facts` what the language's front end wants to tell users (the signature as written, for instance),
    `constraints` what a launch that runs anything must fulfil, lest the kernel be undefined, `launch` how a device is
    started; None where work-groups are run as they are, one after the other on each thread. `steps` may take the place
    of a launch on a device. `apart` takes its place in launches whose arrays lie apart: no byte of one that it writes
    is one of another argument's.
    """

    name: str
    symbol: str
    parameters: tuple[Parameter, ...]
    subgroup_size: int = 1
    work_group_size: tuple[int, int] = (1, 1)
    local_bytes: int = 0
    facts: Mapping[str, str] = field(default_factory=_no_facts)
    constraints: tuple[Constraint, ...] = ()
    launch: LaunchPlan | None = None
    steps: Steps | None = None
    apart: KernelInfo | None = None

    def __post_init__(self) -> None:
        if self.apart is not None:
            fits = list(map(_passed, self.apart.parameters)) == list(map(_passed, self.parameters))
            fits = fits and self.apart.apart is None and (self.apart.launch is None) == (self.launch is None)
            _check(fits, f"kernel {self.name}: {self.apart.name} cannot take its place")
        for step in () if self.steps is None else self.steps.kernels:
            fits = step.parameters == self.parameters and step.launch is not None and step.steps is None
            _check(fits, f"kernel {self.name}: step {step.name} is no launch with its parameters")
        names = [parameter.name for parameter in self.parameters]
        _check(len(set(names)) == len(names), f"kernel {self.name}: two parameters of one name")
        _check(self.local_bytes >= 0, f"kernel {self.name}: negative local memory")
        _check(self.facts.get(MAX_GROUPS, "0").isdecimal(), f"kernel {self.name}: its limit of the grid is no number")
        known = {parameter.name: parameter for parameter in self.parameters}
        is_made = [bool(made_extents(parameter)) for parameter in self.parameters]
        _check(is_made == sorted(is_made), f"kernel {self.name}: memory that a launch makes comes behind its arguments")
        for quantity in (
            q for parameter in self.parameters for extent in made_extents(parameter) for q in extent.quantities
        ):
            given = known.get(quantity.parameter)
            passed = given is not None and not made_extents(given) and _is_passed(quantity, given)
            _check(passed, f"kernel {self.name}: memory of {quantity}, which a launch does not know")
        for constraint in self.constraints:
            if isinstance(constraint, WithinGroup):
                group = isinstance(known.get(constraint.group), GroupParameter)
                _check(group, f"kernel {self.name}: a constraint on {constraint.group!r}, which is no group")
            for quantity in quantities_of(constraint):
                passed = _is_passed(quantity, known.get(quantity.parameter))
                _check(passed, f"kernel {self.name}: a constraint on {quantity}, which a launch does not know")
        for found in () if self.launch is None else self.launch.maps:
            given = known.get(found.parameter)
            fits = isinstance(given, MemrefParameter | PointerParameter) and not is_local(given)
            _check(fits, f"kernel {self.name}: a map of {found.parameter!r}, which is no memory that a launch passes")
            for quantity in found.quantities:
                passed = quantity.parameter in known and _is_passed(quantity, known[quantity.parameter])
                _check(passed, f"kernel {self.name}: a map of {quantity}, which a launch does not pass")
        for quantity in frozenset[Quantity]() if self.parts is None else self.parts.quantities:
            passed = quantity.origin is not Origin.GROUP_ID and _is_passed(quantity, known.get(quantity.parameter))
            _check(passed, f"kernel {self.name}: as many blocks as {quantity} says, which a launch does not know")

    @property
    def parts(self) -> Parts | None:
        """Among how many blocks of a device each work-group is divided, if it is."""
        return None if self.launch is None else self.launch.parts

    @property
    def max_groups(self) -> int | None:
        """Work-groups that a launch may have along a mode of the grid, where the code relies on such a limit."""
        found = self.facts.get(MAX_GROUPS)
        return None if found is None else int(found)

    @property
    def passed(self) -> tuple[Parameter, ...]:
        """The parameters that a launch takes an argument for: all but memory that it provides itself."""
        return tuple(p for p in self.parameters if not is_local(p) and not made_extents(p))


class Joined(Struct, frozen=True):
    """Grids on which a launch had better compute `count` work-groups that follow each other along `mode` as one: they
    are whole ones, and waves of `blocks` of them, each of which takes `percent` of the time of `count` waves of
    work-groups one by one, are over sooner, though the launch takes so many percent of such a wave more `once`."""

    mode: int
    count: int
    blocks: int
    percent: int
    once: int

    def __post_init__(self) -> None:
        _check(self.mode in range(GRID_MODES), "a grid has no such mode")
        _check(min(self.count, self.blocks, self.percent) > 0, "there are work-groups, and blocks that take time")
        _check(self.once >= 0, "nothing takes less than no time")

    def suits(self, grid: tuple[int, int, int]) -> bool:
        """Whether a grid is one of them."""
        return grid[self.mode] % self.count == 0 and self.pays(prod(grid))

    def pays(self, groups: int) -> bool:
        """Whether so many work-groups are done sooner so."""
        together = -(-groups // (self.count * self.blocks)) * self.count * self.percent + self.once
        return together < -(-groups // self.blocks) * 100


class Steps(Struct, frozen=True):
    """Launches that have a kernel's effect, one after the other: for grids of at most `groups` work-groups, where one
    of them would divide a work-group among `tiles` blocks or more; or a single one, for grids that are `joined`."""

    kernels: tuple[KernelInfo, ...]
    groups: int = 0
    tiles: int = 1
    joined: Joined | None = None

    def __post_init__(self) -> None:
        _check(bool(self.kernels), "a kernel in steps has some")
        _check(self.joined is None or len(self.kernels) == 1, "work-groups are joined in one launch")

    def suit(self, grid: tuple[int, int, int], known: Lookup) -> bool:
        """Whether a launch on a grid takes them."""
        if self.joined is not None:
            return self.joined.suits(grid)
        plans = [step.launch for step in self.kernels]
        most = max(1 if plan is None or plan.parts is None else plan.parts.count(grid, known) for plan in plans)
        return prod(grid) <= self.groups and most >= self.tiles

    @property
    def quantities(self) -> frozenset[Quantity]:
        """Everything of a launch that this depends on beside the grid."""
        found = (step.parts for step in self.kernels)
        return frozenset(q for parts in found if parts is not None for q in parts.quantities)


def with_stand_ins(kernel: KernelInfo) -> tuple[KernelInfo, ...]:
    """A kernel and all that may take its place: launches in steps, and what is for arrays that lie apart."""
    steps = () if kernel.steps is None else kernel.steps.kernels
    return (kernel, *steps, *(() if kernel.apart is None else with_stand_ins(kernel.apart)))


def _passed(parameter: Parameter) -> Parameter:
    """What a launch puts into the slots of a parameter, without what it demands of it."""
    match parameter:
        case ScalarParameter():
            return parameter
        case MemrefParameter():
            return replace(parameter, written=True, read=True, noalias=False, nullable=True)
        case PointerParameter():
            return replace(parameter, written=True, nullable=True)
        case GroupParameter():
            return replace(parameter, memref=_passed(parameter.memref), nullable=True)


def _is_passed(quantity: Quantity, parameter: Parameter | None) -> bool:
    """Whether a launch passes the quantity to the kernel."""
    match quantity.origin, parameter:
        case Origin.VALUE, ScalarParameter():
            return parameter.dtype in INTEGERS
        case Origin.EXTENT, MemrefParameter():
            return 0 <= quantity.mode < len(parameter.shape) and parameter.shape[quantity.mode] is None
        case Origin.STRIDE, MemrefParameter():
            return 0 <= quantity.mode < len(parameter.strides) and parameter.strides[quantity.mode] is None
        case Origin.SIZE, GroupParameter():
            return parameter.size is None
        case ((Origin.NUM_GROUPS | Origin.GROUP_ID), None):
            return 0 <= quantity.mode < GRID_MODES and not quantity.parameter
        case _:
            return False


def is_local(parameter: Parameter) -> bool:
    """Whether this is work-group memory, which the launch itself provides."""
    return isinstance(parameter, MemrefParameter) and parameter.space == "local"


def made_extents(parameter: Parameter) -> tuple[Polynomial, ...]:
    """The extents of memory that a launch makes for a parameter; none if it takes an argument."""
    return parameter.made if isinstance(parameter, MemrefParameter) else ()


def entry_symbols(kernel: KernelInfo) -> tuple[str, ...]:
    """The symbols of a kernel in the code: of all launches, and of those with all maps, if that is another one."""
    has_mapped = kernel.launch is not None and kernel.launch.has_mapped
    return (kernel.symbol, *((mapped_symbol(kernel.symbol),) if has_mapped else ()))
