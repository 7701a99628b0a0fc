"""Positions, moves and games."""

import copy
import pickle

import pytest

from meerslag import Color, Game, IllegalMoveError, Move, Position


def test_the_initial_position():
    start = Position()
    assert start.fen.startswith("W:W31,32,") and start == Position("W:W31-50:B1-20")
    assert start.side_to_move == Color.WHITE and start.side_to_move.opponent == Color.BLACK
    assert start.men(Color.WHITE) == list(range(31, 51)) and start.kings(Color.BLACK) == []
    assert [start.piece_at(square) for square in (1, 25, 50)] == ["b", None, "w"]
    assert start.piece_count == 40 and not start.has_capture
    assert len(start.legal_moves()) == 9
    assert "b   b   b   b   b" in str(start) and "White to move" in str(start)
    assert eval(repr(start), {"Position": Position}) == start


@pytest.mark.parametrize("depth, nodes", [(0, 1), (1, 9), (2, 81), (3, 658), (7, 1_049_442)])
def test_perft(depth, nodes):
    # Published counts, see positions/perft.tsv of the project.
    assert Position().perft(depth) == nodes


def test_a_position_never_changes():
    start = Position()
    after = start.after("32-28")
    assert start == Position() and after != start
    assert after.piece_at(28) == "w" and after.piece_at(32) is None
    assert start.after(start.parse_move("32-28")) == after
    assert start.reversed().reversed() == start


def test_equal_positions_have_equal_hashes_and_keys():
    one = Position().after("31-26").after("20-25").after("32-28")
    two = Position().after("32-28").after("20-25").after("31-26")
    assert one == two and hash(one) == hash(two) and one.key == two.key
    assert Position(one.fen) == Position(one.hub) == one
    assert one != Position() and one.key != Position().key


def test_moves():
    position = Position("W:WK30:B7,21,22,34,41")
    moves = position.legal_moves()
    assert moves and all(mv.is_capture for mv in moves) and position.has_capture
    mv = position.parse_move("30x2 <34, 22, 7>")
    assert (mv.from_square, mv.to_square, mv.captured) == (30, 2, [7, 22, 34])
    assert str(mv) == "30x2x7x22x34" and position.format_move(mv) == "30x39x11x2"
    assert Move(str(mv)) == mv and hash(Move(str(mv))) == hash(mv) and mv in set(moves)
    assert sorted(moves) == sorted(reversed(moves))
    promoting = Position("W:W6:B45").legal_moves()[0]
    assert Position("W:W6:B45").is_promotion(promoting)


def test_pickles():
    position = Position().after("32-28")
    mv = position.legal_moves()[0]
    assert pickle.loads(pickle.dumps((position, mv))) == (position, mv)


@pytest.mark.parametrize("text, place", [
    ("", "1"), ("W:W31,51:B1", "column 7"), ("W:W:B", "piece"), ("W:W3:B4", "3"), ("x", "1"),
])
def test_bad_positions_are_refused_with_the_place(text, place):
    with pytest.raises(ValueError, match=place):
        Position(text)


@pytest.mark.parametrize("text", ["", "32", "32-29", "1-6", "ab-cd", "32-28-22"])
def test_bad_moves_are_refused(text):
    with pytest.raises(IllegalMoveError):
        Position().after(text)


def test_wrong_arguments_are_refused():
    with pytest.raises(TypeError):
        Position().after(3)
    with pytest.raises(ValueError, match="51"):
        Position().piece_at(51)
    with pytest.raises(ValueError, match="21"):
        Position().perft(21)
    with pytest.raises(IllegalMoveError, match="50-45"):
        Position().after(Move("50-45"))
    with pytest.raises(AttributeError):
        Position().fen = "W:W31:B1"
    assert issubclass(IllegalMoveError, ValueError)


def test_games():
    game = Game()
    first = game.push("32-28")
    game.push("19-23")
    assert [str(mv) for mv in game.legal_moves()] == ["28x19x23"]
    assert game.ply == 2 and game.moves[0] == first and game.start == Position()
    twin, deep = copy.copy(game), copy.deepcopy(game)
    assert game.pop() == Move("19-23") and game.pop() == first
    with pytest.raises(IndexError):
        game.pop()
    assert game.position == Position() and game != twin
    assert twin.ply == deep.ply == 2 and twin == deep
    with pytest.raises(IllegalMoveError):
        game.push("33-27")
    assert game.ply == 0


def test_the_end_of_a_game():
    game = Game("W:W6:B45")
    assert not game.status().is_over and game.status().result == "*"
    lost = Game("W:W:B1").status()
    assert (lost.is_over, lost.winner, lost.result) == (True, Color.BLACK, "0-2")
    assert lost.reason == "no pieces left"


def test_draw_rules():
    game = Game("W:WK1:BK50,K49")
    there_and_back = ["1-6", "50-45", "6-1", "45-50"]
    for text in there_and_back * 2:
        assert not game.status().is_over
        game.push(text)
    assert game.occurrences == 3
    status = game.status()
    assert status.is_over and status.winner is None and status.result == "1-1"
    assert "third" in status.reason
    assert not game.status("none").is_over
    with pytest.raises(ValueError, match="lidraughts"):
        game.status("fide")
    # Plies that count already.
    assert Game("W:WK1:BK50,K49:H10").status().is_over
