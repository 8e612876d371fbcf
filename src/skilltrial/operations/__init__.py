"""What commands do besides a single run."""
