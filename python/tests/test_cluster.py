"""Sweeps on clusters of Dask: real schedulers and workers in processes of this machine."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import LAN

import ackclock as ac
from ackclock import cluster as clusters

distributed = pytest.importorskip("distributed", reason="Dask is not installed: sweeps on clusters are NOT TESTED")

VARY = {"queue.buffer": ["100 cells", "200 cells", "300 cells"], "queue.policy": ["tail-drop", "epd"]}
LONGER = LAN.replace("0.2 s", "1 s")


class Workers:
    """A scheduler and workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[str]] = []
        self.scheduler = self.start("distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file))
        deadline = time.monotonic() + 60
        while not self.file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.address: str = json.loads(self.file.read_text())["address"]
        self.workers = [self.worker() for _ in range(2)]

    def start(self, *words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen([sys.executable, "-m", *words], cwd=self.folder, stderr=subprocess.DEVNULL, text=True)
        self.processes.append(process)
        return process

    def worker(self) -> subprocess.Popen[str]:
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(self.folder)]
        return self.start("distributed.cli.dask_worker", self.address, *options)

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    started = Workers(tmp_path_factory.mktemp("dask"))
    yield started
    started.end()


def rows(folder: Path) -> list[bytes]:
    return sorted((folder / "runs.jsonl").read_bytes().splitlines())


def same(one: Path, other: Path) -> None:
    assert rows(one) == rows(other)
    for file in ("table.csv", "table.parquet", "summary.csv", "report.html"):
        assert (one / file).read_bytes() == (other / file).read_bytes(), file


def test_a_worker_that_is_killed_in_the_middle_loses_nothing(lan: Path, tmp_path: Path, workers: Workers) -> None:
    lan.write_text(LONGER)
    here = ac.sweep("lan.toml", vary=VARY, seeds=8, measures="jain(goodput)", out="here/sweep")
    killed: list[str] = []

    def kill(fraction: float, text: str) -> None:
        if not killed and re.match(r"[1-9]\d* of 48 runs", text):
            killed.append(text)
            workers.workers[0].send_signal(signal.SIGKILL)

    there = ac.sweep("lan.toml", vary=VARY, seeds=8, measures="jain(goodput)", out="there/sweep", on=workers.address, progress=kill)
    assert killed and there.complete
    same(tmp_path / "here/sweep", tmp_path / "there/sweep")
    assert there.runs.to_dict() == here.runs.to_dict()


def test_a_scheduler_that_goes_away_leaves_a_sweep_that_goes_on_here(
    lan: Path, tmp_path: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    lan.write_text(LONGER)
    monkeypatch.setattr(clusters, "_PATIENCE_S", 2)
    ended: list[str] = []

    def end(fraction: float, text: str) -> None:
        if not ended and re.match(r"[1-9]\d* of 48 runs", text):
            ended.append(text)
            workers.scheduler.kill()

    with pytest.raises(
        ac.OutsideError, match="went away; finished runs are kept: run the same sweep again, on a cluster that is there or on this machine"
    ):
        ac.sweep("lan.toml", vary=VARY, seeds=8, out="there/sweep", on=workers.address, progress=end)
    kept = len(rows(tmp_path / "there/sweep"))
    assert 0 < kept < 48
    told: list[str] = []
    ac.sweep("lan.toml", vary=VARY, seeds=8, out="there/sweep", progress=lambda _, text: told.append(text))
    assert all(f"of {48 - kept} runs" in text for text in told if "runs" in text and "checked" not in text)
    ac.sweep("lan.toml", vary=VARY, seeds=8, out="here/sweep")
    same(tmp_path / "here/sweep", tmp_path / "there/sweep")


def test_the_command_runs_on_a_cluster(lan: Path, tmp_path: Path, workers: Workers) -> None:
    # What extends another file, and has seeds that depend on the runs.
    (tmp_path / "base.toml").write_text(LAN)
    lan.write_text('extends = "base.toml"\n[queue]\npolicy = "red-epd"\n')
    command = [
        sys.executable,
        "-m",
        "ackclock",
        "sweep",
        "lan.toml",
        "--vary",
        "network.sources=2,3",
        "--until-ci",
        "5%",
        "--max-seeds",
        "9",
    ]
    for place, on in [
        ("here", []),
        ("local", ["--on", "local"]),
        ("there", ["--on", f"dask://{workers.address.removeprefix('tcp://')}"]),
        ("file", ["--on", str(workers.file)]),
    ]:
        done = subprocess.run([*command, *on, "--out", f"{place}/sweep"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    for place in ("local", "there", "file"):
        same(tmp_path / "here/sweep", tmp_path / place / "sweep")
    ac.sweep("lan.toml", vary={"network.sources": [2, 3]}, until_ci="5%", max_seeds=9, out="named/sweep", on="local")
    same(tmp_path / "here/sweep", tmp_path / "named/sweep")


def test_a_worker_of_another_version_is_refused_by_name(lan: Path) -> None:
    class Older:
        """A cluster whose only worker is of another version."""

        def begin(self, task: str) -> int:
            self.task = json.dumps({**json.loads(task), "ackclock": "9.9.9"})
            return 1

        def submit(self, number: int, chunk: str) -> None:
            self.given = number, chunk

        def next(self, patience_s: float) -> tuple[int, str | None, str] | None:
            number, chunk = self.given
            return number, clusters.work(self.task, chunk, "tcp://10.0.0.7:40000 (node7)"), ""

    expected = rf"the worker tcp://10.0.0.7:40000 \(node7\) has ackclock {ac.__version__} .*, and the sweep is of ackclock 9.9.9"
    with pytest.raises(ac.OutsideError, match=expected):
        ac.sweep("lan.toml", vary=VARY, out="sweep", on=Older())


class Here:
    """A cluster that is this process: what another engine needs to be, and what can go wrong with it."""

    def __init__(self, lose: int = 0, fail_at: int = 0, number: int | None = None) -> None:
        self.lose, self.fail_at, self.number, self.chunks = lose, fail_at, number, []

    def begin(self, task: str) -> int:
        self.task = task
        return 2

    def submit(self, number: int, chunk: str) -> None:
        if self.fail_at and number >= self.fail_at:
            raise ConnectionError("the network is gone")
        self.chunks.append((number, chunk))

    def next(self, patience_s: float) -> tuple[int, str | None, str] | None:
        number, chunk = self.chunks.pop()
        if self.lose:
            self.lose -= 1
            return number, None, "the worker was lost"
        return self.number or number, clusters.work(self.task, chunk, "here"), ""


def test_three_functions_make_a_cluster(lan: Path, tmp_path: Path) -> None:
    ac.sweep("lan.toml", vary=VARY, seeds=3, out="alone/sweep")
    ac.sweep("lan.toml", vary=VARY, seeds=3, out="other/sweep", on=Here(lose=3))
    same(tmp_path / "alone/sweep", tmp_path / "other/sweep")


def test_what_a_cluster_cannot_do_is_an_error_and_loses_nothing(lan: Path, tmp_path: Path) -> None:
    with pytest.raises(ac.OutsideError, match="the network is gone; finished runs are kept"):
        ac.sweep("lan.toml", vary=VARY, seeds=3, out="sweep", on=Here(fail_at=6))
    assert 0 < len(rows(tmp_path / "sweep")) < 18
    with pytest.raises(ac.OutsideError, match=r"there is no file `none\.json` of a scheduler"):
        ac.sweep("lan.toml", vary=VARY, out="sweep", on="none.json")
    with pytest.raises(ac.OutsideError, match="lost 4 times with the same runs: the worker was lost"):
        ac.sweep("lan.toml", vary=VARY, seeds=3, out="sweep", on=Here(lose=1000))
    with pytest.raises(ac.OutsideError, match="the cluster returned chunk 77, which was not handed out; finished runs are kept"):
        ac.sweep("lan.toml", vary=VARY, seeds=3, out="sweep", on=Here(number=77))
    with pytest.raises(ac.OutsideError, match=r"no scheduler of Dask answers at dask://127\.0\.0\.1:1"):
        clusters._PATIENCE_S, patience = 1, clusters._PATIENCE_S
        try:
            ac.sweep("lan.toml", vary=VARY, out="sweep", on="dask://127.0.0.1:1")
        finally:
            clusters._PATIENCE_S = patience


def test_two_workers_take_about_half_the_time_of_one(lan: Path, workers: Workers) -> None:
    """Two workers on two free cores; on a busy machine it is only printed."""
    lan.write_text(LAN.replace("0.2 s", "8 s"))
    with distributed.Client(workers.address) as client:
        client.wait_for_workers(2)

        def timed(out: str) -> float:
            started = time.monotonic()
            ac.sweep("lan.toml", seeds=6, set={"queue.policy": "red-epd"}, out=out, on=client)
            return time.monotonic() - started

        two = timed("two/sweep")
        workers.workers[0].kill()
        while len(client.nthreads()) > 1:
            time.sleep(0.1)
        one = timed("one/sweep")
    print(
        f"one worker {one:.2f} s, two {two:.2f} s: {one / two:.2f} times; load {os.getloadavg()[0]:.1f}, {threading.active_count()} threads"
    )
