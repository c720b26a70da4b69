"""Builds the site of the manual with Zensical, from docs/ and from what the program says; `make docs` calls it.

It puts a tree of Markdown together below the folder given, because pages refer to files outside docs/: those become pages, too. Then it
builds, and checks in the pages as built that each link and picture is there, and that nothing is loaded from elsewhere.
"""

import argparse
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.parse
from pathlib import Path

import reference

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Files of the repository that are pages of the site.
OTHERS = {
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "studies/README.md": "project/files-of-studies.md",
    "bench/README.md": "project/benchmarks.md",
    "bench/results.md": "project/benchmark-results.md",
}
# Those that have no title of their own.
UNTITLED = {"bench/results.md": "Results of the benchmarks"}
# Where links to folders, and to the first page, lead.
FOLDERS = {
    "README.md": "index.md",
    "scenarios": "examples/scenarios.md",
    "scenarios/bench": "examples/bench.md",
    "studies": "project/files-of-studies.md",
    "bench": "project/benchmarks.md",
    "bench/peers": "project/benchmarks.md",
    "docs/models": "reference/models.md",
}


def fail(text):
    sys.exit(f"error: {text}")


def titled(text):
    return re.search(r"^# (.*)$", text, flags=re.M)[1].replace("`", "")


class Tree:
    """The tree of Markdown: pages by their paths, from repository paths."""

    def __init__(self, folder):
        self.folder = folder
        self.of = dict(OTHERS)
        for page in sorted((ROOT / "docs").rglob("*.md")):
            if HERE not in page.parents:
                self.of[f"docs/{page.relative_to(ROOT / 'docs')}"] = str(page.relative_to(ROOT / "docs"))
        self.entries = set(re.findall(r"^\*\*\[([^\]]+)\]\*\*", (ROOT / "docs/references.md").read_text(), flags=re.M))
        shutil.rmtree(folder, ignore_errors=True)

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def link(self, page, target, place):
        """Where a link of a page of the repository leads in the site."""
        if re.match(r"[a-z]+:|#", target):
            return target
        path, _, anchor = target.partition("#")
        there = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if there in self.of:
            goal = self.of[there]
        elif there in FOLDERS:
            goal = FOLDERS[there]
        elif there.startswith("scenarios/") and there.endswith(".toml"):
            group = os.path.dirname(there).removeprefix("scenarios").strip("/") or "scenarios"
            goal, anchor = f"examples/{group}.md", Path(there).stem
        elif there.startswith("docs/reference/"):
            goal = there.removeprefix("docs/")
        elif (ROOT / there).is_file():
            goal = there.removeprefix("docs/") if there.startswith("docs/") else f"files/{there}"
            (self.folder / goal).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / there, self.folder / goal)
        else:
            fail(f"{page} refers to {target}, which is not there")
        return os.path.relpath(goal, os.path.dirname(place) or ".") + (f"#{anchor}" if anchor else "")

    def pages(self):
        for page, place in self.of.items():
            self.write(place, self.of_repository(page, place))

    def of_repository(self, page, place):
        """A page with its links as they are in the site, and lists as Python's Markdown wants them."""
        lines, fence, before = [], None, ""
        for line in (ROOT / page).read_text().split("\n"):
            opened = re.match(r" *(```+|~~~+)", line)
            if opened:
                fence = None if fence and line.strip() == fence else fence or opened[1]
            elif not fence:
                begins = re.match(r"(- |\d+\. )", line)
                if begins and before.strip() and not re.match(r"(- |\d+\. | )", before):
                    lines.append("")
                line = re.sub(r"(?<=\]\()([^)\s]+)(?=\))", lambda found: self.link(page, found[1], place), line)
                line = self.cited(line, place)
                line = re.sub(r'(?<=<img src=")([^"]+)', lambda found: self.link(page, found[1], place), line)
            lines.append(line)
            before = line
        text = "\n".join(lines)
        return text if re.search(r"^# ", text, flags=re.M) else f"# {UNTITLED[page]}\n\n{text}"

    def cited(self, line, place):
        """Keys such as [RF95] lead to their entries in the references; not in code."""
        if place == "references.md":
            return re.sub(r"^\*\*\[([^\]]+)\]\*\*", r'<a id="\1"></a>**[\1]**', line)
        if line.startswith("    "):
            return line
        goal = os.path.relpath("references.md", os.path.dirname(place) or ".")
        parts = line.split("`")
        for number in range(0, len(parts), 2):
            link = lambda found: f"[[{found[1]}]]({goal}#{found[1]})" if found[1] in self.entries else found[0]
            parts[number] = re.sub(r"\[([A-Z][A-Za-z0-9+-]*)\](?![\](])", link, parts[number])
        return "`".join(parts)

    def examples(self):
        """The scenarios of the repository, a page for each folder."""
        groups = {}
        for file in sorted((ROOT / "scenarios").rglob("*.toml")):
            group = str(file.parent.relative_to(ROOT / "scenarios"))
            groups.setdefault("scenarios" if group == "." else group, []).append(file)
        for group, files in sorted(groups.items(), key=lambda item: item[0] != "scenarios"):
            folder = "scenarios" if group == "scenarios" else f"scenarios/{group}"
            text = f"# {folder}/\n\nThe scenarios of this folder of the repository. Each runs as it stands: `ackclock run {folder}/NAME.toml`.\n"
            for file in files:
                text += f"\n## {file.stem}\n\n```toml\n{file.read_text().strip()}\n```\n"
            self.write(f"examples/{group}.md", text)

    def navigation(self):
        """The outline as Zensical wants it. Every page has to be in it."""
        pages = {str(page.relative_to(self.folder)) for page in self.folder.rglob("*.md")}
        named, levels = set(), [[]]
        for line in (HERE / "outline.txt").read_text().split("\n"):
            if not line.strip() or line.startswith("#"):
                continue
            depth = (len(line) - len(line.lstrip())) // 4
            title, _, path = (part.strip() for part in line.rpartition(" | ")) if " | " in line else ("", "", line.strip())
            optional = path.endswith("?")
            path = path.rstrip("? ")
            del levels[depth + 1 :]
            if not re.search(r"\.md$|\*$", path):
                below = []
                levels[depth].append({path: below})
                levels.append(below)
                continue
            found = sorted(pages - named) if path.endswith("*") else [path]
            found = [page for page in found if page == path or (path.endswith("/*") and os.path.dirname(page) == path[:-2])]
            groups = {}
            for page in found:
                if page not in pages:
                    if optional:
                        continue
                    fail(f"docs/site/outline.txt has {page}, which is not there")
                named.add(page)
                entry = {title or titled((self.folder / page).read_text()): page}
                if path == "models/*":
                    groups.setdefault(reference.family(Path(page).stem), []).append(entry)
                else:
                    levels[depth].append(entry)
            levels[depth] += [{family: groups[family]} for family, _ in reference.FAMILIES if family in groups]
        if pages - named:
            fail(f"docs/site/outline.txt lacks {', '.join(sorted(pages - named))}")
        return filled(levels[0])


def filled(entries):
    """Without headings that have nothing below them."""
    kept = []
    for entry in entries:
        ((title, value),) = entry.items()
        value = filled(value) if isinstance(value, list) else value
        if value:
            kept.append({title: value})
    return kept


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key, ensure_ascii=False)} = {toml(inner)}" for key, inner in value.items()) + " }"
    return "[" + ", ".join(map(toml, value)) + "]" if isinstance(value, list) else json.dumps(value, ensure_ascii=False)


def own_worker(site):
    """Pages opened as files search, too: without the script that Zensical would load from a network for that."""
    for file in site.rglob("*.html"):
        base = os.path.relpath(site, file.parent)
        file.write_text(file.read_text().replace("https://unpkg.com/iframe-worker/shim", f"{base}/worker.js"))


class Page(html.parser.HTMLParser):
    """Links, anchors, and what is loaded, of a page as built."""

    def __init__(self, file):
        super().__init__()
        self.links, self.anchors, self.loaded = [], set(), []
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        has = dict(attributes)
        self.anchors.update(value for key in ("id", "name") if (value := has.get(key)))
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        elif tag in ("img", "script", "iframe", "source") and has.get("src"):
            self.loaded.append(has["src"])
        elif tag == "link" and has.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(has.get("href", ""))


def checked(site):
    """Every link leads to a page and an anchor that exist; nothing is loaded from a network."""
    pages = {file: Page(file) for file in sorted(site.rglob("*.html"))}
    wrong, links = [], 0
    for file, page in pages.items():
        name = file.relative_to(site)
        for target in page.loaded:
            if re.match(r"(https?:)?//", target):
                wrong.append(f"{name} loads {target}")
        for target in [*page.links, *page.loaded]:
            if re.match(r"[a-z]+:|//", target) or not target or file.name == "404.html":
                continue
            links += 1
            path, _, anchor = target.partition("#")
            path = urllib.parse.unquote(path.partition("?")[0])
            goal = (file.parent / path).resolve() if path else file
            goal = goal / "index.html" if goal.is_dir() else goal
            if not goal.exists():
                wrong.append(f"{name} refers to {target}, which is not there")
            elif anchor and goal in pages and not anchor.startswith("__") and urllib.parse.unquote(anchor) not in pages[goal].anchors:
                wrong.append(f"{name} refers to {target}: no such heading")
    for style in site.rglob("*.css"):
        if found := re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^\"')]*", style.read_text()):
            wrong.append(f"{style.relative_to(site)} loads {found[0]}")
    if wrong:
        fail("links of the site:\n    " + "\n    ".join(wrong))
    if len(pages) < 80 or links < 1000:
        fail(f"only {len(pages)} pages with {links} links")
    return len(pages), links


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True, help="the ackclock whose words the reference is")
    parser.add_argument("--zensical", required=True, help="the program that builds")
    parser.add_argument("--out", default=ROOT / "target/docs", type=Path, help="the folder for the tree, and site/ in it")
    parser.add_argument("--serve", action="store_true", help="serve it afterwards, on this machine only")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    tree = Tree(out / "tree")
    tree.folder.mkdir(parents=True)
    tree.pages()
    tree.examples()
    reference.write(tree.folder / "reference", arguments.program)
    for name in ("site.css", "worker.js"):
        shutil.copyfile(HERE / name, tree.folder / name)
    text = (HERE / "zensical.toml").read_text()
    folders = f'docs_dir = "tree"\nsite_dir = "site"\nnav = {toml(tree.navigation())}\n'
    (out / "zensical.toml").write_text(text.replace("[project]\n", f"[project]\n{folders}", 1))
    shutil.rmtree(out / "site", ignore_errors=True)
    built = subprocess.run(
        [Path(arguments.zensical).absolute(), "build", "--clean", "--strict", "-f", out / "zensical.toml"], cwd=out, capture_output=True, text=True
    )
    if built.returncode != 0:
        fail(f"Zensical ended with {built.returncode}:\n{built.stdout}{built.stderr}")
    own_worker(out / "site")
    pages, links = checked(out / "site")
    print(f"{pages} pages, {links} links: {out / 'site/index.html'}")
    if arguments.serve:
        server = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", out / "site", "8000"]
        print("http://127.0.0.1:8000/ until Ctrl-C", flush=True)
        try:
            subprocess.run(server, check=False)
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
