"""Prints the licences of the crates in the program, each text once.

Their terms require the texts beside the program: engine/packaging/dependencies.py > FILE
"""

import collections
import json
import pathlib
import subprocess
import sys


STARTS = ("LICENSE", "LICENCE", "License", "license", "COPYING", "NOTICE", "UNLICENSE")


def cargo(*args):
    command = ["cargo", *args, "--locked"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    packages = json.loads(cargo("metadata", "--format-version=1"))["packages"]
    folders = {
        (package["name"], package["version"]): (
            pathlib.Path(package["manifest_path"]).parent,
            package["license"],
        )
        for package in packages
        if package["source"]
    }
    tree = cargo(
        "tree", "--package=meerslag", "--edges=normal", "--target=all", "--prefix=none",
        "--format={p}",
    )
    texts, without = collections.defaultdict(list), []
    for name, version in sorted({tuple(line.split()[:2]) for line in tree.splitlines()}):
        if (key := (name, version.removeprefix("v"))) not in folders:
            continue
        folder, licence = folders[key]
        files = [path for path in sorted(folder.iterdir()) if path.name.startswith(STARTS)]
        files = [path for path in files if path.is_file()]
        for path in files:
            text = path.read_text(errors="replace").strip()
            texts[text].append(f"{name} {key[1]} ({licence})")
        if not files:
            without.append(f"{name} {key[1]} ({licence})")
    if not texts:
        sys.exit("no dependency was found")
    print("The program contains these crates, under these licences.")
    if without:
        print("\nWithout a text of their own: " + ", ".join(without) + ".")
    for text, names in texts.items():
        print("\n" + "=" * 80 + "\n" + ", ".join(names) + "\n\n" + text)


main()
