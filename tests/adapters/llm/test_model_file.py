"""Finding, joining and verifying the embedded model's file, with small files in place of the real parts."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from pathlib import Path

import pytest

from skilltrial.adapters.llm import model_file
from skilltrial.adapters.llm.model_file import cache_folder, join_parts, joined_file, own_file, prepare_model_file
from skilltrial.errors import NotInstalled, SpecError, StoreError

WHOLE = b"first;second;third"
WHOLE_SHA256 = hashlib.sha256(WHOLE).hexdigest()


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    """Three parts of a model file."""
    found: list[Path] = []
    for number, data in enumerate((b"first;", b"second;", b"third"), 1):
        part = tmp_path / f"part{number:02d}.bin"
        part.write_bytes(data)
        found.append(part)
    return found


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment with a cache of its own."""
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}


def install(monkeypatch: pytest.MonkeyPatch, parts: list[Path], *, sha256: str = WHOLE_SHA256) -> None:
    """Puts the parts in the place of the 22 packages."""
    monkeypatch.setattr(model_file, "part_files", lambda: parts)
    monkeypatch.setattr(model_file, "N_PARTS", 3)
    monkeypatch.setattr(model_file, "PUBLISHED_SHA256", sha256)


def join_in_process(parts: list[Path], target: Path) -> None:
    """One of two processes that join at once."""
    join_parts(parts, target, sha256=WHOLE_SHA256)


def test_parts_are_joined_in_order(parts: list[Path], tmp_path: Path) -> None:
    """The joined file is the parts one after the other, and nothing else is left beside it but its stamp."""
    target = tmp_path / "models" / "model.gguf"
    join_parts(parts, target, sha256=WHOLE_SHA256)
    assert target.read_bytes() == WHOLE
    assert sorted(path.suffix for path in target.parent.iterdir()) == [".gguf", ".json"]


def test_a_wrong_checksum_leaves_no_file(parts: list[Path], tmp_path: Path) -> None:
    """Parts of something else are refused before the file appears under its name."""
    target = tmp_path / "models" / "model.gguf"
    with pytest.raises(StoreError, match="not used"):
        join_parts(parts, target, sha256="0" * 64)
    assert list(target.parent.iterdir()) == []


def test_two_processes_at_once_give_one_whole_file(parts: list[Path], tmp_path: Path) -> None:
    """Whoever is last replaces a whole file by the same whole file."""
    target = tmp_path / "models" / "model.gguf"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=join_in_process, args=(parts, target)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert target.read_bytes() == WHOLE


def test_the_first_use_joins_and_the_second_reads_the_stamp(
    parts: list[Path], env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gigabyte is not read again while size and time are the same."""
    install(monkeypatch, parts)
    first = prepare_model_file(env)
    assert (first.path, first.sha256) == (joined_file(env), WHOLE_SHA256)
    monkeypatch.setattr(model_file, "_sha256", lambda *_args, **_kwargs: pytest.fail("the file was read again"))
    assert prepare_model_file(env) == first


def test_a_changed_file_is_verified_again_and_refused(
    parts: list[Path], env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that was damaged after it was joined is not loaded."""
    install(monkeypatch, parts)
    path = prepare_model_file(env).path
    path.write_bytes(b"damaged")
    with pytest.raises(StoreError, match="Delete it"):
        prepare_model_file(env)


def test_a_broken_stamp_is_made_anew(parts: list[Path], env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A stamp that says nothing costs a reading, no more."""
    install(monkeypatch, parts)
    path = prepare_model_file(env).path
    stamp = next(path.parent.glob("*.json"))
    stamp.write_text("{")
    assert prepare_model_file(env).sha256 == WHOLE_SHA256
    assert json.loads(stamp.read_text())["sha256"] == WHOLE_SHA256


def test_missing_parts_say_how_to_get_them(
    parts: list[Path], env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of three parts are no model."""
    install(monkeypatch, parts)
    monkeypatch.setattr(model_file, "part_files", lambda: parts[:2])
    with pytest.raises(NotInstalled, match=r"2 of 3 parts.*skilltrial\[local\]"):
        prepare_model_file(env)


def test_an_own_file_is_used_as_it_is(env: dict[str, str], tmp_path: Path) -> None:
    """Any checksum will do, and it is the file's own that is told."""
    own = tmp_path / "mine.gguf"
    own.write_bytes(b"another model")
    found = prepare_model_file({**env, "SKILLTRIAL_EMBEDDED_MODEL": str(own)})
    assert (found.path, found.name) == (own, "mine")
    assert found.sha256 == hashlib.sha256(b"another model").hexdigest()
    assert list(tmp_path.glob("mine*")) == [own]


def test_an_own_file_that_is_not_there_is_an_error(env: dict[str, str]) -> None:
    """A wrong path never falls back to another model."""
    with pytest.raises(SpecError, match=r"'/no/such\.gguf'"):
        own_file({**env, "SKILLTRIAL_EMBEDDED_MODEL": "/no/such.gguf"})


def test_the_cache_follows_the_environment() -> None:
    """XDG_CACHE_HOME wins over the home."""
    assert cache_folder({"XDG_CACHE_HOME": "/c", "HOME": "/h"}) == Path("/c/skilltrial/models")
    assert cache_folder({"HOME": "/h"}).is_relative_to("/h")


def test_a_cache_that_cannot_be_written_is_one_clear_error(parts: list[Path], tmp_path: Path) -> None:
    """The disk's refusal becomes a StoreError that names the place."""
    (tmp_path / "models").write_text("a file in the way")
    with pytest.raises(StoreError, match=r"model\.gguf: .*cannot be written"):
        join_parts(parts, tmp_path / "models" / "model.gguf", sha256=WHOLE_SHA256)
