"""The project, with a soak."""
