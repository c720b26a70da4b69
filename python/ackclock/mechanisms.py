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

from typing import ClassVar

from ackclock._core import AckEvent, ArrivalEvent, DeliveryEvent, Draws, LossEvent, Window

__all__ = ["AckEvent", "ArrivalEvent", "CongestionControl", "DeliveryEvent", "Draws", "LossEvent", "PacketPolicy", "Window"]


class CongestionControl:
    """Decides the size of the window of a connection: there is an object of the class for each. A window is in bytes; times are whole
    picoseconds. The methods are those of the trait CongestionControl of the simulator."""

    name: ClassVar[str]
    """What scenarios call it: lower-case letters, digits and "-"."""
    version: ClassVar[str] = "1"
    """Has to change with the code: a run that is kept is known by it."""
    needs: ClassVar[str | tuple[str, ...]] = "nothing"
    """"nothing", or one or several of these: "round-trips" of each segment, which `on_ack` then gets; "delivery-rates", with which it gets
    `ack.delivery`, with a recovery that has SACK; "pacing", with which segments leave at `pacing_rate`."""

    def __init__(self, draws: Draws) -> None:
        """Begins for a connection. `draws` are random numbers of its own."""
        self.draws = draws

    def on_ack(self, ack: AckEvent, window: Window) -> None:
        """New data was acknowledged outside recovery: grow. With "delivery-rates" it is called for each acknowledgement, after recovery
        has seen it: whatever that made of the window, this decides."""

    def on_congestion(self, loss: LossEvent, window: Window) -> None:
        """A loss was found by acknowledgements: set ssthresh, once per recovery; cwnd is recovery's. Without a rule of its own: half of
        what is used, in whole segments, at least two (RFC 5681 section 3.1)."""
        used = min(window.cwnd, loss.limit, loss.flight)
        window.ssthresh = max(used / 2 // loss.mss * loss.mss, 2 * loss.mss)

    def on_rto(self, loss: LossEvent, window: Window) -> None:
        """The retransmission timer expired: set ssthresh and cwnd. Without a rule of its own: ssthresh as after any loss, and one
        segment."""
        self.on_congestion(loss, window)
        window.cwnd = loss.mss

    def on_repeated_rto(self, loss: LossEvent, window: Window) -> None:
        """It expired again for the same segment, where that leaves ssthresh."""
        window.cwnd = loss.mss

    def on_handshake(self, now_ps: int, rtt_ps: int) -> None:
        """The connection was opened by a handshake, whose round trip this was."""

    def on_restart(self, now_ps: int, nxt: int) -> None:
        """The application writes after a time in which nothing was outstanding. `nxt` is the next byte to send."""

    def pacing_rate(self) -> float | None:
        """With needs = "pacing": bytes per second at which segments may leave; None: as the window allows."""
        return None


class PacketPolicy:
    """Decides which packets enter a queue of a packet network, and which of those that waited are transmitted. There is an object of the
    class for each port. Times are whole picoseconds. The methods are those of the trait PacketPolicy of the simulator."""

    name: ClassVar[str]
    """What scenarios call it: lower-case letters, digits and "-"."""
    version: ClassVar[str] = "1"
    """Has to change with the code: a run that is kept is known by it."""

    def __init__(self, draws: Draws) -> None:
        """Begins for a port. `draws` are random numbers of its own."""
        self.draws = draws

    def on_enqueue(self, arrival: ArrivalEvent) -> bool:
        """Whether an arriving packet may enter; one that does not fit (`is_full`) is lost anyway."""
        return True

    def on_dequeue(self, now_ps: int, waited_ps: int, left_bytes: int) -> bool:
        """Whether the first packet of the queue, which waited so long, is transmitted now, while so many bytes wait behind it. If not, it
        is lost, and this is asked about the next one at once."""
        return True

    def on_idle(self) -> None:
        """Nothing waits any more."""
