"""Figures say what the numbers say: their labels, curves and bands, not their pixels."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ackclock as ac

# Without matplotlib nothing here can be tried; pytest names the file among what it skipped.
matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed: figures are NOT TESTED")
np = pytest.importorskip("numpy")

from ackclock import plots  # noqa: E402

Plot = Callable[[ac.Result, ac.Sweep], object]
RECORD = ["cwnd", "ssthresh", "queue", "rtt", "throughput", "sent", "acknowledged", "retransmissions", "drops"]


@pytest.fixture(scope="module")
def result() -> ac.Result:
    return ac.run(ac.examples.two_flows(), seeds=3, record=RECORD, record_interval="10 ms")


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> ac.Sweep:
    vary = {"queue.buffer": "0.1..4 bdp log 6", "tcp.congestion_control": ["cubic", "bbr3"]}
    scenario = ac.examples.two_flows().set(duration="2 s")
    return ac.sweep(scenario, vary=vary, seeds=3, out=tmp_path_factory.mktemp("sweep") / "s", progress=False)


def bands(axes: Any) -> list[Any]:
    return [patch for patch in axes.collections if isinstance(patch, matplotlib.collections.PolyCollection)]


def curves(axes: Any) -> list[Any]:
    return [line for line in axes.lines if len(line.get_xdata()) > 1]


def legend(figure: plots.Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_the_figure_of_the_issue_in_five_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = """
import ackclock as ac
vary = {"queue.buffer": "0.1..4 bdp log 10", "tcp.congestion_control": ["cubic", "bbr3"]}
sweep = ac.sweep(ac.examples.two_flows(), vary=vary, seeds=5)
figure = sweep.plot(["goodput", "queueing_delay_p95"], x="queue.buffer", hue="tcp.congestion_control")
figure.savefig("buffer.pdf")
"""
    assert len(lines.strip().splitlines()) <= 5
    names: dict[str, Any] = {}
    exec(lines, names)
    figure, means = names["figure"], names["sweep"].means
    assert (tmp_path / "buffer.pdf").read_bytes().startswith(b"%PDF")
    assert [axes.get_ylabel() for axes in figure.axes] == ["Goodput [Mb/s]", "Queueing delay, p95 [ms]"]
    assert {axes.get_xlabel() for axes in figure.axes} == {"queue.buffer [BDP]"}
    assert {axes.get_xscale() for axes in figure.axes} == {"log"}
    assert legend(figure) == ["cubic", "bbr3"]
    rows = [row for row in means.rows() if row["tcp_congestion_control"] == "bbr3"]
    for axes, number, scale in zip(figure.axes, ["goodput_bps", "queueing_delay_p95_s"], [1e-6, 1e3], strict=True):
        assert len(curves(axes)) == 2 and len(bands(axes)) == 2
        assert all(len(line.get_xdata()) == 10 for line in curves(axes))
        assert curves(axes)[1].get_ydata() == pytest.approx([row[number] * scale for row in rows])
        # The band of BBR goes from the lower to the upper ends.
        vertices = bands(axes)[1].get_paths()[0].vertices[:, 1]
        assert vertices.min() == pytest.approx(min(row[f"{number}_low"] for row in rows) * scale)
        assert vertices.max() == pytest.approx(max(row[f"{number}_high"] for row in rows) * scale)
    # In black and white: dashes and markers differ, not only colours.
    looks = {(line.get_linestyle(), line.get_marker()) for line in curves(figure.axes[0])}
    assert len(looks) == 2


def test_window_with_threshold(result: ac.Result) -> None:
    figure = result.plot("cwnd", of="f1", size="one")
    (axes,) = figure.axes
    assert figure.get_figwidth() == 3.5
    assert axes.get_title(loc="left") == "Congestion window of f1"
    assert axes.get_ylabel() == "kB" and axes.get_xlabel() == "time [s]"
    cwnd, ssthresh = axes.lines
    table = result.series("cwnd", "f1", seed=1)
    assert max(cwnd.get_ydata()) == pytest.approx(max(table["cwnd_bytes"]) / 1e3)
    # The first threshold, the receive window, is above everything and would leave no room: not drawn, and the others are.
    drawn = ssthresh.get_ydata()
    assert np.isnan(drawn[0]) and np.nanmax(drawn) < axes.get_ylim()[1] * 1.7
    assert np.isfinite(drawn[1:]).all()


def test_everything_over_time(result: ac.Result) -> None:
    figure = result.plot()
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["Congestion window", "Throughput, means of 40 ms", "Round-trip time", "Queue at sw1→sw2"]
    assert [axes.get_ylabel() for axes in figure.axes] == ["kB", "Mb/s", "ms", "packets"]
    assert legend(figure) == ["f1", "f2"]
    assert {axes.get_xlim() for axes in figure.axes} == {(0.0, 5.0)}
    queue = figure.axes[3]
    assert len(bands(queue)) == 1
    drops = next(line for line in queue.lines if line.get_label() == "drops")
    assert len(drops.get_xdata()) == len(result.series("drops", "sw1->sw2", seed=1))


def test_averaged_throughput_keeps_the_bytes(result: ac.Result) -> None:
    whole = result.plot("throughput", of="f1", window="0.5 s").axes[0]
    (line,) = whole.lines
    table = result.series("throughput", "f1", seed=1)
    mean = sum(table["throughput_mean_bps"]) / len(table) / 1e6
    assert len(line.get_ydata()) - 2 == 10
    assert np.mean(line.get_ydata()[:10]) == pytest.approx(mean)


def test_time_sequence(result: ac.Result) -> None:
    figure = result.plot("time-sequence", of="f1", over=(1, "2 s"))
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["sent", "acknowledged", "sent again"]
    assert axes.get_xlim() == (1.0, 2.0)
    sent = result.series("sent", "f1", seed=1)
    inside = [byte / 1e6 for time, byte in zip(sent["time_s"], sent["sent_bytes"], strict=True) if 1 <= time <= 2]
    low, high = axes.get_ylim()
    assert low < min(inside) and max(inside) < high < 1.1 * max(inside)
    # Two flows are two panels, not one over the other.
    assert len(result.plot("time-sequence").axes) == 2


def test_many_flows_have_panels_of_their_own_and_too_many_are_refused() -> None:
    scenario = ac.examples.two_flows().set({"network.sources": 6, "duration": "1 s"})
    result = ac.run(scenario, record="cwnd")
    figure = result.plot("cwnd")
    assert [axes.get_title(loc="left") for axes in figure.axes] == [f"Congestion window of f{n}" for n in range(1, 7)]
    assert len({(axes.get_ylim(), axes.get_ylabel()) for axes in figure.axes}) == 1
    many = ac.run(scenario.set({"network.sources": 13}), record="cwnd")
    with pytest.raises(ac.UsageError, match=r'13 panels .* of="f1"'):
        many.plot("cwnd")
    assert len(many.plot("cwnd", of=["f3", "f9"]).axes[0].lines) == 2


def test_more_samples_than_pixels_become_mean_and_band() -> None:
    scenario = ac.examples.two_flows().set({"duration": "60 s"})
    result = ac.run(scenario, record="cwnd")
    table = result.series("cwnd", "f1")
    assert len(table) > 5000
    (axes,) = result.plot("cwnd", of="f1").axes
    line = axes.lines[0]
    assert len(line.get_xdata()) == 700
    vertices = bands(axes)[0].get_paths()[0].vertices[:, 1]
    assert vertices.max() == pytest.approx(max(table["cwnd_bytes"]) / 1e3)
    assert line.get_ydata().max() < vertices.max()
    # The mean over time is kept.
    times, values = np.asarray(table["time_s"]), np.asarray(table["cwnd_bytes"]) / 1e3
    mean = (values * np.diff(np.append(times, 60.0))).sum() / (60.0 - times[0])
    assert np.mean(line.get_ydata()) == pytest.approx(mean, rel=1e-6)


def test_a_window_that_rests_among_many_that_change_is_level() -> None:
    """Pixels in which nothing changes have the value from before: no slope to the next change."""
    cells = {"topology": "n-source", "sources": 4, "rate": "155.52 Mbps", "access_delay": "5 us", "trunk_delay": "5 us"}
    result = ac.run(ac.Scenario.build(duration="2 s", network=cells, queue={"buffer": "300 cells"}), record="cwnd")
    flow = max(result.scenario.flows, key=lambda name: len(result.series("cwnd", name)))
    times, values = (np.asarray(result.series("cwnd", flow)[column]) for column in ("time_s", "cwnd_bytes"))
    longest = int(np.argmax(np.diff(times)))
    assert len(times) > 4000 and np.diff(times)[longest] > 0.05
    x, y = (np.asarray(data) for data in result.plot("cwnd", of=flow).axes[0].lines[0].get_data())
    inside = y[(x > times[longest]) & (x < times[longest + 1] - 0.01)]
    assert len(inside) > 5 and np.ptp(inside) < 1e-9 and inside[0] == pytest.approx(values[longest] / 1e3)


def test_events_leave_gaps(result: ac.Result) -> None:
    axes = plots.Figure().subplots()
    times = np.concatenate([np.linspace(0, 1, 4000), [2.5], np.linspace(4, 5, 4000)])
    view = plots._View(result, 1, None, (0.0, math.inf), None, {})
    plots._line(axes, view, times, np.ones(len(times)), 0, held=False)
    alone, mean = axes.lines
    x, y = (np.asarray(data) for data in mean.get_data())
    assert np.isnan(y[(x > 1.01) & (x < 2.49)]).all() and np.isnan(y[(x > 2.51) & (x < 3.99)]).all()
    assert np.nansum(y) == pytest.approx(np.isfinite(y).sum()) and np.isfinite(y[x < 0.99]).all()
    assert list(alone.get_xdata()) == pytest.approx([2.5], abs=0.01)


def test_distribution_of_round_trips(result: ac.Result) -> None:
    figure = plots.distribution(result, "rtt")
    (axes,) = figure.axes
    assert axes.get_xlabel() == "Round-trip time [ms]" and axes.get_ylabel() == "share of all"
    first = sorted(value for seed in result.seeds for value in result.series("rtt", "f1", seed=seed)["rtt_s"])
    x, y = (np.asarray(data) for data in axes.lines[0].get_data())
    median = first[len(first) // 2] * 1e3
    assert x[np.searchsorted(y, 0.5)] == pytest.approx(median, abs=1.01)
    assert y[-1] == pytest.approx(1.0) and y[0] == 0.0


def test_distribution_of_what_holds_weighs_by_time(result: ac.Result) -> None:
    axes = plots.distribution(result, "cwnd", seed=1).axes[0]
    table = result.series("cwnd", "f1", seed=1)
    times, values = np.asarray(table["time_s"]), np.asarray(table["cwnd_bytes"])
    held = np.diff(np.append(times, 5.0))
    below = held[values <= 30_000].sum() / held.sum()
    x, y = (np.asarray(data) for data in axes.lines[0].get_data())
    assert y[np.searchsorted(x, 30.0, side="right") - 1] == pytest.approx(below, abs=1e-9)


def test_distribution_of_a_sweep(swept: ac.Sweep) -> None:
    figure = plots.distribution(swept, "goodput", hue="tcp.congestion_control")
    assert legend(figure) == ["cubic", "bbr3"]
    values = sorted(row["goodput_bps"] / 1e6 for row in swept.runs.rows() if row["tcp_congestion_control"] == "cubic")
    assert list(figure.axes[0].lines[0].get_xdata())[1:] == pytest.approx(values)


def test_bars_have_the_intervals_of_the_document(result: ac.Result) -> None:
    figure = plots.bars(result)
    (axes,) = figure.axes
    assert axes.get_ylabel() == "Goodput [Mb/s]" and axes.get_ylim()[0] == 0
    summary = result.document["summary"]["flows"]
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([flow["goodput_bps"]["mean"] / 1e6 for flow in summary])
    ends = axes.containers[0].lines[2][0].get_segments()
    halves = [(segment[1][1] - segment[0][1]) / 2 for segment in ends]
    assert halves == pytest.approx([flow["goodput_bps"]["ci95"] / 1e6 for flow in summary])
    assert "95 %" in figure.get_supxlabel()


def test_bars_of_ports_and_of_numbers_without_a_summary(result: ac.Result) -> None:
    axes = plots.bars(result, "drop_ratio", of=["sw1->sw2", "sw2->sw1"]).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["sw1->sw2", "sw2->sw1"]
    assert axes.get_ylabel() == "Drop ratio [%]"
    with pytest.raises(ac.UsageError, match="no drop_ratio of nowhere; there are"):
        plots.bars(result, "drop_ratio", of=["nowhere"])
    with pytest.raises(ac.UsageError, match="no number 'goodness'; of flows there are goodput_bps"):
        plots.bars(result, "goodness")


def test_students_t_is_that_of_the_document(result: ac.Result) -> None:
    published = {1: 12.7062047362, 2: 4.3026527297, 3: 3.1824463053, 4: 2.7764451052, 10: 2.2281388520, 30: 2.0422724563, 100: 1.9839715185}
    assert {freedom: plots.student_t(freedom) for freedom in published} == pytest.approx(published, abs=1e-9)
    flow = [row["goodput_bps"] for row in result.flows.rows() if row["flow"] == "f1"]
    assert plots.half_width(flow) == pytest.approx(result.document["summary"]["flows"][0]["goodput_bps"]["ci95"])
    assert math.isnan(plots.half_width([1.0]))


def test_categories_are_bars(swept: ac.Sweep) -> None:
    figure = swept.plot("goodput", x="tcp.congestion_control", hue="queue.buffer", where={"queue.buffer": [0.1, 4.0]})
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["cubic", "bbr3"]
    assert legend(figure) == ["0.1", "4"]
    assert len(axes.patches) == 4 and axes.get_ylim()[0] == 0
    assert {bar.get_hatch() for bar in axes.patches} == {"", "////"}
    assert len([one for one in axes.containers if isinstance(one, matplotlib.container.ErrorbarContainer)]) == 2


def test_two_keys_with_numbers_are_a_map(tmp_path: Path) -> None:
    vary = {"queue.buffer": "0.1..4 bdp log 5", "network.bottleneck_rate": ["5 Mbps", "10 Mbps", "15 Mbps", "20 Mbps"]}
    swept = ac.sweep(ac.examples.two_flows().set(duration="1 s"), vary=vary, seeds=1, out=tmp_path / "s", progress=False)
    figure = swept.plot("goodput", x="queue.buffer")
    axes, bar = figure.axes
    assert axes.get_xlabel() == "queue.buffer [BDP]" and axes.get_ylabel() == "network.bottleneck_rate [Mb/s]"
    assert bar.get_ylabel() == "Goodput [Mb/s]"
    assert axes.get_xscale() == "log" and axes.get_yscale() == "linear"
    (mesh,) = (drawn for drawn in axes.collections if isinstance(drawn, matplotlib.collections.QuadMesh))
    cells = {(row["queue_buffer_bdp"], row["network_bottleneck_rate_bps"]): row["goodput_bps"] / 1e6 for row in swept.means.rows()}
    expected = [[cells[x, y] for x in sorted({x for x, _ in cells})] for y in sorted({y for _, y in cells})]
    assert np.asarray(mesh.get_array()).reshape(4, 5) == pytest.approx(np.array(expected))


def test_one_seed_has_no_band(tmp_path: Path) -> None:
    vary = {"queue.buffer": ["0.5 bdp", "1 bdp", "2 bdp"]}
    swept = ac.sweep(ac.examples.two_flows().set(duration="1 s"), vary=vary, seeds=1, out=tmp_path / "s", progress=False)
    figure = swept.plot("efficiency")
    assert figure.axes[0].get_ylabel() == "Efficiency [%]"
    assert len(curves(figure.axes[0])) == 1 and not bands(figure.axes[0]) and not figure.get_supxlabel()


def test_what_would_be_mixed_is_refused(tmp_path: Path) -> None:
    vary = {"queue.buffer": ["0.5 bdp", "1 bdp"], "tcp.congestion_control": ["cubic", "reno"], "network.sources": [1, 2]}
    swept = ac.sweep(ac.examples.two_flows().set(duration="1 s"), vary=vary, seeds=1, out=tmp_path / "s", progress=False)
    with pytest.raises(ac.UsageError, match=r'network_sources would be mixed; choose points, as where=\{"network_sources": 1\}'):
        swept.plot("goodput", x="queue.buffer", hue="tcp.congestion_control")
    figure = swept.plot("goodput", x="queue.buffer", hue="tcp.congestion_control", where={"network.sources": 2})
    assert len(curves(figure.axes[0])) == 2


@pytest.mark.parametrize(
    ("plot", "message"),
    [
        (lambda result, swept: swept.plot("goodputt"), "no number 'goodputt'; do you mean 'goodput_bps'"),
        (lambda result, swept: swept.plot(x="queue.bufer"), "does not vary 'queue.bufer'; do you mean 'queue_buffer_bdp'"),
        (lambda result, swept: swept.plot(where={"queue.buffer": 3}), r"no point has queue.buffer = 3; there are 0\.1"),
        (lambda result, swept: swept.plot(size="three"), 'size=\'three\' is no size; write "one" or "two"'),
        (lambda result, swept: swept.plot(size=(3.5, 0)), "no size of a figure; write"),
        (lambda result, swept: result.plot("srtt"), '"srtt" was not recorded.*record='),
        (lambda result, swept: result.plot("cwnd", of="f9"), "nothing was recorded of 'f9'; there are f1, f2"),
        (lambda result, swept: result.plot("cwnd", seed=9), "no run of seed 9; there are 1, 2, 3"),
        (lambda result, swept: result.plot("cwnd", over=(3, 2)), "is no part of time"),
        (lambda result, swept: result.plot("drops"), "drops has no values over time"),
        (lambda result, swept: ac.run(ac.examples.two_flows()).plot(), "nothing was recorded over time; run it with record="),
    ],
)
def test_bad_input_is_named_with_a_remedy(result: ac.Result, swept: ac.Sweep, plot: Plot, message: str) -> None:
    with pytest.raises(ac.UsageError, match=message):
        plot(result, swept)


def test_numbers_as_expressions(swept: ac.Sweep) -> None:
    assert swept.plot("p95(queueing-delay)").axes[0].get_ylabel() == "Queueing delay, p95 [ms]"


def test_a_missing_matplotlib_is_named_with_the_extra() -> None:
    script = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import ackclock as ac\n"
        "try: ac.run(ac.examples.two_flows(), record='cwnd').plot()\n"
        "except ac.UsageError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "the package matplotlib is not installed; pip install 'ackclock[plot]'"


def test_files_embed_their_letters_and_notebooks_show_the_figure(result: ac.Result, tmp_path: Path) -> None:
    figure = result.plot("queue")
    figure.savefig(tmp_path / "queue.pdf")
    assert b"/FontFile2" in (tmp_path / "queue.pdf").read_bytes()
    for ending in ("pdf", "svg"):
        files = [tmp_path / f"{name}.{ending}" for name in "ab"]
        for file in files:
            result.plot("queue").savefig(file)
        assert files[0].read_bytes() == files[1].read_bytes(), ending
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert "pyplot" not in {name.rpartition(".")[2] for name in sys.modules if name.startswith("matplotlib")}
