"""The coach: evaluation of positions and analysis of matches."""
