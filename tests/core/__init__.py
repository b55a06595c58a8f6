"""The other modules at the top of the package."""
