"""Tests of the tools of the manual: python3 docs/site/test_site.py."""

import contextlib
import io
import re
import sys
import tempfile
import unittest
from pathlib import Path

import build
import check
import python_reference
import reference


class Outputs(unittest.TestCase):
    def test_what_is_printed_is_what_is_shown(self):
        self.assertTrue(check.matches(["a 1", "b 2"], ["a 1", "b 2  "]))
        self.assertFalse(check.matches(["a 1", "b 2"], ["a 1", "b 3"]))
        self.assertFalse(check.matches(["a 1"], ["a 1", "b 2"]))

    def test_dots_stand_for_any_lines_and_for_none(self):
        for printed in (["a", "b"], ["a", "x", "b"], ["a", "x", "y", "b"]):
            self.assertTrue(check.matches(["a", "...", "b"], printed))
        self.assertFalse(check.matches(["a", "...", "b"], ["a", "x", "b", "c"]))
        self.assertTrue(check.matches(["..."], []))

    def test_how_long_a_sweep_takes_depends_on_the_machine(self):
        self.assertTrue(check.matches(["about a second on 2 cores, 9 kB of disk"], ["about 3 s on 1 core, 10 kB of disk"]))

    def test_lines_that_a_page_leaves_out_stay_left_out(self):
        self.assertEqual(check.elided(["a 1", "...", "z 1"], ["a 2", "b", "c", "z 2"]), ["a 2", "...", "z 2"])
        self.assertEqual(check.elided(["a", "..."], ["a", "b", "c"]), ["a", "..."])
        self.assertEqual(check.elided(["a 1", "b"], ["a 2", "b"]), ["a 2", "b"])


PAGE = """# A page

<!-- exit 3 -->
```console
$ false
```

```toml title="a.toml"
x = 1
```

```console
$ cat \\
    a.toml
x = 1
```
"""


class Blocks(unittest.TestCase):
    def test_blocks_have_languages_titles_and_comments(self):
        first, second, third = check.blocks(PAGE)
        self.assertEqual((first.language, first.comment, first.number), ("console", "<!-- exit 3 -->", 4))
        self.assertEqual((second.title(), second.comment), ("a.toml", ""))
        self.assertEqual(check.commands(third), [(0, ["cat \\", "    a.toml"], ["x = 1"])])

    def page(self, text, write=False, python=None):
        """What is wrong in a page, and the page afterwards."""
        with tempfile.TemporaryDirectory() as scratch:
            page = Path(scratch) / "page.md"
            page.write_text(text)
            checker = check.Checker(Path(scratch) / "ackclock", Path(scratch), write, python)
            return checker.page(page)[1], page.read_text()

    def test_a_page_that_is_right_has_nothing_wrong(self):
        self.assertEqual(self.page(PAGE.replace("false", "exit 3")), ([], PAGE.replace("false", "exit 3")))

    def test_a_wrong_exit_code_a_wrong_output_and_a_wrong_file_are_found(self):
        self.assertIn("ended with 1, not 3", self.page(PAGE)[0][0])
        self.assertIn("prints something else", self.page(PAGE.replace("false", "exit 3").replace("x = 1\n```\n\n", "x = 2\n```\n\n"))[0][0])
        self.assertIn("page.md:1", self.page("```toml\nx = \n```\n")[0][0])

    def test_blocks_that_nothing_would_run_are_found(self):
        for text, problem in [
            ("```bash\ntrue\n```\n", "page.md:1: blocks of language 'bash' are not known"),
            ("```\ntrue\n```\n", "page.md:1: blocks of language 'none' are not known"),
            ("```sh\ntrue\n```\n", "page.md:1: nothing runs it"),
            ("<!-- not run: slow -->\n```sh\nif true\n```\n", "page.md:2: it is no script of the shell"),
            ("<!-- not run: slow -->\n```python\nx = \n```\n", "page.md:2: invalid syntax"),
            ("<!-- not run: slow -->\n```console\ntrue\n```\n", "page.md:2: a block of commands begins with"),
            ("Run it:\n\n    ackclock run lan.toml\n", "page.md:3: `ackclock run lan.toml` is in no block"),
        ]:
            wrong = self.page(text)[0]
            self.assertEqual(len(wrong), 1, wrong)
            self.assertIn(problem, wrong[0])
        for text in ("<!-- not run: slow -->\n```sh\ntrue\n```\n", "    x = cwnd / 2\n", "```text\n    ackclock run\n```\n"):
            self.assertEqual(self.page(text)[0], [])

    def test_what_is_printed_is_put_into_the_page(self):
        wrong, written = self.page(PAGE.replace("false", "exit 3").replace("x = 1\n```\n\n", "x = 2\n```\n\n"), write=True)
        self.assertEqual(wrong, [])
        self.assertTrue(written.endswith("x = 2\n```\n"), written)


    def test_blocks_of_python_share_their_names_and_print_what_is_shown(self):
        text = "```python\nx = 6\n```\n\n```python\nprint(7 * x)\n```\n\n```text\n42\n```\n"
        self.assertEqual(self.page(text, python=sys.executable)[0], [])
        self.assertIn("prints something else", self.page(text.replace("42", "43"), python=sys.executable)[0][0])
        self.assertIn("NameError", self.page(text.replace("x = 6", "y = 6"), python=sys.executable)[0][0])
        self.assertEqual(self.page(text.replace("42", "43"), write=True, python=sys.executable)[1], text)
        self.assertIn("page.md:1", self.page("```python\nx = \n```\n")[0][0])


class Site(unittest.TestCase):
    def test_links_to_nothing_and_what_comes_from_a_network_are_found(self):
        with tempfile.TemporaryDirectory() as site, contextlib.redirect_stderr(io.StringIO()):
            page = Path(site) / "a.html"
            page.write_text('<h1 id="here"></h1><a href="#here"><a href="b.html"><a href="#there"><script src="https://a.example/x.js">')
            with self.assertRaises(SystemExit) as stopped:
                build.checked(Path(site))
        for part in ("b.html, which is not there", "#there: no such heading", "loads https://a.example/x.js"):
            self.assertIn(part, str(stopped.exception))
        self.assertNotIn("#here", str(stopped.exception))

    def test_headings_without_pages_are_left_out(self):
        self.assertEqual(build.filled([{"a": []}, {"b": [{"c": "d.md"}]}]), [{"b": [{"c": "d.md"}]}])

    def test_cells_of_tables_keep_their_signs(self):
        self.assertEqual(reference.cell("a|b *c* `d_e*` f_g"), "a\\|b \\*c\\* `d_e*` f\\_g")

    def test_values_are_named_by_their_kind(self):
        quantity = {"type": "string", "pattern": "^ *[0-9]+ *(us|ms|s) *$"}
        self.assertEqual(reference.values_of({"anyOf": [quantity, {"enum": ["auto"]}]}), 'a time, as in `"1 ms"`, `auto`')
        self.assertEqual(reference.values_of({"type": "integer", "minimum": 2, "maximum": 2}), "`2`")


MODULE = '''"""A module."""

__all__ = ["Thing", "do"]


class Thing:
    """A thing."""

    size: int
    """Its size."""

    def __init__(self, size: int = 1) -> None:
        self.size = size

    def grow(self, by: "Amount" = "a") -> None:
        """Grows, as `do` does.

        Args:
            by: how much; see `Thing`.

        >>> Thing().grow("b")
        """


Amount = str | int
"""A number or a text."""


def do(thing: Thing, /, *, twice: bool = False) -> Thing:
    """Does it."""
'''


class PythonReference(unittest.TestCase):
    def pages(self, module):
        """The pages of a package of one module."""
        chapters, modules, elsewhere, versions = (getattr(python_reference, name) for name in ("CHAPTERS", "MODULES", "ELSEWHERE", "VERSIONS"))
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "__init__.py").write_text('"""A package."""\nfrom ackclock.things import Thing\n__all__ = ["Thing"]\n')
            (Path(folder) / "things.py").write_text(module)
            try:
                python_reference.CHAPTERS, python_reference.MODULES = [("Things", ["Thing"])], [("things", "Things", "things")]
                python_reference.ELSEWHERE, python_reference.VERSIONS = {}, {}
                return python_reference.pages(Path(folder))
            finally:
                (
                    python_reference.CHAPTERS, python_reference.MODULES, python_reference.ELSEWHERE, python_reference.VERSIONS,
                ) = (chapters, modules, elsewhere, versions)  # fmt: skip

    def test_signatures_docstrings_and_examples_are_shown(self):
        text = self.pages(MODULE)["python-things"].text
        for part in (
            "## do { #do }\n\n```python\ndo(thing: Thing, /, *, twice: bool = False) -> Thing\n```\n\nDoes it.\n",
            "### Thing.size { #Thing.size }\n\n```python\nThing.size: int\n```\n\nIts size.\n",
            '```python\nThing.grow(by: Amount = "a") -> None\n```\n\nGrows, as [`do`](#do) does.\n\n'
            "**Arguments**\n\n- `by`: how much; see [`Thing`](#Thing).\n",
            '```pycon\n>>> Thing().grow("b")\n```\n',
            "## Types of arguments\n\n### Amount { #Amount }\n\n```python\nAmount = str | int\n```\n\nA number or a text.\n",
        ):
            self.assertIn(part, text)

    def test_what_lacks_a_docstring_is_named(self):
        for about, place in [
            ('    """Does it."""', "things.py: do"),
            ('    """A thing."""', "things.py: Thing"),
            ('    """Its size."""', "things.py: Thing.size"),
            ('"""A number or a text."""', "Amount"),
        ]:
            with self.assertRaises(SystemExit) as stopped:
                self.pages(MODULE.replace(about, "    pass" if "D" in about else ""))
            self.assertEqual(str(stopped.exception), f"error: {place} has no docstring")

    def test_a_name_that_no_chapter_has_is_named(self):
        with self.assertRaises(SystemExit) as stopped:
            self.pages(MODULE.replace('"do"]', '"do", "undo"]'))
        self.assertIn("undo is in __all__, and is not found", str(stopped.exception))

    def test_links_of_the_package_lead_to_headings(self):
        pages = python_reference.pages()
        links = [(name, link) for name, page in pages.items() for link in re.findall(r"\]\((?:(python[\w-]*)\.md)?#([\w.]+)\)", page.text)]
        self.assertGreater(len(links), 40)
        for name, (page, anchor) in links:
            self.assertIn(anchor, pages[page or name].names)


if __name__ == "__main__":
    unittest.main()
