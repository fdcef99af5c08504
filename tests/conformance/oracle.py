"""Lets one library read every array below a folder and compares it, element by element, with the expected.json beside each store.

One line an array: `ok`, or `not ok` with what was found. What a library is known to get wrong or to refuse stands in
known_oracle_bugs.json with its reason; such an array counts as ok, and an entry that explains nothing any more is not ok.
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "fixtures" / "make"))

from fixture import json_element, packed, portable  # noqa: E402


class Known:
    """The entries for one oracle that are about this corpus."""

    def __init__(self, oracle, corpus):
        entries = json.loads((HERE / "known_oracle_bugs.json").read_text(encoding="utf-8"))
        self.entries = [entry for entry in entries if entry["oracle"] == oracle and entry["corpus"] == corpus]
        self.used = set()

    def reason(self, array, outcome):
        for number, entry in enumerate(self.entries):
            if outcome == entry["outcome"] and re.fullmatch(entry["arrays"], array):
                self.used.add(number)
                return entry["reason"]
        return None

    def unused(self):
        return [entry for number, entry in enumerate(self.entries) if number not in self.used]


def difference(found, node):
    """What is not as it should be; None when all is."""
    if list(found.shape) != node["shape"]:
        return f"shape {list(found.shape)}"
    if "values_json" in node:
        same = [json_element(value) for value in found.ravel("C")] == node["values_json"]
    else:
        same = found.size == 0 or packed(found) == node["values"]
    return None if same else "other elements"


def check(oracle, open_array, read_attributes=None, formats=(2, 3)):
    """Ends the program. `open_array(store, path, node)` gives the elements, `read_attributes(store)` the attributes of each array by its path."""
    root, corpus = Path(sys.argv[1]), sys.argv[2]
    known = Known(oracle, corpus)
    counts = {"ok": 0, "wrong": 0, "refused": 0, "unexplained": 0}
    documents = sorted(root.glob("*/expected.json"))
    if not documents:
        print(f"not ok {oracle}: {root} has no cases")
        sys.exit(1)
    for document in documents:
        case = document.parent
        nodes = [node for node in json.loads(document.read_text(encoding="utf-8")) if node["kind"] == "array"]
        nodes = [node for node in nodes if node["zarr_format"] in formats]
        for node in nodes:
            array = f"{case.name}/{node['path']}"
            try:
                what = difference(open_array(case / "store", node["path"], node), node)
                outcome = "wrong" if what else "ok"
            except Exception as error:
                outcome, what = "refused", f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            counts[outcome] += 1
            report(oracle, array, outcome, what, known, counts)
        if read_attributes and nodes:
            check_attributes(oracle, case, nodes, read_attributes, known, counts)
    for entry in known.unused():
        counts["unexplained"] += 1
        print(f"not ok {oracle} explains nothing any more: {entry['arrays']} {entry['outcome']}")
    print(f"# {oracle}: {counts['ok']} ok, {counts['wrong']} wrong, {counts['refused']} refused, {counts['unexplained']} unexplained")
    sys.exit(1 if counts["unexplained"] else 0)


def report(oracle, array, outcome, what, known, counts):
    if outcome == "ok":
        print(f"ok {oracle} {array}")
        return
    reason = known.reason(array, outcome)
    if reason:
        print(f"ok {oracle} {array} # {outcome}: {reason}")
        return
    counts["unexplained"] += 1
    print(f"not ok {oracle} {array} {outcome}: {what}")


def check_attributes(oracle, case, nodes, read_attributes, known, counts):
    """Attributes as consolidated metadata has them, of every array that is there."""
    name = f"{case.name}/consolidated"
    expected = {node["path"]: node["attributes"] for node in nodes}
    try:
        found = {path: portable(attributes) for path, attributes in read_attributes(case / "store").items()}
        outcome, what = ("ok", None) if found == expected else ("wrong", "other attributes")
    except Exception as error:
        outcome, what = "refused", f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    report(oracle, name, outcome, what, known, counts)
