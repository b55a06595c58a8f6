"""Ratings of bots and seats, fitted to the results of games.

The model is that of Plackett and Luce, which extends Bradley and Terry's to more than two players: every
bot and every seat has a strength, a bot's strength and that of its seat are added, and the probability to
win is ``exp(strength)`` divided by the sum over the table. Only the winner of a game is used. The maximum a
posteriori strengths are found by Newton's method; the inverse of the observed information is their
covariance, and its diagonal gives the intervals. They are valid as far as the model is: if results depend
on the pairing of bots, the head-to-head table is more informative than a single number.

Points are Elo points: 400 points are odds of ten to one between two players. They are relative to the mean
of the bots, and those of the seats to the mean of the seats. ``fit_one`` rates one bot among others whose
ratings are known.

Two libraries do not serve. choix fits the same model to the same data (``opt_top1``), but
without seats, without ratings that are held fixed, and without errors. openskill rates after each game, so
that the ratings depend on the order of the games and their spread is a belief, not an interval.
"""

from __future__ import annotations

from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

POINTS = 400 / log(10)
"""Elo points for a strength of 1."""

PRIOR_DEVIATION = 1000 / POINTS
"""The standard deviation of the normal prior. It keeps the rating of a bot that wins every game finite;
after a dozen games its effect is small."""

MAX_STEP = 1.0
"""The largest step of Newton's method, which would overshoot far from the optimum."""

Floats = NDArray[np.float64]


class Ratings(NamedTuple):
    """Points with their standard errors."""

    bots: Floats
    bot_errors: Floats
    seats: Floats
    seat_errors: Floats


def fit(seated: NDArray[Any], wins: NDArray[Any], bots: int) -> Ratings:
    """The maximum a posteriori ratings.

    :param seated: by row and seat, the number of the bot.
    :param wins: by row and seat, the number of games won.
    :param bots: the number of bots.
    """
    seated, won = _summed(seated, wins)
    strength = np.zeros(bots + seated.shape[1])
    information = _climb(strength, np.ones(len(strength), bool), seated, won, bots)
    covariance = np.linalg.inv(information)
    points, errors = [], []
    for part in (slice(0, bots), slice(bots, None)):
        centre = np.eye(len(strength[part])) - 1 / len(strength[part])
        points.append(POINTS * (centre @ strength[part]))
        errors.append(POINTS * np.sqrt(np.diag(centre @ covariance[part, part] @ centre)))
    return Ratings(points[0], errors[0], points[1], errors[1])


def fit_one(seated: NDArray[Any], wins: NDArray[Any], known: Floats) -> tuple[float, float]:
    """The points of bot 0 and their standard error, if those of the others are ``known`` without error.

    :param known: by number of the bot; the first is ignored.
    """
    seated, won = _summed(seated, wins)
    strength = np.zeros(len(known) + seated.shape[1])
    middle = known[1:].mean()
    strength[1 : len(known)] = (known[1:] - middle) / POINTS
    free = np.ones(len(strength), bool)
    free[1 : len(known)] = False
    information = _climb(strength, free, seated, won, len(known))
    return middle + POINTS * float(strength[0]), POINTS * float(np.linalg.inv(information)[0, 0]) ** 0.5


def _summed(seated: NDArray[Any], wins: NDArray[Any]) -> tuple[NDArray[Any], Floats]:
    """The different rows of ``seated``, and the sum of the wins in each."""
    rows, row = np.unique(seated, axis=0, return_inverse=True)
    won = np.zeros(rows.shape)
    np.add.at(won, row.ravel(), wins)
    return rows, won


def _climb(strength: Floats, free: NDArray[np.bool_], seated: NDArray[Any], won: Floats, bots: int) -> Floats:
    """Move the free strengths to the maximum of the posterior; return the information about them there."""
    while True:
        gradient, information = _slopes(strength, seated, won, bots)
        step = np.linalg.solve(information[np.ix_(free, free)], gradient[free])
        furthest = np.abs(step).max()
        strength[free] += step * min(1.0, MAX_STEP / max(furthest, 1e-12))
        if furthest < 1e-9:
            return information[np.ix_(free, free)]


def _slopes(strength: Floats, seated: NDArray[Any], won: Floats, bots: int) -> tuple[Floats, Floats]:
    """The gradient of the log posterior, and the observed information."""
    power = strength[seated] + strength[bots:]
    chance = np.exp(power - power.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    games = won.sum(axis=1, keepdims=True)
    surprise = won - games * chance
    gradient = -strength / PRIOR_DEVIATION**2
    np.add.at(gradient, seated, surprise)
    gradient[bots:] += surprise.sum(axis=0)
    spread = (games * chance)[:, :, None] * (np.eye(seated.shape[1]) - chance[:, None, :])
    information = np.eye(len(strength)) / PRIOR_DEVIATION**2
    own = seated, np.broadcast_to(np.arange(bots, len(strength)), seated.shape)
    for one in own:
        for other in own:
            np.add.at(information, (one[:, :, None], other[:, None, :]), spread)
    return gradient, information
