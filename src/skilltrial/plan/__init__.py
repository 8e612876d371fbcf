"""Skill, suite and settings in; a frozen `Plan` out.

Invariants: every arm gets the same cases, files, words and seeds; both arms of a (case, repeat) stand next to each other in
the order of execution; the same input gives the same plan but for its time stamp.
"""
