"""The edge: connections, their limits, and who may connect."""
