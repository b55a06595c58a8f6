"""The PettingZoo adapter, with PettingZoo's own tests and our own."""

from __future__ import annotations

import random
import re
from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from pettingzoo.test.state_test import state_test

import escadaria
from escadaria.adapters import observation, pettingzoo, rewards

EVERY = [(game, players) for game in escadaria.GAMES for players in range(2, 7)]


def play(env: Any, rng: random.Random, most: int = 10**6) -> None:
    """Random legal actions until the match is over."""
    for _ in env.agent_iter(most):
        *_rest, terminated, truncated, info = env.last()
        legal = [] if terminated or truncated else np.flatnonzero(info["action_mask"]).tolist()
        env.step(rng.choice(legal) if legal else None)


@pytest.mark.parametrize("game, players", EVERY)
def test_pettingzoos_own_tests_pass(game: str, players: int) -> None:
    """Warnings are errors here, as in all tests."""
    make = partial(pettingzoo.env, game, players=players)
    api_test(make(), num_cycles=100)
    seed_test(make, num_cycles=100)
    render_test(partial(make, masks="observation"))  # it looks for masks only there
    parallel = partial(pettingzoo.parallel_env, game, players=players)
    parallel_api_test(parallel(), num_cycles=100)
    parallel_api_test(parallel(masks="observation", illegal="raise"), num_cycles=100)  # it plays by these
    parallel_seed_test(parallel, num_cycles=100)
    state_test(make(illegal="random"), parallel())


@pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action mask numpy array is all zeros",
)
@pytest.mark.parametrize("game", escadaria.GAMES)
def test_masks_in_the_observation_pass_except_for_pettingzoos_general_warning(game: str) -> None:
    api_test(pettingzoo.env(game, masks="observation"), num_cycles=200)


@pytest.mark.parametrize("game, players", EVERY)
def test_a_match_is_the_games_own(game: str, players: int) -> None:
    """Every step agrees with the game, the mask with its legal actions, and the final rewards sum to 0."""
    env = pettingzoo.env(game, players=players)
    env.reset(seed=players)
    rules, rng = env.unwrapped.game, random.Random(players)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, _, info = env.last()
        rewards[agent] += reward
        if terminated:
            env.step(None)
            continue
        state, seat = env.unwrapped.position, env.possible_agents.index(agent)
        assert rules.current_player(state) == seat
        legal = [rules.actions[number] for number in np.flatnonzero(info["action_mask"])]
        assert tuple(legal) == rules.legal_actions(state)
        assert np.array_equal(seen, observation.observe(rules, state, seat))
        env.step(rules.actions.index(rng.choice(legal)))
    outcome = rules.outcome(env.unwrapped.position)
    assert outcome is not None
    assert rewards.pop(f"player_{outcome.winner}") == 1
    assert set(rewards.values()) == {-1 / (players - 1)}


def test_without_a_seed_the_generator_is_not_reset() -> None:
    env = pettingzoo.env(players=3)
    matches = []
    for seed in (7, None, 7):
        env.reset(seed=seed)
        play(env, random.Random(0))
        matches.append(str(env.unwrapped.position))
    assert matches[0] == matches[2] != matches[1]


def test_dice_are_uniform() -> None:
    """A reset rolls Rapido's first pair: 36 rolls, of 30 values."""
    env = pettingzoo.raw_env(players=3)
    seen = []
    for seed in range(3600):
        env.reset(seed=seed)
        seen.append(env.position.value)
    assert 60 <= seen.count(76) <= 140  # one roll of 36: 100 expected, 140 is four deviations away
    assert 140 <= seen.count(21) <= 260  # two rolls of 36


def test_observations_do_not_contain_future_dice() -> None:
    """Observations do not depend on future dice."""
    seen = set()
    for seed in range(30):
        env = pettingzoo.raw_env(players=2)
        env.reset(seed=1)
        env.np_random = np.random.default_rng(seed)
        before = b"".join(env.observe(agent).tobytes() for agent in env.agents)
        env.step(0)  # again
        seen.add((before, str(env.position)))
    assert len({before for before, _ in seen}) == 1
    assert len(seen) > 10


@pytest.mark.parametrize("masks", pettingzoo.MASKS)
def test_an_illegal_action_loses_is_refused_or_replaced_and_the_info_says_why(masks: str) -> None:
    lost, refused, replaced = (
        pettingzoo.env("chain", illegal=way, masks=masks) for way in ("end", "raise", "random")
    )
    for env in (lost, refused, replaced):
        env.reset(seed=0)
    lost.step(17)  # keep 18
    assert all(lost.terminations.values())
    assert lost.rewards == {"player_0": -1, "player_1": 0, "player_2": 0}
    said = "seat 0: action 17 (keep 18) is not legal, legal are 0 (keep 1), 1 (keep 2)"
    assert lost.agent_selection == "player_0" and lost.last()[4]["illegal"].startswith(said)
    assert "illegal" not in lost.infos["player_1"]
    with pytest.raises(escadaria.IllegalAction, match=f"^{re.escape(said)}"):
        refused.step(17)
    replaced.step(17)
    assert not any(replaced.terminations.values())
    while replaced.agent_selection != "player_0":  # until its next decision
        assert "illegal" not in replaced.last()[4]
        replaced.step(int(replaced.unwrapped.legal.argmax()))
    assert replaced.last()[4]["illegal"].startswith(said)
    replaced.step(int(replaced.unwrapped.legal.argmax()))
    assert "illegal" not in replaced.last()[4]
    replaced.step(17)
    replaced.reset(seed=0)
    assert "illegal" not in replaced.last()[4]


@pytest.mark.parametrize("game", escadaria.GAMES)
def test_in_parallel_no_mask_is_empty_and_the_match_is_the_same(game: str) -> None:
    """Those who wait have the no-op alone; the same seed gives the same match as turn by turn."""
    both, turns = pettingzoo.parallel_env(game, illegal="raise"), pettingzoo.raw_env(game)
    rng = random.Random(5)
    turns.reset(seed=5)
    _, infos = both.reset(seed=5)
    while both.agents:
        masks = {agent: info["action_mask"] for agent, info in infos.items()}
        for agent in both.agents:
            moves = agent == turns.agent_selection
            assert np.array_equal(masks[agent][:-1], turns.mask(agent))
            assert masks[agent][-1] == (not moves)
        actions = {agent: rng.choice(np.flatnonzero(mask).tolist()) for agent, mask in masks.items()}
        turns.step(actions[turns.agent_selection])
        seen, paid, terminated, _, infos = both.step(actions)
        for agent in turns.agents:
            assert np.array_equal(seen[agent], turns.observe(agent))
        assert paid == turns.rewards and terminated == turns.terminations
    assert any(paid.values())


def test_in_parallel_illegal_actions_are_named_replaced_or_lose() -> None:
    """Those of the agent to move; the others wait, whatever their actions are."""
    refused, lost, replaced = (
        pettingzoo.parallel_env("chain", players=2, illegal=way) for way in ("raise", "end", "random")
    )
    for env in (refused, lost, replaced):
        env.reset(seed=0)
    no_op = refused.unwrapped.no_op
    for action, expected in (
        (17, r"seat 0: action 17 \(keep 18\) is not legal"),
        (no_op, f"seat 0: action {no_op} is not legal, legal are 0"),
        (no_op + 1, f"actions of chain are 0 to {no_op - 1}, not {no_op + 1}"),
    ):
        with pytest.raises(escadaria.IllegalAction, match=expected):
            refused.step({"player_0": action, "player_1": no_op})
    _, paid, terminated, _, infos = lost.step({"player_0": no_op, "player_1": 0})
    assert paid == {"player_0": -1, "player_1": 0} and all(terminated.values()) and not lost.agents
    assert "illegal" not in infos["player_1"]
    assert infos["player_0"]["illegal"].startswith(f"seat 0: action {no_op} is not legal")
    _, _, terminated, _, infos = replaced.step({"player_0": 17, "player_1": 1})
    assert not any(terminated.values())
    assert infos["player_0"]["illegal"].startswith("seat 0: action 17 (keep 18) is not legal")
    assert "illegal" not in infos["player_1"]


LATE = "turn=1 phase=first value=0 steps=3,19,4 tower=5:0:76"


def test_a_match_starts_from_any_position() -> None:
    env = pettingzoo.env("rapido", players=3)
    for state in (LATE, env.unwrapped.game.parse_state(LATE)):
        env.reset(seed=1, options={"state": state})
        assert env.unwrapped.position.steps[0] == 3 and env.agent_selection == "player_1"
    both = pettingzoo.parallel_env("rapido", players=3)
    both.reset(seed=1, options={"state": LATE})
    assert both.unwrapped.position == env.unwrapped.position
    with pytest.raises(escadaria.BadOptions, match="over"):
        env.reset(options={"state": "turn=0 phase=over value=0 steps=20,0,0 tower=-"})
    with pytest.raises(escadaria.InvalidText):
        env.reset(options={"state": "turn=0"})
    with pytest.raises(escadaria.BadOptions, match="options of reset are state, not position"):
        env.reset(options={"position": LATE})


def test_rewards_are_chosen() -> None:
    """A potential adds what each decision changes; the sum differs from zero-sum by the start's value."""
    sums = {}
    for reward in ("zero_sum", "win", "potential"):
        env = pettingzoo.raw_env("rapido", players=3, reward=reward)
        env.reset(seed=3, options={"state": LATE})
        rng, total = random.Random(3), np.zeros(3)
        start = rewards.potential(env.game)(env.position)
        while not any(env.terminations.values()):
            env.step(rng.choice(np.flatnonzero(env.mask(env.agent_selection)).tolist()))
            total += list(env.rewards.values())
        sums[reward] = total
    winner = sums["zero_sum"].argmax()
    assert sums["win"].tolist() == [seat == winner for seat in range(3)]
    np.testing.assert_allclose(sums["potential"], sums["zero_sum"] - start, atol=1e-9)


def test_a_reward_function_returns_a_value_for_each_seat() -> None:
    for make in (pettingzoo.env, pettingzoo.parallel_env):
        with pytest.raises(escadaria.BadOptions, match="reward must return a value for each of 3 seats"):
            make("rapido", players=3, reward=lambda state: [0.5]).reset(seed=1)


def test_a_match_can_be_truncated() -> None:
    env = pettingzoo.env(max_cycles=5)
    env.reset(seed=0)
    play(env, random.Random(0), most=5)
    assert all(env.truncations.values()) and not any(env.terminations.values())
    assert not any(env.rewards.values())


def test_options_are_the_games() -> None:
    env = pettingzoo.env("chain", players=4, board="short", balanced=True)
    assert env.unwrapped.game == escadaria.load("chain", players=4, board="short", balanced=True)
    for wrong in ({"finish": 3}, {"board": "short"}, {"render_mode": "x"}, {"masks": "x"}, {"illegal": "x"}):
        with pytest.raises(escadaria.BadOptions):
            pettingzoo.env("rapido", **wrong)


def test_pictures_show_the_position() -> None:
    """Equal positions give equal pictures, others do not; the order of a chain comes from the facts."""
    env = pettingzoo.env("chain", render_mode="rgb_array")
    pixels, texts = [], []
    for seed in (1, 1, 2):
        env.reset(seed=seed)
        play(env, random.Random(seed), most=40)
        pixels.append(env.render())
        env.unwrapped.render_mode = "ansi"
        texts.append(env.render())
        env.unwrapped.render_mode = "rgb_array"
    assert data_equivalence(pixels[0], pixels[1]) and not data_equivalence(pixels[0], pixels[2])
    assert texts[0] == texts[1] != texts[2]
    assert "player_2" in texts[0]
