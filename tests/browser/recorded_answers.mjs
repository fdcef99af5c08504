/**
 * Answers of the server of the browser tests that record their requests. Each server has its own
 * records, so that two browsers can run tests at a time. A page asks for the records at a URL
 * beside them, which forgets them.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendFile } from "../node/scripted_server.mjs";
import { campaignServer, classes } from "../support/faults/campaign_server.mjs";
import { unpackArchive } from "../support/fixture_archives.mjs";

const REPOSITORIES = join(import.meta.dirname, "../fixtures/icechunk");

/** Allows pages of all origins to send any header. */
export const ANY_ORIGIN = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "*, Authorization, X-Token",
};

const JSON_HEADERS = { "Content-Type": "application/json", "Cache-Control": "no-store" };

const answerRecords = (response, records) =>
  response.writeHead(200, JSON_HEADERS).end(JSON.stringify(records.splice(0)));

/** What `/reach/` answers to a request: its status and its headers. */
function answerOfReach({ url, method, headers: { host } }) {
  const headers = { ...ANY_ORIGIN, "Cache-Control": "no-store" };
  const other = host.replace("127.0.0.1", "localhost");
  if (url === "/reach/away") return [302, { ...headers, Location: `http://${other}/reach/data` }];
  if (url === "/reach/near") return [302, { ...headers, Location: "/reach/data" }];
  return [url === "/reach/data" || method === "OPTIONS" ? 200 : 404, headers];
}

/**
 * A file and a redirect to it at another name of this machine, for documents of references.
 * `/reached` tells the requests as `host path`.
 */
export function reachAnswers() {
  const reached = [];
  return (request, response) => {
    const { url, headers } = request;
    if (url === "/reached") {
      answerRecords(response, reached);
      return true;
    }
    if (!url.startsWith("/reach/")) return false;
    reached.push(`${headers.host} ${url}`);
    response.writeHead(...answerOfReach(request));
    response.end(url === "/reach/data" ? "0123456789" : undefined);
    return true;
  };
}

const HIDDEN_ARRAY = {
  zarr_format: 3,
  node_type: "array",
  shape: [4],
  data_type: "uint8",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [4] } },
  chunk_key_encoding: { name: "default" },
  fill_value: 0,
  codecs: [{ name: "bytes" }],
};

/**
 * Answers that pages of other origins may not read. The document of `some.zarr` can be read, and
 * its chunks are missing. HEAD of `slow.zarr` has no answer. `/hidden-requests` tells the requests.
 */
export function hiddenAnswers() {
  const requests = [];
  return (request, response) => {
    const { url, method } = request;
    if (url === "/hidden-requests") {
      answerRecords(response, requests);
      return true;
    }
    if (!url.startsWith("/hidden/")) return false;
    requests.push(`${method} ${url}`);
    const document = JSON.stringify(HIDDEN_ARRAY);
    if (url === "/hidden/some.zarr/zarr.json")
      response.writeHead(200, { ...JSON_HEADERS, ...ANY_ORIGIN }).end(document);
    else if (url.startsWith("/hidden/some.zarr/")) response.writeHead(404, JSON_HEADERS).end();
    else if (!(method === "HEAD" && url.startsWith("/hidden/slow.zarr/")))
      response.writeHead(200, JSON_HEADERS).end(document);
    return true;
  };
}

/** A folder with repositories of icechunk. */
const unpackRepositories = () => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-repository-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["v2", "virtual"])
    unpackArchive(join(REPOSITORIES, `${name}.tar.gz`), join(folder, name));
  return folder;
};

/**
 * Repositories for pages of other origins, which show them no headers and allow none.
 * `/icechunk-requests` tells the requests.
 */
export function repositoryAnswers() {
  const headers = { "Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=60" };
  const requests = [];
  let repositories;
  return (request, response) => {
    if (request.url === "/icechunk-requests") {
      answerRecords(response, requests);
      return true;
    }
    const [, path] = /^\/icechunk\/([\w/.-]+)$/.exec(request.url) ?? [];
    if (path === undefined) return false;
    requests.push(`${request.method} ${path.replace(/\/[0-9A-Z]{20}$/, "/ID")}`);
    repositories ??= unpackRepositories();
    const file = join(repositories, path);
    const isThere = existsSync(file) && statSync(file).isFile();
    if (isThere) sendFile(request, response, readFileSync(file), headers);
    else response.writeHead(404, headers).end();
    return true;
  };
}

/**
 * The address of the server of the campaign of faults, and its faults by class. It starts when a
 * page asks for it at `/faults`, and ends with `close`.
 */
export function faultAnswers() {
  let faults;
  const answer = (request, response) => {
    if (request.url !== "/faults") return false;
    faults ??= campaignServer();
    faults.then(({ url }) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ url, classes: classes() }));
    });
    return true;
  };
  return { answer, close: async () => (await faults)?.close() };
}
