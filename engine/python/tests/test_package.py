"""What a user gets beside the classes: types, help, examples."""

import importlib.metadata
import pathlib
import re
import subprocess
import sys

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
        assert cls.__module__ == "meerslag", name
        if not issubclass(cls, Exception):
            for member in public(cls):
                value = getattr(cls, member)
                # The values of an enumeration have the docstring of their class.
                assert value.__doc__, f"{name}.{member}"


def test_the_version_is_that_of_the_package():
    assert meerslag.__version__ == importlib.metadata.version("meerslag")


def test_the_types_are_those_of_the_module(tmp_path):
    pytest.importorskip("mypy", reason="pip install mypy")
    # The wrapper package holds the compiled module under its own name.
    allow = tmp_path / "allow"
    allow.write_text("meerslag\\.meerslag\n")
    command = [sys.executable, "-m", "mypy.stubtest", "meerslag", "--allowlist", str(allow)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


README = pathlib.Path(__file__).parent.parent / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_of_the_readme_run(example):
    exec(compile(example, str(README), "exec"), {})
    assert len(EXAMPLES) >= 4
