"""Files of games."""

import gzip
import sqlite3

import pytest

import meerslag
from meerslag import Color, GamesFile, GamesFileError, Position, open_pdn

TEXT = """[Event "Cup"]
[Date "1977.05.01"]
[White "Sijbrands, Ton"]
[Black "Wiersma, Harm"]
[WhiteRating "2400"]

1. 32-28 19-23 {a man each} 2. 28x19 14x23 2-0

[Event "Cup"]
[Date "1978"]
[White "Wiersma, Harm"]
[Black "Sijbrands, Ton"]

1. 32-28 17-22 2. 28x17 11x22 1-1

[White "Broken"]
[Black "Game"]

1. 31-26 16-22 2. 34-30 *
"""


@pytest.fixture
def club(tmp_path):
    pdn = tmp_path / "club.pdn"
    pdn.write_text(TEXT)
    file = GamesFile(tmp_path / "club.games", create=True)
    report = file.add([pdn])
    assert (report.games, report.added, report.duplicates, report.broken) == (3, 3, 0, 1)
    (problem,) = report.problems
    assert "club.pdn, line 19" in problem and "16-22" in problem
    return file


def test_games_are_found(club):
    def numbers(**conditions):
        found = [game.number for game in club.find(**conditions)]
        assert club.count(**conditions) == len(found)
        return found

    assert numbers() == [1, 2, 3] and len(club) == 3
    assert numbers(player="sijbrands") == [1, 2]
    assert numbers(player="sijbrands", color=Color.BLACK) == [2]
    assert numbers(player="ton", result="win", opponent=None) == [1]
    assert numbers(years="1970-1977") == [1] and numbers(years=1978) == [2]
    assert numbers(length="-2") == [3] and numbers(min_rating=2000) == []
    assert numbers(pattern="w28 b23") == [1] and numbers(moves="32-28 28x17", within=3) == [2]
    assert numbers(moves="19-23", plies="0-2") == [1]
    assert numbers(moves="19-23", twin=True, plies="0-2") == [1, 2]
    assert numbers(position=Position().after("32-28")) == [1, 2]
    assert numbers(material="1010") == [] and numbers(sacrifice=1, by=Color.WHITE) == []
    assert [game.number for game in club.find(sort="date", limit=2, skip=1)] == [1, 3]
    (game,) = club.find(position="W:W28,31,33-50:B1-18,20,23")
    assert (game.white, game.year, game.result, game.at) == ("Sijbrands, Ton", 1977, "2-0", [2])
    assert (game.event, game.date, game.plies, game.white_rating) == ("Cup", "1977.05.01", 4, 2400)
    assert "Sijbrands" in repr(game) and "3 games" in repr(club)


def test_games_are_read_whole(club):
    game = club.game(1)
    assert game.comments == ["", "a man each", "", ""] and game.tag("Event") == "Cup"
    assert [game.tag("White") for game in club] == ["Sijbrands, Ton", "Wiersma, Harm", "Broken"]
    with pytest.raises(IndexError, match="no game 9"):
        club.game(9)


def test_a_tree_has_the_moves_with_their_games(club):
    tree = club.tree()
    assert (tree.games, tree.ended, tree.results) == (3, 0, (1, 1, 0))
    first, second = tree.moves
    assert (str(first.move), first.games, first.results) == ("32-28", 2, (1, 1, 0))
    assert (first.rating, first.first_year, first.last_year) == (2400.0, 1977, 1978)
    assert str(second.move) == "31-26" and second.rating is None
    assert [str(mv.move) for mv in club.tree("B:W28,31,33-50:B1-20", years=1978).moves] == ["17-22"]


def test_what_cannot_be_asked_is_named(club):
    for conditions, words in [
        ({"pattern": "w51"}, "pattern: .*51"),
        ({"years": "x"}, "years: "),
        ({"moves": "27"}, "moves: "),
        ({"result": "win"}, "name one"),
        ({"sort": "colour"}, "sort: "),
        ({"position": "W:W51"}, "51"),
    ]:
        with pytest.raises(ValueError, match=words):
            club.find(**conditions)
    with pytest.raises(TypeError, match="'name' is not one of the keywords"):
        club.find(name="x")


def test_one_bad_file_does_not_stop_the_others(club, tmp_path):
    (tmp_path / "bad.zip").write_bytes(b"PK\3\4xxxx")
    packed = tmp_path / "more.pdn.gz"
    packed.write_bytes(gzip.compress(TEXT.replace("a man each", "one each").encode()))
    report = club.add([tmp_path / "none.pdn", tmp_path / "bad.zip", packed])
    assert (report.failed, report.added, report.duplicates) == (2, 1, 2)
    assert "none.pdn: " in report.problems[0] and "bad.zip: " in report.problems[1]
    assert report.named[0].endswith("line 9: Wiersma, Harm - Sijbrands, Ton, left out: it is game 2")
    assert len(list(open_pdn(packed))) == 3 and len(list(open_pdn(tmp_path / "club.games"))) == 4
    fuller = tmp_path / "fuller.pdn"
    fuller.write_text(TEXT.replace("11x22 1-1", "11x22 {quiet} 1-1"))
    report = club.add([fuller], duplicates="better")
    assert (report.added, report.replaced, report.duplicates) == (0, 1, 2)
    assert club.game(2).comments[-1] == "quiet" and len(club) == 4
    with pytest.raises(ValueError, match="duplicates: .*keep.*skip.*better"):
        club.add([fuller], duplicates="worse")


def test_what_is_no_file_of_games_is_refused(club, tmp_path):
    with pytest.raises(FileNotFoundError, match="none.games"):
        GamesFile(tmp_path / "none.games")
    with pytest.raises(GamesFileError, match="not an SQLite database"):
        GamesFile(tmp_path / "club.pdn")
    again = club.add([tmp_path / "club.pdn"])
    assert (again.known, again.added) == (1, 0) and len(club) == 3
    with pytest.raises(FileNotFoundError):
        club.add([tmp_path / "none.pdn"])
    newer = sqlite3.connect(tmp_path / "club.games")
    newer.execute("PRAGMA user_version = 4")
    newer.close()
    with pytest.raises(GamesFileError, match="version 4"):
        GamesFile(str(tmp_path / "club.games"))


def test_a_damaged_game_is_warned_of_and_the_others_are_there(club, tmp_path):
    damaged = sqlite3.connect(tmp_path / "club.games")
    damaged.execute("UPDATE games SET year = -5 WHERE id = 2")
    damaged.commit()
    damaged.close()
    with pytest.warns(RuntimeWarning, match="game 2: its year is -5"):
        assert len(list(club)) == 2
    with pytest.warns(RuntimeWarning, match="game 2: its year is -5"):
        assert len(club.find()) == 2
    with pytest.raises(GamesFileError, match="game 2: its year is -5"):
        club.game(2)
    with pytest.warns(RuntimeWarning, match="game 2: its year is -5"):
        assert len(list(meerslag.open_pdn(tmp_path / "club.games"))) == 2
