"""What two local workers of Dask make of two threads of the hardware: python3 bench/dask_workers.py --write.

The same runs of about a second each are done by one process, by two that know nothing of each other (shards of the sweep), by one worker and by
two workers of Dask, by turns. Two independent processes are what the machine can give: two threads of one core, or a machine on which others work,
give less than twice one. What Dask and this package take of that is the quotient of both gains, of each round. Of each worker it is measured how
long it waits between chunks, and how much processor time a run takes; of the process of the client, in which the scheduler is, too, how much it
takes in all. `--write` puts the table into bench/results.md. Workers start before the clock does, and end before the next way begins: those of
a cluster that does nothing take processor time, too. Dask has the settings that docs/how-to/on-a-cluster.md gives for a local cluster, with one
worker as with two; `--as-is` leaves it as it comes.
"""

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ackclock as ac
import dask
from ackclock import cluster as clusters
from distributed import Client, LocalCluster


RESULTS = Path(__file__).with_name("results.md")
TITLE = "## Two workers of Dask"
# Those of docs/how-to/on-a-cluster.md.
SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.memory.monitor-interval": "1s",
}
NAMES = ["one process", "two processes", "one worker", "two workers"]


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


def read_package():
    """In a worker, before the clock starts."""
    import ackclock.cluster  # noqa: F401


def with_dask(scenario, runs, workers, folder):
    """The same of a cluster of so many workers."""
    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        client.wait_for_workers(workers)
        client.run(read_package)
        return of_client(scenario, runs, client, folder)


def of_client(scenario, runs, client, folder):
    """The same of the workers of a cluster, and how long each waited between its first chunk and its last, and after that for the others."""
    cluster = Measured(client)
    began, own = time.monotonic(), time.process_time()
    sweep = ac.sweep(scenario, seeds=runs, out=folder, on=cluster, progress=False)
    wall, own = time.monotonic() - began, time.process_time() - own
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
        "client": own,
    }  # fmt: skip


def gains(row):
    """How many times faster two are than one: processes, and workers."""
    return row["one process"]["wall"] / row["two processes"]["wall"], row["one worker"]["wall"] / row["two workers"]["wall"]


def spread(values, digits=2):
    values = list(values)
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def table(found, arguments):
    """The table of bench/results.md."""
    rounds = [dict(zip(NAMES, rows)) for rows in zip(*(found[name] for name in NAMES))]
    both = [gains(row) for row in rounds]
    middle = {name: {key: statistics.median(row[key] for row in rows) for key in rows[0]} for name, rows in found.items()}
    lines = [
        TITLE,
        "",
        f"{arguments.runs} runs of {arguments.seconds:g} s; medians of {len(rounds)} rounds, in which the four ways took turns; in brackets the lowest and highest.",
        "Dask is as it comes." if arguments.as_is else "Dask has the settings of docs/how-to/on-a-cluster.md.",
        "",
        "| | wall clock, s | processor time of a run, s | times one |",
        "|---|---|---|---|",
    ]
    for name in NAMES:
        gain = {"two processes": spread(one for one, _ in both), "two workers": spread(other for _, other in both)}.get(name, "")
        lines.append(f"| {name} | {middle[name]['wall']:.1f} | {middle[name]['cpu']:.2f} | {gain} |")
    two = middle["two workers"]
    return "\n".join(
        [
            *lines,
            "",
            f"- The gain of two workers over that of two processes: {spread((ours / ideal for ideal, ours in both), 3)}. This is what Dask and the sweep take.",
            f"- A worker of two waited {two['between']:.2f} s between chunks, and {two['tail']:.2f} s at the end for the other one; {two['around']:.2f} s passed before",
            f"  the first chunk and after the last. The client, with the scheduler, took {two['client']:.2f} s of processor time; {two['chunks']:.0f} chunks.",
        ]
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=40, help="an even number")
    parser.add_argument("--seconds", type=float, default=1.0, help="of processor time that a run takes")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--as-is", action="store_true", help="leave the settings of Dask as they come")
    parser.add_argument("--write", action="store_true", help="put the table into bench/results.md")
    arguments = parser.parse_args()
    os.environ["NO_COLOR"] = "1"
    scenario, runs = scenario_of(arguments.seconds), arguments.runs
    clusters._of_dask = measured_work
    found = {}
    with tempfile.TemporaryDirectory() as scratch, dask.config.set({} if arguments.as_is else SETTINGS):
        for number in range(arguments.rounds + 1):
            folder = Path(scratch) / str(number)
            # Each in a folder of its own: a sweep takes finished runs from those beside it.
            places = {name: folder / name / "sweep" for name in ("process", "processes", "worker", "workers")}
            for place in places.values():
                place.mkdir(parents=True)
            # The first round is not counted: files are read from the disk in it.
            count = runs if number else 4
            ways = [
                ("one process", lambda: independent(scenario, count, 1, places["process"])),
                ("one worker", lambda: with_dask(scenario, count, 1, places["worker"] / "whole")),
                ("two processes", lambda: independent(scenario, count, 2, places["processes"])),
                ("two workers", lambda: with_dask(scenario, count, 2, places["workers"] / "whole")),
            ]
            # There and back: a machine that becomes slower or faster does so for all.
            row = {name: way() for name, way in (ways if number % 2 else reversed(ways))}
            if number:
                for name in NAMES:
                    found.setdefault(name, []).append(row[name])
                ideal, ours = gains(row)
                print(f"round {number}: two processes {ideal:.2f} times one, two workers {ours:.2f} times one", flush=True)
    for name, rows in found.items():
        shown = ", ".join(f"{key} {statistics.median(row[key] for row in rows):.2f}" for key in rows[0])
        print(f"{name:14} {shown}")
    shown = table(found, arguments)
    print(shown)
    if arguments.write:
        # The last part of the file; the first is that of run.py, which leaves this one.
        first_part = re.sub(rf"\n*{re.escape(TITLE)}\n.*", "", RESULTS.read_text(), flags=re.DOTALL).rstrip()
        RESULTS.write_text(f"{first_part}\n\n{shown}\n")


if __name__ == "__main__":
    main()
