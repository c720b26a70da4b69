"""What two local workers of Dask make of two threads of the hardware: python3 bench/dask_workers.py.

The same runs of about a second each are done by one process, by two that know nothing of each other (shards of the sweep), by one worker and by
two workers of Dask, by turns. Two independent processes are what the machine can give: two threads of one core, or a machine on which others work,
give less than twice one. Of each worker it is measured how long it waits between chunks, and how much processor time a run takes.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ackclock as ac
from ackclock import cluster as clusters
from distributed import Client, LocalCluster


def measured_work(task, chunk):
    """A chunk in a worker, with when it began and ended, and the processor time that it took."""
    from ackclock import cluster

    began, used = time.time(), time.process_time()
    told = json.loads(cluster.work(task, chunk, "worker"))
    told["measured"] = [os.getpid(), began, time.time(), time.process_time() - used, len(told["rows"])]
    return json.dumps(told)


class Measured(clusters.Dask):
    """Keeps what the workers measured."""

    def __init__(self, client):
        super().__init__(client)
        self.chunks = []

    def next(self, patience_s):
        ended = super().next(patience_s)
        if ended is not None and ended[1] is not None:
            self.chunks.append(json.loads(ended[1]).pop("measured"))
        return ended


def scenario_of(seconds):
    """A scenario whose runs take about so many seconds of processor time."""
    scenario = ac.examples.two_flows()
    began = time.process_time()
    ac.run(scenario.set({"duration": "200 s"}), threads=1, progress=False)
    return scenario.set({"duration": f"{200 * seconds / (time.process_time() - began):.0f} s"})


def independent(scenario, runs, parts, folder):
    """Wall clock and processor time of so many processes, each with its part of the runs."""
    file = folder / "scenario.toml"
    file.write_text(scenario.to_toml())
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    processes = []
    for part in range(1, parts + 1):
        shard = ["--shard", f"{part}/{parts}"] if parts > 1 else []
        command = [sys.executable, "-m", "ackclock", "sweep", str(file), "--seeds", str(runs), "--threads", "1", *shard]
        processes.append(subprocess.Popen([*command, "--out", str(folder / f"part-{part}" / "sweep")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    for process in processes:
        if process.wait() != 0:
            raise SystemExit(f"error: {' '.join(map(str, process.args))} ended with {process.returncode}")
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"wall": wall, "cpu": (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / runs}


def with_dask(scenario, runs, client, folder):
    """The same of the workers of a cluster, and how long each waited between its first chunk and its last, and after that for the others."""
    cluster = Measured(client)
    began = time.monotonic()
    sweep = ac.sweep(scenario, seeds=runs, out=folder, on=cluster, progress=False)
    wall = time.monotonic() - began
    done = sum(chunk[4] for chunk in cluster.chunks)
    if not sweep.complete or done != runs:
        raise SystemExit(f"error: {done} of {runs} runs came back: {sweep}")
    by_worker = {}
    for pid, *of in sorted(cluster.chunks, key=lambda chunk: chunk[1]):
        by_worker.setdefault(pid, []).append(of)
    last = max(chunks[-1][1] for chunks in by_worker.values())
    first = min(chunks[0][0] for chunks in by_worker.values())
    idle = [sum(after[0] - before[1] for before, after in zip(chunks, chunks[1:])) for chunks in by_worker.values()]
    tail = sum(last - chunks[-1][1] for chunks in by_worker.values())
    busy = sum(of[1] - of[0] for chunks in by_worker.values() for of in chunks)
    used = sum(of[2] for chunks in by_worker.values() for of in chunks)
    return {
        "wall": wall, "cpu": used / runs, "between": sum(idle) / len(by_worker), "tail": tail / len(by_worker),
        "around": wall - (last - first), "kept from it": (busy - used) / len(by_worker), "chunks": len(cluster.chunks),
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=1.0, help="of processor time that a run takes")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    os.environ["NO_COLOR"] = "1"
    scenario, runs = scenario_of(arguments.seconds), arguments.runs
    clusters._of_dask = measured_work
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        one = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
        two = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
        with one, two, Client(one) as first, Client(two) as second:
            for number in range(arguments.rounds + 1):
                folder = Path(scratch) / str(number)
                # Each in a folder of its own: a sweep takes finished runs from those beside it.
                places = {name: folder / name / "sweep" for name in ("process", "processes", "worker", "workers")}
                for place in places.values():
                    place.mkdir(parents=True)
                # The first round is not counted: workers read the package in it.
                count = runs if number else 4
                row = {
                    "one process": independent(scenario, count, 1, places["process"]),
                    "two processes": independent(scenario, count, 2, places["processes"]),
                    "one worker": with_dask(scenario, count, first, places["worker"] / "whole"),
                    "two workers": with_dask(scenario, count, second, places["workers"] / "whole"),
                }
                if number:
                    for name, of in row.items():
                        found.setdefault(name, []).append(of)
                    ideal = row["one process"]["wall"] / row["two processes"]["wall"]
                    ours = row["one worker"]["wall"] / row["two workers"]["wall"]
                    print(f"round {number}: two processes {ideal:.2f} times one, two workers {ours:.2f} times one", flush=True)
    for name, rows in found.items():
        shown = ", ".join(f"{key} {statistics.median(row[key] for row in rows):.2f}" for key in rows[0])
        print(f"{name:14} {shown}")
    pairs = [(a["wall"], b["wall"]) for a, b in zip(found["two processes"], found["two workers"])]
    print(f"two workers against two processes: {statistics.median(a / b for a, b in pairs):.3f} (lowest {min(a / b for a, b in pairs):.3f})")


if __name__ == "__main__":
    main()
