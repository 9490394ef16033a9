"""A product of matrices on its way from three loops to the tensor cores of a GPU, in seventeen named stages.

The stages are those of Katel, Khandelwal and Bondhugula (2021). Each is a pass over a function of MLIR and a check of
what holds behind it; every program in between is MLIR that runs with the same result.
"""

from tilewright.transforms.matmul_stages.runner import Outcome, run_stages
from tilewright.transforms.matmul_stages.schedule import Schedule, parse_schedule
from tilewright.transforms.matmul_stages.stages import NAMES, STAGES, Stage

__all__ = ["NAMES", "STAGES", "Outcome", "Schedule", "Stage", "parse_schedule", "run_stages"]
