"""Simulations that are stepped through."""

from __future__ import annotations

from ackclock import _core
from ackclock._core import Observation
from ackclock._result import Result
from ackclock._run import _whole
from ackclock._scenario import Scenario, scenario_of
from ackclock._values import bits_per_second_of, seconds_of


class Simulation:
    """A run that is stepped through. Between two steps flows are observed, and their windows and pacing rates are held.

    Unless something is held, the run gives what a run gives that was not stepped through, to the bit.

    >>> import ackclock as ac
    >>> sim = ac.examples.two_flows().start(seed=1)
    >>> while sim.now_s < sim.end_s - 0.1:
    ...     sim.step("100 ms")
    ...     if sim.now_s >= 2 and sim.flow("f1").stage == "open":
    ...         sim.hold_window("f1", 4 * sim.flow("f1").segment_bytes)
    >>> sim.flow("f1").cwnd / sim.flow("f1").segment_bytes
    4.0
    """

    def __init__(self, scenario: Scenario, seed: int | None = None, engine: str = "batched") -> None:
        """Begins a run of a scenario under a seed, or under the first of the scenario."""
        self._scenario = scenario_of(scenario)
        first = self._scenario.seed if seed is None else _whole(seed, "seed", 0)
        self._core = _core.start(self._scenario._core, first, engine)

    @classmethod
    def _of(cls, scenario: Scenario, core: _core.Simulation) -> Simulation:
        """A run that goes on already."""
        simulation = cls.__new__(cls)
        simulation._scenario, simulation._core = scenario, core
        return simulation

    @property
    def scenario(self) -> Scenario:
        """The scenario that is run, with the values that were set."""
        return self._scenario

    @property
    def now_s(self) -> float:
        """The instant to which the run has come, seconds: everything before it has happened."""
        return self._core.now_s

    @property
    def end_s(self) -> float:
        """The end of the scenario, seconds."""
        return self._core.end_s

    @property
    def finished(self) -> bool:
        """Whether the run has come to its end."""
        return self._core.finished

    @property
    def flows(self) -> list[str]:
        """The names of the flows of TCP."""
        return self._core.flows

    def step(self, duration: str | float) -> None:
        """Simulates so much time more, as "100 ms" or a number of seconds; at most to the end of the scenario.

        >>> import ackclock as ac
        >>> sim = ac.examples.two_flows().start()
        >>> sim.step("100 ms")
        >>> sim.step(0.5)
        >>> sim.now_s
        0.6
        """
        self._core.step_s(seconds_of(duration, "step"))

    def run_until(self, instant: str | float) -> None:
        """Simulates up to an instant, as "2 s" or a number of seconds since the start.

        >>> import ackclock as ac
        >>> sim = ac.examples.two_flows().start()
        >>> sim.run_until("2 s")
        >>> sim.now_s, sim.finished
        (2.0, False)
        """
        self._core.run_until_s(seconds_of(instant, "run_until"))

    def run_to_end(self) -> None:
        """Simulates to the end of the scenario.

        >>> import ackclock as ac
        >>> sim = ac.examples.two_flows().start()
        >>> sim.run_to_end()
        >>> sim.now_s == sim.end_s, sim.finished
        (True, True)
        """
        self._core.run_to_end()

    def flow(self, name: str) -> Observation:
        """What is seen of a flow now: window, round trip, in flight, counts.

        >>> import ackclock as ac
        >>> sim = ac.examples.two_flows().start(seed=1)
        >>> sim.step("1 s")
        >>> before = sim.flow("f1")
        >>> sim.step("1 s")
        >>> seen = sim.flow("f1")
        >>> seen.stage, round(seen.delivery_rate_bps(before) / 1e6, 1), round(seen.loss(before), 3)
        ('open', 4.1, 0.006)
        """
        return self._core.flow(name)

    def hold_window(self, flow: str, window_bytes: float | None) -> None:
        """Holds the congestion window of a flow at so many bytes from now on; None releases it. A recovery from losses sets the window as
        long as it lasts. A flow that has ended, and a window below a segment, raise a UsageError.

        >>> import ackclock as ac
        >>> sim = ac.examples.two_flows().start()
        >>> sim.step("1 s")
        >>> sim.hold_window("f1", 10 * sim.flow("f1").segment_bytes)
        >>> sim.step("1 s")
        >>> sim.flow("f1").cwnd / sim.flow("f1").segment_bytes
        10.0
        >>> sim.hold_window("f1", None)
        """
        self._core.hold_window(flow, window_bytes)

    def hold_pacing_rate(self, flow: str, rate: str | float | None) -> None:
        """Holds the rate at which segments of a flow leave, in bits of payload per second or as "2 Mbps"; None releases it.

        >>> import ackclock as ac
        >>> sim = ac.examples.two_flows().start()
        >>> sim.step("1 s")
        >>> sim.hold_pacing_rate("f1", "2 Mbps")
        >>> sim.step("1 s")
        >>> sim.flow("f1").pacing_rate_bps
        2000000.0
        """
        self._core.hold_pacing_rate(flow, None if rate is None else bits_per_second_of(rate, "rate"))

    def result(self) -> Result:
        """Ends the simulation and gives its result, of what was simulated until now.

        >>> import ackclock as ac
        >>> sim = ac.examples.two_flows().start()
        >>> sim.run_until("2 s")
        >>> result = sim.result()
        >>> result.simulated_s, result.complete
        ([2.0], False)
        """
        return Result(self._core.result(), self._scenario)

    def __repr__(self) -> str:
        return repr(self._core)
