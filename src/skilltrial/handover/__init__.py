"""Trials that somebody else runs, for agents that cannot be started from here: a subscription, an IDE.

`preparation` plans like a run and writes one folder a trial, `collection` takes back what came of them and goes on like a run.
The key to which folder is which trial stays in the workspace.
"""
