"""Notebooks, executed by a kernel of Jupyter."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

nbformat = pytest.importorskip("nbformat", reason="Jupyter is not installed: notebooks are NOT RUN")
nbclient = pytest.importorskip("nbclient", reason="Jupyter is not installed: notebooks are NOT RUN")
NOTEBOOKS = sorted((ROOT / "python" / "examples").glob("*.ipynb"))


def outputs(notebook: Any, kind: str) -> list[str]:
    return [str(output["data"][kind]) for cell in notebook.cells for output in cell.get("outputs", []) if kind in output.get("data", {})]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_runs_and_shows_tables_and_charts(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "a notebook is kept without its outputs"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = outputs(notebook, "text/html")
    assert any("<table" in html and "<svg" in html for html in shown)
    assert len(outputs(notebook, "image/png")) >= 2
    assert not any(output["output_type"] == "error" for cell in notebook.cells for output in cell.get("outputs", []))
    nbformat.write(notebook, tmp_path / path.name)


def test_an_interrupted_cell_keeps_what_was_finished(tmp_path: Path) -> None:
    cells = [
        "import ackclock as ac\nlong = ac.examples.two_flows().set(duration='20000 s')",
        "try:\n    ac.run(long, seeds=3)\nexcept ac.Interrupted as stop:\n    print('stopped', stop.result.complete)",
        "print('goes on', len(ac.run(ac.examples.two_flows()).flows))",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})

    def interrupt() -> None:
        while client.code_cells_executed < 1 or client.km is None:
            time.sleep(0.1)
        time.sleep(3)
        # Through the process, as the stop button does: the client of the test waits for the cell.
        client.km.provisioner.process.send_signal(2)

    threading.Thread(target=interrupt, daemon=True).start()
    client.execute()
    said = "".join(output.get("text", "") for cell in notebook.cells for output in cell.outputs)
    assert said == "stopped False\ngoes on 2\n"
    bars = outputs(notebook, "text/html")
    assert all("<progress" in bar or bar == "" for bar in bars)
