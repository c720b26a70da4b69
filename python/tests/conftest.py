"""What the tests have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

import ackclock as ac

ROOT = Path(__file__).resolve().parents[2]

LAN = """
duration = "0.2 s"
[network]
topology = "n-source"
sources = 3
rate = "155.52 Mbps"
access_delay = "5 us"
trunk_delay = "5 us"
[queue]
buffer = "300 cells"
"""


@pytest.fixture
def lan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a short scenario, in the folder where the test is."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "lan.toml"
    file.write_text(LAN)
    return file


@pytest.fixture
def two_flows() -> ac.Scenario:
    """Two flows of TCP over 10 Mb/s."""
    return ac.examples.two_flows()
