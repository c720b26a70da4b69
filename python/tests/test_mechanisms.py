"""Mechanisms written in Python. Vegas-A of the manual is in test_manual.py."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

import ackclock as ac


class MyReno(ac.CongestionControl):
    """Reno: RFC 5681 section 3.1."""

    name: ClassVar[str] = "my-reno"

    def on_ack(self, ack: ac.mechanisms.AckEvent, window: ac.mechanisms.Window) -> None:
        pass


def with_control(control: type[ac.CongestionControl]) -> ac.Scenario:
    return ac.Scenario.from_text(ac.examples.two_flows().to_toml(), mechanisms=[control], set={"tcp.congestion_control": control.name})


class Limit(ac.PacketPolicy):
    """At most eight packets wait."""

    name: ClassVar[str] = "limit"

    def on_enqueue(self, arrival: ac.mechanisms.ArrivalEvent) -> bool:
        return arrival.queued < 8


def test_a_drop_policy_of_python_is_tail_drop_with_its_limit() -> None:
    scenario = ac.examples.two_flows()
    tail = ac.run(scenario.set({"queue.buffer": "8 packets"}), seeds=2)
    text = scenario.set({"queue.buffer": "20 packets"}).to_toml()
    ours = ac.run(ac.Scenario.from_text(text, mechanisms=[Limit], set={"queue.policy": "limit"}), seeds=2)
    # The reasons of losses differ, and with them the hashes of the ports.
    assert ours.flows.to_dict() == tail.flows.to_dict()
    assert sum(ours.ports["drops"]) == sum(tail.ports["drops"]) > 0


def test_both_engines_ask_alike() -> None:
    scenario = with_control(MyReno)
    assert ac.run(scenario).fingerprints == ac.run(scenario, engine="reference").fingerprints


def test_the_version_is_in_the_scenario() -> None:
    assert 'congestion_control = "my-reno@1"' in with_control(MyReno).to_toml()
    newer = type("Newer", (MyReno,), {"version": "2"})
    assert with_control(newer) != with_control(MyReno)


class Raises(MyReno):
    name: ClassVar[str] = "raises"

    def on_ack(self, ack: ac.mechanisms.AckEvent, window: ac.mechanisms.Window) -> None:
        raise ZeroDivisionError("in a congestion control")


class Nonsense(MyReno):
    name: ClassVar[str] = "nonsense"

    def on_ack(self, ack: ac.mechanisms.AckEvent, window: ac.mechanisms.Window) -> None:
        window.cwnd = float("nan")


class Text(MyReno):
    name: ClassVar[str] = "text"

    def on_ack(self, ack: ac.mechanisms.AckEvent, window: ac.mechanisms.Window) -> None:
        window.cwnd = "large"  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("control", "error", "said"),
    [
        (Raises, ZeroDivisionError, "in a congestion control"),
        (Nonsense, ac.UsageError, "nonsense.on_ack left a window"),
        (Text, TypeError, "real number"),
    ],
)
def test_what_a_class_does_wrong_is_raised(control: type[ac.CongestionControl], error: type[Exception], said: str, tmp_path: Path) -> None:
    scenario = with_control(control)
    with pytest.raises(error, match=said):
        ac.run(scenario)
    with pytest.raises(error, match=said):
        scenario.start().step("1 s")
    with pytest.raises(error, match=said):
        ac.sweep(scenario, seeds=2, out=tmp_path / "sweep")
    assert (tmp_path / "sweep" / "runs.jsonl").read_text().count("numbers") == 0
    # The scenario is as it was.
    with pytest.raises(error, match=said):
        ac.run(scenario)


class Unsure(ac.PacketPolicy):
    name: ClassVar[str] = "unsure"

    def on_enqueue(self, arrival: ac.mechanisms.ArrivalEvent) -> bool:
        return None  # type: ignore[return-value]


def test_an_answer_that_is_none_is_refused() -> None:
    text = ac.examples.two_flows().to_toml()
    with pytest.raises(ac.UsageError, match=r"unsure.on_enqueue returned None; return True to accept"):
        ac.run(ac.Scenario.from_text(text, mechanisms=[Unsure], set={"queue.policy": "unsure"}))


def test_wrong_classes_are_refused() -> None:
    text = ac.examples.two_flows().to_toml()
    taken = type("Taken", (MyReno,), {"name": "cubic"})
    for wrong, said in [(int, "is no mechanism"), (MyReno(None), "is no mechanism"), (taken, "choose another name, as my-cubic")]:  # type: ignore[arg-type]
        with pytest.raises(ac.UsageError, match=said):
            ac.Scenario.from_text(text, mechanisms=[wrong])  # type: ignore[list-item]
    needs = type("Needs", (MyReno,), {"needs": "luck"})
    with pytest.raises(ac.UsageError, match="round-trips"):
        with_control(needs)


class Interrupts(MyReno):
    name: ClassVar[str] = "interrupts"

    def on_ack(self, ack: ac.mechanisms.AckEvent, window: ac.mechanisms.Window) -> None:
        raise KeyboardInterrupt


def test_an_interrupt_within_a_class_finishes_no_run() -> None:
    with pytest.raises(KeyboardInterrupt) as raised:
        ac.run(with_control(Interrupts))
    assert not isinstance(raised.value, ac.Interrupted)
