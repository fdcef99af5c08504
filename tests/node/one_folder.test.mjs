/**
 * Several stores over one folder: beside each other, one inside of the other, and through links.
 * Writes to parts of one chunk through any of them wait for each other. The expected values are the
 * places of the elements, which each writer stores.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as zarr from "../../dist/index.js";

const LENGTH = 64;
const ROUNDS = 4;
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "zarr-wasm-folder-"));
});
after(() => rm(folder, { recursive: true, force: true }));

const places = () => Array.from({ length: LENGTH }, (_, at) => at);

/** Writes each element by itself, through the arrays in turn, and then reads all. */
async function writtenThrough(arrays) {
  await Promise.all(places().map((at) => arrays[at % arrays.length].set([at], at + 1)));
  return Array.from((await arrays[0].get()).data);
}

/** The same array through each of these places, `[root of the store, path in it]`. */
const openedAt = (...places) =>
  Promise.all(
    places.map(([root, path]) => zarr.open(new zarr.FileSystemStore(root), { path, kind: "array" })),
  );

const newArray = (root, path) =>
  zarr.create(new zarr.FileSystemStore(root), {
    path,
    shape: [LENGTH],
    chunkShape: [LENGTH],
    dtype: "int32",
  });

test("writes through a store over a folder and one over a folder in it are all stored", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const root = join(folder, `nested${round}`);
    await newArray(root, "g/a");
    const arrays = await openedAt([root, "g/a"], [join(root, "g"), "a"], [join(root, "g/a"), ""]);
    assert.deepEqual(
      await writtenThrough(arrays),
      places().map((at) => at + 1),
    );
  }
});

test("writes through a link to the folder, or to one in it, are all stored", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const root = join(folder, `linked${round}`);
    const link = join(folder, `link${round}`);
    await newArray(root, "g/a");
    await symlink(root, link);
    await symlink("g", join(root, "other"));
    const arrays = await openedAt([root, "g/a"], [link, "g/a"], [join(link, "g"), "a"], [root, "other/a"]);
    assert.deepEqual(
      await writtenThrough(arrays),
      places().map((at) => at + 1),
    );
  }
});

test("attributes that are set through several stores over one folder are all stored", async () => {
  const root = join(folder, "attributes");
  await newArray(root, "g/a");
  await zarr.consolidate(await zarr.open(new zarr.FileSystemStore(root), { kind: "group" }));
  const arrays = await openedAt([root, "g/a"], [join(root, "g"), "a"]);
  await Promise.all(places().map((at) => arrays[at % 2].updateAttributes({ [`a${at}`]: at })));
  const [again] = await openedAt([root, "g/a"]);
  assert.deepEqual(again.attrs, Object.fromEntries(places().map((at) => [`a${at}`, at])));
});

test("links that lead up end no write in waiting for itself", async () => {
  const root = join(folder, "upwards");
  const store = new zarr.FileSystemStore(root);
  await zarr.create(store, { kind: "group" });
  await zarr.create(store, { path: "g", kind: "group" });
  await newArray(root, "g/a");
  await symlink("..", join(root, "g/up"));
  await zarr.consolidate(await zarr.open(store, { kind: "group" }));
  const paths = ["g/up/g/a", "g/up", "g/up/g", "g", ""];
  const nodes = await Promise.all(paths.map((path) => zarr.open(store, { path })));
  await Promise.all(nodes.map((node, at) => node.updateAttributes({ [`a${at}`]: at })));
  assert.equal((await zarr.open(store, { path: "g/a" })).attrs.a0, 0);
  await rm(join(root, "g/up"));
});

test("a copy or a pyramid through another store over the folder does not replace its source", async () => {
  const root = join(folder, "sources");
  await newArray(root, "g/a");
  const [array] = await openedAt([root, "g/a"]);
  await array.set(null, Int32Array.from(places()));
  const inner = new zarr.FileSystemStore(join(root, "g"));
  const refused = { code: "Argument" };
  const overwrite = true;
  await assert.rejects(zarr.copy(array, new zarr.Location(inner, "/a"), { overwrite }), refused);
  await assert.rejects(zarr.copy(array, inner, { overwrite }), refused);
  await assert.rejects(zarr.copy(array, array.store, { overwrite }), refused);
  await assert.rejects(zarr.createPyramid(inner, array, { axes: ["x"], overwrite }), refused);
  await assert.rejects(zarr.createPyramid(inner, array, { axes: ["x"], path: "a", overwrite }), refused);
  assert.deepEqual(Array.from((await array.get()).data), places());
  // A place beside it is another one.
  await zarr.copy(array, new zarr.Location(inner, "/b"), { overwrite });
  assert.deepEqual(Array.from((await array.get()).data), places());
});

test("a group is not copied into itself without end", async () => {
  const map = new Map();
  const group = await zarr.create(map, { path: "g", kind: "group" });
  await assert.rejects(zarr.copy(group, new zarr.Location(map, "/g/copy")), { code: "Argument" });
});
