"""Checks lines of `--json` against the schema of `meerslag schema` with the package jsonschema.

    pip install jsonschema
    python tests/interop/json_schema.py target/release/meerslag
"""

import json
import subprocess
import sys

from jsonschema import Draft202012Validator

COMMANDS = [
    ["analyse", "W:W27,28,32,37:B14,18,19,23", "--depth", "7", "--multipv", "2"],
    ["solve", "W:WK11:BK2,K6"],
    ["solve", "W:W31-40:B1-10", "--nodes", "2000"],
    ["match", "--engine", "random", "--engine", "random name=b", "--pairs", "2"],
    ["bench", "--depth", "3"],
    ["bench", "--depth", "2", "--threads", "1,2"],
    ["perft", "--depth", "4", "--divide"],
    ["weights", "info"],
    ["weights", "compare", "material", "material"],
    ["egdb", "probe", "W:WK11:BK2,K6"],
    ["egdb", "dump", "--slice", "1101", "--count", "20"],
    ["egdb", "dump", "--slice", "0201", "--type", "dtw", "--count", "20"],
    ["egdb", "bench", "--time", "0.05"],
    ["egdb", "plan", "--pieces", "4"],
]


def run(*args):
    return subprocess.run([sys.argv[1], *args], check=True, capture_output=True, text=True).stdout


schema = json.loads(run("schema"))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
count = 0
for command in COMMANDS:
    for line in run(*command, "--json").splitlines():
        errors = list(validator.iter_errors(json.loads(line)))
        assert not errors, f"{command}: {line}: {errors[0].message}"
        count += 1
    assert count > 0, command
# The schema rejects wrong records.
for bad in [{}, {"type": "perft", "version": 1}, {"type": "nothing", "version": 1}]:
    assert list(validator.iter_errors(bad)), bad
print(f"{count} lines fit the schema of {len(schema['oneOf'])} types")
