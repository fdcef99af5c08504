/** Conventions: recognition, validation, schemas and declarations, with any attributes. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import * as zarrita from "zarrita";

const group = (attributes) =>
  new zarr.Group(new Map(), "/", { zarr_format: 3, node_type: "group", attributes });
const rules = (findings) => findings.map(({ rule }) => rule);
const errors = (findings) => findings.filter(({ severity }) => severity === "error");

const SENSOR = "https://example.com/sensor/v1/schema.json";
const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  required: ["sensor"],
  properties: {
    sensor: {
      type: "object",
      required: ["serial"],
      properties: { serial: { type: "integer" }, "gain/dB": { type: "number", minimum: 0 } },
      additionalProperties: false,
    },
  },
};

test("declared conventions come before recognised ones", async () => {
  const attributes = {
    zarr_conventions: [
      { spec: "https://example.com/x", name: "x:" },
      { uuid: "f17cb550-5864-4468-aeb7-f3180cfb622f", name: "proj:" },
    ],
    "proj:code": "EPSG:4326",
    "x:big": 2n ** 63n,
    Conventions: "CF-1.8",
  };
  const found = await zarr.conventions(group(attributes));
  assert.deepEqual(
    found.map(({ label, known, declared, form, version }) => [label, known, declared, form, version]),
    [
      ["x:", undefined, true, "early", undefined],
      ["proj:", "proj", true, "current", undefined],
      ["CF", "CF", false, undefined, "1.8"],
    ],
  );
  assert.deepEqual(found[0].properties, { "x:big": 2n ** 63n });
  assert.deepEqual(found[1].properties, { "proj:code": "EPSG:4326" });
  assert.deepEqual(errors(found.flatMap(({ findings }) => findings)), []);
});

test("findings have a rule, a place, a severity and the convention's label", async () => {
  const attributes = { multiscales: { layout: [{ asset: "/a" }] }, zarr_conventions: [{ name: "nothing" }] };
  const findings = await zarr.validate(group(attributes));
  const finding = findings.find(({ rule }) => rule === "multiscales/asset-path");
  assert.deepEqual(
    [finding.path, finding.severity, finding.convention],
    ["/multiscales/layout/0/asset", "error", "multiscales"],
  );
  assert.ok(rules(findings).includes("zarr_conventions/no-identifier"));
});

test("zarrita's nodes can be examined too", async () => {
  const document = { zarr_format: 3, node_type: "group", attributes: { "spatial:bbox": [1, 2] } };
  const store = new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(document))]]);
  const node = await zarrita.open(store, { kind: "group" });
  assert.ok(rules(await zarr.validate(node)).includes("spatial/length"));
});

test("invalid attributes give findings and no exception", async () => {
  const circular = {};
  circular.self = circular;
  let deep = {};
  for (let idx = 0; idx < 20_000; idx++) deep = { deep };
  const hostile = JSON.parse(
    '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "zarr_conventions": [{"name": "__proto__", "spec": "https://a.b/c"}]}',
  );
  const throwing = {
    toJSON() {
      throw new Error("no");
    },
  };
  const given = [
    circular,
    deep,
    throwing,
    hostile,
    null,
    3,
    [],
    { zarr_conventions: {} },
    { n: Number.NaN, b: 1n, f() {} },
  ];
  for (const attrs of given) {
    const node = { kind: "group", attrs };
    assert.ok(Array.isArray(await zarr.validate(node)));
    assert.ok(Array.isArray(await zarr.conventions(node)));
  }
  assert.equal({}.polluted, undefined);
  assert.ok(
    rules(await zarr.validate({ kind: "group", attrs: circular })).includes("zarr_conventions/not-json"),
  );
  assert.equal((await zarr.validate({ kind: "group", attrs: deep })).length > 0, true);
});

test("a convention of the user with a schema, in one call", async () => {
  const forget = zarr.registerConvention({ schemaUrl: SENSOR, key: "sensor", schema });
  const declared = { zarr_conventions: [{ schema_url: SENSOR }] };
  const good = group({ ...declared, sensor: { serial: 3 } });
  assert.deepEqual(errors(await zarr.validate(good)), []);
  const [found] = await zarr.conventions(good);
  assert.deepEqual(
    [found.isRegistered, found.label, found.properties],
    [true, SENSOR, { sensor: { serial: 3 } }],
  );
  const bad = await zarr.validate(group({ ...declared, sensor: { serial: 3, "gain/dB": -1, other: 1 } }));
  const places = errors(bad).map(({ rule, path, convention }) => [rule, path, convention]);
  assert.ok(
    places.some(([rule, path]) => rule === "schema/minimum" && path === "/sensor/gain~1dB"),
    JSON.stringify(places),
  );
  assert.ok(places.every(([, , convention]) => convention === SENSOR));
  assert.ok(errors(bad).length >= 2);
  forget();
  assert.deepEqual(errors(await zarr.validate(group({ ...declared, sensor: {} }))), []);
  assert.throws(() => zarr.registerConvention({ name: "a name" }), { code: "Argument" });
});

test("a schema may describe the whole node, in older drafts", async () => {
  const ofNode = {
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: { node_type: { const: "array" }, attributes: { required: ["sensor"] } },
  };
  const forget = zarr.registerConvention({ schemaUrl: SENSOR, schema: ofNode });
  const findings = errors(await zarr.validate(group({ zarr_conventions: [{ schema: SENSOR }] })));
  assert.deepEqual(rules(findings).sort(), ["schema/const", "schema/required"]);
  assert.equal(findings.find(({ rule }) => rule === "schema/required").path, "");
  forget();
});

test("schemas that cannot be used are findings", async () => {
  for (const broken of [
    { $ref: "#/nowhere" },
    { properties: { sensor: { pattern: "(" } } },
    { $ref: "https://example.com/elsewhere" },
  ]) {
    const forget = zarr.registerConvention({ schemaUrl: SENSOR, schema: broken });
    const findings = await zarr.validate(group({ zarr_conventions: [{ schema: SENSOR }], sensor: "text" }));
    assert.ok(rules(findings).includes("schema/not-checked"), JSON.stringify(findings));
    forget();
  }
  const forget = zarr.registerConvention({
    schemaUrl: SENSOR,
    schema: { properties: { list: { uniqueItems: true } } },
  });
  const list = Array.from({ length: 200_000 }, (_, idx) => idx);
  const findings = await zarr.validate(group({ zarr_conventions: [{ schema: SENSOR }], list }));
  assert.ok(rules(findings).includes("schema/too-large"));
  forget();
});

test("schemas are fetched only with loadSchema, and once", async () => {
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request.url);
    response.statusCode = request.url === "/schema.json" ? 200 : 404;
    response.end(JSON.stringify(schema));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  try {
    const declared = [
      { schema_url: `${origin}/schema.json`, name: "sensor" },
      { schema_url: `${origin}/gone.json` },
      { schema: "ftp://a.b/c" },
    ];
    const node = group({ zarr_conventions: declared, sensor: {} });
    await zarr.validate(node);
    assert.deepEqual(seen, []);
    const findings = await zarr.validate(node, { loadSchema: true });
    assert.ok(rules(findings).includes("schema/required"));
    assert.equal(rules(findings).filter((rule) => rule === "schema/not-loaded").length, 2);
    await zarr.validate(node, { loadSchema: true });
    assert.equal(seen.filter((path) => path === "/schema.json").length, 1);
    const controller = new AbortController();
    controller.abort(new Error("enough"));
    await assert.rejects(zarr.validate(node, { loadSchema: true, signal: controller.signal }), /enough/);
  } finally {
    server.close();
  }
});

test("declaring in the current and the early form, and writing", async () => {
  const before = { zarr_conventions: [{ schema: "https://example.com/a" }], kept: 1 };
  const changed = await zarr.conventionAttributes(before, {
    known: "spatial",
    properties: { "spatial:bbox": [0, 0, 1, 1] },
  });
  assert.deepEqual(Object.keys(changed).sort(), ["spatial:bbox", "zarr_conventions"]);
  assert.equal(changed.zarr_conventions[1].uuid, "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4");
  const early = await zarr.conventionAttributes(
    {},
    { specUrl: "https://example.com/s", name: "s:", form: "early" },
  );
  assert.deepEqual(early, { zarr_conventions: [{ spec: "https://example.com/s", name: "s:" }] });
  await assert.rejects(zarr.conventionAttributes({ a: 1 }, { known: "proj", properties: { a: 2 } }), {
    code: "Argument",
  });
  await assert.rejects(zarr.conventionAttributes({ zarr_conventions: 3 }, { known: "proj" }), {
    code: "Format",
  });
  const written = [];
  const node = { attrs: before, updateAttributes: async (attributes) => written.push(attributes) };
  await zarr.addConvention(node, { known: "proj", properties: { "proj:code": "EPSG:4326" } });
  assert.equal(written[0]["proj:code"], "EPSG:4326");
  await assert.rejects(zarr.addConvention({ attrs: {} }, { known: "proj" }), { code: "Argument" });
});

test("a written declaration is there after the node is opened again", async () => {
  for (const zarrFormat of [2, 3]) {
    const root = await zarr.create(new Map(), { zarrFormat, attributes: { kept: 1 } });
    await zarr.addConvention(root, {
      known: "multiscales",
      properties: { multiscales: { layout: [{ asset: "0" }] } },
    });
    const options = { zarrFormat, shape: [4, 6], chunks: [2, 3], dtype: "uint8", dimensionNames: ["y", "x"] };
    const array = await zarr.create(root.resolve("0"), options);
    await array.set(null, 7);
    const [found] = await zarr.conventions(await zarr.open(root.store, { kind: "group" }));
    assert.deepEqual([found.known, found.declared, found.findings], ["multiscales", true, []]);
    const { levels } = await zarr.pyramid(await zarr.open(root.store, { kind: "group" }));
    // The conventions do not change the elements.
    assert.deepEqual((await levels[0].array.get([0, null])).data, Uint8Array.of(7, 7, 7, 7, 7, 7));
  }
});

test("no code is generated, and slim gets the module's URL", () => {
  const program = `
    import { readFileSync } from "node:fs";
    import { pathToFileURL } from "node:url";
    import * as zarr from "zarr-wasm/slim";
    const node = { kind: "group", attrs: { zarr_conventions: [{ schema: "${SENSOR}" }], sensor: 3 } };
    const before = await zarr.validate(node).catch((error) => error);
    console.log(before.code, /wasmConventions/.test(before.message));
    await zarr.init({ wasm: readFileSync("dist/zarr_wasm.wasm"), wasmConventions: pathToFileURL("dist/zarr_wasm_conventions.wasm") });
    zarr.registerConvention({ schemaUrl: "${SENSOR}", schema: { properties: { sensor: { type: "string", pattern: "^a" } } } });
    console.log((await zarr.validate(node)).map(({ rule }) => rule).includes("schema/type"));
  `;
  const args = ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(import.meta.dirname, "../.."),
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  assert.equal(stdout.trim(), "Argument true\ntrue");
});
