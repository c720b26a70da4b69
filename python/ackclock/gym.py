"""Environments of Gymnasium: an agent sets the congestion window, or the pacing rate, of one flow, once in each monitor interval.

They need gymnasium and numpy: `pip install 'ackclock[gym]'`. `Environment` is one run at a time, `VectorEnvironment` several over threads.

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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsFloat, TypeAlias

from ackclock._errors import UsageError
from ackclock._run import threads_of
from ackclock._scenario import Scenario, scenario_of
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
    from ackclock._core import Observation
    from ackclock._result import Result
    from ackclock._simulation import Simulation

__all__ = ["OBSERVED", "Environment", "Interval", "Utility", "VectorEnvironment"]

Observed: TypeAlias = "np.ndarray[Any, np.dtype[np.float32]]"
Scenarios: TypeAlias = "Scenario | str | os.PathLike[str] | Callable[[np.random.Generator], Scenario]"
"""A scenario, its file, or a function that draws one for each episode."""

OBSERVED = ("delivery_rate", "round_trip", "loss", "in_flight", "window")
"""What the numbers of an observation are, in order; see Environment."""

_LEAST = np.zeros(5, dtype=np.float32)
_MOST = np.array([1.0, 10.0, 1.0, 2.0, 3.0], dtype=np.float32)
_FEWEST_SEGMENTS = 10
_MOST_WINDOW_BYTES = 1 << 30


class Interval(NamedTuple):
    """What was measured of the flow in a monitor interval, in plain units. Rewards are functions of it."""

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
    """

    throughput: float = 1.0
    delay: float = 0.5
    loss: float = 1.0

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
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - so is it declared by gymnasium

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
        self._reward: Callable[[Interval], float] = Utility() if reward is None else reward
        if not (math.isfinite(self.interval_s) and self.interval_s > 0):
            raise UsageError(f"a monitor interval of {self.interval_s} s", 'write more than 0, as "100 ms"')
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
        self._largest_factor = float(largest_factor)
        self._simulation: Simulation | None = None
        self._over = True

    @property
    def simulation(self) -> Simulation:
        """The run of this episode, to look at other flows, or to take the result of. A UsageError before `reset`."""
        if self._simulation is None:
            raise UsageError("the environment has no run yet", "call reset() first")
        return self._simulation

    def result(self) -> Result:
        """Ends the episode and gives the result of its run, with what the scenario records."""
        self._over = True
        return self.simulation.result()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observed, dict[str, Any]]:
        """Begins an episode: a run of this seed, up to the first round trip of the flow.

        Raises:
            UsageError: the flow measures no round trip before the end of the scenario.
        """
        super().reset(seed=seed)
        number = int(self.np_random.integers(1 << 31)) if seed is None else seed
        scenario = self._scenario if self._draws is None else self._draws(self.np_random)
        if not isinstance(scenario, Scenario):
            raise UsageError(f"the function drew a {type(scenario).__name__}, which is no scenario", "return a Scenario")
        self._name = self._flow_of(scenario)
        self._simulation = simulation = scenario.start(number, engine=self._engine)
        seen = simulation.flow(self._name)
        while seen.srtt_s is None:
            if simulation.finished or seen.stage == "ended":
                raise UsageError(
                    f"flow {self._name} measures no round trip before the end of the scenario", "simulate longer, or let it begin earlier"
                )
            simulation.step(self.interval_s)
            seen = simulation.flow(self._name)
        self._over = False
        self._seen = seen
        self._least_srtt_s = seen.srtt_s
        self._largest_rate_bps = 8 * seen.acknowledged / seen.time_s if seen.time_s > 0 else 0.0
        self._most_in_flight = seen.in_flight
        self._held = seen.cwnd
        if self._control == "rate":
            # A round trip at which the window would have been sent; from now on nothing but the rate limits.
            self._held = 8 * seen.cwnd / seen.srtt_s
            if seen.stage == "open":
                simulation.hold_window(self._name, _MOST_WINDOW_BYTES)
        interval = self._measured(seen, 8 * seen.acknowledged / max(seen.time_s, 1e-9), 0.0, max(seen.time_s, 1e-9))
        return self._observation(interval), {"interval": interval}

    def step(self, action: Any) -> tuple[Observed, SupportsFloat, bool, bool, dict[str, Any]]:
        """Changes the window or the rate and simulates a monitor interval.

        Returns:
            The observation, the reward, whether the flow has ended, whether the scenario has, and {"interval": Interval}.

        Raises:
            UsageError: an action that is not one of the action space, or an episode that is over.
        """
        if self._over or self._simulation is None:
            raise UsageError("the episode is over", "call reset() to begin the next one")
        held = self._held * self._factor(action)
        # Without the layer that reads texts as "100 ms": a step of a slow path takes a few microseconds.
        before, simulation = self._seen, self._simulation._core
        if before.stage == "open":
            segment = before.segment_bytes
            if self._control == "window":
                most = max(4 * self._most_in_flight, _FEWEST_SEGMENTS * segment)
                self._held = held = min(max(held, float(segment)), most, _MOST_WINDOW_BYTES)
                simulation.hold_window(self._name, held)
            else:
                one = 8 * segment / self._least_srtt_s
                self._held = held = min(max(held, one), max(4 * self._largest_rate_bps, _FEWEST_SEGMENTS * one))
                simulation.hold_pacing_rate(self._name, held)
        simulation.step_s(self.interval_s)
        self._seen = seen = simulation.flow(self._name)
        rate = seen.delivery_rate_bps(before) or 0.0
        interval = self._measured(seen, rate, seen.loss(before) or 0.0, seen.time_s - before.time_s)
        terminated = seen.stage == "ended"
        truncated = simulation.finished and not terminated
        self._over = terminated or truncated
        reward = self._reward(interval)
        return self._observation(interval), reward, terminated, truncated, {"interval": interval}

    def _factor(self, action: Any) -> float:
        if self._factors is not None:
            try:
                place = action.__index__()
            except (AttributeError, TypeError):
                place = -1
            if not 0 <= place < len(self._factors):
                raise UsageError(f"action {action!r} is no place of a factor", f"write a whole number, 0 to {len(self._factors) - 1}")
            return self._factors[int(place)]
        try:
            size = len(action)
            change = float(action[0])
        except (TypeError, ValueError, IndexError):
            size, change = 0, math.nan
        if size != 1 or not -1.0 <= change <= 1.0:
            raise UsageError(f"action {action!r} is out of range", "give one number of -1 to 1 in an array, as [0.5]; clip others")
        factor: float = self._largest_factor**change
        return factor

    def _measured(self, seen: Observation, rate: float, loss: float, duration: float) -> Interval:
        srtt, in_flight = seen.srtt_s or self._least_srtt_s, seen.in_flight
        if srtt < self._least_srtt_s:
            self._least_srtt_s = srtt
        if rate > self._largest_rate_bps:
            self._largest_rate_bps = rate
        if in_flight > self._most_in_flight:
            self._most_in_flight = in_flight
        window = self._held if self._control == "window" else self._held * self._least_srtt_s / 8
        return Interval(
            seen.time_s, duration, rate, self._largest_rate_bps, srtt, self._least_srtt_s, min(loss, 1.0), in_flight, window,
            seen.segment_bytes, seen.timeouts,
        )  # fmt: skip

    def _observation(self, of: Interval) -> Observed:
        return np.array(
            (
                of.delivery_rate_bps / of.largest_rate_bps if of.largest_rate_bps > 0 else 0.0,
                min(of.srtt_s / of.least_srtt_s - 1.0, 10.0),
                of.loss,
                min(of.in_flight_bytes / of.window_bytes, 2.0),
                math.log2(1.0 + of.window_bytes / of.segment_bytes) / 10.0,
            ),
            dtype=np.float32,
        )

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
    """Several environments that are stepped together, over threads: the simulator leaves the interpreter free while it computes.

    Observations have the shape (count, 5), float32; actions (count, 1), float32, or with `factors` (count,), whole numbers. An episode
    that is over begins anew in the next step, whose action is not used and whose reward is 0 (gymnasium's `AutoresetMode.NEXT_STEP`).

    Threads pay where a step simulates much: Python itself takes some 6 µs of a step, in which one thread works at a time.

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

    def __init__(self, scenario: Scenarios, count: int, *, threads: int | None = None, **how: Any) -> None:
        """Makes `count` environments, which `threads` threads step, if not one for each core. `how` are arguments of `Environment`."""
        if not isinstance(count, int) or count < 1:
            raise UsageError(f"count={count!r} is no number of environments", "write a whole number, 1 or more")
        loaded = scenario if callable(scenario) else scenario_of(scenario)
        self.environments = [Environment(loaded, **how) for _ in range(count)]
        self.num_envs = count
        self.single_observation_space = self.environments[0].observation_space
        self.single_action_space = self.environments[0].action_space
        self.observation_space = batch_space(self.single_observation_space, count)
        self.action_space = batch_space(self.single_action_space, count)
        workers = min(threads_of(threads), count)
        self._shares = [range(worker * count // workers, (worker + 1) * count // workers) for worker in range(workers)]
        self._pool = ThreadPoolExecutor(workers - 1, "ackclock-gym") if workers > 1 else None
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
        told: list[dict[str, Any]] = [{}] * count

        def one(place: int) -> None:
            observations[place], told[place] = self.environments[place].reset(seed=seeds[place])

        self._each(one)
        self._over[:] = False
        return observations, self._together(told)

    def step(self, actions: Any) -> tuple[Observed, Any, Any, Any, dict[str, Any]]:
        """Steps each: observations, rewards (float64), terminated and truncated (bool), all with one row for each, and infos.

        Raises:
            UsageError: an action that is out of range, or not one for each; what was stepped already stays so.
        """
        count = self.num_envs
        if len(actions) != count:
            raise UsageError(f"{len(actions)} actions for {count} environments", "give one for each")
        observations = np.zeros((count, 5), dtype=np.float32)
        rewards = np.zeros(count)
        terminated, truncated = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        told: list[dict[str, Any]] = [{}] * count

        def one(place: int) -> None:
            environment = self.environments[place]
            if self._over[place]:
                observations[place], told[place] = environment.reset()
                return
            observations[place], rewards[place], terminated[place], truncated[place], told[place] = environment.step(actions[place])

        self._each(one)
        self._over = terminated | truncated
        return observations, rewards, terminated, truncated, self._together(told)

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _each(self, do: Callable[[int], None]) -> None:
        def share(places: range) -> None:
            for place in places:
                do(place)

        others = [self._pool.submit(share, places) for places in self._shares[1:]] if self._pool else []
        try:
            share(self._shares[0])
        finally:
            # Whatever happened here: a simulation is not left to a thread that still steps it.
            errors = [other.exception() for other in others]
        for error in errors:
            if error is not None:
                raise error

    def _together(self, told: list[dict[str, Any]]) -> dict[str, Any]:
        intervals = np.empty(self.num_envs, dtype=object)
        for place, info in enumerate(told):
            intervals[place] = info.get("interval")
        return {"interval": intervals, "_interval": np.ones(self.num_envs, dtype=bool)}
