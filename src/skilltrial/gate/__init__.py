"""Does a benchmark keep what was asked of it?

Input: a plan, its benchmark, the settings of the gate, and where it is asked for a promoted baseline. Output: a `Gate`, with one
outcome a rule and one of the whole. Nothing is read or written here; what is unknown is undecided, never a pass or a fail.
"""
