/**
 * A server of objects in memory, for tests: GET with ranges, HEAD, PUT, DELETE, and one kind of
 * listing (both versions of S3, nginx's pages, or none). It follows the documentation of these
 * services and does not use the package.
 */
import { createServer } from "node:http";
import { parseRange } from "../../scripts/serve.mjs";

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");

/** The answer of `ListObjectsV2` or of its first version. */
function listBucket(objects, query, { version, page }) {
  const prefix = query.get("prefix") ?? "";
  const isCut = query.get("delimiter") === "/";
  const names = new Map();
  for (const name of [...objects.keys()].sort()) {
    if (!name.startsWith(prefix)) continue;
    const cut = isCut ? name.indexOf("/", prefix.length) : -1;
    names.set(cut < 0 ? name : name.slice(0, cut + 1), cut >= 0);
  }
  const after = query.get(version === 1 ? "marker" : "continuation-token") ?? "";
  const rest = [...names].filter(([name]) => name > after);
  const shown = rest.slice(0, page);
  const isTruncated = shown.length < rest.length;
  const last = shown.at(-1)?.[0] ?? "";
  const items = shown.map(([name, isPrefix]) =>
    isPrefix
      ? `<CommonPrefixes><Prefix>${escaped(name)}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${escaped(name)}</Key><Size>${objects.get(name).length}</Size></Contents>`,
  );
  const token =
    isTruncated && version !== 1 ? `<NextContinuationToken>${escaped(last)}</NextContinuationToken>` : "";
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><Prefix>${escaped(prefix)}</Prefix><IsTruncated>${isTruncated}</IsTruncated>${token}${items.join("")}</ListBucketResult>`;
}

/** nginx's page of a folder; undefined if there is no such folder. */
function pageOf(objects, folder) {
  const names = new Set();
  for (const name of objects.keys()) {
    if (name.startsWith(folder)) names.add(name.slice(folder.length).replace(/\/.*/s, "/"));
  }
  if (names.size === 0) return undefined;
  const links = [...names].map((name) => {
    const href = encodeURIComponent(name.replace(/\/$/, "")) + (name.endsWith("/") ? "/" : "");
    return `<a href="${escaped(href)}">${escaped(name)}</a>`;
  });
  return `<html><head><title>Index of /${escaped(folder)}</title></head><body><a href="../">../</a>${links.join("\n")}</body></html>`;
}

function sendObject(request, response, bytes) {
  const range = parseRange(request.headers.range, bytes.length);
  if (range === "unsatisfiable") {
    response.writeHead(416, { "Content-Range": `bytes */${bytes.length}` }).end();
    return;
  }
  const { first, last } = range ?? { first: 0, last: bytes.length - 1 };
  const headers = { "Content-Length": last - first + 1 };
  if (range) headers["Content-Range"] = `bytes ${first}-${last}/${bytes.length}`;
  response.writeHead(range ? 206 : 200, headers);
  response.end(request.method === "HEAD" ? undefined : bytes.subarray(first, last + 1));
}

async function answer(objects, options, request, response) {
  const url = new URL(request.url, "http://host");
  const path = decodeURIComponent(url.pathname.slice(1));
  const name = path.replace(/^bucket\/?/, "");
  const isBucket = path === "bucket" && request.method === "GET";
  if (isBucket && options.lists === "bucket") {
    response.end(listBucket(objects, url.searchParams, options));
  } else if (request.method === "PUT") {
    const parts = [];
    for await (const part of request) parts.push(part);
    objects.set(name, Buffer.concat(parts));
    response.writeHead(201).end();
  } else if (request.method === "DELETE") {
    response.writeHead(objects.delete(name) ? 204 : 404).end();
  } else if (path.startsWith("bucket/") && objects.has(name)) {
    sendObject(request, response, objects.get(name));
  } else {
    const page = options.lists === "pages" && path.endsWith("/") ? pageOf(objects, name) : undefined;
    response.writeHead(page ? 200 : 404, { "Content-Type": "text/html" }).end(page);
  }
}

/** Resolves to `{ url, close }`. The bucket is at `/bucket`. `lists`: "bucket", "pages", "none". */
export function objectServer({ lists = "bucket", version = 2, page = 1000 } = {}) {
  const objects = new Map();
  const options = { lists, version, page };
  const server = createServer((request, response) => {
    answer(objects, options, request, response).catch((error) => response.destroy(error));
  });
  return new Promise((done) => {
    server.listen(0, "127.0.0.1", () => {
      const close = () => {
        server.closeAllConnections();
        return new Promise((closed) => server.close(closed));
      };
      done({ url: `http://127.0.0.1:${server.address().port}`, close });
    });
  });
}
