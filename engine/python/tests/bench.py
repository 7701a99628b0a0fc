"""Speeds of this package and others, in one run: python3 engine/python/tests/bench.py

The same random games in every package: the legal moves of each position, playing and taking back
the moves, and counting move sequences. Packages that are not installed are left out: pip install
pydraughts, py-draughts, dame-rs. The first two have the same module name; only one can be installed.
"""

import argparse
import random
import time

from others import Dame, Draughts, Ours


def random_game(seed, plies):
    """The keys of the moves of a random game."""
    ours, choice, keys = Ours(), random.Random(seed).choice, []
    game = ours.start()
    while len(keys) < plies and (moves := game.legal_moves()):
        keys.append(ours.key(choice(sorted(moves))))
        game.push({ours.key(mv): mv for mv in moves}[keys[-1]])
    return keys


def rate(work, least):
    """Units of work per second of processor time; `work` returns how many it did."""
    done, start = 0, time.process_time()
    while (seconds := time.process_time() - start) < least:
        done += work()
    return done / seconds


def measure(package, games, seconds):
    """Prints a line."""
    lines = []
    for keys in games:
        game, line = package.start(), []
        for key in keys:
            line.append(next(mv for mv in package.moves(game) if package.key(mv) == key))
            package.play(game, line[-1])
        lines.append(line)

    def play(look):
        for line in lines:
            game = package.start()
            for mv in line:
                if look:
                    package.moves(game)
                package.play(game, mv)
            for _ in line:
                package.undo(game)
        return sum(map(len, lines))

    both, alone = rate(lambda: play(True), seconds), rate(lambda: play(False), seconds)
    print(f"{package.name:20} {1 / (1 / both - 1 / alone):14,.0f} {alone:14,.0f}", end="")
    if package.perft:
        print(f" {rate(lambda: package.perft(8), seconds) / 1e6:14,.1f}", end="")
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure, at least")
    parser.add_argument("--games", type=int, default=5, help="of at most 100 plies each")
    options = parser.parse_args()
    games = [random_game(seed, 100) for seed in range(options.games)]
    print(f"{'':20} {'move lists/s':>14} {'play+undo/s':>14} {'perft, Mn/s':>14}")
    for package in (Ours, Dame, Draughts):
        try:
            made = package()
        except ImportError:
            continue
        measure(made, games, options.seconds)


if __name__ == "__main__":
    main()
