"""Random games against other implementations of the rules.

As many as MEERSLAG_GAMES says. pydraughts takes a second a game.
"""

import os
import random

import others
import pytest

from meerslag import Game, Position

OURS = others.Ours()
GAMES = os.environ.get("MEERSLAG_GAMES")


def play_one(package, choice):
    """One random game; returns its length and whether it was won."""
    game, theirs = Game(), package.start()
    while True:
        ours = {OURS.key(mv): mv for mv in game.legal_moves()}
        status = game.status()
        # Implementations count plies in small endings differently, so draws are not compared.
        if status.is_over and ours:
            return game.ply, False
        found = {package.key(mv): mv for mv in package.moves(theirs)}
        assert ours.keys() == found.keys(), game.to_pdn()
        if not ours:
            return game.ply, True
        key = choice(sorted(ours, key=lambda key: (*key[:2], sorted(key[2]))))
        game.push(ours[key])
        package.play(theirs, found[key])
        assert game.position == Position(package.fen(theirs)), game.to_pdn()


@pytest.mark.parametrize("other, games", [(others.Draughts, 10), (others.Dame, 200)])
def test_random_games_are_equal(other, games):
    try:
        package = other()
    except ImportError as error:
        pytest.skip(str(error))
    count = int(GAMES or games)
    played = [play_one(package, random.Random(seed).choice) for seed in range(count)]
    plies = sum(length for length, _ in played)
    won = sum(is_won for _, is_won in played)
    print(f"\n{package.name}: {count} games, {plies} positions, {won} won")
    assert plies > 30 * count and won > 0
