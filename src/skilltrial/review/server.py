"""Serving the page on this machine alone, until somebody ends it."""

from __future__ import annotations

import hashlib
import secrets
import socket
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

import uvicorn

from skilltrial.errors import StoreError
from skilltrial.review.app import make_app
from skilltrial.review.guard import Guard
from skilltrial.review.live import Following
from skilltrial.review.numbers import read_ahead
from skilltrial.review.subject import Subject

LOOPBACK = "127.0.0.1"
_GRACE_S = 2


def serve(subject: Subject, *, port: int = 0, usual: int = 0, told: Callable[[str], None]) -> None:
    """Serve the page and tell its link once it can be opened; returns after Ctrl-C, SIGTERM or the page's own stop.

    Port 0 takes `usual` where that is free, else any free one. Raises `StoreError` where a port that was asked for is in
    use: nobody is ever ended for it.
    """
    with Serving(subject, port=port, usual=usual, told=told) as serving:
        # While the browser starts; what cannot be read is said once a page asks for it.
        threading.Thread(target=read_ahead, args=(subject,), daemon=True).start()
        serving.run()


class Serving:
    """A page with a port and a token of its own, held until the end of the `with`."""

    def __init__(
        self, subject: Subject, *, port: int = 0, usual: int = 0, told: Callable[[str], None] | None = None
    ) -> None:
        token = secrets.token_urlsafe(24)
        self._listener = _listening(port) if port else _listening_at_best(usual)
        port = self._listener.getsockname()[1]
        self.link = f"http://{LOOPBACK}:{port}/{token}/"
        self._ready = threading.Event()
        self._following = Following(subject)
        app = make_app(
            subject,
            token=token,
            hosts=(f"{LOOPBACK}:{port}", f"localhost:{port}"),
            following=self._following,
            stop=self.stop,
        )
        self._server = _Server(_settings(app), ready=lambda: self._tell(told), ending=self._following.end)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()

    def run(self) -> None:
        """Serve until `stop`, Ctrl-C or SIGTERM."""
        self._server.run(sockets=[self._listener])

    def stop(self) -> None:
        """Let what is being answered end, for two seconds at most; from any thread."""
        self._server.should_exit = True

    def wait_until_ready(self) -> None:
        """Return once the page can be opened."""
        self._ready.wait()

    def _tell(self, told: Callable[[str], None] | None) -> None:
        self._ready.set()
        if told is not None:
            told(self.link)


class _Server(uvicorn.Server):
    """uvicorn's server, which says when it listens and when it ends; Ctrl-C and SIGTERM are ends like any other."""

    def __init__(self, config: uvicorn.Config, *, ready: Callable[[], None], ending: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready
        self._ending = ending

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's, then tell."""
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's, after those who follow were told that nothing more comes."""
        self._ending()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """As uvicorn's; what asked for the end is not raised again."""
        try:
            with super().capture_signals():
                yield
                self._captured_signals.clear()
        except KeyboardInterrupt:
            return


def _settings(app: Guard) -> uvicorn.Config:
    """One protocol whatever else is installed, and not a word in the terminal."""
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_S,
    )


def usual_port(workspace: str) -> int:
    """The port that the pages of a workspace have where it is free: texts that a browser keeps belong to the port too."""
    return 20_000 + int.from_bytes(hashlib.sha256(workspace.encode("utf-8", "surrogateescape")).digest()[:4]) % 12_000


def _listening_at_best(usual: int) -> socket.socket:
    try:
        return _listening(usual)
    except StoreError:
        return _listening(0)


def _listening(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # On Windows this would let others take the port from us.
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise StoreError(
            f"port {port} cannot be had ({reason}).", where="--port", hint="Leave it out: a free one is taken."
        ) from error
    return listener
