"""Congestion controls and drop policies of packets written in Python.

A class is given to a scenario, which then names it like one of the simulator:

>>> import ackclock as ac
>>> class Fixed(ac.CongestionControl):
...     name = "fixed"
...     def on_ack(self, ack, window):
...         window.cwnd = 10 * ack.mss
>>> scenario = ac.Scenario.from_text(ac.examples.two_flows().to_toml(), mechanisms=[Fixed], set={"tcp.congestion_control": "fixed"})
>>> result = ac.run(scenario, record="cwnd")
>>> result.series("cwnd", "f1")["cwnd_bytes"][-1] / 1448
10.0

They are asked for each acknowledgement or packet, which takes some twenty times as long as a mechanism of the simulator does: write
what proves itself in Rust (CONTRIBUTING.md). The results are repeatable to the bit like all others, as long as a class does not look at a
clock or at random numbers other than its own.
"""

from __future__ import annotations

import math
from typing import ClassVar, Literal, TypeAlias

from ackclock._core import (
    AckEvent,
    ArrivalEvent,
    DeliveryEvent,
    Draws,
    LossEvent,
    LostSegmentEvent,
    RateSample,
    RestartEvent,
    Window,
)

__all__ = [
    "AckEvent",
    "ArrivalEvent",
    "CongestionControl",
    "DeliveryEvent",
    "Draws",
    "LossEvent",
    "LostSegmentEvent",
    "PacketPolicy",
    "RateSample",
    "RestartEvent",
    "Verdict",
    "Window",
]

Verdict: TypeAlias = bool | Literal["mark"]
"""What a policy says of a packet: True, it is accepted; False, it is dropped; "mark", it is marked (RFC 3168 section 5) if its connection
has ECN, and else dropped."""


class CongestionControl:
    """Decides the size of the window of a connection: there is an object of the class for each. A window is in bytes; times are whole
    picoseconds. The methods are those of the trait CongestionControl of the simulator.

    >>> import ackclock as ac
    >>> class Halving(ac.CongestionControl):
    ...     '''One segment in a window, and half of it after a loss.'''
    ...     name = "halving"
    ...     def on_ack(self, ack, window):
    ...         window.cwnd = min(window.cwnd + ack.mss * ack.acked / window.cwnd, ack.limit)
    >>> text = ac.examples.two_flows().to_toml()
    >>> ours = ac.Scenario.from_text(text, mechanisms=[Halving], set={"tcp.congestion_control": "halving"})
    >>> sum(ac.run(ours).flows["goodput_bps"]) > 8e6
    True
    """

    name: ClassVar[str]
    """What scenarios call it: lower-case letters, digits and "-"."""
    version: ClassVar[str] = "1"
    """Has to change with the code: a run that is kept is known by it."""
    needs: ClassVar[str | tuple[str, ...]] = "nothing"
    """"nothing", or one or several of these: "round-trips" of each segment, which `on_ack` then gets; "delivery-rates", with which it gets
    `ack.delivery`, with a recovery that has SACK; "pacing", with which segments leave at `pacing_rate`."""

    abe: ClassVar[float | None] = None
    """The part of the window that a mark leaves with `ecn_response = "abe"` (RFC 8511), more than 0 and less than 1; None: scenarios with
    that are refused."""

    def __init__(self, draws: Draws) -> None:
        """Begins for a connection. `draws` are random numbers of its own."""
        self.draws = draws

    def on_ack(self, ack: AckEvent, window: Window) -> None:
        """New data was acknowledged outside recovery: grow. With "delivery-rates" it is called for each acknowledgement, after recovery
        has seen it: whatever that made of the window, this decides."""

    def on_congestion(self, loss: LossEvent, window: Window) -> None:
        """A loss was found by acknowledgements: set ssthresh, once per recovery; cwnd is recovery's. Without a rule of its own: half of
        what is used, or what a mark leaves of it, in whole segments, at least two (RFC 5681 section 3.1)."""
        left = _used(loss, window) * (0.5 if loss.kept is None else loss.kept)
        window.ssthresh = max(math.floor(left / loss.mss) * loss.mss, 2 * loss.mss)

    def on_mark(self, mark: LossEvent, window: Window) -> bool:
        """A mark is echoed (ECN): set ssthresh and cwnd, once in a window of data; nothing is lost. Returns whether they are set: a
        congestion control that marks do not concern returns False. Without a rule of its own, a mark is a loss of which nothing is sent
        again (RFC 3168 section 5): ssthresh as after a loss, and a window of that; a window that it does not lower is one segment."""
        used = _used(mark, window)
        self.on_congestion(mark, window)
        window.cwnd = window.ssthresh if window.ssthresh < used else mark.mss
        return True

    def on_rto(self, loss: LossEvent, window: Window) -> None:
        """The retransmission timer expired: set ssthresh and cwnd. Without a rule of its own: ssthresh as after any loss, and one
        segment."""
        self.on_congestion(loss, window)
        window.cwnd = loss.mss

    def on_repeated_rto(self, loss: LossEvent, window: Window) -> None:
        """It expired again for the same segment, where that leaves ssthresh."""
        window.cwnd = loss.mss

    def on_undo(self) -> None:
        """The last reduction was spurious; the window is what it was before it. What this object knew then it is to know again."""

    def on_handshake(self, now_ps: int, rtt_ps: int, window: Window) -> None:
        """The connection was opened by a handshake, whose round trip this was; nothing is sent yet. Times in picoseconds. The window is
        that at the start, for reading: to change it here is an error."""

    def on_restart(self, restart: RestartEvent) -> None:
        """The application writes after a time in which it had nothing to send and nothing was outstanding."""

    def on_lost_segment(self, lost: LostSegmentEvent) -> None:
        """With needs = "delivery-rates": a segment is found to be lost. At once at a timeout, else before `on_ack`."""

    def pacing_rate(self) -> float | None:
        """With needs = "pacing": bytes per second at which segments may leave; None: as the window allows."""
        return None

    def holds_back(self) -> bool:
        """With needs = "delivery-rates": whether it sends less than the path can take, so that rates of delivery say nothing about the
        path. Asked after each `on_ack`."""
        return False


class PacketPolicy:
    """Decides which packets enter a queue of a packet network, and which of those that waited are transmitted. There is an object of the
    class for each port. Times are whole picoseconds. The methods are those of the trait PacketPolicy of the simulator.

    >>> import ackclock as ac
    >>> class Patient(ac.PacketPolicy):
    ...     '''Accepts what waits no longer than 10 ms.'''
    ...     name = "patient"
    ...     def on_dequeue(self, now_ps, waited_ps, left_bytes):
    ...         return waited_ps < 10_000_000_000
    >>> ours = ac.Scenario.from_text(ac.examples.two_flows().to_toml(), mechanisms=[Patient], set={"queue.policy": "patient"})
    >>> sum(ac.run(ours).flows["retransmissions"]) > 0
    True
    """

    name: ClassVar[str]
    """What scenarios call it: lower-case letters, digits and "-"."""
    version: ClassVar[str] = "1"
    """Has to change with the code: a run that is kept is known by it."""

    def __init__(self, draws: Draws) -> None:
        """Begins for a port. `draws` are random numbers of its own."""
        self.draws = draws

    def on_enqueue(self, arrival: ArrivalEvent) -> Verdict:
        """Whether an arriving packet may enter, marked or not; one that does not fit (`is_full`) is lost anyway."""
        return True

    def on_dequeue(self, now_ps: int, waited_ps: int, left_bytes: int) -> Verdict:
        """Whether the first packet of the queue, which waited so long, is transmitted now, marked or not, while so many bytes wait behind
        it. If not, it is lost, and this is asked about the next one at once."""
        return True

    def on_marked(self) -> None:
        """The packet that `on_dequeue` was asked about last could be marked: it is transmitted."""

    def on_idle(self) -> None:
        """Nothing waits any more."""


def _used(loss: LossEvent, window: Window) -> float:
    """What a loss takes a part of, bytes: the window, and no more than what is in flight where that counts."""
    return min(window.cwnd, loss.limit, loss.flight)
