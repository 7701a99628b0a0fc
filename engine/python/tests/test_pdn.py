"""PDN in and out."""

import pytest

import meerslag
from meerslag import Game, Position

TEXT = """[White "A"]
[Black "B"]
[Result "2-0"]

1. 32-28 {the old move} 19-23 2. 28x19 14x23 {equal} 2-0

[White "C"]
[FEN "B:W31:BK5"]

1. ... 5-14 2. 31-27 5-6 *
"""


def test_games_are_read_in_turn():
    first, second = meerslag.read_pdn(TEXT)
    assert first.tags == [("White", "A"), ("Black", "B"), ("Result", "2-0")]
    assert first.tag("white") == "A" and first.tag("Event") is None
    assert [str(mv) for mv in first.moves] == ["32-28", "19-23", "28x19x23", "14x23x19"]
    assert first.comments == ["the old move", "", "", "equal"]
    assert first.result == "2-0" and first.truncated is None and first.warnings == []
    assert first.game().position.fen.startswith("W:")
    assert second.start == Position("B:W31:BK5") and len(second.moves) == 2
    assert second.truncated and second.first_line == 7


def test_files_are_read_game_by_game(tmp_path):
    path = tmp_path / "games.pdn"
    path.write_text(TEXT * 3)
    # Repetitions are read, too.
    assert [len(game.moves) for game in meerslag.open_pdn(path)] == [4, 2] * 3
    assert len(list(meerslag.open_pdn(str(path)))) == 6
    with pytest.raises(FileNotFoundError, match="nothing.pdn"):
        meerslag.open_pdn(tmp_path / "nothing.pdn")
    with meerslag.open_pdn(path) as reader:
        game = next(reader)
        assert len(game) == len(game.moves) == 4
    with pytest.raises(ValueError, match="closed"):
        next(reader)
    assert reader.counters["games"] == 1
    assert meerslag.PdnGame() and len(meerslag.PdnGame()) == 0
    for name in [str(path), "nothing.pdn"]:
        with pytest.raises(ValueError, match="open_pdn reads files"):
            meerslag.read_pdn(name)


def test_what_is_written_reads_back():
    game = Game("B:W31:BK5")
    game.push("5-14")
    text = game.to_pdn({"White": "A \"b\""}, "0-2")
    (read,) = meerslag.read_pdn(text)
    assert read.tag("White") == 'A "b"' and read.result == "0-2"
    assert read.game() == game
    assert '[Result "*"]' in game.to_pdn()
    with pytest.raises(ValueError, match="won"):
        game.to_pdn(result="won")


def test_a_game_with_a_set_up_in_the_middle_is_refused():
    (game,) = meerslag.read_pdn('1. 32-28 19-23 /FEN "W:W31:BK5"/ 2. 31-27 *')
    assert game.has_set_ups and len(game.moves) == 3
    with pytest.raises(ValueError, match="command"):
        game.game()


def test_counters_of_the_fen_stay():
    (game,) = meerslag.read_pdn('[FEN "W:WK31:BK20:H7:F40"] 1. 31-27 *')
    assert game.start_fen == "W:WK31:BK20:H7:F40"
    assert game.game() == _played("W:WK31:BK20:H7", "31-27")
    assert ':H7:F40"]' in game.game().to_pdn()
    assert ":H" not in Game("W:WK31:BK20").to_pdn()


def _played(start, *moves):
    game = Game(start)
    for mv in moves:
        game.push(mv)
    return game


def test_what_is_passed_over_is_counted():
    reader = meerslag.read_pdn('[GameType "25"] *\n\n' * 400 + "1. 32-28 }")
    assert len(list(reader)) == 1
    russian, brace = reader.warnings
    assert "type 25 skipped" in russian and "399 more of this kind" in russian
    assert "stray" in brace
    assert reader.counters["games"] == 401 and reader.counters["other_type"] == 400


def test_names_of_tags_are_checked():
    for name in ["", "White Elo", 'A"]', "1st", "a\nb"]:
        with pytest.raises(ValueError, match="not a name of a tag"):
            Game().to_pdn({name: "x"})
    assert '[White-Elo_2 "x"]' in Game().to_pdn({"White-Elo_2": "x"})


def test_the_text_of_a_result_is_kept():
    for text, result in [("4-6", "0-2"), ("12:8", "2-0"), ("1/2", "1-1"), ("remise", "*")]:
        game = meerslag.PdnGame(["32-28"], tags={"Result": text})
        assert game.result == result
        assert f'[Result "{text}"]' in game.to_pdn() and game.to_pdn().endswith(f"32-28 {result}\n\n")
        assert f'[Result "{text}"]' in Game().to_pdn({"Result": text})
        (read,) = meerslag.read_pdn(f'[Result "{text}"]\n1. 32-28 *')
        assert (read.result, read.tag("Result")) == (result, text)
        assert [text in warning for warning in read.warnings] == [True] * (text == "remise")
        assert f'[Result "{text}"]' in read.to_pdn()
    reader = meerslag.read_pdn('[Result "2-0"]\n1. 32-28 0-2\n')
    assert len(list(reader)) == 1 and "the Result tag says 2-0" in reader.warnings[0]
    with pytest.raises(ValueError, match="won"):
        meerslag.PdnGame(tags={"Result": "2-0"}, result="won")


def test_the_clock_is_that_of_the_player():
    (game,) = meerslag.read_pdn(
        "1. 32-28 {[%clock w0:09:57 B0:09:58]} 18-23 {[%clk W0:09:50 b0:00:03]}"
        " (1... 19-23 {[%clock 0:00:07]} 2. 28x19 {[%clock w0:00:05 B0:00:06]})"
        " 2. 38-32 {[%clk 1:00:00]} 12-18 {[%clock W0:00:01]} *"
    )
    assert [mv.clock for mv in game.line] == [597, 3, 3600, None]
    (variation,) = game.line[1].variations
    assert [mv.clock for mv in variation] == [7, 5]
    (black,) = meerslag.read_pdn('[FEN "B:W31:B5"] 1... 5-10 {[%clock w0:00:05 b0:00:06]} *')
    assert [mv.clock for mv in black.line] == [6]
    assert meerslag.PdnMove(meerslag.Game().legal_moves()[0], clock=12.5).clock == 12.5
    assert game.line[0] == meerslag.PdnGame(list(game.line)).line[0]


def test_moves_are_numbered_as_the_fen_says():
    (game,) = meerslag.read_pdn('[FEN "W:W33,43:B13,20:F55"] 55. 33-28 13-18 *')
    assert "55. 33-28 13-18" in game.to_pdn()
    assert ":F55" in game.game().to_pdn() and "55. 33-28" in game.game().to_pdn()


def test_other_games_are_named():
    reader = meerslag.read_pdn(
        '[GameType "20"][Variant "Antidraughts"] 1. 32-28 *\n[Variant "Frisian"] 1. 32-28 *\n'
        '[GameType "100"] 1. 32-28 *\n'
    )
    assert len(list(reader)) == 1 and reader.counters["other_type"] == 2
    anti, frisian = reader.warnings
    assert "Antidraughts" in anti and "Frisian" in frisian


def test_tags_of_other_languages_are_found():
    (game,) = meerslag.read_pdn('[Bianco "A"][Nero "B"][Risultato "2-0"] 1. 32-28 *')
    assert (game.tag("White"), game.tag("Black"), game.result) == ("A", "B", "2-0")
    assert ("Bianco", "A") in game.tags


def test_glyphs_and_points_are_read():
    (game,) = meerslag.read_pdn('[Result "12-8"] 1. 32-28 $800 19-23 += 12-8')
    assert len(game.moves) == 2 and game.result == "2-0" and game.warnings == []


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic"])
def test_encodings(tmp_path, encoding):
    text = '[White "ИВАНОВ А."]\n[Black "Чижов Алексей"]\n\n1. 32-28 {Хороший ход} 19-23 *\n'
    path = tmp_path / "old.pdn"
    path.write_bytes(text.encode(encoding) + text.encode())
    for reader in (meerslag.open_pdn(path), meerslag.read_pdn(path.read_bytes())):
        games = list(reader)
        assert [game.tag("White") for game in games] == ["ИВАНОВ А."] * 2
        assert all("Хороший ход" in game.to_pdn() for game in games)
        assert len(reader.encodings) == 2 and "utf-8" in reader.encodings
    path.write_bytes(text.encode(encoding))
    (game,) = meerslag.open_pdn(path, encoding=encoding)
    assert game.tag("Black") == "Чижов Алексей"
    (game,) = meerslag.read_pdn(path.read_bytes(), encoding=encoding)
    assert game.tag("Black") == "Чижов Алексей"
    with pytest.raises(ValueError, match="expected one of utf-8"):
        meerslag.open_pdn(path, encoding="cyrillic-1")
    book = tmp_path / f"{encoding}.book"
    report = meerslag.Book.build(book, [path], player="чижов*", encoding=encoding, replace=True)
    assert report.used == 1
