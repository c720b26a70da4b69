"""Figures for papers and notebooks.

They need matplotlib: `pip install 'ackclock[plot]'`. All have one style: letters of 8 points, the colours of the reports with a dash, a
marker or a hatching for each, so that they can be read in black and white, and sizes for one (3.5 in) and two columns (7.2 in) of a paper.

Each function returns a Figure. A notebook shows it, `figure.savefig("x.pdf")` writes it with embedded fonts, and all of matplotlib is
there to change it: `figure.axes[0].set_title(...)`.

>>> import ackclock as ac
>>> result = ac.run(ac.examples.two_flows(), record=["cwnd", "ssthresh", "queue"])
>>> figure = result.plot("cwnd", "queue", size="one")
>>> [axes.get_ylabel() for axes in figure.axes]
['kB', 'packets']
"""

from __future__ import annotations

import difflib
import io
import itertools
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ackclock._errors import UsageError
from ackclock._result import Result
from ackclock._values import seconds_of

try:
    import matplotlib
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as _Figure
    from matplotlib.lines import Line2D
    from matplotlib.patheffects import withStroke
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
except ImportError:
    raise UsageError("the package matplotlib is not installed", "pip install 'ackclock[plot]'") from None

if TYPE_CHECKING:
    from ackclock._core import Table
    from ackclock._sweep import Sweep

__all__ = ["Figure", "bars", "distribution", "result", "sweep"]

Size: TypeAlias = Literal["one", "two"] | tuple[float, float]
"""The width of one or of two columns of a paper, or width and height in inches."""

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"

_WIDTHS = {"one": 3.5, "two": 7.2}
_COLOURS = ["#0068a8", "#c94f00", "#00805d", "#a8447f", "#7a6200", "#4a525a"]
_DASHES: list[Any] = ["-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.2, 1, 1.2)), (0, (8, 1.5)), (0, (3, 1, 1, 1, 1, 1))]
_MARKERS = ["o", "s", "^", "D", "v", "P"]
_HATCHES = ["", "////", "....", "xxxx", "\\\\\\\\", "++++"]
_GREY = "#58636e"
_STYLE: Any = {
    "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 8, "xtick.labelsize": 8, "ytick.labelsize": 8, "legend.fontsize": 8,
    "figure.dpi": 100, "savefig.dpi": 300, "pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "path", "svg.hashsalt": "ackclock",
    "hatch.linewidth": 0.6,
    "lines.linewidth": 1.0, "lines.markersize": 3.5, "axes.linewidth": 0.8, "axes.edgecolor": _GREY, "axes.axisbelow": True,
    "axes.grid": True, "grid.color": "#e6eaee", "grid.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False,
    "axes.titlelocation": "left", "axes.titlepad": 4, "xtick.color": _GREY, "ytick.color": _GREY, "xtick.labelcolor": "black",
    "ytick.labelcolor": "black", "legend.frameon": False, "legend.handlelength": 2.4, "axes.formatter.useoffset": False,
}  # fmt: skip
_MOST_TOGETHER = 4
_MOST_PANELS = 12


class Figure(_Figure):
    """A figure of matplotlib that a notebook shows by itself, and that is saved with embedded fonts. It is not one of pyplot: nothing
    has to be closed.

    >>> import ackclock as ac
    >>> figure = ac.run(ac.examples.two_flows(), record="cwnd").plot("cwnd")
    >>> figure.axes[0].set_title("Two flows").get_text()
    'Two flows'
    >>> figure.savefig("two-flows.pdf")
    """

    def savefig(self, fname: Any, **how: Any) -> None:
        """Writes it as `matplotlib.figure.Figure.savefig` does: the ending says the format (pdf, svg, png). Without the date: equal figures
        are equal files."""
        ending = os.path.splitext(os.fspath(fname))[1][1:] if isinstance(fname, str | os.PathLike) else ""
        date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(str(how.get("format") or ending))
        if date is not None:
            how["metadata"] = {**date, **(how.get("metadata") or {})}
        with matplotlib.rc_context(_STYLE):
            super().savefig(fname, **how)

    def _repr_png_(self) -> bytes:
        written = io.BytesIO()
        self.savefig(written, format="png", dpi=130)
        return written.getvalue()


def result(
    result: Result,
    *what: str,
    seed: int | None = None,
    of: str | Sequence[str] | None = None,
    over: tuple[str | float, str | float] | None = None,
    window: str | float | None = None,
    size: Size = "two",
) -> Figure:
    """What a run recorded over time, one panel below the other with a common axis.

    Up to four flows are curves of one panel; more have a panel each. Curves of more samples than pixels are drawn as the mean with the band
    from the smallest to the largest value of each pixel.

    Args:
        result: the result of `run` or of `Simulation.result`.
        what: "cwnd" (with the slow-start threshold where "ssthresh" was recorded), "queue" (with drops where they were), "rtt",
            "throughput" or "rate", "time-sequence" (which needs "sent" and "acknowledged", and shows "retransmissions"), or another
            recorded metric. Without any: what was recorded of cwnd, throughput, rtt and queue.
        seed: which run, if not the first.
        of: the flows and ports; without any all flows, and the port with the longest mean queue.
        over: the part of the time that is shown, as ("2 s", "4 s") or numbers of seconds.
        window: over how much time throughput is averaged; without it the recorded interval, and at least the round trip without queues.
        size: "one" or "two" columns of a paper, or (width, height) in inches.

    Returns:
        The figure, with an axis of time in seconds, and bytes, rates and times in the scale that fits: kB, Mb/s, ms.

    Raises:
        UsageError: nothing of it was recorded, or there is no such flow; it says what to record.

    >>> import ackclock as ac
    >>> from ackclock import plots
    >>> run = ac.run(ac.examples.two_flows(), record=["cwnd", "rtt", "queue"])
    >>> figure = plots.result(run, "rtt", "queue", over=("1 s", "3 s"), size="one")
    >>> [float(end) for end in figure.axes[-1].get_xlim()]
    [1.0, 3.0]
    """
    if not result.seeds:
        raise UsageError("no run of the result was finished", "run it again")
    asked = [_ALIASES.get(name, name) for name in what] or [name for name in _OVER_TIME if name in result.metrics]
    if not asked:
        raise UsageError("nothing was recorded over time", 'run it with record=["cwnd", "ssthresh", "queue", "rtt", "throughput"]')
    view = _View(
        result,
        result.seeds[0] if seed is None else seed,
        [of] if isinstance(of, str) else None if of is None else list(of),
        (0.0, math.inf) if over is None else (seconds_of(over[0], "over"), seconds_of(over[1], "over")),
        None if window is None else seconds_of(window, "window"),
        {},
    )
    if view.seed not in result.seeds:
        raise UsageError(f"there is no run of seed {view.seed}", f"there are {', '.join(map(str, result.seeds))}")
    if not view.over[0] < view.over[1]:
        raise UsageError(f"over={over!r} is no part of time", 'give a beginning and a later end, as ("2 s", "4 s")')
    if of is not None:
        _known(view, asked)
    panels: list[tuple[_Panel, list[str]]] = []
    for name in asked:
        panel = _PANELS.get(name, _metric(name))
        subjects = view.every[panel.needs[0]] = view.subjects(panel.needs[0])
        # Bytes of several flows over each other would hide the picture that a time-sequence diagram is.
        together = 1 if name == "time-sequence" else _MOST_TOGETHER
        panels += [(panel, subjects)] if len(subjects) <= together else [(panel, [subject]) for subject in subjects]
    if len(panels) > _MOST_PANELS:
        raise UsageError(f"{len(panels)} panels are too many for a figure", f'choose flows and ports, as of="{panels[0][1][0]}"')
    with matplotlib.rc_context(_STYLE):
        figure, grid = _figure(size, len(panels), 1, 1.25 if len(panels) > 2 else 1.6, sharex=True)
        names = list(dict.fromkeys(subject for panel, subjects in panels for subject in subjects if len(subjects) > 1))
        for axes, (panel, subjects) in zip(grid, panels, strict=True):
            panel.draw(axes, view, subjects)
        for name in dict.fromkeys(panel.needs[0] for panel, _ in panels if panel.needs[0] != "sent"):
            alike = [axes for axes, (panel, _) in zip(grid, panels, strict=True) if panel.needs[0] == name]
            limits = [axes.get_ylim() for axes in alike]
            for axes in alike:
                axes.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
        grid[-1].set_xlabel("time [s]")
        grid[-1].set_xlim(max(view.over[0], 0.0), min(view.over[1], _end(view)))
        if names:
            lines = [
                Line2D([], [], color=_COLOURS[place], ls=_DASHES[place], marker=_MARKERS[place], ms=2.5) for place in range(len(names))
            ]
            figure.legend(lines, names, loc="outside upper right", ncols=len(names))
    return figure


def distribution(
    of: Result | Sweep,
    number: str | None = None,
    *,
    hue: str | None = None,
    where: Mapping[str, Any] | None = None,
    seed: int | None = None,
    log: bool | None = None,
    size: Size = "one",
) -> Figure:
    """The empirical distribution: over the value, the share of all that are at most as large.

    Args:
        of: a result, of which recorded values are shown, or a sweep, of which the runs are.
        number: of a result a recorded metric, as "rtt"; of a sweep one of its numbers, as "goodput". Without it "rtt", and the first
            number.
        hue: of a sweep the key that has a curve for each of its values; of a result each flow or port has one.
        where: of a sweep the points that are shown, as {"queue.buffer": 1.0}.
        seed: of a result the run; without it all runs together.
        log: whether the axis of values is logarithmic; without it, if positive values span more than 50.
        size: "one" or "two" columns of a paper, or (width, height) in inches.

    Returns:
        The figure. Values that hold for a time weigh as long as they held, those of events (as round trips) one each.

    Raises:
        UsageError: it was not recorded, or there is no such number or key.

    >>> import ackclock as ac
    >>> from ackclock import plots
    >>> figure = plots.distribution(ac.run(ac.examples.two_flows(), record="rtt"), "rtt")
    >>> figure.axes[0].get_xlabel()
    'Round-trip time [ms]'
    """
    curves: dict[str, tuple[Numbers, Numbers]] = {}
    if isinstance(of, Result):
        metric = _ALIASES.get(number or "rtt", number or "rtt")
        table = of.series(metric)
        subject = "flow" if "flow" in table else "port"
        column = _value_column(table, metric)
        unit, title = table.units[column], _TITLES.get(metric, metric)
        of_seed, of_subject = np.asarray(table["seed"]), np.asarray(table[subject])
        values, weights = _floats(table[column]), _weights(table, of)
        for name in dict.fromkeys(of_subject):
            mine = (of_subject == name) & ((of_seed == seed) if seed is not None else True)
            curves[str(name)] = (values[mine], weights[mine])
        if subject == "port" and len(curves) > 1:
            curves = {name: curve for name, curve in curves.items() if name == _longest_queue(of)} or curves
            title = _titled(title, list(curves))
        if hue is not None or where is not None:
            raise UsageError("hue and where are about a sweep", "leave them out: each flow has a curve")
    else:
        runs, name = of.runs, _number_named(of, number)
        unit, title = runs.units[name], _title(name)
        rows = _where(of, [row for row in runs.rows() if row[name] is not None], where)
        key = None if hue is None else _key_named(of, hue)
        for row in rows:
            label = "" if key is None else _word(row[key])
            had = curves.setdefault(label, (np.empty(0), np.empty(0)))
            curves[label] = (np.append(had[0], float(row[name])), np.append(had[1], 1.0))
    curves = {name: (v[np.isfinite(v)], w[np.isfinite(v)]) for name, (v, w) in curves.items()}
    curves = {name: (v, w) for name, (v, w) in curves.items() if w.sum() > 0}
    if not curves:
        raise UsageError("there is no value to show", "choose another seed or other points")
    if len(curves) > len(_COLOURS):
        raise UsageError(f"{len(curves)} curves are too many for a figure", "choose points with where, or another hue")
    every = np.concatenate([values for values, _ in curves.values()])
    scale, spelt = _scale(unit, title, float(np.abs(every).max()))
    with matplotlib.rc_context(_STYLE):
        figure, (axes,) = _figure(size, 1, 1, 2.1)
        for place, (name, (values, held)) in enumerate(curves.items()):
            order = np.argsort(values, kind="stable")
            sorted_values, share = values[order] * scale, np.cumsum(held[order]) / held.sum()
            kept = _kept(len(share))
            axes.step(
                np.concatenate([sorted_values[:1], sorted_values[kept]]), np.concatenate([[0.0], share[kept]]), where="post",
                color=_COLOURS[place], ls=_DASHES[place], label=name,
            )  # fmt: skip
        axes.set(xlabel=_labelled(title, spelt), ylabel="share of all", ylim=(0, 1.01))
        if log if log is not None else every.min() > 0 and every.max() > 50 * every.min():
            _log(axes, "x")
        if len(curves) > 1:
            figure.legend(loc="outside upper right", ncols=min(len(curves), 3), title=None if hue is None else hue)
    return figure


def bars(result: Result, number: str = "goodput", *, of: Sequence[str] | None = None, size: Size = "one") -> Figure:
    """A number of each flow, or of each port: bars of the means over the seeds, with their 95 % confidence intervals.

    The intervals are those of the document, as `ackclock run --json` writes them; of numbers that its summary does not have, Student's t
    intervals of the runs. One seed has none.

    Args:
        result: the result of `run`.
        number: a column of `result.flows` or `result.ports`, with or without its unit, as "goodput" or "drop_ratio".
        of: the flows or ports, if not all.
        size: "one" or "two" columns of a paper, or (width, height) in inches.

    Raises:
        UsageError: there is no such number, or no such flow.

    >>> import ackclock as ac
    >>> from ackclock import plots
    >>> figure = plots.bars(ac.run(ac.examples.two_flows(), seeds=3))
    >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
    ['f1', 'f2']
    """
    table, subject, column = _column_of(result, number)
    rows = [row for row in table.rows() if row[column] is not None and (of is None or row[subject] in of)]
    names = list(dict.fromkeys(row[subject] for row in rows))
    missing = [] if of is None else [name for name in of if name not in names]
    if missing or not names:
        every = list(dict.fromkeys(table[subject]))
        raise UsageError(f"there is no {column} of {', '.join(missing) or subject + 's'}", f"there are {', '.join(every[:20])}")
    if len(names) > 40:
        raise UsageError(f"{len(names)} bars are too many for a figure", f'choose some, as of=["{names[0]}", "{names[1]}"]')
    summary = {one["name"]: one for one in result.document["summary"].get(f"{subject}s", [])} if len(result.seeds) > 1 else {}
    means, halves = [], []
    for name in names:
        values = [float(row[column]) for row in rows if row[subject] == name]
        known = _summarised(summary.get(name, {}), column)
        mean = math.fsum(values) / len(values) if known is None else known[0]
        means.append(mean)
        halves.append(half_width(values) if known is None else known[1])
    with matplotlib.rc_context(_STYLE):
        across = len(names) > 12 or max(map(len, names)) > 8
        figure, (axes,) = _figure(size, 1, 1, 2.1 if not across else 0.7 + 0.18 * len(names))
        scale, spelt = _scale(table.units[column], column, max(abs(mean) for mean in means))
        heights, errors = [mean * scale for mean in means], [half * scale for half in halves]
        shown = errors if any(half == half for half in errors) else None
        how: dict[str, Any] = {"color": _COLOURS[0], "alpha": 0.75, "ecolor": "black", "capsize": 2, "error_kw": {"elinewidth": 0.8}}
        label = _labelled(_title(column), spelt)
        if across:
            axes.barh(names, heights, xerr=shown, **how)
            axes.invert_yaxis()
            axes.grid(False, axis="y")
            axes.set(xlabel=label, xlim=(0, None) if min(means) >= 0 else None)
        else:
            axes.bar(names, heights, yerr=shown, **how)
            axes.grid(False, axis="x")
            axes.set(ylabel=label, ylim=(0, None) if min(means) >= 0 else None)
        _caption(figure, f"mean of {len(result.seeds)} seeds, 95 % confidence" if shown else f"seed {result.seeds[0]}")
    return figure


def sweep(
    sweep: Sweep,
    number: str | Sequence[str] | None = None,
    *,
    x: str | None = None,
    hue: str | None = None,
    where: Mapping[str, Any] | None = None,
    log: bool | None = None,
    size: Size | None = None,
    caption: bool = True,
) -> Figure:
    """Numbers over a key: means over the seeds, with their 95 % confidence intervals as bands or at bars.

    Over a key with numbers there are curves, over one with words bars; two keys with numbers and no hue make a map with contours. An axis
    is logarithmic where the values of the key are a geometric range or span more than 50.

    Args:
        sweep: what `ackclock.sweep` returned.
        number: numbers of `sweep.numbers`, each a panel, with or without their units: "goodput", ["goodput", "queueing_delay_p95"],
            "p95(queueing-delay)". Without it the first.
        x: the key along the axis, as "queue.buffer"; without it the key with numbers that has the most values, else the first.
        hue: the key that has a curve, or bars, for each of its values; without it the other key.
        where: the points that are shown, as {"tcp.mss": 1448}: needed of keys that are neither x nor hue.
        log: whether the axis of numbers is logarithmic; without it, if they are positive and span more than 50.
        size: "one" or "two" columns of a paper, or (width, height) in inches; without it one column of one panel, two of several.
        caption: whether a line below says what the bands are.

    Raises:
        UsageError: there is no such number or key, a key is neither shown nor fixed, or runs are missing.

    >>> import ackclock as ac
    >>> from ackclock import plots
    >>> vary = {"queue.buffer": "0.25..1 bdp log 3", "tcp.congestion_control": ["reno", "cubic"]}
    >>> figure = plots.sweep(ac.sweep(ac.examples.two_flows(), vary=vary, seeds=2), ["goodput", "loss"], hue="tcp.congestion_control")
    >>> len(figure.axes)
    2
    """
    numbers = [_number_named(sweep, name) for name in ([number] if isinstance(number, str) or number is None else number)]
    table = sweep.means
    rows = _where(sweep, table.rows(), where)
    varied = _free(sweep.keys, rows)
    across = _key_named(sweep, x) if x is not None else _widest(varied or sweep.keys, rows)
    others = [key for key in varied if key != across and not _follows(key, [across], rows)]
    along: str | None = None
    if hue is not None:
        colour: str | None = _key_named(sweep, hue)
    elif len(others) == 1 and (not _numeric(rows, others[0]) or not _numeric(rows, across) or len(_values(rows, others[0])) < 4):
        colour = others[0]
    else:
        colour = None
        along = others[0] if len(others) == 1 else None
    shown = [key for key in (across, colour, along) if key is not None]
    free = [key for key in others if key not in shown and not _follows(key, shown, rows)]
    if free:
        example = _word(rows[0][free[0]])
        raise UsageError(f"{', '.join(free)} would be mixed", f'choose points, as where={{"{free[0]}": {example}}}, or hue="{free[0]}"')
    groups = _values(rows, colour) if colour else [None]
    if len(groups) > len(_COLOURS):
        raise UsageError(f"{colour} has {len(groups)} values, too many for curves", "choose points with where, or leave hue out for a map")
    words = not _numeric(rows, across)
    columns = 1 if size == "one" or len(numbers) == 1 else 2 if len(numbers) in (2, 4) else 3
    size = size or ("one" if len(numbers) == 1 else "two")
    lines = math.ceil(len(numbers) / columns)
    with matplotlib.rc_context(_STYLE):
        figure, grid = _figure(size, lines, columns, 2.1)
        for axes in grid[len(numbers) :]:
            axes.remove()
        for axes, name in zip(grid, numbers, strict=False):
            if along is not None:
                _map(figure, axes, table, rows, name, across, along)
            elif words:
                _bars_of(figure, axes, table, rows, name, across, colour, groups)
            else:
                _curves(axes, table, rows, name, across, colour, groups, log)
        if colour is not None:
            handles, labels = grid[0].get_legend_handles_labels()
            # The longest legend that fits above: about so many letters an inch.
            room = figure.get_figwidth() * 11
            fits = max(1, int(room / (6 + max(map(len, labels)))))
            if isinstance(size, str):
                figure.set_figheight(figure.get_figheight() + 0.17 * (1 + math.ceil(len(labels) / fits)))
            figure.legend(
                handles, labels, loc="outside upper left", ncols=min(len(labels), fits), title=_key_title(table, colour), alignment="left"
            )
        seeds = {row["runs"] for row in rows}
        if caption and max(seeds, default=0) > 1 and along is None:
            counted = f"{min(seeds)}" if len(seeds) == 1 else f"{min(seeds)} to {max(seeds)}"
            _caption(figure, f"mean of {counted} seeds; {'intervals' if words else 'bands'}: 95 % confidence")
        elif caption and along is not None:
            _caption(figure, f"mean of {max(seeds)} seeds" if max(seeds) > 1 else "one seed")
    return figure


def half_width(values: Sequence[float]) -> float:
    """Half of the 95 % confidence interval of the mean of independent values, by Student's t; not a number of fewer than two."""
    count = len(values)
    if count < 2:
        return math.nan
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return student_t(count - 1) * math.sqrt(variance / count)


def student_t(freedom: int) -> float:
    """The value that the absolute value of Student's t exceeds with a probability of 5 %, by the finite sums of Abramowitz and Stegun,
    Handbook of Mathematical Functions, 26.7.3 and 26.7.4."""

    def within(t: float) -> float:
        theta = math.atan(t / math.sqrt(freedom))
        square, odd = math.cos(theta) ** 2, freedom % 2 == 1
        term, total = (math.cos(theta), 0.0) if odd else (1.0, 0.0)
        for k in range(1 + odd, freedom, 2):
            total += term
            term *= square * k / (k + 1)
        return 2 / math.pi * (theta + math.sin(theta) * total) if odd else math.sin(theta) * total

    low, high = 0.0, 13.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < 0.95 else (low, middle)
    return high


# Results over time.


@dataclass(frozen=True)
class _View:
    """What of a result is drawn."""

    result: Result
    seed: int
    of: list[str] | None
    over: tuple[float, float]
    window_s: float | None
    every: dict[str, list[str]]
    """All flows or ports that are drawn of a metric, which have one scale also where each has a panel."""

    def subjects(self, metric: str) -> list[str]:
        """The flows or ports that are drawn of a metric."""
        table = self.result.series(metric, seed=self.seed)
        subject = "flow" if "flow" in table else "port"
        there = [str(name) for name in dict.fromkeys(np.asarray(table[subject]))]
        if self.of is not None:
            chosen = [name for name in self.of if name in there]
            if chosen:
                return chosen
        if subject == "port":
            longest = _longest_queue(self.result)
            return [longest] if longest in there else there[:1]
        return there

    def series(self, metric: str, subject: str) -> tuple[Numbers, Numbers, Table]:
        """Times, values and the table of a metric, within the time that is shown and with what held when it began."""
        table = self.result.series(metric, subject, seed=self.seed)
        times = _floats(table["time_s" if "time_s" in table else "start_s"])
        return times, _floats(table[_value_column(table, metric)]), table

    def largest(self, metric: str) -> float:
        """The largest absolute value that is shown of a metric."""
        largest = 0.0
        for subject in self.every[metric]:
            times, values, _ = self.series(metric, subject)
            shown = values[self.part(times)]
            largest = max(largest, float(np.abs(shown[np.isfinite(shown)]).max(initial=0.0)))
        return largest

    def part(self, times: Numbers) -> slice:
        """Which of the times are shown, with one more on both sides, from which the lines come."""
        first, last = np.searchsorted(times, self.over)
        return slice(max(int(first) - 1, 0), int(last) + 1)


@dataclass(frozen=True)
class _Panel:
    needs: list[str]
    draw: Callable[[Axes, _View, list[str]], None]


def _cwnd(axes: Axes, view: _View, subjects: list[str]) -> None:
    drawn = [view.series("cwnd", subject) for subject in subjects]
    scale, spelt = _scale("bytes", "cwnd", view.largest("cwnd"))
    for place, (times, values, _) in enumerate(drawn):
        _line(axes, view, times, values * scale, place, held=True)
    top = axes.get_ylim()[1]
    if "ssthresh" in view.result.metrics:
        for place, subject in enumerate(subjects):
            times, values, _ = view.series("ssthresh", subject)
            times, values = np.append(times, _end(view)), np.append(values, values[-1:]) * scale
            # A threshold that was never reached would leave no room for the window.
            axes.step(
                times, np.where(values <= 1.6 * top, values, np.nan), where="post", color=_COLOURS[place], lw=0.7, ls=(0, (1, 1.5)),
                label="ssthresh" if place == 0 else "_",
            )  # fmt: skip
        axes.text(1, 1.02, "dotted: ssthresh", transform=axes.transAxes, ha="right", va="bottom", color=_GREY, fontsize=7)
    axes.set(ylabel=spelt, title=_titled("Congestion window", subjects))
    axes.set_ylim(0, None)


def _queue(axes: Axes, view: _View, subjects: list[str]) -> None:
    _any("queue", axes, view, subjects)
    axes.set_ylim(0, None)
    if "drops" in view.result.metrics:
        table = view.result.series("drops", subjects[0], seed=view.seed) if _had(view, "drops", subjects[0]) else None
        if table is not None:
            times = _floats(table["time_s"])
            times = times[(times >= view.over[0]) & (times <= view.over[1])]
            strip = axes.get_xaxis_transform()
            axes.plot(times, np.full(len(times), 1.04), "|", color="black", ms=4, mew=0.6, transform=strip, clip_on=False, label="drops")
            axes.set_title(axes.get_title(loc="left"), pad=9)
            axes.text(1, 1.10, f"{len(times)} drops", transform=axes.transAxes, ha="right", va="bottom", color=_GREY, fontsize=7)


def _throughput(axes: Axes, view: _View, subjects: list[str]) -> None:
    drawn = [(subject, *view.series("throughput", subject)) for subject in subjects]
    averaged, window = [], 0.0
    for subject, times, values, table in drawn:
        interval = float(_floats(table["end_s"])[0] - times[0]) if len(times) else 1.0
        wanted = view.window_s if view.window_s is not None else max(interval, _round_trip(view, subject))
        together = max(1, math.ceil(wanted / interval - 1e-9))
        window = max(window, together * interval)
        count = len(values) // together * together
        ends = _floats(table["end_s"])
        starts, means = times[:count:together], values[:count].reshape(-1, together).mean(axis=1)
        if count < len(values):
            starts, means = np.append(starts, times[count]), np.append(means, values[count:].mean())
        averaged.append((np.append(starts, ends[-1:]), np.append(means, means[-1:])))
    scale, spelt = _scale("bit/s", "throughput", view.largest("throughput"))
    for place, (times, values) in enumerate(averaged):
        _line(axes, view, times, values * scale, place, held=True)
    axes.set(ylabel=spelt, title=_titled(f"Throughput, means of {_time(window)}", subjects))
    axes.set_ylim(0, None)


def _time_sequence(axes: Axes, view: _View, subjects: list[str]) -> None:
    flow = subjects[0]
    times, values, _ = view.series("sent", flow)
    scale, spelt = _scale("bytes", "sent", view.largest("sent"))
    many = len(times) > 5000
    axes.plot(times, values * scale, "|", color=_COLOURS[0], ms=2.5, mew=0.6, label="sent", rasterized=many)
    acknowledged = view.series("acknowledged", flow)
    part = view.part(acknowledged[0])
    axes.step(acknowledged[0][part], acknowledged[1][part] * scale, where="post", color="black", lw=0.8, label="acknowledged")
    if "retransmissions" in view.result.metrics and _had(view, "retransmissions", flow):
        again = view.series("retransmissions", flow)
        axes.plot(again[0], again[1] * scale, "x", color=_COLOURS[1], ms=4, mew=0.9, label="sent again")
    inside = values[(times >= view.over[0]) & (times <= view.over[1])] * scale
    if len(inside):
        room = 0.04 * (inside.max() - inside.min() or 1.0)
        axes.set_ylim(inside.min() - room, inside.max() + room)
    axes.set(ylabel=spelt, title=f"Sequence numbers of {flow}")
    axes.legend(loc="upper left", ncols=1)


def _any(metric: str, axes: Axes, view: _View, subjects: list[str]) -> None:
    drawn = [view.series(metric, subject) for subject in subjects]
    column = _value_column(drawn[0][2], metric)
    unit = drawn[0][2].units[column]
    scale, spelt = _scale(unit, metric, view.largest(metric))
    for place, (times, values, table) in enumerate(drawn):
        if "end_s" in table:
            times, values = np.append(times, _floats(table["end_s"])[-1:]), np.append(values, values[-1:])
        _line(axes, view, times, values * scale, place, held=_holds(table))
        if "_mean_" in column and len(subjects) == 1:
            least, most = (column.replace("_mean_", f"_{end}_") for end in ("min", "max"))
            low, high = (np.append(ends, ends[-1:]) * scale for ends in (_floats(table[least]), _floats(table[most])))
            axes.fill_between(times, low, high, step="post", color=_COLOURS[place], alpha=0.2, lw=0)
    axes.set(ylabel=spelt, title=_titled(_TITLES.get(metric, metric.replace("-", " ").capitalize()), subjects))


def _metric(name: str) -> _Panel:
    return _Panel([name], lambda axes, view, subjects: _any(name, axes, view, subjects))


_PANELS = {
    "cwnd": _Panel(["cwnd"], _cwnd),
    "queue": _Panel(["queue"], _queue),
    "throughput": _Panel(["throughput"], _throughput),
    "time-sequence": _Panel(["sent", "acknowledged"], _time_sequence),
}
_OVER_TIME = ["cwnd", "throughput", "rtt", "queue"]
_ALIASES = {"rate": "throughput", "window": "cwnd", "sequence": "time-sequence"}
_TITLES = {
    "rtt": "Round-trip time", "srtt": "Smoothed round-trip time", "queue": "Queue", "cwnd": "Congestion window", "throughput": "Throughput",
    "one-way-delay": "One-way delay", "sojourn": "Queueing delay", "rto": "Retransmission timeout", "utilisation": "Utilisation",
}  # fmt: skip
_PIXELS = 700


def _line(axes: Axes, view: _View, times: Numbers, values: Numbers, place: int, *, held: bool) -> None:
    """A curve of what holds, points of events; of many more samples than pixels the mean of each pixel in the band of its extremes."""
    part = view.part(times)
    times, values = times[part], values[part]
    if held and len(times):
        times, values = np.append(times, max(times[-1], min(_end(view), view.over[1]))), np.append(values, values[-1])
    how: dict[str, Any] = {"color": _COLOURS[place], "ls": _DASHES[place]}
    if len(times) <= 4 * _PIXELS:
        if held:
            axes.step(times, values, where="post", **how)
        else:
            axes.plot(times, values, ls="", marker=_MARKERS[place], ms=1.8, mew=0, color=_COLOURS[place])
        return
    edges = np.linspace(times[0], times[-1], _PIXELS + 1)
    if held:
        # What held at the beginning of a pixel belongs to it, too.
        every = np.union1d(times, edges)
        carried = values[np.searchsorted(times, every, side="right") - 1]
        at = np.searchsorted(every, edges[:-1])
        mean = np.add.reduceat(carried * np.append(np.diff(every), 0.0), at) / np.diff(edges)
        low, high = np.minimum.reduceat(carried, at), np.maximum.reduceat(carried, at)
    else:
        # Where nothing happens there is a gap.
        at = np.searchsorted(times, edges)
        at[-1] = len(times)
        empty, first = at[1:] == at[:-1], np.minimum(at[:-1], len(times) - 1)
        counts = np.maximum(np.diff(at), 1)
        mean, low, high = (np.where(empty, np.nan, of.reduceat(values, first)) for of in (np.add, np.minimum, np.maximum))
        mean = mean / counts
        alone = ~empty & np.append(True, empty[:-1]) & np.append(empty[1:], True)
        axes.plot(edges[:-1][alone], mean[alone], ls="", marker=_MARKERS[place], ms=1.8, mew=0, color=_COLOURS[place])
    axes.fill_between(edges[:-1], low, high, color=how["color"], alpha=0.25, lw=0, step="post" if held else None)
    axes.step(edges[:-1], mean, where="post", **how) if held else axes.plot(edges[:-1], mean, **how)


def _known(view: _View, asked: Sequence[str]) -> None:
    """Refuses names that nothing of what is drawn has."""
    there: dict[str, None] = {}
    for name in asked:
        table = view.result.series(_PANELS.get(name, _metric(name)).needs[0], seed=view.seed)
        there |= dict.fromkeys(map(str, np.asarray(table["flow" if "flow" in table else "port"])))
    for name in view.of or []:
        if name not in there:
            raise UsageError(f"nothing was recorded of {name!r}", f"there are {', '.join(list(there)[:20])}")


def _had(view: _View, metric: str, subject: str) -> bool:
    table = view.result.series(metric, seed=view.seed)
    return subject in dict.fromkeys(np.asarray(table["flow" if "flow" in table else "port"]))


def _end(view: _View) -> float:
    return view.result.scenario.duration_s


def _round_trip(view: _View, flow: str) -> float:
    table = view.result.flows
    if "propagation_round_trip_s" not in table:
        return 0.0
    return next((row["propagation_round_trip_s"] or 0.0 for row in table.rows() if row["flow"] == flow), 0.0)


def _longest_queue(result: Result) -> str:
    rows = [row for row in result.ports.rows() if row.get("queue") is not None]
    return str(max(rows, key=lambda row: row["queue"])["port"]) if rows else ""


def _value_column(table: Table, metric: str) -> str:
    """The column of the values: of intervals that of the means."""
    names = [name for name in table.columns if name not in ("seed", "flow", "port", "time_s", "start_s", "end_s")]
    named = next((name for name in names if "_mean_" in name), names[0] if len(names) == 1 else None)
    if named is None:
        raise UsageError(f"{metric} has no values over time", f'its events are in result.series("{metric}")')
    return named


def _holds(table: Table) -> bool:
    """Whether values hold until the next one, or are those of events."""
    return "end_s" in table or "holds" in table.about["time_s"]


def _weights(table: Table, result: Result) -> Numbers:
    """How much each value counts: how long it held, or one."""
    if "end_s" in table:
        return _floats(table["end_s"]) - _floats(table["start_s"])
    times = _floats(table["time_s"])
    if not _holds(table):
        return np.ones(len(times))
    ends = np.append(times[1:], result.scenario.duration_s)
    # The last of a flow holds to the end of its run.
    return np.where(ends < times, result.scenario.duration_s, ends) - times


def _kept(count: int) -> Any:
    """Which of so many steps of a distribution are drawn: no more than can be seen."""
    return np.arange(count) if count <= 4000 else np.unique(np.linspace(0, count - 1, 4000).astype(int))


# Sweeps.


def _curves(
    axes: Axes, table: Table, rows: list[dict[str, Any]], name: str, x: str, hue: str | None, groups: list[Any], log: bool | None
) -> None:
    finite = [row for row in rows if row[name] is not None and math.isfinite(row[name])]
    if not finite:
        raise UsageError(f"{name} has no value at these points", "choose another number, or other points")
    scale, spelt = _scale(table.units[name], name, max(abs(row[name]) for row in finite))
    x_scale, x_spelt = _scale(table.units[x], x, max(abs(row[x]) for row in rows))
    for place, group in enumerate(groups):
        mine = sorted((row for row in finite if hue is None or row[hue] == group), key=lambda row: row[x])
        at = [row[x] * x_scale for row in mine]
        axes.plot(
            at, [row[name] * scale for row in mine], color=_COLOURS[place], ls=_DASHES[place], marker=_MARKERS[place], mec="white", mew=0.4,
            label=_word(group) if hue else _title(name),
        )  # fmt: skip
        ends = _intervals(mine, name)
        if ends:
            low, high = zip(*((low * scale, high * scale) for low, high in ends), strict=True)
            axes.fill_between(at, low, high, color=_COLOURS[place], alpha=0.2, lw=0)
    axes.set(xlabel=_labelled(_key_title(table, x), x_spelt), ylabel=_labelled(_title(name), spelt))
    if _geometric(_values(rows, x)):
        _log(axes, "x")
    means = [row[name] for row in finite]
    if log if log is not None else min(means) > 0 and max(means) > 50 * min(means):
        _log(axes, "y")
        axes.set_ylim(bottom=max(axes.get_ylim()[0], min(means) * scale / 3))


def _bars_of(
    figure: Figure, axes: Axes, table: Table, rows: list[dict[str, Any]], name: str, x: str, hue: str | None, groups: list[Any]
) -> None:
    finite = {(row[x], row[hue] if hue else None): row for row in rows if row[name] is not None and math.isfinite(row[name])}
    if not finite:
        raise UsageError(f"{name} has no value at these points", "choose another number, or other points")
    scale, spelt = _scale(table.units[name], name, max(abs(row[name]) for row in finite.values()))
    words = _values(rows, x)
    width = 0.8 / len(groups)
    for place, group in enumerate(groups):
        there = [(at, finite[word, group]) for at, word in enumerate(words) if (word, group) in finite]
        heights = [row[name] * scale for _, row in there]
        ends = _intervals([row for _, row in there], name)
        around = zip(heights, ends, strict=True) if ends else ()
        errors = np.array([(mean - low * scale, high * scale - mean) for mean, (low, high) in around])
        axes.bar(
            [at + (place - (len(groups) - 1) / 2) * width for at, _ in there], heights, width * 0.92, color=_COLOURS[place], alpha=0.75,
            hatch=_HATCHES[place], edgecolor="white", lw=0, yerr=np.maximum(errors.T, 0.0) if ends else None, ecolor="black", capsize=2,
            error_kw={"elinewidth": 0.8}, label=_word(group) if hue else _title(name),
        )  # fmt: skip
    axes.set_xticks(range(len(words)), [_word(word) for word in words])
    # A letter of 8 points is some 0.065 inches wide, and the axis with its labels takes 0.7 inches.
    slot = (figure.get_figwidth() / _columns_of(axes) - 0.7) / len(words)
    if max(len(_word(word)) + 1 for word in words) * 0.065 > slot:
        axes.tick_params(axis="x", rotation=35)
        for label in axes.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")
    axes.grid(False, axis="x")
    axes.set(xlabel=_key_title(table, x), ylabel=_labelled(_title(name), spelt))
    if min(row[name] for row in finite.values()) >= 0:
        axes.set_ylim(0, None)


def _intervals(rows: list[dict[str, Any]], name: str) -> list[tuple[float, float]]:
    """The ends of the intervals of points; nothing if there is one without, as one of a single seed is."""
    ends = [(row[f"{name}_low"], row[f"{name}_high"]) for row in rows if row["runs"] > 1]
    return ends if len(ends) == len(rows) and all(low is not None and high is not None for low, high in ends) else []


def _map(figure: Figure, axes: Axes, table: Table, rows: list[dict[str, Any]], name: str, x: str, y: str) -> None:
    columns, lines = sorted(_values(rows, x)), sorted(_values(rows, y))
    cells = np.full((len(lines), len(columns)), np.nan)
    for row in rows:
        if row[name] is not None:
            cells[lines.index(row[y]), columns.index(row[x])] = row[name]
    if not np.isfinite(cells).any():
        raise UsageError(f"{name} has no value at these points", "choose another number, or other points")
    scale, spelt = _scale(table.units[name], name, float(np.nanmax(np.abs(cells))))
    cells *= scale
    scales = [_scale(table.units[key], key, float(max(map(abs, values)))) for key, values in ((x, columns), (y, lines))]
    at = [np.array(values, dtype=float) * scales[place][0] for place, values in enumerate((columns, lines))]
    drawn = axes.pcolormesh(_edges(at[0]), _edges(at[1]), np.ma.masked_invalid(cells), cmap="cividis", rasterized=True)
    axes.grid(False)
    axes.set_facecolor("#d8dee4")
    bar = figure.colorbar(drawn, ax=axes, pad=0.02)
    bar.set_label(_labelled(_title(name), spelt))
    bar.outline.set_visible(False)
    if min(cells.shape) >= 3 and np.isfinite(cells).all() and np.ptp(cells) > 0:
        # Levels that divide the cells evenly: evenly spaced ones crowd around a single cell that is far off.
        levels = np.unique([float(f"{level:.3g}") for level in np.quantile(cells, [0.2, 0.4, 0.6, 0.8])])
        lines_of = axes.contour(at[0], at[1], cells, levels=levels, colors="white", linewidths=0.8)
        labels = axes.clabel(lines_of, fontsize=7, fmt="%g")
        for label in labels or []:
            label.set_path_effects([withStroke(linewidth=1.2, foreground="black")])
    axes.set(xlabel=_labelled(_key_title(table, x), scales[0][1]), ylabel=_labelled(_key_title(table, y), scales[1][1]))
    for which, values in (("x", columns), ("y", lines)):
        if _geometric(values):
            _log(axes, which)


def _edges(centres: Numbers) -> Numbers:
    """The edges of cells around centres, in the logarithm where the axis has it."""
    if len(centres) == 1:
        return np.array([centres[0] * 0.9, centres[0] * 1.1]) if centres[0] else np.array([-0.5, 0.5])
    geometric = _geometric(list(centres))
    middle = np.log(centres) if geometric else centres
    inner = (middle[1:] + middle[:-1]) / 2
    edges = np.concatenate([[2 * middle[0] - inner[0]], inner, [2 * middle[-1] - inner[-1]]])
    return np.exp(edges) if geometric else edges


def _geometric(values: Sequence[Any]) -> bool:
    """Whether values belong on a logarithmic axis: a range with equal quotients, or one that spans more than 50."""
    ordered = sorted(float(value) for value in values)
    if len(ordered) < 3 or ordered[0] <= 0:
        return False
    quotients = [b / a for a, b in itertools.pairwise(ordered)]
    differences = [b - a for a, b in itertools.pairwise(ordered)]
    even = max(differences) < 1.3 * min(differences)
    return ordered[-1] > 50 * ordered[0] or (max(quotients) < 1.25 * min(quotients) and not even)


def _number_named(sweep: Sweep, asked: str | None) -> str:
    """A column of numbers by its name, with or without the unit, or as an expression: "p95(queueing-delay)"."""
    numbers = sweep.numbers
    if not numbers:
        raise UsageError("no run of the sweep was finished, so it has no numbers", "look at the column `status` of sweep.runs")
    if asked is None:
        return numbers[0]
    named = _column_named(asked, numbers)
    if named is None:
        raise UsageError(f"the sweep has no number {asked!r}", _which(asked, numbers, "; another one is asked for with measures=[...]"))
    return named


def _key_named(sweep: Sweep, asked: str) -> str:
    """A column of a key by the name of the key, or its own."""
    named = _column_named(asked.replace(".", "_"), sweep.keys)
    about = sweep.runs.about
    named = next((key for key in sweep.keys if f"key {asked} of" in about.get(key, "")), named)
    if named is None:
        raise UsageError(f"the sweep does not vary {asked!r}", _which(asked, sweep.keys))
    return named


def _column_named(asked: str, columns: Sequence[str]) -> str | None:
    if asked in columns:
        return asked
    plain = asked.strip().lower().replace("-", "_").replace(" ", "_")
    measured = re.fullmatch(r"(p[\d.]+|mean)\((\w+)\)", plain)
    wanted = f"{measured[2]}_{measured[1]}" if measured else plain
    exact = [name for name in columns if name == wanted]
    with_unit = [name for name in columns if re.sub(_UNIT, "", name) == wanted]
    return (exact or with_unit or [None])[0]  # type: ignore[list-item]


_UNIT = r"_(bps|s|bytes|packets|cells|segments|fraction|bdp|ms|kb|ppm)$"


def _which(asked: str, there: Sequence[str], more: str = "") -> str:
    close = difflib.get_close_matches(asked.replace(".", "_"), there, 1)
    return (f"do you mean {close[0]!r}? " if close else "") + f"there are {', '.join(there)}{more}"


def _where(sweep: Sweep, rows: list[dict[str, Any]], where: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    for asked, value in (where or {}).items():
        key = _key_named(sweep, asked)
        wanted = list(value) if isinstance(value, list | tuple | set) else [value]
        chosen = [row for row in rows if any(_equal(row[key], one) for one in wanted)]
        if not chosen:
            raise UsageError(f"no point has {asked} = {value!r}", f"there are {', '.join(_word(one) for one in _values(rows, key))}")
        rows = chosen
    if not rows:
        raise UsageError("the sweep has no point", "look at the column `status` of sweep.runs")
    return rows


def _equal(one: Any, other: Any) -> bool:
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (one, other))
    return math.isclose(one, other, rel_tol=1e-4) if numbers else bool(one == other)


def _values(rows: Sequence[Mapping[str, Any]], key: str) -> list[Any]:
    return list(dict.fromkeys(row[key] for row in rows))


def _numeric(rows: Sequence[Mapping[str, Any]], key: str) -> bool:
    return all(isinstance(row[key], int | float) and not isinstance(row[key], bool) for row in rows)


def _free(keys: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [key for key in keys if len(_values(rows, key)) > 1]


def _follows(key: str, others: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a key has one value for each combination of others, as keys that change together have."""
    seen: dict[tuple[Any, ...], Any] = {}
    return all(seen.setdefault(tuple(row[other] for other in others), row[key]) == row[key] for row in rows)


def _widest(keys: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    numeric = [key for key in keys if _numeric(rows, key)]
    return max(numeric, key=lambda key: len(_values(rows, key))) if numeric else keys[0]


# Names, units, axes.


def _figure(size: Size, lines: int, columns: int, height: float, *, sharex: bool = False) -> tuple[Figure, list[Axes]]:
    if isinstance(size, str):
        if size not in _WIDTHS:
            raise UsageError(f"size={size!r} is no size", 'write "one" or "two" columns, or (width, height) in inches')
        inches = (_WIDTHS[size], 0.45 + height * lines * (1.0 if size == "one" or columns > 1 else 1.25))
    else:
        try:
            inches = (float(size[0]), float(size[1]))
        except (TypeError, ValueError, IndexError):
            raise UsageError(f"size={size!r} is no size", 'write "one" or "two" columns, or (width, height) in inches') from None
        if len(size) != 2 or not all(0.5 <= side <= 100 for side in inches):
            raise UsageError(f"size={size!r} is no size of a figure", "write (width, height) in inches, as (3.5, 2.4)")
    figure = Figure(figsize=inches, layout="constrained")
    grid = figure.subplots(lines, columns, sharex=sharex, squeeze=False)
    every: list[Axes] = list(grid.flat)
    for axes in every:
        axes.tick_params(which="both", labelsize=8, width=0.8, length=3)
        axes.tick_params(which="minor", length=2)
    return figure, every


def _columns_of(axes: Axes) -> int:
    spec = axes.get_subplotspec()
    return spec.get_gridspec().ncols if spec else 1


def _caption(figure: Figure, text: str) -> None:
    figure.supxlabel(text, fontsize=7, color=_GREY, x=0.99, ha="right")


def _log(axes: Axes, which: str) -> None:
    """A logarithmic axis with plain numbers; with those between the decades where there are few decades."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    decades = math.log10(high / low)
    plain = FuncFormatter(lambda value, _: f"{value:,.10g}" if 1e-4 <= value < 1e5 else f"{value:.0e}")
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < 2.3 else (1.0,)))
    axis.set_major_formatter(plain)
    axis.set_minor_locator(LogLocator(subs=tuple(range(1, 10))))
    axis.set_minor_formatter(NullFormatter())


def _scale(unit: str, name: str, largest: float) -> tuple[float, str]:
    """By what a number is multiplied to be readable, and the unit that it has then."""
    if unit in ("bit/s", "bps"):
        return next(((1 / size, spelt) for size, spelt in ((1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s")) if largest >= size), (1.0, "b/s"))
    if unit == "bytes":
        return next(((1 / size, spelt) for size, spelt in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")) if largest >= size), (1.0, "bytes"))
    if unit == "s":
        return (1.0, "s") if largest >= 3 else (1e3, "ms") if largest >= 1e-3 or largest == 0 else (1e6, "µs")
    if unit == "fraction":
        percent = any(word in name.lower() for word in ("loss", "drop", "share", "efficiency", "utilisation"))
        return (100.0, "%") if percent and not name.lower().startswith("max_min") else (1.0, "")
    return 1.0, {"bdp": "BDP"}.get(unit, unit)


def _labelled(title: str, unit: str) -> str:
    return f"{title} [{unit}]" if unit else title


def _title(number: str) -> str:
    """A column as a title: "queueing_delay_p95_s" is "Queueing delay, p95"."""
    if "(" in number:
        return number
    plain = re.sub(_UNIT, "", number)
    named = re.fullmatch(r"(.+)_(p[\d.]+|mean)", plain)
    title = (named[1] if named else plain).replace("_", " ")
    title = title[:1].upper() + title[1:]
    return f"{title}, {named[2]}" if named else title


def _key_title(table: Table, key: str) -> str:
    named = re.search(r"key (\S+) of the scenario", table.about.get(key, ""))
    return named[1] if named else key


def _titled(title: str, subjects: Sequence[str]) -> str:
    at = "at" if "->" in subjects[0] else "of"
    return f"{title} {at} {subjects[0]}".replace("->", "→") if len(subjects) == 1 else title


def _word(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _time(seconds: float) -> str:
    scale, unit = _scale("s", "", seconds)
    return f"{seconds * scale:.4g} {unit}"


def _floats(column: Any) -> Numbers:
    return np.asarray(column, dtype=float)


def _column_of(result: Result, number: str) -> tuple[Table, str, str]:
    tables = [(result.flows, "flow"), (result.udp, "flow"), (result.ports, "port")]
    for table, subject in tables:
        subject = subject if subject in table else next((name for name in table.columns[1:2]), subject)
        columns = [name for name in table.columns if name not in ("seed", subject, "group")]
        named = _column_named(number, columns)
        if named is not None and len(table):
            return table, subject, named
    flows = [name for name in result.flows.columns if name not in ("seed", "flow", "group")]
    ports = [name for name in result.ports.columns if name not in ("seed", "port")]
    raise UsageError(f"there is no number {number!r}", f"of flows there are {', '.join(flows)}; of ports {', '.join(ports)}")


def _summarised(summary: Mapping[str, Any], column: str) -> tuple[float, float] | None:
    """Mean and half width that the summary has of a column."""
    of = summary.get({"goodput_bps": "goodput_after_warmup_bps"}.get(column, column))
    if isinstance(of, dict) and of.get("ci95") is not None and of.get("mean") is not None:
        return float(of["mean"]), float(of["ci95"])
    return None
