"""Where a shell command writes to, by its words."""

from __future__ import annotations

import pytest

from skilltrial.execute.shell_writes import written_places


def places(command: str) -> list[str]:
    """Of a command in /t/work."""
    return list(written_places(command, work="/t/work", home="/t/home", tmp="/t/tmp"))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("echo a > /etc/x 2>&1", ["/etc/x"]),
        ("echo a>>/tight", ["/tight"]),
        ("run &> log.txt", ["/t/work/log.txt"]),
        ('a 2>/dev/null | tee -a ~/l "$TMPDIR/m"', ["/dev/null", "/t/home/l", "/t/tmp/m"]),
        ("cd /var && touch q; cd && rm -rf z", ["/var/q", "/t/home/z"]),
        ("cp a b /usr/z", ["/usr/z"]),
        ("cp -t /usr/z a b", ["/usr/z"]),
        ("mv /a/b c", ["/a/b", "/t/work/c"]),
        ("sed -i 's/a/b/' /e/f", ["/e/f"]),
        ("dd if=/dev/zero of=/x/y", ["/x/y"]),
        ("curl -o /o/p http://x; wget --output-document=/o/q http://x", ["/o/p", "/o/q"]),
        ("chmod 600 /a", ["/a"]),
        ("FOO=1 sudo tee /s", ["/s"]),
        ("for f in *; do cp $f /q; done", ["/q"]),
        ("/bin/bash -lc 'cat a >> ../../b'", ["/b"]),
        ("sudo sh -c 'sh -c \"echo 1 > /deep\"'", ["/deep"]),
    ],
)
def test_what_is_written(command: str, expected: list[str]) -> None:
    """Redirections and the usual programs, with relative names resolved."""
    assert places(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "cat /etc/passwd",
        "echo 'a > /b' \"c > /d\"",
        "sed 's/a/b/' /e/f",
        "echo x >&2",
        "cat <<'EOF'\necho > /no\nEOF",
        "# > /comment",
        "tee $UNKNOWN/x",
        "echo 'never closed > /no",
        "",
    ],
)
def test_what_is_not(command: str) -> None:
    """Reading, quoting, comments, here-documents, and names that cannot be known."""
    assert places(command) == []


def test_after_a_here_document_reading_goes_on() -> None:
    """Its own redirection and the next command count, its text does not."""
    assert places("cat > /a <<'EOF'\n> /no\nEOF\necho b > /c") == ["/a", "/c"]
