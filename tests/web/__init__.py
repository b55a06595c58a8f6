"""The web client's own checks."""
