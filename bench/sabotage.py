#!/usr/bin/env python3
"""Whether the tests of families notice mistakes in their members: `make sabotage`.

bench/sabotage.toml lists single changes to sources, each a mistake: a wrong unit, a limit that does not hold, a flag the wrong way
round, random numbers that do not depend on the seed, a hint that is not true. Each is made in a copy of the last commit; then the
tests that it names must build, and one of them must fail. The exit code is 1 if a mistake is not noticed, 2 if the list does not fit
the sources: a mistake does not build, or a test does not exist, which counts as not noticed, and the next one is made. The tests of the
unchanged copy are run first, so that what fails anyway is not taken for a mistake that is noticed. `--list` reads the sources as they are.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
FILE = os.path.join(HERE, "sabotage.toml")
# A mistake may make a test loop; no build and no test takes as long.
LONGEST_S = 1800
KINDS = ["unit", "limit", "flag", "stream", "hint"]
NO_BUILD, NO_TEST = "DOES NOT BUILD", "NO SUCH TEST"
KEYS = {"name", "trial", "kind", "about", "file", "old", "new", "tests"}


def stop(message):
    """Ends the program: the list does not fit."""
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


def read(path):
    """The mistakes of the list, each checked against its file."""
    with open(path, "rb") as file:
        mistakes = tomllib.load(file).get("sabotage", [])
    names = set()
    for number, mistake in enumerate(mistakes, 1):
        name = mistake.get("name", f"number {number}")
        if set(mistake) != KEYS:
            stop(f"{name}: it has the keys {sorted(mistake)}; write {sorted(KEYS)}")
        if mistake["kind"] not in KINDS:
            stop(f"{name}: kind {mistake['kind']!r} is unknown; known: {', '.join(KINDS)}")
        if name in names:
            stop(f"{name}: there are two of this name; choose another")
        if not mistake["tests"]:
            stop(f"{name}: no tests; name one that must fail, as \"-p ackclock --test networks flow_queues\"")
        names.add(name)
    return mistakes


def sabotaged(text, mistake):
    """The text of the file with the mistake in it."""
    times = text.count(mistake["old"])
    if times != 1:
        stop(f"{mistake['name']}: the old text occurs {times} times in {mistake['file']}; it must occur once")
    return text.replace(mistake["old"], mistake["new"])


def check(mistakes, tree):
    """Ends the program where a mistake does not fit its file."""
    for mistake in mistakes:
        with open(os.path.join(tree, mistake["file"]), encoding="utf-8") as file:
            sabotaged(file.read(), mistake)


def cargo(tree, target, arguments):
    """Runs `cargo test`; its exit code and what it says."""
    environment = os.environ | {"CARGO_TARGET_DIR": target, "RUST_BACKTRACE": "0"}
    command = ["timeout", str(LONGEST_S), "cargo", "test", "--locked", *arguments]
    done = subprocess.run(command, cwd=tree, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def run(tree, target, test):
    """Builds and runs a test, `OPTIONS FILTER`: "passed", "failed", or why neither; and the names of the tests that failed."""
    arguments = shlex.split(test)
    # The filter is no option, and no value of one.
    places = [at for at, word in enumerate(arguments) if not word.startswith("-") and arguments[at - 1] not in ("-p", "--test")]
    options, filters = [word for at, word in enumerate(arguments) if at not in places], [arguments[at] for at in places]
    code, said = cargo(tree, target, ["--no-run", *options])
    if code != 0:
        # A target that does not exist is no mistake in a source.
        return NO_TEST if re.search(r"no (test|library) target|did not match any packages", said) else NO_BUILD, said
    code, said = cargo(tree, target, [*options, "--", *filters])
    if sum(int(number) for number in re.findall(r"^running (\d+) tests?$", said, re.MULTILINE)) == 0:
        return NO_TEST, said
    return "passed" if code == 0 else "failed", said


def failed_tests(said):
    return re.findall(r"^test (\S+) \.\.\. FAILED$", said, re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help="the mistakes to make, or the beginnings of their names; all if none is given")
    parser.add_argument("--list", action="store_true", help="print the list, checked against the sources of the last commit")
    parser.add_argument("--target", default=os.path.join(ROOT, "target", "sabotage"), help="where the copy is built")
    parser.add_argument("--no-baseline", action="store_true", help="do not run the tests of the unchanged copy first")
    given = parser.parse_args()
    mistakes = read(FILE)
    for name in given.names:
        if not any(mistake["name"].startswith(name) for mistake in mistakes):
            stop(f"there is no {name!r}; --list prints all")
    if given.names:
        mistakes = [mistake for mistake in mistakes if mistake["name"].startswith(tuple(given.names))]
    if given.list:
        check(mistakes, ROOT)
        for mistake in mistakes:
            print(f"{mistake['name']:<28} {mistake['kind']:<7} {mistake['about']}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        tree = os.path.join(folder, "tree")
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree, "HEAD"], cwd=ROOT, check=True)
        try:
            return at_work(mistakes, tree, os.path.abspath(given.target), given)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=True)


def at_work(mistakes, tree, target, given):
    """Makes the mistakes in the copy, one after the other; the exit code."""
    check(mistakes, tree)
    if not given.no_baseline:
        for test in dict.fromkeys(test for mistake in mistakes for test in mistake["tests"]):
            outcome, said = run(tree, target, test)
            if outcome != "passed":
                print(said[-4000:], file=sys.stderr)
                stop(f"without any mistake: {test}: {outcome}")
    missed, unfit = 0, False
    print(f"{'mistake':<28} {'kind':<7} {'s':>4}  noticed by", flush=True)
    for mistake in mistakes:
        begun, path = time.monotonic(), os.path.join(tree, mistake["file"])
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(sabotaged(text, mistake))
        noticed, wrong = noticed_by(mistake, tree, target)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        missed += noticed is None
        unfit |= bool(wrong)
        seconds = time.monotonic() - begun
        row = "; ".join(filter(None, [noticed or (None if wrong else "NOBODY"), *wrong]))
        print(f"{mistake['name']:<28} {mistake['kind']:<7} {seconds:>4.0f}  {row}", flush=True)
    print(f"{len(mistakes) - missed} of {len(mistakes)} mistakes are noticed")
    return 2 if unfit else 1 if missed else 0


def noticed_by(mistake, tree, target):
    """The tests that fail with the mistake in the tree, of the first arguments with which one does, or None; and what does not fit."""
    wrong = []
    for test in mistake["tests"]:
        outcome, said = run(tree, target, test)
        if outcome == "failed":
            names = failed_tests(said)
            return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "") if names else test, wrong
        if outcome != "passed":
            print(said[-4000:], file=sys.stderr)
            wrong.append(f"{outcome}: {test}")
    return None, wrong


if __name__ == "__main__":
    sys.exit(main())
