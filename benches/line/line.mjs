/**
 * A line to the data: an HTTP/1.1 server with a latency and a bandwidth, which keeps a tally of every run.
 *
 *   /line/<latency ms>-<MB/s, 0 for no cap>/<run>/<store>/<key>   a value; the run keeps runs out of each other's caches
 *   /tally/<run>                                                 what the run has asked so far, as JSON
 *   /pack/<store>                                                a whole store at once (data/pack.mjs)
 *   /page/…                                                      the pages, compressed as a host would
 *   /errand/<desk>                                               what a page without a driver has to do (errands.mjs)
 *
 * Latency is the time until an answer begins; opening a connection costs nothing, as browsers keep them. The cap holds for a run,
 * whatever its connections. Answers are those of a bucket: ETag, ranges, CORS, nothing said about caching.
 */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { parseRange } from "../../scripts/serve.mjs";
import { pack } from "../data/pack.mjs";
import { Errands } from "./errands.mjs";

const SLICE = 32 << 10;

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "*",
  "Access-Control-Expose-Headers": "Content-Length, Content-Range, ETag",
};

class Run {
  requests = 0;
  bytes = 0;
  aborted = 0;
  /** Whole answers that were sent: keys, and when, in ms since 1970. */
  sent = [];
  /** When the line has room again, by performance.now(). */
  #freeAt = 0;

  /** Waits until so many bytes have passed. */
  async pass(bytes, rate) {
    this.bytes += bytes;
    if (rate === 0) return;
    this.#freeAt = Math.max(this.#freeAt, performance.now()) + bytes / (rate * 1e3);
    const wait = this.#freeAt - performance.now();
    if (wait > 1) await sleep(wait);
  }
}

/** The page that runs groups may share memory with its workers. */
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Until the reader has taken what was written, or has left. */
function room(response) {
  return new Promise((resolve) => {
    const resume = () => {
      response.off("drain", resume).off("close", resume);
      resolve();
    };
    response.on("drain", resume).on("close", resume);
  });
}

/** Writes a body as fast as the line allows; false when the reader left. */
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
  errands = new Errands();
  /** Stores by name, loaded when first asked for. */
  #stores = new Map();
  #runs = new Map();
  #load;
  #files;
  #server;

  /** `load(name)` gives a store, `files(path)` a page's file as `{type, body}`. */
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
    if (what === "errand") return this.errands.answer(request, response, rest[0]);
    if (what === "pack") return this.#answerPack(response, rest[0]);
    return this.#answerFile(response, rest.join("/"));
  }

  async #answerRun(request, response, [speed, runName, first, ...rest]) {
    const [latency, rate] = speed.split("-").map(Number);
    const run = this.tally(runName);
    run.requests += 1;
    response.once("close", () => {
      if (!response.writableFinished) run.aborted += 1;
    });
    if (latency > 0) await sleep(latency);
    if (response.destroyed) return;
    if (first === "page") return this.#answerFile(response, rest.join("/"), run, rate);
    const key = `/${rest.join("/")}`;
    const body = answerValue(request, response, this.store(first).get(key));
    if (body && (await send(response, body, run, rate)))
      run.sent.push([key, performance.timeOrigin + performance.now()]);
  }

  async #answerPack(response, name) {
    response.writeHead(200, CORS);
    for (const body of pack(this.store(name))) response.write(body);
    response.end();
  }

  async #answerFile(response, path, run = new Run(), rate = 0) {
    const file = this.#files(path);
    if (!file) return void response.writeHead(404).end();
    // Compressed once a file, not once an answer.
    file.compressed ??= gzipSync(file.body, { level: 9 });
    const isolation = path.startsWith("groups/") ? ISOLATION : {};
    const headers = { ...CORS, ...isolation, "Content-Type": file.type, "Content-Encoding": "gzip" };
    response.writeHead(200, { ...headers, "Content-Length": file.compressed.length });
    await send(response, file.compressed, run, rate);
  }
}
