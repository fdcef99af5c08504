/** Icechunk's own repositories (`tests/fixtures/icechunk`), over HTTP and in other stores. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, test } from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { serveRepositories } from "../servers/icechunk.mjs";
import { unpackArchive } from "../support/fixture_archives.mjs";

const FOLDER = join(import.meta.dirname, "../fixtures/icechunk");
const PLAIN = ["v1", "v1-by-2", "v2", "expired", "migrated"];
const CASES = [...PLAIN, "split", "virtual", "virtual-v1", "dictionary"];

const work = mkdtempSync(join(tmpdir(), "zarr-wasm-icechunk-"));
const expectedOf = (name) => JSON.parse(readFileSync(join(FOLDER, `${name}.expected.json`), "utf8"));

/** The files of a case by their paths. */
function filesOf(name) {
  const entries = readdirSync(join(work, name), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [`/${relative(work, file)}`, readFileSync(file)]));
}

let server;
before(async () => {
  for (const name of CASES) unpackArchive(join(FOLDER, `${name}.tar.gz`), join(work, name));
  server = await serveRepositories(new Map(CASES.flatMap((name) => [...filesOf(name)])));
});
after(async () => {
  await server.close();
  rmSync(work, { recursive: true, force: true });
});

/** What is requested while a function runs. */
async function requestsOf(run) {
  const before = server.requests.length;
  await run();
  return server.requests.slice(before).map((request) => request.replace(/\/[0-9A-Z]{20}$/, "/ID"));
}

async function checkNodes(store, nodes) {
  for (const [path, expected] of Object.entries(nodes)) {
    const node = await zarr.open(store, { path });
    assert.deepEqual(node.attrs, expected.attributes, path);
    assert.equal(node.kind, expected.values ? "array" : "group", path);
    if (!expected.values) continue;
    assert.deepEqual(node.shape, expected.shape, path);
    const { data } = await node.get();
    assert.deepEqual(Array.from(data), expected.values, path);
  }
}

for (const name of [...PLAIN, "split"]) {
  test(`${name}: every state equals what icechunk reads`, async () => {
    const { states, branches } = expectedOf(name);
    for (const [state, nodes] of Object.entries(states)) {
      const [kind, version] = state.split(" ");
      await checkNodes(new zarr.IcechunkStore(`${server.url}/${name}`, { [kind]: version }), nodes);
    }
    for (const [branch, snapshot] of Object.entries(branches))
      await checkNodes(
        new zarr.IcechunkStore(`${server.url}/${name}`, { snapshot }),
        states[`branch ${branch}`],
      );
  });
}

for (const name of PLAIN) {
  test(`${name}: branches, tags, history`, async () => {
    const expected = expectedOf(name);
    const inFolder = new zarr.IcechunkStore(new FileSystemStore(join(work, name)));
    const refs = (named) => Object.entries(named).map(([name, snapshot]) => ({ name, snapshot }));
    const history = expected.history.map((each) => ({ ...each, time: new Date(each.time) }));
    const overHttp = new zarr.IcechunkStore(`${server.url}/${name}`);
    for (const store of [inFolder, overHttp]) {
      assert.deepEqual(await store.history(), history);
      assert.equal(await store.snapshot(), expected.branches.main);
    }
    assert.deepEqual(await inFolder.branches(), refs(expected.branches));
    assert.deepEqual(await inFolder.tags(), refs(expected.tags));
    if (name.startsWith("v1")) await assert.rejects(overHttp.tags(), { code: "Unsupported" });
    else assert.deepEqual(await overHttp.tags(), refs(expected.tags));
  });
}

test("four requests to a first chunk, five for version 1, and a second array costs its own", async () => {
  for (const [name, first] of [
    ["v2", ["GET /v2/repo"]],
    ["v1", ["GET /v1/repo", "GET /v1/refs/branch.main/ref.json"]],
  ]) {
    const store = new zarr.IcechunkStore(`${server.url}/${name}`);
    const read = (path, selection) => async () => {
      const array = await zarr.open(store, { path, kind: "array" });
      await array.get(selection);
    };
    const below = (folders) => folders.map((folder) => `GET /${name}/${folder}/ID`);
    const firstChunk = await requestsOf(read("temperature", [0, zarr.slice(5)]));
    assert.deepEqual(firstChunk, [...first, ...below(["snapshots", "manifests", "chunks"])]);
    assert.deepEqual(await requestsOf(read("deep/er é/values", [0, 0, 0])), below(["manifests", "chunks"]));
    // Inline chunks, chunks that were not written, and the hierarchy cost nothing more.
    assert.deepEqual(await requestsOf(read("small")), below(["manifests"]));
    assert.deepEqual(await requestsOf(read("unwritten")), []);
    assert.deepEqual(
      await requestsOf(async () => {
        const group = await zarr.open(store, { kind: "group" });
        const children = [];
        for await (const child of group.children()) children.push(child.path);
        const names = ["deep", "scalar", "sharded", "small", "temperature", "unwritten"];
        assert.deepEqual(
          children.sort(),
          ["added", ...names].map((each) => `/${each}`),
        );
      }),
      [],
    );
  }
});

test("`open` finds repositories by what is there, or by the address", async () => {
  const { states } = expectedOf("v2");
  const url = `${server.url}/v2`;
  for (const place of [
    url,
    `icechunk+${url}`,
    new zarr.FetchStore(url),
    new FileSystemStore(join(work, "v2")),
  ]) {
    const group = await zarr.open(place, { kind: "group" });
    assert.ok(group.store instanceof zarr.IcechunkStore);
    await checkNodes(group.store, states["branch main"]);
  }
  const tagged = await zarr.open(url, { tag: "release", path: "small" });
  assert.deepEqual(Array.from((await tagged.get()).data), states["tag release"].small.values);
  await assert.rejects(zarr.open(url, { tag: "deleted" }), { code: "NotFound" });
  await assert.rejects(zarr.open(url, { path: "nothing" }), { code: "NotFound" });
  await assert.rejects(zarr.open(url, { tag: "release", branch: "main" }), { code: "Argument" });
  await assert.rejects(zarr.open(new zarr.IcechunkStore(url), { tag: "release" }), { code: "Argument" });
  await assert.rejects(zarr.open(`${server.url}/elsewhere`), { code: "NotFound" });
  const atOnce = await requestsOf(() => zarr.open(`icechunk+${url}`));
  assert.deepEqual(atOnce, ["GET /v2/repo", "GET /v2/snapshots/ID"]);
});

test("a repository in an archive, and in a folder of one", async () => {
  for (const start of ["", "/v1"]) {
    const writer = new zarr.ZipWriter();
    for (const [path, bytes] of filesOf("v1")) await writer.set(path.replace("/v1", start), bytes);
    const group = await zarr.open(await writer.toBlob(), { kind: "group" });
    await checkNodes(group.store, expectedOf("v1").states["branch main"]);
  }
});

for (const [name, mutable] of [
  ["v2", "repo"],
  ["v1", "refs/branch.main/ref.json"],
]) {
  test(`${name}: a commit is seen by a later open, and does not disturb an earlier one`, async () => {
    const path = `/${name}/${mutable}`;
    const newest = server.files.get(path);
    const { states } = expectedOf(name);
    const [old, now] = [states["tag release"].temperature.values, states["branch main"].temperature.values];
    try {
      server.files.set(path, server.files.get(`${path}.before`));
      const store = new zarr.IcechunkStore(`${server.url}/${name}`);
      const before = await zarr.open(store, { path: "temperature" });
      server.files.set(path, newest);
      const later = await zarr.open(await store.refresh(), { path: "temperature" });
      assert.deepEqual(Array.from((await before.get()).data), old);
      assert.deepEqual(Array.from((await later.get()).data), now);
      await assert.rejects(zarr.open(store, { path: "added" }), { code: "NotFound" });
      // Another build of the engine shows the same state.
      await store.history();
      await assert.rejects(zarr.open(store, { path: "added" }), { code: "NotFound" });
    } finally {
      server.files.set(path, newest);
    }
  });
}

test("`repo` is read again where its snapshot is gone", async () => {
  const newest = server.files.get("/v2/repo");
  const fetched = [];
  const fetchOnce = async (request) => {
    const response = await fetch(request);
    fetched.push(new URL(request.url).pathname.replace(/\/[0-9A-Z]{20}$/, "/ID"));
    // The commit and the expiry come between the first two requests.
    server.files.set("/v2/repo", newest);
    return response;
  };
  const { branches, history } = expectedOf("v2");
  const gone = `/v2/snapshots/${history[1].id}`;
  const file = server.files.get(gone);
  try {
    server.files.set("/v2/repo", server.files.get("/v2/repo.before"));
    server.files.delete(gone);
    const store = new zarr.IcechunkStore(`${server.url}/v2`, { fetch: fetchOnce });
    await zarr.open(store);
    assert.deepEqual(fetched, ["/v2/repo", "/v2/snapshots/ID", "/v2/repo", "/v2/snapshots/ID"]);
    assert.equal(await store.snapshot(), branches.main);
  } finally {
    server.files.set("/v2/repo", newest);
    server.files.set(gone, file);
  }
});

test("a branch, a tag and a snapshot that do not exist are not found", async () => {
  for (const name of ["v1", "v2"])
    for (const version of [{ branch: "none" }, { tag: "none" }, { snapshot: "ZZZZZZZZZZZZZZZZZZZ0" }]) {
      const [kind, wanted] = Object.entries(version)[0];
      const expected = { code: "NotFound", message: new RegExp(`with the ${kind} "${wanted}" at http`) };
      await assert.rejects(zarr.open(`${server.url}/${name}`, version), expected);
      await assert.rejects(new zarr.IcechunkStore(`${server.url}/${name}`, version).snapshot(), expected);
    }
});

test("what is missing or damaged is an error, never the fill value", async () => {
  const lost = [...server.files].filter(([path]) => path.startsWith("/v2/chunks/"));
  const open = () => zarr.open(new zarr.IcechunkStore(`${server.url}/v2`), { path: "temperature" });
  try {
    for (const [path] of lost) server.files.delete(path);
    await assert.rejects(
      open().then((array) => array.get()),
      { code: "Store", message: /is missing/ },
    );
  } finally {
    for (const [path, bytes] of lost) server.files.set(path, bytes);
  }
  for (const folder of ["repo", "snapshots/", "manifests/"]) {
    const damaged = [...server.files].filter(([path]) => path.startsWith(`/v2/${folder}`));
    try {
      for (const [path, bytes] of damaged) server.files.set(path, bytes.subarray(0, bytes.length - 9));
      await assert.rejects(
        open().then((array) => array.get()),
        { code: "Format" },
      );
    } finally {
      for (const [path, bytes] of damaged) server.files.set(path, bytes);
    }
  }
});

/** Requests for virtual chunks go to another port, and to AWS. The server here has the files. */
const virtualFetch = (request) => {
  const { host, pathname } = new URL(request.url);
  const bucket = host === "bucket.s3.amazonaws.com" ? "/bucket" : "";
  const isVirtual = host === "127.0.0.1:28917" || bucket !== "";
  return fetch(isVirtual ? new Request(`${server.url}/virtual${bucket}${pathname}`, request) : request);
};
const ALLOWED = { fetch: virtualFetch, allowHosts: ["127.0.0.1:28917", "s3://bucket"] };

for (const name of ["virtual", "virtual-v1", "dictionary"]) {
  test(`${name}: virtual chunks equal what icechunk reads`, async () => {
    const { virtual, refused } = expectedOf(name);
    const url = `${server.url}/${name}`;
    const read = async (options, path) => {
      const array = await zarr.open(new zarr.IcechunkStore(url, options), { path, kind: "array" });
      return Array.from((await array.get()).data);
    };
    for (const [path, values] of Object.entries(virtual)) {
      assert.deepEqual(await read(ALLOWED, path), values, path);
      await assert.rejects(
        read({ fetch: virtualFetch }, path),
        { code: "Argument", message: /allowHosts/ },
        path,
      );
    }
    for (const path of refused) {
      await assert.rejects(read(ALLOWED, path), { code: "Store" }, path);
      const unverified = read({ ...ALLOWED, verify: false }, path);
      if (path === "absent") await assert.rejects(unverified, { code: "Store" });
      else assert.equal((await unverified).length, 32);
    }
  });
}

test("a bucket stands for the server that the repository names for it", async () => {
  const options = { ...ALLOWED, allowHosts: ["s3://bucket/in"] };
  const { virtual } = expectedOf("virtual");
  const read = async (path) => {
    const store = new zarr.IcechunkStore(`${server.url}/virtual`, options);
    return Array.from((await (await zarr.open(store, { path })).get()).data);
  };
  assert.deepEqual(await read("s3"), virtual.s3);
  await assert.rejects(read("http"), { code: "Argument" });
});

/** Runs with a server that answers some paths with a status: what `act(path)` returns. */
async function answering(act, run) {
  server.act = act;
  try {
    return await run();
  } finally {
    server.act = undefined;
  }
}

/** As a bucket that may not be listed: 403 instead of 404. */
const unlisted = (path) => (server.files.has(path) ? undefined : 403);

for (const name of ["v1", "v1-by-2", "v2", "virtual-v1"]) {
  test(`${name}: a bucket that says 403 for absent files is read like others`, async () => {
    const { states, virtual } = expectedOf(name);
    await answering(unlisted, async () => {
      for (const [state, nodes] of Object.entries(states ?? {})) {
        const [kind, version] = state.split(" ");
        await checkNodes(new zarr.IcechunkStore(`${server.url}/${name}`, { [kind]: version }), nodes);
      }
      // By `open` alone, too, which is answered 403 for the documents of Zarr.
      const path = virtual ? "s3" : "small";
      const found = await zarr.open(`${server.url}/${name}`, { path });
      assert.equal(found.store instanceof zarr.IcechunkStore, true);
      if (!virtual)
        assert.deepEqual(Array.from((await found.get()).data), states["branch main"].small.values);
    });
  });
}

test("where all is forbidden, or `repo` is and no branch is there, the error is the 403", async () => {
  for (const forbidden of [() => 403, (path) => (path === "/v2/repo" ? 403 : undefined)]) {
    await answering(forbidden, async () => {
      for (const place of [new zarr.IcechunkStore(`${server.url}/v2`), `${server.url}/v2.icechunk`]) {
        const error = await zarr.open(place).catch((reason) => reason);
        const isAbsent = typeof place === "string" && forbidden("/v2.icechunk/repo") === undefined;
        assert.deepEqual(
          [error.code, error.actual],
          isAbsent ? ["NotFound", undefined] : ["Store", "status 403"],
        );
      }
    });
  }
  const error = await answering(
    () => 403,
    () => zarr.open(`${server.url}/v2`).catch((reason) => reason),
  );
  assert.deepEqual([error.code, error.actual], ["Store", "status 403"]);
});

test("version 1: virtual chunks are where config.yaml says", async () => {
  const requested = [];
  const noting = (request) => {
    requested.push(new URL(request.url).host);
    return virtualFetch(request);
  };
  const { virtual } = expectedOf("virtual-v1");
  const options = { fetch: noting, allowHosts: ["s3://bucket/in"] };
  const store = new zarr.IcechunkStore(`${server.url}/virtual-v1`, options);
  const array = await zarr.open(store, { path: "s3" });
  assert.deepEqual(Array.from((await array.get()).data), virtual.s3);
  const hosts = new Set(requested.filter((host) => host !== new URL(server.url).host));
  assert.deepEqual([...hosts], ["127.0.0.1:28917"]);
  // Without the configuration, the bucket is looked for at AWS.
  const config = server.files.get("/virtual-v1/config.yaml");
  try {
    server.files.delete("/virtual-v1/config.yaml");
    requested.length = 0;
    const again = await zarr.open(new zarr.IcechunkStore(`${server.url}/virtual-v1`, options), {
      path: "s3",
    });
    assert.deepEqual(Array.from((await again.get()).data), virtual.s3);
    assert.ok(requested.includes("bucket.s3.amazonaws.com"));
  } finally {
    server.files.set("/virtual-v1/config.yaml", config);
  }
});

test("a manifest that is missing: `repo` is read again, and then it is an error", async () => {
  const isManifest = (path) => path.startsWith("/v2/manifests/");
  const open = () => zarr.open(new zarr.IcechunkStore(`${server.url}/v2`), { path: "temperature" });
  // A cache that kept an absence: the second request passes it.
  let absences = 1;
  const once = (path) => (isManifest(path) && absences-- > 0 ? 404 : undefined);
  const array = await answering(once, async () => {
    const opened = await open();
    assert.equal((await opened.get()).data.length, 120);
    return opened;
  });
  assert.ok(array);
  const gone = (path) => (isManifest(path) ? 404 : undefined);
  const requests = await requestsOf(() =>
    answering(gone, () =>
      assert.rejects(
        open().then((array) => array.get()),
        { code: "Store", message: /a manifest is missing.*open the repository again/ },
      ),
    ),
  );
  assert.equal(requests.filter((request) => request === "GET /v2/repo").length, 2);
  // The state has moved on since: the error names the newer one.
  const newest = server.files.get("/v2/repo");
  try {
    server.files.set("/v2/repo", server.files.get("/v2/repo.before"));
    const before = await open();
    server.files.set("/v2/repo", newest);
    const error = await answering(gone, () => before.get().catch((reason) => reason));
    assert.equal(error.code, "Store");
    assert.match(error.actual, new RegExp(`a newer snapshot, ${expectedOf("v2").branches.main}`));
  } finally {
    server.files.set("/v2/repo", newest);
  }
});
