"""skill-creator's Benchmark mode: the same runs and figures, below `benchmarks/<timestamp>/`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from skilltrial.adapters.interchange.writers.skill_creator import SkillCreator
from skilltrial.ports import Export, ExportFile, Trialled
from skilltrial.records.layout import iteration_dir

_NO_NAME = re.compile(r"[^0-9A-Za-z+-]+")
"""Colons are in no file name everywhere."""


class SkillCreatorBenchmark:
    """Satisfies `ports.Exporter`."""

    name = "skill-creator-benchmark"

    def export(self, iterations: Sequence[Trialled]) -> Export:
        """One folder an iteration, by the time of its plan; its aggregator takes the runs from `runs/`."""
        exports: list[Export] = []
        taken: set[str] = set()
        for source in iterations:
            stamp = _NO_NAME.sub("-", source.plan.created_at) or "unknown"
            folder = stamp if stamp not in taken else f"{stamp}-{source.iteration}"
            taken.add(folder)
            export = SkillCreator().export([source])
            place = f"{iteration_dir(source.iteration)}/"
            files = tuple(
                _moved(file, place, f"benchmarks/{folder}") for file in export.files if file.path.startswith(place)
            )
            exports.append(replace(export, files=files))
        return Export(
            files=tuple(file for export in exports for file in export.files),
            losses=tuple(loss for export in exports for loss in export.losses),
        )


def create() -> SkillCreatorBenchmark:
    """For the entry point."""
    return SkillCreatorBenchmark()


def _moved(file: ExportFile, place: str, folder: str) -> ExportFile:
    inner = file.path.removeprefix(place)
    return replace(file, path=f"{folder}/runs/{inner}" if inner.startswith("eval-") else f"{folder}/{inner}")
