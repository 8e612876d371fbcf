"""The one place that runs programs to their end, and ends them with everything that they started."""
