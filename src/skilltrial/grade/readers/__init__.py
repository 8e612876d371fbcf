"""What reads documents that an agent left, in a process of its own, which `grade.reading` starts.

Imports nothing of ours, and each library only where its kind is read.
"""
