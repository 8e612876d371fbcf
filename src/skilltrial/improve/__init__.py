"""Versions of a skill: which cases are for what, and when a version is better. Pure."""
