/**
 * Puts the sites of several versions together: the newest at the root, the others in folders of
 * their names. Each gets the list of all, with ways from itself to the others.
 *
 *   node site/versions.mjs <output> <archive> …     archives are named zarr-wasm-site-<version>.tar.gz
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as tar from "tar";
import { command, StepFailed, say } from "../scripts/run_command.mjs";

const NAME = /^zarr-wasm-site-(\d+\.\d+\.\d+)\.tar\.gz$/;

/** Newest first, by numbers. */
const byAge = (a, b) => b.localeCompare(a, "en", { numeric: true });

/** The folder of a version below the root: that of the newest is the root. */
const folderOf = (version, newest) => (version === newest ? "" : `v${version}/`);

/** Writes the list of versions to a site, with ways that begin at it. */
export function writeVersions(site, version, versions) {
  const [newest] = [...versions].sort(byAge);
  const up = version === newest ? "./" : "../";
  const list = [...versions].sort(byAge).map((each) => ({
    version: each,
    path: each === version ? "./" : up + folderOf(each, newest),
  }));
  writeFileSync(join(site, "versions.json"), JSON.stringify({ versions: list }));
}

/** Puts archives of sites together in a folder. */
export async function publish(output, archives) {
  const byVersion = new Map(archives.map((archive) => [NAME.exec(basename(archive))?.[1], archive]));
  if (byVersion.has(undefined)) throw new StepFailed(`not named as sites are: ${byVersion.get(undefined)}`);
  const versions = [...byVersion.keys()].sort(byAge);
  const [newest] = versions;
  for (const version of versions) {
    const site = join(output, folderOf(version, newest));
    mkdirSync(site, { recursive: true });
    await tar.extract({ file: byVersion.get(version), cwd: site });
    writeVersions(site, version, versions);
    say(`· version ${version} at ./${folderOf(version, newest)}`);
  }
}

if (import.meta.filename === process.argv[1]) {
  await command(async ([output, ...archives]) => {
    if (archives.length === 0) throw new StepFailed("node site/versions.mjs <output> <archive> …");
    rmSync(output, { recursive: true, force: true });
    await publish(output, archives);
  });
}
