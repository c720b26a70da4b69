"""Simulated and live side by side: one flow of CUBIC or Reno through one router, 18 cells of rate, round trip and buffer.

    python3 bench/live_cells.py --program target/release/ackclock                    all cells, as a table
    python3 bench/live_cells.py --program ... --cell 10-510-1-reno --svg docs/live   one cell, with its windows as a picture
    python3 bench/live_cells.py --program ... --dialect standard                     simulated as the RFCs say, not as Linux does

It needs what `ackclock live` needs. A cell takes as long as its live run: 20, 30 or 60 s. Results are kept in `results/live-cells`; what is
there is not run again.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys

SECONDS = {10: 20, 100: 30, 510: 60}
SCENARIO = """\
name = "live-cell"
duration = "{seconds} s"
record = ["cwnd"]

[network]
technology = "packet"
topology = "graph"

[node]
a.kind = "host"
r.kind = "switch"
b.kind = "host"

[link]
ar = {{ ends = ["a", "r"], rate = "1 Gbps", delay = "1 ms" }}
rb = {{ ends = ["r", "b"], rate = "{rate} Mbps", delay = "{delay} ms" }}

[queue]
policy = "tail-drop"
buffer = "{packets} packets"

[tcp]
dialect = "{dialect}"
congestion_control = "{cc}"
{window}
{more}

[flow.f]
from = "a"
to = "b"
"""
# As in the tables of docs/live.md: what the network holds, or so much that the window of the sender alone decides.
WINDOWS = {"standard": 'receive_window = "auto"', "linux": 'receive_window = "{octets} B"'}
# What Linux does and the simulated host can be told to do: how it is said, and what it is called.
VARIANTS = {
    "min-rto": ('min_rto = "{over} ms"', "simulated, timer as long as that of Linux"),
    "prr": ('rack.window_reduction = "proportional"', "simulated, with PRR"),
}


class Cell:
    def __init__(self, rate, trip, buffer, cc):
        self.rate, self.trip, self.buffer, self.cc = rate, trip, buffer, cc

    @property
    def name(self):
        return f"{self.rate}-{self.trip}-{self.buffer:g}-{self.cc}"

    @property
    def title(self):
        return f"{self.cc.capitalize()}, {self.rate} Mb/s, {self.trip} ms, buffer of {self.buffer:g} BDP"

    def scenario(self, dialect, more=""):
        bdp = self.rate * 1e6 / 8 * self.trip / 1e3
        return SCENARIO.format(
            seconds=SECONDS[self.trip],
            rate=self.rate,
            delay=self.trip / 2 - 1,
            packets=round(self.buffer * bdp / 1500),
            dialect=dialect,
            cc=self.cc,
            window=WINDOWS[dialect].format(octets=round(4 * bdp + 4 * 65536)),
            more=more.format(over=round(self.trip * (1 + self.buffer) + 700)),
        )


def all_cells():
    return [Cell(r, t, b, cc) for cc in ("cubic", "reno") for r in (10, 50) for t in (10, 100, 510) for b in (0.5, 1, 2)]


def result(program, folder, command, dialect, cell, label, more=""):
    """The folder of a finished result; it is run if it is not there."""
    out = folder / f"{cell.name}-{dialect}-{label}"
    if not (out / "result.json").exists():
        file = folder / f"{out.name}.toml"
        file.write_text(cell.scenario(dialect, more))
        done = subprocess.run([program, command, file, "--out", out], capture_output=True, text=True)
        if not (out / "result.json").exists():
            sys.exit(f"{cell.name}: `{command}` made no result:\n{done.stderr}")
    return out


def measured(out):
    """Goodput in Mb/s, the mean queue in packets, the verdict of a live run."""
    run = json.loads((out / "result.json").read_text())["runs"][0]
    verdict = run.get("live", {}).get("verdict", "")
    queue = next(port["mean_queue"] for port in run["ports"] if port["name"] == "r->b")
    return run["flows"][0]["goodput_bps"] / 1e6, queue, verdict


def goodput(out):
    return measured(out)[0]


def windows(program, out):
    """Times and windows in packets."""
    to = out.parent / f"{out.name}-figure"
    subprocess.run([program, "plot", out, "--figure", "cwnd", "--to", to], capture_output=True, check=True)
    with open(next(to.glob("cwnd-*.csv"))) as file:
        rows = [row for row in csv.DictReader(file)]
    time, value = list(rows[0])[:2]
    per = 1448 if "bytes" in value else 1
    points = [(float(row[time]), float(row[value]) / per) for row in rows if row[value]]
    return points


def thinned(points, end, count=500):
    """The least and the largest window of each of so many intervals: what a picture can show."""
    kept, last = [], None
    slots = {}
    for at, value in points:
        slots.setdefault(int(at / end * count), []).append((at, value))
    for slot in sorted(slots):
        of = slots[slot]
        for point in sorted({of[0], min(of, key=lambda p: p[1]), max(of, key=lambda p: p[1]), of[-1]}):
            if point != last:
                kept.append(point)
                last = point
    return kept


COLOURS = ["#000000", "#0072b2", "#d55e00", "#009e73"]
DASHES = ["", "6 3", "2 2", "8 2 2 2"]


def svg(title, end, curves):
    """A picture of curves, each a name and its points, windows as steps."""
    width, height, left, top, right, bottom = 640, 350, 62, 34, 14, 104
    most = max(value for _, points in curves for _, value in points) * 1.05
    x = lambda at: left + at / end * (width - left - right)
    y = lambda value: height - bottom - value / most * (height - top - bottom)
    step = next(s * 10**e for e in range(6) for s in (1, 2, 5) if most / (s * 10**e) <= 6)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="12">',
        "<!-- drawn by bench/live_cells.py -->",
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{left}" y="20" font-size="13">{title}</text>',
    ]
    for n in range(int(most / step) + 1):
        at = f"{y(n * step):.1f}"
        parts.append(f'<path d="M{left} {at}H{width - right}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{y(n * step) + 4:.1f}" text-anchor="end">{n * step}</text>')
    for second in range(0, int(end) + 1, 10):
        parts.append(f'<text x="{x(second):.1f}" y="{height - bottom + 16}" text-anchor="middle">{second}</text>')
    parts.append(f'<text x="{width - right}" y="{height - bottom + 32}" text-anchor="end">seconds</text>')
    parts.append(f'<text x="14" y="{(height - bottom + top) / 2}" transform="rotate(-90 14 {(height - bottom + top) / 2})" '
                 'text-anchor="middle">window, packets</text>')
    for n, (name, points) in enumerate(curves):
        d, before = [], None
        for at, value in thinned(points, end):
            d.append(f"M{x(at):.1f} {y(value):.1f}" if before is None else f"H{x(at):.1f}V{y(value):.1f}")
            before = value
        d.append(f"H{x(end):.1f}")
        style = f'fill="none" stroke="{COLOURS[n]}" stroke-width="1.3" stroke-dasharray="{DASHES[n]}"'
        parts.append(f'<path d="{"".join(d)}" {style}/>')
        row = height - bottom + 32 + 17 * n
        parts.append(f'<path d="M{left} {row}h34" {style}/><text x="{left + 42}" y="{row + 4}">{name}</text>')
    return "\n".join(parts + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/ackclock")
    parser.add_argument("--dialect", default="linux", choices=WINDOWS, help="of the simulated host")
    parser.add_argument("--cell", action="append", help="RATE-TRIP-BUFFER-TCP, as in 10-510-1-reno")
    parser.add_argument("--variant", choices=VARIANTS, action="append", default=[], help="simulated too, in the picture")
    parser.add_argument("--svg", type=pathlib.Path, help="a folder for pictures of the windows")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("results/live-cells"))
    args = parser.parse_args()
    args.results.mkdir(parents=True, exist_ok=True)
    cells = [cell for cell in all_cells() if not args.cell or cell.name in args.cell]
    if args.cell and len(cells) != len(args.cell):
        sys.exit("no such cell; they are: " + " ".join(cell.name for cell in all_cells()))
    print("| cell | simulated | live | | queue simulated | live | | verdict |\n|---|---|---|---|---|---|---|---|")
    for cell in cells:
        outs = [("simulated", result(args.program, args.results, "run", args.dialect, cell, "simulated"))]
        outs.insert(0, ("live, the kernel", result(args.program, args.results, "live", args.dialect, cell, "live")))
        for variant in args.variant:
            more, label = VARIANTS[variant]
            outs.append((label, result(args.program, args.results, "run", args.dialect, cell, variant, more)))
        (live, waits, verdict), (simulated, queue, _) = measured(outs[0][1]), measured(outs[1][1])
        values = f"{simulated:.2f} | {live:.2f} | {100 * (live / simulated - 1):+.1f} %"
        queues = f"{queue:.1f} | {waits:.1f} | {100 * (waits / queue - 1):+.0f} %"
        print(f"| {cell.title} | {values} | {queues} | {verdict} |", flush=True)
        for label, out in outs[2:]:
            print(f"| {label} | {goodput(out):.2f} | | | | | | |")
        if args.svg:
            args.svg.mkdir(parents=True, exist_ok=True)
            curves = [(f"{label}: {goodput(out):.2f} Mb/s", windows(args.program, out)) for label, out in outs]
            (args.svg / f"cwnd-{cell.name}.svg").write_text(svg(cell.title, SECONDS[cell.trip], curves))


if __name__ == "__main__":
    main()
