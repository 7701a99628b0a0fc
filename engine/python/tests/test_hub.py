"""Other programs as engines."""

import asyncio
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

from meerslag import AsyncHubEngine, Game, HubEngine, HubError, Move, Position

PROGRAM = [sys.executable, str(pathlib.Path(__file__).with_name("hub_program.py")), "hub"]

#: An engine that answers each ``go`` with the next of its pieces of Python.
SCRIPTED = """
import os, subprocess, sys, time
def say(text):
    os.write(1, text.encode())
def holder():
    return subprocess.Popen(["sleep", "1000"], start_new_session=True)
START, ANSWERS = {start!r}, {answers!r}
for line in sys.stdin:
    word = line.split()[0]
    if word == "hub":
        say("id name=x\\nparam name=level value=3 type=int min=1 max=9\\nwait\\n")
    elif word == "init":
        exec(START)
        say("ready\\n")
    elif word == "go":
        exec(ANSWERS.pop(0))
    elif word == "quit":
        break
"""


@pytest.fixture
def scripted(tmp_path):
    def command(*answers, start=""):
        path = tmp_path / f"engine{len(list(tmp_path.iterdir()))}.py"
        path.write_text(SCRIPTED.format(start=start, answers=list(answers)))
        return [sys.executable, str(path)]

    return command


def says(text):
    return f"say({text!r})"


def moves(engine, times, **limits):
    """The moves of so many searches of the initial position, or what is raised."""
    found = []
    for _ in range(times):
        try:
            found.append(str(engine.play(Game(), **(limits or {"time": 60})).best))
        except HubError as error:
            found.append(error)
    return found


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


def test_every_answer_belongs_to_its_question(scripted):
    """Complaints, second answers and odd lines leave the program and its client in step."""
    answers = [
        'error message="hash table too small"\ndone move=31-26\n',
        "done move=32-28\ndone move=33-29\n",
        "done\tmove=33-28\n",
        "done move = 34-29\n",
        "\n  done   ponder=19-23  move=\"35-30\" \r\n",
        "info depth=1 " + "x" * (3 << 20) + "\ndone move=31-27\nerror message=late\n",
        "hello\ninfo depth=x score=nan pv=\npong\nready\n\xff\xfe\ndone move=32-27\n",
    ]
    with HubEngine(scripted(*map(says, answers))) as engine:
        results = [engine.play(Game(), time=60) for _ in answers]
    expected = ["31-26", "32-28", "33-28", "34-29", "35-30", "31-27", "32-27"]
    assert [str(result.best) for result in results] == expected
    assert results[0].errors == ("hash table too small",)
    assert [result.errors for result in results[1:6]] == [()] * 5
    assert results[4].ponder == Move("19-23")


@pytest.mark.parametrize(
    "answer, message",
    [
        ("done move=1-6\n", "1-6"),
        ("done move=\n", "unreadable answer"),
        ("done move=31-26\0\n", "unreadable answer"),
        ("done\0move=31-26\n", "unreadable answer"),
        ('done move="31-26\n', "unreadable answer"),
    ],
)
def test_a_bad_answer_is_an_answer(scripted, answer, message):
    with HubEngine(scripted(says(answer), says("done move=32-28\n"))) as engine:
        bad, good = moves(engine, 2)
    assert isinstance(bad, HubError) and message in str(bad) and good == "32-28"


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes that others hold")
@pytest.mark.parametrize(
    "answer, message",
    [
        ("os.close(1); time.sleep(1000)", "closed its output"),
        ("say('inf'); holder(); os._exit(3)", "status 3"),
        ("print('last words', file=sys.stderr); os.abort()", "last words"),
        ("say('info dep'); os._exit(0)", "status 0"),
    ],
)
def test_a_program_that_is_gone_is_not_waited_for(scripted, answer, message):
    for limits in ({"time": 60.0}, {"depth": 3}):
        engine = HubEngine(scripted(answer))
        first, second = moves(engine, 2, **limits)
        assert message in str(first) and "has ended" in str(second)
        engine.quit()


def test_a_program_that_gives_no_answer_is_given_up(scripted):
    """Gets ``stop`` after a second, and is given up after five more."""
    late = "assert sys.stdin.readline() == 'stop\\n'; say('done move=31-26\\n')"

    async def ask(answer, **limits):
        async with await AsyncHubEngine.start(scripted(answer)) as engine:
            return await engine.play(Game(), **limits)

    async def all_at_once():
        asked = [
            ask(late, time=0.1),
            ask(says("done mov"), time=0.1),
            ask(says("\0done move=31-26\n"), clock=(0.05, 0.05)),
        ]
        return await asyncio.gather(*asked, return_exceptions=True)

    late, *silent = asyncio.run(all_at_once())
    assert late.best == Move("31-26")
    assert all(isinstance(it, HubError) and "no move after" in str(it) for it in silent), silent


def test_an_error_before_ready_ends_the_start_only_if_it_is_about_an_option(scripted):
    start = says('error message="no book found"\n')
    with HubEngine(scripted(says("done move=31-26\n"), start=start), options={"level": 3}) as engine:
        assert engine.play(Game(), time=60).errors == ("no book found",)
    start = says('error message="level: 11 is too much"\n')
    with HubEngine(scripted(start=start)):
        pass
    with pytest.raises(HubError, match="level: 11 is too much"):
        HubEngine(scripted(start=start), options={"level": 11})
    for value in ("a\nquit", 'a"b'):
        with pytest.raises(ValueError, match="level is"):
            HubEngine(scripted(), options={"level": value})


@pytest.mark.skipif(sys.platform == "win32", reason="the signal would reach the tests")
def test_ctrl_c_ends_a_search_and_nothing_else(scripted):
    late = "say('info depth=1\\n'); sys.stdin.readline(); say('done move=31-26\\n')"
    with HubEngine(scripted(late, says("done move=32-28\n"))) as engine:
        interrupt = lambda info: os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            engine.analyse(Game(), infinite=True, on_info=interrupt)
        assert moves(engine, 1) == ["32-28"]
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        HubEngine(scripted(start="time.sleep(1000)"), timeout=60)


def test_an_exception_from_on_info_ends_the_search(scripted):
    late = "say('info depth=1\\n'); sys.stdin.readline(); say('done move=31-26\\n')"

    def fail(info):
        raise KeyError(info.depth)

    with HubEngine(scripted(late, says("done move=32-28\n"))) as engine:
        with pytest.raises(KeyError, match="1"):
            engine.analyse(Game(), infinite=True, on_info=fail)
        assert moves(engine, 1) == ["32-28"]

    async def same():
        async with await AsyncHubEngine.start(scripted(late, says("done move=32-28\n"))) as engine:
            with pytest.raises(KeyError, match="1"):
                await engine.analyse(Game(), infinite=True, on_info=fail)
            # One is running, one waits for it: the first is stopped.
            first = asyncio.create_task(engine.play(Game(), time=60))
            return str((await first).best)

    assert asyncio.run(same()) == "32-28"


def test_stop_ends_the_search_that_runs_and_not_the_next(scripted):
    late = "sys.stdin.readline(); say('done move=31-26\\n')"

    async def two():
        async with await AsyncHubEngine.start(scripted(late, says("done move=32-28\n"))) as engine:
            first = asyncio.create_task(engine.analyse(Game(), infinite=True))
            second = asyncio.create_task(engine.play(Game(), time=60))
            await asyncio.sleep(0)
            engine.stop()
            return [str((await task).best) for task in (first, second)]

    assert asyncio.run(two()) == ["31-26", "32-28"]


def test_a_start_can_be_given_up(scripted):
    async def give_up():
        start = AsyncHubEngine.start(scripted(start="time.sleep(1000)"), timeout=60)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(start, 0.3)

    asyncio.run(give_up())


@pytest.mark.skipif(sys.platform != "linux", reason="only the group is known elsewhere")
def test_nothing_that_the_program_started_is_left(scripted):
    answer = "pid = holder().pid; say(f'info nodes={pid}\\ndone move=31-26\\n')"
    with HubEngine(scripted(answer)) as engine:
        pid = engine.play(Game(), time=60).info.nodes
        assert pathlib.Path(f"/proc/{pid}").exists()
    with pytest.raises(ProcessLookupError):
        # Whoever has become its parent may not have buried it yet.
        while "Z" not in pathlib.Path(f"/proc/{pid}/stat").read_text().split(")")[1]:
            time.sleep(0.01)
        raise ProcessLookupError


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_no_program_is_left_when_python_ends(scripted):
    program = scripted("say(f'info nodes={os.getpid()}\\n'); time.sleep(1000)")
    script = f"""
import threading
from meerslag import Game, HubEngine
engine = HubEngine({program!r})
found = threading.Event()
def hear(info):
    print(info.nodes, flush=True)
    found.set()
analyse = lambda: engine.analyse(Game(), infinite=True, on_info=hear)
threading.Thread(target=analyse, daemon=True).start()
found.wait()
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert not pathlib.Path(f"/proc/{int(result.stdout)}").exists()
