/** The page's own codecs: a module runs in workers, a function on the page's thread. */
import * as zarr from "zarr-wasm";
import { GZip, Zstd } from "zarr-wasm/numcodecs";
import { equal, ok, rejects, test } from "./harness.mjs";

const MODULE = `
  const inWorker = typeof window === "undefined";
  export default {
    kind: "bytes_to_bytes",
    fromConfig: ({ worker }) => ({
      async decode(bytes) {
        if (worker !== undefined && inWorker !== worker) throw new RangeError("another thread");
        return bytes.map((byte) => byte ^ 0xff);
      },
    }),
  };`;

/** An array of 2^19 float64 whose element i is i. All bits of its bytes are inverted. */
function madeStore(configuration) {
  const count = 1 << 19;
  const codecs = [
    { name: "bytes", configuration: { endian: "little" } },
    { name: "test.flipped", configuration },
  ];
  const metadata = {
    zarr_format: 3,
    node_type: "array",
    shape: [count],
    data_type: "float64",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [count / 8] } },
    chunk_key_encoding: { name: "default" },
    codecs,
    fill_value: 0,
  };
  const store = new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(metadata))]]);
  for (let chunk = 0; chunk < 8; chunk += 1) {
    const elements = Float64Array.from({ length: count / 8 }, (_, at) => (chunk * count) / 8 + at);
    store.set(
      `/c/${chunk}`,
      new Uint8Array(elements.buffer).map((byte) => byte ^ 0xff),
    );
  }
  return store;
}

const isRight = ({ data }) => data.length === 1 << 19 && data.every((value, at) => value === at);

async function withCodec(codec, body) {
  zarr.registry.set("test.flipped", codec);
  try {
    await body();
  } finally {
    zarr.registry.delete("test.flipped");
  }
}

test("a module of the page runs in workers, a function on the page's thread", async () => {
  const url = URL.createObjectURL(new Blob([MODULE], { type: "text/javascript" }));
  await withCodec({ url }, async () => {
    const array = await zarr.open(madeStore({ worker: true }), { kind: "array" });
    ok(isRight(await array.get()));
    equal(zarr.info().codecs[0].runs, "workers");
  });
  await withCodec(
    () => import(/* webpackIgnore: true */ url).then((module) => module.default),
    async () => {
      const array = await zarr.open(madeStore({ worker: false }), { kind: "array" });
      ok(isRight(await array.get()));
    },
  );
});

test("a module that cannot be loaded gives an error of the codec", async () => {
  await withCodec({ url: "/there-is-no-such-module.mjs" }, async () => {
    const array = await zarr.open(madeStore({}), { kind: "array" });
    await rejects(
      array.get(),
      (error) => error._tag === "CodecPipelineError" && error.codec === "test.flipped",
    );
  });
});

test("codecs of this package encode and decode alone, also in workers", async () => {
  const plain = Uint8Array.from({ length: 1 << 20 }, (_, at) => at >> 5);
  for (const bytes of [plain.subarray(0, 100), plain]) {
    const blosc = (await zarr.registry.get("blosc")()).fromConfig({ cname: "zstd", clevel: 3 });
    const frame = await blosc.encode(bytes);
    ok(frame.length < bytes.length + 100);
    equal(await blosc.decode(frame), bytes.slice());
    const frames = await new Zstd(99).encode(bytes);
    const members = await new GZip().encode(bytes);
    equal(await new Zstd().decode(frames), bytes.slice());
    const stream = new Blob([members]).stream().pipeThrough(new DecompressionStream("gzip"));
    equal(new Uint8Array(await new Response(stream).arrayBuffer()), bytes.slice());
  }
});
