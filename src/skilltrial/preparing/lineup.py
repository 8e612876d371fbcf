"""What a person asks for -> the arms of a run with the skill of each, wherever that is kept."""

from __future__ import annotations

import hashlib
import shutil
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skilltrial import wiring
from skilltrial.errors import PlanError, SpecError
from skilltrial.plan.arms import DEFAULT_ARMS, make_arms
from skilltrial.plan.iteration import iterations, read_plan
from skilltrial.records import layout
from skilltrial.records.plan import Arm, Plan
from skilltrial.records.settings import ArmSettings
from skilltrial.records.skill import Skill, SkillRef
from skilltrial.spec.arm_variables import REFERENCE
from skilltrial.spec.sections import Section, sections, without
from skilltrial.spec.settings import NO_SKILL
from skilltrial.spec.skill import SKILL_FILE, is_hidden, load_skill

OLD, NEW = "old_skill", "new_skill"
_BASELINE_NAMES = {OLD, "without_skill"}
_COMMIT_CHARS = 12
_NAME_CHARS = 30
_ROUNDS, _DIGEST_BYTES = 100_000, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmsWanted:
    """Which arms a person asks for. `baseline` and `named` each stand in the place of `names`."""

    names: tuple[str, ...] | None = None
    """Names, or `NAME=FOLDER` for an arm with a skill of its own."""
    baseline: str | None = None
    """A folder, `git:REF`, `git:REF:PATH`, `iteration:N` or `none`."""
    named: Mapping[str, ArmSettings] = field(default_factory=dict[str, ArmSettings])
    """Of skilltrial.toml."""
    file: Path | None = None
    """The one of `named`."""
    ablate: str | None = None
    """`sections`: one more arm for each section, without it."""
    beside: tuple[Path, ...] = ()
    """Folders of skills that lie beside the one under trial in every arm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineUp:
    """The arms, and the skill of each that has one. Folders may be temporary: copy before they go."""

    arms: tuple[Arm, ...]
    skills: Mapping[str, Skill]
    beside: Mapping[str, tuple[Skill, ...]] = field(default_factory=dict[str, tuple[Skill, ...]])
    """The other skills of each arm."""
    env: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]], repr=False)
    """The variables of each arm, with the person's values."""
    settings: Mapping[str, ArmSettings] = field(default_factory=dict[str, ArmSettings])
    """What arms say of their agent program; arms that say nothing are not in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where skills may be found, and where they are written to."""

    workspace: Path
    scratch: Path
    """An empty folder."""
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Version:
    skill: Skill
    ref: SkillRef


def line_up(skill: Skill, wanted: ArmsWanted, around: Surroundings) -> LineUp:
    """The arms asked for, treatment first.

    Raises `PlanError` and `SpecError` for arms that contradict each other, for skills that cannot be found, and for
    repositories and iterations that do not hold them.
    """
    if wanted.baseline is not None and wanted.names is not None:
        raise PlanError("--arms and --baseline both say what is compared.", hint="Leave one of them out.")
    own = _Version(skill, _ref(skill))
    if wanted.baseline is not None:
        arms, versions = _against(wanted.baseline, own, around)
    elif wanted.names is None and wanted.named:
        arms, versions = _named(wanted, own, around)
    else:
        arms, versions = _listed(wanted.names or DEFAULT_ARMS, own)
    settings = _settings_of(arms, wanted)
    env = {name: _variables(name, said.env, around.env, wanted) for name, said in settings.items() if said.env}
    if wanted.ablate is not None:
        whole, ablated = _ablated(arms, versions, around, what=wanted.ablate)
        versions = {**versions, **ablated}
        more = [Arm(name=name, role="treatment", skill=version.ref) for name, version in ablated.items()]
        arms = tuple(sorted((*arms, *more), key=lambda arm: arm.role == "baseline"))
        settings = {**settings, **{name: settings[whole] for name in ablated if whole in settings}}
        env = {**env, **{name: env[whole] for name in ablated if whole in env}}
    beside = {arm.name: _siblings(arm, settings.get(arm.name), wanted.beside, own) for arm in arms}
    return LineUp(
        arms=tuple(_dressed(arm, settings.get(arm.name), beside[arm.name], env.get(arm.name, {})) for arm in arms),
        skills={name: version.skill for name, version in versions.items()},
        beside={name: skills for name, skills in beside.items() if skills},
        env=env,
        settings={name: said for name, said in settings.items() if said.harness or said.model or said.args is not None},
    )


def _settings_of(arms: Sequence[Arm], wanted: ArmsWanted) -> Mapping[str, ArmSettings]:
    """Those of skilltrial.toml, where the arms come from there."""
    if wanted.baseline is not None or wanted.names is not None:
        return {}
    return {arm.name: wanted.named[arm.name] for arm in arms if arm.name in wanted.named}


def _dressed(arm: Arm, said: ArmSettings | None, beside: Sequence[Skill], env: Mapping[str, str]) -> Arm:
    refs = tuple(_ref(skill) for skill in beside)
    if said is None:
        return arm.model_copy(update={"beside": refs})
    digests = {name: _value_digest(name, env[name]) for name, value in said.env.items() if value != env[name]}
    told = {"prompt_prefix": said.prompt_prefix, "env": said.env, "env_digests": digests}
    return arm.model_copy(update={"beside": refs, **told})


def _value_digest(name: str, value: str) -> str:
    """So short that a changed value shows, and so short and slow that the value cannot be found from it."""
    data = value.encode("utf-8", "surrogateescape")
    return hashlib.pbkdf2_hmac("sha256", data, name.encode(), _ROUNDS)[:_DIGEST_BYTES].hex()


def _siblings(arm: Arm, said: ArmSettings | None, everywhere: Sequence[Path], own: _Version) -> tuple[Skill, ...]:
    """The skills beside the one under trial, each under a name of its own."""
    places = [*everywhere, *(Path(place) for place in (said.beside if said else ()))]
    skills = tuple(load_skill(place) for place in places)
    taken = {name.casefold(): "the skill on trial" for name in (own.skill.name, arm.skill.name if arm.skill else "")}
    for skill in skills:
        name = skill.name.casefold()
        if name in taken:
            raise PlanError(
                f"{arm.name} would have two skills named {skill.name!r}: this one and {taken[name]}.",
                where=skill.folder,
                hint="Agents tell skills by their names: rename one, or leave it out.",
            )
        taken[name] = skill.folder
    return skills


def _variables(arm: str, env: Mapping[str, str], person: Mapping[str, str], wanted: ArmsWanted) -> Mapping[str, str]:
    """Each with the value that the agent gets."""
    values: dict[str, str] = {}
    for name, value in env.items():
        reference = REFERENCE.fullmatch(value)
        if reference and reference[1] not in person:
            raise PlanError(
                f"arms.{arm}.env.{name} is {value!r}, but {reference[1]} is not set.",
                where=str(wanted.file or ""),
                hint=f"Set it (export {reference[1]}=…), or leave it out of the arm.",
            )
        values[name] = person[reference[1]] if reference else value
    return values


def _ref(skill: Skill, *, folder: str = "", origin: str = "", left_out: str | None = None) -> SkillRef:
    return SkillRef(
        name=skill.name,
        folder=folder or skill.folder,
        fingerprint=skill.fingerprint,
        origin=origin,
        left_out=left_out,
    )


def _listed(names: tuple[str, ...], own: _Version) -> tuple[tuple[Arm, ...], dict[str, _Version]]:
    plain: list[str] = []
    others: dict[str, Skill] = {}
    for text in names:
        name, given, folder = text.partition("=")
        if not name.strip():
            raise SpecError(f"--arms has an empty name in {text!r}.", hint="Write names, or NAME=FOLDER.")
        plain.append(name.strip())
        if given:
            others[name.strip()] = load_skill(Path(folder))
    arms = make_arms(plain, own.skill, others)
    used = {arm.name: others.get(arm.name, own.skill) for arm in arms if arm.skill}
    return arms, {name: _Version(skill, _ref(skill)) for name, skill in used.items()}


def _against(source: str, own: _Version, around: Surroundings) -> tuple[tuple[Arm, ...], dict[str, _Version]]:
    old = _version(source, own, around, key="--baseline")
    if old is None:
        return _listed(DEFAULT_ARMS, own)
    arms = (Arm(name=NEW, role="treatment", skill=own.ref), Arm(name=OLD, role="baseline", skill=old.ref))
    return arms, {NEW: own, OLD: old}


def _named(wanted: ArmsWanted, own: _Version, around: Surroundings) -> tuple[tuple[Arm, ...], dict[str, _Version]]:
    named, where = wanted.named, str(wanted.file or "")
    arms: list[Arm] = []
    versions: dict[str, _Version] = {}
    for name, settings in named.items():
        source = settings.skill or (NO_SKILL if name == "without_skill" else None)
        version = own if source is None else _version(source, own, around, key=f"arms.{name}.skill")
        role = settings.role or ("baseline" if name in _BASELINE_NAMES else "treatment")
        arms.append(Arm(name=name, role=role, skill=version.ref if version else None))
        if version:
            versions[name] = version
    baselines = [arm.name for arm in arms if arm.role == "baseline"]
    if len(arms) > 1 and len(baselines) != 1:
        said = f"{' and '.join(baselines)} are" if baselines else "none is"
        raise PlanError(
            f"of the arms {said} the baseline; there has to be exactly one.",
            where=where,
            hint='Write role = "baseline" in one of them and role = "treatment" in the others.',
        )
    if len(arms) == len(baselines):
        raise PlanError("no arm is a treatment.", where=where, hint='Write role = "treatment" in one of them.')
    return tuple(sorted(arms, key=lambda arm: arm.role == "baseline")), versions


def _version(source: str, own: _Version, around: Surroundings, *, key: str) -> _Version | None:
    scheme, _, rest = source.partition(":")
    if source == NO_SKILL:
        return None
    if scheme == "git" and rest:
        return _from_git(rest, own, around)
    if scheme == "iteration" and rest.isascii() and rest.isdigit():
        return _from_iteration(int(rest), around)
    if scheme in {"git", "iteration"} and source == f"{scheme}:{rest}":
        raise PlanError(f"{key} is {source!r}.", hint="Write a folder, git:REF, git:REF:PATH, iteration:N or none.")
    found = load_skill(Path(source))
    return _Version(found, _ref(found))


def _from_git(rest: str, own: _Version, around: Surroundings) -> _Version:
    ref, given, path = rest.partition(":")
    into = _fresh(around)
    read = wiring.read_revision(
        Path(own.skill.folder), ref, path=path if given else None, into=into, skips=is_hidden, env=around.env
    )
    where = f"git:{ref}"
    found = _loaded(read.folder, where=f"{where}:{read.path}" if read.path else where)
    return _Version(found, _ref(found, folder=own.skill.folder, origin=f"git:{rest} ({read.commit[:_COMMIT_CHARS]})"))


def _loaded(folder: Path, *, where: str) -> Skill:
    """The skill of a temporary folder; errors name the place that it stands for."""
    try:
        return load_skill(folder)
    except SpecError as error:
        said = error.where.replace(str(folder), where)
        raise SpecError(error.message, hint=error.hint, where=said, code=error.code) from error


def _from_iteration(number: int, around: Surroundings) -> _Version:
    there = around.workspace.is_dir()
    store = wiring.open_store(around.workspace, write=False) if there else None
    have = iterations(store) if store else []
    if store is None or number not in have:
        known = f"It has: {', '.join(map(str, have))}." if have else "It has none yet."
        raise PlanError(f"there is no iteration {number} in this workspace.", where=str(around.workspace), hint=known)
    arm = _treatment(read_plan(store, number), number)
    place = store.path(f"{layout.iteration_dir(number)}/skills/{layout.slug(arm.name)}")
    if not (place / SKILL_FILE).is_file():
        raise PlanError(
            f"iteration {number} kept no copy of the skill.", where=str(place), hint="Give a folder or git:REF."
        )
    found = load_skill(place)
    if arm.skill is None or found.fingerprint != arm.skill.fingerprint:
        hint = "Somebody changed the copy. Give a folder or git:REF."
        raise PlanError(f"this is not the skill that iteration {number} had.", where=str(place), hint=hint)
    # The folder's name is the arm's, so it may not stand in for a name that the front matter lacks.
    found = found.model_copy(update={"name": arm.skill.name})
    return _Version(found, _ref(found, origin=f"iteration:{number} ({arm.name})"))


def _treatment(plan: Plan, number: int) -> Arm:
    for arm in plan.arms:
        if arm.role == "treatment" and arm.skill is not None:
            return arm
    raise PlanError(f"iteration {number} tried no skill.", hint="Name another iteration.")


def _ablated(
    arms: tuple[Arm, ...], versions: Mapping[str, _Version], around: Surroundings, *, what: str
) -> tuple[str, dict[str, _Version]]:
    """The name of the arm whose skill it was, and the skills without one section each."""
    if what != "sections":
        raise PlanError(f"--ablate is {what!r}.", hint="Known: sections.")
    whole = next((arm for arm in arms if arm.role == "treatment" and arm.skill), None)
    if whole is None:
        raise PlanError("--ablate needs an arm with a skill.")
    version = versions[whole.name]
    file = Path(version.skill.folder) / SKILL_FILE
    # Bytes, since reading as text would change line ends, and with them the rest of the skill.
    text = file.read_bytes().decode("utf-8")
    found = sections(text)
    if not found:
        hint = "--ablate sections leaves out one `##` section at a time."
        raise PlanError("this skill has no section with a `##` heading.", where=str(file), hint=hint)
    ablated: dict[str, _Version] = {}
    for number, section in enumerate(found, 1):
        name = _ablation_name(section, number, {arm.name for arm in arms} | ablated.keys())
        ablated[name] = _without_section(version, without(text, section), _title(section), _fresh(around))
    return whole.name, ablated


def _without_section(whole: _Version, text: str, title: str, into: Path) -> _Version:
    source, folder = Path(whole.skill.folder), into / Path(whole.skill.folder).name
    for file in whole.skill.files:
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / file.path, target)
    (folder / SKILL_FILE).chmod((folder / SKILL_FILE).stat().st_mode | 0o200)
    (folder / SKILL_FILE).write_bytes(text.encode("utf-8"))
    skill = load_skill(folder).model_copy(update={"name": whole.skill.name})
    origin = f"{whole.ref.origin or 'the skill'} without the section {title!r}"
    return _Version(skill, _ref(skill, folder=whole.ref.folder, origin=origin, left_out=title))


def _title(section: Section) -> str:
    return " ".join(section.title.split())[:80] or f"(without a title, line {section.start + 1})"


def _ablation_name(section: Section, number: int, taken: set[str]) -> str:
    plain = unicodedata.normalize("NFKD", section.title).encode("ascii", "ignore").decode().lower()
    words = "".join(char if char.isalnum() else " " for char in plain).split()
    name = f"minus_{'_'.join(words)[:_NAME_CHARS].strip('_')}" if words else f"minus_section_{number}"
    while name in taken:
        name = f"{name}_{number}"
    return name


def _fresh(around: Surroundings) -> Path:
    place = around.scratch / str(len(list(around.scratch.iterdir())))
    place.mkdir()
    return place
