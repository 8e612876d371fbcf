"""The files of a trial, for people: which there are, what each is, how two trials' files differ.

Everything here is hostile. Links are followed nowhere, everything has a cap, and what a library reads is read by a process of
its own (`grade.reading`), which can neither fill the memory nor keep the page waiting for ever. What cannot be shown is no
error of the page: the answer has a `gap` that says why.
"""
