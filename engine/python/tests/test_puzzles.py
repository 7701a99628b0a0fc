"""Puzzles, exercises and their repetition."""

import pytest

from meerslag import (
    Engine,
    ExerciseStanding,
    Game,
    IllegalMoveError,
    PdnGame,
    Repetition,
    RepetitionError,
    annotate,
    exercises,
    find_puzzles,
    read_pdn,
)

# A combination from the engine's own games.
SHOT = "W:W29,31,33,36,38,39,42,43,44,45,46,47,50:B1,5,6,7,8,9,10,14,15,16,18,19,22"
DAY = 24 * 60 * 60


def test_a_combination_is_found_once_and_written():
    quiet = PdnGame(["32-28", "19-23", "28x19", "14x23"])
    shot = PdnGame(["29-23"], start=SHOT, tags={"White": "A", "Event": "Club"})
    seen, engine = [], Engine(hash_mib=4)
    games = [quiet, shot, Game(SHOT, ["29-23"])]
    (puzzle,) = find_puzzles(
        games, engine=engine, nodes=80_000, on_progress=lambda *of: seen.append(of)
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert (puzzle.game, puzzle.ply, puzzle.position) == (1, 0, shot.start)
    assert str(puzzle.solution[0]) == "29-23" and len(puzzle.solution) % 2 == 1
    assert puzzle.goal == "win" and puzzle.theme.startswith("win")
    assert puzzle.score >= puzzle.margin >= 1.5 and 1 <= puzzle.rating <= 10 and puzzle.nodes > 0
    given = sum(len(mv.captured) for mv in puzzle.solution[1::2])
    assert puzzle.given == given and str(given) in puzzle.theme
    assert not puzzle.turkish and not puzzle.king
    # As text, and back as an exercise.
    pdn = next(read_pdn(puzzle.pdn.to_pdn()))
    assert pdn.moves == puzzle.solution and pdn.result == "2-0"
    assert (pdn.tag("White"), pdn.tag("Event")) == ("A", "Club")
    assert (pdn.tag("Theme"), pdn.tag("Rating")) == (puzzle.theme, str(puzzle.rating))
    assert pdn.tag("Source") == "game 2, ply 0"
    (exercise,) = exercises([pdn])
    assert (exercise.kind, exercise.goal, exercise.theme) == ("puzzle", "win", puzzle.theme)
    assert exercise.solution == puzzle.solution and exercise.played is None
    assert exercise.task == "White to move and win"


def test_puzzles_that_cannot_be_looked_for():
    game, engine = Game(None, ["32-28", "19-23"]), Engine(hash_mib=1)
    assert find_puzzles([], engine=engine) == []
    with pytest.raises(ValueError, match="at least 1"):
        find_puzzles([game], nodes=0)

    def refuse(done, all):
        raise KeyError("enough")

    with pytest.raises(KeyError):
        find_puzzles([game], engine=engine, nodes=100, on_progress=refuse)
    with pytest.raises(RuntimeError, match="was stopped"):
        find_puzzles([game] * 100, engine=engine, nodes=100, on_progress=lambda *_: engine.stop())
    assert find_puzzles([game], engine=engine, nodes=100) == []


def test_a_marked_mistake_is_an_exercise():
    annotated = annotate(Game(None, ["34-30", "20-25", "33-29", "25x23"]), nodes=2000).game
    (exercise,) = exercises([annotated, annotated])
    assert (exercise.kind, exercise.ply, exercise.goal) == ("mistake", 2, None)
    assert str(exercise.played) == "33-29" and exercise.task == "White to move"
    assert exercise.origin == "move 2"
    assert exercise.is_right(exercise.solution[0]) and not exercise.is_right("33-29")
    judged = annotate(Game(exercise.position, [exercise.solution[0]]), nodes=2000).moves[0]
    assert judged.grade == "good"
    with pytest.raises(IllegalMoveError):
        exercise.is_right("32-1")


def test_a_puzzle_is_followed_move_by_move():
    start = "W:W28,33,39:B19,23,18,9"
    (exercise,) = exercises([PdnGame(["28-22", "18x27", "33-28"], start=start, result="2-0")])
    assert exercise.is_right("28-22") and not exercise.is_right("33-29")
    assert exercise.is_right("33-28", 2)
    # After the solution there is no further question.
    assert not exercise.is_right("23x32", 3)
    with pytest.raises(TypeError):
        exercises(["1. 32-28"])


@pytest.fixture
def two():
    games = ["W:W28,33,39:B19,23,18,9", "W:W28,33,38:B19,23,18,9"]
    return exercises([PdnGame(["28-22"], start=start, result="2-0") for start in games])


def test_what_was_wrong_comes_again(tmp_path, two):
    first, second = two
    path = tmp_path / "my.scores"
    with Repetition(path) as scores:
        assert scores.next(two, now=0) == first
        scores.wrong(first, now=0)
        assert scores.next(two, now=0) == second
        scores.right(second, now=1)
        tally = scores.tally(two, now=1)
        assert (tally.due, tally.new, tally.later, tally.known) == (0, 0, 1, 1)
        assert scores.next(two, now=1) == first and scores.tally(two, now=600).due == 1
        with pytest.raises(RepetitionError, match="in use"):
            Repetition(path)
    with pytest.raises(RepetitionError, match="closed"):
        scores.next(two)
    # It is kept, and the intervals grow.
    with Repetition(path) as scores:
        assert scores.damaged == [] and scores.standing(first).due == 600
        scores.right(first, now=600)
        standing = scores.standing(first)
        assert (standing.right, standing.wrong, standing.due) == (1, 1, 600 + DAY)
        assert scores.standing(second) == scores.standing(second) != standing
        for days in (3, 7, 21, 60):
            now = scores.standing(first).due
            scores.right(first, now=now)
            assert scores.standing(first).due == now + days * DAY
        scores.right(first, now=now)
        assert scores.next(two, now=now) is None
        # By the clock, unless a time is given.
        scores.wrong(second)
        assert scores.tally(two).later == 1 and scores.standing(second).due > 1_700_000_000


def test_scores_that_are_none_or_damaged(tmp_path, two):
    path = tmp_path / "my.scores"
    path.write_text("1. 32-28 *\n")
    with pytest.raises(RepetitionError, match="not a file of scores"):
        Repetition(path)
    with pytest.raises(OSError, match="nowhere"):
        Repetition(tmp_path / "nowhere" / "my.scores")
    path.unlink()
    with Repetition(path) as scores:
        scores.wrong(two[0], now=0)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + lines[1].replace("1", "2", 1))
    with Repetition(path) as scores:
        assert scores.damaged == [2]
        assert scores.standing(two[0]).wrong == 0
        assert isinstance(scores.standing(two[0]), ExerciseStanding)
