"""Launches of kernels on the memory of a device."""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence

import numpy as np

from .clusters import Cluster, Member, nobody
from .frame import Frame
from .memory import READABLE, WINDOW, Memory
from .program import Program
from .races import Launched
from .team import Block, DeadlockError, Placed, Rules, Team
from .text import EmulatorError

__all__ = ["DeadlockError", "Device", "Program"]


class Device:
    """Memory, and kernels launched on it.

    `schedule` picks who runs next; without it who stands first in the text. Programs that race on purpose, by storing
    equal numbers at one address for instance, want `races` not to be looked for.
    """

    def __init__(self, schedule: random.Random | None = None, races: bool = True) -> None:
        self.memory = Memory()
        self.schedule, self.races = schedule, races

    @property
    def _rules(self) -> Rules:
        return Rules(self.schedule, self.races)

    def call(self, program: Program, name: str, threads: int, arguments: Sequence[int]) -> None:
        """Let threads run a function, of whichever target, at one time and with the same arguments."""
        code = Placed(self.memory, self._rules, program, program.placed(self.memory), threads, Launched(1, WINDOW))
        team = Team(code, Block(0, (0, 0, 0), (1, 1, 1)), Cluster(self.memory))
        values = [np.array([argument]) for argument in arguments]
        with np.errstate(all="ignore"):
            team.run(Frame(program.code(name), team, np.arange(threads), values))

    def launch(
        self, program: Program, symbol: str, grid: tuple[int, int, int], slots: bytes, shared_bytes: int
    ) -> None:
        """Run all blocks of a kernel, each with fresh shared memory, those of a cluster together.

        Raises EmulatorError, RaceError or UndefinedError for what the code may not do.
        """
        function, blocks = program.code(symbol).function, grid[0] * grid[1] * grid[2]
        if grid[0] % function.cluster:
            raise EmulatorError(f"{grid[0]} blocks are no clusters of {function.cluster}")
        parameters = self.memory.allocate(sum(p.bytes for p in function.parameters), READABLE)
        parameters.write(slots)
        launched, addresses = Launched(blocks, WINDOW), program.placed(self.memory)
        code = Placed(self.memory, self._rules, program, addresses, function.threads, launched)
        arguments = [np.array([parameters.address])] * len(function.parameters)
        with np.errstate(all="ignore"):
            for first in range(0, blocks, function.cluster):
                windows = [self.memory.share(shared_bytes)]
                windows += [self.memory.aside(shared_bytes) for _ in range(1, function.cluster)]
                cluster, running = Cluster(self.memory), list[tuple[Member, Generator[bool]]]()
                for number, window in enumerate(windows, first):
                    position = (number % grid[0], number // grid[0] % grid[1], number // (grid[0] * grid[1]))
                    team = Team(code, Block(number, position, grid), cluster)
                    arrived = nobody(function.threads)
                    cluster.members.append(Member(team, window, arrived, gone=arrived > 0))
                    frame = Frame(program.code(symbol), team, np.arange(function.threads), arguments)
                    running.append((cluster.members[-1], team.steps(frame)))
                self._together(running)
            launched.close()

    def _together(self, running: list[tuple[Member, Generator[bool]]]) -> None:
        """Let the blocks of a cluster run to their ends, each until it waits for others."""
        while running:
            order = running if self.schedule is None else self.schedule.sample(running, len(running))
            went = False
            for member, steps in list(order):
                self.memory.map(member.window)
                found = next(steps, None)
                member.has_ended = found is None
                went |= found is not False
                if found is None:
                    running.remove((member, steps))
            if not went:
                raise DeadlockError("the blocks of a cluster wait for each other")
