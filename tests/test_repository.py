"""Rules for the files of the repository."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "src").rglob("*.py"))

# Written in pieces, so that this file does not break its own rules.
HOSTS = re.compile(
    r"\b(pypi|pythonhosted)" + r"\.org\b|\b(npmjs|yarnpkg)" + r"\.(org|com)\b|\bdeb\.debian" + r"\.org\b"
)
MACHINE_PATHS = re.compile(r"""(?:^|[\s"'`=:,(\[])/(?:work|farm|root)(?:/|(?=[\s"'`,)\]]|$))""", re.MULTILINE)
TEMPORARY = re.compile(r"/tmp" + r"/[A-Za-z0-9]")


def _tracked() -> list[Path]:
    """All tracked text files."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        pytest.skip("this is no git checkout")
    files = [ROOT / name for name in listing.stdout.split("\0") if name]
    return [file for file in files if file.is_file() and b"\0" not in file.read_bytes()[:8000]]


def _found(pattern: re.Pattern[str], files: list[Path]) -> list[str]:
    """Places as file:line."""
    places: list[str] = []
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        lines = (text.count("\n", 0, match.start() + 1) + 1 for match in pattern.finditer(text))
        places += [f"{file.relative_to(ROOT)}:{line}" for line in lines]
    return places


def test_no_registry_is_named() -> None:
    """Registries differ from place to place; packages are named, hosts are not."""
    assert _found(HOSTS, _tracked()) == []


def test_lock_files_hold_no_address() -> None:
    """Versions and hashes are enough, wherever the packages come from."""
    locks = sorted(ROOT.glob("*.lock"))
    tracked = [lock for lock in locks if lock in _tracked()]
    assert [lock.name for lock in tracked] == ["requirements-local.lock", "requirements.lock"]
    assert _found(re.compile("://"), tracked) == []


def test_no_paths_of_one_machine() -> None:
    """Nothing depends on where it was written."""
    assert _found(MACHINE_PATHS, _tracked()) == []


def test_no_fixed_temporary_paths() -> None:
    """Programs ask the system for temporary folders; tests may have such texts as data."""
    files = [file for file in _tracked() if not file.is_relative_to(ROOT / "tests")]
    assert _found(TEMPORARY, files) == []


def test_modules_are_short() -> None:
    """600 lines are the hard stop."""
    lengths = {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8").count("\n") for file in MODULES}
    assert {name: length for name, length in lengths.items() if length > 600} == {}


def test_lines_of_the_page_are_short() -> None:
    """132 columns are the end, as in Python: what is longer is not read."""
    static = ROOT / "src/skilltrial/review/static"
    lines = {
        f"{file.name}:{number}": len(line)
        for file in sorted([*static.glob("*.js"), *static.glob("*.css")])
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
    }
    assert {place: length for place, length in lines.items() if length > 132} == {}


def test_functions_are_short() -> None:
    """80 lines are the hard stop."""
    long: list[str] = []
    for file in MODULES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > 80:
                    long.append(f"{file.relative_to(ROOT)}:{node.lineno} {node.name} has {length} lines")
    assert long == []


def test_packages_only_re_export() -> None:
    """An `__init__.py` holds a docstring, imports, `__all__` and at most a lazy `__getattr__`."""
    allowed = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.If)
    strange: list[str] = []
    for file in (file for file in MODULES if file.name == "__init__.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            lazy = isinstance(node, ast.FunctionDef) and node.name in {"__getattr__", "__dir__"}
            if not (docstring or lazy or isinstance(node, allowed)):
                strange.append(f"{file.relative_to(ROOT)}:{node.lineno}")
    assert strange == []
