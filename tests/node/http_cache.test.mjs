/**
 * Reads through an HTTP cache in front of a bucket: nginx with `proxy_cache` and `slice`. The
 * origin is read once for any number of readers, because URLs and headers of equal requests are
 * equal.
 */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { scriptedServer } from "./scripted_server.mjs";

const ROOT = join(import.meta.dirname, "../..");
const SLICE = 64 * 1024;
const NGINX = process.env.NGINX ?? "/usr/sbin/nginx";

let origin;
let folder;
let nginx;
let url;

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

const configuration = (port, upstream) => `
  daemon off;
  master_process off;
  worker_processes 1;
  pid ${folder}/nginx.pid;
  error_log ${folder}/error.log;
  events { worker_connections 512; }
  http {
    access_log off;
    ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join("\n")}
    proxy_cache_path ${folder}/cache levels=1:2 keys_zone=zarr:1m max_size=64m;
    server {
      listen 127.0.0.1:${port};
      location / {
        slice ${SLICE};
        proxy_pass ${upstream};
        proxy_http_version 1.1;
        proxy_set_header Range $slice_range;
        proxy_cache zarr;
        proxy_cache_key $uri$is_args$args$slice_range;
        proxy_cache_valid 200 206 10m;
        proxy_cache_valid 404 10m;
        proxy_cache_lock on;
        proxy_cache_lock_timeout 30s;
      }
    }
  }`;

/** A sharded array with shards of several slices, and an array without shards. */
async function madeFiles() {
  const files = new Map();
  const root = await zarr.create(files, {});
  const common = { shape: [512, 1024], dtype: "uint16", codecs: [] };
  const values = Uint16Array.from({ length: 512 * 1024 }, (_, at) => at % 65_521);
  for (const [name, shapes] of [
    ["sharded", { chunkShape: [32, 32], shardShape: [256, 512] }],
    ["plain", { chunkShape: [128, 128] }],
  ]) {
    const array = await zarr.create(root.resolve(name), { ...common, ...shapes });
    await array.set(null, values);
  }
  return files;
}

before(async () => {
  assert.ok(existsSync(NGINX), `there is no nginx at ${NGINX}: npm run setup installs it`);
  origin = await scriptedServer(await madeFiles());
  origin.headers = { ETag: '"1"' };
  folder = mkdtempSync(join(tmpdir(), "zarr-wasm-nginx-"));
  mkdirSync(join(folder, "cache"));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  writeFileSync(join(folder, "nginx.conf"), configuration(port, origin.url));
  nginx = spawn(NGINX, ["-p", folder, "-e", join(folder, "error.log"), "-c", join(folder, "nginx.conf")], {
    stdio: "inherit",
  });
  for (let tries = 0; tries < 100; tries += 1) {
    const isUp = await fetch(`${url}/up`).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail("nginx does not answer");
});
after(async () => {
  nginx?.kill();
  await origin?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  origin.requests.length = 0;
});

/** Reads an array in another process. Resolves to a checksum and the numbers of requests. */
function readElsewhere(path) {
  const program = `
    import * as zarr from "zarr-wasm";
    const array = await zarr.open(${JSON.stringify(url)}, { path: ${JSON.stringify(path)}, kind: "array" });
    const { data } = await array.get([zarr.slice(0, 512), zarr.slice(100, 900)]);
    console.log(JSON.stringify([data.reduce((sum, value) => sum + value, 0), zarr.info().wire.requests]));`;
  return new Promise((resolve, reject) => {
    const options = { cwd: ROOT, timeout: 60_000 };
    execFile(process.execPath, ["--input-type=module", "--eval", program], options, (error, stdout) =>
      error ? reject(error) : resolve(JSON.parse(stdout)),
    );
  });
}

function checksum() {
  let sum = 0;
  for (let row = 0; row < 512; row += 1) {
    for (let column = 100; column < 900; column += 1) sum += (row * 1024 + column) % 65_521;
  }
  return sum;
}

for (const path of ["sharded", "plain"]) {
  test(`${path}: concurrent readers and a later one cost the origin one read`, async () => {
    const readers = await Promise.all([1, 2, 3].map(() => readElsewhere(path)));
    const atOrigin = origin.requests.map(({ key, range, search }) => `${key}${search} ${range}`);
    for (const [sum, requests] of readers) {
      assert.equal(sum, checksum());
      assert.ok(requests > 3);
    }
    const twice = atOrigin.filter((asked, at) => atOrigin.indexOf(asked) !== at);
    assert.deepEqual(twice, []);
    assert.ok(atOrigin.length > 0);
    assert.ok(atOrigin.every((asked) => !asked.includes("?")));
    const before = origin.requests.length;
    const [sum] = await readElsewhere(path);
    assert.equal(sum, checksum());
    assert.equal(origin.requests.length, before);
  });
}

test("requests have only the root URL's query", async () => {
  const array = await zarr.open(`${url}?token=a%2Fb`, { path: "plain", kind: "array" });
  await array.get([0, 0]);
  for (const { search } of origin.requests) assert.equal(search, "?token=a%2Fb");
});
