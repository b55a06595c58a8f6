"""The Gymnasium adapter, with Gymnasium's own checks and our own."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode

import escadaria
from escadaria import BadOptions, IllegalAction
from escadaria.adapters import gymnasium as adapter
from escadaria.adapters import observation, rewards
from escadaria.arena.simulation import simulate
from strategies import play_random

IDS = {name: f"escadaria/{name.capitalize()}-v{game.rules_version}" for name, game in escadaria.GAMES.items()}
EVERY = [(game, players) for game in IDS for players in range(2, 7)]
every_game = pytest.mark.parametrize("game", IDS)
both = pytest.mark.parametrize("make", [adapter.SeatEnv, partial(adapter.vector_env, 2)])


def chosen(rng: np.random.Generator, mask: Any, share: float = 1.0) -> Any:
    """Random legal actions in this share of all cases, else any actions."""
    allowed = np.logical_or(mask, rng.random((*mask.shape[:-1], 1)) > share)
    return (rng.random(mask.shape) * allowed).argmax(axis=-1)


@pytest.mark.parametrize("game, players", EVERY)
def test_gymnasiums_own_checks_pass(game: str, players: int) -> None:
    """Warnings are errors here, as in all tests."""
    check_env(gymnasium.make(IDS[game], players=players, seat="random").unwrapped)


def test_gymnasium_finds_the_games_by_their_module() -> None:
    script = (
        "import gymnasium; name = 'escadaria.adapters.gymnasium:escadaria/Rapido-v1';"
        "print(gymnasium.make(name, opponents=['regular'], players=3).reset(seed=1)[1]['action_mask'].size)"
    )
    run = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True)
    assert run.stdout == "7\n", run.stderr


@every_game
def test_matches_are_those_of_simulate(game: str) -> None:
    """Match ``n`` of a seed has the dice of the simulated game ``n``."""
    seat, rules = 2, escadaria.load(game, players=3)
    regular = escadaria.bots.load("regular", rules)
    env = adapter.SeatEnv(game, opponents="regular", players=3, seat=seat)
    results = simulate(rules, "regular", 4, seed=9)
    for number, winner in enumerate(results.winner):
        env.reset(seed=9 if number == 0 else None)
        over, reward = False, 0.0
        while not over:
            assert rules.current_player(env.position) == seat
            action = rules.actions.index(regular(rules, env.position))
            seen, reward, over, _, info = env.step(np.int64(action))
            np.testing.assert_array_equal(seen, observation.observe(rules, env.position, seat))
        assert info["action_mask"].all()
        assert reward == (1 if winner == seat else -1 / 2)


COMPILED = [
    ("rapido", 3, ["regular", "simple"], AutoresetMode.NEXT_STEP, "end"),
    ("rapido", 2, ["master"], AutoresetMode.SAME_STEP, "random"),
    ("chain", 4, ["tourist", "random"], AutoresetMode.NEXT_STEP, "random"),
    ("chain", 3, ["expert", "master"], AutoresetMode.SAME_STEP, "end"),
]


@pytest.mark.parametrize("game, players, opponents, mode, illegal", COMPILED)
def test_compiled_environments_are_single_ones(
    game: str, players: int, opponents: list[str], mode: AutoresetMode, illegal: str
) -> None:
    """Everything that steps return, by the same seeds, with illegal actions and truncated matches."""
    make = partial(
        gymnasium.make_vec,
        IDS[game],
        num_envs=4,
        players=players,
        opponents=opponents,
        seat="random",
        illegal=illegal,
        max_episode_steps=15,
    )
    ours = make(autoreset_mode=mode)
    single: Any = make(vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode})
    assert type(ours) is adapter.SeatVectorEnv
    assert ours.observation_space == single.observation_space
    assert ours.action_space == single.action_space
    assert ours.metadata["autoreset_mode"] == mode
    assert data_equivalence(ours.reset(seed=5), single.reset(seed=5))
    rng, ends, said = np.random.default_rng(5), 0, ""
    for _ in range(40):
        masks = ours.action_masks()
        np.testing.assert_array_equal(masks, single.call("action_masks"))
        assert masks.dtype == np.bool_
        actions = chosen(rng, masks, share=0.8)
        step, other = ours.step(actions), single.step(actions)
        for one, two in zip(step[:4], other[:4], strict=True):
            assert data_equivalence(one, two), (one, two)
        assert same(step[4], other[4]), (step[4], other[4])
        ends += int((step[2] | step[3]).sum())
        said += str(step[4])
    assert ends > 8 and "is not legal, legal are" in said


def same(one: Any, two: Any) -> bool:
    """Whether two infos are the same."""
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if one.dtype == object:
        return all(np.array_equal(first, second) for first, second in zip(one, two, strict=True))
    return bool(one.dtype == two.dtype and np.array_equal(one, two))


@both
@pytest.mark.parametrize("returned", [[1.0, 2.0], 0.5, None], ids=str)
def test_a_reward_function_returns_a_value_for_each_seat(make: Any, returned: Any) -> None:
    with pytest.raises(BadOptions, match="reward must return a value for each of 3 seats, not"):
        make("rapido", players=3, reward=lambda state: returned).reset(seed=1)


LATE = "turn=1 phase=first value=0 steps=3,18,4 tower=5:0:76"


def test_a_match_starts_from_any_position() -> None:
    """The opponents play first if it is their turn; the same in compiled environments."""
    env, many = adapter.SeatEnv(players=3), adapter.vector_env(2, players=3)
    for state in (LATE, env.game.parse_state(LATE)):
        seen, _ = env.reset(seed=1, options={"state": state})
        assert env.position.turn == 0 and env.position.steps[0] == 8  # 3, and 5 for the pair
        both, _ = many.reset(seed=[1, 2], options={"state": [state, state]})
        np.testing.assert_array_equal(both[0], seen)
    hopeless = {"state": "turn=1 phase=first value=0 steps=0,19,0 tower=-"}
    assert env.reset(seed=1, options=hopeless)
    with pytest.raises(BadOptions, match="options of reset are state, not place"):
        env.reset(options={"place": 1})
    with pytest.raises(BadOptions, match="over"):
        env.reset(options={"state": "turn=0 phase=over value=0 steps=20,0,0 tower=-"})


@every_game
def test_bots_that_plan_go_on_within_a_turn(game: str) -> None:
    """From positions in which an opponent decides, compiled and single environments go on alike."""
    rules = escadaria.load(game, players=3)
    met = (state for seed in (8, 9) for _, state in play_random(rules, seed) if state.turn == 1)
    starts = [state for state in met if len(rules.legal_actions(state)) > 1][:12]
    env = adapter.SeatEnv(game, opponents=["expert", "master"])
    many = adapter.vector_env(len(starts), game, opponents=["expert", "master"])
    both, _ = many.reset(seed=[8] * len(starts), options={"state": starts})
    assert len(starts) > 8
    for place, start in enumerate(starts):
        seen, _ = env.reset(seed=8, options={"state": start})
        np.testing.assert_array_equal(both[place], seen)


def test_a_match_in_which_the_seat_never_decides_is_refused() -> None:
    """Here ``simple`` places its 75, and then the third seat scores and wins."""
    lost = {"state": "turn=1 phase=decide value=75 steps=0,0,19 tower=5:2:76"}
    for env in (adapter.SeatEnv(opponents="simple"), adapter.vector_env(2, opponents="simple")):
        with pytest.raises(BadOptions, match="1000 .* from this position ended before a decision"):
            env.reset(seed=1, options=lost)
    many = adapter.SeatVectorEnv(2, opponents="simple")
    with pytest.raises(BadOptions):
        many.reset(seed=1, options=lost)
    assert {many.game.current_player(many.batch.position(place)) for place in range(2)} == {0}


def test_many_environments_are_reset_before_the_first_step() -> None:
    envs = adapter.SeatVectorEnv(2, opponents="simple", players=2)
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        envs.step(np.zeros(2, np.int64))
    envs.reset(seed=1)
    envs.step(envs.action_masks().argmax(axis=1))


@every_game
def test_some_environments_are_reset(game: str) -> None:
    """In the mode without autoreset; the same as in single environments."""
    make = partial(gymnasium.make_vec, IDS[game], num_envs=3, players=2, opponents=["simple"])
    mode = AutoresetMode.DISABLED
    ours: Any = make(autoreset_mode=mode)
    single = make(vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode})
    rng, resets = np.random.default_rng(6), 0
    assert data_equivalence(ours.reset(seed=6), single.reset(seed=6))
    for _ in range(80):
        actions = chosen(rng, ours.action_masks())
        step, other = ours.step(actions), single.step(actions)
        assert data_equivalence(step, other)
        ended = step[2] | step[3]
        if ended.any():
            resets += 1
            seen, _ = ours.reset(options={"reset_mask": ended})
            expected, _ = single.reset(options={"reset_mask": ended})
            np.testing.assert_array_equal(seen, expected)
    assert resets
    for mask in (np.zeros(3, bool), np.ones(3), [True, True, True]):
        with pytest.raises(BadOptions, match="reset_mask must be an array of bools"):
            ours.reset(options={"reset_mask": mask})
    with pytest.raises(BadOptions, match="3 games take as many mask"):
        ours.reset(options={"reset_mask": np.ones(2, bool)})


@every_game
@pytest.mark.parametrize("players, reward", [(2, "win"), (2, "potential"), (3, "potential")])
def test_rewards_are_chosen(game: str, players: int, reward: str) -> None:
    """With a potential they sum to the zero-sum reward without the value of the start; the same compiled."""
    options: dict[str, Any] = {"players": players, "opponents": "random", "reward": reward}
    env, many = adapter.SeatEnv(game, **options), adapter.vector_env(1, game, **options)
    env.reset(seed=2)
    many.reset(seed=2)
    start = rewards.potential(env.game)(env.position)[0] if reward == "potential" else 0.0
    rng, total, over = np.random.default_rng(2), 0.0, False
    while not over:
        action = chosen(rng, env.action_masks())
        _, paid, over, _, _ = env.step(action)
        assert many.step([action])[1][0] == pytest.approx(paid, abs=1e-5)
        total += paid
    won = env.game.outcome(env.position).winner == 0  # type: ignore[union-attr] # it is over
    expected = float(won) if reward == "win" else (1 if won else -1 / (players - 1)) - start
    assert total == pytest.approx(expected)


def test_an_illegal_action_ends_the_match_is_replaced_or_raises() -> None:
    options: dict[str, Any] = {"game": "chain", "players": 2}
    ended = adapter.SeatEnv(**options)
    ended.reset(seed=0)
    _, reward, terminated, _, info = ended.step(np.int64(17))
    expected = "seat 0: action 17 (keep 18) is not legal, legal are 0 (keep 1), 1 (keep 2): turn=0"
    assert (reward, terminated) == (-1, True) and info["illegal"].startswith(expected)
    with pytest.raises(gymnasium.error.ResetNeeded):
        ended.step(np.int64(0))
    replaced = adapter.SeatEnv(illegal="random", **options)
    replaced.reset(seed=0)
    assert not replaced.step(np.int64(17))[2]
    assert "illegal" not in replaced.step(np.int64(replaced.action_masks().argmax()))[4]
    replaced.reset(seed=0)
    replaced.step(np.int64(17))
    many = adapter.vector_env(3, illegal="random", **options)
    many.reset(seed=[1, 0, 2])
    assert not many.step([0, 17, 0])[2].any()
    assert many.batch.position(1) == replaced.position  # type: ignore[union-attr] # they are compiled
    for env, action, where in (
        (adapter.SeatEnv(illegal="raise", **options), np.int64(17), ""),
        (adapter.vector_env(3, illegal="raise", **options), [0, 17, 0], "game 1, "),
    ):
        env.reset(seed=0)
        with pytest.raises(IllegalAction, match=f"^{where}seat 0: action 17"):
            env.step(action)  # type: ignore[arg-type] # by the kind of environment
    for number in (-1, 99):
        with pytest.raises(IllegalAction):
            replaced.step(np.int64(number))
        with pytest.raises(IllegalAction):
            many.step([0, number, 0])


def test_bots_of_ones_own_play_too() -> None:
    """Then the environments are single ones."""

    def last(game: Any, state: Any) -> Any:
        return game.legal_actions(state)[-1]

    many = gymnasium.make_vec(IDS["rapido"], num_envs=2, opponents=[last], max_episode_steps=3)
    assert isinstance(many, adapter.SeatSyncVectorEnv)
    many.reset(seed=1)
    for _ in range(3):
        masks = many.action_masks()
        assert masks.shape == (2, 7)
        _, _, _, truncated, _ = many.step(masks.argmax(axis=1))
    assert truncated.all()


def test_observations_are_fresh_or_shared_as_asked() -> None:
    for copy in (True, False):
        many = adapter.vector_env(2, copy=copy)
        first, _ = many.reset(seed=1)
        second = many.step(many.action_masks().argmax(axis=1))[0]
        assert np.shares_memory(first, second) == (not copy)


def test_many_environments_are_drawn() -> None:
    many = adapter.vector_env(2, render_mode="rgb_array")
    many.reset(seed=1)
    frames: Any = many.render()
    assert frames is not None and [frame.shape for frame in frames] == [(600, 960, 3)] * 2
    assert adapter.vector_env(2).render() is None


@both
@pytest.mark.parametrize(
    "options",
    [{"seat": 3}, {"reward": "x"}, {"illegal": "x"}, {"render_mode": "x"}, {"finish": 0}, {"board": "short"},
     {"opponents": []}, {"opponents": ["simple"] * 3}],
    ids=str,
)  # fmt: skip
def test_wrong_options_are_refused(make: Any, options: dict[str, Any]) -> None:
    with pytest.raises(BadOptions):
        make("rapido", **options)


@both
def test_unknown_bots_are_refused(make: Any) -> None:
    with pytest.raises(escadaria.bots.UnknownBot):
        make("rapido", opponents=["nobody"])
