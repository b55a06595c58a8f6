"""Pig, a dice game in the public domain, as a package that adds it to Escadaria.

On your turn roll a die as often as you like. A number from 2 to 6 is added to the pot of the turn; a 1 loses
the pot and ends the turn. Hold to add the pot to your score. The first player to reach the goal wins.
"""

from escadaria.kit import Kit
from escadaria_pig.rules import Pig

KIT = Kit(game=Pig)
