"""Who may ask: the first thing that every request meets."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self'; "
    "font-src 'self'; "
    "connect-src 'self'; frame-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""Of our own page: its own files and nothing of anybody else's."""
_HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ("Cache-Control", "no-store"),
)
_SAFE = frozenset({"GET", "HEAD"})
_OURS = frozenset({"same-origin", "none"})
"""What a browser says of a request that our page or its reader made."""
_FRAMES = "frame/"
"""Documents there have no origin, and ask for their own pictures as strangers do."""


class Guard:
    """Lets a request through only where it names this server as its host, knows the token, and comes from its own page.

    The token is the first part of the path, so that pictures and frames carry it; nobody else's page can read it, and no `Referer`
    tells it. A name that some other site points at this machine is refused by its `Host`.
    """

    def __init__(self, app: ASGIApp, *, token: str, hosts: Iterable[str]) -> None:
        self._app = app
        self._token = token
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on what may be answered with the token taken off its path."""
        if scope["type"] != "http":
            return
        sending = _with_headers(send)
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, sending)
            return
        inner = dict(scope)
        inner["root_path"] = f"{scope.get('root_path', '')}/{self._token}"
        with suppress(Exception):  # a defect, which `app` has told and answered, or a client that has gone
            await self._app(inner, receive, sending)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts = [host.lower() for host in headers.getlist("host")]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return PlainTextResponse("This page is only for the machine that it runs on.\n", 403)
        first, slash, rest = str(scope["path"]).removeprefix("/").partition("/")
        if not hmac.compare_digest(first.encode(), self._token.encode()):
            return PlainTextResponse("Open the whole link that skilltrial view printed.\n", 403)
        if not slash:
            return RedirectResponse(f"/{self._token}/")
        return _of_other_pages(headers, origin=f"http://{hosts[0]}", method=scope["method"], path=rest)


def _of_other_pages(headers: Headers, *, origin: str, method: str, path: str) -> Response | None:
    """A refusal for what a page of somebody else asks, which may have learned the token."""
    site = headers.get("sec-fetch-site", "same-origin").lower()
    reading = method in _SAFE
    from_anywhere = reading and (not path or path.startswith(_FRAMES))  # the page may be opened from a link
    if site not in _OURS and not from_anywhere:
        return PlainTextResponse("This request did not come from the page itself.\n", 403)
    if reading:
        return None
    if [each.lower() for each in headers.getlist("origin")] != [origin]:
        return PlainTextResponse("This request did not come from the page itself.\n", 403)
    if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        return PlainTextResponse("Only JSON is taken.\n", 415)
    return None


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS:
                headers.setdefault(name, value)
            headers.setdefault("Content-Security-Policy", PAGE_POLICY)
        await send(message)

    return sending
