"""People say PASS or FAIL themselves, blind: an iteration's judged assertions -> questions -> lines of the journal.

Nobody who answers sees the arm, the trial or what the judge says; `desk` draws the questions, `sheet` hands them out as a file.
"""
