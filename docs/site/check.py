"""Runs every block of code of the manual: `make test` calls it with the program that the tests built.

Each page of docs/ has a scratch folder in which its blocks are run in order, with the scenarios of the repository and `lan.toml`, that of
the README, beside them.

    ```console      commands after `$ `, and below each what it prints, on both channels; a line `...` stands for any lines. Where
                    nothing is shown nothing is compared, nor in the line that says how long a sweep takes. The exit code is 0, or that of a comment before the block:
                    <!-- exit 3 -->. `cd` holds to the end of the block. <!-- not run: REASON --> leaves a block out and
                    counts it, and so does <!-- needs tshark --> where that is not installed.
    ```toml title="lan.toml"   a file, which is written; without a title it has to be TOML.
    ```json         has to be JSON.
    ```python       with `--python`: run by that interpreter, all blocks of a page in one process; a ```text block right after it is
                    what it prints. Without: it has to be Python, and counts as not run.
    ```text         what the block of Python before it prints, or text.
    ```sh           a file, or commands that something else runs: with <!-- not run: WHAT RUNS IT -->, only.

A block of another language is an error, and so is a command that is indented as text is: nothing is left out without being counted. What is
left out has to be Python, TOML or a script of the shell all the same. A picture that a page shows, and that its commands draw under the same name in the scratch folder, is
the same octet for octet. `--write` puts what the program prints into the pages, and pictures into docs/.
"""

import argparse
import concurrent.futures
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


# What stands indented and is code. Indented text is formulas and drawings.
INDENTED = re.compile(r" {4,}(?:\$ \S|(?:ackclock|cargo|dask|jupyter|make|pip3?|python3?) [\w./-])")


class Block:
    """A fenced block: its language, what the fence says beside it, its lines, and the comment before it."""

    def __init__(self, number, info, comment):
        self.number, self.comment, self.lines = number, comment, []
        self.language, _, self.options = info.partition(" ")

    def title(self):
        found = re.search(r'title="([^"]+)"', self.options)
        return found and found[1]


def blocks(text):
    found, block, fence, comment = [], None, None, ""
    for number, line in enumerate(text.split("\n"), 1):
        opened = re.match(r"( *)(```+)(.*)", line)
        if block is None and opened:
            fence = opened
            block = Block(number, opened[3].strip(), comment)
        elif block is not None and line.strip() == fence[2]:
            found.append(block)
            block, comment = None, ""
        elif block is not None:
            block.lines.append(line.removeprefix(fence[1]))
        elif line.strip():
            comment = line.strip() if line.strip().startswith("<!--") else ""
    return found


def indented(text):
    """The lines outside of blocks that are indented, as text is, and are commands."""
    inside, found = False, []
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r" *```", line):
            inside = not inside
        elif not inside and INDENTED.match(line):
            found.append((number, line.strip()))
    return found


def valid(block, where):
    """Raises if a block is not what its language says, as far as that is known without running it."""
    text = "\n".join(block.lines) + "\n"
    if block.language == "toml":
        tomllib.loads(text)
    elif block.language == "json":
        json.loads(text)
    elif block.language == "python":
        compile(text, where, "exec")
    elif block.language == "sh":
        done = subprocess.run(["sh", "-n"], input=text, text=True, capture_output=True)
        if done.returncode != 0:
            raise ValueError(f"it is no script of the shell: {done.stderr.strip()}")
    elif block.language == "console":
        commands(block)
    elif block.language != "text":
        raise ValueError(f"blocks of language {block.language or 'none'!r} are not known: nothing would look at it")


def commands(block):
    """The commands of a block, each with the number of its first line and the lines that it prints."""
    found = []
    for offset, line in enumerate(block.lines):
        if line.startswith("$ "):
            found.append((offset, [line[2:]], []))
        elif found and not found[-1][2] and found[-1][1][-1].endswith("\\"):
            found[-1][1].append(line)
        elif found:
            found[-1][2].append(line)
        else:
            raise ValueError("a block of commands begins with `$ `")
    return found


# A line that depends on the machine: how long a sweep takes, and how much disk.
# Where that is long, how far it is.
PROGRESS = r"\d+ %(, about \d+ s left)?: .*"
MACHINE = (r".* on \d+ cores?, .*", r".* on \d+ cores?, .*")


def matches(shown, printed):
    """Whether what is printed is what is shown, where `...` stands for any lines."""
    parts, pattern = [[]], ""
    for line in shown:
        if line.strip() == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    pieces = ["".join((MACHINE[1] if re.fullmatch(MACHINE[0], line) else re.escape(line.rstrip())) + "\n" for line in part) for part in parts]
    pattern = "(?:.*\n)*?".join(pieces)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed)) is not None


def elided(shown, printed):
    """What is printed, without the lines that a page leaves out."""
    kept = []
    for kind, first, last, begin, end in difflib.SequenceMatcher(None, shown, printed, autojunk=False).get_opcodes():
        part, lines = shown[first:last], printed[begin:end]
        if "..." not in part:
            kept += lines if kind != "equal" else part
            continue
        before, after = part.index("..."), len(part) - 1 - part[::-1].index("...")
        behind = min(len(part) - 1 - after, max(0, len(lines) - before))
        kept += [*lines[:before], "...", *lines[len(lines) - behind :]]
    return kept


def verdicts():
    """The table of the verdicts of studies/headlines.txt, which CI compares with what `reproduce --quick` says."""
    text = (ROOT / "studies/headlines.txt").read_text()
    lines = ["| study | published numbers that agree | published claims that hold | skill | rank correlation | evidence | without choices |"]
    lines.append("|---|---|---|---|---|---|---|")
    for file in sorted((ROOT / "studies").glob("*/study.toml")):
        title = tomllib.loads(file.read_text())["title"]
        part = re.sub(r"\s+", " ", re.split(r"\n\n(?=\S[^\n]*\nVerdict\n)", text[text.index(title) :])[0])

        def found(pattern):
            return re.search(pattern, part)

        numbers, claims = (found(rf"published {what} (\d+) (\d+) \d+") for what in ("numbers", "claims"))
        exact = found(r"Exact: (\d+) of (\d+) equal")
        skill, left = found(r"skill ([−\d.]+), rank correlation ([−\d.]+): (\w+) ?evidence"), found(r"were known, (\d+ of the [^.]*?) remain")
        agree = f"{numbers[2]} of {numbers[1]}" + (f"; every digit of {exact[1]} of {exact[2]}" if exact else "")
        row = [f"`{file.parent.name}`", agree if numbers[1] != "0" else "none printed", f"{claims[2]} of {claims[1]}"]
        row += [skill[1], skill[2], skill[3]] if skill else ["", "", ""]
        lines.append("| " + " | ".join([*row, left[1] if left else ""]) + " |")
    return lines


# Reads a block as a line of JSON, runs it in one name space, and writes what it printed and how it ended.
DRIVER = """
import contextlib, io, json, sys, traceback
names, answers = {"__name__": "__main__"}, sys.stdout
for line in sys.stdin:
    where, code = json.loads(line)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            exec(compile(code, where, "exec"), names)
        error = ""
    except BaseException:
        error = traceback.format_exc()
    answers.write(json.dumps([printed.getvalue(), error]) + "\\n")
    answers.flush()
"""


class Session:
    """The Python of a page."""

    def __init__(self, python, folder, environment):
        self.process = subprocess.Popen(
            [python, "-c", DRIVER], cwd=folder, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def run(self, where, code):
        self.process.stdin.write(json.dumps([where, code]) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        return json.loads(answer) if answer else ["", "Python ended"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Checker:
    def __init__(self, program, scratch, write, python=None):
        self.scratch, self.write, self.python = scratch, write, python
        self.lan = next(block for block in blocks((ROOT / "README.md").read_text()) if block.language == "toml")
        self.environment = {**os.environ, "NO_COLOR": "1", "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}

    def page(self, page):
        """What is wrong in a page, how many blocks and commands there are, and what was left out."""
        name = page.relative_to(ROOT / "docs") if ROOT in page.parents else Path(page.name)
        text = page.read_text()
        folder = self.scratch / str(name).removesuffix(".md").replace("/", "-")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "scenarios").symlink_to(ROOT / "scenarios")
        (folder / "lan.toml").write_text("\n".join(self.lan.lines) + "\n")
        wrong, left_out, ran, began = [], [], 0, time.monotonic()
        changes, session, said = [], None, None
        for block in blocks(text):
            where = f"docs/{name}:{block.number}"
            try:
                valid(block, where)
            except (ValueError, SyntaxError) as error:
                wrong.append(f"{where}: {error}")
                continue
            if reason := re.match(r"<!-- not run: (.*?) *-->", block.comment):
                left_out.append(f"{where}: {reason[1]}")
                continue
            needs = re.match(r"<!-- needs (.*?) *-->", block.comment)
            if missing := [tool for tool in (needs[1].split() if needs else []) if not shutil.which(tool)]:
                left_out.append(f"{where}: *** {', '.join(missing)} cannot be had here, NOT CHECKED")
                continue
            there = folder
            before, said = said, None
            try:
                if block.language == "toml" and block.title():
                    (folder / block.title()).write_text("\n".join(block.lines) + "\n")
                elif block.language == "sh":
                    wrong.append(f"{where}: nothing runs it; say what does, as <!-- not run: ... -->, or make it a block of commands (console)")
                elif block.language == "python":
                    if not self.python:
                        left_out.append(f"{where}: Python")
                        continue
                    ran += 1
                    session = session or Session(self.python, folder, self.environment)
                    said, error = session.run(where, "\n".join(block.lines))
                    if error:
                        wrong.append(f"{where}: {error}")
                elif block.language == "text" and before is not None:
                    printed = [line.rstrip() for line in before.rstrip().split("\n")]
                    if not matches(block.lines, printed):
                        if self.write:
                            changes.append((block.number, block.number + len(block.lines), elided(block.lines, printed)))
                        else:
                            lines = difflib.unified_diff(block.lines, printed, "the page", "Python", lineterm="", n=1)
                            wrong.append(f"{where}: Python prints something else:\n" + "\n".join(lines))
                elif block.language == "console":
                    for offset, command, shown in commands(block):
                        ran += 1
                        if re.fullmatch(r"cd [\w./-]+", command[0]):
                            there = there / command[0][3:]
                            continue
                        place = f"docs/{name}:{block.number + 1 + offset}"
                        problem, printed = self.command("\n".join(command), shown, there, block)
                        if printed is not None and self.write:
                            first = block.number + offset + len(command)
                            changes.append((first, first + len(shown), printed))
                        elif problem:
                            wrong.append(f"{place}: {problem}")
            except (ValueError, OSError, subprocess.TimeoutExpired) as error:
                wrong.append(f"{where}: {error}")
        wrong += [f"docs/{name}:{number}: `{line}` is in no block, and nothing runs it" for number, line in indented(text)]
        if session:
            session.close()
        for shown in re.findall(r"!\[[^\]]*\]\(([^)\s]+\.svg)\)", text):
            kept, drawn = page.parent / shown, folder / Path(shown).name
            if drawn.is_file() and not (kept.is_file() and kept.read_bytes() == drawn.read_bytes()):
                if self.write:
                    shutil.copyfile(drawn, kept)
                else:
                    wrong.append(f"docs/{name}: {shown} is not what the commands of the page draw")
        if marked := re.search(r"<!-- verdicts: [^>]*-->\n(.*?)<!-- end -->", text, flags=re.S):
            table = "\n".join(verdicts()) + "\n"
            if self.write:
                text = text.replace(marked[1], table) if marked[1] else text.replace(marked[0], marked[0].replace("<!-- end", table + "<!-- end"))
                page.write_text(text)
            elif marked[1] != table:
                wrong.append(f"docs/{name}: the table of verdicts is not that of studies/headlines.txt")
        if changes:
            lines = text.split("\n")
            for first, last, printed in reversed(changes):
                lines[first:last] = printed
            page.write_text("\n".join(lines))
        return name, wrong, ran, left_out, time.monotonic() - began

    def command(self, command, shown, folder, block):
        """What is wrong with a command, and what it prints if something else is shown."""
        expected = re.match(r"<!-- exit (\d+) -->", block.comment)
        expected = int(expected[1]) if expected else 0
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
        )  # fmt: skip
        printed = [line.rstrip() for line in done.stdout.rstrip().split("\n") if not re.fullmatch(PROGRESS, line)] if done.stdout.strip() else []
        if done.returncode != expected:
            return f"`{command}` ended with {done.returncode}, not {expected}:\n{done.stdout}", None
        while shown and not shown[-1].strip():
            shown = shown[:-1]
        if shown and not matches(shown, printed):
            lines = difflib.unified_diff(shown, printed, "the page", "the program", lineterm="", n=1)
            return f"`{command}` prints something else:\n" + "\n".join(lines), elided(shown, printed)
        return None, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True, type=Path, help="the ackclock that runs")
    parser.add_argument("--python", help="the interpreter that runs blocks of Python")
    parser.add_argument("--scratch", default=ROOT / "target/docs/check", type=Path)
    parser.add_argument("--write", action="store_true", help="put what the program prints into the pages")
    parser.add_argument("pages", nargs="*", type=Path, help="only these pages")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    if not program.is_file() or program.name != "ackclock":
        sys.exit(f"error: {arguments.program} is no ackclock; build it first")
    pages = [page.resolve() for page in arguments.pages] or [page for page in sorted((ROOT / "docs").rglob("*.md")) if HERE not in page.parents]
    python = arguments.python and os.path.abspath(arguments.python)
    checker = Checker(program, arguments.scratch.resolve(), arguments.write, python)
    wrong, ran, left_out, times = [], 0, [], []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, problems, commands_run, missing, took in pool.map(checker.page, pages):
            wrong += problems
            ran += commands_run
            left_out += missing
            times.append((took, name))
    for place in left_out:
        print(f"not run: {place}")
    slowest = ", ".join(f"{name} {took:.0f} s" for took, name in sorted(times, reverse=True)[:3])
    print(f"{ran} commands of {len(pages)} pages of the manual, {len(wrong)} wrong; {slowest}")
    if wrong:
        sys.exit("\n".join(wrong) + "\n`make accept` puts what the program prints into the pages; look at the diff.")


if __name__ == "__main__":
    main()
