from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, final

from ackclock._errors import Diagnostic

__all__ = [
    "RESULT_VERSION",
    "VERSION",
    "AckEvent",
    "ArrivalEvent",
    "Column",
    "DeliveryEvent",
    "Draws",
    "Episode",
    "Episodes",
    "LossEvent",
    "LostSegmentEvent",
    "Observation",
    "RateSample",
    "RestartEvent",
    "Result",
    "Scenario",
    "Simulation",
    "SweepResult",
    "Table",
    "Window",
    "bits_per_second",
    "main",
    "reproduce",
    "run",
    "seconds",
    "start",
    "studies",
    "sweep",
    "work_on",
]

VERSION: Final[str]
RESULT_VERSION: Final[int]

def main(words: Sequence[str]) -> int: ...
def seconds(text: str, what: str) -> float: ...
def bits_per_second(text: str, what: str) -> float: ...
def run(
    scenario: Scenario,
    first_seed: int,
    seeds: int,
    measures: Sequence[str],
    engine: str,
    threads: int,
    progress: Callable[[float, str], object] | None = None,
) -> tuple[Result, BaseException | None]: ...
def studies() -> list[tuple[str, str]]: ...
def reproduce(
    name: str,
    card: str | None,
    quick: bool,
    seeds: int | None,
    out: str,
    engine: str,
    threads: int,
    progress: Callable[[float, str], object] | None = None,
) -> tuple[tuple[str, str, bool, Path] | None, BaseException | None]: ...
def start(scenario: Scenario, seed: int, engine: str) -> Simulation: ...
def sweep(asked: object, progress: Callable[[float, str], object] | None = None) -> tuple[SweepResult | None, BaseException | None]: ...
def work_on(task: str, chunk: str, threads: int, worker: str) -> str: ...

@final
class Scenario:
    def __new__(cls, path: str, sets: Sequence[str] = ..., mechanisms: Sequence[type] = ...) -> Scenario: ...
    @staticmethod
    def from_text(text: str, name: str, sets: Sequence[str] = ..., mechanisms: Sequence[type] = ...) -> Scenario: ...
    @staticmethod
    def diagnose(path: str, text: str | None = None, sets: Sequence[str] = ...) -> list[Diagnostic]: ...
    def with_sets(self, sets: Sequence[str]) -> Scenario: ...
    def to_toml(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def text(self) -> str | None: ...
    @property
    def sets(self) -> list[str]: ...
    @property
    def has_mechanisms(self) -> bool: ...
    @property
    def seed(self) -> int: ...
    @property
    def duration_s(self) -> float: ...
    @property
    def flows(self) -> list[str]: ...
    @property
    def ports(self) -> list[str]: ...
    @property
    def has_randomness(self) -> bool: ...
    @property
    def warnings(self) -> list[Diagnostic]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Result:
    @property
    def scenario(self) -> Scenario: ...
    @property
    def seeds(self) -> list[int]: ...
    @property
    def complete(self) -> bool: ...
    @property
    def simulated_s(self) -> list[float]: ...
    @property
    def fingerprints(self) -> list[str]: ...
    @staticmethod
    def check_folder(scenario: Scenario, path: str) -> None: ...
    @property
    def runs(self) -> Table: ...
    @property
    def flows(self) -> Table: ...
    @property
    def udp(self) -> Table: ...
    @property
    def ports(self) -> Table: ...
    @property
    def metrics(self) -> list[str]: ...
    def series(self, metric: str, of: str | None = None, seed: int | None = None) -> Table: ...
    def measure(self, text: str) -> list[float | None]: ...
    def to_json(self) -> str: ...
    def write_folder(self, path: str) -> None: ...
    def report(self, seed: int | None = None) -> str: ...
    def write_captures(self, path: str) -> list[Path]: ...

@final
class Simulation:
    def step_s(self, seconds: float) -> None: ...
    def run_until_s(self, seconds: float) -> None: ...
    def run_to_end(self) -> None: ...
    @property
    def now_s(self) -> float: ...
    @property
    def end_s(self) -> float: ...
    @property
    def finished(self) -> bool: ...
    @property
    def flows(self) -> list[str]: ...
    def flow(self, name: str) -> Observation: ...
    def hold_window(self, flow: str, window_bytes: float | None) -> None: ...
    def hold_pacing_rate(self, flow: str, rate_bps: float | None) -> None: ...
    def result(self) -> Result: ...

@final
class Episode:
    def __new__(
        cls,
        interval_s: float,
        control: str,
        largest_factor: float,
        factors: Sequence[float] | None,
        reward: object,
        interval: type,
    ) -> Episode: ...
    def begin(self, scenario: Scenario, seed: int, flow: str, engine: str, observation: Any) -> Any: ...
    def step(self, action: object, observation: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]: ...
    def end(self) -> None: ...
    @property
    def simulation(self) -> Simulation | None: ...

@final
class Episodes:
    def __new__(cls, episodes: Sequence[Episode], threads: int) -> Episodes: ...
    def begin(self, places: Sequence[int], runs: Sequence[tuple[Scenario, int, str]], engine: str, observations: Any) -> list[Any]: ...
    def step(
        self, places: Sequence[int], actions: Any, observations: Any, rewards: Any, terminated: Any, truncated: Any
    ) -> list[Any]: ...

@final
class SweepResult:
    @property
    def folder(self) -> Path: ...
    @property
    def keys(self) -> list[str]: ...
    @property
    def numbers(self) -> list[str]: ...
    @property
    def counts(self) -> list[int]: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def runs(self) -> Table: ...
    @property
    def means(self) -> Table | None: ...

@final
class Table:
    """A table: named columns of equal length, each with a unit and a meaning.

    Every library that reads the Arrow PyCapsule interface takes it without a copy: `polars.DataFrame(table)`,
    `pyarrow.table(table)`, and `duckdb` finds it by its name. `pandas.DataFrame.from_arrow(table)` copies numbers once.

    >>> import ackclock as ac
    >>> flows = ac.run(ac.examples.two_flows()).flows
    >>> len(flows), flows.columns[:3], flows.units["goodput_bps"]
    (2, ['seed', 'flow', 'goodput_bps'], 'bit/s')
    >>> flows.rows()[0]["flow"], list(flows.to_dict()) == flows.columns
    ('f1', True)
    """

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
    @property
    def units(self) -> dict[str, str]:
        """Of each column its unit, "" for counts, shares and names."""
    @property
    def about(self) -> dict[str, str]:
        """Of each column what it means, in a sentence."""
    def keys(self) -> list[str]:
        """The names of the columns, as a mapping has keys."""
    def to_dict(self) -> dict[str, list[Any]]:
        """A dictionary of lists: what every data-frame library takes, and plain Python."""
    def rows(self) -> list[dict[str, Any]]:
        """The rows, each as a dictionary."""
    def __len__(self) -> int: ...
    def __getitem__(self, name: str, /) -> Column: ...
    def __contains__(self, name: str, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> Any: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class Column:
    """A column of a table. `polars.Series(column)` and `pyarrow.array(column)` take it without a copy, and so does `numpy.asarray(column)`
    if it has numbers on every row; `list(column)` takes it, too.

    >>> import ackclock as ac
    >>> goodput = ac.run(ac.examples.two_flows()).flows["goodput_bps"]
    >>> len(goodput), goodput[0] == goodput.to_list()[0], max(goodput) < 10e6
    (2, True, True)
    >>> import numpy
    >>> numpy.asarray(goodput, copy=False).dtype
    dtype('float64')
    """

    def to_list(self) -> list[Any]:
        """The values as a list; what is not there is None."""
    def to_bytes(self) -> bytes:
        """The numbers as bytes of 64-bit floating-point numbers in the order of this machine, NaN where nothing is there."""
    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    def __array__(self, dtype: object = None, copy: bool | None = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]: ...

@final
class Observation:
    """What is seen of the sender of a flow while a simulation is paused.

    >>> import ackclock as ac
    >>> sim = ac.examples.two_flows().start(seed=1)
    >>> sim.step("1 s")
    >>> seen = sim.flow("f1")
    >>> seen.flow, seen.time_s, seen.stage, seen.segment_bytes
    ('f1', 1.0, 'open', 1448)
    """

    @property
    def flow(self) -> str:
        """The name of the flow."""
    @property
    def time_s(self) -> float:
        """The instant, seconds: everything before it has happened."""
    @property
    def stage(self) -> str:
        """ "not-begun", "open" or "ended"."""
    @property
    def segment_bytes(self) -> int:
        """Bytes of a full segment."""
    @property
    def cwnd(self) -> float:
        """The congestion window, bytes."""
    @property
    def ssthresh(self) -> float:
        """The slow-start threshold, bytes; infinite before the first loss, if nothing else was set."""
    @property
    def in_recovery(self) -> bool:
        """Whether a loss is being repaired without a timeout."""
    @property
    def in_flight(self) -> int:
        """Bytes believed to be in the network."""
    @property
    def pacing_rate_bps(self) -> float | None:
        """The rate at which segments may leave, bits per second; None: as the windows allow."""
    @property
    def srtt_s(self) -> float | None:
        """The smoothed round trip of the retransmission timer, seconds; None before the first sample."""
    @property
    def rto_s(self) -> float:
        """The retransmission timeout, seconds."""
    @property
    def acknowledged(self) -> int:
        """Bytes of payload that the receiver has acknowledged since the start, each once."""
    @property
    def sent(self) -> int:
        """Bytes of payload sent since the start, those sent again included."""
    @property
    def segments_sent(self) -> int:
        """Segments sent since the start, those sent again included."""
    @property
    def retransmissions(self) -> int:
        """Segments that TCP has sent again since the start."""
    @property
    def timeouts(self) -> int:
        """How often the retransmission timer has expired."""
    def delivery_rate_bps(self, earlier: Observation) -> float | None:
        """Bits per second that were acknowledged since an earlier observation; None at the same instant."""
    def loss(self, earlier: Observation) -> float | None:
        """Of the segments sent since an earlier observation the share that was sent again; None if none was sent."""

@final
class Window:
    """Congestion and slow-start window of a connection, bytes. A mechanism may change both.

    >>> import ackclock as ac
    >>> class Told(ac.CongestionControl):
    ...     name = "told"
    ...     told = []
    ...     def on_ack(self, ack, window):
    ...         window.cwnd += ack.mss; self.told.append(window.cwnd / ack.mss)
    >>> text = ac.examples.two_flows().to_toml()
    >>> result = ac.run(ac.Scenario.from_text(text, mechanisms=[Told], set={"tcp.congestion_control": "told"}))
    >>> Told.told[:3]
    [11.0, 12.0, 13.0]
    """

    cwnd: float
    """The congestion window, bytes."""
    ssthresh: float
    """The slow-start threshold, bytes."""

@final
class Draws:
    """Random numbers of a connection or port, as a function of a counter: the same in every run of a seed.

    >>> import ackclock as ac
    >>> class Told(ac.CongestionControl):
    ...     name = "told"
    ...     told = []
    ...     def __init__(self, draws):
    ...         super().__init__(draws)
    ...         self.told.append((draws.uniform(0) < 1, draws.below(6, 1) < 6, draws.bits(2) == draws.bits(2)))
    >>> result = ac.run(ac.Scenario.from_text(ac.examples.two_flows().to_toml(), mechanisms=[Told], set={"tcp.congestion_control": "told"}))
    >>> set(Told.told)
    {(True, True, True)}
    """

    def uniform(self, counter: int) -> float:
        """A number from 0 to 1, without 1."""
    def below(self, bound: int, counter: int) -> int:
        """A whole number from 0 to `bound`, without that."""
    def bits(self, counter: int) -> int:
        """64 random bits, as a whole number from 0 to 2⁶⁴ - 1: the same for the same counter."""

@final
class AckEvent:
    """New data was acknowledged outside recovery; with rates of delivery any acknowledgement. Bytes; times in picoseconds.

    >>> import ackclock as ac
    >>> class Told(ac.CongestionControl):
    ...     name = "told"
    ...     told = []
    ...     def on_ack(self, ack, window):
    ...         self.told.append((ack.mss, ack.acked, ack.limit))
    >>> text = ac.examples.two_flows().to_toml()
    >>> result = ac.run(ac.Scenario.from_text(text, mechanisms=[Told], set={"tcp.congestion_control": "told"}))
    >>> Told.told[0]
    (1448.0, 2896.0, 125000.0)
    """

    @property
    def mss(self) -> float:
        """The payload of a full segment, bytes."""
    @property
    def limit(self) -> float:
        """The receiver's window, bytes, beyond which cwnd does not grow."""
    @property
    def acked(self) -> float:
        """Bytes of new data acknowledged outside recovery, by which the window grows; 0 where there are none."""
    @property
    def now_ps(self) -> int | None:
        """When it came, picoseconds; None unless the mechanism needs round trips, as the following."""
    @property
    def start_ps(self) -> int | None:
        """When the connection sent its first segment, picoseconds."""
    @property
    def una(self) -> int | None:
        """First byte not acknowledged now; bytes are counted from 0."""
    @property
    def nxt(self) -> int | None:
        """Next byte to send."""
    @property
    def rtt_ps(self) -> int | None:
        """The round trip of the newest segment acknowledged, if it was sent once; picoseconds."""
    @property
    def window_limited(self) -> bool | None:
        """Whether the window was all that kept the sender from sending more."""
    @property
    def delivery(self) -> DeliveryEvent | None:
        """What it says about the delivery of data; None unless the mechanism needs rates of delivery."""

@final
class LossEvent:
    """A loss was found, a mark was echoed, or the timer expired. Bytes.

    >>> import ackclock as ac
    >>> class Told(ac.CongestionControl):
    ...     name = "told"
    ...     told = []
    ...     def on_ack(self, ack, window):
    ...         window.cwnd += ack.mss
    ...     def on_congestion(self, loss, window):
    ...         self.told.append((loss.mss, loss.sent_again, loss.kept))
    ...         window.ssthresh = window.cwnd / 2
    >>> text = ac.examples.two_flows().to_toml()
    >>> result = ac.run(ac.Scenario.from_text(text, mechanisms=[Told], set={"tcp.congestion_control": "told"}))
    >>> Told.told[0]
    (1448.0, None, None)
    """

    @property
    def mss(self) -> float:
        """The payload of a full segment, bytes."""
    @property
    def limit(self) -> float:
        """The receiver's window, bytes, beyond which cwnd does not grow."""
    @property
    def flight(self) -> float:
        """What is in flight, bytes, where the slow-start threshold comes from that; else infinite."""
    @property
    def sent_again(self) -> bool | None:
        """Whether what was lost had been sent more than once, if the recovery knows."""
    @property
    def kept(self) -> float | None:
        """Of a mark, where it takes less than a loss (RFC 8511): the part of the window that is left, 0 to 1."""

@final
class LostSegmentEvent:
    """A segment is found to be lost; only with rates of delivery. Bytes; times in picoseconds.

    >>> import ackclock as ac
    >>> class Told(ac.CongestionControl):
    ...     name = "told"
    ...     needs = "delivery-rates"
    ...     told = []
    ...     def on_ack(self, ack, window):
    ...         window.cwnd += ack.mss
    ...     def on_lost_segment(self, lost):
    ...         self.told.append((lost.len, lost.lost_since))
    >>> text = ac.examples.two_flows().to_toml()
    >>> result = ac.run(ac.Scenario.from_text(text, mechanisms=[Told], set={"tcp.congestion_control": "told"}))
    >>> Told.told[0]
    (1448.0, 1448.0)
    """

    @property
    def now_ps(self) -> int:
        """When it is found, picoseconds."""
    @property
    def mss(self) -> float:
        """The payload of a full segment, bytes."""
    @property
    def number(self) -> int:
        """The number of the segment, counted from 0."""
    @property
    def len(self) -> float:
        """The payload of the segment, bytes."""
    @property
    def total(self) -> int:
        """What the connection has delivered in all; bytes."""
    @property
    def in_flight_when_sent(self) -> float:
        """In flight when it was sent, itself included; bytes."""
    @property
    def lost_since(self) -> float:
        """What was found to be lost since then, itself included; bytes."""
    @property
    def app_limited(self) -> bool:
        """Whether the sender had not enough to send then."""

@final
class DeliveryEvent:
    """What an acknowledgement says about the delivery of data. Bytes, bytes per second; times in picoseconds.

    >>> import ackclock as ac
    >>> class Told(ac.CongestionControl):
    ...     name = "told"
    ...     needs = "delivery-rates"
    ...     told = []
    ...     def on_ack(self, ack, window):
    ...         self.told.append((ack.delivery.delivered, ack.delivery.in_flight, ack.delivery.loss_state))
    >>> text = ac.examples.two_flows().to_toml()
    >>> result = ac.run(ac.Scenario.from_text(text, mechanisms=[Told], set={"tcp.congestion_control": "told"}))
    >>> Told.told[0]
    (2896.0, 11584.0, 'open')
    """

    @property
    def now_ps(self) -> int:
        """When the acknowledgement came, picoseconds."""
    @property
    def mss(self) -> float:
        """The payload of a full segment, bytes."""
    @property
    def limit(self) -> float:
        """The receiver's window, bytes, beyond which cwnd does not grow."""
    @property
    def delivered(self) -> float:
        """What it says is delivered, and was not known to be; bytes."""
    @property
    def total(self) -> int:
        """What the connection has delivered in all; bytes."""
    @property
    def sample(self) -> RateSample | None:
        """What the newest of these segments says about the path; None if nothing new is delivered."""
    @property
    def window_limited(self) -> bool:
        """Whether since that was sent the window was, at any time, all that kept the sender from sending more."""
    @property
    def rate(self) -> float | None:
        """The rate of delivery, bytes per second, if there is one that can be trusted: that of `sample`."""
    @property
    def app_limited(self) -> bool:
        """Whether that says what was offered, not what the path can do: as in `sample`; False without one."""
    @property
    def rtt_ps(self) -> int | None:
        """The shortest round trip of these segments that were sent once, picoseconds."""
    @property
    def lost(self) -> float:
        """What it shows to be lost, and was not known to be; bytes."""
    @property
    def prior_in_flight(self) -> float:
        """In flight before it, bytes."""
    @property
    def in_flight(self) -> float:
        """In flight after it, bytes."""
    @property
    def loss_state(self) -> str:
        """"open", "recovery" or "timeout"."""

@final
class RateSample:
    """What was delivered and lost since the newest of the segments that an acknowledgement delivers was sent. Bytes, bytes per second.

    >>> import ackclock as ac
    >>> class Told(ac.CongestionControl):
    ...     name = "told"
    ...     needs = "delivery-rates"
    ...     rates = []
    ...     def on_ack(self, ack, window):
    ...         sample = ack.delivery.sample
    ...         if sample is not None and sample.rate is not None:
    ...             self.rates.append(sample.rate)
    >>> text = ac.examples.two_flows().to_toml()
    >>> result = ac.run(ac.Scenario.from_text(text, mechanisms=[Told], set={"tcp.congestion_control": "told"}))
    >>> round(8 * max(Told.rates) / 1e6, 1)
    2.7
    """

    @property
    def prior_delivered(self) -> int:
        """What the connection had delivered in all when it was sent; bytes."""
    @property
    def delivered(self) -> float:
        """What was delivered since then; bytes."""
    @property
    def rate(self) -> float | None:
        """The rate of delivery since then, bytes per second, if it can be trusted."""
    @property
    def app_limited(self) -> bool:
        """Whether the sender had not enough to send then."""
    @property
    def in_flight(self) -> float:
        """In flight when it was sent, itself included; bytes."""
    @property
    def lost(self) -> float:
        """What was found to be lost since then; bytes."""

@final
class RestartEvent:
    """A sender sends again after a pause. Bytes; times in picoseconds.

    >>> import ackclock as ac
    >>> class Told(ac.CongestionControl):
    ...     name = "told"
    ...     pauses = 0
    ...     def on_restart(self, restart):
    ...         Told.pauses += restart.now_ps > 0
    >>> text = ac.examples.two_flows().to_toml()
    >>> pauses = {"tcp.congestion_control": "told", "flow.f1.application": "on-off"}
    >>> result = ac.run(ac.Scenario.from_text(text, mechanisms=[Told], set=pauses))
    >>> Told.pauses > 0
    True
    """

    @property
    def now_ps(self) -> int:
        """When the first segment after the pause is sent, picoseconds."""
    @property
    def nxt(self) -> int:
        """Next byte to send."""
    @property
    def delivered(self) -> int:
        """What the connection has delivered in all, bytes; 0 unless the mechanism needs rates of delivery."""
    @property
    def window_lowered(self) -> bool:
        """Whether the window is the restart window now (RFC 5681 section 4.1), and was larger."""

@final
class ArrivalEvent:
    """A packet asks for room at a port. Times in picoseconds.

    >>> import ackclock as ac
    >>> class Small(ac.PacketPolicy):
    ...     name = "small"
    ...     told = []
    ...     def on_enqueue(self, arrival):
    ...         self.told.append(arrival)
    ...         return not arrival.is_full
    >>> result = ac.run(ac.Scenario.from_text(ac.examples.two_flows().to_toml(), mechanisms=[Small], set={"queue.policy": "small"}))
    >>> len(Small.told) > 1000
    True
    """

    @property
    def now_ps(self) -> int:
        """When the packet comes, picoseconds."""
    @property
    def idle_ps(self) -> int | None:
        """If nothing waits and nothing is transmitted: for how long, picoseconds."""
    @property
    def queued(self) -> int:
        """How many packets wait at the port."""
    @property
    def queued_bytes(self) -> int:
        """How many octets wait at the port."""
    @property
    def is_full(self) -> bool:
        """Whether it does not fit."""
