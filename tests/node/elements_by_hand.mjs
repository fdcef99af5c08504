/**
 * Data types with elements as JavaScript values and as bytes, for the tests of writing. The bytes
 * are made with a DataView, without the package.
 */
const view = (size, write) => {
  const data = new DataView(new ArrayBuffer(size));
  write(data);
  return new Uint8Array(data.buffer);
};

const numbers = (name, code, size, setter, values) => ({
  name,
  v3: name,
  v2: code,
  values,
  bytes: (value) => view(size, (data) => data[setter](0, value, true)),
});

/** float16 and bfloat16, with numbers that both hold exactly. */
const HALVES = new Map([
  [0, 0x0000],
  [1, 0x3c00],
  [-2, 0xc000],
  [0.5, 0x3800],
  [65504, 0x7bff],
  [Infinity, 0x7c00],
]);
const BRAINS = new Map([
  [0, 0x0000],
  [1, 0x3f80],
  [-2, 0xc000],
  [0.5, 0x3f00],
  [Infinity, 0x7f80],
]);
const ofTable = (name, code, table) => ({
  name,
  v3: name,
  v2: code,
  values: [...table.keys()],
  bytes: (value) => view(2, (data) => data.setUint16(0, table.get(value), true)),
});

const pair = (name, code, size, setter) => ({
  name,
  v3: name,
  v2: code,
  units: 2,
  values: [
    [0, 0],
    [1.5, -2.5],
    [-1e10, 3],
    [Infinity, 0.25],
  ],
  bytes: ([re, im]) =>
    view(2 * size, (data) => {
      data[setter](0, re, true);
      data[setter](size, im, true);
    }),
});

const sized = (name, length) => ({ name, configuration: { length_bytes: length } });
const timed = (name, unit, scale) => ({ name, configuration: { unit, scale_factor: scale } });
const utf8 = (text) => new TextEncoder().encode(text);
const padded = (bytes, size) => Uint8Array.from({ length: size }, (_, at) => bytes[at] ?? 0);

const times = (name, v3, v2) => ({
  ...numbers(name, v2, 8, "setBigInt64", [0n, 1n, -5n, 12345678901234n]),
  v3,
});

const STRUCT = {
  name: "struct",
  configuration: {
    fields: [
      { name: "a", data_type: "int16" },
      { name: "b", data_type: "float64" },
      { name: "c", data_type: "uint8" },
    ],
  },
};

/** All families. `values` are elements; the first one is zero. */
export const FAMILIES = [
  { name: "bool", v3: "bool", v2: "|b1", values: [false, true], bytes: (value) => [Number(value)] },
  numbers("int8", "|i1", 1, "setInt8", [0, 1, -128, 127]),
  numbers("uint8", "|u1", 1, "setUint8", [0, 1, 200, 255]),
  numbers("int16", "<i2", 2, "setInt16", [0, -1, -32768, 32767]),
  numbers("uint16", "<u2", 2, "setUint16", [0, 258, 65535]),
  numbers("int32", "<i4", 4, "setInt32", [0, -7, 2 ** 31 - 1, -(2 ** 31)]),
  numbers("uint32", "<u4", 4, "setUint32", [0, 7, 2 ** 32 - 1]),
  numbers("int64", "<i8", 8, "setBigInt64", [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]),
  numbers("uint64", "<u8", 8, "setBigUint64", [0n, 2n ** 53n + 1n, 2n ** 64n - 1n]),
  ofTable("float16", "<f2", HALVES),
  numbers("float32", "<f4", 4, "setFloat32", [0, 1.5, -Infinity, 2 ** -149]),
  numbers("float64", "<f8", 8, "setFloat64", [0, 0.1, Infinity, 5e-324, -1e300]),
  pair("complex64", "<c8", 4, "setFloat32"),
  pair("complex128", "<c16", 8, "setFloat64"),
  times("moments", timed("numpy.datetime64", "ms", 1), "<M8[ms]"),
  times("durations", timed("numpy.timedelta64", "s", 10), "<m8[10s]"),
  {
    name: "text",
    v3: sized("fixed_length_utf32", 16),
    v2: "<U4",
    values: ["", "añ", "日本語x", "🙂"],
    bytes: (text) =>
      view(16, (data) => {
        for (const [at, char] of [...text].entries()) data.setUint32(4 * at, char.codePointAt(0), true);
      }),
  },
  {
    name: "byte-text",
    v3: sized("null_terminated_bytes", 5),
    v2: "|S5",
    values: [utf8(""), utf8("ab"), utf8("hello")],
    bytes: (bytes) => padded(bytes, 5),
  },
  {
    name: "struct",
    v3: STRUCT,
    v2: [
      ["a", "<i2"],
      ["b", "<f8"],
      ["c", "|u1"],
    ],
    values: [
      { a: 0, b: 0, c: 0 },
      { a: -2, b: 0.5, c: 255 },
      { a: 300, b: -1e10, c: 7 },
    ],
    bytes: ({ a, b, c }) =>
      view(11, (data) => {
        data.setInt16(0, a, true);
        data.setFloat64(2, b, true);
        data.setUint8(10, c);
      }),
  },
  { name: "string", v3: "string", v2: "|O", values: ["", "a", "größer", "日本🙂"], json: (text) => text },
];

/** The families that no other library of the conformance tests can read. */
export const OTHER_FAMILIES = [
  ofTable("bfloat16", null, BRAINS),
  { name: "int4", v3: "int4", values: [0, -8, 7], bytes: (value) => [value & 255] },
  { name: "uint2", v3: "uint2", values: [0, 3], bytes: (value) => [value] },
  {
    name: "float8_e4m3",
    v3: "float8_e4m3",
    values: [0, 1, -2],
    bytes: (value) => [{ 0: 0, 1: 0x38, "-2": 0xc0 }[value]],
  },
  {
    name: "raw",
    v3: "r24",
    v2: "|V3",
    values: [Uint8Array.of(0, 0, 0), Uint8Array.of(1, 2, 255)],
    bytes: (bytes) => bytes,
  },
  {
    name: "bytes",
    v3: "bytes",
    values: [Uint8Array.of(), Uint8Array.of(0, 1), utf8("abc")],
    json: (bytes) => Buffer.from(bytes).toString("base64"),
  },
];

/** A list of `count` elements that repeats the values. */
export const elementsOf = ({ values }, count, from = 0) =>
  Array.from({ length: count }, (_, at) => values[(at + from) % values.length]);

/** A list as a plain array for `set`, in which a complex number is two entries. */
export const listOf = ({ units }, elements) => (units === 2 ? elements.flat() : elements);

/** The packed bytes of a list. */
export const packedBytes = ({ bytes }, elements) =>
  Buffer.concat(elements.map((element) => Uint8Array.from(bytes(element))));
