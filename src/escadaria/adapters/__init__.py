"""Both games for the tools of researchers: PettingZoo and OpenSpiel. Each comes as an extra."""
