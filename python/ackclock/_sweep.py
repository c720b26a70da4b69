"""Sweeps: one scenario under many values and seeds."""

from __future__ import annotations

import html
import math
import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from ackclock import _core, _html
from ackclock._errors import Interrupted, UsageError
from ackclock._progress import Told, progress_of
from ackclock._run import _list, _whole, path_of, threads_of
from ackclock._scenario import Scenario, Sets
from ackclock._values import named, seconds_of, sets_of, text_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ackclock._core import Table

Vary: TypeAlias = "Mapping[str | tuple[str, ...], Any] | Iterable[str] | str | None"
"""What is varied: of each key a list of values, or a range as "0.1..4 bdp log 10"; of several keys that change together, as
("tcp.mss", "queue.buffer"), a list of tuples; or texts as those of --vary."""


@dataclass(frozen=True)
class _Asked:
    path: str
    sets: list[str]
    vary: list[str]
    seeds: int | None
    measures: list[str]
    until_ci: list[str]
    max_seeds: int | None
    latin_hypercube: int | None
    skip_refused: bool
    time_limit_s: float | None
    retry: bool
    shard: str | None
    threads: int
    max_runs: int
    out: str | None
    engine: str
    cluster: object
    scenario: _core.Scenario | None


def sweep(
    scenario: Scenario | str | os.PathLike[str],
    *,
    vary: Vary = None,
    seeds: int | None = None,
    set: Sets = None,
    measures: Iterable[str] | str = (),
    until_ci: str | float | Iterable[str] | None = None,
    max_seeds: int | None = None,
    latin_hypercube: int | None = None,
    skip_refused: bool = False,
    time_limit: str | float | None = None,
    retry: bool = False,
    shard: str | None = None,
    on: object = None,
    threads: int | None = None,
    max_runs: int = 1_000_000,
    out: str | os.PathLike[str] | None = None,
    engine: str = "batched",
    progress: bool | Told | None = None,
) -> Sweep:
    """Runs a scenario at all combinations of values, each under the same seeds, and keeps every run as it ends.

    It is the sweep of the command line: the same folder, which either goes on from, whatever ended the other. A sweep that is complete
    is read and not run again.

    Args:
        scenario: a scenario file, a sweep file, or a Scenario.
        vary: of each key its values: {"queue.buffer": "0.1..4 bdp log 10", "tcp.congestion_control": ["cubic", "bbr3"]}.
        seeds: how many seeds each point has.
        set: values that replace those of the scenario at every point.
        measures: measures that become columns, as "share(goodput: new)".
        until_ci: the half width of the 95 % intervals until which points get more seeds, as 0.02 or "loss=10%".
        max_seeds: with until_ci, the most seeds of a point.
        latin_hypercube: so many points of a Latin hypercube over ranges without a number of values.
        skip_refused: whether points that the scenario refuses are left out.
        time_limit: the most that a run may take; the others go on.
        retry: whether runs that failed before are tried again.
        shard: only a part, as "1/8": `ackclock merge` puts the folders of parts together.
        on: a cluster: a client of Dask, a cluster of Dask, or an address as "dask://scheduler:8786"; None and "local" are this machine.
        threads: how many runs at a time on this machine.
        max_runs: a sweep of more runs is refused.
        out: the folder; without one results/NAME-sweep-HASH, the same for the same points.
        engine: "batched" or "reference".
        progress: a function of the part that is done and a text; True or False for a bar or none.

    Returns:
        The sweep.

    Raises:
        ScenarioError: the scenario is wrong at some point, or a measure has no meaning in it.
        UsageError: an argument makes no sense.
        OutsideError: a file, the folder or the cluster cannot be used; what was finished is kept, and the same call goes on.
        Interrupted: Ctrl-C; so it is then.

    >>> import ackclock as ac
    >>> sweep = ac.sweep(ac.examples.two_flows(), vary={"queue.buffer": "0.25..1 bdp log 3"}, seeds=2, measures="jain(goodput)")
    >>> len(sweep.runs), [round(bdp, 2) for bdp in sweep.means["queue_buffer_bdp"]]
    (6, [0.25, 0.5, 1.0])
    """
    from ackclock.cluster import cluster_of

    path, sets = _source(scenario, set)
    if on not in (None, "local") and isinstance(scenario, Scenario) and scenario._core.has_mechanisms:
        raise UsageError(
            "the scenario has mechanisms that are written in Python, which the workers of a cluster do not have",
            "run the sweep on this machine, or write the mechanism in Rust",
        )
    asked = _Asked(
        path=path,
        sets=sets,
        vary=vary_of(vary),
        seeds=None if seeds is None else _whole(seeds, "seeds", 1),
        measures=_list(measures, "measures"),
        until_ci=_widths(until_ci),
        max_seeds=None if max_seeds is None else _whole(max_seeds, "max_seeds", 2),
        latin_hypercube=None if latin_hypercube is None else _whole(latin_hypercube, "latin_hypercube", 2),
        skip_refused=bool(skip_refused),
        time_limit_s=None if time_limit is None else _positive(time_limit),
        retry=bool(retry),
        shard=None if shard is None else str(shard),
        threads=threads_of(threads),
        max_runs=_whole(max_runs, "max_runs", 1),
        out=None if out is None else path_of(out, "out"),
        engine=engine,
        cluster=cluster_of(on),
        scenario=scenario._core if isinstance(scenario, Scenario) else None,
    )
    try:
        with progress_of(progress) as told:
            core, stopped = _core.sweep(asked, told)
    finally:
        # What is still handed out is let go.
        if hasattr(asked.cluster, "close"):
            asked.cluster.close()
    if isinstance(stopped, KeyboardInterrupt):
        kept = "nothing was run" if core is None else f"{core.counts[0]} runs are finished and kept in {core.folder}: the same call goes on"
        raise Interrupted(kept) from None
    if stopped is not None:
        raise stopped
    assert core is not None
    for note in core.notes:
        warnings.warn(note, stacklevel=2)
    return Sweep(core)


class Sweep:
    """What a sweep gave: `sweep` makes it.

    >>> import ackclock as ac
    >>> sweep = ac.sweep(ac.examples.two_flows(), vary={"tcp.congestion_control": ["reno", "cubic"]}, seeds=3)
    >>> sweep.complete, sweep.keys, len(sweep.runs)
    (True, ['tcp_congestion_control'], 6)
    >>> [row["goodput_bps_low"] <= row["goodput_bps"] <= row["goodput_bps_high"] for row in sweep.means.rows()]
    [True, True]
    """

    def __init__(self, core: _core.SweepResult) -> None:
        self._core = core

    @property
    def folder(self) -> Path:
        """Its folder: table.parquet, table.csv, summary.csv, report.html, figure.svg."""
        return Path(self._core.folder)

    @property
    def keys(self) -> list[str]:
        """The columns of what was varied."""
        return self._core.keys

    @property
    def numbers(self) -> list[str]:
        """The columns of numbers, those that were asked for first."""
        return self._core.numbers

    @property
    def complete(self) -> bool:
        """Whether no run is missing, as those of other shards are."""
        return self._core.counts[2] == 0

    @property
    def failed(self) -> int:
        """How many runs failed; why is in the column `status` of `runs`."""
        return self._core.counts[1]

    @property
    def runs(self) -> Table:
        """A row for each run: the values of the keys, the seed, the status, and every number."""
        return self._core.runs

    @property
    def means(self) -> Table:
        """A row for each point: the values of the keys, and of each number the mean over the seeds with the ends of its 95 % interval, in
        NUMBER_low and NUMBER_high. A UsageError as long as runs are missing."""
        means = self._core.means
        if means is None:
            raise UsageError(f"{self._core.counts[2]} runs of the sweep are missing", "run the other shards, and merge them")
        return means

    def plot(self, number: str | Sequence[str] | None = None, *, x: str | None = None, hue: str | None = None, **how: Any) -> Figure:
        """A figure of a number over a key, with bands of 95 % confidence; see `ackclock.plots.sweep`. It needs matplotlib.

        >>> import ackclock as ac
        >>> sweep = ac.sweep(ac.examples.two_flows(), vary={"queue.buffer": "0.25..1 bdp log 3"}, seeds=2)
        >>> sweep.plot("goodput", x="queue.buffer").axes[0].get_ylabel()
        'Goodput [Mb/s]'
        """
        from ackclock import plots

        return plots.sweep(self, number, x=x, hue=hue, **how)

    def to_xarray(self) -> Any:
        """A Dataset of xarray, which has to be installed: a dimension for each key, and one for the seed. Its
        arrays are copies of the columns of `runs`, whose rows become places of a grid; NaN where there is no run.

        Raises:
            UsageError: xarray is not installed, or the runs are far from a grid.

        >>> import ackclock as ac
        >>> sweep = ac.sweep(ac.examples.two_flows(), vary={"queue.buffer": ["10 packets", "40 packets"]}, seeds=2)
        >>> dataset = sweep.to_xarray()
        >>> dict(dataset.sizes), dataset["goodput_bps"].attrs["unit"]
        ({'queue_buffer_packets': 2, 'seed': 2}, 'bit/s')
        """
        try:
            import numpy as np
            import xarray as xr
        except ImportError:
            raise UsageError("the package xarray is not installed", "pip install xarray") from None
        runs = self.runs
        axes = [*self.keys, "seed"]
        cells = math.prod(len(set(runs[axis])) for axis in axes)
        if cells > 20 * len(runs):
            raise UsageError(
                f"the {len(runs)} runs are no grid: a dimension for each of {', '.join(axes)} has {cells} places",
                "take the table `runs`, as pandas.DataFrame.from_arrow(sweep.runs).to_xarray()",
            )
        values = {axis: list(dict.fromkeys(runs[axis])) for axis in axes}
        places = [[values[axis].index(value) for value in runs[axis]] for axis in axes]
        data = {}
        for number in self.numbers:
            cube = np.full([len(values[axis]) for axis in axes], np.nan)
            cube[tuple(places)] = np.asarray(runs[number], dtype=float)
            data[number] = (axes, cube, {"unit": runs.units[number], "about": runs.about[number]})
        return xr.Dataset(data, coords=values)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a sweep is its folder, and is not pickled: take its tables, or run the same sweep again, which reads {self.folder}"
        )

    def __repr__(self) -> str:
        finished, failed, missing = self._core.counts
        return f"Sweep({', '.join(self.keys)}: {finished} runs finished, {failed} failed, {missing} missing, in {self.folder})"

    def _repr_html_(self) -> str:
        if self._core.means is None:
            return f"<p>{html.escape(repr(self))}</p>"
        shown = [*self.keys, *self.numbers[:4]]
        return f"<p>{html.escape(repr(self))}</p>" + _html.table(self.means, shown)


def vary_of(vary: Vary) -> list[str]:
    """What is varied, as arguments of --vary."""
    if vary is None:
        return []
    if isinstance(vary, str):
        return [vary]
    if not isinstance(vary, Mapping):
        return list(vary)
    texts = []
    for keys, values in vary.items():
        if isinstance(keys, str):
            texts.append(f"{keys}={_values(keys, values)}")
            continue
        if not isinstance(keys, tuple):
            named(keys)
        rows = list(values)
        if any(isinstance(row, str) or not isinstance(row, Sequence) or len(row) != len(keys) for row in rows):
            raise UsageError(f"vary: {keys} change together", f"give a list of tuples of {len(keys)} values")
        texts.append(";".join(f"{key}={_values(key, [row[place] for row in rows])}" for place, key in enumerate(keys)))
    return texts


def _values(key: str, values: object) -> str:
    if isinstance(values, str):
        named = _RANGE.fullmatch(values.strip())
        return re.sub(r"\s+", "", f"{named[1]}:{named[2]}" + (f":{named[3]}" if named[3] else "")) if named else values
    if isinstance(values, Iterable):
        each = [text_of(value, key) for value in values]
        if each:
            return ",".join(each)
    raise UsageError(f"vary: {key}: {values!r} is no list of values", 'give a list, or a range as "0.1..4 bdp log 10"')


_RANGE = re.compile(r"(\S+?\s*\.\.\s*.+?)[\s:]+(log|lin)(?:[\s:]+(\d+))?")


def _widths(until_ci: str | float | Iterable[str] | None) -> list[str]:
    if until_ci is None:
        return []
    if isinstance(until_ci, float | int):
        return [f"{100 * until_ci:g}%"]
    if isinstance(until_ci, Mapping):
        return [f"{number}={100 * share:g}%" for number, share in until_ci.items()]
    return _list(until_ci, "until_ci")


def _positive(time_limit: str | float) -> float:
    seconds = seconds_of(time_limit, "time_limit")
    if seconds > 0:
        return seconds
    raise UsageError(f"time_limit={time_limit!r} ends every run", 'write more than 0, as "60 s"')


def _source(scenario: Scenario | str | os.PathLike[str], set: Sets) -> tuple[str, list[str]]:
    if isinstance(scenario, Scenario):
        return scenario.path, [*scenario._core.sets, *sets_of(set)]
    if isinstance(scenario, str | os.PathLike):
        return os.fspath(scenario), sets_of(set)
    raise UsageError(f"a {type(scenario).__name__} is no scenario", "give the path of a scenario file, or a Scenario")
