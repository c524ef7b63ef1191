"""Imports go strictly downwards, and the engine knows nothing of the rest of the house."""

import ast
from pathlib import Path

import pytest

import kasino_sim

PACKAGE = Path(kasino_sim.__file__).parent
LAYERS = {
    "errors": 0, "cards": 0, "engine": 1,
    "rules": 2, "catalog": 2, "pack": 2, "players": 2, "plan": 2, "notation": 2, "match": 2,
    "feature_words": 2, "tips": 2,
    "rule_words": 2, "attempts": 2, "ranges": 2, "study_plan": 2,
    "study_mistakes": 2, "study": 2, "study_cells": 2, "study_file": 2, "contrast": 3, "counted": 3,
    "meeting": 3, "designs": 2, "claims": 2, "tip_cells": 2,
    "words": 3, "ledger": 3, "tally": 3, "simulate": 3, "store": 3, "game": 3, "transcript": 3,
    "odds": 3, "thinking": 3,
    "position_text": 3,
    "stats": 4, "coach": 5, "coach_words": 5,
    "studies": 5, "plots": 6, "report": 7, "cli": 8, "__main__": 9, "__init__": 9,
}  # fmt: skip
OUTSIDE = {
    "engine": {"numpy", "numba", "llvmlite", "platformdirs"},
    "cards": set(),
    "errors": set(),
}
STANDARD = {"collections", "hashlib", "math", "os", "platform", "shutil", "warnings", "pathlib",
            "difflib", "gc", "__future__", "typing", "functools"}  # fmt: skip


def imports(path):
    """Yield the modules that a file imports, absolute."""
    package = ["kasino_sim", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            yield ".".join([*base, *filter(None, [node.module])])


def room(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=str)
def test_imports_go_downwards(path):
    if "data" in path.parts:
        return
    here = room(path)
    assert here in LAYERS, f"{here} has no layer yet"
    for module in imports(path):
        parts = module.split(".")
        if parts[0] == "kasino_sim" and len(parts) > 1:
            assert LAYERS[parts[1]] <= LAYERS[here], f"{path.name} imports {module} from above"
        elif here in OUTSIDE and parts[0] != "kasino_sim":
            assert parts[0] in OUTSIDE[here] | STANDARD, f"{path.name} imports {module}"


def test_no_circles_among_modules_of_one_layer():
    graph = {}
    for path in PACKAGE.glob("*.py"):
        targets = {m.split(".")[1] for m in imports(path) if m.startswith("kasino_sim.")}
        graph[room(path)] = targets & {p.stem for p in PACKAGE.glob("*.py")}

    def reaches(start, goal, seen):
        return any(
            t == goal or (t not in seen and reaches(t, goal, seen | {t})) for t in graph[start]
        )

    assert not [name for name in graph if reaches(name, name, {name})]
