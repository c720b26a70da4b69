"""Sweeps on clusters of Dask: real schedulers and workers in processes of this machine."""

from __future__ import annotations

import collections
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import LAN, ROOT

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
        # How long they take to come is no matter of the tests.
        with distributed.Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)

    def start(self, *words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen([sys.executable, "-m", *words], cwd=self.folder, stderr=subprocess.DEVNULL, text=True)
        self.processes.append(process)
        return process

    def worker(self, *more: str) -> subprocess.Popen[str]:
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(self.folder), *more]
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


def test_a_sweep_whose_scheduler_is_lost_is_finished_on_a_second_cluster(
    lan: Path, tmp_path: Path, workers: Workers, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    lan.write_text(LONGER)

    def end(fraction: float, text: str) -> None:
        if re.match(r"[1-9]\d* of 48 runs", text):
            workers.scheduler.kill()

    with monkeypatch.context() as less, pytest.raises(ac.OutsideError, match="went away; finished runs are kept"):
        less.setattr(clusters, "_PATIENCE_S", 2)
        ac.sweep("lan.toml", vary=VARY, seeds=8, out="there/sweep", on=workers.address, progress=end)
    kept = set(rows(tmp_path / "there/sweep"))
    assert 0 < len(kept) < 48
    second = Workers(tmp_path_factory.mktemp("second"))
    try:
        assert second.address != workers.address
        told: list[str] = []
        whole = ac.sweep("lan.toml", vary=VARY, seeds=8, out="there/sweep", on=second.address, progress=lambda _, text: told.append(text))
    finally:
        second.end()
    assert whole.complete and kept < set(rows(tmp_path / "there/sweep"))
    assert any(f"of {48 - len(kept)} runs" in text for text in told), told
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


# Loaded by a worker when it starts: to it every task is one of a sweep of an older version, as to a worker that was updated alone.
UPDATED_ALONE = """
from ackclock import cluster

# Dask may load it twice.
cluster.own = getattr(cluster, "own", cluster.work)
cluster.work = lambda task, *rest: cluster.own(task.replace('"ackclock":"VERSION"', '"ackclock":"0.0.1"'), *rest)
"""
# Another one fails in a way that Dask cannot tell the client.
FAILS = """
from ackclock import cluster

cluster.work = lambda *given: cluster.work(*given)
"""


def test_a_worker_that_was_updated_alone_is_refused_by_its_address(lan: Path, tmp_path: Path, workers: Workers) -> None:
    (tmp_path / "updated.py").write_text(UPDATED_ALONE.replace("VERSION", ac.__version__))
    with distributed.Client(workers.address) as client:
        known = set(client.scheduler_info(n_workers=-1)["workers"])
        workers.worker("--preload", str(tmp_path / "updated.py"))
        client.wait_for_workers(3)
        (address,) = set(client.scheduler_info(n_workers=-1)["workers"]) - known
        expected = rf"the worker {re.escape(address)} \(.*\) has ackclock {ac.__version__} .*, and the sweep is of ackclock 0\.0\.1"
        with pytest.raises(ac.OutsideError, match=expected):
            ac.sweep("lan.toml", vary=VARY, seeds=8, out="sweep", on=client)
        # Without it the same sweep goes on, with what the others had done.
        workers.processes[-1].kill()
        assert ac.sweep("lan.toml", vary=VARY, seeds=8, out="sweep", on=client).complete
    ac.sweep("lan.toml", vary=VARY, seeds=8, out="here/sweep")
    same(tmp_path / "here/sweep", tmp_path / "sweep")


def test_a_worker_that_fails_ends_the_sweep_with_why(lan: Path, tmp_path: Path, workers: Workers) -> None:
    (tmp_path / "fails.py").write_text(FAILS)
    for process in workers.workers:
        process.kill()
    workers.worker("--preload", str(tmp_path / "fails.py"))
    with pytest.raises(ac.OutsideError, match=r"lost 4 times with the same runs: RuntimeError: RecursionError: maximum recursion depth"):
        ac.sweep("lan.toml", vary=VARY, seeds=8, out="sweep", on=workers.address)


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


def test_the_scheduler_is_asked_for_its_workers_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it answers grows with the number of workers. That it went away the client knows without asking: that is noticed at once."""

    class Client:
        status, asked = "running", 0

        def scheduler_info(self, n_workers: int) -> dict[str, list[str]]:
            self.asked += 1
            return {"workers": ["one"]}

        def submit(self, *_: object, **__: object) -> object:
            return self

        def add_done_callback(self, _: object) -> None:
            pass

    client, now = Client(), 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    cluster = clusters.Dask(client)
    for number in range(1000):
        now += 0.01
        cluster.submit(2 * number, "")
        assert cluster.next(0) is None
    assert 10 / clusters._LOOK_EVERY_S - 1 <= client.asked <= 10 / clusters._LOOK_EVERY_S + 1
    client.status = "closed"
    with pytest.raises(ConnectionError, match="the scheduler of the cluster went away"):
        cluster.next(0)


def test_two_workers_share_the_runs(lan: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers on two cores do twice as much as one: neither is left to wait. Wall clocks of busy machines do not show that."""
    done: collections.Counter[str] = collections.Counter()

    def takes_long(task: str, chunk: str) -> str:
        # Long enough for chunks of single runs, on any machine; of which a worker does most of one asleep.
        time.sleep(0.1)
        return json.dumps({**json.loads(clusters.work(task, chunk, "worker")), "seconds": 60})

    class Watched(clusters.Dask):
        """Looks which worker has the result of a chunk."""

        def submit(self, number: int, chunk: str) -> None:
            super().submit(number, chunk)
            given[number] = self._futures[number], len(json.loads(chunk)["runs"])

        def next(self, patience_s: float) -> tuple[int, str | None, str] | None:
            ended = super().next(patience_s)
            if ended is not None:
                future, runs = given.pop(ended[0])
                (holders,) = self._client.who_has([future]).values()
                done[holders[0]] += runs
            return ended

    given: dict[int, tuple[distributed.Future, int]] = {}
    monkeypatch.setattr(clusters, "_of_dask", takes_long)
    with distributed.Client(workers.address) as client:
        ac.sweep("lan.toml", seeds=30, set={"queue.policy": "red-epd"}, out="two/sweep", on=Watched(client))
    assert len(done) == 2 and sum(done.values()) == 30 and min(done.values()) >= 12, done


def test_the_commands_of_the_manual(lan: Path, tmp_path: Path) -> None:
    """What the page says, word for word but for the number of runs, in a network of its own with a host `scheduler`. All of its processes
    end with the last command."""
    own = ["unshare", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run([*own, "sh", "-c", "ip link set lo up && mount --bind /etc/hosts /etc/hosts"], capture_output=True).returncode != 0:
        pytest.skip("*** a network of its own cannot be had here: the commands of the page about clusters are NOT RUN")
    page = (ROOT / "docs/how-to/on-a-cluster.md").read_text()
    scheduler, worker, sweep = re.findall(r"^\$ (.+?)(?: +#.*)?$", page.split("```console\n")[1].split("```")[0], re.MULTILINE)
    assert scheduler == "dask scheduler" and worker.startswith("dask worker tcp://scheduler:8786") and "--seeds 50" in sweep
    (tmp_path / "hosts").write_text("127.0.0.1 localhost scheduler\n")
    script = [
        "ip link set lo up && mount --bind hosts /etc/hosts || exit 9",
        f"{scheduler} >scheduler.log 2>&1 &",
        f"{worker} >worker.log 2>&1 &",
        sweep.replace("log:20", "log:3").replace("--seeds 50", "--seeds 2") + " --out there/sweep",
    ]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run([*own, "sh", "-c", "\n".join(script)], capture_output=True, text=True, env=environment, timeout=120)
    logs = "".join((tmp_path / f"{name}.log").read_text() for name in ("scheduler", "worker"))
    assert done.returncode == 0, done.stderr + logs
    assert "Registered to:" in logs and "tcp://scheduler:8786" in logs
    ac.sweep("lan.toml", vary={"queue.buffer": "250..4000 cells log 3"}, seeds=2, out="here/sweep")
    same(tmp_path / "here/sweep", tmp_path / "there/sweep")
