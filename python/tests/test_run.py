"""Scenarios, runs and results."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import LAN

import ackclock as ac


def test_a_result_is_that_of_the_command_line(lan: Path) -> None:
    result = ac.run(lan, seeds=2, set={"queue.policy": "epd"}, measures=["jain(goodput)", "p95(round-trip)"], delays=True)
    command = [
        *[sys.executable, "-m", "ackclock", "run", "lan.toml", "--seeds", "2", "--set", "queue.policy=epd", "--delays", "--json"],
        *["--measure", "jain(goodput)", "--measure", "p95(round-trip)"],
    ]
    printed = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    document = result.document
    for key in ("runs", "summary", "seeds", "complete", "result_version"):
        assert document[key] == printed[key], key
    assert [run["fingerprint"] for run in printed["runs"]] == result.fingerprints
    assert result.runs["jain(goodput)"].to_list() == [run["measures"]["jain(goodput)"] for run in printed["runs"]]
    assert result.flows["goodput_bps"].to_list() == [flow["goodput_bps"] for run in printed["runs"] for flow in run["flows"]]


def test_a_saved_result_is_read_by_the_commands(lan: Path, tmp_path: Path) -> None:
    folder = ac.run(lan, seeds=2, record="queue").save(tmp_path / "saved")
    for command in (["rerun"], ["verify"], ["report"], ["export", "--metric", "queue"]):
        done = subprocess.run([sys.executable, "-m", "ackclock", command[0], str(folder), *command[1:]], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_keyword_arguments_make_the_scenario_of_a_file(lan: Path) -> None:
    built = ac.Scenario.build(
        scenario_name="lan",
        duration="0.2 s",
        network={"topology": "n-source", "sources": 3, "rate": "155.52 Mbps", "access_delay": "5 us", "trunk_delay": "5 us"},
        queue={"buffer": "300 cells"},
    )
    assert (
        built == ac.Scenario(lan) == ac.Scenario.from_text(LAN, name="lan.toml") == ac.Scenario.from_text(built.to_toml(), name="lan.toml")
    )
    assert hash(built) == hash(ac.Scenario(lan))
    assert built.set(duration="1 s") != built
    assert built.set({"network.sources": 5}).flows == ["f1", "f2", "f3", "f4", "f5"]


def test_mistakes_have_places_and_remedies(lan: Path) -> None:
    lan.write_text(LAN.replace('buffer = "300 cells"', 'buffer = "300 cels"\npolicy = "epdd"'))
    with pytest.raises(ac.ScenarioError) as raised:
        ac.run(lan)
    first, second = raised.value.diagnostics
    assert (first.file, first.line, first.severity) == (str(lan), 10, "error")
    assert (second.line, second.column, second.remedy) == (11, 10, 'did you mean "epd"?')
    assert (raised.value.code, raised.value.line) == (3, 10)
    assert "^^^" in str(raised.value) and [str(one) for one in ac.check(lan)] == [first.text, second.text]
    assert ac.check_text(LAN) == []


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: ac.run("no.toml"), ac.OutsideError, "cannot read `no.toml`"),
        (lambda: ac.run(3), ac.UsageError, "a int is no scenario"),
        (lambda: ac.run("lan.toml", seeds=0), ac.UsageError, "seeds=0 is too small; write 1 or more"),
        (lambda: ac.run("lan.toml", seeds="five"), ac.UsageError, "seeds='five' is no whole number"),
        (lambda: ac.run("lan.toml", seed=2**63 - 2, seeds=9), ac.UsageError, "beyond the largest seed"),
        (lambda: ac.run("lan.toml", engine="fast"), ac.UsageError, 'there is no engine "fast"'),
        (lambda: ac.run("lan.toml", measures="jian(goodput)"), ac.ScenarioError, "did you mean `jain`"),
        (lambda: ac.run("lan.toml", record="cwmd"), ac.ScenarioError, "cwnd"),
        (lambda: ac.run("lan.toml", set={"queue.buffer": object()}), ac.UsageError, "queue.buffer = <object"),
        (lambda: ac.run("lan.toml", set={"queue.buffer": float("nan")}), ac.UsageError, "not a number that a key can have"),
        (lambda: ac.run("lan.toml", set={"queue.buffer": "3 parsecs"}), ac.ScenarioError, "is no unit"),
        (lambda: ac.run("lan.toml").series("cwnd"), ac.UsageError, 'run it with record=["cwnd"]'),
        (lambda: ac.run("lan.toml", record="cwnd").series("cwnd", "f9"), ac.UsageError, "there are f1, f2, f3"),
        (lambda: ac.run("lan.toml").measure("cwnd(f1)"), ac.ScenarioError, "record"),
        (lambda: ac.run("lan.toml").save_captures("x"), ac.UsageError, 'run it with capture=["HOST"]'),
        (lambda: ac.run("lan.toml").flows["gudput"], KeyError, "it has seed, flow, goodput_bps"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_remedy(lan: Path, call: object, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as raised:
        call()  # type: ignore[operator]
    assert said in str(raised.value)


def test_captures_and_reports_are_written(lan: Path, tmp_path: Path) -> None:
    result = ac.run(lan, capture=["s1", "d1"])
    files = result.save_captures(tmp_path / "captures")
    assert [file.stat().st_size > 1000 for file in files] == [True, True]
    assert result.save_report(tmp_path / "page.html").read_text().startswith("<!doctype html>")


def test_engines_give_equal_results(lan: Path) -> None:
    assert ac.run(lan, engine="reference").fingerprints == ac.run(lan).fingerprints


LONG = LAN.replace("0.2 s", "500 s")


def test_ctrl_c_stops_runs_and_keeps_what_was_finished(tmp_path: Path) -> None:
    script = tmp_path / "long.py"
    script.write_text(
        "import ackclock as ac, sys, threading\n"
        f"short, long = ac.Scenario.from_text({LAN!r}), ac.Scenario.from_text({LONG!r})\n"
        "print('begun', flush=True)\n"
        "try:\n    ac.run(long)\n"
        "except ac.Interrupted as stop:\n    print('stopped', stop.result.seeds, stop.result.complete, stop)\n"
        "print('goes on', ac.run(short).seeds)\n"
    )
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    time.sleep(1)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    said = process.stdout.read()
    assert time.monotonic() - started < 20
    assert said == "stopped [] False 0 of 1 runs were finished: the attribute `result` has them\ngoes on [1]\n"


def test_other_threads_go_on_during_a_run(two_flows: ac.Scenario) -> None:
    counted, done = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    ac.run(two_flows, seeds=8, threads=1)
    done.set()
    other.join()
    assert counted > 3


def test_progress_is_told_and_an_error_in_it_stops_the_run() -> None:
    told: list[float] = []
    scenario = ac.Scenario.from_text(LAN.replace("0.2 s", "5 s"))
    ac.run(scenario, progress=lambda fraction, text: told.append(fraction))
    assert told == sorted(told) and all(0 <= fraction <= 1 for fraction in told)

    def bad(fraction: float, text: str) -> None:
        raise RuntimeError("progress failed")

    with pytest.raises(RuntimeError, match="progress failed"):
        ac.run(ac.Scenario.from_text(LONG), progress=bad)


def printed_while_it_runs(how: str, folder: Path, *, terminal: bool) -> str:
    """What a run that takes longer than the patience of a bar writes as its errors, to a terminal or to a pipe."""
    script = folder / "bar.py"
    script.write_text(
        "import ackclock as ac\nfrom ackclock import _progress\n_progress._PATIENCE_S = 0\n"
        f"ac.run(ac.Scenario.from_text({LAN.replace('0.2 s', '60 s')!r}), seeds=2, progress={how})\n"
    )
    reads, writes = os.openpty() if terminal else os.pipe()
    with subprocess.Popen([sys.executable, str(script)], stderr=writes, cwd=folder) as process:
        os.close(writes)
        printed = b""
        # A terminal that nobody writes to any more is an error, and the end.
        with contextlib.suppress(OSError):
            while some := os.read(reads, 4096):
                printed += some
    os.close(reads)
    assert process.returncode == 0, printed
    return printed.decode()


def test_a_terminal_has_a_bar_that_is_gone_at_the_end(tmp_path: Path) -> None:
    clear = "\r\x1b[K"
    printed = printed_while_it_runs("None", tmp_path, terminal=True)
    *bars, end = printed.removeprefix(clear).split(clear)
    assert end == "" and len(bars) > 1, printed
    fractions = []
    for bar in bars:
        shown = re.fullmatch(r"\[(=*) *\] (\d+) %(?:, about \d+ s left)?: \d of 2 runs, [\d.]+ s simulated", bar)
        assert shown is not None and bar.index("]") == 21, bar
        assert abs(len(shown[1]) - int(shown[2]) / 5) <= 0.7, bar
        fractions.append(int(shown[2]))
    assert fractions == sorted(fractions) and fractions[-1] > 50
    # It is there if it is asked for or seen, and else not.
    assert clear in printed_while_it_runs("True", tmp_path, terminal=False)
    assert printed_while_it_runs("None", tmp_path, terminal=False) == ""
    assert printed_while_it_runs("False", tmp_path, terminal=True) == ""


def test_the_command_is_that_of_the_program(lan: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "ackclock", "check", "no.toml"], capture_output=True, text=True, env=os.environ)
    assert done.returncode == 1 and "cannot read" in done.stderr
    done = subprocess.run([sys.executable, "-m", "ackclock", "run", "lan.toml", "--out", "x"], capture_output=True, text=True)
    assert done.returncode == 0 and json.loads(Path("x/result.json").read_text())["command"] == [
        "ackclock",
        "run",
        "lan.toml",
        "--out",
        "x",
    ]


def test_a_scenario_stays_what_it_is_when_its_file_changes(lan: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(LAN)
    lan.write_text('extends = "base.toml"\n[queue]\npolicy = "epd"\n')
    scenario = ac.Scenario("lan.toml")
    fingerprints = ac.run(scenario).fingerprints
    (tmp_path / "base.toml").write_text(LAN.replace("sources = 3", "sources = 5"))
    lan.unlink()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert scenario.set(seed=1) == scenario
    assert ac.run(scenario, record="cwnd").fingerprints == fingerprints
    sweep = ac.sweep(scenario, vary={"queue.buffer": ["300 cells"]})
    assert sweep.runs["goodput_bps"][0] == ac.run(scenario).runs["goodput_bps"][0]


def test_numbers_of_numpy_are_numbers(lan: Path) -> None:
    np = pytest.importorskip("numpy")
    scenario = ac.Scenario(lan)
    assert scenario.set({"network.sources": np.int64(4)}).flows == ["f1", "f2", "f3", "f4"]
    share = {"queue.policy": "red-epd", "queue.red-epd.max_p": np.float64(0.1)}
    assert "max_p = 0.1" in scenario.set(share).to_toml()
    assert scenario.set({"queue.policy": "red-epd", "queue.red-epd.max_p": np.array(0.1)}) == scenario.set(share)
    sim = scenario.start(np.int64(2))
    sim.step(np.float32(0.125))
    sim.step(np.int64(1))


def test_scenarios_and_errors_go_to_other_processes(lan: Path, two_flows: ac.Scenario) -> None:
    for one in (two_flows, ac.Scenario(lan)):
        assert pickle.loads(pickle.dumps(one)) == one == copy.deepcopy(one)
    with pytest.raises(ac.ScenarioError) as raised:
        two_flows.set({"queue.policy": "epdd"})
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.line, again.remedy, str(again)) == (raised.value.line, raised.value.remedy, str(raised.value))
    for what in (ac.run(two_flows), ac.run(two_flows).flows):
        with pytest.raises(TypeError):
            pickle.dumps(what)


def test_a_folder_that_cannot_be_used_is_refused_before_the_runs(lan: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    told: list[str] = []
    with pytest.raises(ac.OutsideError):
        ac.run(ac.Scenario(lan).set(duration="60 s"), out=tmp_path / "mine", progress=lambda _, text: told.append(text))
    assert not told and not (tmp_path / "new").exists()
    ac.run(lan, out=tmp_path / "new")
    assert (tmp_path / "new" / "result.json").exists()


def test_a_run_in_which_nothing_happens_is_shown(two_flows: ac.Scenario) -> None:
    result = ac.run(two_flows.set(duration="20 ms"), record=["cwnd", "rtt", "queue", "throughput"])
    assert "goodput" in result._repr_html_()


def test_remedies_name_arguments_not_options(lan: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letter.txt").write_text("dear")
    with pytest.raises(ac.OutsideError, match=r"folder with out=DIR") as wrong:
        ac.run("lan.toml", out="mine")
    assert "--" not in str(wrong.value)
    said = r"max_seeds without until_ci: .*; write seeds=N for N seeds, .* as in until_ci=2%"
    with pytest.raises(ac.UsageError, match=said) as wrong_seeds:
        ac.sweep("lan.toml", vary={"queue.buffer": ["100 cells", "200 cells"]}, max_seeds=9, out="sweep")
    assert "--" not in str(wrong_seeds.value)
