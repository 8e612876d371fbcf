"""Plan in; one folder a trial out: `run.json`, raw stream, transcript, outputs, timing.

Invariants: a trial's folder appears whole or not at all; a finished trial is never run again under the same plan; errors of
tools are retried and kept as attempts, failures of the agent never are; stopping at any moment loses nothing finished.
"""
