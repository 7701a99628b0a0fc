"""A game with `meerslag dxp listen` as follower and the Python package pydraughts as initiator.

    pip install pydraughts==0.6.7
    python3 tests/interop/pydraughts_dxp.py target/release/meerslag

The package asks for `000` minutes and treats the bytes of each read as one message. It
plays its first legal moves and checks each move of the engine against its own move list. Exit
status 0 if 40 plies were played or the game ended.
"""

import os
import subprocess
import sys

import draughts
from draughts.engine import DXPEngine


def main():
    listener = subprocess.Popen(
        [sys.argv[1], "dxp", "listen", "127.0.0.1:0", "--once", "--depth=4", *sys.argv[2:]],
        stdout=subprocess.PIPE, text=True)
    port = int(listener.stdout.readline().rsplit(" ", 1)[1])
    engine = DXPEngine(options={"ip": "127.0.0.1", "port": port}, initial_time=30)
    board = draughts.Board()
    # The package gives the engine the side to move, White.
    while len(board.move_stack) < 40 and not board.is_over():
        reply = engine.play(board).move
        assert reply is not None, "no move"
        moves = [m.hub_move for m in board.legal_moves()]
        assert reply.hub_move in moves, f"{reply.hub_move} is not among {moves}"
        board.push(reply)
        if not board.is_over():
            board.push(board.legal_moves()[0])
    print(f"{len(board.move_stack)} plies")
    engine.quit()
    print(listener.communicate(timeout=30)[0])
    assert listener.returncode == 0, listener.returncode
    sys.stdout.flush()
    # Threads of the package may still wait for messages.
    os._exit(0)


main()
