"""Other packages for the rules of draughts, with one interface: to compare moves and speeds."""

import meerslag


class Ours:
    """This package. A key is the start, end and captured squares of a move."""

    name = "meerslag"

    def start(self):
        return meerslag.Game()

    def moves(self, game):
        return game.legal_moves()

    def key(self, mv):
        return mv.from_square, mv.to_square, frozenset(mv.captured)

    def play(self, game, mv):
        game.push(mv)

    def undo(self, game):
        game.pop()

    def fen(self, game):
        return game.position.fen

    def perft(self, depth):
        return meerslag.Position().perft(depth)


class Dame(Ours):
    """dame-rs."""

    def __init__(self):
        import dame

        self.dame, self.name = dame, f"dame-rs {dame.__version__}"

    def start(self):
        return self.dame.Board()

    def moves(self, board):
        return board.legal_moves

    def play(self, board, mv):
        board.push(mv)

    def undo(self, board):
        board.pop()

    def fen(self, board):
        return board.fen()

    def perft(self, depth):
        return self.dame.perft(self.dame.Board(), depth)


class Draughts(Dame):
    """pydraughts or py-draughts, whichever is installed as `draughts`."""

    perft = None

    def __init__(self):
        import draughts

        self.draughts = draughts
        self.is_pydraughts = hasattr(draughts, "WHITE")
        self.name = "pydraughts" if self.is_pydraughts else "py-draughts"

    def start(self):
        return self.draughts.Board()

    def moves(self, board):
        return board.legal_moves() if self.is_pydraughts else board.legal_moves

    def fen(self, board):
        return board.fen

    def key(self, mv):
        if self.is_pydraughts:
            start, end, *captured = map(int, mv.hub_move.replace("-", "x").split("x"))
            return start, end, frozenset(captured)
        squares, captured = mv.square_list, mv.captured_list
        return squares[0] + 1, squares[-1] + 1, frozenset(square + 1 for square in captured)
