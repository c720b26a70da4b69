"""Simulations that are stepped through."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from conftest import ROOT

import ackclock as ac


def test_a_run_that_is_paused_and_observed_is_that_of_run(two_flows: ac.Scenario) -> None:
    for engine in ("batched", "reference"):
        sim = two_flows.start(3, engine=engine)
        while not sim.finished:
            sim.step(0.05)
            assert sim.flow("f1").time_s == sim.now_s
        assert sim.result().fingerprints == ac.run(two_flows, seed=3).fingerprints


def test_a_held_window_and_rate_hold(two_flows: ac.Scenario) -> None:
    sim = two_flows.start()
    sim.step("1 s")
    earlier = sim.flow("f1")
    segment = earlier.segment_bytes
    sim.hold_window("f1", 4 * segment)
    sim.hold_window("f2", 30 * segment)
    sim.run_until("3 s")
    later = sim.flow("f1")
    assert later.cwnd == 4 * segment and later.in_flight <= 4 * segment
    # Four segments in each round trip.
    rate = later.delivery_rate_bps(earlier)
    assert rate is not None and later.srtt_s is not None and rate < 1.5 * 4 * segment * 8 / 0.04
    sim.hold_window("f1", None)
    sim.hold_pacing_rate("f1", "1 Mbps")
    before = sim.flow("f1")
    sim.run_to_end()
    assert sim.flow("f1").delivery_rate_bps(before) == pytest.approx(1e6, rel=0.1)


def test_what_makes_no_sense_is_refused(two_flows: ac.Scenario) -> None:
    sim = two_flows.start()
    for call, said in [
        (lambda: sim.step("1 parsec"), "expected a time"),
        (lambda: sim.step(-1), "a step of -1 s"),
        (lambda: sim.step(float("nan")), "a step of NaN s"),
        (lambda: sim.flow("f3"), "there are f1, f2"),
        (lambda: sim.hold_window("f1", 3), "hold a segment"),
        (lambda: sim.hold_window("f1", float("inf")), "a window of inf bytes"),
        (lambda: sim.hold_pacing_rate("f1", 0), "a rate of 0 bit/s"),
        (lambda: sim.hold_pacing_rate("f1", "2 s"), "expected a rate"),
    ]:
        with pytest.raises(ac.UsageError, match=said):
            call()
    sim.run_to_end()
    with pytest.raises(ac.UsageError, match="the run is over"):
        sim.hold_window("f1", 3000)
    sim.result()
    with pytest.raises(ac.UsageError, match="has ended"):
        sim.step(1)


def test_two_threads_do_not_step_one_simulation(two_flows: ac.Scenario) -> None:
    sim = two_flows.set(duration="400 s").start()
    thread = threading.Thread(target=sim.run_to_end)
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            sim.flow("f1")
        except ac.UsageError as error:
            assert "another thread steps" in str(error)
            refused += 1
    thread.join()
    assert refused > 0 and sim.finished


def test_an_external_window_is_what_it_is_held_at() -> None:
    scenario = ac.Scenario(ROOT / "scenarios" / "external.toml")
    sim = scenario.start()
    sim.step("5 s")
    segment = sim.flow("f1").segment_bytes
    assert sim.flow("f1").cwnd == 10 * segment
    # A tenth of what the path holds waits. Much more would come to the buffer at once.
    path = 10e6 * 0.098 / 8
    sim.hold_window("f1", 1.1 * path)
    before = sim.flow("f1")
    sim.run_to_end()
    after = sim.flow("f1")
    rate = after.delivery_rate_bps(before)
    assert after.retransmissions == 0 and rate is not None and rate > 9.4e6
    assert after.srtt_s is not None and 0.103 < after.srtt_s < 0.12
    alone = ac.run(scenario)
    assert alone.flows["goodput_bps"][0] == pytest.approx(10 * segment * 8 / 0.1, rel=0.03)


def test_what_was_not_simulated_is_not_said_to_be(two_flows: ac.Scenario, tmp_path: Path) -> None:
    sim = two_flows.start()
    sim.step("1 s")
    result = sim.result()
    assert not result.complete and result.simulated_s == [1.0] and "1 s were simulated" in str(result)
    with pytest.raises(ac.UsageError, match="ended before its end"):
        result.save(tmp_path / "x")
    held = two_flows.start()
    held.hold_window("f1", 20_000)
    held.run_to_end()
    with pytest.raises(ac.UsageError, match="were held from outside"):
        held.result().save(tmp_path / "x")
    whole = two_flows.start()
    whole.run_to_end()
    assert whole.result().save(tmp_path / "x").exists()


def test_observations_are_compared_with_earlier_ones_of_the_same_flow(two_flows: ac.Scenario) -> None:
    sim = two_flows.start()
    sim.step("1 s")
    early, other = sim.flow("f1"), sim.flow("f2")
    sim.step("1 s")
    late = sim.flow("f1")
    assert late.delivery_rate_bps(early) is not None and late.loss(early) is not None and late.flow == "f1"
    for call in (lambda: early.delivery_rate_bps(late), lambda: early.loss(late), lambda: late.loss(other)):
        with pytest.raises(ac.UsageError):
            call()
