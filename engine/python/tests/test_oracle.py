"""Random games against another implementation of the rules: pydraughts, in Python alone.

As many as MEERSLAG_GAMES says (40); 10,000 take hours.
"""

import os
import random

import meerslag
import pytest
from meerslag import Color, Game

draughts = pytest.importorskip("draughts", reason="pip install pydraughts")

GAMES = int(os.environ.get("MEERSLAG_GAMES", "40"))
SEED = int(os.environ.get("MEERSLAG_SEED", "1"))


def parts(hub):
    """A move in Hub form without regard to the order of the captured squares."""
    start, end, *captured = map(int, hub.replace("-", "x").split("x"))
    return start, end, tuple(sorted(captured))


def pieces(fen):
    """The side to move and the sets of pieces."""
    side, *lists = fen.split(":")
    return side, {text[:1]: set(filter(None, text[1:].split(","))) for text in lists}


def play_one(choice):
    """One random game; returns its length and whether it was won."""
    game, board = Game(), draughts.Board()
    while True:
        theirs = {parts(mv.hub_move): mv for mv in board.legal_moves()}
        ours = {parts(str(mv)): mv for mv in game.legal_moves()}
        assert ours.keys() == theirs.keys(), game.to_pdn()
        status = game.status()
        if not ours:
            winner = {Color.WHITE: draughts.WHITE, Color.BLACK: draughts.BLACK}[status.winner]
            assert board.winner() == winner, game.to_pdn()
            return game.ply, True
        # How plies count in small endings is read in several ways, so a draw is no comparison.
        if status.is_over:
            return game.ply, False
        key = choice(sorted(ours))
        game.play(ours[key])
        board.push(theirs[key])
        assert pieces(game.position.fen) == pieces(board.fen), game.to_pdn()


def test_random_games_are_equal():
    games = [play_one(random.Random(SEED + number).choice) for number in range(GAMES)]
    plies = sum(length for length, _ in games)
    print(f"\n{GAMES} games, {plies} positions, {sum(won for _, won in games)} won")
    assert plies > 30 * GAMES
