"""Environments of Gymnasium."""

from __future__ import annotations

import math
import re
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest

import ackclock as ac

# Without gymnasium nothing here can be tried; pytest names the file among what it skipped.
gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed: environments are NOT TESTED")
np = pytest.importorskip("numpy")

from ackclock.gym import OBSERVED, Environment, Interval, Utility, VectorEnvironment  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
OTHERS = {"interval": 0.25, "flow": "f2", "engine": "reference"}
KINDS: list[dict[str, Any]] = [{}, {"factors": [0.5, 1.0, 1.2]}, {"control": "rate"}, OTHERS]


@pytest.fixture
def two_flows() -> ac.Scenario:
    """Two flows of TCP over 10 Mb/s."""
    return ac.examples.two_flows()


def episode(environment: Environment, seed: int | None, actions: Any) -> list[tuple[Any, ...]]:
    observation, info = environment.reset(seed=seed)
    steps: list[tuple[Any, ...]] = [(observation.tobytes(), 0.0, False, False, info["interval"])]
    for action in actions:
        observation, reward, terminated, truncated, info = environment.step(action)
        steps.append((observation.tobytes(), float(reward), terminated, truncated, info["interval"]))
        if terminated or truncated:
            break
    return steps


def drawn(count: int) -> Any:
    return np.random.default_rng(3).uniform(-1, 1, (count, 1)).astype(np.float32)


@pytest.mark.parametrize("how", KINDS)
def test_the_checker_of_gymnasium(two_flows: ac.Scenario, how: dict[str, Any]) -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        check_env(Environment(two_flows, **how), skip_render_check=True)
    assert not warned, [str(one.message) for one in warned]


@pytest.mark.parametrize("how", KINDS)
def test_observations_are_in_their_space_to_the_end(two_flows: ac.Scenario, how: dict[str, Any]) -> None:
    environment = Environment(two_flows, **how)
    environment.action_space.seed(5)
    observation, _ = environment.reset(seed=2)
    over, steps = False, 0
    while not over:
        assert environment.observation_space.contains(observation), dict(zip(OBSERVED, observation, strict=True))
        observation, reward, terminated, over, info = environment.step(environment.action_space.sample())
        steps += 1
        assert np.isfinite(reward) and not terminated
    assert info["interval"].time_s == pytest.approx(5.0)
    assert steps >= 15


def test_a_seed_gives_the_same_episode_to_the_bit(two_flows: ac.Scenario) -> None:
    one, other = Environment(two_flows), Environment(two_flows, engine="reference")
    actions = drawn(100)
    assert episode(one, 7, actions) == episode(one, 7, actions) == episode(other, 7, actions)
    assert episode(one, 7, actions) != episode(one, 8, actions)
    # Without a seed: drawn from the generator that was seeded last.
    episode(one, 7, actions)
    first = episode(one, None, actions)
    episode(one, 7, actions)
    assert episode(one, None, actions) == first != episode(one, None, actions)


def test_the_first_round_trip_is_that_of_the_run(two_flows: ac.Scenario) -> None:
    environment = Environment(two_flows, flow="f1")
    environment.reset(seed=3)
    plain = two_flows.start(3)
    plain.run_until(environment.simulation.now_s)
    assert repr(environment.simulation.flow("f1")) == repr(plain.flow("f1"))


def test_what_is_held_and_what_is_observed(two_flows: ac.Scenario) -> None:
    environment = Environment(two_flows, flow="f1", interval="50 ms", largest_factor=2.0)
    _, info = environment.reset(seed=1)
    began = info["interval"].window_bytes
    before = environment.simulation.flow("f1")
    observation, _, _, _, info = environment.step([1.0])
    seen, interval = environment.simulation.flow("f1"), info["interval"]
    assert interval.window_bytes == 2 * began
    assert environment.simulation.flow("f1").in_recovery or seen.cwnd == 2 * began
    assert interval.delivery_rate_bps == seen.delivery_rate_bps(before)
    assert interval.loss == seen.loss(before) and interval.srtt_s == seen.srtt_s
    assert observation[4] == pytest.approx(np.log2(1 + 2 * began / seen.segment_bytes) / 10)
    assert observation[3] == pytest.approx(seen.in_flight / (2 * began))
    assert observation[1] == pytest.approx(interval.srtt_s / interval.least_srtt_s - 1)
    _, _, _, _, info = environment.step(np.array([-0.5]))
    assert info["interval"].window_bytes == pytest.approx(2 * began / 2**0.5)


@pytest.mark.parametrize("control", ["window", "rate"])
def test_what_is_measured_is_what_the_simulation_says_to_the_bit(two_flows: ac.Scenario, control: Literal["window", "rate"]) -> None:
    """The same episode by the methods of a simulation, in Python."""
    environment = Environment(two_flows, flow="f1", control=control, largest_factor=10.0)
    _, info = environment.reset(seed=4)
    other = two_flows.start(4)
    other.run_until(environment.simulation.now_s)
    before, least, largest = other.flow("f1"), info["interval"].srtt_s, info["interval"].largest_rate_bps
    assert before.srtt_s is not None
    most, held = before.in_flight, before.cwnd if control == "window" else 8 * before.cwnd / before.srtt_s
    if control == "rate":
        other.hold_window("f1", 1 << 30)
    for (action,) in drawn(60):
        observation, reward, _, truncated, info = environment.step([action])
        held *= 10.0 ** float(action)
        segment = before.segment_bytes
        if control == "window":
            held = min(max(held, float(segment)), max(4 * most, 10 * segment))
            other.hold_window("f1", held)
        else:
            held = min(max(held, 8 * segment / least), max(4 * largest, 10 * (8 * segment / least)))
            other.hold_pacing_rate("f1", held)
        other.step(0.1)
        seen = other.flow("f1")
        rate, lost, srtt = seen.delivery_rate_bps(before) or 0.0, seen.loss(before) or 0.0, seen.srtt_s or least
        least, largest, most = min(least, srtt), max(largest, rate), max(most, seen.in_flight)
        window = held if control == "window" else held * least / 8
        duration = seen.time_s - before.time_s
        expected = Interval(
            seen.time_s, duration, rate, largest, srtt, least, min(lost, 1.0), seen.in_flight, window, segment, seen.timeouts
        )  # fmt: skip
        assert info["interval"] == expected and reward == Utility()(expected)
        numbers = (
            rate / largest, min(srtt / least - 1, 10.0), expected.loss, min(seen.in_flight / window, 2.0),
            math.log2(1.0 + window / segment) / 10,
        )  # fmt: skip
        assert observation.tobytes() == np.array(numbers, dtype=np.float32).tobytes()
        before = seen
        if truncated:
            break
    assert seen.retransmissions > 0 or control == "rate"


def test_a_held_rate_is_what_is_delivered(two_flows: ac.Scenario) -> None:
    environment = Environment(two_flows.set({"network.sources": 1}), control="rate", factors=[0.5, 1.0, 2.0])
    _, info = environment.reset(seed=1)
    segment = info["interval"].segment_bytes
    for _ in range(3):
        environment.step(0)
    for _ in range(9):
        _, _, _, _, info = environment.step(1)
    interval = info["interval"]
    held = 8 * interval.window_bytes / interval.least_srtt_s
    assert interval.delivery_rate_bps == pytest.approx(held, abs=8 * 2 * segment / interval.duration_s)
    assert held < 1.5e6
    assert environment.simulation.flow("f1").pacing_rate_bps == pytest.approx(held, rel=1e-3)


def test_the_window_stays_between_a_segment_and_what_can_be_let_out(two_flows: ac.Scenario) -> None:
    environment = Environment(two_flows.set({"duration": "20 s"}), factors=[0.1, 10.0])
    environment.reset(seed=1)
    for _ in range(30):
        _, _, _, _, info = environment.step(0)
    assert info["interval"].window_bytes == info["interval"].segment_bytes
    windows = [environment.step(1)[4]["interval"].window_bytes for _ in range(30)]
    # The buffer and the receiver's window let out some 100 segments.
    assert max(windows) < 1000 * info["interval"].segment_bytes


def test_a_file_that_is_sent_ends_the_episode(two_flows: ac.Scenario) -> None:
    environment = Environment(two_flows.set({"traffic.size": "500 kB"}), flow="f2")
    steps = episode(environment, 1, drawn(100))
    assert steps[-1][2] is True and steps[-1][3] is False
    assert steps[-1][4].time_s < 4.9
    with pytest.raises(ac.UsageError, match=r"the episode is over; call reset\(\)"):
        environment.step([0.0])


def test_rewards(two_flows: ac.Scenario) -> None:
    def lost(interval: Interval) -> float:
        return -interval.loss

    interval = Interval(1.0, 0.1, 4e6, 8e6, 0.2, 0.1, 0.25, 10_000, 20_000.0, 1448, 0)
    assert Utility()(interval) == pytest.approx(2.0 - 0.5 - 0.25)
    assert Utility(delay=2, loss=0)(interval) == pytest.approx(0.0)
    assert Utility(delay=0, loss=0)(interval._replace(delivery_rate_bps=0.0)) == pytest.approx(np.log2(8 * 1448 / 0.1 / 1e6))
    environment = Environment(two_flows, reward=lost)
    environment.reset(seed=1)
    for _ in range(20):
        _, reward, _, _, info = environment.step([1.0])
        assert reward == -info["interval"].loss
    assert environment.simulation.flow("f1").retransmissions > 0


def test_a_scenario_for_each_episode(two_flows: ac.Scenario) -> None:
    def path(random: Any) -> ac.Scenario:
        return two_flows.set({"network.bottleneck_rate": f"{random.integers(2, 50)} Mbps"})

    environment = Environment(path)
    actions = drawn(20)
    assert episode(environment, 4, actions) == episode(environment, 4, actions)
    rates = set()
    for seed in range(5):
        environment.reset(seed=seed)
        rates.add(re.search(r'bottleneck_rate = "(.*)"', environment.simulation.scenario.to_toml())[1])  # type: ignore[index]
    assert len(rates) > 2
    with pytest.raises(ac.UsageError, match="drew a str, which is no scenario"):
        Environment(lambda random: "path.toml").reset()  # type: ignore[arg-type,return-value]


def test_its_result_is_one_of_a_run(two_flows: ac.Scenario) -> None:
    environment = Environment(two_flows.set({"record": ["cwnd"]}), flow="f1")
    episode(environment, 1, np.zeros((100, 1)))
    result = environment.result()
    assert result.seeds == [1] and len(result.series("cwnd", "f1")) > 0
    assert result.flows["goodput_bps"][0] > 1e6


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"flow": "f9"}, "no flow 'f9'; there are f1, f2"),
        ({"interval": 0}, "a monitor interval of 0.0 s; write more than 0"),
        ({"interval": "3 bananas"}, "interval"),
        ({"largest_factor": 1.0}, "largest_factor=1.0 changes nothing; write more than 1"),
        ({"factors": []}, r"factors=\[\] cannot multiply"),
        ({"factors": [1.0, -1.0]}, "cannot multiply a window; give numbers above 0"),
        ({"control": "delay"}, 'is nothing to control; write "window" or "rate"'),
    ],
)
def test_bad_arguments(two_flows: ac.Scenario, how: dict[str, Any], message: str) -> None:
    with pytest.raises(ac.UsageError, match=message):
        Environment(two_flows, **how)


@pytest.mark.parametrize("action", [[1.01], [-2.0], [float("nan")], [0.1, 0.2], 0.5, None, "up", []])
def test_actions_out_of_range_are_refused_and_nothing_is_lost(two_flows: ac.Scenario, action: Any) -> None:
    environment = Environment(two_flows)
    environment.reset(seed=1)
    now = environment.simulation.now_s
    with pytest.raises(ac.UsageError, match="out of range; give one number of -1 to 1"):
        environment.step(action)
    assert environment.simulation.now_s == now
    environment.step([1.0])


@pytest.mark.parametrize("action", [3, -1, 0.5, [0], None])
def test_places_out_of_range_are_refused(two_flows: ac.Scenario, action: Any) -> None:
    environment = Environment(two_flows, factors=[0.5, 1.0, 2.0])
    environment.reset(seed=1)
    with pytest.raises(ac.UsageError, match="no place of a factor; write a whole number, 0 to 2"):
        environment.step(action)


def test_a_flow_that_never_begins_is_named(two_flows: ac.Scenario) -> None:
    with pytest.raises(ac.UsageError, match="flow f1 measures no round trip before the end"):
        Environment(two_flows.set({"duration": "20 ms", "traffic.start_jitter": "0 s"})).reset(seed=1)
    with pytest.raises(ac.UsageError, match=r"no run yet; call reset\(\)"):
        _ = Environment(two_flows).simulation


@pytest.mark.parametrize("threads", [1, 3])
def test_a_vector_is_its_environments(two_flows: ac.Scenario, threads: int) -> None:
    count, steps = 5, 60
    vector = VectorEnvironment(two_flows, count, threads=threads, interval="100 ms")
    observations, infos = vector.reset(seed=11)
    assert observations.shape == (count, 5) and observations.dtype == np.float32
    assert vector.observation_space.contains(observations) and infos["_interval"].all()
    actions = np.random.default_rng(1).uniform(-1, 1, (steps, count, 1)).astype(np.float32)
    single = [Environment(two_flows, interval="100 ms") for _ in range(count)]
    expected = np.array([one.reset(seed=11 + place)[0] for place, one in enumerate(single)])
    over = np.zeros(count, dtype=bool)
    assert (observations == expected).all()
    ended = 0
    for row in actions:
        observations, rewards, terminated, truncated, infos = vector.step(row)
        for place, one in enumerate(single):
            if over[place]:
                # The step after the end begins the next episode.
                observation, _ = one.reset()
                assert rewards[place] == 0 and not terminated[place] and not truncated[place]
            else:
                observation, reward, _, end, info = one.step(row[place])
                assert (rewards[place], truncated[place], infos["interval"][place]) == (reward, end, info["interval"])
            assert (observations[place] == observation).all()
        over = terminated | truncated
        ended += over.sum()
    assert ended >= count
    vector.close()


def test_a_vector_says_what_is_wrong(two_flows: ac.Scenario) -> None:
    vector = VectorEnvironment(two_flows, 4, threads=2, factors=[0.5, 2.0])
    with pytest.raises(ac.UsageError, match="2 seeds for 4 environments; give one for each"):
        vector.reset(seed=[1, 2])
    vector.reset(seed=[1, 2, 3, 4])
    with pytest.raises(ac.UsageError, match="3 actions for 4 environments"):
        vector.step(np.zeros(3, dtype=int))
    with pytest.raises(ac.UsageError, match="no place of a factor"):
        vector.step(np.array([0, 0, 0, 7]))
    vector.reset(seed=5)
    vector.step(vector.action_space.sample())
    # A refused action steps none of them.
    before = [environment.simulation.now_s for environment in vector.environments]
    with pytest.raises(ac.UsageError, match="no place of a factor"):
        vector.step(np.array([0, 0, 0, 7]))
    assert [environment.simulation.now_s for environment in vector.environments] == before
    vector.close()
    with pytest.raises(ac.UsageError, match="count=0 is no number of environments"):
        VectorEnvironment(two_flows, 0)


class Failing(ac.CongestionControl):
    """Fails once its random bits are among those that fail."""

    name: ClassVar[str] = "failing"
    made: ClassVar[list[int]] = []
    failing: ClassVar[set[int]] = set()

    def __init__(self, draws: ac.mechanisms.Draws) -> None:
        super().__init__(draws)
        self.bits = draws.bits(0)
        self.made.append(self.bits)

    def on_ack(self, ack: ac.mechanisms.AckEvent, window: ac.mechanisms.Window) -> None:
        if self.bits in self.failing:
            # The other thread is in the middle of a step then.
            time.sleep(0.002)
            raise ArithmeticError("no more")
        window.cwnd += ack.mss * ack.mss / window.cwnd


def test_a_mechanism_that_fails_ends_the_episode_of_its_environment_and_no_other(two_flows: ac.Scenario) -> None:
    changed = {"tcp.congestion_control": "failing", "duration": "60 s"}
    scenario = ac.Scenario.from_text(two_flows.to_toml(), mechanisms=[Failing], set=changed)
    Failing.made.clear()
    actions = np.zeros((6, 1), dtype=np.float32)
    alone = [episode(Environment(scenario, interval="5 s"), seed, actions[:4]) for seed in range(1, 7)]
    # Those of the two flows of each seed are made once, seed by seed; one that is asked what it begins with is made for every flow.
    made = [bits for bits in Failing.made if Failing.made.count(bits) == 1]
    assert len(made) == 12
    fails = set(made[6:8])
    environments = VectorEnvironment(scenario, 6, threads=2, interval="5 s")
    environments.reset(seed=1)
    # From the second step on it is known that threads pay.
    for _ in range(2):
        environments.step(actions)
    Failing.failing = fails
    try:
        with pytest.raises(ArithmeticError, match="no more") as raised:
            environments.step(actions)
    finally:
        Failing.failing = set()
    for place, one in enumerate(environments.environments):
        if place == 3:
            with pytest.raises(ac.UsageError, match=r"the episode is over; call reset\(\)"):
                one.step(actions[0])
        else:
            assert one.step(actions[0])[0].tobytes() == alone[place][4][0], f"environment {place}"
    assert raised.value.__notes__ == ["in environment 3"]


INTERRUPTED = """
import ackclock as ac
from ackclock.gym import Environment, VectorEnvironment
flows = ac.examples.two_flows().set({"duration": "100000 s"})
late = flows.set({"flow.f1.start": "90000 s", "flow.f2.start": "0 s"})
environment = {
    "step": lambda: Environment(flows, interval="50000 s"),
    "vector": lambda: VectorEnvironment(flows, 2, interval="50000 s"),
    "reset": lambda: Environment(late),
}["WHAT"]()
if "WHAT" != "reset":
    environment.reset(seed=1)
print("begins", flush=True)
try:
    environment.reset(seed=1) if "WHAT" == "reset" else environment.step(environment.action_space.sample())
except KeyboardInterrupt:
    print("interrupted", flush=True)
if "WHAT" == "step":
    try:
        environment.step(environment.action_space.sample())
    except ac.UsageError as error:
        print(error)
"""


@pytest.mark.parametrize("what", ["step", "vector", "reset"])
def test_ctrl_c_is_obeyed_and_ends_the_episode(what: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED.replace("WHAT", what)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "begins\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert said.startswith("interrupted\n"), said
    if what == "step":
        assert "reset()" in said, "a part of an interval is no step: the episode is over"


def test_many_steps_a_second(two_flows: ac.Scenario) -> None:
    environment = Environment(two_flows.set({"duration": "1000 s", "network.sources": 1, "network.bottleneck_rate": "2 Mbps"}))
    environment.reset(seed=1)
    action = np.zeros(1, dtype=np.float32)
    best = 0.0
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(500):
            environment.step(action)
        best = max(best, 500 / (time.perf_counter() - began))
    # Some 50,000 on an idle core; a hundred times what takes 5 ms a step even on a busy one.
    assert best > 5_000, best


def test_a_missing_gymnasium_is_named_with_the_extra() -> None:
    script = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "import ackclock as ac\n"
        "try: import ackclock.gym\n"
        "except ac.UsageError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "the package gymnasium is not installed, or is too old; pip install 'ackclock[gym]'"


def test_the_example_learns_to_beat_reno() -> None:
    began = time.perf_counter()
    done = subprocess.run([sys.executable, ROOT / "python" / "examples" / "learn.py"], capture_output=True, text=True, check=True)
    print(done.stdout)
    goodputs = {name: float(value) for name, value in re.findall(r"^(\w+) +([\d.]+) Mb/s", done.stdout, re.MULTILINE)}
    assert goodputs["agent"] > 2 * goodputs["reno"], done.stdout
    assert time.perf_counter() - began < 120
