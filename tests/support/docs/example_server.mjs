/**
 * Serves what the examples of the documentation read: the samples of the viewer, some archives and
 * references, and `/bucket/`, a place that takes PUT and DELETE.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../../../scripts/serve.mjs";
import { unpackArchive, unpackFixtures } from "../fixture_archives.mjs";

const ROOT = join(import.meta.dirname, "../../..");

const CORS = { "Access-Control-Allow-Origin": "*" };

/** kerchunk's references to the times of the climate sample. */
const REFERENCES = {
  version: 1,
  refs: {
    ".zgroup": '{"zarr_format": 2}',
    "series/.zarray": JSON.stringify({
      zarr_format: 2,
      shape: [3],
      chunks: [3],
      dtype: "<i2",
      compressor: null,
      filters: null,
      fill_value: 0,
      order: "C",
    }),
    "series/.zattrs": '{"_ARRAY_DIMENSIONS": ["time"]}',
    "series/0": "base64:AQACAAMA",
  },
};

/** A STAC item with a node of the climate sample. */
const ITEM = {
  type: "Feature",
  stac_version: "1.1.0",
  id: "climate",
  assets: {
    air: {
      href: "../climate.zarr/air_temperature",
      type: "application/vnd.zarr; version=3",
      roles: ["data"],
    },
  },
  links: [{ rel: "store", href: "../climate.zarr", type: "application/vnd.zarr; version=3" }],
};

/** Documents in JSON, by path. */
const DOCUMENTS = { "/references.json": REFERENCES, "/items/climate.json": ITEM };

/** An Icechunk repository in a folder of this process. */
function unpackRepository() {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-examples-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  unpackArchive(join(ROOT, "tests/fixtures/icechunk/v2.tar.gz"), join(folder, "repository"));
  return join(folder, "repository");
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

/** A bucket in memory: GET, HEAD, PUT and DELETE of whole objects. */
async function answerBucket(objects, request, response) {
  const key = decodeURIComponent(new URL(request.url, "http://host").pathname);
  const send = (status, body) => response.writeHead(status, CORS).end(body);
  if (request.method === "PUT") {
    objects.set(key, await bodyOf(request));
    send(201);
  } else if (request.method === "DELETE") send(objects.delete(key) ? 204 : 404);
  else if (objects.has(key)) send(200, request.method === "HEAD" ? undefined : objects.get(key));
  else send(404);
}

/** Resolves to `{url, close}`. `mounts` are further folders to serve. */
export function serveExamples(mounts = {}) {
  const objects = new Map();
  const intercept = (request, response) => {
    const document = DOCUMENTS[request.url];
    if (document) {
      response.writeHead(200, { ...CORS, "Content-Type": "application/json" });
      response.end(JSON.stringify(document));
    } else if (request.url.startsWith("/bucket/")) answerBucket(objects, request, response);
    else return false;
    return true;
  };
  const folders = {
    "/": join(ROOT, "www/samples"),
    "/archives/": join(ROOT, "tests/fixtures/containers"),
    "/fixtures/": join(ROOT, "tests/fixtures"),
    "/repository/": unpackRepository(),
    "/slides.zarr/": join(unpackFixtures(), "viewer-plates/converted"),
    "/model.parq/": join(unpackFixtures(), "kerchunk/virtualizarr"),
    ...mounts,
  };
  return serve(folders, { data: ["/"], intercept });
}
