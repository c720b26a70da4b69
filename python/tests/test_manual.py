"""Examples of docstrings, and the Vegas-A of the manual. `docs/site/check.py` runs the blocks of its pages."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest
from conftest import ROOT

import ackclock

MODULES = [module.name for module in pkgutil.iter_modules(ackclock.__path__) if module.name not in ("_core", "__main__")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_run(name: str) -> None:
    try:
        module = importlib.import_module(f"ackclock.{name}")
    except ackclock.UsageError as missing:
        pytest.skip(f"*** {missing}: the examples of {name} are NOT RUN")
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    assert failed == 0


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
