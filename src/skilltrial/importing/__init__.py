"""Other tools' workspaces -> plans, trials and gradings of ours.

Input is a `ForeignWorkspace` as it was read; output are records that the reports take as they take our own. Nothing is worked out
that the files do not say: what is unknown stays None, a criterion without a verdict is UNGRADED with the reason, and what had to
be told apart or made up (ids, numbers of runs) is said in the plan's repairs. No file is read
or written.
"""
