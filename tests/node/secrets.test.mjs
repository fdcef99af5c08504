/**
 * No error and no warning has a secret: user and password of a URL, values of its query, and values
 * of headers. Each case fails in another way.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import * as zarr from "zarr-wasm";
import { HTTPRangeReader } from "zarr-wasm/zip";
import { madeStore } from "./made_stores.mjs";

const SECRET = "S3CR3T";
const QUERY = `X-Amz-Signature=${SECRET}&sig=${SECRET}&token=${SECRET}&free=${SECRET}&${SECRET}`;
const encode = (text) => new TextEncoder().encode(text);

const files = madeStore({ shape: [20, 20], chunks: [10, 10], dtype: "int32" }, ([i, j]) => i * 20 + j);
const GROUP = '{"zarr_format":3,"node_type":"group"}';

let server;
let host;
let act;
const told = [];
const { warn } = console;

before(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    if (act?.(request, response, pathname)) return;
    const bytes = files.get(pathname);
    response.writeHead(bytes ? 200 : 404).end(bytes);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  host = `127.0.0.1:${server.address().port}`;
  console.warn = (...words) => told.push(words);
  await zarr.init({ onWarning: (...words) => told.push(words) });
});
after(async () => {
  console.warn = warn;
  await zarr.init({ onWarning: () => {} });
  server.closeAllConnections();
  server.close();
});

/** All texts of an error, and of the errors that caused it. */
const textsOf = (error) => [
  inspect(error, { depth: 9, showHidden: true, maxStringLength: null }),
  ...[error.message, error.stack, error.key, error.path, String(error.cause)],
];

/** Runs an action that must fail, and looks for the secret in its error and in all warnings. */
async function failing(name, run) {
  const error = await Promise.resolve()
    .then(run)
    .then(
      () => assert.fail(`${name} did not fail`),
      (reason) => reason,
    );
  assert.ok(error instanceof zarr.ZarrError, `${name}: ${inspect(error)}`);
  for (const text of [...textsOf(error), inspect(told, { depth: 9 })])
    assert.ok(!String(text).includes(SECRET), `${name}: ${text}`);
}

const at = (path = "") => `http://${host}${path}?${QUERY}`;

test("statuses, of metadata and of chunks", async () => {
  for (const status of [400, 401, 403, 405, 410, 418, 500]) {
    act = (_request, response, path) => path.includes("/c/") && response.writeHead(status).end(at());
    const array = await zarr.open(new zarr.FetchStore(at(), { headers: { "x-key": SECRET } }), {
      kind: "array",
    });
    if (status !== 410) await failing(`a chunk with ${status}`, () => array.get());
    act = (_request, response) => response.writeHead(status, { "Retry-After": "99" }).end(at());
    await failing(`metadata with ${status}`, () => zarr.open(at()));
  }
});

test("answers that are wrong: short, redirected, damaged, too long", async () => {
  for (const [name, answer] of [
    [
      "short",
      (_request, response) => response.writeHead(200, { "Content-Length": 9, Connection: "close" }).end("x"),
    ],
    ["redirected", (_request, response) => response.writeHead(302, { Location: at("/elsewhere/") }).end()],
    [
      "redirected to an error",
      (_request, response, path) =>
        path !== "/x" ? response.writeHead(302, { Location: at("/x") }).end() : response.writeHead(500).end(),
    ],
    ["broken", (_request, response) => response.socket.destroy()],
    ["no JSON", (_request, response) => response.end(`{"zarr_format": ${SECRET}`.slice(0, 17))],
    [
      "too long",
      (_request, response) => response.writeHead(200, { "Content-Length": 2 ** 40 }).flushHeaders() ?? true,
    ],
  ]) {
    act = (request, response, path) => {
      if (path === "/zarr.json") return false;
      answer(request, response, path);
      return true;
    };
    const array = await zarr.open(new zarr.FetchStore(at()), { kind: "array" });
    if (!["redirected", "broken", "short"].includes(name))
      await failing(`a chunk ${name}`, () => array.get());
    act = (request, response, path) => Boolean(answer(request, response, path)) || true;
    await failing(`metadata ${name}`, () => zarr.open.v3(at(), { kind: "array" }));
  }
});

test("addresses: password, no server, no address, other schemes", async () => {
  act = undefined;
  for (const address of [
    `http://user:${SECRET}@${host}/`,
    `http://${SECRET}@${host}/`,
    `http://127.0.0.1:1/?${QUERY}`,
    `http://user:${SECRET}@127.0.0.1:1/a?${QUERY}`,
    `http://user:${SECRET}@/a`,
    `http://h:${SECRET}@h:99999/?${QUERY}`,
    `ftp://user:${SECRET}@host/a?${QUERY}`,
    `https://user:${SECRET}@[/?${QUERY}`,
  ]) {
    await failing(address, () => zarr.open(address));
    await failing(`store ${address}`, () => zarr.open(new zarr.FetchStore(address)));
    await failing(`archive ${address}`, () => zarr.open(zarr.ZipFileStore.fromUrl(address)));
  }
});

test("odd addresses: quotes, brackets, mistyped users, backslashes", async () => {
  const users = [`u:${SECRET}`, `u:'${SECRET}`, `u:"${SECRET}"`, `u:<${SECRET}>`, `u:a@${SECRET}`];
  const mistyped = [`u:p/${SECRET}`, `u:p?${SECRET}`, `u:p#${SECRET}`, `u:p\\${SECRET}`, `u:p ${SECRET}`];
  const schemes = ["http://", "http:/", "http:", "http:\\\\", "HTTP:///", "//"];
  const paths = ["/it's", '/a"b', "/<a>", "/a b", "/a@b", "/a;b", "/%27", "/{a}", "/a|b", "/ä"];
  const addresses = [
    ...users.map((user) => `http://${user}@127.0.0.1:1/a`),
    ...mistyped.map((user) => `http://${user}@127.0.0.1:1/a`),
    ...schemes.map((scheme) => `${scheme}u:${SECRET}@127.0.0.1:1/a?${QUERY}`),
    ...paths.map((path) => `http://127.0.0.1:1${path}?${QUERY}`),
    ...paths.map((path) => at(`/gone${path}`)),
    ...["'", '"', "<", ">"].map((mark) => `http://127.0.0.1:1/?sig=${mark}${SECRET}${mark}&a=${SECRET}`),
    `http://127.0.0.1:1/#'${SECRET}`,
  ];
  assert.ok(addresses.length > 40, `${addresses.length} addresses`);
  act = (_request, response) => response.writeHead(403).end();
  const fails = async (address) => {
    const refers = { version: 1, refs: { ".zgroup": [address, 0, 9] } };
    await Promise.all([
      failing(address, () => zarr.open(address)),
      failing(`chunks of ${address}`, () => zarr.open.v2(new zarr.FetchStore(address))),
      failing(`archive ${address}`, () => zarr.open(zarr.ZipFileStore.fromUrl(address))),
      failing(`references ${address}`, () => zarr.ReferenceStore.fromUrl(address)),
      failing(`a reference to ${address}`, () => zarr.open.v2(new zarr.ReferenceStore(refers))),
      failing(`a reader of ${address}`, () => new HTTPRangeReader(address).getLength()),
      failing(`a part of ${address}`, () => new HTTPRangeReader(address).read(0, 4)),
      failing(`a write to ${address}`, () => zarr.create(new zarr.FetchStore(address))),
      zarr.exists(address).catch((error) => assert.ok(!textsOf(error).join().includes(SECRET))),
    ]);
  };
  // At once, because requests that are refused are tried again after pauses.
  await Promise.all(addresses.map(fails));
  assert.ok(!inspect(told, { depth: 9 }).includes(SECRET));
});

test("what is hardly an address, in every call that takes one", async () => {
  const addresses = [
    ...[`http//user:${SECRET}@h/a`, `https//user:${SECRET}@h/a?sig=${SECRET}`, `http ://user:${SECRET}@h/`],
    ...[`user:${SECRET}@h/a`, `:user:${SECRET}@h`, `${SECRET}@127.0.0.1:1/a`, ` user:${SECRET}@localhost`],
    ...[
      `htp:/user:${SECRET}@h`,
      `http:user:${SECRET}@[`,
      `s3:user:${SECRET}@b/k`,
      `http://[user:${SECRET}@h/`,
    ],
    ...[`http://user:${SECRET}#x@h/`, `http://user:a#${SECRET}@h/`, `http://user:1#${SECRET}@127.0.0.1:1/`],
    ...[`http://user:${SECRET}?x@h/`, `http://user:a?${SECRET}@h/`, `http://user:1?${SECRET}@127.0.0.1:1/`],
    ...[`http://127.0.0.1:1/a?token=a ${SECRET}`, `http//127.0.0.1:1/a?token=a ${SECRET}`],
    ...[
      `http://h:99999/?a ${SECRET}`,
      `http://user:a ${SECRET}@127.0.0.1:1/a`,
      `http:///user:a ${SECRET} b@/`,
    ],
  ];
  const values = { data: new Uint8Array(4), shape: [2, 2] };
  const small = await zarr.create(new Map(), { shape: [1], dtype: "uint8" });
  const refers = (refs, more) => ({ version: 1, refs, ...more });
  const read = (document, options) => zarr.open.v2(new zarr.ReferenceStore(document, options));
  const group = (reference) => ({ ".zgroup": reference });
  const calls = {
    open: (url) => zarr.open(url),
    "open a store": (url) => zarr.open.v2(new zarr.FetchStore(url)),
    get: (url) => new zarr.FetchStore(url).get("/zarr.json").then(() => assert.fail()),
    exists: (url) => zarr.exists(url).then(() => assert.fail()),
    create: (url) => zarr.create(new zarr.FetchStore(url), { shape: [1], dtype: "uint8" }),
    "create there": (url) => zarr.create(url),
    erase: (url) => zarr.erase(url),
    consolidate: (url) => zarr.consolidate(url),
    copy: (url) => zarr.copy(url, new Map()),
    "copy there": (url) => zarr.copy(small, url),
    pyramid: (url) => zarr.createPyramid(url, values),
    dataset: (url) => zarr.createDataset(url, {}),
    archive: (url) => zarr.open(zarr.ZipFileStore.fromUrl(url)),
    repository: (url) => zarr.open(new zarr.IcechunkStore(url)),
    references: (url) => zarr.ReferenceStore.fromUrl(url),
    "a reference": (url) => read(refers(group([url, 0, 9]))),
    "a template": (url) => read(refers(group(["{{u}}/x", 0, 9]), { templates: { u: url } })),
    "a target": (url) => read(refers(group([null, 0, 9])), { target: url }),
    "a relative reference": (url) => read(refers(group(["x", 0, 9])), { url }),
    assets: (url) => zarr.assetsOf(url),
    "a reader": (url) => new HTTPRangeReader(url).getLength(),
    "a part": (url) => new HTTPRangeReader(url).read(0, 4),
  };
  const tried = async (name, call, address) => {
    const error = await Promise.resolve(address)
      .then(call)
      .catch((reason) => reason);
    for (const text of error instanceof Error ? textsOf(error) : [])
      assert.ok(!String(text).includes(SECRET), `${name} of ${address}: ${text}`);
  };
  const all = Object.entries(calls);
  await Promise.all(addresses.flatMap((address) => all.map(([name, call]) => tried(name, call, address))));
  assert.ok(!inspect(told, { depth: 9 }).includes(SECRET));
});

test("header values, and options that are refused", async () => {
  for (const headers of [
    { Authorization: `Bearer\n${SECRET}` },
    { [`${SECRET} x`]: "1" },
    async () => ({ a: `${SECRET}\0` }),
  ]) {
    await failing("headers", () => zarr.open(new zarr.FetchStore(`http://${host}`, { headers })));
  }
  const overrides = { headers: { Authorization: `a\n${SECRET}` } };
  await failing("overrides", () => zarr.open(new zarr.FetchStore(`http://${host}`, { overrides })));
});

test("listing, writing, erasing, consolidating", async () => {
  act = (request, response, path) => {
    if (request.method !== "GET") return response.writeHead(403).end(at());
    return path === "/zarr.json" && response.end(GROUP);
  };
  const group = await zarr.open(at(), { kind: "group" });
  await failing("children", async () => {
    for await (const _ of group.children());
  });
  await failing("attributes", () => group.updateAttributes({ a: 1 }));
  await failing("create", () => zarr.create(group.resolve("new"), { shape: [1], dtype: "uint8" }));
  await failing("consolidate", () => zarr.consolidate(group));
});

test("references and archives", async () => {
  act = undefined;
  const refs = (url) => ({ version: 1, refs: { ".zgroup": [url, 0, 9] } });
  for (const [name, document] of [
    ["gone", refs(at("/gone.nc"))],
    ["relative", refs(`gone.nc?${QUERY}`)],
    ["password", refs(`http://u:${SECRET}@host/a`)],
    ["unsupported", refs(`ftp://u:${SECRET}@host/a?${QUERY}`)],
    ["template", { version: 1, templates: { u: at() }, refs: { ".zgroup": ["{{u.x()}}", 0, 9] } }],
  ])
    await failing(`reference ${name}`, () => zarr.open.v2(new zarr.ReferenceStore(document)));
  await failing("no document", () => zarr.ReferenceStore.fromUrl(at("/none.json")));
  await failing("no archive", () => zarr.open(zarr.ZipFileStore.fromUrl(at("/none.zip"))));
  await failing("not an archive", () => zarr.open(zarr.ZipFileStore.fromUrl(at("/zarr.json"))));
});

test("warnings, and findings about schemas", async () => {
  told.length = 0;
  act = (request, response, path) => {
    if (!request.headers.range) return false;
    response.end(files.get(path));
    return true;
  };
  const shards = new Map();
  const made = await zarr.create(shards, {
    shape: [256],
    chunkShape: [16],
    shardShape: [256],
    dtype: "uint32",
    codecs: [],
  });
  await made.set(null, new Uint32Array(256).fill(1));
  for (const [key, bytes] of shards) files.set(`/s${key}`, bytes);
  const array = await zarr.open(at("/s"), { kind: "array" });
  await array.get([zarr.slice(0, 1)]);
  const group = await zarr.open(
    new Map([
      [
        "/zarr.json",
        encode(
          JSON.stringify({
            ...JSON.parse(GROUP),
            attributes: { zarr_conventions: [{ schema_url: at("/none.json"), name: "x" }] },
          }),
        ),
      ],
    ]),
    { kind: "group" },
  );
  act = undefined;
  const findings = await zarr.validate(group, { loadSchema: true, validate: () => [] });
  assert.ok(told.length > 0);
  const messages = findings.map(({ message }) => message).join();
  assert.ok(!`${inspect(told)}${messages}`.includes(SECRET), `${inspect(told)}${messages}`);
});
