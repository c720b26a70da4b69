"""What a congestion control of Python is told in a whole network is what one of Rust is told: `crates/ackclock/tests/networks/told.rs`."""

from __future__ import annotations

import math
import re
from typing import Any, ClassVar

import pytest
from conftest import ROOT

import ackclock as ac
from ackclock.mechanisms import AckEvent, LossEvent, LostSegmentEvent, RestartEvent, Window

NETWORKS = ROOT / "crates/ackclock/tests/networks"


class Model(ac.CongestionControl):
    """A pace and a window of the largest rate of delivery and the shortest round trip, without filters. It notes what it is told."""

    name: ClassVar[str] = "model"
    needs: ClassVar[str | tuple[str, ...]] = ("round-trips", "delivery-rates", "pacing")
    told: ClassVar[list[str]] = []

    def __init__(self, draws: ac.mechanisms.Draws) -> None:
        super().__init__(draws)
        self.rate = 0.0
        self.rtt_ps: float = math.inf
        self.rounds, self.round_ends = 0, 0

    def note(self, of: str, event: Any, *names: str) -> None:
        self.told.append(" ".join([of, *(f"{name}={value_of(getattr(event, name))}" for name in names)]))

    def note_loss(self, of: str, loss: LossEvent, window: Window) -> None:
        self.note(of, loss, "mss", "limit", "flight", "sent_again", "kept")
        self.note("    window", window, "cwnd", "ssthresh")

    def on_ack(self, ack: AckEvent, window: Window) -> None:
        self.note("on_ack", ack, "mss", "limit", "acked")
        if ack.now_ps is not None:
            self.note("    measured", ack, "now_ps", "start_ps", "rtt_ps")
            self.note("    measured", ack, "una", "nxt", "window_limited")
        of = ack.delivery
        assert of is not None
        self.note("    delivery", of, "now_ps", "mss", "limit", "rtt_ps")
        self.note("    delivery", of, "delivered", "total", "lost")
        self.note("    delivery", of, "prior_in_flight", "in_flight")
        self.note("    delivery", of, "loss_state", "window_limited")
        self.note("    delivery", of, "rate", "app_limited")
        if of.sample is not None:
            self.note("    sample", of.sample, "prior_delivered", "delivered")
            self.note("    sample", of.sample, "rate", "app_limited")
            self.note("    sample", of.sample, "in_flight", "lost")
            if of.sample.rate is not None:
                self.rate = max(self.rate, of.sample.rate)
                if of.sample.prior_delivered >= self.round_ends:
                    self.round_ends = of.total
                    self.rounds += 1
        if of.rtt_ps is not None:
            self.rtt_ps = min(self.rtt_ps, of.rtt_ps)
        if self.rounds >= 2 and of.loss_state == "open":
            window.cwnd = min(max(2 * self.rate * (self.rtt_ps / 1e12), 4 * ack.mss), ack.limit)
        self.note("    window", window, "cwnd", "ssthresh")

    def on_congestion(self, loss: LossEvent, window: Window) -> None:
        ac.CongestionControl.on_congestion(self, loss, window)
        self.note_loss("on_congestion", loss, window)

    def on_rto(self, loss: LossEvent, window: Window) -> None:
        ac.CongestionControl.on_congestion(self, loss, window)
        window.cwnd = loss.mss
        self.note_loss("on_rto", loss, window)

    def on_handshake(self, now_ps: int, rtt_ps: int, window: Window) -> None:
        self.told.append(f"on_handshake now_ps={now_ps} rtt_ps={rtt_ps}")
        self.note("    window", window, "cwnd", "ssthresh")

    def on_restart(self, restart: RestartEvent) -> None:
        self.note("on_restart", restart, "now_ps", "nxt", "delivered", "window_lowered")

    def on_lost_segment(self, lost: LostSegmentEvent) -> None:
        self.note("on_lost_segment", lost, "now_ps", "mss", "number", "len")
        self.note("    segment", lost, "total", "in_flight_when_sent", "lost_since", "app_limited")

    def pacing_rate(self) -> float | None:
        return 1.25 * self.rate if self.rounds >= 2 else None


def value_of(value: object) -> str:
    """A value as the snapshot of Rust has it."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def modelled(control: type[ac.CongestionControl]) -> ac.Scenario:
    text = (NETWORKS / "told.toml").read_text()
    return ac.Scenario.from_text(text, mechanisms=[control], set={"tcp.congestion_control": control.name})


@pytest.mark.parametrize("engine", ["batched", "reference"])
def test_a_control_of_python_is_told_what_one_of_rust_is_told(engine: str) -> None:
    Model.told.clear()
    ac.run(modelled(Model), seed=1, engine=engine)
    expected = (NETWORKS / "snapshots/networks__told__what_a_control_is_told_in_a_network.snap").read_text().split("---\n", 2)[2]
    lines = expected.rstrip("\n").split("\n")
    assert len(lines) > 500
    for number, (ours, theirs) in enumerate(zip(Model.told, lines, strict=False)):
        assert ours == theirs, f"line {number} of the snapshot"
    assert len(Model.told) == len(lines)


# Structures of Rust with the classes that have their fields, and fields that are structures themselves.
STRUCTURES = [
    ("tcp/cc/mod.rs", "Ack", "AckEvent", {"measured"}),
    ("tcp/cc/mod.rs", "Measured", "AckEvent", set()),
    ("tcp/cc/mod.rs", "Loss", "LossEvent", set()),
    ("tcp/cc/mod.rs", "Delivery", "DeliveryEvent", set()),
    ("tcp/cc/mod.rs", "RateSample", "RateSample", set()),
    ("tcp/cc/mod.rs", "LostSegment", "LostSegmentEvent", set()),
    ("tcp/cc/mod.rs", "Restart", "RestartEvent", set()),
    ("tcp/cc/mod.rs", "Window", "Window", set()),
    ("queue/packet/mod.rs", "PacketArrival", "ArrivalEvent", set()),
]


@pytest.mark.parametrize(("file", "name", "ours", "inner"), STRUCTURES)
def test_an_event_has_every_field_of_its_structure(file: str, name: str, ours: str, inner: set[str]) -> None:
    text = (ROOT / "crates/ackclock/src" / file).read_text()
    body = re.search(rf"^pub struct {name}(?:<'a>)? \{{\n(.*?)^\}}", text, re.MULTILINE | re.DOTALL)
    assert body is not None
    fields = re.findall(r"^    pub (\w+): (.*),$", body[1], re.MULTILINE)
    expected = {field + ("_ps" if re.fullmatch(r"(Option<)?(Time|Span)>?", of) else "") for field, of in fields} - inner
    assert expected and expected <= set(dir(getattr(ac.mechanisms, ours))), (name, expected)


def test_methods_have_the_arguments_of_their_trait() -> None:
    text = (ROOT / "crates/ackclock/src/tcp/cc/mod.rs").read_text()
    trait = re.search(r"^pub trait CongestionControl\b.*?^}", text, re.MULTILINE | re.DOTALL)
    assert trait is not None
    methods = re.findall(r"^    fn (\w+)\((.*?)\)", trait[0], re.MULTILINE)
    assert len(methods) >= 11, methods
    assert len(methods) == len(re.findall(r"\bfn ", trait[0])), "a method is not found"
    for method, arguments in methods:
        theirs = re.findall(r"_?(\w+): &?(?:mut )?(\w+)", arguments)
        code = getattr(ac.CongestionControl, method).__code__
        names = [name + ("_ps" if of in ("Time", "Span") else "") for name, of in theirs]
        assert list(code.co_varnames[1 : code.co_argcount]) == names, method


def test_a_window_that_on_handshake_changes_is_refused() -> None:
    def widened(self: ac.CongestionControl, now_ps: int, rtt_ps: int, window: Window) -> None:
        window.cwnd *= 2

    with pytest.raises(ac.UsageError, match=r"wide\.on_handshake changed the window; it is for reading there"):
        ac.run(modelled(type("Wide", (Model,), {"name": "wide", "on_handshake": widened})))
