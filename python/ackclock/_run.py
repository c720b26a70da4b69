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

MOST = 2**63 - 1
"""The largest whole number of a scenario file."""


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
        The result.

    Raises:
        ScenarioError: the scenario is wrong, or a measure has no meaning in it.
        UsageError: an argument makes no sense.
        OutsideError: a file cannot be read, or the folder not be used.
        Interrupted: Ctrl-C; its `result` has the runs that were finished, which are also in `out`.

    >>> import ackclock as ac
    >>> result = ac.run(ac.examples.two_flows(), seeds=2, measures=["jain(goodput)"])
    >>> result.seeds
    [1, 2]
    >>> [round(index, 2) for index in result.runs["jain(goodput)"]]
    [0.99, 0.99]
    """
    own: dict[str, Value] = {}
    if record:
        own["record"] = _list(record, "record")
    if record_interval is not None:
        own["record_interval"] = record_interval
    if capture:
        own["capture"] = _list(capture, "capture")
    if delays is not None:
        own["delays"] = delays
    loaded = scenario_of(scenario, [*sets_of(set), *sets_of(own)])
    first = loaded.seed if seed is None else _whole(seed, "seed", 0)
    if out is not None:
        # A folder that cannot be used is refused before anything is run.
        _core.Result.check_folder(loaded._core, path_of(out, "out"))
    with progress_of(progress) as told:
        core, stopped = _core.run(
            loaded._core, first, _whole(seeds, "seeds", 1, 1_000_000), _list(measures, "measures"), engine, threads_of(threads), told
        )
    result = Result(core, loaded)
    if stopped is not None:
        if isinstance(stopped, KeyboardInterrupt):
            finished = len(result.seeds)
            kept = "the attribute `result` has them"
            if out is not None and finished > 0:
                kept += f", and {result.save(out)}"
            raise Interrupted(f"{finished} of {seeds} runs were finished: {kept}", result) from None
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
    return _core.Scenario.diagnose(path_of(scenario, "scenario"), None, sets_of(set))


def check_text(text: str, *, name: str = "scenario.toml", set: Sets = None) -> list[Diagnostic]:
    """The same of the text of a scenario file, which is called `name` in messages.

    >>> import ackclock as ac
    >>> [problem.message for problem in ac.check_text(ac.examples.two_flows().to_toml(), set={"queue.policy": "coddle"})]
    ['unknown policy "coddle"']
    """
    if not isinstance(text, str):
        raise UsageError(f"a {type(text).__name__} is no text", "give the text of a scenario file")
    return _core.Scenario.diagnose(name, text, sets_of(set))


def threads_of(threads: int | None) -> int:
    """How many runs at a time."""
    if threads is not None:
        return _whole(threads, "threads", 1, 4096)
    # Not every system says which of its cores may be used.
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def path_of(path: object, what: str) -> str:
    """A path as a text."""
    try:
        return os.fsdecode(os.fspath(path))  # type: ignore[call-overload]
    except TypeError:
        raise UsageError(f"{what}={path!r} is no path", "give a text or a Path") from None


def _list(given: Iterable[str] | str, what: str) -> list[str]:
    if isinstance(given, str):
        return [given]
    if isinstance(given, Iterable) and not isinstance(given, bytes):
        texts = list(given)
        if all(isinstance(text, str) for text in texts):
            return texts
    raise UsageError(f"{what}={given!r} is no list of texts", "give a text, or a list of them")


def _whole(given: object, what: str, least: int, most: int = MOST) -> int:
    try:
        number: int = given.__index__()  # type: ignore[attr-defined]
    except (AttributeError, TypeError):
        raise UsageError(f"{what}={given!r} is no whole number", f"write a whole number, {least} or more") from None
    if not least <= number <= most:
        raise UsageError(f"{what}={number} is too {'small' if number < least else 'large'}", f"write {least} or more, and at most {most}")
    return number
