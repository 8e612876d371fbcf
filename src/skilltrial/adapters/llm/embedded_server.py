"""The embedded model as a process of its own: `python -m skilltrial.adapters.llm.embedded_server MODEL …`.

A crash of the engine ends this process and nothing else. It reads one line from stdin, the key that requests must carry;
then it loads the model, listens on a loopback port, and writes one JSON line with the address to stdout. It ends when
stdin ends, which is when its parent does.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CACHE_MIB = 256


def main(arguments: Sequence[str]) -> None:
    """Serves until stdin ends."""
    parser = argparse.ArgumentParser(prog="embedded_server")
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--context", type=int, required=True)
    options = parser.parse_args(arguments)
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever the engine prints goes to stderr
    key = sys.stdin.readline().strip()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    server = _serve(options.model, key, threads=options.threads, context=options.context)
    print(json.dumps({"url": f"{server.listening_address}/v1"}), file=answer, flush=True)
    threading.Event().wait()


def _end_with_parent() -> None:
    while sys.stdin.read(4096):
        pass
    os._exit(0)


def _serve(model: str, key: str, *, threads: int, context: int) -> Any:
    xllamacpp: Any = importlib.import_module("xllamacpp")  # it has no types
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = [Path(model).stem]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.ui = False
    params.n_ctx = context
    params.n_parallel = 1
    params.cache_ram_mib = CACHE_MIB
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.warmup = False
    params.verbosity = -1
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main(sys.argv[1:])
