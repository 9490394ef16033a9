"""The tables of speeds say what the benchmarks saved, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loaded import loaded

ROOT = Path(__file__).parents[2]
ONE = {"median": 1.234, "lower": 1.1, "upper": 1.3, "lowest": 0.9, "highest": 2.0, "repeats": 9}
MANY = {
    "geometric_mean": 1.5,
    "lowest": ONE,
    "lowest_case": "beta 1  f32",
    "highest": {**ONE, "median": 3.0},
    "highest_case": "b",
    "below_one": 2,
    "cases": 7,
}


@pytest.fixture(scope="module")
def script() -> Any:
    return loaded(ROOT / "scripts" / "speed_table.py")


def results(folder: Path, claims: list[Any]) -> None:
    """Results that hold every claim: of several cases where it has no unit."""
    for name in {claim.results for claim in claims}:
        overall = {claim.key: ONE if claim.unit else MANY for claim in claims if claim.results == name}
        (folder / f"{name}.json").write_text(
            json.dumps({"machine": "m, 2 cores", "gpu": "G1", "cases": [], "overall": overall})
        )


def test_a_row_has_the_median_and_both_ends(script: Any) -> None:
    found = {"machine": "m, 2 cores", "overall": {"k": MANY, "u": ONE}}
    many = script.row(script.Claim("what", "r", "k", "s.py"), found)
    assert many == (
        "| what | `s.py` | m, 2 cores | 1.50, 7 cases | 1.23 [1.10, 1.30], beta 1 f32 | 3.00 [1.10, 1.30], b | 2 of 7 |"
    )
    on_gpu = script.Claim("GPU: what", "r", "u", "s.py", " us")
    one = script.row(on_gpu, {**found, "gpu": "G1"})
    assert one == "| G1: what | `s.py` | m, 2 cores | 1.23 [1.10, 1.30] us | 0.90 us | 2.00 us |  |"
    with pytest.raises(SystemExit, match="does not say on which GPU"):
        script.row(on_gpu, found)


def test_the_page_has_a_row_for_each_claim_and_readme_for_headlines(script: Any, tmp_path: Path) -> None:
    claims = list(script.claims())
    results(tmp_path, claims)
    found, sections = script.Results(tmp_path), list(script.sections())
    rows = [line for line in script.page(found, sections) if line.startswith("|")]
    assert len(rows) == len(script.HEAD) * len(sections) + len(claims)
    assert len({line.count("|") for line in rows}) == 1
    assert len({(claim.results, claim.key) for claim in claims}) == len(claims)
    short = list(script.headlines(found, claims))
    assert len(short) == len(script.SHORT_HEAD) + sum(claim.headline for claim in claims)
    assert len({line.count("|") for line in short}) == 1
    assert not any(" the same" in line for line in short)


def test_what_is_not_measured_is_not_claimed(script: Any, tmp_path: Path) -> None:
    sections = list(script.sections())
    with pytest.raises(SystemExit, match=r"run batched_gemm\.py"):
        list(script.page(script.Results(tmp_path), sections))
    # as results were before there was anything about all cases in them
    (tmp_path / "batched_gemm.json").write_text("[]")
    with pytest.raises(SystemExit, match="says nothing of"):
        list(script.headlines(script.Results(tmp_path), script.claims()))


def test_scripts_of_claims_exist(script: Any) -> None:
    for claim in script.claims():
        name = claim.script.split(" ")[0]
        assert (ROOT / "benchmarks" / name).exists()
        assert claim.results.startswith(name.removesuffix(".py").replace("/", "_"))


def test_only_the_table_is_replaced(script: Any) -> None:
    text = f"before\n{script.BEGIN}\nold\n{script.END}\nafter\n"
    assert script.replaced(text, ["a", "b"]) == f"before\n{script.BEGIN}\n\na\nb\n\n{script.END}\nafter\n"
    with pytest.raises(SystemExit, match="lacks"):
        script.replaced("nothing", [])


def test_the_pages_say_what_the_results_say(script: Any) -> None:
    found = script.Results(ROOT / "benchmarks" / "results")
    speed, readme = (ROOT / "docs" / "speed.md").read_text(), (ROOT / "README.md").read_text()
    assert script.replaced(speed, script.page(found, script.sections())) == speed
    assert script.replaced(readme, script.headlines(found, script.claims())) == readme
