"""Carries connections out of an empty network: `python -I -S network_relay.py PROCESS CHANNEL ADDRESSES`.

It gets sockets that listen inside over the socket with the number CHANNEL, each with the number of the address (host and port of
ADDRESSES, in JSON) that it stands for: no other is ever connected to. It ends with PROCESS. Imports nothing of ours.
"""

from __future__ import annotations

import json
import os
import select
import socket
import sys
from contextlib import suppress
from threading import Thread

_CHUNK = 1 << 16
_CONNECT_S = 30.0


def main(process: str, channel: str, addresses: str) -> None:
    """Serve until the process has ended."""
    known: list[tuple[str, int]] = [(host, port) for host, port in json.loads(addresses)]
    try:
        alive = os.pidfd_open(int(process))
    except ProcessLookupError:
        return
    with socket.socket(fileno=int(channel)) as inbox:
        while True:
            numbers, listeners, _, _ = socket.recv_fds(inbox, 1, 1)
            if not numbers:
                break
            for listener in listeners:
                Thread(target=_accept, args=(listener, known[numbers[0]]), daemon=True).start()
    select.select([alive], [], [])


def _accept(listener: int, address: tuple[str, int]) -> None:
    with socket.socket(fileno=listener) as server:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                continue
            Thread(target=_carry, args=(connection, address), daemon=True).start()


def _carry(inside: socket.socket, address: tuple[str, int]) -> None:
    with inside, suppress(OSError), socket.create_connection(address, timeout=_CONNECT_S) as outside:
        outside.settimeout(None)
        back = Thread(target=_pump, args=(outside, inside), daemon=True)
        back.start()
        _pump(inside, outside)
        back.join()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_CHUNK):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    main(*sys.argv[1:])
