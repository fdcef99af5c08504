/**
 * A node that cannot be opened does not end a listing. The listing has its name, its known
 * properties, and the error of opening it. The hierarchies are zarr-python's, with and without
 * consolidated metadata.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { FIXTURES } from "./fixture_files.mjs";

const FOLDER = join(FIXTURES, "unreadable/pickled-objects");
const EXPECTED = JSON.parse(readFileSync(join(FOLDER, "expected.json"), "utf8"));
const encode = (document) => new TextEncoder().encode(JSON.stringify(document));

const plainStore = () => new FileSystemStore(join(FOLDER, "store"));
const stores = {
  "a folder": plainStore,
  "consolidated metadata": () => zarr.withConsolidatedMetadata(plainStore()),
  // It cannot list, so the names come from consolidated metadata.
  "consolidated metadata that nobody wrapped": () => {
    const inner = plainStore();
    return { get: (key) => inner.get(key) };
  },
};

const isPickled = (error) => {
  assert.ok(error instanceof zarr.ZarrError);
  assert.equal(error.code, "Unsupported");
  assert.match(error.message, /pickle/);
  return true;
};

/** The group and all nodes below it. */
async function* below(node) {
  yield node;
  if (node.kind === "array" || node.error) return;
  for await (const child of node.children()) yield* below(child);
}

const byPath = (a, b) => (a.path < b.path ? -1 : 1);

for (const [name, open] of Object.entries(stores)) {
  test(`children() of ${name}: all nodes are listed, the pickled ones with their errors`, async () => {
    const found = [];
    for await (const node of below(await zarr.open(await open(), { kind: "group" }))) found.push(node);
    assert.deepEqual(
      found.map(({ path, kind }) => [path, kind]).sort(),
      EXPECTED.map(({ path, kind }) => [path, kind]).sort(),
    );
    for (const [at, node] of found.sort(byPath).entries()) {
      const { path, shape, dtype, attributes, pickled, sum } = EXPECTED[at];
      assert.equal(node.path, path);
      assert.deepEqual(node.attrs, attributes);
      assert.deepEqual(node.shape, shape);
      if (sum !== undefined) {
        const { data } = await node.get();
        assert.equal(
          Array.from(data, Number).reduce((total, value) => total + value),
          sum,
        );
      }
      if (!pickled) {
        assert.equal(node.error, undefined);
        continue;
      }
      assert.ok(node instanceof zarr.UnreadableNode);
      assert.equal(node.dtype, dtype);
      isPickled(node.error);
      assert.equal(node.error.path, path);
      await assert.rejects(zarr.open(node), (error) => {
        assert.equal(error.message, node.error.message);
        return true;
      });
    }
  });

  test(`tree() of ${name} lists all nodes`, async () => {
    const tree = await (await zarr.open(await open(), { kind: "group" })).tree();
    const found = [];
    const collect = (branch) => {
      found.push(branch);
      branch.children.forEach(collect);
    };
    collect(tree);
    found.sort(byPath);
    assert.deepEqual(
      found.map(({ path, kind, shape }) => ({ path, kind, shape })),
      EXPECTED.map(({ path, kind, shape }) => ({ path, kind, shape })),
    );
    for (const [at, { error, dtype }] of found.entries()) {
      if (!EXPECTED[at].pickled) assert.equal(error, undefined);
      else assert.ok(isPickled(error) && dtype === "|O");
    }
    assert.match(String(tree), /├── location \[3\] \|O \(.*pickle.*\)|└── location \[3\] \|O \(.*pickle.*\)/);
    assert.match(String(tree), /timestamps \[8\] float64$/m);
  });
}

test("contents() has the errors, and good nodes as in zarrita", async () => {
  const consolidated = await stores["consolidated metadata"]();
  const contents = consolidated.contents().sort(byPath);
  for (const [at, content] of contents.entries()) {
    const { path, kind, pickled } = EXPECTED[at];
    const { error, ...rest } = content;
    assert.deepEqual(rest, { path, kind });
    if (pickled) isPickled(error);
    else assert.deepEqual(Object.keys(content), ["path", "kind"]);
  }
  assert.equal(contents.length, EXPECTED.length);
});

/** A v3 hierarchy with several kinds of invalid nodes. */
function wrongV3() {
  const group = { zarr_format: 3, node_type: "group", attributes: {} };
  const array = {
    zarr_format: 3,
    node_type: "array",
    shape: [4],
    data_type: "int16",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [4] } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    attributes: { title: "good" },
  };
  return {
    good: array,
    "new-type": { ...array, data_type: { name: "int1024", configuration: {} } },
    "no-shape": { ...array, shape: undefined },
    "no-type": { zarr_format: 3, node_type: "table" },
    "new-group": { ...group, needed: { must_understand: true } },
    "new-group/inside": array,
  };
}

const V3_ERRORS = {
  good: undefined,
  "new-type": ["array", "int1024", [4]],
  "no-shape": ["array", "int16", undefined],
  "no-type": ["group", undefined, undefined],
  "new-group": ["group", undefined, undefined],
};

test("v3: invalid nodes are listed with their known properties", async () => {
  const nodes = wrongV3();
  const root = { zarr_format: 3, node_type: "group", attributes: {} };
  const plain = new Map([["/zarr.json", encode(root)]]);
  for (const [path, document] of Object.entries(nodes)) plain.set(`/${path}/zarr.json`, encode(document));
  plain.set("/no-json/zarr.json", new TextEncoder().encode("{"));
  const consolidated = new Map([
    [
      "/zarr.json",
      encode({ ...root, consolidated_metadata: { kind: "inline", must_understand: false, metadata: nodes } }),
    ],
  ]);
  const wrapped = await zarr.withConsolidatedMetadata(consolidated, { format: "v3" });
  for (const store of [plain, wrapped]) {
    const found = new Map();
    const group = await zarr.open(store, { kind: "group" });
    for await (const child of group.children()) found.set(child.path.slice(1), child);
    assert.equal(found.has("no-json"), store === plain);
    if (store === plain) assert.equal(found.get("no-json").error.code, "Format");
    for (const [name, expected] of Object.entries(V3_ERRORS)) {
      const { kind, dtype, shape, error } = found.get(name);
      assert.equal(error === undefined, expected === undefined, name);
      if (expected) assert.deepEqual([kind, dtype, shape], expected, name);
    }
    const tree = await group.tree();
    assert.equal(tree.children.length, found.size);
  }
  const errors = wrapped.contents().filter(({ error }) => error);
  assert.deepEqual(
    errors.map(({ path }) => path.slice(1)).sort(),
    Object.keys(V3_ERRORS)
      .filter((name) => V3_ERRORS[name])
      .sort(),
  );
  // Consolidated metadata also has nodes below a group that cannot be opened.
  const branch = (await (await zarr.open(wrapped, { kind: "group" })).tree()).children;
  const inside = branch.find(({ name }) => name === "new-group").children;
  assert.deepEqual(
    inside.map(({ path, error }) => [path, error]),
    [["/new-group/inside", undefined]],
  );
});

test("a node whose document cannot be fetched is listed; an abort ends the listing", async () => {
  const files = new Map([["/zarr.json", encode({ zarr_format: 3, node_type: "group" })]]);
  for (const name of ["a", "b"])
    files.set(`/${name}/zarr.json`, encode({ zarr_format: 3, node_type: "group" }));
  const store = {
    keys: () => files.keys(),
    async get(key) {
      if (key.startsWith("/a/")) throw new Error("the disk is broken");
      return files.get(key);
    },
  };
  const found = [];
  const root = await zarr.open(store, { kind: "group" });
  for await (const { path, error } of root.children()) found.push([path, error?.code]);
  assert.deepEqual(found, [
    ["/a", "Store"],
    ["/b", undefined],
  ]);
  const controller = new AbortController();
  controller.abort(new Error("enough"));
  await assert.rejects(root.tree({ signal: controller.signal }), { message: "enough" });
});

test("copying a hierarchy with such a node is an error", async () => {
  const source = await zarr.open(plainStore(), { kind: "group" });
  await assert.rejects(zarr.copy(source, new Map()), isPickled);
});

test("thousands of nodes, one of which cannot be opened", async () => {
  const array = {
    zarr_format: 2,
    shape: [1],
    chunks: [1],
    dtype: "|u1",
    compressor: null,
    fill_value: 0,
    order: "C",
    filters: null,
  };
  const metadata = { ".zgroup": { zarr_format: 2 } };
  for (let at = 0; at < 5000; at += 1) {
    metadata[`a${at}/.zarray`] = { ...array, shape: [at % 400] };
    metadata[`a${at}/.zattrs`] = { at };
  }
  metadata["a4321/.zarray"] = { ...array, dtype: "|O", filters: [{ id: "pickle", protocol: 4 }] };
  const store = new Map([["/.zmetadata", encode({ zarr_consolidated_format: 1, metadata })]]);
  const contents = (await zarr.withConsolidatedMetadata(store)).contents();
  assert.equal(contents.length, 5001);
  const wrong = contents.filter(({ error }) => error);
  assert.deepEqual(
    wrong.map(({ path }) => path),
    ["/a4321"],
  );
  isPickled(wrong[0].error);
});
