"""Copies between formats as xarray sees them: `python xarray_copies.py write|check <folder>`, in the environment `cf`.

`write` makes a data set of each format; xarray_copies.mjs copies each into the other format and back; `check` compares what xarray has
of the copies with what it has of the originals, variable by variable: valid zeros stay valid, and what is missing stays missing.
"""

import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "fixtures" / "make"))
warnings.simplefilter("ignore")

from cf_copies import values, write  # noqa: E402


def differences(expected, found):
    if isinstance(found, Exception):
        return f"{type(found).__name__}: {found}"
    wrong = [f"{name}: {found.get(name)} and not {value}" for name, value in expected.items() if found.get(name) != value]
    return "; ".join(wrong + [f"{name} was not there" for name in found.keys() - expected.keys()])


def attempt(store, zarr_format):
    try:
        return values(store, zarr_format)
    except Exception as error:  # an array that xarray refuses fails the whole data set
        return error


def check(folder):
    failed = 0
    for zarr_format in (2, 3):
        expected = values(folder / f"v{zarr_format}", zarr_format)
        for copy, copied_format in (("copy", 5 - zarr_format), ("back", zarr_format)):
            wrong = differences(expected, attempt(folder / f"v{zarr_format}-{copy}", copied_format))
            failed += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} xarray sees the same in v{zarr_format}-{copy} {wrong}".rstrip())
    return failed


if __name__ == "__main__":
    verb, folder = sys.argv[1], Path(sys.argv[2])
    if verb == "write":
        for zarr_format in (2, 3):
            write(folder / f"v{zarr_format}", zarr_format)
    else:
        sys.exit(1 if check(folder) else 0)
