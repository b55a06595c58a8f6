"""The coach: what decisions are worth, in one position and over a whole match."""
