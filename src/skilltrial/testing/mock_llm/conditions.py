"""When a rule of a scenario holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from skilltrial.testing.mock_llm.aliases import offered
from skilltrial.testing.mock_llm.listing import skill_listed
from skilltrial.testing.mock_llm.request import Request


def _all(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _number(wanted: Any, have: int) -> bool:
    if isinstance(wanted, dict):
        bounds = cast("dict[str, int]", wanted)
        return bounds.get("min", have) <= have <= bounds.get("max", have)
    return have in _all(wanted)


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.DOTALL) is not None


def _any_call(pattern: str, request: Request) -> bool:
    return any(_found(pattern, call.name) for call in request.calls)


CONDITIONS: dict[str, Callable[[Any, Request], bool]] = {
    "api": lambda v, r: r.api in _all(v),
    "model": lambda v, r: _found(v, r.model),
    "run": lambda v, r: _found(v, r.run),
    "step": lambda v, r: _number(v, r.step),
    "number": lambda v, r: _number(v, r.number),
    "prompt": lambda v, r: _found(v, r.prompt),
    "context": lambda v, r: all(_found(p, r.context) for p in _all(v)),
    "not_context": lambda v, r: not any(_found(p, r.context) for p in _all(v)),
    "skill_listed": lambda v, r: all(skill_listed(r, s) for s in _all(v)),
    "skill_not_listed": lambda v, r: not any(skill_listed(r, s) for s in _all(v)),
    "has_tool": lambda v, r: all(offered(r, t) for t in _all(v)),
    "lacks_tool": lambda v, r: not any(offered(r, t) for t in _all(v)),
    "tools_offered": lambda v, r: bool(r.tools) == v,
    "last_tool": lambda v, r: any(_found(v, result.name) for result in r.last_results),
    "last_result": lambda v, r: any(_found(v, result.text) for result in r.last_results),
    "last_result_error": lambda v, r: bool(r.last_results) and any(x.is_error for x in r.last_results) == v,
    "called": lambda v, r: all(_any_call(p, r) for p in _all(v)),
    "not_called": lambda v, r: not any(_any_call(p, r) for p in _all(v)),
}
"""Name of a condition -> (its value, the request) -> whether it holds."""


def holds(when: dict[str, Any], request: Request) -> bool:
    """Whether all conditions hold for the request."""
    return all(CONDITIONS[key](value, request) for key, value in when.items())
