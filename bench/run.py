#!/usr/bin/env python3
"""How Ackclock stands against ns-2 and ns-3: `make bench`. User CPU time per delivered segment, medians.

All programs run in turn, round after round; in each round the quick ones, ours and most of ns-2, several times. A ratio is
the median of the ratios of runs in close succession: the speed of a shared machine changes within minutes. What a program
needs before the first segment and after the last is measured in a run of no length just before, and subtracted. Our runs
last longer in simulated time than the peers': ours would be below the resolution of the clock. bench/README.md says the
rest.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
NOTHING = "100 us"  # long enough to be valid, too short for a segment to arrive
RECORD = ["--record", "cwnd,queue"]  # every change of every window, and every queue every 10 ms
PASSES = 3  # of the quick programs in each round
NS3_LIBS = ["applications", "internet", "traffic-control", "point-to-point", "network", "stats", "core", "bridge"]


class Job:
    """One command. `least` is the goodput in Mb/s below which its cost means nothing. Of a `whole` run nothing is
    subtracted. A `long` one, of ten seconds or more, is run once in each round, others several times."""

    def __init__(self, command, seconds, mss=0, least=0.0, setup=None, leaves=None, whole=False, long=False):
        self.command, self.seconds, self.mss, self.least, self.setup = command, seconds, mss, least, setup
        self.whole, self.long = whole, long
        self.leaves = leaves  # the result folder, removed each time: a large old result would cost time to replace
        self.user, self.peak_kb, self.mbps = [], 0, 0.0  # seconds, round by round

    def begin_round(self):
        self.user.append([])
        if self.setup:
            self.setup.begin_round()

    def run(self):
        if self.leaves:
            shutil.rmtree(self.leaves, ignore_errors=True)
        with tempfile.TemporaryFile("w+") as out:
            child = subprocess.Popen(self.command, stdout=out, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
            out.seek(0)
            text = out.read()
        if status:
            sys.exit(f"error: {' '.join(self.command)}\n{text[-2000:]}")
        self.user[-1].append(usage.ru_utime)
        self.peak_kb = max(self.peak_kb, usage.ru_maxrss)
        self.mbps = float(re.search(r"goodput(?: Mb/s +|_Mbps=)(-?[\d.]+)", text)[1])

    def segments(self):
        return self.mbps * 1e6 * self.seconds / 8 / self.mss

    def seconds_used(self):
        """Of all runs, in their order."""
        return [user for of_round in self.user for user in of_round]

    def ns(self):
        """Nanoseconds per delivered segment, of each run, by rounds."""

        def per_segment(user, before):
            return (user - (0 if self.whole else before)) * 1e9 / self.segments()

        return [[per_segment(*run) for run in zip(*of_round)] for of_round in zip(self.user, self.setup.user)]

    def median_ns(self):
        return statistics.median(ns for of_round in self.ns() for ns in of_round)


def ratio(one, other):
    """How much dearer a segment of one job is: the median of the ratios of neighbouring runs, and the lowest and highest."""
    ratios = []
    for ours, theirs in zip(one.ns(), other.ns()):
        if len(ours) != len(theirs):  # one of them is long, and ran once in the round
            ours, theirs = [statistics.median(ours)], [statistics.median(theirs)]
        ratios += [a / b for a, b in zip(ours, theirs)]
    return statistics.median(ratios), min(ratios), max(ratios)


def ours(binary, out, file, seconds, mss=512, least=0.0, sets=(), options=(), whole=False):
    """A run of one of our scenarios."""

    def command(duration):
        words = [f"duration={duration}", *sets]
        file_path = os.path.join(ROOT, "scenarios", "bench", file + ".toml")
        return [binary, "run", file_path, "--out", out, *options, *(w for s in words for w in ("--set", s))]

    return Job(command(f"{seconds} s"), seconds, mss, least, Job(command(NOTHING), 0, leaves=out), out, whole)


def build():
    """Ackclock as it is published, profile `dist`: the path of the program."""
    cargo = os.environ.get("CARGO", "cargo")
    subprocess.run([cargo, "build", "--profile", "dist", "--locked", "-p", "ackclock-cli"], cwd=ROOT, check=True)
    return os.path.join(os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target")), "dist", "ackclock")


def callgrind_environment():
    """For glibc, no copy is long enough for `rep movsb`, of which callgrind counts each byte as an instruction."""
    return {**os.environ, "GLIBC_TUNABLES": "glibc.cpu.x86_rep_movsb_threshold=1000000000"}


def ns3(scratch):
    """The ns-3 program and what its libraries are: NS3_BIN if given, else compiled against the installed package."""
    program = os.environ.get("NS3_BIN")
    if not program:
        program = os.path.join(scratch, "dumbbell")
        compiler = shutil.which("g++") or shutil.which("c++")
        if not compiler or not any(os.path.exists(f"{path}/include/ns3") for path in ("/usr", "/usr/local")):
            return None, "not found"
        source = os.path.join(HERE, "peers", "dumbbell.cc")
        flags = ["-std=c++17", "-O3", "-DNDEBUG", source, "-o", program, *(f"-lns3-{lib}" for lib in NS3_LIBS)]
        if subprocess.run([compiler, *flags]).returncode:
            return None, "found, but the program does not compile"
    linked = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    library = re.search(r"libns3\S*internet\S* => (\S+)", linked)
    if not library:
        return program, "ns-3, build unknown"
    with open(library[1], "rb") as file:
        logging = b"LogComponent9IsEnabled" in file.read()  # what NS_LOG leaves behind, if it was compiled in
    version = re.search(r"libns3\.(\d+)|\.so\.(\d+)", os.path.basename(library[1]))
    version = f"3.{version[1] or version[2]}" if version else "of unknown version"
    kind = "your build" if os.environ.get("NS3_BIN") else "as packaged"
    return program, f"ns-3 {version}, {kind}, logging {'compiled in' if logging else 'off'}"


def resident_kb(job):
    """Memory of the whole process in the midst of a simulation, before there are results to write."""
    command = [re.sub(r"^duration=.*", "duration=720 h", word) for word in job.command]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(4)
    with open(f"/proc/{child.pid}/status") as file:
        kb = int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])
    child.kill()
    child.wait()
    return kb


def machine():
    """In words, for the heading of the table."""
    try:
        with open("/proc/cpuinfo") as file:
            model = re.search(r"model name\s*: (.*)", file.read())[1]
    except (OSError, TypeError):
        model = "unknown processor"
    return f"{model}, {os.cpu_count()} hardware threads"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which all programs run (5)")
    parser.add_argument("--quick", action="store_true", help="one round, shorter runs: a first look, not a result")
    parser.add_argument("--write", metavar="FILE", help="write the tables to a file too")
    args = parser.parse_args()
    rounds, scale = (1, 0.2) if args.quick else (args.rounds, 1)
    binary = build()
    scratch = tempfile.mkdtemp(prefix="ackclock-bench-")
    try:
        report = measure(binary, scratch, rounds, scale)
    finally:
        shutil.rmtree(scratch)
    print(report)
    if args.write:
        # What other scripts measured stands behind it.
        old = open(args.write).read() if os.path.exists(args.write) else ""
        _, title, others = old.partition("\n## ")
        with open(args.write, "w") as file:
            file.write(report + "\n" + (f"\n## {others}" if title else ""))


def measure(binary, scratch, rounds, scale):
    out = os.path.join(scratch, "out")

    def our(file, seconds, **rest):
        return ours(binary, out, file, round(seconds * scale, 3), **rest)

    packet = {"mss": 1460, "least": 900.0}
    few = ["network.sources=5", "tcp.receive_window=1500 kB", "tcp.initial_ssthresh=1 MB"]
    jobs = {
        "P, 5 flows": our("p", 200, least=139.0),
        "P, 15 flows": our("p", 200, least=139.0, sets=["network.sources=15"]),
        "Q": our("q", 10000, mss=1460, least=7.0),
        "R, 1,000 flows": our("r", 40, **packet),
        "R, 5 flows": our("r", 40, sets=few, **packet),
        "R, 5,000 flows": our("r", 40, sets=["network.sources=5000"], **packet),
        "R, 100,000 flows": our("r", 100, sets=["network.sources=100000"], **packet),
        "GEO": our("geo", 20000, mss=1000, least=1.35),
        "LEO": our("leo", 600, mss=1000, least=1.2, whole=True),
        "WAN cells, 5 sources": our("wan-cells", 200, least=112.0),
        "WAN cells, 15 sources": our("wan-cells", 200, least=112.0, sets=["network.sources=15"]),
        "LAN cells": our("lan-cells", 100, least=112.0),
        "paced": our("paced", 100, least=112.0),
        "ABR, 5 sources": our("abr", 60, mss=9180, least=120.0),
        "ABR, 50 sources": our("abr", 60, mss=9180, least=120.0, sets=["network.sources=50"]),
        "ABR, LAN": our("abr-lan", 60, mss=9180, least=120.0),
        "ABR, GFC-2": our("gfc-2", 60, mss=9180, least=280.0),
        "P, 5 flows, recorded": our("p", 200, least=139.0, options=RECORD),
        "WAN cells, 5 sources, recorded": our("wan-cells", 200, least=112.0, options=RECORD),
    }
    notes = []
    usage = subprocess.run([binary, "run", "--help"], capture_output=True, text=True).stdout
    if "--engine" in usage:
        reference = {"options": ["--engine", "reference"]}
        jobs["paced, reference engine"] = our("paced", 20, least=112.0, **reference)
        jobs["ABR, 5 sources, reference engine"] = our("abr", 20, mss=9180, least=120.0, **reference)
        fifty = ["network.sources=50"]
        jobs["ABR, 50 sources, reference engine"] = our("abr", 20, mss=9180, least=120.0, sets=fifty, **reference)
        jobs["ABR, LAN, reference engine"] = our("abr-lan", 20, mss=9180, least=120.0, **reference)
        jobs["ABR, GFC-2, reference engine"] = our("gfc-2", 20, mss=9180, least=250.0, **reference)
    else:
        notes.append("one engine only: the row of the reference engine is not measured")

    dumbbells = {"P, 5 flows": ("P", 5), "P, 15 flows": ("P", 15), "Q": ("Q", 5), "R, 1,000 flows": ("R", 1000)}
    lasts = {"P": 20, "Q": 600, "R": 30}  # R: more than its set-up costs
    if shutil.which("ns"):
        for row, (name, flows) in dumbbells.items():
            command = ["ns", os.path.join(HERE, "peers", "dumbbell.tcl"), "-scen", name, "-n", str(flows)]
            before = Job([*command, "-time", "0.0001"], 0)
            least = jobs[row].least * 0.98
            command += ["-time", str(lasts[name])]
            jobs["ns-2, " + row] = Job(command, lasts[name], jobs[row].mss, least, before, long=name == "R")
        satellites = ["ns", os.path.join(HERE, "peers", "satellites.tcl"), "-scen"]
        # Routes for each packet take minutes, and cost the same at any time.
        for row, name, options, seconds, whole in [
            ("GEO", "GEO", [], 600, False),
            ("LEO", "LEO", [], 600, True),
            ("LEO, routes for each packet", "LEO", ["-routes", "packet"], 30, False),
        ]:
            command = [*satellites, name, *options]
            before = Job([*command, "-time", "0.0001"], 0)
            command += ["-time", str(seconds)]
            jobs["ns-2, " + row] = Job(command, seconds, 1000, jobs[name].least * 0.98, before, whole=whole)
    else:
        notes.append("ns-2: not found, its rows are not measured (make bench-setup)")
    program, about = ns3(scratch)
    if program:
        notes.append(about)
        for row in ["P, 5 flows", "P, 15 flows", "Q"]:  # R takes minutes: its routers search a thousand routes in line
            name, flows = dumbbells[row]
            command = [program, f"--scen={name}", f"--n={flows}"]
            before = Job([*command, "--time=0.0001"], 0)
            command.append(f"--time={lasts[name]}")
            jobs["ns-3, " + row] = Job(command, lasts[name], jobs[row].mss, jobs[row].least * 0.98, before, long=True)
    else:
        notes.append(f"ns-3: {about}, its rows are not measured (make bench-setup)")
    for note in notes:
        print(f"*** {note}", file=sys.stderr)

    compared = [name for what, this, other, *_ in FASTER + DEARER for name in (this, other) if name in jobs]
    in_turn = list(dict.fromkeys(compared))
    for i in range(rounds):
        for name in in_turn:
            jobs[name].begin_round()
        for turn in range(PASSES):
            for name in in_turn:
                if jobs[name].long and turn > 0:
                    continue
                print(f"round {i + 1} of {rounds}: {name:30}", end="\r", file=sys.stderr)
                jobs[name].setup.run()
                jobs[name].run()
    print(file=sys.stderr)
    low = [name for name, job in jobs.items() if job.mbps < job.least]
    notes += [f"{name}: goodput of {jobs[name].mbps} Mb/s is too low, its cost means nothing" for name in low]
    how = f"medians of {rounds} rounds; ratios are medians of ratios of neighbouring runs"
    lines = [f"User CPU per delivered segment, {how}; {machine()}; profile `dist`, nothing recorded unless said.", ""]
    lines += against_the_targets(jobs) + [""] + raw(jobs) + [""] + [f"- {note}" for note in notes]
    return "\n".join(lines)


def comparisons():
    """What is compared: in words, the job, the other, what must be reached, what is hoped for."""
    faster, dearer = [], []
    for n in (5, 15):
        what = f"WAN cell by cell, {n} sources, against ns-2 with the packets of P"
        faster.append((what, f"WAN cells, {n} sources", f"ns-2, P, {n} flows", 10, 25))
        faster.append((f"P, {n} flows, against ns-2", f"P, {n} flows", f"ns-2, P, {n} flows", 20, 60))
    for row in ["Q", "R, 1,000 flows"]:
        faster.append((f"{row}, against ns-2", row, "ns-2, " + row, 20, 60))
    for row in ["P, 5 flows", "P, 15 flows", "Q"]:
        must = (500, 1500) if row[0] == "P" else (None, None)
        faster.append((f"{row}, against ns-3", row, "ns-3, " + row, *must))
    faster.append(("GEO, 600 s, against ns-2", "GEO", "ns-2, GEO", 50, 200))
    leo = "LEO, 600 s with contact plan, against ns-2"
    faster.append((f"{leo} with routes for each packet, as in its examples", "LEO", "ns-2, LEO, routes for each packet", 100, 1000))
    faster.append((f"{leo} with routes computed at changes only", "LEO", "ns-2, LEO", 100, 1000))
    faster.append(("paced, against the reference engine", "paced", "paced, reference engine", 10, 25))
    for row in ["ABR, 5 sources", "ABR, 50 sources", "ABR, LAN", "ABR, GFC-2"]:
        faster.append((f"{row}, against the reference engine", row, f"{row}, reference engine", 6, 20))
    dearer.append(("LAN cell by cell, against WAN", "LAN cells", "WAN cells, 5 sources", 6, 2.5))
    dearer.append(("5,000 flows, against 5", "R, 5,000 flows", "R, 5 flows", 6, 3))
    dearer.append(("100,000 flows, against 5", "R, 100,000 flows", "R, 5 flows", None, None))
    for row in ["P, 5 flows", "WAN cells, 5 sources"]:
        dearer.append((f"{row}, windows and queues recorded", row + ", recorded", row, 1.3, 1.1))
    return faster, dearer


FASTER, DEARER = comparisons()


def against_the_targets(jobs):
    """The table of ratios, and of memory."""
    lines = ["| ns per segment | this | the other | ratio | lowest to highest | must | stretch | |", "|---|---|---|---|---|---|---|---|"]
    for what, this, other, must, stretch in FASTER + DEARER:
        if this not in jobs or other not in jobs:
            lines.append(f"| {what} | not measured | | | | {must or ''} | {stretch or ''} | |")
            continue
        a, b = jobs[this], jobs[other]
        more = (what, this, other, must, stretch) in FASTER
        word, sort = ("times faster", 1) if more else ("times dearer", -1)
        (value, *ends) = ratio(b, a) if more else ratio(a, b)
        low, high = (in_short(end) for end in ends)
        costs = f"{a.median_ns():,.0f} | {b.median_ns():,.0f}"
        lines.append(f"| {what} | {costs} | {in_short(value)} {word} | {low} to {high} | {reached(value, must, stretch, sort)}")
    during, peak = bytes_per_flow(jobs)
    if during:
        lines.append(f"| memory per flow while simulating | {during:,.0f} B | | | | {reached(during, 2000, 700, -1)}")
    lines.append(f"| memory per flow with the results, at the peak | {peak:,.0f} B | | | | | | |")
    megabytes = jobs["R, 100,000 flows"].peak_kb / 1024
    lines.append(f"| memory of 100,000 flows, at the peak | {megabytes:,.0f} MB | | | | | | |")
    return lines


def in_short(ratio):
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def reached(value, must, stretch, sort):
    """The last columns: two limits, and which of them holds; sort -1 if less is better."""
    if not must:
        return "| | |"
    word = "stretch" if sort * value >= sort * stretch else "must" if sort * value >= sort * must else "**missed**"
    return f"{must:,} | {stretch:,} | {word} |"


def bytes_per_flow(jobs):
    """In the midst of the run, and at the peak, which is when results are written."""
    # The kernel counts this script in the peak of its child, which hides that of a small run.
    peak = (jobs["R, 100,000 flows"].peak_kb - jobs["R, 5,000 flows"].peak_kb) * 1024 / 95000
    if not os.path.exists("/proc/self/status"):
        return None, peak
    return (resident_kb(jobs["R, 5,000 flows"]) - resident_kb(jobs["R, 5 flows"])) * 1024 / 4995, peak


def raw(jobs):
    """Everything that was measured."""
    lines = ["| run | user s | lowest to highest | before and after, s | segments | Mb/s | us per segment |"]
    lines.append("|---|---|---|---|---|---|---|")
    for name, job in jobs.items():
        user, before = job.seconds_used(), statistics.median(job.setup.seconds_used())
        spread = f"{min(user):.2f} to {max(user):.2f}"
        seconds = f"{statistics.median(user):.2f} | {spread} | {before:.2f}"
        lines.append(f"| {name} | {seconds} | {job.segments():,.0f} | {job.mbps:.1f} | {job.median_ns() / 1000:.3f} |")
    return lines


if __name__ == "__main__":
    main()
