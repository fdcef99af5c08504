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
  assert.ok(taken < 10_000, `${taken} ms`);
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
