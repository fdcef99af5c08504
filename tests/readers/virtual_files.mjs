/** Serves the files of Icechunk's virtual chunks by the formula of `fixtures/icechunk/served.py`. */
import { createServer } from "node:http";
import { sendFile } from "../node/scripted_server.mjs";

const SIZE = 10_000;
const HEADERS = { ETag: '"the-tag"', "Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT" };

function bytesOf(path) {
  const sum = new TextEncoder().encode(path).reduce((total, byte) => total + byte, 0);
  return Uint8Array.from({ length: SIZE }, (_, at) => (at * 31 + sum * 7) % 251);
}

/** Resolves to `{ close }`. */
export async function serveVirtual(port) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    sendFile(request, response, bytesOf(path), HEADERS);
  });
  await new Promise((done, failed) => {
    server.once("error", failed);
    server.listen(port, "127.0.0.1", done);
  });
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { close };
}
