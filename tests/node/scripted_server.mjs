/**
 * An HTTP server for tests of the wire. It serves the files of a `Map` correctly, unless a test
 * changes that. It records the times of each request, its answer, and its abort.
 */
import { createServer } from "node:http";
import { parseRange } from "../../scripts/serve.mjs";

/** Answers as RFC 9110 requires: ranges, 416, HEAD, `ETag`. */
export function sendFile(request, response, bytes, headers = {}) {
  if (!bytes) return response.writeHead(404).end();
  const range = parseRange(request.headers.range, bytes.length);
  if (range === "unsatisfiable") {
    return response.writeHead(416, { ...headers, "Content-Range": `bytes */${bytes.length}` }).end();
  }
  const { first, last } = range ?? { first: 0, last: bytes.length - 1 };
  const own = { "Content-Length": last - first + 1, ...headers };
  if (range) own["Content-Range"] = `bytes ${first}-${last}/${bytes.length}`;
  response.writeHead(range ? 206 : 200, own);
  return response.end(request.method === "HEAD" ? undefined : bytes.subarray(first, last + 1));
}

/**
 * Resolves to `{ url, requests, files, headers, latency, act, close }`. `act(request, response,
 * bytes, key)` may answer a request itself and return true. `latency` in ms delays each answer.
 */
export async function scriptedServer(files) {
  const state = { files, requests: [], headers: {}, latency: 0, act: undefined };
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url, "http://host");
    const key = decodeURIComponent(pathname);
    const { range } = request.headers;
    const record = { method: request.method, key, search, range, began: performance.now() };
    state.requests.push(record);
    response.on("close", () => {
      record.ended = performance.now();
      record.isGivenUp = !response.writableFinished;
    });
    const answer = () => {
      if (response.destroyed) return;
      const bytes = state.files.get(key);
      if (state.act?.(request, response, bytes, key) !== true)
        sendFile(request, response, bytes, state.headers);
    };
    if (state.latency > 0) setTimeout(answer, state.latency);
    else answer();
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  // A test that fails before `close` must not keep the process.
  server.unref();
  return Object.assign(state, {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
    /** Requests for a key, as `METHOD range`. */
    of: (key) =>
      state.requests
        .filter((record) => record.key === key)
        .map(({ method, range }) => (range ? `${method} ${range}` : method)),
  });
}
