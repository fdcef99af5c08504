/**
 * Starts one server with a copy of the data. A file of `hosts/` describes a server: `name`,
 * `version` (a program and its arguments), `missing` (why it cannot be had), what the suite expects
 * of it (`lists`, `ranges`, `hides`, `refuses`, `secure`), `page` (the text of an `index.html`),
 * `inBrowser`, and `start({home, folder, port})`,
 * which returns `program`, `args`, `env` and the `files` of its configuration. With `bucket`, the
 * data are put over HTTP.
 */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { filesOf, fill } from "./data.mjs";

const PATIENCE_MS = 30_000;

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

const encoded = (key) => key.split("/").map(encodeURIComponent).join("/");

const TYPES = { html: "text/html", json: "application/json" };

/** moto refuses reads without a signature of what is not public. */
const PUBLIC = { "x-amz-acl": "public-read-write" };

async function putObject(url, key, bytes) {
  const type = TYPES[key.split(".").at(-1)] ?? "application/octet-stream";
  const headers = { "Content-Type": type, ...PUBLIC };
  const answer = await fetch(`${url}/${encoded(key)}`, { method: "PUT", body: bytes, headers });
  if (!answer.ok) throw new Error(`PUT ${key}: ${answer.status} ${await answer.text()}`);
}

function putFile(folder, key, bytes) {
  const path = join(folder, key);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

async function answers(url, log, child) {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const isThere = await fetch(url).then(
      (answer) => answer.body?.cancel().then(() => true) ?? true,
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no answer from ${url}: ${readFileSync(log, "utf8").slice(-2000)}`);
}

async function putAll(url, folder) {
  const made = await fetch(url, { method: "PUT", headers: PUBLIC });
  if (!made.ok) throw new Error(`PUT ${url}: ${made.status} ${await made.text()}`);
  const keys = filesOf(folder);
  const put = async () => {
    for (let key = keys.pop(); key !== undefined; key = keys.pop())
      await putObject(url, key, readFileSync(join(folder, key)));
  };
  await Promise.all([put(), put(), put(), put()]);
}

/** Resolves to `{url, put, close}`. */
export async function startServer(host) {
  const home = mkdtempSync(join(tmpdir(), "zarr-wasm-servers-"));
  const folder = join(home, "data");
  const log = join(home, "log");
  chmodSync(home, 0o755); // nginx reads as another user if it is started as root
  mkdirSync(folder);
  fill(folder);
  if (host.page) putFile(folder, "index.html", host.page);
  const port = await freePort();
  const { program, args, env, files = {} } = host.start({ home, folder, port });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  const output = openSync(log, "w");
  const child = spawn(program, args, { stdio: ["ignore", output, output], env: { ...process.env, ...env } });
  child.on("error", () => {}); // the missing answer is reported
  const ended = new Promise((resolve) => child.once("close", resolve));
  const close = async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
  const origin = `${host.secure ? "https" : "http"}://127.0.0.1:${port}`;
  const url = host.bucket ? `${origin}/${host.bucket}` : origin;
  try {
    await answers(origin, log, child);
    if (host.bucket) await putAll(url, folder);
  } catch (error) {
    await close();
    throw error;
  }
  const put = async (key, bytes) => (host.bucket ? putObject(url, key, bytes) : putFile(folder, key, bytes));
  return { url, put, close };
}
