"""A harness descriptor: what has to be known of an agent program to run it like any other."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError, model_validator

from skilltrial.adapters.harness.described.template import ALWAYS, OF_A_SERVER, OF_THE_SKILL, names_in, unknown_names
from skilltrial.errors import SpecError
from skilltrial.records.record import Record
from skilltrial.records.trial import ReasonCode
from skilltrial.transcript.formats import FORMATS

_MAX_BYTES = 1 << 18


def _filled(text: str) -> str:
    unknown = unknown_names(text)
    if unknown:
        raise ValueError(f"nothing can be filled in for {{{unknown[0]}}}")
    return text


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"no regular expression: {error}") from None
    return text


def _format(name: str) -> str:
    if name not in FORMATS:
        raise ValueError(f"no known format; there are {', '.join(FORMATS)}")
    return name


def _inside(path: str) -> str:
    if not path.startswith(("{home}/", "{aside}/", "{tmp}/")) or ".." in path.split("/"):
        raise ValueError("must lie in {home}, {aside} or {tmp}, without '..'")
    return path


def _relative(path: str) -> str:
    if path.startswith(("/", "~")) or ".." in path.split("/"):
        raise ValueError("must be a relative path without '..'")
    return path


def _absolute(path: str) -> str:
    if not path.startswith("/") or ".." in path.split("/"):
        raise ValueError("must be an absolute path without '..'")
    return path


def _program(name: str) -> str:
    if "/" in name and not name.startswith("/"):
        raise ValueError("must be a name on PATH or an absolute path: an agent's folder is no place for its program")
    return name


Text = Annotated[str, AfterValidator(_filled)]
Pattern = Annotated[str, AfterValidator(_pattern)]
Place = Annotated[str, AfterValidator(_filled), AfterValidator(_inside)]
Names = tuple[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], ...]


class Version(Record):
    """How the program tells its version."""

    args: tuple[str, ...] = ("--version",)
    pattern: Pattern = r"(\d+\.\d+\S*)"
    """Its first group is the version."""


class Run(Record):
    """The command line of a trial."""

    args: tuple[Text, ...] = ()
    prompt: Literal["stdin", "argument", "file"] = "stdin"
    prompt_args: tuple[Text, ...] = ()
    """Come last; hold `{prompt}` or `{prompt_file}` where the prompt does not go to stdin."""
    model_args: tuple[Text, ...] | None = None
    """None: no model can be chosen on the command line."""
    exit_codes: Mapping[int, ReasonCode] = Field(default_factory=dict[int, ReasonCode])
    """What ends without an error in the stream means."""
    stderr_error: Pattern | None = None
    """A line of stderr that tells the last error, in its first group."""
    stderr_status: Pattern | None = None
    """A line of stderr with the status of an answer of the service in its first group, where the stream has no word of it."""
    stderr_retry: Pattern | None = None
    """A line of stderr that tells of an error after which the program tries again."""

    @model_validator(mode="after")
    def _prompt_has_a_place(self) -> Run:
        wanted = {"argument": "prompt", "file": "prompt_file"}.get(self.prompt)
        if wanted and not any(wanted in names_in(text) for text in (*self.args, *self.prompt_args)):
            raise ValueError(f"prompt = {self.prompt!r} needs {{{wanted}}} in args or prompt_args")
        return self


class Environment(Record):
    """What the program gets of the person's environment, and what is set."""

    keys: Names = ()
    """Variables with keys or tokens, carried where they are set; one of them is needed, unless a base URL is given."""
    carry: Names = ()
    """Other variables of the person's."""
    set: Mapping[str, Text] = Field(default_factory=dict)
    shortest_key: int = 0
    """The program garbles its output where a key has fewer characters."""


class SetFile(Record):
    """A file that is written before the program starts."""

    path: Place
    content: Text


class Endpoint(Record):
    """What else is needed where a base URL is given: a local model, a gateway."""

    wire: Literal["openai-chat", "openai-responses", "gemini", "anthropic"]
    keys: Names | None = None
    """Variables with the key for it, before `OPENAI_API_KEY`; None: those of the program. A vendor's token is not for everybody's
    server."""
    model: Text = "{model}"
    """What goes in place of the model's name on the command line."""
    args: tuple[Text, ...] = ()
    set: Mapping[str, Text] = Field(default_factory=dict)
    files: tuple[SetFile, ...] = ()


class Skills(Record):
    """How the program finds skills."""

    root: Annotated[str, AfterValidator(_relative)] = ".agents/skills"
    """Relative to the agent's folder."""
    user_root: Place | None = None
    """The skill goes here instead: for programs that show a tree of the agent's folder to the model, where it would stand too."""
    listing: Literal["program", "prompt"] = "program"
    """`prompt`: the program knows no skills, so that we list them in front of the task."""
    tool: str | None = None
    """The tool that loads a skill; None where its file is read instead."""
    explicit: Text | None = None
    """A first word of the prompt with which the program loads the skill unseen, like `/{skill}`."""
    args: tuple[Text, ...] = ()
    """Added where there is a skill."""
    baseline_args: tuple[Text, ...] = ()
    """Added where there is none."""


class Resume(Record):
    """How the program goes on with a session of its own, in the same folders."""

    session: Annotated[str, Field(pattern=r"^\w+(\.\w+)*$")]
    """Where the rows of its stream have the session's id, like `thread.id`; the first one counts."""
    args: tuple[Text, ...]
    """Stand before `prompt_args`; hold `{session}`."""

    @model_validator(mode="after")
    def _session_has_a_place(self) -> Resume:
        if not any("session" in names_in(text) for text in self.args):
            raise ValueError("args need {session}")
        return self


class Servers(Record):
    """How the program is given MCP servers over standard input and output. Without this, it gets none."""

    args: tuple[Text, ...] = ()
    """On the command line, once for each server."""
    file: Place | None = None
    """A file that they are put into, beside what the program's other files say."""
    key: str | None = None
    """Of the object in `file`, which is JSON, that holds them by name."""
    entry: Text | None = None
    """Of one of them, as JSON."""
    append: Text | None = None
    """In place of `key` and `entry`: what is put behind the text of `file`, once for each server."""

    @model_validator(mode="after")
    def _file_is_whole(self) -> Servers:
        given = [self.file, self.key, self.entry]
        if self.append and (not self.file or self.key or self.entry):
            raise ValueError("append belongs to a file, in place of key and entry")
        if any(given) and not all(given) and not self.append:
            raise ValueError("file, key and entry belong together")
        if not self.args and not self.file:
            raise ValueError("needs args, or file with key and entry or append")
        return self


class Stream(Record):
    """Where the program tells what it does."""

    format: Annotated[str, AfterValidator(_format)]
    file: Place | None = None
    """None: stdout."""
    beside: Mapping[str, Place] = Field(default_factory=dict)
    """Other files that the format's reader can use; may have `*`."""

    @model_validator(mode="after")
    def _reader_knows_them(self) -> Stream:
        known = FORMATS[self.format].beside
        for name in self.beside:
            if name not in known:
                hint = f"it can use {', '.join(sorted(known))}" if known else "it uses none"
                raise ValueError(f"the reader of {self.format} does not use a file {name!r}; {hint}")
        return self


class Descriptor(Record):
    """An agent program."""

    schema_version: Literal[1] = Field(alias="schema")
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,38}[a-z0-9]$")
    title: str
    program: Annotated[str, Field(min_length=1), AfterValidator(_program)]
    """Name on PATH, or absolute path."""
    install: str = ""
    """One sentence on how to get it."""
    checked_with: str | None = None
    """The version that this file was tried with."""
    needs: tuple[str, ...] = ()
    """Other programs that it needs on PATH."""
    remarks: tuple[str, ...] = ()
    """Sentences that every report on its trials must show."""
    system: tuple[Annotated[str, AfterValidator(_absolute)], ...] = ()
    """Folders of the machine that it takes settings and skills from, whatever its home."""
    version: Version = Version()
    run: Run = Run()
    environment: Environment = Environment()
    files: tuple[SetFile, ...] = ()
    endpoint: Endpoint | None = None
    skills: Skills = Skills()
    resume: Resume | None = None
    """None: it knows no second message in a session, so that cases with several turns cannot be run."""
    servers: Servers | None = None
    stream: Stream

    @model_validator(mode="after")
    def _values_are_there(self) -> Descriptor:
        for key, texts, known in _contexts(self):
            for text in texts:
                missing = sorted(names_in(text) - known)
                if missing:
                    raise ValueError(f"{key}: there is no {{{missing[0]}}} here, in {_short(text)}")
        return self


def _contexts(descriptor: Descriptor) -> Iterator[tuple[str, Iterable[str], frozenset[str]]]:
    """Every text with places, where it stands, and the values that there are for it."""
    run, skills, stream, endpoint = descriptor.run, descriptor.skills, descriptor.stream, descriptor.endpoint
    yield "run.args", (*run.args, *run.prompt_args), ALWAYS
    yield "run.model_args", run.model_args or (), ALWAYS | {"model"}
    yield "environment.set", descriptor.environment.set.values(), ALWAYS
    yield "files", (text for file in descriptor.files for text in (file.path, file.content)), ALWAYS
    if descriptor.servers:
        own = descriptor.servers
        yield "servers", (*own.args, own.file or "", own.entry or "", own.append or ""), ALWAYS | OF_A_SERVER
    yield "skills.args", skills.args, ALWAYS | OF_THE_SKILL
    yield "skills.baseline_args", skills.baseline_args, ALWAYS
    yield "skills.explicit", (skills.explicit or "",), frozenset({"skill"})
    yield "skills.user_root", (skills.user_root or "",), frozenset({"home"})
    yield "resume.args", descriptor.resume.args if descriptor.resume else (), ALWAYS | {"session"}
    yield "stream", (stream.file or "", *stream.beside.values()), ALWAYS
    if endpoint:
        files = (text for file in endpoint.files for text in (file.path, file.content))
        texts = (endpoint.model, *endpoint.args, *endpoint.set.values(), *files)
        yield "endpoint", texts, ALWAYS | {"model", "base_url"}


def read_descriptor(path: Path) -> Descriptor:
    """Read and check a file. Raises `SpecError` with file, line, key, value and reason for what is not right."""
    try:
        data = path.read_bytes()[: _MAX_BYTES + 1]
        text = data.decode("utf-8")
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}.", where=str(path)) from None
    except UnicodeDecodeError:
        raise SpecError("is not UTF-8.", where=str(path)) from None
    if len(data) > _MAX_BYTES:
        raise SpecError(f"is larger than {_MAX_BYTES} bytes.", where=str(path))
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r" \(at line (\d+), column \d+\)", str(error))
        where = f"{path}:{found.group(1)}" if found else str(path)
        raise SpecError(f"is no TOML: {error}.", where=where) from None
    try:
        return Descriptor.model_validate(values)
    except ValidationError as error:
        raise _complaint(error, text, path) from None


def _complaint(error: ValidationError, text: str, path: Path) -> SpecError:
    problems: list[str] = []
    first_line: int | None = None
    for found in error.errors():
        loc = [str(part) for part in found["loc"]]
        line = _line_of(text, loc)
        first_line = first_line or line
        problems.append(_words(found, loc, line))
    more = f" (and {len(problems) - 5} more)" if len(problems) > 5 else ""  # noqa: PLR2004 - enough to start with
    where = f"{path}:{first_line}" if first_line else str(path)
    return SpecError("; ".join(problems[:5]) + more + ".", where=where, hint="docs/harnesses.md names every key.")


def _words(found: Any, loc: list[str], line: int | None) -> str:
    key = ".".join(loc) or "the file"
    at = f" (line {line})" if line else ""
    match found["type"]:
        case "extra_forbidden":
            return f"{key}{at} is no key of a descriptor"
        case "missing":
            return f"{key} is missing"
        case "value_error" if not loc:
            return str(found["ctx"]["error"])
        case "value_error":
            return f"{key}{at} = {_short(found['input'])}: {found['ctx']['error']}"
        case _:
            return f"{key}{at} = {_short(found['input'])}: {found['msg'][0].lower()}{found['msg'][1:]}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…"  # noqa: PLR2004 - a line of a terminal


def _line_of(text: str, loc: list[str]) -> int | None:
    """The line where a key stands, 1-based, or that of the nearest key around it."""
    names = [part for part in loc if not part.isdigit()]
    best: int | None = None
    table: list[str] = []
    for number, key in _keys(text):
        if isinstance(key, list):
            table = key
            here = table
        else:
            here = [*table, *key.split(".")]
        if here == names:
            return number
        if here == names[: len(here)]:
            best = number
    return best


def _keys(text: str) -> Iterator[tuple[int, str | list[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[{1,2}\s*([\w.\"'-]+)\s*\]{1,2}", line)
        key = re.match(r"\s*([\w.-]+)\s*=", line)
        if header:
            yield number, header.group(1).replace('"', "").replace("'", "").split(".")
        elif key:
            yield number, key.group(1)
