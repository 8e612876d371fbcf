"""Package data: the recorded trials of the example that `skilltrial demo` replays."""

from skilltrial.recordings.demo import DEMO_RUNS, DEMO_SEED, demo_recordings, demo_skill

__all__ = ["DEMO_RUNS", "DEMO_SEED", "demo_recordings", "demo_skill"]
