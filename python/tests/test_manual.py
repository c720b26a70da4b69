"""Examples of docstrings, and the Vegas-A of the manual. `docs/site/check.py` runs the blocks of its pages."""

from __future__ import annotations

import ast
import doctest
import importlib
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

import ackclock

PACKAGE = Path(ackclock.__file__).parent
# The part that is compiled has its docstrings in the stubs.
FILES = sorted(file for file in PACKAGE.iterdir() if file.suffix in (".py", ".pyi"))
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def documented(tree: ast.Module | ast.ClassDef, path: str = "") -> Iterator[tuple[str, str]]:
    """The names of classes, methods and functions, with their docstrings. `doctest.testmod` would leave out what says that it is of another
    module, as the names of the package do."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield path + node.name, ast.get_docstring(node) or ""
        if isinstance(node, ast.ClassDef):
            yield from documented(node, f"{path}{node.name}.")


DOCUMENTED = {
    f"{file.name}: {name}": text
    for file in FILES
    for tree in [ast.parse(file.read_text())]
    for name, text in [("the module", ast.get_docstring(tree) or ""), *documented(tree)]
}


@pytest.mark.parametrize("place", [place for place, text in DOCUMENTED.items() if ">>> " in text])
def test_the_example_of_a_docstring_runs(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = place.partition(".py")[0]
    if not file.startswith("_"):
        try:
            importlib.import_module(f"ackclock.{file}")
        except ackclock.UsageError as missing:
            pytest.skip(f"*** {missing}: the examples of {file} are NOT RUN")
    example = doctest.DocTestParser().get_doctest(DOCUMENTED[place], {}, place, place, 0)
    assert doctest.DocTestRunner(optionflags=FLAGS).run(example).failed == 0


def test_what_is_public_has_an_example() -> None:
    said = [(place.partition(": ")[2], *text.partition(">>> ")) for place, text in DOCUMENTED.items()]
    names = {name for name, prose, begins, _ in said if begins and len(prose.split()) > 3}
    modules = [ackclock, *(importlib.import_module(f"ackclock.{file.stem}") for file in FILES if not file.stem.startswith("_"))]
    public = {name for module in modules for name in module.__all__ if isinstance(getattr(module, name), type | types.FunctionType)}
    assert len(public) > 40
    assert not public - names, "each needs a sentence and an example"
    # What a class is for has examples of its own.
    methods = [f"Scenario.{name}" for name in ("from_text", "build", "set", "check", "to_toml", "start")]
    methods += [f"Result.{name}" for name in ("series", "measure", "document", "save", "save_report", "save_captures", "plot")]
    methods += [f"Simulation.{name}" for name in ("step", "run_until", "run_to_end", "flow", "hold_window", "hold_pacing_rate", "result")]
    assert not {*methods, "Sweep.plot", "Sweep.to_xarray", "Environment.result"} - names


def test_the_vegas_a_of_the_manual_is_that_of_the_simulator(lan: Path) -> None:
    namespace: dict[str, object] = {}
    page = (ROOT / "docs/python/mechanisms.md").read_text()
    exec(page.split("```python\n")[1].split("```")[0], namespace)
    mine = namespace["MyVegasA"]
    for rate, delay, seed in [("2 Mbps", "100 ms", 1), ("8 Mbps", "10 ms", 2), ("20 Mbps", "50 ms", 3)]:
        network = {
            "topology": "dumbbell", "technology": "packet", "sources": 4, "access_rate": "100 Mbps", "access_delay": "1 ms",
            "bottleneck_rate": rate, "bottleneck_delay": delay,
        }  # fmt: skip
        common = {
            "duration": "20 s",
            "network": network,
            "queue": {"buffer": "12 packets"},
            "traffic": {"start_jitter": "3 s"},
            "seed": seed,
        }
        tcp = {"recovery": "new-reno"}
        ours = ackclock.Scenario.build(**common, tcp={**tcp, "congestion_control": "my-vegas-a"}, mechanisms=[mine])  # type: ignore[arg-type, list-item]
        theirs = ackclock.Scenario.build(**common, tcp={**tcp, "congestion_control": "vegas-a", "vegas-a": {"tie_up_probability": 0.0}})  # type: ignore[arg-type]
        assert ackclock.run(ours, seeds=2).fingerprints == ackclock.run(theirs, seeds=2).fingerprints
        assert sum(ackclock.run(theirs).flows["retransmissions"]) > 0
