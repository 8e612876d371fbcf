"""Nothing that the judge gets tells of the arm, whichever way it came in: the whole prompt is searched."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Callable
from typing import Any

import anyio
import openpyxl
import pytest
from docx import Document

from skilltrial.grade.material import Material
from skilltrial.grade.panel import Panel, judge_trial
from skilltrial.records.events import AssistantMessage, SessionStarted, ToolCall, ToolResult
from skilltrial.records.suite import LlmJudge
from skilltrial.records.trial import HarnessFacts

Make = Callable[..., Material]
FOLDER = ".claude/skills/csv-sum"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGP8z8DAwMAAAAYIAQHLR3Z1AAAAAElFTkSuQmCC"
)
TOLD = f"Made by the csv-sum skill with {FOLDER}/add.py"


def _docx() -> bytes:
    document, stream = Document(), io.BytesIO()
    document.add_paragraph(TOLD)
    document.save(stream)
    return stream.getvalue()


def _xlsx() -> bytes:
    book, stream = openpyxl.Workbook(), io.BytesIO()
    book.create_sheet("csv-sum skill").append([TOLD])
    book.save(stream)
    return stream.getvalue()


def _zip() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(f"{FOLDER}/add.py", "1")
    return stream.getvalue()


OUTPUTS = {
    "a.docx": _docx(),
    "b.xlsx": _xlsx(),
    "c.zip": _zip(),
    "d.html": b"<p>" + TOLD.encode() + b"</p>" + b"<i></i>" * 3000,
    "e.md": TOLD.encode(),
    "f by the csv-sum skill.md": b"named so",
    "g of skill csv-sum.png": PNG,
    "h of skill csv-sum.docx": b"broken",
    f"{FOLDER}/add.py": b"secret recipe",
    f"{FOLDER}/logo.png": PNG,
    f"{FOLDER}/guide.docx": _docx(),
}
EVENTS = (
    SessionStarted(ordinal=0, skills=("csv-sum",), tools=("Skill",)),
    ToolCall(ordinal=1, call_id="1", name="Bash", input={"command": f"python /w/{FOLDER}/add.py > e.md"}),
    ToolResult(ordinal=2, call_id="1", text=f"/w/{FOLDER}/add.py: done"),
    AssistantMessage(ordinal=3, text=TOLD),
)
PATCH = "diff --git a/in.md b/in.md\n--- a/in.md\n+++ b/in.md\n@@ -1 +1 @@\n-1\n+" + TOLD + "\n"


@pytest.mark.parametrize("sees_images", [False, True])
def test_the_prompt_names_neither_skill_nor_arm_nor_place(material: Make, scripted: Any, sees_images: bool) -> None:
    """In documents, names of files and sheets, pictures, archives, patches, steps and messages; nor this program, nor its trial."""
    facts = HarnessFacts(name="claude-code", version="2.1.77", model_asked="claude-x")
    made = material(OUTPUTS, events=EVENTS, final_message=TOLD, harness=facts)
    (made.outputs.parent / "diff.patch").write_text(PATCH)
    judge = scripted([{"verdicts": []}, {"verdicts": []}], sees_images=sees_images)
    asked = LlmJudge(id="one", text="The total is named.", rubric="The total is named.")
    anyio.run(lambda: judge_trial(made, (asked,), panel=Panel(judges=(judge,))))
    prompt = judge.prompts[0]
    assert prompt.count("Made by the guide with resources/add.py") == 7
    assert len(judge.images[0]) == sees_images
    shown = prompt + "".join(image.name for image in judge.images[0])
    secrets = ["csv-sum", "with_skill", "secret recipe", "2.1.77", "claude", "run-1", str(made.outputs), "skilltrial"]
    assert not [secret for secret in secrets if secret in shown]
