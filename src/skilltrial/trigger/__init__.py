"""Does the agent load the skill when it should: queries -> trials that end at the decisive event -> counts and figures.

A query is a case without assertions, so that everything that holds for trials holds here: fresh folders, the skill under its real
name, retries, resuming, ceilings. Nothing is graded; the trials' own evidence is counted.
"""
