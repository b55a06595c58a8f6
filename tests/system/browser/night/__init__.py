"""Every screen, size, language and number of players: what repeats the proofs of the folder above."""
