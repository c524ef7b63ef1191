"""Studies: each a plan of what to play, and a reading of its tallies."""
