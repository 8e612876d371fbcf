"""An invented result of the trigger loop: loop/results.json and loop/eval_set.json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from skilltrial.testing.workspaces_options import WorkspaceOptions, write_json
from skilltrial.testing.workspaces_text import TOPICS, VERBS, words

_HOLD_OUT = 0.4
_RUNS = 3
_THRESHOLD = 0.5


def write_loop(home: Path, options: WorkspaceOptions, rng: Random) -> None:
    """Write the loop's two files into `home`."""
    queries = [
        {
            "query": f"{rng.choice(VERBS)} my {rng.choice(TOPICS)} number {number}: " + words(rng, 14),
            "should_trigger": number % 2 == 0,
        }
        for number in range(options.loop_queries)
    ]
    n_test = int(options.loop_queries * _HOLD_OUT)
    rounds = [
        _round(number, queries[n_test:], queries[:n_test], rng) for number in range(1, options.loop_iterations + 1)
    ]
    best = max(rounds, key=lambda entry: entry["test_passed"])
    test_score = f"{best['test_passed']}/{best['test_total']}"
    write_json(home / "eval_set.json", queries)
    results = {
        "exit_reason": f"max_iterations ({options.loop_iterations})",
        "original_description": rounds[0]["description"],
        "best_description": best["description"],
        "best_score": test_score,
        "best_train_score": f"{best['train_passed']}/{best['train_total']}",
        "best_test_score": test_score,
        "final_description": rounds[-1]["description"],
        "iterations_run": len(rounds),
        "holdout": _HOLD_OUT,
        "train_size": len(queries) - n_test,
        "test_size": n_test,
        "history": rounds,
    }
    write_json(home / "results.json", results)


def _round(number: int, train: Sequence[dict[str, Any]], test: Sequence[dict[str, Any]], rng: Random) -> dict[str, Any]:
    trained = [_answer(query, number, rng) for query in train]
    tested = [_answer(query, number, rng) for query in test]
    right, tested_right = (sum(answer["pass"] for answer in answers) for answers in (trained, tested))
    return {
        "iteration": number,
        "description": f"Attempt {number}: " + words(rng, 60),
        "train_passed": right,
        "train_failed": len(trained) - right,
        "train_total": len(trained),
        "train_results": trained,
        "test_passed": tested_right,
        "test_failed": len(tested) - tested_right,
        "test_total": len(tested),
        "test_results": tested,
        "passed": right,
        "failed": len(trained) - right,
        "total": len(trained),
        "results": trained,
    }


def _answer(query: dict[str, Any], number: int, rng: Random) -> dict[str, Any]:
    wanted = query["should_trigger"]
    chance = min(0.95, 0.45 + 0.1 * number) if wanted else max(0.03, 0.3 - 0.06 * number)
    triggers = sum(rng.random() < chance for _ in range(_RUNS))
    rate = triggers / _RUNS
    passed = rate >= _THRESHOLD if wanted else rate < _THRESHOLD
    return {**query, "trigger_rate": rate, "triggers": triggers, "runs": _RUNS, "pass": passed}
