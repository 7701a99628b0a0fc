"""A game with `meerslag hub --pause 20` driven by the Python package py-draughts (version 1.10.1).

    pip install py-draughts==1.10.1
    python3 tests/interop/py_draughts_games.py target/release/meerslag [pause in milliseconds]

The package starts a program with only the word `hub`, so the pause comes from a script in between,
as in docs/engine.md. Exit status 0 if the game ended, with moves that the package finds legal.
"""

import pathlib
import sys
import tempfile

from draughts import HubEngine, StandardBoard

MAX_PLIES = 300


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    pause = sys.argv[2] if len(sys.argv) > 2 else "20"
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "meerslag-slowly")
        script.write_text(f"#!/bin/sh\nexec '{program}' hub --pause {pause}\n")
        script.chmod(0o755)
        with HubEngine(script, time_limit=0.05) as engine:
            board = StandardBoard()
            while not board.game_over and len(board._moves_stack) < MAX_PLIES:
                board.push(engine.get_best_move(board))
            print(f"{len(board._moves_stack)} plies, {board.result}")


if __name__ == "__main__":
    main()
