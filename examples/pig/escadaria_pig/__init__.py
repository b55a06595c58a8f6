"""Pig, a dice game in the public domain, as a package that adds it to Escadaria.

On your turn roll a die as often as you like. A number from 2 to 6 is added to what the turn has brought, a 1
loses all of that and ends the turn. Hold, and it is yours. Who holds the goal or more has won.
"""

from escadaria.kit import Kit
from escadaria_pig.rules import Pig

KIT = Kit(game=Pig)
