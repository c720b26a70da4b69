"""Sweeps on this machine."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ackclock as ac

VARY = {"queue.buffer": "100..400 cells lin 3", "queue.policy": ["tail-drop", "epd"]}
ARGUMENTS = ["--vary", "queue.buffer=100..400cells:lin:3", "--vary", 'queue.policy="tail-drop","epd"', "--seeds", "2"]
FILES = ["runs.jsonl", "table.csv", "table.parquet", "summary.csv", "report.html", "figure.svg"]


def lines(file: Path) -> list[bytes]:
    return sorted(file.read_bytes().splitlines())


def test_a_sweep_is_that_of_the_command_line(lan: Path, tmp_path: Path) -> None:
    ours = ac.sweep("lan.toml", vary=VARY, seeds=2, measures="jain(goodput)", out="ours/sweep")
    command = [sys.executable, "-m", "ackclock", "sweep", "lan.toml", *ARGUMENTS, "--measure", "jain(goodput)", "--out", "theirs/sweep"]
    subprocess.run(command, check=True, capture_output=True)
    for file in FILES:
        assert lines(tmp_path / "ours/sweep" / file) == lines(tmp_path / "theirs/sweep" / file), file
    assert ours.keys == ["queue_buffer_cells", "queue_policy"] and ours.numbers[:2] == ["jain_goodput", "goodput_bps"]
    assert len(ours.runs) == 12 and len(ours.means) == 6 and ours.complete and ours.failed == 0
    first = ours.means.rows()[0]
    assert (first["queue_buffer_cells"], first["queue_policy"], first["runs"]) == (100.0, "tail-drop", 2)
    assert first["goodput_bps_low"] <= first["goodput_bps"] <= first["goodput_bps_high"]
    # The means are those of the command line's summary.
    csv = (tmp_path / "theirs/sweep/summary.csv").read_text().splitlines()
    header, row = (line.split(",") for line in csv[:2])
    summary = dict(zip(header, row, strict=True))
    for name in ("goodput_bps", "goodput_bps_low", "jain_goodput_high", "loss"):
        assert float(summary[name]) == first[name], name
    # Either goes on from the other: nothing is left to do.
    told: list[str] = []
    again = ac.sweep(
        "lan.toml", vary=VARY, seeds=2, measures="jain(goodput)", out="theirs/sweep", progress=lambda _, text: told.append(text)
    )
    assert again.runs.to_dict() == ours.runs.to_dict() and not any("of 12 runs" in text for text in told)


def test_shards_are_parts_of_the_command_line(lan: Path, tmp_path: Path) -> None:
    parts = [ac.sweep("lan.toml", vary=VARY, seeds=2, shard=f"{part}/2", out=f"parts/{part}") for part in (1, 2)]
    assert [part.complete for part in parts] == [False, False]
    with pytest.raises(ac.UsageError, match="runs of the sweep are missing"):
        parts[0].means  # noqa: B018
    subprocess.run([sys.executable, "-m", "ackclock", "merge", "parts/1", "parts/2", "--out", "whole"], check=True, capture_output=True)
    ac.sweep("lan.toml", vary=VARY, seeds=2, out="alone/sweep")
    assert lines(tmp_path / "whole/table.csv") == lines(tmp_path / "alone/sweep/table.csv")


def test_keys_change_together_and_values_are_those_of_python(lan: Path) -> None:
    sweep = ac.sweep(
        lan, vary={("queue.buffer", "queue.policy"): [("100 cells", "epd"), ("200 cells", "tail-drop")], "network.sources": range(1, 3)}
    )
    rows = [(row["queue_buffer_cells"], row["queue_policy"], row["network_sources"]) for row in sweep.runs.rows()]
    assert rows == [(100.0, "epd", 1.0), (100.0, "epd", 2.0), (200.0, "tail-drop", 1.0), (200.0, "tail-drop", 2.0)]


def test_a_scenario_of_python_is_swept(two_flows: ac.Scenario, tmp_path: Path) -> None:
    sweep = ac.sweep(
        two_flows.set(duration="1 s"), vary={"queue.buffer": "0.2..1 bdp log 2"}, until_ci=0.2, max_seeds=8, out=tmp_path / "s"
    )
    assert len(sweep.means) == 2 and all(2 <= runs <= 8 for runs in sweep.means["runs"])


def test_an_xarray_has_a_dimension_for_each_key(lan: Path) -> None:
    pytest.importorskip("xarray")
    data = ac.sweep(lan, vary=VARY, seeds=2).to_xarray()
    assert data["goodput_bps"].dims == ("queue_buffer_cells", "queue_policy", "seed") and data["goodput_bps"].shape == (3, 2, 2)
    assert data["goodput_bps"].attrs["unit"] == "bit/s"


def test_what_is_not_installed_is_said_with_the_command_that_installs_it(lan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ac.UsageError, match=r"^the package xarray is not installed; pip install xarray$"):
        ac.sweep(lan, seeds=1, out="sweep").to_xarray()
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = r"the package distributed is not installed; pip install 'ackclock\[dask\]'"
    with pytest.raises(ac.UsageError, match=f"^{said}$"):
        ac.sweep(lan, on="dask://127.0.0.1:8786", out="never")
    # So it is by the command, whose process has to be without it, too.
    script = "import sys\nsys.modules['distributed'] = None\nfrom ackclock.__main__ import main\nmain()\n"
    words = ["sweep", "lan.toml", "--on", "dask://127.0.0.1:8786", "--out", "never"]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True)
    assert done.returncode == 1 and re.search(f"--on dask://127.0.0.1:8786: {said}", done.stderr), done.stderr
    assert not Path("never").exists()


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"vary": {"queue.buffer": 5}}, ac.UsageError, "5 is no list of values"),
        ({"vary": {"queue.buffer": []}}, ac.UsageError, "is no list of values"),
        ({"vary": {("a", "b"): [1, 2]}}, ac.UsageError, "a list of tuples of 2 values"),
        ({"vary": {"queue.bufer": ["1 cells"]}}, ac.ScenarioError, "did you mean `buffer`"),
        ({"vary": {"queue.buffer": ["1 bit"]}}, ac.ScenarioError, "is no unit"),
        ({"shard": "9/8"}, ac.UsageError, 'write shard="1/8"'),
        ({"until_ci": 0.02, "seeds": 1}, ac.UsageError, "needs two runs at least"),
        ({"time_limit": "5 parsecs"}, ac.UsageError, "expected a time"),
        ({"max_runs": 5, "seeds": 6}, ac.UsageError, "confirm with max_runs=6"),
        ({"on": 3}, ac.UsageError, "on=3 is no cluster"),
        ({"on": "ray://there"}, ac.UsageError, "dask://scheduler:8786"),
        ({"measures": "goodput(f9)"}, ac.ScenarioError, "f9"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_run(
    lan: Path, arguments: dict[str, object], error: type[Exception], said: str
) -> None:
    with pytest.raises(error) as raised:
        ac.sweep("lan.toml", out="never", **arguments)  # type: ignore[arg-type]
    assert said in str(raised.value)
    assert not Path("never").exists()


def test_ctrl_c_keeps_what_was_finished(lan: Path, tmp_path: Path) -> None:
    script = tmp_path / "long.py"
    script.write_text(
        "import ackclock as ac\n"
        "print('begun', flush=True)\n"
        "try:\n    ac.sweep('lan.toml', seeds=2000, set={'queue.policy': 'red-epd'}, out='long')\n"
        "except ac.Interrupted as stop:\n    print(stop)\n"
    )
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    ledger = tmp_path / "long/runs.jsonl"
    while not ledger.exists() or len(ledger.read_bytes().splitlines()) < 20:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said = process.stdout.read()
    assert "runs are finished and kept in long: the same call goes on" in said
    kept = len(lines(ledger))
    assert 20 <= kept < 2000
