"""Books, annotated games and matches."""

import os
import pathlib
import shlex
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from meerslag import (
    Book,
    BookError,
    Color,
    Engine,
    Game,
    MatchError,
    PdnGame,
    PdnMove,
    Position,
    Wld,
    annotate,
    match,
    read_pdn,
    resume_match,
)

PROGRAM = [sys.executable, str(pathlib.Path(__file__).with_name("hub_program.py")), "hub"]
GAMES = """[White "A"] [Black "B"] [Date "1990"] 1. 32-28 19-23 2-0

[White "B"] [Black "A"] [Date "1995"] 1. 32-28 20-25 1-1

[White "A"] [Black "C"] [Date "2001"] 1. 34-30 20-25 2. 31-99 0-2
"""


@pytest.fixture
def pdn(tmp_path):
    file = tmp_path / "games.pdn"
    file.write_text(GAMES)
    return file


def test_the_book_of_the_package_answers_and_plays():
    book = Book()
    start = book.probe(Position())
    assert len(book) > 1000 and Position() in book and start.ply == 0
    scores = [known.score for known in start.moves]
    assert scores == sorted(scores, reverse=True) and len(scores) >= 2
    assert {known.move for known in start.moves} <= set(Position().legal_moves())
    assert book.probe("W:WK1:BK50") is None and book.moves("W:WK1:BK50") == []
    assert "W:WK1:BK50" not in book and book.history
    engine = Engine(hash_mib=1, book=book)
    played = engine.search(Game(), depth=1)
    assert played.is_book and played.best in [known.move for known in start.moves]
    assert not engine.search("W:WK1:BK50", depth=1).is_book
    assert not engine.search(Game(), depth=1, multipv=2).is_book
    assert not Engine(hash_mib=1).search(Game(), depth=1).is_book


def test_a_book_is_built_from_games(pdn, tmp_path):
    path, seen = tmp_path / "all.book", []
    report = Book.build(path, [pdn], on_progress=lambda done, all: seen.append((done, all)))
    assert (report.games, report.used, report.broken) == (3, 3, 1)
    assert len(report.problems) == 1 and str(pdn) in report.problems[0]
    assert seen[-1] == (pdn.stat().st_size,) * 2
    book = Book(path)
    assert len(book) == report.positions and book.history == ["built from games.pdn"]
    first = {str(known.move): known for known in book.moves(Position())}
    assert set(first) == {"32-28", "34-30"}
    known = first["32-28"]
    assert (known.games, known.wins, known.draws, known.losses, known.score) == (2, 1, 1, 0, None)
    with pytest.raises(FileExistsError):
        Book.build(path, [pdn])
    # Each selection alone.
    for chosen, moves in (
        ({"player": "a"}, {"32-28", "34-30"}),
        ({"years": "1990-1999"}, {"32-28"}),
        ({"years": 2001}, {"34-30"}),
        ({"min_games": 2}, {"32-28"}),
        ({"color": Color.BLACK}, set()),
    ):
        Book.build(path, [pdn], replace=True, **chosen)
        assert {str(known.move) for known in Book(path).moves(Position())} == moves, chosen
    Book.build(path, [pdn], replace=True, plies=1)
    assert not Book(path).moves(Position().after("32-28"))


def moves_of(path):
    return {str(known.move) for known in Book(path).moves(Position())}


def test_lines_of_known_positions(pdn, tmp_path):
    path, other = tmp_path / "lines.book", tmp_path / "other.pdn"
    # Two games begin with 32-28, and then differ: each line ends with the move that leaves it.
    report = Book.build(path, [pdn], lines="simple")
    assert report.positions == 5 and moves_of(path) == {"32-28", "34-30"}
    assert Book(path).history == ["built from games.pdn; simple lines"]
    report = Book.build(path, [pdn], lines="simple", min_games=2, replace=True)
    assert report.positions == 2 and moves_of(path) == {"32-28"}
    other.write_text("1. 34-30 20-25 2. 40-34 *")
    Book.build(tmp_path / "other.book", [other])
    reference = Book(tmp_path / "other.book")
    for kind in ("simple", "extended", "extended+"):
        report = Book.build(path, [pdn], lines=kind, reference=reference, replace=True)
        assert report.positions == 4 and moves_of(path) == {"32-28", "34-30"}, kind
    report = Book.build(path, [pdn], lines="simple", reference=reference, plies=2, replace=True)
    assert report.positions == 6
    # In the reference, each position occurs once.
    with pytest.raises(ValueError, match="nothing to build from"):
        Book.build(path, [pdn], lines="simple", reference=reference, known=2, replace=True)


def test_estimates_trees_and_positions_that_come_again(pdn, tmp_path):
    path = tmp_path / "all.book"
    assert Book.build(path, [pdn]).tree == []
    bare = Book(path)
    assert {known.estimate for known in bare.moves(Position())} == {None}
    report = Book.build(path, [pdn], estimate=True, tree=True, replace=True)
    book = Book(path)
    lines = [(ply, str(known.move), known.games) for ply, known in report.tree]
    assert lines == [(ply, str(known.move), known.games) for ply, known in book.tree(Position())]
    assert lines[0] == (0, "32-28", 2) and lines[1][0] == 1
    known = {str(known.move): known for known in book.moves(Position())}
    # A win and a draw: twice (3 + 1) / (4 + 2).
    assert book.tree_cells > 0 and known["32-28"].estimate == pytest.approx(1.33)
    again = tmp_path / "again.pdn"
    again.write_text('[FEN "W:WK1:BK50"] 1. 1-6 50-45 2. 6-1 45-50 3. 1-6 *')
    for unique, games in ((False, 2), (True, 1)):
        Book.build(path, [again], unique=unique, replace=True)
        assert [known.games for known in Book(path).moves("W:WK1:BK50")] == [games]


def test_games_are_added_to_a_book(pdn, tmp_path):
    path, more = tmp_path / "all.book", tmp_path / "more.pdn"
    more.write_text("1. 32-28 17-22 2. 28x17 12x21 0-2")
    with pytest.raises(FileNotFoundError, match="all.book"):
        Book.build(path, [more], add=True)
    Book.build(path, [pdn], estimate=True)
    cells = Book(path).tree_cells
    Book.build(path, [more], add=True)
    book = Book(path)
    known = book.moves(Position())[0]
    assert (known.games, known.wins, known.draws, known.losses) == (3, 1, 1, 1)
    assert book.history == ["built from games.pdn", "added more.pdn"]
    assert book.tree_cells > cells and known.estimate == pytest.approx(1.5)


def test_what_is_no_book_is_said(pdn, tmp_path):
    with pytest.raises(BookError, match="not an opening book"):
        Book(pdn)
    with pytest.raises(FileNotFoundError, match="none.book"):
        Book(tmp_path / "none.book")
    new = tmp_path / "new.book"
    with pytest.raises(ValueError, match="expected years"):
        Book.build(new, [pdn], years="old")
    with pytest.raises(ValueError, match="expected at least 1"):
        Book.build(new, [])
    for options, text in (
        ({"lines": "short"}, "lines: .*expected one of `simple`"),
        ({"known": 2}, "belong to lines"),
        ({"reference": Book()}, "belong to lines"),
        ({"lines": "simple", "known": 0}, "expected at least 1"),
        ({"add": True, "min_games": 2}, "without replace and min_games"),
        ({"add": True, "replace": True}, "without replace and min_games"),
        ({"plies": -1}, "plies: "),
        ({"encoding": "?"}, "encoding: "),
    ):
        with pytest.raises(ValueError, match=text):
            Book.build(new, [pdn], **options)
    with pytest.raises(TypeError, match="'line' is not one of the keywords"):
        Book.build(new, [pdn], line="simple")
    with pytest.raises(FileNotFoundError, match="none.pdn"):
        Book.build(new, [tmp_path / "none.pdn"])

    def refuse(done, all):
        raise KeyError("enough")

    with pytest.raises(KeyError):
        Book.build(new, [pdn], on_progress=refuse)
    assert not new.exists()


def test_a_blunder_is_found_and_written():
    # 33-29 gives men away for nothing.
    game = Game(None, ["34-30", "20-25", "33-29", "25x23"])
    seen, engine = [], Engine(hash_mib=4)
    found = annotate(game, engine=engine, nodes=3000, on_progress=lambda *of: seen.append(of))
    assert seen == [(done, 5) for done in range(1, 6)]
    assert [judged.move for judged in found.moves] == game.moves
    assert [judged.position for judged in found.moves] == game.positions()[:-1]
    bad = found.moves[2]
    assert bad.grade == "blunder" and found.turning_point == 2 and bad.drop >= 0.2
    assert bad.before - bad.after == pytest.approx(bad.drop)
    assert bad.better in bad.position.legal_moves() and "Blunder" in bad.text
    assert found.moves[3].is_forced and found.moves[3].grade == "good"
    assert found.white.blunders == 1 and found.black.blunders == 0
    assert found.white.moves == 2 and found.white.accuracy < found.black.accuracy <= 100.0
    assert found.white.level is None
    again = next(read_pdn(found.game.to_pdn()))
    assert 4 in again.line[2].nags
    assert again.line[2].evaluation == pytest.approx(bad.score, abs=0.01)
    assert again.line[2].variations[0][0].move == bad.better
    # The same nodes give the same result.
    assert annotate(game, engine=engine, nodes=3000).game == found.game


def test_databases_have_the_last_word_and_comments_stay():
    line = [PdnMove(Position("W:WK1:BK50").parse_move("1-6"), comment="said")]
    found = annotate(PdnGame(line, start="W:WK1:BK50"), depth=1)
    (judged,) = found.moves
    assert judged.exact == Wld.DRAW and judged.after == 0.5 and judged.score == 0.0
    assert "said" in found.game.comments[0] and "Databases: draw." in found.game.comments[0]
    assert not annotate(Game()).moves


def test_annotation_that_cannot_go_on():
    with pytest.raises(ValueError, match="at least 1"):
        annotate(Game(), nodes=0)

    def refuse(done, all):
        raise KeyError("enough")

    game, engine = Game(None, ["32-28", "19-23"]), Engine(hash_mib=1)
    with pytest.raises(KeyError):
        annotate(game, engine=engine, nodes=1000, on_progress=refuse)
    with pytest.raises(RuntimeError, match="was stopped"):
        annotate(game, engine=engine, nodes=1000, on_progress=lambda *_: engine.stop())
    assert annotate(game, engine=engine, nodes=100).moves


def test_a_match_of_settings():
    seen = []
    result = match(
        ["builtin name=strong", "builtin name=weak tc=nodes=20"],
        tc="nodes=2000",
        pairs=2,
        seed=1,
        concurrency=2,
        on_game=seen.append,
    )
    assert len(result.games) == 4 and seen == result.games
    first, second = result.standings
    assert (first.name, second.name) == ("strong", "weak") and first.games == second.games == 4
    assert first.wins + first.draws + first.losses == 4
    assert first.points + second.points == 4 and first.points > second.points
    assert first.points == first.wins + first.draws / 2
    assert first.elo > 0 and result.standing("weak").elo < 0 and first.faults == 0
    low, high = first.elo_interval
    assert low <= first.elo <= high
    game = result.games[0]
    assert {game.tag("White"), game.tag("Black")} == {"strong", "weak"}
    assert game.result in ("2-0", "1-1", "0-2") and game.game().is_over() and len(game.moves) > 8
    with pytest.raises(ValueError, match="expected strong, weak"):
        result.standing("nobody")


def test_a_match_of_programs_from_positions():
    words = f'name=program cmd="{shlex.join(PROGRAM)}" tc=depth=1'
    start = Position("W:WK1:BK50")
    result = match([words, "random"], openings=[start], pairs=1, max_moves=5)
    assert {game.tag("White") for game in result.games} == {"program", "random"}
    # The program always makes the same move; the other player's moves decide.
    assert all(game.start == start and len(game.moves) <= 10 for game in result.games)
    assert result.standings[0].games == 2 and result.standings[0].faults == 0


def test_a_match_goes_on_from_its_state(tmp_path):
    state, rest = tmp_path / "match.jsonl", []
    engines = ["builtin name=strong", "builtin name=weak tc=nodes=20"]
    whole = match(engines, tc="nodes=300", pairs=2, seed=1, max_moves=40, state=state)
    # As if it had been killed after the second game, while it wrote the third one.
    lines = state.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + len(whole.games) == 5
    state.write_bytes(b"".join(lines[:3]) + lines[3][:100])
    result = resume_match(state, on_game=rest.append)
    assert rest == result.games[2:] and result.games[:2] == whole.games[:2]
    assert [game.moves for game in result.games] == [game.moves for game in whole.games]
    assert result.standing("strong").points == whole.standing("strong").points
    # All games are played.
    assert resume_match(state, concurrency=2).games == result.games
    with pytest.raises(FileExistsError, match="resume_match continues"):
        match(engines, tc="nodes=300", state=state)


def test_the_state_of_a_match_that_is_broken_off(tmp_path):
    state, seen = tmp_path / "match.jsonl", []
    engines = ["random name=a", "random name=b"]

    def refuse(game):
        seen.append(game)
        with pytest.raises(MatchError, match="in use"):
            resume_match(state)
        raise KeyError("enough")

    with pytest.raises(KeyError):
        match(engines, tc="depth=1", pairs=1000, state=state, on_game=refuse)
    kept = state.read_bytes().count(b"\n")
    with pytest.raises(KeyError):
        resume_match(state, on_game=refuse)
    assert len(seen) == 2 and state.read_bytes().count(b"\n") > kept
    # A match without an engine leaves nothing.
    none = tmp_path / "none.jsonl"
    with pytest.raises(MatchError, match="does not start"):
        match(["name=x cmd=/nonexistent/program", "random"], tc="depth=1", state=none)
    assert not none.exists()
    with pytest.raises(MatchError, match="none.jsonl"):
        resume_match(none)
    with pytest.raises(ValueError, match="concurrency: 0: expected 1 to 1024"):
        resume_match(state, concurrency=0)


def test_a_sequential_test_ends_a_match():
    strong, weak = "builtin name=strong tc=nodes=200", "random name=weak tc=depth=1"
    for engines, decision in (([strong, weak], "H1"), ([weak, strong], "H0")):
        result = match(engines, pairs=500, sprt=(0, 100), max_moves=60, seed=1)
        test = result.sprt
        assert test.decision == decision and len(result.games) < 1000
        low, high = test.bounds
        assert test.llr >= high if decision == "H1" else test.llr <= low
        assert (test.elo0, test.elo1) == (0.0, 100.0)
    few = match([strong, weak], pairs=1, sprt=(0, 5, 0.05, 0.05, True), max_moves=10)
    assert few.sprt.decision is None and few.sprt.bounds == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert match([strong, weak], pairs=1, max_moves=5).sprt is None


def test_what_is_wrong_with_a_match_is_said():
    both = ["builtin name=a", "builtin name=b"]
    for engines, options, text in (
        (both[:1], {"tc": "depth=1"}, "two"),
        (["builtin name=a"] * 2, {"tc": "depth=1"}, "'a'"),
        (both, {}, "time control"),
        (both, {"tc": "quick"}, "quick"),
        (["builtin colour=red", "random"], {"tc": "depth=1"}, "colour=red: expected name"),
        (both, {"tc": "depth=1", "openings": "four-move"}, "expected two-move"),
        (both, {"tc": "depth=1", "pairs": 0}, "at least 1"),
        (both, {"tc": "depth=1", "margin": 70000}, "milliseconds up to 60000"),
        (both, {"tc": "depth=1", "concurrency": 0}, "concurrency: 0: expected 1 to 1024"),
        (both, {"tc": "depth=1", "margin": -1}, "integer `-1`"),
        (both, {"tc": "depth=1", "tempo": 5}, "unknown field `tempo`"),
        (both, {"tc": "depth=1", "random_plies": 9}, "random-plies: 9: expected a number up to 4"),
        (both, {"tc": "depth=1", "sprt": (5, 0)}, "must be less than elo1"),
        (both, {"tc": "depth=1", "sprt": (0, 5, 0.9, 0.9)}, "alpha"),
    ):
        with pytest.raises(ValueError, match=text):
            match(engines, **options)
    with pytest.raises(MatchError, match="does not start"):
        match(["name=x cmd=/nonexistent/program", "random"], tc="depth=1")

    def refuse(game):
        raise KeyError("enough")

    with pytest.raises(KeyError):
        match(["random name=a", "random name=b"], tc="depth=1", pairs=1000, on_game=refuse)


def test_other_threads_go_on_during_a_match():
    ended, count = threading.Event(), 0

    def play():
        match(["builtin name=a", "builtin name=b"], tc="nodes=500", pairs=1, max_moves=20)
        ended.set()

    thread = threading.Thread(target=play)
    thread.start()
    while not ended.wait(0.001):
        count += 1
    thread.join()
    assert count > 5


@pytest.mark.skipif(os.name != "posix", reason="needs SIGINT")
@pytest.mark.parametrize(
    "call",
    [
        "meerslag.annotate(meerslag.Game(None, ['32-28', '19-23']), time=1000, engine=engine)",
        "meerslag.match(['builtin name=a', 'builtin name=b'], tc='move=1000', pairs=1)",
        "meerslag.find_puzzles([meerslag.Game(None, ['32-28'])], time=1000, engine=engine)",
    ],
)
def test_ctrl_c_ends_long_work(call):
    program = textwrap.dedent(f"""
        import signal
        import meerslag
        # Programs started in the background may inherit an ignored signal.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        engine = meerslag.Engine(hash_mib=4)
        try:
            print("began", flush=True)
            {call}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"began\n"
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=60)[0] == b"interrupted\n"
            assert process.returncode == 0
        finally:
            process.kill()
