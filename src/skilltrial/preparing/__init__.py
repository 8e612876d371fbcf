"""What a run is made ready from, before its first trial."""
