/**
 * Servers that record what arrives: the address, the headers that hold secrets, the body's length.
 * For tests of where requests lead, with servers on several addresses and ports.
 */
import { createServer } from "node:http";
import { httpsServer } from "../servers/https.mjs";
import { sendFile } from "./scripted_server.mjs";

/** Names of headers that hold secrets in these tests. */
const SECRETS = ["authorization", "cookie", "x-token", "proxy-authorization"];

/**
 * Starts a server of the bytes of `files`, by path. `redirects` maps a path, or the folder before
 * it, to a place; what is behind the folder is added. Resolves to `{ url, host, requests, files,
 * redirects, status, close }`.
 */
export async function recordingServer({ address = "127.0.0.1", isSecure = false, files = new Map() } = {}) {
  const state = { files, requests: [], redirects: new Map(), status: 302 };
  const answer = async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { pathname } = new URL(request.url, "http://host");
    const seen = SECRETS.filter((name) => request.headers[name] !== undefined);
    const { method } = request;
    state.requests.push({ method, pathname, seen, body: Buffer.concat(parts).length });
    const [, folder, rest] = /^(\/[^/]*)(.*)$/s.exec(pathname);
    const place = state.redirects.get(pathname) ?? state.redirects.get(folder);
    if (place !== undefined) {
      const Location = state.redirects.has(pathname) ? place : `${place}${rest}`;
      return response.writeHead(state.status, { Location }).end();
    }
    if (method === "PUT") return response.writeHead(201).end();
    return sendFile(request, response, state.files.get(pathname));
  };
  const server = isSecure ? httpsServer(answer) : createServer(answer);
  await new Promise((done, failed) => {
    server.on("error", failed);
    server.listen(0, address, done);
  });
  // A test that fails before `close` must not keep the process.
  server.unref();
  const host = `${address.includes(":") ? `[${address}]` : address}:${server.address().port}`;
  return Object.assign(state, {
    host,
    port: server.address().port,
    url: `${isSecure ? "https" : "http"}://${host}`,
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  });
}
