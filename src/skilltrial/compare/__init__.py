"""Blind comparison of two trials of the same case, and the reading of both skills afterwards.

A judge sees what two trials left, in both orders, without a name; a winner in one order alone is a tie. Which trial was which
stands in a file of its own.
"""
