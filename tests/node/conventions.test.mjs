/**
 * Conventions: recognition, validation, schemas and declarations, with any attributes. The package
 * has no JSON Schema validator: these tests give it one, as users do.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { Validator } from "@cfworker/json-schema";
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

/** Checks a document with @cfworker/json-schema. */
const validateIn = (draft) => (schema, document) =>
  new Validator(structuredClone(schema), draft, false)
    .validate(document)
    .errors.map(({ keyword, instanceLocation, error: message }) => ({
      ...{ keyword, message, path: decodeURI(instanceLocation.slice(1)) },
    }));
const validate = validateIn("2020-12");

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
  const declared = { zarr_conventions: [{ schema_url: SENSOR, name: "sensor" }] };
  const good = group({ ...declared, sensor: { serial: 3 } });
  assert.deepEqual(await zarr.validate(good, { validate }), []);
  const [found] = await zarr.conventions(good);
  assert.deepEqual(
    [found.isRegistered, found.label, found.properties],
    [true, "sensor", { sensor: { serial: 3 } }],
  );
  const node = group({ ...declared, sensor: { serial: 3, "gain/dB": -1, other: 1 } });
  const bad = await zarr.validate(node, { validate });
  const finding = bad.find(({ rule }) => rule === "schema/minimum");
  assert.deepEqual(
    [finding.path, finding.severity, finding.convention],
    ["/sensor/gain~1dB", "error", "sensor"],
  );
  assert.ok(errors(bad).length >= 2);
  forget();
  assert.throws(() => zarr.registerConvention({ uuid: "\ud800" }), { code: "Argument" });
  assert.throws(() => zarr.registerConvention({ name: "a name" }), { code: "Argument" });
});

test("a schema that nothing examined is a finding", async () => {
  const of = async (attributes, options) => {
    const findings = await zarr.validate(group(attributes), options);
    return findings.flatMap(({ rule, severity, message }) =>
      rule === "schema/not-validated" ? [[severity, message]] : [],
    );
  };
  const declared = { zarr_conventions: [{ schema_url: SENSOR, name: "sensor" }], sensor: 3 };
  const [[severity, message], ...others] = await of(declared);
  assert.equal(severity, "info");
  assert.match(message, /loadSchema/);
  assert.deepEqual(others, []);
  assert.match((await of(declared, { validate }))[0][1], /loadSchema/);
  // Nothing is requested where nothing could examine it: the host of this URL does not exist.
  assert.match((await of(declared, { loadSchema: true }))[0][1], /no validator/);
  const forget = zarr.registerConvention({ schemaUrl: SENSOR, schema });
  const [[registered, reason]] = await of(declared);
  assert.equal(registered, "warning");
  assert.match(reason, /no validator/);
  assert.deepEqual(await of(declared, { validate }), []);
  forget();
  // Rules examine the conventions that the package knows.
  const known = { zarr_conventions: [{ uuid: "f17cb550-5864-4468-aeb7-f3180cfb622f", name: "proj:" }] };
  assert.deepEqual(await of({ ...known, "proj:code": "EPSG:4326" }), []);
  // Without a schema there is nothing to examine.
  assert.deepEqual(await of({ zarr_conventions: [{ spec: "https://example.com/x", name: "x:" }] }), []);
});

test("a schema may describe the whole node, in older drafts", async () => {
  const ofNode = {
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: {
      node_type: { const: "array" },
      attributes: { required: ["sensor"], properties: { gain: { minimum: 0 } } },
    },
  };
  const forget = zarr.registerConvention({ schemaUrl: SENSOR, schema: ofNode });
  const node = group({ zarr_conventions: [{ schema: SENSOR }], gain: -1 });
  const findings = errors(await zarr.validate(node, { validate: validateIn("7") }));
  const pathOf = (rule) => findings.find((finding) => finding.rule === rule).path;
  assert.deepEqual(["schema/const", "schema/required", "schema/minimum"].map(pathOf), [
    "/node_type",
    "",
    "/gain",
  ]);
  forget();
});

test("what a validator returns and throws", async () => {
  const forget = zarr.registerConvention({ schemaUrl: SENSOR, schema: { properties: { a: {} } } });
  const node = group({ zarr_conventions: [{ schema: SENSOR, name: "s" }], a: 2n ** 63n });
  const given = [];
  const of = async (answer) => {
    const findings = await zarr.validate(node, {
      validate: (...args) => {
        given.push(args);
        return answer();
      },
    });
    return findings.filter(({ rule }) => rule.startsWith("schema/"));
  };
  assert.deepEqual(await of(() => []), []);
  assert.deepEqual(given[0][0], { properties: { a: {} } });
  assert.deepEqual(given[0][1].a, 2 ** 63);
  const [finding, ...rest] = await of(async () => [{ message: "wrong at https://u:secret@a.b/?t=secret" }]);
  assert.deepEqual(rest, []);
  assert.deepEqual([finding.rule, finding.path, finding.severity], ["schema/invalid", "", "error"]);
  assert.doesNotMatch(finding.message, /secret/);
  // A schema of others may be no schema at all.
  const [refused] = await of(() => {
    throw new Error("no schema with id https://a.b/?t=secret");
  });
  assert.deepEqual([refused.rule, refused.severity], ["schema/not-checked", "warning"]);
  assert.match(refused.message, /no schema with id/);
  assert.doesNotMatch(refused.message, /secret/);
  const many = await of(() => Array.from({ length: 1000 }, (_, at) => ({ message: `${at}` })));
  assert.deepEqual(
    [many.length, many.at(-1).rule, many.at(-1).message],
    [201, "schema/more", "800 more findings"],
  );
  for (const wrong of [true, undefined, null, "text", [1], [{ error: "a" }], {}])
    await assert.rejects(
      of(() => wrong),
      { code: "Argument" },
      `${JSON.stringify(wrong)}`,
    );
  await assert.rejects(zarr.validate(node, { validate: true }), { code: "Argument", field: "validate" });
  forget();
});

/** Serves schemas, and counts what is asked for. */
async function schemaServer(answer) {
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request.url);
    response.on("error", () => {});
    answer(request.url, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { seen, origin, close };
}

test("schemas are fetched only with loadSchema, and once", async () => {
  const { seen, origin, close } = await schemaServer((url, response) => {
    response.statusCode = url === "/schema.json" ? 200 : 404;
    response.end(JSON.stringify(schema));
  });
  try {
    const declared = [
      { schema_url: `${origin}/schema.json`, name: "sensor" },
      { schema_url: `${origin}/gone.json` },
      { schema: "ftp://a.b/c" },
    ];
    const node = group({ zarr_conventions: declared, sensor: {} });
    await zarr.validate(node, { validate });
    await zarr.validate(node, { loadSchema: true });
    assert.deepEqual(seen, []);
    const both = { loadSchema: true, validate };
    const findings = await zarr.validate(node, both);
    assert.ok(rules(findings).includes("schema/required"));
    assert.equal(rules(findings).filter((rule) => rule === "schema/not-loaded").length, 2);
    await zarr.validate(node, both);
    assert.equal(seen.filter((path) => path === "/schema.json").length, 1);
    const controller = new AbortController();
    controller.abort(new Error("enough"));
    await assert.rejects(zarr.validate(node, { ...both, signal: controller.signal }), /enough/);
  } finally {
    close();
  }
});

test("one caller's abort leaves the download of a schema to the others", async () => {
  let ask;
  const asked = new Promise((resolve) => {
    ask = resolve;
  });
  const { origin, close } = await schemaServer((_, response) => ask(response));
  try {
    const node = group({ zarr_conventions: [{ schema_url: `${origin}/slow.json`, name: "sensor" }] });
    const controller = new AbortController();
    const first = zarr.validate(node, { loadSchema: true, validate, signal: controller.signal });
    const response = await asked;
    const second = zarr.validate(node, { loadSchema: true, validate });
    controller.abort(new Error("enough"));
    await assert.rejects(first, /enough/);
    response.end(JSON.stringify(schema));
    assert.ok(rules(await second).includes("schema/required"));
  } finally {
    close();
  }
});

test("schemas that are no schemas, do not end, or are too many", async () => {
  let sent = 0;
  const { seen, origin, close } = await schemaServer((url, response) => {
    if (url === "/list.json") return response.end("[]");
    if (url !== "/endless.json") return response.end("{}");
    const piece = Buffer.alloc(2 ** 16, " ");
    const pour = () => {
      while (!response.destroyed && sent < 2 ** 27) {
        sent += piece.length;
        if (!response.write(piece)) return response.once("drain", pour);
      }
    };
    return pour();
  });
  try {
    const of = async (...names) => {
      const zarr_conventions = names.map((name) => ({ schema_url: `${origin}${name}`, name: "x" }));
      const findings = await zarr.validate(group({ zarr_conventions }), { loadSchema: true, validate });
      return rules(findings).filter((rule) => rule.startsWith("schema/"));
    };
    assert.deepEqual(await of("/list.json"), ["schema/not-loaded"]);
    assert.deepEqual(await of("/endless.json"), ["schema/not-loaded"]);
    assert.ok(sent < 2 ** 25, `${sent} bytes`);
    seen.length = 0;
    const many = Array.from({ length: 18 }, (_, at) => `/${at}.json`);
    assert.deepEqual(await of(...many.slice(0, 16)), []);
    assert.deepEqual(await of(...many), ["schema/not-validated", "schema/not-validated"]);
    assert.equal(seen.length, 16);
  } finally {
    close();
  }
});

test("many declarations are read in part, and an error says so", async () => {
  const declared = (count) =>
    Array.from({ length: count }, (_, at) => ({ spec_url: `https://example.com/${at}`, name: `x${at}:` }));
  const few = group({ zarr_conventions: declared(256), "x255:y": 1 });
  const found = await zarr.conventions(few);
  assert.deepEqual([found.length, found.at(-1).properties], [256, { "x255:y": 1 }]);
  assert.deepEqual(errors(await zarr.validate(few)), []);
  const many = group({ zarr_conventions: declared(20_000), "x255:y": 1 });
  assert.equal((await zarr.conventions(many)).length, 256);
  assert.deepEqual(rules(errors(await zarr.validate(many))), ["zarr_conventions/too-many"]);
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
    zarr.registerConvention({ schemaUrl: "${SENSOR}", schema: true });
    const validate = () => [{ message: "no", keyword: "type" }];
    console.log((await zarr.validate(node, { validate })).map(({ rule }) => rule).includes("schema/type"));
  `;
  const args = ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(import.meta.dirname, "../.."),
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  assert.equal(stdout.trim(), "Argument true\ntrue");
});
