"""What the readers in Python share: a driver takes the path of a list of arrays, reads each of them, and prints one line of
JSON an array: `{id, shape, values}` (the elements as `expected.json` has them), `{id, shape, json}` for elements of variable
length, or `{id, error}`. It compares nothing: see `compare.mjs`.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "fixtures" / "make"))

from fixture import json_element, packed  # noqa: E402

warnings.filterwarnings("ignore")


def line_of(array, found):
    """`found`: a NumPy array of the reader's own types."""
    if array.get("variable"):
        return {"shape": list(found.shape), "json": [json_element(value) for value in found.ravel("C")]}
    return {"shape": list(found.shape), "values": packed(found) if found.size else ""}


def drive(read):
    """`read(array)` gives a NumPy array, or the line's fields without the id."""
    for array in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        try:
            found = read(array)
            line = found if isinstance(found, dict) else line_of(array, np.asarray(found))
        except Exception as error:
            line = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": array["id"], **line}), flush=True)
