"""The reference of the manual, as the program says it: pages of Markdown, made when the site is built."""

import json
import os
import re
import subprocess
import tempfile
import tomllib
from pathlib import Path

import python_reference

ROOT = Path(__file__).resolve().parents[2]

# Runs whose documents have every part: cells with ABR, packets with datagrams, rates for TCP senders, a changing network.
DOCUMENTS = [
    ("scenarios/abr/background.toml", ["warmup=0s", "duration=50ms"]),
    ("scenarios/paths/udp-background.toml", ["warmup=0s", "duration=500ms"]),
    ("scenarios/rate-control/window-feedback.toml", ["warmup=0s", "duration=500ms"]),
    ("scenarios/iridium.toml", ["duration=2s"]),
]


class Program:
    """The program whose words the pages are."""

    def __init__(self, path):
        self.path = str(Path(path).resolve())

    def says(self, *arguments, folder=ROOT):
        done = subprocess.run([self.path, *arguments], cwd=folder, capture_output=True, text=True, env=quiet())
        if done.returncode != 0:
            raise SystemExit(f"error: `ackclock {' '.join(arguments)}` ended with {done.returncode}:\n{done.stderr}")
        return done.stdout

    def explains(self, word):
        """The meanings of a word: what it is, and the lines that say more."""
        meanings = []
        for part in self.says("explain", word).strip().split("\n\n"):
            kind, *lines = part.split("\n")
            meanings.append((kind.split(": ", 1)[1], [line.strip() for line in lines]))
        return meanings


def quiet():
    return {**os.environ, "NO_COLOR": "1"}


def cell(text):
    """A text as a cell of a table: no signs of its own."""
    parts = text.replace("\n", " ").replace("|", "\\|").split("`")
    return "`".join(part if number % 2 else re.sub(r"([<>*_])", r"\\\1", part) for number, part in enumerate(parts))


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def commands(program):
    text = "# Commands\n\nWhat `ackclock COMMAND --help` prints.\n"
    overview = program.says("--help")
    names = re.findall(r"^  ([a-z]+)  ", overview.split("Commands:")[1].split("Options:")[0], flags=re.M)
    text += f"\n## ackclock\n\n```text\n{overview.strip()}\n```\n"
    for name in names:
        if name != "help":
            text += f"\n## {name}\n\n```text\n{program.says(name, '--help').strip()}\n```\n"
    return text


def quantity(units):
    """A number with a unit, by its kind."""
    for kind, sign in [("a size, as in", "bdp"), ("a time, as in", "ms"), ("a rate, as in", "Mbps"), ("octets, as in", "kB")]:
        if sign in units:
            return f'{kind} `"1 {sign}"`' + (" or `\"50 packets\"`" if sign == "bdp" else "")
    return f"a number with a unit ({', '.join(units)})"


def values_of(schema):
    """What a key may be, in words."""
    found = []
    for part in schema.get("anyOf") or schema.get("oneOf") or [schema]:
        if "anyOf" in part or "oneOf" in part:
            found.append(values_of(part))
        elif "enum" in part:
            found += [f"`{word}`" for word in part["enum"]]
        elif part.get("type") == "string" and "pattern" in part:
            units = re.search(r" \*\(([^()]*)\) \*\$$", part["pattern"])
            found.append(quantity(units[1].split("|")) if units else "text")
        elif part.get("type") in ("number", "integer"):
            kind = "a whole number" if part["type"] == "integer" else "a number"
            low = part.get("minimum", part.get("exclusiveMinimum"))
            above = "above" if "exclusiveMinimum" in part else "from"
            high = part.get("maximum")
            if low == high and low is not None:
                kind, low, high = f"`{low}`", None, None
            found.append(kind + (f" {above} {low}" if low is not None else "") + (f" to {high}" if high is not None else ""))
        elif part.get("type") == "boolean":
            found.append("`true`, `false`")
        elif part.get("type") == "array":
            found.append("a list" + (f" of {values_of(part['items'])}" if isinstance(part.get("items"), dict) else ""))
        elif part.get("type") == "object":
            found.append("a table")
        elif part.get("type") == "string":
            found.append("text")
    return ", ".join(dict.fromkeys(found)) or "any"


def tables_in(schema):
    """The tables that a key may be, with the name of the level below."""
    for part in [schema, *schema.get("anyOf", []), *schema.get("oneOf", [])]:
        if "properties" in part:
            yield "", part
        extra = part.get("additionalProperties")
        if isinstance(extra, dict):
            for below, inner in tables_in(extra):
                yield ".NAME" + below, inner


# What other tables repeat comes first.
ORDER = ["network", "queue", "tcp", "traffic", "atm", "abr", "packet", "flow", "udp"]


def keys(program):
    """Every key of scenario files: table, key, what it may be, meaning with default and source."""
    schema = json.loads(program.says("schema"))
    text = (
        "# Keys of scenario files\n\nFrom the schema that `ackclock schema` prints. Each meaning ends with the default and its source; "
        "the [marks and sources](../references.md) are listed apart. `ackclock check FILE --print` shows the keys of a file with their "
        "values. [Scenario files](../scenarios.md) says how a file is written.\n"
    )
    done = set()

    def section(path, part):
        nonlocal text
        rows, below = [], []
        first = [key for key in ORDER if not path and key in part["properties"]]
        for key in [*first, *(key for key in part["properties"] if key not in first)]:
            value = part["properties"][key]
            inner = list(tables_in(value))
            for name, found in inner:
                below.append((f"{path}.{key}{name}".lstrip("."), found))
            if not inner or any("properties" not in other for other in value.get("anyOf", [])):
                rows.append([f"`{key}`", cell(values_of(value)), cell(value.get("description", ""))])
        if rows:
            text += f"\n## {('[' + path + ']') if path else 'Top of the file'}\n\n"
            about = part.get("description")
            text += (cell(about) + "\n\n" if about and path else "") + table(["key", "values", "meaning"], rows)
        for name, found in below:
            # `[flow.NAME.tcp]` has the keys of `[tcp]`: once is enough.
            same = json.dumps(found.get("properties"), sort_keys=True)
            if same in done:
                text += f"\n## [{name}]\n\nAs the table of this name above.\n" if name.count(".") < 3 else ""
                continue
            done.add(same)
            section(name, found)

    section("", schema)
    return text


def names(program):
    """Words that keys may be, as `ackclock list` prints them."""
    text = "# Names\n\nThe words that keys may be, as `ackclock list` prints them. `ackclock explain WORD` says more of one.\n\n"
    rows = []
    lines = program.says("list").split("studies:")[0].strip().split("\n")
    for head, about in zip(lines[::2], lines[1::2]):
        key, words = head.split(": ", 1)
        rows.append([f"`{key}`", ", ".join(f"`{word}`" for word in words.split(", ")), cell(about.strip())])
    return text + table(["key", "words", "meaning"], rows)


def metrics(program):
    """What can be recorded over time."""
    text = "# Metrics\n\nWhat `record` or `run --record` can record over time, as `ackclock explain METRIC` says it.\n"
    for name in program.says("list", "record").split():
        for kind, lines in program.explains(name):
            if not kind.startswith(("a metric", "a group of metrics")):
                continue
            text += f"\n## {name}\n\n{kind[0].upper() + kind[1:]}. {cell(lines[0]) if lines else ''}\n\n"
            text += "".join(f"- {cell(line)}\n" for line in lines[1:])
            break
    return text


def measures(program):
    """The numbers of measures.md with what the program says of each."""
    page = (ROOT / "docs/measures.md").read_text()
    listed = page.split("## The numbers")[1]
    rows = []
    for name in dict.fromkeys(re.findall(r"`([a-z0-9-]+)`", listed.split("\n\n")[1])):
        meanings = [(kind, lines) for kind, lines in program.explains(name) if "measure" in kind or "column of tables of sweeps" in kind]
        for kind, lines in meanings[:1]:
            example = re.search(r"--measure '([^']*)'", kind)
            rows.append([f"`{name}`", cell(" ".join(lines).replace(" docs/measures.md.", "")), f"`{example[1]}`" if example else ""])
    return (
        "# Measures, one by one\n\nThe language is on the page [Measures](../measures.md); here is what each number is, as "
        "`ackclock explain` says it.\n\n" + table(["measure", "meaning", "example"], rows)
    )


def columns(program):
    """The keys of result documents and the columns of sweeps."""
    found = {}

    def walk(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                found.setdefault(key)
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    with tempfile.TemporaryDirectory() as scratch:
        for number, (file, settings) in enumerate(DOCUMENTS):
            arguments = [part for setting in settings for part in ("--set", setting)]
            out = f"{scratch}/{number}"
            walk(json.loads(program.says("run", str(ROOT / file), "--json", "--delays", "--out", out, *arguments, folder=scratch)))
        sweep = ["sweep", str(ROOT / "scenarios/bench/second.toml"), "--set", "duration=200ms", "--vary", "queue.buffer=50 packets,99 packets"]
        program.says(*sweep, "--out", f"{scratch}/sweep", folder=scratch)
        head = Path(f"{scratch}/sweep/table.csv").read_text().split("\n")[0].split(",")
    rows = []
    for key in sorted(found):
        try:
            meanings = program.explains(key)
        except SystemExit:
            # A name of the scenario, not of the document.
            continue
        for kind, lines in meanings:
            if kind.startswith("a key of result.json"):
                rows.append([f"`{key}`", kind.partition(", in ")[2], cell(" ".join(lines))])
    text = (
        "# Columns of results\n\n## Keys of result.json\n\n[Results](../results.md) says how the document is built.\n\n"
        + table(["key", "unit", "meaning"], rows)
    )
    rows = []
    for name in head[head.index("status") + 1 :]:
        for kind, lines in program.explains(name):
            if kind.startswith("a column of tables of sweeps"):
                rows.append([f"`{name}`", kind.partition(", in ")[2], cell(" ".join(lines))])
    return text + (
        "\n## Columns of sweeps\n\nThose of a sweep of packets over a buffer; a scenario with other parts has more. [Sweeps](../sweeps.md) "
        "says what the files are.\n\n" + table(["column", "unit", "meaning"], rows)
    )


def exit_codes(program):
    lines = program.says("explain", "exit-codes").strip().split("\n")[1:]
    rows = [[f"`{code}`", cell(about)] for code, about in (line.strip().split("  ", 1) for line in lines)]
    return (
        "# Exit codes\n\nEvery command ends with one of these; `ackclock explain 3` explains one.\n\n"
        + table(["code", "meaning"], rows)
        + "\nA message of an error names the place (file, line and column, or argument), the reason, and after `help:` a remedy. Several "
        "errors of a scenario are reported together. Warnings begin with `warning:` and change no exit code.\n"
    )


# Where the rules of a family are: the first path of a page says which it is of.
FAMILIES = [
    ("Congestion control", ("tcp/cc/",)),
    ("Loss recovery and timers", ("tcp/recovery/", "tcp/sack/", "tcp/timer/", "tcp/handshake", "tcp/delayed_ack", "keys/dialects")),
    ("Rate control and ABR", ("atm/", "src/feedback/")),
    ("Queues", ("queue/cell/", "queue/packet/")),
    ("Applications and UDP", ("tcp/application/", "traffic/")),
    ("Networks, links and hosts", ("",)),
]


def family(name):
    """The family of the model of this page."""
    page = (ROOT / f"docs/models/{name}.md").read_text()
    path = re.search(r"^## Where in the code\n[^`]*`([^`]+)`", page, flags=re.M)[1]
    return next(title for title, places in FAMILIES if any(place in path for place in places))


def models(_program):
    """Each page of a model with its title, and where its rules come from."""
    text = "# All models\n\nEach page has the rule with its equations, the parameters with defaults, the source, and how it was checked.\n"
    pages = {page.stem: page.read_text() for page in sorted((ROOT / "docs/models").glob("*.md"))}
    for title, _ in FAMILIES:
        rows = []
        for name, page in pages.items():
            if family(name) == title:
                source = re.search(r"^## Source\n(.*?)(?=^## |\Z)", page, flags=re.M | re.S)
                words = dict.fromkeys(re.findall(r"\[[A-Z][A-Za-z0-9+-]*\]|RFC \d{3,4}", source[1] if source else page))
                rows.append([f"[{page.split(chr(10), 1)[0].lstrip('# ')}](../models/{name}.md)", ", ".join(list(words)[:5])])
        text += f"\n## {title}\n\n" + table(["model", "sources"], rows)
    return text


def findings(_program):
    """The recorded differences of the studies."""
    text = (
        "# Known differences\n\nThe findings of the studies: what differs from the publication, or how its text is read. The report of a study "
        "has the reason and the evidence of each. A finding without numbers or claims is a reading of the text.\n"
    )
    for study in sorted((ROOT / "studies").glob("*/study.toml")):
        title = tomllib.loads(study.read_text())["title"]
        rows = []
        for finding in tomllib.loads((study.parent / "findings.toml").read_text())["finding"]:
            covers = [*finding.get("covers", []), *finding.get("whole_only", [])]
            rows.append([finding["id"], cell(finding["title"]), str(len(covers)) if covers else ""])
        text += f"\n## {study.parent.name}\n\n{cell(title)}\n\n" + table(["", "finding", "numbers and claims that differ"], rows)
    return text


INDEX = """# Reference

These pages are made by the program when the manual is built; the same texts are printed by `ackclock COMMAND --help`,
`ackclock explain WORD`, `ackclock list` and `ackclock schema`, and in Python by `help`.

"""

PAGES = [
    ("commands", commands, "what each command does, with its options"),
    ("keys", keys, "every key of scenario files, with default and source"),
    ("names", names, "the words that keys may be"),
    ("metrics", metrics, "what can be recorded over time"),
    ("measures", measures, "numbers of a run, of flows, of ports"),
    ("columns", columns, "keys of `result.json`, columns of sweeps"),
    ("exit-codes", exit_codes, "how commands end"),
    ("findings", findings, "what differs from the publications that are reproduced"),
    ("models", models, "all pages of models, with their sources"),
]


def write(folder, program):
    """All pages, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    program = Program(program)
    made = program.says("--version").strip()
    index = INDEX
    for name, page, about in PAGES:
        text = page(program)
        (folder / f"{name}.md").write_text(text)
        title = text.split("\n", 1)[0].lstrip("# ")
        index += f"- [{title}]({name}.md): {about}\n"
    for name, page in python_reference.pages().items():
        (folder / f"{name}.md").write_text(page.text)
    index += "- [Python](python.md): classes and functions of the package `ackclock`, with those of its modules: "
    index += ", ".join(f"[`{module}`](python-{module}.md)" for module, _, _ in python_reference.MODULES) + "\n"
    (folder / "ackclock.schema.json").write_text(program.says("schema"))
    index += "- [ackclock.schema.json](ackclock.schema.json): the JSON Schema of scenario files, for editors\n"
    (folder / "index.md").write_text(index + f"\nMade by `{made}`.\n")
