/**
 * The archives of `tests/fixtures`. `NAME.tar.gz` holds the files of the folder `NAME`: a store, or
 * several small ones. Tests read the unpacked tree in `target/unpacked-fixtures`; nothing else of
 * the project writes there. Rust tests read the archives themselves (`rust/fixture_files.rs`).
 *
 *   node tests/support/fixture_archives.mjs unpack
 *                        prints the folder of the unpacked tree
 *   node tests/support/fixture_archives.mjs pack
 *                        packs folders that were put beside the archives
 *   node tests/support/fixture_archives.mjs pack <folder>
 *                        makes tests/fixtures the packed form of a tree
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import * as tar from "tar";
import { keyOf } from "../../scripts/finished.mjs";
import { ROOT } from "../../scripts/run_command.mjs";

const FIXTURES = join(ROOT, "tests/fixtures");
const UNPACKED = join(ROOT, "target/unpacked-fixtures");
const ARCHIVE = ".tar.gz";
/** Folders of files that tests and people read in place. */
const NEVER_PACKED = [
  ...["codec-vectors", "containers", "conventions", "grib", "icechunk", "listings", "make", "reductions"],
  ...["stac", "tls"],
];

/** The names in a folder, in an order that every machine has; folders and files apart. */
function listed(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const names = (wanted) => wanted.map(({ name }) => name).sort();
  return {
    folders: names(entries.filter((entry) => entry.isDirectory())),
    files: names(entries.filter((entry) => !entry.isDirectory())),
  };
}

/** What of `tests/fixtures` belongs to the tree, without the texts and scripts beside it. */
function packedEntries() {
  const { folders, files } = listed(FIXTURES);
  return [
    ...folders.filter((name) => !NEVER_PACKED.includes(name)),
    ...files.filter((name) => name.endsWith(ARCHIVE)),
  ];
}

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** The files that the tree is made of: archives, and expected.json files beside them. */
export const packedFiles = () =>
  packedEntries().flatMap((name) => {
    const path = join(FIXTURES, name);
    return name.endsWith(ARCHIVE) ? [path] : filesBelow(path);
  });

/**
 * Unpacks an archive into a folder that is not there yet. Its files get the time of now: servers
 * make ETags and Last-Modified of it.
 */
export function unpackArchive(file, folder) {
  if (existsSync(folder)) {
    const twice = relative(ROOT, file).slice(0, -ARCHIVE.length);
    throw new Error(`${twice} is there as a folder and as an archive: delete the older of the two`);
  }
  mkdirSync(folder, { recursive: true });
  tar.extract({ file, cwd: folder, sync: true, strict: true, noMtime: true });
}

/** Plain files first, so that an archive meets the folder that stands beside it. */
function unpackInto(tree) {
  const files = packedFiles();
  const archives = files.filter((file) => file.endsWith(ARCHIVE));
  if (archives.length === 0) throw new Error(`${FIXTURES} has no archives: check the folder out again`);
  const placeOf = (file) => join(tree, relative(FIXTURES, file));
  for (const file of files.filter((file) => !file.endsWith(ARCHIVE))) {
    mkdirSync(dirname(placeOf(file)), { recursive: true });
    copyFileSync(file, placeOf(file));
  }
  for (const file of archives) unpackArchive(file, placeOf(file).slice(0, -ARCHIVE.length));
}

/**
 * The folder with the unpacked tree. Its name is a hash of what was unpacked, so it is made once
 * for each state of `tests/fixtures`. A rename puts it in place: processes that start together
 * may each unpack, and never see half a tree.
 */
export function unpackFixtures() {
  const sources = packedEntries().map((name) => `tests/fixtures/${name}`);
  const key = keyOf(["tests/support/fixture_archives.mjs", ...sources]).slice(0, 16);
  const tree = join(UNPACKED, key);
  if (existsSync(tree)) return tree;
  const unfinished = `${tree}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  unpackInto(unfinished);
  try {
    renameSync(unfinished, tree);
  } catch (error) {
    if (!existsSync(tree)) throw error;
    rmSync(unfinished, { recursive: true }); // another process was faster
  }
  for (const name of readdirSync(UNPACKED)) {
    if (!name.startsWith(key)) rmSync(join(UNPACKED, name), { recursive: true, force: true });
  }
  return tree;
}

/** The same bytes for the same files: in one order, without times and owners. */
function tarOf(folder) {
  const names = readdirSync(folder, { recursive: true }).map(String).sort();
  const options = { cwd: folder, sync: true, portable: true, mtime: new Date(0), noDirRecurse: true };
  const entries = names.map((name) => `./${name}`); // a name that begins with @ is a file's name too
  return tar.create(options, entries).read();
}

/**
 * Packs the files of a folder. Compressed bytes differ between versions of zlib, so an archive that
 * has the same files already is kept.
 */
export function writeArchive(file, folder) {
  const bytes = tarOf(folder);
  if (existsSync(file) && gunzipSync(readFileSync(file)).equals(bytes)) return;
  writeFileSync(file, gzipSync(bytes, { level: 9 }));
  console.log(`packed ${relative(ROOT, file)}`);
}

function writePlain(file, source) {
  const bytes = readFileSync(source);
  if (existsSync(file) && readFileSync(file).equals(bytes)) return;
  writeFileSync(file, bytes);
  console.log(`wrote ${relative(ROOT, file)}`);
}

const hasExpectations = (folder) => filesBelow(folder).some((file) => basename(file) === "expected.json");

/**
 * Writes the packed form of a folder; returns the files of it. A folder without an expected.json
 * somewhere in it is a store, or holds nothing but stores: it becomes one archive.
 */
function packFolder(source, target) {
  if (!hasExpectations(source)) {
    mkdirSync(dirname(target), { recursive: true });
    writeArchive(target + ARCHIVE, source);
    return [target + ARCHIVE];
  }
  const { folders, files } = listed(source);
  mkdirSync(target, { recursive: true });
  for (const name of files) writePlain(join(target, name), join(source, name));
  return [
    ...files.map((name) => join(target, name)),
    ...folders.flatMap((name) => packFolder(join(source, name), join(target, name))),
  ];
}

function removeEmptyFolders(folder) {
  for (const name of listed(folder).folders) removeEmptyFolders(join(folder, name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Makes `tests/fixtures` the packed form of a tree; what is not in the tree is removed. */
export function packFixtures(tree) {
  const { folders } = listed(tree);
  const written = new Set(folders.flatMap((name) => packFolder(join(tree, name), join(FIXTURES, name))));
  for (const file of packedFiles()) if (!written.has(file)) rmSync(file);
  for (const name of listed(FIXTURES).folders) removeEmptyFolders(join(FIXTURES, name));
}

if (import.meta.filename === process.argv[1]) {
  const [verb, folder] = process.argv.slice(2);
  if (verb === "unpack") console.log(unpackFixtures());
  else if (verb === "pack") packFixtures(folder ? resolve(folder) : unpackFixtures());
  else throw new Error(`unknown verb ${verb}: there are unpack and pack`);
}
