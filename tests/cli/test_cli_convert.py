"""`skilltrial convert`, as a person and as a program see it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skilltrial.cli.conversion import convert_and_print
from skilltrial.cli.failure import guarded
from skilltrial.spec.convert.converted import TargetName

LOSSLESS = {"skill_name": "pdf", "evals": [{"id": 1, "prompt": "Pé", "expected_output": "X", "expectations": ["A"]}]}
LOSSY = {
    "skill_name": "pdf",
    "evals": [{"id": 1, "prompt": "P", "expected_output": "X", "expectations": ["A"], "x": "\x1b[2J"}],
}
CONTENT = {"evals": [{"id": "a", "prompt": "P", "files": {"in.txt": "I"}, "assertions": ["A"]}]}


@pytest.fixture
def evals(tmp_path: Path) -> Path:
    """The eval file of a skill, not written yet."""
    (tmp_path / "pdf/evals").mkdir(parents=True)
    (tmp_path / "pdf/SKILL.md").write_text("---\nname: pdf\ndescription: d\n---\n")
    return tmp_path / "pdf/evals/evals.json"


def _convert(
    file: Path,
    to: TargetName,
    *,
    out: Path | None = None,
    lossy: bool = False,
    force: bool = False,
    as_json: bool = False,
) -> int:
    codes: list[int] = []

    def command() -> None:
        codes.append(convert_and_print(file, to=to, out=out, lossy=lossy, force=force, as_json=as_json))

    return guarded(command) or codes[0]


def test_the_document_is_all_there_is_on_standard_output(evals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two spaces deep, letters as they are, a newline at the end."""
    evals.write_text(json.dumps(LOSSLESS))
    assert _convert(evals, "agentskills") == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out.startswith('{\n  "skill_name": "pdf",\n')
    assert shown.out.endswith("}\n")
    assert "Pé" in shown.out
    assert json.loads(shown.out)["evals"][0]["assertions"] == ["A"]


def test_a_skill_folder_stands_for_its_eval_file(evals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As everywhere."""
    evals.write_text(json.dumps(LOSSLESS))
    assert _convert(evals.parent.parent, "skill-builder") == 0
    assert json.loads(capsys.readouterr().out)["evals"][0]["id"] == "1"


def test_losses_end_it_with_a_list_and_nothing_written(evals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2; the way out is named."""
    evals.write_text(json.dumps(LOSSY))
    out = evals.with_name("out.json")
    assert _convert(evals, "slow-powers", out=out) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "slow-powers cannot hold one thing of this file; nothing was written." in shown.err
    assert "  case '1': the key 'x' is not allowed there\n" in shown.err
    assert "--lossy" in shown.err
    assert not out.exists()


def test_lossy_writes_and_lists(evals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The list is on standard error."""
    evals.write_text(json.dumps(LOSSY))
    assert _convert(evals, "slow-powers", lossy=True) == 0
    shown = capsys.readouterr()
    assert "x" not in json.loads(shown.out)["evals"][0]
    assert "the key 'x' is not allowed there" in shown.err


def test_hostile_text_reaches_no_terminal(evals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither in the document nor in the list; and no line is wider than 80."""
    case = {"id": "a\u202e", "prompt": "P\x9b2J", "name": "\x1b[2J" * 40, "assertions": ["A"]}
    evals.write_text(json.dumps({"skill_name": "pdf", "evals": [case]}))
    assert _convert(evals, "slow-powers", lossy=True) == 0
    shown = capsys.readouterr()
    assert not set("\x1b\x9b\u202e") & set(shown.out + shown.err)
    assert json.loads(shown.out)["evals"][0]["prompt"] == "P\x9b2J"


def test_json_tells_programs_everything(evals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The document is null where it was refused."""
    evals.write_text(json.dumps(LOSSY))
    assert _convert(evals, "slow-powers", as_json=True) == 2
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "ok": False,
        "to": "slow-powers",
        "losses": [{"place": "case '1'", "what": "the key 'x' is not allowed there"}],
        "notes": [],
        "files": [],
        "written": [],
        "value": None,
    }
    assert _convert(evals, "agentskills", as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["value"]["evals"][0]["x"] == "\x1b[2J"


def test_input_files_are_written_beside(evals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Below the folder that holds `evals`, where the list names them; to standard output they would be lost."""
    evals.write_text(json.dumps(CONTENT))
    assert _convert(evals, "skill-creator") == 2
    assert "  evals/files/in.txt: an input file has to stand beside" in capsys.readouterr().err
    out = evals.with_name("new.json")
    assert _convert(evals, "skill-creator", out=out) == 0
    assert json.loads(out.read_text())["evals"][0]["files"] == ["evals/files/in.txt"]
    assert (evals.parent / "files/in.txt").read_text() == "I"
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", ["new.json", "files/in.txt"])
def test_nothing_is_overwritten_without_force(evals: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Neither the document nor an input file; and then nothing is written at all."""
    evals.write_text(json.dumps(CONTENT))
    taken = evals.parent / name
    taken.parent.mkdir(exist_ok=True)
    taken.write_text("mine")
    before = sorted(evals.parent.rglob("*"))
    out = evals.with_name("new.json")
    assert _convert(evals, "skill-creator", out=out) == 2
    assert "the file is there already" in " ".join(capsys.readouterr().err.split())
    assert taken.read_text() == "mine"
    assert sorted(evals.parent.rglob("*")) == before
    assert _convert(evals, "skill-creator", out=out, force=True) == 0
    assert taken.read_text() != "mine"


def test_a_trigger_set_is_converted_as_one(evals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A list of queries stays a list of queries."""
    evals.write_text(json.dumps([{"query": "Q", "should_trigger": True}]))
    assert _convert(evals, "skill-creator") == 0
    assert json.loads(capsys.readouterr().out) == [{"query": "Q", "should_trigger": True}]


def test_a_file_that_cannot_be_read_is_one_error(evals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, with the place."""
    evals.write_text('{"evals": [{"id": 1}, {"id": 1, "prompt": "P"}]}')
    assert _convert(evals, "skill-creator") == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "evals.json:1" in "".join(shown.err.split())
    assert "2 errors" in shown.err


def test_a_document_that_leaves_its_input_files_says_so(
    evals: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are named from the skill; inside it nothing has to be said."""
    (evals.parent / "a.txt").write_text("a")
    case = {"id": 1, "prompt": "P", "files": ["evals/a.txt"], "assertions": ["A"]}
    evals.write_text(json.dumps({"skill_name": "pdf", "evals": [case]}))
    assert _convert(evals, "skill-creator", out=evals.with_name("b.json")) == 0
    assert "input files" not in capsys.readouterr().err
    assert _convert(evals, "skill-creator", out=tmp_path / "c.json") == 0
    assert "input files are named from the skill's folder" in capsys.readouterr().err
