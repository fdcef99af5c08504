/**
 * Serves what the examples of the documentation read: the samples (`samples.mjs`), and `/bucket/`,
 * a place that takes PUT and DELETE.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../../../scripts/serve.mjs";
import { writeSamples } from "./samples.mjs";

const ROOT = join(import.meta.dirname, "../../..");

const CORS = { "Access-Control-Allow-Origin": "*" };

/** A folder of this process with all samples. */
function sampleFolder() {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-examples-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  writeSamples(folder);
  return folder;
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
    if (!request.url.startsWith("/bucket/")) return false;
    answerBucket(objects, request, response);
    return true;
  };
  const folders = { "/": sampleFolder(), "/fixtures/": join(ROOT, "tests/fixtures"), ...mounts };
  return serve(folders, { data: ["/"], intercept });
}
