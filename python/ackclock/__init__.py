"""Ackclock: a laboratory for TCP congestion control and queue management over ATM, wide-area and satellite networks.

>>> import ackclock as ac
>>> result = ac.run(ac.examples.two_flows(), record="cwnd")
>>> result.flows["flow"].to_list()
['f1', 'f2']
"""

from __future__ import annotations

from ackclock import examples, mechanisms
from ackclock._core import RESULT_VERSION as result_version
from ackclock._core import VERSION as __version__
from ackclock._core import Column, Observation, Table
from ackclock._errors import (
    AckclockError,
    DefectError,
    Diagnostic,
    Interrupted,
    OutsideError,
    ScenarioError,
    UsageError,
)
from ackclock._result import Result
from ackclock._run import check, check_text, run
from ackclock._scenario import Scenario
from ackclock._simulation import Simulation
from ackclock._study import Study, reproduce, studies
from ackclock._sweep import Sweep, sweep
from ackclock.mechanisms import CongestionControl, PacketPolicy

__all__ = [
    "AckclockError",
    "Column",
    "CongestionControl",
    "DefectError",
    "Diagnostic",
    "Interrupted",
    "Observation",
    "OutsideError",
    "PacketPolicy",
    "Result",
    "Scenario",
    "ScenarioError",
    "Simulation",
    "Study",
    "Sweep",
    "Table",
    "UsageError",
    "__version__",
    "check",
    "check_text",
    "examples",
    "mechanisms",
    "reproduce",
    "result_version",
    "run",
    "studies",
    "sweep",
]

for _public in (
    AckclockError,
    DefectError,
    Diagnostic,
    Interrupted,
    OutsideError,
    Result,
    Scenario,
    ScenarioError,
    Simulation,
    Study,
    Sweep,
    UsageError,
):
    _public.__module__ = "ackclock"
for _function in (check, check_text, reproduce, run, studies, sweep):
    _function.__module__ = "ackclock"
