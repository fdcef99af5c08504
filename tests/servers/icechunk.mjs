/**
 * Serves repositories, and the files of virtual chunks by the formula of
 * `fixtures/icechunk/served.py`. It notes every request.
 */
import { createServer } from "node:http";
import { sendFile } from "../node/scripted_server.mjs";

const SIZE = 10_000;

/** The bytes of a file, of its decoded path. */
function fileBytes(path) {
  const sum = new TextEncoder().encode(path).reduce((sum, byte) => sum + byte, 0);
  return Uint8Array.from({ length: SIZE }, (_, at) => (at * 31 + sum * 7) % 251);
}

/**
 * `files` maps paths to bytes; other paths that begin with `/virtual/` are files of virtual chunks.
 * `act(path)` may return a status to answer with. Resolves to `{ url, requests, files, act, close
 * }`.
 */
export function serveRepositories(files) {
  const requests = [];
  const served = { requests, files, act: undefined };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    requests.push(`${request.method} ${path}`);
    const status = served.act?.(path);
    if (status !== undefined) return response.writeHead(status).end();
    const [, virtual] = /^\/virtual(\/.*)$/.exec(path) ?? [];
    const bytes =
      files.get(path) ?? (virtual && !virtual.includes("/absent/") ? fileBytes(virtual) : undefined);
    const tags = virtual ? { ETag: '"the-tag"', "Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT" } : {};
    return sendFile(request, response, bytes, tags);
  });
  return new Promise((done) => {
    server.listen(0, "127.0.0.1", () => {
      const close = () => {
        server.closeAllConnections();
        return new Promise((closed) => server.close(closed));
      };
      done(Object.assign(served, { url: `http://127.0.0.1:${server.address().port}`, close }));
    });
  });
}
