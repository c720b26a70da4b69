"""Runs of a scenario."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ackclock import _core
from ackclock._errors import Diagnostic, Interrupted, UsageError
from ackclock._progress import Told, progress_of
from ackclock._result import Result
from ackclock._scenario import Scenario, Sets, scenario_of
from ackclock._values import Value, sets_of


def run(
    scenario: Scenario | str | os.PathLike[str],
    *,
    seed: int | None = None,
    seeds: int = 1,
    set: Sets = None,
    record: Iterable[str] | str = (),
    record_interval: str | None = None,
    capture: Iterable[str] | str = (),
    delays: bool | None = None,
    measures: Iterable[str] | str = (),
    engine: str = "batched",
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool | Told | None = None,
) -> Result:
    """Simulates a scenario under one or several seeds.

    Args:
        scenario: a file, or a Scenario.
        seed: the first seed, if not that of the scenario.
        seeds: how many seeds, one after the other.
        set: values that replace those of the scenario, as {"queue.policy": "fba"}.
        record: what is recorded over time, as ["cwnd", "queue"] or "tcp"; `ackclock list record` names the metrics.
        record_interval: the interval of recorded queues and throughputs, as "10 ms".
        capture: hosts at which every datagram is captured.
        delays: whether it is counted how often each delay occurs: percentiles of delays need it.
        measures: measures that become columns of `Result.runs`, as "share(goodput: f1)".
        engine: "batched", or "reference" with one event after the other; the results are equal to the bit.
        threads: how many runs at a time, if not one for each core.
        out: a folder that the result is written to as `ackclock run` does.
        progress: a function of the part that is done and a text; True or False for a bar or none.

    Returns:
        The result. Ctrl-C raises Interrupted, whose `result` has the runs that were finished.

    >>> import ackclock as ac
    >>> result = ac.run(ac.examples.two_flows(), seeds=2, measures=["jain(goodput)"])
    >>> result.seeds
    [1, 2]
    >>> [round(index, 2) for index in result.runs["jain(goodput)"]]
    [1.0, 1.0]
    """
    own: dict[str, Value] = {}
    if record:
        own["record"] = _list(record)
    if record_interval is not None:
        own["record_interval"] = record_interval
    if capture:
        own["capture"] = _list(capture)
    if delays is not None:
        own["delays"] = delays
    loaded = scenario_of(scenario, [*sets_of(set), *sets_of(own)])
    first = loaded.seed if seed is None else _whole(seed, "seed", 0)
    with progress_of(progress) as told:
        core, stopped = _core.run(loaded._core, first, _whole(seeds, "seeds", 1), _list(measures), engine, threads_of(threads), told)
    result = Result(core, loaded)
    if stopped is not None:
        if isinstance(stopped, KeyboardInterrupt):
            finished = len(result.seeds)
            raise Interrupted(f"{finished} of {seeds} runs were finished: the attribute `result` has them", result) from None
        raise stopped
    if out is not None:
        result.save(out)
    return result


def check(scenario: str | os.PathLike[str], *, set: Sets = None) -> list[Diagnostic]:
    """Everything that is wrong with a scenario file, and what is probably not meant; an empty list if there is nothing.

    >>> import ackclock as ac
    >>> ac.check("no-such-file.toml")
    Traceback (most recent call last):
        ...
    ackclock.OutsideError: cannot read `no-such-file.toml`: No such file or directory (os error 2); check the path and the permissions
    """
    return _core.Scenario.diagnose(os.fspath(scenario), None, sets_of(set))


def check_text(text: str, *, name: str = "scenario.toml", set: Sets = None) -> list[Diagnostic]:
    """The same of the text of a scenario file, which is called `name` in messages."""
    return _core.Scenario.diagnose(name, text, sets_of(set))


def threads_of(threads: int | None) -> int:
    """How many runs at a time."""
    return _whole(threads, "threads", 1) if threads is not None else len(os.sched_getaffinity(0))


def _list(given: Iterable[str] | str) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _whole(given: int, what: str, least: int) -> int:
    try:
        number = given.__index__()
    except (AttributeError, TypeError):
        raise UsageError(f"{what}={given!r} is no whole number", f"write a whole number, {least} or more") from None
    if number < least:
        raise UsageError(f"{what}={number} is too small", f"write {least} or more")
    return number
