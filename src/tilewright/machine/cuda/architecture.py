"""The generations of NVIDIA devices, for compiling and for launching."""

from __future__ import annotations

from enum import Enum


class Architecture(Enum):
    """The GPU generations that code is made for; the value is what LLVM and ptxas call them."""

    SM_80 = "sm_80"
    SM_90A = "sm_90a"

    @property
    def features(self) -> str:
        """The PTX version: the oldest that knows the architecture, so that the oldest drivers take the text."""
        return "+ptx80" if self is Architecture.SM_90A else "+ptx70"

    @property
    def multiplies_by_groups(self) -> bool:
        """Whether groups of four warps have an instruction of their own (`wgmma`)."""
        return self is Architecture.SM_90A

    @property
    def has_clusters(self) -> bool:
        """Whether blocks run in clusters, which reach each other's shared memory."""
        return self is Architecture.SM_90A

    @property
    def has_dependent_launches(self) -> bool:
        """Whether a launch may begin while the one before it ends, and wait for that one by itself."""
        return self is Architecture.SM_90A

    @property
    def shared_bytes(self) -> int:
        """Shared memory that a block may have."""
        return (227 if self is Architecture.SM_90A else 163) * 1024

    @property
    def multiprocessor_shared_bytes(self) -> int:
        """Shared memory that all blocks of a multiprocessor have."""
        return (228 if self is Architecture.SM_90A else 164) * 1024

    @staticmethod
    def of_capability(capability: tuple[int, int]) -> Architecture:
        """The best architecture that a device runs; ValueError if it is too old."""
        if capability == (9, 0):
            return Architecture.SM_90A
        if capability >= (8, 0):
            return Architecture.SM_80
        raise ValueError(f"compute capability {capability[0]}.{capability[1]} is below 8.0, the oldest supported")
