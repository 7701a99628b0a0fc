"""Pictures, solutions, lines, pickles, and composed games."""

import pickle
import xml.etree.ElementTree as ElementTree

import pytest

from meerslag import Engine, Game, IllegalMoveError, Move, PdnGame, PdnMove, Position, Probe, read_pdn


def test_pictures_are_svg():
    game = Game(None, ["32-28"])
    for picture in (game.svg(), game._repr_svg_(), Position().svg(size=80, flipped=True)):
        assert ElementTree.fromstring(picture).tag.endswith("svg")
    # The last move is marked, and arrows are drawn.
    assert game.svg() != game.position.svg()
    assert game.svg() == game.position.svg(last=Move("32-28"))
    assert len(game.svg(arrows=["19-23:bad"], coordinates="numbers")) > len(game.svg())
    for wrong in ({"size": 1}, {"arrows": ["19"]}, {"marks": ["28"]}, {"coordinates": "all"}):
        with pytest.raises(ValueError, match="expected"):
            game.svg(**wrong)


def test_games_are_sequences_of_moves_and_can_be_pickled():
    game = Game("W:W31-50:B1-20:H4", ["32-28", "19-23", "28x19"])
    assert [str(mv) for mv in game] == ["32-28", "19-23", "28x19x23"] and len(game) == 3
    assert game.positions()[0] == game.start and game.positions()[-1] == game.position
    copy = pickle.loads(pickle.dumps(game))
    assert copy == game and copy.occurrences == game.occurrences
    assert copy.to_pdn() == game.to_pdn()
    with pytest.raises(IllegalMoveError):
        Game(None, ["32-28", "32-28"])
    assert Game("B:W28:B").is_over() and not Game().is_over()


def test_lines_are_the_best_moves_in_order():
    engine = Engine(hash_mib=1)
    result = engine.search(Game(), depth=6, multipv=3)
    assert [line.multipv for line in result.lines] == [1, 2, 3]
    assert result.lines[0].pv[0] == result.best
    scores = [line.score for line in result.lines]
    assert scores == sorted(scores, reverse=True)
    assert len({line.pv[0] for line in result.lines}) == 3
    assert len(engine.search("W:W:B1", depth=1).lines) == 1


def test_levels_limit_the_nodes():
    engine = Engine(hash_mib=1)
    assert engine.search(Game(), level=1).info.nodes <= 64 < engine.search(Game(), level=2).info.nodes
    for level in (0, 11):
        with pytest.raises(ValueError, match="expected 1 to 10"):
            engine.search(Game(), level=level)
    with pytest.raises(ValueError, match="no limit"):
        engine.search(Game(), level=10)


def test_solutions_go_beyond_the_databases():
    probe = Probe()
    inside = probe.solve("W:WK11:BK2,K6")
    assert inside.value == "loss" and len(inside.line) == inside.dtw == 8
    outside = probe.solve("W:W32,37,38:B19,23,K45", nodes=1_000_000)
    assert outside.value in ("win", "draw", "loss") and outside.nodes > 0
    assert {mv for mv, _ in outside.moves} == set(Position("W:W32,37,38:B19,23,K45").legal_moves())
    assert probe.solve(Position(), nodes=10).value == "unknown"


def test_a_solution_marks_what_is_as_good():
    """A published composition by Matus is unique, of Hoyle's first coup only the last capture is not."""
    probe = Probe()
    unique = probe.solve("B:W40,48,K25:B35")
    assert unique.unique is True and all(len(of.keep_value) == 1 for of in unique.equal[1::2])
    solution = probe.solve("W:WK27,K37,K46:BK11", tree=100)
    assert solution.unique is False and [len(of.keep_value) for of in solution.equal] == [1, 1, 8]
    assert all(mv in of.keep_distance for mv, of in zip(solution.line, solution.equal, strict=True))
    assert not any(of.unsettled for of in solution.equal)
    [game] = read_pdn(solution.pdn)
    assert [ply.move for ply in game.line] == solution.line
    assert len(game.line[2].variations) == 7
    answer = probe.answer("W:WK11:BK2,K6")
    assert len(answer.equal.keep_value) == 9
    assert [str(mv) for mv in answer.equal.keep_distance] == ["11-50"]
    draw = probe.solve("W:WK46:BK1,K2")
    assert draw.unique is None and draw.pdn is None and draw.equal == []


def test_values_under_the_draw_rules():
    """Two kings against one: a loss in eight plies, of ten in all."""
    probe, fen = Probe(), "W:WK11:BK2,K6"
    for plies, category in [(0, "loss"), (2, "loss"), (3, "blessed-loss"), (9, "blessed-loss")]:
        game = Game(f"{fen}:H{plies}")
        assert probe.category(game) == category and game.plies_left() == 10 - plies
        assert probe.solve(game).category == category
        assert probe.category(game, "none") == "loss" and game.plies_left("none") is None
    assert probe.category("W:WK46:BK1,K2") == "draw" and probe.category(Game()) is None
    game = Game(f"{fen}:H2", ["11-50"])
    assert probe.category(game) == "win" and game.plies_left() == 7


def test_games_come_back_with_everything_in_them():
    deep = PdnMove(Move("20-25"), comment="deep", variations=[[PdnMove(Move("18-23"))]])
    first = PdnMove(Move("32-28"), nags=[1, 140], clock=3723.0, evaluation=-0.25, comment="said")
    second = PdnMove(Move("19-23"), variations=[[deep, PdnMove(Move("28-22"))]])
    tags = {"White": "A \"quoted\" name", "Event": "é"}
    game = PdnGame([first, second, "28x19"], tags=tags, result="1-1")
    again = next(read_pdn(game.to_pdn()))
    assert again.line == game.line and again.result == "1-1" and not again.warnings
    assert again.tag("White") == tags["White"]
    back = again.line[0]
    assert (back.nags, back.clock, back.evaluation, back.comment) == ([1, 140], 3723.0, -0.25, "said")
    assert back.elapsed is None
    assert again.line[1].variations[0][0].variations[0][0].move == Move("18-23")


@pytest.mark.parametrize(
    "make",
    [
        lambda: PdnGame(["32-27", "32-27"]),
        lambda: PdnGame([PdnMove(Move("32-28"), variations=[[PdnMove(Move("1-6"))]])]),
        lambda: PdnGame([], tags={"a b": "c"}),
        lambda: PdnGame([], result="none"),
        lambda: PdnMove(Move("32-28"), comment="a } b"),
        lambda: PdnMove(Move("32-28"), clock=-1.0),
        lambda: PdnMove(Move("32-28"), evaluation=float("nan")),
    ],
)
def test_what_cannot_be_written_is_refused(make):
    with pytest.raises(ValueError):
        make()
