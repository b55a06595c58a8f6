"""One match: its state, its connections and everything that acts on it."""
