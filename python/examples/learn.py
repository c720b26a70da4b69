"""Learns a congestion control, and compares it with Reno: `python learn.py` takes less than two minutes on two cores.

The path has 20 Mb/s, 100 ms and losses of 0.3 %, which Reno takes for congestion. The agent sees the five numbers of
`ackclock.gym.Environment` once in 100 ms, and its policy is linear in them: six weights, whose weighted sum, squeezed into -1 to 1, says by
how much the window is multiplied. The cross-entropy method finds them: draw weights from a normal distribution, run an episode with each,
fit the distribution to the best, and again (de Boer, Kroese, Mannor, Rubinstein, A Tutorial on the Cross-Entropy Method, Annals of
Operations Research 134, 2005, §4). Seeds of the comparison are none of those it learned from.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import ackclock as ac
from ackclock.gym import Environment, VectorEnvironment

POPULATION, BEST, ROUNDS, EPISODES = 24, 6, 12, 2
HELD_OUT = range(1001, 1011)


def path(duration: str) -> ac.Scenario:
    """One flow over 20 Mb/s, 100 ms, a buffer of half a bandwidth-delay product, and a link that loses 0.3 % of the data."""
    fast = {"rate": "1 Gbps", "delay": "1 ms"}
    return ac.Scenario.build(
        scenario_name="lossy",
        duration=duration,
        network={"technology": "packet", "topology": "graph"},
        node={"s": {"kind": "host"}, "near": {"kind": "switch"}, "far": {"kind": "switch"}, "d": {"kind": "host"}},
        link={
            "access": {"ends": ["s", "near"], **fast},
            "middle": {
                "ends": ["near", "far"],
                "rate": "20 Mbps",
                "delay": "48 ms",
                "errors": {"model": "uniform", "rate": 0.003, "direction": "near->far"},
            },
            "exit": {"ends": ["far", "d"], **fast},
        },
        queue={"buffer": "0.5 bdp"},
        tcp={"dialect": "standard"},
        flow={"f": {"from": "s", "to": "d"}},
    )


def actions(weights: Any, observations: Any) -> Any:
    """What each policy does: a row of six weights, and of five observations, for each."""
    return np.tanh((weights[:, :5] * observations).sum(axis=1) + weights[:, 5])[:, None].astype(np.float32)


def episodes(environments: VectorEnvironment, weights: Any, seeds: list[int]) -> Any:
    """The mean reward of a step in one episode of each environment under its row of weights."""
    observations, _ = environments.reset(seed=seeds)
    total, steps, going = np.zeros(len(seeds)), np.zeros(len(seeds)), np.ones(len(seeds), dtype=bool)
    while going.any():
        observations, rewards, terminated, truncated, _ = environments.step(actions(weights, observations))
        total += rewards * going
        steps += going
        going &= ~(terminated | truncated)
    return total / steps


def learn(scenario: ac.Scenario, *, tell: bool = False) -> Any:
    """The weights of the policy that was learned."""
    random = np.random.default_rng(1)
    mean, deviation = np.zeros(6), np.ones(6)
    environments = VectorEnvironment(scenario, POPULATION * EPISODES)
    for number in range(ROUNDS):
        drawn = random.normal(mean, deviation, (POPULATION, 6))
        # All candidates of a round meet the same losses.
        seeds = [number * EPISODES + episode + 1 for episode in range(EPISODES)] * POPULATION
        rewards = episodes(environments, drawn.repeat(EPISODES, axis=0), seeds).reshape(POPULATION, EPISODES).mean(axis=1)
        best = drawn[np.argsort(rewards)[-BEST:]]
        # A little more than they deviate: otherwise it settles before it has looked around.
        mean, deviation = best.mean(axis=0), best.std(axis=0) + 0.5 / (number + 2)
        if tell:
            print(f"round {number + 1:2}: reward {rewards.mean():6.3f}, best {rewards.max():6.3f}")
    environments.close()
    return mean


def goodput(scenario: ac.Scenario, weights: Any, seed: int) -> tuple[float, float]:
    """Goodput in Mb/s and mean smoothed round trip in ms of an episode under the policy."""
    environment = Environment(scenario)
    observation, _ = environment.reset(seed=seed)
    over, round_trips = False, []
    while not over:
        observation, _, terminated, truncated, info = environment.step(actions(weights[None], observation[None])[0])
        round_trips.append(info["interval"].srtt_s)
        over = terminated or truncated
    return environment.result().flows["goodput_bps"][0] / 1e6, 1e3 * float(np.mean(round_trips))


def main() -> None:
    """Learns, and prints the goodput of Reno, CUBIC, BBR and the agent on seeds that were not learned from."""
    began = time.perf_counter()
    weights = learn(path("20 s"), tell=True)
    print(f"learned in {time.perf_counter() - began:.0f} s: weights {np.array2string(weights, precision=2)}")
    scenario = path("60 s")
    for control in ("reno", "cubic", "bbr3"):
        result = ac.run(scenario, seed=HELD_OUT[0], seeds=len(HELD_OUT), set={"tcp.congestion_control": control}, delays=True)
        told(control, np.array(result.flows["goodput_bps"]) / 1e6, np.array(result.flows["mean_round_trip_s"]) * 1e3)
    runs = np.array([goodput(scenario, weights, seed) for seed in HELD_OUT])
    told("agent", runs[:, 0], runs[:, 1])


def told(name: str, goodputs: Any, round_trips: Any) -> None:
    """Prints the mean goodput with its 95 % confidence interval (Student's t of ten runs), and the mean round trip."""
    half = 2.262 * goodputs.std(ddof=1) / len(goodputs) ** 0.5
    print(f"{name:6} {goodputs.mean():6.2f} Mb/s ± {half:.2f}, round trip {round_trips.mean():.0f} ms")


if __name__ == "__main__":
    main()
