/**
 * What the servers serve: stores that zarr-python wrote, archives and kerchunk's references
 * (`tests/fixtures/containers`), each with the values that those libraries read.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/run_command.mjs";
import { unpackFixtures } from "../support/fixture_archives.mjs";

const STORES = join(ROOT, "tests/fixtures/containers");

/** Names below the server's root, and the fixtures that are there. */
const FIXTURES = {
  v3: "zarr-python-3/hierarchy-v3",
  v2: "zarr-python-2/hierarchy",
  codecs: "zarr-python-3/codecs-v3",
  sharded: "zarr-python-3/sharding-v3",
  missing: "zarr-python-3/sharding-missing-v3",
  names: "zarr-python-3/names-v3",
};

/** Stores whose documents are removed, so that groups have to be listed: v3 and v2. */
const UNCONSOLIDATED = { "listed-v3": "zarr-python-3/codecs-v3", "listed-v2": "zarr-python-2/codecs" };

/** The node lists of `expected.json` by the names of the stores. */
export function expectations() {
  const fixtures = unpackFixtures();
  const nodes = ([name, fixture]) => [
    name,
    JSON.parse(readFileSync(join(fixtures, fixture, "expected.json"), "utf8")),
  ];
  return {
    ...Object.fromEntries(Object.entries({ ...FIXTURES, ...UNCONSOLIDATED }).map(nodes)),
    archives: JSON.parse(readFileSync(join(STORES, "expected.json"), "utf8")),
  };
}

/** Removes consolidated metadata, and the member of `zarr.json` that holds them. */
function checkUnconsolidated(folder) {
  rmSync(join(folder, ".zmetadata"), { force: true });
  const document = join(folder, "zarr.json");
  if (existsSync(document) && readFileSync(document, "utf8").includes("consolidated_metadata"))
    throw new Error(`${document} has consolidated metadata`);
}

/** Copies everything into a folder. */
export function fill(folder) {
  const fixtures = unpackFixtures();
  for (const [name, fixture] of Object.entries({ ...FIXTURES, ...UNCONSOLIDATED }))
    cpSync(join(fixtures, fixture, "store"), join(folder, name), { recursive: true });
  for (const name of Object.keys(UNCONSOLIDATED)) checkUnconsolidated(join(folder, name));
  cpSync(STORES, join(folder, "archives"), { recursive: true });
}

/** The paths of all files below a folder, with slashes. */
export const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
