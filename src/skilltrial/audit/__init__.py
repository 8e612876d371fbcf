"""A foreign workspace -> `Audit`: every figure recomputed from the criteria, and what the old ones got wrong.

Nothing is read but folders of outputs, through a function that is handed in; nothing is guessed: what the files do not say
is None.
"""
