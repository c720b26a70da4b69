"""Results of runs."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ackclock import _core, _html
from ackclock._errors import OutsideError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ackclock._core import Table
    from ackclock._scenario import Scenario

_SHOWN = [
    "seed", "flow", "group", "goodput_bps", "retransmissions", "needless", "fast_retransmits", "timeouts", "completion_s",
    "one_way_delay_p95_s", "mean_round_trip_s",
]  # fmt: skip


class Result:
    """What the runs of a scenario gave, one for each seed. `run` and `Simulation.result` make it.

    Its tables go to any data-frame library: `polars.DataFrame(result.flows)` and `pyarrow.table(result.flows)` copy nothing,
    `pandas.DataFrame.from_arrow(result.flows)` copies numbers once. All numbers are those of the command line, over the time after the
    warm-up where there is one.

    >>> import ackclock as ac
    >>> result = ac.run(ac.examples.two_flows())
    >>> [round(bps / 1e6, 1) for bps in result.flows["goodput_bps"]]
    [4.2, 5.3]
    """

    def __init__(self, core: _core.Result, scenario: Scenario) -> None:
        self._core = core
        self._scenario = scenario

    @property
    def scenario(self) -> Scenario:
        """The scenario that was run, with the values that were set."""
        return self._scenario

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs that were finished."""
        return self._core.seeds

    @property
    def complete(self) -> bool:
        """Whether every run that was asked for was finished."""
        return self._core.complete

    @property
    def simulated_s(self) -> list[float]:
        """The simulated time of each run, seconds: less than the duration of the scenario if a simulation was ended before."""
        return self._core.simulated_s

    @property
    def fingerprints(self) -> list[str]:
        """Of each run a hash over everything observable: runs that are equal to the bit have equal ones."""
        return self._core.fingerprints

    @property
    def runs(self) -> Table:
        """A row for each run: numbers of the whole network, and the measures that were asked for."""
        return self._core.runs

    @property
    def flows(self) -> Table:
        """A row for each run and flow of TCP. What no flow has is no column."""
        return self._core.flows

    @property
    def udp(self) -> Table:
        """A row for each run and source of datagrams."""
        return self._core.udp

    @property
    def ports(self) -> Table:
        """A row for each run and output port. Ports count cells on ATM networks and packets on others."""
        return self._core.ports

    @property
    def metrics(self) -> list[str]:
        """The names of what was recorded over time: what `record` of `run` asked for."""
        return self._core.metrics

    def series(self, metric: str, of: str | None = None, *, seed: int | None = None) -> Table:
        """What was recorded of a metric over time, of one flow or port or of all, with times in seconds.

        Of flows the times are those of changes or samples, of ports the start and end of equal intervals.

        Args:
            metric: one of `metrics`.
            of: a flow or a port.
            seed: a run; without it all of them, one after the other.

        Raises:
            UsageError: it was not recorded, or there is no such flow, port or run.

        >>> import ackclock as ac
        >>> result = ac.run(ac.examples.two_flows(), record=["cwnd", "queue"])
        >>> cwnd = result.series("cwnd", "f1")
        >>> cwnd.columns, cwnd.units["cwnd_bytes"]
        (['seed', 'flow', 'time_s', 'cwnd_bytes'], 'bytes')
        >>> result.series("queue", "sw1->sw2").columns[1:6]
        ['port', 'start_s', 'end_s', 'queue_min_packets', 'queue_mean_packets']
        """
        return self._core.series(metric, of, seed)

    def measure(self, expression: str) -> list[float | None]:
        """A measure of each run in the order of the seeds, as "goodput(f1)", "jain(goodput)", "p95(one-way-delay: ping)" or
        "cwnd(f1, 2 to 5 s)"; None where it has no value. A ScenarioError says what is wrong with the expression, or what it needs.

        >>> import ackclock as ac
        >>> result = ac.run(ac.examples.two_flows(), seeds=2)
        >>> [round(share, 2) for share in result.measure("share(goodput: f1)")]
        [0.44, 0.56]
        """
        return self._core.measure(expression)

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document of `ackclock run --json`, with all counts and with means and intervals over the seeds.

        >>> import ackclock as ac
        >>> document = ac.run(ac.examples.two_flows(), seeds=2).document
        >>> len(document["runs"]), round(document["summary"]["fairness"]["mean"], 2)
        (2, 0.99)
        """
        document: dict[str, Any] = json.loads(self._core.to_json())
        return document

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes a result folder as the command line does: `ackclock report`, `compare`, `plot` and `rerun` take it.

        >>> import ackclock as ac
        >>> folder = ac.run(ac.examples.two_flows()).save("results/two-flows")
        >>> sorted(path.name for path in folder.iterdir() if path.suffix in (".json", ".toml"))
        ['result.json', 'scenario.toml']
        """
        self._core.write_folder(os.fspath(folder))
        return Path(folder)

    def save_captures(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes the captures as pcapng files for Wireshark and tcptrace, and returns their paths.

        >>> import ackclock as ac
        >>> result = ac.run(ac.examples.two_flows(), capture="s1")
        >>> [path.name for path in result.save_captures("captures")]
        ['s1.pcapng']
        """
        return [Path(path) for path in self._core.write_captures(os.fspath(folder))]

    def save_report(self, path: str | os.PathLike[str], *, seed: int | None = None) -> Path:
        """Writes the page with tables and plots of the run of a seed, or of the first, as one HTML file that opens without a network.

        >>> import ackclock as ac
        >>> ac.run(ac.examples.two_flows(), record="cwnd").save_report("two-flows.html").name
        'two-flows.html'
        """
        page = self._core.report(seed)
        try:
            Path(path).write_text(page, encoding="utf-8")
        except OSError as error:
            raise OutsideError(f"cannot write `{path}`: {error.strerror}", "choose another place") from None
        return Path(path)

    def plot(self, *what: str, **how: Any) -> Figure:
        """A figure of what was recorded; see `ackclock.plots.result`. It needs matplotlib.

        >>> import ackclock as ac
        >>> len(ac.run(ac.examples.two_flows(), record=["cwnd", "queue"]).plot("cwnd", "queue").axes)
        2
        """
        from ackclock import plots

        return plots.result(self, *what, **how)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a result holds all that its runs recorded, and is not pickled: return its tables or its document")

    def __str__(self) -> str:
        return str(self._core)

    def __repr__(self) -> str:
        return repr(self._core)

    def _repr_html_(self) -> str:
        flows, ports = self.flows, self.ports
        parts = [f"<p><b>{html.escape(self._scenario.name)}</b>, seeds {', '.join(map(str, self.seeds))}</p>"]
        if len(flows):
            parts.append(_html.table(flows, [name for name in _SHOWN if name in flows]))
        elif len(ports):
            parts.append(_html.table(ports))
        return "".join(parts) + f"<div>{''.join(self._charts())}</div>"

    def _charts(self) -> Sequence[str]:
        """Small charts of the first run: goodput of some flows, and some of what was recorded."""
        charts = []
        flows = [row for row in self.flows.rows() if row["seed"] == self.seeds[0]][:_MOST_FLOWS] if self.seeds else []
        if flows:
            names, goodput = [row["flow"] for row in flows], [row["goodput_bps"] / 1e6 for row in flows]
            charts.append(_html.bars(names, goodput, "goodput", "Mb/s"))
        for metric in [metric for metric in ("cwnd", "rtt", "queue", "throughput") if metric in self.metrics]:
            table = self.series(metric, seed=self.seeds[0])
            if len(table) == 0:
                continue
            subject = "flow" if "flow" in table else "port"
            of = table[subject][0]
            if metric == "queue":
                of = max({row: 0 for row in table[subject]}, key=lambda port: self._mean(port))
            one = self.series(metric, of, seed=self.seeds[0])
            value = next((name for name in one.columns if "_mean_" in name), one.columns[-1])
            time = "time_s" if "time_s" in one else "start_s"
            charts.append(_html.line(list(one[time]), list(one[value]), f"{metric} of {of}", one.units[value]))
        return charts

    def _mean(self, port: str) -> float:
        return next((row.get("queue") or 0.0 for row in self.ports.rows() if row["port"] == port), 0.0)


_MOST_FLOWS = 8
