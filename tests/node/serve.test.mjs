/**
 * The static server of the viewer and the browser tests: ranges, conditions and paths of RFC 9110.
 * Requests use a socket, because fetch normalises paths.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { serve } from "../../scripts/serve.mjs";

const BYTES = "0123456789";
let folder;
let server;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "zarr-wasm-serve-"));
  mkdirSync(join(folder, "root/group"), { recursive: true });
  writeFileSync(join(folder, "secret"), "secret");
  writeFileSync(join(folder, "root/ten"), BYTES);
  writeFileSync(join(folder, "root/empty"), "");
  writeFileSync(join(folder, "root/group/.zarray"), "{}");
  writeFileSync(join(folder, "root/index.html"), "<!doctype html>");
  symlinkSync(join(folder, "secret"), join(folder, "root/leak"));
  mkdirSync(join(folder, "root/leaking"));
  symlinkSync(join(folder, "secret"), join(folder, "root/leaking/index.html"));
  mkdirSync(join(folder, "root/linked"));
  symlinkSync(join(folder, "root/index.html"), join(folder, "root/linked/index.html"));
  mkdirSync(join(folder, "root/group/.git"));
  for (const path of [".env", "group/.env", "group/.git/config", ".zarray"])
    writeFileSync(join(folder, "root", path), "secret");
  writeFileSync(join(folder, "root/group/data"), BYTES);
  symlinkSync(join(folder, "root/group/.env"), join(folder, "root/group/harmless"));
  const mounts = { "/": join(folder, "root"), "/mounted/": join(folder, "root/group") };
  server = await serve(mounts, { data: ["/group/", "/mounted/"], hosts: ["box.example"] });
});

after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Sends one request unchanged. Resolves to `{status, headers, body}`. */
function request(path, { Host: host = "127.0.0.1", ...headers } = {}, method = "GET") {
  const { hostname, port } = new URL(server.url);
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, "Connection: close"];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    socket.setEncoding("latin1");
    socket.on("data", (part) => {
      text += part;
    });
    socket.on("error", reject);
    socket.on("end", () => {
      const [head, ...body] = text.split("\r\n\r\n");
      const [statusLine, ...fields] = head.split("\r\n");
      const pairs = fields.map((field) => [
        field.split(":")[0].toLowerCase(),
        field.slice(field.indexOf(":") + 2),
      ]);
      resolve({
        status: Number(statusLine.split(" ")[1]),
        headers: Object.fromEntries(pairs),
        body: body.join("\r\n\r\n"),
      });
    });
  });
}

test("a whole file has its length and its ETag", async () => {
  const { status, headers, body } = await request("/ten");
  assert.equal(status, 200);
  assert.equal(body, BYTES);
  assert.equal(headers["content-length"], "10");
  assert.equal(headers["accept-ranges"], "bytes");
  assert.match(headers.etag, /^".+"$/);
});

test("pages of other origins may read data, and nothing else", async () => {
  const { headers } = await request("/group/data");
  assert.equal(headers["access-control-allow-origin"], "*");
  assert.match(headers["access-control-expose-headers"], /Content-Range/);
  assert.equal((await request("/group/absent")).headers["access-control-allow-origin"], "*");
  for (const method of ["GET", "HEAD", "OPTIONS", "DELETE"]) {
    const answer = await request("/ten", {}, method);
    const shared = Object.keys(answer.headers).filter((name) => /access-control|cross-origin/.test(name));
    assert.deepEqual(shared, [], method);
  }
});

for (const host of ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]", "[::1]:8080", "box.example:80"]) {
  test(`Host: ${host} is answered`, async () => {
    assert.equal((await request("/ten", { Host: host })).body, BYTES);
  });
}

for (const host of [
  "evil.example",
  "evil.example:8080",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
]) {
  test(`Host: ${host} is refused`, async () => {
    for (const [path, method] of [
      ["/ten", "GET"],
      ["/group/data", "GET"],
      ["/group/data", "OPTIONS"],
    ]) {
      const { status, headers, body } = await request(path, { Host: host }, method);
      assert.deepEqual([status, body], [421, ""], path);
      assert.equal(headers["access-control-allow-origin"], undefined);
    }
  });
}

for (const [range, status, contentRange, body] of [
  ["bytes=2-4", 206, "bytes 2-4/10", "234"],
  ["bytes=0-0", 206, "bytes 0-0/10", "0"],
  ["bytes=7-", 206, "bytes 7-9/10", "789"],
  ["bytes=7-99", 206, "bytes 7-9/10", "789"],
  ["bytes=-3", 206, "bytes 7-9/10", "789"],
  ["bytes=-99", 206, "bytes 0-9/10", BYTES],
  ["bytes=10-", 416, "bytes */10", ""],
  ["bytes=10-12", 416, "bytes */10", ""],
  ["bytes=-0", 416, "bytes */10", ""],
  ["bytes=4-2", 200, undefined, BYTES],
  ["bytes=0-1,4-5", 200, undefined, BYTES],
  ["bytes=-", 200, undefined, BYTES],
  ["items=0-1", 200, undefined, BYTES],
]) {
  test(`Range: ${range} gives ${status}`, async () => {
    const answer = await request("/ten", { Range: range });
    assert.equal(answer.status, status);
    assert.equal(answer.headers["content-range"], contentRange);
    assert.equal(answer.body, body);
    assert.equal(answer.headers["content-length"], String(body.length));
  });
}

test("an empty file is served, and has no ranges", async () => {
  const whole = await request("/empty");
  assert.equal(whole.status, 200);
  assert.equal(whole.headers["content-length"], "0");
  assert.equal((await request("/empty", { Range: "bytes=0-0" })).status, 416);
  assert.equal((await request("/empty", { Range: "bytes=-1" })).status, 416);
});

test("HEAD has the headers of GET and no body", async () => {
  const whole = await request("/ten", {}, "HEAD");
  assert.equal(whole.status, 200);
  assert.equal(whole.headers["content-length"], "10");
  assert.equal(whole.body, "");
});

test("If-None-Match with the current ETag gives 304, with another one the file", async () => {
  const { headers } = await request("/ten");
  const unchanged = await request("/ten", { "If-None-Match": `"other", ${headers.etag}` });
  assert.equal(unchanged.status, 304);
  assert.equal(unchanged.body, "");
  assert.equal((await request("/ten", { "If-None-Match": '"other"' })).status, 200);
});

test("If-Range with an old ETag gives the whole file", async () => {
  const { headers } = await request("/ten");
  const same = await request("/ten", { Range: "bytes=0-1", "If-Range": headers.etag });
  assert.equal(same.body, "01");
  const changed = await request("/ten", { Range: "bytes=0-1", "If-Range": '"old"' });
  assert.equal(changed.status, 200);
  assert.equal(changed.body, BYTES);
});

test("a preflight allows Range, and writing is not allowed", async () => {
  const preflight = await request("/group/data", { "Access-Control-Request-Headers": "range" }, "OPTIONS");
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers["access-control-allow-headers"], /Range/);
  assert.equal((await request("/ten", {}, "DELETE")).status, 405);
});

test("dot files of data, folders with an index, and mounts are served", async () => {
  assert.equal((await request("/group/.zarray")).body, "{}");
  assert.equal((await request("/mounted/.zarray?signature=a%2Fb")).body, "{}");
  assert.equal((await request("/")).headers["content-type"], "text/html; charset=utf-8");
  assert.equal((await request("/linked/")).body, "<!doctype html>");
  assert.equal((await request("/group/")).status, 404);
  assert.equal((await request("/nothing")).status, 404);
});

for (const path of [
  "/../secret",
  "/%2e%2e/secret",
  "/..%2fsecret",
  "/group/../../secret",
  "/mounted/../ten",
  "/leak",
  "/leaking/",
]) {
  test(`${path} does not leave the folder`, async () => {
    const { status, body } = await request(path);
    assert.equal(status, 404);
    assert.equal(body, "");
  });
}

for (const path of ["/.env", "/.zarray", "/group/.env", "/group/.git/config", "/group/harmless"]) {
  test(`${path} is not served`, async () => {
    const { status, body } = await request(path);
    assert.deepEqual([status, body], [404, ""]);
  });
}

test("a broken percent escape is the client's error", async () => {
  assert.equal((await request("/%zz")).status, 400);
  assert.equal((await request("/ten%00")).status, 404);
});
