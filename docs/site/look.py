"""Opens every page of the built site in Chromium, as wide as a desk and as a phone: no page is wider than its screen, and every picture
is there. It is left out, with a message, where there is no Chromium.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WIDTHS = (1400, 390)

# Pages one after the other in frames of the width; what is wrong is written into the document, which Chromium prints.
SHELL = """<!doctype html><meta charset="utf-8"><pre id="said"></pre><script>
const pages = %s, widths = %s, said = [];
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const look = async (page, width) => {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${width}px;height:900px;border:0`;
  frame.src = page;
  await new Promise((done) => { frame.onload = done; document.body.append(frame); });
  await wait(10);
  const inside = frame.contentDocument;
  const wide = inside.documentElement.scrollWidth;
  if (wide > width) {
    const scrolls = "pre, table, .md-typeset__scrollwrap";
    const outside = [...inside.querySelectorAll("main *")].find((e) => e.getBoundingClientRect().right > width + 1 && !e.closest(scrolls));
    said.push(`${page} at ${width} px is ${wide} px wide${outside ? `: ${outside.outerHTML.slice(0, 120)}` : ""}`);
  }
  for (const image of inside.images) if (image.complete && !image.naturalWidth) said.push(`${page}: ${image.src} is no picture`);
  frame.remove();
};
(async () => {
  const left = widths.flatMap((width) => pages.map((page) => [page, width]));
  const some = async () => { while (left.length) await look(...left.pop()); };
  await Promise.all([some(), some(), some(), some()]);
  said.push(`${pages.length * widths.length} pages seen`);
  document.getElementById("said").textContent = JSON.stringify(said);
  document.title = "done";
})();
</script>"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("site", type=Path, help="the folder of the built site")
    site = parser.parse_args().site.resolve()
    chromium = next((found for name in NAMES if (found := shutil.which(name))), None)
    if not chromium:
        print("*** Chromium cannot be had here: how the pages of the manual look is NOT CHECKED", file=sys.stderr)
        return
    pages = [file.as_uri() for file in sorted(site.rglob("*.html")) if file.name != "404.html"]
    with tempfile.TemporaryDirectory() as scratch:
        shell = Path(scratch) / "shell.html"
        shell.write_text(SHELL % (json.dumps(pages), json.dumps(WIDTHS)))
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", f"--user-data-dir={scratch}/profile"]
        command += ["--virtual-time-budget=600000", "--window-size=1500,1000", "--dump-dom", shell.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    said = re.search(r'<pre id="said">(\[.*?\])</pre>', done.stdout, flags=re.S)
    if not said:
        sys.exit(f"error: Chromium says nothing of the pages:\n{done.stderr[-2000:]}")
    *wrong, seen = json.loads(said[1].replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&"))
    if wrong:
        sys.exit("error: pages of the manual:\n    " + "\n    ".join(wrong))
    print(f"{seen} in Chromium")


if __name__ == "__main__":
    main()
