"""Boundaries of the operating system around the programs of a trial."""
