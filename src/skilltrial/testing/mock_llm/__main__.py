"""Command line: `python -m skilltrial.testing.mock_llm SCENARIO... [--port N]`."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from pathlib import Path

from skilltrial.testing.mock_llm.scenario import ScenarioError
from skilltrial.testing.mock_llm.server import MockLLM


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mock_llm", description="A scripted stand-in for model APIs.")
    parser.add_argument("scenario", nargs="+", help="scenario file or folder; the first is the default")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (default: a free one)")
    parser.add_argument("--port-file", type=Path, help="write the port here once the server listens")
    parser.add_argument("--log", type=Path, help="write each request as a JSON line to this file")
    parser.add_argument("--no-bodies", action="store_true", help="leave request bodies out of the log")
    parser.add_argument(
        "--var", action="append", default=[], metavar="NAME=VALUE", help="a {{NAME}} for scenario texts (repeatable)"
    )
    return parser


def main() -> int:
    """Serves until a signal ends it."""
    parser = _arguments()
    args = parser.parse_args()
    try:
        variables = dict(pair.split("=", 1) for pair in args.var)
    except ValueError:
        parser.error("--var wants NAME=VALUE")
    try:
        mock = MockLLM(*args.scenario, port=args.port, log=args.log, bodies=not args.no_bodies, variables=variables)
    except (OSError, ScenarioError) as error:
        sys.stderr.write(f"mock_llm: {error}\n")
        return 2
    done = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: done.set())
    with mock:
        if args.port_file:
            args.port_file.write_text(str(mock.port), encoding="utf-8")
        sys.stdout.write(f"mock_llm on {mock.url()} (default scenario: {mock.default})\n")
        sys.stdout.flush()
        done.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
