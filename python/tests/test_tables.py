"""Tables in the hands of data-frame libraries."""

from __future__ import annotations

import time

import pytest

import ackclock as ac


@pytest.fixture(scope="module")
def result() -> ac.Result:
    return ac.run(ac.examples.two_flows(), seeds=2, record=["cwnd", "queue", "drops", "ssthresh"])


def test_plain_python_needs_no_library(result: ac.Result) -> None:
    flows = result.flows
    assert flows["flow"].to_list() == ["f1", "f2", "f1", "f2"] and list(flows["seed"]) == [1, 1, 2, 2]
    assert flows.rows()[2]["goodput_bps"] == flows["goodput_bps"][2] == flows.to_dict()["goodput_bps"][-2]
    assert len(flows) == 4 and "goodput_bps" in flows and list(flows) == flows.columns
    assert set(flows.units) == set(flows.about) == set(flows.columns) and all(flows.about.values())
    assert flows.units["goodput_bps"] == "bit/s" and result.ports.units["queue"] == "packets"
    with pytest.raises(IndexError):
        flows["seed"][4]


def test_polars_takes_them(result: ac.Result) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(result.flows)
    assert frame["goodput_bps"].to_list() == result.flows["goodput_bps"].to_list() and frame["flow"].to_list() == ["f1", "f2", "f1", "f2"]
    assert pl.Series(result.flows["goodput_bps"]).sum() == sum(result.flows["goodput_bps"])


def test_pyarrow_and_pandas_take_them(result: ac.Result) -> None:
    pa, pd = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    table = pa.table(result.flows)
    assert table.to_pydict() == result.flows.to_dict()
    assert table.schema.field("goodput_bps").metadata[b"unit"] == b"bit/s"
    assert pa.array(result.flows["seed"]).to_pylist() == [1, 1, 2, 2]
    assert list(pd.DataFrame.from_arrow(result.flows)["goodput_bps"]) == list(result.flows["goodput_bps"])


def test_duckdb_finds_them(result: ac.Result) -> None:
    duckdb = pytest.importorskip("duckdb")
    flows = result.flows
    assert duckdb.sql("select count(*), sum(goodput_bps) from flows").fetchall() == [(4, sum(flows["goodput_bps"]))]


def test_numpy_takes_columns(result: ac.Result) -> None:
    np = pytest.importorskip("numpy")
    cwnd = result.series("cwnd", "f1", seed=1)
    assert np.asarray(cwnd["cwnd_bytes"]).tolist() == cwnd["cwnd_bytes"].to_list()
    assert np.asarray(cwnd["time_s"], dtype="float32").dtype == "float32"
    seeds = np.asarray(result.flows["seed"])
    assert seeds.dtype == "int64" and seeds.tolist() == [1, 1, 2, 2]
    # Without a copy: the array keeps the column, and cannot change it.
    column = cwnd["cwnd_bytes"]
    array = np.asarray(column, copy=False)
    assert array.__array_interface__["data"] == column.__array_interface__["data"] and not array.flags.writeable and array.base is column
    expected = column.to_list()
    del column, cwnd
    assert array.tolist() == expected
    # Names have no place, and neither has what is missing.
    assert np.asarray(result.flows["flow"]).tolist() == ["f1", "f2", "f1", "f2"]
    missing = ac.run(ac.examples.two_flows().set({"flow.f1.size": "100 kB"})).flows["completion_s"]
    assert missing[0] is not None and missing[1] is None
    assert np.isnan(np.asarray(missing)).tolist() == [value is None for value in missing]
    for column in (result.flows["flow"], missing):
        assert not hasattr(column, "__array_interface__")
        with pytest.raises(ValueError, match="numpy has to copy names, and a column in which numbers are missing"):
            np.asarray(column, copy=False)


def test_what_was_recorded_is_what_the_files_have(result: ac.Result, tmp_path) -> None:
    pl = pytest.importorskip("polars")
    folder = result.save(tmp_path / "saved")
    for metric, column in (("cwnd", "cwnd_bytes"), ("queue", "queue_mean_packets"), ("ssthresh", "ssthresh_bytes"), ("drops", "reason")):
        file = pl.read_parquet(folder / "tables" / "seed-1" / f"{metric}.parquet")
        ours = pl.DataFrame(result.series(metric, seed=1))
        if metric == "queue":
            # A row of the file stands for equal intervals.
            assert ours["end_s"][-1] == pytest.approx(file["end_ps"][-1] / 1e12) and ours[column].max() == file[column].max()
        else:
            assert ours[column].to_list() == file[column].to_list()
            assert (ours["time_s"] - file["time_ps"] / 1e12).abs().max() < 1e-12


@pytest.fixture(scope="module")
def series() -> ac.Table:
    """A million points."""
    scenario = ac.examples.two_flows().set({"duration": "1200 s", "network.bottleneck_rate": "10 Mbps"})
    series = ac.run(scenario, record=["acknowledged", "sent"]).series("sent")
    assert len(series) > 1_000_000
    return series


def test_a_million_points_are_not_copied(series: ac.Table) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(series)
    best = min(timed(lambda: pl.DataFrame(series)) for _ in range(5))
    print(f"{len(series)} points in {1e3 * best:.1f} ms")
    # A library that copied them would take memory of its own for them.
    pa = pytest.importorskip("pyarrow")
    before = pa.total_allocated_bytes()
    table = pa.table(series)
    assert pa.total_allocated_bytes() == before and table.num_rows == len(frame)
    # Polars does not say what it takes, but where its numbers are: at the same places.
    for name in ("time_s", "sent_bytes"):
        column, own = table.column(name), frame[name]
        assert column.num_chunks == own.n_chunks() == 1 and column.null_count == 0
        place = own.to_numpy(allow_copy=False).__array_interface__["data"][0]
        assert place == column.chunk(0).buffers()[1].address, name
    # Of a copy it is another one.
    copied = frame["time_s"].clone().to_numpy(writable=True)
    assert copied.__array_interface__["data"][0] != frame["time_s"].to_numpy(allow_copy=False).__array_interface__["data"][0]


def test_what_pandas_copies_is_what_the_manual_says(series: ac.Table) -> None:
    pa, pd = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    table = pa.table(series)
    places = {name: table.column(name).chunk(0).buffers()[1].address for name in ("seed", "time_s", "sent_bytes")}
    kept = pa.table(table.to_pandas(types_mapper=pd.ArrowDtype))
    assert {name: kept.column(name).chunk(0).buffers()[1].address for name in places} == places
    # Its own columns are blocks of numbers, into which it copies each number once.
    own = pd.DataFrame.from_arrow(series)
    assert all(own[name].to_numpy().__array_interface__["data"][0] != place for name, place in places.items())
    assert own["sent_bytes"].sum() == kept["sent_bytes"].to_pandas().sum()


def test_duckdb_reads_them_where_they_are(series: ac.Table) -> None:
    duckdb = pytest.importorskip("duckdb")
    # With less memory than the numbers take, and no disk.
    connection = duckdb.connect(config={"threads": 1, "memory_limit": "8MB", "max_temp_directory_size": "0KB"})
    assert 24 * len(series) > 24_000_000
    count, last = connection.execute("SELECT count(*), max(time_s) FROM series").fetchone()
    assert count == len(series) and last == max(series["time_s"])
    with pytest.raises(duckdb.OutOfMemoryException):
        connection.execute("CREATE TABLE copied AS SELECT * FROM series")


def timed(call) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def test_a_notebook_shows_a_table_and_charts(result: ac.Result) -> None:
    shown = result._repr_html_()
    assert shown.count("<svg") == 3 and "goodput_bps" in shown and "<script" not in shown
