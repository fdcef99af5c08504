/** Attributes: exact integers, Python's extensions of JSON, keys of any name, large documents. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";

const group = (attributes, before = "") =>
  new Map([
    [
      "/zarr.json",
      new TextEncoder().encode(`${before}{"zarr_format":3,"node_type":"group","attributes":${attributes}}`),
    ],
  ]);

const array = (attributes) =>
  new Map([
    [
      "/.zarray",
      new TextEncoder().encode(
        '{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}',
      ),
    ],
    ["/.zattrs", new TextEncoder().encode(attributes)],
  ]);

test("64-bit integers are exact on request", async () => {
  const text =
    '{"id":9007199254740993,"deep":[{"u":18446744073709551615,"i":-9223372036854775808}],"small":3,"real":0.1}';
  for (const node of [await zarr.open(group(text)), await zarr.open(array(text))]) {
    const exact = node.attributes({ bigint: true });
    assert.equal(exact.id, 9007199254740993n);
    assert.deepEqual(exact.deep, [{ u: 18446744073709551615n, i: -9223372036854775808n }]);
    assert.deepEqual([exact.small, exact.real], [3, 0.1]);
    assert.equal(node.attrs.id, 9007199254740992);
    assert.deepEqual(node.attributes(), node.attrs);
  }
});

test("NaN and the infinities, a byte order mark", async () => {
  const text = '{"a":NaN,"b":[Infinity,-Infinity],"c":"NaN"}';
  for (const node of [
    await zarr.open(group(text)),
    await zarr.open(array(text)),
    await zarr.open(group(text, "\ufeff")),
  ]) {
    assert.deepEqual(node.attrs, { a: Number.NaN, b: [Infinity, -Infinity], c: "NaN" });
  }
});

test("a key may be called __proto__", async () => {
  for (const value of ["1", "NaN"]) {
    const text = `{"__proto__":{"polluted":true},"a":{"__proto__":${value}}}`;
    for (const node of [await zarr.open(group(text)), await zarr.open(array(text))]) {
      for (const attributes of [node.attrs, node.attributes({ bigint: true })]) {
        assert.deepEqual(Object.keys(attributes), ["__proto__", "a"]);
        assert.equal(Object.getPrototypeOf(attributes), Object.prototype);
        assert.deepEqual(Object.keys(attributes.a), ["__proto__"]);
        assert.equal({}.polluted, undefined);
      }
    }
  }
});

test("the last of two equal keys counts, as in JSON.parse", async () => {
  for (const node of [
    await zarr.open(group('{"a":1,"a":2}')),
    await zarr.open(array('{"a":1,"b":NaN,"a":2}')),
  ]) {
    assert.equal(node.attrs.a, 2);
    assert.equal(node.attributes({ bigint: true }).a, 2);
  }
});

test("the stored documents are available unchanged", async () => {
  const text = '{ "a" : 1.50,\n "a":NaN}';
  assert.equal((await zarr.open(array(text))).rawMetadata[".zattrs"], text);
  const node = await zarr.open(group(text));
  assert.equal(node.rawMetadata["zarr.json"], `{"zarr_format":3,"node_type":"group","attributes":${text}}`);
});

test("a document of 50 MB", async () => {
  const entry = '{"name":"a somewhat longer name of something","values":[1,2,3,4.5,null,true]}';
  const text = `{"list":[${new Array(640_000).fill(entry).join(",")}],"last":9007199254740993}`;
  assert.ok(text.length > 48e6);
  const node = await zarr.open(array(text));
  assert.equal(node.attrs.list.length, 640_000);
  assert.equal(node.attrs.last, 9007199254740992);
  const started = performance.now();
  const exact = node.attributes({ bigint: true });
  const taken = performance.now() - started;
  assert.equal(exact.last, 9007199254740993n);
  assert.deepEqual(exact.list.at(-1), JSON.parse(entry));
  assert.ok(taken < 60_000, `${taken} ms`);
});

test("NaN and infinities are kept in nested values, under __proto__, and in repeated keys", async () => {
  const text =
    '{"a":{"x":NaN,"x":"NaN"},"__proto__":{"n":9007199254740993},"l":[[],[1,-Infinity]],"t":"\\u0000NaN","n":[NaN],"n":3}';
  const exact = (await zarr.open(array(text))).attributes({ bigint: true });
  assert.equal(exact.a.x, "NaN");
  assert.equal(Object.getOwnPropertyDescriptor(exact, "__proto__").value.n, 9007199254740993n);
  assert.equal(Object.getPrototypeOf(exact), Object.prototype);
  assert.deepEqual(exact.l, [[], [1, Number.NEGATIVE_INFINITY]]);
  assert.equal(exact.t, "\u0000NaN");
  assert.equal(exact.n, 3);
});

/** Attributes of more than a megabyte, before which and after which there are some others. */
const large = (last = '"ä":"€"') =>
  `{ "first" : [1.50, {"NaN": "1234567890123456789"}], "_ARRAY_DIMENSIONS": ["x"],
    "long": "${"ö\\u0000".repeat(200_000)}", ${last} } `;

/** A group and an array of each format, with these attributes. `before` begins their document. */
const nodes = (attributes, before = "") => {
  const bytes = (text) => new TextEncoder().encode(text);
  const array3 =
    '"shape":[1],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},' +
    '"chunk_key_encoding":{"name":"default"},"fill_value":7,"codecs":[{"name":"bytes"}]';
  const group3 = `${before}{"zarr_format":3,"attributes":${attributes},"node_type":"group"}`;
  const large3 = `${before}{"zarr_format":3,"node_type":"array","attributes":${attributes},${array3}}`;
  const zattrs = bytes(before + attributes);
  return [
    [new Map([["/zarr.json", bytes(group3)]]), { "zarr.json": group3 }],
    [new Map([["/zarr.json", bytes(large3)]]), { "zarr.json": large3 }],
    [
      new Map([
        ["/.zgroup", bytes('{"zarr_format":2}')],
        ["/.zattrs", zattrs],
      ]),
      { ".zattrs": attributes },
    ],
    [new Map([...array("{}"), ["/.zattrs", zattrs]]), { ".zattrs": attributes }],
  ];
};

test("large attributes and their documents are what is stored", async () => {
  for (const last of ['"ä":"€"', '"a":0.1234567890123456789', '"a":1234567890123456789', '"a":[NaN]']) {
    const text = large(last);
    const [read, exact] = [parsed(text), parsed(text, BigInt)];
    for (const before of ["", "\ufeff"]) {
      for (const [files, texts] of nodes(text, before)) {
        const node = await zarr.open(files);
        assert.deepEqual(node.attrs, read);
        assert.deepEqual(node.attributes({ bigint: true }), exact);
        for (const [key, stored] of Object.entries(texts)) {
          assert.ok(node.rawMetadata[key].replace("\ufeff", "") === stored.replace("\ufeff", ""), key);
        }
        if (files.has("/.zarray")) {
          assert.deepEqual(node.dimensionNames, ["x"]);
          assert.ok(".zarray" in node.rawMetadata);
        }
        if (node.kind === "array") assert.equal((await node.get()).data[0], files.has("/.zarray") ? 0 : 7);
      }
    }
  }
});

/** The value of a text with one of the tokens of these tests. */
function parsed(text, integer = Number) {
  const value = JSON.parse(text.replace(/\bNaN(?=[\] ])/, '"NaN"').replace(/(?<="a":)(\d{19})/, '"$1"'));
  if (Array.isArray(value.a)) value.a = [Number.NaN];
  if (typeof value.a === "string") value.a = integer(value.a);
  return value;
}

test("large attributes stay when a node is changed", async () => {
  for (const [files] of nodes(large())) {
    const node = await zarr.open(files);
    if (node.kind === "array") {
      await node.resize([3]);
      const fresh = await zarr.open(files, { kind: "array" });
      assert.deepEqual([fresh.shape, fresh.attrs], [[3], parsed(large())]);
      const copied = await zarr.copy(await zarr.open(files), new Map());
      assert.deepEqual(copied.attrs.first, parsed(large()).first);
      assert.equal(copied.attrs.long, parsed(large()).long);
    }
    await node.updateAttributes({ more: 1 });
    await node.refresh();
    assert.deepEqual(node.attrs, { ...parsed(large()), more: 1 });
    assert.deepEqual((await zarr.open(files)).attrs, node.attrs);
  }
});

test("large attributes of children, of invalid ones too", async () => {
  const files = new Map([["/zarr.json", group("{}").get("/zarr.json")]]);
  const [[v3Group], [v3Array], [v2Group], [v2Array]] = nodes(large('"a":NaN'));
  files.set("/a/zarr.json", v3Array.get("/zarr.json"));
  files.set("/b/zarr.json", v3Group.get("/zarr.json"));
  const invalid = new TextDecoder().decode(v3Array.get("/zarr.json")).replace('"shape":[1]', '"shape":[1,2]');
  files.set("/c/zarr.json", new TextEncoder().encode(invalid));
  const old = new Map([["/.zgroup", v2Group.get("/.zgroup")]]);
  for (const [key, bytes] of v2Array) old.set(`/a${key}`, bytes);
  for (const [key, bytes] of v2Group) old.set(`/b${key}`, bytes);
  for (const [key, bytes] of v2Array) old.set(`/c${key}`, bytes);
  old.set("/c/.zarray", new TextEncoder().encode('{"zarr_format":2,"shape":[1]}'));
  for (const store of [files, old]) {
    const found = [];
    for await (const child of (await zarr.open(store, { kind: "group" })).children()) found.push(child);
    assert.deepEqual(
      found.map(({ path, error }) => [path, error?.code]),
      [
        ["/a", undefined],
        ["/b", undefined],
        ["/c", "Format"],
      ],
    );
    for (const { attrs } of found) assert.deepEqual(attrs, parsed(large('"a":NaN')));
  }
});

test("large attributes that are no JSON object are errors", async () => {
  for (const text of [large("1"), large('"a":1}'), `[${large()}]`, large('"a":\\')]) {
    for (const [files] of nodes(text)) {
      await assert.rejects(zarr.open(files), { code: "Format" });
    }
  }
});
