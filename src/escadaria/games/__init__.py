"""The built-in games, one folder each. Code that is specific to a game is in its folder."""

from escadaria.games.chain.kit import KIT as CHAIN
from escadaria.games.rapido.kit import KIT as RAPIDO

BUILT_IN = (RAPIDO, CHAIN)
