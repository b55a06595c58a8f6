"""A small network in NumPy that learns to play, for the notebooks: PPO without a framework.

One hidden layer of tanh units, from which come the logits of the actions and the value of the position. The
gradients are written out by hand. Illegal actions have the probability 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

CLIP = 0.2
"""PPO: how far the probability of an action may move from that of the policy which played."""
ENTROPY, VALUE = 0.01, 0.5
"""The weights of the entropy and of the squared error of the values."""
RATE, DECAY, SQUARES, TINY = 3e-3, 0.9, 0.999, 1e-8
"""Adam's constants."""


class Policy:
    """Probabilities of actions, and values of positions."""

    def __init__(self, inputs: int, actions: int, hidden: int = 64, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.weights = {
            "hidden": rng.normal(0, inputs**-0.5, (inputs, hidden)),
            "hidden bias": np.zeros(hidden),
            "action": rng.normal(0, 0.01, (hidden, actions)),
            "action bias": np.zeros(actions),
            "value": rng.normal(0, 0.01, (hidden, 1)),
            "value bias": np.zeros(1),
        }
        self._moments = {name: (np.zeros_like(w), np.zeros_like(w)) for name, w in self.weights.items()}
        self._steps = 0

    def forward(self, seen: Array, mask: Array) -> tuple[Array, Array, Array]:
        """The hidden units, the probabilities of the actions, and the values: a row for each position."""
        w = self.weights
        hidden = np.tanh(seen @ w["hidden"] + w["hidden bias"])
        logits = np.where(mask, hidden @ w["action"] + w["action bias"], -np.inf)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        return hidden, shares, (hidden @ w["value"] + w["value bias"])[:, 0]

    def play(self, seen: Array, mask: Array, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        """An action for each position at random, its probability, and the value."""
        _, shares, values = self.forward(seen, mask)
        reached = shares.cumsum(axis=1) > rng.random((len(seen), 1)) * shares.sum(axis=1, keepdims=True)
        actions = (reached & (shares > 0)).argmax(axis=1)
        return actions, shares[np.arange(len(seen)), actions], values

    def best(self, seen: Array, mask: Array) -> int:
        """The most probable action of one position."""
        return int(self.forward(seen[None], mask[None])[1][0].argmax())

    def save(self, path: Path | str) -> None:
        small: dict[str, Any] = {name: weights.astype(np.float32) for name, weights in self.weights.items()}
        np.savez_compressed(path, **small)

    @classmethod
    def load(cls, path: Path | str) -> Policy:
        """A policy as it was saved."""
        with np.load(path) as weights:
            policy = cls(*weights["hidden"].shape[:1], *weights["action bias"].shape)
            policy.weights = dict(weights)
        return policy

    def gradients(
        self, seen: Array, mask: Array, actions: Array, chosen: Array, advantages: Array, targets: Array
    ) -> tuple[float, dict[str, Array]]:
        """PPO's loss and its gradients.

        :param chosen: the probabilities of the actions when they were played.
        :param advantages: how much better each action was than expected.
        :param targets: what the values should be.
        """
        hidden, shares, values = self.forward(seen, mask)
        rows, count = np.arange(len(seen)), len(seen)
        ratios = shares[rows, actions] / chosen
        clipped = np.clip(ratios, 1 - CLIP, 1 + CLIP)
        logs = np.log(np.where(shares > 0, shares, 1))
        entropies = -(shares * logs).sum(axis=1, keepdims=True)
        gains = np.minimum(ratios * advantages, clipped * advantages)
        loss = -gains.mean() - ENTROPY * entropies.mean() + VALUE * ((values - targets) ** 2).mean()

        moves = ratios * advantages <= clipped * advantages  # elsewhere the clipped gain is constant
        to_logits = shares * (ratios * advantages * moves)[:, None]
        to_logits[rows, actions] -= ratios * advantages * moves
        to_logits += ENTROPY * shares * (logs + entropies)
        to_logits /= count
        to_values = (2 * VALUE * (values - targets) / count)[:, None]
        to_hidden = to_logits @ self.weights["action"].T + to_values @ self.weights["value"].T
        to_hidden *= 1 - hidden**2
        return float(loss), {
            "hidden": seen.T @ to_hidden,
            "hidden bias": to_hidden.sum(axis=0),
            "action": hidden.T @ to_logits,
            "action bias": to_logits.sum(axis=0),
            "value": hidden.T @ to_values,
            "value bias": to_values.sum(axis=0),
        }

    def learn(self, rng: np.random.Generator, epochs: int, size: int, *data: Array) -> float:
        """Some epochs of Adam over the data, in batches of ``size``; returns the last loss."""
        loss = 0.0
        for _ in range(epochs):
            for part in np.array_split(rng.permutation(len(data[0])), max(1, len(data[0]) // size)):
                loss, gradients = self.gradients(*(array[part] for array in data))
                self._steps += 1
                for name, gradient in gradients.items():
                    mean, square = self._moments[name]
                    mean += (1 - DECAY) * (gradient - mean)
                    square += (1 - SQUARES) * (gradient**2 - square)
                    size_of_step = RATE / (1 - DECAY**self._steps)
                    scale = np.sqrt(square / (1 - SQUARES**self._steps)) + TINY
                    self.weights[name] -= size_of_step * mean / scale
        return loss
