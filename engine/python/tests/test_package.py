"""The package without its classes: types, help, examples."""

import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
import types

import pytest

import meerslag


def public(thing):
    return [name for name in vars(thing) if not name.startswith("_")]


def test_everything_has_a_docstring():
    assert meerslag.__doc__
    classes = [name for name in meerslag.__all__ if isinstance(getattr(meerslag, name), type)]
    assert len(classes) >= 15
    for name in classes:
        cls = getattr(meerslag, name)
        assert cls.__doc__, name
        assert cls.__module__ in ("meerslag", "meerslag.hub"), name
        if not issubclass(cls, Exception):
            for member in public(cls):
                value = getattr(cls, member)
                if value is None or isinstance(value, (str, tuple)):
                    continue  # the default of a field
                # The values of an enumeration have the docstring of their class.
                assert value.__doc__, f"{name}.{member}"


def test_every_name_is_exported():
    names = {*meerslag._meerslag.__all__, *meerslag.hub.__all__}
    assert set(meerslag.__all__) == {name for name in names if not name.startswith("_Hub")}


def test_the_version_is_that_of_the_package():
    assert meerslag.__version__ == importlib.metadata.version("meerslag")


def test_the_types_are_those_of_the_module(tmp_path):
    pytest.importorskip("mypy", reason="pip install mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "meerslag"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_package_and_its_users_pass_the_strict_check(tmp_path):
    pytest.importorskip("mypy", reason="pip install mypy")
    user = tmp_path / "user.py"
    user.write_text(
        "from meerslag import Book, Engine, Game, GamesFile, HubEngine, PdnGame, PdnMove, Position\n"
        "from meerslag import Repetition, annotate, exercises, find_puzzles, match, resume_match\n"
        "game: Game = Game(Position(), ['32-28'])\n"
        "line: list[PdnMove] = PdnGame(game.moves).line\n"
        "score: int = Engine(hash_mib=1).search(game, depth=1).lines[0].score\n"
        "picture: str = game.svg(arrows=['19-23'])\n"
        "names: list[str] = [game.white for game in GamesFile('x').find(player='x', years=1990)]\n"
        "known: list[int] = [known.games for known in Book().moves(Position())]\n"
        "annotated: PdnGame = annotate(game, nodes=10, on_progress=lambda done, all: None).game\n"
        "elo: float | None = match(['random'], openings=[Position()]).standing('a').elo\n"
        "match(['random'], sprt=(0, 5), state='x')\n"
        "test = resume_match('x').sprt\n"
        "llr: float | None = test.llr if test else None\n"
        "built: int = Book.build('x', ['y'], lines='extended+', reference=Book()).positions\n"
        "solutions: list[str] = [str(puzzle.solution[0]) for puzzle in find_puzzles([game])]\n"
        "due: int = Repetition('x').tally(exercises(GamesFile('x'))).due\n"
        "def ask(engine: HubEngine) -> float | None:\n"
        "    return engine.play(game, depth=1).info.score\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "-p", "meerslag"]
    for words in (command, [*command[:-2], str(user)]):
        result = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
        assert result.returncode == 0, result.stdout + result.stderr


README = pathlib.Path(__file__).parent.parent / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_of_the_readme_run(example):
    exec(compile(example, str(README), "exec"), {})
    assert len(EXAMPLES) >= 4


def test_the_notebook_runs(monkeypatch):
    """Without Jupyter: a replacement shows the pictures."""
    shown = []
    display = types.SimpleNamespace(SVG=lambda data: data, display=shown.append)
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    notebook = json.loads((README.parent / "examples/a_game.ipynb").read_text())
    names = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert shown[0].startswith("<svg") and len(names["result"].lines) == 3
    assert names["worst"].grade == "blunder" and names["exercise"].kind == "mistake"
    assert [puzzle.goal for puzzle in names["puzzles"]] == ["win"]
    assert len(names["played"].games) == 2 and len(names["file"]) == 3
    assert len(names["file"].find(player="A")) == 1
