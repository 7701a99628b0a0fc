"""The endgame databases in the package."""

import threading

import pytest

from meerslag import DatabaseError, Position, Probe, Wld


def test_values_and_distances():
    probe = Probe()
    assert probe.max_pieces == 4
    # Published: two kings and the move do not save Black's opponent here.
    position = Position("W:WK11:BK2,K6")
    assert probe.wld(position) == Wld.LOSS and probe.dtw(position) == 8
    assert probe.wld("W:WK1:BK50") == Wld.DRAW and probe.dtw("W:WK1:BK50") is None
    assert probe.wld(Position()) is None and probe.dtw(Position()) is None


def test_a_full_answer():
    probe = Probe()
    answer = probe.answer("W:WK11:BK2,K6")
    assert answer.wld == Wld.LOSS and answer.dtw == 8
    assert len(answer.moves) == len(Position("W:WK11:BK2,K6").legal_moves())
    best = answer.moves[0]
    assert (str(best.move), best.wld, best.dtw, best.mtc) == ("11-50", Wld.LOSS, 8, answer.mtc)
    assert probe.mtc("W:WK11:BK2,K6") == answer.mtc
    assert "loss" in repr(answer)


def test_the_value_follows_from_the_moves():
    """In random games every value is the best of the values after the moves."""
    probe = Probe()
    opposite = {Wld.WIN: Wld.LOSS, Wld.LOSS: Wld.WIN, Wld.DRAW: Wld.DRAW}
    rank = {Wld.WIN: 2, Wld.DRAW: 1, Wld.LOSS: 0}
    seen = set()
    for start in ["W:WK11:BK2,K6", "W:W32,K7:BK45,14", "B:WK50:B6,22,K33", "W:W38,39:B12,13"]:
        position = Position(start)
        for step in range(12):
            moves = position.legal_moves()
            value = probe.wld(position)
            after = [opposite[probe.wld(position.after(mv))] for mv in moves]
            assert value == (max(after, key=rank.get) if after else Wld.LOSS), position
            seen.add(value)
            if not moves:
                break
            position = position.after(moves[step % len(moves)])
    assert seen == set(opposite)


def test_any_number_of_threads_may_ask():
    probe, wrong = Probe(), []

    def ask():
        for _ in range(200):
            if probe.dtw("W:WK11:BK2,K6") != 8:
                wrong.append(1)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_limits_and_bad_folders(tmp_path):
    assert Probe(pieces=3).max_pieces == 3
    assert Probe(pieces=0).wld("W:WK1:BK50") is None
    with pytest.raises(DatabaseError, match=tmp_path.name):
        Probe([tmp_path])
    with pytest.raises(ValueError, match="10 pieces"):
        Probe(pieces=10)
    with pytest.raises(TypeError):
        Probe("/data")
