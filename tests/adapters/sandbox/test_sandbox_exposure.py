"""What a program inside a sandbox may read."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.adapters.sandbox.exposure import Exposure, located, of_program, system, together, within


def script(path: Path, first_line: str = "#!/bin/sh") -> Path:
    """A program that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{first_line}\n")
    path.chmod(0o755)
    return path


def own(exposure: Exposure, tmp_path: Path) -> set[str]:
    """Of what is readable, what lies in the test's folder."""
    return {path.relative_to(tmp_path).as_posix() for path in exposure.readable if path.is_relative_to(tmp_path)}


def of(program: Path, tmp_path: Path, **env: str) -> Exposure:
    """What a program of a person with a home needs."""
    return of_program(program, env, hidden=[tmp_path / "home"])


def test_the_system_is_there_without_accounts_and_homes() -> None:
    """Of /etc only what names and certificates need."""
    readable = system().readable
    assert Path("/usr") in readable
    assert not {Path("/"), Path("/etc"), Path("/etc/shadow"), Path.home(), Path("/home"), Path("/tmp")} & set(readable)


def test_a_single_file_of_the_home_brings_nothing_with_it(tmp_path: Path) -> None:
    """~/.local/bin holds other programs, and ~/.local/share anything."""
    program = script(tmp_path / "home/.local/bin/agent")
    script(tmp_path / "home/.local/bin/other")
    assert own(of(program, tmp_path), tmp_path) == {"home/.local/bin/agent"}


def test_links_to_a_program_are_followed_and_made_again(tmp_path: Path) -> None:
    """The link is on no readable folder, so it has to be made inside."""
    real = script(tmp_path / "home/.local/share/agent/versions/2.1")
    link = tmp_path / "home/.local/bin/agent"
    link.parent.mkdir(parents=True)
    link.symlink_to("../share/agent/versions/2.1")
    exposure = of(link, tmp_path)
    assert own(exposure, tmp_path) == {real.relative_to(tmp_path).as_posix()}
    assert exposure.links[link] == "../share/agent/versions/2.1"


def test_a_node_program_brings_its_packages_and_its_node(tmp_path: Path) -> None:
    """A version manager's node in the home: its bin folder is known by the lib/node_modules beside it."""
    prefix = tmp_path / "home/.nvm/v22"
    script(prefix / "lib/node_modules/agent/cli.js", "#!/usr/bin/env node")
    script(prefix / "bin/node")
    link = prefix / "bin/agent"
    link.symlink_to("../lib/node_modules/agent/cli.js")
    readable = own(of(link, tmp_path, PATH=str(prefix / "bin")), tmp_path)
    assert readable == {"home/.nvm/v22/lib/node_modules", "home/.nvm/v22/bin/node"}


def test_a_python_program_brings_its_environment_and_its_interpreter(tmp_path: Path) -> None:
    """The environment is known by its pyvenv.cfg; the interpreter by the standard library beside it."""
    base, venv = tmp_path / "home/pythons/3.12", tmp_path / "home/tools/agent"
    script(base / "bin/python3.12")
    (base / "lib/python3.12").mkdir(parents=True)
    (base / "lib/python3.12/os.py").touch()
    program = script(venv / "bin/agent", f"#!{venv}/bin/python")
    (venv / "bin/python").symlink_to(base / "bin/python3.12")
    (venv / "pyvenv.cfg").touch()
    assert own(of(program, tmp_path), tmp_path) == {
        "home/pythons/3.12/bin",
        "home/pythons/3.12/lib",
        "home/tools/agent",
    }


@pytest.mark.parametrize("sign", ["lib/node_modules", "lib/python3.12/os.py"])
def test_an_installation_in_dot_local_does_not_bring_the_logins_beside_it(tmp_path: Path, sign: str) -> None:
    """`npm config set prefix ~/.local` is common, and ~/.local/share holds key rings and logins of agent programs."""
    local = tmp_path / "home/.local"
    program = script(local / "bin/agent")
    (local / sign).mkdir(parents=True)
    login = script(local / "share/opencode/auth.json")
    readable = of(program, tmp_path).readable
    assert local / "lib/node_modules" in readable or local / "lib" in readable
    assert not any(login.is_relative_to(place) for place in readable)


def test_private_keys_of_the_system_stay_out() -> None:
    """As root, /etc/ssl/private could be read."""
    readable = system().readable
    assert not {Path("/etc/ssl"), Path("/etc/pki"), Path("/etc/ssl/private"), Path("/etc/pki/tls/private")} & set(
        readable
    )


@pytest.mark.parametrize("sign", ["pyvenv.cfg", "lib/node_modules"])
def test_an_installation_that_is_the_home_is_no_installation(tmp_path: Path, sign: str) -> None:
    """Somebody whose home is a Python environment: still only the program's file."""
    program = script(tmp_path / "home/bin/agent")
    mark = tmp_path / "home" / sign
    mark.mkdir(parents=True)
    assert own(of(program, tmp_path), tmp_path) == {"home/bin/agent"}


def test_programs_of_the_system_bring_no_root_with_them() -> None:
    """/bin/sh lies in a folder `bin` below one that has a lib/python3: that is no installation."""
    assert Path("/") not in of_program(Path("/bin/sh"), {}, hidden=[]).readable


def test_certificates_that_the_environment_names_are_readable(tmp_path: Path) -> None:
    """Else no connection of the agent's would be trusted."""
    certificate = tmp_path / "company.pem"
    certificate.touch()
    program = script(tmp_path / "agent")
    assert own(of(program, tmp_path, SSL_CERT_FILE=str(certificate)), tmp_path) == {"agent", "company.pem"}


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    """A program that is no program is for the one who starts it to find out."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert own(of(tmp_path / "a", tmp_path), tmp_path) == set()


def test_what_lies_in_a_readable_folder_is_not_named_again(tmp_path: Path) -> None:
    """The outer one is enough."""
    inner = Exposure(readable=(tmp_path / "a/b",), links={tmp_path / "a/link": "b"})
    outer = Exposure(readable=(tmp_path / "a",), links={})
    assert together(inner, outer) == Exposure(readable=(tmp_path / "a",), links={})


def test_a_search_path_is_cut_to_what_can_be_read(tmp_path: Path) -> None:
    """Where nothing is left, the system's own."""
    exposure = Exposure(readable=(tmp_path / "a",), links={})
    assert within(f"{tmp_path}/a/bin:{tmp_path}/b:relative", exposure) == f"{tmp_path}/a/bin"
    assert "/bin" in within(f"{tmp_path}/b", exposure)
    assert within(f"{tmp_path}/b", exposure, own=[tmp_path]) == f"{tmp_path}/b"


def test_a_program_is_named_without_detours(tmp_path: Path) -> None:
    """By its name on the search path, and without `..`, which would need folders that are not there."""
    program = script(tmp_path / "bin/agent")
    assert located("agent", {"PATH": str(tmp_path / "bin")}) == program
    assert located(f"{tmp_path}/other/../bin/agent", {}) == program


def test_programs_that_it_needs_come_with_it_and_are_found_last(tmp_path: Path) -> None:
    """The folder of the person's in which a needed one lies stays out, and must not hide the system's programs."""
    program, rg = script(tmp_path / "agent"), script(tmp_path / "home/bin/rg")
    script(tmp_path / "home/bin/other")
    path = f"{rg.parent}:/usr/bin"
    exposure = of_program(program, {"PATH": path}, hidden=[tmp_path / "home"], needs=["rg", "not-there"])
    assert own(exposure, tmp_path) == {"agent", "home/bin/rg"}
    assert within(path, together(exposure, system())) == f"/usr/bin:{rg.parent}"


def test_a_script_in_shell_brings_the_packages_beside_it(tmp_path: Path) -> None:
    """What it starts cannot be told from its text."""
    program = script(tmp_path / "home/agents/bin/agent")
    script(tmp_path / "home/agents/node_modules/agent/cli.js")
    assert own(of(program, tmp_path), tmp_path) == {"home/agents/bin/agent", "home/agents/node_modules"}
