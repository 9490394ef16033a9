"""Compiling in a process of its own: what it takes, and that it ends when it takes too much."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Final

_CHILD: Final = """
import json, resource, sys, time
import tilewright as tw

text, target = sys.stdin.read(), sys.argv[1]
seconds, most = float(sys.argv[2]), int(float(sys.argv[3]) * 1e6)
resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 2, int(seconds) + 4))
resource.setrlimit(resource.RLIMIT_DATA, (2 * most, 2 * most))
start = time.process_time()
try:
    tw.compile(text, target=target, cache=False)
    outcome = "compiled"
except tw.CompileError as error:
    found = error.diagnostics[0]
    outcome = f"refused {found.code}"
taken = time.process_time() - start
print(json.dumps([taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6, outcome]))
"""
_SIGNALS: Final = {-24: "killed after its CPU time", -9: "killed"}


@dataclass(frozen=True, slots=True)
class Compilation:
    """CPU seconds and peak megabytes (Python's own included); `outcome` is compiled, refused with a code, or worse."""

    seconds: float
    megabytes: float
    outcome: str

    def within(self, seconds: float, megabytes: float) -> bool:
        """Whether it ended as it should and took no more than that."""
        fine = self.outcome == "compiled" or self.outcome.startswith("refused ")
        return fine and self.seconds <= seconds and self.megabytes <= megabytes


def compile_capped(text: str, target: str, seconds: float, megabytes: float) -> Compilation:
    """Compile a text without the cache; it is stopped soon after `seconds` of CPU time, and at twice the memory."""
    command = [sys.executable, "-c", _CHILD, target, str(seconds), str(megabytes)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        taken, peak, outcome = json.loads(done.stdout.splitlines()[-1])
        return Compilation(taken, peak, outcome)
    why = _SIGNALS.get(done.returncode) or (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    return Compilation(seconds, megabytes, why)
