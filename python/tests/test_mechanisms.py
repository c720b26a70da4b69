"""Mechanisms written in Python. Vegas-A of the manual is in test_manual.py."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, ClassVar

import pytest
from conftest import ROOT

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


class Halves(ac.CongestionControl):
    """Reno that counts the bytes that are acknowledged: RFC 5681 section 3.1. Marks are losses."""

    name: ClassVar[str] = "halves"
    abe: ClassVar[float | None] = 0.8

    def __init__(self, draws: ac.mechanisms.Draws) -> None:
        super().__init__(draws)
        self.counted = 0.0

    def on_ack(self, ack: ac.mechanisms.AckEvent, window: ac.mechanisms.Window) -> None:
        grown = window.cwnd + (min(ack.acked, ack.mss) if window.cwnd < window.ssthresh else self.growth(ack, window.cwnd))
        window.cwnd = min(grown, ack.limit)

    def growth(self, ack: ac.mechanisms.AckEvent, cwnd: float) -> float:
        self.counted += ack.acked
        if self.counted < cwnd:
            return 0.0
        self.counted -= cwnd
        return ack.mss

    def on_congestion(self, loss: ac.mechanisms.LossEvent, window: ac.mechanisms.Window) -> None:
        super().on_congestion(loss, window)
        self.counted = 0.0


class Marked(Halves):
    """The same, with the answer to a mark written out."""

    name: ClassVar[str] = "marked"
    told: ClassVar[set[float | None]] = set()

    def on_mark(self, mark: ac.mechanisms.LossEvent, window: ac.mechanisms.Window) -> bool:
        self.told.add(mark.kept)
        used = min(window.cwnd, mark.limit, mark.flight)
        window.ssthresh = max(math.floor(used * (mark.kept or 0.5) / mark.mss) * mark.mss, 2 * mark.mss)
        window.cwnd = window.ssthresh if window.ssthresh < used else mark.mss
        self.counted = 0.0
        return True


class Unmoved(Halves):
    """Marks do not concern it."""

    name: ClassVar[str] = "unmoved"

    def on_mark(self, mark: ac.mechanisms.LossEvent, window: ac.mechanisms.Window) -> bool:
        return False


MARKING = {"buffer": "60 packets", "policy": "red", "red": {"ecn": True, "min_threshold": "5 packets", "max_threshold": "30 packets"}}


def over_8_mbps(tcp: dict[str, Any], queue: dict[str, Any], *mechanisms: type) -> ac.Scenario:
    """Two connections over 8 Mb/s and a round trip of 44 ms, with ECN unless `tcp` says otherwise."""
    network = {
        "topology": "dumbbell", "technology": "packet", "sources": 2, "access_rate": "100 Mbps", "access_delay": "1 ms",
        "bottleneck_rate": "8 Mbps", "bottleneck_delay": "20 ms",
    }  # fmt: skip
    common = {"duration": "20 s", "network": network, "traffic": {"start_jitter": "2 s"}, "queue": queue}
    return ac.Scenario.build(**common, tcp={"recovery": "new-reno", "ecn": "classic", **tcp}, mechanisms=list(mechanisms))  # type: ignore[arg-type]


def counts(result: ac.Result, of: str, what: str = "flows") -> int:
    return sum(row[of] for run in result.document["runs"] for row in run[what])


@pytest.mark.parametrize("response", ["loss", "abe"])
@pytest.mark.parametrize("control", [Halves, Marked])
def test_a_reno_of_python_answers_marks_as_that_of_the_simulator(control: type[ac.CongestionControl], response: str) -> None:
    Marked.told.clear()
    tcp = {"ecn_response": response}
    ours = ac.run(over_8_mbps({**tcp, "congestion_control": control.name}, MARKING, control), seeds=2)
    theirs = ac.run(over_8_mbps({**tcp, "congestion_control": "reno"}, MARKING), seeds=2)
    assert ours.fingerprints == theirs.fingerprints
    assert counts(ours, "ecn_reductions") == counts(theirs, "ecn_reductions") > 40
    assert counts(theirs, "retransmissions") > 0 and counts(theirs, "timeouts") > 0
    assert Marked.told == ({None if response == "loss" else 0.8} if control is Marked else set())


def test_a_control_that_marks_do_not_concern() -> None:
    ours = ac.run(over_8_mbps({"congestion_control": "unmoved"}, MARKING, Unmoved))
    assert counts(ours, "marked_segments") > 0 == counts(ours, "ecn_reductions")


def test_a_part_that_a_mark_leaves_is_needed_for_abe_and_is_a_part() -> None:
    without = type("Without", (Halves,), {"name": "without", "abe": None})
    with pytest.raises(ac.ScenarioError, match='"abe" is not defined for `congestion_control` "without"'):
        over_8_mbps({"congestion_control": "without", "ecn_response": "abe"}, MARKING, without)
    for wrong in (0.0, 1.0, float("nan"), "half"):
        with pytest.raises(ac.UsageError, match=r"halves: abe = .*; write the part of the window that a mark leaves"):
            over_8_mbps({}, MARKING, type("Wrong", (Halves,), {"abe": wrong}))


class Undone(Halves):
    """Counts the reductions that were spurious."""

    name: ClassVar[str] = "undone"
    undone: ClassVar[list[float]] = []

    def on_undo(self) -> None:
        self.undone.append(self.counted)


def test_a_control_is_told_of_spurious_reductions() -> None:
    Undone.undone.clear()
    text = (ROOT / "scenarios/paths/jitter.toml").read_text()
    tcp = {"undo": "both", "timestamps": True, "dsack": True, "recovery": "rfc6675", "congestion_control": "undone"}
    changed = {"duration": "10 s", **{f"tcp.{key}": value for key, value in tcp.items()}}
    result = ac.run(ac.Scenario.from_text(text, mechanisms=[Undone], set=changed))
    assert len(Undone.undone) == counts(result, "undone_reductions") > 10


class Rates(Halves):
    """Sees what is lost, and may say that it holds back."""

    name: ClassVar[str] = "rates"
    needs: ClassVar[str | tuple[str, ...]] = "delivery-rates"
    lost: ClassVar[list[ac.mechanisms.LostSegmentEvent]] = []
    limited: ClassVar[list[bool]] = []
    is_modest: ClassVar[bool] = False

    def on_ack(self, ack: ac.mechanisms.AckEvent, window: ac.mechanisms.Window) -> None:
        assert ack.delivery is not None
        self.limited.append(ack.delivery.app_limited)
        if ack.acked:
            super().on_ack(ack, window)

    def on_lost_segment(self, lost: ac.mechanisms.LostSegmentEvent) -> None:
        self.lost.append(lost)

    def holds_back(self) -> bool:
        return self.is_modest


@pytest.mark.parametrize("is_modest", [False, True])
def test_a_control_with_rates_is_told_of_each_lost_segment_and_may_hold_back(is_modest: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rates, "is_modest", is_modest)
    Rates.lost.clear()
    Rates.limited.clear()
    # RACK sends nothing again that it does not know to be lost.
    tcp = {"congestion_control": "rates", "recovery": "rack", "ecn": "off"}
    result = ac.run(over_8_mbps(tcp, {"buffer": "20 packets"}, Rates))
    assert len(Rates.lost) == counts(result, "retransmissions") == sum(result.ports["drops"]) > 50
    assert counts(result, "timeouts") == 0
    first = Rates.lost[0]
    assert first.len == first.mss == first.lost_since and first.in_flight_when_sent > first.mss and first.now_ps > 0 < first.total
    # A greedy source is limited by nothing else.
    assert (sum(Rates.limited) > len(Rates.limited) / 2) if is_modest else not any(Rates.limited)


def test_what_is_never_asked_is_refused() -> None:
    for method in ("on_lost_segment", "holds_back"):
        with pytest.raises(ac.UsageError, match=f"rates: {method} is never asked, as needs = 'nothing' has no delivery-rates"):
            methods = {"needs": "nothing", "on_lost_segment": ac.CongestionControl.on_lost_segment, "holds_back": Halves.holds_back}
            with_control(type("Deaf", (Rates,), {**methods, method: getattr(Rates, method)}))
    with pytest.raises(ac.UsageError, match=r"halves.on_mark returned None; return True if the window is set"):
        forgetful = type("Forgetful", (Halves,), {"on_mark": lambda self, mark, window: None})
        ac.run(over_8_mbps({"congestion_control": "halves"}, MARKING, forgetful))


class Marks(ac.PacketPolicy):
    """Marks a packet in front of which eight wait, or behind which eight wait."""

    name: ClassVar[str] = "marks"
    at_arrival: ClassVar[bool] = True
    told: ClassVar[list[str]] = []

    def on_enqueue(self, arrival: ac.mechanisms.ArrivalEvent) -> ac.mechanisms.Verdict:
        return "mark" if self.at_arrival and arrival.queued >= 8 else True

    def on_dequeue(self, now_ps: int, waited_ps: int, left_bytes: int) -> ac.mechanisms.Verdict:
        return True if self.at_arrival or left_bytes < 8 * 1500 else "mark"

    def on_marked(self) -> None:
        self.told.append("marked")


@pytest.mark.parametrize("at_arrival", [True, False])
def test_a_policy_of_python_marks_and_drops_what_cannot_be_marked(at_arrival: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Marks, "at_arrival", at_arrival)
    queue = {"buffer": "60 packets", "policy": "marks"}
    for engine in ("batched", "reference"):
        Marks.told.clear()
        marked = ac.run(over_8_mbps({}, queue, Marks), engine=engine)
        bottleneck = counts(marked, "marked_packets", "ports")
        assert counts(marked, "ecn_reductions") > 20 and bottleneck > 20
        # Of packets that were marked as they came it knows.
        assert len(Marks.told) == (0 if at_arrival else bottleneck)
        policy = sum(port["drops"]["policy"] for port in marked.document["runs"][0]["ports"])
        dropped = ac.run(over_8_mbps({"ecn": "off"}, queue, Marks), engine=engine)
        assert policy < bottleneck / 10 and counts(dropped, "marked_packets", "ports") == 0
        assert sum(port["drops"]["policy"] for port in dropped.document["runs"][0]["ports"]) > 20


@pytest.mark.parametrize(
    ("base", "file"), [(ac.CongestionControl, "tcp/cc/mod.rs"), (ac.PacketPolicy, "queue/packet/mod.rs")], ids=["control", "policy"]
)
def test_a_class_has_the_methods_of_its_trait(base: type, file: str) -> None:
    text = (ROOT / "crates/ackclock/src" / file).read_text()
    trait = re.search(rf"^pub trait {base.__name__}\b.*?^}}", text, re.MULTILINE | re.DOTALL)
    assert trait is not None
    methods = re.findall(r"^    fn (\w+)\(", trait[0], re.MULTILINE)
    assert len(methods) >= 4 and set(methods) == {name for name, method in vars(base).items() if callable(method)} - {"__init__"}


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
