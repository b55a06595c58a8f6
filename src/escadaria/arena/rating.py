"""How strong bots are, on one scale, from who won against whom.

The model is Plackett and Luce's, Bradley and Terry's for more than two: everybody has a strength, every
seat a strength of its own that is added, and a seat's chance to win is ``exp(strength)`` over the sum of
the table's. Only winners are known, so this is a choice among the seats. The strengths that make the
results likeliest are found by Newton's method; the inverse of the observed information is their
covariance, and its diagonal gives the intervals. They hold as far as the model does: where one bot suits
another, the head-to-head table tells more than any one number.

Points are Elo's: 400 more are odds of ten to one at a table of two. They are counted from the mean of the
bots, as those of the seats are from the mean of the seats.
"""

from __future__ import annotations

from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

POINTS = 400 / log(10)
"""Elo's points for a strength of 1."""

DOUBT = 1000 / POINTS
"""Before any game, strengths are normally distributed with this deviation. So a bot that wins every
game has a finite rating; after a dozen games the effect is small."""

LONGEST = 1.0
"""How far one step of Newton's method may go; from far off it would overshoot."""

Floats = NDArray[np.float64]


class Ratings(NamedTuple):
    """Points with their standard errors."""

    bots: Floats
    bot_errors: Floats
    seats: Floats
    seat_errors: Floats


def fit(seated: NDArray[Any], wins: NDArray[Any], bots: int) -> Ratings:
    """The likeliest ratings.

    :param seated: by row and seat, the number of the bot that sat there.
    :param wins: by row and seat, how many games it won so.
    :param bots: how many bots there are.
    """
    seated, row = np.unique(seated, axis=0, return_inverse=True)
    won = np.zeros(seated.shape)
    np.add.at(won, row.ravel(), wins)
    strength = np.zeros(bots + seated.shape[1])
    while True:
        gradient, information = _slopes(strength, seated, won, bots)
        step = np.linalg.solve(information, gradient)
        furthest = np.abs(step).max()
        strength += step * min(1.0, LONGEST / max(furthest, 1e-12))
        if furthest < 1e-9:
            break
    covariance = np.linalg.inv(information)
    points, errors = [], []
    for part in (slice(0, bots), slice(bots, None)):
        centre = np.eye(len(strength[part])) - 1 / len(strength[part])
        points.append(POINTS * (centre @ strength[part]))
        errors.append(POINTS * np.sqrt(np.diag(centre @ covariance[part, part] @ centre)))
    return Ratings(points[0], errors[0], points[1], errors[1])


def _slopes(strength: Floats, seated: NDArray[Any], won: Floats, bots: int) -> tuple[Floats, Floats]:
    """The gradient of the logarithm of the likelihood, and the observed information."""
    power = strength[seated] + strength[bots:]
    chance = np.exp(power - power.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    games = won.sum(axis=1, keepdims=True)
    surprise = won - games * chance
    gradient = -strength / DOUBT**2
    np.add.at(gradient, seated, surprise)
    gradient[bots:] += surprise.sum(axis=0)
    spread = (games * chance)[:, :, None] * (np.eye(seated.shape[1]) - chance[:, None, :])
    information = np.eye(len(strength)) / DOUBT**2
    own = seated, np.broadcast_to(np.arange(bots, len(strength)), seated.shape)
    for one in own:
        for other in own:
            np.add.at(information, (one[:, :, None], other[:, None, :]), spread)
    return gradient, information
