/** The archives of tests/fixtures: files come out as they went in, and every store is packed. */
import assert from "node:assert/strict";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { packedFiles, unpackArchive, writeArchive } from "../support/fixture_archives.mjs";

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "zarr-archives-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** The properties of a file, except its time. */
function facts(path) {
  const stat = lstatSync(path);
  if (stat.isDirectory()) return "folder";
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  return `${(stat.mode & 0o777).toString(8)} ${readFileSync(path, "hex")}`;
}

const treeOf = (root) =>
  Object.fromEntries(
    readdirSync(root, { recursive: true })
      .map(String)
      .sort()
      .map((name) => [name, facts(join(root, name))]),
  );

const NAMES = [
  "zarr.json",
  ".zattrs",
  "@at",
  "-dash",
  "a/A",
  "a/a",
  "with space/what?",
  "quote'\"<|>",
  "back\\slash",
  "細😀/é",
  `${"long ".repeat(30)}/${"x".repeat(200)}`,
];

function oddStore(root) {
  for (const name of NAMES) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), `bytes of ${name}`);
  }
  writeFileSync(join(root, "no bytes"), "");
  mkdirSync(join(root, "no files"));
  chmodSync(join(root, "zarr.json"), 0o755);
  symlinkSync("zarr.json", join(root, "link"));
}

test("names, links, modes and empty folders come out as they went in", () => {
  const store = join(folder, "store");
  mkdirSync(store);
  oddStore(store);
  writeArchive(join(folder, "store.tar.gz"), store);
  unpackArchive(join(folder, "store.tar.gz"), join(folder, "unpacked"));
  const [before, after] = [treeOf(store), treeOf(join(folder, "unpacked"))];
  assert.ok(Object.keys(before).length > NAMES.length);
  assert.deepEqual(after, before);
});

test("the bytes of an archive do not depend on times, and change with a file", () => {
  const [store, packed] = [join(folder, "timed"), join(folder, "timed.tar.gz")];
  mkdirSync(store);
  writeFileSync(join(store, "zarr.json"), "{}");
  const packAnew = () => {
    rmSync(packed, { force: true });
    writeArchive(packed, store);
    return readFileSync(packed);
  };
  const first = packAnew();
  utimesSync(join(store, "zarr.json"), 1e9, 1e9);
  assert.deepEqual(packAnew(), first);
  writeFileSync(join(store, "zarr.json"), "[]");
  writeArchive(packed, store);
  assert.notDeepEqual(readFileSync(packed), first);
});

test("an archive beside a folder of its name is refused", () => {
  const store = join(folder, "twice");
  mkdirSync(store);
  writeFileSync(join(store, "zarr.json"), "{}");
  writeArchive(join(folder, "twice.tar.gz"), store);
  assert.throws(() => unpackArchive(join(folder, "twice.tar.gz"), store), /delete the older/);
});

test("tests/fixtures has no store that is not packed", () => {
  const isExpected = (file) => file.endsWith(".tar.gz") || basename(file) === "expected.json";
  const loose = packedFiles().filter((file) => !isExpected(file));
  assert.deepEqual(loose, [], "pack them: node tests/support/fixture_archives.mjs pack");
});
