#!/usr/bin/env python3
"""Instructions of fixed short scenarios, counted by callgrind: `make instructions` writes bench/instructions.txt,
`make instructions-check` compares with it and fails if anything has become 10 % dearer. Both fail if to load and build
a network of many flows, and to write its result, costs more for each of them than one of few, of packets or of cells.

Counts show what a stopwatch cannot, and hardly depend on what else the machine does: runs are simulated in slices of real
time, and each slice costs a little for every port, so where there are thousands of ports with a queue discipline of their own
(r-fq-codel) a busy machine counts up to a third more. What a run needs before the first segment and after the last is
counted in a run of no length. Another compiler gives other counts: its version is
in the file.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # no compiled copy of run.py in the repository
import run

# Five times as many flows in the same network: of packets, and of cells.
LINEAR, TIMES = [("r-5000", "r"), ("lan-cells-5000", "lan-cells-1000")], 5
BOTTLENECK = "sw1->sw2"
FILE = os.path.join(run.HERE, "instructions.txt")
LIMIT_PERCENT = 10.0
LINEAR_PERCENT = 25.0  # what set-up with many flows may cost more than in proportion to them
RATES = ["port.\"sw1->sw2\".rate_algorithm=simplified-erica-plus"]
GFC_2 = "network.topology=gfc-2"
RATES_AT_ALL = ["queue.rate_algorithm=simplified-erica-plus"]
# Name, scenario, simulated seconds, bytes per segment, settings. Long enough that the first seconds do not rule.
SCENARIOS = [
    ("p", "p", 3, 512, []),
    ("p-15", "p", 3, 512, ["network.sources=15"]),
    ("q", "q", 120, 1460, []),
    ("r", "r", 2, 1460, []),
    ("r-5000", "r", 2, 1460, ["network.sources=5000"]),
    # A queue for each flow.
    ("p-fq-codel", "p", 3, 512, ["queue.policy=fq-codel"]),
    ("r-fq-codel", "r", 2, 1460, ["queue.policy=fq-codel"]),
    # Without rate control, with window feedback at the bottleneck and at all ports, and with a bucket at the bottleneck.
    ("rate", "rate", 3, 1024, []),
    ("rate-window", "rate", 3, 1024, [*RATES, "port.\"sw1->sw2\".tcp_feedback=window"]),
    ("rate-window-all", "rate", 3, 1024, [*RATES_AT_ALL, "queue.tcp_feedback=window"]),
    ("rate-bucket", "rate", 3, 1024, [*RATES, "port.\"sw1->sw2\".tcp_feedback=bucket"]),
    # The same over six bottlenecks, where many ports give rates to few segments.
    ("rate-gfc-2", "rate", 2, 1024, [GFC_2]),
    ("rate-gfc-2-all", "rate", 2, 1024, [GFC_2, *RATES_AT_ALL, "queue.tcp_feedback=window"]),
    # The same in cells, without and with an ATM edge device at the bottleneck, and with such devices everywhere.
    ("rate-cells", "rate-cells", 3, 1024, []),
    ("rate-cells-window", "rate-cells", 3, 1024, [*RATES, "port.\"sw1->sw2\".tcp_feedback=window"]),
    ("rate-cells-all", "rate-cells", 3, 1024, [*RATES_AT_ALL, "queue.tcp_feedback=window"]),
    ("rate-cells-bucket", "rate-cells", 3, 1024, [*RATES, "port.\"sw1->sw2\".tcp_feedback=bucket"]),
    ("wan-cells", "wan-cells", 3, 512, []),
    ("wan-cells-15", "wan-cells", 3, 512, ["network.sources=15"]),
    ("lan-cells", "lan-cells", 2, 512, []),
    ("lan-cells-1000", "lan-cells", 1, 512, ["network.sources=1000", "queue.buffer=100000 cells"]),
    ("lan-cells-5000", "lan-cells", 1, 512, ["network.sources=5000", "queue.buffer=100000 cells"]),
    ("paced", "paced", 2, 512, []),
    ("abr", "abr", 1, 9180, []),
    ("abr-50", "abr", 1, 9180, ["network.sources=50"]),
    ("abr-lan", "abr-lan", 1, 9180, []),
    ("gfc-2", "gfc-2", 1, 9180, []),
    ("geo", "geo", 1000, 1000, []),
    ("leo", "leo", 60, 1000, []),
]
# A packet at one port: a plain one, and FQ-CoDel with a queue for each flow, which may cost as many times as much.
PORT_FLOWS = {5: 3, 1000: 5}
PORT_SECONDS = 5
PORT = """duration = "{seconds} s"

[network]
technology = "packet"
topology = "dumbbell"
sources = 1
access_rate = "10 Gbps"
access_delay = "1 ms"
bottleneck_rate = "100 Mbps"
bottleneck_delay = "5 ms"

[queue]
buffer = "10000 packets"

[traffic]
start = "{seconds} s"

[tcp]
dialect = "standard"
"""
PORT_SOURCE = """
[udp.u{number}]
from = "s1"
to = "d1"
payload = "972 B"
rate = "{rate:.0f} bps"
burst = 4
start = "{start:.6f} s"
"""


def counted(job):
    """Instructions of one run, and megabits per second of goodput."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *job.command]
    result = subprocess.run(valgrind, capture_output=True, text=True, env=run.callgrind_environment())
    if result.returncode:
        sys.exit(f"error: {' '.join(job.command)}\n{result.stderr[-2000:]}")
    count = int(re.search(r"Collected : (\d+)", result.stderr)[1])
    return count, float(re.search(r"goodput Mb/s +([\d.]+)", result.stdout)[1])


def measure():
    """One line for each scenario, and what a packet at a port costs; whether that is no more than it may be."""
    binary = run.build()
    rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True, cwd=run.ROOT).stdout.split()[1]
    lines = [
        "# Written by `make instructions`: instructions of the profile `dist`, under callgrind.",
        f"# rustc {rustc}, {os.uname().machine}; memory is copied without `rep movsb`, of which each byte would count",
        f"# {'scenario':14} {'seconds':>8} {'set-up':>12} {'simulation':>14} {'segments':>10} {'per segment':>12}",
    ]
    scratch = tempfile.mkdtemp(prefix="ackclock-bench-")
    try:
        for name, file, seconds, mss, sets in SCENARIOS:
            print(f"counting {name}", file=sys.stderr)
            job = run.ours(binary, os.path.join(scratch, name), file, seconds, mss, sets=sets)
            before, _ = counted(job.setup)
            total, job.mbps = counted(job)
            segments = round(job.segments())
            each = (total - before) / segments
            lines.append(f"{name:16} {seconds:8} {before:12} {total - before:14} {segments:10} {each:12.1f}")
        of_ports, fine = measure_ports(binary, scratch)
    finally:
        shutil.rmtree(scratch)
    return lines + of_ports, fine


def port_file(scratch, flows):
    """A scenario whose datagrams fill 90 % of a link, in bursts of four, from so many sources that begin one after the other."""
    path = os.path.join(scratch, f"port-{flows}.toml")
    with open(path, "w") as file:
        file.write(PORT.format(seconds=PORT_SECONDS))
        for number in range(flows):
            file.write(PORT_SOURCE.format(number=number, rate=90e6 / flows, start=0.37 * number / flows))
    return path


def counted_at_ports(binary, path, kind, sets):
    """Instructions of all ports of this kind, with what they call; and packets at the bottleneck."""
    options = ["--collect-atstart=no", f"--toggle-collect=*{kind} as*Process*advance*"]
    command = [binary, "run", path, "--json", *(word for of in sets for word in ("--set", of))]
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *options, *command]
    result = subprocess.run(valgrind, capture_output=True, text=True, env=run.callgrind_environment())
    if result.returncode:
        sys.exit(f"error: {' '.join(command)}\n{result.stderr[-2000:]}")
    ports = json.loads(result.stdout)["runs"][0]["ports"]
    packets = next(port["arrivals"] for port in ports if port["name"] == BOTTLENECK)
    return int(re.search(r"Collected : (\d+)", result.stderr)[1]), packets


def measure_ports(binary, scratch):
    """Lines for a packet at a port; whether FQ-CoDel costs no more times as much than it may."""
    lines, fine = ["# port             flows  per packet"], True
    sets = [f'port."{BOTTLENECK}".policy=fq-codel']
    for flows, most in PORT_FLOWS.items():
        print(f"counting a port with {flows} flows", file=sys.stderr)
        path = port_file(scratch, flows)
        whole, packets = counted_at_ports(binary, path, "PacketPorts", [])
        others, _ = counted_at_ports(binary, path, "PacketPorts", sets)
        fair, _ = counted_at_ports(binary, path, "ChangingPort", sets)
        plain, fair = (whole - others) / packets, fair / packets
        lines.append(f"# plain        {flows:8} {plain:11.1f}")
        lines.append(f"# fq-codel     {flows:8} {fair:11.1f}  {fair / plain:.2f} times a plain port, at most {most}")
        fine = fine and fair <= most * plain
    return lines, fine


def columns(lines):
    """Set-up and cost per segment of each scenario."""
    words = [line.split() for line in lines if not line.startswith("#")]
    return {word[0]: {"set-up": float(word[2]), "per segment": float(word[5])} for word in words}


def check(old, new):
    """Prints what has changed; whether nothing has become too dear."""
    if old[1] != new[1]:
        print(f"counted otherwise: {old[1][2:]} then, {new[1][2:]} now")
    before, now = columns(old), columns(new)
    if before.keys() != now.keys():
        sys.exit("other scenarios than in bench/instructions.txt: run `make instructions`")
    fine = True
    for name, counts in now.items():
        for what, count in counts.items():
            percent = 100 * (count / before[name][what] - 1)
            dear = percent > LIMIT_PERCENT
            fine = fine and not dear
            print(f"{name:16} {what:12} {before[name][what]:14.1f} {count:14.1f} {percent:+7.1f} % {'DEARER' * dear}")
    return fine


def is_linear(lines):
    """Whether to load and build many flows costs as much for each as to do it with few. Prints it."""
    counts, fine = columns(lines), True
    for many, few in LINEAR:
        percent = 100 * (counts[many]["set-up"] / counts[few]["set-up"] / TIMES - 1)
        print(f"set-up of {many}: {percent:+.1f} % beside {TIMES} times the instructions of {few}")
        fine = fine and percent <= LINEAR_PERCENT
    return fine


def main():
    if not shutil.which("valgrind"):
        sys.exit("error: valgrind is missing (make bench-setup)")
    new, ports_are_fine = measure()
    if sys.argv[1:] == ["--check"]:
        with open(FILE) as file:
            old = file.read().splitlines()
        fine = check(old, new)
        sys.exit(0 if is_linear(new) and fine and ports_are_fine else 1)
    with open(FILE, "w") as file:
        file.write("\n".join(new) + "\n")
    print("\n".join(new))
    if not is_linear(new):
        sys.exit("error: with many flows the set-up costs more for each of them")
    if not ports_are_fine:
        sys.exit("error: FQ-CoDel costs more times as much as a plain port than it may")


if __name__ == "__main__":
    main()
