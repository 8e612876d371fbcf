"""Trials and their gradings -> one `Benchmark`.

Input are a plan and what has come of it so far, in any order and with gaps; output is one record in which every planned
trial stands exactly once, counted or excluded with a reason. Nothing is read, written or left to chance: the same input gives
the same bytes.
"""
