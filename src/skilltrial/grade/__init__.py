"""Trials -> gradings: what code can decide first, then one blind call of the judge for the assertions in prose.

Input: a plan and an iteration's finished trials (`run.json`, `transcript.jsonl`, `outputs/`, `diff.patch`). Output: one
`grading.json` a trial that can say something about the agent, every assertion of its case in it exactly once. Entry: `run.grade`.
"""
