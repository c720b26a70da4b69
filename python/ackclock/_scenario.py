"""Scenarios."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ackclock import _core
from ackclock._errors import Diagnostic, UsageError
from ackclock._values import Value, document_of, sets_of

if TYPE_CHECKING:
    from ackclock._simulation import Simulation
    from ackclock.mechanisms import CongestionControl, PacketPolicy

    Mechanism = type[CongestionControl] | type[PacketPolicy]
    """A class of a mechanism, which is derived from one of `ackclock.mechanisms`."""

Sets = Mapping[str, Value] | Iterable[str] | None
"""Keys with their values, as {"queue.buffer": "1000 cells"}, or texts KEY=VALUE."""


class Scenario:
    """What is simulated: checked, and with every default filled in. It does not change; `set` makes another one.

    A scenario that is wrong raises a ScenarioError with everything that is wrong with it.

    >>> import ackclock as ac
    >>> scenario = ac.Scenario.build(
    ...     duration="2 s",
    ...     network={"topology": "n-source", "sources": 5, "rate": "155.52 Mbps", "access_delay": "5 us", "trunk_delay": "5 us"},
    ...     queue={"buffer": "1000 cells", "policy": "selective-drop"},
    ... )
    >>> scenario.flows
    ['f1', 'f2', 'f3', 'f4', 'f5']
    >>> scenario.set({"queue.policy": "epd"}).check()
    []
    """

    def __init__(self, path: str | os.PathLike[str], set: Sets = None, *, mechanisms: Iterable[Mechanism] = ()) -> None:
        """Reads a scenario file, which may name mechanisms that are written in Python: see `ackclock.mechanisms`."""
        self._core = _core.Scenario(os.fspath(path), sets_of(set), _classes(mechanisms))

    @classmethod
    def _of(cls, core: _core.Scenario) -> Scenario:
        scenario = cls.__new__(cls)
        scenario._core = core
        return scenario

    @classmethod
    def from_text(cls, text: str, *, name: str = "scenario.toml", set: Sets = None, mechanisms: Iterable[Mechanism] = ()) -> Scenario:
        """Reads the text of a scenario file. `name` stands for its path in messages; files that it names are looked for beside it.

        >>> import ackclock as ac
        >>> text = '''
        ... duration = "1 s"
        ... network = { topology = "n-source", sources = 2, rate = "155.52 Mbps", access_delay = "5 us", trunk_delay = "5 us" }
        ... queue.buffer = "1000 cells"
        ... '''
        >>> ac.Scenario.from_text(text, name="lan.toml", set={"network.sources": 3}).flows
        ['f1', 'f2', 'f3']
        """
        return cls._of(_core.Scenario.from_text(text, name, sets_of(set), _classes(mechanisms)))

    @classmethod
    def build(cls, *, scenario_name: str = "scenario", mechanisms: Iterable[Mechanism] = (), **sections: Value) -> Scenario:
        """Makes a scenario of keyword arguments: keys, and tables as dictionaries, as network={"topology": "n-source"}.

        >>> import ackclock as ac
        >>> network = {"topology": "n-source", "sources": 2, "rate": "155.52 Mbps", "access_delay": "5 us", "trunk_delay": "5 us"}
        >>> scenario = ac.Scenario.build(scenario_name="lan", duration="1 s", network=network, queue={"buffer": "1000 cells"})
        >>> scenario.name, scenario.duration_s
        ('lan', 1.0)
        """
        return cls.from_text(document_of(sections), name=f"{scenario_name}.toml", mechanisms=mechanisms)

    def set(self, values: Sets = None, /, **keys: Value) -> Scenario:
        """The same scenario with some values replaced, as set({"queue.buffer": "2000 cells"}, duration="5 s").

        >>> import ackclock as ac
        >>> ac.examples.two_flows().set({"queue.buffer": "2 bdp"}, duration="1 s").duration_s
        1.0
        """
        return self._of(self._core.with_sets([*sets_of(values), *sets_of(keys)]))

    def check(self) -> list[Diagnostic]:
        """What is probably not meant, though it can be run. `ackclock.check` also gives the errors of a file that cannot be.

        >>> import ackclock as ac
        >>> ac.examples.two_flows().check()
        []
        >>> [problem.message for problem in ac.examples.two_flows().set({"traffic.start": "9 s"}).check()]
        ['the flow starts when the run is over']
        """
        return self._core.warnings

    def to_toml(self) -> str:
        """The scenario file with every key written out. It loads to an equal scenario.

        >>> import ackclock as ac
        >>> scenario = ac.examples.two_flows()
        >>> ac.Scenario.from_text(scenario.to_toml()) == scenario
        True
        """
        return self._core.to_toml()

    @property
    def name(self) -> str:
        """The name of the scenario: that of its file without the ending, if the file does not say another one."""
        return self._core.name

    @property
    def path(self) -> str:
        """The path of the file, or the name of the text."""
        return self._core.path

    @property
    def seed(self) -> int:
        """The seed of the first run, if a call does not say another one: `seed` of the file, or 1."""
        return self._core.seed

    @property
    def duration_s(self) -> float:
        """The simulated time of a run, seconds."""
        return self._core.duration_s

    @property
    def flows(self) -> list[str]:
        """The names of the flows of TCP."""
        return self._core.flows

    @property
    def links(self) -> list[str]:
        """The names of the directions of links, from->to, which are the names of the ports before them, too."""
        return self._core.ports

    @property
    def has_randomness(self) -> bool:
        """Whether the seed makes a difference."""
        return self._core.has_randomness

    def start(self, seed: int | None = None, *, engine: str = "batched") -> Simulation:
        """Begins a run that is stepped through: see Simulation.

        >>> import ackclock as ac
        >>> sim = ac.examples.two_flows().start(seed=3)
        >>> sim.step("250 ms")
        >>> sim.now_s
        0.25
        """
        from ackclock._simulation import Simulation

        return Simulation(self, seed, engine)

    def __reduce__(self) -> tuple[object, ...]:
        if self._core.has_mechanisms:
            raise TypeError("a scenario with mechanisms written in Python is not pickled: make it where it is run")
        return (_loaded, (self.to_toml(), self.path))

    def __deepcopy__(self, memo: object) -> Scenario:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self._core == other._core

    def __hash__(self) -> int:
        return hash(self._core)

    def __repr__(self) -> str:
        return repr(self._core)


def _classes(mechanisms: Iterable[Mechanism] | Mechanism) -> list[Mechanism]:
    return [mechanisms] if isinstance(mechanisms, type) else list(mechanisms)


def _loaded(text: str, name: str) -> Scenario:
    return Scenario.from_text(text, name=name)


def scenario_of(given: Scenario | str | os.PathLike[str], set: Sets = None) -> Scenario:
    """A scenario, or the file of one, with some values replaced."""
    if isinstance(given, Scenario):
        return given.set(set) if set else given
    if isinstance(given, str | os.PathLike):
        return Scenario(given, set)
    raise UsageError(f"a {type(given).__name__} is no scenario", "give the path of a scenario file, or a Scenario")
