"""More dice than in the quick tier."""
