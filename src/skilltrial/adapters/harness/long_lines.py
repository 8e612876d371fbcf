"""Lines of any length that a program writes, put together in bounded memory: long texts in their JSON lose their middle."""

from __future__ import annotations

MAX_LINE_BYTES = 64_000_000
"""Of a longer line no more than its beginning is kept."""
_HEAD, _TAIL = 13_000_000, 1_000_000
"""Bytes kept of a text. Escapes take twelve a character at most, so that what is left is more than `MAX_TEXT_CHARS`.

Whoever reads the line cuts it once more then, and says so in the event; a text that only looks cut gains nothing.
"""
_BEGINNING = 2000
_LOOKED_AT = 10
_CONTINUES = 0b10
_BACKSLASH, _U = b"\\u"


class Line:
    """One line, piece by piece."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._size = 0
        self._scanned = 0
        self._open: int | None = None
        """Where the text begins that has not ended."""
        self._cut: int | None = None
        """Where something of that text was taken out, once it was."""
        self._n_left_out = 0
        """Bytes of it."""

    def add(self, piece: bytes) -> None:
        """Some more of it."""
        self._size += len(piece)
        if len(self._data) > MAX_LINE_BYTES:
            return
        self._data += piece
        if len(self._data) > _HEAD + 2 * _TAIL or self._cut is not None:
            self._scan()

    def take(self) -> bytes:
        """The line, and begin another one."""
        data, size = self._data, self._size
        self._data, self._size, self._scanned = bytearray(), 0, 0
        self._open, self._cut, self._n_left_out = None, None, 0
        if len(data) <= MAX_LINE_BYTES:
            return bytes(data)
        return bytes(data[:_BEGINNING]) + f" [… a line of {size:,} bytes, the rest of which was left out]".encode()

    def _scan(self) -> None:
        while (quote := self._data.find(b'"', self._scanned)) >= 0:
            self._scanned = quote + 1
            if self._open is None:
                self._open = quote + 1
            elif not _is_escaped(self._data, quote):
                self._shorten(self._open, quote)
                self._close()
        self._scanned = len(self._data)
        if self._open is not None:
            self._shorten(self._open, len(self._data))

    def _shorten(self, begin: int, end: int) -> None:
        """Take out the middle of a text that is too long by now."""
        if end - begin <= _HEAD + 2 * _TAIL:
            return
        if self._cut is None:
            self._cut = _boundary(self._data, begin + _HEAD)
        places = range(end - _TAIL, end - _TAIL + _LOOKED_AT)
        tail = next((at for at in places if not _is_inside(self._data[at]) and not _is_escaped(self._data, at)), None)
        if tail is not None:
            del self._data[self._cut : tail]
            self._n_left_out += tail - self._cut
            self._scanned -= tail - self._cut

    def _close(self) -> None:
        if self._cut is not None:
            note = f" [… {self._n_left_out:,} bytes were cut out here …] ".encode()
            self._data[self._cut : self._cut] = note
            self._scanned += len(note)
        self._open, self._cut, self._n_left_out = None, None, 0


def _is_escaped(data: bytearray, at: int) -> bool:
    """An odd number of backslashes stands before it."""
    size = 0
    for window in (1 << power for power in range(6, 28)):
        before = data[max(0, at - window) : at]
        size = len(before) - len(before.rstrip(b"\\"))
        if size < window:
            break
    return size % 2 == 1


def _is_inside(byte: int) -> bool:
    """Of a character, not its first one."""
    return byte >> 6 == _CONTINUES


def _boundary(data: bytearray, at: int) -> int:
    """The last place up to `at` that is inside no escape and no character."""
    at = next((place for place in range(at, at - 4, -1) if not _is_inside(data[place])), at)
    for begin in range(at - 1, at - 6, -1):
        if data[begin] == _BACKSLASH and not _is_escaped(data, begin):
            length = 6 if data[begin + 1] == _U else 2
            return begin if begin + length > at else at
    return at
