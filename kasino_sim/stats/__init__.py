"""Statistics: one a file, computed from tallies alone."""
