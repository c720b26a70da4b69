"""Slurm: a controller and one node on this machine, and what the manual says of it, word for word."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import LAN

import ackclock as ac

PROGRAMS = ["slurmctld", "slurmd", "sbatch", "sinfo"]
MANUAL = Path(__file__).parents[2] / "docs/how-to/on-a-cluster.md"

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, PROGRAMS)) or os.geteuid() != 0, reason="Slurm is not installed, or cannot be started: it is NOT TESTED"
)


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment in which the commands of Slurm find the controller of a node that this machine is, with 16 processors on paper."""
    folder, host = tmp_path_factory.mktemp("slurm"), socket.gethostname()
    with socket.socket() as one, socket.socket() as other:
        one.bind(("", 0))
        other.bind(("", 0))
        ports = one.getsockname()[1], other.getsockname()[1]
    (folder / "slurm.conf").write_text(
        f"""ClusterName=test
SlurmctldHost={host}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}
SlurmdSpoolDir={folder}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=16 RealMemory=33000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
    )
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    daemons = [subprocess.Popen([name, "-D"], env=environment, stderr=subprocess.DEVNULL) for name in ("slurmctld", "slurmd")]
    try:
        deadline = time.monotonic() + 60
        while "idle" not in (state := said(["sinfo", "-h", "-o", "%T"], environment)):
            assert time.monotonic() < deadline, state + (folder / "slurmctld.log").read_text()
            time.sleep(0.2)
        yield environment
    finally:
        said(["scancel", "--full", "--user", "root"], environment)
        for daemon in reversed(daemons):
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()


def said(words: list[str], environment: dict[str, str], folder: Path | None = None) -> str:
    ended = subprocess.run(words, env=environment, cwd=folder, capture_output=True, text=True, timeout=300)
    return ended.stdout + ended.stderr


def block(language: str, having: str) -> str:
    """The block of code of the manual that has a text in it."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", MANUAL.read_text(), re.MULTILINE | re.DOTALL)
    return next(block for block in blocks if having in block)


def shorter(text: str, *replaced: tuple[str, str]) -> str:
    """The text with less to do."""
    for old, new in replaced:
        assert old in text, old
        text = text.replace(old, new)
    return text


def rows(folder: Path) -> list[bytes]:
    return sorted((folder / "runs.jsonl").read_bytes().splitlines())


def test_the_job_array_of_the_manual(slurm: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "lan.toml").write_text(LAN)
    less = [("1-20", "1-3"), ("_ID/20", "_ID/3"), ("=16", "=2"), ("threads 16", "threads 2"), ("log:20", "log:3"), ("seeds 50", "seeds 4")]
    (tmp_path / "job.sh").write_text(shorter(block("sh", "SBATCH"), *less))
    ended = said(["sbatch", "--wait", "job.sh"], slurm, tmp_path)
    logs = "".join(log.read_text() for log in tmp_path.glob("slurm-*.out"))
    assert "Submitted batch job" in ended, ended + logs
    merge = re.search(r"ackclock merge .*", block("sh", "ackclock merge")).group().split()  # type: ignore[union-attr]
    parts = sorted(str(part.relative_to(tmp_path)) for part in (tmp_path / "parts").iterdir())
    assert parts == ["parts/1", "parts/2", "parts/3"], logs
    said([word for given in merge for word in (parts if given == "parts/*" else [given])], slurm, tmp_path)
    here = ac.sweep(tmp_path / "lan.toml", vary={"queue.buffer": "250..4000 cells log 3"}, seeds=4, out=tmp_path / "elsewhere/here")
    assert len(here.runs) == 12
    assert rows(tmp_path / "whole") == rows(tmp_path / "elsewhere/here")


def test_workers_that_slurm_starts(slurm: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed: it is NOT TESTED")
    for name in ("SLURM_CONF", "PATH"):
        monkeypatch.setenv(name, slurm[name])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lan.toml").write_text(LAN)
    less = [("cores=16", "cores=2"), ("32GB", "2GB"), ("jobs=20", "jobs=2"), ("log 20", "log 3"), ("seeds=50", "seeds=4")]
    given: dict[str, object] = {}
    exec(shorter(block("python", "SLURMCluster"), *less), given)
    sweep, cluster = given["sweep"], given["cluster"]
    try:
        here = ac.sweep("lan.toml", vary={"queue.buffer": "250..4000 cells log 3"}, seeds=4, out="elsewhere/here")
        assert sweep.runs.to_dict() == here.runs.to_dict()  # type: ignore[attr-defined]
    finally:
        cluster.close()  # type: ignore[attr-defined]
