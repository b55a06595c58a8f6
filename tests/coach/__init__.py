"""The coach, and what notebooks show of it."""
