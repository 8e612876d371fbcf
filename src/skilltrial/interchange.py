"""Other tools' workspaces, in and out: what `skilltrial import` and `skilltrial export` do, as functions."""
