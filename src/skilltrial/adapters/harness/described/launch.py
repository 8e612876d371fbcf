"""What a described program is started with: the same in both arms, and nothing of the person's set-up but its keys."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from skilltrial.adapters.harness.described.descriptor import Descriptor
from skilltrial.adapters.harness.described.template import fill
from skilltrial.adapters.harness.search_path import DEFAULT_PATH, neutral_path
from skilltrial.adapters.inner_file import write_inside
from skilltrial.ports import PlacedSkill, TrialRequest

_PLAIN = ("LC_ALL", "LC_CTYPE", "TZ", "SHELL", "USER", "LOGNAME")
_NETWORK = ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "NO_PROXY", "no_proxy")
_CERTIFICATES = ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
_FOLDERS = {
    "HOME": "",
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
}
_NO_KEY = "no-key-is-needed-here"
"""For endpoints that ask for none; programs want one, and one of them masks it wherever it stands, so that it is no word."""
_LISTING = """Skills are available. Read the SKILL.md of a skill in full before you do a task that its description fits.

- {name}: {description} (file: {file})

"""


class Launch(NamedTuple):
    """A command line with all that goes with it."""

    argv: tuple[str, ...]
    env: dict[str, str]
    stdin: bytes
    prompt: str
    """What the agent is asked, with what stands in front of it."""
    skill: PlacedSkill | None
    """In its last place."""
    values: Mapping[str, str]


def variable(descriptor: Descriptor) -> str:
    """The person's variable that names the program, where the one on PATH is not the right one."""
    return "SKILLTRIAL_" + descriptor.name.upper().replace("-", "_")


def find_program(descriptor: Descriptor, env: Mapping[str, str]) -> str | None:
    """The program's path, or None."""
    return shutil.which(env.get(variable(descriptor)) or descriptor.program, path=env.get("PATH", DEFAULT_PATH))


def missing_programs(descriptor: Descriptor, env: Mapping[str, str]) -> list[str]:
    """What else it needs and is not there."""
    return [name for name in descriptor.needs if shutil.which(name, path=env.get("PATH", DEFAULT_PATH)) is None]


def api_key(descriptor: Descriptor, env: Mapping[str, str], *, base_url: str | None) -> str | None:
    """The first of its keys that is set; for a base URL those of its endpoint and the usual one."""
    names = descriptor.environment.keys
    if base_url is not None:
        endpoint = descriptor.endpoint
        names = (*(names if endpoint is None or endpoint.keys is None else endpoint.keys), "OPENAI_API_KEY")
    return next((env[name] for name in names if env.get(name)), None)


def prepare(
    descriptor: Descriptor,
    request: TrialRequest,
    program: str,
    *,
    env: Mapping[str, str],
    base_url: str | None,
    extra: tuple[str, ...],
) -> Launch:
    """Put the skill in its place, write the files, and make command line and environment."""
    skill = _placed(descriptor, request)
    prompt = _prompt(descriptor, request, skill)
    values = _values(descriptor, request, skill, env=env, base_url=base_url, prompt=prompt)
    endpoint = descriptor.endpoint if base_url else None
    Path(values["aside"]).mkdir(parents=True, exist_ok=True)
    files = (*descriptor.files, *(endpoint.files if endpoint else ()))
    texts = {fill(file.path, values): fill(file.content, values) for file in files}
    texts |= _server_settings(descriptor, request, values, texts)
    if descriptor.run.prompt == "file":
        texts[values["prompt_file"]] = prompt
    for path, text in texts.items():
        _write(request, path, text)
    servers = descriptor.servers.args if descriptor.servers else ()
    extra = (*(fill(text, {**values, **told}) for told in _servers(request) for text in servers), *extra)
    return Launch(
        argv=(program, *_arguments(descriptor, values, skill, extra)),
        env=_environment(descriptor, request, values, env=env, with_endpoint=endpoint is not None),
        stdin=prompt.encode("utf-8", "replace") if descriptor.run.prompt == "stdin" else b"",
        prompt=prompt,
        skill=skill,
        values=values,
    )


def _placed(descriptor: Descriptor, request: TrialRequest) -> PlacedSkill | None:
    skill, root = request.skill, descriptor.skills.user_root
    if skill is None or root is None:
        return skill
    target = Path(fill(root, {"home": str(request.home)})) / skill.folder.name
    if request.resume is not None:  # it was moved there before the first message
        return PlacedSkill(name=skill.name, description=skill.description, folder=target)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(skill.folder, target)
    parent = skill.folder.parent
    while parent != request.work and parent.is_relative_to(request.work) and not any(parent.iterdir()):
        parent.rmdir()  # the folder is as in the other arm
        parent = parent.parent
    return PlacedSkill(name=skill.name, description=skill.description, folder=target)


def _prompt(descriptor: Descriptor, request: TrialRequest, skill: PlacedSkill | None) -> str:
    if skill is None or descriptor.skills.listing == "program" or request.resume is not None:
        return request.prompt
    file = skill.folder / "SKILL.md"
    return _LISTING.format(name=skill.name, description=skill.description, file=file) + request.prompt


def _values(
    descriptor: Descriptor,
    request: TrialRequest,
    skill: PlacedSkill | None,
    *,
    env: Mapping[str, str],
    base_url: str | None,
    prompt: str,
) -> dict[str, str]:
    aside = request.home / ".aside"
    values = {
        "work": str(request.work),
        "home": str(request.home),
        "tmp": str(request.tmp),
        "aside": str(aside),
        "prompt": prompt,
        "prompt_file": str(aside / "prompt.txt"),
        "timeout_s": f"{request.timeout_s:.0f}",
        "api_key": api_key(descriptor, env, base_url=base_url) or _NO_KEY,
    }
    if request.model is not None:
        values["model"] = request.model
    if request.resume is not None:
        values["session"] = request.resume
    if base_url is not None:
        values["base_url"] = base_url.rstrip("/")
    if skill is not None:
        values |= {
            "skill": skill.folder.name,
            "skill_folder": str(skill.folder),
            "skills_folder": str(skill.folder.parent),
        }
    return values


def _arguments(
    descriptor: Descriptor,
    values: Mapping[str, str],
    skill: PlacedSkill | None,
    extra: tuple[str, ...],
) -> list[str]:
    run, skills = descriptor.run, descriptor.skills
    endpoint = descriptor.endpoint if "base_url" in values else None
    texts = [*run.args, *(endpoint.args if endpoint else ())]
    filled = [fill(text, values) for text in texts]
    if "model" in values and run.model_args:
        named = fill(endpoint.model, values) if endpoint else values["model"]
        filled += [fill(text, {**values, "model": named}) for text in run.model_args]
    filled += [fill(text, values) for text in (skills.args if skill else skills.baseline_args)]
    again = descriptor.resume.args if descriptor.resume and "session" in values else ()
    return [*filled, *extra, *(fill(text, values) for text in (*again, *run.prompt_args))]


def _servers(request: TrialRequest) -> list[dict[str, str]]:
    """What can be filled in for each MCP server."""
    told: list[dict[str, str]] = []
    for server in request.servers:
        variables = [f"{name}={value}" for name, value in server.env.items()]
        argv = [*(["/usr/bin/env", *variables] if variables else []), *server.argv]
        texts = {"arguments": json.dumps(argv[1:]), "argv": json.dumps(argv)}
        told.append({"server": server.name, "command": argv[0], **texts})
    return told


def _server_settings(
    descriptor: Descriptor, request: TrialRequest, values: Mapping[str, str], texts: Mapping[str, str]
) -> dict[str, str]:
    """The file that the program reads MCP servers from, with what it says beside, of the files with these texts."""
    own = descriptor.servers
    if not request.servers or own is None or not own.file:
        return {}
    path = fill(own.file, values)
    if own.append:
        return {path: texts.get(path, "") + "".join(fill(own.append, {**values, **told}) for told in _servers(request))}
    if not (own.key and own.entry):
        return {}
    settings: dict[str, Any] = json.loads(texts.get(path, "{}"))
    entries = {told["server"]: json.loads(fill(own.entry, {**values, **told})) for told in _servers(request)}
    return {path: json.dumps({**settings, own.key: entries})}


def _write(request: TrialRequest, path: str, text: str) -> None:
    """Before a later message the agent has been in these folders, and may have left links to files of the person's."""
    root = next(root for root in (request.home, request.tmp) if Path(path).is_relative_to(root))
    write_inside(root, PurePosixPath(Path(path).relative_to(root)), text.encode("utf-8", "replace"))


def _environment(
    descriptor: Descriptor,
    request: TrialRequest,
    values: Mapping[str, str],
    *,
    env: Mapping[str, str],
    with_endpoint: bool,
) -> dict[str, str]:
    own = descriptor.environment
    carried = (*_PLAIN, *_NETWORK, *_CERTIFICATES, *own.carry, *(() if with_endpoint else own.keys))
    made = {name: env[name] for name in carried if env.get(name)} | dict(request.env)
    made |= {"PATH": neutral_path(env, first=request.path), "LANG": env.get("LANG") or "C.UTF-8", "NO_COLOR": "1"}
    made |= {name: os.path.join(values["home"], below).rstrip("/") for name, below in _FOLDERS.items()}  # noqa: PTH118 - a text
    made["TMPDIR"] = values["tmp"]
    endpoint = descriptor.endpoint if with_endpoint else None
    for name, text in {**own.set, **(endpoint.set if endpoint else {})}.items():
        made[name] = fill(text, values)
    return made
