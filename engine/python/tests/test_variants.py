"""The other games of the board."""

import copy
import pickle

import pytest

import meerslag
from meerslag import Engine, Game, GamesFile, IllegalMoveError, Position, match, read_pdn


@pytest.mark.parametrize(
    "variant, nodes",
    [("international", 4265), ("killer", 4265), ("losing", 4265), ("breakthrough", 4265), ("frisian", 3874), ("frysk", 5329)],
)
def test_perft(variant, nodes):
    assert Position(variant=variant).perft(4) == nodes


def test_positions_belong_to_a_variant():
    frisian = Position("W:WK28,50:B2:+0+328", variant="frisian")
    assert frisian.variant == "frisian" and frisian.fen.endswith(":+0+328")
    # The king has moved three times in a row.
    assert {str(mv) for mv in frisian.legal_moves()} == {"50-44", "50-45"}
    assert eval(repr(frisian), {"Position": Position}) == frisian
    assert pickle.loads(pickle.dumps(frisian)) == frisian
    assert frisian.after("50-45").variant == "frisian"
    losing = Position(variant="losing")
    assert losing != Position() and losing.fen == Position().fen and losing.key != Position().key
    with pytest.raises(ValueError, match="expected international, killer, breakthrough, losing"):
        Position(variant="chess")
    with pytest.raises(ValueError):
        Position("W:WK28,50:B2:+0+328", variant="killer")


def test_games_end_by_the_rules_of_the_variant():
    given, blocked = ("W:W32:B22", ["32-28", "22x33"]), ("W:W36:B31,27", [])
    for variant, (start, moves), result in [
        ("losing", given, "2-0"),
        ("losing", blocked, "2-0"),
        ("international", given, "0-2"),
        ("frisian", blocked, "0-2"),
    ]:
        game = Game(start, moves, variant=variant)
        assert game.variant == variant and game.status().result == result
        assert pickle.loads(pickle.dumps(game)) == game == copy.copy(game)
        (again,) = read_pdn(game.to_pdn(), variant=None)
        assert again.start == game.start and again.moves == game.moves
    assert Game(variant="frysk").position == Position(variant="frysk")
    assert Game(Position(variant="bt"), ["32-28"]).variant == "breakthrough"
    with pytest.raises(ValueError, match="variant: the position is one of frisian"):
        Game(Position(variant="frisian"), variant="losing")
    with pytest.raises(IllegalMoveError):
        Game("W:W28:B27,6", ["28x26"])
    assert str(Game("W:W28:B27,6", ["28x26"], variant="frisian").moves[0]) == "28x26x27"


def test_the_engine_plays_variants():
    engine = Engine(hash_mib=1)
    won = engine.search(Game("W:W32:B22", variant="losing"), depth=6)
    assert str(won.best) == "32-28" and won.info.plies_to_end == 2
    capture = engine.search(Position("W:W28:B27,6", variant="frisian"), depth=6)
    assert str(capture.best) == "28x26x27"
    over = engine.search(Position("W:W:B1", variant="losing"), depth=2)
    assert over.best is None and over.info.score > 0


def test_databases_and_books_know_nothing_of_them():
    databases = meerslag.Probe()
    assert databases.wld(Position("W:WK11:BK2,K6")) is not None
    for variant in ("losing", "frisian"):
        position = Position("W:WK11:BK2,K6", variant=variant)
        assert databases.wld(position) is None and databases.answer(position).wld is None
        assert Position() in meerslag.Book() and Position(variant=variant) not in meerslag.Book()


TEXT = """[White "I"]
1. 32-28 18-23 *

[White "F"]
[GameType "40"]
1. 32-28 19-24 *

[White "L"]
[Variant "Antidraughts"]
1. 32-28 17-22 *

[GameType "25"]
1. 22-17 *
"""


def test_games_are_told_apart(tmp_path):
    kinds = {None: ["international", "frisian", "losing"], "frisian": ["international", "frisian"], "international": ["international"]}
    found = {variant: [game.start.variant for game in read_pdn(TEXT, variant=variant)] for variant in kinds}
    assert found[None] == kinds[None] and found["international"] == kinds["international"]
    # A game whose tags do not say its kind is one of those asked for.
    assert found["frisian"] == ["frisian", "frisian"]
    pdn = tmp_path / "all.pdn"
    pdn.write_text(TEXT)
    file = GamesFile(tmp_path / "all.games", create=True)
    report = file.add([pdn])
    assert report.variants == {"international": 1, "frisian": 1, "losing": 1} and report.added == 3
    assert [game.variant for game in file.find()] == ["international", "frisian", "losing"]
    assert [game.white for game in file.find(variant="losing")] == ["L"]
    after = "B:W28,31,33-50:B1-20"
    assert [game.white for game in file.find(position=after)] == ["I"]
    assert [game.white for game in file.find(position=after, variant="frisian")] == ["F"]
    assert [game.white for game in file.find(position=Position(after, variant="losing"))] == ["L"]
    assert [str(move.move) for move in file.tree(after, variant="frisian").moves] == ["19-24"]
    with pytest.raises(ValueError, match="variant: .*expected international"):
        file.find(variant="chess")


def test_matches_of_variants():
    engines = ["builtin name=a", "builtin name=b"]
    result = match(engines, tc="nodes=50", pairs=1, variant="losing")
    assert [game.start.variant for game in result.games] == ["losing"] * 2
    with pytest.raises(ValueError, match="two-move.*international"):
        match(engines, openings="two-move", variant="losing")
