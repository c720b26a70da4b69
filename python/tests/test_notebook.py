"""Notebooks, executed by a kernel of Jupyter."""

from __future__ import annotations

import base64
import collections
import html
import json
import re
import runpy
import shutil
import subprocess
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


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def executed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A notebook with its outputs."""
    notebook = nbformat.read(request.param, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "a notebook is kept without its outputs"
    folder = tmp_path_factory.mktemp("notebook")
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


def test_a_notebook_runs_and_shows_tables_and_charts(executed: Any, tmp_path: Path) -> None:
    shown = outputs(executed, "text/html")
    assert any("<table" in text and "<svg" in text for text in shown)
    assert len(outputs(executed, "image/png")) >= 2
    assert not any(output["output_type"] == "error" for cell in executed.cells for output in cell.get("outputs", []))
    nbformat.write(executed, tmp_path / "executed.ipynb")


# Of each table and picture its width, its height and how many colours it has; then the words that are seen.
LOOK = """<pre id="said"></pre><script>onload = () => {
const colours = (image) => {
  const canvas = Object.assign(document.createElement("canvas"), { width: image.naturalWidth, height: image.naturalHeight });
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  return new Set(new Uint32Array(pen.getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;
};
const seen = [...document.querySelectorAll("table, svg, img")].map((e) => {
  const { width, height } = e.getBoundingClientRect();
  return [e.tagName.toLowerCase(), width, height, e.naturalWidth ? colours(e) : null];
});
document.getElementById("said").textContent = btoa(unescape(encodeURIComponent(JSON.stringify([seen, document.body.innerText]))));
}</script>"""


def test_a_notebook_is_seen_in_a_browser(executed: Any, tmp_path: Path) -> None:
    chromium = next(filter(None, map(shutil.which, runpy.run_path(str(ROOT / "docs/site/look.py"))["NAMES"])), None)
    if chromium is None:
        pytest.skip("*** Chromium cannot be had here: how a notebook looks is NOT CHECKED")
    body = []
    for cell in executed.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data:
                body.append(f"<div>{data['text/html']}</div>")
            elif "image/png" in data:
                body.append(f'<div><img src="data:image/png;base64,{data["image/png"].strip()}"></div>')
            else:
                body.append(f"<pre>{html.escape(output.get('text') or data.get('text/plain') or str(output))}</pre>")
    page = tmp_path / "page.html"
    page.write_text('<!doctype html><meta charset="utf-8">' + "\n".join(body) + LOOK)
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile", "--window-size=1200,900"]
    done = subprocess.run(
        [*command, "--virtual-time-budget=60000", "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=99
    )
    said = re.search(r'<pre id="said">([^<]+)</pre>', done.stdout)
    assert said is not None, done.stderr[-2000:]
    seen, words = json.loads(base64.b64decode(said[1]))
    print(seen)
    for tag, width, height, colours in seen:
        assert width > 100 and height > 40, (tag, width, height)
        assert colours is None or colours > 20, f"a {tag} of {colours} colours"
    counted = collections.Counter(tag for tag, *_ in seen)
    assert counted["table"] >= 2 and counted["img"] == len(outputs(executed, "image/png")) >= 2 and counted["svg"] >= 2, counted
    assert "goodput_bps" in words and "Mb/s" in words
    assert not re.search(r"Traceback|Error|Exception|\bNaN\b|\bundefined\b", words), words


def test_an_interrupted_cell_keeps_what_was_finished(tmp_path: Path) -> None:
    cells = [
        "import ackclock as ac\nlong = ac.examples.two_flows().set(duration='20000 s')",
        "try:\n    ac.run(long, seeds=3)\nexcept ac.Interrupted as stop:\n    print('stopped', stop.result.complete)",
        "print('goes on', len(ac.run(ac.examples.two_flows()).flows))",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})

    bars: list[str] = []

    def interrupt() -> None:
        deadline = time.monotonic() + 20
        while not bars and time.monotonic() < deadline:
            time.sleep(0.1)
            bars.extend(bar for bar in outputs(notebook, "text/html") if "<progress" in bar)
        # Through the process, as the stop button does: the client of the test waits for the cell.
        client.km.provisioner.process.send_signal(2)

    threading.Thread(target=interrupt, daemon=True).start()
    client.execute()
    assert bars, "no bar was shown"
    said = "".join(output.get("text", "") for cell in notebook.cells for output in cell.outputs)
    assert said == "stopped False\ngoes on 2\n"
    assert re.match(r'<progress max="1" value="0\.\d{4}" [^>]*></progress> \d+ %.*: \d of 3 runs, ', bars[0]), bars[0]
    assert outputs(notebook, "text/html") == [""], "one bar, which is gone at the end"
