"""Environments of Gymnasium: an agent sets the congestion window, or the pacing rate, of one flow, once in each monitor interval.

They need gymnasium and numpy: `pip install 'ackclock[gym]'`. `Environment` is one run at a time, `VectorEnvironment` several at once.

>>> import ackclock as ac
>>> from ackclock.gym import Environment
>>> environment = Environment(ac.examples.two_flows(), flow="f1", interval="50 ms")
>>> observation, info = environment.reset(seed=1)
>>> observation.shape, environment.action_space
((5,), Box(-1.0, 1.0, (1,), float32))
>>> observation, reward, terminated, truncated, info = environment.step([1.0])
>>> info["interval"].window_bytes / info["interval"].segment_bytes
15.0
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsFloat, TypeAlias

from ackclock import _core
from ackclock._errors import UsageError
from ackclock._run import threads_of
from ackclock._scenario import Scenario, scenario_of
from ackclock._simulation import Simulation
from ackclock._values import seconds_of

try:
    import gymnasium
    import numpy as np
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as missing:
    name = "numpy" if missing.name == "numpy" else "gymnasium"
    raise UsageError(f"the package {name} is not installed, or is too old", "pip install 'ackclock[gym]'") from None

if TYPE_CHECKING:
    from ackclock._result import Result

__all__ = ["OBSERVED", "Environment", "Interval", "Utility", "VectorEnvironment"]

Observed: TypeAlias = "np.ndarray[Any, np.dtype[np.float32]]"
"""An array of float32: five numbers, or a row of five for each environment."""
Scenarios: TypeAlias = "Scenario | str | os.PathLike[str] | Callable[[np.random.Generator], Scenario]"
"""A scenario, its file, or a function that draws one for each episode."""

OBSERVED = ("delivery_rate", "round_trip", "loss", "in_flight", "window")
"""What the numbers of an observation are, in order; see Environment."""

_LEAST = np.zeros(5, dtype=np.float32)
_MOST = np.array([1.0, 10.0, 1.0, 2.0, 3.0], dtype=np.float32)


class Interval(NamedTuple):
    """What was measured of the flow in a monitor interval, in plain units. Rewards are functions of it.

    >>> import ackclock as ac
    >>> from ackclock.gym import Environment, Interval
    >>> def reward(interval: Interval) -> float:
    ...     return interval.delivery_rate_bps / 1e6 - 10 * interval.loss
    >>> environment = Environment(ac.examples.two_flows(), reward=reward)
    >>> observation, info = environment.reset(seed=1)
    >>> *_, info = environment.step([0.0])
    >>> info["interval"].duration_s
    0.1
    """

    time_s: float
    """The end of the interval, seconds since the start of the run."""
    duration_s: float
    """How long it was, seconds: that of the environment, but of the last one, which ends with the run."""
    delivery_rate_bps: float
    """Payload acknowledged in it, bits per second."""
    largest_rate_bps: float
    """The largest delivery rate of an interval of the episode so far, bits per second."""
    srtt_s: float
    """The smoothed round trip at its end, seconds."""
    least_srtt_s: float
    """The least one at the end of an interval of the episode so far, seconds."""
    loss: float
    """Of the segments sent in it the share that was sent again."""
    in_flight_bytes: int
    """Bytes believed to be in the network at its end."""
    window_bytes: float
    """The window that was held in it, bytes; of a rate that was held what it sends in the least round trip."""
    segment_bytes: int
    """Bytes of a full segment."""
    timeouts: int
    """How often the retransmission timer has expired in the run."""


@dataclass(frozen=True)
class Utility:
    """The reward by default: w_throughput · log2(rate) - w_delay · log2(round trip / least) - w_loss · loss.

    The rate is the delivery rate in Mb/s, at least one segment in the interval, so that an interval without any is worth little and not
    minus infinity. Logarithms need no scale of the path: twice the rate is worth one, on a slow path as on a fast one. The objective
    log(throughput) - δ·log(delay) is that of Winstein and Balakrishnan, TCP ex Machina, SIGCOMM 2013, §3.3; losses are added.

    >>> import ackclock as ac
    >>> from ackclock.gym import Environment, Utility
    >>> environment = Environment(ac.examples.two_flows(), reward=Utility(delay=2.0))
    >>> observation, info = environment.reset(seed=1)
    >>> observation, reward, *_, info = environment.step([0.5])
    >>> reward == Utility(delay=2.0)(info["interval"])
    True
    """

    throughput: float = 1.0
    """The weight of the delivery rate."""
    delay: float = 0.5
    """The weight of the round trip."""
    loss: float = 1.0
    """The weight of the loss."""

    def __call__(self, interval: Interval) -> float:
        least = 8 * interval.segment_bytes / interval.duration_s
        rate = math.log2(max(interval.delivery_rate_bps, least) / 1e6)
        return self.throughput * rate - self.delay * math.log2(interval.srtt_s / interval.least_srtt_s) - self.loss * interval.loss


class Environment(gymnasium.Env[Observed, Any]):
    """A run of a scenario in which an agent controls one flow; the others do what the scenario says.

    **Observations** are five numbers (float32), measured in the last monitor interval (`OBSERVED` has their names):

    0. `delivery_rate`: the rate that was acknowledged over the largest of an interval so far, 0 to 1;
    1. `round_trip`: the smoothed round trip over the least so far, less 1: 0 without a queue, at most 10;
    2. `loss`: of the segments sent the share that was sent again, 0 to 1;
    3. `in_flight`: bytes in the network over the window, 0 to 2;
    4. `window`: log2(1 + window in segments) / 10: 0.35 for 10 segments, 0.67 for 100, 1 for 1,000, at most 3.

    Of a flow whose rate is controlled, the window is what the rate sends in the least round trip so far.

    **Actions** multiply the window, or the rate. A number a of [-1, 1] (Box of shape (1,), float32) multiplies it by `largest_factor` ** a;
    with `factors` an action is the place of a factor in the list (Discrete). What is held is a segment at least, and at most four times the
    most that was in flight (or was delivered) so far, but ten segments in any case: more is not let out by the receiver's window, and would
    have to be taken back again. A recovery from losses sets the window as long as it lasts (`Simulation.hold_window`).

    **Rewards** are those of `Utility`, or of any function of an `Interval`.

    **Episodes** begin when the flow has measured its first round trip, and are truncated at the end of the scenario; they are terminated
    when all data of the flow are acknowledged. `info["interval"]` is the `Interval` after each step.

    `reset(seed=7)` begins the run of seed 7: the same seed and the same actions give the same observations, to the bit. Without a seed the
    next one is drawn from the generator that was seeded last.

    >>> import ackclock as ac
    >>> from ackclock.gym import Environment
    >>> environment = Environment(ac.examples.two_flows(), factors=[0.5, 1.0, 1.1])
    >>> observation, info = environment.reset(seed=7)
    >>> over, steps = False, 0
    >>> while not over:
    ...     observation, reward, terminated, truncated, info = environment.step(1 if observation[1] > 0.2 else 2)
    ...     over, steps = terminated or truncated, steps + 1
    >>> steps, terminated, truncated
    (49, False, True)
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - so is it declared by gymnasium
    """What gymnasium asks: nothing is drawn."""

    def __init__(
        self,
        scenario: Scenarios,
        *,
        flow: str | None = None,
        interval: str | float = "100 ms",
        control: Literal["window", "rate"] = "window",
        largest_factor: float = 1.5,
        factors: Sequence[float] | None = None,
        reward: Callable[[Interval], float] | None = None,
        engine: str = "batched",
    ) -> None:
        """Makes an environment; nothing is run before `reset`.

        Args:
            scenario: what is run: a scenario, a file, or a function of a numpy Generator that draws a scenario for each episode.
            flow: the flow that is controlled, if not the first.
            interval: the monitor interval, as "100 ms" or a number of seconds; about a round trip is a good one.
            control: "window", or "rate" for the pacing rate.
            largest_factor: by what the actions 1 and -1 multiply and divide.
            factors: makes actions places in this list, as [0.5, 1.0, 1.1].
            reward: a function of an Interval, if not `Utility()`.
            engine: "batched" or "reference".

        Raises:
            UsageError: the scenario has no such flow, or a number makes no sense.
        """
        self._draws = scenario if callable(scenario) else None
        self._scenario = None if callable(scenario) else scenario_of(scenario)
        self._flow = flow
        self.interval_s = seconds_of(interval, "interval")
        self._control = control
        self._engine = engine
        if not (math.isfinite(self.interval_s) and self.interval_s > 0):
            raise UsageError(f"a monitor interval of {self.interval_s} s", 'write more than 0, as "100 ms"')
        if self.interval_s < 1e-12:
            raise UsageError(f"a monitor interval of {self.interval_s} s", "write a picosecond or more, in which simulations count")
        if control not in ("window", "rate"):
            raise UsageError(f"control={control!r} is nothing to control", 'write "window" or "rate"')
        if self._scenario is not None:
            self._flow_of(self._scenario)
        self._factors: list[float] | None = None
        self.observation_space = gymnasium.spaces.Box(_LEAST, _MOST, dtype=np.float32)
        if factors is not None:
            self._factors = [float(factor) for factor in factors]
            if not self._factors or not all(math.isfinite(factor) and factor > 0 for factor in self._factors):
                raise UsageError(f"factors={factors!r} cannot multiply a window", "give numbers above 0, as [0.5, 1.0, 1.1]")
            self.action_space = gymnasium.spaces.Discrete(len(self._factors))
        else:
            if not (math.isfinite(largest_factor) and largest_factor > 1):
                raise UsageError(f"largest_factor={largest_factor} changes nothing", "write more than 1, as 1.5")
            self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
        rewarded: object = Utility() if reward is None else reward
        if type(rewarded) is Utility:
            rewarded = (rewarded.throughput, rewarded.delay, rewarded.loss)
        self._episode = _core.Episode(self.interval_s, control, float(largest_factor), self._factors, rewarded, Interval)
        self._run: Scenario | None = None
        self._simulation: Simulation | None = None

    @property
    def simulation(self) -> Simulation:
        """The run of this episode, to look at other flows, or to take the result of. A UsageError before `reset`.

        >>> import ackclock as ac
        >>> from ackclock.gym import Environment
        >>> environment = Environment(ac.examples.two_flows())
        >>> observation, info = environment.reset(seed=1)
        >>> environment.simulation.flow("f2").stage
        'open'
        """
        core = self._episode.simulation
        if core is None or self._run is None:
            raise UsageError("the environment has no run yet", "call reset() first")
        if self._simulation is None:
            self._simulation = Simulation._of(self._run, core)
        return self._simulation

    def result(self) -> Result:
        """Ends the episode and gives the result of its run, with what the scenario records.

        >>> import ackclock as ac
        >>> from ackclock.gym import Environment
        >>> environment = Environment(ac.examples.two_flows())
        >>> observation, info = environment.reset(seed=1)
        >>> *_, info = environment.step([1.0])
        >>> environment.result().flows["flow"].to_list()
        ['f1', 'f2']
        """
        self._episode.end()
        return self.simulation.result()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observed, dict[str, Any]]:
        """Begins an episode: a run of this seed, up to the first round trip of the flow.

        Raises:
            UsageError: the flow measures no round trip before the end of the scenario.
        """
        scenario, number, flow = self._drawn(seed)
        observation = np.empty(5, dtype=np.float32)
        interval = self._episode.begin(scenario._core, number, flow, self._engine, observation)
        self._began(scenario)
        return observation, {"interval": interval}

    def step(self, action: Any) -> tuple[Observed, SupportsFloat, bool, bool, dict[str, Any]]:
        """Changes the window or the rate and simulates a monitor interval.

        Returns:
            The observation, the reward, whether the flow has ended, whether the scenario has, and {"interval": Interval}.

        Raises:
            UsageError: an action that is not one of the action space, or an episode that is over.
        """
        return self._episode.step(action, _LEAST.copy())

    def _drawn(self, seed: int | None) -> tuple[Scenario, int, str]:
        """What the next episode runs: a scenario, its seed, and the flow."""
        super().reset(seed=seed)
        number = int(self.np_random.integers(1 << 31)) if seed is None else seed
        scenario = self._scenario if self._draws is None else self._draws(self.np_random)
        if not isinstance(scenario, Scenario):
            raise UsageError(f"the function drew a {type(scenario).__name__}, which is no scenario", "return a Scenario")
        return scenario, number, self._flow_of(scenario)

    def _began(self, scenario: Scenario) -> None:
        self._run, self._simulation = scenario, None

    def _flow_of(self, scenario: Scenario) -> str:
        flows = scenario.flows
        if not flows:
            raise UsageError("the scenario has no flow of TCP", "add one to it")
        if self._flow is None:
            return flows[0]
        if self._flow not in flows:
            raise UsageError(f"there is no flow {self._flow!r}", f"there are {', '.join(flows[:20])}")
        return self._flow


class VectorEnvironment(VectorEnv[Observed, Any, Any]):
    """Several environments that are stepped together, by one call, which leaves the interpreter free while it computes.

    Observations have the shape (count, 5), float32; actions (count, 1), float32, or with `factors` (count,), whole numbers. An episode
    that is over begins anew in the next step, whose action is not used and whose reward is 0 (gymnasium's `AutoresetMode.NEXT_STEP`).

    Threads are used where they pay: where a step of all takes more than half a millisecond of one thread, and for new episodes.

    >>> import ackclock as ac
    >>> from ackclock.gym import VectorEnvironment
    >>> environments = VectorEnvironment(ac.examples.two_flows(), 4)
    >>> observations, infos = environments.reset(seed=1)
    >>> observations, rewards, terminated, truncated, infos = environments.step(environments.action_space.sample())
    >>> observations.shape, rewards.shape
    ((4, 5), (4,))
    >>> environments.close()
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012
    """What gymnasium asks: nothing is drawn; an episode that is over begins anew in the next step."""

    def __init__(self, scenario: Scenarios, count: int, *, threads: int | None = None, **how: Any) -> None:
        """Makes `count` environments, which at most `threads` threads step, if not one for each core. `how` are arguments of
        `Environment`."""
        if not isinstance(count, int) or count < 1:
            raise UsageError(f"count={count!r} is no number of environments", "write a whole number, 1 or more")
        loaded = scenario if callable(scenario) else scenario_of(scenario)
        self.environments = [Environment(loaded, **how) for _ in range(count)]
        self.num_envs = count
        self.single_observation_space = self.environments[0].observation_space
        self.single_action_space = self.environments[0].action_space
        self.observation_space = batch_space(self.single_observation_space, count)
        self.action_space = batch_space(self.single_action_space, count)
        self._engine = self.environments[0]._engine
        self._episodes = _core.Episodes([one._episode for one in self.environments], min(threads_of(threads), count))
        self._places = list(range(count))
        self._over = np.zeros(count, dtype=bool)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Begins an episode of each: with the seeds of a list, or with seed, seed + 1 and so on."""
        count = self.num_envs
        seeds = [None] * count if seed is None else [seed + place for place in range(count)] if isinstance(seed, int) else list(seed)
        if len(seeds) != count:
            raise UsageError(f"{len(seeds)} seeds for {count} environments", "give one for each, or the first")
        observations = np.zeros((count, 5), dtype=np.float32)
        intervals = self._begun(self._places, seeds, observations)
        self._over[:] = False
        return observations, self._info(self._places, intervals)

    def step(self, actions: Any) -> tuple[Observed, Any, Any, Any, dict[str, Any]]:
        """Steps each: observations, rewards (float64), terminated and truncated (bool), all with one row for each, and infos.

        Raises:
            UsageError: an action that is out of range, or not one for each: then none is stepped.
        """
        count = self.num_envs
        if len(actions) != count:
            raise UsageError(f"{len(actions)} actions for {count} environments", "give one for each")
        observations = np.zeros((count, 5), dtype=np.float32)
        rewards, ends = np.zeros(count), np.zeros((2, count), dtype=np.uint8)
        places, new = self._places, list[int]()
        if self._over.any():
            places, new = np.flatnonzero(~self._over).tolist(), np.flatnonzero(self._over).tolist()
        intervals = self._episodes.step(places, actions, observations, rewards, ends[0], ends[1])
        if new:
            intervals += self._begun(new, [None] * len(new), observations)
        terminated, truncated = ends.view(bool)
        self._over = terminated | truncated
        return observations, rewards, terminated, truncated, self._info(places + new, intervals)

    def _begun(self, places: list[int], seeds: Sequence[int | None], observations: Observed) -> list[Interval]:
        drawn = [self.environments[place]._drawn(seed) for place, seed in zip(places, seeds, strict=True)]
        runs = [(scenario._core, number, flow) for scenario, number, flow in drawn]
        intervals = self._episodes.begin(places, runs, self._engine, observations)
        for place, (scenario, _, _) in zip(places, drawn, strict=True):
            self.environments[place]._began(scenario)
        return intervals

    def _info(self, places: list[int], intervals: list[Interval]) -> dict[str, Any]:
        told = np.empty(self.num_envs, dtype=object)
        for place, interval in zip(places, intervals, strict=True):
            told[place] = interval
        return {"interval": told, "_interval": np.ones(self.num_envs, dtype=bool)}
