/**
 * An HTTP/1.1 server with a latency and a bandwidth, which counts the requests of each run.
 *
 *   /line/<ms>-<MB/s>-<encoding>/<run>/<store>/<key>   a value, with this latency and bandwidth;
 *                                           0 MB/s has no limit
 *   /tally/<run>                            the counters of the run, as JSON
 *   /pack/<store>                           a whole store (data/pack.mjs)
 *   /page/…                                 the pages, compressed
 *   /job/<page>                             the next job of a page without a driver (page_jobs.mjs)
 *
 * The name of the run in the URL keeps runs from sharing caches. Latency is the time until a
 * response begins. Connections cost nothing, because browsers keep them. The bandwidth is that of
 * all connections of a run. Responses are those of a bucket: ETag, ranges, CORS, no Cache-Control.
 */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { parseRange } from "../../scripts/serve.mjs";
import { pack } from "../data/pack.mjs";
import { PageJobs } from "./page_jobs.mjs";

const SLICE = 32 << 10;

/** How pages are compressed, by the name of the encoding. */
const COMPRESS = { gzip: (bytes) => gzipSync(bytes, { level: 9 }), br: (bytes) => brotliCompressSync(bytes) };

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "*",
  "Access-Control-Expose-Headers": "Content-Length, Content-Range, ETag",
};

class Run {
  requests = 0;
  bytes = 0;
  aborted = 0;
  /** Completely sent responses: [key, time in ms since 1970]. */
  sent = [];
  /** The time at which the line is free again, by performance.now(). */
  #freeAt = 0;

  /** Waits as long as these bytes take. */
  async pass(bytes, rate) {
    this.bytes += bytes;
    if (rate === 0) return;
    this.#freeAt = Math.max(this.#freeAt, performance.now()) + bytes / (rate * 1e3);
    const wait = this.#freeAt - performance.now();
    if (wait > 1) await sleep(wait);
  }
}

/** Headers of the page that runs groups: it may share memory with its workers. */
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Resolves when the client has read what was written, or has closed the connection. */
function room(response) {
  return new Promise((resolve) => {
    const resume = () => {
      response.off("drain", resume).off("close", resume);
      resolve();
    };
    response.on("drain", resume).on("close", resume);
  });
}

/** Writes a body with the bandwidth of the run. False if the client closed the connection. */
async function send(response, body, run, rate) {
  for (let at = 0; at < body.length && !response.destroyed; at += SLICE) {
    const slice = body.subarray(at, at + SLICE);
    await run.pass(slice.length, rate);
    if (!response.write(slice)) {
      await room(response);
    }
  }
  if (response.destroyed) return false;
  response.end();
  return true;
}

function answerValue(request, response, value) {
  if (!value) {
    response.writeHead(404, { ...CORS, "Content-Length": 0 }).end();
    return undefined;
  }
  const range = parseRange(request.headers.range, value.length);
  const body = range ? value.subarray(range.first, range.last + 1) : value;
  const headers = {
    ...CORS,
    ETag: `"${value.length}"`,
    "Accept-Ranges": "bytes",
    "Content-Length": body.length,
  };
  if (range) headers["Content-Range"] = `bytes ${range.first}-${range.last}/${value.length}`;
  response.writeHead(range ? 206 : 200, headers);
  if (request.method !== "HEAD") return body;
  response.end();
  return undefined;
}

export class Line {
  jobs = new PageJobs();
  /** Stores by name, loaded at their first request. */
  #stores = new Map();
  #runs = new Map();
  #load;
  #files;
  #server;

  /** `load(name)` returns a store, `files(path)` a page's file as `{type, body}`. */
  constructor({ load, files }) {
    this.#load = load;
    this.#files = files;
  }

  /** Resolves to the address. */
  listen() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    return new Promise((resolve) => {
      this.#server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${this.#server.address().port}`));
    });
  }

  close() {
    this.#server.closeAllConnections();
    return new Promise((closed) => this.#server.close(closed));
  }

  store(name) {
    if (!this.#stores.has(name)) this.#stores.set(name, this.#load(name));
    return this.#stores.get(name);
  }

  tally(run) {
    if (!this.#runs.has(run)) this.#runs.set(run, new Run());
    return this.#runs.get(run);
  }

  async #answer(request, response) {
    const { pathname } = new URL(request.url, "http://line");
    const [, what, ...rest] = pathname.split("/");
    if (request.method === "OPTIONS") return void response.writeHead(204, CORS).end();
    if (what === "line") return this.#answerRun(request, response, rest);
    if (what === "tally") return void response.writeHead(200, CORS).end(JSON.stringify(this.tally(rest[0])));
    if (what === "job") return this.jobs.answer(request, response, rest[0]);
    if (what === "pack") return this.#answerPack(response, rest[0]);
    return this.#answerFile(response, rest.join("/"));
  }

  async #answerRun(request, response, [speed, runName, first, ...rest]) {
    const [, latency, rate, encoding] = /^(\d+)-([\d.]+)-(\w+)$/.exec(speed);
    const run = this.tally(runName);
    run.requests += 1;
    response.once("close", () => {
      if (!response.writableFinished) run.aborted += 1;
    });
    if (latency > 0) await sleep(Number(latency));
    if (response.destroyed) return;
    if (first === "page")
      return this.#answerFile(response, rest.join("/"), { run, rate: Number(rate), encoding });
    const key = `/${rest.join("/")}`;
    const body = answerValue(request, response, this.store(first).get(key));
    if (body && (await send(response, body, run, Number(rate))))
      run.sent.push([key, performance.timeOrigin + performance.now()]);
  }

  async #answerPack(response, name) {
    response.writeHead(200, CORS);
    for (const body of pack(this.store(name))) response.write(body);
    response.end();
  }

  async #answerFile(response, path, { run = new Run(), rate = 0, encoding = "gzip" } = {}) {
    const file = this.#files(path);
    if (!file) return void response.writeHead(404).end();
    // Each file is compressed once.
    file.compressed ??= {};
    file.compressed[encoding] ??= COMPRESS[encoding](file.body);
    const body = file.compressed[encoding];
    const isolation = path.startsWith("groups/") ? ISOLATION : {};
    const headers = { ...CORS, ...isolation, "Content-Type": file.type, "Content-Encoding": encoding };
    // A run's URLs are its own, so its code stays in the cache of its pages alone.
    response.writeHead(200, { ...headers, "Cache-Control": "max-age=600", "Content-Length": body.length });
    await send(response, body, run, rate);
  }
}
