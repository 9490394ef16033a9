"""Settings and random data of all tests; what a run did and what it left out."""

from __future__ import annotations

import gc
import os
import random
import secrets
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from budget import SPENT, seconds_so_far, table
from covering import MARK, asked_for, family_of, skipped, thinned
from effort import GIVEN_SEED, SEED, THOROUGH, Ran, thorough
from halves import collect_from_an_end, in_order
from turns import read_turns, resting

if TYPE_CHECKING:
    import numpy as np

# Both before NumPy is imported. Threads of its BLAS keep a core busy for some time after each product, and the cores
# have other tests to run.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The emulated device has tens of megabytes, of which kernels touch little: in huge pages, the system would clear 2 MiB
# for each byte.
os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="many more random cases (tests/effort.py)")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("thorough"):
        os.environ[THOROUGH] = "1"
    # A deadline in milliseconds says something about the machine's load, not about the code.
    examples, too_slow = 500 if thorough() else 30, [HealthCheck.too_slow]
    settings.register_profile("tilewright", deadline=None, suppress_health_check=too_slow, max_examples=examples)
    settings.load_profile("tilewright")
    config.addinivalue_line("markers", f"{MARK}(strength): a run takes some of the combinations (tests/covering.py)")
    if not hasattr(config, "workerinput"):
        os.environ[_COVERING] = str(SEED)
        _use_new_cache(config)
    collect_from_an_end(config)
    # Hypothesis would parse all modules of the package in each process, for numbers and words to try.
    patched = pytest.MonkeyPatch()
    patched.setattr("hypothesis.internal.conjecture.providers.is_local_module_file", _is_no_source, raising=False)
    config.add_cleanup(patched.undo)


def _is_no_source(_path: str) -> bool:
    return False


_COVERING = "TILEWRIGHT_RANDOM_COVERING"
"""The seed of what is left out: all processes that a run is distributed among leave out the same."""
_COUNTS = pytest.StashKey[dict[str, tuple[int, int]]]()
"""How many combinations of each test a run takes, of how many."""
_RESTING = pytest.StashKey[int]()
"""How many tests take turns and rest in this run."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collecting makes little garbage, and many objects."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Leave out combinations of tests that bear the mark, unless all are asked for."""
    in_order(config, items)
    yield
    if thorough():
        return
    rnd, turns = random.Random(os.environ[_COVERING]), read_turns(Path(__file__).with_name("turns.toml"))
    left_out, counts = thinned(items, rnd, asked_for(config))
    gone = set(left_out)
    left = [item for item in items if item not in gone and not skipped(item)]
    rest = resting(left, turns, rnd, asked_for(config, without_parameters=True))
    for name, number in Counter(family_of(item) for item in rest if isinstance(item, pytest.Function)).items():
        if name in counts:
            counts[name] = counts[name][0] - number, counts[name][1]
    gone |= set(rest)
    if gone:
        config.hook.pytest_deselected(items=[item for item in items if item in gone])
        items[:] = [item for item in items if item not in gone]
    config.stash[_COUNTS] = counts
    config.stash[_RESTING] = len(rest)
    if hasattr(config, "workeroutput"):
        cast("Any", config).workeroutput[MARK] = counts, len(rest)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Tests that are distributed take two messages each, their report and their end, if nothing else happened.

    They would take six: to pack and unpack those takes as long as many of the tests.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    before = seconds_so_far()
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    reports[min(1, len(reports) - 2)].user_properties.append((SPENT, seconds_so_far() - before))
    for report in reports:
        if report.when == "call" or not report.passed or report.sections or report.duration >= _SHOWN:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


_SHOWN: Final = 0.005
"""Seconds from which on `--durations` shows the parts of a test."""


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """What a process among which the run was distributed has left out."""
    counts, resting = getattr(node, "workeroutput", {}).get(MARK, ({}, 0))
    node.config.stash[_COUNTS] = counts
    node.config.stash[_RESTING] = resting


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What has been collected stays to the end: the garbage collector need not walk it thousands of times.

    A compiler makes many objects that live as long as a module: looking through them after each 700 new ones, as
    Python does unless told otherwise, takes a fifth of the time of tests that compile.
    """
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, 50, 1000)


_NEW_OBJECTS: Final = 3_000
"""So many before the garbage collector looks for circles among them: more than Python's 700, since a module that is
being compiled lives on, and few enough that the processor's cache holds them."""


def _use_new_cache(config: pytest.Config) -> None:
    """Keep what is compiled in a folder of this run, which its workers and children share.

    The user's holds what other states of the source have made under the same keys.
    """
    folder = tempfile.mkdtemp(prefix="tilewright-tests-")
    os.environ["TILEWRIGHT_CACHE_DIR"] = folder
    os.environ.pop("TILEWRIGHT_CACHE", None)
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.fixture(scope="session", autouse=True)
def code_generation() -> Generator[None]:
    """LLVM takes less time with most kernels than users let it."""
    # The process that distributes tests generates no code.
    from code_generation import quick_code_generation

    with quick_code_generation():
        yield


@pytest.fixture
def users_ptx() -> Generator[None]:
    """LLVM takes as much time with PTX as users let it: for tests of the instructions and registers in it."""
    from code_generation import ptx_of_users

    with ptx_of_users():
        yield


_PATIENCE: Final = 60
"""Seconds; what is not to wait at all needs far fewer on any machine."""


@pytest.fixture
def impatient() -> Generator[None]:
    """Whoever waits for what never comes, the writer of a pipe for instance, fails instead."""

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"still waiting after {_PATIENCE} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(_PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def seed() -> int:
    """A fresh seed, which pytest shows when the test fails, or that of `TILEWRIGHT_RANDOM_SEED`."""
    found = GIVEN_SEED or secrets.randbelow(1 << 32)
    print(f"seed: {found}")
    return found


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """Random data from that seed."""
    import numpy as np

    return np.random.default_rng(seed)


@pytest.fixture
def ran(record_property: Callable[[str, object], None]) -> Ran:
    """Counts cases that have passed, for the end of the run."""
    return lambda number, kind: record_property(_RAN, (number, kind))


_RAN = "ran"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Random cases by kind, seconds by folder, combinations of those that leave out some, skipped tests by reason."""
    reports = [r for found in terminalreporter.stats.values() for r in found if isinstance(r, pytest.TestReport)]
    cases = Counter[str]()
    for number, kind in _cases(reports):
        cases[kind] += number
    if cases:
        terminalreporter.section("random cases")
        for kind, number in sorted(cases.items()):
            terminalreporter.write_line(f"{number:>9,} {kind}")
    config = terminalreporter.config
    if (spent := [*_spent(reports)]) and not thorough():
        terminalreporter.section("CPU seconds of tests by folder")
        for line in table(spent, seconds_so_far()):
            terminalreporter.write_line(line)
    if counts := config.stash.get(_COUNTS, None):
        terminalreporter.section("combinations")
        for name, (number, of) in sorted(counts.items()):
            terminalreporter.write_line(f"{number:>9,} of {of:,} {name}")
    if number := config.stash.get(_RESTING, 0):
        terminalreporter.section("turns")
        terminalreporter.write_line(f"{number:>9,} tests that take turns rest (tests/turns.toml); --thorough runs all")
    reasons = Counter(_reason(r) for r in reports if r.skipped)
    if reasons:
        terminalreporter.section("skipped")
        for reason, number in reasons.most_common():
            terminalreporter.write_line(f"{number:>9,} {reason}")


def _cases(reports: list[pytest.TestReport]) -> Iterator[tuple[int, str]]:
    for report in reports:
        if report.when == "call" and report.passed:
            for name, value in report.user_properties:
                if name == _RAN:
                    yield cast("tuple[int, str]", value)


def _spent(reports: list[pytest.TestReport]) -> Iterator[tuple[str, float]]:
    for report in reports:
        for name, value in report.user_properties:
            if name == SPENT:
                yield report.nodeid, cast("float", value)


def _reason(report: pytest.TestReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")
