"""Other programs as engines."""

import asyncio
import pathlib
import sys
import threading

import pytest

from meerslag import AsyncHubEngine, Game, HubEngine, HubError, Move, Position

PROGRAM = [sys.executable, str(pathlib.Path(__file__).with_name("hub_program.py")), "hub"]


def test_a_program_is_introduced_and_plays():
    with HubEngine(PROGRAM, options={"threads": 2}) as engine:
        assert engine.id["name"] == "A program"
        assert engine.options["threads"].max == "4"
        assert engine.options["variant"].values == ("normal", "bt")
        reports = []
        game = Game(None, ["32-28"])
        result = engine.play(game, depth=3, on_info=reports.append)
        assert result.best in game.legal_moves()
        assert reports[-1] == result.info and result.info.depth == 3
        assert result.info.pv[0] == result.best
        engine.new_game()
        # A side without moves, and one that must capture.
        assert engine.play("W:W:B1", depth=1).best is None
        assert engine.play(Position("W:W28:B23"), depth=1).best == Move("28x19x23")


def test_analysis_goes_on_until_it_is_stopped():
    with HubEngine(PROGRAM) as engine:
        stop = threading.Timer(0.2, engine.stop)
        stop.start()
        assert engine.analyse(Game(), infinite=True).best is not None
        with pytest.raises(ValueError, match="no limit"):
            engine.analyse(Game())


def test_what_goes_wrong_is_said():
    with pytest.raises(HubError, match="does not start"):
        HubEngine("/nonexistent/program hub")
    with pytest.raises(HubError, match="was not ready within 0.5"):
        HubEngine([*PROGRAM, "deaf"], timeout=0.5)
    with pytest.raises(ValueError, match="no parameter 'thread', but threads, variant"):
        HubEngine(PROGRAM, options={"thread": 2})
    with HubEngine([*PROGRAM, "dies"]) as engine, pytest.raises(HubError, match="status 3"):
        engine.play(Game(), depth=1)
    with HubEngine([*PROGRAM, "cheats"]) as engine, pytest.raises(HubError, match="1-6"):
        engine.play(Game(), depth=1)
    engine = HubEngine(PROGRAM)
    engine.quit()
    engine.quit()
    with pytest.raises(HubError, match="has ended"):
        engine.play(Game(), depth=1)


def test_two_at_once_and_one_given_up():
    async def match():
        first, second = await asyncio.gather(*(AsyncHubEngine.start(PROGRAM) for _ in range(2)))
        async with first, second:
            moves = await asyncio.gather(first.play(Game(), depth=2), second.play(Game(), depth=2))
            assert all(result.best for result in moves)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(first.analyse(Game(), infinite=True), 0.3)
            assert (await first.play(Game(), depth=1)).best is not None

    asyncio.run(match())
