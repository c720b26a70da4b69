"""Small scenarios for examples and first steps."""

from __future__ import annotations

from ackclock._scenario import Scenario

__all__ = ["two_flows"]


def two_flows() -> Scenario:
    """Two flows of TCP, CUBIC with SACK, over 10 Mb/s and 40 ms, five seconds.

    >>> import ackclock as ac
    >>> scenario = ac.examples.two_flows()
    >>> scenario.flows, scenario.duration_s
    (['f1', 'f2'], 5.0)
    """
    return Scenario.build(
        scenario_name="two-flows",
        duration="5 s",
        network={
            "topology": "dumbbell", "technology": "packet", "sources": 2, "bottleneck_rate": "10 Mbps", "access_rate": "100 Mbps",
            "access_delay": "1 ms", "bottleneck_delay": "18 ms",
        },
        queue={"buffer": "0.5 bdp"},
        tcp={"dialect": "standard", "congestion_control": "cubic"},
        traffic={"start_jitter": "10 ms"},
    )  # fmt: skip
