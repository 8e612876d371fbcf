"""Other tools' workspaces, in and out: what `skilltrial import` and `skilltrial export` do, as functions.

The workspace that is read stays as it is; what is written appears whole or not at all.
"""
