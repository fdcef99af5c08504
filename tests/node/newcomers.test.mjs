/**
 * The errors that people meet who open their first data set: a page instead of the data, a bucket
 * whose readers pay, a server without ranges. Each names the cause and the cure. Answers that are
 * hidden from pages are in `tests/browser/newcomers.test.mjs`, because Node hides none.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { sendFile } from "./scripted_server.mjs";

const servers = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a server. Resolves to its address. */
async function serving(answer) {
  const server = createServer(answer);
  servers.push(server);
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${server.address().port}`;
}

/** A server that answers each request so. */
const always = (status, type, body) =>
  serving((_request, response) => response.writeHead(status, { "Content-Type": type }).end(body));

/** A server of these files, by path. Others are answered so. */
const files = (known, [status, type, body]) =>
  serving((request, response) => {
    const bytes = known.get(new URL(request.url, "http://host").pathname);
    if (bytes !== undefined) sendFile(request, response, Buffer.from(bytes));
    else response.writeHead(status, { "Content-Type": type }).end(body);
  });

/** The error of opening an address. */
const opening = (url, options) =>
  zarr.open(url, options).then(
    () => assert.fail("it opened"),
    (error) => {
      assert.ok(error instanceof zarr.ZarrError, String(error?.stack));
      return error;
    },
  );

const PAGE = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<title>ERA5 reanalysis &mdash;
  the record</title></head><body>about</body></html>`;
/** As Google Cloud Storage and S3 answer. */
const PAYER = `<?xml version='1.0' encoding='UTF-8'?><Error><Code>UserProjectMissing</Code><Message>User project specified in the request is invalid.</Message><Details>Bucket is a requester pays bucket but no user project provided.</Details></Error>`;
const DENIED = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>AccessDenied</Code><Message>Access Denied</Message><RequestId>1</RequestId></Error>`;

test("a page about a data set is named by its title, and the data's own address is asked for", async () => {
  for (const options of [{}, { kind: "array" }, { path: "a/b" }]) {
    const url = await always(200, "text/html; charset=utf-8", PAGE);
    const { code, message } = await opening(`${url}/records/1`, options);
    assert.equal(code, "NotFound");
    assert.match(message, /a web page, "ERA5 reanalysis &mdash; the record", in place of metadata/);
    assert.match(message, /open the address of the data, not of a page about them/);
  }
});

test("an error in XML with status 200 is named by what it says", async () => {
  const url = await always(200, "application/xml", DENIED);
  const { code, message } = await opening(`${url}/a.zarr`);
  assert.equal(code, "NotFound");
  assert.match(message, /an error in XML, "Access Denied"/);
});

test("an error in JSON with status 200 is no node", async () => {
  for (const body of [
    `{"message": "not found", "code": 404}`,
    `{"error": {"code": 404, "message": "no"}}`,
    `"no"`,
    `[]`,
  ]) {
    const url = await always(200, "application/json", body);
    const { code } = await opening(`${url}/a.zarr`);
    assert.ok(["Format", "NotFound"].includes(code), `${body}: ${code}`);
  }
});

const GZIP = { name: "gzip", configuration: { level: 1 } };
const ARRAY = {
  zarr_format: 3,
  node_type: "array",
  shape: [40],
  data_type: "uint8",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [40] } },
  chunk_key_encoding: { name: "default" },
  fill_value: 7,
  codecs: [{ name: "bytes" }],
};

test("a page, or an error in JSON or XML, in place of a chunk is never elements", async () => {
  for (const codecs of [ARRAY.codecs, [...ARRAY.codecs, GZIP]])
    for (const answer of [
      [200, "application/json", `{"message": "not found"}`],
      [200, "application/xml", DENIED],
      [200, "text/html", PAGE],
    ]) {
      const known = new Map([["/zarr.json", JSON.stringify({ ...ARRAY, codecs })]]);
      const array = await zarr.open(await files(known, answer), { kind: "array" });
      const read = await array.get().catch((error) => error);
      // A server that sends its page for each absent file has no such chunk.
      if (answer[1] === "text/html") assert.deepEqual([...read.data], Array(40).fill(7));
      else assert.ok(read instanceof zarr.ZarrError, `${answer}: ${read}`);
    }
});

test("a bucket whose readers pay is named, with the cure", async () => {
  const google = await opening(`${await always(400, "application/xml", PAYER)}/bucket/a.zarr`);
  assert.equal(google.code, "Store");
  assert.equal(google.expected, "a request whose sender pays");
  assert.match(google.message, /the bucket is requester pays.*public copy.*userProject=PROJECT/);
  const amazon = await opening(`${await always(403, "application/xml", DENIED)}/a.zarr`);
  assert.equal(amazon.code, "Store");
  assert.equal(amazon.actual, "status 403");
  assert.match(amazon.message, /not allowed.*does not exist.*x-amz-request-payer: requester/);
});

test("a server without ranges gives right elements, and the warning says what would help", async () => {
  const made = new Map();
  const size = 4 << 20;
  const options = { shape: [size], chunkShape: [1 << 12], shardShape: [size], dtype: "uint8", codecs: [] };
  const array = await zarr.create(made, options);
  const data = Uint8Array.from({ length: size }, (_, at) => at % 251);
  await array.set(null, data);
  const url = await serving((request, response) => {
    const bytes = made.get(new URL(request.url, "http://host").pathname);
    if (bytes) response.writeHead(200, { "Content-Length": bytes.length }).end(bytes);
    else response.writeHead(404).end();
  });
  const warnings = [];
  await zarr.init({ onWarning: (message) => warnings.push(message) });
  const read = await (await zarr.open(url, { kind: "array" })).get([zarr.slice(5000, 5004)]);
  await zarr.init({ onWarning: () => {} });
  assert.deepEqual([...read.data], [...data.subarray(5000, 5004)]);
  const told = warnings.filter((message) => message.includes("ignores byte ranges"));
  assert.equal(told.length, 1);
  assert.match(told[0], /use a server or a mirror that answers Range/);
});

test("Node hides no answer, so a server that is not there is not blamed on CORS", async () => {
  const { code, message } = await opening("http://127.0.0.1:9/a.zarr");
  assert.equal(code, "Store");
  assert.match(message, /^network: GET .* got no answer/);
  assert.doesNotMatch(message, /CORS|Access-Control/);
});
