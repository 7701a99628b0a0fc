"""Whole games with `meerslag hub` driven by the Python package pydraughts (version 0.6.7).

    pip install pydraughts==0.6.7
    python3 tests/interop/pydraughts_games.py target/release/meerslag [games [modes]]

Plays the engine against itself with every limit of a search that the package has:
clock (5 s + 0.2 s), time a move, depth, nodes, and clock with pondering (`ponder-hit` when the
expected reply comes, `stop` when it does not). The package checks every move against its own
move list. Exit status 0 if all games ended.
"""

import sys
import threading
import time
import warnings

import draughts
from draughts.engine import HubEngine, Limit

MAX_PLIES = 300


def engine(path, ponder):
    hub = HubEngine([path, "hub"])
    for name in ("variant", "ponder", "threads", "tt-size", "bb-size", "book"):
        assert name in hub.options, f"{name} is not declared"
    assert hub.variants == {"normal"}, hub.variants
    hub.configure({"variant": "normal", "threads": 1, "tt-size": 20, "bb-size": 0,
                   "book-ply": 4, "ponder": ponder, "initial-time": 5})
    hub.init()
    return hub


def check(board, move):
    legal = [m.hub_move for m in board.legal_moves()]
    assert move.hub_move in legal, f"{move.hub_move} is not among {legal}"


def outcome(board):
    winner = {None: "unfinished", 0: "draw", draughts.BLACK: "Black won", draughts.WHITE: "White won"}
    return winner.get(board.winner() if board.is_over() else None, "over")


class Clock:
    """A Fischer clock; the increment comes before each move, as pydraughts expects it."""

    def __init__(self, seconds, increment):
        self.left = seconds
        self.increment = increment

    def limit(self):
        self.left += self.increment
        return Limit(time=self.left, inc=self.increment)

    def used(self, seconds):
        self.left -= seconds
        assert self.left > 0, f"time overstepped by {-self.left:.3f} s"


class Fixed:
    def __init__(self, **limit):
        self.fixed = Limit(**limit)
        self.worst = 0.0

    def limit(self):
        return self.fixed

    def used(self, seconds):
        self.worst = max(self.worst, seconds)
        if self.fixed.movetime:
            assert seconds < self.fixed.movetime + 0.5, f"{seconds:.3f} s for a move"


def play(path, make_clock):
    engines = [engine(path, False), engine(path, False)]
    clocks = [make_clock(), make_clock()]
    board = draughts.Board()
    plies = 0
    while not board.is_over() and plies < MAX_PLIES:
        side = plies % 2
        limit = clocks[side].limit()
        start = time.monotonic()
        result = engines[side].play(board, limit, False)
        clocks[side].used(time.monotonic() - start)
        check(board, result.move)
        assert result.info.get("depth"), result.info
        board.push(result.move)
        plies += 1
    for hub in engines:
        hub.quit()
        assert hub.p.wait(5) == 0
    return f"{plies} plies, {outcome(board)}"


def play_with_pondering(path):
    """Only White ponders; Black searches to a number of nodes."""
    white, black = engine(path, True), engine(path, False)
    clock = Clock(5, 0.2)
    board = draughts.Board()
    plies = hits = misses = 0
    pondering = None
    while not board.is_over() and plies < MAX_PLIES:
        limit = clock.limit()
        start = time.monotonic()
        if pondering:
            thread, answer, expected = pondering
            if board.move_stack[-1].hub_move == expected:
                hits += 1
                white.ponderhit()
                thread.join(30)
                result = answer[0]
            else:
                misses += 1
                white.stop()
                thread.join(30)
                assert answer, "no answer to stop"
                result = white.play(board, limit, False)
            assert not thread.is_alive(), "no answer to ponder-hit"
        else:
            result = white.play(board, limit, False)
        clock.used(time.monotonic() - start)
        check(board, result.move)
        board.push(result.move)
        plies += 1
        if board.is_over():
            break
        pondering = None
        if result.ponder is not None:
            ahead = board.copy()
            ahead.push(result.ponder)
            if not ahead.is_over():
                answer = []
                # White's clock when it may move again.
                next_limit = Limit(time=clock.left + clock.increment, inc=clock.increment)
                thread = threading.Thread(
                    target=lambda: answer.append(white.play(ahead, next_limit, True)))
                thread.start()
                while white._last_sent != "go ponder":
                    time.sleep(0.0005)
                pondering = (thread, answer, result.ponder.hub_move)
        reply = black.play(board, Limit(nodes=200_000), False)
        check(board, reply.move)
        board.push(reply.move)
        plies += 1
    if pondering and pondering[0].is_alive():
        white.stop()
        pondering[0].join(30)
    for hub in (white, black):
        hub.quit()
        assert hub.p.wait(5) == 0
    assert hits > 0, "no ponder-hit in the whole game"
    return f"{plies} plies, {outcome(board)}, {hits} hits, {misses} misses"


def main():
    warnings.simplefilter("ignore", ResourceWarning)  # the package leaves its pipes open
    path = sys.argv[1]
    games = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    modes = {
        "depth 8": lambda: play(path, lambda: Fixed(depth=8)),
        "nodes 50000": lambda: play(path, lambda: Fixed(nodes=50_000)),
        "move time 0.1 s": lambda: play(path, lambda: Fixed(movetime=0.1)),
        "clock 5 s + 0.2 s": lambda: play(path, lambda: Clock(5, 0.2)),
        "pondering, 5 s + 0.2 s": lambda: play_with_pondering(path),
    }
    for name, game in modes.items():
        if len(sys.argv) > 3 and not any(mode in name for mode in sys.argv[3:]):
            continue
        for _ in range(games):
            start = time.monotonic()
            outcome = game()
            print(f"{name}: {outcome}, {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
