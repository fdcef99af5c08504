/**
 * Listings and trees that do not end: on servers whose pages repeat or whose folders contain
 * themselves, and in stores of users. Each is an error within seconds.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import * as zarr from "zarr-wasm";
import { pause, until } from "../support/waiting.mjs";

const LIMITS = { timeout: 240_000 };
const GROUP = JSON.stringify({ zarr_format: 3, node_type: "group", attributes: {} });

let server;
let url;
let asked = 0;
/** Answers a request for a listing of a bucket; undefined if there are no buckets. */
let bucketPage;
/** The folders that every index page shows. */
let folders = [];

before(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://host");
    asked += 1;
    if (searchParams.has("list-type")) {
      const page = bucketPage?.(searchParams.get("continuation-token"));
      return page ? response.end(page) : response.writeHead(404).end();
    }
    if (pathname.endsWith("/zarr.json")) return response.end(GROUP);
    if (!pathname.endsWith("/") || folders.length === 0) return response.writeHead(404).end();
    const links = folders.map((name) => `<a href="${name}/">${name}/</a>`).join("");
    return response.end(`<html><title>Index of ${pathname}</title><a href="../">../</a>${links}</html>`);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const pageOf = (names, token) =>
  `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>${names.map((name) => `<CommonPrefixes><Prefix>${name}/</Prefix></CommonPrefixes>`).join("")}</ListBucketResult>`;

const children = async (group, options) => {
  const found = [];
  for await (const child of group.children(options)) found.push(child);
  return found;
};

test("continuation tokens that alternate, and pages without end that repeat", LIMITS, async () => {
  folders = [];
  for (const [name, page] of [
    ["the same token", () => pageOf(["bucket/a"], "t")],
    ["two tokens", (token) => pageOf(["bucket/a"], token === "t" ? "u" : "t")],
    ["new tokens, the same page", () => pageOf(["bucket/a"], `t${Math.random()}`)],
    ["new tokens, empty pages", (token) => pageOf(token === null ? ["bucket/a"] : [], `t${Math.random()}`)],
  ]) {
    bucketPage = page;
    asked = 0;
    const group = await zarr.open(`${url}/bucket/`, { kind: "group" });
    await assert.rejects(children(group), { code: "Store" }, name);
    assert.ok(asked < 100, `${name}: ${asked} requests`);
  }
});

test("a bucket that always has more names is a Limit error", LIMITS, async () => {
  let at = 0;
  bucketPage = () => {
    const names = Array.from({ length: 20_000 }, () => `bucket/n${(at++).toString().padStart(9, "0")}`);
    return pageOf(names, `t${at}`);
  };
  const group = await zarr.open(`${url}/bucket/`, { kind: "group" });
  await assert.rejects(children(group), { code: "Limit" });
});

test("an abort ends a listing that goes on", LIMITS, async () => {
  let at = 0;
  bucketPage = () => pageOf([`bucket/n${at++}`], `t${at}`);
  const group = await zarr.open(`${url}/bucket/`, { kind: "group" });
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("enough")), 100);
  await assert.rejects(children(group, { signal: controller.signal }), /enough/);
  const before = asked;
  await pause(200);
  assert.ok(asked <= before + 2, `${asked - before} requests after the abort`);
});

test("folders that contain themselves: a tree ends, with the error at its last group", LIMITS, async () => {
  bucketPage = undefined;
  folders = ["again"];
  const group = await zarr.open(`${url}/data/`, { kind: "group" });
  let [node] = [await group.tree()];
  let depth = 0;
  for (; node.children.length > 0; depth++) [node] = node.children;
  assert.equal(node.error?.code, "Limit");
  assert.ok(depth > 60 && depth <= 128, `${depth}`);
});

test(
  "groups that multiply are a Limit error of the tree, and its bounds can be changed",
  LIMITS,
  async () => {
    folders = ["a", "b"];
    const group = await zarr.open(`${url}/data/`, { kind: "group" });
    await assert.rejects(group.tree({ maxNodes: 500 }), { code: "Limit" });
    const tree = await group.tree({ maxDepth: 2 });
    assert.equal(tree.children[0].children[0].error.code, "Limit");
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 200);
    await assert.rejects(group.tree({ signal: controller.signal }), /enough/);
  },
);

test("stores of users whose listings do not end", LIMITS, async () => {
  const base = { get: async (key) => (key === "/zarr.json" ? new TextEncoder().encode(GROUP) : undefined) };
  function* keys() {
    for (let at = 0; ; at++) yield `/n${at % 10}/zarr.json`;
  }
  let isLeft = false;
  async function* laterKeys() {
    try {
      for (let at = 0; ; at++) {
        if (at % 1000 === 0) await new Promise((done) => setImmediate(done));
        yield `/n${at % 10}/zarr.json`;
      }
    } finally {
      isLeft = true;
    }
  }
  const listDir = async (prefix) => ({ keys: [], prefixes: [`${prefix}again/`] });
  const endless = await zarr.open({ ...base, list: keys }, { kind: "group" });
  await assert.rejects(children(endless), { code: "Limit" });
  const controller = new AbortController();
  const group = await zarr.open({ ...base, list: laterKeys }, { kind: "group" });
  setTimeout(() => controller.abort(new Error("enough")), 50);
  await assert.rejects(children(group, { signal: controller.signal }), /enough/);
  await until(() => isLeft); // the store stops listing
  const nested = await zarr.open({ ...base, listDir }, { kind: "group" });
  assert.equal(await zarr.exists(nested.resolve("nothing")).catch(({ code }) => code), "Limit");
});

test("folders of a disk that nest without end", LIMITS, async () => {
  const folder = (name) => ({
    kind: "directory",
    name,
    async *entries() {
      yield ["again", folder("again")];
    },
    getDirectoryHandle: async (child) => folder(child),
    getFileHandle: async () => {
      throw new DOMException("none", "NotFoundError");
    },
  });
  const store = new zarr.DirectoryStore(folder(""));
  await assert.rejects(store.listDir("/"), { code: "Limit" });
  await assert.rejects(
    async () => {
      for await (const _ of store.list("/"));
    },
    { code: "Limit" },
  );
});
