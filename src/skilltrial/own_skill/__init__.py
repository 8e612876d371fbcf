"""Our own skill, which teaches agents to use skilltrial, and putting it where agents find it."""
