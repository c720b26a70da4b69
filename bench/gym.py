"""Steps of `ackclock.gym` in a second of processor time, as docs/how-to/learn.md has them: python3 bench/gym.py.

The path is that of the page without losses: 20 Mb/s, 100 ms, one flow whose window is held, monitor intervals of 100 ms. `--against FILE` measures
another gym.py by turns, and compares what both observe to the bit.
"""

import argparse
import importlib.util
import statistics
import sys
import time

import ackclock as ac
import numpy as np

PATH = """
duration = "100000 s"
network = { technology = "packet", topology = "dumbbell", sources = 1, access_rate = "1 Gbps", access_delay = "1 ms", \
bottleneck_rate = "20 Mbps", bottleneck_delay = "48 ms" }
queue.buffer = "0.5 bdp"
tcp.dialect = "standard"
"""
FACTORS = [0.001, 1.0, 10.0, 2.0]
# Segments in a window, and how an environment comes to hold so many: a segment, and from there.
SIZES = {10: [0, 2], 160: [0, 2, 3, 3, 3, 3]}


def module(path):
    """The module of environments of a file, or the one that is installed."""
    if path is None:
        import ackclock.gym

        return ackclock.gym
    spec = importlib.util.spec_from_file_location("other_gym", path)
    other = importlib.util.module_from_spec(spec)
    sys.modules["other_gym"] = other
    spec.loader.exec_module(other)
    return other


def held(gym, scenario, places):
    environment = gym.Environment(scenario, factors=FACTORS)
    environment.reset(seed=1)
    for place in places:
        # The most in flight limits what may be held next; the steps after these let it settle.
        environment.step(place)
        environment.step(1)
    # What a window of one segment has let out until then: as many as it may hold later.
    for _ in range(20):
        _, _, _, _, info = environment.step(1)
    return environment, info["interval"]


def microseconds(step, steps):
    """Processor time of a step, of all threads."""
    began = time.process_time()
    for _ in range(steps):
        step()
    return 1e6 * (time.process_time() - began) / steps


def bare(scenario, window):
    """The simulation alone: a run whose window is held, in steps of 100 ms."""
    simulation = scenario.start(1)
    simulation.step(1.0)
    simulation.hold_window("f1", window)
    simulation.step(2.0)
    core = simulation._core
    return lambda: core.step_s(0.1)


def together(gym, scenario, count, threads):
    environments = gym.VectorEnvironment(scenario, count, threads=threads)
    environments.reset(seed=1)
    actions = np.zeros((count, 1), dtype=np.float32)
    return lambda: environments.step(actions)


def compare(one, other):
    """Whether two modules give the same episodes to the bit: windows and rates, with losses, and episodes that end."""
    scenario = ac.examples.two_flows()
    for how in ({}, {"factors": [0.5, 1.0, 1.3]}, {"control": "rate"}, {"flow": "f2", "interval": 0.25}):
        ours, theirs = one.Environment(scenario, **how), other.Environment(scenario, **how)
        for seed in range(20):
            ours.action_space.seed(seed)
            (first, info), (second, told) = ours.reset(seed=seed), theirs.reset(seed=seed)
            over = False
            while True:
                if first.tobytes() != second.tobytes() or tuple(info["interval"]) != tuple(told["interval"]):
                    raise SystemExit(f"{how}, seed {seed}: {info} and {told}")
                if over:
                    break
                action = ours.action_space.sample()
                first, reward, *ends, info = ours.step(action)
                second, rewarded, *ended, told = theirs.step(action)
                if reward != rewarded or ends != ended:
                    raise SystemExit(f"{how}, seed {seed}: {reward}, {ends} and {rewarded}, {ended}")
                over = any(ends)
    print("equal to the bit: 80 episodes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--against", help="another gym.py")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, default=20_000)
    arguments = parser.parse_args()
    modules = {"Environment": module(None)}
    if arguments.against:
        modules["the other's Environment"] = module(arguments.against)
        compare(*modules.values())
    scenario = ac.Scenario.from_text(PATH)
    for places in SIZES.values():
        measured, steps = {}, {}
        for name, gym in modules.items():
            environment, interval = held(gym, scenario, places)
            segments = round(interval.delivery_rate_bps * interval.duration_s / 8 / interval.segment_bytes)
            steps[name] = lambda environment=environment: environment.step(1)
        steps["simulation alone"] = bare(scenario, interval.window_bytes)
        if places == SIZES[10]:
            # Their windows are the first ones, of ten segments.
            for name, gym in modules.items():
                steps[name.replace("Environment", "VectorEnvironment of 32, each")] = together(gym, scenario.set({"duration": "9000 s"}), 32, 1)
        count = max(1000, arguments.steps * 10 // max(10, segments))
        # By turns: what else the machine does is the same for all.
        for _ in range(arguments.rounds):
            for name, step in steps.items():
                each = 32 if "32" in name else 1
                measured.setdefault(name, []).append(microseconds(step, count // each) / each)
        print(f"{segments} segments in a step")
        for name, took in measured.items():
            took = statistics.median(took)
            print(f"    {name:50} {took:7.2f} us {1e6 / took:10,.0f} steps a second")


if __name__ == "__main__":
    main()
