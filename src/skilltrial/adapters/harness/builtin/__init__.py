"""Our own agent: a small loop over any model API.

In: a `TrialRequest` and an opened `ChatModel`. Out: a `HarnessResult`, with the raw requests and answers beside. The skill
is reachable only where one was placed: without it there is no listing, no action and no file.
"""

from skilltrial.adapters.harness.builtin.harness import create

__all__ = ["create"]
