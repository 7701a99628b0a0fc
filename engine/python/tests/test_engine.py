"""The search."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from meerslag import DatabaseError, Engine, Game, IllegalMoveError, Position

SMALL = {"hash_mib": 4}


def test_a_search_finds_a_move():
    game = Game()
    result = Engine(**SMALL).search(game, depth=7)
    assert result.best in game.legal_moves() and result.info.pv[0] == result.best
    assert result.ponder in game.position.after(result.best).legal_moves()
    assert result.info.depth == 7 and result.info.nodes > 100 and abs(result.info.score) < 100
    assert game.ply == 0


def test_a_forced_win_is_seen():
    # From the manual: White wins by 28-22.
    result = Engine(**SMALL).search("W:W27,28,32,37:B14,18,19,23", depth=11)
    assert str(result.best) == "28-22" and result.info.score > 100


def test_the_end_of_the_game():
    result = Engine(**SMALL).search("W:W:B1", depth=3)
    assert result.best is None and result.info.pv == []
    assert result.info.plies_to_end == 0
    won = Engine(hash_mib=4, egdb_pieces=0).search("W:W28:B22", depth=5)
    assert won.info.plies_to_end == 1 and won.info.score == 9999


def test_limits_are_kept_and_searches_repeat():
    reports = []
    one = Engine(**SMALL).search(Position(), nodes=20_000, on_info=reports.append)
    two = Engine(**SMALL).search(Position(), nodes=20_000)
    assert one.info.nodes == two.info.nodes <= 20_000 and one.info.pv == two.info.pv
    depths = [info.depth for info in reports]
    assert depths == sorted(depths) and len(depths) > 5
    assert {info.bound for info in reports} <= {"exact", "lower", "upper"}
    engine = Engine(**SMALL)
    first = engine.search(Position(), depth=8).info.nodes
    engine.new_game()
    assert engine.search(Position(), depth=8).info.nodes == first


def test_several_best_moves():
    lines = {}
    Engine(**SMALL).search(
        Position(), depth=5, multipv=3, on_info=lambda info: lines.update({info.multipv: info})
    )
    assert sorted(lines) == [1, 2, 3] and len({info.pv[0] for info in lines.values()}) == 3


def test_some_moves_only():
    engine, position = Engine(**SMALL), Position()
    best = engine.search(position, depth=5).best
    assert engine.search(position, depth=5, without=[best]).best != best
    rest = ["31-26", position.legal_moves()[1]]
    assert str(engine.search(position, depth=5, only=rest, without=rest[1:]).best) == "31-26"
    with pytest.raises(IllegalMoveError, match="28-23"):
        engine.search(position, depth=5, only=["28-23"])
    with pytest.raises(ValueError, match="no legal move is left"):
        engine.search(position, depth=5, without=position.legal_moves())


def test_threads_and_clocks():
    result = Engine(hash_mib=4, threads=2).search(Position(), clock=(1.0, 0.0))
    assert result.best in Position().legal_moves()
    assert Engine(**SMALL).search(Position(), time=0.05).info.time > 0


def test_other_threads_run_during_a_search_and_one_stops_it():
    engine, began, results = Engine(**SMALL), threading.Event(), []

    def search():
        results.append(engine.search(Position(), infinite=True, on_info=lambda _: began.set()))

    thread = threading.Thread(target=search)
    thread.start()
    # If the search held the interpreter's lock, this thread would not get any further.
    assert began.wait(60)
    with pytest.raises(RuntimeError, match="another thread"):
        engine.search(Position(), depth=1)
    with pytest.raises(RuntimeError, match="another thread"):
        engine.new_game()
    assert thread.is_alive() and not results
    engine.stop()
    thread.join()
    assert results[0].best in Position().legal_moves()


def test_what_a_callback_raises_ends_the_search():
    def refuse(info):
        raise KeyError(info.depth)

    engine = Engine(**SMALL)
    with pytest.raises(KeyError):
        engine.search(Position(), infinite=True, on_info=refuse)
    assert engine.search(Position(), depth=3).best is not None


def test_a_callback_may_stop():
    engine = Engine(**SMALL)

    def enough(info):
        if info.depth >= 6:
            engine.stop()

    assert engine.search(Position(), infinite=True, on_info=enough).info.depth >= 6


@pytest.mark.skipif(os.name != "posix", reason="needs SIGINT")
def test_ctrl_c_ends_a_search():
    program = textwrap.dedent("""
        import signal
        import meerslag
        # Programs started in the background may inherit an ignored signal.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            meerslag.Engine(hash_mib=4).search(
                meerslag.Position(), infinite=True,
                on_info=lambda info: print("began", flush=True) if info.depth == 1 else None)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"began\n"
            process.send_signal(signal.SIGINT)
            assert b"interrupted" in process.communicate(timeout=60)[0]
        finally:
            process.kill()


@pytest.mark.parametrize("limits, word", [
    ({}, "no limit"), ({"depth": 0}, "at least 1"), ({"nodes": 0}, "at least 1"),
    ({"time": 0}, "time"), ({"time": float("nan")}, "time"), ({"clock": (1e9, 0)}, "clock"),
    ({"clock": (1, float("nan"))}, "clock"),
])
def test_bad_limits_are_refused(limits, word):
    with pytest.raises(ValueError, match=word):
        Engine(**SMALL).search(Position(), **limits)


@pytest.mark.parametrize("options, error, word", [
    ({"hash_mib": 0}, ValueError, "1 MiB"),
    ({"threads": 0}, ValueError, "threads"),
    ({"draw_rules": "none of these"}, ValueError, "lidraughts"),
    ({"draw_score": 101}, ValueError, "draw score"),
    ({"evaluation": "/no/such/file"}, ValueError, "/no/such/file"),
    ({"egdb": ["/no/such/folder"]}, DatabaseError, "/no/such/folder"),
    ({"egdb_pieces": 10}, ValueError, "10 pieces"),
])
def test_bad_options_are_refused(options, error, word):
    with pytest.raises(error, match=word):
        Engine(**{**SMALL, **options})
