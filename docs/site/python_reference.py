"""The reference of the Python package: pages of Markdown, made of its source, its stubs and their docstrings. Nothing of it is run.

What is public are the names of `__all__` of the package and of its modules, and what their classes have without an underscore in front. Each
has to have a docstring.
"""

import ast
import inspect
import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "python/ackclock"

# The chapters of the page of the package, with the names of each.
CHAPTERS = [
    ("Scenarios", ["Scenario", "check", "check_text"]),
    ("Runs", ["run", "Result"]),
    ("Tables", ["Table", "Column"]),
    ("Sweeps", ["sweep", "Sweep"]),
    ("Runs that are stepped through", ["Simulation", "Observation"]),
    ("Published studies", ["reproduce", "studies", "Study"]),
    ("Errors", ["AckclockError", "UsageError", "ScenarioError", "OutsideError", "DefectError", "Interrupted", "Diagnostic"]),
]
# Names of the package that other pages have, and texts of it.
ELSEWHERE = {"CongestionControl": "mechanisms", "PacketPolicy": "mechanisms", "examples": "examples", "mechanisms": "mechanisms"}
VERSIONS = {
    "__version__": "The version of the package.",
    "result_version": "Changes whenever any run could give other numbers.",
}
# The pages of modules: name, title, what they are about.
MODULES = [
    ("mechanisms", "Mechanisms in Python", "classes of congestion controls and drop policies, and what they are told"),
    ("gym", "Environments", "environments of Gymnasium"),
    ("plots", "Figures", "figures of results and sweeps"),
    ("cluster", "Clusters", "sweeps on other machines"),
    ("examples", "Examples", "small scenarios for first steps"),
]
SECTIONS = {"Args": "Arguments", "Returns": "Returns", "Raises": "Raises", "Attributes": "Attributes"}


def fail(text):
    raise SystemExit(f"error: {text}")


class Source:
    """A module, as its text says it: what is defined there, and where other names come from."""

    def __init__(self, file):
        self.file = file
        self.tree = ast.parse(file.read_text())
        self.defined, self.documented, self.imported, self.foreign, self.public = {}, {}, {}, {}, []
        self._read_all(self.tree.body)

    def _read_all(self, body):
        for statement, after in zip(body, [*body[1:], None]):
            self._read(statement, after)

    def _read(self, statement, after):
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                self.defined[name] = statement
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                self.defined[name] = statement
                self.documented[name] = said(after)
                if name == "__all__":
                    self.public = ast.literal_eval(statement.value)
            case ast.ImportFrom(module=module, names=names) if module and module.startswith("ackclock"):
                for one in names:
                    self.imported[one.asname or one.name] = (module.removeprefix("ackclock").lstrip("."), one.name)
            case ast.ImportFrom(module=module, names=names):
                self.foreign.update((one.asname, f"{module}.{one.name}") for one in names if one.asname)
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body) | ast.Try(body=body):
                self._read_all(body)

    def about(self):
        return ast.get_docstring(self.tree) or fail(f"{self.file.name} has no docstring")


class Package:
    """The modules of the package by their names; "" is the package itself."""

    def __init__(self, folder=PACKAGE):
        self.folder = folder
        self.modules = {}

    def module(self, name):
        if name not in self.modules:
            file = self.folder / ("_core.pyi" if name == "_core" else f"{name or '__init__'}.py")
            self.modules[name] = Source(file)
        return self.modules[name]

    def found(self, module, name):
        """Where a name of a module is defined: the source, and the statement."""
        source = self.module(module)
        if name in source.defined:
            return source, source.defined[name]
        if name in source.imported:
            return self.found(*source.imported[name])
        return fail(f"ackclock{'.' + module if module else ''}: {name} is in __all__, and is not found")

    def aliases(self):
        """Names that stand for types, with what they are and what is said of them."""
        found = {}
        for file in sorted(self.folder.glob("*.py")):
            source = self.module("" if file.stem == "__init__" else file.stem)
            for name, statement in source.defined.items():
                if isinstance(statement, ast.AnnAssign | ast.Assign) and re.match(r"[A-Z][a-z]", name):
                    found[name] = (written(statement.value), source.documented[name])
        return found


def said(statement):
    """The text of a docstring, which may stand below an attribute."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return inspect.cleandoc(text)
    return ""


def written(annotation):
    """A type as it is shown: without quotes around it, and without the module of the compiled part."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    return code_of(annotation).replace("_core.", "").replace("np.ndarray[Any, np.dtype[np.float32]]", "np.ndarray")


def code_of(expression):
    """An expression with the quotes that the package has."""
    text = ast.unparse(expression)
    return text if '"' in text else text.replace("'", '"')


def signature(name, function, *, is_method=False):
    """How something is called, over several lines where it is long."""
    given = function.args
    first = 1 if is_method and not any(written(one) == "staticmethod" for one in function.decorator_list) else 0
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + given.defaults
    parts = []
    for number, (one, default) in enumerate(zip(plain, defaults)):
        if number >= first:
            parts.append(argument(one, default))
        if given.posonlyargs and number == len(given.posonlyargs) - 1 and number >= first:
            parts.append("/")
    if given.vararg:
        parts.append("*" + argument(given.vararg, None))
    elif given.kwonlyargs:
        parts.append("*")
    parts += [argument(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults)]
    if given.kwarg:
        parts.append("**" + argument(given.kwarg, None))
    returns = f" -> {written(function.returns)}" if function.returns and function.name != "__init__" else ""
    line = f"{name}({', '.join(parts)}){returns}"
    return line if len(line) <= 100 else f"{name}(\n" + "".join(f"    {part},\n" for part in parts).replace("*,,", "*,") + f"){returns}"


def argument(one, default):
    text = one.arg + (f": {written(one.annotation)}" if one.annotation else "")
    return text + (f" = {code_of(default)}" if default is not None and one.annotation else f"={code_of(default)}" if default else "")


class Page:
    """A page: its text, and the names that it has a heading for."""

    def __init__(self, name, links, aliases):
        self.name, self.links, self.aliases = name, links, aliases
        self.text, self.names, self.shown = "", [], ""

    def heading(self, depth, name, code):
        self.names.append(name)
        self.text += f"\n{'#' * depth} {name} {{ #{name} }}\n"
        if code:
            self.shown += code + "\n"
            self.text += f"\n```python\n{code}\n```\n"

    def prose(self, text, place):
        """A docstring as Markdown: examples as blocks of code, names of the package as links, lists of arguments as lists."""
        if not text:
            fail(f"{place} has no docstring")
        self.text += "\n"
        for part in re.split(r"\n{2,}", text):
            lines = part.split("\n")
            begins = next((number for number, line in enumerate(lines) if line.startswith(">>> ")), len(lines))
            if begins:
                self.paragraph(lines[:begins])
            if begins < len(lines):
                self.text += "```pycon\n" + "\n".join(lines[begins:]) + "\n```\n\n"

    def paragraph(self, lines):
        title = lines[0].rstrip(":")
        if lines[0].endswith(":") and title in SECTIONS:
            self.text += f"**{SECTIONS[title]}**\n\n"
            items = re.split(r"\n(?=\S)", inspect.cleandoc("\n".join(lines[1:])))
            for item in items:
                name, colon, about = " ".join(line.strip() for line in item.split("\n")).partition(": ")
                named = colon and re.fullmatch(r"\*{0,2}\w+(, \w+)*", name)
                self.text += f"- {self.linked(f'`{name}`')}: {self.linked(about)}\n" if named else f"- {self.linked(name + colon + about)}\n"
            self.text += "\n"
            return
        self.text += self.linked("\n".join(lines)) + "\n\n"

    def linked(self, text):
        """Names in code that the reference has a heading for lead there."""

        def link(found):
            name = found[1].removeprefix("ackclock.").removeprefix("ac.")
            place = self.links.get(f"{self.name.removeprefix('python').lstrip('-')}.{name}")
            # A word of another page is one like any other; a class, and what has a dot, is not.
            if not place and re.search(r"^[A-Z]|\.", name):
                place = self.links.get(name)
            return f"[`{found[1]}`]({'' if place[0] == self.name else place[0] + '.md'}#{place[1]})" if place else found[0]

        # Names as UsageError are links without the signs of code, too.
        parts = text.split("`")
        parts[::2] = [re.sub(r"\b([A-Z][a-z]+[A-Z][A-Za-z]+)\b", lambda found: f"`{found[0]}`" if found[0] in self.links else found[0], part)
                      for part in parts[::2]]  # fmt: skip
        return re.sub(r"(?<![\[`])`([\w.]+)`(?!`)", link, "`".join(parts))

    def kinds(self):
        """The types that the signatures of the page name, and that are not classes."""
        left = dict(self.aliases)
        while used := [name for name in left if re.search(rf"(?<!\.)\b{name}\b", self.shown) and name not in self.names]:
            if left == self.aliases:
                self.text += "\n## Types of arguments\n"
            for name in used:
                value, about = left.pop(name)
                self.heading(3, name, f"{name} = {value}")
                self.prose(about, name)


def members(source, statement):
    """What a class has that is public: each name with its statement, and the text below an attribute."""
    for one, after in zip(statement.body, [*statement.body[1:], None]):
        match one:
            case ast.FunctionDef(name=name) if not name.startswith("_"):
                yield name, one, ast.get_docstring(one) or ""
            case ast.AnnAssign(target=ast.Name(id=name)) if not name.startswith("_"):
                yield name, one, said(after)


def described(page, depth, source, name, statement):
    """A class or function of a page."""
    place = f"{source.file.name}: {name}"
    if isinstance(statement, ast.FunctionDef):
        page.heading(depth, name, signature(name, statement))
        return page.prose(ast.get_docstring(statement), place)
    if not isinstance(statement, ast.ClassDef):
        page.heading(depth, name, f"{name} = {written(statement.value)}")
        return page.prose(source.documented[name], place)
    decorators = [written(one).split("(")[0] for one in statement.decorator_list]
    begins = next((one for one in statement.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    bases = [source.foreign.get(written(base), written(base)) for base in statement.bases]
    is_public = begins is not None and ast.get_docstring(begins)
    code = signature(name, begins, is_method=True) if is_public else name + (f"({', '.join(bases)})" if bases else "")
    page.heading(depth, name, f"class {code}")
    page.prose(ast.get_docstring(statement), place)
    if is_public:
        page.prose(ast.get_docstring(begins), place)
    attributes = re.search(r"^Attributes:\n((?: +.*\n?)+)", ast.get_docstring(statement), re.MULTILINE)
    told = attributes[1] if attributes else ""
    for member, of, about in members(source, statement):
        if isinstance(of, ast.FunctionDef):
            is_property = any(written(one) == "property" for one in of.decorator_list)
            code = f"{name}.{member}: {written(of.returns)}" if is_property else signature(f"{name}.{member}", of, is_method=True)
        else:
            # What the docstring of the class says of its attributes is not said again.
            if not about and re.search(rf"^ +(\w+, )*{member}\b.*: ", told, re.MULTILINE):
                continue
            default = f" = {code_of(of.value)}" if of.value is not None else ""
            code = f"{name}.{member}: {written(of.annotation)}{default}"
            if "dataclass" in decorators and not about:
                fail(f"{place}.{member} has no docstring")
        page.heading(depth + 1, f"{name}.{member}", code)
        page.prose(about, f"{place}.{member}")


def contents(package):
    """What each page has: names with their sources and statements, by chapters."""
    pages = {}
    every = package.module("").public
    chapters, listed = [], {*ELSEWHERE, *VERSIONS}
    for title, names in CHAPTERS:
        chapters.append((title, [(name, *package.found("", name)) for name in names]))
        listed.update(names)
    if set(every) != listed:
        fail(f"docs/site/python_reference.py: {', '.join(sorted(set(every) ^ listed))}: in __all__ of the package, or in a chapter, not in both")
    pages["python"] = chapters
    for name, _, _ in MODULES:
        public = package.module(name).public or fail(f"ackclock.{name} has no __all__")
        # In the order of the source; what comes from elsewhere after that.
        own = list(package.module(name).defined)
        public = sorted(public, key=lambda one: own.index(one) if one in own else len(own))
        pages[f"python-{name}"] = [("", [(one, *package.found(name, one)) for one in public])]
    here = {file.stem for file in package.folder.glob("*.py") if not file.stem.startswith("_")}
    if here != {name for name, _, _ in MODULES}:
        fail(f"docs/site/python_reference.py: the modules of the package are {', '.join(sorted(here))}")
    return pages


def links_of(pages, aliases):
    """Of each public name its page and anchor. Of names that several pages have, the first page counts."""
    links = {}
    for page, chapters in pages.items():
        module = page.removeprefix("python").lstrip("-")
        for _, names in chapters:
            for name, source, statement in names:
                own = [(name, name)]
                if isinstance(statement, ast.ClassDef):
                    own += [(f"{name}.{member}", f"{name}.{member}") for member, of, about in members(source, statement) if about]
                for said_as, anchor in own:
                    links.setdefault(said_as, (page, anchor))
                    links.setdefault(f"{module}.{said_as}", (page, anchor))
    return links


def pages(folder=PACKAGE):
    """Each page by its name."""
    package = Package(folder)
    parts, aliases = contents(package), package.aliases()
    links, made = links_of(parts, aliases), {}
    for name, chapters in parts.items():
        module = name.removeprefix("python").lstrip("-")
        page = Page(name, links, aliases)
        title = next((title for module_name, title, _ in MODULES if module_name == module), "The package")
        page.text = f"# {title}: `ackclock{'.' + module if module else ''}`\n"
        page.prose(package.module(module).about(), module)
        if not module:
            page.text += "Its modules:\n\n"
            page.text += "".join(f"- [`ackclock.{other}`](python-{other}.md): {about}\n" for other, _, about in MODULES)
        for chapter, names in chapters:
            if chapter:
                page.text += f"\n## {chapter}\n"
            for one, source, statement in names:
                described(page, 3 if chapter else 2, source, one, statement)
        if not module:
            page.text += "\n## Versions\n"
            for one, about in VERSIONS.items():
                page.heading(3, one, "")
                page.prose(about, one)
        page.kinds()
        made[name] = page
    return made
