/** Schemas that data name are programs of others: they end, as findings. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import * as zarr from "zarr-wasm";

const LIMITS = { timeout: 20_000 };
const schemas = new Map();
let server;
let url;
let sent = 0;

before(async () => {
  server = createServer((request, response) => {
    const schema = schemas.get(request.url);
    if (schema) return response.end(JSON.stringify(schema));
    if (request.url !== "/endless.json") return response.writeHead(404).end();
    const piece = Buffer.alloc(2 ** 16, " ");
    response.on("error", () => {});
    const pour = () => {
      while (!response.destroyed && sent < 2 ** 27) {
        sent += piece.length;
        if (!response.write(piece)) return response.once("drain", pour);
      }
    };
    return pour();
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

/** The rules of the findings about a group's schema. */
async function rulesOf(name, attributes) {
  const zarr_conventions = [{ schema_url: `${url}${name}`, name: "x" }];
  const document = { zarr_format: 3, node_type: "group", attributes: { ...attributes, zarr_conventions } };
  const text = new TextEncoder().encode(JSON.stringify(document));
  const group = await zarr.open(new Map([["/zarr.json", text]]), { kind: "group" });
  const findings = await zarr.validate(group, { loadSchema: true });
  return findings.map(({ rule }) => rule).filter((rule) => rule.startsWith("schema/"));
}

test("references that multiply and patterns of exponential time end as findings", LIMITS, async () => {
  const $defs = { d24: {} };
  for (let at = 0; at < 24; at++)
    $defs[`d${at}`] = { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] };
  schemas.set("/laughs.json", { $defs, $ref: "#/$defs/d0" });
  assert.deepEqual(await rulesOf("/laughs.json", {}), ["schema/not-checked"]);

  const $ref = (at) => `${url}/other${at}.json`;
  for (let at = 0; at < 16; at++)
    schemas.set(`/other${at}.json`, { allOf: Array.from({ length: 9 }, () => ({ $ref: $ref(at + 1) })) });
  assert.deepEqual(await rulesOf("/other0.json", {}), ["schema/not-checked"]);

  schemas.set("/pattern.json", { properties: { text: { pattern: "^(a+)+$" } } });
  assert.deepEqual(await rulesOf("/pattern.json", { text: `${"a".repeat(50)}!` }), ["schema/pattern"]);
  assert.deepEqual(await rulesOf("/pattern.json", { text: "aaa" }), []);

  schemas.set("/names.json", { patternProperties: { "^(a|a)*$": { type: "number" } } });
  assert.deepEqual(await rulesOf("/names.json", { [`${"a".repeat(50)}!`]: "text" }), []);
});

test("a pattern that cannot be matched in linear time is a finding", LIMITS, async () => {
  schemas.set("/lookahead.json", { properties: { text: { pattern: "^(?=a)b" } } });
  assert.deepEqual(await rulesOf("/lookahead.json", { text: "b" }), ["schema/not-checked"]);
});

test("a schema that does not end is not loaded", LIMITS, async () => {
  assert.deepEqual(await rulesOf("/endless.json", {}), ["schema/not-loaded"]);
  assert.ok(sent < 2 ** 25, `${sent} bytes`);
});
