"""Figures: one a file, `draw(frame, ax)` on a tidy frame whose numbers were computed elsewhere."""
