#!/usr/bin/env python3
"""What a sweep of short runs costs inside and outside the simulations, counted by callgrind: `make instructions-sweeps` writes
bench/sweeps.txt.

A run is a second of a dumbbell. Inside is what builds the network, simulates, and makes the records; outside is all else: to load and
check points, rows of numbers, the ledger, tables, figures and the page. Each shape is counted with few runs and with more: the
difference is what a run costs where there are many, without the start of the program and the runs that are begun to estimate the time.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # no compiled copy of run.py in the repository
import run

FILE = os.path.join(run.HERE, "sweeps.txt")
SCENARIO = os.path.join(run.ROOT, "scenarios", "bench", "second.toml")
# The functions in which a simulation happens, whoever calls them.
INSIDE = ["ackclock::sim::build_with", "ackclock::sim::Simulation::step", "ackclock::sim::Simulation::finish"]
# Parts of the rest, by the functions that do them.
PARTS = [
    ("loading", "ackclock_scenario::sweep::Sweep::load"),
    ("rows", "ackclock_sweep::metrics::row"),
    ("ledger", "ackclock_sweep::store::Store::keep"),
    ("tables", "ackclock_sweep::store::Store::write_tables"),
]
BUFFERS = "queue.buffer=5..1000packets:lin:{}"
DELAYS = "network.bottleneck_delay=1..30ms:lin:{}"
# Name, and the arguments of the sweep with fewer and with more runs.
SHAPES = [
    ("many seeds", [["--vary", BUFFERS.format(10), "--seeds", str(seeds)] for seeds in (20, 60)]),
    ("ten seeds", [["--vary", BUFFERS.format(points), "--seeds", "10"] for points in (20, 60)]),
    # More points than the page has rows.
    ("one seed", [["--vary", BUFFERS.format(50), "--vary", DELAYS.format(points)] for points in (41, 45)]),
]


def counted(binary, scratch, arguments):
    """Instructions of a sweep: all, those inside simulations, and the parts of the others. How many runs there were."""
    out, profile = os.path.join(scratch, "sweep"), os.path.join(scratch, "profile")
    shutil.rmtree(out, ignore_errors=True)
    sweep = [binary, "sweep", SCENARIO, *arguments, "--threads", "1", "--out", out]
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}"]
    environment = run.callgrind_environment()
    result = subprocess.run([*valgrind, *sweep], capture_output=True, text=True, env=environment)
    if result.returncode:
        sys.exit(f"error: {' '.join(sweep)}\n{result.stderr[-2000:]}")
    annotate = ["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", profile]
    text = subprocess.run(annotate, capture_output=True, text=True, check=True).stdout
    all_of_it = int(re.search(r"([\d,]+) .*PROGRAM TOTALS", text)[1].replace(",", ""))

    def inclusive(function):
        # A function whose code is in its caller as well has a line for each of them: the largest is its own.
        counts = re.findall(rf"^ *([\d,]+) .*:{re.escape(function)} \[", text, re.MULTILINE)
        if not counts:
            sys.exit(f"error: {function} is in no profile: it has another name, or is inlined")
        return max(int(count.replace(",", "")) for count in counts)

    with open(os.path.join(out, "runs.jsonl")) as ledger:
        runs = sum(1 for _ in ledger)
    inside = sum(map(inclusive, INSIDE))
    return [runs, inside, all_of_it - inside, *(inclusive(function) for _, function in PARTS)]


def measure():
    """One line for each shape: what a run costs that is added."""
    binary = run.build()
    scratch = tempfile.mkdtemp(prefix="ackclock-bench-")
    names = [name for name, _ in PARTS]
    lines = [
        "# Written by `make instructions-sweeps`: thousand instructions of the profile `dist` for each run, under callgrind.",
        "# " + " ".join(["shape".ljust(10), *(word.rjust(10) for word in ["inside", "outside", "percent", *names])]),
    ]
    try:
        for name, (fewer, more) in SHAPES:
            print(f"counting {name}", file=sys.stderr)
            few, many = counted(binary, scratch, fewer), counted(binary, scratch, more)
            runs, inside, outside, *parts = (b - a for a, b in zip(few, many))
            each = [f"{count / runs / 1e3:10.1f}" for count in (inside, outside, *parts)]
            each.insert(2, f"{100 * outside / (inside + outside):10.2f}")
            lines.append(" ".join([name.ljust(12), *each]))
    finally:
        shutil.rmtree(scratch)
    return lines


def main():
    if not shutil.which("valgrind"):
        sys.exit("error: valgrind is missing (make bench-setup)")
    lines = measure()
    with open(FILE, "w") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
