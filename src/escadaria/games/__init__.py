"""The games that ship, a folder each. A folder holds everything that knows its game."""

from escadaria.games.chain.kit import KIT as CHAIN
from escadaria.games.rapido.kit import KIT as RAPIDO

BUILT_IN = (RAPIDO, CHAIN)
