#!/usr/bin/env bash
# Makes the repositories of this folder again: those of icechunk 2, and those of icechunk 1. Their ids and times are new each time, so
# that all archives change. Needs Python 3.12 or newer, and Node with the project's packages.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# write <environment> <case> ...: with the packages of a list.
write() {
  "${PYTHON:-python3}" -m venv "$work/$1"
  "$work/$1/bin/pip" install --quiet --only-binary :all: --requirement "$here/$1.txt"
  local environment=$1
  shift
  (cd "$here" && PYTHONDONTWRITEBYTECODE=1 "$work/$environment/bin/python" repositories.py "$work/made" "$@")
}

mkdir "$work/made"
write requirements v1-by-2 v2 expired migrated split virtual dictionary
write requirements-1 v1 virtual-v1
node --input-type=module --eval '
  import { copyFileSync, readdirSync } from "node:fs";
  import { writeArchive } from "./tests/fixture_archives.mjs";
  const [from, to] = process.argv.slice(1);
  for (const name of readdirSync(from)) {
    if (name.endsWith(".json")) copyFileSync(`${from}/${name}`, `${to}/${name}`);
    else writeArchive(`${to}/${name}.tar.gz`, `${from}/${name}`);
  }
' "$work/made" "$here"
