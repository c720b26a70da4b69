"""Studies."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock as ac


def test_a_study_is_that_of_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = ac.reproduce("sack-ubr/t1", quick=True, out="ours")
    command = [sys.executable, "-m", "ackclock", "reproduce", "sack-ubr/t1", "--quick", "--json", "--out", "ours"]
    printed = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["studies"][0]
    assert study.document["cards"] == printed["cards"] and study.passed
    assert study.numbers and {"published", "ours", "verdict"} <= set(study.numbers[0]) and study.claims is not None
    assert (study.folder / "report.html").exists() and str(study) == (study.folder / "report.txt").read_text()


def test_unknown_studies_are_refused() -> None:
    with pytest.raises(ac.UsageError, match="there is no study named"):
        ac.reproduce("sack")
    with pytest.raises(ac.UsageError, match="has no card named"):
        ac.reproduce("sack-ubr/t99")
