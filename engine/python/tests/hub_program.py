"""An engine that speaks Hub, with faults on request: python hub_program.py hub [FAULT]"""

import re
import sys
import threading

import meerslag


def say(line):
    print(line, flush=True)


def think(game, limits, control):
    result = meerslag.Engine(hash_mib=1).search(game, **limits)
    pv = " ".join(map(str, result.info.pv))
    say(f'info depth={result.info.depth} score={result.info.score / 100} pv="{pv}"')
    control.wait() if control else None
    ponder = f" ponder={result.ponder}" if result.ponder else ""
    say("done" if result.best is None else f"done move={result.best}{ponder}")


def main(fault):
    game, limits, stopped = meerslag.Game(), {}, None
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        fields = {name: a or b for name, a, b in re.findall(r'([\w-]+)=(?:"([^"]*)"|(\S+))', rest)}
        if word == "hub":
            if fault == "deaf":
                continue
            say('id name="A program" version=1.0 author=nobody')
            say("param name=threads value=1 type=int min=1 max=4")
            say('param name=variant value=normal type=enum values="normal bt"')
            say("wait")
        elif word == "set-param":
            assert fields == {"name": "threads", "value": "2"}, fields
        elif word == "init":
            say("ready")
        elif word == "pos":
            game = meerslag.Game(fields["pos"], fields.get("moves", "").split())
        elif word == "level":
            stopped = threading.Event() if "infinite" in rest else None
            limits = {"depth": int(fields.get("depth", 3))}
        elif word == "go" and fault == "dies":
            sys.exit(3)
        elif word == "go" and fault == "cheats":
            say("done move=1-6")
        elif word == "go":
            threading.Thread(target=think, args=(game, limits, stopped)).start()
        elif word == "stop" and stopped:
            stopped.set()
        elif word == "quit":
            return


main(*sys.argv[2:] or [None])
