"""Exceptions. Each has the exit code that the command line ends with for the same reason, and says what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ackclock._result import Result


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong with a scenario, or probably not meant.

    >>> import ackclock as ac
    >>> problem = ac.check_text("duration = '1 s'\\n[queue]\\npolicy = 'selective-dorp'\\n")[0]
    >>> problem.severity, problem.line, problem.column, problem.remedy
    ('error', 3, 10, 'did you mean "selective-drop"?')
    """

    severity: str
    """"error" or "warning"."""
    message: str
    """What is wrong, in one sentence."""
    label: str
    """A short text about the place, as the words that could stand there."""
    remedy: str | None
    """What to do, as a command or a value that can be copied; None where there is no one remedy."""
    file: str
    """The path of the file, or "--set" for a replaced value."""
    line: int | None
    """The line, counted from 1; None if it is about the scenario as a whole."""
    column: int | None
    """The column in characters, counted from 1."""
    text: str
    """Everything, with the line and a mark below the place, as the command line prints it."""

    def __str__(self) -> str:
        return self.text


class AckclockError(Exception):
    """What every error of this package is.

    Attributes:
        code: the exit code of the command line for the same error.
        message: what is wrong.
        remedy: what to do.
        file, line, column: the place, where there is one.

    >>> import ackclock as ac
    >>> try:
    ...     ac.run(ac.examples.two_flows(), seeds=0)
    ... except ac.AckclockError as error:
    ...     print(error.code, error.message, "-", error.remedy)
    2 seeds=0 is too small - write 1 or more, and at most 1000000
    """

    code: int = 1
    file: str | None = None
    line: int | None = None
    column: int | None = None

    def __init__(self, message: str, remedy: str = "") -> None:
        message, remedy = _in_python(message), _in_python(remedy)
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}; {self.remedy}" if self.remedy else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.message, self.remedy))


class OutsideError(AckclockError):
    """A file, a folder, a disk, a cluster or another part of the system failed. Exit code 1.

    >>> import ackclock as ac
    >>> ac.run("no-such-file.toml")
    Traceback (most recent call last):
        ...
    ackclock.OutsideError: cannot read `no-such-file.toml`: No such file or directory (os error 2); check the path and the permissions
    """

    code = 1


class UsageError(AckclockError, ValueError):
    """What was asked for makes no sense. Exit code 2.

    >>> import ackclock as ac
    >>> ac.examples.two_flows().start().step("-1 s")
    Traceback (most recent call last):
        ...
    ackclock.UsageError: a step of -1 s; step by more than 0, as in "100 ms" or 0.1
    """

    code = 2


class ScenarioError(AckclockError, ValueError):
    """A scenario is wrong. Exit code 3.

    Attributes:
        diagnostics: everything that is wrong with it, and what is probably not meant.
        file, line, column: the place of the first error.

    >>> import ackclock as ac
    >>> try:
    ...     ac.examples.two_flows().set({"queue.polcy": "codel", "duration": "2 sec"})
    ... except ac.ScenarioError as error:
    ...     for one in error.diagnostics:
    ...         print(one.message, "-", one.remedy)
    unknown key "polcy" in [queue] - did you mean `policy`?
    "sec" is no unit - units that fit: ps, ns, us, ms, s, min, h
    """

    code = 3

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = list(diagnostics)
        first = next((one for one in self.diagnostics if one.severity == "error"), self.diagnostics[0])
        super().__init__(first.message, first.remedy or "")
        self.file, self.line, self.column = first.file, first.line, first.column

    def __str__(self) -> str:
        return "\n" + "\n".join(str(one) for one in self.diagnostics)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.diagnostics,))


class DefectError(AckclockError, RuntimeError):
    """A defect of Ackclock. Exit code 101.

    >>> import ackclock as ac
    >>> ac.DefectError.code, issubclass(ac.DefectError, ac.AckclockError)
    (101, True)
    """

    code = 101


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during runs. What was finished is not lost.

    Attributes:
        result: the runs that were finished; None of a sweep, whose folder keeps them.

    >>> import ackclock as ac
    >>> try:
    ...     result = ac.run(ac.examples.two_flows(), seeds=2)
    ... except ac.Interrupted as stop:
    ...     result = stop.result
    >>> result.complete
    True
    """

    code = 130

    def __init__(self, message: str, result: Result | None = None) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[object, ...]:
        # A result stays where it is.
        return (type(self), self.args)


def _in_python(text: str) -> str:
    """A message of the command line with arguments of functions in place of options."""
    return _OPTION.sub(lambda option: option[1].replace("-", "_") + (f"={option[2]}" if option[2] else ""), text)


# Options that are arguments here, too, with what stands for a value; some messages have the name in sweep files behind them.
_OPTION = re.compile(
    r"--(out|seeds|max-seeds|until-ci|vary|record-interval|record|capture|latin-hypercube|shard|retry|max-runs)\b(?!-)"
    r"(?: \([a-z_]+\))?(?: ([A-Z]+\b(?:,\.\.\.)?|\d[\w.%]*))?"
)
